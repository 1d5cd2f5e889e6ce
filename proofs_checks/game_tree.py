"""Interactive mechanisms as finite trees, with every adversary written out.

Nothing is merged and nothing is searched cleverly: this is what the game solver is compared with.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from ..accounting.pair import Pair
from ..accounting.power import PowerFunction
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.relation import Relation

__all__ = [
    "Answer",
    "Strategy",
    "Tree",
    "fixed_strategies",
    "paired_tree",
    "power_of_strategy",
    "strategies",
    "supremum_over",
    "transcripts",
]

Masses = tuple[Fraction, Fraction]
Belief = Mapping[Hashable, Fraction]


@dataclass(frozen=True, eq=False)
class Answer:
    """One view with its probability in both worlds, given the history, and what can follow."""

    view: Hashable
    masses: Masses
    after: Tree


@dataclass(frozen=True, eq=False)
class Tree:
    """A point at which the adversary sends a message; no message means the run is over."""

    answers: Mapping[Hashable, tuple[Answer, ...]]


@dataclass(frozen=True)
class Strategy:
    """A deterministic adversary: the message to send, and what to do after each view."""

    message: Hashable = None
    then: tuple[Strategy, ...] = ()

    def __str__(self) -> str:
        """Return the message and, in brackets, what follows each view."""
        after = [str(strategy) for strategy in self.then if strategy.message is not None]
        return f"{self.message} then [{'; '.join(after)}]" if after else str(self.message)


def paired_tree(
    machine: ExactMachine[Any, Any, Any, Any],
    relation: Relation,
    horizon: int,
    *,
    refuse: bool = False,
) -> Tree:
    """Write out the paired simulation of a mechanism: messages are arcs (x0, x1, relation state).

    Args:
        machine: The mechanism, read exactly.
        relation: The neighbouring pairs.
        horizon: The number of rounds.
        refuse: Offer all pairs of inputs seen on arcs of the start; those that are not neighbouring
            end the simulation with the view None in both worlds.
    """
    start = {state: weight.as_fraction() for state, weight in machine.initial()}
    return _tree(machine, relation, horizon, relation.start, start, start, refuse)


def _tree(
    machine: ExactMachine[Any, Any, Any, Any],
    relation: Relation,
    rounds: int,
    place: Hashable,
    belief0: Belief,
    belief1: Belief,
    refuse: bool,
) -> Tree:
    if rounds == 0:
        return Tree({})
    found: dict[Hashable, tuple[Answer, ...]] = {}
    for arc in relation.pairs(place):
        after0 = _stepped(machine, belief0, arc[0])
        after1 = _stepped(machine, belief1, arc[1])
        answers: list[Answer] = []
        for view in dict.fromkeys([*after0, *after1]):
            next0, next1 = after0.get(view, {}), after1.get(view, {})
            mass0, mass1 = sum(next0.values(), Fraction(0)), sum(next1.values(), Fraction(0))
            tree = _tree(
                machine,
                relation,
                rounds - 1,
                arc[2],
                _normalised(next0, mass0) if mass0 else _normalised(next1, mass1),
                _normalised(next1, mass1) if mass1 else _normalised(next0, mass0),
                refuse,
            )
            answers.append(Answer(view, (mass0, mass1), tree))
        found[arc] = tuple(answers)
    if refuse:
        known = {(arc[0], arc[1]) for arc in relation.pairs(place)}
        inputs = dict.fromkeys(arc[0] for arc in relation.pairs(relation.start))
        for pair in product(inputs, repeat=2):
            if pair not in known:
                stop = Answer(None, (Fraction(1), Fraction(1)), Tree({}))
                found[(*pair, "refused")] = (stop,)
    return Tree(found)


def _stepped(
    machine: ExactMachine[Any, Any, Any, Any], belief: Belief, item: Hashable
) -> dict[Hashable, dict[Hashable, Fraction]]:
    found: dict[Hashable, dict[Hashable, Fraction]] = {}
    for state, weight in belief.items():
        for view, after, chance in machine.transitions(state, item):
            states = found.setdefault(view, {})
            states[after] = states.get(after, Fraction(0)) + weight * chance.as_fraction()
    return found


def _normalised(belief: Belief, total: Fraction) -> Belief:
    return {state: weight / total for state, weight in belief.items()}


def strategies(tree: Tree) -> Iterator[Strategy]:
    """Yield every deterministic adaptive adversary."""
    if not tree.answers:
        yield Strategy()
        return
    for message, answers in tree.answers.items():
        for then in product(*(tuple(strategies(answer.after)) for answer in answers)):
            yield Strategy(message, then)


def fixed_strategies(tree: Tree, fixed_rounds: int) -> Iterator[Strategy]:
    """Yield the adversaries whose first messages do not depend on the views.

    Args:
        tree: The simulation, in which the messages at hand never depend on views.
        fixed_rounds: How many rounds are fixed in advance; after them the adversary is adaptive.
    """
    if fixed_rounds == 0 or not tree.answers:
        yield from strategies(tree)
        return
    for message in tree.answers:
        for plan in _plans(tree.answers[message][0].after, fixed_rounds - 1):
            yield from _following(tree, (message, *plan))


def _plans(tree: Tree, rounds: int) -> Iterator[tuple[Hashable, ...]]:
    if rounds == 0 or not tree.answers:
        yield ()
        return
    for message, answers in tree.answers.items():
        for plan in _plans(answers[0].after, rounds - 1):
            yield (message, *plan)


def _following(tree: Tree, plan: tuple[Hashable, ...]) -> Iterator[Strategy]:
    if not plan:
        yield from strategies(tree)
        return
    answers = tree.answers[plan[0]]
    for then in product(*(tuple(_following(answer.after, plan[1:])) for answer in answers)):
        yield Strategy(plan[0], then)


def transcripts(tree: Tree, strategy: Strategy) -> dict[tuple[Hashable, ...], Masses]:
    """Return the law of the views in both worlds."""
    if not tree.answers:
        return {(): (Fraction(1), Fraction(1))}
    found: dict[tuple[Hashable, ...], Masses] = {}
    for answer, then in zip(tree.answers[strategy.message], strategy.then, strict=True):
        for rest, (mass0, mass1) in transcripts(answer.after, then).items():
            found[answer.view, *rest] = (answer.masses[0] * mass0, answer.masses[1] * mass1)
    return found


def power_of_strategy(tree: Tree, strategy: Strategy) -> PowerFunction:
    """Return Pow(view in world 0||view in world 1) for one adversary."""
    masses = transcripts(tree, strategy).values()
    return Pair.from_laws([p for p, _ in masses], [q for _, q in masses]).power_function()


def supremum_over(tree: Tree, adversaries: Iterator[Strategy]) -> PowerFunction:
    """Return the least power function above those of all given adversaries."""
    return PowerFunction.supremum({power_of_strategy(tree, each) for each in adversaries})
