"""The exact secret-bit game: every adaptive adversary at once, by dynamic programming on beliefs.

A node is (round, position of the relation, belief of world 0, belief of world 1): what an adversary
who has seen the views so far can know. Its value is a whole privacy curve (see ``curve``), so one
pass answers every epsilon and both orders. Each world's belief is normalised on its own, because
scaling a belief only scales the masses of that world on the curve.

Source: paper 1 (buffering recipe), Definitions A.13, B.2 and B.3; the recursion is the dynamic
program of a partially observed game, exact because all masses are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from .compiled import Belief, CompiledMachine
from .curve import Edges, Mass, coarsened_lower, coarsened_upper, merged, upper_hull
from .limits import Clock
from .relation_graph import RelationGraph

__all__ = [
    "TERMINAL",
    "Child",
    "Game",
    "Layer",
    "Node",
    "explored",
    "option_curve",
    "root_curve",
    "solved_above",
    "solved_with_limits",
]

# Edges kept per curve once exactness is given up, for lack of room or for lack of time; and the
# largest layer from which bounds start where time is short.
_COARSE_EDGES = 2048
_HURRIED_EDGES = 64
_HURRIED_NODES = 300
_FRONTIER_SHARE = 20

# Shares of a time limit after which exploring, and solving exactly, make room for bounds.
_EXPLORING = 0.1
_SOLVING = 0.5

# The child index of an outcome whose future no longer matters: its edge is known at once.
TERMINAL = -1
# (number of the view, child node or TERMINAL, factor of world 0, factor of world 1)
Child = tuple[int, int, Mass, Mass]
_Step = dict[int, tuple[int, Mass]]


@dataclass(frozen=True)
class Node:
    """A node of the game: a position and two normalised beliefs, by number."""

    position: int
    belief0: int
    belief1: int


@dataclass
class Layer:
    """All nodes before one round.

    ``options[node]`` are the different laws of children that a pair of inputs can cause;
    ``option_of[node][k]`` says which of them the k-th arc of the position causes.
    """

    nodes: list[Node] = field(default_factory=list["Node"])
    beliefs: list[Belief] = field(default_factory=list["Belief"])
    totals: list[Mass] = field(default_factory=list["Mass"])
    options: list[tuple[tuple[Child, ...], ...]] = field(
        default_factory=list[tuple[tuple[Child, ...], ...]]
    )
    option_of: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    numbers: dict[tuple[int, int, int], int] = field(
        default_factory=dict[tuple[int, int, int], int]
    )
    belief_numbers: dict[Belief, int] = field(default_factory=dict["Belief", int])

    def belief(self, belief: Belief) -> int:
        """Return the number of a normalised belief, new or known."""
        number = self.belief_numbers.get(belief)
        if number is None:
            number = self.belief_numbers[belief] = len(self.beliefs)
            self.beliefs.append(belief)
            total = belief[0][1]
            for _, mass in belief[1:]:
                total = total + mass
            self.totals.append(total)
        return number

    def node(self, position: int, belief0: int, belief1: int) -> int:
        """Return the number of a node, new or known."""
        key = (position, belief0, belief1)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.nodes)
            self.nodes.append(Node(position, belief0, belief1))
        return number


@dataclass(frozen=True)
class Game:
    """An explored game: layers 0..depth, all of them if ``complete``.

    ``hurried`` tells that exploring ended because of the time limit.
    """

    graph: RelationGraph
    machine: CompiledMachine
    layers: tuple[Layer, ...]
    hurried: bool = False

    @property
    def depth(self) -> int:
        """Round up to which every node is known."""
        return len(self.layers) - 1

    @property
    def complete(self) -> bool:
        """Whether the exploration reached the last round."""
        return self.depth == self.graph.horizon

    @property
    def nodes(self) -> int:
        """Nodes over all layers."""
        return sum(len(layer.nodes) for layer in self.layers)

    def terminal_edge(self, round_index: int, child: Child) -> tuple[Mass, Mass]:
        """Return the edge of a terminal child of a node before round ``round_index`` + 1."""
        unit = self.machine.remaining[round_index + 1]
        return child[2] * unit, child[3] * unit


def explored(graph: RelationGraph, machine: CompiledMachine, clock: Clock) -> Game:
    """Walk the game forward, merging equal nodes, until the end or the limit on nodes.

    This is also the size estimate: it costs far less than the curves.
    """
    root = Layer()
    start = root.belief(machine.initial)
    root.node(graph.start, start, start)
    layers = [root]
    total = 1
    for index in range(graph.horizon):
        layer, following = layers[-1], Layer()
        steps: dict[tuple[int, Hashable], _Step] = {}
        for number, node in enumerate(layer.nodes):
            _expand(graph, machine, index, layer, following, node, steps)
            hurried = not number % 64 and clock.used(_EXPLORING)
            if hurried or total + len(following.nodes) > clock.limits.nodes:
                # Bounds start from a finished layer, and from one whose nodes leave time to bound
                # each of them (which costs far more than exploring them).
                most = _HURRIED_NODES
                if not hurried:
                    most = max(most, clock.limits.nodes // _FRONTIER_SHARE)
                while len(layers[-1].nodes) > most:
                    layers.pop()
                layers[-1].options.clear()
                layers[-1].option_of.clear()
                return Game(graph, machine, tuple(layers), hurried)
            if not number % 64:
                clock.report(f"exploring round {index + 1} of {graph.horizon}", total)
        total += len(following.nodes)
        layers.append(following)
    return Game(graph, machine, tuple(layers))


def _expand(
    graph: RelationGraph,
    machine: CompiledMachine,
    index: int,
    layer: Layer,
    following: Layer,
    node: Node,
    steps: dict[tuple[int, Hashable], _Step],
) -> None:
    """List the children of one node for every legal pair."""
    options: dict[tuple[Child, ...], int] = {}
    option_of: list[int] = []
    diagonal = graph.diagonal[index + 1]
    for arc in graph.arcs[index][node.position]:
        children: list[Child] = []
        step0 = _stepped(machine, index, layer, following, node.belief0, arc.input0, steps)
        step1 = _stepped(machine, index, layer, following, node.belief1, arc.input1, steps)
        for view, (belief0, scale0) in step0.items():
            other = step1.get(view)
            if other is None:
                children.append((view, TERMINAL, scale0 * following.totals[belief0], 0))
                continue
            belief1, scale1 = other
            if belief0 == belief1 and diagonal[arc.target]:
                total = following.totals[belief0]
                children.append((view, TERMINAL, scale0 * total, scale1 * total))
            else:
                child = following.node(arc.target, belief0, belief1)
                children.append((view, child, scale0, scale1))
        for view, (belief1, scale1) in step1.items():
            if view not in step0:
                children.append((view, TERMINAL, 0, scale1 * following.totals[belief1]))
        option_of.append(options.setdefault(tuple(children), len(options)))
    layer.options.append(tuple(options))
    layer.option_of.append(tuple(option_of))


def _stepped(
    machine: CompiledMachine,
    index: int,
    layer: Layer,
    following: Layer,
    belief: int,
    item: Hashable,
    steps: dict[tuple[int, Hashable], _Step],
) -> _Step:
    """Return view -> (next normalised belief, its scale) for one world; cached per round."""
    known = steps.get((belief, item))
    if known is not None:
        return known
    rows = machine.rows[index]
    after: dict[int, dict[int, Mass]] = {}
    for state, mass in layer.beliefs[belief]:
        for view, target, weight in rows[state, item]:
            masses = after.setdefault(view, {})
            masses[target] = masses[target] + mass * weight if target in masses else mass * weight
    ring = machine.ring
    result: _Step = {}
    for view, masses in after.items():
        divisor = ring.gcd(masses.values())
        if divisor == 1:
            normal = tuple(sorted(masses.items()))
        else:
            normal = tuple(
                (target, ring.quotient(masses[target], divisor)) for target in sorted(masses)
            )
        result[view] = following.belief(normal), divisor
    steps[belief, item] = result
    return result


def option_curve(
    game: Game, index: int, children: tuple[Child, ...], following: Sequence[Edges]
) -> Edges:
    """Return the curve of one option: its children's curves, scaled and merged by ratio."""
    return merged(
        (
            ((game.terminal_edge(index, child),), 1, 1)
            if child[1] == TERMINAL
            else (following[child[1]], child[2], child[3])
        )
        for child in children
    )


