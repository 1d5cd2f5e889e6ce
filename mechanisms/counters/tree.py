"""The binary-tree counter over a known horizon, with all nodes of a round released at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from ...accounting.errors import InputError
from ..coins import Coins
from ..mechanism import Step
from ..values import describe, require_count
from .dyadic import Node, nodes_ending_at, prefix_nodes, trailing_zeros, tree_levels
from .noise import IntegerNoise, NoiseLaw, require_integer

__all__ = [
    "TreeCounter",
    "TreeState",
    "past_horizon",
    "read_later",
    "require_item",
    "require_range",
]


class TreeState(NamedTuple):
    """What a tree counter remembers: O(log T) integers.

    Args:
        time: Rounds so far.
        totals: Exact totals of the canonical blocks of [1..time], from right to left, as far as a
            later node contains them.
        noisy: Noisy values of the canonical blocks that a later prefix sum reads, from right to
            left; empty where nodes are shown.
    """

    time: int
    totals: tuple[int, ...]
    noisy: tuple[int, ...]


@dataclass(frozen=True)
class TreeCounter:
    """Count a stream by the binary tree: each dyadic node gets noise once, when it is complete.

    The core release of round t is the tuple of the noisy nodes that end at t, the smallest first;
    nodes that end after the horizon are never released. The view is that tuple, or the estimate of
    the sum of all inputs so far: the sum of the noisy nodes that make up [1..t], each of which was
    drawn once and is remembered.

    One input is in up to ``levels`` = floor(log2 T) + 1 of the nodes, so noise that makes one node
    epsilon-DP makes the stream levels * epsilon-DP (event level).

    Args:
        rounds: The horizon T >= 1, any number.
        noise: The law of each node's noise: a FiniteLaw on integers, or a law that can only be
            sampled (for production).
        lower: Least input.
        upper: Greatest input.
        shows: "nodes" or "prefix".
        modulus: Count modulo this number >= 1 (2 counts parities).
        clamped: Clamp each noisy node to the values that its exact total can have. With two-sided
            geometric noise around 0 the cost of an input is the same in every context; with other
            noise the clamp can make it depend on the other inputs, and then an adaptive adversary
            can do better than fixed streams.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> from powercert.mechanisms import ExactMachine, FiniteLaw
        >>> flip = FiniteLaw.of({0: "2/3", 1: "1/3"})
        >>> machine = ExactMachine(TreeCounter(2, flip, modulus=2))
        >>> start, _ = machine.initial()[0]
        >>> machine.transitions(start, 1)[0]
        ((1,), TreeState(time=1, totals=(1,), noisy=()), Exact('2/3'))
        >>> after = machine.transitions(start, 1)[0][1]
        >>> [(view, weight) for view, _, weight in machine.transitions(after, 1)][:2]
        [((1, 0), Exact('4/9')), ((1, 1), Exact('2/9'))]

    Source: Chan, Shi and Song (2011), Section 3; Dwork, Naor, Pitassi and Rothblum (2010).
    """

    rounds: int
    noise: NoiseLaw
    lower: int = 0
    upper: int = 1
    shows: Literal["nodes", "prefix"] = "nodes"
    modulus: int | None = None
    clamped: bool = False
    _noise: IntegerNoise = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check every field."""
        require_count(self.rounds, "rounds", 1)
        require_range(self.lower, self.upper)
        if cast("object", self.shows) not in ("nodes", "prefix"):
            raise InputError(
                "unknown view",
                where="shows",
                found=describe(self.shows),
                expected='write "nodes" or "prefix"',
            )
        noise = IntegerNoise(self.noise, self.modulus, self.clamped)
        object.__setattr__(self, "_noise", noise)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The input alphabet."""
        return tuple(range(self.lower, self.upper + 1))

    @property
    def levels(self) -> int:
        """In how many released nodes one input can be."""
        return tree_levels(self.rounds)

    def nodes(self, time: int) -> tuple[Node, ...]:
        """Return the nodes released in a round, in the order of the core release.

        Raises:
            InputError: There is no such round.
        """
        return nodes_ending_at(_require_time(time, self.rounds))

    def prefix(self, time: int) -> tuple[Node, ...]:
        """Return the nodes whose noisy values sum to the estimate of a round.

        Raises:
            InputError: There is no such round.
        """
        return prefix_nodes(_require_time(time, self.rounds))

    def start(self, coins: Coins) -> TreeState:
        """Return the state before the first input; nothing is drawn."""
        return TreeState(0, (), ())

    def step(
        self, state: TreeState, item: int, coins: Coins
    ) -> Step[TreeState, int | tuple[int, ...], None]:
        """Add an input and release the nodes that it completes.

        Raises:
            InputError: The horizon is past, or the input is not in the range.
        """
        time = state.time + 1
        if time > self.rounds:
            raise past_horizon(self.rounds)
        noise, height = self._noise, trailing_zeros(time)
        total = noise.reduced(require_item(item, self.lower, self.upper, f"round {time}"))
        core = [self._noisy(total, 0, coins)]
        for level in range(1, height + 1):
            total = noise.reduced(total + state.totals[level - 1])
            core.append(self._noisy(total, level, coins))
        totals = state.totals[height:]
        if read_later(time, self.rounds):
            totals = (total, *totals)
        released = tuple(core)
        if self.shows == "nodes":
            return Step(TreeState(time, totals, ()), released)
        estimate = noise.reduced(core[-1] + sum(state.noisy))
        noisy = _still_read((core[-1], *state.noisy), time, self.rounds)
        return Step(TreeState(time, totals, noisy), estimate, core=released)

    def _noisy(self, total: int, level: int, coins: Coins) -> int:
        return self._noise.noisy(total, coins, length=2**level, lower=self.lower, upper=self.upper)


def read_later(time: int, horizon: int) -> bool:
    """Return whether the largest node that ends with a round is inside one that ends later.

    That is its parent, which ends one node length later.
    """
    return time + (1 << trailing_zeros(time)) <= horizon


def _still_read(noisy: tuple[int, ...], time: int, horizon: int) -> tuple[int, ...]:
    """Drop the noisy blocks that no later prefix sum reads.

    The next round completes a node that takes in the block of every binary digit 1 of the time
    below its lowest 0.
    """
    return () if time == horizon else noisy[trailing_zeros(time + 1) :]


def require_range(lower: object, upper: object) -> None:
    """Check the range of the inputs.

    Raises:
        InputError: An end is no integer, or they are in the wrong order.
    """
    if require_integer(lower, "lower") > require_integer(upper, "upper"):
        raise InputError("lower is above upper", found=f"{lower} and {upper}")


def require_item(item: object, lower: int, upper: int, where: str) -> int:
    """Return an input that must be an integer of the range.

    Raises:
        InputError: It is not.
    """
    value = require_integer(item, f"{where}: input")
    if not lower <= value <= upper:
        raise InputError(
            "the input is out of its range",
            where=where,
            found=str(value),
            expected=f"an integer from {lower} to {upper}",
        )
    return value


def _require_time(time: int, rounds: int) -> int:
    if require_count(time, "time", 1) > rounds:
        raise InputError("no such round", found=str(time), expected=f"there are {rounds}")
    return time


def past_horizon(rounds: int) -> InputError:
    """Return the error of a step after the last round."""
    return InputError(
        "the horizon is past",
        where=f"round {rounds + 1}",
        found=f"a mechanism of {rounds} rounds",
        expected="build it with a larger horizon, and start anew",
    )
