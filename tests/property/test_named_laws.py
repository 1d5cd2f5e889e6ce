"""Laws of the named laws, for random parameters."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.numbers import Exact
from powercert.mechanisms import (
    DiscreteGaussian,
    FiniteLaw,
    Geometric,
    Poisson,
    SeededBits,
    TwoSidedGeometric,
    binomial,
    discrete_laplace,
    lower_tail,
    randomised_response,
    upper_tail,
)
from powercert.mechanisms.integer_sampling import bernoulli

quick = settings(max_examples=30, deadline=None, derandomize=True)

fractions = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
positive = st.fractions(Fraction(1, 6), 6, max_denominator=6)
ratios = st.one_of(
    fractions.map(Exact),
    positive.map(lambda rate: Exact.exp(-rate)),
    st.tuples(fractions, positive).map(lambda pair: pair[0] * Exact.exp(-pair[1])),
)
centres = st.integers(-5, 5)
ranges = st.tuples(st.integers(-6, 6), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair)))


def mass(law: TwoSidedGeometric | Geometric | Poisson, places: range) -> Exact:
    return sum((law.probability(place) for place in places), start=Exact(0))


@quick
@given(ratio=ratios, centre=centres, wide=ranges, narrow=ranges)
def test_clamping_twice_is_clamping_to_what_both_leave(
    ratio: Exact, centre: int, wide: tuple[int, int], narrow: tuple[int, int]
) -> None:
    law = TwoSidedGeometric(ratio, centre)
    lower, upper = (min(max(end, narrow[0]), narrow[1]) for end in wide)
    assert law.clamped(*wide).clamped(*narrow) == law.clamped(lower, upper)


@quick
@given(ratio=ratios, centre=centres, ends=ranges)
def test_a_truncated_law_is_the_inside_of_the_clamped_one(
    ratio: Exact, centre: int, ends: tuple[int, int]
) -> None:
    law, (lower, upper) = TwoSidedGeometric(ratio, centre), ends
    inner = law.clamped(lower - 1, upper + 1)
    inside = 1 - inner.weight(lower - 1) - inner.weight(upper + 1)
    assert law.truncated(lower, upper) == FiniteLaw.of_pairs(
        (place, inner.weight(place) / inside) for place in range(lower, upper + 1)
    )


@quick
@given(ratio=ratios, centre=centres, modulus=st.integers(1, 5), factor=st.integers(1, 3))
def test_folding_twice_is_folding_once(
    ratio: Exact, centre: int, modulus: int, factor: int
) -> None:
    for law in (TwoSidedGeometric(ratio, centre), Geometric(ratio)):
        finer = law.folded(modulus * factor)
        assert finer.map(lambda residue: residue % modulus) == law.folded(modulus)


@quick
@given(ratio=ratios, by=st.integers(0, 4), ends=ranges)
def test_a_shift_of_the_centre_costs_the_ratio_per_step(
    ratio: Exact, by: int, ends: tuple[int, int]
) -> None:
    law = TwoSidedGeometric(ratio)
    one, two = law.clamped(*ends), law.shifted(by).clamped(*ends)
    for place in one.outcomes:
        assert one.weight(place) * ratio**by <= two.weight(place)
        assert two.weight(place) * ratio**by <= one.weight(place)


@quick
@given(ratio=ratios, start=st.integers(0, 4), ahead=st.integers(0, 4))
def test_the_geometric_law_forgets(ratio: Exact, start: int, ahead: int) -> None:
    law = Geometric(ratio)
    assert law.tail(start + ahead) == law.tail(start) * law.tail(ahead)
    assert 1 - mass(law, range(start)) == law.tail(start)


@quick
@given(ratio=ratios, gap=st.integers(0, 3))
def test_the_difference_of_two_geometric_numbers_is_two_sided(ratio: Exact, gap: int) -> None:
    """Sum over j of (1 - r)^2 r^j r^(j + gap), whose terms fall by r^2."""
    one = Geometric(ratio)
    first = one.probability(0) * one.probability(gap)
    assert first / (1 - ratio**2) == TwoSidedGeometric(ratio).probability(gap)


@quick
@given(scale=positive, distance=st.integers(1, 5))
def test_the_laplace_scale_is_where_the_tail_falls_by_e(scale: Fraction, distance: int) -> None:
    law = discrete_laplace(scale)
    assert law.tail(distance) == law.tail(distance + scale.numerator) * Exact.exp(scale.denominator)


@quick
@given(variance=positive, by=st.integers(1, 3), place=st.integers(-4, 4))
def test_gaussian_weights_shifted_lose_linearly(variance: Fraction, by: int, place: int) -> None:
    law = DiscreteGaussian(variance)
    exponent = Fraction(by * by - 2 * by * place) / (2 * variance)
    assert law.weight(place) == law.shifted(by).weight(place) * Exact.exp(exponent)


@quick
@given(variance=positive, centre=centres, bits=st.integers(2, 200))
def test_gaussian_enclosures_at_two_precisions_overlap(
    variance: Fraction, centre: int, bits: int
) -> None:
    law = DiscreteGaussian(variance, centre)
    for one, two in (
        (law.normaliser(bits), law.normaliser(300)),
        (law.probability(centre + 2, bits), law.probability(centre + 2, 300)),
        (law.tail(2, bits), law.tail(2, 300)),
    ):
        assert cast("Exact", one.lower) <= cast("Exact", two.lower)
        assert cast("Exact", two.upper) <= cast("Exact", one.upper)


@quick
@given(variance=positive, centre=centres, ends=ranges)
def test_a_gaussian_is_log_concave(variance: Fraction, centre: int, ends: tuple[int, int]) -> None:
    weights = DiscreteGaussian(variance, centre).truncated(*ends).weights
    for left, middle, right in zip(weights, weights[1:], weights[2:], strict=False):
        assert left * right < middle**2


@quick
@given(one=positive, two=positive, count=st.integers(0, 6))
def test_independent_poisson_numbers_add(one: Fraction, two: Fraction, count: int) -> None:
    both = sum(
        (
            Poisson(one).probability(k) * Poisson(two).probability(count - k)
            for k in range(count + 1)
        ),
        start=Exact(0),
    )
    assert both == Poisson(one + two).probability(count)


@quick
@given(rate=positive, keep=fractions, count=st.integers(0, 4), most=st.integers(0, 8))
def test_thinning_a_poisson_number_is_binomial(
    rate: Fraction, keep: Fraction, count: int, most: int
) -> None:
    """P(k kept of n) summed over n >= k; the terms left out are at most the tail."""
    whole, thinned = Poisson(rate), Poisson(rate * keep)
    end = count + most
    found = sum(
        (whole.probability(n) * binomial(n, keep).weight(count) for n in range(count, end + 1)),
        start=Exact(0),
    )
    assert found <= thinned.probability(count) <= found + whole.tail(end + 1)


@quick
@given(rate=positive, upper=st.integers(0, 6))
def test_charged_tails_are_what_the_finite_law_does_not_show(rate: Fraction, upper: int) -> None:
    law = Poisson(rate)
    clamped, truncated = law.charged_clamped(upper), law.charged_truncated(upper)
    assert clamped.tail == 1 - mass(law, range(upper))
    assert truncated.tail == 1 - mass(law, range(upper + 1))
    for place in range(upper):
        assert clamped.law.weight(place) == law.probability(place)
        assert truncated.law.weight(place) * (1 - truncated.tail) == law.probability(place)


@quick
@given(trials=st.integers(0, 8), chance=fractions, cut=st.integers(-1, 9))
def test_binomial_is_a_sum_of_coins(trials: int, chance: Fraction, cut: int) -> None:
    law = binomial(trials, chance)
    coins = FiniteLaw.point(0)
    for _ in range(trials):
        coins = coins.plus(FiniteLaw.bernoulli(chance))
    assert law == coins
    assert upper_tail(law, cut) + lower_tail(law, cut - 1) == 1


@quick
@given(size=st.integers(2, 6), epsilon=st.fractions(0, 3, max_denominator=8))
def test_randomised_response_spends_epsilon_exactly(size: int, epsilon: Fraction) -> None:
    laws = [randomised_response(value, range(size), epsilon=epsilon) for value in range(size)]
    worst = max(
        one.weight(view) / two.weight(view) for one in laws for two in laws for view in range(size)
    )
    assert worst == Exact.exp(epsilon)


class Tape:
    """Hands out the binary digits of a real in [0, 1)."""

    def __init__(self, real: Fraction) -> None:
        self.real = real

    def bits(self, count: int) -> int:
        self.real *= 2**count
        digits = math.floor(self.real)
        self.real -= digits
        return digits


@quick
@given(
    real=st.fractions(0, Fraction(999, 1000), max_denominator=1000),
    chance=st.fractions(0, 1, max_denominator=1000),
)
def test_a_coin_says_whether_a_real_is_below_its_chance(real: Fraction, chance: Fraction) -> None:
    """A real that equals the chance agrees with it for ever, unless the chance ends."""
    if real != chance:
        assert bernoulli(Tape(real), *chance.as_integer_ratio()) == (real < chance)


@quick
@given(ratio=ratios, seed=st.integers(0, 10**6))
def test_draws_depend_on_the_bits_alone(ratio: Exact, seed: int) -> None:
    law = TwoSidedGeometric(ratio)
    moved = law.shifted(7)
    first, second = SeededBits(seed), SeededBits(seed)
    for _ in range(5):
        assert moved.draw(first) == law.draw(second) + 7
