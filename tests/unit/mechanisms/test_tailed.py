"""Functions with geometric tails against sums over a long finite range."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import Exact, exact_number
from powercert.accounting.errors import InputError, LimitError
from powercert.mechanisms import FiniteLaw
from powercert.mechanisms.tailed import (
    Noise,
    TailedFunction,
    noise_weights,
    require_noise,
)
from powercert.mechanisms.two_forms import clamped_sum
from powercert.mechanisms.unbounded_laws import Geometric, TwoSidedGeometric

RATIOS = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]
NOISES: list[Noise] = [
    TwoSidedGeometric("1/2"),
    TwoSidedGeometric("2/3", 3),
    Geometric("1/3"),
    FiniteLaw.of({-2: "1/4", 0: "1/4", 5: "1/2"}),
]


@st.composite
def functions(draw: st.DrawFn) -> TailedFunction:
    small = st.integers(-3, 3)

    def tail() -> tuple[tuple[Exact, Exact], ...]:
        bases = draw(st.lists(st.sampled_from(RATIOS), unique=True, max_size=2))
        return tuple((Exact(base), Exact(draw(st.integers(1, 4)))) for base in sorted(bases))

    values = tuple(Exact(draw(small)) for _ in range(draw(st.integers(0, 3))))
    return TailedFunction(draw(small), values, tail(), tail())


def by_hand(function: TailedFunction, place: int) -> Fraction:
    """The value, from the definition in the class's docstring."""
    end = function.first + len(function.values)
    if function.first <= place < end:
        return function.values[place - function.first].as_fraction()
    tail, steps = (
        (function.right, place - end)
        if place >= end
        else (function.left, function.first - 1 - place)
    )
    return sum((c.as_fraction() * b.as_fraction() ** steps for b, c in tail), Fraction(0))


@given(functions(), functions(), st.integers(-4, 4))
@settings(max_examples=60)
def test_operations_are_pointwise(one: TailedFunction, two: TailedFunction, by: int) -> None:
    for place in range(-12, 13):
        left, right = by_hand(one, place), by_hand(two, place)
        assert one(place) == left
        assert one.plus(two)(place) == by_hand(one.plus(two), place) == left + right
        assert one.minus(two)(place) == left - right
        assert one.times(two)(place) == left * right
        assert one.scaled(Exact(3))(place) == 3 * left
        assert one.shifted(by)(place + by) == left


@given(functions())
@settings(max_examples=60)
def test_sums_are_between_partial_sums_and_their_tail_bounds(function: TailedFunction) -> None:
    reach = 60
    partial = sum((by_hand(function, n) for n in range(-reach, reach)), Fraction(0))
    # Both tails are sums of at most 2 terms 4 (2/3)^k, k >= reach - 6, each below 12 (2/3)^k.
    beyond = 2 * 2 * 12 * Fraction(2, 3) ** (reach - 6)
    assert 0 <= function.total() - partial <= beyond
    assert function.total() == function.from_here()(-3) + sum(
        (TailedFunction.at_most(-4).times(function).total(),), Exact(0)
    )


@given(functions(), st.integers(-8, 8))
@settings(max_examples=60)
def test_running_sums_step_by_the_function(function: TailedFunction, place: int) -> None:
    running = function.from_here()
    assert running(place) - running(place + 1) == by_hand(function, place)
    above = function.minus(TailedFunction.at_most(place - 1).times(function))
    assert running(place) == above.total()


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_noise_has_total_one(noise: Noise) -> None:
    weights = noise_weights(noise)
    assert weights.total() == 1
    assert weights.from_here()(-1000) + TailedFunction.at_most(-1001).times(weights).total() == 1


def test_weights_are_those_of_the_formulas() -> None:
    assert [noise_weights(TwoSidedGeometric("1/3", 1))(n) for n in (-1, 0, 1, 2)] == [
        Fraction(1, 2) * Fraction(1, 9),
        Fraction(1, 2) * Fraction(1, 3),
        Fraction(1, 2),
        Fraction(1, 2) * Fraction(1, 3),
    ]
    assert [noise_weights(Geometric("1/3"))(n) for n in (-1, 0, 1)] == [
        0,
        Fraction(2, 3),
        Fraction(2, 9),
    ]


def test_weights_may_be_symbolic() -> None:
    ratio = exact_number("exp(-1/10)")
    at_least = noise_weights(TwoSidedGeometric(ratio)).from_here()
    assert at_least(4) == ratio**4 / (1 + ratio)


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize(("lower", "upper"), [(-2, 4), (0, 1), (7, 7)])
def test_clamping_moves_mass_to_the_ends(noise: Noise, lower: int, upper: int) -> None:
    law = clamped_sum(noise, 2, lower, upper).finite()
    weights = noise_weights(noise)
    for place in range(lower + 1, upper):
        assert law.weight(place) == weights(place - 2)
    if lower < upper:
        at_most = TailedFunction.at_most(lower - 2).times(weights).total()
        assert law.weight(lower) == at_most


def test_a_divergent_sum_is_refused() -> None:
    with pytest.raises(InputError, match="does not converge"):
        TailedFunction.constant(Exact(1)).total()
    with pytest.raises(InputError, match="does not converge"):
        TailedFunction.at_most(0).from_here()


def test_what_is_no_noise_is_refused() -> None:
    with pytest.raises(InputError, match="not a law of integer noise"):
        require_noise(1, "noise")
    with pytest.raises(InputError, match="not an integer"):
        require_noise(FiniteLaw.uniform((False, True)), "noise")


def test_a_wide_window_is_refused_before_it_is_built() -> None:
    with pytest.raises(LimitError, match="span"):
        noise_weights(FiniteLaw.uniform((0, 10**9)))
    far = noise_weights(TwoSidedGeometric("1/2")).shifted(10**9)
    with pytest.raises(LimitError, match="span"):
        far.times(noise_weights(TwoSidedGeometric("1/2")))
