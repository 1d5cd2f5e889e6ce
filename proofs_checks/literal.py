"""Definitions of the papers by brute force, apart from the library's algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations

from ..accounting.power import PowerFunction
from .grids import Law

__all__ = ["differs_from_knapsack", "events", "hull_height", "knapsack", "mass", "pushed"]

Corner = tuple[Fraction, Fraction]


def events(size: int) -> Iterator[tuple[int, ...]]:
    """Yield every set of outcome numbers, smaller sets first."""
    return chain.from_iterable(combinations(range(size), count) for count in range(size + 1))


def mass(law: Law, event: Iterable[int]) -> Fraction:
    """Return the probability of an event."""
    return sum((law[outcome] for outcome in event), Fraction(0))


def pushed(law: Law, channel: Sequence[Law]) -> Law:
    """Return the law after a channel, one row for each outcome."""
    return tuple(
        sum((p * row[column] for p, row in zip(law, channel, strict=True)), Fraction(0))
        for column in range(len(channel[0]))
    )


def knapsack(null: Law, alternative: Law, capacity: Fraction, fractional: int = 1) -> Fraction:
    """Return the best value of the fractional knapsack with weights P and values Q.

    A vertex of {0 <= x <= 1, sum P x <= capacity} has at most one fractional entry, so all sets of
    whole items with at most one more item in part are tried.

    Args:
        null: P, the weights.
        alternative: Q, the values.
        capacity: The capacity alpha.
        fractional: How many items may be taken in part, 1 or 0 (the whole-item knapsack).

    Example:
        >>> half = Fraction(1, 2)
        >>> knapsack((half, half), (Fraction(1), Fraction(0)), Fraction(1, 4))
        Fraction(1, 2)
    """
    best = Fraction(0)
    for event in events(len(null)):
        room = capacity - mass(null, event)
        if room < 0:
            continue
        value = mass(alternative, event)
        best = max(best, value)
        for item in set(range(len(null))) - set(event) if fractional else ():
            if null[item] > 0:
                best = max(best, value + min(Fraction(1), room / null[item]) * alternative[item])
    return best


def differs_from_knapsack(
    function: PowerFunction, null: Law, alternative: Law, fractional: int = 1
) -> Fraction | None:
    """Return an alpha where a power function is not the knapsack's value, or None.

    Both are piecewise linear; the corners of the knapsack's value are masses P(S). So agreeing at
    all P(S) and at the function's own corners is agreeing everywhere.
    """
    corners = {mass(null, event) for event in events(len(null))}
    corners |= {alpha.as_fraction() for alpha, _ in function.vertices}
    for alpha in sorted(corners | {Fraction(0), Fraction(1)}):
        if function(alpha) != knapsack(null, alternative, alpha, fractional):
            return alpha
    return None


def hull_height(corners: Sequence[Corner], alpha: Fraction, mixing: int = 1) -> Fraction:
    """Return sup of lambda y1 + (1 - lambda) y2 over two corners with the mean of x at alpha.

    With ``mixing`` 0, only one corner at a time may be used.
    """
    best = max((y for x, y in corners if x == alpha), default=Fraction(0))
    for x1, y1 in corners if mixing else ():
        for x2, y2 in corners:
            if x1 < alpha < x2:
                best = max(best, y1 + (y2 - y1) * (alpha - x1) / (x2 - x1))
    return best
