"""Exact numbers: the field Q(e^(1/N)), logarithms, enclosures, and reading them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from .arguments import described, read_type
from .enclosure import Enclosure, End
from .errors import InputError, PowercertError
from .field import Exact
from .logarithm import LogExact
from .parsing import parse_number
from .rationals import fraction_of

__all__ = ["Enclosure", "End", "Exact", "LogExact", "exact", "exact_number"]


def exact(value: object, *, symbols: Mapping[str, object] | None = None) -> Exact | LogExact:
    """Return the exact number that a value is, or that a text writes.

    Args:
        value: An int, Fraction, Decimal (by its digits), Exact, LogExact, or text: "1/3", "0.1"
            (that is 1/10), "1e-6", "exp(1/2)", "(3 - exp(1))/4", "ln(3)".
        symbols: Names that text may use, with their values, read like ``value`` (without names).

    Raises:
        InputError: The value is no exact number: a float, a bool, nan, an infinity, wrong text;
            or the value of a symbol is none, and then the message names the symbol.
        LimitError: The number is too large to be built.

    Example:
        >>> exact("0.1"), exact("(3 - exp(1))/4").decimal(8), exact("ln(3)").exp()
        (Exact('1/10'), '0.070429543', Exact('3'))
    """
    if isinstance(value, Exact | LogExact):
        return value
    if isinstance(value, str):
        return parse_number(value, {} if symbols is None else _read_symbols(symbols))
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
            found=described(value),
            expected='write an integer or text such as "1/3"',
        )
    return Exact.of_rational(*parts)


def _read_symbols(symbols: object) -> Mapping[str, Exact | LogExact]:
    """Return the values of symbols as exact numbers, or refuse one by its name."""
    if not isinstance(symbols, Mapping):
        raise InputError(
            "not a mapping",
            where="symbols",
            found=described(symbols),
            expected='write {"z": "1/2"}',
        )
    given = cast("Mapping[object, object]", symbols)
    values: dict[str, Exact | LogExact] = {}
    for name, value in given.items():
        key = read_type(name, str, "name of a symbol", 'write {"z": "1/2"}')
        try:
            values[key] = exact(value)
        except PowercertError as error:
            raise error.located(f"symbol {key}") from None
    return values


def exact_number(value: object, *, symbols: Mapping[str, object] | None = None) -> Exact:
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
