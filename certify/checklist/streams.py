"""The input streams that one world may be fed, as a deterministic automaton.

The conditions of Checklist 1 but the fourth speak of single input streams, not of pairs. A stream
counts if some legal pair holds it, in either world.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ..relation_graph import RelationArc, RelationGraph

__all__ = [
    "StreamGraph",
    "same_pairs",
    "single_difference_graph",
    "stream_graph",
    "two_differences",
]

_Place = tuple[int, int]


@dataclass(frozen=True)
class StreamGraph:
    """Nodes per round; every path of length ``horizon`` is a legal stream.

    Args:
        horizon: Number of rounds.
        start: Node before round 1.
        moves: ``moves[t][node]`` are (input of round t + 1, next node), never empty.
    """

    horizon: int
    start: int
    moves: tuple[tuple[tuple[tuple[Hashable, int], ...], ...], ...]


def stream_graph(graph: RelationGraph) -> StreamGraph:
    """Project a relation onto its single streams.

    Example:
        >>> from powercert.mechanisms import hamming
        >>> from powercert.certify.relation_graph import unrolled
        >>> stream_graph(unrolled(hamming().over("01"), 2)).moves
        (((('0', 0), ('1', 0)),), ((('0', 0), ('1', 0)),))
    """
    layer: dict[frozenset[_Place], int] = {frozenset(((0, graph.start), (1, graph.start))): 0}
    moves: list[list[dict[Hashable, frozenset[_Place]]]] = []
    layers = [list(layer)]
    for arcs in graph.arcs:
        here: list[dict[Hashable, frozenset[_Place]]] = []
        for places in layers[-1]:
            targets: dict[Hashable, set[_Place]] = {}
            for world, position in sorted(places):
                for arc in arcs[position]:
                    item = arc.input1 if world else arc.input0
                    targets.setdefault(item, set()).add((world, arc.target))
            here.append({item: frozenset(found) for item, found in targets.items()})
        moves.append(here)
        layers.append(list(dict.fromkeys(target for move in here for target in move.values())))
    return _minimised(graph.horizon, layers, moves)


def _minimised(
    horizon: int,
    layers: list[list[frozenset[_Place]]],
    moves: list[list[dict[Hashable, frozenset[_Place]]]],
) -> StreamGraph:
    """Merge nodes that allow the same continuations."""
    classes: dict[frozenset[_Place], int] = dict.fromkeys(layers[horizon], 0)
    found: list[tuple[tuple[tuple[Hashable, int], ...], ...]] = []
    for index in range(horizon - 1, -1, -1):
        numbers: dict[frozenset[tuple[Hashable, int]], int] = {}
        rows: list[tuple[tuple[Hashable, int], ...]] = []
        here: dict[frozenset[_Place], int] = {}
        for places, move in zip(layers[index], moves[index], strict=True):
            row = tuple((item, classes[target]) for item, target in move.items())
            signature = frozenset(row)
            if signature not in numbers:
                numbers[signature] = len(rows)
                rows.append(row)
            here[places] = numbers[signature]
        found.append(tuple(rows))
        classes = here
    found.reverse()
    return StreamGraph(horizon, classes[layers[0][0]], tuple(found))


def single_difference_graph(streams: StreamGraph) -> RelationGraph:
    """Return all pairs of legal streams that differ in at most one round.

    Pairs of streams that can no longer both be continued in common are left out.
    """
    start = (streams.start, streams.start, False)
    layers: list[list[tuple[int, int, bool]]] = [[start]]
    moves: list[list[list[tuple[Hashable, Hashable, tuple[int, int, bool]]]]] = []
    for table in streams.moves:
        here: list[list[tuple[Hashable, Hashable, tuple[int, int, bool]]]] = []
        for first, second, differed in layers[-1]:
            others = dict(table[second])
            arcs: list[tuple[Hashable, Hashable, tuple[int, int, bool]]] = []
            for item0, target0 in table[first]:
                if not differed:
                    arcs += [
                        (item0, item1, (target0, target1, item0 != item1))
                        for item1, target1 in others.items()
                    ]
                elif item0 in others:
                    arcs.append((item0, item0, (target0, others[item0], True)))
            here.append(arcs)
        moves.append(here)
        layers.append(list(dict.fromkeys(arc[2] for arcs in here for arc in arcs)))
    return _alive(streams.horizon, layers, moves)


def _alive(
    horizon: int,
    layers: list[list[tuple[int, int, bool]]],
    moves: list[list[list[tuple[Hashable, Hashable, tuple[int, int, bool]]]]],
) -> RelationGraph:
    """Number the nodes and drop those from which no common continuation is left."""
    numbers: dict[tuple[int, int, bool], int] = dict.fromkeys(layers[horizon], 0)
    diagonal: list[tuple[bool, ...]] = [(True,)]
    arcs: list[tuple[tuple[RelationArc, ...], ...]] = []
    for index in range(horizon - 1, -1, -1):
        here: dict[tuple[int, int, bool], int] = {}
        rows: list[tuple[RelationArc, ...]] = []
        for node, steps in zip(layers[index], moves[index], strict=True):
            row = tuple(
                RelationArc(item0, item1, numbers[target])
                for item0, item1, target in steps
                if target in numbers
            )
            if row:
                here[node] = len(rows)
                rows.append(row)
        diagonal.append(
            tuple(
                all(arc.input0 == arc.input1 and diagonal[-1][arc.target] for arc in row)
                for row in rows
            )
        )
        arcs.append(tuple(rows))
        numbers = here
    arcs.reverse()
    diagonal.reverse()
    return RelationGraph(horizon, numbers[layers[0][0]], tuple(arcs), tuple(diagonal))


def same_pairs(first: RelationGraph, second: RelationGraph) -> bool:
    """Return whether two unrolled relations hold the same pairs of streams.

    Example:
        >>> from powercert.mechanisms import hamming, user
        >>> from powercert.certify.relation_graph import unrolled
        >>> graph = unrolled(hamming().over("01"), 2)
        >>> same_pairs(graph, single_difference_graph(stream_graph(graph)))
        True
        >>> same_pairs(graph, unrolled(user().over("01"), 2))
        False
    """
    places = {(first.start, second.start)}
    for layer1, layer2 in zip(first.arcs, second.arcs, strict=True):
        following: set[tuple[int, int]] = set()
        for one, two in places:
            targets = {(arc.input0, arc.input1): arc.target for arc in layer2[two]}
            if len(targets) != len(layer1[one]):
                return False
            for arc in layer1[one]:
                other = targets.get((arc.input0, arc.input1))
                if other is None:
                    return False
                following.add((arc.target, other))
        places = following
    return True


def two_differences(graph: RelationGraph) -> tuple[tuple[Hashable, Hashable], ...] | None:
    """Return a legal pair of streams, round by round, that differs in two rounds, or None.

    Example:
        >>> from powercert.mechanisms import hamming, user
        >>> from powercert.certify.relation_graph import unrolled
        >>> two_differences(unrolled(hamming().over("01"), 3)) is None
        True
        >>> two_differences(unrolled(user().over("01"), 2))
        (('0', '1'), ('0', '1'))
    """
    parents: list[dict[_Place, tuple[_Place, RelationArc] | None]] = [{(graph.start, 0): None}]
    for index, layer in enumerate(graph.arcs):
        following: dict[_Place, tuple[_Place, RelationArc] | None] = {}
        for place in parents[-1]:
            for arc in layer[place[0]]:
                count = min(2, place[1] + (arc.input0 != arc.input1))
                following.setdefault((arc.target, count), (place, arc))
        parents.append(following)
        reached = next((place for place in following if place[1] == 2), None)
        if reached is not None:
            return _completed(graph, parents, reached, index + 1)
    return None


def _completed(
    graph: RelationGraph,
    parents: list[dict[_Place, tuple[_Place, RelationArc] | None]],
    reached: _Place,
    depth: int,
) -> tuple[tuple[Hashable, Hashable], ...]:
    """Read the pair back from its end, and continue it in any legal way."""
    pairs: list[tuple[Hashable, Hashable]] = []
    place = reached
    for index in range(depth, 0, -1):
        step = parents[index][place]
        assert step is not None
        place, arc = step
        pairs.append((arc.input0, arc.input1))
    pairs.reverse()
    position = reached[0]
    for layer in graph.arcs[depth:]:
        arc = layer[position][0]
        pairs.append((arc.input0, arc.input1))
        position = arc.target
    return tuple(pairs)
