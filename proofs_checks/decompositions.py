"""Definition E.3 of paper 1 read literally: all index sets, all orders of distances.

A carrier is an associative addition on some elements with a class for each pair of different
elements, such that an invariant metric is a value for each class. In a group any values in [1, 2]
are a metric, the triangle inequality being free; so only their order matters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from ..accounting.power import PowerFunction
from .fresh_rounds import FreshRounds, History, Table, histories
from .grids import power_of
from .literal import events

__all__ = [
    "CYCLIC_2",
    "INTEGERS",
    "WORDS",
    "Carrier",
    "Fit",
    "class_costs",
    "fit",
    "indexed_fit",
    "weak_orders",
]

Class = Hashable
Costs = Mapping[Class, PowerFunction]
_IDENTITY = PowerFunction.identity()


@dataclass(frozen=True)
class Carrier:
    """An addition, and when two pairs of elements must have the same distance.

    Args:
        name: What to call it.
        total: The aggregate of some inputs, in order.
        difference: The class of two different elements, as ordered.
        opposite: The class the other way round.
    """

    name: str
    total: Callable[[History], Any]
    difference: Callable[[Any, Any], Class]
    opposite: Callable[[Any], Class]

    def length(self, first: Any, second: Any) -> Class:
        """Return the class of two different elements for a metric, which is symmetric."""
        found = self.difference(first, second)
        return min(found, self.opposite(found), key=repr)


def _stripped(first: History, second: History) -> tuple[History, History]:
    """Remove the common beginning and the common end of two different words of one length."""
    start = next(i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
    end = len(first)
    while first[end - 1] == second[end - 1]:
        end -= 1
    return first[start:end], second[start:end]


def _sum(inputs: Any) -> int:
    return sum(inputs)


INTEGERS = Carrier("Z", _sum, lambda a, b: a - b, lambda v: -v)
CYCLIC_2 = Carrier("Z_2", lambda inputs: _sum(inputs) % 2, lambda a, b: 1, lambda v: v)
WORDS = Carrier("words", lambda inputs: inputs, _stripped, lambda v: (v[1], v[0]))
"""Words under concatenation; no carrier fits more mechanisms (Definition E.3 (every carrier))."""


@cache
def weak_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """Return all ways to rank some things from 1 on, ties allowed.

    Example:
        >>> [len(weak_orders(count)) for count in range(1, 5)]
        [1, 3, 13, 75]
    """
    found: list[tuple[int, ...]] = []
    for ranks in product(range(1, count + 1), repeat=count):
        if set(ranks) == set(range(1, max(ranks, default=0) + 1)):
            found.append(ranks)
    return tuple(found)


@cache
def class_costs(
    table: Table, inputs: History, chosen: tuple[int, ...], carrier: Carrier, signed: bool = False
) -> Costs | None:
    """Return what each class costs in one round, or None if a cost is no function of its class.

    Args:
        table: The laws of the round.
        inputs: The input alphabet.
        chosen: I_t, as positions from 0.
        carrier: The addition.
        signed: Keep the difference as ordered (Remark E.5); otherwise its length.
    """
    length = next(n for n in range(1, 9) if len(inputs) ** n >= len(table))
    totals = [
        carrier.total(tuple(history[i] for i in chosen)) for history in histories(inputs, length)
    ]
    classify = carrier.difference if signed else carrier.length
    costs: dict[Class, PowerFunction] = {}
    for (first, law0), (second, law1) in product(zip(totals, table, strict=True), repeat=2):
        cost = power_of(law0, law1)
        if first == second:
            if cost != _IDENTITY:
                return None
        elif costs.setdefault(classify(first, second), cost) != cost:
            return None
    return costs


@dataclass(frozen=True)
class Fit:
    """What makes a mechanism quantitatively decomposable.

    Args:
        index_sets: I_t for each round, positions from 1.
        costs: g_t for each round, by the class of a difference.
        ranks: The order of the distances of all classes; empty for Remark E.5.
    """

    index_sets: tuple[tuple[int, ...], ...]
    costs: tuple[Costs, ...]
    ranks: Mapping[Class, int]


Option = tuple[tuple[int, ...], Costs]


def _options(mechanism: FreshRounds, carrier: Carrier, signed: bool) -> list[list[Option]]:
    """Return, for each round, the index sets for which costs are functions of classes."""
    found: list[list[Option]] = []
    for number, table in enumerate(mechanism.rounds, 1):
        tried = (
            (chosen, class_costs(table, mechanism.inputs, chosen, carrier, signed))
            for chosen in events(number)
        )
        found.append([(chosen, costs) for chosen, costs in tried if costs is not None])
    return found


@cache
def fit(
    mechanism: FreshRounds, carrier: Carrier, *, orders: tuple[tuple[int, ...], ...] | None = None
) -> Fit | None:
    """Decide Definition E.3 for one carrier; the mechanism's inputs are elements of it.

    Args:
        mechanism: The one-round laws.
        carrier: The addition.
        orders: Ranks of the classes, sorted by their texts, to try; by default all weak orders.

    Example:
        >>> from fractions import Fraction
        >>> def noisy(shift): return tuple(Fraction(shift <= i <= shift + 1, 2) for i in range(4))
        >>> sums = tuple(noisy(sum(x)) for x in histories((0, 1), 2))
        >>> fit(FreshRounds((0, 1), ((noisy(0), noisy(1)), sums)), INTEGERS).index_sets
        ((1,), (1, 2))
    """
    options = _options(mechanism, carrier, False)
    classes = sorted(
        {each for round_ in options for _, costs in round_ for each in costs}, key=repr
    )
    if not all(options):
        return None
    for order in weak_orders(len(classes)) if orders is None else orders:
        ranks = dict(zip(classes, order, strict=False))
        chosen = [next((o for o in round_ if _monotone(o[1], ranks)), None) for round_ in options]
        found = [option for option in chosen if option is not None]
        if len(found) == len(options):
            return Fit(_named(found), tuple(costs for _, costs in found), ranks)
    return None


def _named(options: Sequence[Option]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(position + 1 for position in chosen) for chosen, _ in options)


def _monotone(costs: Costs, ranks: Mapping[Class, int]) -> bool:
    """Return whether costs are a non-decreasing function of the rank."""
    return all(
        costs[first] <= costs[second]
        and (ranks[first] < ranks[second] or costs[first] == costs[second])
        for first, second in product(costs, repeat=2)
        if ranks[first] <= ranks[second]
    )


@cache
def indexed_fit(mechanism: FreshRounds, carrier: Carrier) -> Fit | None:
    """Decide the variant of Remark E.5: costs are functions of the difference itself."""
    options = _options(mechanism, carrier, True)
    if not all(options):
        return None
    found = [round_[0] for round_ in options]
    return Fit(_named(found), tuple(costs for _, costs in found), {})
