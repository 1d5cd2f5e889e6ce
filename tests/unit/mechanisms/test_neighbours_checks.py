"""Prefix closure, symmetry and sameness of relations, against all pairs of short streams."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.errors import InputError, LimitError
from powercert.mechanisms import (
    ArcRelation,
    Relation,
    RelationFamily,
    check_neighbouring,
    edit,
    edit_d1,
    edit_extended,
    edit_informal,
    hamming,
    hops,
    participations,
    prefix_sum,
    static,
    user,
)
from powercert.mechanisms.relation import Arc, RuleRelation
from powercert.mechanisms.relation_checks import (
    asymmetric_pair,
    distinguishing_pair,
    unrelated_prefix,
)

Stream = tuple[Hashable, ...]


def related(relation: Relation, first: Sequence[Hashable], second: Sequence[Hashable]) -> bool:
    return check_neighbouring(relation, first, second) is None


def all_pairs(inputs: Sequence[Hashable], longest: int) -> list[tuple[Stream, Stream]]:
    return [
        (first, second)
        for horizon in range(1, longest + 1)
        for first in itertools.product(inputs, repeat=horizon)
        for second in itertools.product(inputs, repeat=horizon)
    ]


# Whether Assumption B.1 holds, and the length of the shortest pair that breaks it.
NAMED: list[tuple[RelationFamily, str, int | None]] = [
    (hamming(), "01", None),
    (user(), "01", None),
    (participations(2, 2), "01", None),
    (participations(2, absent="_"), "0_", None),
    (static("01", "A"), "01A", None),
    (edit(), "01_", None),
    (edit_d1(), "01", None),
    (prefix_sum(), "012", None),
    (edit_informal(), "01_", 2),
    (edit_extended(), "0_$", 2),
    (hops(edit(), 2), "01_", None),
    (hops(static("01", "A"), 2), "01A", None),
]


@pytest.mark.parametrize(("family", "inputs", "shortest"), NAMED, ids=lambda v: str(v))
def test_assumption_b1_of_every_named_relation(
    family: RelationFamily, inputs: str, shortest: int | None
) -> None:
    relation = family.over(inputs)
    broken = [
        (x, y)
        for x, y in all_pairs(inputs, 4 if len(inputs) == 2 else 3)
        if related(relation, x, y)
        and any(not related(relation, x[:cut], y[:cut]) for cut in range(1, len(x)))
    ]
    assert bool(broken) == (shortest is not None)
    found = unrelated_prefix(relation)
    if shortest is None:
        assert found is None
        return
    assert found is not None
    assert (found.stream0, found.stream1) in broken
    assert len(found.stream0) == min(len(x) for x, _ in broken) == shortest
    assert not related(relation, found.stream0[: found.rounds], found.stream1[: found.rounds])


def test_the_empty_prefix_does_not_count() -> None:
    relation = ArcRelation("r", ["e"], [("r", "0", "1", "e"), ("e", "0", "0", "e")])
    assert not relation.accepts(relation.start)
    assert unrelated_prefix(relation) is None


def test_the_horizon_limits_the_streams_looked_at() -> None:
    # Exactly one difference, in round 3: the shortest related streams have three rounds.
    arcs = [("a", "0", "0", "b"), ("b", "0", "0", "c"), ("c", "0", "1", "d")]
    relation = ArcRelation("a", ["d"], arcs)
    assert unrelated_prefix(relation, 2) is None
    found = unrelated_prefix(relation, 3)
    assert found is not None
    assert (found.stream0, found.stream1, found.rounds) == (tuple("000"), tuple("001"), 1)
    assert str(found) == "0 0 0 and 0 0 1 (1 of 3 rounds)"


@st.composite
def automata(draw: st.DrawFn) -> ArcRelation:
    states = "abcd"[: draw(st.integers(1, 4))]
    arc = st.tuples(
        st.sampled_from(states),
        st.sampled_from("01"),
        st.sampled_from("01"),
        st.sampled_from(states),
    )
    arcs = draw(st.lists(arc, min_size=1, max_size=9, unique=True))
    accept = draw(st.sets(st.sampled_from(states), min_size=1))
    return ArcRelation("a", sorted(accept), arcs)


@settings(max_examples=60, deadline=None)
@given(relation=automata(), horizon=st.integers(1, 4))
def test_prefix_closure_of_any_automaton(relation: ArcRelation, horizon: int) -> None:
    broken = [
        (x, y)
        for x, y in all_pairs("01", horizon)
        if related(relation, x, y)
        and any(not related(relation, x[:cut], y[:cut]) for cut in range(1, len(x)))
    ]
    found = unrelated_prefix(relation, horizon)
    assert (found is None) == (not broken)
    if found is not None:
        assert (found.stream0, found.stream1) in broken
        assert len(found.stream0) == len(broken[0][0])
        assert not related(relation, found.stream0[: found.rounds], found.stream1[: found.rounds])
        assert all(
            related(relation, found.stream0[:cut], found.stream1[:cut])
            for cut in range(1, found.rounds)
        )


@settings(max_examples=60, deadline=None)
@given(first=automata(), second=automata(), horizon=st.integers(1, 4))
def test_sameness_and_symmetry_of_any_automata(
    first: ArcRelation, second: ArcRelation, horizon: int
) -> None:
    pairs = all_pairs("01", horizon)
    different = [(x, y) for x, y in pairs if related(first, x, y) != related(second, x, y)]
    found = distinguishing_pair(first, second, horizon)
    assert (found is None) == (not different)
    if found is not None:
        assert (found.stream0, found.stream1) in different
        assert len(found.stream0) == len(different[0][0])
    one_way = [(x, y) for x, y in pairs if related(first, x, y) and not related(first, y, x)]
    assert (asymmetric_pair(first, horizon) is None) == (not one_way)


def without(relation: Relation, symbol: Hashable) -> Relation:
    """The relation on streams in which an input does not occur."""

    def rule(state: Hashable) -> list[Arc]:
        return [arc for arc in relation.pairs(state) if symbol not in arc[:2]]

    return RuleRelation("without", relation.start, rule, relation.accepts)


@pytest.mark.parametrize("letters", ["0", "01", "012"])
def test_edit_d1_is_edit_on_streams_of_every_length_without_bottom(letters: str) -> None:
    formal = without(edit("_").over(letters + "_"), "_")
    assert distinguishing_pair(formal, edit_d1().over(letters)) is None


def test_the_edit_relations_differ() -> None:
    informal, formal = edit_informal().over("01_"), edit().over("01_")
    found = distinguishing_pair(informal, formal)
    assert found is not None
    # A bottom alone is no neighbour of itself in Definition 1.1: nothing but bottom is inserted.
    assert (found.stream0, found.stream1) == (("_",), ("_",))
    assert distinguishing_pair(edit_d1().over("01"), hamming().over("01")) is not None


def test_every_named_relation_is_symmetric_at_every_length() -> None:
    for family, inputs, _ in NAMED:
        assert asymmetric_pair(family.over(inputs)) is None


def test_hops_of_hamming_are_participations() -> None:
    for k in (1, 2, 3):
        closure, counted = hops(hamming(), k).over("012"), participations(k).over("012")
        assert distinguishing_pair(closure, counted) is None


def test_hops_of_hops_multiply() -> None:
    nested = hops(hops(participations(1, absent="_"), 2), 2).over("0_")
    assert distinguishing_pair(nested, participations(4, absent="_").over("0_")) is None


def test_limits_and_domains() -> None:
    endless = participations(10**9).over("01")
    assert unrelated_prefix(endless, 5) is None
    with pytest.raises(LimitError, match="more than 50 sets of states.*horizon"):
        unrelated_prefix(endless, limit_sets=50)
    with pytest.raises(LimitError, match="more than 50 sets of states"):
        asymmetric_pair(endless, limit_sets=50)
    with pytest.raises(InputError, match="horizon is not an integer >= 1"):
        unrelated_prefix(endless, 0)
    with pytest.raises(InputError, match="horizon is not an integer >= 1"):
        distinguishing_pair(endless, endless, 0)
