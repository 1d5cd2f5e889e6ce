"""Words: independent draws of several components, merged by likelihood ratio.

A word is known by the sum of the packed exponent vectors of its letters. Its masses, integers or
integer polynomials, are the coefficients of a product of powers of sparse polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from .errors import LimitError
from .ladder import exact_quotient

if TYPE_CHECKING:
    from .ladder import RingElement

    Words = dict[int, "Word"]

__all__ = ["Component", "Letter", "Word", "all_words", "raised"]

_RECURRENCE_TERMS = 4096
"""A recurrence with more terms is never cheaper than a convolution here."""

_DENSE_PRODUCTS = 20_000
"""From here on a convolution of words on one line is tried as a polynomial product."""

_DENSE_LETTERS = 16
"""From here on letters on one line are powered up by polynomial products."""

_DENSE_GAIN = 4
"""Word products that one coefficient of a dense product is worth."""

_PRODUCTS_PER_ATOM = 32
"""How many multiplications one atom of the limit pays for."""


@dataclass(frozen=True)
class Letter:
    """One finite atom: packed exponent vector, masses, and its log ratio in fixed point."""

    key: int
    null: RingElement
    alternative: RingElement
    log_ratio: int


@dataclass(frozen=True)
class Component:
    """The finite letters of one pair by rising key, drawn ``power`` times.

    Each log ratio is in [log_ratio, log_ratio + log_error]; ``reach`` bounds the packed
    coordinates of its words.
    """

    letters: tuple[Letter, ...]
    power: int
    log_error: int
    reach: tuple[int, ...]


class Word(NamedTuple):
    """Merged words: masses, and the log ratio, which is in [log_ratio, log_ratio + width]."""

    null: RingElement
    alternative: RingElement
    log_ratio: int
    width: int


def all_words(components: Sequence[Component], limit_atoms: int) -> Words:
    """Return all words with each component's number of letters, merged by key.

    Raises:
        LimitError: ``limit_atoms`` does not pay for the multiplications that are needed.
    """
    words: Words | None = None
    for group, recurrence in _grouped(components):
        if len(group) == 1 and _prefers_squaring(group[0]):
            factor = _squared_up(group[0], limit_atoms)
        else:
            factor = _words_of_group(group, recurrence)
        words = factor if words is None else _convolve(words, factor, limit_atoms)
    assert words is not None
    return words


def raised(element: RingElement, power: int) -> RingElement:
    """Return a ring element to a power of at least 1."""
    if isinstance(element, int):
        return int(element**power)
    result: RingElement = 1
    for bit in bin(power)[2:]:
        result = result * result
        if bit == "1":
            result = result * element
    return result


def _word_bound(group: Sequence[Component]) -> int:
    """Return a bound on the number of merged words of some components together."""
    box = multisets = 1
    for reaches in zip(*(component.reach for component in group), strict=True):
        box *= 1 + sum(reaches)
    for component in group:
        multisets *= math.comb(component.power + len(component.letters) - 1, component.power)
    return min(box, multisets)


def _grouped(
    components: Sequence[Component],
) -> list[tuple[list[Component], dict[int, _Step]]]:
    """Put components together where one recurrence is cheaper than two and a convolution."""
    groups: list[tuple[list[Component], dict[int, _Step]]] = []
    for component in sorted(components, key=lambda c: _word_bound([c])):
        if groups:
            group, terms = groups[-1]
            if len(terms) * len(component.letters) <= _RECURRENCE_TERMS:
                apart = _word_bound(group) * _word_bound([component])
                joined, more = [*group, component], _recurrence(terms, component)
                if _word_bound(joined) * len(more) <= apart:
                    groups[-1] = joined, more
                    continue
        groups.append(([component], _recurrence(_NO_STEPS, component)))
    return groups


class _Step(NamedTuple):
    """One term of the recurrence: C and E at a key, for both laws, and its log ratio."""

    null: RingElement
    null_slope: RingElement
    alternative: RingElement
    alternative_slope: RingElement
    log_ratio: int
    width: int


_NO_STEPS = {0: _Step(1, 0, 1, 0, 0, 0)}


def _recurrence(terms: dict[int, _Step], component: Component) -> dict[int, _Step]:
    """Return the terms of C A and E A + k C A' for one more factor A^k, with A' = x dA/dx.

    Over all factors C = prod A_i and E = sum k_i A_i' C / A_i.
    """
    first, power = component.letters[0], component.power
    grown: dict[int, _Step] = {}
    for at, term in terms.items():
        for letter in component.letters:
            p, q, shift = letter.null, letter.alternative, letter.key - first.key
            null, alternative = term.null * p, term.alternative * q
            null_slope = term.null_slope * p + null * (power * shift)
            alternative_slope = term.alternative_slope * q + alternative * (power * shift)
            log, width = term.log_ratio, term.width
            if letter is not first:
                # One letter more and one first letter less, each known up to log_error.
                log += letter.log_ratio - first.log_ratio - component.log_error
                width += 2 * component.log_error
            known = grown.get(at + shift)
            if known is not None:
                null, null_slope = known.null + null, known.null_slope + null_slope
                alternative = known.alternative + alternative
                alternative_slope = known.alternative_slope + alternative_slope
                log, width = known.log_ratio, known.width
            grown[at + shift] = _Step(null, null_slope, alternative, alternative_slope, log, width)
    return grown


def _prefers_squaring(component: Component) -> bool:
    """Return whether many letters make repeated products cheaper than a recurrence."""
    letters = len(component.letters)
    if len(component.reach) == 1 and isinstance(component.letters[0].null, int):
        return letters > min(_DENSE_LETTERS, 2 * component.power)
    return letters > 2 * component.power


def _squared_up(component: Component, limit_atoms: int) -> Words:
    """Return all words of one component by squaring and multiplying."""
    single: Words = {
        letter.key: Word(letter.null, letter.alternative, letter.log_ratio, component.log_error)
        for letter in component.letters
    }
    words = single
    for bit in bin(component.power)[3:]:
        words = _convolve(words, words, limit_atoms)
        if bit == "1":
            words = _convolve(words, single, limit_atoms)
    return words


def _words_of_group(group: Sequence[Component], recurrence: dict[int, _Step]) -> Words:
    """Return all words with the given number of letters from each component, merged by key.

    B = prod A_i^k_i satisfies C B' = E B with C = prod A_i and E = sum k_i A_i' C / A_i. Read as a
    recurrence this gives each coefficient of B from earlier ones, exactly, with one multiplication
    for each term of C.

    Source: Knuth 1997, The Art of Computer Programming 2, section 4.7 (Euler, one factor).
    """
    terms = [(shift, step) for shift, step in recurrence.items() if shift]
    null_first, alternative_first = recurrence[0].null, recurrence[0].alternative
    base, log_ratio, width = 0, 0, 0
    start_null: RingElement = 1
    start_alternative: RingElement = 1
    for component in group:
        first, power = component.letters[0], component.power
        base += first.key * power
        start_null = start_null * raised(first.null, power)
        start_alternative = start_alternative * raised(first.alternative, power)
        log_ratio += first.log_ratio * power
        width += component.log_error * power
    words: Words = {}
    pending: Words = {0: Word(start_null, start_alternative, log_ratio, width)}
    queue = [0]
    while queue:
        at = heappop(queue)
        word = pending.pop(at)
        if at:
            word = Word(
                exact_quotient(word.null, null_first * at),
                exact_quotient(word.alternative, alternative_first * at),
                word.log_ratio,
                word.width,
            )
        if not word.null:
            continue
        words[base + at] = word
        for shift, step in terms:
            p = word.null * (step.null_slope - step.null * at)
            q = word.alternative * (step.alternative_slope - step.alternative * at)
            target = at + shift
            known = pending.get(target)
            if known is None:
                heappush(queue, target)
                pending[target] = Word(
                    p, q, word.log_ratio + step.log_ratio, word.width + step.width
                )
            else:
                pending[target] = Word(
                    known.null + p, known.alternative + q, known.log_ratio, known.width
                )
    return words


def _convolve(left: Words, right: Words, limit_atoms: int) -> Words:
    """Return the words that join one of each side, merged by key."""
    products = len(left) * len(right)
    if products > _DENSE_PRODUCTS:
        dense = _convolve_densely(left, right)
        if dense is not None:
            return dense
    if products > _PRODUCTS_PER_ATOM * limit_atoms:
        raise LimitError(
            "the exact composition needs too many multiplications",
            found=f"{products}; limit_atoms = {limit_atoms} pays for "
            f"{_PRODUCTS_PER_ATOM * limit_atoms}",
            expected=f"pass limit_atoms={-(-products // _PRODUCTS_PER_ATOM)} to allow it",
        )
    words: Words = {}
    for key0, (p0, q0, log0, width0) in left.items():
        for key1, (p1, q1, log1, width1) in right.items():
            key = key0 + key1
            known = words.get(key)
            if known is None:
                words[key] = Word(p0 * p1, q0 * q1, log0 + log1, width0 + width1)
            else:
                words[key] = Word(known[0] + p0 * p1, known[1] + q0 * q1, known[2], known[3])
    return words


def _convolve_densely(left: Words, right: Words) -> Words | None:
    """Return the same as one polynomial product, or None where that does not pay or apply.

    It applies to integers without logarithms: those are there where keys alone do not order.
    """
    first = next(iter(left.values()))
    low, low_right = min(left), min(right)
    offsets = [key - low for key in left] + [key - low_right for key in right]
    step = math.gcd(*offsets) or 1
    length, length_right = (max(left) - low) // step + 1, (max(right) - low_right) // step + 1
    pays = len(left) * len(right) > _DENSE_GAIN * (length + length_right)
    if not pays or first.width or not isinstance(first.null, int):
        return None
    from flint import fmpz_poly

    products: list[list[int]] = []
    for side in range(2):
        dense, dense_right = [0] * length, [0] * length_right
        for key, word in left.items():
            dense[(key - low) // step] = _as_int(word[side])
        for key, word in right.items():
            dense_right[(key - low_right) // step] = _as_int(word[side])
        product = fmpz_poly(dense) * fmpz_poly(dense_right)
        products.append([int(part) for part in product.coeffs()])
    low += low_right
    return {
        low + step * index: Word(p, q, 0, 0)
        for index, (p, q) in enumerate(zip(*products, strict=True))
        if p
    }


def _as_int(element: RingElement) -> int:
    assert isinstance(element, int)
    return element
