"""The relation automata accept exactly the pairs that a direct reading of each definition gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence

import pytest

from powercert.mechanisms import (
    ArcRelation,
    Relation,
    check_neighbouring,
    edit,
    edit_d1,
    hamming,
    participations,
    static,
    user,
)

Stream = tuple[str, ...]
Pair = tuple[Stream, Stream]


def accepted(relation: Relation, horizon: int) -> set[Pair]:
    """All pairs of streams that some accepting path of the automaton reads."""
    layer: set[tuple[Stream, Stream, Hashable]] = {((), (), relation.start)}
    for _ in range(horizon):
        layer = {
            ((*first, str(a)), (*second, str(b)), after)
            for first, second, state in layer
            for a, b, after in relation.pairs(state)
        }
    return {(first, second) for first, second, state in layer if relation.accepts(state)}


def all_pairs(alphabet: str, horizon: int) -> Iterator[Pair]:
    streams = list(itertools.product(alphabet, repeat=horizon))
    return itertools.product(streams, streams)


def by_definition(
    holds: Callable[[Stream, Stream], bool], alphabet: str, horizon: int
) -> set[Pair]:
    return {(x, y) for x, y in all_pairs(alphabet, horizon) if holds(x, y)}


def differing(x: Stream, y: Stream) -> list[int]:
    return [t for t in range(len(x)) if x[t] != y[t]]


@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_hamming_is_at_most_one_differing_round(horizon: int) -> None:
    expected = by_definition(lambda x, y: len(differing(x, y)) <= 1, "01_", horizon)
    assert accepted(hamming().over("01_"), horizon) == expected


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_user_is_every_pair(horizon: int) -> None:
    assert accepted(user().over("01_"), horizon) == set(all_pairs("01_", horizon))


@pytest.mark.parametrize("k", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("separation", [1, 2, 3, 7])
@pytest.mark.parametrize("absent", [None, "_"])
def test_participations_counts_separates_and_knows_absence(
    k: int, separation: int, absent: str | None
) -> None:
    def holds(x: Stream, y: Stream) -> bool:
        rounds = differing(x, y)
        gaps = [b - a for a, b in itertools.pairwise(rounds)]
        present = absent is None or all((x[t] == absent) != (y[t] == absent) for t in rounds)
        return len(rounds) <= k and all(gap >= separation for gap in gaps) and present

    relation = participations(k, separation, absent).over("01_")
    for horizon in (1, 3, 4):
        assert accepted(relation, horizon) == by_definition(holds, "01_", horizon)


@pytest.mark.parametrize("pairs", [None, [("0", "1"), ("2", "1")]])
def test_static_changes_data_once_and_asks_the_same(
    pairs: list[tuple[str, str]] | None,
) -> None:
    def holds(x: Stream, y: Stream) -> bool:
        data, queries = "012", "AB"
        load = x[0] in data and y[0] in data and x[0] != y[0]
        if pairs is not None:
            load = load and ((x[0], y[0]) in pairs or (y[0], x[0]) in pairs)
        return load and x[1:] == y[1:] and all(query in queries for query in x[1:])

    relation = static(data="012", queries="AB", pairs=pairs).over("012AB")
    for horizon in (1, 2, 3):
        assert accepted(relation, horizon) == by_definition(holds, "012AB", horizon)


def deleted(stream: Sequence[str], step: int) -> Stream:
    """Delete(x; t) of Definition D.1, with t counted from 1."""
    return (*stream[: step - 1], *stream[step:])


@pytest.mark.parametrize(("alphabet", "horizon"), [("01", 1), ("01", 4), ("01", 5), ("012", 3)])
def test_edit_d1_is_prefixes_of_deletions_in_both_directions(alphabet: str, horizon: int) -> None:
    # A longer stream shows every deletion that can act on the prefix: later ones leave it equal.
    expected: set[Pair] = set()
    for longer in itertools.product(alphabet, repeat=horizon + 2):
        for step in range(1, horizon + 2):
            x, y = longer[:horizon], deleted(longer, step)[:horizon]
            expected |= {(x, y), (y, x)}
    assert accepted(edit_d1().over(alphabet), horizon) == expected


def is_insertion_neighbour(x: Stream, y: Stream, i: int, bottom: str) -> bool:
    """Whether x is an insertion neighbour of y at step i: Definition 3.11, indices from 1."""
    horizon = len(x)
    j = next((t for t in range(i, horizon + 1) if y[t - 1] == bottom), horizon + 1)
    return (
        all(x[t - 1] == y[t - 1] for t in range(1, i))
        and all(x[t - 1] == y[t - 2] for t in range(i + 1, min(j, horizon) + 1))
        and all(x[t - 1] == y[t - 1] for t in range(j + 1, horizon + 1))
    )


@pytest.mark.parametrize(("alphabet", "horizon"), [("01_", 1), ("01_", 2), ("01_", 4), ("0_", 6)])
def test_edit_is_definition_3_11_in_both_directions(alphabet: str, horizon: int) -> None:
    def holds(x: Stream, y: Stream) -> bool:
        steps = range(1, horizon + 1)
        return any(
            is_insertion_neighbour(x, y, i, "_") or is_insertion_neighbour(y, x, i, "_")
            for i in steps
        )

    relation = edit(bottom="_").over(alphabet)
    assert accepted(relation, horizon) == by_definition(holds, alphabet, horizon)


# The arcs of the open case e01 (a bit stream with one insertion or deletion, length kept).
SHIFT_ARCS = [
    ["same", "0", "0", "same"], ["same", "1", "1", "same"],
    ["same", "0", "0", "del:0"], ["same", "0", "0", "ins:0"],
    ["del:0", "0", "0", "del:0"], ["ins:0", "0", "0", "ins:0"],
    ["same", "0", "1", "del:1"], ["same", "0", "1", "ins:0"],
    ["del:0", "0", "1", "del:1"], ["ins:1", "0", "1", "ins:0"],
    ["same", "1", "0", "del:0"], ["same", "1", "0", "ins:1"],
    ["del:1", "1", "0", "del:0"], ["ins:0", "1", "0", "ins:1"],
    ["same", "1", "1", "del:1"], ["same", "1", "1", "ins:1"],
    ["del:1", "1", "1", "del:1"], ["ins:1", "1", "1", "ins:1"],
]  # fmt: skip
SHIFT_STATES = ["same", "del:0", "ins:0", "del:1", "ins:1"]


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5])
def test_edit_relations_without_bottom_are_the_shift_automaton_of_e01(horizon: int) -> None:
    stored = accepted(ArcRelation("same", SHIFT_STATES, SHIFT_ARCS), horizon)
    assert accepted(edit_d1().over("01"), horizon) == stored
    # Without a bottom in the streams, Definition 3.11 is the same relation.
    bits = {pair for pair in accepted(edit().over("01_"), horizon) if "_" not in pair[0] + pair[1]}
    assert bits == stored


# The arcs of the open case c01: (participations left),(rounds to wait).
PARTICIPATION_ARCS = [
    *(["2,0", x, x, "2,0"] for x in "01_"),
    *(["2,0", a, b, "1,1"] for a, b in ("0_", "_0", "1_", "_1")),
    *(["1,1", x, x, "1,0"] for x in "01_"),
    *(["1,0", x, x, "1,0"] for x in "01_"),
    *(["1,0", a, b, "0,1"] for a, b in ("0_", "_0", "1_", "_1")),
    *(["0,1", x, x, "0,0"] for x in "01_"),
    *(["0,0", x, x, "0,0"] for x in "01_"),
]


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_participations_is_the_automaton_of_c01(horizon: int) -> None:
    stored = ArcRelation("2,0", ["0,0", "0,1", "1,0", "1,1", "2,0"], PARTICIPATION_ARCS)
    relation = participations(2, min_separation=2, absent="_").over("01_")
    assert accepted(relation, horizon) == accepted(stored, horizon)


@pytest.mark.parametrize(
    "relation",
    [hamming().over("01"), edit_d1().over("01"), edit(bottom="1").over("01"),
     participations(2, 2).over("01"), static("01", "01").over("01")],
    ids=lambda relation: relation.name,
)  # fmt: skip
def test_check_neighbouring_agrees_with_the_paths(relation: Relation) -> None:
    related = accepted(relation, 4)
    for x, y in all_pairs("01", 4):
        assert (check_neighbouring(relation, x, y) is None) == ((x, y) in related)


@pytest.mark.parametrize(
    "relation",
    [hamming().over("01_"), edit_d1().over("01_"), edit().over("01_"), user().over("01_"),
     participations(2, 2, "_").over("01_"), static("01", "_").over("01_")],
    ids=lambda relation: relation.name,
)  # fmt: skip
def test_every_family_is_symmetric(relation: Relation) -> None:
    related = accepted(relation, 3)
    assert related == {(y, x) for x, y in related}
