"""Paper 1, Definition A.7 to Fact A.10: suprema, products and mixtures of power functions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from ...accounting.power import PowerFunction
from ..grids import Law, laws, pair_of, power_of, show_laws
from ..literal import differs_from_knapsack, hull_height
from ..registry import Finding, claim, judged

__all__ = ["definition_a7", "definition_a8", "fact_a9", "fact_a10", "infinite_supremum"]

_HALF = Fraction(1, 2)


@claim(
    1,
    "Definition A.7",
    statement="For finite collections the least power function above all members is "
    "sup {lambda f1(a1) + (1 - lambda) f2(a2)}, their least concave majorant. It can exceed the "
    "pointwise maximum.",
    sabotage={"mixing": 0},
)
def definition_a7(*, mixing: int = 1) -> Finding:
    """Compare the library's supremum with the printed formula for all pairs of small functions."""
    functions = dict.fromkeys(power_of(p, q) for p, q in product(laws(3, 3), repeat=2))
    counterexample: dict[str, str] | None = None
    shown: dict[str, str] = {}
    cases = 0
    for first, second in combinations(functions, 2):
        cases += 1
        least = PowerFunction.supremum([first, second])
        corners = [
            (x.as_fraction(), y.as_fraction()) for x, y in (*first.vertices, *second.vertices)
        ]
        # Both sides are concave with corners among these, so equality here is equality everywhere.
        places = {x for x, _ in corners} | {x.as_fraction() for x, _ in least.vertices}
        for alpha in sorted(places):
            if least(alpha) != hull_height(corners, alpha, mixing) and counterexample is None:
                counterexample = {"f1": str(first), "f2": str(second), "alpha": str(alpha)}
            if least(alpha) > max(first(alpha), second(alpha)) and not shown:
                shown = {
                    "f1": str(first),
                    "f2": str(second),
                    "alpha": str(alpha),
                    "supremum": str(least(alpha)),
                    "pointwise maximum": str(max(first(alpha), second(alpha))),
                }
    scope = f"{cases} pairs of power functions from 3 outcomes, denominators to 3, every alpha"
    return judged(counterexample, "the formula over all corners", scope, shown=shown)


@claim(
    1,
    "Definition A.7 (infinite collections)",
    statement="The formula gives the least power function above all members of any collection.",
)
def infinite_supremum() -> Finding:
    """Evaluate f_n = min(1, n alpha): each is 0 at 0, yet above any alpha > 0 one of them is 1."""
    members = [(n, power_of((Fraction(1, n), 1 - Fraction(1, n)), _point())) for n in range(2, 60)]
    rises = all(f(0) == 0 and f(Fraction(1, n)) == 1 for n, f in members)
    counterexample = {
        "collection": "f_n(alpha) = min(1, n alpha) = Pow((1/n, 1 - 1/n)||(1, 0)), n = 2, 3, ...",
        "formula at 0": "0, every f_n(0) being 0",
        "least power function at 0": "1: it is 1 on (0, 1], and power functions, being piecewise "
        "linear with value Q(P = 0) at 0, are continuous there",
    }
    method = "members evaluated to n = 59; the limit by hand"
    scope = "a collection without a bound on the slopes; finite collections are right"
    return judged(counterexample if rises else None, method, scope)


def _point() -> Law:
    return (Fraction(1), Fraction(0))


@claim(
    1,
    "Definition A.8",
    statement="f (x) g = Pow(P1 x Q1||P2 x Q2) does not depend on the pairs chosen to attain f "
    "and g.",
    sabotage={"copies": 1},
)
def definition_a8(*, copies: int = 2) -> Finding:
    """Compare the library's tensor with the knapsack on products of rewritten pairs."""
    grid, seconds = (tuple(product(laws(2, largest), repeat=2)) for largest in (3, 2))
    counterexample: dict[str, str] | None = None
    for (p1, q1), (p2, q2) in product(grid, seconds):
        tensor = power_of(p1, q1).tensor(power_of(p2, q2))
        for split in (False, True):
            left_p, left_q = (_split(p1), _split(q1)) if split else (p1, q1)
            right_p, right_q = (p2, q2) if copies == 2 else ((Fraction(1),), (Fraction(1),))
            null = tuple(a * b for a, b in product(left_p, right_p))
            alternative = tuple(a * b for a, b in product(left_q, right_q))
            if split:
                differs = pair_of(null, alternative).power_function() != tensor
            else:
                differs = differs_from_knapsack(tensor, null, alternative) is not None
            if differs and counterexample is None:
                counterexample = show_laws(P1=p1, P2=q1, Q1=p2, Q2=q2)
    scope = (
        f"{len(grid) * len(seconds)} products of pairs on 2 outcomes, denominators to 3 and 2, every "
        "alpha; each also with the first pair's outcomes split 1 to 2 and reversed"
    )
    return judged(counterexample, "brute-force knapsack on the product space", scope)


