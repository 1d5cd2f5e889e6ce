"""Reading the parameters of named laws, and refusing finite laws that would be too large."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..accounting.arguments import read_integer
from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact, exact_number
from .law import FiniteLaw

__all__ = [
    "MOST_OUTCOMES",
    "conditioned",
    "read_modulus",
    "read_number",
    "read_range",
    "read_rational",
    "refuse_large",
    "relative_powers",
]

#: Most outcomes of a named finite law.
MOST_OUTCOMES = 100_000
#: Most bits of all its weights together, where they are rational.
_MOST_BITS = 1 << 27
#: Most outcomes times squared bits of a weight, where they are rational: a few seconds of gcds.
_MOST_REDUCTIONS = 2_000_000_000_000
#: Most bits of one number: a few seconds of products.
_MOST_BITS_OF_ONE = 1 << 23
#: Most coefficients of all its weights together, where they hold exp(...): again about ten
#: seconds, for powers of e (with coefficients 0 and 1) and for other numbers.
_MOST_UNIT_COEFFICIENTS = 6_000_000
_MOST_COEFFICIENTS = 1_000_000


def read_number(value: object, name: str) -> Exact:
    """Return an exact number, or refuse a value by the parameter's name.

    Example:
        >>> read_number("1/3", "ratio")
        Exact('1/3')
    """
    try:
        return exact_number(value)
    except InputError as error:
        raise error.located(name) from None


def read_rational(value: object, name: str) -> Fraction:
    """Return a rational number above 0.

    Raises:
        InputError: The value is not rational, or not above 0.

    Example:
        >>> read_rational("0.1", "scale")
        Fraction(1, 10)
    """
    number = read_number(value, name)
    if not number.is_rational:
        raise InputError(
            "not rational",
            where=name,
            found=str(number),
            expected='write a number such as "1/3"',
        )
    if number <= 0:
        raise InputError("not above 0", where=name, found=str(number))
    return number.as_fraction()


def read_range(lower: object, upper: object) -> range:
    """Return the integers from ``lower`` to ``upper``, both included.

    Raises:
        InputError: An end is no integer, or ``lower`` is above ``upper``.
        LimitError: There are more than 100000.

    Example:
        >>> read_range(-1, 2)
        range(-1, 3)
    """
    first, last = read_integer(lower, "lower"), read_integer(upper, "upper")
    if first > last:
        raise InputError("lower is above upper", found=f"{first} and {last}")
    if last - first >= MOST_OUTCOMES:
        raise LimitError(
            f"more than {MOST_OUTCOMES} outcomes", found=f"the integers from {first} to {last}"
        )
    return range(first, last + 1)


def read_modulus(modulus: object, start: object) -> range:
    """Return the residues ``start``, ..., ``start + modulus - 1``.

    Raises:
        InputError: ``modulus`` is no integer >= 1, or ``start`` no integer.
        LimitError: The modulus is above 100000.

    Example:
        >>> read_modulus(3, -1)
        range(-1, 2)
    """
    first = read_integer(start, "start")
    return read_range(first, first + read_integer(modulus, "modulus", least=1) - 1)


def refuse_large(outcomes: int, power: int, base: Exact) -> None:
    """Refuse a law whose weights would fill the memory, before the first is built.

    Args:
        outcomes: How many weights there are.
        power: The highest power of ``base`` in a weight.
        base: A number in (0, 1) of whose powers the weights are made.

    Raises:
        LimitError: The weights together are too large.

    Example:
        >>> refuse_large(100, 100, Exact("1/3"))
    """
    if base.is_rational:
        numerator, denominator = base.as_integer_ratio()
        bits = numerator.bit_length() + denominator.bit_length()
        too_large = power * bits > min(_MOST_BITS // outcomes, _MOST_BITS_OF_ONE) or (
            # Powers of 1/q are reduced at once.
            numerator > 1 and outcomes * (power * bits) ** 2 > _MOST_REDUCTIONS and outcomes > 1
        )
    else:
        pure = base.pure_exponent() is not None
        too_large = outcomes * power > (_MOST_UNIT_COEFFICIENTS if pure else _MOST_COEFFICIENTS)
    if too_large:
        raise LimitError(
            "the exact weights would be too large",
            found=f"{outcomes} outcome{'s' * (outcomes > 1)} with powers up to {power}",
            expected="use a smaller range",
        )


def conditioned(weights: Iterable[tuple[int, Exact]]) -> FiniteLaw[int]:
    """Return the law with probabilities proportional to positive weights.

    Guarantee: exact.

    Example:
        >>> conditioned([(0, Exact(1)), (1, Exact(3))]).items()
        ((0, Exact('1/4')), (1, Exact('3/4')))
    """
    listed = list(weights)
    total = sum((weight for _, weight in listed), start=Exact(0))
    return FiniteLaw.of_pairs((outcome, weight / total) for outcome, weight in listed)


def relative_powers(base: Exact, exponents: Sequence[int]) -> list[Exact]:
    """Return numbers in proportion to the powers of a base; integers if the base is rational.

    Args:
        base: A number above 0.
        exponents: Integers >= 0, at least one.

    Example:
        >>> relative_powers(Exact("2/3"), [0, 1, 2])
        [Exact('9'), Exact('6'), Exact('4')]
    """
    least, most = min(exponents), max(exponents)
    if not base.is_rational:
        return [base ** (exponent - least) for exponent in exponents]
    # Sums of integers need no common denominators.
    top, bottom = base.as_integer_ratio()
    return [Exact(top ** (e - least) * bottom ** (most - e)) for e in exponents]
