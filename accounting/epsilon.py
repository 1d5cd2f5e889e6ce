"""Reading epsilon: as itself, as a logarithm, or as e^epsilon."""

from __future__ import annotations

import math

from .errors import InputError
from .numbers import Exact, LogExact, exact, exact_number

__all__ = ["read_exp_epsilon", "read_probability"]


def read_exp_epsilon(
    *, epsilon: object = None, exp_epsilon: object = None, least: int = 0
) -> Exact | None:
    """Return e^epsilon from exactly one of two forms; None stands for infinity.

    Args:
        epsilon: A rational ("1", "1/10"), a logarithm ("ln(3)"), "inf" or math.inf.
        exp_epsilon: A number of at least ``least``, "inf" or math.inf.
        least: The least e^epsilon allowed: 1 where epsilon >= 0 is needed, else 0.

    Raises:
        InputError: None or both are given, or the value is outside its domain.

    Example:
        >>> read_exp_epsilon(epsilon="ln(3)")
        Exact('3')
    """
    if (epsilon is None) == (exp_epsilon is None):
        raise InputError(
            "exactly one of epsilon and exp_epsilon is needed",
            found="none"
            if epsilon is None
            else f"epsilon = {epsilon}, exp_epsilon = {exp_epsilon}",
            expected='write epsilon="ln(3)" or exp_epsilon="3"',
        )
    name, given = ("epsilon", epsilon) if exp_epsilon is None else ("exp_epsilon", exp_epsilon)
    if _is_infinite(given):
        return None
    value = _exponential(given) if exp_epsilon is None else exact_number(given)
    if value < least:
        raise InputError(
            f"{name} is negative" if name == "epsilon" else f"{name} is below {least}",
            where=name,
            found=str(given),
            expected=f"write exp_epsilon >= {least}" + (", that is epsilon >= 0" if least else ""),
        )
    return value


def _is_infinite(value: object) -> bool:
    if isinstance(value, str):
        return value.strip() in ("inf", "infinity")
    return isinstance(value, float) and value == math.inf


def _exponential(epsilon: object) -> Exact:
    number = exact(epsilon)
    if isinstance(number, LogExact):
        return number.exp()
    if not number.is_rational:
        raise InputError(
            "epsilon is neither rational nor a logarithm, so e^epsilon is outside the field",
            where="epsilon",
            found=str(number),
            expected='write a rational such as "1/10" or a logarithm such as "ln(3)"',
        )
    return Exact.exp(number.as_fraction())


def read_probability(value: object, name: str) -> Exact:
    """Return a number in [0, 1], or raise an InputError that names it.

    Example:
        >>> read_probability("1/3", "delta")
        Exact('1/3')
    """
    try:
        number = exact_number(value)
    except InputError as error:
        raise error.located(name) from None
    if number < 0 or number > 1:
        raise InputError(
            "not a probability", where=name, found=str(number), expected="write a number in [0, 1]"
        )
    return number
