"""Relations made deterministic, curves coarsened, limits, and symbolic mechanisms."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from powercert.accounting import Exact, InputError, LimitError, exact_number
from powercert.certify.audit import audit
from powercert.certify.curve import (
    Edges,
    coarsened_lower,
    coarsened_upper,
    merged,
    upper_hull,
    vertices,
)
from powercert.certify.deadline import interruptible
from powercert.certify.limits import Clock, Limits
from powercert.certify.relation_graph import unrolled
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import AuditReport, Claim
from powercert.mechanisms import (
    ArcRelation,
    JointLaws,
    Relation,
    RelationFamily,
    TableMechanism,
    edit_d1,
    hamming,
    user,
)


def table(weights: Mapping[str, Sequence[object]], horizon: int) -> TableMechanism:
    """A stateless mechanism: input -> weights of views a, b, c, ..."""
    outputs = [chr(97 + place) for place in range(max(len(row) for row in weights.values()))]
    kernel = [
        ["*", "s", item, outputs[place], "s", weight]
        for item, row in weights.items()
        for place, weight in enumerate(row)
    ]
    return TableMechanism(horizon, list(weights), outputs, ["s"], {"s": 1}, kernel)


def audited(
    mechanism: TableMechanism | JointLaws,
    relation: Relation | RelationFamily | str,
    horizon: int,
    claim: Claim | tuple[Claim, ...] | None = None,
    limits: Limits | None = None,
) -> AuditReport:
    spec = AuditSpec(
        name="test",
        mechanism=mechanism,
        relation=relation,
        horizon=horizon,
        inputs=("0", "1"),
        claim=claim,
    )
    return audit(spec, limits=limits)


# After (0, 0) either (0, 1) or (1, 0) may follow: two runs of one automaton.
TWO_RUNS = ArcRelation(
    "p",
    ["f"],
    [("p", "0", "0", "q"), ("p", "0", "0", "r"), ("q", "0", "1", "f"), ("r", "1", "0", "f")],
)
RESPONSE = {"0": ["2/3", "1/3"], "1": ["1/3", "2/3"]}


def test_an_adversary_need_not_name_its_run_of_the_relation() -> None:
    """After (0, 0) the pair (0, 1) or (1, 0) may follow, whichever the view makes better."""
    # The first view tells how round 2 will be read: as it is, or for pairs (1, 0) only.
    rows: list[list[object]] = [
        ["*", "s", "0", "x", "left", "1/2"],
        ["*", "s", "0", "y", "right", "1/2"],
        ["*", "left", "0", "zero", "left", 1],
        ["*", "left", "1", "one", "left", 1],
        ["*", "right", "0", "same", "right", "1/2"],
        ["*", "right", "0", "zero", "right", "1/2"],
        ["*", "right", "1", "same", "right", 1],
    ]
    outputs = ["x", "y", "zero", "one", "same"]
    mechanism = TableMechanism(2, ["0", "1"], outputs, ["s", "left", "right"], {"s": 1}, rows)
    report = audited(mechanism, TWO_RUNS, 2, Claim.of(epsilon="1", delta=0))
    delta = report.results[0].adaptive.delta_at_claim
    # Order 0-1: after x either pair separates fully (1/2 each way); after y, (0, 1) gives
    # max(0, 1/2) on "zero" = 1/2 of 1/2. A run named before the view allows the same pair only,
    # and here (0, 1) serves both views: 1/2 + 1/4.
    assert delta is not None
    assert delta.upper == Fraction(3, 4)
    graph = unrolled(TWO_RUNS, 2)
    after_first = graph.arcs[0][graph.start][0].target
    assert {(a.input0, a.input1) for a in graph.arcs[1][after_first]} == {("0", "1"), ("1", "0")}


def test_a_run_named_too_early_would_lose() -> None:
    """Order 0-1 wants (0, 1) after view x and (1, 0) after view y: 1/2, where one pair gives 1/4."""
    # After x only input 0 prints "hit"; after y only input 1 does; nothing else is ever printed
    # with certainty, so world 0 is recognised by "hit" alone.
    rows: list[list[object]] = [
        ["*", "s", "0", "x", "left", "1/2"],
        ["*", "s", "0", "y", "right", "1/2"],
        ["*", "left", "0", "hit", "left", "1/2"],
        ["*", "left", "0", "miss", "left", "1/2"],
        ["*", "left", "1", "miss", "left", 1],
        ["*", "right", "1", "hit", "right", "1/2"],
        ["*", "right", "1", "miss", "right", "1/2"],
        ["*", "right", "0", "miss", "right", 1],
    ]
    outputs = ["x", "y", "hit", "miss"]
    mechanism = TableMechanism(2, ["0", "1"], outputs, ["s", "left", "right"], {"s": 1}, rows)
    report = audited(mechanism, TWO_RUNS, 2, Claim.of(exp_epsilon=2, delta=0))
    adaptive = report.results[0].adaptive.delta_at_claim
    fixed = report.results[0].nonadaptive.delta_at_claim
    assert adaptive is not None
    assert fixed is not None
    # P0(hit) - 2 P1(hit) = 1/2 after either view when the pair fits it.
    assert adaptive.upper == Fraction(1, 2)
    assert fixed.upper == Fraction(1, 4)


def test_positions_with_the_same_future_merge() -> None:
    graph = unrolled(hamming().over(["0", "1"]), 5)
    assert graph.positions == 1 + 2 * 4
    assert graph.diagonal[5] == (True,)


def test_relations_without_a_pair_are_refused() -> None:
    same = ArcRelation("p", ["p"], [("p", "0", "0", "p")])
    with pytest.raises(InputError, match="no neighbouring pair; nothing to audit"):
        unrolled(same, 3)
    short = ArcRelation("p", ["q"], [("p", "0", "1", "q")])
    with pytest.raises(InputError, match="no legal pair of streams of this length"):
        unrolled(short, 2)


edge_lists = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)).filter(any), min_size=1, max_size=60
)


def value(edges: Edges, gamma: Fraction) -> Fraction:
    total = Fraction(0)
    for n0, n1 in edges:
        assert isinstance(n0, int)
        assert isinstance(n1, int)
        total += max(Fraction(0), n0 - gamma * n1)
    return total


@given(edge_lists, st.integers(8, 20))
def test_coarsening_is_on_the_right_side_and_keeps_totals(
    edges: list[tuple[int, int]], most: int
) -> None:
    curve = merged([(tuple(edges), 1, 1)])
    below, above = coarsened_lower(curve, most), coarsened_upper(curve, most)
    for gamma in (Fraction(0), Fraction(1, 5), Fraction(1), Fraction(3), Fraction(100)):
        assert value(below, gamma) <= value(curve, gamma) <= value(above, gamma)
    assert vertices(below)[-1] == vertices(curve)[-1] == vertices(above)[-1]
    assert len(below) <= most + 3
    assert len(above) <= most + 3


@given(edge_lists, edge_lists)
def test_hull_is_the_pointwise_maximum_of_profiles(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    totals = [(sum(a for a, _ in edges), sum(b for _, b in edges)) for edges in (first, second)]
    curves = [
        merged([(tuple(edges), max(1, totals[1 - k][0]), max(1, totals[1 - k][1]))])
        for k, edges in enumerate((first, second))
    ]
    if vertices(curves[0])[-1] != vertices(curves[1])[-1]:
        return
    hull = upper_hull(curves)
    for gamma in (Fraction(1, 7), Fraction(1), Fraction(9, 4)):
        assert value(hull, gamma) == max(value(curve, gamma) for curve in curves)


def test_ratios_beyond_the_range_of_floats_are_ordered() -> None:
    huge = 10**400
    curve = merged([(((huge, 1), (huge + 1, 1), (1, huge), (1, huge + 1), (0, 5), (7, 0)), 1, 1)])
    assert curve == ((7, 0), (huge + 1, 1), (huge, 1), (1, huge), (1, huge + 1), (0, 5))


@pytest.mark.parametrize("most", [8, 16, 64])
def test_coarsened_audit_brackets_the_exact_one(most: int) -> None:
    mechanism = table({"0": ["47/100", "23/100", "17/100", "13/100"],
                       "1": ["11/100", "31/100", "29/100", "29/100"]}, 5)  # fmt: skip
    claim = Claim.of(exp_epsilon=3, delta="1/1000")
    exact = audited(mechanism, user(), 5, claim)
    coarse = audited(mechanism, user(), 5, claim, Limits(edges=most))
    assert exact.adaptive_profile is not None
    assert coarse.adaptive_profile is not None
    assert exact.adaptive_profile.is_exact
    assert not coarse.adaptive_profile.is_exact
    assert coarse.adaptive_profile.lower <= exact.adaptive_profile.lower
    assert exact.adaptive_profile.upper <= coarse.adaptive_profile.upper
    assert coarse.limits["reached"] == "edges"
    witness = coarse.results[0].adaptive.witness
    assert witness is not None
    lower = coarse.results[0].adaptive.delta_at_claim
    assert lower is not None
    # The lower bound is a replayed adversary, not a number alone.
    assert witness.excess(Exact(3)).lower == lower.lower


def test_a_stopped_game_says_undecided_with_an_interval() -> None:
    mechanism = table(RESPONSE, 6)
    exact = audited(mechanism, edit_d1(), 6).adaptive_profile
    assert exact is not None
    delta = exact.upper.delta(exp_epsilon=2)
    claim = Claim.of(exp_epsilon=2, delta=delta)
    report = audited(mechanism, edit_d1(), 6, claim, Limits(nodes=3))
    result = report.results[0]
    assert result.adaptive.delta_at_claim is not None
    assert result.adaptive.delta_at_claim.contains(delta)
    assert report.limits["reached"] == "nodes"
    assert result.verdict in ("undecided", "holds")


def test_too_many_transitions_are_refused() -> None:
    with pytest.raises(LimitError, match="state limit reached in round 1"):
        audited(table(RESPONSE, 4), user(), 4, limits=Limits(transitions=1))


def test_pure_epsilon_is_the_same_for_both_adversaries_and_exact() -> None:
    report = audited(table(RESPONSE, 20), user(), 20, Claim.of(exp_epsilon=2, delta=0))
    for judgement in (report.results[0].adaptive, report.results[0].nonadaptive):
        assert judgement.pure_exp_epsilon.upper == 2**20


Z = exact_number("exp(-1/3)")
SYMBOLIC = {"0": [1 / (1 + Z), Z / (1 + Z)], "1": [Z / (1 + Z), 1 / (1 + Z)]}


@pytest.mark.parametrize(
    ("epsilon", "verdict", "tight"),
    [
        ("1/3", "holds", True),
        ("333333333333333333333333333333/1000000000000000000000000000000", "violated", False),
        ("333333333333333333333333333334/1000000000000000000000000000000", "holds", False),
        ("0.33", "violated", False),
        ("1", "holds", False),
    ],
)
def test_symbolic_claims_are_decided(epsilon: str, verdict: str, tight: bool) -> None:
    report = audited(table(SYMBOLIC, 1), hamming(), 1, Claim.of(epsilon=epsilon, delta=0))
    result = report.results[0]
    for judgement in (result.adaptive, result.nonadaptive):
        assert judgement.verdict == verdict
        assert judgement.tight == tight
        assert judgement.pure_exp_epsilon.upper == Exact.exp(Fraction(1, 3))


def test_symbolic_delta_is_an_exact_expression() -> None:
    report = audited(table(SYMBOLIC, 1), hamming(), 1, Claim.of(epsilon=0, delta=0))
    delta = report.results[0].adaptive.delta_at_claim
    assert delta is not None
    assert delta.upper == (1 - Z) / (1 + Z)


def test_symbolic_game_over_rounds_equals_the_binomial() -> None:
    """Two user-level responses: delta(e^(1/2)) = p^2 - e^(1/2) q^2 with p = 1/(1+z), q = 1 - p."""
    report = audited(table(SYMBOLIC, 2), user(), 2, Claim.of(epsilon="1/2", delta=0))
    p, q = 1 / (1 + Z), Z / (1 + Z)
    delta = report.results[0].adaptive.delta_at_claim
    assert delta is not None
    assert delta.upper == p**2 - Exact.exp(Fraction(1, 2)) * q**2


@pytest.mark.parametrize(
    ("delta", "verdict"), [("0.0704", "violated"), ("0.0705", "holds"), ("(3-exp(1))/4", "holds")]
)
def test_a_rational_mechanism_with_a_transcendental_claim(delta: str, verdict: str) -> None:
    mechanism = table({"0": ["3/4", "1/4"], "1": ["1/4", "3/4"]}, 1)
    report = audited(mechanism, hamming(), 1, Claim.of(epsilon=1, delta=delta))
    found = report.results[0].adaptive.delta_at_claim
    assert report.verdict == verdict
    assert found is not None
    assert found.upper == exact_number("(3 - exp(1))/4")


def test_vacuous_claims_hold() -> None:
    mechanism = table({"0": [1, 0], "1": [0, 1]}, 1)
    claims = (Claim.of(epsilon="inf", delta=0), Claim.of(epsilon=0, delta=1))
    report = audited(mechanism, hamming(), 1, claims)
    assert [result.verdict for result in report.results] == ["holds", "holds"]
    assert all(r.adaptive.reason == "the claim is vacuous" for r in report.results)


def test_an_ignored_input_is_zero_zero() -> None:
    mechanism = table({"0": ["1/2", "1/2"], "1": ["1/2", "1/2"]}, 3)
    report = audited(mechanism, user(), 3, Claim.of(epsilon=0, delta=0))
    assert report.verdict == "holds"
    assert report.results[0].adaptive.tight


def test_a_joint_law_that_anticipates_is_judged_on_fixed_pairs_only() -> None:
    laws = {
        ("0", "0"): {("a", "x"): 1},
        ("0", "1"): {("b", "x"): 1},
        ("1", "0"): {("a", "x"): 1},
        ("1", "1"): {("b", "x"): 1},
    }
    claims = (Claim.of(exp_epsilon=2, delta="1/2"), Claim.of(exp_epsilon=2, delta=1))
    report = audited(JointLaws(laws), hamming(), 2, claims)
    assert report.adaptive_profile is None
    assert report.checklist.condition("prefix_dependence").status == "fail"
    assert report.results[0].verdict == "violated"
    assert report.results[1].verdict == "holds"
    harmless = {k: {("a", "x"): "1/2", ("b", "x"): "1/2"} for k in laws}
    harmless["0", "1"] = {("a", "x"): "1/3", ("b", "x"): "2/3"}
    undecided = audited(JointLaws(harmless), hamming(), 2, Claim.of(exp_epsilon=3, delta=0))
    assert undecided.verdict == "undecided"
    assert undecided.results[0].nonadaptive.verdict == "holds"
    assert undecided.results[0].adaptive.pure_exp_epsilon.upper == math.inf


def test_the_deadline_does_not_tear_an_import_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_load.py").write_text(
        "import time\nbegun = time.monotonic()\n"
        "while time.monotonic() < begun + 0.2:\n    pass\nloaded = True\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def work() -> object:
        module = importlib.import_module("slow_to_load")
        while True:
            assert module.loaded

    with pytest.raises(LimitError, match="time limit reached"):
        interruptible(work, Clock(Limits(seconds=0.05)), "working")
    assert sys.modules["slow_to_load"].loaded
