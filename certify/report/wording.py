"""Exact numbers in words: the exact text with a decimal beside it."""

from __future__ import annotations

import math
from typing import Final, Literal

from ...accounting.numbers import Enclosure, Exact, LogExact, exact

__all__ = [
    "decimal_of",
    "epsilon_of",
    "epsilon_words",
    "exact_of",
    "interval_words",
    "is_infinite",
    "number_words",
    "place_words",
]

Number = Exact | LogExact | float
Toward = Literal["nearest", "down", "up"]

DIGITS: Final = 12
_LONGEST_EXACT: Final = 72


def is_infinite(value: Number) -> bool:
    """Whether the value is the infinite end of a bound, the only float that may come here.

    Example:
        >>> is_infinite(math.inf), is_infinite(exact("1/3"))
        (True, False)
    """
    return isinstance(value, float) and math.isinf(value)


def exact_of(value: Number) -> str:
    """Return the whole exact text; infinity is "inf".

    Example:
        >>> exact_of(exact("0.25")), exact_of(math.inf)
        ('1/4', 'inf')
    """
    if isinstance(value, Exact | LogExact):
        return str(value)
    return "-inf" if value < 0 else "inf"


def decimal_of(value: Number, toward: Toward = "nearest") -> str:
    """Return a decimal of 12 significant digits, correctly rounded, with a point.

    Example:
        >>> decimal_of(exact("23/90")), decimal_of(exact(1)), decimal_of(math.inf)
        ('0.255555555556', '1.0', 'inf')
    """
    if not isinstance(value, Exact | LogExact):
        return exact_of(value)
    text = _without_zeros(value.decimal(DIGITS, toward))
    return text if "." in text or "e" in text.lower() else text + ".0"


def _without_zeros(text: str) -> str:
    """Drop zeros at the end of the fraction, which say nothing."""
    mantissa, mark, exponent = text.lower().partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + mark + exponent


def number_words(value: Number, toward: Toward = "nearest") -> str:
    """Return the exact number with its decimal in brackets; a long exact text is left out.

    Example:
        >>> number_words(exact("991/10000")), number_words(exact("1/12")), number_words(exact(2))
        ('991/10000 (0.0991)', '1/12 (about 0.0833333333333)', '2')
    """
    text = exact_of(value)
    if not isinstance(value, Exact | LogExact):
        return text
    decimal = decimal_of(value, toward)
    if decimal.removesuffix(".0") == text:
        return text
    is_same = isinstance(value, Exact) and exact(decimal) == value
    if len(text) > _LONGEST_EXACT:
        return f"about {decimal} (--format json has all {len(text)} characters)"
    return f"{text} ({decimal})" if is_same else f"{text} (about {decimal})"


def place_words(value: Number) -> str:
    """Return a number that says where on an axis something is: a short rational stays alone.

    Example:
        >>> place_words(exact("1/3")), place_words(exact("exp(1/2)"))
        ('1/3', 'exp(1/2) (about 1.6487212707)')
    """
    if isinstance(value, Exact) and value.is_rational and len(exact_of(value)) <= _LONGEST_EXACT:
        return exact_of(value)
    return number_words(value)


def interval_words(bounds: Enclosure) -> str:
    """Return an exact value, or the interval that certainly holds it.

    Example:
        >>> interval_words(Enclosure.point(exact("1/2")))
        '1/2 (0.5)'
        >>> interval_words(Enclosure(exact("1/4"), exact("1/3")))
        'between 1/4 (0.25) and 1/3 (about 0.333333333334)'
    """
    if bounds.is_exact:
        return number_words(bounds.lower)
    return f"between {_end_words(bounds.lower, 'down')} and {_end_words(bounds.upper, 'up')}"


def _end_words(value: Number, toward: Toward) -> str:
    """Return one end of an interval; of a long text only the decimal, rounded outward."""
    if len(exact_of(value)) > _LONGEST_EXACT:
        return decimal_of(value, toward)
    return number_words(value, toward)


def epsilon_of(exp_epsilon: Number) -> Number:
    """Return epsilon for an e^epsilon, rational where e^epsilon is exp(rational).

    Example:
        >>> epsilon_of(exact("23/10")), epsilon_of(exact("exp(1/10)")), epsilon_of(exact(1))
        (LogExact('ln(23/10)'), Exact('1/10'), Exact('0'))
    """
    if isinstance(exp_epsilon, Exact):
        return exp_epsilon.log().simplified()
    return exp_epsilon


def epsilon_words(exp_epsilon: Enclosure) -> str:
    """Return epsilon in words for an enclosure of e^epsilon.

    Example:
        >>> epsilon_words(Enclosure.point(exact("23/10")))
        'epsilon = ln(23/10) (about 0.832909122935)'
        >>> epsilon_words(Enclosure.point(math.inf))
        'no finite epsilon'
    """
    lower, upper = epsilon_of(exp_epsilon.lower), epsilon_of(exp_epsilon.upper)
    if is_infinite(lower):
        return "no finite epsilon"
    if exp_epsilon.is_exact:
        return f"epsilon = {number_words(lower)}"
    if is_infinite(upper):
        return f"epsilon is at least {_end_words(lower, 'down')}, perhaps infinite"
    return f"epsilon is between {_end_words(lower, 'down')} and {_end_words(upper, 'up')}"
