"""The two-round counterexample of paper 1, E.1: every number the paper prints."""

from __future__ import annotations

from fractions import Fraction

import pytest

from powercert.accounting import Pair
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec, load_example
from powercert.certify.verdict import AuditReport, Claim
from powercert.mechanisms import ArcRelation

TOTAL_VARIATION = {
    (("0", "0"), ("1", "0")): "9/100",
    (("0", "1"), ("1", "1")): "8/100",
    (("0", "0"), ("0", "1")): "8/100",
    (("1", "0"), ("1", "1")): "9/100",
}


@pytest.fixture(scope="module")
def spec() -> AuditSpec:
    return load_example("two-round-counterexample")


@pytest.fixture(scope="module")
def report(spec: AuditSpec) -> AuditReport:
    return audit(spec)


def test_adaptive_and_fixed_total_variation(report: AuditReport) -> None:
    result = report.results[0]
    assert result.adaptive.delta_at_claim is not None
    assert result.nonadaptive.delta_at_claim is not None
    assert result.adaptive.delta_at_claim.upper == Fraction(991, 10000)
    assert result.nonadaptive.delta_at_claim.upper == Fraction(9, 100)
    assert (result.adaptive.verdict, result.nonadaptive.verdict) == ("violated", "holds")
    assert result.verdict == "violated"


@pytest.mark.parametrize(("streams", "distance"), TOTAL_VARIATION.items())
def test_table_of_fixed_streams(
    spec: AuditSpec, streams: tuple[tuple[str, ...], tuple[str, ...]], distance: str
) -> None:
    arcs = [
        (place, first, second, place + 1)
        for place, (first, second) in enumerate(zip(*streams, strict=True))
    ]
    only = AuditSpec(
        name="one pair",
        mechanism=spec.mechanism,
        relation=ArcRelation(0, [2], arcs),
        horizon=2,
        inputs=spec.inputs,
        claim=Claim.of(epsilon=0, delta=distance),
    )
    result = audit(only).results[0]
    assert result.nonadaptive.delta_at_claim is not None
    assert result.nonadaptive.delta_at_claim.upper == Fraction(distance)
    assert result.nonadaptive.tight


def test_witness_is_the_papers(report: AuditReport) -> None:
    witness = report.results[0].adaptive.witness
    assert witness is not None
    assert witness.strategy is not None
    assert dict(witness.strategy) == {(): ("0", "1"), ("0",): ("0", "0"), ("1",): ("1", "1")}
    assert set(witness.event) == {("0", "1"), ("1", "0")}
    assert witness.p0 == Fraction("0.6336")
    assert witness.p1 == Fraction("0.5345")
    assert witness.order == "0-1"


def test_profile_is_that_of_all_four_adversary_tables(report: AuditReport) -> None:
    """With this challenge pair the table of the paper is one of the curves below the profile."""
    world0 = ["0.2304", "0.0896", "0.5440", "0.1360"]
    world1 = ["0.2835", "0.0665", "0.4680", "0.1820"]
    table = Pair.from_laws(world1, world0).profile()
    assert report.adaptive_profile is not None
    assert table <= report.adaptive_profile.upper
    assert table.delta(exp_epsilon=1) == Fraction(991, 10000)


def test_the_gap_is_reported_per_epsilon(report: AuditReport) -> None:
    assert report.gap_where is not None
    assert report.gap_where[0][0] == 1
