"""A lower bound at any time: real adversaries found by point-based backups.

The value of the game at one gamma is a maximum of linear functions a.alpha - gamma b.beta of the
two beliefs, one for each finite policy. Backups at a few sampled beliefs find good policies fast,
in floating point; what is *reported* is only the exact replay of the policy found, so rounding can
make a bound worse but never wrong.

Source: Pineau, Gordon, Thrun (2003), point-based value iteration, for two worlds at once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from .compiled import CompiledMachine
from .curve import Mass
from .policy import Key
from .relation_graph import RelationArc, RelationGraph

__all__ = ["PointPolicy", "PointSearch"]

_Vector = dict[int, float]
_Point = tuple[_Vector, _Vector]
_Rows = dict[tuple[int, Hashable], tuple[tuple[int, int, float], ...]]


@dataclass(frozen=True)
class _Plan:
    """A policy from one round on: its first pair, the plan after each view, and its values."""

    arc: RelationArc | None
    following: dict[int, int]
    alpha: _Vector
    beta: _Vector
    accept: bool = False


class PointPolicy:
    """A policy made of plans; its memory is the number of the current plan."""

    def __init__(self, plans: list[dict[int, list[_Plan]]], position: int, first: int) -> None:
        """Start in plan ``first`` of ``position``."""
        self._plans = plans
        self._start: Key = (position, first)

    def _plan(self, index: int, key: Key) -> _Plan:
        position, number = key
        if not isinstance(position, int) or not isinstance(number, int):
            raise TypeError("not a state of this policy")
        return self._plans[index][position][number]

    def start(self) -> Key:
        """Return the memory before round 1."""
        return self._start

    def move(self, index: int, key: Key) -> RelationArc:
        """Return the pair fed in round ``index`` + 1."""
        arc = self._plan(index, key).arc
        if arc is None:
            raise TypeError("the last round is over")
        return arc

    def after(self, index: int, key: Key, view: int) -> Key:
        """Return the memory after seeing a view."""
        plan = self._plan(index, key)
        return (self.move(index, key).target, plan.following.get(view, 0))

    def accepts(self, key: Key) -> bool:
        """Whether the finished transcript belongs to the event."""
        return self._plan(len(self._plans) - 1, key).accept


class PointSearch:
    """A growing set of plans for one gamma (world 0 against null world 1).

    Args:
        graph: The relation, unrolled.
        machine: The compiled mechanism.
        gamma: Where to do well, a positive float (it steers the search only).
    """

    def __init__(self, graph: RelationGraph, machine: CompiledMachine, gamma: float) -> None:
        """Start with the two trivial events after the last round."""
        ring = machine.ring
        self._graph = graph
        self._gamma = gamma
        self._rows: list[_Rows] = [
            {
                key: tuple(
                    (view, after, float(ring.number(mass, unit))) for view, after, mass in row
                )
                for key, row in layer.items()
            }
            for layer, unit in zip(machine.rows, machine.denominators, strict=True)
        ]
        total: Mass = 0
        for _, mass in machine.initial:
            total = total + mass
        self._start = {state: float(ring.number(mass, total)) for state, mass in machine.initial}
        self._plans: list[dict[int, list[_Plan]]] = [{} for _ in range(graph.horizon)]
        ends = [
            _Plan(None, {}, {}, {}, accept=False),
            _Plan(None, {}, {0: 1.0}, {0: 1.0}, accept=True),
        ]
        self._plans.append(dict.fromkeys(range(len(graph.diagonal[-1])), ends))

    def improve(self, points: int) -> None:
        """Sample beliefs, at most ``points`` per position and round, and back up at each."""
        sampled = self._sampled(points)
        for index in range(self._graph.horizon - 1, -1, -1):
            for position, beliefs in sampled[index].items():
                plans = self._plans[index].setdefault(position, [])
                for belief in beliefs:
                    value, arc, following = self._lookahead(index, position, belief)[0]
                    if not plans or value > self._best(plans, belief)[0] * (1 + 1e-12) + 1e-15:
                        plans.append(self._plan(index, arc, following))

    def value(self) -> float:
        """Return the value at gamma of the best root plan, about."""
        plans = self._plans[0].get(self._graph.start)
        return self._best(plans, (self._start, self._start))[0] if plans else 0.0

    def policy(self) -> PointPolicy:
        """Return the best root plan as a policy; at least one pass must have been made."""
        plans = self._plans[0][self._graph.start]
        number = self._best(plans, (self._start, self._start))[1]
        return PointPolicy(self._plans, self._graph.start, number)

    def _best(self, plans: list[_Plan], belief: _Point) -> tuple[float, int]:
        """Return the value and number of the best plan at a belief."""
        best, chosen = -math.inf, 0
        for number, plan in enumerate(plans):
            value = _dot(belief[0], plan.alpha) - self._gamma * _dot(belief[1], plan.beta)
            if value > best:
                best, chosen = value, number
        return best, chosen

    def _lookahead(
        self, index: int, position: int, belief: _Point
    ) -> list[tuple[float, RelationArc, dict[int, int]]]:
        """Return, best first, each pair's value and the plan that follows each view."""
        found: list[tuple[float, RelationArc, dict[int, int]]] = []
        for arc in self._graph.arcs[index][position]:
            candidates = self._plans[index + 1].get(arc.target, [])
            value = 0.0
            following: dict[int, int] = {}
            for view, point in self._children(index, arc, belief):
                if candidates:
                    gain, following[view] = self._best(candidates, point)
                else:
                    gain = _separated(point, self._gamma)
                value += gain
            found.append((value, arc, following))
        return sorted(found, key=lambda entry: entry[0], reverse=True)

    def _children(self, index: int, arc: RelationArc, belief: _Point) -> list[tuple[int, _Point]]:
        after0 = _moved(belief[0], arc.input0, self._rows[index])
        after1 = _moved(belief[1], arc.input1, self._rows[index])
        return [
            (view, (after0.get(view, {}), after1.get(view, {})))
            for view in dict.fromkeys((*after0, *after1))
        ]

    def _sampled(self, most: int) -> list[dict[int, list[_Point]]]:
        """Return the beliefs per round and position that the best pairs known lead to.

        Those are kept that are still the most ambiguous between the worlds, weighed by how likely
        they are: there the next pairs matter. Other pairs are followed from the first belief of
        each position only, so that every position keeps a plan.
        """
        layers: list[dict[int, list[_Point]]] = [
            {self._graph.start: [(self._start, dict(self._start))]}
        ]
        for index in range(self._graph.horizon):
            found: dict[int, dict[tuple[object, ...], tuple[float, _Point]]] = {}
            for position, points in layers[-1].items():
                for number, belief in enumerate(points):
                    ranked = self._lookahead(index, position, belief)
                    for _, arc, _ in ranked if number == 0 else ranked[:1]:
                        here = found.setdefault(arc.target, {})
                        for _, point in self._children(index, arc, belief):
                            self._collect(point, here)
            layers.append(
                {
                    position: [
                        point
                        for _, point in sorted(
                            candidates.values(), key=lambda entry: entry[0], reverse=True
                        )[:most]
                    ]
                    for position, candidates in found.items()
                }
            )
        return layers

    def _collect(
        self, point: _Point, found: dict[tuple[object, ...], tuple[float, _Point]]
    ) -> None:
        """Keep a belief, once for all nearly proportional ones."""
        mass0, mass1 = sum(point[0].values()), self._gamma * sum(point[1].values())
        if not mass0 + mass1 > 0.0:
            return
        key = _rounded(point, mass0 + mass1)
        ambiguous = min(mass0, mass1)
        if key not in found or found[key][0] < ambiguous:
            found[key] = (ambiguous, point)

    def _plan(self, index: int, arc: RelationArc, following: dict[int, int]) -> _Plan:
        """Return a plan with its values from every hidden state."""
        candidates = self._plans[index + 1][arc.target]
        alpha: _Vector = {}
        beta: _Vector = {}
        for (state, item), row in self._rows[index].items():
            if item == arc.input0:
                alpha[state] = sum(
                    weight * candidates[following.get(view, 0)].alpha.get(target, 0.0)
                    for view, target, weight in row
                )
            if item == arc.input1:
                beta[state] = sum(
                    weight * candidates[following.get(view, 0)].beta.get(target, 0.0)
                    for view, target, weight in row
                )
        return _Plan(arc, following, alpha, beta)


def _separated(point: _Point, gamma: float) -> float:
    """Return a guess of a belief's value where no plan is known yet: stop watching here."""
    return max(0.0, sum(point[0].values()) - gamma * sum(point[1].values()))


def _dot(vector: _Vector, weights: _Vector) -> float:
    return sum(mass * weights.get(state, 0.0) for state, mass in vector.items())


def _moved(vector: _Vector, item: Hashable, rows: _Rows) -> dict[int, _Vector]:
    """Push an unnormalised law through one input, split by view."""
    after: dict[int, _Vector] = {}
    for state, mass in vector.items():
        for view, target, weight in rows[state, item]:
            masses = after.setdefault(view, {})
            masses[target] = masses.get(target, 0.0) + mass * weight
    return after


def _rounded(point: _Point, weight: float) -> tuple[object, ...]:
    """Return a key under which nearly proportional points count as one sample."""
    return tuple(
        tuple(sorted((state, round(mass / weight, 6)) for state, mass in vector.items()))
        for vector in point
    )
