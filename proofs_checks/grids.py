"""Small exact laws and channels, smallest denominators first, for exhaustive checks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from ..accounting.pair import Pair
from ..accounting.power import PowerFunction

__all__ = ["Law", "channels", "laws", "pair_of", "power_of", "show", "show_laws"]

Law = tuple[Fraction, ...]


@cache
def laws(outcomes: int, largest_denominator: int) -> tuple[Law, ...]:
    """Return all laws on some outcomes whose masses have one common denominator up to a bound.

    Example:
        >>> [show(law) for law in laws(2, 2)]
        ['(0, 1)', '(1, 0)', '(1/2, 1/2)']
    """
    found: dict[Law, None] = {}
    for denominator in range(1, largest_denominator + 1):
        for units in _compositions(denominator, outcomes):
            found[tuple(Fraction(unit, denominator) for unit in units)] = None
    return tuple(found)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


@cache
def channels(inputs: int, outputs: int, denominator: int) -> tuple[tuple[Law, ...], ...]:
    """Return all stochastic matrices (one law for each input) with that denominator or 1.

    Example:
        >>> len(channels(2, 2, 1)), len(channels(2, 2, 2))
        (4, 9)
    """
    return tuple(product(laws(outputs, denominator), repeat=inputs))


@cache
def pair_of(null: Law, alternative: Law) -> Pair:
    """Return the library's pair of two laws."""
    return Pair.from_laws(null, alternative)


@cache
def power_of(null: Law, alternative: Law) -> PowerFunction:
    """Return the library's Pow(null||alternative)."""
    return pair_of(null, alternative).power_function()


def show(law: Law) -> str:
    """Return a law as text."""
    return f"({', '.join(map(str, law))})"


def show_laws(**given: Law) -> dict[str, str]:
    """Return named laws as the texts of a witness."""
    return {name: show(law) for name, law in given.items()}
