"""Suprema and pointwise maxima, against every deterministic strategy written out."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.accounting.power import PowerFunction
from powercert.certify.envelope import Envelope, convolved, larger
from powercert.certify.limits import Clock, Limits
from powercert.certify.solver import Solution, solve
from powercert.certify.suprema import Gap, Suprema, suprema, suprema_of
from powercert.mechanisms import (
    ArcRelation,
    ExactMachine,
    LawsMechanism,
    Relation,
    check_neighbouring,
    edit_d1,
    hamming,
    user,
)
from powercert.proofs_checks.game_tree import paired_tree, power_of_strategy, strategies

Stream = tuple[Hashable, ...]
Machine = ExactMachine[Any, Any, Any, Any]
Key = tuple[Stream, tuple[int, ...]]


def histories(rounds: int, inputs: Sequence[Hashable]) -> Iterator[Key]:
    for number in range(1, rounds + 1):
        for items in itertools.product(inputs, repeat=number):
            for views in itertools.product((0, 1), repeat=number - 1):
                yield items, views


def binary(rounds: int, inputs: Sequence[Hashable], chances: dict[Key, Fraction]) -> Machine:
    """The machine that shows 1 with a chance that depends on (inputs so far, views before)."""
    laws = {
        (len(items), items, views): {0: 1 - chance, 1: chance}
        for (items, views), chance in chances.items()
    }
    return ExactMachine(LawsMechanism(rounds, inputs, laws))


def solved(
    machine: Machine,
    relation: Relation,
    horizon: int,
    limits: Limits | None = None,
) -> Solution:
    return solve(machine, relation, horizon, Clock(limits or Limits()))


def adaptive_powers(machine: Machine, relation: Relation, horizon: int) -> set[PowerFunction]:
    """The power function of each deterministic adaptive adversary, world 1 being the null."""
    tree = paired_tree(machine, relation, horizon)
    return {power_of_strategy(tree, strategy).swapped() for strategy in strategies(tree)}


def fixed_powers(
    machine: Machine,
    relation: Relation,
    inputs: Sequence[Hashable],
    horizon: int,
) -> set[PowerFunction]:
    powers: set[PowerFunction] = set()
    streams = list(itertools.product(inputs, repeat=horizon))
    for first, second in itertools.product(streams, streams):
        if check_neighbouring(relation, first, second) is None:
            places = range(horizon)
            line = [(t, first[t], second[t], t + 1) for t in places]
            powers |= adaptive_powers(machine, ArcRelation(0, [horizon], line), horizon)
    return powers


def is_maximum(envelope: Envelope, powers: set[PowerFunction]) -> bool:
    """Whether the function is the pointwise maximum.

    Between neighbouring knots all functions are linear, their maximum is convex, and the envelope
    is linear: agreement at both ends and at one point between them is agreement everywhere.
    """
    knots = {x for x, _ in envelope.points} | {x for power in powers for x, _ in power.vertices}
    ordered = sorted(knots)
    ordered += [(left + right) / 2 for left, right in itertools.pairwise(ordered)]
    return all(envelope(x) == max(power(x) for power in powers) for x in ordered)


def is_witness(gap: Gap, supremum: PowerFunction, maximum: Envelope) -> bool:
    """Whether the seen coin attains the supremum where the maximum is below it."""
    weight, first, second = gap.weight, gap.first, gap.second
    level = weight * first.p1 + (1 - weight) * second.p1
    power = weight * first.p0 + (1 - weight) * second.p0
    below = (gap.low + gap.alpha) / 2, (gap.alpha + gap.high) / 2
    return (
        0 < weight < 1
        and gap.low < gap.alpha < gap.high
        and level == gap.alpha
        and power == gap.supremum == supremum(gap.alpha)
        and maximum(gap.alpha) == gap.maximum < gap.supremum
        and all(maximum(x) < supremum(x) for x in below)
        and maximum(gap.low) == supremum(gap.low)
        and maximum(gap.high) == supremum(gap.high)
    )


def check(found: Suprema, adaptive: set[PowerFunction], fixed: set[PowerFunction]) -> None:
    assert is_maximum(found.maximum, adaptive)
    assert found.supremum == PowerFunction.supremum(adaptive)
    assert is_maximum(found.fixed_maximum, fixed)
    assert found.fixed_supremum == PowerFunction.supremum(fixed)
    assert bool(found.gaps) == (not found.maximum.is_concave)
    assert bool(found.fixed_gaps) == (not found.fixed_maximum.is_concave)
    assert all(is_witness(gap, found.supremum, found.maximum) for gap in found.gaps)
    for gap in found.fixed_gaps:
        assert is_witness(gap, found.fixed_supremum, found.fixed_maximum)
        assert gap.streams is not None
    for number in ("0", "1/3", "1", "3/2", "7"):
        # Profiles agree: delta maximises a linear function, whose maximum a corner attains.
        gamma = Exact(Fraction(number))
        for power, envelope in (
            (found.supremum, found.maximum),
            (found.fixed_supremum, found.fixed_maximum),
        ):
            assert power.profile().delta(exp_epsilon=gamma) == envelope.delta(gamma)


@st.composite
def machines(draw: st.DrawFn, rounds: int, inputs: str) -> Machine:
    denominator = draw(st.sampled_from([2, 3, 4]))
    chance = st.integers(0, denominator)
    return binary(
        rounds,
        inputs,
        {key: Fraction(draw(chance), denominator) for key in histories(rounds, inputs)},
    )


@settings(max_examples=25, deadline=None)
@given(
    machine=machines(2, "01"),
    relation=st.sampled_from([hamming().over("01"), user().over("01"), edit_d1().over("01")]),
)
def test_two_rounds_against_every_strategy(machine: Machine, relation: Relation) -> None:
    found = suprema(solved(machine, relation, 2))
    check(found, adaptive_powers(machine, relation, 2), fixed_powers(machine, relation, "01", 2))


@settings(max_examples=5, deadline=None)
@given(machine=machines(3, "01"))
def test_three_rounds_against_every_strategy(
    machine: Machine,
) -> None:
    # One pair of equal inputs, then one round that differs, then anything equal.
    arcs = [("a", "0", "0", "a"), ("a", "0", "1", "b"), ("b", "0", "0", "b"), ("b", "1", "1", "b")]
    relation = ArcRelation("a", "ab", arcs)
    found = suprema(solved(machine, relation, 3))
    check(found, adaptive_powers(machine, relation, 3), fixed_powers(machine, relation, "01", 3))


def ask_twice() -> Machine:
    """Round 1 is a bit that tells nothing; round 2 answers r0, r1 noisily and e0, e1 with luck."""
    noisy = {"r0": "3/4", "r1": "1/4", "e0": "1/2", "e1": "0", "w": "1/2"}
    chances = {
        (items, views): Fraction(noisy[str(items[-1])])
        for items, views in histories(2, ["r0", "r1", "e0", "e1", "w"])
    }
    return binary(2, ["r0", "r1", "e0", "e1", "w"], chances)


def test_an_adaptive_adversary_can_fill_part_of_a_gap() -> None:
    """A coin that the mechanism itself shows lets a deterministic adversary mix, half and half."""
    arcs = [("a", "w", "w", "b"), ("b", "r0", "r1", "c"), ("b", "e0", "e1", "c")]
    relation = ArcRelation("a", "c", arcs)
    found = suprema(solved(ask_twice(), relation, 2))
    # Fixed: max(rr, loss) as in one round. rr = 3 x up to 1/4, then 2/3 + x/3; loss = 1/2 + x/2.
    assert [(str(x), str(y)) for x, y in found.fixed_maximum.points] == [
        ("0", "1/2"), ("1/5", "3/5"), ("1/4", "3/4"), ("1", "1"),
    ]  # fmt: skip
    # Adaptive: rr after one view and loss after the other: power 1/4 + 3/8 at level 1/8.
    assert found.maximum("1/8") == found.supremum("1/8") == Fraction(5, 8)
    assert found.fixed_maximum("1/8") == Fraction(9, 16)
    assert [(str(gap.low), str(gap.high)) for gap in found.gaps] == [("0", "1/8"), ("1/8", "1/4")]
    assert [(str(gap.low), str(gap.high)) for gap in found.fixed_gaps] == [("0", "1/4")]
    assert found.supremum == found.fixed_supremum
    check(
        found,
        adaptive_powers(ask_twice(), relation, 2),
        fixed_powers(ask_twice(), relation, ["r0", "r1", "e0", "e1", "w"], 2),
    )


def test_fixed_witnesses_name_their_streams() -> None:
    arcs = [("a", "w", "w", "b"), ("b", "r0", "r1", "c"), ("b", "e0", "e1", "c")]
    gap = suprema(solved(ask_twice(), ArcRelation("a", "c", arcs), 2)).fixed_gaps[0]
    assert gap.streams == ((("w", "e0"), ("w", "e1")), (("w", "r0"), ("w", "r1")))


def test_symbolic_weights() -> None:
    """Response of odds e^(1/2), or a loss of 1/10: the two cross at x = 1/10 / (w - 9/10)."""
    laws: dict[object, dict[str, object]] = {
        (1, ("r0",), ()): {"y": "exp(1/2)/(1 + exp(1/2))", "n": "1/(1 + exp(1/2))"},
        (1, ("r1",), ()): {"y": "1/(1 + exp(1/2))", "n": "exp(1/2)/(1 + exp(1/2))"},
        (1, ("e0",), ()): {"y": "1/10", "n": "9/10"},
        (1, ("e1",), ()): {"n": 1},
    }
    machine = ExactMachine(LawsMechanism(1, ["r0", "r1", "e0", "e1"], laws))
    relation = ArcRelation("s", ["t"], [("s", "r0", "r1", "t"), ("s", "e0", "e1", "t")])
    found = suprema(solved(machine, relation, 1))
    crossing = Exact(Fraction(1, 10)) / (Exact.exp(Fraction(1, 2)) - Fraction(9, 10))
    assert found.maximum.points[1][0] == found.gaps[0].alpha == crossing
    assert is_witness(found.gaps[0], found.supremum, found.maximum)
    assert found.maximum.points == found.fixed_maximum.points


def test_limits_are_stated() -> None:
    machine = binary(2, "01", {key: Fraction(1, 3 + len(key[0])) for key in histories(2, "01")})
    solution = solved(machine, user().over("01"), 2)
    with pytest.raises(LimitError, match="there are 16 fixed pairs.*limit_pairs is 15"):
        suprema(solution, limit_pairs=15)
    with pytest.raises(LimitError, match="too many corners.*limit_work"):
        suprema(ask_solution(), limit_work=3)
    with pytest.raises(LimitError, match="too many corners.*limit_corners"):
        suprema(ask_solution(), limit_corners=2)
    with pytest.raises(LimitError, match="not solved exactly"):
        suprema(solved(machine, user().over("01"), 2, Limits(nodes=1)))


def test_what_is_no_solution_and_no_spec_is_refused() -> None:
    wrong: Any = ask_twice()
    with pytest.raises(InputError, match=r"suprema: not a solved game.*use suprema_of\(spec\)"):
        suprema(wrong)
    with pytest.raises(InputError, match="suprema_of: not an AuditSpec"):
        suprema_of(wrong)


def ask_solution() -> Solution:
    arcs = [("a", "w", "w", "b"), ("b", "r0", "r1", "c"), ("b", "e0", "e1", "c")]
    return solved(ask_twice(), ArcRelation("a", "c", arcs), 2)


def test_a_constant_game_has_no_gap() -> None:
    machine = binary(1, "01", {key: Fraction(1, 2) for key in histories(1, "01")})
    found = suprema(solved(machine, hamming().over("01"), 1))
    assert found.supremum == PowerFunction.identity()
    assert found.maximum.is_concave
    assert found.gaps == found.fixed_gaps == ()


def test_a_mechanism_that_tells_the_worlds_apart() -> None:
    machine = binary(2, "01", {key: Fraction(int(str(key[0][-1]))) for key in histories(2, "01")})
    found = suprema(solved(machine, hamming().over("01"), 2))
    assert found.supremum == PowerFunction.from_vertices([(0, 1), (1, 1)])
    assert found.maximum.points == found.supremum.vertices
    assert found.gaps == ()


def test_an_envelope_refuses_levels_outside() -> None:
    envelope = Envelope.of([PowerFunction.identity()])
    with pytest.raises(InputError, match="alpha"):
        envelope("3/2")


def corners(draw: st.DrawFn, width: int) -> tuple[tuple[Exact, Exact], ...]:
    rises = draw(st.lists(st.integers(0, 4), min_size=width, max_size=width))
    start = draw(st.integers(0, 2))
    heights = itertools.accumulate(rises, initial=start)
    return tuple((Exact(x), Exact(y)) for x, y in enumerate(heights))


@st.composite
def functions(draw: st.DrawFn, width: int | None = None) -> tuple[tuple[Exact, Exact], ...]:
    return corners(draw, draw(st.integers(0, 5)) if width is None else width)


def value(points: Sequence[tuple[Exact, Exact]], x: Exact) -> Exact:
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    assert x == points[0][0]
    return points[0][1]


@settings(max_examples=60, deadline=None)
@given(first=functions(), second=functions())
def test_convolution_is_the_best_split(
    first: tuple[tuple[Exact, Exact], ...], second: tuple[tuple[Exact, Exact], ...]
) -> None:
    """With corners at whole numbers a split is best with one part at a corner."""
    result = convolved(first, second)
    ends = first[-1][0], second[-1][0]
    assert result[0][0] == 0
    assert result[-1][0] == ends[0] + ends[1]
    steps = 6 * (len(first) + len(second) - 2)
    for z in [Exact(Fraction(n, 6)) for n in range(steps + 1)]:
        splits = [x for x, _ in first] + [z - x for x, _ in second]
        best = max(
            value(first, x) + value(second, z - x)
            for x in splits
            if 0 <= x <= ends[0] and 0 <= z - x <= ends[1]
        )
        assert value(result, z) == best


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.integers(0, 5))
def test_larger_is_the_pointwise_maximum(data: st.DataObject, width: int) -> None:
    first, second = data.draw(functions(width)), data.draw(functions(width))
    result = larger(first, second)
    # Both are linear between whole numbers, where they cross once at most: halves show it.
    for x in [Exact(Fraction(n, 2)) for n in range(2 * width + 1)] + [x for x, _ in result]:
        assert value(result, x) == max(value(first, x), value(second, x))


def test_section_e1_of_paper_1() -> None:
    """The printed total variations: 0.0991 adaptively, 0.09 for fixed streams."""
    chance: dict[tuple[int, ...], str] = {
        (0,): "0.68",
        (1,): "0.65",
        (0, 0): "0.28",
        (0, 1): "0.20",
        (1, 0): "0.19",
    }
    chances = {
        (items, views): Fraction(chance.get(tuple(int(str(item)) for item in items), "0.28"))
        for items, views in histories(2, "01")
    }
    found = suprema(solved(binary(2, "01", chances), hamming().over("01"), 2))
    assert found.maximum.delta(Exact(1)) == Fraction("0.0991")
    assert found.fixed_maximum.delta(Exact(1)) == Fraction("0.09")
    machine = binary(2, "01", chances)
    relation = hamming().over("01")
    check(found, adaptive_powers(machine, relation, 2), fixed_powers(machine, relation, "01", 2))
    assert found.gaps
    assert found.fixed_gaps
