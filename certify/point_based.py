"""A lower bound at any time: real adversaries found by point-based backups.

The value of the game at one gamma is a maximum of linear functions a.alpha - gamma b.beta of the
two beliefs, one for each finite policy. Backups at a few sampled beliefs find good policies fast,
in floating point; what is *reported* is only the exact replay of the policy found, so rounding can
make a bound worse but never wrong.

Source: Pineau, Gordon, Thrun (2003), point-based value iteration, for two worlds at once.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from .compiled import CompiledMachine
from .curve import Mass
from .policy import Key
from .relation_graph import RelationArc, RelationGraph

__all__ = ["PointPolicy", "point_based_policy"]

_Vector = dict[int, float]
_Point = tuple[_Vector, _Vector]
_FloatRow = tuple[tuple[int, int, float], ...]


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


def point_based_policy(
    graph: RelationGraph, machine: CompiledMachine, gamma: float, points: int
) -> PointPolicy:
    """Return a policy that does well at gamma (world 0 against null world 1).

    Args:
        graph: The relation, unrolled.
        machine: The compiled mechanism.
        gamma: Where to do well, a positive float (it steers the search only).
        points: Most beliefs sampled per position and round.
    """
    ring = machine.ring
    rows = [
        {
            key: tuple((view, after, float(ring.number(mass, unit))) for view, after, mass in row)
            for key, row in layer.items()
        }
        for layer, unit in zip(machine.rows, machine.denominators, strict=True)
    ]
    total: Mass = 0
    for _, mass in machine.initial:
        total = total + mass
    start = {state: float(ring.number(mass, total)) for state, mass in machine.initial}
    sampled = _sampled(graph, rows, start, gamma, points)
    plans: list[dict[int, list[_Plan]]] = [
        {
            position: [
                _Plan(None, {}, {}, {}, accept=False),
                _Plan(None, {}, {0: 1.0}, {0: 1.0}, accept=True),
            ]
            for position in range(len(graph.diagonal[-1]))
        }
    ]
    for index in range(graph.horizon - 1, -1, -1):
        layer: dict[int, list[_Plan]] = {}
        for position, beliefs in sampled[index].items():
            arcs = graph.arcs[index][position]
            layer[position] = [
                _backed_up(arcs, rows[index], plans[-1], belief, gamma) for belief in beliefs
            ]
        plans.append(layer)
    plans.reverse()
    roots = plans[0][graph.start]
    first = max(
        range(len(roots)),
        key=lambda number: _dot(start, roots[number].alpha)
        - gamma * _dot(start, roots[number].beta),
    )
    return PointPolicy(plans, graph.start, first)


def _dot(vector: _Vector, weights: _Vector) -> float:
    return sum(mass * weights.get(state, 0.0) for state, mass in vector.items())


def _moved(vector: _Vector, item: Hashable, rows: dict[tuple[int, Hashable], _FloatRow]) -> dict[int, _Vector]:
    after: dict[int, _Vector] = {}
    for state, mass in vector.items():
        for view, target, weight in rows[state, item]:
            masses = after.setdefault(view, {})
            masses[target] = masses.get(target, 0.0) + mass * weight
    return after


def _sampled(
    graph: RelationGraph,
    rows: list[dict[tuple[int, Hashable], _FloatRow]],
    start: _Vector,
    gamma: float,
    most: int,
) -> list[dict[int, list[_Point]]]:
    """Return the likeliest reachable beliefs per round and position, at most ``most`` of each."""
    layers: list[dict[int, list[_Point]]] = [{graph.start: [(start, dict(start))]}]
    for index in range(graph.horizon):
        found: dict[int, dict[tuple[object, ...], tuple[float, _Point]]] = {}
        for position, points in layers[-1].items():
            for arc in graph.arcs[index][position]:
                here = found.setdefault(arc.target, {})
                for belief0, belief1 in points:
                    after0 = _moved(belief0, arc.input0, rows[index])
                    after1 = _moved(belief1, arc.input1, rows[index])
                    for view in dict.fromkeys((*after0, *after1)):
                        point = (after0.get(view, {}), after1.get(view, {}))
                        mass0, mass1 = sum(point[0].values()), sum(point[1].values())
                        weight = mass0 + gamma * mass1
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
                    )[:most]
                ]
                for position, candidates in found.items()
            }
        )
    return layers


def _rounded(point: _Point, weight: float) -> tuple[object, ...]:
    """Return a key under which nearly proportional points count as one sample."""
    return tuple(
        tuple(sorted((state, round(mass / weight, 6)) for state, mass in vector.items()))
        for vector in point
    )


def _backed_up(
    arcs: tuple[RelationArc, ...],
    rows: dict[tuple[int, Hashable], _FloatRow],
    plans: dict[int, list[_Plan]],
    belief: _Point,
    gamma: float,
) -> _Plan:
    """Return the best plan at a belief: the best pair, and after each view the best next plan."""
    best: tuple[float, RelationArc, dict[int, int]] | None = None
    for arc in arcs:
        candidates = plans[arc.target]
        after0 = _moved(belief[0], arc.input0, rows)
        after1 = _moved(belief[1], arc.input1, rows)
        value = 0.0
        following: dict[int, int] = {}
        for view in dict.fromkeys((*after0, *after1)):
            vector0, vector1 = after0.get(view, {}), after1.get(view, {})
            gain, number = max(
                (_dot(vector0, plan.alpha) - gamma * _dot(vector1, plan.beta), -number)
                for number, plan in enumerate(candidates)
            )
            value += gain
            following[view] = -number
        if best is None or value > best[0]:
            best = (value, arc, following)
    if best is None:
        raise TypeError("a position without arcs cannot occur")
    _, arc, following = best
    candidates = plans[arc.target]
    alpha: _Vector = {}
    beta: _Vector = {}
    for vector, item in ((alpha, arc.input0), (beta, arc.input1)):
        for (state, other), row in rows.items():
            if other == item:
                vector[state] = sum(
                    weight * _value(candidates[following.get(view, 0)], target, vector is alpha)
                    for view, target, weight in row
                )
    return _Plan(arc, following, alpha, beta)


def _value(plan: _Plan, state: int, world0: bool) -> float:
    return (plan.alpha if world0 else plan.beta).get(state, 0.0)
