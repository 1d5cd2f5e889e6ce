"""k-hop games: what a chain of k neighbouring steps can cost, against the bound f o ... o f.

Two games are easily confused. In the k-hop simulation (Definition B.5) the adversary submits, round
by round, a whole chain of k + 1 inputs, so it commits to the streams in the middle; there the bound
f o ... o f holds (Fact B.6). In the game of the k-hop closure (Definition B.4 read as a relation on
pairs) it submits the two ends only and may leave open which chain joins them until it has seen more
views; there the bound can fail.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact
from ..accounting.power import PowerFunction
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.hop_relations import hop_closure
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.relation import Arc, Relation, RelationState, RuleRelation, require_relation
from ..mechanisms.table import JointLaws
from ..mechanisms.values import describe, require_count
from .compiled import Transitions
from .game import root_curve
from .limits import Clock, Limits, Progress
from .relation_graph import RelationGraph, unrolled
from .solver import Solution, pair_of, solve
from .spec import AuditSpec, require_spec

__all__ = ["HopGames", "chain_relation", "k_hop", "k_hop_of"]

Interval = tuple[Exact, Exact]


@dataclass(frozen=True)
class HopGames:
    """The exact games of k hops, all with world 0 as the null: Pow(M_0 || M_k).

    For world k as the null take ``swapped()`` of any of the functions; composing and swapping
    commute.

    Args:
        relation: Name of the one-hop relation.
        k: Number of hops.
        horizon: Number of rounds.
        one_hop: f, the least power function for which the mechanism is adaptively f-DP.
        bound: f o ... o f, k times.
        chain: The supremum over adversaries that commit to the chain round by round.
        closure: The supremum over adversaries that submit the two ends only.
        fixed_one_hop: The supremum over fixed pairs of neighbours, f for fixed streams.
        fixed: The supremum over fixed pairs of k-hop neighbours; committing changes nothing there.
    """

    relation: str
    k: int
    horizon: int
    one_hop: PowerFunction
    bound: PowerFunction
    chain: PowerFunction
    closure: PowerFunction
    fixed_one_hop: PowerFunction
    fixed: PowerFunction

    @property
    def chain_within_bound(self) -> bool:
        """Whether Fact B.6 holds here: the chain game stays within f o ... o f."""
        return self.chain <= self.bound

    @property
    def closure_within_bound(self) -> bool:
        """Whether the closure's game stays within f o ... o f too, which no theorem promises."""
        return self.closure <= self.bound

    @property
    def fixed_bound(self) -> PowerFunction:
        """The k-fold composition of ``fixed_one_hop``, a bound for fixed k-hop neighbours."""
        return _iterated(self.fixed_one_hop, self.k)

    @property
    def fixed_within_bound(self) -> bool:
        """Whether fixed k-hop neighbours stay within ``fixed_bound``."""
        return self.fixed <= self.fixed_bound

    @property
    def chain_tight(self) -> tuple[Interval, ...]:
        """The closed intervals of alpha (points among them) on which the chain attains the bound.

        alpha = 1 is always one of them or the end of one.
        """
        return agreement(self.chain, self.bound)

    @property
    def closure_tight(self) -> tuple[Interval, ...]:
        """The closed intervals of alpha on which the closure's game equals the bound."""
        return agreement(self.closure, self.bound)


