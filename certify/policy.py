"""Adversaries as finite machines: which pair to feed next, and whether to accept at the end.

A policy attains one vertex of the root's curve. Its states are (node, number of leading edges
accepted): between two neighbouring ratios of a curve the best continuation does not change, so
histories with different likelihood ratios share a state and a whole strategy stays small.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .curve import Edge, Edges, Mass, upper_hull, vertices
from .game import TERMINAL, Child, Game, option_curve
from .relation_graph import RelationArc

__all__ = ["Complement", "GamePolicy", "Policy"]

Key = tuple[Hashable, ...]

# Nodes whose curves are kept while a strategy is walked.
_MOST_LOCALS = 2_000


class Policy(Protocol):
    """A deterministic adversary with finite memory, and its final guess."""

    def start(self) -> Key:
        """Return the memory before round 1."""
        ...

    def move(self, index: int, key: Key) -> RelationArc:
        """Return the pair fed in round ``index`` + 1."""
        ...

    def after(self, index: int, key: Key, view: int) -> Key:
        """Return the memory after seeing a view (by number) in round ``index`` + 1."""
        ...

    def accepts(self, key: Key) -> bool:
        """Whether the finished transcript belongs to the event."""
        ...


@dataclass(frozen=True)
class Complement:
    """The same adversary with the complementary event (for the swapped order of worlds)."""

    policy: Policy

    def start(self) -> Key:
        """Return the memory before round 1."""
        return self.policy.start()

    def move(self, index: int, key: Key) -> RelationArc:
        """Return the pair fed in round ``index`` + 1."""
        return self.policy.move(index, key)

    def after(self, index: int, key: Key, view: int) -> Key:
        """Return the memory after seeing a view."""
        return self.policy.after(index, key, view)

    def accepts(self, key: Key) -> bool:
        """Whether the finished transcript belongs to the complementary event."""
        return not self.policy.accepts(key)


@dataclass(frozen=True)
class _Choice:
    """What a policy does in one of its states."""

    arc: RelationArc
    children: dict[int, Child]
    gamma: tuple[Mass, Mass]


@dataclass(frozen=True)
class _Local:
    """The curves around one node: its stored vertices, its finer curve, and each option's."""

    stored: list[Edge]
    finer: Edges
    places: dict[Edge, int]
    options: list[tuple[Edges, list[Edge]]]


class GamePolicy:
    """The adversary that attains the vertex ``accepted`` of the root's curve.

    Args:
        game: A game explored to the end.
        curves: Its curves per layer, exact or coarsened from below.
        accepted: How many leading edges of the root's curve the event takes.
    """

    def __init__(self, game: Game, curves: Sequence[Sequence[Edges]], accepted: int) -> None:
        """Keep the solved game; choices are worked out when they are asked for."""
        self._game = game
        self._curves = curves
        self._accepted = accepted
        self._choices: dict[tuple[int, int, int], _Choice] = {}
        self._locals: dict[tuple[int, int], _Local] = {}

    def start(self) -> Key:
        """Return the memory before round 1."""
        return self._state(0, 0, self._accepted, self._game.graph.start)

    def _state(self, index: int, node: int, accepted: int, position: int) -> Key:
        """Return the state, collapsed to "idle" once the verdict no longer depends on views."""
        if accepted == 0 or accepted == len(self._curves[index][node]):
            return ("idle", position, accepted > 0)
        return ("node", node, accepted)

    def move(self, index: int, key: Key) -> RelationArc:
        """Return the pair fed in round ``index`` + 1."""
        kind, number, accepted = key
        if not isinstance(number, int) or not isinstance(accepted, int):
            raise TypeError("not a state of this policy")
        if kind == "idle":
            arcs = self._game.graph.arcs[index][number]
            return next((arc for arc in arcs if arc.input0 == arc.input1), arcs[0])
        return self._choice(index, number, accepted).arc

    def after(self, index: int, key: Key, view: int) -> Key:
        """Return the memory after seeing a view."""
        kind, number, accepted = key
        if not isinstance(number, int) or not isinstance(accepted, int):
            raise TypeError("not a state of this policy")
        if kind == "idle":
            return ("idle", self.move(index, key).target, accepted)
        choice = self._choice(index, number, accepted)
        _, child, scale0, scale1 = choice.children[view]
        target = choice.arc.target
        if child == TERMINAL:
            return ("idle", target, _exceeds((scale0, scale1), choice.gamma))
        edges = self._curves[index + 1][child]
        taken = _leading(edges, scale0, scale1, choice.gamma)
        return self._state(index + 1, child, taken, target)

    def accepts(self, key: Key) -> bool:
        """Whether the finished transcript belongs to the event."""
        return bool(key[2])

    def _choice(self, index: int, node: int, accepted: int) -> _Choice:
        state = (index, node, accepted)
        known = self._choices.get(state)
        if known is None:
            known = self._choices[state] = self._chosen(index, node, accepted)
        return known

    def _chosen(self, index: int, node: int, accepted: int) -> _Choice:
        """Pick the option whose curve passes through the wanted vertex."""
        game, layer = self._game, self._game.layers[index]
        local = self._local(index, node)
        wanted = local.stored[accepted]
        place = local.places[wanted]
        before, behind = local.finer[place - 1], local.finer[place]
        gamma = (before[0] + behind[0], before[1] + behind[1])
        best = next(
            number
            for number, (edges, corners) in enumerate(local.options)
            if corners[_leading(edges, 1, 1, gamma)] == wanted
        )
        arcs = game.graph.arcs[index][layer.nodes[node].position]
        arc = arcs[layer.option_of[node].index(best)]
        children = {child[0]: child for child in layer.options[node][best]}
        return _Choice(arc, children, gamma)

    def _local(self, index: int, node: int) -> _Local:
        known = self._locals.get((index, node))
        if known is None:
            if len(self._locals) >= _MOST_LOCALS:
                self._locals.clear()
            known = self._locals[index, node] = self._computed(index, node)
        return known

    def _computed(self, index: int, node: int) -> _Local:
        options = self._game.layers[index].options[node]
        curves = [
            option_curve(self._game, index, option, self._curves[index + 1]) for option in options
        ]
        # The stored curve may be coarsened; its vertices are vertices of this finer one.
        finer = upper_hull(curves)
        return _Local(
            vertices(self._curves[index][node]),
            finer,
            {corner: place for place, corner in enumerate(vertices(finer))},
            [(edges, vertices(edges)) for edges in curves],
        )


def _exceeds(edge: tuple[Mass, Mass], gamma: tuple[Mass, Mass]) -> bool:
    """Whether the edge's ratio is above gamma[0] / gamma[1]."""
    return edge[0] * gamma[1] > edge[1] * gamma[0]


def _leading(edges: Edges, scale0: Mass, scale1: Mass, gamma: tuple[Mass, Mass]) -> int:
    """Return how many leading edges, scaled, have a ratio above gamma."""
    low, high = 0, len(edges)
    while low < high:
        middle = (low + high) // 2
        n0, n1 = edges[middle]
        if _exceeds((n0 * scale0, n1 * scale1), gamma):
            low = middle + 1
        else:
            high = middle
    return low
