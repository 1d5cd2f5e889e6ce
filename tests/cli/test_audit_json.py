"""The report for a program: schema powercert/audit/1, every exact number a string."""

import json
from collections.abc import Callable
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from powercert.accounting import exact_number

Run = Callable[..., Any]

E1 = ("audit", "--example", "two-round-counterexample", "--format", "json")


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    path = resources.files("powercert.certify") / "schemas" / "1" / "audit-report.schema.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    return document


def valid(document: Any, schema: dict[str, Any]) -> Any:
    jsonschema.validate(document, schema)
    return document


def test_the_counterexample_in_json(certify: Run, schema: dict[str, Any]) -> None:
    ran = certify(*E1)
    assert ran.code == 1
    document = valid(ran.document, schema)
    assert document["schema"] == "powercert/audit/1"
    assert document["verdict"] == "violated"
    assert document["claim"] == {
        "exp_epsilon": "1",
        "epsilon": "0",
        "delta": "9/100",
        "adversary": "adaptive",
    }
    # Paper 1, Appendix E.1.
    assert document["adaptive"]["delta_at_claim"] == {"exact": "991/10000", "decimal": "0.0991"}
    assert document["nonadaptive"]["delta_at_claim"] == {"exact": "9/100", "decimal": "0.09"}
    assert document["adaptive"]["verdict"] == "violated"
    assert document["nonadaptive"]["verdict"] == "holds"
    assert document["adaptivity_gap"]["at_claim"] == "91/10000"


def test_the_witness_has_the_probabilities_of_the_paper(certify: Run) -> None:
    witness = certify(*E1).document["adaptive"]["witness"]
    # The paper's table, for the adversary that starts with (0 | 1) and feeds back what it saw.
    table = {
        "0|0": (Fraction("0.2304"), Fraction("0.2835")),
        "0|1": (Fraction("0.0896"), Fraction("0.0665")),
        "1|0": (Fraction("0.5440"), Fraction("0.4680")),
        "1|1": (Fraction("0.1360"), Fraction("0.1820")),
    }
    strategy = witness["strategy"]
    assert strategy["0"] == ["0", "0"]
    assert strategy["1"] == ["1", "1"]
    worlds = (0, 1) if strategy[""] == ["0", "1"] else (1, 0)
    p0, p1 = (sum(table[transcript][world] for transcript in witness["event"]) for world in worlds)
    assert (Fraction(witness["p0"]), Fraction(witness["p1"])) == (p0, p1)
    excess = p0 - p1 if witness["order"] == "0-1" else p1 - p0
    assert excess == Fraction(991, 10000)


def test_the_profile_starts_at_gamma_zero_and_falls(certify: Run) -> None:
    profile = certify(*E1).document["profile"]
    for kind in ("adaptive", "nonadaptive"):
        points = [(Fraction(gamma), Fraction(delta)) for gamma, delta in profile[kind]]
        assert points[0] == (Fraction(0), Fraction(1))
        assert points == sorted(points)
        assert [delta for _, delta in points] == sorted((d for _, d in points), reverse=True)


