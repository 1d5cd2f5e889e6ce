"""``certify pair``: both orders, the worse of them, and the power function."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting.ladder import DEFAULT_LIMIT_ATOMS
from powercert.certify.commands import pair

Run = Callable[..., Any]


def exact(block: Any) -> str:
    return str(block["exact"])


def test_the_worse_order_decides_where_a_one_sided_tool_goes_wrong(certify: Run) -> None:
    # At delta = 1/20, P = (9/10, 1/10), Q = (99/100, 1/100):
    # (99/100 - 1/20)/(9/10) = 47/45 in one order, (1/10 - 1/20)/(1/100) = 5 in the other.
    words = ("pair", "9/10,1/10", "99/100,1/100", "--delta", "1/20")
    ran = certify(*words, "--format", "json")
    assert ran.code == 0
    document = ran.document
    assert document["schema"] == "powercert/pair/1"
    assert exact(document["q_against_p"]["exp_epsilon"]) == "47/45"
    assert exact(document["p_against_q"]["exp_epsilon"]) == "5"
    assert exact(document["worse"]["exp_epsilon"]) == "5"
    assert exact(document["worse"]["epsilon"]) == "ln(5)"
    text = certify(*words).out
    assert "ln(47/45) (about 0.0434851119397)" in text
    assert "ln(5) (about 1.60943791243)" in text


def test_an_order_without_a_finite_epsilon_says_inf(certify: Run) -> None:
    words = ("pair", "1/2,1/2", "1,0", "--delta", "1/10")
    document = certify(*words, "--format", "json").document
    assert exact(document["worse"]["epsilon"]) == "inf"
    assert exact(document["worse"]["least_delta"]) == "1/2"
    assert "no finite eps; smallest possible delta 1/2" in certify(*words).out


def test_one_order_may_have_delta_zero(certify: Run) -> None:
    # Subsampling: the mixture (3/10, 7/10) against (1/4, 3/4) at e^eps = 11/10.
    words = ("pair", "1/4,3/4", "3/10,7/10", "--exp-epsilon", "11/10", "--format", "json")
    document = certify(*words).document
    assert exact(document["q_against_p"]["delta"]) == "1/40"
    assert exact(document["p_against_q"]["delta"]) == "0"


def test_the_power_function_is_listed_by_its_vertices(certify: Run) -> None:
    document = certify("pair", "3/4,1/4", "1/4,3/4", "--format", "json").document
    assert document["power_function"] == [["0", "0"], ["1/4", "3/4"], ["1", "1"]]
    assert exact(document["total_variation"]) == "1/2"


@pytest.mark.parametrize(
    ("times", "question", "key", "answer"),
    [
        ("2", ("--exp-epsilon", "3"), "delta", "3/8"),
        ("2", ("--delta", "0"), "epsilon", "ln(9)"),
        ("10", ("--delta", "0"), "epsilon", "ln(59049)"),
    ],
)
def test_copies_are_composed_exactly(
    certify: Run, times: str, question: Sequence[str], key: str, answer: str
) -> None:
    words = ("pair", "3/4,1/4", "1/4,3/4", "--times", times, *question, "--format", "json")
    assert exact(certify(*words).document["worse"][key]) == answer


@pytest.mark.slow
def test_a_thousand_copies_stay_exact(certify: Run) -> None:
    # Reference value for randomised response with e^eps = 11/10, a thousand times.
    words = ("pair", "11/21,10/21", "10/21,11/21", "--times", "1000", "--delta", "1e-5")
    document = certify(*words, "--format", "json").document
    assert document["worse"]["epsilon"]["decimal"] == "16.7197877743"


def test_files_and_mappings_are_read_exactly(certify: Run, tmp_path: Path) -> None:
    first = tmp_path / "p.json"
    first.write_text('{"a": 0.1, "b": "9/10"}')
    second = tmp_path / "q.toml"
    second.write_text('law = { b = "1/2", a = 0.5 }\n')
    document = certify("pair", first, second, "--format", "json").document
    assert exact(document["total_variation"]) == "2/5"


@pytest.mark.parametrize(
    "words",
    [
        ("pair", "1/2,1/2", "1/2"),
        ("pair", "1/2,1/3", "1/2,1/2"),
        ("pair", "1/2,1/2", "3/2,-1/2"),
        ("pair", "a,b", "1/2,1/2"),
        ("pair", "1/0,1", "1/2,1/2"),
        ("pair", "", ""),
        ("pair", "nowhere.json", "1/2,1/2"),
        ("pair", "1/2,1/2", "1/2,1/2", "--times", "0"),
        ("pair", "1/2,1/2", "1/2,1/2", "--delta", "2"),
        ("pair", "1/2,1/2", "1/2,1/2", "--epsilon", "-1"),
        ("pair", "1/2,1/2", "1/2,1/2", "--epsilon", "1", "--exp-epsilon", "2"),
        ("pair", "nan,1", "1/2,1/2"),
    ],
)
def test_what_is_no_pair_of_laws_is_refused(certify: Run, words: Sequence[str]) -> None:
    ran = certify(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    as_json = certify(*words, "--format", "json")
    assert as_json.code == 2
    assert as_json.error_document["exit_code"] == 2


@pytest.mark.parametrize(
    "text",
    ["[", '{"a": "1/2", "a": "1/2"}', "[NaN, 1]", "[true]", '"1"', "[" * 100_000, "[[1]]"],
)
def test_a_broken_law_file_is_refused(certify: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "law.json"
    path.write_text(text)
    ran = certify("pair", path, "1/2,1/2")
    assert ran.code == 2
    assert ran.out == ""
    assert "P (" in ran.err and "law.json)" in ran.err


def test_a_composition_too_large_to_be_exact_is_undecided(certify: Run) -> None:
    words = ("pair", "1/7,2/7,4/7", "3/11,5/11,3/11", "--times", "100000")
    ran = certify(*words)
    assert ran.code == 3
    assert ran.out == ""
    assert json.loads(certify(*words, "--format", "json").err)["exit_code"] == 3


# --- float literals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "variation", "literal"),
    [
        ("p.json", "[0.75, 0.25]", "1/4", "entry 1 = 0.75"),
        (
            "p.json",
            '{"law": [0.30000000000000004, "0.69999999999999996"]}',
            "4999999999999999/25000000000000000",
            "law: entry 1 = 0.30000000000000004",
        ),
        ("p.json", "[1e-3, 999E-3]", "499/1000", "entry 2 = 999E-3"),
        ("p.toml", "law = [0.7_5, +0.25]", "1/4", "law: entry 1 = 0.75"),
        ("p.toml", "[law]\n0 = 0.75\n1 = '1/4'", None, 'law: "0" = 0.75'),
    ],
)
def test_float_literals_are_read_by_their_digits_with_a_warning(
    certify: Run, tmp_path: Path, name: str, text: str, variation: str | None, literal: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    other = "1/2,1/2" if variation else path
    ran = certify("pair", path, other, "--format", "json")
    assert ran.code == 0
    assert exact(ran.document["total_variation"]) == (variation or "0")
    (warning,) = ran.document["warnings"]
    assert f"P ({path}): {literal}" in warning
    assert "decimal digits" in warning
    last = certify("pair", path, other).out.splitlines()[-1]
    assert last == f"Warning: {warning}"


def test_quoted_numbers_and_those_of_the_command_line_need_no_warning(
    certify: Run, tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    path.write_text('["0.75", " 1/4 "]')
    ran = certify("pair", path, "0.5,0.5", "--format", "json")
    assert ran.document["warnings"] == []
    assert "Warning" not in certify("pair", path, "0.5,0.5").out


def test_the_warning_of_a_long_literal_is_short(certify: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(f'[0.{"3" * 9000}, "1 - 0.{"3" * 9000}"]')
    (warning,) = certify("pair", path, path, "--format", "json").document["warnings"]
    assert "0.333" in warning
    assert len(warning) < 1000


# --- standard input and paths ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '["3/4", "1/4"]',
        '\n  {"law": ["3/4", "1/4"]}',
        'law = ["3/4", "1/4"]',
        '# a law\nlaw = ["3/4", "1/4"]',
        "3/4, 0.25\n",
        '\ufeff["3/4", "1/4"]',
    ],
)
@pytest.mark.parametrize("dash", ["-", "/dev/stdin"])
def test_one_law_may_come_from_standard_input(certify: Run, text: str, dash: str) -> None:
    words = ("--format", "json")
    first = certify("pair", dash, "1/2,1/2", *words, stdin=text)
    assert first.code == 0, first.err
    assert first.document == certify("pair", "3/4,1/4", "1/2,1/2", *words).document
    second = certify("pair", "1/2,1/2", dash, *words, stdin=text)
    assert second.document == certify("pair", "1/2,1/2", "3/4,1/4", *words).document


@pytest.mark.parametrize("text", ['[law]\na = "1"\n', '{"a": 1}', '[ "law" ] # x\na = 1'])
def test_a_table_from_standard_input_is_told_from_a_list(
    certify: Run, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "q.json"
    path.write_text('{"a": 1}')
    ran = certify("pair", "-", path, "--format", "json", stdin=text)
    assert ran.code == 0, ran.err
    assert exact(ran.document["total_variation"]) == "0"


@pytest.mark.parametrize("words", [("-", "-"), ("-", "/dev/stdin"), ("/dev/stdin", "/dev/fd/0")])
def test_both_laws_cannot_come_from_standard_input(certify: Run, words: Sequence[str]) -> None:
    ran = certify("pair", *words, stdin="[1]")
    assert ran.code == 2
    assert "P and Q: both laws are standard input, which can be read only once" in ran.err


def test_faults_on_standard_input_name_it(certify: Run) -> None:
    for text, message in (
        ("", "P (stdin): the file is empty"),
        ("[1,]", "P (stdin): line 1, column"),
        ("[2]", "P (stdin): entry 1: not a probability: above 1"),
        ('"1"', "P (stdin): entry 1: not a probability"),
    ):
        ran = certify("pair", "-", "1", stdin=text)
        assert ran.code == 2
        assert message in ran.err


def test_the_ending_of_a_file_may_have_either_case(certify: Run, tmp_path: Path) -> None:
    for name, text in (("OK.JSON", '["3/4", "1/4"]'), ("OK.Toml", 'law = ["3/4", "1/4"]')):
        path = tmp_path / name
        path.write_text(text)
        assert certify("pair", path, "3/4,1/4").code == 0


def test_a_file_without_a_known_ending_is_read_by_its_path_only(
    certify: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("law.txt", "3"):
        Path(name).write_text('["3/4", "1/4"]')
        assert certify("pair", f"./{name}", "3/4,1/4").code == 0
    assert "write ./law.txt to read that file" in certify("pair", "law.txt", "1").err
    assert "entry 1: not a probability: above 1" in certify("pair", "3", "1").err
    missing = certify("pair", "nowhere.yaml", "1").err
    assert "P: neither probabilities nor a file that ends in .json or .toml" in missing
    assert "- for standard input" in missing
    folder = certify("pair", tmp_path, "1").err
    assert f"P ({tmp_path}): a folder, not a file" in folder


# --- all problems, each with its place ------------------------------------------------------------


def test_all_problems_are_reported_in_one_run(certify: Run, tmp_path: Path) -> None:
    first = tmp_path / "p.json"
    first.write_text('[true, "x", 2, "1/2"]')
    words = ("pair", first, "1/2,1/3", "--delta", "", "--epsilon", "-1", "--exp-epsilon", "0")
    ran = certify(*words, "--times", "0", "--limit-atoms", "0", "--format", "json")
    assert ran.code == 2
    document = ran.error_document
    starts = [
        "--times: not a positive whole number",
        "--limit-atoms: not a positive whole number",
        "--epsilon: epsilon is negative",
        "--exp-epsilon: exp_epsilon is below 1",
        "--delta: an empty text is not a number",
        f"P ({first}): entry 1: not a probability; found true",
        f"P ({first}): entry 2: not a probability: ",
        f"P ({first}): entry 3: not a probability: above 1; found 2",
        "Q: probabilities sum to 5/6, not 1 (missing 1/6)",
        "P and Q: the laws have different lengths; found 4 outcomes in P and 2 in Q",
    ]
    assert document["count"] == len(document["problems"]) == len(starts)
    for problem, start in zip(document["problems"], starts, strict=True):
        assert problem.startswith(start)


def test_of_many_problems_the_first_twenty_and_their_number_are_shown(certify: Run) -> None:
    ran = certify("pair", ",".join(["x"] * 30), ",".join(["2"] * 30))
    assert ran.code == 2
    assert ran.err.startswith("certify: 60 problems\n  P: entry 1: ")
    assert ran.err.count("not a probability") == 20
    assert ran.err.endswith("  and 40 more\n")


def test_every_repeated_key_is_told_with_its_file(certify: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"a": "1/4",\n"a": "1/4",\n"b": "1/4", "b": "1/4"}')
    ran = certify("pair", path, "1", "--format", "json")
    assert ran.error_document["problems"] == [
        f'P ({path}): line {line}: key "{key}" is written twice in one object; keep one of them'
        for line, key in ((2, "a"), (3, "b"))
    ]
    path.write_text('{"a": "1/2",\n"a": "1/2"}')
    assert f'P ({path}): line 2: key "a" is written twice' in certify("pair", path, "1").err


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--delta", "ln(2)", "--delta: a logarithm is not a probability"),
        ("--delta", "", "--delta: an empty text is not a number"),
        ("--delta", "2", "--delta: delta is not in [0, 1]"),
        ("--epsilon", "1/0", "--epsilon: zero denominator"),
        ("--exp-epsilon", "1/2", "--exp-epsilon: exp_epsilon is below 1"),
        ("--times", "0", "--times: not a positive whole number"),
        ("--limit-atoms", "0", "--limit-atoms: not a positive whole number"),
    ],
)
def test_a_wrong_number_names_its_option(
    certify: Run, option: str, text: str, message: str
) -> None:
    ran = certify("pair", "3/4,1/4", "1/4,3/4", option, text)
    assert ran.code == 2
    assert ran.err.startswith(f"certify: {message}")
    assert "claim" not in ran.err


def test_two_forms_of_epsilon_may_agree_but_not_disagree(certify: Run) -> None:
    words = ("pair", "3/4,1/4", "1/4,3/4", "--exp-epsilon", "3", "--epsilon")
    assert certify(*words, "ln(3)").code == 0
    assert "--epsilon and --exp-epsilon: they disagree" in certify(*words, "1").err


@pytest.mark.parametrize("digits", [4001, 10_000, 200_000])
@pytest.mark.parametrize("name", ["p.json", "p.toml"])
def test_a_long_whole_number_is_refused_in_our_own_words(
    certify: Run, tmp_path: Path, digits: int, name: str
) -> None:
    path = tmp_path / name
    start = "law = " if name.endswith("toml") else ""
    path.write_text(f"{start}[{'1' * digits}, 0]")
    ran = certify("pair", path, "1/2,1/2")
    assert ran.code == 2
    assert f"P ({path}): " in ran.err
    assert "set_int_max_str_digits" not in ran.err
    assert len(ran.err) < 1000


# --- the limit of a composition -------------------------------------------------------------------


@pytest.mark.parametrize("times", ["1000000", "99999999999999999999"])
def test_a_limit_is_told_by_the_option_that_raises_it(certify: Run, times: str) -> None:
    ran = certify("pair", "3/4,1/4", "1/4,3/4", "--times", times)
    assert ran.code == 3
    assert ran.err.startswith(f"certify: --times {times}: ")
    assert "--limit-atoms 1000000" in ran.err
    assert "lower --times" in ran.err
    assert "limit_atoms" not in ran.err


def test_the_advised_limit_is_enough(certify: Run) -> None:
    words = ("pair", "1/7,2/7,4/7", "3/11,5/11,3/11", "--times", "20", "--limit-atoms")
    ran = certify(*words, "10")
    assert ran.code == 3
    assert "pass --limit-atoms 231 to allow it" in ran.err
    assert certify(*words, "231").code == 0


def test_the_limit_is_the_one_of_the_library(certify: Run) -> None:
    assert pair.DEFAULT_LIMIT_ATOMS == DEFAULT_LIMIT_ATOMS
    assert "1000000" in certify("pair", "--help").out


def test_a_number_beyond_a_limit_is_undecided_unless_something_is_wrong_too(certify: Run) -> None:
    ran = certify("pair", "exp(10000000000),1", "1,0")
    assert ran.code == 3
    assert "P: entry 1: not a probability: an exponent of exp above the limit" in ran.err
    assert certify("pair", "exp(10000000000),x", "1,0").code == 2


# --- outcomes and shapes --------------------------------------------------------------------------

LOOK_ALIKE = [("a", " a"), ("1", "\uff11"), ("\u00e9", "e\u0301"), ("a", "a\u200b")]


@pytest.mark.parametrize(("one", "two"), LOOK_ALIKE)
def test_outcomes_that_only_look_different_are_refused(
    certify: Run, tmp_path: Path, one: str, two: str
) -> None:
    path, other = tmp_path / "p.json", tmp_path / "q.json"
    path.write_text(json.dumps({one: "1/2", two: "1/2"}))
    other.write_text(json.dumps({one: 1}))
    ran = certify("pair", path, other)
    assert ran.code == 2
    assert "two outcomes differ only by spacing or by the form of their characters" in ran.err
    assert f"{one!a} and {two!a}" in ran.err
    path.write_text(json.dumps({two: 1}))
    ran = certify("pair", path, other)
    assert ran.code == 2
    assert "outcomes of P and Q differ only by spacing" in ran.err
    assert f"Q ({other})" in ran.err


def test_toml_needs_the_key_law(certify: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    for text, message in (
        ("x = 1", 'no key law; found "x"; write law = '),
        ("", "the file is empty"),
        ("# nothing", "no key law"),
        ("laws = [1]", 'no key law; found "laws"; write law instead of laws'),
        ('law = "1"', 'law: not a law; found "1"'),
        ("law = {}", "law: the law has no outcome"),
        ("law = [nan]", "law: entry 1: not a probability; found nan"),
        ("law = [2020-01-01]", "law: entry 1: not a probability"),
    ):
        path.write_text(text)
        ran = certify("pair", path, path)
        assert ran.code == 2
        assert f"P ({path}): {message}" in ran.err


def test_an_outcome_may_be_called_law(certify: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    for text in ('{"law": "1"}', '{"law": 1}', '{"law": {"law": "1"}}', '{"law": 1, "x": 0}'):
        path.write_text(text)
        assert certify("pair", path, path).code == 0, text


def test_keys_beside_the_law_give_a_warning(certify: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('name = "a coin"\nlaw = ["1"]')
    ran = certify("pair", path, "1", "--format", "json")
    assert ran.document["warnings"] == [f'P ({path}): unknown key "name" is not read']
