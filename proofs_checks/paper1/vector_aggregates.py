"""Paper 1, Remark E.5 for vectors, and what excludes the example of Section E.1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ...accounting.power import PowerFunction
from ...mechanisms.neighbours import hamming
from ..decompositions import WORDS, Carrier, Fit, fit, indexed_fit
from ..examples import ANSWERS_E1, pair_power, solved_power
from ..fresh_rounds import FreshRounds, histories, instability, noisy, total_variation
from ..grids import Law, power_of
from ..registry import Finding, claim, judged

__all__ = ["norm_bound", "vector_tree", "vectors_and_norms", "what_excludes_e1"]

_BITS = (0, 1)


def _laplace(shift: int, ratio: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Return (P, Q) masses of two-sided geometric noise and the same shifted, by likelihood ratio.

    All values up to 0 have one ratio, and so have all from the shift on.
    """
    if shift == 0:
        return [(Fraction(1), Fraction(1))]
    tail, point = 1 / (1 + ratio), (1 - ratio) / (1 + ratio)
    between = [(point * ratio**x, point * ratio ** (shift - x)) for x in range(1, shift)]
    return [(tail, tail * ratio**shift), *between, (tail * ratio**shift, tail)]


def _vector_cost(difference: Sequence[int], ratio: Fraction) -> PowerFunction:
    """Return the exact cost of a vector difference under independent noise per coordinate."""
    atoms = [(Fraction(1), Fraction(1))]
    for shift in difference:
        own = _laplace(shift, ratio)
        atoms = [(p * a, q * b) for (p, q), (a, b) in product(atoms, own)]
    return pair_power(atoms)


_RATIO = Fraction(1, 2)


@claim(
    1,
    "Remark E.5 (vectors and norms)",
    statement="With independent two-sided geometric noise per coordinate (the discrete form of "
    "Laplace noise, not truncated) the exact cost depends on the difference vector: (2, 0) and "
    "(1, 1) have the same L1 norm and different costs. Some pairs cannot even be compared, so no "
    "metric at all serves Definition E.3 there.",
    sabotage={"coordinates": 1},
)
def vectors_and_norms(*, coordinates: int = 2) -> Finding:
    """Look for equal norms with different costs, and for costs that cannot be compared."""
    vectors = sorted(product(range(5), repeat=coordinates), key=lambda v: (sum(v), v))
    costs = {vector: _vector_cost(vector, _RATIO) for vector in vectors}
    pairs = [(v, w) for w in vectors for v in vectors if vectors.index(v) < vectors.index(w)]
    equal = [(v, w) for v, w in pairs if sum(v) == sum(w) and costs[v] != costs[w]]
    apart = [(v, w) for v, w in pairs if not (costs[v] <= costs[w] or costs[w] <= costs[v])]
    shown = {"ratio": str(_RATIO)}
    if equal and apart:
        shown |= {"equal norm": f"{equal[0][0]} and {equal[0][1]}"}
        shown |= {"not comparable": f"{apart[0][0]} and {apart[0][1]}"}
    counterexample = None if equal and apart else {"coordinates": str(coordinates), "found": "none"}
    scope = f"difference vectors with entries 0 to 4, noise ratio {_RATIO}: {len(pairs)} pairs"
    return judged(counterexample, "whole power functions", scope, shown=shown)


