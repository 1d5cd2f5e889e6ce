"""The worst pair of streams fixed in advance: branch and bound below the adaptive curves.

A fixed pair cannot react, so no hull may be taken inside the game: a prefix of the pair keeps, for
every node it can reach, the list of (mass in world 0, mass in world 1) with which it is reached.
The node's adaptive value bounds what any continuation can still gain. Without an adaptivity gap the
search walks one path.

The whole profile comes from verified breakpoints: if no path beats the best curve found so far at
that curve's own breakpoints, none beats it anywhere, since a path's profile is convex and the best
one is affine in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..accounting.errors import LimitError
from ..accounting.numbers import Exact
from .curve import Edge, Edges, Mass, merged, upper_hull
from .game import TERMINAL, Game
from .limits import Clock
from .threshold import Threshold, Weighed

__all__ = ["FixedSearch", "Path"]

# The index of the arc taken in each round.
Path = tuple[int, ...]


_NOTHING: Edge = (0, 0)


@dataclass(frozen=True)
class _Prefix:
    """The law of a prefix: how each node is reached, and the edges already decided."""

    position: int
    reached: tuple[tuple[int, Edges], ...]
    decided: Edges
    path: Path

    @property
    def key(self) -> tuple[object, ...]:
        return (self.position, self.reached, self.decided)


class FixedSearch:
    """All fixed pairs of streams of one explored game.

    Args:
        game: A game explored to the end.
        curves: Curves per layer that bound every node from above (the exact ones are best).
        clock: ``limits.laws`` bounds the prefixes looked at by one query.
    """

    def __init__(self, game: Game, curves: Sequence[Sequence[Edges]], clock: Clock) -> None:
        """Start with no path known."""
        self._game = game
        self._curves = curves
        self._clock = clock
        self._sums: dict[tuple[int, int], list[Edge]] = {}
        self.paths: dict[Path, Edges] = {}
        self.looked_at = 0

    def best_path(self, gamma: Exact, floor: Weighed | None = None) -> Path | None:
        """Return a path with the largest value at gamma (world 0 against null world 1).

        Args:
            gamma: A positive exact number.
            floor: Only a path above this value counts; None takes any.

        Returns:
            The path, whose curve is then in ``paths``; None if no path is above the floor.

        Raises:
            LimitError: The limit on prefix laws or the time limit was reached first.
        """
        threshold = Threshold(gamma, self._game.machine.ring)
        best, best_path = floor, None
        for path, edges in self.paths.items():
            value = threshold.best(edges)
            if best is None or threshold.greater(value, best):
                best, best_path = value, path
        seen: list[set[tuple[object, ...]]] = [set() for _ in self._game.layers]
        root = _Prefix(self._game.graph.start, ((0, ((1, 1),)),), (), ())
        stack: list[tuple[_Prefix, Weighed]] = [(root, self._bound(root, 0, threshold))]
        budget = self._clock.limits.laws
        while stack:
            prefix, bound = stack.pop()
            if best is not None and not threshold.greater(bound, best):
                continue
            index = len(prefix.path)
            if index == self._game.graph.horizon:
                self.paths[prefix.path] = _finished(prefix)
                best, best_path = bound, prefix.path
                continue
            budget -= 1
            self.looked_at += 1
            if budget < 0 or (not budget % 16 and self._clock.expired):
                raise LimitError("limit reached in the search over fixed streams")
            self._clock.report("searching fixed streams", self.looked_at)
            children: list[tuple[_Prefix, Weighed]] = []
            for child in self._extended(prefix, index):
                if child.key in seen[index + 1]:
                    continue
                seen[index + 1].add(child.key)
                children.append((child, self._bound(child, index + 1, threshold)))
            stack += _ascending(children, threshold)
        return best_path

    def profile(self, adaptive: Edges) -> Edges:
        """Return the hull of all path curves, whose profile is the worst over fixed pairs.

        Args:
            adaptive: The adaptive curve, where the search may stop.

        Raises:
            LimitError: A limit was reached; ``paths`` then still holds sound lower bounds.
        """
        ring = self._game.machine.ring
        verified: set[Edge] = set()
        if not self.paths:
            self.best_path(Exact(1))
        while True:
            best = upper_hull(list(self.paths.values()))
            if best == adaptive:
                return best
            open_edges = [e for e in best if e[0] and e[1] and e not in verified]
            if not open_edges:
                return best
            # The middle first: it is where most paths differ.
            edge = open_edges[len(open_edges) // 2]
            gamma = ring.number(edge[0], edge[1])
            threshold = Threshold(gamma, ring)
            floor = threshold.best(best)
            open_above = threshold.greater(threshold.best(adaptive), floor)
            if open_above and self.best_path(gamma, floor) is not None:
                continue
            verified.add(edge)

    def _extended(self, prefix: _Prefix, index: int) -> list[_Prefix]:
        """Return the prefixes one round longer, for every arc of the position."""
        game, layer = self._game, self._game.layers[index]
        result: list[_Prefix] = []
        known: dict[tuple[tuple[int, ...], int], None] = {}
        for number, arc in enumerate(game.graph.arcs[index][prefix.position]):
            choice = tuple(layer.option_of[node][number] for node, _ in prefix.reached)
            if (choice, arc.target) in known:
                continue
            known[choice, arc.target] = None
            parts: dict[int, list[tuple[Edges, Mass, Mass]]] = {}
            decided: list[tuple[Edges, Mass, Mass]] = [(prefix.decided, 1, 1)]
            for (node, edges), option in zip(prefix.reached, choice, strict=True):
                for child in layer.options[node][option]:
                    if child[1] == TERMINAL:
                        unit0, unit1 = game.terminal_edge(index, child)
                        decided.append((edges, unit0, unit1))
                    else:
                        parts.setdefault(child[1], []).append((edges, child[2], child[3]))
            reached = tuple((node, merged(parts[node])) for node in sorted(parts))
            if any(len(edges) > self._clock.limits.edges for _, edges in reached):
                raise LimitError("limit on edges reached in the search over fixed streams")
            result.append(_Prefix(arc.target, reached, merged(decided), (*prefix.path, number)))
        return result

    def _bound(self, prefix: _Prefix, index: int, threshold: Threshold) -> Weighed:
        """Return what the best adaptive continuation would gain at gamma."""
        total = threshold.best(prefix.decided)
        for node, edges in prefix.reached:
            sums = self._cumulative(index, node)
            curve = self._curves[index][node]
            for n0, n1 in edges:
                above = sums[threshold.count(curve, n0, n1)]
                total = (total[0] + n0 * above[0], total[1] + n1 * above[1])
        return total

    def _cumulative(self, index: int, node: int) -> list[Edge]:
        sums = self._sums.get((index, node))
        if sums is None:
            sums = [_NOTHING]
            for n0, n1 in self._curves[index][node]:
                sums.append((sums[-1][0] + n0, sums[-1][1] + n1))
            self._sums[index, node] = sums
        return sums


def _finished(prefix: _Prefix) -> Edges:
    """Return the curve of a whole path. After the last round nodes differ in position only."""
    return merged([(prefix.decided, 1, 1), *((edges, 1, 1) for _, edges in prefix.reached)])


def _ascending(
    children: list[tuple[_Prefix, Weighed]], threshold: Threshold
) -> list[tuple[_Prefix, Weighed]]:
    """Sort by bound, the most promising last (where the stack takes it first)."""
    result: list[tuple[_Prefix, Weighed]] = []
    for entry in children:
        place = len(result)
        # Equal bounds keep the order of the relation: the earlier pair is taken first.
        while place and not threshold.greater(entry[1], result[place - 1][1]):
            place -= 1
        result.insert(place, entry)
    return result
