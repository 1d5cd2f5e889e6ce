"""Suprema over adversaries, told apart from pointwise maxima.

Definition A.7 takes the least power function above a collection: a concave function, the least
concave majorant of the pointwise maximum. Between two corners of the majorant the maximum can be
smaller; there no deterministic adversary attains the supremum, but a seen coin between two does.
Privacy profiles do not notice: at every epsilon both have the same delta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from ..accounting.errors import InputError, LimitError, PowercertError
from ..accounting.numbers import Exact
from ..accounting.piecewise import Point
from ..accounting.power import PowerFunction
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.stateless import JointLaws
from ..mechanisms.values import describe
from .compiled import Ring
from .curve import Edges, merged, vertices
from .envelope import Corners, Envelope, convolved, larger
from .fixed import Path
from .game import TERMINAL, Child, Game, root_curve
from .limits import Clock, Limits
from .policy import GamePolicy
from .relation_graph import RelationGraph
from .solver import Attained, Solution, Streams, solve
from .spec import AuditSpec, require_spec

__all__ = ["Gap", "Suprema", "suprema", "suprema_of"]

DEFAULT_LIMIT_CORNERS = 2_000
DEFAULT_LIMIT_WORK = 2_000_000
DEFAULT_LIMIT_PAIRS = 2_000


@dataclass(frozen=True)
class Gap:
    """An open interval of alpha where the supremum exceeds the pointwise maximum, and a witness.

    A seen coin picks ``first`` with chance ``weight``, else ``second``; whoever is picked accepts
    on its own event. Together they have false-alarm level ``alpha`` and power ``supremum``.

    Args:
        low: Left end of the interval.
        high: Right end.
        alpha: A level in it at which the two differ most.
        supremum: The supremum at alpha.
        maximum: The pointwise maximum at alpha.
        weight: Chance of the first adversary.
        first: It has p1 <= alpha, and p0 on the supremum.
        second: It has p1 >= alpha, and p0 on the supremum.
        streams: The two fixed pairs of streams, where both feed fixed streams; else None.
    """

    low: Exact
    high: Exact
    alpha: Exact
    supremum: Exact
    maximum: Exact
    weight: Exact
    first: Attained
    second: Attained
    streams: tuple[Streams, Streams] | None = None


@dataclass(frozen=True)
class Suprema:
    """Suprema and pointwise maxima of one game, world 1 being the null as in the solver.

    Args:
        supremum: The least power function above those of all adaptive adversaries.
        maximum: The largest power of one deterministic adaptive adversary, alpha by alpha.
        gaps: Where the two differ.
        fixed_supremum: The least power function above those of all fixed pairs of streams.
        fixed_maximum: The largest power of one fixed pair, alpha by alpha.
        fixed_gaps: Where these two differ.
    """

    supremum: PowerFunction
    maximum: Envelope
    gaps: tuple[Gap, ...]
    fixed_supremum: PowerFunction
    fixed_maximum: Envelope
    fixed_gaps: tuple[Gap, ...]


def suprema(
    solution: Solution,
    *,
    limit_corners: int = DEFAULT_LIMIT_CORNERS,
    limit_work: int = DEFAULT_LIMIT_WORK,
    limit_pairs: int = DEFAULT_LIMIT_PAIRS,
) -> Suprema:
    """Return suprema and pointwise maxima over all adversaries of a solved game.

    The maximum over deterministic adaptive adversaries comes from the game's own recursion without
    hulls: at a node of the adversary the pointwise maximum over the pairs it can feed, at a node of
    chance the best way to share the false-alarm level out over the views.

    Guarantee: exact; ``maximum`` <= ``supremum``, which is its least concave majorant, and the same
    for fixed pairs.

    Args:
        solution: A game solved exactly.
        limit_corners: Most corners of the function of one node.
        limit_work: Most corners handled in all.
        limit_pairs: Most fixed pairs of streams.

    Raises:
        InputError: It is no solved game.
        LimitError: The game is not solved exactly, or has more corners or pairs than the limits.

    Example:
        The smallest witness: one round, in which the adversary asks either for randomised response
        (3/4 against 1/4), or for a view that gives world 0 away with chance 1/2.

        >>> from powercert.certify.limits import Clock, Limits
        >>> from powercert.certify.solver import solve
        >>> from powercert.mechanisms import ArcRelation, ExactMachine, LawsMechanism
        >>> laws = {(1, ("r0",), ()): {"y": "3/4", "n": "1/4"},
        ...         (1, ("r1",), ()): {"y": "1/4", "n": "3/4"},
        ...         (1, ("e0",), ()): {"y": "1/2", "n": "1/2"}, (1, ("e1",), ()): {"n": 1}}
        >>> machine = ExactMachine(LawsMechanism(1, ["r0", "r1", "e0", "e1"], laws))
        >>> relation = ArcRelation("s", ["t"], [("s", "r0", "r1", "t"), ("s", "e0", "e1", "t")])
        >>> found = suprema(solve(machine, relation, 1, Clock(Limits())))
        >>> [(str(x), str(y)) for x, y in found.maximum.points]
        [('0', '1/2'), ('1/5', '3/5'), ('1/4', '3/4'), ('1', '1')]
        >>> found.supremum
        PowerFunction((0, 1/2), (1/4, 3/4), (1, 1))
        >>> gap = found.gaps[0]
        >>> gap.alpha, gap.supremum, gap.maximum, gap.weight
        (Exact('1/5'), Exact('7/10'), Exact('3/5'), Exact('1/5'))

    Source: Definition A.7 of the buffering-recipe paper.
    """
    if not isinstance(cast("object", solution), Solution):
        raise InputError(
            "not a solved game",
            where="suprema",
            found=describe(solution),
            expected="use suprema_of(spec), or give what solve(...) returned",
        )
    _require_exact(solution.exact)
    count = _count_pairs(solution.graph)
    if count > limit_pairs:
        raise LimitError(
            f"there are {count} fixed pairs of streams",
            where="suprema",
            expected=f"limit_pairs is {limit_pairs}; raise it, or use fewer rounds",
        )
    maximum = _adaptive_maximum(solution.game, _Budget(limit_corners, limit_work))
    lines = [solution.along(path) for path in _paths(solution.graph)]
    _require_exact(all(line.exact for line in lines))
    fixed_supremum = PowerFunction.supremum([line.lower for line in lines])
    fixed_maximum = Envelope.of([line.lower for line in lines])

    def fixed(point: Point) -> tuple[Attained, Streams | None]:
        line = next(line for line in lines if line.lower(point[0]) == point[1])
        return _attaining(line, point), line.streams()

    return Suprema(
        solution.lower,
        maximum,
        _gaps(solution.lower, maximum, lambda point: (_attaining(solution, point), None)),
        fixed_supremum,
        fixed_maximum,
        _gaps(fixed_supremum, fixed_maximum, fixed),
    )


def suprema_of(spec: AuditSpec, *, limits: Limits | None = None) -> Suprema:
    """Return suprema and pointwise maxima for a spec's mechanism; see ``suprema``.

    Args:
        spec: Mechanism, relation and horizon; its claims are not looked at.
        limits: Where to stop.

    Raises:
        InputError: ``spec`` is no AuditSpec, the mechanism or the relation is not usable, or joint
            laws anticipate.
        LimitError: As ``suprema``.

    Example:
        >>> from powercert.certify.spec import load_example
        >>> found = suprema_of(load_example("two-round-counterexample"))
        >>> found.supremum.profile().delta(exp_epsilon=1)
        Exact('991/10000')
    """
    require_spec(spec, "suprema_of")
    mechanism = spec.mechanism
    if isinstance(mechanism, JointLaws):
        mechanism = mechanism.as_laws()
    machine = ExactMachine[Any, Any, Any, Any](mechanism)
    clock = Clock(limits or Limits())
    return suprema(solve(machine, spec.neighbours(), spec.horizon, clock))


def _require_exact(exact: bool) -> None:
    if not exact:
        raise LimitError(
            "the game is not solved exactly",
            where="suprema",
            expected="raise the limits on nodes, edges or seconds, or use fewer rounds",
        )


@dataclass
class _Budget:
    """What is left of the limits on corners."""

    corners: int
    work: int

    def spend(self, count: int) -> None:
        """Charge the corners that one step handles."""
        self.work -= count
        if count > self.corners or self.work < 0:
            reached = "limit_work" if count <= self.corners else "limit_corners"
            raise LimitError(
                "the pointwise maximum has too many corners",
                where="suprema",
                expected=f"raise {reached}, or use fewer rounds",
            )


def _adaptive_maximum(game: Game, budget: _Budget) -> Envelope:
    """Return the largest power of a deterministic adaptive adversary, for every alpha."""
    ring = game.machine.ring
    last = game.layers[-1]
    values = [
        _of_edges(((last.totals[node.belief0], last.totals[node.belief1]),), ring)
        for node in last.nodes
    ]
    for index in range(game.depth - 1, -1, -1):
        solved: list[Corners] = []
        for options in game.layers[index].options:
            best: Corners = ()
            for children in options:
                curve = _shared_out(game, index, children, values, budget)
                budget.spend(len(best) + len(curve))
                best = larger(best, curve) if best else curve
            solved.append(best)
        values = solved
    across, up = values[0][-1]
    return Envelope(tuple((x / across, y / up) for x, y in values[0]))


def _shared_out(
    game: Game,
    index: int,
    children: tuple[Child, ...],
    following: Sequence[Corners],
    budget: _Budget,
) -> Corners:
    """Return the function of one option: its children's functions, scaled and convolved."""
    ring = game.machine.ring
    ended = [
        ((game.terminal_edge(index, child),), 1, 1) for child in children if child[1] == TERMINAL
    ]
    parts = [_of_edges(merged(ended), ring)] if ended else []
    for _, node, scale0, scale1 in children:
        if node != TERMINAL:
            up, across = ring.number(scale0, 1), ring.number(scale1, 1)
            parts.append(tuple((x * across, y * up) for x, y in following[node]))
    parts.sort(key=len)
    result = parts[0]
    for part in parts[1:]:
        result = convolved(result, part, budget.spend)
    return result


