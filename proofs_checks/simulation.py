"""The simulator of Lemma A.14 of paper 1, built by channels from the leaves of a tree up."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..accounting.errors import InputError
from ..accounting.pair import Pair
from ..accounting.power import PowerFunction
from .channels import Atom, channel_between
from .game_tree import Answer, Strategy, Tree

__all__ = ["Reply", "Simulator", "simulator_of", "simulator_transcripts"]


@dataclass(frozen=True, eq=False)
class Reply:
    """How a simulator answers one message.

    Args:
        answers: The views it may give, each with the simulator that goes on from there.
        outcomes: What a row of the channel ranges over: (number of the answer, seed from there).
        channel: For each seed, the law of the outcome; the same in both worlds.
    """

    answers: tuple[tuple[Hashable, Simulator], ...]
    outcomes: tuple[tuple[int, int], ...]
    channel: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, eq=False)
class Simulator:
    """One transition function with two laws of seeds.

    Args:
        seeds: The masses of each seed in both worlds.
        replies: What it does with each message.
    """

    seeds: tuple[Atom, ...]
    replies: Mapping[Hashable, Reply]


def simulator_of(tree: Tree) -> Simulator:
    """Return a simulator whose seeds have the least power function that can work.

    The answer to a message with the seed from there on is a pair of laws; the supremum of these
    pairs over the messages is the pair of seeds, and Blackwell's channels lead from it to each.

    Raises:
        InputError: A channel does not exist, which would refute the lemma.
    """
    if not tree.answers:
        return Simulator(((Fraction(1), Fraction(1)),), {})
    parts = {message: _part(answers) for message, answers in tree.answers.items()}
    bound = PowerFunction.supremum(
        Pair.from_laws([p for p, _ in atoms], [q for _, q in atoms]).power_function()
        for _, _, atoms in parts.values()
    )
    seeds = tuple((p.as_fraction(), q.as_fraction()) for p, q in bound.pair().atoms)
    replies: dict[Hashable, Reply] = {}
    for message, (answers, outcomes, atoms) in parts.items():
        channel = channel_between(seeds, atoms)
        if channel is None:
            raise InputError("no channel leads from the seeds to the answers", where=str(message))
        replies[message] = Reply(answers, outcomes, channel)
    return Simulator(seeds, replies)


def _part(
    answers: Sequence[Answer],
) -> tuple[tuple[tuple[Hashable, Simulator], ...], tuple[tuple[int, int], ...], tuple[Atom, ...]]:
    found: list[tuple[Hashable, Simulator]] = []
    outcomes: list[tuple[int, int]] = []
    atoms: list[Atom] = []
    for number, answer in enumerate(answers):
        simulator = simulator_of(answer.after)
        found.append((answer.view, simulator))
        for seed, (mass0, mass1) in enumerate(simulator.seeds):
            outcomes.append((number, seed))
            atoms.append((answer.masses[0] * mass0, answer.masses[1] * mass1))
    return tuple(found), tuple(outcomes), tuple(atoms)


def simulator_transcripts(
    simulator: Simulator, strategy: Strategy
) -> dict[tuple[Hashable, ...], Atom]:
    """Return the law of the views of an adversary that meets the simulator, in both worlds."""
    return _played(simulator, strategy, simulator.seeds)


def _played(
    simulator: Simulator, strategy: Strategy, masses: Sequence[Atom]
) -> dict[tuple[Hashable, ...], Atom]:
    if not simulator.replies:
        total = (sum((p for p, _ in masses), Fraction(0)), sum((q for _, q in masses), Fraction(0)))
        return {(): total} if any(total) else {}
    reply = simulator.replies[strategy.message]
    found: dict[tuple[Hashable, ...], Atom] = {}
    for number, (view, after) in enumerate(reply.answers):
        carried = [(Fraction(0), Fraction(0))] * len(after.seeds)
        for column, (answer, seed) in enumerate(reply.outcomes):
            if answer != number:
                continue
            for (p, q), row in zip(masses, reply.channel, strict=True):
                old = carried[seed]
                carried[seed] = (old[0] + p * row[column], old[1] + q * row[column])
        for rest, total in _played(after, strategy.then[number], carried).items():
            found[view, *rest] = total
    return found
