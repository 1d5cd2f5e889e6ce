"""Enclosure: a number known to lie between two exact ends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from .arguments import read_integer, read_items, read_tuple
from .decimals import Toward
from .errors import InputError, UndecidedError
from .field import Exact
from .logarithm import LogExact
from .rationals import float_of_rational

__all__ = ["Enclosure", "End"]

End: TypeAlias = Exact | LogExact | float

_MIDPOINT_BITS = 128


def _end(value: object, direction: int) -> End:
    """Read an end, and make its float() round outward."""
    if isinstance(value, float) and math.isinf(value):
        return value
    from .numbers import exact

    return exact(value).directed(direction)


def _finite(end: End) -> Exact | LogExact | None:
    return end if isinstance(end, Exact | LogExact) else None


def _factors(item: object, where: str) -> tuple[Exact, Exact]:
    left, right = read_tuple(item, where, "write (a, b), two exact numbers")
    try:
        return Exact(left), Exact(right)
    except InputError as error:
        raise error.located(where) from None


def _joins_logarithms(end: Exact | LogExact) -> bool:
    """Return whether the end can be added to a logarithm."""
    return isinstance(end, LogExact) or end.is_rational


def _end_decimal(end: End, digits: int, toward: Toward) -> str:
    number = _finite(end)
    return str(end) if number is None else number.decimal(digits, toward)


@dataclass(frozen=True, eq=False, repr=False)
class Enclosure:
    """A number known to lie in [lower, upper].

    ``float(e.lower)`` is at most the lower end and ``float(e.upper)`` at least the upper end;
    ``str`` of an end is exact. Ordering asks about the number inside: an answer that the ends do
    not force raises ``UndecidedError``. ``==`` between two enclosures compares the ends; between an
    enclosure and a number it asks about the number inside.

    Args:
        lower: An exact number, a logarithm, what ``exact`` reads, or -inf or inf.
        upper: The same, at least ``lower``.

    Raises:
        InputError: ``lower`` is above ``upper``, or an end is no number.

    Example:
        >>> e = Enclosure("1/3", "1/2")
        >>> e.contains("2/5"), e < 1, e.width, e.midpoint()
        (True, True, Exact('1/6'), 0.4166666666666667)
        >>> e > "2/5"  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        UndecidedError: [1/3, 1/2] does not decide whether its number is > 2/5
    """

    lower: End
    upper: End

    def __init__(self, lower: object, upper: object) -> None:
        """Read both ends."""
        low, high = _end(lower, -1), _end(upper, 1)
        if low > high:
            raise InputError(
                "the lower end of an enclosure is above its upper end", found=f"[{low}, {high}]"
            )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)

    @classmethod
    def point(cls, value: object) -> Enclosure:
        """Return the enclosure of a number that is known exactly.

        Example:
            >>> Enclosure.point("ln(3)").is_exact
            True
        """
        return cls(value, value)

    @classmethod
    def of_sum_of_products(cls, pairs: Iterable[tuple[Exact, Exact]], bits: int = 128) -> Enclosure:
        """Return bounds on the sum of a * b over pairs, without forming the sum exactly.

        Guarantee: lower <= sum <= upper. Exponents need no common generator, so this works where
        exact arithmetic would need an unreasonable degree.

        Args:
            pairs: The factors (a, b).
            bits: Precision of every factor, at least 2.

        Raises:
            InputError: An item is no couple of exact numbers, or ``bits`` is no such integer.

        Example:
            >>> tiny = Exact.exp("1/1000003")
            >>> e = Enclosure.of_sum_of_products([(Exact.exp(1), tiny), (Exact(-1), tiny)])
            >>> e.decimal(10)
            '[1.718283546, 1.718283547]'
        """
        read_integer(bits, "bits", least=2)
        lower = upper = Fraction(0)
        for index, item in enumerate(read_items(pairs, "pairs", "write [(a, b)]")):
            left, right = _factors(item, f"pairs[{index}]")
            corners = [a * b for a in left.dyadic_ends(bits) for b in right.dyadic_ends(bits)]
            lower += min(corners)
            upper += max(corners)
        return cls(lower, upper)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the same number."""
        return self.lower == self.upper

    @property
    def width(self) -> End:
        """The distance of the ends; inf if one of them is infinite.

        Where the ends are of kinds that do not subtract exactly, a dyadic number that is at least
        the distance.
        """
        if self.lower == self.upper:
            return Exact(0)
        lower, upper = _finite(self.lower), _finite(self.upper)
        if lower is None or upper is None:
            return math.inf
        if isinstance(lower, Exact) and isinstance(upper, Exact):
            return upper - lower
        if _joins_logarithms(lower) and _joins_logarithms(upper):
            return upper - lower
        return Exact(upper.dyadic_ends(_MIDPOINT_BITS)[1] - lower.dyadic_ends(_MIDPOINT_BITS)[0])

    def midpoint(self) -> float:
        """Return a float near the middle (not a bound); inf if an end is infinite.

        Raises:
            InputError: The enclosure is unbounded on both sides.
        """
        lower, upper = _finite(self.lower), _finite(self.upper)
        if lower is not None and upper is not None:
            ends = lower.dyadic_ends(_MIDPOINT_BITS) + upper.dyadic_ends(_MIDPOINT_BITS)
            return float_of_rational(*Fraction(sum(ends), 4).as_integer_ratio())
        if self.lower == -math.inf and self.upper == math.inf:
            raise InputError("no middle of an enclosure without ends", found=str(self))
        return float(self.upper if upper is None else self.lower)

    def contains(self, value: object) -> bool:
        """Return whether a number (or infinity) lies in [lower, upper]."""
        number = _end(value, 0)
        return self.lower <= number <= self.upper

    def decimal(self, digits: int = 15) -> str:
        """Return the number if it is exact, else "[lower, upper]" rounded outward.

        Example:
            >>> Enclosure("1/3", "1/2").decimal(3), Enclosure.point("1/3").decimal(3)
            ('[0.333, 0.5]', '0.333')
        """
        if self.is_exact:
            return _end_decimal(self.lower, digits, "nearest")
        low = _end_decimal(self.lower, digits, "down")
        return f"[{low}, {_end_decimal(self.upper, digits, 'up')}]"

    def __str__(self) -> str:
        """Return the exact ends, or one of them if they agree."""
        return str(self.lower) if self.is_exact else f"[{self.lower}, {self.upper}]"

    def __repr__(self) -> str:
        """Return the constructor call."""
        ends = ", ".join(
            f"float({str(end)!r})" if isinstance(end, float) else repr(str(end))
            for end in (self.lower, self.upper)
        )
        return f"Enclosure({ends})"

    def __eq__(self, other: object) -> bool:
        """Return whether the ends agree, or whether the number inside is ``other``.

        Raises:
            UndecidedError: A number lies inside, and the ends differ.
        """
        if isinstance(other, Enclosure):
            return self.lower == other.lower and self.upper == other.upper
        if isinstance(other, str):
            return NotImplemented
        try:
            number = _end(other, 0)
        except InputError:
            if isinstance(other, float):
                raise
            return NotImplemented
        if not self.contains(number):
            return False
        if self.is_exact:
            return True
        raise self._undecided("==", number)

    def __hash__(self) -> int:
        """Return the hash of the ends; of the number itself where it is exact."""
        return hash(self.lower) if self.is_exact else hash((self.lower, self.upper))

    def _undecided(self, sign: str, other: object) -> UndecidedError:
        return UndecidedError(
            f"{self} does not decide whether its number is {sign} {other}",
            expected="ask for a narrower enclosure",
        )

    def _ends_of(self, other: object) -> tuple[End, End]:
        if isinstance(other, Enclosure):
            return other.lower, other.upper
        number = _end(other, 0)
        return number, number

    def __lt__(self, other: object) -> bool:
        """Return whether the number is certainly smaller, or certainly not."""
        low, high = self._ends_of(other)
        if self.upper < low:
            return True
        if self.lower >= high:
            return False
        raise self._undecided("<", other)

    def __le__(self, other: object) -> bool:
        """Return whether the number is certainly at most the other, or certainly not."""
        low, high = self._ends_of(other)
        if self.upper <= low:
            return True
        if self.lower > high:
            return False
        raise self._undecided("<=", other)

    def __gt__(self, other: object) -> bool:
        """Return whether the number is certainly larger, or certainly not."""
        low, high = self._ends_of(other)
        if self.lower > high:
            return True
        if self.upper <= low:
            return False
        raise self._undecided(">", other)

    def __ge__(self, other: object) -> bool:
        """Return whether the number is certainly at least the other, or certainly not."""
        low, high = self._ends_of(other)
        if self.lower >= high:
            return True
        if self.upper < low:
            return False
        raise self._undecided(">=", other)

    def __reduce__(self) -> tuple[type[Enclosure], tuple[End, End]]:
        """Pickle the ends."""
        return Enclosure, (self.lower, self.upper)
