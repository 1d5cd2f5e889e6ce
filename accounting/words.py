"""Powers and products of ladders, merging words of equal likelihood ratio by exponent vectors.

The likelihood ratios of all components are written over pairwise coprime base elements. A word of
independent draws then has an exponent vector, vectors add, and equal ratios are equal vectors:
merging needs no greatest common divisor and no comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from .errors import LimitError
from .ladder import DEFAULT_LIMIT_ATOMS, Ladder, exact_quotient, over_one_ring, quotient
from .numbers import Exact

if TYPE_CHECKING:
    from .ladder import RingElement, Rung

    Words = dict[int, "_Word"]

__all__ = ["compose_ladders"]

_LATTICE_RATIOS = 64
"""Above this many distinct ratios the exponent vectors cost more than they save."""

_WORD_BITS = 2048
"""An atom counts once for each so many bits of its masses, so the limit bounds memory too."""

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
    cores = [_finite_rungs(ladder) for ladder, _ in components]
    if sum(len(core) for core in cores) > _LATTICE_RATIOS:
        return _compose_directly(components, limit_atoms)
    return _compose_words(components, cores, limit_atoms)


def _over_common_ring(items: Sequence[tuple[Ladder, int]]) -> list[tuple[Ladder, int]]:
    if len({ladder.generator for ladder, _ in items}) < 2:
        return list(items)
    ladders = over_one_ring([ladder.masses for ladder, _ in items])
    return [(ladder, power) for ladder, (_, power) in zip(ladders, items, strict=True)]


def _finite_rungs(ladder: Ladder) -> list[Rung]:
    return [(p, q) for p, q in ladder.rungs if p and q]


def _compose_directly(components: Sequence[tuple[Ladder, int]], limit_atoms: int) -> Ladder:
    """Multiply ladders out, merging by sorting after every product."""
    result: Ladder | None = None
    for ladder, power in sorted(components, key=lambda item: len(item[0])):
        square, left = ladder, power
        while True:
            if left & 1:
                result = square if result is None else result.tensor(square, limit_atoms=limit_atoms)
            left >>= 1
            if not left:
                break
            square = square.tensor(square, limit_atoms=limit_atoms)
    assert result is not None
    return result


def _compose_words(
    components: Sequence[tuple[Ladder, int]], cores: Sequence[list[Rung]], limit_atoms: int
) -> Ladder:
    powers = [power for _, power in components]
    null_total, alternative_total = _product_of_totals(components)
    generator = next((ladder.generator for ladder, _ in components if ladder.generator), None)
    null_core: RingElement = 1
    alternative_core: RingElement = 1
    for core, power in zip(cores, powers, strict=True):
        null_core = null_core * _raised(_total([p for p, _ in core]), power)
        alternative_core = alternative_core * _raised(_total([q for _, q in core]), power)
    rungs: list[Rung] = []
    if all(cores):
        rungs = _enumerate_words(cores, powers, null_total, limit_atoms)
    infinite, lost = alternative_total - alternative_core, null_total - null_core
    first: list[Rung] = [(0, infinite)] if infinite else []
    last: list[Rung] = [(lost, 0)] if lost else []
    return Ladder((*first, *rungs, *last), null_total, alternative_total, generator)


def _enumerate_words(
    cores: Sequence[list[Rung]], powers: Sequence[int], null_total: RingElement, limit_atoms: int
) -> list[Rung]:
    """Return the finite merged words in order of falling likelihood ratio."""
    keys, extents = _packed_keys(cores, powers)
    box = math.prod(extent + 1 for extent in extents)
    multisets = math.prod(
        math.comb(power + len(core) - 1, len(core) - 1)
        for core, power in zip(cores, powers, strict=True)
    )
    _refuse_above(min(box, multisets), null_total, limit_atoms)
    needs_logs = len(extents) > 1
    words: Words | None = None
    for core, power, core_keys in sorted(
        zip(cores, powers, keys, strict=True), key=lambda item: len(item[0]) * item[1]
    ):
        logs, error = _fixed_point_logs(core) if needs_logs else ([0] * len(core), 0)
        letters = sorted(
            (_Letter(key, p, q, log) for key, (p, q), log in zip(core_keys, core, logs, strict=True)),
            key=lambda letter: letter.key,
        )
        factor = _power(letters, power, error)
        words = factor if words is None else _convolve(words, factor, limit_atoms)
    assert words is not None
    if needs_logs:
        return _sorted_by_log(words)
    ordered = [(word.null, word.alternative) for _, word in sorted(words.items(), key=_key_of)]
    if len(ordered) > 1 and ordered[-1][1] * ordered[0][0] > ordered[0][1] * ordered[-1][0]:
        ordered.reverse()
    return ordered


def _refuse_above(atoms: int, null_total: RingElement, limit_atoms: int) -> None:
    bits = null_total.bit_length() if isinstance(null_total, int) else 0
    size = atoms * max(1, -(-bits // _WORD_BITS))
    if size > limit_atoms:
        detail = f" of {bits} bits, which count {size}" if size > atoms else ""
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


def _product_of_totals(
    components: Sequence[tuple[Ladder, int]],
) -> tuple[RingElement, RingElement]:
    null_total: RingElement = 1
    alternative_total: RingElement = 1
    for ladder, power in components:
        null_total = null_total * _raised(ladder.null_total, power)
        alternative_total = alternative_total * _raised(ladder.alternative_total, power)
    return null_total, alternative_total


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


# --- exponent vectors -------------------------------------------------------------------------


def _packed_keys(
    cores: Sequence[list[Rung]], powers: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """Return one integer for each atom such that equal sums over words mean equal ratios.

    Returns:
        The keys of each component, and for each packed coordinate its largest sum.
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
        stride *= extents[index] + 1
    return keys, [extents[index] for index in chosen]