def k_hop(
    mechanism: Mechanism[Any, Any, Any, Any] | JointLaws,
    relation: Relation,
    k: int,
    horizon: int,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> HopGames:
    """Solve the one-hop game, the k-hop simulation and the game of the k-hop closure exactly.

    Guarantee: every function returned is exact, or a LimitError is raised; ``chain`` <= ``bound``
    (Fact B.6), ``fixed`` <= ``chain`` <= ``closure``. ``closure`` <= ``bound`` need not hold.

    Args:
        mechanism: What is audited; joint laws must not anticipate.
        relation: The one-hop relation on its inputs. Where it is not symmetric, a chain steps from
            world 0 of a pair to world 1.
        k: Number of hops, >= 1.
        horizon: Number of rounds, >= 1.
        limits: Where to stop.
        progress: Told about long stages.

    Raises:
        InputError: An argument is out of its domain, or one hop or k hops relate no two different
            streams.
        LimitError: A game is too large to be solved exactly.

    Example:
        Randomised response that keeps a bit with probability 3/4, in two rounds that both may
        differ: the bound of two hops is attained up to alpha = 1/16 and from 7/16 on.

        >>> from powercert.mechanisms import TableMechanism, hamming
        >>> rows = [["*", "s", x, y, "s", "3/4" if x == y else "1/4"] for x in "01" for y in "01"]
        >>> table = TableMechanism(2, "01", "01", ["s"], {"s": 1}, rows)
        >>> games = k_hop(table, hamming().over("01"), 2, 2)
        >>> games.bound.vertices[1], games.chain.vertices[1]
        ((Exact('1/12'), Exact('3/4')), (Exact('1/16'), Exact('9/16')))
        >>> games.chain_within_bound, games.chain == games.closure
        (True, True)
        >>> [(str(low), str(high)) for low, high in games.chain_tight]
        [('0', '1/16'), ('7/16', '1')]

    Source: Definitions B.4 and B.5 and Fact B.6 of the buffering-recipe paper.
    """
    require_count(k, "k", 1)
    _require_subject(mechanism, relation, require_count(horizon, "horizon", 1))
    clock = Clock(limits or Limits(), progress)
    machine = _machine(mechanism)
    one = _solved(machine, relation, horizon, clock, "one-hop game")
    graph = one.graph
    chained = chain_relation(relation, k, horizon, limit_arcs=clock.limits.transitions, graph=graph)
    chain = _solved(_Unlabelled(machine), chained, horizon, clock, f"{k}-hop simulation")
    pairs = hop_closure(relation, k, limit_arcs=clock.limits.transitions)
    closure = one if k == 1 else _solved(machine, pairs, horizon, clock, f"{k}-hop closure")
    f = one.lower.swapped()
    return HopGames(
        relation=relation.name,
        k=k,
        horizon=horizon,
        one_hop=f,
        bound=_iterated(f, k),
        chain=chain.lower.swapped(),
        closure=closure.lower.swapped(),
        fixed_one_hop=_fixed(one, "one-hop game"),
        fixed=_fixed(closure, f"{k}-hop closure"),
    )


def _require_subject(mechanism: object, relation: object, horizon: int) -> None:
    """Check what users get wrong most: a family or a name instead of a relation, too many rounds."""
    try:
        require_relation(relation)
    except InputError as error:
        hint = "give hamming().over(inputs), say, or use k_hop_of(spec, k)"
        raise InputError(error.what, where="k_hop", found=error.found, expected=hint) from None
    steps = getattr(mechanism, "start", None), getattr(mechanism, "step", None)
    if isinstance(mechanism, type) or not (
        isinstance(mechanism, JointLaws) or all(map(callable, steps))
    ):
        raise InputError(
            "not a mechanism",
            where="k_hop",
            found=describe(mechanism),
            expected="give an object with start(coins) and step(state, item, coins), or JointLaws",
        )
    rounds: object = getattr(mechanism, "rounds", None)
    if isinstance(rounds, int) and rounds < horizon:
        raise InputError(
            "more rounds than the mechanism has",
            where="k_hop: horizon",
            found=str(horizon),
            expected=f"write at most {rounds}",
        )


def k_hop_of(
    spec: AuditSpec, k: int, *, limits: Limits | None = None, progress: Progress | None = None
) -> HopGames:
    """Solve the games of k hops of a spec's mechanism under its relation; see ``k_hop``.

    Args:
        spec: Mechanism, one-hop relation and horizon; its claims are not looked at.
        k: Number of hops, >= 1.
        limits: Where to stop.
        progress: Told about long stages.

    Raises:
        InputError: As ``k_hop``, or ``spec`` is no AuditSpec.
        LimitError: As ``k_hop``.

    Example:
        >>> from powercert.certify.spec import load_example
        >>> games = k_hop_of(load_example("two-round-counterexample"), 2)
        >>> games.relation, games.chain_within_bound
        ('hamming', True)
    """
    require_spec(spec, "k_hop_of")
    return k_hop(
        spec.mechanism, spec.neighbours(), k, spec.horizon, limits=limits, progress=progress
    )


def chain_relation(
    relation: Relation,
    k: int,
    horizon: int,
    *,
    limit_arcs: int = 1_000_000,
    graph: RelationGraph | None = None,
) -> Relation:
    """Return the relation of the k-hop simulation, for streams of ``horizon`` rounds.

    An input is (the mechanism's input, label). World 0 gets the first component of the chain and
    world 1 the last; the label, equal in both, says where the chain's k steps stand after the
    round. It commits the adversary to the middle of the chain as far as that matters: two chains
    with one label and the same ends can be continued in the same ways.

    Args:
        relation: The one-hop relation.
        k: Number of hops.
        horizon: Number of rounds.
        limit_arcs: Most arcs in all.
        graph: The relation unrolled over the horizon, if it is at hand.

    Raises:
        InputError: It is no relation over an alphabet.
        LimitError: From ``pairs``: there are more arcs than the limit.

    Example:
        >>> from powercert.mechanisms import user
        >>> chained = chain_relation(user().over("01"), 2, 1)
        >>> [(arc[0][0], arc[1][0]) for arc in chained.pairs(chained.start)]
        [('0', '0'), ('0', '1'), ('1', '0'), ('1', '1')]

    Source: Definition B.5 of the buffering-recipe paper.
    """
    require_relation(relation)
    unrolling = unrolled(relation, horizon) if graph is None else graph
    count = 0

    def rule(state: RelationState) -> list[Arc]:
        nonlocal count
        index, *positions = cast("tuple[int, ...]", state)
        if index == horizon:
            return []
        first, *others = positions
        layer = unrolling.arcs[index]
        # (first component, last component, where the steps so far stand)
        chains: dict[tuple[Hashable, Hashable, tuple[int, ...]], None] = {
            (arc.input0, arc.input1, (arc.target,)): None for arc in layer[first]
        }
        for position in others:
            longer: dict[tuple[Hashable, Hashable, tuple[int, ...]], None] = {}
            for start, middle, reached in chains:
                for arc in layer[position]:
                    if arc.input0 == middle:
                        longer[start, arc.input1, (*reached, arc.target)] = None
                if count + len(longer) > limit_arcs:
                    raise LimitError(
                        f"more than {limit_arcs} arcs",
                        where=f"{k}-hop simulation of relation {relation.name}",
                        expected="raise the limit, or use fewer hops, rounds or inputs",
                    )
            chains = longer
        count += len(chains)
        return [
            ((start, reached), (end, reached), (index + 1, *reached))
            for start, end, reached in chains
        ]

    return RuleRelation(
        f"chain(k={k}, of={relation.name})",
        (0, *(unrolling.start for _ in range(k))),
        rule,
        lambda state: cast("tuple[int, ...]", state)[0] == horizon,
    )


def agreement(first: PowerFunction, second: PowerFunction) -> tuple[Interval, ...]:
    """Return the closed intervals of alpha on which two power functions are equal.

    Example:
        >>> f = PowerFunction.dp(exp_epsilon=3)
        >>> [(str(low), str(high)) for low, high in agreement(f, f.after(f))]
        [('0', '0'), ('1', '1')]
    """
    knots = sorted({x for f in (first, second) for x, _ in f.vertices})
    gaps = [first(x) - second(x) for x in knots]
    found: list[Interval] = []

    def add(low: Exact, high: Exact) -> None:
        if found and found[-1][1] == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))

    if gaps[0] == 0:
        add(knots[0], knots[0])
    for (left, before), (right, behind) in pairwise(zip(knots, gaps, strict=True)):
        if before == 0 and behind == 0:
            add(left, right)
        elif behind == 0:
            add(right, right)
        elif before.sign() * behind.sign() < 0:
            crossing = left + (right - left) * before / (before - behind)
            add(crossing, crossing)
    return tuple(found)


