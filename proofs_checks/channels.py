"""Channels between pairs of laws: the constructive side of Blackwell's theorem."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["Atom", "channel_between", "leads_to"]

Atom = tuple[Fraction, Fraction]
"""Masses (P, Q) of one outcome."""

_Piece = tuple[int, Fraction, Fraction]


def channel_between(
    source: Sequence[Atom], target: Sequence[Atom]
) -> tuple[tuple[Fraction, ...], ...] | None:
    """Return a channel that takes one pair of laws to another, or None if there is none.

    It exists exactly if Pow(target) <= Pow(source). The target's outcomes are served from the
    steepest on. Each takes the stretch of the source's curve that has its width and its rise: one
    exists because the rise of a stretch of fixed width falls along a concave curve, and what is
    left of the source still dominates what is left of the target.

    Args:
        source: Masses (P, Q) of each outcome, any order; both laws sum to 1.
        target: The same for the pair to reach.

    Returns:
        One row for each outcome of the source: the law of the target's outcome.

    Example:
        >>> half, one, zero = Fraction(1, 2), Fraction(1), Fraction(0)
        >>> channel_between([(one, zero), (zero, one)], [(half, one), (half, zero)])
        ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 1), Fraction(0, 1)))
        >>> channel_between([(half, one), (half, zero)], [(one, zero), (zero, one)]) is None
        True

    Source: D. Blackwell 1953, for two laws; the construction is direct.
    """
    pieces = [(index, *source[index]) for index in _falling(source)]
    rows = [[Fraction(0)] * len(target) for _ in source]
    for column in _falling(target):
        taken = _stretch(pieces, *target[column])
        if taken is None:
            return None
        left: list[_Piece] = []
        for (index, p, q), share in zip(pieces, taken, strict=True):
            whole = source[index][0] or source[index][1]
            rows[index][column] += share * (p or q) / whole
            if share < 1:
                left.append((index, p * (1 - share), q * (1 - share)))
        pieces = left
    for index, (p, q) in enumerate(source):
        if p == q == 0:
            rows[index][0] = Fraction(1)
    return tuple(map(tuple, rows))


def leads_to(
    source: Sequence[Atom], channel: Sequence[Sequence[Fraction]], target: Sequence[Atom]
) -> bool:
    """Return whether a matrix is a channel that takes the one pair to the other."""
    if any(sum(row) != 1 or min(row) < 0 for row in channel):
        return False
    return all(
        sum((atom[world] * row[column] for atom, row in zip(source, channel, strict=True)))
        == target[column][world]
        for column in range(len(target))
        for world in (0, 1)
    )


def _falling(atoms: Sequence[Atom]) -> list[int]:
    """Return the numbers of the atoms with mass by falling Q/P, infinite first."""
    kept = [index for index, (p, q) in enumerate(atoms) if p or q]
    return sorted(kept, key=lambda index: atoms[index][0] / (atoms[index][0] + atoms[index][1]))


def _stretch(pieces: Sequence[_Piece], width: Fraction, rise: Fraction) -> list[Fraction] | None:
    """Return the share of each piece in a stretch of that width and rise, or None."""
    steep = sum((q for _, p, q in pieces if p == 0), Fraction(0))
    if width == 0:
        if rise > steep:
            return None
        part = rise / steep if steep else Fraction(0)
        return [part if p == 0 else Fraction(0) for _, p, _ in pieces]
    cuts = [Fraction(0)]
    for _, p, _ in pieces:
        cuts.append(cuts[-1] + p)
    if width > cuts[-1]:
        return None
    starts = sorted({start for cut in cuts for start in (cut, cut - width) if 0 <= start})
    starts = [start for start in starts if start + width <= cuts[-1]]
    rises = [_rise(pieces, cuts, start, width) for start in starts]
    if rises[0] <= rise:
        # The stretch starts within the pieces of infinite ratio, which have no width.
        if rise > rises[0] + steep:
            return None
        part = (rise - rises[0]) / steep if steep else Fraction(0)
        return _shares(pieces, cuts, Fraction(0), width, part)
    for number in range(1, len(starts)):
        if rises[number] <= rise:
            fall = (rises[number - 1] - rise) / (rises[number - 1] - rises[number])
            start = starts[number - 1] + fall * (starts[number] - starts[number - 1])
            return _shares(pieces, cuts, start, width, Fraction(0))
    return None


def _shares(
    pieces: Sequence[_Piece],
    cuts: Sequence[Fraction],
    start: Fraction,
    width: Fraction,
    steep_part: Fraction,
) -> list[Fraction]:
    found: list[Fraction] = []
    for number, (_, p, _) in enumerate(pieces):
        if p == 0:
            found.append(steep_part)
            continue
        low, high = max(start, cuts[number]), min(start + width, cuts[number + 1])
        found.append(max(Fraction(0), high - low) / p)
    return found


def _rise(
    pieces: Sequence[_Piece], cuts: Sequence[Fraction], start: Fraction, width: Fraction
) -> Fraction:
    shares = _shares(pieces, cuts, start, width, Fraction(0))
    return sum((share * q for share, (_, _, q) in zip(shares, pieces, strict=True)), Fraction(0))
