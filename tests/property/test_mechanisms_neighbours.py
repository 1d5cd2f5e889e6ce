"""The relation automata accept exactly the pairs that a direct reading of each definition gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence

import pytest

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


def is_informal_neighbour(x: Stream, y: Stream, i: int, bottom: str) -> bool:
    """Whether x is y with an insertion at step i: Definition 1.1 at its word, indices from 1."""
    horizon = len(x)
    j = next((t for t in range(i + 1, horizon + 1) if y[t - 1] == bottom), horizon + 1)
    return (
        all(y[k - 1] == x[k - 1] for k in range(1, i))
        and x[i - 1] != bottom
        and all(y[k - 2] == x[k - 1] for k in range(i + 1, min(j, horizon) + 1))
        and all(y[k - 1] == x[k - 1] for k in range(j + 1, horizon + 1))
    )


@pytest.mark.parametrize("alphabet", ["0_", "01_"])
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5])
def test_edit_informal_is_definition_1_1_in_both_directions(alphabet: str, horizon: int) -> None:
    def holds(x: Stream, y: Stream) -> bool:
        return any(
            is_informal_neighbour(x, y, i, "_") or is_informal_neighbour(y, x, i, "_")
            for i in range(1, horizon + 1)
        )

    relation = edit_informal(bottom="_").over(alphabet)
    assert accepted(relation, horizon) == by_definition(holds, alphabet, horizon)


def unpadded(stream: Stream) -> Stream | None:
    """The elements before the first "$", or None if there is none, or an element comes after it."""
    if "$" not in stream:
        return None
    size = stream.index("$")
    return stream[:size] if set(stream[size:]) == {"$"} else None


def is_extended_neighbour(x: Stream, y: Stream, i: int) -> bool:
    """Whether x, "$" is an extended insertion neighbour of y, "$" at step i (App. D, D.1)."""
    size, other = len(x), len(y)
    ended_x, ended_y = (*x, "$"), (*y, "$")
    if any(t > other + 1 or x[t - 1] != ended_y[t - 1] for t in range(1, i)):
        return False
    j = next((t for t in range(i, size + 1) if t <= other and y[t - 1] == "_"), size + 1)
    if j <= size:
        return (
            size == other
            and all(x[t - 1] == y[t - 2] for t in range(i + 1, j + 1))
            and all(x[t - 1] == y[t - 1] for t in range(j + 1, size + 1))
        )
    return size == other + 1 and all(
        ended_x[t - 1] == ended_y[t - 2] for t in range(i + 1, size + 2)
    )


@pytest.mark.parametrize(
    ("alphabet", "horizon"),
    [("0_$", 1), ("0_$", 2), ("0_$", 3), ("0_$", 4), ("0_$", 5), ("01_$", 4)],
)
def test_edit_extended_is_definition_d_1_padded(alphabet: str, horizon: int) -> None:
    def holds(x: Stream, y: Stream) -> bool:
        first, second = unpadded(x), unpadded(y)
        if first is None or second is None:
            return False
        return any(
            is_extended_neighbour(first, second, i) for i in range(1, len(first) + 1)
        ) or any(is_extended_neighbour(second, first, i) for i in range(1, len(second) + 1))

    relation = edit_extended(bottom="_", end="$").over(alphabet)
    assert accepted(relation, horizon) == by_definition(holds, alphabet, horizon)


@pytest.mark.parametrize(
    "numbers",
    [(0, 1), (-1, 0, 1), (0, 2), (0, 1, 5), (-2, -1, 1)],
    ids=lambda numbers: str(numbers),
)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5])
def test_prefix_sum_is_definition_7_1(numbers: tuple[int, ...], horizon: int) -> None:
    letters = [str(number) for number in numbers]

    def holds(x: Stream, y: Stream) -> bool:
        sums = [list(itertools.accumulate(map(int, stream))) for stream in (x, y)]
        gaps = {a - b for a, b in zip(*sums, strict=True)}
        return gaps <= {0, 1} or gaps <= {0, -1}

    streams = list(itertools.product(letters, repeat=horizon))
    expected = {(x, y) for x, y in itertools.product(streams, streams) if holds(x, y)}
    assert accepted(prefix_sum().over(letters), horizon) == expected
    # accepted() writes every input as text.
    assert accepted(prefix_sum().over(numbers), horizon) == expected


FAMILIES: list[tuple[RelationFamily, str]] = [
    (hamming(), "012"),
    (user(), "01"),
    (participations(2, 2), "01"),
    (participations(1, absent="_"), "01_"),
    (static("012", "A", pairs=[("0", "1"), ("1", "2")]), "012A"),
    (edit_d1(), "01"),
    (edit(), "01_"),
    (edit_informal(), "01_"),
    (edit_extended(), "0_$"),
    (prefix_sum(), "012"),
]
NAMES = [str(family) for family, _ in FAMILIES]


@pytest.mark.parametrize(("family", "alphabet"), FAMILIES, ids=NAMES)
@pytest.mark.parametrize(("k", "horizon"), [(1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)])
def test_hops_are_chains_of_exactly_k_steps(
    family: RelationFamily, alphabet: str, k: int, horizon: int
) -> None:
    step = accepted(family.over(alphabet), horizon)
    successors: dict[Stream, set[Stream]] = {}
    for first, second in step:
        successors.setdefault(first, set()).add(second)
    expected = {(x, x) for x, _ in step}
    for _ in range(k):
        expected = {(x, z) for x, y in expected for z in successors.get(y, ())}
    assert accepted(hops(family, k).over(alphabet), horizon) == expected


def test_hops_of_reflexive_relations_are_at_most_k_steps() -> None:
    for family, alphabet in FAMILIES:
        relation = family.over(alphabet)
        streams = list(itertools.product(alphabet, repeat=3))
        reflexive = all(check_neighbouring(relation, stream, stream) is None for stream in streams)
        assert reflexive == (family.name not in ("static", "edit_informal", "edit_extended"))
        grows = accepted(relation, 3) <= accepted(hops(family, 2).over(alphabet), 3)
        assert grows or not reflexive


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


@pytest.mark.parametrize("letters", ["0", "01", "012"])
def test_edit_d1_is_edit_on_streams_without_bottom(letters: str) -> None:
    formal = edit("_").over(letters + "_")

    def rule(state: Hashable) -> list[Arc]:
        return [arc for arc in formal.pairs(state) if "_" not in arc[:2]]

    letters_only = RuleRelation("edit", formal.start, rule, formal.accepts)
    for horizon in range(1, 6):
        assert accepted(letters_only, horizon) == accepted(edit_d1().over(letters), horizon)


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
     edit_informal().over("01_"), edit_extended().over("01_$"), prefix_sum().over("012"),
     hops(edit(), 2).over("01_"), participations(2, 2, "_").over("01_"), static("01", "_").over("01_")],
    ids=lambda relation: relation.name,
)  # fmt: skip
def test_every_family_is_symmetric(relation: Relation) -> None:
    related = accepted(relation, 3)
    assert related == {(y, x) for x, y in related}