@dataclass(frozen=True)
class _Unlabelled:
    """A mechanism whose inputs carry a label that it does not see."""

    inner: Transitions

    def initial(self) -> tuple[tuple[Hashable, Exact], ...]:
        """Return the law of the first state."""
        return self.inner.initial()

    def transitions(
        self, state: Hashable, item: Hashable
    ) -> tuple[tuple[Hashable, Hashable, Exact], ...]:
        """Return the law of one step, for the input without its label."""
        return self.inner.transitions(state, cast("tuple[Hashable, Hashable]", item)[0])


def _read(mechanism: Mechanism[Any, Any, Any, Any]) -> Transitions:
    return ExactMachine(mechanism)


def _machine(mechanism: Mechanism[Any, Any, Any, Any] | JointLaws) -> Transitions:
    if not isinstance(mechanism, JointLaws):
        return _read(mechanism)
    if mechanism.anticipation() is not None:
        raise InputError(
            "the joint laws anticipate, so they define no game",
            where="mechanism",
            expected="give laws in which a view depends on inputs up to its round",
        )
    return _read(mechanism.as_laws())


def _solved(
    machine: Transitions, relation: Relation, horizon: int, clock: Clock, where: str
) -> Solution:
    """Solve a game exactly, or say that it is too large."""
    solution = solve(machine, relation, horizon, clock)
    if not solution.exact:
        raise LimitError(
            "the game is not solved exactly within the limits",
            where=where,
            found=f"{solution.game.nodes} nodes explored",
            expected="raise the limits on nodes, edges or seconds, or use fewer rounds",
        )
    return solution


def _fixed(solution: Solution, where: str) -> PowerFunction:
    """Return the least power function above those of all fixed pairs, world 0 being the null."""
    search = solution.fixed_search()
    if search is None or solution.upper_curves is None:
        raise LimitError("the game is not explored to the end", where=where)
    try:
        edges = search.profile(root_curve(solution.upper_curves))
    except LimitError as error:
        raise error.located(where) from error
    return pair_of(edges, solution.compiled.ring).power_function().swapped()


def _iterated(f: PowerFunction, k: int) -> PowerFunction:
    """Return f o ... o f, k times."""
    result = f
    for _ in range(k - 1):
        result = result.after(f)
    return result
