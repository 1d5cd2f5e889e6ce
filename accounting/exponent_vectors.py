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


def packed_keys(
    cores: Sequence[list[Rung]], powers: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return one integer for each atom such that equal sums over words mean equal ratios.

    Keys stay apart one step beyond the words too: the sum of a word whose one letter is replaced
    by a letter more than it has equals no other word's sum.

    Returns:
        For each component its keys, and the largest value of each packed coordinate in it.
    """
    reduced = [[_lowest_terms(p, q) for p, q in core] for core in cores]
    base = _coprime_base([side for core in reduced for ratio in core for side in ratio])
    columns: list[list[list[int]]] = []
    for element in base:
        columns.append(
            [[_exponent(q, element) - _exponent(p, element) for p, q in core] for core in reduced]
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


def _coprime_base(elements: Sequence[RingElement]) -> list[RingElement]:
    """Return pairwise coprime elements above 1 over which every given element factors.

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
                    pending.append(_stripped(element, known))
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
    return base


def _stripped(element: RingElement, divisor: RingElement) -> RingElement:
    while ring_gcd(element, divisor) == divisor:
        element = exact_quotient(element, divisor)
    return element


def _exponent(element: RingElement, divisor: RingElement) -> int:
    exponent = 0
    while ring_gcd(element, divisor) == divisor:
        element = exact_quotient(element, divisor)
        exponent += 1
    return exponent


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
