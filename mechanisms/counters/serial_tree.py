"""The binary-tree counter with one node per sub-round, as Definition E.3 needs it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, cast

from ...accounting.errors import InputError
from ..coins import Coins
from ..mechanism import Step
from ..neighbours import hamming
from ..relation import Arc, Relation, RelationFamily, RelationState, RuleRelation
from ..values import describe, require_count, require_items
from .dyadic import Node, nodes_ending_at, trailing_zeros, tree_levels
from .noise import IntegerNoise, NoiseLaw
from .tree import past_horizon, read_later, require_item, require_range

__all__ = ["SerialTreeCounter", "SerialTreeState", "SubRound"]


class SubRound(NamedTuple):
    """One sub-round: the time step it belongs to, and the node it releases.

    Example:
        >>> SubRound(2, Node(1, 2)).takes_input
        False
    """

    time: int
    node: Node

    @property
    def takes_input(self) -> bool:
        """Whether an input arrives: the leaf of a time step comes first."""
        return self.node.length == 1


class SerialTreeState(NamedTuple):
    """What the counter remembers between sub-rounds.

    Args:
        time: The current time step.
        level: The level of the node released last; -1 before the first.
        total: The exact total of that node, or 0 where no later node contains it.
        totals: Exact totals of the other canonical blocks that a later node contains, from right
            to left.
    """

    time: int
    level: int
    total: int
    totals: tuple[int, ...]


@dataclass(frozen=True)
class SerialTreeCounter:
    """Count a stream by the binary tree, releasing one noisy node per sub-round.

    Time step t becomes one sub-round per node that ends at t, the leaf first. The input arrives in
    the leaf's sub-round; in the others the input is ``idle``. So T time steps are 2T - (number of
    binary digits 1 of T) sub-rounds. Sub-round i releases the sum over ``index_sets[i - 1]`` with
    fresh noise, which is the form of Definition E.3; an adversary gains and loses nothing against
    the joint form, as no choice lies between the sub-rounds of one time step.

    Use ``relation()`` as the neighbouring relation: others feed inputs to idle sub-rounds, which
    is refused.

    Args:
        horizon: The number of time steps T >= 1.
        noise: The law of each node's noise: a FiniteLaw on integers, or a law that can only be
            sampled.
        lower: Least input.
        upper: Greatest input.
        modulus: Count modulo this number >= 1.
        clamped: Clamp each noisy node to the values that its exact total can have.
        idle: The input of the other sub-rounds: text, or an integer outside the range.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> from powercert.mechanisms import FiniteLaw
        >>> counter = SerialTreeCounter(4, FiniteLaw.uniform((-1, 0, 1)))
        >>> counter.index_sets
        ((1,), (2,), (1, 2), (4,), (5,), (4, 5), (1, 2, 4, 5))

    Source: Definition E.3 of the buffering-recipe paper; Chan, Shi and Song (2011), Section 3.
    """

    horizon: int
    noise: NoiseLaw
    lower: int = 0
    upper: int = 1
    modulus: int | None = None
    clamped: bool = False
    idle: Hashable = "-"
    _noise: IntegerNoise = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check every field."""
        require_count(self.horizon, "horizon", 1)
        require_range(self.lower, self.upper)
        if isinstance(self.idle, bool) or not isinstance(self.idle, str | int):
            raise InputError(
                "the idle input is neither text nor an integer", found=describe(self.idle)
            )
        if isinstance(self.idle, int) and self.lower <= self.idle <= self.upper:
            raise InputError("the idle input is in the range", found=describe(self.idle))
        noise = IntegerNoise(self.noise, self.modulus, self.clamped)
        object.__setattr__(self, "_noise", noise)

    @property
    def rounds(self) -> int:
        """The number of sub-rounds."""
        return 2 * self.horizon - self.horizon.bit_count()

    @property
    def inputs(self) -> tuple[Hashable, ...]:
        """The input alphabet, with the idle input."""
        return (*range(self.lower, self.upper + 1), self.idle)

    @property
    def levels(self) -> int:
        """In how many released nodes one input can be."""
        return tree_levels(self.horizon)

    @property
    def schedule(self) -> tuple[SubRound, ...]:
        """Every sub-round in order."""
        return tuple(
            SubRound(time, node)
            for time in range(1, self.horizon + 1)
            for node in nodes_ending_at(time)
        )

    @property
    def index_sets(self) -> tuple[tuple[int, ...], ...]:
        """For every sub-round, the sub-rounds whose inputs it sums."""
        arrivals = [number for number, sub in enumerate(self.schedule, 1) if sub.takes_input]
        return tuple(tuple(arrivals[sub.node.first - 1 : sub.time]) for sub in self.schedule)

    def spread(self, stream: Iterable[int]) -> tuple[Hashable, ...]:
        """Return a stream of one input per time step as inputs of sub-rounds.

        Args:
            stream: At most ``horizon`` inputs.

        Raises:
            InputError: There are more inputs than time steps, or one is not in the range.

        Example:
            >>> from powercert.mechanisms import FiniteLaw
            >>> SerialTreeCounter(4, FiniteLaw.point(0)).spread([1, 0, 1])
            (1, 0, '-', 1)
        """
        listed = tuple(islice(require_items(stream, "stream"), self.horizon + 1))
        if len(listed) > self.horizon:
            raise past_horizon(self.horizon)
        found: list[Hashable] = []
        for time, item in enumerate(listed, 1):
            require_item(item, self.lower, self.upper, f"time step {time}")
            found += [item, *[self.idle] * trailing_zeros(time)]
        return tuple(found)

    def relation(self, base: RelationFamily | None = None) -> Relation:
        """Return a relation of streams as a relation of their sub-rounds.

        Args:
            base: The relation of the streams of one input per time step; ``hamming()`` by default.

        Returns:
            The relation over ``inputs``: pairs of the base relation where an input arrives, the
            idle input in both worlds elsewhere. It ends with the horizon.

        Raises:
            InputError: ``base`` is no relation that can be built over an alphabet.

        Example:
            >>> from powercert.mechanisms import FiniteLaw, check_neighbouring
            >>> counter = SerialTreeCounter(2, FiniteLaw.point(0))
            >>> check_neighbouring(counter.relation(), (1, 0, "-"), (0, 0, "-")) is None
            True
        """
        family = hamming() if base is None else base
        if not isinstance(cast("object", family), RelationFamily):
            raise InputError(
                "not a relation that can be built over an alphabet",
                where="base",
                found=describe(base),
                expected="give one such as hamming()",
            )
        inner = family.over(range(self.lower, self.upper + 1))
        arrives = tuple(sub.takes_input for sub in self.schedule)

        def rule(state: RelationState) -> list[Arc]:
            done, within = cast("tuple[int, RelationState]", state)
            if done == len(arrives):
                return []
            if arrives[done]:
                return [(a, b, (done + 1, after)) for a, b, after in inner.pairs(within)]
            return [(self.idle, self.idle, (done + 1, within))]

        def accept(state: RelationState) -> bool:
            return inner.accepts(cast("tuple[int, RelationState]", state)[1])

        allowance = inner.allowance if isinstance(inner, RuleRelation) else ""
        return RuleRelation(
            f"{inner.name} in sub-rounds", (0, inner.start), rule, accept, allowance
        )

    def start(self, coins: Coins) -> SerialTreeState:
        """Return the state before the first sub-round; nothing is drawn."""
        return SerialTreeState(0, -1, 0, ())

    def step(
        self, state: SerialTreeState, item: Hashable, coins: Coins
    ) -> Step[SerialTreeState, int, None]:
        """Release the node of the next sub-round.

        Raises:
            InputError: The horizon is past, an input is missing or not in the range, or one is fed
                to an idle sub-round.
        """
        noise, totals = self._noise, state.totals
        if state.time == 0 or state.level == trailing_zeros(state.time):
            time, level = state.time + 1, 0
            if time > self.horizon:
                raise past_horizon(self.rounds)
            if state.time and read_later(state.time, self.horizon):
                totals = (state.total, *totals)
            total = require_item(item, self.lower, self.upper, f"time step {time}, node [{time}]")
        else:
            time, level = state.time, state.level + 1
            if item != self.idle:
                raise InputError(
                    "an input is fed to an idle sub-round",
                    where=f"time step {time}, node [{time - 2**level + 1}..{time}]",
                    found=describe(item),
                    expected=f"feed {self.idle!r}; use the counter's relation()",
                )
            total, totals = state.total + totals[0], totals[1:]
        total = noise.reduced(total)
        view = noise.noisy(total, coins, length=2**level, lower=self.lower, upper=self.upper)
        if level == trailing_zeros(time) and not read_later(time, self.horizon):
            total = 0
        return Step(SerialTreeState(time, level, total, totals), view)