def _of_edges(edges: Edges, ring: Ring) -> Corners:
    """Return the concave function whose edges are given; at 0 it has the mass without a price."""
    points = [(ring.number(x, 1), ring.number(y, 1)) for x, y in vertices(edges)]
    return tuple(points[1:] if len(points) > 1 and points[1][0] == 0 else points)


def _count_pairs(graph: RelationGraph) -> int:
    """Return the number of fixed pairs of streams."""
    counts = [1] * (1 + max(arc.target for layer in graph.arcs[-1] for arc in layer))
    for layer in reversed(graph.arcs):
        counts = [sum(counts[arc.target] for arc in arcs) for arcs in layer]
    return counts[graph.start]


def _paths(graph: RelationGraph) -> Iterator[Path]:
    """Yield every fixed pair of streams, as the arcs it takes."""

    def walk(index: int, position: int, path: Path) -> Iterator[Path]:
        if index == graph.horizon:
            yield path
            return
        for number, arc in enumerate(graph.arcs[index][position]):
            yield from walk(index + 1, arc.target, (*path, number))

    return walk(0, graph.start, ())


def _attaining(solution: Solution, point: Point) -> Attained:
    """Return a replayed adversary whose event has P1 and P0 at a corner of the supremum."""
    assert solution.lower_curves is not None
    edges = root_curve(solution.lower_curves)
    corners = vertices(edges)
    ring = solution.compiled.ring
    across, up = corners[-1]
    taken = next(
        number
        for number, (x, y) in enumerate(corners)
        if (ring.number(x, across), ring.number(y, up)) == point
    )
    policy = GamePolicy(solution.game, solution.lower_curves, taken)
    p0, p1 = solution.replay(policy)
    if (p1, p0) != point:
        raise PowercertError(
            "internal check failed: the replayed adversary misses its corner",
            found=f"P0 = {p0}, P1 = {p1}",
            expected="report this as a fault of powercert",
        )
    return Attained(policy, p0, p1)


