"""Laws and the enumerator against products multiplied by hand, and the sampler against laws."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.numbers import Exact
from powercert.mechanisms import (
    Coins,
    ExactMachine,
    FiniteLaw,
    JointLaws,
    SamplerCoins,
    SeededBits,
    TableMechanism,
    enumerate_outcomes,
    open_run,
)

Weights = dict[int, Fraction]


@st.composite
def weights(draw: st.DrawFn) -> Weights:
    """A rational law on a few integers, zero weights among them."""
    parts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4).filter(any))
    outcomes = draw(
        st.lists(st.integers(-3, 3), min_size=len(parts), max_size=len(parts), unique=True)
    )
    return {x: Fraction(n, sum(parts)) for x, n in zip(outcomes, parts, strict=True)}


def as_dict(law: FiniteLaw[int]) -> Weights:
    return {outcome: weight.as_fraction() for outcome, weight in law.items()}


def positive(law: Weights) -> Weights:
    return {outcome: weight for outcome, weight in law.items() if weight}


@given(weights(), weights())
def test_sum_and_product_are_the_convolution_and_the_independent_pair(
    a: Weights, b: Weights
) -> None:
    left, right = FiniteLaw.of(a), FiniteLaw.of(b)
    pairs = left.product(right)
    sums: Weights = {}
    for (x, p), (y, q) in itertools.product(a.items(), b.items()):
        assert pairs.weight((x, y)) == p * q
        sums[x + y] = sums.get(x + y, Fraction(0)) + p * q
    assert as_dict(left.plus(right)) == positive(sums)
    assert left.plus(right) == right.plus(left)
    assert pairs.map(sum) == left.plus(right)


@given(weights(), st.integers(1, 5))
def test_repeated_sum_is_the_sum_repeated(a: Weights, count: int) -> None:
    law = FiniteLaw.of(a)
    total = law
    for _ in range(count - 1):
        total = total.plus(law)
    assert law.repeated_sum(count) == total


@given(weights(), st.integers(-3, 3), st.integers(0, 3))
def test_clamping_is_the_map_to_the_nearest_end(a: Weights, lower: int, width: int) -> None:
    upper = lower + width
    law = FiniteLaw.of(a)
    assert law.clamped(lower, upper) == law.map(lambda x: min(max(x, lower), upper))


@given(st.lists(weights(), max_size=4))
def test_enumerator_multiplies_independent_draws(laws: list[Weights]) -> None:
    def body(coins: Coins) -> tuple[int, ...]:
        return tuple([coins.draw(law) for law in built])

    built = [FiniteLaw.of(law) for law in laws]
    expected = {
        tuple(x for x, _ in choice): math.prod((p for _, p in choice), start=Fraction(1))
        for choice in itertools.product(*(positive(law).items() for law in laws))
    }
    found = enumerate_outcomes(body)
    assert len(found) == len(expected)
    assert dict(found) == expected


@given(weights(), st.lists(weights(), min_size=7, max_size=7))
def test_enumerator_follows_draws_that_depend_on_draws(
    first: Weights, second: list[Weights]
) -> None:
    chosen = {x: FiniteLaw.of(second[x + 3]) for x in range(-3, 4)}
    root = FiniteLaw.of(first)

    def body(coins: Coins) -> int:
        x = coins.draw(root)
        return x + coins.draw(chosen[x]) if x > 0 else x

    expected: Weights = {}
    for x, p in positive(first).items():
        branch = positive(second[x + 3]) if x > 0 else {0: Fraction(1)}
        for y, q in branch.items():
            expected[x + y] = expected.get(x + y, Fraction(0)) + p * q
    assert dict(enumerate_outcomes(body)) == expected


@given(weights(), weights(), st.fractions(Fraction(1, 4), 2, max_denominator=4))
def test_enumerator_agrees_with_the_algebra_of_symbolic_laws(
    a: Weights, b: Weights, exponent: Fraction
) -> None:
    z = Exact.exp(-exponent)
    noise = FiniteLaw.of({0: 1 / (1 + z), 1: z / (1 + z)})
    left, right = FiniteLaw.of(a), FiniteLaw.of(b)
    found = enumerate_outcomes(
        lambda coins: coins.draw(left) + coins.draw(noise) + coins.draw(right)
    )
    assert FiniteLaw.of_pairs(found) == left.plus(noise).plus(right)


Groups = dict[tuple[object, str, str], dict[tuple[str, str], Fraction]]


@st.composite
def tables(
    draw: st.DrawFn,
) -> tuple[TableMechanism, Groups]:
    """A random table and its row groups, some with rows for one round only."""
    starred = draw(st.booleans())
    groups: Groups = {}
    for number, state, item in itertools.product(["*"] if starred else [1, 2], "st", "01"):
        parts = draw(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
        pairs = itertools.product("ab", "st")
        groups[number, state, item] = {
            pair: Fraction(part, sum(parts)) for pair, part in zip(pairs, parts, strict=True)
        }
    rows = [
        [number, state, item, output, after, str(weight)]
        for (number, state, item), group in groups.items()
        for (output, after), weight in group.items()
    ]
    table = TableMechanism(2, "01", "ab", "st", {"s": "1/3", "t": "2/3"}, rows)
    return table, groups


@given(tables())
def test_enumerator_of_a_table_is_the_table(
    drawn: tuple[TableMechanism, Groups],
) -> None:
    table, groups = drawn
    machine = ExactMachine(table)
    for (number, name, item), group in groups.items():
        state: Any = name if number == "*" else (number, name)
        moves: tuple[tuple[Any, Any, Any], ...] = machine.transitions(state, item)
        found = {
            (view, after if number == "*" else after[1]): weight for view, after, weight in moves
        }
        assert found == {pair: weight for pair, weight in group.items() if weight}


@settings(max_examples=25)
@given(tables())
def test_joint_laws_of_a_table_condition_back_to_its_laws(
    drawn: tuple[TableMechanism, Groups],
) -> None:
    machine = ExactMachine(drawn[0])
    joint: dict[tuple[str, ...], dict[tuple[object, ...], Exact]] = {}
    for stream in itertools.product("01", repeat=2):
        layer: dict[tuple[tuple[object, ...], Any], Exact] = {
            ((), state): weight for state, weight in machine.initial()
        }
        for item in stream:
            after: dict[tuple[tuple[object, ...], Any], Exact] = {}
            for (views, state), weight in layer.items():
                for view, target, chance in machine.transitions(state, item):
                    key = (*views, view), target
                    after[key] = after.get(key, 0 * weight) + weight * chance
            layer = after
        law: dict[tuple[object, ...], Exact] = {}
        for (views, _), weight in layer.items():
            law[views] = law.get(views, 0 * weight) + weight
        joint[stream] = law
    given_jointly = JointLaws(joint, inputs="01")
    assert given_jointly.anticipation() is None
    conditioned = ExactMachine(given_jointly.as_laws())
    for stream, law in joint.items():
        for views, weight in law.items():
            product = weight / weight
            history: Any = ((), ())
            for item, view in zip(stream, views, strict=True):
                step = {v: (s, w) for v, s, w in conditioned.transitions(history, item)}
                history, chance = step[view]
                product = product * chance
            assert product == weight


FALSE_ALARM = Fraction(1, 10**9)
"""Bound on the chance that a right sampler fails one of the checks below, over the choice of seed;
the seeds are fixed, so a check that passes once passes always."""


def tail(trials: int, hits: int, chance: Fraction) -> Fraction:
    """P(Binomial(trials, chance) >= hits), exactly."""
    up, down, whole = chance.numerator, chance.denominator - chance.numerator, chance.denominator
    total = sum(
        math.comb(trials, k) * up**k * down ** (trials - k) for k in range(hits, trials + 1)
    )
    return Fraction(total, whole**trials)


def check_counts(counts: Counter[int], law: FiniteLaw[int], trials: int) -> None:
    """An exact two-sided binomial test of each outcome, at FALSE_ALARM in all."""
    assert set(counts) <= set(law.outcomes)
    level = FALSE_ALARM / (2 * len(law.outcomes))
    for outcome, weight in law.items():
        # A tail grows with the chance, so a rational bound on a symbolic weight is conservative.
        lower, upper = weight.dyadic_ends(20)
        hits = counts[outcome]
        assert tail(trials, hits, min(upper, Fraction(1))) > level
        assert tail(trials, trials - hits, 1 - max(lower, Fraction(0))) > level


@pytest.mark.parametrize(
    "law",
    [
        FiniteLaw.of({0: "1/3", 1: "2/3"}),
        FiniteLaw.of({0: "1/1000", 1: "499/1000", 2: "1/2"}),
        FiniteLaw.uniform(range(6)),
        FiniteLaw.of({0: "exp(-1)", 1: "1 - exp(-1)"}),
        FiniteLaw.of({0: "exp(-1)/2", 1: "1/2", 2: "(1 - exp(-1))/2"}),
    ],
    ids=str,
)
def test_sampled_frequencies_are_the_weights(law: FiniteLaw[int]) -> None:
    trials = 1000
    coins = SamplerCoins(SeededBits(20))
    check_counts(Counter(coins.draw(law) for _ in range(trials)), law, trials)


def test_runs_of_a_table_have_the_enumerated_law() -> None:
    rows = [
        ["*", state, item, output, output, "3/4" if (state, item) == (output, output) else "1/4"]
        for state in "01" for item in "01" for output in "01"
        if state == item
    ] + [["*", state, item, output, output, "1/2"]
         for state in "01" for item in "01" for output in "01" if state != item]  # fmt: skip
    table = TableMechanism(2, "01", "01", "01", {"0": "1/2", "1": "1/2"}, rows)
    machine = ExactMachine(table)
    exact: dict[int, Exact] = {}
    for state, weight in machine.initial():
        for first, middle, chance in machine.transitions(state, "0"):
            for second, _, last in machine.transitions(middle, "1"):
                code = int(f"{first}{second}", 2)
                mass = weight * chance * last
                exact[code] = exact[code] + mass if code in exact else mass
    trials = 1000
    counts: Counter[int] = Counter()
    for seed in range(trials):
        run = open_run(table, SeededBits(seed))
        counts[int(f"{run.feed('0')}{run.feed('1')}", 2)] += 1
    check_counts(counts, FiniteLaw.of(exact), trials)


def test_the_check_itself_notices_a_biased_sampler() -> None:
    coins = SamplerCoins(SeededBits(20))
    biased = FiniteLaw.of({0: "43/100", 1: "57/100"})
    counts = Counter(coins.draw(biased) for _ in range(1000))
    with pytest.raises(AssertionError):
        check_counts(counts, FiniteLaw.of({0: "1/3", 1: "2/3"}), 1000)
