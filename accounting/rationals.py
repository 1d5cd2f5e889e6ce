"""Rationals as pairs of integers: reading other types, hashing, bounds and floats."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

from .decimals import DIGIT_LIMIT
from .errors import InputError

__all__ = [
    "Ends",
    "common_exponent",
    "float_of_ends",
    "float_of_rational",
    "floor_of_ends",
    "fraction_of",
    "infinity_sign",
    "is_nan",
    "rational_ends",
    "rational_hash",
    "without_common_divisor",
]

Ends = Callable[[int], tuple[Fraction, Fraction]]

_FIRST_BITS = 96


def common_exponent(left: Fraction, right: Fraction) -> Fraction:
    """Return the largest rational of which both are whole multiples; 0 leaves the other.

    Example:
        >>> common_exponent(Fraction(1, 2), Fraction(1, 3)), common_exponent(Fraction(0), Fraction(2))
        (Fraction(1, 6), Fraction(2, 1))
    """
    return Fraction(
        math.gcd(left.numerator, right.numerator), math.lcm(left.denominator, right.denominator)
    )


_HASH = sys.hash_info
#: Beyond this many bits gcds and quotients are left to python-flint: Python's take quadratic time.
_LONG_BITS = 1 << 14


def without_common_divisor(first: int, second: int) -> tuple[int, int]:
    """Return two integers (not both 0) divided by their greatest common divisor.

    Example:
        >>> without_common_divisor(-4, 6)
        (-2, 3)
    """
    if min(first.bit_length(), second.bit_length()) > _LONG_BITS:
        from flint import fmpz

        long_first, long_second = fmpz(first), fmpz(second)
        shared = long_first.gcd(long_second)
        return int(long_first // shared), int(long_second // shared)
    divisor = math.gcd(first, second)
    return (first, second) if divisor == 1 else (first // divisor, second // divisor)


def infinity_sign(value: object) -> int:
    """Return 1 or -1 for a float or Decimal that is infinite, else 0.

    Example:
        >>> infinity_sign(-math.inf), infinity_sign(Decimal("Infinity")), infinity_sign(3)
        (-1, 1, 0)
    """
    if isinstance(value, float | Decimal) and (
        math.isinf(value) if isinstance(value, float) else value.is_infinite()
    ):
        return 1 if value > 0 else -1
    return 0


def is_nan(value: object) -> bool:
    """Return whether a value is a Decimal that is not a number; it equals nothing.

    Example:
        >>> is_nan(Decimal("sNaN")), is_nan(Decimal(1))
        (True, False)
    """
    return isinstance(value, Decimal) and value.is_nan()


def fraction_of(value: object) -> tuple[int, int] | None:
    """Return (numerator, denominator) of an exact rational of another type, else None.

    Args:
        value: An int, Fraction, Decimal, or anything registered as ``numbers.Rational``.

    Raises:
        InputError: A bool, or a Decimal that is not finite or too long.

    Example:
        >>> fraction_of(Decimal("0.25")), fraction_of("0.25")
        ((1, 4), None)
    """
    if isinstance(value, bool):
        raise InputError("a truth value is not a number", found=repr(value))
    if isinstance(value, int):
        return int(value), 1
    if isinstance(value, Rational):
        return int(value.numerator), int(value.denominator)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InputError("not a finite number", found=str(value))
        _, digits, exponent = value.as_tuple()
        if len(digits) > DIGIT_LIMIT or abs(int(exponent)) > DIGIT_LIMIT:
            raise InputError(
                f"a decimal of more than {DIGIT_LIMIT} digits", expected="write a shorter number"
            )
        return value.as_integer_ratio()
    return None


def rational_hash(numerator: int, denominator: int) -> int:
    """Return the hash that every Python number type gives to this rational.

    Example:
        >>> rational_hash(-3, 7) == hash(Fraction(-3, 7)), rational_hash(5, 1) == hash(5)
        (True, True)
    """
    if denominator == 1:
        return hash(numerator)
    try:
        inverse = pow(denominator, -1, _HASH.modulus)
    except ValueError:
        size = _HASH.inf
    else:
        size = hash(hash(abs(numerator)) * inverse)
    value = size if numerator >= 0 else -size
    return -2 if value == -1 else value


def _scaled(mantissa: int, exponent: int) -> Fraction:
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)


def rational_ends(numerator: int, denominator: int, bits: int) -> tuple[Fraction, Fraction]:
    """Return dyadic ends of at most about ``bits`` bits around a rational, rounded outward.

    Guarantee: lower <= numerator / denominator <= upper, and a dyadic rational that fits is met
    exactly.

    Example:
        >>> rational_ends(1, 3, 3), rational_ends(-3, 4, 2)
        ((Fraction(5, 16), Fraction(3, 8)), (Fraction(-3, 4), Fraction(-3, 4)))
    """
    if numerator == 0:
        return Fraction(0), Fraction(0)
    exponent = numerator.bit_length() - denominator.bit_length() - bits
    if exponent >= 0:
        lower, rest = divmod(numerator, denominator << exponent)
    else:
        lower, rest = divmod(numerator << -exponent, denominator)
    return _scaled(lower, exponent), _scaled(lower + (rest != 0), exponent)


def float_of_rational(numerator: int, denominator: int) -> float:
    """Return the float nearest to a rational; beyond the largest float it is infinite.

    Example:
        >>> float_of_rational(1, 3), float_of_rational(-10**400, 1)
        (0.3333333333333333, -inf)
    """
    try:
        return numerator / denominator  # correctly rounded for integers of any length
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def floor_of_ends(ends: Ends) -> int:
    """Return the largest integer below an irrational number, from ever narrower ends.

    Example:
        >>> floor_of_ends(lambda bits: (Fraction(-5, 3), Fraction(-4, 3)))
        -2
    """
    bits = _FIRST_BITS
    while True:
        lower, upper = ends(bits)
        floor = math.floor(lower)
        if floor == math.floor(upper):
            return floor
        bits *= 2


def float_of_ends(ends: Ends) -> float:
    """Return the float nearest to an irrational number, from ever narrower ends.

    Example:
        >>> float_of_ends(lambda bits: (Fraction(1, 3), Fraction(1, 3)))
        0.3333333333333333
    """
    bits = _FIRST_BITS
    while True:
        lower, upper = ends(bits)
        low = float_of_rational(*lower.as_integer_ratio())
        if low == float_of_rational(*upper.as_integer_ratio()):
            return low
        bits *= 2
