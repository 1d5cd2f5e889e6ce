"""Condition 4, context stability: what one changed input costs, whatever the common inputs are.

For every round t, position tau <= t and ordered pair (u, u') the two laws of the core of round t
must have one and the same power function in every common context. That is what the proof of
Theorem E.4 uses; Definition E.3 is a special case.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ...accounting.errors import LimitError
from ...accounting.numbers import Exact
from ...accounting.power import PowerFunction
from ...accounting.profile import PrivacyProfile
from ..curve import Edges, Mass, merged
from ..limits import Clock
from ..relation_graph import RelationGraph
from ..solver import pair_of
from .fresh import KeyGraph

__all__ = [
    "NO_COST",
    "Change",
    "Curves",
    "Instability",
    "Stability",
    "context_stability",
    "later_context_stability",
]

# The curve of two equal laws.
NO_COST: Final[Edges] = ((1, 1),)


class Curves:
    """Power functions of pairs of laws, in a form in which equal ones are equal tuples."""

    def __init__(self, graph: KeyGraph) -> None:
        """Start with none computed."""
        self._ring = graph.ring
        self._laws = [dict(law) for law in graph.laws]
        self._known: dict[tuple[int, int], Edges] = {}
        self._shared: dict[Edges, Edges] = {}
        self._powers: dict[Edges, PowerFunction] = {}

    def of(self, first: int, second: int) -> Edges:
        """Return the curve of two laws (world 0, world 1), each world scaled to be primitive.

        Equal curves are one object, so that comparing them is quick.
        """
        known = self._known.get((first, second))
        if known is None:
            curve = (
                self._computed(self._laws[first], self._laws[second])
                if first != second
                else NO_COST
            )
            known = self._known[first, second] = self._shared.setdefault(curve, curve)
        return known

    def _computed(self, first: Mapping[int, Mass], second: Mapping[int, Mass]) -> Edges:
        cores = dict.fromkeys((*first, *second))
        edges = merged([(((first.get(core, 0), second.get(core, 0)),), 1, 1) for core in cores])
        ring = self._ring
        scale0, scale1 = (ring.gcd(edge[world] for edge in edges) for world in (0, 1))
        return tuple((ring.quotient(n0, scale0), ring.quotient(n1, scale1)) for n0, n1 in edges)

    def power(self, edges: Edges) -> PowerFunction:
        """Return the power function of a curve: world 0 against null world 1."""
        if edges not in self._powers:
            self._powers[edges] = pair_of(edges, self._ring).power_function()
        return self._powers[edges]


@dataclass(frozen=True)
class Change:
    """One changed input: (u, u') of one position."""

    position: int
    inputs: tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Instability:
    """Two common contexts in which one changed input costs differently.

    Args:
        round: The round of the core.
        change: The changed input.
        contexts: The common inputs of the other rounds up to ``round``, in the two contexts.
        exp_epsilon: An e^epsilon >= 1 at which the one-round profiles differ.
        order: "0-1" if the deltas are of world 0 against world 1, "1-0" if the worlds swap.
        deltas: The one-round deltas there, in the two contexts.
    """

    round: int
    change: Change
    contexts: tuple[tuple[Hashable, ...], tuple[Hashable, ...]]
    exp_epsilon: Exact
    order: Literal["0-1", "1-0"]
    deltas: tuple[Exact, Exact]


@dataclass(frozen=True)
class Stability:
    """The stable costs: for each round and change, the one curve of all contexts."""

    costs: Mapping[tuple[int, Change], Edges]


@dataclass(frozen=True)
class _Group:
    """Contexts whose costs must agree: those of one change, perhaps from one place on only."""

    change: Change
    before: tuple[int, int] | None


# A node of the walk: (position of the relation, key of world 0, key of world 1, group).
_Node = tuple[int, int, int, _Group | None]


@dataclass
class _Seen:
    """The first context in which a change showed its cost."""

    curve: Edges
    depth: int
    node: _Node
    pair: tuple[Hashable, Hashable]


@dataclass
class _PairWalk:
    """All pairs of streams with at most one difference, merged on their keys.

    ``narrow`` compares only contexts that agree up to the changed input. Once both worlds have the
    same key again, no later round costs anything in that context: it is settled, and not walked on.
    """

    graph: RelationGraph
    keys: KeyGraph
    curves: Curves
    clock: Clock
    narrow: bool
    costs: dict[tuple[int, _Group], _Seen] = field(
        default_factory=dict[tuple[int, _Group], "_Seen"]
    )
    settled: dict[_Group, _Seen] = field(default_factory=dict[_Group, "_Seen"])
    parents: list[dict[_Node, tuple[_Node, tuple[Hashable, Hashable]] | None]] = field(
        default_factory=list[dict[_Node, "tuple[_Node, tuple[Hashable, Hashable]] | None"]]
    )
    count: int = 0

    def run(self) -> Instability | None:
        """Walk to the horizon; stop at the first change whose cost depends on the context."""
        root = self.keys.root
        self.parents.append({(self.graph.start, root, root, None): None})
        for depth in range(self.graph.horizon):
            found = self._round(depth)
            if found is not None:
                return found
        return None

    def _round(self, depth: int) -> Instability | None:
        following: dict[_Node, tuple[_Node, tuple[Hashable, Hashable]] | None] = {}
        table = self.keys.layers[depth]
        for node in self.parents[depth]:
            position, key0, key1, group = node
            for arc in self.graph.arcs[depth][position]:
                pair = arc.input0, arc.input1
                edge0, edge1 = table[key0][pair[0]], table[key1][pair[1]]
                after = group
                if group is None and pair[0] != pair[1]:
                    before = (position, key0) if self.narrow else None
                    after = _Group(Change(depth + 1, pair), before)
                here = _Seen(self.curves.of(edge0.law, edge1.law), depth, node, pair)
                if after is None or edge0.target != edge1.target:
                    following.setdefault(
                        (arc.target, edge0.target, edge1.target, after), (node, pair)
                    )
                else:
                    self.settled.setdefault(after, here)
                if after is not None:
                    other = self._other_cost(after, here)
                    if other is not None:
                        return self._instability(other, here, after.change)
        self.parents.append(following)
        self.count += len(following)
        self.clock.report("comparing contexts", depth + 1, self.graph.horizon)
        _check(self.count, self.clock)
        return None

    def _other_cost(self, group: _Group, here: _Seen) -> _Seen | None:
        """Return an earlier context of the group in which this round costs something else."""
        seen = self.costs.setdefault((here.depth + 1, group), here)
        if seen.curve != here.curve:
            return seen
        settled = self.settled.get(group)
        if here.curve != NO_COST and settled is not None and settled.depth < here.depth:
            return settled
        return None

    def _instability(self, first: _Seen, second: _Seen, change: Change) -> Instability:
        # A context that was settled in an earlier round costs nothing in this one.
        curve = first.curve if first.depth == second.depth else NO_COST
        gamma, order, deltas = self._told_apart(curve, second.curve)
        contexts = tuple(
            tuple(
                item
                for number, (item, _) in enumerate(self._stream(seen, second.depth), 1)
                if number != change.position
            )
            for seen in (first, second)
        )
        return Instability(
            second.depth + 1, change, (contexts[0], contexts[1]), gamma, order, deltas
        )

    def _stream(self, seen: _Seen, last: int) -> list[tuple[Hashable, Hashable]]:
        """Read the streams back from a context, and continue them to a round in any legal way."""
        pairs = [seen.pair]
        node = seen.node
        for depth in range(seen.depth, 0, -1):
            step = self.parents[depth][node]
            assert step is not None
            node, pair = step
            pairs.append(pair)
        pairs.reverse()
        position, pair = seen.node[0], seen.pair
        for depth in range(seen.depth, last):
            arcs = self.graph.arcs[depth][position]
            position = next(arc.target for arc in arcs if (arc.input0, arc.input1) == pair)
            arc = self.graph.arcs[depth + 1][position][0]
            pair = arc.input0, arc.input1
            pairs.append(pair)
        return pairs

    def _told_apart(
        self, first: Edges, second: Edges
    ) -> tuple[Exact, Literal["0-1", "1-0"], tuple[Exact, Exact]]:
        """Return an e^epsilon >= 1, 1 if possible, and the order, where two curves differ in delta."""
        straight = [self.curves.power(edges).profile() for edges in (first, second)]
        orders: tuple[tuple[Literal["0-1", "1-0"], list[PrivacyProfile]], ...] = (
            ("0-1", straight),
            ("1-0", [profile.swapped() for profile in straight]),
        )
        for order, profiles in orders:
            knots = sorted({gamma for profile in profiles for gamma, _ in profile.breakpoints})
            for gamma in (Exact(1), *(knot for knot in knots if knot > 1)):
                deltas = [profile.delta(exp_epsilon=gamma) for profile in profiles]
                if deltas[0] != deltas[1]:
                    return gamma, order, (deltas[0], deltas[1])
        raise AssertionError("different curves have different profiles")


def _check(count: int, clock: Clock) -> None:
    if count > clock.limits.nodes:
        raise LimitError(
            f"more than {clock.limits.nodes} pairs of laws",
            where="Checklist 1, condition 4",
            expected="raise --limit-nodes",
        )
    if clock.expired:
        raise LimitError(
            "time limit reached", where="Checklist 1, condition 4", expected="raise --limit-seconds"
        )


def context_stability(
    graph: RelationGraph, keys: KeyGraph, curves: Curves, clock: Clock
) -> Stability | Instability:
    """Decide whether one changed input costs the same in all common contexts.

    Guarantee: exact, for all legal pairs that differ in at most one round, up to the horizon.

    Args:
        graph: Pairs of streams, each with at most one difference.
        keys: The laws of the cores, which exist where condition 2 holds.
        curves: Where curves are kept.
        clock: Limits.

    Raises:
        LimitError: There are more pairs of keys than ``limits.nodes``, or the time is over.

    Source: the proof of Theorem E.4 of the buffering-recipe paper.
    """
    walk = _PairWalk(graph, keys, curves, clock, narrow=False)
    found = walk.run()
    if found is not None:
        return found
    return Stability(
        {(number, group.change): seen.curve for (number, group), seen in walk.costs.items()}
    )


def later_context_stability(
    graph: RelationGraph, keys: KeyGraph, curves: Curves, clock: Clock
) -> Instability | None:
    """Decide whether the common inputs after a changed one leave its cost alone.

    Weaker than ``context_stability``: the inputs before the change may set its cost. An adversary
    chooses those before the worlds differ, so what it sees until then tells it nothing, and the
    worst adaptive choice is a fixed one (docs/proofs/checklist.md).

    Guarantee: exact; where it returns None, and condition 2 holds, no adaptive adversary has a
    larger delta at any epsilon than the worst fixed pair of streams.

    Raises:
        LimitError: As ``context_stability``.
    """
    return _PairWalk(graph, keys, curves, clock, narrow=True).run()
