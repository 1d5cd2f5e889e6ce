"""Exact numbers: the field Q(e^(1/N)), logarithms, enclosures, and reading them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .enclosure import Enclosure, End
from .errors import InputError
from .field import Exact
from .logarithm import LogExact
from .parsing import parse_number
from .rationals import fraction_of

__all__ = ["Enclosure", "End", "Exact", "LogExact", "exact", "exact_number"]

_NO_SYMBOLS: Mapping[str, Exact] = {}


def exact(value: object, *, symbols: Mapping[str, Exact] | None = None) -> Exact | LogExact:
    """Return the exact number that a value is, or that a text writes.

    Args:
        value: An int, Fraction, Decimal (by its digits), Exact, LogExact, or text: "1/3", "0.1"
            (that is 1/10), "1e-6", "exp(1/2)", "(3 - exp(1))/4", "ln(3)".
        symbols: Names that text may use, with their values.

    Raises:
        InputError: The value is no exact number: a float, a bool, nan, an infinity, wrong text.
        LimitError: The number is too large to be built.

    Example:
        >>> exact("0.1"), exact("(3 - exp(1))/4").decimal(8), exact("ln(3)").exp()
        (Exact('1/10'), '0.070429543', Exact('3'))
    """
    if isinstance(value, Exact | LogExact):
        return value
    if isinstance(value, str):
        return parse_number(value, _NO_SYMBOLS if symbols is None else symbols)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(
                "not a finite number", found=repr(value), expected='write a number such as "1/3"'
            )
        raise InputError(
            "a binary float is not exact",
            found=repr(value),
            expected='write text such as "0.1" or "1/3", or ask for Exact.from_float',
        )
    parts = fraction_of(value)
    if parts is None:
        raise InputError(
            "not a number",
            found=f"{value!r} of type {type(value).__name__}"[:200],
            expected='write an integer or text such as "1/3"',
        )
    return Exact.of_rational(*parts)


def exact_number(value: object, *, symbols: Mapping[str, Exact] | None = None) -> Exact:
    """Return the same as :func:`exact`, but refuse a logarithm.

    Args:
        value: As for :func:`exact`.
        symbols: As for :func:`exact`.

    Raises:
        InputError: The value is no exact number, or a logarithm.
        LimitError: The number is too large to be built.

    Example:
        >>> exact_number("1/(1+z) + z/(1+z)", symbols={"z": Exact("exp(-1/3)")})
        Exact('1')
    """
    number = exact(value, symbols=symbols)
    if isinstance(number, LogExact):
        raise InputError(
            "a logarithm is not a probability",
            found=str(number),
            expected='write a number such as "1/3" or "exp(1/2)"',
        )
    return number