Coarsening = Callable[[Edges, int], Edges]


def backward(
    game: Game,
    frontier: Sequence[Edges],
    clock: Clock,
    coarsening: Coarsening | None = None,
) -> tuple[list[list[Edges]], bool]:
    """Solve from the frontier back to the root.

    Args:
        game: An explored game.
        frontier: Curves of the nodes of the last layer.
        clock: The limits; ``limits.edges`` stops an exact run.
        coarsening: None for exact curves, else how a curve with too many edges is replaced by a
            shorter one on the sound side.

    Returns:
        The curves per layer, and whether the run finished. An exact run stops when a curve grows
        above the limit on edges or the time is up; the layers solved until then are returned, with
        empty lists for the rest. A coarsened run always finishes.
    """
    curves: list[list[Edges]] = [[] for _ in game.layers]
    curves[-1] = list(frontier)
    interned: dict[Edges, Edges] = {}
    limit = clock.limits.edges
    for index in range(game.depth - 1, -1, -1):
        solved: list[Edges] = []
        layer = game.layers[index]
        for number, options in enumerate(layer.options):
            edges = upper_hull(
                [option_curve(game, index, children, curves[index + 1]) for children in options]
            )
            if coarsening is not None:
                edges = coarsening(edges, _kept(clock))
            elif len(edges) > limit or clock.used(_SOLVING):
                curves[index] = []
                return curves, False
            solved.append(interned.setdefault(edges, edges))
            if not number % 64:
                clock.report(f"solving round {index + 1} of {game.graph.horizon}", number)
        curves[index] = solved
    return curves, True