def _gaps(
    supremum: PowerFunction,
    maximum: Envelope,
    attaining: Callable[[Point], tuple[Attained, Streams | None]],
) -> tuple[Gap, ...]:
    """Return where the maximum is below its majorant; each gap lies between two of its corners."""
    if maximum.majorant() != supremum:
        raise PowercertError(
            "internal check failed: the supremum is not the majorant of the maximum",
            found=f"{maximum.majorant()} and {supremum}",
            expected="report this as a fault of powercert",
        )
    gaps: list[Gap] = []
    corners = supremum.vertices
    # Both touch at the corners of the supremum, and elsewhere at corners of the maximum only.
    touching = [x for x, y in maximum.points if supremum(x) == y]
    for low, high in pairwise(touching):
        inside = [(supremum(x) - y, x, y) for x, y in maximum.points if low < x < high]
        if not inside:
            continue
        _, alpha, power = max(inside, key=lambda entry: entry[0])
        right = next(number for number, (x, _) in enumerate(corners) if x > alpha)
        before, behind = corners[right - 1], corners[right]
        (first, pair0), (second, pair1) = attaining(before), attaining(behind)
        gaps.append(
            Gap(
                low,
                high,
                alpha,
                supremum(alpha),
                power,
                (behind[0] - alpha) / (behind[0] - before[0]),
                first,
                second,
                None if pair0 is None or pair1 is None else (pair0, pair1),
            )
        )
    return tuple(gaps)
