"""Paper 1, Definitions A.11 to A.13 and Lemma A.14: adversaries and their views."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from ...accounting.power import PowerFunction
from ...certify.audit import audit
from ...certify.spec import AuditSpec
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.neighbours import hamming
from ..examples import machine_e1, pair_power, repeat_or_refresh, solved_power, two_round_machines
from ..game_tree import (
    Strategy,
    Tree,
    fixed_strategies,
    paired_tree,
    power_of_strategy,
    strategies,
    supremum_over,
    transcripts,
)
from ..registry import Finding, claim, judged
from ..simulation import simulator_of, simulator_transcripts

__all__ = ["definition_a11", "definition_a12", "definition_a13", "fixed_or_random", "lemma_a14"]

_HAMMING = hamming().over((0, 1))


def _tree(machine: ExactMachine[Any, Any, Any, Any]) -> Tree:
    return paired_tree(machine, _HAMMING, 2)


def _mixed(
    tree: Tree, first: Strategy, second: Strategy, weights: tuple[Fraction, Fraction]
) -> dict[tuple[Hashable, ...], tuple[Fraction, Fraction]]:
    """Return the law of (r_A, views) when the adversary's seed picks one of two strategies."""
    found: dict[tuple[Hashable, ...], tuple[Fraction, Fraction]] = {}
    for seed, strategy in enumerate((first, second)):
        shares = [weight if seed == 0 else 1 - weight for weight in weights]
        for views, (mass0, mass1) in transcripts(tree, strategy).items():
            found[seed, *views] = (shares[0] * mass0, shares[1] * mass1)
    return found


@claim(
    1,
    "Definition A.11",
    statement="The adversary's view is its seed with all messages it received. Randomised "
    "adversaries stay below the supremum over deterministic ones, and leaving the seed out of the "
    "view never raises the power function.",
    sabotage={"drift": "1/6"},
)
def definition_a11(*, drift: str = "0") -> Finding:
    """Mix all pairs of deterministic adversaries; drift correlates the seed with the world."""
    weight = Fraction(1, 3)
    counterexample: dict[str, str] | None = None
    shown: dict[str, str] = {}
    cases = 0
    tree = _tree(machine_e1())
    players = list(strategies(tree))
    bound = supremum_over(tree, iter(players))
    for first, second in combinations_with_replacement(players, 2):
        cases += 1
        views = _mixed(tree, first, second, (weight, weight + Fraction(drift)))
        full = pair_power(list(views.values()))
        blind = _without_seed(views)
        if not (blind <= full <= bound):
            counterexample = {"strategies": f"{first} and {second}"}
            break
        if blind != full and not shown:
            shown = {"Pow with the seed": str(full), "Pow without": str(blind)}
    scope = (
        f"Section E.1, {cases} pairs of adversaries under the Hamming relation, weights 1/3, 2/3"
    )
    return judged(counterexample, "all views written out", scope, shown=shown)


def _without_seed(
    views: dict[tuple[Hashable, ...], tuple[Fraction, Fraction]],
) -> PowerFunction:
    merged: dict[tuple[Hashable, ...], tuple[Fraction, Fraction]] = {}
    for (_, *seen), (mass0, mass1) in views.items():
        old0, old1 = merged.get(tuple(seen), (Fraction(0), Fraction(0)))
        merged[tuple(seen)] = (old0 + mass0, old1 + mass1)
    return pair_power(list(merged.values()))


@claim(
    1,
    "Definition A.12",
    statement="Non-adaptive adversaries fix their messages before the run (given their seed); the "
    "library's non-adaptive profile is the worst over all of them.",
    sabotage={"fixed_rounds": 1},
)
def definition_a12(*, fixed_rounds: int = 2) -> Finding:
    """Compare the audit with all adversaries whose first fixed_rounds messages are fixed."""
    counterexample: dict[str, str] | None = None
    for name, machine in (("Section E.1", machine_e1()), ("repeater", repeat_or_refresh())):
        tree = _tree(machine)
        literal = supremum_over(tree, fixed_strategies(tree, fixed_rounds))
        spec = AuditSpec(name, machine.mechanism, "hamming", 2, (0, 1))
        profile = audit(spec).nonadaptive_profile
        if profile.lower != profile.upper or profile.upper.power_function() != _worse(literal):
            counterexample = {"mechanism": name, "brute force": str(literal)}
            break
    scope = "2 two-round mechanisms, all fixed pairs of streams under the Hamming relation"
    return judged(counterexample, "brute force against the audit, whole profiles", scope)


def _worse(function: PowerFunction) -> PowerFunction:
    return PowerFunction.supremum([function, function.swapped()])