def leaf_curves(game: Game) -> list[Edges]:
    """Return the curves after the last round: one edge each, all that is left to see."""
    layer = game.layers[-1]
    return [((layer.totals[node.belief0], layer.totals[node.belief1]),) for node in layer.nodes]


def root_curve(curves: Sequence[Sequence[Edges]]) -> Edges:
    """Return the curve at the root."""
    return curves[0][0]


def solved_with_limits(
    game: Game, clock: Clock
) -> tuple[list[list[Edges]], list[list[Edges]], bool]:
    """Return (lower, upper) curves of a completely explored game, and whether they are exact.

    Guarantee: lower <= exact <= upper at every node; one object where no curve outgrows the limit
    on edges and the time suffices.
    """
    leaves = leaf_curves(game)
    curves, finished = backward(game, leaves, clock)
    if finished:
        return curves, curves, True
    below, _ = backward(game, leaves, clock, coarsened_lower)
    above, _ = backward(game, leaves, clock, coarsened_upper)
    return below, above, False


def solved_above(game: Game, frontier: Sequence[Edges], clock: Clock) -> list[list[Edges]]:
    """Return upper curves of all layers from upper curves of the last one."""

    def short(edges: Edges, most: int) -> Edges:
        return coarsened_upper(edges, min(most, _HURRIED_EDGES))

    # What the frontier leaves open outweighs what a few dozen edges leave open.
    curves, _ = backward(game, frontier, clock, short)
    return curves


def _kept(clock: Clock) -> int:
    return min(clock.limits.edges, _HURRIED_EDGES if clock.used(_SOLVING) else _COARSE_EDGES)
