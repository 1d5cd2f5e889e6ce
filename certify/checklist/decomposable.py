"""Condition 4 as printed: Definition E.3, decided for one aggregate after another.

No search over index sets is needed: I_t is the set of positions whose change alters the law of the
core of round t. (A larger set would make every difference that some other position shows cost
nothing, so no position would matter.) Given an aggregate, a metric exists exactly when costs depend
on differences only, are the same both ways, can be compared in every round, and their strict
orders over all rounds form no cycle; the triangle inequality is free, with all distances in [1, 2].
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, cmp_to_key
from typing import Literal

from ...accounting.errors import LimitError
from ..curve import Edges
from ..limits import Clock
from ..relation_graph import RelationGraph
from .aggregates import Aggregate, candidate_aggregates, fitted, saturating
from .fresh import KeyGraph
from .stability import NO_COST, Change, Curves, Instability, Stability, context_stability
from .streams import StreamGraph

__all__ = ["Attempt", "Decomposition", "decomposition", "index_sets"]

Difference = Literal["metric", "signed", "vector", "group", "position-tagged"]
_Inputs = tuple[Hashable, ...]

# Atoms compared for each law that the limit allows: a few seconds by default.
_ATOMS = 10


@dataclass(frozen=True)
class Attempt:
    """One reading of Definition E.3, tried.

    Args:
        aggregate: The name of the addition.
        difference: "metric" is Definition E.3 as printed; "signed", "vector" and "group" keep the
            difference itself (Remark E.5); "position-tagged" also keeps the changed position.
        passed: Whether the core fits; None if that was not decided.
        reason: Why not, with the witness.
    """

    aggregate: str
    difference: Difference
    passed: bool | None
    reason: str = ""


@dataclass(frozen=True)
class Decomposition:
    """What is known of Definition E.3.

    Args:
        index_sets: I_t for each round t.
        attempts: What was tried, in order.
    """

    index_sets: tuple[tuple[int, ...], ...]
    attempts: tuple[Attempt, ...]

    def passing(self, *differences: str) -> Attempt | None:
        """Return the first attempt of these kinds that fits."""
        return next((a for a in self.attempts if a.passed and a.difference in differences), None)


def index_sets(graph: RelationGraph, keys: KeyGraph, clock: Clock) -> tuple[tuple[int, ...], ...]:
    """Return, for each round, the positions whose change alters the law of its core.

    Args:
        graph: All pairs of legal streams with at most one difference.
        keys: The laws of the cores.
        clock: Limits.

    Raises:
        LimitError: There are more pairs of keys than ``limits.nodes``.
    """
    found: list[tuple[int, ...]] = []
    nodes: set[tuple[int, int, int, int]] = {(graph.start, keys.root, keys.root, 0)}
    for depth in range(graph.horizon):
        table = keys.layers[depth]
        following: set[tuple[int, int, int, int]] = set()
        positions: set[int] = set()
        for place, key0, key1, changed in nodes:
            for arc in graph.arcs[depth][place]:
                edge0, edge1 = table[key0][arc.input0], table[key1][arc.input1]
                position = changed or (depth + 1 if arc.input0 != arc.input1 else 0)
                if position and edge0.law != edge1.law:
                    positions.add(position)
                if not position or edge0.target != edge1.target:
                    following.add((arc.target, edge0.target, edge1.target, position))
        _require(len(following), clock.limits.nodes, "pairs of laws", clock)
        found.append(tuple(sorted(positions)))
        nodes = following
    return tuple(found)


def decomposition(
    streams: StreamGraph,
    graph: RelationGraph,
    keys: KeyGraph,
    curves: Curves,
    clock: Clock,
    aggregates: Sequence[Aggregate] | None = None,
    stable: Stability | Instability | LimitError | None = None,
) -> Decomposition:
    """Decide Definition E.3 and its variants, for each of some aggregates.

    Guarantee: exact for each aggregate tried, over all legal streams up to the horizon. Groups are
    not searched for: a failure says that no aggregate tried fits.

    Args:
        streams: The legal streams.
        graph: All pairs of legal streams with at most one difference.
        keys: The laws of the cores.
        curves: Where power functions are kept.
        clock: Limits.
        aggregates: What to try; by default what suits the inputs.
        stable: What is known of context stability over ``graph``, to save deciding it again.

    Raises:
        LimitError: The index sets could not be found within the limits.

    Source: Definitions E.2 and E.3, Remark E.5 of the buffering-recipe paper.
    """
    sets = index_sets(graph, keys, clock)
    alphabet = _alphabet(streams, sets)
    if aggregates is None:
        tried = candidate_aggregates(alphabet)
    else:
        tried = tuple(fitted(aggregate, alphabet) for aggregate in aggregates)
    if stable is None:
        stable = _stable(graph, keys, curves, clock)
    search = _Search(streams, keys, curves, clock, sets)
    attempts: list[Attempt] = []
    for aggregate in tried:
        attempts += search.attempts(aggregate)
        if not aggregate.refusal:
            attempts.append(_tagged(aggregate, stable))
    if aggregates is None and not any(attempt.passed for attempt in attempts):
        attempts += search.saturated()
    if any(len(layer) > 1 for layer in streams.moves):
        attempts = [_open(attempt) for attempt in attempts]
    return Decomposition(sets, tuple(attempts))


def _open(attempt: Attempt) -> Attempt:
    """Take a failure back where not every combination of inputs is legal.

    Positions that never change alone then cannot be told to matter or not, so that other index
    sets may fit.
    """
    if attempt.passed is not False or attempt.difference == "position-tagged":
        return attempt
    reason = (
        "not every combination of inputs is legal, so other index sets may fit; with the positions "
        f"that change a law alone: {attempt.reason}"
    )
    return replace(attempt, passed=None, reason=reason)


def _require(count: int, limit: int, what: str, clock: Clock) -> None:
    if count > limit:
        raise LimitError(
            f"more than {limit} {what}",
            where="Definition E.3",
            expected="raise --limit-nodes or --limit-laws",
        )
    if clock.expired:
        raise LimitError(
            "time limit reached", where="Definition E.3", expected="raise --limit-seconds"
        )


def _alphabet(streams: StreamGraph, sets: Sequence[tuple[int, ...]]) -> _Inputs:
    """Return the inputs that are legal at some position that matters."""
    matter = sorted({position for positions in sets for position in positions})
    return tuple(
        dict.fromkeys(
            item
            for position in matter
            for moves in streams.moves[position - 1]
            for item, _ in moves
        )
    )


def _stable(
    graph: RelationGraph, keys: KeyGraph, curves: Curves, clock: Clock
) -> Stability | Instability | LimitError:
    try:
        return context_stability(graph, keys, curves, clock)
    except LimitError as error:
        return error


def _tagged(aggregate: Aggregate, stable: Stability | Instability | LimitError) -> Attempt:
    """Try differences that carry their position: what weighted sums and joint trees need."""
    name = aggregate.name
    if isinstance(stable, LimitError):
        return Attempt(name, "position-tagged", None, str(stable))
    if isinstance(stable, Instability):
        return Attempt(
            name,
            "position-tagged",
            False,
            f"round {stable.round}: the cost of changing position {stable.change.position} "
            "depends on the common inputs",
        )
    known: dict[tuple[int, int, Hashable], tuple[Edges, Change]] = {}
    for (number, change), curve in stable.costs.items():
        elements = [aggregate.embed(item) for item in change.inputs]
        if None in elements:
            # Inputs that stand for no element may only occur where they change nothing.
            if curve == NO_COST:
                continue
            return Attempt(name, "position-tagged", False, _no_element(change.inputs, aggregate))
        key = number, change.position, aggregate.difference(*elements)
        first = known.setdefault(key, (curve, change))
        if first[0] != curve:
            return Attempt(
                name,
                "position-tagged",
                False,
                f"round {number}, position {change.position}: changes {_arrow(first[1].inputs)} "
                f"and {_arrow(change.inputs)} have the same difference and different costs",
            )
    return Attempt(name, "position-tagged", True)


def _arrow(inputs: tuple[Hashable, Hashable]) -> str:
    return f"{inputs[0]} to {inputs[1]}"


def _no_element(inputs: _Inputs, aggregate: Aggregate) -> str:
    lacking = next(item for item in inputs if aggregate.embed(item) is None)
    return f"the input {lacking} stands for no element of {aggregate.name}"


class _NoFit(Exception):
    """An aggregate does not fit; the message is the reason."""


@dataclass
class _Search:
    """The laws of the cores as functions of aggregates, and what their differences cost."""

    streams: StreamGraph
    keys: KeyGraph
    curves: Curves
    clock: Clock
    sets: tuple[tuple[int, ...], ...]

    @cached_property
    def reached(self) -> list[dict[tuple[int, int], _Inputs]]:
        """The places and keys before each round, with inputs that lead there."""
        layers: list[dict[tuple[int, int], _Inputs]] = [{(self.streams.start, self.keys.root): ()}]
        for depth in range(self.streams.horizon - 1):
            following: dict[tuple[int, int], _Inputs] = {}
            for (place, key), inputs in layers[-1].items():
                for item, target in self.streams.moves[depth][place]:
                    edge = self.keys.layers[depth][key][item]
                    following.setdefault((target, edge.target), (*inputs, item))
            layers.append(following)
        return layers

    def attempts(self, aggregate: Aggregate) -> list[Attempt]:
        """Try the difference of an aggregate, and a metric."""
        name, kind = aggregate.name, aggregate.kind
        try:
            laws = [self._laws(number, aggregate) for number in range(1, len(self.sets) + 1)]
            if aggregate.refusal:
                return [Attempt(name, "metric", False, aggregate.refusal)]
            costs = [self._costs(number, table, aggregate) for number, table in enumerate(laws, 1)]
        except _NoFit as misfit:
            return [Attempt(name, each, False, str(misfit)) for each in ("metric", kind)]
        except LimitError as error:
            return [Attempt(name, each, None, str(error)) for each in ("metric", kind)]
        reason = self._metric_fails(costs, aggregate)
        return [Attempt(name, "metric", not reason, reason), Attempt(name, kind, True)]

    def saturated(self) -> list[Attempt]:
        """Say so where the core is a function of a saturating sum."""
        alphabet = _alphabet(self.streams, self.sets)
        largest = [saturating(10**6).embed(item) for item in alphabet]
        numbers = [number for number in largest if isinstance(number, int)]
        if len(numbers) < len(alphabet) or not numbers:
            return []
        for cap in range(1, min(max(numbers) * max(map(len, self.sets)), 64)):
            found = self.attempts(saturating(cap))
            if found[0].reason == saturating(cap).refusal:
                return found
        return []

    def _laws(self, number: int, aggregate: Aggregate) -> dict[Hashable, tuple[int, _Inputs]]:
        """Return the law of a round's core for each aggregate, with inputs that lead to it."""
        chosen = frozenset(self.sets[number - 1])
        # Before the first position that matters, nothing is added up.
        first = min(chosen, default=number) - 1
        nodes: dict[tuple[int, int, Hashable], _Inputs] = {
            (place, key, aggregate.zero): inputs
            for (place, key), inputs in self.reached[first].items()
        }
        laws: dict[Hashable, tuple[int, _Inputs]] = {}
        for depth in range(first, number):
            following: dict[tuple[int, int, Hashable], _Inputs] = {}
            for (place, key, total), inputs in nodes.items():
                for item, target in self.streams.moves[depth][place]:
                    element = total
                    if depth + 1 in chosen:
                        own = aggregate.embed(item)
                        if own is None:
                            raise _NoFit(_no_element((item,), aggregate))
                        element = aggregate.add(total, own)
                    edge = self.keys.layers[depth][key][item]
                    history = (*inputs, item)
                    if depth + 1 == number:
                        self._note(laws, number, element, edge.law, history)
                    else:
                        following.setdefault((target, edge.target, element), history)
            _require(
                len(following), self.clock.limits.nodes, "pairs of law and aggregate", self.clock
            )
            nodes = following
        return laws

    def _note(
        self,
        laws: dict[Hashable, tuple[int, _Inputs]],
        number: int,
        element: Hashable,
        law: int,
        history: _Inputs,
    ) -> None:
        known = laws.setdefault(element, (law, history))
        if known[0] != law:
            raise _NoFit(
                f"round {number}: inputs {_joined(known[1])} and {_joined(history)} have the same "
                f"aggregate {element} over positions {_listed(self.sets[number - 1])} and different laws"
            )

    def _costs(
        self, number: int, laws: Mapping[Hashable, tuple[int, _Inputs]], aggregate: Aggregate
    ) -> dict[Hashable, Edges]:
        """Return what each difference costs in a round."""
        atoms = 2 * len(laws) * sum(len(self.keys.laws[law]) for law, _ in laws.values())
        _require(atoms, _ATOMS * self.clock.limits.laws, "atoms in pairs of laws", self.clock)
        costs: dict[Hashable, tuple[Edges, _Inputs, _Inputs]] = {}
        for (one, (law1, inputs1)), (two, (law2, inputs2)) in itertools.product(
            laws.items(), repeat=2
        ):
            _require(0, 0, "", self.clock)
            curve = self.curves.of(law1, law2)
            difference = aggregate.difference(one, two)
            known = costs.setdefault(difference, (curve, inputs1, inputs2))
            if known[0] != curve:
                raise _NoFit(
                    f"round {number}: {_joined(known[1])} against {_joined(known[2])} and "
                    f"{_joined(inputs1)} against {_joined(inputs2)} have the same difference "
                    f"{difference} and different costs"
                )
        return {difference: curve for difference, (curve, _, _) in costs.items()}

    def _metric_fails(self, costs: Sequence[Mapping[Hashable, Edges]], aggregate: Aggregate) -> str:
        """Return why no metric orders the differences as their costs do, or ""."""
        below: dict[Hashable, set[Hashable]] = {}
        for number, table in enumerate(costs, 1):
            lengths: dict[Hashable, Edges] = {}
            for difference, curve in table.items():
                opposite = aggregate.inverse_of(difference)
                if table.get(opposite, curve) != curve:
                    return (
                        f"round {number}: differences {difference} and {opposite} have the same "
                        "length and different costs"
                    )
                lengths[min((difference, opposite), key=repr)] = curve
            try:
                order = self._ordered(lengths)
            except _NoFit as misfit:
                return f"round {number}: {misfit}"
            self._note_order(order, lengths, below)
        cycle = _cycle(below)
        return cycle and f"the costs of different rounds order the differences in a circle: {cycle}"

    def _ordered(self, lengths: Mapping[Hashable, Edges]) -> list[Hashable]:
        def compare(one: Hashable, two: Hashable) -> int:
            return self._compare(lengths, one, two)

        return sorted(lengths, key=cmp_to_key(compare))

    def _note_order(
        self,
        order: Sequence[Hashable],
        lengths: Mapping[Hashable, Edges],
        below: dict[Hashable, set[Hashable]],
    ) -> None:
        groups = [list(group) for _, group in itertools.groupby(order, key=lambda v: lengths[v])]
        for lower, upper in itertools.pairwise(groups):
            for shorter, longer in itertools.product(lower, upper):
                below.setdefault(shorter, set()).add(longer)

    def _compare(self, lengths: Mapping[Hashable, Edges], one: Hashable, two: Hashable) -> int:
        if lengths[one] == lengths[two]:
            return 0
        first, second = self.curves.power(lengths[one]), self.curves.power(lengths[two])
        if first <= second:
            return -1
        if second <= first:
            return 1
        raise _NoFit(f"the costs of differences {one} and {two} cannot be compared")


def _cycle(below: Mapping[Hashable, set[Hashable]]) -> str:
    """Return a circle of strict orders as text, or ""."""
    done: set[Hashable] = set()
    for root in below:
        path: dict[Hashable, None] = {}
        stack: list[tuple[Hashable, list[Hashable]]] = [(root, list(below.get(root, ())))]
        path[root] = None
        while stack:
            node, rest = stack[-1]
            if not rest:
                stack.pop()
                del path[node]
                done.add(node)
                continue
            after = rest.pop()
            if after in path:
                listed = list(path)
                return " < ".join(map(str, (*listed[listed.index(after) :], after)))
            if after not in done:
                path[after] = None
                stack.append((after, list(below.get(after, ()))))
    return ""


def _joined(inputs: _Inputs) -> str:
    return "|".join(map(str, inputs))


def _listed(positions: tuple[int, ...]) -> str:
    return "[" + ",".join(map(str, positions)) + "]"
