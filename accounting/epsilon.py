"""Reading epsilon: as itself, as a logarithm, or as e^epsilon."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .errors import InputError, LimitError, PowercertError
from .numbers import Exact, LogExact, exact, exact_number

__all__ = ["Exponent", "read_exp_epsilon", "read_gamma", "read_probability"]

_EXPONENTIAL = re.compile(r"\s*exp\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True)
class Exponent:
    """An epsilon whose e^epsilon cannot be built: too large, or a root outside the field.

    Args:
        epsilon: A rational or a logarithm.
        reason: Why it cannot be built; for whoever needs more than a comparison.

    Example:
        >>> huge = read_gamma(epsilon=2_000_000)
        >>> isinstance(huge, Exponent) and huge.reaches(Exact(3))
        True
    """

    epsilon: Exact | LogExact
    reason: PowercertError

    def reaches(self, bound: Exact) -> bool:
        """Return whether e^epsilon >= bound, exactly."""
        return bound <= 0 or bound.log() <= self.epsilon


def read_gamma(*, epsilon: object = None, exp_epsilon: object = None) -> Exact | Exponent | None:
    """Return e^epsilon, what is known of it where it cannot be built, or None for infinity.

    Args:
        epsilon: As for :func:`read_exp_epsilon`.
        exp_epsilon: As for :func:`read_exp_epsilon`.

    Raises:
        InputError: None or both are given, or the value is outside its domain.

    Example:
        >>> read_gamma(exp_epsilon="3")
        Exact('3')
    """
    try:
        return read_exp_epsilon(epsilon=epsilon, exp_epsilon=exp_epsilon)
    except PowercertError as error:
        exponent = _exponent_of(epsilon, exp_epsilon)
        if exponent is None:
            raise
        return Exponent(exponent, error)


def _exponent_of(epsilon: object, exp_epsilon: object) -> Exact | LogExact | None:
    """Return epsilon where it is a number of which only the exponential is out of reach."""
    given = epsilon
    if exp_epsilon is not None:
        text = _EXPONENTIAL.fullmatch(exp_epsilon) if isinstance(exp_epsilon, str) else None
        if epsilon is not None or text is None:
            return None
        given = text.group(1)
    try:
        number = exact(given)
    except PowercertError:
        return None
    if isinstance(number, LogExact):
        return number if exp_epsilon is None else None
    return number if number.is_rational else None


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
    value = _exponential(given) if exp_epsilon is None else _number(given)
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


def _number(exp_epsilon: object) -> Exact:
    number = exact(exp_epsilon)
    if isinstance(number, Exact):
        return number
    expected = f'write epsilon = "{number}"'
    try:
        expected += f', which is exp_epsilon = "{number.exp()}"'
    except (InputError, LimitError):
        # A root outside the field: only the first form is left.
        pass
    raise InputError(
        "e^epsilon must be a number, not a logarithm",
        where="exp_epsilon",
        found=str(exp_epsilon),
        expected=expected,
    )


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
