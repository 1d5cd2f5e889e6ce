"""Integers and rationals as text, and correctly rounded decimals and floats."""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from typing import Literal, get_args

from .arguments import described, read_integer
from .errors import InputError

__all__ = [
    "DIGIT_LIMIT",
    "NUMERAL_LIMIT",
    "Toward",
    "decimal_of_ends",
    "decimal_of_rational",
    "integer_of_text",
    "integer_text",
]

Toward = Literal["nearest", "down", "up"]
Ends = Callable[[int], tuple[Fraction, Fraction]]

#: Largest decimal exponent that is read, and most significant digits that are asked for.
DIGIT_LIMIT = 100_000
#: Longest numeral that is read: the largest power that is built, 2^(2^23), has fewer digits.
NUMERAL_LIMIT = 2_600_000

_PLAIN = 4000  # Python converts at most 4300 digits by itself
_WHOLE_BITS = 20_000
_FIRST_BITS = 96
_UNBOUNDED = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def integer_text(value: int) -> str:
    """Return an integer in decimal, however long it is.

    Example:
        >>> integer_text(-12), len(integer_text(10**5000))
        ('-12', 5001)
    """
    if value.bit_length() <= 3 * _PLAIN:
        return str(value)
    text = str(_decimal_of(abs(value), value.bit_length()))
    return "-" + text if value < 0 else text


def _decimal_of(value: int, bits: int) -> Decimal:
    """Convert by halves: Python's own conversion takes quadratic time."""
    if bits <= _WHOLE_BITS:
        return Decimal(value)
    low_bits = bits // 2
    high = _decimal_of(value >> low_bits, bits - low_bits)
    low = _decimal_of(value & ((1 << low_bits) - 1), low_bits)
    return _UNBOUNDED.add(_UNBOUNDED.multiply(high, _UNBOUNDED.power(2, low_bits)), low)


def integer_of_text(digits: str) -> int:
    """Return the integer written with ASCII digits, at most ``NUMERAL_LIMIT`` of them.

    Raises:
        InputError: The numeral is too long.

    Example:
        >>> integer_of_text("0012")
        12
    """
    if len(digits) > NUMERAL_LIMIT:
        raise InputError(
            f"a numeral of more than {NUMERAL_LIMIT} digits",
            found=f"{len(digits)} digits",
            expected="write a shorter number",
        )
    if len(digits) <= _PLAIN:
        return int(digits)
    from flint import fmpz

    return int(fmpz(digits))  # Python's own conversions take quadratic time


def _significant(numerator: int, denominator: int, digits: int, toward: Toward) -> tuple[int, int]:
    """Return (q, e): q has exactly ``digits`` digits and |value| rounds to q * 10^(e+1-digits).

    The numerator is positive; "down" and "up" refer to the absolute value here.
    """
    exponent = (numerator.bit_length() - denominator.bit_length()) * 30103 // 100000 - 1
    while True:
        shift = digits - 1 - exponent
        if shift >= 0:
            quotient, rest = divmod(numerator * 10**shift, denominator)
            divisor = denominator
        else:
            divisor = denominator * 10**-shift
            quotient, rest = divmod(numerator, divisor)
        if quotient < 10**digits:
            break
        exponent += 1
    if toward == "up":
        quotient += rest > 0
    elif toward == "nearest":
        double = 2 * rest
        quotient += double > divisor or (double == divisor and quotient % 2 == 1)
    if quotient == 10**digits:
        return quotient // 10, exponent + 1
    return quotient, exponent


def _rounded(value: tuple[int, int], digits: int, toward: Toward) -> tuple[int, int, int]:
    """Return (sign, q, e) of a rational rounded to ``digits`` significant digits."""
    numerator, denominator = value
    if numerator == 0:
        return 0, 0, 0
    sign = 1 if numerator > 0 else -1
    if sign < 0 and toward != "nearest":
        toward = "up" if toward == "down" else "down"
    quotient, exponent = _significant(abs(numerator), denominator, digits, toward)
    return sign, quotient, exponent


def _written(rounded: tuple[int, int, int], digits: int) -> str:
    """Write a rounded value: fixed from 1e-5 to 10^digits, scientific beyond."""
    sign, quotient, exponent = rounded
    if sign == 0:
        return "0.0"
    text = integer_text(quotient)
    if not -5 <= exponent < digits:
        mantissa = f"{text[0]}.{text[1:].rstrip('0') or '0'}"
        body = f"{mantissa}e{exponent}"
    elif exponent < 0:
        body = "0." + ("0" * (-exponent - 1) + text).rstrip("0")
    else:
        body = f"{text[: exponent + 1]}.{text[exponent + 1 :].rstrip('0') or '0'}"
    return "-" + body if sign < 0 else body


def _checked(digits: object, toward: object) -> int:
    if toward not in get_args(Toward):
        raise InputError(
            "not a direction of rounding",
            where="toward",
            found=described(toward),
            expected='write "nearest", "down" or "up"',
        )
    return read_integer(digits, "digits", least=1, most=DIGIT_LIMIT)


def decimal_of_rational(
    numerator: int, denominator: int, digits: int, toward: Toward = "nearest"
) -> str:
    """Return a rational in decimal, correctly rounded (ties to even).

    Guarantee: with ``toward`` "down" or "up" the text is at most, or at least, the value.

    Args:
        numerator: Any integer.
        denominator: A positive integer.
        digits: Significant digits, from 1 to ``DIGIT_LIMIT``; trailing zeros are dropped.
        toward: "nearest", "down" (towards minus infinity) or "up".

    Example:
        >>> decimal_of_rational(1, 3, 5), decimal_of_rational(1, 3, 5, "up")
        ('0.33333', '0.33334')
        >>> decimal_of_rational(1, 10**30, 15), decimal_of_rational(1, 1, 15)
        ('1.0e-30', '1.0')
    """
    count = _checked(digits, toward)
    return _written(_rounded((numerator, denominator), count, toward), count)


def decimal_of_ends(ends: Ends, digits: int, toward: Toward = "nearest") -> str:
    """Return an irrational number in decimal, correctly rounded, from ever narrower ends.

    Guarantee: as for :func:`decimal_of_rational`.

    Args:
        ends: Given a precision in bits, a lower and an upper bound that close in on a number which
            is irrational (a rational one could sit on a rounding border for ever).
        digits: Significant digits, from 1 to ``DIGIT_LIMIT``.
        toward: "nearest", "down" or "up".

    Example:
        >>> decimal_of_ends(lambda bits: (Fraction(14142, 10000), Fraction(14143, 10000)), 4)
        '1.414'
    """
    bits = _FIRST_BITS + 4 * _checked(digits, toward)
    while True:
        lower, upper = ends(bits)
        low = _rounded(lower.as_integer_ratio(), digits, toward)
        if low[0] != 0 and low == _rounded(upper.as_integer_ratio(), digits, toward):
            return _written(low, digits)
        bits *= 2
