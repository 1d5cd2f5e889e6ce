"""Products of ladders with multiplicities, their size estimated before the work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING

from .errors import LimitError
from .exponent_vectors import packed_keys
from .ladder import DEFAULT_LIMIT_ATOMS, Ladder, over_one_ring, quotient
from .numbers import Exact
from .words import Component, Letter, Word, all_words, raised

if TYPE_CHECKING:
    from .ladder import RingElement, Rung
    from .words import Words

__all__ = ["compose_ladders"]

_WORD_BITS = 2048
"""An atom counts once for each so many bits of its masses, so the limit bounds memory too."""

_FEWEST_LONG_ATOMS = 256
"""Numbers beyond one machine-friendly length cost time even where they are few."""

_LOG_BITS = 256


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
        null_total = null_total * raised(ladder.null_total, power)
        alternative_total = alternative_total * raised(ladder.alternative_total, power)
        null_core = null_core * raised(_total([p for p, _ in core]), power)
        alternative_core = alternative_core * raised(_total([q for _, q in core]), power)
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
    components: list[Component] = []
    for index, (core, power) in enumerate(zip(cores, powers, strict=True)):
        logs, error = _fixed_point_logs(core) if needs_logs else ([0] * len(core), 0)
        letters = sorted(
            (
                Letter(key, p, q, log)
                for key, (p, q), log in zip(keys[index], core, logs, strict=True)
            ),
            key=lambda letter: letter.key,
        )
        reach = tuple(power * span for span in spans[index])
        components.append(Component(tuple(letters), power, error, reach))
    words = all_words(components, limit_atoms)
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


def _key_of(item: tuple[int, Word]) -> int:
    return item[0]


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

    def compare(left: Word, right: Word) -> int:
        if abs(left.log_ratio - right.log_ratio) > slack:
            return -1 if left.log_ratio > right.log_ratio else 1
        return -1 if left.alternative * right.null > right.alternative * left.null else 1

    rough = sorted(words.values(), key=lambda word: word.log_ratio, reverse=True)
    return [(word.null, word.alternative) for word in sorted(rough, key=cmp_to_key(compare))]
