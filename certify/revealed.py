"""Upper bounds where the game is too large: let the adversary see one hidden state of each world.

The value of the game is sublinear in the pair of beliefs, V(a + a', b + b') <= V(a, b) + V(a', b').
Splitting both beliefs into pieces that sit on a single hidden state each, in any way, therefore
bounds it from above, and the pieces live in a game with (rounds x positions x pairs of states)
nodes. Two ways of splitting are offered: equal states at their own weights (right for noise drawn
once and kept) and equal states at equal normalised weights (right for noise that moves).

Guarantee: the curve returned is never below the exact curve of the node.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from .compiled import Belief, CompiledMachine
from .curve import Edges, Mass, coarsened_upper, merged, upper_hull
from .game import Game
from .limits import Clock
from .relation_graph import RelationGraph

__all__ = ["RevealedGame", "Splitting", "frontier_upper"]

Splitting = Literal["own", "equal"]
_MOST_EDGES = 64
# Pairs of states are cheaper than nodes, so a small limit on nodes does not bind them.
_MOST_PAIRS = 20_000
# Solved even after the time limit: without them an upper bound says nothing.
_FEW_PAIRS = 2_000


class RevealedGame:
    """Curves of pairs of known hidden states, solved on demand and bounded from above.

    Args:
        graph: The relation, unrolled.
        machine: The compiled mechanism; its masses must be integers.
        splitting: How beliefs are split into pieces.
        clock: After ``limits.nodes`` pairs (at least 20 000; 2 000 after the time limit), pairs
            count as told apart.
    """

    def __init__(
        self, graph: RelationGraph, machine: CompiledMachine, splitting: Splitting, clock: Clock
    ) -> None:
        """Start with nothing solved."""
        self._graph = graph
        self._machine = machine
        self._splitting: Splitting = splitting
        self._clock = clock

    def solve(self, start: int, belief_pairs: list[tuple[int, Belief, Belief]]) -> list[Edges]:
        """Return an upper curve for each (position, belief 0, belief 1) before a round.

        Args:
            start: Index of the round that comes next.
            belief_pairs: The nodes to bound.
        """
        layer: dict[tuple[int, int, int], None] = {}
        for position, belief0, belief1 in belief_pairs:
            for state0, state1, _, _ in split(belief0, belief1, self._splitting):
                if state0 is not None and state1 is not None:
                    layer[position, state0, state1] = None
        needed = [layer]
        count = len(layer)
        for index in range(start, self._graph.horizon):
            following: dict[tuple[int, int, int], None] = {}
            most = max(_MOST_PAIRS, self._clock.limits.nodes)
            if count <= (_FEW_PAIRS if self._clock.expired else most):
                for key in needed[-1]:
                    for _, target, pieces in self._moves(index, key):
                        for state0, state1, _, _ in pieces:
                            if state0 is not None and state1 is not None:
                                following[target, state0, state1] = None
            count += len(following)
            needed.append(following)
        curves: dict[tuple[int, int, int], Edges] = {key: ((1, 1),) for key in needed[-1]}
        for index in range(self._graph.horizon - 1, start - 1, -1):
            curves = {key: self._solved(index, key, curves) for key in needed[index - start]}
        return [
            self._assembled(start, position, split(belief0, belief1, self._splitting), curves)
            for position, belief0, belief1 in belief_pairs
        ]

    def _moves(self, index: int, key: tuple[int, int, int]) -> list[tuple[int, int, list[_Piece]]]:
        """Return (arc number, target, pieces) for every pair of inputs and view."""
        position, state0, state1 = key
        moves: list[tuple[int, int, list[_Piece]]] = []
        for number, arc in enumerate(self._graph.arcs[index][position]):
            after0 = _by_view(self._machine, index, state0, arc.input0)
            after1 = _by_view(self._machine, index, state1, arc.input1)
            for view in dict.fromkeys((*after0, *after1)):
                pieces = split(after0.get(view, ()), after1.get(view, ()), self._splitting)
                moves.append((number, arc.target, pieces))
        return moves

    def _solved(
        self,
        index: int,
        key: tuple[int, int, int],
        following: dict[tuple[int, int, int], Edges],
    ) -> Edges:
        unit = self._machine.remaining[index]
        if key[1] == key[2] and self._graph.diagonal[index][key[0]]:
            return ((unit, unit),)
        parts: dict[int, list[tuple[Edges, Mass, Mass]]] = {}
        for number, target, pieces in self._moves(index, key):
            parts.setdefault(number, []).append(
                (self._assembled(index + 1, target, pieces, following), 1, 1)
            )
        return coarsened_upper(upper_hull([merged(part) for part in parts.values()]), _MOST_EDGES)

    def _assembled(
        self,
        index: int,
        position: int,
        pieces: list[_Piece],
        curves: dict[tuple[int, int, int], Edges],
    ) -> Edges:
        unit = self._machine.remaining[index]
        apart: Edges = ((unit, 0), (0, unit))
        parts: list[tuple[Edges, Mass, Mass]] = []
        for state0, state1, mass0, mass1 in pieces:
            if state0 is None or state1 is None:
                edge = (0, mass1 * unit) if state0 is None else (mass0 * unit, 0)
                parts.append(((edge,), 1, 1))
            else:
                parts.append((curves.get((position, state0, state1), apart), mass0, mass1))
        return coarsened_upper(merged(parts), _MOST_EDGES)


# (state of world 0 or None, state of world 1 or None, mass 0, mass 1)
_Piece = tuple[int | None, int | None, int, int]


def _by_view(machine: CompiledMachine, index: int, state: int, item: Hashable) -> dict[int, Belief]:
    after: dict[int, list[tuple[int, Mass]]] = {}
    for view, target, weight in machine.rows[index][state, item]:
        after.setdefault(view, []).append((target, weight))
    return {view: tuple(masses) for view, masses in after.items()}


def split(belief0: Belief, belief1: Belief, splitting: Splitting) -> list[_Piece]:
    """Split two integer laws into pieces on single states whose masses add up exactly.

    Example:
        >>> split(((0, 2), (1, 1)), ((0, 1), (2, 2)), "own")
        [(0, 0, 2, 1), (1, 2, 1, 2)]
    """
    left = {state: _integer(mass) for state, mass in belief0}
    right = {state: _integer(mass) for state, mass in belief1}
    total0, total1 = sum(left.values()), sum(right.values())
    pieces: list[_Piece] = []
    for state in sorted(left.keys() & right.keys()):
        mass0, mass1 = left[state], right[state]
        if splitting == "equal":
            if mass0 * total1 <= mass1 * total0:
                mass1 = mass0 * total1 // total0
            else:
                mass0 = mass1 * total0 // total1
            if not mass0 or not mass1:
                continue
        pieces.append((state, state, mass0, mass1))
        left[state] -= mass0
        right[state] -= mass1
    rest0 = [(state, mass) for state, mass in sorted(left.items()) if mass]
    rest1 = [(state, mass) for state, mass in sorted(right.items()) if mass]
    return pieces + _north_west(rest0, rest1)


def _north_west(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> list[_Piece]:
    """Pair what is left over in order, at about equal shares of either rest."""
    total0, total1 = sum(mass for _, mass in left), sum(mass for _, mass in right)
    if not total1:
        return [(state, None, mass, 0) for state, mass in left]
    if not total0:
        return [(None, state, 0, mass) for state, mass in right]
    pieces: list[_Piece] = []
    rows, columns = list(left), list(right)
    while rows and columns:
        (state0, mass0), (state1, mass1) = rows[0], columns[0]
        if len(rows) == 1 and len(columns) == 1:
            pieces.append((state0, state1, mass0, mass1))
            break
        if len(columns) == 1 or (len(rows) > 1 and mass0 * total1 <= mass1 * total0):
            share = min(mass1, mass0 * total1 // total0)
            pieces.append((state0, state1, mass0, share))
            rows.pop(0)
            columns[0] = (state1, mass1 - share)
        else:
            share = min(mass0, mass1 * total0 // total1)
            pieces.append((state0, state1, share, mass1))
            columns.pop(0)
            rows[0] = (state0, mass0 - share)
    return pieces


def _integer(mass: Mass) -> int:
    if not isinstance(mass, int):
        raise TypeError("only integer masses are split")
    return mass


def frontier_upper(game: Game, splitting: Splitting, clock: Clock) -> list[Edges]:
    """Return upper curves for the last layer of a game that was too large to finish."""
    layer = game.layers[-1]
    if not game.machine.ring.is_integer:
        unit = game.machine.remaining[game.depth]
        return [
            ((layer.totals[node.belief0] * unit, 0), (0, layer.totals[node.belief1] * unit))
            for node in layer.nodes
        ]
    revealed = RevealedGame(game.graph, game.machine, splitting, clock)
    return revealed.solve(
        game.depth,
        [
            (node.position, layer.beliefs[node.belief0], layer.beliefs[node.belief1])
            for node in layer.nodes
        ],
    )