@claim(
    1,
    "Definition A.12 (fixed or random streams)",
    statement="The terminology before the definition: non-adaptive means a stream fixed in advance, "
    "equivalently an adversary that does not look at past outputs. For a bound f by a power "
    "function the two agree; the largest power of one fixed pair is less than that of a randomised "
    "non-adaptive adversary at some alpha.",
    sabotage={"adversary_seeds": 1},
)
def fixed_or_random(*, adversary_seeds: int = 2) -> Finding:
    """Find a seen coin between two fixed pairs that beats every fixed pair, and none above sup."""
    tree = _tree(machine_e1())
    players = list(fixed_strategies(tree, 2))
    powers = [power_of_strategy(tree, player) for player in players]
    bound = PowerFunction.supremum(powers)
    best: dict[str, str] = {}
    for alpha, _ in bound.vertices:
        if max(power(alpha) for power in powers) < bound(alpha):
            return judged({"alpha": str(alpha)}, "evaluation", "corners of the supremum")
    weight = Fraction(1, 2)
    for i, j in product(range(len(players)), repeat=2):
        other = j if adversary_seeds == 2 else i
        views = _mixed(tree, players[i], players[other], (weight, weight))
        mixed = pair_power(list(views.values()))
        if not mixed <= bound:
            return judged({"pairs": f"{i}, {j}"}, "evaluation", "mixtures of two fixed pairs")
        for alpha, value in mixed.vertices:
            single = max(power(alpha) for power in powers)
            if value > single and not best:
                best = {"alpha": str(alpha), "coin": str(value), "best fixed pair": str(single)}
    counterexample = None if best else {"fixed pairs": "no coin beats them at any alpha"}
    scope = f"Section E.1, {len(players)} fixed adversaries, coins of weight 1/2 between two"
    return judged(counterexample, "all views written out", scope, shown=best)


@claim(
    1,
    "Definition A.13",
    statement="Pow(M0||M1) <= f means the bound for every adversary; the solver's power function is "
    "the least such f.",
    sabotage={"fixed_rounds": 2},
)
def definition_a13(*, fixed_rounds: int = 0) -> Finding:
    """Compare the solver with all adversaries; fixed_rounds 2 leaves out the adaptive ones."""
    counterexample: dict[str, str] | None = None
    cases = 0
    machines = two_round_machines()
    for name, machine in machines:
        tree = _tree(machine)
        players = list(fixed_strategies(tree, fixed_rounds))
        cases += len(players)
        literal = supremum_over(tree, iter(players))
        if solved_power(machine, _HAMMING, 2) != literal:
            counterexample = {"mechanism": name, "brute force": str(literal)}
            break
    scope = (
        f"{len(machines)} binary two-round mechanisms under the Hamming relation, {cases} "
        "deterministic adversaries, every alpha"
    )
    return judged(counterexample, "brute force against the game solver", scope)


@claim(
    1,
    "Lemma A.14",
    statement="If Pow(M0||M1) <= f, one transition function simulates both mechanisms exactly from "
    "seeds N0, N1 with Pow(N0||N1) <= f.",
    sabotage={"height": "9/10"},
)
def lemma_a14(*, height: str = "1") -> Finding:
    """Build the simulator by channels from the leaves up, and replay every adversary on it."""
    counterexample: dict[str, str] | None = None
    cases = 0
    machines = two_round_machines()
    for name, machine in machines:
        tree = _tree(machine)
        simulator = simulator_of(tree)
        bound = supremum_over(tree, strategies(tree))
        seeds = pair_power(simulator.seeds)
        small = all(
            value <= bound(alpha) * Fraction(height) or value == 1
            for alpha, value in seeds.vertices
        )
        if not small or seeds != bound:
            counterexample = {"mechanism": name, "Pow(N0||N1)": str(seeds), "f": str(bound)}
            break
        for player in strategies(tree):
            cases += 1
            literal = {views: masses for views, masses in _seen(transcripts(tree, player))}
            if simulator_transcripts(simulator, player) != literal:
                counterexample = {"mechanism": name, "strategy": str(player)}
                break
    scope = (
        f"the paired simulations of {len(machines)} binary two-round mechanisms, least f, {cases} "
        "adversaries; the general statement is cited from [27]"
    )
    return judged(counterexample, "an explicit simulator, its views compared exactly", scope)


def _seen(
    views: dict[tuple[Hashable, ...], tuple[Fraction, Fraction]],
) -> Iterator[tuple[tuple[Hashable, ...], tuple[Fraction, Fraction]]]:
    return ((key, masses) for key, masses in views.items() if any(masses))
