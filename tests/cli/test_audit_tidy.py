"""What ``certify audit`` says beside the verdict: warnings, notes, cases, what it left out."""

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from powercert.certify.commands import audit

Run = Callable[..., Any]

E1 = ("audit", "--example", "two-round-counterexample")
SYMBOLIC = ("audit", "--example", "randomised-response")


@pytest.mark.parametrize(
    ("claim", "hint"),
    [
        ('claim = { epsilon = "ln(3)", dleta = "1/2" }', 'did you mean "delta"?'),
        ('claim = { epsilon = "ln(3)", adversery = "fixed" }', 'did you mean "adversary"?'),
        ("releas = []", 'did you mean "release"?'),
        ("symbolz = {}", 'did you mean "symbols"?'),
    ],
)
def test_a_mistyped_optional_key_is_no_verdict(
    certify: Run, flip_file: Callable[..., Path], claim: str, hint: str
) -> None:
    ran = certify("audit", flip_file(claim))
    assert ran.code == 2
    assert ran.out == ""
    assert hint in ran.err


def test_warnings_stand_right_under_the_verdict(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    path = flip_file('claims = [{ epsilon = "ln(3)" }, { epsilon = 2.0 }]\norigin = "a paper"')
    lines = certify("audit", path).out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["HOLDS", "HOLDS", "Warning:", "Warning:"]
    assert lines[4] == ""
    assert not any(line.startswith("Warning:") for line in lines[4:])


def test_warnings_survive_beside_errors(certify: Run, flip_file: Callable[..., Path]) -> None:
    path = flip_file('origin = "a paper"\nreleas = []\nclaim = { epsilon = "-1" }')
    ran = certify("audit", path)
    assert ran.code == 2
    assert "2 problems" in ran.err
    assert 'did you mean "release"?' in ran.err
    assert "epsilon is negative" in ran.err
    assert ran.err.endswith('\nWarning: unknown key "origin" is not read\n')
    document = certify("audit", path, "--format", "json").error_document
    assert document["count"] == len(document["problems"]) == 2
    assert document["warnings"] == ['unknown key "origin" is not read']


def test_equal_claims_are_judged_once_and_the_report_says_so(
    certify: Run, flip_file: Callable[..., Path]
) -> None:
    path = flip_file('claims = [{ epsilon = "ln(3)" }, { epsilon = "ln(4)" }]')
    note = "2 claims given, 1 judged: equal claims are judged once"
    assert "judged once" not in certify("audit", path).out
    assert f"Note: {note}" in certify("audit", path, "--exp-epsilon", "3").out
    document = certify("audit", path, "--exp-epsilon", "3", "--format", "json").document
    assert note in document["notes"]
    assert "claims" not in document


# --- cases ----------------------------------------------------------------------------------------


@pytest.fixture
def cases_file(tmp_path: Path) -> Path:
    kernel = [
        ["*", "s", item, output, "s", "3/4" if item == output else "1/4"]
        for item in "01"
        for output in "01"
    ]
    spec: dict[str, object] = {
        "name": "flip",
        "rounds": 1,
        "inputs": ["0", "1"],
        "outputs": ["0", "1"],
        "states": ["s"],
        "initial": "s",
        "neighbours": "hamming",
        "kernel": kernel,
    }
    cases = [
        spec | {"id": "right", "claim": {"epsilon": "ln(3)"}},
        spec | {"id": "wrong", "claim": {"epsilon": "ln(2)"}},
    ]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": cases}))
    return path


def test_each_report_of_a_collection_carries_the_id_of_its_case(
    certify: Run, cases_file: Path
) -> None:
    schema_file = resources.files("powercert.certify") / "schemas" / "1"
    schema = json.loads((schema_file / "audit-report.schema.json").read_text(encoding="utf-8"))
    document = certify("audit", cases_file, "--all-cases", "--format", "json").document
    for report in document["audits"]:
        jsonschema.validate(report, schema)
    assert [
        (report["case"], report["name"], report["verdict"]) for report in document["audits"]
    ] == [
        ("right", "flip", "holds"),
        ("wrong", "flip", "violated"),
    ]
    alone = certify("audit", cases_file, "--case", "wrong", "--format", "json").document
    jsonschema.validate(alone, schema)
    assert alone["case"] == "wrong"
    assert "case" not in certify(*E1, "--format", "json").document


def test_the_text_of_a_collection_names_each_case(certify: Run, cases_file: Path) -> None:
    out = certify("audit", cases_file, "--all-cases").out
    assert out.count("HOLDS  right (flip): claim") == 1
    assert out.count("VIOLATED  wrong (flip): claim") == 1
    summary = out.rpartition("Summary of 2 cases")[2]
    assert "right (flip)" in summary and "wrong (flip)" in summary
    assert certify("audit", cases_file, "--case", "right").out.startswith("HOLDS  right (flip): ")


def test_a_case_without_any_report_carries_its_id_too(certify: Run, cases_file: Path) -> None:
    words = ("audit", cases_file, "--all-cases", "--limit-transitions", "1")
    document = certify(*words, "--format", "json").document
    stopped = [one for one in document["audits"] if one["schema"] == "powercert/audit-stopped/1"]
    assert [one["case"] for one in stopped] == ["right", "wrong"]
    assert "UNDECIDED  right (flip): " in certify(*words).out


def test_the_witnesses_of_a_collection_carry_the_ids(
    certify: Run, cases_file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "witness.json"
    certify("audit", cases_file, "--all-cases", "--witness", target)
    document = json.loads(target.read_text())
    assert [one["case"] for one in document["audits"]] == ["right", "wrong"]


# --- what is cut ----------------------------------------------------------------------------------


def test_a_witness_that_is_cut_is_told_on_stderr(
    certify: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "witness.json"
    ran = certify(*E1, "--witness", target)
    assert (ran.code, ran.err) == (1, "")
    whole = json.loads(target.read_text())["claims"][0]["adaptive"]
    assert not whole["truncated"]
    monkeypatch.setattr(audit, "_WHOLE_WITNESS", 1)
    ran = certify(*E1, "--witness", target)
    assert ran.code == 1
    cut = json.loads(target.read_text())["claims"][0]["adaptive"]
    assert cut["truncated"]
    assert ran.err.startswith(
        f"certify: {target}: the adaptive witness of two-round counterexample is cut: "
        f"1 of {whole['event_size']} transcripts of the event and "
        f"1 of {whole['strategy_size']} histories of the strategy\n"
    )


def test_the_cap_of_the_witness_is_documented(certify: Run) -> None:
    root = Path(__file__).resolve().parents[2]
    cap = str(vars(audit)["_WHOLE_WITNESS"])
    assert f"up to {cap} entries" in " ".join(certify("audit", "--help").out.split())
    page = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| `--witness FILE` |")]
    assert cap in row


# --- numbers --------------------------------------------------------------------------------------


def test_an_interval_without_a_limit_is_explained(certify: Run) -> None:
    # e^(1/3) and e to 10^-20 less have no common generator of low degree.
    near = "33333333333333333333/100000000000000000000"
    ran = certify(*SYMBOLIC, "--epsilon", near)
    assert ran.code == 1
    assert "delta is between" in ran.out
    assert "delta is an interval because e^epsilon and the numbers of the mechanism" in ran.out
    assert "delta is an interval" not in certify(*SYMBOLIC, "--epsilon", "1/3").out


def test_symbolic_breakpoints_have_decimals(certify: Run) -> None:
    # Randomised response with e^eps = e^(1/3) = 1.39561242508...
    out = certify(*SYMBOLIC).out
    assert "e^eps = exp(1/3) (about 1.39561242509)  delta = 0" in out


def test_long_vertices_are_cut_with_their_size_and_a_decimal(certify: Run) -> None:
    laws = ("exp(-1/3),1-exp(-1/3)", "1-exp(-1/3),exp(-1/3)")
    out = certify("pair", *laws, "--times", "12").out
    _, vertices = out.split("power function of Q against P")
    assert max(map(len, vertices.splitlines())) < 200
    assert "(--format json has all" in vertices
    # The first test rejects only where all twelve draws speak for Q: e^(-12/3) under Q.
    assert "exp(-4) (about 0.0183156388887)" in vertices


# --- words on the command line --------------------------------------------------------------------


def test_fixed_is_another_word_for_nonadaptive(certify: Run) -> None:
    fixed = certify(*E1, "--adversary", "fixed")
    nonadaptive = certify(*E1, "--adversary", "nonadaptive")
    assert fixed.code == nonadaptive.code == 0
    assert fixed.out.split("Work:")[0] == nonadaptive.out.split("Work:")[0]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("audt", "audit"), ("Audit", "audit"), ("piar", "pair"), ("test", "selftest")],
)
def test_a_mistyped_command_is_suggested(certify: Run, word: str, meant: str) -> None:
    ran = certify(word, "x")
    assert ran.code == 2
    assert f"Did you mean '{meant}'?" in ran.err


def test_a_command_like_none_is_not_guessed(certify: Run) -> None:
    ran = certify("xyz")
    assert ran.code == 2
    assert "Did you mean" not in ran.err


@pytest.mark.parametrize("command", ["audit", "pair"])
@pytest.mark.parametrize(
    ("options", "place"),
    [
        (("--epsilon", "-1"), "--epsilon: epsilon is negative"),
        (("--epsilon", "abc"), "--epsilon: unknown name 'abc'"),
        (("--epsilon", "2000000"), "--epsilon: an exponent of exp above the limit"),
        (("--exp-epsilon", "1/2"), "--exp-epsilon: exp_epsilon is below 1"),
        (("--exp-epsilon", "ln(3)"), "--exp-epsilon: e^epsilon must be a number, not a logarithm"),
        (("--delta", "2"), "--delta: delta is not in [0, 1]"),
        (("--delta", "1e9999999"), "--delta: a decimal exponent above"),
        (("--epsilon", "2", "--exp-epsilon", "3"), "--epsilon and --exp-epsilon: "),
    ],
)
def test_numbers_on_the_command_line_are_named_by_their_option(
    certify: Run, command: str, options: tuple[str, ...], place: str
) -> None:
    target = SYMBOLIC if command == "audit" else ("pair", "3/4,1/4", "1/4,3/4")
    ran = certify(*target, *options)
    assert ran.code in (2, 3)
    assert ran.err.startswith(f"certify: {place}")
    assert "claim." not in ran.err
