"""``certify pair``: both orders, the worse of them, and the power function."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

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
    assert "law.json" in ran.err or "outcome is given twice" in ran.err


def test_a_composition_too_large_to_be_exact_is_undecided(certify: Run) -> None:
    words = ("pair", "1/7,2/7,4/7", "3/11,5/11,3/11", "--times", "100000")
    ran = certify(*words)
    assert ran.code == 3
    assert ran.out == ""
    assert json.loads(certify(*words, "--format", "json").err)["exit_code"] == 3