def _split(law: Law) -> Law:
    third = Fraction(1, 3)
    return tuple(part for mass in reversed(law) for part in (mass * third, mass * 2 * third))


@claim(
    1,
    "Fact A.9",
    statement="If Pow(P(l)||Q(l)) <= f for every l, mixing over one law L of l keeps the bound, "
    "whether l is seen or not.",
    sabotage={"drift": "1/6"},
)
def fact_a9(*, drift: str = "0") -> Finding:
    """Mix all pairs of small pairs; drift changes the law of l in world Q."""
    grid = tuple(product(laws(2, 3), repeat=2))
    counterexample: dict[str, str] | None = None
    for ((p1, q1), (p2, q2)), weight in product(product(grid, repeat=2), (Fraction(1, 3), _HALF)):
        moved = weight + Fraction(drift)
        bound = PowerFunction.supremum([power_of(p1, q1), power_of(p2, q2)])
        seen_p, seen_q = _joined(p1, p2, weight), _joined(q1, q2, moved)
        hidden_p, hidden_q = (
            tuple(law[i] + law[i + 2] for i in range(2)) for law in (seen_p, seen_q)
        )
        mixed = pair_of(seen_p, seen_q).power_function()
        if not (mixed <= bound and power_of(hidden_p, hidden_q) <= mixed):
            counterexample = show_laws(P1=p1, Q1=q1, P2=p2, Q2=q2)
            break
    scope = (
        f"{2 * len(grid) ** 2} mixtures of 2 pairs on 2 outcomes, denominators to 3, weight 1/3 "
        "or 1/2; f the supremum of both"
    )
    return judged(counterexample, "exact comparison of whole functions", scope)


def _joined(first: Law, second: Law, weight: Fraction) -> Law:
    return (*(weight * mass for mass in first), *((1 - weight) * mass for mass in second))


@claim(
    1,
    "Fact A.10",
    statement="If Pow(P||P') <= f and Pow(Q(w)||Q'(w)) <= g for every w, then the pair of w and "
    "its second draw has a power function of at most f (x) g.",
    sabotage={"second_draws": 0},
)
def fact_a10(*, second_draws: int = 1) -> Finding:
    """Compose all small pairs adaptively; the bound counts the second draw second_draws times."""
    masses = (Fraction(0), Fraction(1, 3), _HALF)
    pairs = tuple(product([(1 - mass, mass) for mass in masses], repeat=2))
    counterexample: dict[str, str] | None = None
    for (p, p_after), (q0, q0_after), (q1, q1_after) in product(pairs, repeat=3):
        joint = tuple(a * b for a, law in zip(p, (q0, q1), strict=True) for b in law)
        joint_after = tuple(
            a * b for a, law in zip(p_after, (q0_after, q1_after), strict=True) for b in law
        )
        first = power_of(p, p_after)
        second = PowerFunction.supremum([power_of(q0, q0_after), power_of(q1, q1_after)])
        bound = first.tensor(second) if second_draws else first
        if not pair_of(joint, joint_after).power_function() <= bound:
            counterexample = {
                **show_laws(P=p, P_after=p_after, Q0=q0, Q0_after=q0_after),
                **show_laws(Q1=q1, Q1_after=q1_after),
            }
            break
    scope = (
        f"{len(pairs) ** 3} adaptive compositions on 2 outcomes with masses 0, 1/3, 1/2; "
        "least f and g"
    )
    return judged(counterexample, "exact comparison of whole functions", scope)
