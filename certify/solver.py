"""One mechanism, one relation, one horizon: solve the game and hand out replayed adversaries."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from ..accounting.errors import PowercertError
from ..accounting.numbers import Exact
from ..accounting.pair import Pair
from ..accounting.piecewise import ConcaveFunction
from ..accounting.power import PowerFunction
from ..mechanisms.neighbours import Relation
from .compiled import CompiledMachine, Ring, Transitions, compiled
from .curve import Edges, totals
from .deadline import interruptible
from .fixed import FixedSearch, Path
from .game import Game, explored, root_curve, solved_above, solved_with_limits
from .limits import Clock
from .point_based import PointSearch
from .policy import Complement, GamePolicy, Policy
from .relation_graph import RelationArc, RelationGraph, unrolled
from .replay import replayed
from .revealed import Splitting, frontier_upper
from .threshold import Threshold

__all__ = ["Attained", "Solution", "Streams", "pair_of", "solve"]

# Beliefs sampled per position and round in each pass of the search for good adversaries.
_POINTS = (16, 32, 64, 128)

# Nodes spent on the game of one guessed pair of streams.
_LINE_NODES = 5_000
_TOLD_APART = PowerFunction.dp(epsilon=0, delta=1)

# Share of a time limit after which no further adversary is sought.
_SEARCHING = 0.8


Streams = tuple[tuple[Hashable, ...], tuple[Hashable, ...]]


@dataclass(frozen=True)
class Attained:
    """A real adversary with the exact probabilities of its event in both worlds."""

    policy: Policy
    p0: Exact
    p1: Exact


@dataclass
class Solution:
    """A solved game.

    Guarantee: ``lower`` <= the adaptive power function (of world 0 against null world 1) <=
    ``upper`` everywhere; they are one object where the result is exact.
    """

    machine: Transitions
    relation: Relation
    graph: RelationGraph
    compiled: CompiledMachine
    game: Game
    clock: Clock
    lower: PowerFunction
    upper: PowerFunction
    exact: bool
    lower_curves: list[list[Edges]] | None
    upper_curves: list[list[Edges]] | None
    found: list[Attained] = field(default_factory=list[Attained])
    _lines: dict[Path, Solution] = field(
        default_factory=dict["Path", "Solution"], init=False, repr=False
    )

    def adversary(self, gamma: Exact, *, complement: bool) -> Attained:
        """Return a replayed adversary that attains the lower curve at gamma.

        Args:
            gamma: Positive; the adversary maximises P0(S) - gamma P1(S).
            complement: Return the complementary event, whose P1(S) - P0(S) / gamma is largest.
        """
        if self.lower_curves is not None:
            edges = root_curve(self.lower_curves)
            taken = self._event_size(gamma, complement=complement)
            policy: Policy = GamePolicy(self.game, self.lower_curves, taken)
            p0, p1 = self.replay(policy)
            total0, total1 = totals(edges)
            wanted = totals(edges[:taken])
            ring = self.compiled.ring
            if p0 != ring.number(wanted[0], total0) or p1 != ring.number(wanted[1], total1):
                raise PowercertError(
                    "internal check failed: the replayed witness differs from the solver",
                    found=f"P0 = {p0}, P1 = {p1}",
                    expected="report this as a fault of powercert",
                )
        else:
            best = max(self.found, key=lambda entry: entry.p0 - gamma * entry.p1)
            policy, p0, p1 = best.policy, best.p0, best.p1
        if complement:
            return Attained(Complement(policy), 1 - p0, 1 - p1)
        return Attained(policy, p0, p1)

    def _event_size(self, gamma: Exact, *, complement: bool) -> int:
        """Return how many leading edges of the root's curve the event takes at gamma.

        Where an edge has ratio gamma exactly, both its ends are worst; unless the excess is 0, the
        end whose first pair comes first in the relation's order is taken, else the smaller event.
        """
        assert self.lower_curves is not None
        edges = root_curve(self.lower_curves)
        threshold = Threshold(gamma, self.compiled.ring)
        smaller, larger = threshold.count(edges), threshold.count(edges, ties=True)
        first, second = (larger, smaller) if complement else (smaller, larger)
        inner = [count for count in (first, second) if 0 < count < len(edges)]
        if first not in inner or len(inner) < 2 or first == second:
            return first
        arcs = self.graph.arcs[0][self.graph.start]

        def opening(count: int) -> int:
            policy = GamePolicy(self.game, self.lower_curves or [], count)
            return arcs.index(policy.move(0, policy.start()))

        return min(inner, key=opening)

    def replay(self, policy: Policy) -> tuple[Exact, Exact]:
        """Play a policy against the mechanism itself."""
        numbers: dict[Hashable, int] = {
            view: number for number, view in enumerate(self.compiled.views)
        }
        return replayed(
            self.machine,
            self.relation,
            self.graph.horizon,
            policy,
            ring=self.compiled.ring,
            denominators=self.compiled.denominators,
            view_numbers=numbers,
        )

    def fixed_search(self) -> FixedSearch | None:
        """Return the search over fixed pairs, if the game was explored to the end."""
        if self.upper_curves is None or not self.game.complete:
            return None
        return FixedSearch(self.game, self.upper_curves, self.clock)

    def along(self, path: Path) -> Solution:
        """Solve the game in which only one fixed pair of streams may be fed.

        It has no more nodes than this game, so the time limit does not bind it. Solved once per
        path: both orders and several claims ask for the same few.
        """
        if path not in self._lines:
            line = path_graph(self.graph, path)
            clock = self.clock.with_limits(replace(self.clock.limits, seconds=None))
            self._lines[path] = _solution(
                self.machine, self.relation, line, self.compiled, clock, (), line=True
            )
        return self._lines[path]

    def streams(self) -> Streams:
        """Return the two streams of the game of a single pair."""
        arcs = [layer[0][0] for layer in self.graph.arcs]
        return tuple(arc.input0 for arc in arcs), tuple(arc.input1 for arc in arcs)

    def guessed_along(self, path: Path, gammas: Sequence[Exact]) -> Solution:
        """Bound the game of one fixed pair from below, cheaply, where the whole is too large."""
        line = path_graph(self.graph, path)
        few = min(self.clock.limits.nodes, _LINE_NODES)
        clock = self.clock.with_limits(replace(self.clock.limits, nodes=few))
        return _solution(self.machine, self.relation, line, self.compiled, clock, gammas, line=True)


def solve(
    machine: Transitions,
    relation: Relation,
    horizon: int,
    clock: Clock,
    gammas: Sequence[Exact] = (),
) -> Solution:
    """Solve the game for every epsilon at once, or bound it where a limit is reached.

    Args:
        machine: The exact law of the mechanism.
        relation: The neighbouring relation.
        horizon: Number of rounds.
        clock: Limits and progress.
        gammas: Where the lower bound should be good if the game is too large.

    Raises:
        InputError: The relation has no pair to audit, or the mechanism is not total.
        LimitError: Not even the mechanism could be enumerated.
    """
    graph = unrolled(relation, horizon)
    table = interruptible(
        lambda: compiled(machine, graph, clock), clock, "enumeration of the mechanism"
    )
    return _solution(machine, relation, graph, table, clock, gammas)


def _solution(
    machine: Transitions,
    relation: Relation,
    graph: RelationGraph,
    table: CompiledMachine,
    clock: Clock,
    gammas: Sequence[Exact],
    *,
    line: bool = False,
) -> Solution:
    """Solve or bound; the upper bound of a single line is of no use and left trivial."""
    game = explored(graph, table, clock)
    ring = table.ring
    if game.complete:
        lower, upper, exact = solved_with_limits(game, clock)
        below = pair_of(root_curve(lower), ring).power_function()
        above = below if exact else pair_of(root_curve(upper), ring).power_function()
        return Solution(
            machine, relation, graph, table, game, clock, below, above, exact, lower, upper
        )
    above = _TOLD_APART if line else _revealed_upper(game, clock)
    solution = Solution(
        machine,
        relation,
        graph,
        table,
        game,
        clock,
        PowerFunction.identity(),
        above,
        False,
        None,
        None,
    )
    solution.found = _point_based(solution, gammas)
    solution.lower = power_through([(entry.p1, entry.p0) for entry in solution.found])
    return solution


def _revealed_upper(game: Game, clock: Clock) -> PowerFunction:
    """Return the smaller of the bounds from both ways of splitting beliefs."""
    bounds: list[PowerFunction] = []
    splittings: tuple[Splitting, ...] = ("own", "equal")
    for splitting in splittings:
        frontier = frontier_upper(game, splitting, clock)
        upper = solved_above(game, frontier, clock)
        bounds.append(pair_of(root_curve(upper), game.machine.ring).power_function())
    return PowerFunction(bounds[0].curve.minimum(bounds[1].curve))


def _point_based(solution: Solution, gammas: Sequence[Exact]) -> list[Attained]:
    """Return replayed adversaries, one for each gamma, while the time lasts."""
    wanted = list(dict.fromkeys([*gammas, Exact(1)]))
    found: list[Attained] = []
    for number, gamma in enumerate(wanted):
        if found and solution.clock.used(_SEARCHING):
            break
        search = PointSearch(solution.graph, solution.compiled, float(gamma))
        for points in _POINTS:
            solution.clock.report("searching for adversaries", number, len(wanted))
            search.improve(points)
            if solution.clock.used(_SEARCHING):
                break
        policy = search.policy()
        found.append(Attained(policy, *solution.replay(policy)))
    return found


def power_through(points: Sequence[tuple[Exact, Exact]]) -> PowerFunction:
    """Return the least power function through attained points (P1(S), P0(S))."""
    corners = [(Exact(0), Exact(0)), *points, (Exact(1), Exact(1))]
    return PowerFunction(ConcaveFunction.hull(corners))


def pair_of(edges: Edges, ring: Ring) -> Pair:
    """Return the pair (null world 1, alternative world 0) of a root curve."""
    total0, total1 = totals(edges)
    return Pair.from_masses((ring.number(n1, total1), ring.number(n0, total0)) for n0, n1 in edges)


def path_graph(graph: RelationGraph, path: Path) -> RelationGraph:
    """Return the relation in which exactly one pair of streams is left."""
    position = graph.start
    chosen: list[tuple[Hashable, Hashable]] = []
    for index, number in enumerate(path):
        arc = graph.arcs[index][position][number]
        chosen.append((arc.input0, arc.input1))
        position = arc.target
    return line_graph(chosen)


def line_graph(pairs: Sequence[tuple[Hashable, Hashable]]) -> RelationGraph:
    """Return the relation that holds one pair of streams only."""
    diagonal = [True]
    for input0, input1 in reversed(pairs):
        diagonal.append(diagonal[-1] and input0 == input1)
    diagonal.reverse()
    return RelationGraph(
        len(pairs),
        0,
        tuple(((RelationArc(input0, input1, 0),),) for input0, input1 in pairs),
        tuple((flag,) for flag in diagonal),
    )