@claim(
    1,
    "Remark E.5 (norm bound)",
    statement="The vector-indexed profile is bounded by that of one coordinate shifted by the L1 "
    "norm of the difference.",
    sabotage={"norm": "largest entry"},
)
def norm_bound(*, norm: str = "L1") -> Finding:
    """Compare each vector with one coordinate shifted by its norm."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for ratio, vector in product((_RATIO, Fraction(1, 3)), product(range(4), repeat=2)):
        cases += 1
        length = sum(vector) if norm == "L1" else max(vector)
        if not _vector_cost(vector, ratio) <= _vector_cost((length,), ratio):
            counterexample = counterexample or {"vector": str(vector), "ratio": str(ratio)}
    scope = f"2 coordinates, entries 0 to 3, noise ratios 1/2 and 1/3: {cases} vectors"
    return judged(counterexample, "whole power functions", scope)


def _coordinates(inputs: Any) -> tuple[int, int]:
    return sum(item[0] for item in inputs), sum(item[1] for item in inputs)


_PLANE = Carrier(
    "Z^2", _coordinates, lambda a, b: (a[0] - b[0], a[1] - b[1]), lambda v: (-v[0], -v[1])
)
_NORM = Carrier(
    "L1 norm", _coordinates, lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]), lambda v: v
)


@claim(
    1,
    "Remark E.5 (tree)",
    statement="The tree mechanism with independent noise per coordinate is covered exactly for "
    "vector updates, one node per round; the L1 norm in place of the vector does not cover it. "
    "(Not covered if a round releases several nodes, see Mini-Audit 1.)",
    sabotage={"index": "norm"},
)
def vector_tree(*, index: str = "vector") -> Finding:
    """Decide the variant for T = 2 and play the game; index norm tries the L1 norm instead."""
    inputs = ((0, 0), (1, 0), (0, 1))
    noise = (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    rounds: list[tuple[Law, ...]] = []
    for number, node in enumerate(((1,), (2,), (1, 2)), 1):
        found: list[Law] = []
        for items in histories(inputs, number):
            sums = _coordinates([items[position - 1] for position in node])
            each = [noisy(value, noise, len(node) + len(noise)) for value in sums]
            found.append(tuple(p * q for p, q in product(*each)))
        rounds.append(tuple(found))
    mechanism = FreshRounds(inputs, tuple(rounds))
    fitted = indexed_fit(mechanism, _PLANE if index == "vector" else _NORM)
    counterexample: dict[str, str] | None = None
    if fitted is None or fitted.index_sets != ((1,), (2,), (1, 2)):
        counterexample = {"I_t": "none" if fitted is None else str(fitted.index_sets)}
    else:
        adaptive = solved_power(mechanism.machine(), hamming().over(inputs), 3)
        best = _best_change(fitted, inputs)
        if adaptive != best:
            counterexample = {"formula": str(best), "adaptive": str(adaptive)}
    scope = "T = 2 (3 rounds), updates (0, 0), (1, 0), (0, 1), noise (1/4, 1/2, 1/4) per coordinate"
    return judged(counterexample, "all index sets, and the game against the product formula", scope)


def _best_change(found: Fit, inputs: Sequence[tuple[int, int]]) -> PowerFunction:
    """Return the least bound above the products of costs of all single changes."""
    bounds: list[PowerFunction] = []
    for u, v, position in product(inputs, inputs, (1, 2)):
        total = PowerFunction.identity()
        for positions, costs in zip(found.index_sets, found.costs, strict=True):
            if position in positions and u != v:
                total = total.tensor(costs[u[0] - v[0], u[1] - v[1]])
        bounds.append(total)
    return PowerFunction.supremum(bounds)


@claim(
    1,
    "Section E.1 (what excludes it)",
    statement="Quantitative decomposability excludes the example because common context changes the "
    "cost. (As printed it excludes it in round 1 already, where there is no context: the two orders "
    "of the laws of y1 differ. Context stability excludes it in round 2, for the reason given.)",
)
def what_excludes_e1() -> Finding:
    """Decide Definition E.3 for round 1 alone, and context stability for both rounds."""
    method = "all index sets and orders of distances on words; all pairs of histories"
    scope = "the printed mechanism"
    table = {items: (1 - one, one) for items, one in ANSWERS_E1.items()}
    rounds = [tuple(table[items] for items in histories(_BITS, number)) for number in (1, 2)]
    alone = FreshRounds(_BITS, (rounds[0],))
    found = instability(FreshRounds(_BITS, tuple(rounds)))
    if fit(alone, WORDS) is not None or found is None:
        return judged(None, method, scope)
    witness = {
        "round 1, Pow(0||1)": str(power_of(*rounds[0])),
        "round 1, Pow(1||0)": str(power_of(*reversed(rounds[0]))),
        "context stability fails in round": str(found.round),
        "at": found.witness()["histories"] + "; " + found.witness()["and"],
        "total variation": ", ".join(
            str(total_variation(table[x], table[y])) for x, y in found.changes
        ),
    }
    return Finding("GAP", method, scope, witness)
