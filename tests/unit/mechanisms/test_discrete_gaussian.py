"""The discrete Gaussian against sums by an independent library, and its exact truncation."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Enclosure, Exact
from powercert.mechanisms.discrete_gaussian import DiscreteGaussian, side_sum

mpmath: Any = importlib.import_module("mpmath")  # has no types

VARIANCES = ["1/10", "1/2", "1", "7/3", "100", "2500"]


def weight(variance: Fraction, distance: int) -> Any:
    exponent = Fraction(distance * distance) / (2 * variance)
    return mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)


def weights(variance: Fraction, first: int) -> Any:
    """The sum of the weights of first, first + 1, ...: terms below 10^-400 of it are left out."""
    count = 60 + 45 * math.isqrt(math.ceil(variance))
    return mpmath.fsum(weight(variance, first + k) for k in range(count))


def holds(enclosure: Enclosure, value: Any) -> bool:
    """Whether a high-precision number lies between the ends, up to its own last digits."""
    lower, upper = (cast("Exact", end).as_fraction() for end in (enclosure.lower, enclosure.upper))
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (lower, upper))
    slack = abs(value) * mpmath.mpf(10) ** -150
    return bool(low - slack <= value <= high + slack)


def relative_width(enclosure: Enclosure) -> Fraction:
    lower, upper = (cast("Exact", end).as_fraction() for end in (enclosure.lower, enclosure.upper))
    return (upper - lower) / lower


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("bits", [2, 53, 128, 400])
def test_enclosures_hold_the_truth_and_are_as_narrow_as_promised(variance: str, bits: int) -> None:
    law, sigma2 = DiscreteGaussian(variance, 3), Fraction(variance)
    with mpmath.workdps(200):
        total = 2 * weights(sigma2, 0) - 1
        cases = [
            (law.normaliser(bits), total),
            (law.probability(3, bits), 1 / total),
            (law.probability(3 - 4, bits), weight(sigma2, 4) / total),
            (law.tail(1, bits), 1 - 1 / total),
            (law.tail(9, bits), 2 * weights(sigma2, 9) / total),
        ]
        for enclosure, truth in cases:
            assert holds(enclosure, truth)
            assert relative_width(enclosure) <= Fraction(8, 2**bits)


def test_sums_cut_short_charge_what_they_leave_out() -> None:
    """At few bits the terms left out are most of the last unit, so an uncharged sum is too small."""
    with mpmath.workdps(60):
        for sixths in range(1, 80):
            variance = Fraction(sixths, 6)
            for first in (0, 3):
                truth = weights(variance, first) / weight(variance, first)
                for bits in (0, 1, 3, 8):
                    lower, upper = side_sum(variance, first, bits)
                    assert lower <= truth * 2**bits <= upper <= lower + 2


def test_a_narrow_law_is_almost_a_point() -> None:
    law = DiscreteGaussian("1/100")
    assert law.probability(0) > 1 - Exact("1e-20")
    assert law.probability(0) < 1


def test_deep_tails_keep_their_relative_precision() -> None:
    law, sigma2 = DiscreteGaussian(100), Fraction(100)
    with mpmath.workdps(200):
        truth = 2 * weights(sigma2, 2000) / (2 * weights(sigma2, 0) - 1)
        assert truth < mpmath.mpf(10) ** -8000
        assert holds(law.tail(2000), truth)
    assert relative_width(law.tail(2000)) <= Fraction(8, 2**128)


def test_tails_add_up_the_probabilities() -> None:
    law = DiscreteGaussian("7/3", 1)
    for distance in range(1, 6):
        both = law.tail(distance, 200), law.tail(distance + 1, 200)
        once = law.probability(1 + distance, 200)
        low = cast("Exact", both[0].lower) - cast("Exact", both[1].upper)
        high = cast("Exact", both[0].upper) - cast("Exact", both[1].lower)
        assert low <= 2 * cast("Exact", once.upper)
        assert high >= 2 * cast("Exact", once.lower)
    assert law.tail(0) == 1
    assert law.tail(-5).is_exact


@pytest.mark.parametrize("variance", VARIANCES)
def test_the_closed_bound_is_above_the_tail(variance: str) -> None:
    law = DiscreteGaussian(variance)
    for distance in (0, 1, 2, 5, 17):
        assert law.tail(distance) <= law.tail_upper(distance)
    assert law.tail_upper(5) == min(Exact(1), 2 * Exact.exp(Fraction(-25) / (2 * law.variance)))


@pytest.mark.parametrize("variance", ["1/2", "1", "100", "7/3"])
@pytest.mark.parametrize(("lower", "upper"), [(-2, 2), (0, 3), (5, 6), (-4, -4)])
def test_truncating_gives_weights_in_proportion(variance: str, lower: int, upper: int) -> None:
    law = DiscreteGaussian(variance, 1)
    total = sum((law.weight(k) for k in range(lower, upper + 1)), start=Exact(0))
    truncated = law.truncated(lower, upper)
    assert truncated.outcomes == tuple(range(lower, upper + 1))
    for k in truncated.outcomes:
        assert truncated.weight(k) == law.weight(k) / total


def test_a_truncated_law_is_near_the_unbounded_one() -> None:
    law = DiscreteGaussian(4)
    truncated, tail = law.truncated(-20, 20), law.tail_upper(21)
    for k in range(-20, 21):
        whole = law.probability(k)
        assert cast("Exact", whole.lower) <= truncated.weight(k)
        assert truncated.weight(k) * (1 - tail) <= cast("Exact", whole.upper)


def test_ten_standard_deviations_on_each_side_are_within_the_field() -> None:
    assert len(DiscreteGaussian(25).truncated(-50, 50).outcomes) == 101


def test_ranges_far_from_the_centre_are_no_harder() -> None:
    near = DiscreteGaussian(2, 5).truncated(0, 2)
    assert DiscreteGaussian(2, 10**9).truncated(10**9 - 5, 10**9 - 3) == near.map(
        lambda k: k + 10**9 - 5
    )


def test_a_shift_moves_the_centre() -> None:
    assert DiscreteGaussian("1/3", 2).shifted(3) == DiscreteGaussian("1/3", 5)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: DiscreteGaussian(0), InputError, "variance: not above 0"),
        (lambda: DiscreteGaussian("exp(1)"), InputError, "variance: not rational"),
        (lambda: DiscreteGaussian(1.0), InputError, "variance: a binary float"),
        (lambda: DiscreteGaussian(1, cast("int", "1/2")), InputError, "centre: not an integer"),
        (lambda: DiscreteGaussian(1).truncated(1, 0), InputError, "lower is above upper"),
        (lambda: DiscreteGaussian(1).probability(0, 1), InputError, "bits"),
        (lambda: DiscreteGaussian(100).truncated(-300, 300), LimitError, "too large"),
        (lambda: DiscreteGaussian(10**12).normaliser(), LimitError, "terms of a theta sum"),
        (lambda: DiscreteGaussian(1).tail(10**4), LimitError, "10\\^6|1000000|exp"),
    ],
)
def test_wrong_parameters_and_huge_sums_are_refused(
    build: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build()


def test_what_needs_no_sum_works_for_every_variance() -> None:
    law = DiscreteGaussian(10**30)
    assert law.tail_upper(10**16) == 2 * Exact.exp(-50)