def _lowest_terms(p: RingElement, q: RingElement) -> Rung:
    common = _ring_gcd(p, q)
    return exact_quotient(p, common), exact_quotient(q, common)


def _ring_gcd(first: RingElement, second: RingElement) -> RingElement:
    """Return the greatest common divisor, positive; both are in one ring."""
    if isinstance(first, int) or isinstance(second, int):
        assert isinstance(first, int) and isinstance(second, int)
        return math.gcd(first, second)
    return type(first).gcd(first, second)


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
                common = _ring_gcd(element, known)
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
    while _ring_gcd(element, divisor) == divisor:
        element = exact_quotient(element, divisor)
    return element


def _exponent(element: RingElement, divisor: RingElement) -> int:
    exponent = 0
    while _ring_gcd(element, divisor) == divisor:
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
        pivot = next((position for position, value in enumerate(row) if value), None)
        if pivot is not None:
            basis.append((pivot, [value / row[pivot] for value in row]))
            chosen.append(index)
    return chosen


# --- words ------------------------------------------------------------------------------------


def _key_of(item: tuple[int, _Word]) -> int:
    return item[0]


def _power(letters: Sequence[_Letter], power: int, log_error: int) -> Words:
    """Return all words of one length, merged by key; letters come by rising key.

    B = A^k satisfies A B' = k A' B; read as a recurrence it gives each coefficient of B from the
    earlier ones, exactly, at one multiplication for each letter.

    Source: Knuth 1997, The Art of Computer Programming 2, section 4.7 (Euler's recurrence).
    """
    first, steps = letters[0], letters[1:]
    words: Words = {}
    start = _Word(
        _raised(first.null, power),
        _raised(first.alternative, power),
        first.log_ratio * power,
        log_error * power,
    )
    pending: Words = {0: start}
    queue = [0]
    while queue:
        at = heappop(queue)
        null, alternative, log_ratio, width = pending.pop(at)
        if at:
            null = exact_quotient(null, first.null * at)
            alternative = exact_quotient(alternative, first.alternative * at)
        if not null:
            continue
        words[first.key * power + at] = _Word(null, alternative, log_ratio, width)
        for letter in steps:
            step = letter.key - first.key
            weight = power * step - at
            if not weight:
                continue
            target = at + step
            p, q = null * (letter.null * weight), alternative * (letter.alternative * weight)
            known = pending.get(target)
            if known is None:
                heappush(queue, target)
                # One letter more and one first letter less, each known up to log_error.
                log = log_ratio + letter.log_ratio - first.log_ratio - log_error
                pending[target] = _Word(p, q, log, width + 2 * log_error)
            else:
                pending[target] = _Word(known.null + p, known.alternative + q, *known[2:])
    return words


def _convolve(left: Words, right: Words, limit_atoms: int) -> Words:
    """Return the words that join one of each side, merged by key."""
    products = len(left) * len(right)
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
