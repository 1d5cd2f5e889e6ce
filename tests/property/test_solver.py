"""The exact solver against every deterministic adversary, listed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from powercert.accounting import Exact, LimitError
from powercert.certify.audit import audit
from powercert.certify.limits import Limits
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import Claim
from powercert.mechanisms import (
    ArcRelation,
    Relation,
    TableMechanism,
    edit_d1,
    hamming,
    participations,
    user,
)

Law = dict[str, Fraction]
Leaves = tuple[tuple[Fraction, Fraction], ...]
Pair = tuple[str, str]

INPUTS = ("0", "1")
LIMITS = [
    Limits(nodes=1),
    Limits(nodes=2),
    Limits(nodes=5),
    Limits(edges=8),
    Limits(laws=1),
    Limits(laws=3),
    Limits(seconds=1e-4),
    Limits(seconds=2e-3),
    Limits(seconds=8e-3),
]
GAMMAS = [Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7)]


@dataclass(frozen=True)
class Small:
    """A random table with its relation, as plain data."""

    horizon: int
    rows: dict[tuple[str, str], tuple[tuple[str, str, Fraction], ...]]
    initial: Law
    relation: Relation

    def spec(self, claim: Claim | None = None) -> AuditSpec:
        states = sorted({state for state, _ in self.rows})
        outputs = sorted({view for row in self.rows.values() for view, _, _ in row})
        kernel = [
            ["*", state, item, view, after, weight]
            for (state, item), row in self.rows.items()
            for view, after, weight in row
        ]
        table = TableMechanism(self.horizon, INPUTS, outputs, states, self.initial, kernel)
        return AuditSpec(
            name="small",
            mechanism=table,
            relation=self.relation,
            horizon=self.horizon,
            inputs=INPUTS,
            claim=claim,
        )


@st.composite
def laws(draw: st.DrawFn, outcomes: list[tuple[str, str]]) -> tuple[tuple[str, str, Fraction], ...]:
    """A law on (view, next state) with small weights, some of them missing."""
    weights = draw(
        st.lists(st.integers(0, 3), min_size=len(outcomes), max_size=len(outcomes)).filter(any)
    )
    total = sum(weights)
    return tuple(
        (view, after, Fraction(weight, total))
        for (view, after), weight in zip(outcomes, weights, strict=True)
        if weight
    )


@st.composite
def arc_relations(draw: st.DrawFn) -> Relation:
    """A random nondeterministic automaton whose loop on equal inputs keeps it alive."""
    states = ["p", "q"]
    every = [(s, a, b, t) for s in states for a, b, t in product(INPUTS, INPUTS, states)]
    chosen = draw(st.lists(st.sampled_from(every), min_size=2, max_size=6, unique=True))
    arcs = list(dict.fromkeys([*chosen, ("p", "0", "1", "q"), ("q", "1", "1", "q")]))
    return ArcRelation("p", ["q"], arcs)


@st.composite
def small_mechanisms(draw: st.DrawFn) -> Small:
    """Two or three hidden states, an absorbing halt now and then, several relations."""
    horizon = draw(st.sampled_from([1, 2, 2, 2, 3]))
    states = ["s", "t"] if horizon > 2 else draw(st.sampled_from([["s", "t"], ["s", "t", "u"]]))
    halting = draw(st.booleans())
    outcomes = [(view, state) for view in ("a", "b") for state in states]
    rows: dict[tuple[str, str], tuple[tuple[str, str, Fraction], ...]] = {}
    for state, item in product(states, INPUTS):
        if halting and state == states[-1]:
            rows[state, item] = (("halt", state, Fraction(1)),)
        else:
            rows[state, item] = draw(laws(outcomes))
    initial = (
        {"s": Fraction(1)}
        if draw(st.booleans())
        else {
            "s": Fraction(1, 3),
            "t": Fraction(2, 3),
        }
    )
    relations: list[st.SearchStrategy[Relation]] = [
        st.just(hamming().over(INPUTS)),
        st.just(edit_d1().over(INPUTS)),
        st.just(participations(1).over(INPUTS)),
        arc_relations(),
    ]
    if horizon < 3:
        relations.append(st.just(user().over(INPUTS)))
    return Small(horizon, rows, initial, draw(st.one_of(relations)))


def legal_streams(relation: Relation, horizon: int) -> set[tuple[Pair, ...]]:
    """Every accepted sequence of pairs, by following all arcs."""
    paths: set[tuple[object, tuple[Pair, ...]]] = {(relation.start, ())}
    for _ in range(horizon):
        paths = {
            (target, (*pairs, (str(first), str(second))))
            for state, pairs in paths
            for first, second, target in relation.pairs(state)
        }
    return {pairs for state, pairs in paths if relation.accepts(state)}


def moved(small: Small, law: Law, item: str) -> dict[str, Law]:
    after: dict[str, Law] = {}
    for state, mass in law.items():
        for view, target, weight in small.rows[state, item]:
            masses = after.setdefault(view, {})
            masses[target] = masses.get(target, Fraction(0)) + mass * weight
    return after


def adaptive_leaves(
    small: Small, legal: set[tuple[Pair, ...]], pairs: tuple[Pair, ...], law0: Law, law1: Law
) -> Iterator[Leaves]:
    """The transcript masses of every deterministic adaptive adversary from here on."""
    if len(pairs) == small.horizon:
        yield ((sum(law0.values(), Fraction(0)), sum(law1.values(), Fraction(0))),)
        return
    options = sorted({path[len(pairs)] for path in legal if path[: len(pairs)] == pairs})
    for option in options:
        after0, after1 = moved(small, law0, option[0]), moved(small, law1, option[1])
        branches = [
            list(
                adaptive_leaves(
                    small, legal, (*pairs, option), after0.get(view, {}), after1.get(view, {})
                )
            )
            for view in sorted({*after0, *after1})
        ]
        for combination in product(*branches):
            yield tuple(leaf for leaves in combination for leaf in leaves)


def strategies(
    small: Small, legal: set[tuple[Pair, ...]], pairs: tuple[Pair, ...], law0: Law, law1: Law
) -> int:
    """How many adversaries adaptive_leaves would list."""
    if len(pairs) == small.horizon:
        return 1
    total = 0
    for option in {path[len(pairs)] for path in legal if path[: len(pairs)] == pairs}:
        after0, after1 = moved(small, law0, option[0]), moved(small, law1, option[1])
        total += prod(
            strategies(small, legal, (*pairs, option), after0.get(view, {}), after1.get(view, {}))
            for view in {*after0, *after1}
        )
    return total


def listable(small: Small, legal: set[tuple[Pair, ...]]) -> bool:
    """Whether there is something to audit and few enough adversaries to list."""
    return differs(legal) and strategies(small, legal, (), small.initial, small.initial) <= 3000


def fixed_leaves(small: Small, path: tuple[Pair, ...]) -> Leaves:
    worlds: list[dict[tuple[str, ...], Law]] = [{(): small.initial}, {(): small.initial}]
    for pair in path:
        for world in (0, 1):
            worlds[world] = {
                (*history, view): masses
                for history, law in worlds[world].items()
                for view, masses in moved(small, law, pair[world]).items()
            }
    totals = [
        {history: sum(law.values(), Fraction(0)) for history, law in world.items()}
        for world in worlds
    ]
    zero = Fraction(0)
    return tuple(
        (totals[0].get(history, zero), totals[1].get(history, zero))
        for history in {*totals[0], *totals[1]}
    )


def delta(leaves: Leaves, gamma: Fraction) -> Fraction:
    forward = sum((max(Fraction(0), p0 - gamma * p1) for p0, p1 in leaves), Fraction(0))
    backward = sum((max(Fraction(0), p1 - gamma * p0) for p0, p1 in leaves), Fraction(0))
    return max(forward, backward)


def pure(leaves: Leaves) -> Fraction | None:
    ratios = [Fraction(1)]
    for p0, p1 in leaves:
        if (p0 == 0) != (p1 == 0):
            return None
        if p0:
            ratios += [p0 / p1, p1 / p0]
    return max(ratios)


def differs(legal: set[tuple[Pair, ...]]) -> bool:
    return any(first != second for path in legal for first, second in path)


@settings(max_examples=80, suppress_health_check=[HealthCheck.filter_too_much])
@given(small_mechanisms(), st.sampled_from(GAMMAS[1:]))
def test_solver_equals_all_deterministic_adversaries(small: Small, bound: Fraction) -> None:
    legal = legal_streams(small.relation, small.horizon)
    assume(listable(small, legal))
    adaptive = set(adaptive_leaves(small, legal, (), small.initial, small.initial))
    fixed = {fixed_leaves(small, path) for path in legal}
    report = audit(small.spec(Claim.of(exp_epsilon=bound, delta=0)))
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.is_exact
    assert report.nonadaptive_profile.is_exact
    for gamma in GAMMAS:
        adaptive_delta = max(delta(leaves, gamma) for leaves in adaptive)
        fixed_delta = max(delta(leaves, gamma) for leaves in fixed)
        assert report.adaptive_profile.upper.delta(exp_epsilon=gamma) == adaptive_delta
        assert report.nonadaptive_profile.upper.delta(exp_epsilon=gamma) == fixed_delta
    result = report.results[0]
    worst = [pure(leaves) for leaves in adaptive]
    expected = float("inf") if None in worst else max(r for r in worst if r is not None)
    assert result.adaptive.pure_exp_epsilon.upper == expected
    assert result.nonadaptive.pure_exp_epsilon.upper == expected
    for judgement, known in ((result.adaptive, adaptive), (result.nonadaptive, fixed)):
        best = max(delta(leaves, bound) for leaves in known)
        assert judgement.delta_at_claim is not None
        assert judgement.delta_at_claim.lower == judgement.delta_at_claim.upper == best
        assert judgement.verdict == ("violated" if best > 0 else "holds")
        assert judgement.witness is not None
        assert judgement.witness.excess(Exact(bound)).lower == best


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(small_mechanisms(), st.sampled_from(GAMMAS[1:]), st.sampled_from(LIMITS))
def test_a_stopped_solver_is_sound(small: Small, bound: Fraction, limits: Limits) -> None:
    legal = legal_streams(small.relation, small.horizon)
    assume(listable(small, legal))
    adaptive = list(adaptive_leaves(small, legal, (), small.initial, small.initial))
    fixed = [fixed_leaves(small, path) for path in legal]
    try:
        report = audit(small.spec(Claim.of(exp_epsilon=bound, delta=0)), limits=limits)
    except LimitError:
        assert limits.seconds is not None  # the time may not suffice for enumerating
        return
    assert report.adaptive_profile is not None
    for gamma in [bound, *GAMMAS]:
        best = max(delta(leaves, gamma) for leaves in adaptive)
        assert report.adaptive_profile.lower.delta(exp_epsilon=gamma) <= best
        assert best <= report.adaptive_profile.upper.delta(exp_epsilon=gamma)
        best = max(delta(leaves, gamma) for leaves in fixed)
        assert report.nonadaptive_profile.lower.delta(exp_epsilon=gamma) <= best
        assert best <= report.nonadaptive_profile.upper.delta(exp_epsilon=gamma)
    result = report.results[0]
    for judgement, known in ((result.adaptive, adaptive), (result.nonadaptive, fixed)):
        best = max(delta(leaves, bound) for leaves in known)
        assert judgement.delta_at_claim is not None
        assert judgement.delta_at_claim.contains(best)
        assert judgement.verdict in ("undecided", "violated" if best > 0 else "holds")
        assert judgement.witness is not None
        assert judgement.witness.excess(Exact(bound)).upper <= best


@pytest.mark.slow
@settings(max_examples=600, suppress_health_check=[HealthCheck.filter_too_much])
@given(small_mechanisms(), st.sampled_from(GAMMAS[1:]))
def test_solver_equals_all_deterministic_adversaries_more(small: Small, bound: Fraction) -> None:
    test = test_solver_equals_all_deterministic_adversaries.hypothesis.inner_test  # type: ignore[attr-defined]
    test(small, bound)
