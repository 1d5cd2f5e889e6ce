"""Which (round, state, input) an adversary can reach, so that nothing else needs a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..accounting.errors import LimitError
from .relation_graph import RelationGraph

__all__ = ["Reach", "legal_inputs", "reach"]

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Reach(Generic[State]):
    """What a walk over all legal pairs met.

    Args:
        missing: (round, state, input) that can be reached and has no transition, in walking order.
        used: All (round, state, input) that can be reached.
    """

    missing: tuple[tuple[int, State, Hashable], ...]
    used: frozenset[tuple[int, State, Hashable]]


def reach(
    graph: RelationGraph,
    start: Collection[State],
    after: Callable[[int, State, Hashable], Iterable[State] | None],
    *,
    limit: int,
    what: str,
) -> Reach[State]:
    """Walk relation and mechanism side by side, for each world apart.

    An adversary can play any legal path whatever it sees, so in each world a state is reachable
    exactly when some legal path leads there with positive probability.

    Args:
        graph: The relation, unrolled.
        start: States of positive probability before round 1.
        after: (round, state, input) to the states of positive probability after it; None where
            there is no transition.
        limit: Most (position of the relation, state) that are visited, over all rounds.
        what: Names them in the message of the limit.

    Raises:
        LimitError: More than ``limit`` are reachable.
    """
    missing: dict[tuple[int, State, Hashable], None] = {}
    used: set[tuple[int, State, Hashable]] = set()
    visited = 0
    worlds: tuple[dict[int, set[State]], dict[int, set[State]]] = (
        {graph.start: set(start)},
        {graph.start: set(start)},
    )
    for index, layer in enumerate(graph.arcs):
        known: dict[tuple[State, Hashable], tuple[State, ...]] = {}
        following: tuple[dict[int, set[State]], dict[int, set[State]]] = ({}, {})
        for world, states_at in enumerate(worlds):
            for position in sorted(states_at):
                states = states_at[position]
                visited += len(states)
                if visited > limit:
                    raise LimitError(
                        f"more than {limit} {what} can be reached",
                        where=f"round {index + 1}",
                        expected="raise --limit-rows to check them all",
                    )
                for arc in layer[position]:
                    item = arc.input1 if world else arc.input0
                    targets = following[world].setdefault(arc.target, set())
                    for state in sorted(states, key=repr):
                        key = (state, item)
                        if key not in known:
                            triple = (index + 1, state, item)
                            used.add(triple)
                            found = after(*triple)
                            if found is None:
                                missing[triple] = None
                            known[key] = () if found is None else tuple(found)
                        targets.update(known[key])
        worlds = following
    return Reach(tuple(missing), frozenset(used))


def legal_inputs(graph: RelationGraph, *, limit: int) -> dict[tuple[Hashable, ...], None] | None:
    """Return every input stream that is half of a legal pair, or None if there are too many.

    Args:
        graph: The relation, unrolled.
        limit: Most streams, also among the prefixes of one length.
    """
    everything: dict[tuple[Hashable, ...], None] = {}
    for world in (0, 1):
        prefixes: dict[tuple[Hashable, ...], set[int]] = {(): {graph.start}}
        for layer in graph.arcs:
            longer: dict[tuple[Hashable, ...], set[int]] = {}
            for prefix, positions in prefixes.items():
                for position in sorted(positions):
                    for arc in layer[position]:
                        item = arc.input1 if world else arc.input0
                        longer.setdefault((*prefix, item), set()).add(arc.target)
                if len(longer) > limit:
                    return None
            prefixes = longer
        everything.update(dict.fromkeys(prefixes))
    return everything
