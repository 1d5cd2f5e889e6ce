"""Exponent vectors of likelihood ratios over coprime elements, packed into integers.

The likelihood ratios of all letters are written over pairwise coprime base elements. A word of
independent draws then has an exponent vector, vectors add, and equal ratios are equal vectors:
merging words needs no greatest common divisor and no comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from .ladder import exact_quotient, ring_gcd

if TYPE_CHECKING:
    from .ladder import RingElement, Rung

__all__ = ["packed_keys"]

_ELIMINATION_STEPS = 2**20


def packed_keys(
    cores: Sequence[list[Rung]], powers: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]] | None:
    """Return one integer for each atom such that equal sums over words mean equal ratios.

    Keys stay apart one step beyond the words too: the sum of a word whose one letter is replaced
    by a letter more than it has equals no other word's sum.

    Returns:
        For each component its keys, and the largest value of each packed coordinate in it; None
        if the ratios have so little in common that the vectors would cost too much.
    """
    reduced = [[_lowest_terms(p, q) for p, q in core] for core in cores]
    sides = [side for core in reduced for ratio in core for side in ratio]
    # Elimination below costs about base^2 ratios.
    base = _coprime_base(sides, math.isqrt(2 * _ELIMINATION_STEPS // max(1, len(sides))))
    if base is None:
        return None
    columns: list[list[list[int]]] = []
    for element in base:
        columns.append(
            [
                [_divided_out(q, element)[0] - _divided_out(p, element)[0] for p, q in core]
                for core in reduced
            ]
        )
    shifted = [_from_zero(column) for column in columns]
    extents = [
        sum(power * max(values) for power, values in zip(powers, column, strict=True))
        for column in shifted
    ]
    # A coordinate that is a linear function of others tells nothing new about a word.
    order = sorted(range(len(base)), key=lambda index: extents[index])
    chosen = _independent(shifted, order)
    keys = [[0] * len(core) for core in cores]
    stride = 1
    for index in chosen:
        for core_keys, values in zip(keys, shifted[index], strict=True):
            for position, value in enumerate(values):
                core_keys[position] += stride * value
        # The margin keeps a word apart from what one more step makes of another word, even where
        # that leaves the range of words.
        stride *= extents[index] + sum(max(values) for values in shifted[index]) + 1
    return keys, [[max(shifted[index][i]) for index in chosen] for i in range(len(cores))]


def _lowest_terms(p: RingElement, q: RingElement) -> Rung:
    common = ring_gcd(p, q)
    return exact_quotient(p, common), exact_quotient(q, common)


def _coprime_base(elements: Sequence[RingElement], limit: int) -> list[RingElement] | None:
    """Return pairwise coprime elements above 1 over which every given element factors.

    Returns:
        At most ``limit`` elements, or None if more are needed.

    Source: Bernstein 2005, "Factoring into coprimes" (here the plain quadratic method).
    """
    base: list[RingElement] = []
    for start in elements:
        pending = [start]
        while pending:
            element = pending.pop()
            if element == 1:
                continue
            for index, known in enumerate(base):
                common = ring_gcd(element, known)
                if common == 1:
                    continue
                if common == known:
                    pending.append(_divided_out(element, known)[1])
                else:
                    base.pop(index)
                    pending += [
                        exact_quotient(element, common),
                        exact_quotient(known, common),
                        common,
                    ]
                break
            else:
                base.append(element)
        if len(base) > limit:
            return None
    return base


def _divided_out(element: RingElement, divisor: RingElement) -> tuple[int, RingElement]:
    """Return how often a divisor divides an element, and what is left, by squaring."""
    exponent, squares = 0, [divisor]
    while _divides(squares[-1], element):
        element = exact_quotient(element, squares[-1])
        exponent += 2 ** (len(squares) - 1)
        squares.append(squares[-1] * squares[-1])
    for place in range(len(squares) - 2, -1, -1):
        if _divides(squares[place], element):
            element = exact_quotient(element, squares[place])
            exponent += 2**place
    return exponent, element


def _divides(divisor: RingElement, element: RingElement) -> bool:
    if isinstance(divisor, int) and isinstance(element, int):
        return element % divisor == 0
    return ring_gcd(divisor, element) == divisor


def _from_zero(column: list[list[int]]) -> list[list[int]]:
    """Shift each component to start at zero, and divide out the common step of a coordinate."""
    shifted = [[value - min(values) for value in values] for values in column]
    step = math.gcd(*(value for values in shifted for value in values)) or 1
    return [[value // step for value in values] for values in shifted]


def _independent(columns: Sequence[list[list[int]]], order: Sequence[int]) -> list[int]:
    """Return indices of coordinates that determine all others on words of fixed length."""
    basis: list[tuple[int, list[Fraction]]] = []
    chosen: list[int] = []
    for index in order:
        row = [Fraction(v - values[0]) for values in columns[index] for v in values]
        for pivot, known in basis:
            scale = row[pivot]
            if scale:
                row = [a - scale * b for a, b in zip(row, known, strict=True)]
        lead = next((position for position, value in enumerate(row) if value), None)
        if lead is not None:
            basis.append((lead, [value / row[lead] for value in row]))
            chosen.append(index)
    return chosen
