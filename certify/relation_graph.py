"""A neighbouring relation, unrolled over the rounds, made deterministic and minimal.

A relation is a nondeterministic automaton over pairs of inputs: one pair may lead to several states
(an edit may or may not have happened yet). An adversary is bound by the relation on streams, not by
a state it must name in advance, so the solver walks *sets* of states: with single states it would
have to commit before seeing the next view, and an adaptive value could come out too small.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ..accounting.errors import InputError
from ..mechanisms.neighbours import Relation

__all__ = ["RelationArc", "RelationGraph", "unrolled"]


@dataclass(frozen=True)
class RelationArc:
    """A legal pair of inputs and the class of positions it leads to."""

    input0: Hashable
    input1: Hashable
    target: int


@dataclass(frozen=True)
class RelationGraph:
    """Positions of the relation per round; every path of length ``horizon`` is a legal pair.

    Args:
        horizon: Number of rounds.
        start: Position before round 1.
        arcs: ``arcs[t][position]`` are the legal pairs of round t + 1, never empty.
        diagonal: ``diagonal[t][position]`` tells that only equal inputs can follow.
    """

    horizon: int
    start: int
    arcs: tuple[tuple[tuple[RelationArc, ...], ...], ...]
    diagonal: tuple[tuple[bool, ...], ...]

    @property
    def positions(self) -> int:
        """Positions over all rounds."""
        return sum(len(layer) for layer in self.arcs)


def unrolled(relation: Relation, horizon: int) -> RelationGraph:
    """Unroll, determinise, prune and minimise a relation for streams of one length.

    Raises:
        InputError: No pair of this length is legal, or every legal pair consists of two equal
            streams.
    """
    successors: dict[Hashable, tuple[tuple[Hashable, Hashable, Hashable], ...]] = {}
    reached: list[set[Hashable]] = [{relation.start}]
    for _ in range(horizon):
        following: set[Hashable] = set()
        for state in reached[-1]:
            if state not in successors:
                successors[state] = tuple(relation.pairs(state))
            following.update(target for _, _, target in successors[state])
        reached.append(following)
    live: list[set[Hashable]] = [{state for state in reached[-1] if relation.accepts(state)}]
    for layer in reversed(reached[:-1]):
        live.append(
            {state for state in layer if any(arc[2] in live[-1] for arc in successors[state])}
        )
    live.reverse()
    if not live[0]:
        raise InputError(
            "the relation has no legal pair of streams of this length",
            where=f"neighbouring relation {relation.name}",
            found=f"{horizon} rounds",
            expected="check the accepting states, or the number of rounds",
        )
    subsets, moves = _determinised(relation.start, successors, live)
    graph = _minimised(subsets, moves, horizon)
    if graph.diagonal[0][graph.start]:
        raise InputError(
            "no neighbouring pair; nothing to audit",
            where=f"neighbouring relation {relation.name}",
            found="only pairs of equal streams",
            expected="add an arc whose two inputs differ",
        )
    return graph


_Subset = frozenset[Hashable]
_Pair = tuple[Hashable, Hashable]


def _determinised(
    start: Hashable,
    successors: dict[Hashable, tuple[tuple[Hashable, Hashable, Hashable], ...]],
    live: list[set[Hashable]],
) -> tuple[list[list[_Subset]], list[list[dict[_Pair, _Subset]]]]:
    """Return, per round, the reachable sets of live states and their moves."""
    subsets: list[list[_Subset]] = [[frozenset([start])]]
    moves: list[list[dict[_Pair, _Subset]]] = []
    known: dict[tuple[_Subset, _Subset], dict[_Pair, _Subset]] = {}
    for following in live[1:]:
        alive = frozenset(following)
        layer: list[dict[_Pair, _Subset]] = []
        for subset in subsets[-1]:
            if (subset, alive) not in known:
                targets: dict[_Pair, set[Hashable]] = {}
                for state in subset:
                    for input0, input1, target in successors.get(state, ()):
                        if target in alive:
                            targets.setdefault((input0, input1), set()).add(target)
                known[subset, alive] = {
                    # Sorted, so that no report depends on the order of a set.
                    pair: frozenset(targets[pair])
                    for pair in sorted(targets, key=lambda pair: (repr(pair[0]), repr(pair[1])))
                }
            layer.append(known[subset, alive])
        moves.append(layer)
        subsets.append(list(dict.fromkeys(target for move in layer for target in move.values())))
    return subsets, moves


def _minimised(
    subsets: list[list[_Subset]], moves: list[list[dict[_Pair, _Subset]]], horizon: int
) -> RelationGraph:
    """Merge positions that allow the same continuations, from the last round backwards."""
    classes: dict[_Subset, int] = dict.fromkeys(subsets[horizon], 0)
    arcs: list[tuple[tuple[RelationArc, ...], ...]] = []
    diagonal: list[tuple[bool, ...]] = [(True,)]
    for index in range(horizon - 1, -1, -1):
        numbers: dict[tuple[RelationArc, ...], int] = {}
        here: dict[_Subset, int] = {}
        for subset, move in zip(subsets[index], moves[index], strict=True):
            signature = tuple(
                RelationArc(pair[0], pair[1], classes[target]) for pair, target in move.items()
            )
            here[subset] = numbers.setdefault(signature, len(numbers))
        arcs.append(tuple(numbers))
        diagonal.append(
            tuple(
                all(arc.input0 == arc.input1 and diagonal[-1][arc.target] for arc in signature)
                for signature in numbers
            )
        )
        classes = here
    arcs.reverse()
    diagonal.reverse()
    return RelationGraph(horizon, classes[subsets[0][0]], tuple(arcs), tuple(diagonal))
