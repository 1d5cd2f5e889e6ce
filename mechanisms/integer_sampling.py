"""Exact coins and geometric numbers from fair bits: integers only, no step rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import final

from ..accounting.errors import LimitError
from ..accounting.numbers import Exact
from .randomness import RandomBits
from .values import describe

__all__ = [
    "GeometricDigits",
    "Threshold",
    "bernoulli",
    "bernoulli_exp",
    "bernoulli_power",
    "geometric_exp",
    "geometric_sampler",
    "two_sided",
    "uniform_below",
]

_FIRST_BITS = 64
_SPARE_BITS = 8
#: Most binary digits below the one that is drawn by trials: means up to about 2^4096.
_LONGEST = 4096


def uniform_below(random_bits: RandomBits, bound: int) -> int:
    """Return a uniform integer in [0, bound).

    Guarantee: exact. Fewer than two tries of ceil(log2 bound) bits are expected.

    Args:
        random_bits: Source of bits.
        bound: An integer >= 1.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> 0 <= uniform_below(SeededBits(1), 5) < 5
        True
    """
    width = (bound - 1).bit_length()
    value = random_bits.bits(width)
    while value >= bound:
        value = random_bits.bits(width)
    return value


def bernoulli(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
    """Return True with probability numerator / denominator.

    Guarantee: exact. At most two bits are expected, whatever the size of the numbers.

    Args:
        random_bits: Source of bits.
        numerator: An integer from 0 to ``denominator``.
        denominator: An integer >= 1.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> bernoulli(SeededBits(1), 3, 3), bernoulli(SeededBits(1), 0, 3)
        (True, False)
    """
    if numerator >= denominator:
        return True
    # A uniform real is compared with the fraction digit by digit: the first difference decides.
    while numerator:
        numerator <<= 1
        digit = numerator >= denominator
        if digit:
            numerator -= denominator
        if random_bits.bits(1) != digit:
            return digit
    return False


def bernoulli_exp(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
    """Return True with probability exp(-numerator / denominator).

    Guarantee: exact. The expected number of bits is bounded, whatever the size of the numbers.

    Args:
        random_bits: Source of bits.
        numerator: An integer >= 0.
        denominator: An integer >= 1.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> bernoulli_exp(SeededBits(1), 0, 1)
        True

    Source: Canonne, Kamath, Steinke (2020), Algorithm 1.
    """
    whole, rest = divmod(numerator, denominator)
    for _ in range(whole):
        if not _bernoulli_exp_below_one(random_bits, 1, 1):
            return False
    return _bernoulli_exp_below_one(random_bits, rest, denominator)


def _bernoulli_exp_below_one(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
    """Do the same for an exponent in [0, 1]."""
    trials = 1
    while bernoulli(random_bits, numerator, denominator * trials):
        trials += 1
    return trials % 2 == 1


def geometric_exp(random_bits: RandomBits, numerator: int, denominator: int) -> int:
    """Return k >= 0 with probability (1 - r) r^k, where r = exp(-numerator / denominator).

    Guarantee: exact. Expected bits: at most a constant plus twice log2(denominator) per try, and
    fewer than two tries.

    Args:
        random_bits: Source of bits.
        numerator: An integer >= 1.
        denominator: An integer >= 1.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> geometric_exp(SeededBits(1), 10**6, 1)
        0

    Source: Canonne, Kamath, Steinke (2020), Algorithm 2 without the sign.
    """
    while True:
        low = uniform_below(random_bits, denominator)
        if _bernoulli_exp_below_one(random_bits, low, denominator):
            break
    high = 0
    while _bernoulli_exp_below_one(random_bits, 1, 1):
        high += 1
    return (low + denominator * high) // numerator


def two_sided(random_bits: RandomBits, magnitude: Callable[[RandomBits], int]) -> int:
    """Return an integer k with probability proportional to that of |k| as a magnitude.

    Guarantee: exact. At most two tries are expected.

    Args:
        random_bits: Source of bits.
        magnitude: Draws an integer >= 0.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> two_sided(SeededBits(1), lambda random_bits: 0)
        0
    """
    while True:
        negative = random_bits.bits(1)
        size = magnitude(random_bits)
        # Zero has two signs; one of them is refused, else it would come up twice as often.
        if size or not negative:
            return -size if negative else size


@final
class Threshold:
    """A coin whose chance p is a real number, known by bounds as narrow as asked for.

    Args:
        ends: Given a number of bits, integers lower <= 2^bits p <= upper whose distance from
            2^bits p vanishes relative to 2^bits.

    Example:
        >>> third = Threshold(lambda bits: (2**bits // 3, 2**bits // 3 + 1))
        >>> from powercert.mechanisms import SeededBits
        >>> random_bits = SeededBits(1)
        >>> sum(third.flip(random_bits) for _ in range(3000)) // 100
        9
    """

    __slots__ = ("_ends", "_first")

    def __init__(self, ends: Callable[[int], tuple[int, int]]) -> None:
        """Keep the bounds at the first precision: almost every flip needs no other."""
        self._ends = ends
        self._first = ends(_FIRST_BITS)

    def flip(self, random_bits: RandomBits) -> bool:
        """Return True with probability p.

        Guarantee: exact; about two bits are expected. A uniform real is revealed bit by bit until
        the bounds prove on which side of p it lies.
        """
        bits = _FIRST_BITS
        lower, upper = self._first
        value = used = 0
        while True:
            value = value << 1 | random_bits.bits(1)
            used += 1
            if used > bits:
                bits *= 2
                lower, upper = self._ends(bits)
            if value < lower >> (bits - used):
                return True
            if value >= -(-upper >> (bits - used)):
                return False


@final
class GeometricDigits:
    """Geometric numbers of any ratio: their binary digits are independent.

    With r^k = product of r^(2^j) over the binary digits j of k, the weights (1 - r) r^k are a
    product over digits: digit j is 1 with probability r^(2^j) / (1 + r^(2^j)), and the part above
    digit m is geometric with ratio r^(2^m). Here r^(2^m) is about a half, so a ratio near 1 costs
    only its logarithm.

    Args:
        ratio: The ratio r in (0, 1).

    Raises:
        LimitError: The mean is above 2^4096 or so.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> random_bits = SeededBits(3)
        >>> digits = GeometricDigits(Exact("999/1000"))
        >>> sum(digits.draw(random_bits) for _ in range(1000)) // 1000 in range(850, 1150)
        True
    """

    __slots__ = ("_count", "_digits", "_more", "_powers", "_ratio")

    def __init__(self, ratio: Exact) -> None:
        """Choose the number of digits; any number would give the same law."""
        self._ratio = ratio
        self._powers: dict[int, tuple[tuple[int, int], ...]] = {}
        self._count = _number_of_digits(ratio)
        self._digits = [Threshold(self._digit_ends(j)) for j in reversed(range(self._count))]
        self._more = Threshold(lambda bits: self._power(self._count, bits))

    def draw(self, random_bits: RandomBits) -> int:
        """Return k >= 0 with probability (1 - r) r^k.

        Guarantee: exact. Expected bits: about 2 per digit, and a constant.
        """
        value = 0
        while self._more.flip(random_bits):
            value += 1
        for digit in self._digits:
            value = value << 1 | digit.flip(random_bits)
        return value

    def _power(self, index: int, bits: int) -> tuple[int, int]:
        """Return integer bounds of 2^bits r^(2^index)."""
        powers = self._powers.get(bits)
        if powers is None:
            # Stored whole: another thread sees all of it or nothing.
            powers = self._powers[bits] = _squarings(self._ratio, self._count, bits)
        return powers[index]

    def _digit_ends(self, index: int) -> Callable[[int], tuple[int, int]]:
        """Return the bounds of x / (1 + x) for x = r^(2^index); it grows with x."""

        def ends(bits: int) -> tuple[int, int]:
            working = bits + _SPARE_BITS
            lower, upper = self._power(index, working)
            one = 1 << working
            return (lower << bits) // (one + lower), -((-upper << bits) // (one + upper))

        return ends


def _squarings(ratio: Exact, count: int, bits: int) -> tuple[tuple[int, int], ...]:
    """Return integer bounds of 2^bits r^(2^j) for j = 0, ..., count."""
    # Each squaring at most doubles the distance of the bounds, so one bit more is kept for it.
    extra = count + _SPARE_BITS
    working = bits + extra
    low_end, high_end = ratio.dyadic_ends(working)
    low, high = math.floor(low_end * 2**working), math.ceil(high_end * 2**working)
    powers = [(low >> extra, -(-high >> extra))]
    for _ in range(count):
        low, high = low * low >> working, -(-high * high >> working)
        powers.append((low >> extra, -(-high >> extra)))
    return tuple(powers)


def _number_of_digits(ratio: Exact) -> int:
    """Return the least m with r^(2^m) below a half, or about that: only the speed depends on it."""
    half = 1 << (_FIRST_BITS - 1)
    count = 1
    while True:
        powers = _squarings(ratio, count, _FIRST_BITS)
        if powers[-1][0] < half:
            return next(index for index, (low, _) in enumerate(powers) if low < half)
        if count >= _LONGEST:
            raise LimitError("the ratio of a geometric law is too near 1", found=describe(ratio))
        count *= 2


@lru_cache(maxsize=256)
def geometric_sampler(ratio: Exact) -> Callable[[RandomBits], int]:
    """Return a function that draws k >= 0 with probability (1 - r) r^k.

    Guarantee: exact, for every ratio.

    Args:
        ratio: The ratio r in (0, 1): exp(-p/q) is drawn by ``geometric_exp``, any other number
            digit by digit.

    Raises:
        LimitError: The ratio is too near 1 (and not of the form exp(-p/q)).

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> geometric_sampler(Exact("1/10") ** 100)(SeededBits(1))
        0
    """
    exponent = ratio.pure_exponent()
    if exponent is None:
        return GeometricDigits(ratio).draw
    rate: Fraction = -exponent
    numerator, denominator = rate.numerator, rate.denominator
    return lambda random_bits: geometric_exp(random_bits, numerator, denominator)


def bernoulli_power(random_bits: RandomBits, base: Exact, exponent: Fraction) -> bool:
    """Return True with probability base^exponent, without building that number.

    Guarantee: exact, for every size of the exponent and also where the power is outside the field.

    Args:
        random_bits: Source of bits.
        base: A number in (0, 1].
        exponent: A rational >= 0.

    Raises:
        LimitError: The base is too near 1 (and not of the form exp(-p/q)).

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> bernoulli_power(SeededBits(1), Exact("1/2"), Fraction(10**9 + 1, 2))
        False
    """
    rate = base.pure_exponent()
    if rate is not None:
        product = -rate * exponent
        return bernoulli_exp(random_bits, product.numerator, product.denominator)
    whole, rest = divmod(exponent, 1)
    # A geometric number is at least n with probability base^n.
    if whole and geometric_sampler(base)(random_bits) < whole:
        return False
    return not rest or _root(base, rest).flip(random_bits)


@lru_cache(maxsize=256)
def _root(base: Exact, exponent: Fraction) -> Threshold:
    """Return a coin of chance base^exponent for an exponent in (0, 1)."""
    power = base.log() * exponent

    def ends(bits: int) -> tuple[int, int]:
        low, high = power.dyadic_ends(bits + _SPARE_BITS)
        lower, _ = Exact.exp(low).dyadic_ends(bits + _SPARE_BITS)
        _, upper = Exact.exp(high).dyadic_ends(bits + _SPARE_BITS)
        return math.floor(lower * 2**bits), math.ceil(upper * 2**bits)

    return Threshold(ends)
