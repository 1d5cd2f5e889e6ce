"""Small mechanisms that checks share, given by their tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from ..accounting.pair import Pair
from ..accounting.power import PowerFunction
from ..certify.limits import Clock, Limits
from ..certify.solver import solve
from ..mechanisms.coins import Coins
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.law import FiniteLaw
from ..mechanisms.mechanism import Step
from ..mechanisms.relation import Relation
from ..mechanisms.stateless import LawsMechanism

__all__ = [
    "ANSWERS_E1",
    "SeedMachine",
    "machine_e1",
    "pair_power",
    "repeat_or_refresh",
    "solved_power",
    "two_answers",
    "two_round_machines",
]

Ints = tuple[int, ...]
Table = Callable[[Ints, Ints], Fraction]
"""(inputs so far, views before this round) to the probability of the view 1."""

ANSWERS_E1: dict[Ints, Fraction] = {
    (0,): Fraction("0.68"),
    (1,): Fraction("0.65"),
    (0, 0): Fraction("0.28"),
    (0, 1): Fraction("0.20"),
    (1, 0): Fraction("0.19"),
    (1, 1): Fraction("0.28"),
}
"""Section E.1 of paper 1: inputs so far to the probability of the view 1."""


def two_answers(
    rounds: int, inputs: Ints, chance_of_one: Table
) -> ExactMachine[Any, Any, Any, Any]:
    """Return the machine whose view is 1 with a chance that depends on inputs and views so far."""
    laws: dict[tuple[int, Ints, Ints], dict[int, Fraction]] = {}
    for number in range(1, rounds + 1):
        for items in product(inputs, repeat=number):
            for views in product((0, 1), repeat=number - 1):
                one = chance_of_one(items, views)
                laws[number, items, views] = {0: 1 - one, 1: one}
    return ExactMachine(LawsMechanism(rounds, inputs, laws))


@cache
def machine_e1() -> ExactMachine[Any, Any, Any, Any]:
    """Return the two-round mechanism of Section E.1."""
    return two_answers(2, (0, 1), lambda items, views: ANSWERS_E1[items])


@cache
def repeat_or_refresh() -> ExactMachine[Any, Any, Any, Any]:
    """Return randomised response that repeats its answer while the input stays the same."""

    def chance(items: Ints, views: Ints) -> Fraction:
        if len(items) == 2 and items[0] == items[1]:
            return Fraction(views[0])
        return Fraction(1 + items[-1], 3)

    return two_answers(2, (0, 1), chance)


@cache
def two_round_machines() -> tuple[tuple[str, ExactMachine[Any, Any, Any, Any]], ...]:
    """Return 34 binary two-round machines: a grid, Section E.1, and a repeater.

    In the grid the chances of the view 1 are 1/3 or 2/3 for the inputs 0, 1 of round 1, and 0 or
    2/3 for each pair of inputs in round 2; swapping the views of round 1 gives nothing new.
    """
    low, high = Fraction(1, 3), Fraction(2, 3)
    found: list[tuple[str, ExactMachine[Any, Any, Any, Any]]] = []
    for first in ((low, low), (low, high)):
        for second in product((Fraction(0), high), repeat=4):
            table: dict[Ints, Fraction] = {(0,): first[0], (1,): first[1]}
            table |= dict(zip(product((0, 1), repeat=2), second, strict=True))
            text = "chances " + ", ".join(map(str, table.values()))
            found.append((text, two_answers(2, (0, 1), _looked_up(table))))
    found.append(("Section E.1", machine_e1()))
    found.append(("repeat or refresh", repeat_or_refresh()))
    return tuple(found)


def _looked_up(table: dict[Ints, Fraction]) -> Table:
    return lambda items, views: table[items]


def solved_power(
    machine: ExactMachine[Any, Any, Any, Any], relation: Relation, horizon: int
) -> PowerFunction:
    """Return the game solver's exact Pow(world 0||world 1) over all adaptive adversaries."""
    solution = solve(machine, relation, horizon, Clock(Limits()))
    assert solution.exact
    # The solver's null is world 1.
    return solution.lower.swapped()


@dataclass(frozen=True)
class SeedMachine:
    """A mechanism in the paper's own form: a law of seeds and a transition function.

    Args:
        seeds: The law of the seed, drawn once at the start.
        transition: (seed, inputs so far) to (view, hidden output).
    """

    seeds: FiniteLaw[Hashable]
    transition: Callable[[Hashable, tuple[Hashable, ...]], tuple[Hashable, Hashable]]

    def start(self, coins: Coins) -> tuple[Hashable, tuple[Hashable, ...]]:
        """Draw the seed."""
        return coins.draw(self.seeds), ()

    def step(
        self, state: tuple[Hashable, tuple[Hashable, ...]], item: Hashable, coins: Coins
    ) -> Step[tuple[Hashable, tuple[Hashable, ...]], Hashable, Hashable]:
        """Apply the transition function to the seed and the inputs so far."""
        seed, items = state
        view, hidden = self.transition(seed, (*items, item))
        return Step((seed, (*items, item)), view, interface=hidden)


def pair_power(atoms: Sequence[tuple[Fraction, Fraction]]) -> PowerFunction:
    """Return Pow(P||Q) of (P mass, Q mass) atoms."""
    return Pair.from_laws([p for p, _ in atoms], [q for _, q in atoms]).power_function()
