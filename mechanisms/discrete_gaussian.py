"""The discrete Gaussian law: exact sampler, exact truncation, enclosed probabilities and tails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from ..accounting.arguments import read_integer
from ..accounting.errors import LimitError
from ..accounting.numbers import Enclosure, Exact
from ..accounting.rationals import rational_ends
from .integer_sampling import bernoulli_exp, geometric_exp, two_sided
from .law import FiniteLaw
from .law_parameters import conditioned, read_range, read_rational, refuse_large
from .randomness import RandomBits, require_random_bits

__all__ = ["DiscreteGaussian", "side_sum"]

_ONE = Exact(1)
_MOST_TERMS = 1_000_000
#: Most terms times squared bits (300 more, for what a term costs at any size): a few seconds.
_MOST_WORK = 300_000_000_000
_SPARE_BITS = 16


@final
@dataclass(frozen=True)
class DiscreteGaussian:
    """The discrete Gaussian: P(k) proportional to exp(-(k - centre)^2 / (2 variance)), k integer.

    The sum of the weights over all integers is a theta value outside the field of exact numbers,
    so probabilities are enclosures; the law truncated to a range is exact. The variance of the
    outcome is a little below the parameter.

    Args:
        variance: The parameter sigma^2, a rational above 0.
        centre: An integer.

    Raises:
        InputError: A parameter is out of its domain.

    Example:
        >>> law = DiscreteGaussian("1/2")
        >>> law.truncated(-1, 1).weight(1)
        Exact('1/(exp(1) + 2)')
        >>> law.probability(0).decimal(10), law.tail(3).decimal(5)
        ('[0.5641312262, 0.5641312263]', '[0.00013936, 0.00013937]')

    Source: Canonne, Kamath, Steinke (2020), Definition 1.
    """

    variance: Fraction
    centre: int

    def __init__(self, variance: object, centre: int = 0) -> None:
        """Read both parameters."""
        object.__setattr__(self, "variance", read_rational(variance, "variance"))
        object.__setattr__(self, "centre", read_integer(centre, "centre"))

    @property
    def finite_counterpart(self) -> str:
        """What to call instead where every outcome is to be followed."""
        return ".truncated(lower, upper)"

    def weight(self, outcome: int) -> Exact:
        """Return exp(-(outcome - centre)^2 / (2 variance)): the probability before normalising.

        Guarantee: exact.

        Raises:
            LimitError: The exponent is beyond -10^6.

        Example:
            >>> DiscreteGaussian(2).weight(-2)
            Exact('exp(-1)')
        """
        return Exact.exp(-self._exponent(read_integer(outcome, "outcome") - self.centre))

    def normaliser(self, bits: int = 128) -> Enclosure:
        """Return bounds on the sum of the weights over all integers.

        Guarantee: lower <= sum <= upper, and the width is at most 2^(3 - bits) of the size.

        Args:
            bits: At least 2.

        Raises:
            LimitError: More than 10^6 terms would be summed, or too many bits of them.

        Example:
            >>> DiscreteGaussian(1).normaliser().decimal(12)
            '[2.50662828804, 2.50662828805]'
        """
        return self._quotient(lambda working: _scaled(self._normaliser(working), working), bits)

    def probability(self, outcome: int, bits: int = 128) -> Enclosure:
        """Return bounds on the probability of an integer.

        Guarantee: lower <= probability <= upper, and the width is at most 2^(3 - bits) of the size.

        Args:
            outcome: The integer.
            bits: At least 2.

        Raises:
            LimitError: More than 10^6 terms, or too many bits of them, or the probability is below
                about exp(-10^6).
        """
        weight = self.weight(outcome)

        def ends(working: int) -> tuple[Fraction, Fraction]:
            low_sum, high_sum = _scaled(self._normaliser(working), working)
            low, high = weight.dyadic_ends(working)
            return low / high_sum, high / low_sum

        return self._quotient(ends, bits)

    def tail(self, distance: int, bits: int = 128) -> Enclosure:
        """Return bounds on P(|X - centre| >= distance).

        Guarantee: lower <= probability <= upper, and the width is at most 2^(3 - bits) of the size.

        Args:
            distance: An integer; exactly 1 is returned where it is not above 0.
            bits: At least 2.

        Raises:
            LimitError: More than 10^6 terms, or too many bits of them, or the probability is below
                about exp(-10^6).

        Example:
            >>> DiscreteGaussian(100).tail(60).decimal(6)
            '[2.64119e-9, 2.6412e-9]'
        """
        if read_integer(distance, "distance") <= 0:
            return Enclosure.point(1)
        nearest = Exact.exp(-self._exponent(distance))

        def ends(working: int) -> tuple[Fraction, Fraction]:
            low_sum, high_sum = _scaled(self._normaliser(working), working)
            low_rest, high_rest = _scaled(side_sum(self.variance, distance, working), working)
            low, high = nearest.dyadic_ends(working)
            return 2 * low * low_rest / high_sum, 2 * high * high_rest / low_sum

        return self._quotient(ends, bits)

    def tail_upper(self, distance: int) -> Exact:
        """Return a number of the field that P(|X - centre| >= distance) does not exceed.

        Guarantee: the probability is at most min(1, 2 exp(-distance^2 / (2 variance))).

        Args:
            distance: An integer.

        Raises:
            LimitError: The exponent is beyond -10^6.

        Example:
            >>> DiscreteGaussian(2).tail_upper(4)
            Exact('2*exp(-4)')

        Source: Canonne, Kamath, Steinke (2020): the law is sub-Gaussian with its own parameter.
        """
        if read_integer(distance, "distance") <= 0:
            return _ONE
        return min(_ONE, 2 * Exact.exp(-self._exponent(distance)))

    def shifted(self, by: int) -> DiscreteGaussian:
        """Return the law of X + by.

        Example:
            >>> DiscreteGaussian(2).shifted(3).centre
            3
        """
        return DiscreteGaussian(self.variance, self.centre + read_integer(by, "by"))

    def truncated(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X given that it lies in [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, or ``lower`` is above ``upper``.
            LimitError: The weights are too large: their exponents (k - centre)^2 / (2 variance)
                are multiples of one number, of which the field allows 20000, so about 141
                integers on each side of the centre.

        Example:
            >>> DiscreteGaussian(2, centre=1).truncated(0, 1).items()
            ((0, Exact('1/(exp(1/4) + 1)')), (1, Exact('1/(1 + exp(-1/4))')))
        """
        places = read_range(lower, upper)
        squares = [(place - self.centre) ** 2 for place in places]
        # Weights relative to the largest one: a range far from the centre is no harder.
        least = min(squares)
        step = math.gcd(*(square - least for square in squares))
        if step:
            base = Exact.exp(-Fraction(step) / (2 * self.variance))
            refuse_large(len(places), (max(squares) - least) // step, base)
        return conditioned(
            (place, Exact.exp(-Fraction(square - least) / (2 * self.variance)))
            for place, square in zip(places, squares, strict=True)
        )

    def draw(self, random_bits: RandomBits) -> int:
        """Sample an integer.

        Guarantee: the integer's law is exactly this law if the bits are fair and independent.

        Args:
            random_bits: Source of bits.

        Source: Canonne, Kamath, Steinke (2020), Algorithm 3.
        """
        require_random_bits(random_bits)
        top, bottom = self.variance.numerator, self.variance.denominator
        scale = math.isqrt(top // bottom) + 1
        while True:
            found = two_sided(random_bits, lambda source: geometric_exp(source, 1, scale))
            # Accepted with chance exp(-(|k| - sigma^2 / t)^2 / (2 sigma^2)), t the scale.
            gap = abs(found) * scale * bottom - top
            if bernoulli_exp(random_bits, gap * gap, 2 * top * bottom * scale * scale):
                return self.centre + found

    def _exponent(self, distance: int) -> Fraction:
        return distance * distance / (2 * self.variance)

    def _normaliser(self, bits: int) -> tuple[int, int]:
        """Return integer bounds of 2^bits times the sum of the weights: twice one side, less 1."""
        low, high = side_sum(self.variance, 0, bits)
        return 2 * low - (1 << bits), 2 * high - (1 << bits)

    @staticmethod
    def _quotient(ends: Callable[[int], tuple[Fraction, Fraction]], bits: int) -> Enclosure:
        """Return bounds at a precision that is raised until they are as narrow as promised."""
        read_integer(bits, "bits", least=2)
        working = bits + _SPARE_BITS
        while True:
            low, high = ends(working)
            if low > 0 and (high - low) * 2**bits <= low:
                lower, _ = rational_ends(*low.as_integer_ratio(), bits + 2)
                _, upper = rational_ends(*high.as_integer_ratio(), bits + 2)
                return Enclosure(lower, upper)
            working *= 2


def _scaled(ends: tuple[int, int], bits: int) -> tuple[Fraction, Fraction]:
    return Fraction(ends[0], 1 << bits), Fraction(ends[1], 1 << bits)


@lru_cache(maxsize=64)
def side_sum(variance: Fraction, first: int, bits: int) -> tuple[int, int]:
    """Return integer bounds of 2^bits times the sum over k >= first of w(k) / w(first).

    Here w(k) = exp(-k^2 / (2 variance)). Terms follow from one another: the ratio of neighbours
    w(k + 1) / w(k) = exp(-(2k + 1) / (2 variance)) falls by exp(-1 / variance) a step. The terms
    left out fall at least as fast as a geometric series of the last ratio, whose sum is added to
    the upper bound.

    Guarantee: lower <= 2^bits * sum <= upper.

    Args:
        variance: A rational above 0.
        first: An integer >= 0.
        bits: An integer >= 0.

    Raises:
        LimitError: More than 10^6 terms would be summed, or too many bits of them.

    Example:
        >>> side_sum(Fraction(1), 0, 10)  # 1.75331... * 1024 = 1795.39...
        (1795, 1796)
    """
    terms = math.isqrt(math.ceil(2 * variance * bits)) + 1
    if terms > _MOST_TERMS:
        raise LimitError(
            f"more than {_MOST_TERMS} terms of a theta sum",
            found=f"variance {variance}",
            expected="use tail_upper, which needs no sum",
        )
    if terms * (bits + 300) ** 2 > _MOST_WORK:
        raise LimitError(
            "a theta sum would take too long",
            found=f"{terms} terms of {bits} bits",
            expected="ask for fewer bits, or use tail_upper, which needs no sum",
        )
    # Rounding errors add up over the terms and again over the ratios.
    extra = 2 * terms.bit_length() + _SPARE_BITS
    working = bits + extra
    one = 1 << working

    def rounded(exponent: Fraction) -> tuple[int, int]:
        low, high = Exact.exp(-exponent).dyadic_ends(working)
        return math.floor(low * one), math.ceil(high * one)

    low_ratio, high_ratio = rounded((2 * first + 1) / (2 * variance))
    low_fall, high_fall = rounded(1 / variance)
    low_term = high_term = low_sum = high_sum = one
    while True:
        low_term = low_term * low_ratio >> working
        high_term = -(-high_term * high_ratio >> working)
        # The terms from here on are at most high_term times 1, ratio, ratio^2, ...
        if high_term >> extra == 0 and high_ratio < one:
            rest = -(-high_term * one // (one - high_ratio))
            if rest >> extra == 0:
                high_sum += rest
                break
        low_sum += low_term
        high_sum += high_term
        low_ratio = low_ratio * low_fall >> working
        high_ratio = -(-high_ratio * high_fall >> working)
    return low_sum >> extra, -(-high_sum >> extra)
