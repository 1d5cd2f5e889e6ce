"""The Poisson law: exact probabilities and sampler, conditioned on a range, or its tail charged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from ..accounting.arguments import read_integer
from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact
from .integer_sampling import bernoulli, geometric_sampler, two_sided
from .law import FiniteLaw
from .law_parameters import conditioned, read_range, read_rational, refuse_large
from .randomness import RandomBits, require_random_bits

__all__ = ["ChargedLaw", "Poisson"]

_ZERO = Exact(0)
_ONE = Exact(1)

#: Largest rate: a draw multiplies about sqrt(rate) numbers of the size of the rate.
_MOST_RATE = 10**8
#: Most bits of one weight before it is reduced: a few seconds of products.
_MOST_BITS = 4_000_000
#: Most outcomes times squared bits of a weight: a few seconds of gcds.
_MOST_REDUCTIONS = 2_000_000_000_000


@final
@dataclass(frozen=True)
class ChargedLaw:
    """A finite law in place of one with infinite support, and what the replacement costs.

    Args:
        law: The finite law that is analysed.
        tail: Probability of the outcomes that it does not show as they are: what an account adds
            to delta, once per draw (see the method that made it for the condition).
    """

    law: FiniteLaw[int]
    tail: Exact


@final
@dataclass(frozen=True)
class Poisson:
    """The Poisson law: P(k) = exp(-rate) rate^k / k! on the integers k >= 0.

    Args:
        rate: The mean, a rational above 0 and at most 10^8.

    Raises:
        InputError: The rate is not a rational above 0.
        LimitError: It is above 10^8.

    Example:
        >>> law = Poisson("1/2")
        >>> law.probability(2), law.tail(1)
        (Exact('exp(-1/2)/8'), Exact('1 - exp(-1/2)'))
        >>> law.truncated(0, 2).items()
        ((0, Exact('8/13')), (1, Exact('4/13')), (2, Exact('1/13')))
    """

    rate: Fraction

    def __init__(self, rate: object) -> None:
        """Read the rate."""
        found = read_rational(rate, "rate")
        if found > _MOST_RATE:
            raise LimitError(f"a rate above {_MOST_RATE}", where="rate", found=str(found))
        object.__setattr__(self, "rate", found)

    @property
    def finite_counterpart(self) -> str:
        """What to call instead where every outcome is to be followed."""
        return (
            ".clamped(lower, upper), .truncated(lower, upper), "
            ".charged_clamped(upper) or .charged_truncated(upper)"
        )

    def probability(self, outcome: int) -> Exact:
        """Return the probability of an integer; 0 below 0.

        Guarantee: exact.

        Raises:
            LimitError: The number is too large to be built, or the rate is above 10^6.
        """
        if read_integer(outcome, "outcome") < 0:
            return _ZERO
        self._refuse_large(1, outcome, outcome)
        top, bottom = self.rate.as_integer_ratio()
        weight = Exact.of_rational(top**outcome, bottom**outcome * math.factorial(outcome))
        return Exact.exp(-self.rate) * weight

    def tail(self, count: int) -> Exact:
        """Return P(X >= count).

        Guarantee: exact.

        Args:
            count: An integer; 1 is returned where it is not above 0.

        Raises:
            LimitError: The number is too large to be built, or the rate is above 10^6.

        Example:
            >>> Poisson(1).tail(2)
            Exact('1 - 2*exp(-1)')
        """
        if read_integer(count, "count") <= 0:
            return _ONE
        self._refuse_large(1, count, count)
        _, bottom, total = _partial_sums(*self.rate.as_integer_ratio(), 0, count)
        return 1 - Exact.exp(-self.rate) * Exact.of_rational(total, bottom)

    def clamped(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X moved to the nearest end of [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, or ``lower`` is above ``upper``.
            LimitError: The weights are too large, or the rate is above 10^6.

        Example:
            >>> Poisson(1).clamped(0, 1).items()
            ((0, Exact('exp(-1)')), (1, Exact('1 - exp(-1)')))
        """
        places = read_range(lower, upper)
        self._refuse_large(len(places), upper, upper)
        if lower == upper:
            return FiniteLaw.point(lower)
        inner = [(place, self.probability(place)) for place in places[1:-1]]
        ends = (lower, 1 - self.tail(lower + 1)), (upper, self.tail(upper))
        return FiniteLaw.of_pairs([ends[0], *inner, ends[1]])

    def truncated(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X given that it lies in [lower, upper]; its weights are rational.

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, ``lower`` is above ``upper``, or ``upper`` is below 0.
            LimitError: The weights are too large.
        """
        places = read_range(lower, upper)
        if upper < 0:
            raise InputError(
                "the range has probability 0", where="upper", found=f"{upper}, below every outcome"
            )
        first = max(lower, 0)
        self._refuse_large(len(places), upper - first, upper)
        # Integers in proportion to rate^k / k!: each is the one above it times k / rate.
        weight = self.rate.numerator ** (upper - first)
        weights = [(upper, Exact(weight))]
        for place in range(upper, first, -1):
            weight = weight // self.rate.numerator * self.rate.denominator * place
            weights.append((place - 1, Exact(weight)))
        return conditioned(reversed(weights))

    def charged_clamped(self, upper: int) -> ChargedLaw:
        """Return the law clamped to [0, upper] with the tail P(X >= upper).

        The outcome ``upper`` stands for "upper or more", so it is charged too: charging only the
        outcomes above it would be too little (docs/proofs/named-laws.md has the example).

        Guarantee: where whoever sees the view can tell whether the outcome was ``upper`` (as where
            the count itself is released), delta of the mechanism with X is at most delta of the
            mechanism with the clamped law plus the tail, for every e^epsilon >= 0. The tail is of
            the first of the two worlds compared.

        Args:
            upper: An integer >= 0.

        Raises:
            InputError: ``upper`` is no such integer.
            LimitError: The weights are too large, or the rate is above 10^6.

        Example:
            >>> charged = Poisson(1).charged_clamped(3)
            >>> charged.law.weight(3) == charged.tail, charged.tail.decimal(5)
            (True, '0.080301')
        """
        return ChargedLaw(self.clamped(0, read_integer(upper, "upper", least=0)), self.tail(upper))

    def charged_truncated(self, upper: int) -> ChargedLaw:
        """Return the law given X <= upper with the tail P(X > upper).

        Guarantee: where the rate is the same in both worlds, delta of the mechanism with X is at
            most (1 - tail) * delta of the mechanism with the truncated law + tail, for every
            e^epsilon >= 0, whether or not the outcome is seen.

        Args:
            upper: An integer >= 0.

        Raises:
            InputError: ``upper`` is no such integer.
            LimitError: The weights are too large, or the rate is above 10^6.

        Example:
            >>> charged = Poisson(1).charged_truncated(3)
            >>> charged.law.weight(0), charged.tail.decimal(5)
            (Exact('3/8'), '0.018988')
        """
        return ChargedLaw(
            self.truncated(0, read_integer(upper, "upper", least=0)), self.tail(upper + 1)
        )

    def draw(self, random_bits: RandomBits) -> int:
        """Sample an integer >= 0.

        Guarantee: the integer's law is exactly this law if the bits are fair and independent.

        Args:
            random_bits: Source of bits.

        Source: the whole part of the rate by rejection from a two-sided geometric law (ours); the
            rest by thinning (Kingman 1993, Colouring Theorem).
        """
        require_random_bits(random_bits)
        whole, rest = divmod(self.rate.numerator, self.rate.denominator)
        count = _poisson_of_whole(whole).draw(random_bits) if whole else 0
        if rest:
            for _ in range(_poisson_of_whole(1).draw(random_bits)):
                count += bernoulli(random_bits, rest, self.rate.denominator)
        return count

    def _refuse_large(self, outcomes: int, factors: int, largest: int) -> None:
        """Refuse weights of too many factors rate / k with k up to ``largest``."""
        top, bottom = self.rate.as_integer_ratio()
        bits = top.bit_length() + bottom.bit_length() + max(largest, 1).bit_length()
        size = max(factors, 0) * bits
        if size > _MOST_BITS or (outcomes > 1 and outcomes * size**2 > _MOST_REDUCTIONS):
            raise LimitError(
                "the exact weights would be too large",
                found=f"{outcomes} outcome{'s' * (outcomes > 1)} with up to {max(factors, 0)} factors "
                f"of {bits} bits",
                expected="use a smaller range",
            )
        factor = Fraction(top, bottom * max(largest, 1))
        refuse_large(outcomes, max(factors, 0), Exact(factor))


def _partial_sums(top: int, bottom: int, first: int, end: int) -> tuple[int, int, int]:
    """Return (P, Q, T) of the sum of (top/bottom)^k / k! relative to k = first, by halving.

    P / Q is the weight at ``end`` and T / Q the sum of the weights of first, ..., end - 1, both
    divided by the weight at ``first``.
    """
    if end - first == 1:
        return top, bottom * end, bottom * end
    middle = (first + end) // 2
    left_top, left_bottom, left_sum = _partial_sums(top, bottom, first, middle)
    right_top, right_bottom, right_sum = _partial_sums(top, bottom, middle, end)
    return (
        left_top * right_top,
        left_bottom * right_bottom,
        left_sum * right_bottom + left_top * right_sum,
    )


@final
class _WholePoisson:
    """Draws the Poisson law of a whole rate n >= 1 by rejection from noise around its mode n.

    The noise d is two-sided geometric of ratio t / (t + 1), t near sqrt(n), and n + d is accepted
    with chance w(d) / (C ratio^|d|), where w(d) = P(n + d) / P(n) and C is the largest value of
    w(d) / ratio^|d|. On both sides that quotient rises while its factors are at least 1 and then
    falls, so C is one of two values, found exactly.
    """

    __slots__ = ("_bottom", "_noise", "_rate", "_scale", "_top")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._scale = math.isqrt(rate) + 1
        self._noise = geometric_sampler(Exact(Fraction(self._scale, self._scale + 1)))
        above = self._quotient(rate // self._scale)
        below = self._quotient(-min(rate, 1 + rate // (self._scale + 1)))
        # C as top / bottom.
        self._top, self._bottom = max(above, below, key=lambda pair: Fraction(*pair))

    def _quotient(self, noise: int) -> tuple[int, int]:
        """Return w(noise) / ratio^|noise| as a numerator and a denominator."""
        rate, scale, size = self._rate, self._scale, abs(noise)
        if noise >= 0:  # factors rate / (rate + i) * (scale + 1) / scale, i = 1, ..., size
            return (rate * (scale + 1)) ** size, scale**size * math.perm(rate + size, size)
        # factors (rate - i) / rate * (scale + 1) / scale, i = 0, ..., size - 1
        return math.perm(rate, size) * (scale + 1) ** size, (rate * scale) ** size

    def draw(self, random_bits: RandomBits) -> int:
        while True:
            noise = two_sided(random_bits, self._noise)
            if noise < -self._rate:
                continue
            numerator, denominator = self._quotient(noise)
            if bernoulli(random_bits, numerator * self._bottom, denominator * self._top):
                return self._rate + noise


@lru_cache(maxsize=64)
def _poisson_of_whole(rate: int) -> _WholePoisson:
    return _WholePoisson(rate)
