"""The 43 open cases against their stored truths, exactly, as fractions.

The truths were computed apart from this project (``tests/data/open_cases.json``, key ``truth``).
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting import Enclosure, exact_number
from powercert.certify.audit import audit
from powercert.certify.spec import load_spec
from powercert.certify.verdict import AuditReport, Judgement

CASES = Path(__file__).parent.parent / "data" / "open_cases.json"
TRUTHS: dict[str, Any] = {
    case["id"]: case for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]
}
VERDICTS = {"PASS": "holds", "FAIL": "violated"}


def number(text: str) -> object:
    return math.inf if text == "inf" else exact_number(text)


def point(bounds: Enclosure | None) -> object:
    assert bounds is not None
    assert bounds.is_exact
    return bounds.lower


def audited(case: str) -> AuditReport:
    return audit(load_spec(CASES, case=case))


def test_all_cases_are_here() -> None:
    assert len(TRUTHS) == 43


@pytest.mark.parametrize("case", TRUTHS)
def test_case_has_its_exact_truth(case: str) -> None:
    truth = TRUTHS[case]["truth"]
    report = audited(case)
    result = report.results[0]
    judgements = {"adaptive": result.adaptive, "nonadaptive": result.nonadaptive}
    assert result.adaptive.verdict == VERDICTS[truth["verdict"]]
    assert result.nonadaptive.verdict == VERDICTS[truth["verdict_nonadaptive"]]
    assert result.adaptive.tight == truth["tight"]
    for kind, judgement in judgements.items():
        assert point(judgement.delta_at_claim) == number(truth[f"delta_at_claimed_eps_{kind}"])
        assert point(judgement.pure_exp_epsilon) == number(truth["pure_exp_eps"])
        assert point(judgement.exp_epsilon_at_delta) == number(
            truth[f"least_exp_eps_at_claimed_delta_{kind}"]
        )
    gap = point(result.gap_at_claim)
    assert (gap != 0) == truth["adaptivity_gap"]
    assert report.adaptive_profile is not None
    for gamma, deltas in truth["profile"].items():
        for kind, profile in (
            ("adaptive", report.adaptive_profile),
            ("nonadaptive", report.nonadaptive_profile),
        ):
            assert profile.is_exact
            assert profile.upper.delta(exp_epsilon=gamma) == number(deltas[kind])


@pytest.mark.parametrize("case", TRUTHS)
def test_witness_attains_the_truth(case: str) -> None:
    report = audited(case)
    result = report.results[0]
    assert result.claim is not None
    bound = exact_number(TRUTHS[case]["claim"]["exp_eps"])
    for judgement in (result.adaptive, result.nonadaptive):
        assert judgement.witness is not None
        assert point(judgement.witness.excess(bound)) == point(judgement.delta_at_claim)


def reached(case: dict[str, Any], pair: tuple[Any, Any], event: set[str]) -> list[Fraction]:
    """The probability of an event in both worlds, straight from the kernel rows."""
    symbols = case.get("symbols")
    assert not symbols
    totals: list[Fraction] = []
    for stream in pair:
        law: dict[tuple[tuple[str, ...], str], Fraction] = {
            ((), state): Fraction(mass) for state, mass in case["initial"].items()
        }
        for number_of_round, item in enumerate(stream, start=1):
            after: dict[tuple[tuple[str, ...], str], Fraction] = {}
            for (history, state), mass in law.items():
                for round_, at, given, view, target, weight in case["kernel"]:
                    if round_ in ("*", number_of_round) and (at, given) == (state, item):
                        key = ((*history, view), target)
                        after[key] = after.get(key, Fraction(0)) + mass * Fraction(weight)
            law = after
        totals.append(
            sum((m for (h, _), m in law.items() if "|".join(h) in event), start=Fraction(0))
        )
    return totals


@pytest.mark.parametrize("case", [c for c in TRUTHS if TRUTHS[c]["rounds"] <= 4])
def test_fixed_witness_is_right_by_hand(case: str) -> None:
    witness = audited(case).results[0].nonadaptive.witness
    assert witness is not None
    assert witness.pair is not None
    if witness.truncated:
        return
    event = {"|".join(str(view) for view in history) for history in witness.event}
    totals = reached(TRUTHS[case], witness.pair, event)
    assert [witness.p0, witness.p1] == totals


def judged(case: str, kind: str) -> Judgement:
    result = audited(case).results[0]
    return result.adaptive if kind == "adaptive" else result.nonadaptive


def test_no_finite_epsilon_names_the_unavoidable_mass() -> None:
    judgement = judged("n07-threshold-off-by-one", "adaptive")
    assert point(judgement.exp_epsilon_at_delta) == math.inf
    assert point(judgement.least_delta) == Fraction(1, 12)


def test_the_profiles_may_differ_away_from_the_claim() -> None:
    report = audited("s07-svt6-no-cutoff")
    assert point(report.results[0].gap_at_claim) == 0
    assert report.gap_where
