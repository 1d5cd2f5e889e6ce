"""Paper 1, Theorem E.4 and its proof, and what Remark E.5 says of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from ...accounting.power import PowerFunction
from ...mechanisms.neighbours import hamming
from ..decompositions import INTEGERS, WORDS, Carrier, Fit, class_costs, fit, indexed_fit
from ..examples import solved_power
from ..fresh_rounds import (
    FreshRounds,
    bit_laws,
    fixed_and_adaptive,
    least_bound,
    power_of_views,
    tables,
    two_rounds,
)
from ..game_tree import Strategy, Tree, fixed_strategies, strategies
from ..grids import Law, laws
from ..registry import Finding, claim, judged

__all__ = [
    "challenge_first",
    "concave_bound",
    "remark_e5",
    "shifted_mechanism",
    "theorem_e4",
    "three_rounds",
]

_BITS = (0, 1)
_HAMMING = hamming().over(_BITS)
_THIRDS = bit_laws("0", "1/3", "2/3", "1")
_TERNARY = laws(3, 2)
_FLIP = bit_laws("2/3", "1/3")
_CHANGE = ((0,), (1,))


def _family(wide: bool = False) -> tuple[FreshRounds, ...]:
    """Return mechanisms with two outputs per round, and with three in round 2 (wide: in both)."""
    binary, ternary = two_rounds(_THIRDS)[::-1], two_rounds(_FLIP, _TERNARY)
    return (*binary, *ternary, *(two_rounds(_TERNARY) if wide else ()))


def _decomposable() -> Iterator[tuple[FreshRounds, Fit]]:
    """Yield those of the family that meet Definition E.3 for some invariant pair."""
    for mechanism in _family():
        found = fit(mechanism, WORDS)
        if found is not None:
            yield mechanism, found


def three_rounds(choices: tuple[Law, ...] = _FLIP) -> tuple[FreshRounds, ...]:
    """Return the three-round mechanisms with given laws that meet Definition E.3 with integers."""
    chosen = product(*(tables(choices, 2**number) for number in (1, 2, 3)))
    every = (FreshRounds(_BITS, rounds) for rounds in chosen)
    return tuple(mechanism for mechanism in every if fit(mechanism, INTEGERS) is not None)


def _fixed(mechanism: FreshRounds) -> PowerFunction:
    tree = mechanism.tree()
    return least_bound(tree, fixed_strategies(tree, len(mechanism.rounds)))


@claim(
    1,
    "Theorem E.4",
    statement="If M is quantitatively decomposable for some invariant pair and non-adaptively f-DP "
    "for a power function f, it is adaptively f-DP: the least f is the same.",
    sabotage={"cost": "at most g"},
)
def theorem_e4(*, cost: str = "exactly g", wide: bool = False) -> Finding:
    """Compare all adversaries with all fixed ones; a cost of at most g is no condition."""
    counterexample: dict[str, str] | None = None
    family = _family(wide)
    cases = 0
    for mechanism in family:
        if cost == "exactly g" and fit(mechanism, WORDS) is None:
            continue
        cases += 1
        fixed, adaptive = fixed_and_adaptive(mechanism)
        if fixed != adaptive:
            counterexample = {"mechanism": str(mechanism), "fixed": str(fixed)}
            counterexample |= {"adaptive": str(adaptive)}
            break
    longer = three_rounds() if counterexample is None else ()
    for mechanism in longer:
        adaptive = solved_power(mechanism.machine(), _HAMMING, 3)
        if _fixed(mechanism) != adaptive and counterexample is None:
            counterexample = {"mechanism": str(mechanism), "adaptive": str(adaptive)}
    scope = (
        f"{len(family)} two-round mechanisms on bits, 2 or 3 outputs per round; {cases} fit some "
        f"invariant pair; and all {len(longer)} of three rounds with chances 1/3, 2/3 that fit the "
        "integers, up to the names of outputs"
    )
    method = "brute force over adversaries; for three rounds the game solver for adaptive ones"
    return judged(counterexample, method, scope)


def _after_challenge(tree: Tree) -> Iterator[Strategy]:
    """Yield the adversaries whose first pair differs."""
    return (player for player in strategies(tree) if player.message in ((0, 1), (1, 0)))


@claim(
    1,
    "Theorem E.4 (Case 1)",
    statement="If the first pair (u, u') is the challenge, every adversary's view has exactly the "
    "power function that is the tensor product of g_t(d(u, u')) over the rounds t with 1 in I_t.",
    sabotage={"rounds": "all"},
)
def challenge_first(*, rounds: str = "with 1 in I_t") -> Finding:
    """Compare each adversary with the product; rounds all counts every round that has a cost."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for mechanism, found in _decomposable():
        product_of_costs = PowerFunction.identity()
        for positions, costs in zip(found.index_sets, found.costs, strict=True):
            if 1 in positions or rounds == "all":
                cost = costs.get(_CHANGE, PowerFunction.identity())
                product_of_costs = product_of_costs.tensor(cost)
        tree = mechanism.tree()
        for player in _after_challenge(tree):
            cases += 1
            power = power_of_views(tree, player)
            if power != product_of_costs and counterexample is None:
                counterexample = {"mechanism": str(mechanism), "adversary": str(player)}
                counterexample |= {"I_t": str(found.index_sets), "Pow": str(power)}
    scope = f"the two-round mechanisms of Theorem E.4 that fit some invariant pair, {cases} views"
    return judged(counterexample, "every adversary's view against the formula", scope)


