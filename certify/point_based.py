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

    def __init__(
        self, plans: list[dict[int, list[_Plan]]], position: int, first: int
    ) -> None:
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
        points: Most beliefs sampled per position and round in one pass.
    """

    def __init__(
        self, graph: RelationGraph, machine: CompiledMachine, gamma: float, points: int
    ) -> None:
        """Start with the two trivial events after the last round."""
        ring = machine.ring
        self._graph = graph
        self._gamma = gamma
        self._points = points
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

    def improved(self) -> bool:
        """Sample beliefs and back up at each; return whether the best root plan got better."""
        before = self.value()
        sampled = self._sampled()
        for index in range(self._graph.horizon - 1, -1, -1):
            for position, beliefs in sampled[index].items():
                plans = self._plans[index].setdefault(position, [])
                for belief in beliefs:
                    value, arc, following = self._lookahead(index, position, belief)[0]
                    if not plans or value > self._best(plans, belief)[0] * (1 + 1e-12) + 1e-15:
                        plans.append(self._plan(index, arc, following))
        return self.value() > before * (1 + 1e-9) + 1e-12

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

    def _children(
        self, index: int, arc: RelationArc, belief: _Point
    ) -> list[tuple[int, _Point]]:
        after0 = _moved(belief[0], arc.input0, self._rows[index])
        after1 = _moved(belief[1], arc.input1, self._rows[index])
        return [
            (view, (after0.get(view, {}), after1.get(view, {})))
            for view in dict.fromkeys((*after0, *after1))
        ]

    def _sampled(self) -> list[dict[int, list[_Point]]]:
        """Return beliefs per round and position: the likeliest under the best pairs known.

        The best two pairs at each belief are followed; every other pair is followed from the
        likeliest belief of each position only, so that each position keeps a plan.
        """
        layers: list[dict[int, list[_Point]]] = [
            {self._graph.start: [(self._start, dict(self._start))]}
        ]
        for index in range(self._graph.horizon):
            found: dict[int, dict[tuple[object, ...], tuple[float, _Point]]] = {}
            for position, points in layers[-1].items():
                for number, belief in enumerate(points):
                    ranked = self._lookahead(index, position, belief)
                    for _, arc, _ in ranked if number == 0 else ranked[:2]:
                        here = found.setdefault(arc.target, {})
                        for _, point in self._children(index, arc, belief):
                            weight = sum(point[0].values()) + self._gamma * sum(point[1].values())
                            if not weight > 0.0:
                                continue
                            key = _rounded(point, weight)
                            if key not in here or here[key][0] < weight:
                                here[key] = (weight, point)
            layers.append(
                {
                    position: [
                        point
                        for _, point in sorted(
                            candidates.values(), key=lambda entry: entry[0], reverse=True
                        )[: self._points]
                    ]
                    for position, candidates in found.items()
                }
            )
        return layers

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
