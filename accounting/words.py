"""Powers and products of ladders: the words of independent draws, merged by likelihood ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from .errors import LimitError
from .exponent_vectors import packed_keys
from .ladder import DEFAULT_LIMIT_ATOMS, Ladder, exact_quotient, over_one_ring, quotient
from .numbers import Exact

if TYPE_CHECKING:
    from .ladder import RingElement, Rung

    Words = dict[int, "_Word"]

__all__ = ["compose_ladders"]

_WORD_BITS = 2048
"""An atom counts once for each so many bits of its masses, so the limit bounds memory too."""

_FEWEST_LONG_ATOMS = 256
"""Numbers beyond one machine-friendly length cost time even where they are few."""

_RECURRENCE_TERMS = 4096
"""A recurrence with more terms is never cheaper than a convolution here."""

_DENSE_PRODUCTS = 20_000
"""From here on a convolution of words on one line is tried as a polynomial product."""

_DENSE_GAIN = 4
"""Word products that one coefficient of a dense product is worth."""

_PRODUCTS_PER_ATOM = 32
"""How many multiplications one atom of the limit pays for."""

_LOG_BITS = 256


@dataclass(frozen=True)
class _Letter:
    """One finite atom: packed exponent vector, masses, and its log ratio in fixed point."""

    key: int
    null: RingElement
    alternative: RingElement
    log_ratio: int


@dataclass(frozen=True)
class _Component:
    """The finite letters of one pair by rising key, drawn ``power`` times.

    Each log ratio is in [log_ratio, log_ratio + log_error]; ``reach`` bounds the packed
    coordinates of its words.
    """

    letters: tuple[_Letter, ...]
    power: int
    log_error: int
    reach: tuple[int, ...]


class _Word(NamedTuple):
    """Merged words: masses, and the log ratio, which is in [log_ratio, log_ratio + width]."""

    null: RingElement
    alternative: RingElement
    log_ratio: int
    width: int


def compose_ladders(
    items: Sequence[tuple[Ladder, int]], *, limit_atoms: int = DEFAULT_LIMIT_ATOMS
) -> Ladder:
    """Return the ladder of independent draws, each ladder as often as its multiplicity says.

    Args:
        items: (ladder, multiplicity >= 0); none at all gives the pair of two equal point laws.
        limit_atoms: Largest number of atoms (of up to 2048 bits each) to enumerate.

    Raises:
        LimitError: The estimated number of atoms is above the limit.
    """
    counted: dict[Ladder, int] = {}
    for ladder, power in _over_common_ring([item for item in items if item[1]]):
        counted[ladder] = counted.get(ladder, 0) + power
    components = list(counted.items())
    if not components:
        return Ladder(((1, 1),), 1, 1)
    if len(components) == 1 and components[0][1] == 1:
        return components[0][0]
    components.sort(key=lambda item: len(item[0]))
    few = len(components)
    result = _compose_words(components, limit_atoms)
    while result is None and few > 1:
        # Without much in common, the longest ladders are multiplied out at the end.
        few //= 2
        result = _compose_words(components[:few], limit_atoms)
    for ladder, power in components[few if result else 0 :]:
        result = _times_directly(result, ladder, power, limit_atoms)
    assert result is not None
    return result


def _over_common_ring(items: Sequence[tuple[Ladder, int]]) -> list[tuple[Ladder, int]]:
    if len({ladder.generator for ladder, _ in items}) < 2:
        return list(items)
    ladders = over_one_ring([ladder.masses for ladder, _ in items])
    return [(ladder, power) for ladder, (_, power) in zip(ladders, items, strict=True)]


def _finite_rungs(ladder: Ladder) -> list[Rung]:
    return [(p, q) for p, q in ladder.rungs if p and q]


def _times_directly(result: Ladder | None, ladder: Ladder, power: int, limit_atoms: int) -> Ladder:
    """Multiply a power of a ladder out, merging by sorting after every product."""
    square, left = ladder, power
    while True:
        if left & 1:
            result = square if result is None else result.tensor(square, limit_atoms=limit_atoms)
        left >>= 1
        if not left:
            assert result is not None
            return result
        square = square.tensor(square, limit_atoms=limit_atoms)


def _compose_words(components: Sequence[tuple[Ladder, int]], limit_atoms: int) -> Ladder | None:
    """Merge words by exponent vectors; None if these cost too much."""
    cores = [_finite_rungs(ladder) for ladder, _ in components]
    if not all(cores):
        # One pair has disjoint supports, so the composition has.
        return Ladder(((0, 1), (1, 0)), 1, 1)
    rungs = _enumerate_words(components, cores, limit_atoms)
    if rungs is None:
        return None
    generator = next((ladder.generator for ladder, _ in components if ladder.generator), None)
    null_total: RingElement = 1
    alternative_total: RingElement = 1
    null_core: RingElement = 1
    alternative_core: RingElement = 1
    for (ladder, power), core in zip(components, cores, strict=True):
        null_total = null_total * _raised(ladder.null_total, power)
        alternative_total = alternative_total * _raised(ladder.alternative_total, power)
        null_core = null_core * _raised(_total([p for p, _ in core]), power)
        alternative_core = alternative_core * _raised(_total([q for _, q in core]), power)
    infinite, lost = alternative_total - alternative_core, null_total - null_core
    first: list[Rung] = [(0, infinite)] if infinite else []
    last: list[Rung] = [(lost, 0)] if lost else []
    return Ladder((*first, *rungs, *last), null_total, alternative_total, generator)


def _enumerate_words(
    laws: Sequence[tuple[Ladder, int]], cores: Sequence[list[Rung]], limit_atoms: int
) -> list[Rung] | None:
    """Return the finite merged words in order of falling likelihood ratio."""
    powers = [power for _, power in laws]
    packed = packed_keys(cores, powers)
    if packed is None:
        return None
    keys, spans = packed
    extents = [
        sum(power * span for power, span in zip(powers, column, strict=True))
        for column in zip(*spans, strict=True)
    ]
    box = math.prod(extent + 1 for extent in extents)
    multisets = math.prod(
        math.comb(power + len(core) - 1, power) for core, power in zip(cores, powers, strict=True)
    )
    _refuse_above(min(box, multisets), _mass_bits(laws), limit_atoms)
    needs_logs = len(extents) > 1
    components: list[_Component] = []
    for index, (core, power) in enumerate(zip(cores, powers, strict=True)):
        logs, error = _fixed_point_logs(core) if needs_logs else ([0] * len(core), 0)
        letters = sorted(
            (
                _Letter(key, p, q, log)
                for key, (p, q), log in zip(keys[index], core, logs, strict=True)
            ),
            key=lambda letter: letter.key,
        )
        reach = tuple(power * span for span in spans[index])
        components.append(_Component(tuple(letters), power, error, reach))
    words: Words | None = None
    for group, recurrence in _grouped(components):
        factor = _words_of_group(group, recurrence)
        words = factor if words is None else _convolve(words, factor, limit_atoms)
    assert words is not None
    if needs_logs:
        return _sorted_by_log(words)
    ordered = [(word.null, word.alternative) for _, word in sorted(words.items(), key=_key_of)]
    if len(ordered) > 1 and ordered[-1][1] * ordered[0][0] > ordered[0][1] * ordered[-1][0]:
        ordered.reverse()
    return ordered


def _mass_bits(laws: Sequence[tuple[Ladder, int]]) -> int:
    """Return about how many bits the largest mass of the composition has."""
    largest = 0
    for side in range(2):
        degree = bits = 0
        for ladder, power in laws:
            total = (ladder.null_total, ladder.alternative_total)[side]
            if isinstance(total, int):
                length = math.log2(total)
            else:
                degree += power * total.degree
                length = math.log2(sum(abs(part) for part in total.coefficients))
            # In integers, since a power may be beyond the range of floats.
            bits += math.ceil(length * 2**20) * power >> 20
        largest = max(largest, (degree + 1) * bits)
    return largest


def _refuse_above(atoms: int, bits: int, limit_atoms: int) -> None:
    words = max(1, -(-bits // _WORD_BITS))
    size = atoms if words == 1 else max(atoms, _FEWEST_LONG_ATOMS) * words
    if size > limit_atoms:
        detail = (
            f" of about {_short(bits)} bits (one counts once for each {_WORD_BITS})"
            if size > atoms
            else ""
        )
        raise LimitError(
            "the exact composition is too large",
            found=f"about {_short(atoms)} atoms{detail}; limit_atoms = {limit_atoms}",
            expected=f"pass limit_atoms={_short(size)} to allow it",
        )


def _short(count: int) -> str:
    """Return a count in full, or to two digits with its power of ten once it is long."""
    if count < 10**15:
        return str(count)
    exponent = int((count.bit_length() - 1) * math.log10(2))
    while 10 ** (exponent + 1) <= count:
        exponent += 1
    leading = -(-count // 10 ** (exponent - 1))
    return f"{leading // 10}.{leading % 10}e{exponent}"


def _total(elements: Sequence[RingElement]) -> RingElement:
    total: RingElement = 0
    for element in elements:
        total = total + element
    return total


def _raised(element: RingElement, power: int) -> RingElement:
    if isinstance(element, int):
        return int(element**power)
    result: RingElement = 1
    for bit in bin(power)[2:]:
        result = result * result
        if bit == "1":
            result = result * element
    return result


def _key_of(item: tuple[int, _Word]) -> int:
    return item[0]


def _word_bound(group: Sequence[_Component]) -> int:
    """Return a bound on the number of merged words of some components together."""
    box = multisets = 1
    for reaches in zip(*(component.reach for component in group), strict=True):
        box *= 1 + sum(reaches)
    for component in group:
        multisets *= math.comb(component.power + len(component.letters) - 1, component.power)
    return min(box, multisets)


def _grouped(
    components: Sequence[_Component],
) -> list[tuple[list[_Component], dict[int, _Step]]]:
    """Put components together where one recurrence is cheaper than two and a convolution."""
    groups: list[tuple[list[_Component], dict[int, _Step]]] = []
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


def _recurrence(terms: dict[int, _Step], component: _Component) -> dict[int, _Step]:
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


def _words_of_group(group: Sequence[_Component], recurrence: dict[int, _Step]) -> Words:
    """Return all words with the given number of letters from each component, merged by key.

    B = prod A_i^k_i satisfies C B' = E B with C = prod A_i and E = sum k_i A_i' C / A_i. Read as a
    recurrence this gives each coefficient of B from earlier ones, exactly, with one multiplication
    for each term of C.

    Source: Knuth 1997, The Art of Computer Programming 2, section 4.7 (Euler, one factor).
    """
    if len(group) == 1 and group[0].power == 1:
        return {
            letter.key: _Word(letter.null, letter.alternative, letter.log_ratio, group[0].log_error)
            for letter in group[0].letters
        }
    terms = [(shift, step) for shift, step in recurrence.items() if shift]
    null_first, alternative_first = recurrence[0].null, recurrence[0].alternative
    base, log_ratio, width = 0, 0, 0
    start_null: RingElement = 1
    start_alternative: RingElement = 1
    for component in group:
        first, power = component.letters[0], component.power
        base += first.key * power
        start_null = start_null * _raised(first.null, power)
        start_alternative = start_alternative * _raised(first.alternative, power)
        log_ratio += first.log_ratio * power
        width += component.log_error * power
    words: Words = {}
    pending: Words = {0: _Word(start_null, start_alternative, log_ratio, width)}
    queue = [0]
    while queue:
        at = heappop(queue)
        word = pending.pop(at)
        if at:
            word = _Word(
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
                pending[target] = _Word(
                    p, q, word.log_ratio + step.log_ratio, word.width + step.width
                )
            else:
                pending[target] = _Word(
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
                words[key] = _Word(p0 * p1, q0 * q1, log0 + log1, width0 + width1)
            else:
                words[key] = _Word(known[0] + p0 * p1, known[1] + q0 * q1, known[2], known[3])
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
        low + step * index: _Word(p, q, 0, 0)
        for index, (p, q) in enumerate(zip(*products, strict=True))
        if p
    }


def _as_int(element: RingElement) -> int:
    assert isinstance(element, int)
    return element


def _fixed_point_logs(core: Sequence[Rung]) -> tuple[list[int], int]:
    """Return ln(Q/P) of each atom as an integer below it, and the largest error of one."""
    logs: list[int] = []
    error = 0
    for p, q in core:
        enclosure = quotient(q, p).log().enclosure(_LOG_BITS)
        assert isinstance(enclosure.lower, Exact)
        assert isinstance(enclosure.upper, Exact)
        low = math.floor(enclosure.lower.as_fraction() * 2**_LOG_BITS)
        error = max(error, math.ceil(enclosure.upper.as_fraction() * 2**_LOG_BITS) - low)
        logs.append(low)
    return logs, error


def _sorted_by_log(words: Words) -> list[Rung]:
    """Sort by falling ratio; logarithms decide where they are apart, cross products elsewhere."""
    slack = max(word.width for word in words.values())

    def compare(left: _Word, right: _Word) -> int:
        if abs(left.log_ratio - right.log_ratio) > slack:
            return -1 if left.log_ratio > right.log_ratio else 1
        return -1 if left.alternative * right.null > right.alternative * left.null else 1

    rough = sorted(words.values(), key=lambda word: word.log_ratio, reverse=True)
    return [(word.null, word.alternative) for word in sorted(rough, key=cmp_to_key(compare))]