@claim(
    1,
    "Theorem E.4 (Case 2)",
    statement="After a common first input c the rest is again quantitatively decomposable, with "
    "I'_s = {tau - 1 : tau in I_{s+1}, tau >= 2} and g'_s = g_{s+1}. (The proof's supremum over all "
    "fixed pairs need not be a power function if there are infinitely many, see Definition A.7; f "
    "itself serves in its place.)",
    sabotage={"shift": 0},
)
def shifted_mechanism(*, shift: int = 1) -> Finding:
    """Check the identity of the shifted mechanism; shift 0 leaves the positions as they are."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for mechanism, found in _decomposable():
        for first in _BITS:
            cases += 1
            rest = tuple(mechanism.law((first, item)) for item in _BITS)
            moved = (position - shift for position in found.index_sets[1])
            chosen = tuple(position - 1 for position in moved if position == 1)
            costs = class_costs(rest, _BITS, chosen, WORDS)
            kept = costs is not None and all(
                found.costs[1].get(each, cost) == cost for each, cost in costs.items()
            )
            if not kept and counterexample is None:
                counterexample = {"mechanism": str(mechanism), "c": str(first)}
                counterexample |= {"I_t": str(found.index_sets)}
    scope = f"the two-round mechanisms of Theorem E.4 that fit some invariant pair, {cases} cases"
    return judged(counterexample, "the identity for all pairs of histories", scope)


def _erase_or_flip() -> FreshRounds:
    """A coin; x2, erased with chance 1/2; x3, flipped with chance 1/5."""
    zero, half = Fraction(0), Fraction(1, 2)
    erased = ((half, zero, half), (zero, half, half))
    flipped = bit_laws("1/5", "4/5")
    second = tuple(erased[items[1]] for items in product(_BITS, repeat=2))
    third = tuple(flipped[items[2]] for items in product(_BITS, repeat=3))
    return FreshRounds(_BITS, (bit_laws("1/2", "1/2"), second, third))


@claim(
    1,
    "Theorem E.4 (f is concave)",
    statement="The theorem needs f to be a power function, so concave. At a single alpha an adaptive "
    "adversary may exceed every fixed pair: it lets a first view choose between two challenges, "
    "and reaches the least concave function above them.",
    sabotage={"bound": "largest"},
)
def concave_bound(*, bound: str = "concave") -> Finding:
    """Let a coin choose the round of the challenge; the bound is concave, or the largest value."""
    mechanism = _erase_or_flip()
    fitted = fit(mechanism, INTEGERS)
    tree = mechanism.tree()
    powers = {power_of_views(tree, each) for each in fixed_strategies(tree, 3)}
    least = PowerFunction.supremum(powers)
    adaptive = solved_power(mechanism.machine(), _HAMMING, 3)
    late, early = (_challenged_in(number) for number in (3, 2))
    mixed = power_of_views(tree, Strategy((0, 0), (early, late)))
    places = [alpha for alpha, _ in (*least.vertices, *mixed.vertices)]
    excess = [alpha for alpha in places if mixed(alpha) > max(power(alpha) for power in powers)]
    shown = {
        "mechanism": "a coin; x2, erased with chance 1/2; x3, flipped with chance 1/5",
        "I_t": "" if fitted is None else str(fitted.index_sets),
    }
    if excess:
        shown |= {
            "alpha": str(excess[0]),
            "largest fixed": str(max(power(excess[0]) for power in powers)),
            "adaptive": str(mixed(excess[0])),
        }
    holds = adaptive == least and mixed <= least and bool(excess)
    if bound == "largest":
        holds = not excess
    scope = "one three-round mechanism, all fixed pairs, the solver's worst adversary"
    method = "brute force over fixed pairs, one adaptive adversary, and the game solver"
    return judged(None if holds and fitted else shown, method, scope, shown=shown)


def _challenged_in(number: int) -> Strategy:
    """Return how to go on after round 1 with the challenge (0, 1) in round 2 or 3."""
    second, third = ((0, 1), (0, 0)) if number == 2 else ((0, 0), (0, 1))
    answers = 3 if number == 2 else 2
    ends = Strategy(third, (Strategy(), Strategy()))
    return Strategy(second, (ends,) * answers)


@claim(
    1,
    "Remark E.5",
    statement="The theorem extends to costs that are functions of an invariant difference map, and "
    "invariance is the only property needed: no metric, no symmetry and no monotonicity.",
    sabotage={"invariant": 0},
)
def remark_e5(*, invariant: int = 1, wide: bool = False) -> Finding:
    """Compare all adversaries with all fixed ones; invariant 0 takes the pair of sums itself."""
    counterexample: dict[str, str] | None = None
    family = _family(wide)
    sums = Carrier("sums", sum, lambda a, b: (a, b), lambda v: (v[1], v[0]))
    cases = metric = 0
    for mechanism in family:
        if indexed_fit(mechanism, WORDS if invariant else sums) is None:
            continue
        cases += 1
        metric += fit(mechanism, WORDS) is not None
        fixed, adaptive = fixed_and_adaptive(mechanism)
        if fixed != adaptive:
            counterexample = {"mechanism": str(mechanism), "fixed": str(fixed)}
            counterexample |= {"adaptive": str(adaptive)}
            break
    scope = (
        f"{len(family)} two-round mechanisms on bits, 2 or 3 outputs per round; {cases} fit some "
        f"invariant difference map, {metric} of them some metric"
    )
    return judged(counterexample, "brute force over adversaries, whole power functions", scope)