def test_infinity_is_a_string_and_exp_epsilon_is_never_below_one(
    certify: Run, schema: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "published.toml"
    path.write_text(
        """
        name = "published"
        rounds = 1
        inputs = ["0", "1"]
        outputs = ["0", "1"]
        states = ["s"]
        initial = { s = "1" }
        neighbours = "hamming"
        kernel = [[1, "s", "0", "0", "s", "1"], [1, "s", "1", "1", "s", "1"]]
        claim = { epsilon = "ln(2)", delta = "1/3" }
        """
    )
    block = valid(certify("audit", path, "--format", "json").document, schema)["adaptive"]
    assert block["delta_at_claim"] == {"exact": "1", "decimal": "1.0"}
    assert block["exp_epsilon_at_delta"] == {"exact": "inf", "decimal": "inf"}
    assert block["pure_exp_epsilon"] == {"exact": "inf", "decimal": "inf"}
    generous = certify("audit", path, "--delta", "1", "--format", "json").document
    assert generous["adaptive"]["exp_epsilon_at_delta"]["exact"] == "1"


def test_without_a_claim_the_claim_is_null(
    certify: Run, schema: dict[str, Any], flip_file: Callable[..., Path]
) -> None:
    document = valid(certify("audit", flip_file(), "--format", "json").document, schema)
    assert document["verdict"] == "no-claim"
    assert document["claim"] is None
    assert document["adaptive"]["delta_at_claim"] is None
    assert document["adaptive"]["pure_exp_epsilon"] == {"exact": "3", "decimal": "3.0"}


def test_several_claims_are_listed_and_the_worst_is_on_top(
    certify: Run, schema: dict[str, Any], flip_file: Callable[..., Path]
) -> None:
    path = flip_file('claims = [ { exp_epsilon = "4" }, { exp_epsilon = "2" } ]')
    document = valid(certify("audit", path, "--format", "json").document, schema)
    assert document["verdict"] == "violated"
    assert document["claim"]["exp_epsilon"] == "2"
    assert [entry["verdict"] for entry in document["claims"]] == ["holds", "violated"]


def test_a_symbolic_report_is_exact_text_that_reads_back(
    certify: Run, schema: dict[str, Any]
) -> None:
    words = ("audit", "--example", "randomised-response", "--epsilon", "0", "--format", "json")
    document = valid(certify(*words).document, schema)
    z = exact_number("exp(-1/3)")
    assert exact_number(document["adaptive"]["delta_at_claim"]["exact"]) == (1 - z) / (1 + z)
    assert document["adaptive"]["pure_exp_epsilon"]["exact"] == "exp(1/3)"


def test_a_law_that_looks_ahead_fails_condition_one(certify: Run, schema: dict[str, Any]) -> None:
    ran = certify("audit", "--example", "peeks-ahead", "--format", "json")
    checklist = valid(ran.document, schema)["checklist"]
    assert checklist["prefix_dependence"]["status"] == "fail"
    assert checklist["prefix_dependence"]["witness"]
    assert checklist["certified"] is False


def test_the_five_conditions_are_decided(certify: Run, schema: dict[str, Any]) -> None:
    """Appendix E.1: fresh randomness holds, the stable cost does not."""
    checklist = valid(certify(*E1).document, schema)["checklist"]
    failing = [
        name for name, each in checklist.items() if name != "certified" and each["status"] != "pass"
    ]
    assert failing == ["stable_cost"]
    assert checklist["certified"] is False


def test_conditions_that_are_not_decided_say_so(certify: Run, schema: dict[str, Any]) -> None:
    checklist = valid(certify(*E1, "--limit-nodes", "1").document, schema)["checklist"]
    for name in ("fresh_randomness", "stable_cost"):
        assert checklist[name]["status"] == "undecided"
        assert "--limit-nodes" in checklist[name]["reason"]
    assert checklist["certified"] is False


def test_an_interval_has_two_ends(
    certify: Run, schema: dict[str, Any], flip_file: Callable[..., Path]
) -> None:
    words = ("audit", flip_file(rounds=5), "--exp-epsilon", "2", "--format", "json")
    limited = valid(certify(*words, "--limit-nodes", "1").document, schema)
    exact = valid(certify(*words).document, schema)
    for kind in ("adaptive", "nonadaptive"):
        block = limited[kind]["delta_at_claim"]
        truth = Fraction(exact[kind]["delta_at_claim"]["exact"])
        lower = block.get("lower", block)["exact"]
        upper = block.get("upper", block)["exact"]
        assert Fraction(lower) <= truth <= Fraction(upper)


def test_long_evidence_is_cut_on_stdout_and_whole_in_the_witness_file(
    certify: Run, flip_file: Callable[..., Path], tmp_path: Path
) -> None:
    target = tmp_path / "witness.json"
    words = ("audit", flip_file(rounds=8), "--exp-epsilon", "2", "--format", "json")
    ran = certify(*words, "--witness", target)
    assert ran.code == 1
    shown = ran.document["adaptive"]["witness"]
    assert shown["truncated"] is True
    # One differing round decides; the other seven are free: 2^7 transcripts.
    assert shown["event_size"] == 128
    assert len(shown["event"]) < 128
    whole = json.loads(target.read_text(encoding="utf-8"))["claims"][0]["adaptive"]
    assert whole["truncated"] is False
    assert len(whole["event"]) == 128
    assert whole["event"][: len(shown["event"])] == shown["event"]
    assert len(whole["strategy"]) == whole["strategy_size"]
    assert whole["p0"] == shown["p0"]


def test_a_witness_file_is_whole_or_absent(certify: Run, tmp_path: Path) -> None:
    target = tmp_path / "witness.json"
    assert certify("audit", "nowhere.toml", "--witness", target).code == 2
    assert not target.exists()
    target.write_text("kept")
    assert certify("audit", "nowhere.toml", "--witness", target).code == 2
    assert target.read_text() == "kept"
    assert certify(*E1, "--witness", target).code == 1
    assert json.loads(target.read_text())["schema"] == "powercert/witness/1"
    assert [path.name for path in tmp_path.iterdir()] == ["witness.json"]


def test_stdout_is_json_and_nothing_else_even_with_progress(certify: Run) -> None:
    ran = certify(*E1, "--progress")
    assert json.loads(ran.out)
    assert ran.code == 1
