"""Mechanisms with fresh randomness as tables of one-round laws, and condition 4 by its words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any, Literal

from ..accounting.power import PowerFunction
from ..mechanisms.coins import Coins
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.law import FiniteLaw
from ..mechanisms.mechanism import Step
from .examples import pair_power
from .game_tree import Answer, Strategy, Tree, fixed_strategies, strategies, transcripts
from .grids import Law, power_of

__all__ = [
    "FreshRounds",
    "Instability",
    "bit_laws",
    "fixed_and_adaptive",
    "histories",
    "instability",
    "least_bound",
    "noisy",
    "power_of_views",
    "tables",
    "total_variation",
    "two_rounds",
]

History = tuple[Any, ...]
Table = tuple[Law, ...]
"""The law of one round's output for each history, in the order of ``histories``."""


@cache
def histories(inputs: History, length: int) -> tuple[History, ...]:
    """Return all input histories of a length, in the order of the tables.

    Example:
        >>> histories((0, 1), 2)
        ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    return tuple(product(inputs, repeat=length))


@dataclass(frozen=True)
class FreshRounds:
    """A mechanism whose round-t output has a law of x[1..t], independent of all other rounds.

    Args:
        inputs: The input alphabet.
        rounds: The table of each round; outputs are numbered from 0.
    """

    inputs: History
    rounds: tuple[Table, ...]

    def law(self, history: History) -> Law:
        """Return the law of the output after a history."""
        number = 0
        for item in history:
            number = number * len(self.inputs) + self.inputs.index(item)
        return self.rounds[len(history) - 1][number]

    def machine(self) -> ExactMachine[Any, Any, Any, Any]:
        """Return the mechanism for the library: its views are the outputs."""
        return ExactMachine(_Drawn(self))

    def tree(self) -> Tree:
        """Return the paired simulation for streams that differ in at most one round."""
        return self._after((), ())

    def _after(self, first: History, second: History) -> Tree:
        if len(first) == len(self.rounds):
            return Tree({})
        answers: dict[Hashable, tuple[Answer, ...]] = {}
        for pair in product(self.inputs, repeat=2):
            if first != second and pair[0] != pair[1]:
                continue
            longer = (*first, pair[0]), (*second, pair[1])
            after = self._after(*longer)
            masses = zip(self.law(longer[0]), self.law(longer[1]), strict=True)
            answers[pair] = tuple(
                Answer(view, both, after) for view, both in enumerate(masses) if any(both)
            )
        return Tree(answers)

    def __str__(self) -> str:
        """Return the tables; for two outputs the chances of the output 1."""
        texts = [
            f"round {number}: "
            + ", ".join(
                f"{''.join(map(str, items))} -> {_brief(law)}"
                for items, law in zip(histories(self.inputs, number), table, strict=True)
            )
            for number, table in enumerate(self.rounds, 1)
        ]
        return "; ".join(texts)


@dataclass(frozen=True)
class _Drawn:
    """The mechanism as the library runs it: the state holds the inputs so far."""

    tables: FreshRounds

    def start(self, coins: Coins) -> History:
        """Return the empty history."""
        return ()

    def step(self, state: History, item: Hashable, coins: Coins) -> Step[History, int, None]:
        """Draw the output of the round."""
        history = (*state, item)
        law = FiniteLaw.of(dict(enumerate(self.tables.law(history))))
        return Step(history, coins.draw(law))


def _brief(law: Law) -> str:
    return str(law[1]) if len(law) == 2 else f"({', '.join(map(str, law))})"


@cache
def _power(masses: frozenset[tuple[tuple[Fraction, Fraction], int]]) -> PowerFunction:
    return pair_power([pair for pair, count in masses for _ in range(count)])


def power_of_views(tree: Tree, strategy: Strategy) -> PowerFunction:
    """Return Pow(world 0||world 1) for one adversary; equal masses are looked up."""
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for masses in transcripts(tree, strategy).values():
        counts[masses] = counts.get(masses, 0) + 1
    return _power(frozenset(counts.items()))


@cache
def _supremum(functions: frozenset[PowerFunction]) -> PowerFunction:
    return PowerFunction.supremum(functions)


def least_bound(tree: Tree, adversaries: Iterator[Strategy]) -> PowerFunction:
    """Return the least f that bounds the power functions of all given adversaries."""
    return _supremum(frozenset(power_of_views(tree, each) for each in adversaries))


@cache
def fixed_and_adaptive(mechanism: FreshRounds) -> tuple[PowerFunction, PowerFunction]:
    """Return the least f for which it is non-adaptively, and adaptively, f-DP, by brute force."""
    tree = mechanism.tree()
    fixed = least_bound(tree, fixed_strategies(tree, len(mechanism.rounds)))
    return fixed, least_bound(tree, strategies(tree))


@dataclass(frozen=True)
class Instability:
    """One changed input whose cost depends on the common inputs.

    Args:
        round: The round of the output.
        position: The changed position.
        changes: Two pairs of histories with the same change and different costs.
    """

    round: int
    position: int
    changes: tuple[tuple[History, History], tuple[History, History]]

    def witness(self) -> dict[str, str]:
        """Return the texts of a witness."""
        first, second = (
            f"{''.join(map(str, x))} against {''.join(map(str, y))}" for x, y in self.changes
        )
        return {"round": str(self.round), "position": str(self.position), "histories": first} | {
            "and": second
        }


def instability(
    mechanism: FreshRounds, agree: Literal["anywhere", "before", "after"] = "anywhere"
) -> Instability | None:
    """Decide condition 4 by its words: common inputs do not change what one changed input costs.

    Args:
        mechanism: The one-round laws.
        agree: Which contexts are compared: all; those that agree before the changed position; or
            those that agree after it.

    Example:
        >>> half, one = (Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1))
        >>> found = instability(FreshRounds((0, 1), ((half, half), (half, half, half, one))))
        >>> found.round, found.position, found.changes
        (2, 1, (((0, 0), (1, 0)), ((0, 1), (1, 1))))
    """
    for number in range(1, len(mechanism.rounds) + 1):
        known: dict[Hashable, tuple[PowerFunction, tuple[History, History]]] = {}
        for position in range(number):
            for first in histories(mechanism.inputs, number):
                before, after = first[:position], first[position + 1 :]
                for item in mechanism.inputs:
                    if item == first[position]:
                        continue
                    second = (*before, item, *after)
                    cost = power_of(mechanism.law(first), mechanism.law(second))
                    context = {"anywhere": (), "before": before, "after": after}[agree]
                    key = position, first[position], item, context
                    seen = known.setdefault(key, (cost, (first, second)))
                    if seen[0] != cost:
                        return Instability(number, position + 1, (seen[1], (first, second)))
    return None


def bit_laws(*chances: str) -> tuple[Law, ...]:
    """Return the laws of a bit with given chances of 1.

    Example:
        >>> bit_laws("1/3")
        ((Fraction(2, 3), Fraction(1, 3)),)
    """
    return tuple((1 - Fraction(chance), Fraction(chance)) for chance in chances)


def noisy(value: int, noise: Law, size: int) -> Law:
    """Return the law on 0 .. size - 1 of a value plus noise on 0, 1, 2, ...

    Example:
        >>> [str(mass) for mass in noisy(1, bit_laws("1/3")[0], 4)]
        ['0', '2/3', '1/3', '0']
    """
    masses = [Fraction(0)] * size
    masses[value : value + len(noise)] = noise
    return tuple(masses)


def total_variation(first: Law, second: Law) -> Fraction:
    """Return the total variation of two laws."""
    return sum((max(Fraction(0), p - q) for p, q in zip(first, second, strict=True)), Fraction(0))


def tables(choices: Sequence[Law], size: int) -> tuple[Table, ...]:
    """Return all tables of some laws, one of each set that differs in the outputs' names only.

    Example:
        >>> zero, one = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
        >>> len(tables([zero, one], 2))
        2
    """
    found: dict[Table, None] = {}
    orders = tuple(permutations(range(len(choices[0]))))
    for table in product(choices, repeat=size):
        renamed = (tuple(tuple(law[i] for i in order) for law in table) for order in orders)
        found[min(renamed)] = None
    return tuple(found)


@cache
def two_rounds(
    first: tuple[Law, ...], second: tuple[Law, ...] | None = None
) -> tuple[FreshRounds, ...]:
    """Return all two-round mechanisms on bits with given laws, up to the names of outputs.

    Args:
        first: The laws to choose from in round 1.
        second: Those of round 2; by default the same.
    """
    pairs = product(tables(first, 2), tables(second or first, 4))
    return tuple(FreshRounds((0, 1), rounds) for rounds in pairs)
