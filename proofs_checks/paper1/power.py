"""Paper 1, Definition A.3 to Fact A.6: power functions and DP."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ...accounting.errors import InputError
from ...accounting.numbers import exact_number
from ...accounting.power import PowerFunction
from ..grids import channels, laws, power_of, show_laws
from ..literal import differs_from_knapsack, events, mass, pushed
from ..registry import Finding, claim, judged
from ..symbolic import certified_non_negative, variables

__all__ = [
    "curve_of_dp",
    "definition_a3",
    "example_domain",
    "example_of_two_hops",
    "fact_a4",
    "fact_a5",
    "fact_a6",
]

_GAMMAS = tuple(map(Fraction, ("1", "3/2", "2", "3")))
_DELTAS = tuple(map(Fraction, ("0", "1/6", "1/4", "1/3", "1/2", "1")))


@claim(
    1,
    "Definition A.3",
    statement="Pow(P||Q)(alpha) is the best value of the fractional knapsack with weights P, values "
    "Q and capacity alpha.",
    sabotage={"fractional": 0},
)
def definition_a3(*, fractional: int = 1) -> Finding:
    """Compare the library's power function with the knapsack over all sets of items."""
    grid = laws(3, 4)
    counterexample: dict[str, str] | None = None
    for null, alternative in product(grid, repeat=2):
        function = power_of(null, alternative)
        alpha = differs_from_knapsack(function, null, alternative, fractional)
        if alpha is not None:
            counterexample = {**show_laws(P=null, Q=alternative), "alpha": str(alpha)}
            break
    scope = f"{len(grid) ** 2} pairs of laws on 3 outcomes, denominators to 4, every alpha"
    return judged(counterexample, "brute force at all corners of both functions", scope)


@claim(
    1,
    "Fact A.4",
    statement="Pow(P||Q) >= Id, with equality exactly if P = Q; and Pow(T(P)||T(Q)) <= Pow(P||Q) "
    "for every channel T.",
    sabotage={"height": "10/9"},
)
def fact_a4(*, height: str = "1") -> Finding:
    """Check the bound, its equality case and data processing; height scales the lower bound."""
    factor = exact_number(height)
    identity = PowerFunction.identity()
    counterexample: dict[str, str] | None = None
    grid = laws(3, 3)
    maps = channels(3, 2, 2)
    for null, alternative in product(grid, repeat=2):
        function = power_of(null, alternative)
        low = all(value >= factor * alpha for alpha, value in function.vertices)
        if not low or (function == identity) != (null == alternative):
            counterexample = show_laws(P=null, Q=alternative)
            break
        for channel in maps:
            if not power_of(pushed(null, channel), pushed(alternative, channel)) <= function:
                counterexample = {**show_laws(P=null, Q=alternative), "T": str(channel)}
                break
    scope = (
        f"{len(grid) ** 2} pairs of laws on 3 outcomes, denominators to 3, every alpha; "
        f"{len(maps)} channels to 2 outcomes"
    )
    return judged(counterexample, "exact comparison of whole functions", scope)


@claim(
    1,
    "Fact A.5 (the curve)",
    statement="The printed three cases of DP_{eps,delta}(alpha) equal min(1, delta + e^eps alpha, "
    "1 - e^-eps (1 - delta - alpha)) for all eps >= 0 and 0 <= delta <= 1, the ends included.",
    sabotage={"turn": 2},
)
def curve_of_dp(*, turn: int = 1) -> Finding:
    """Prove each case by a certificate; the first case ends at (1 - delta) / (turn + e^eps)."""
    counterexample = _curve_counterexample(turn)
    method = "a polynomial certificate for each case, and the library's curve on a grid"
    scope = "all eps >= 0, 0 <= delta <= 1, 0 <= alpha <= 1"
    if counterexample is None and not _curve_certified(turn):
        return Finding("GAP", method, scope, {"certificate": f"fails for turn = {turn}"})
    return judged(counterexample, method, scope, status="PROVED")


def _printed(gamma: Fraction, delta: Fraction, alpha: Fraction, turn: int) -> Fraction:
    if alpha <= (1 - delta) / (turn + gamma):
        return delta + gamma * alpha
    if alpha <= 1 - delta:
        return 1 - (1 - delta) / gamma + alpha / gamma
    return Fraction(1)


def _curve_counterexample(turn: int) -> dict[str, str] | None:
    for gamma, delta in product(_GAMMAS, _DELTAS):
        function = PowerFunction.dp(exp_epsilon=gamma, delta=delta)
        for alpha in [Fraction(step, 12) for step in range(13)]:
            least = min(delta + gamma * alpha, 1 - (1 - delta - alpha) / gamma, Fraction(1))
            if not _printed(gamma, delta, alpha, turn) == least == function(alpha):
                return {"e^eps": str(gamma), "delta": str(delta), "alpha": str(alpha)}
    return None


def _curve_certified(turn: int) -> bool:
    # e^eps = 1 + t, delta = 1 - d; s in [0, 1] runs through the alphas of each case. With
    # L1 = delta + e^eps alpha and L2 = 1 - e^-eps (1 - delta - alpha), the case's own line is the
    # least of L1, L2, 1: each difference is multiplied by positive denominators.
    t, d, s = variables("t d s")
    gamma, below, rest = 1 + t, 1 - d, 1 - s
    ends = turn + gamma
    assumed = [t, d, s, gamma, below, rest, ends]
    # Cases 1 and 2: alpha, L1 and L2 times ``ends`` (and L2 also times gamma).
    first, second = s * d, d + s * d * (ends - 1)
    line1_first, line1_second = ends * below + gamma * first, ends * below + gamma * second
    line2_first = gamma * ends - ends * d + first
    line2_second = gamma * ends - ends * d + second
    # Case 3: alpha itself.
    third = d + s * below
    claims = (
        (line2_first - gamma * line1_first, [[t, d, rest, ends]]),
        (ends - line1_first, [[d], [d, gamma, rest]]),
        (gamma * line1_second - line2_second, [[t, d, s, gamma, ends]]),
        (gamma * ends - line2_second, [[d, gamma, rest]]),
        (third - d, [[s, below]]),
        (below + gamma * third - 1, [[t, d], [gamma, s, below]]),
    )
    return all(certified_non_negative(difference, terms, assumed) for difference, terms in claims)


@claim(
    1,
    "Fact A.5",
    statement="Pow(P||Q) <= DP_{eps,delta} exactly if P(S) <= e^eps Q(S) + delta and "
    "Q(S) <= e^eps P(S) + delta for every event S.",
    sabotage={"orders": 1},
)
def fact_a5(*, orders: int = 2) -> Finding:
    """Compare the curves with all events; orders 1 leaves out P(S) <= e^eps Q(S) + delta."""
    grid = laws(3, 3)
    counterexample: dict[str, str] | None = None
    curves = {
        (gamma, delta): PowerFunction.dp(exp_epsilon=gamma, delta=delta)
        for gamma, delta in product(_GAMMAS, _DELTAS)
    }
    for null, alternative in product(grid, repeat=2):
        function = power_of(null, alternative)
        sides = [(mass(null, event), mass(alternative, event)) for event in events(3)]
        sides += [(q, p) for p, q in sides] if orders == 2 else []
        for (gamma, delta), curve in curves.items():
            meets = all(q <= gamma * p + delta for p, q in sides)
            if meets != (function <= curve) and counterexample is None:
                counterexample = show_laws(P=null, Q=alternative)
                counterexample |= {"e^eps": str(gamma), "delta": str(delta)}
    scope = (
        f"{len(grid) ** 2} pairs of laws on 3 outcomes, denominators to 3, all events; "
        f"e^eps in {{1, 3/2, 2, 3}}, delta in {{0, 1/6, 1/4, 1/3, 1/2, 1}}"
    )
    return judged(counterexample, "brute force over events against the whole curve", scope)


@claim(
    1,
    "Fact A.6",
    statement="Pow(X||Z) <= Pow(Y||Z) o Pow(X||Y), the first hop being the inner function.",
    sabotage={"inner_hop": 2},
)
def fact_a6(*, inner_hop: int = 1) -> Finding:
    """Compare whole functions for all triples of small laws; inner_hop 2 swaps the order."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for grid in (laws(2, 4), laws(3, 2)):
        for x, y, z in product(grid, repeat=3):
            cases += 1
            inner, outer = power_of(x, y), power_of(y, z)
            if inner_hop == 2:
                inner, outer = outer, inner
            if not power_of(x, z) <= outer.after(inner) and counterexample is None:
                counterexample = show_laws(X=x, Y=y, Z=z)
    scope = f"{cases} triples: 2 outcomes with denominators to 4, 3 with denominators to 2"
    return judged(counterexample, "exact comparison of whole functions", scope)


@claim(
    1,
    "Fact A.6 (example)",
    statement="For g = DP_{eps,delta}: g o g <= DP_{2 eps, delta (1 + e^eps)} wherever "
    "delta (1 + e^eps) <= 1, and g o g <= 1 = DP_{2 eps, 1} elsewhere.",
    sabotage={"extra": 0},
)
def example_of_two_hops(*, extra: int = 1) -> Finding:
    """Prove it from the three lines of the curve; the bound's delta is delta (extra + e^eps)."""
    # With g = min(1, L1, L2), all increasing: g o g <= min(1, L1 o L1, L2 o L2). These are the
    # lines L1, L2 of DP_{2 eps, delta (1 + e^eps)}, as identities in all variables.
    gamma, delta, alpha = variables("gamma delta alpha")
    wanted = delta * (extra + gamma)
    rising = delta + gamma * (delta + gamma * alpha)
    # gamma^2 (1 - L2(L2(alpha))), with gamma (1 - L2(x)) = 1 - delta - x.
    falling = (1 - delta - alpha) - gamma * delta
    proved = rising == wanted + gamma**2 * alpha and falling == 1 - wanted - alpha
    counterexample: dict[str, str] | None = None
    for bound, share in product(_GAMMAS, _DELTAS):
        g = PowerFunction.dp(exp_epsilon=bound, delta=share)
        total = min(Fraction(1), share * (extra + bound))
        if not g.after(g) <= PowerFunction.dp(exp_epsilon=bound**2, delta=total):
            counterexample = {"e^eps": str(bound), "delta": str(share)}
            break
    method = "polynomial identities for the lines of the curve, and whole functions on a grid"
    scope = "all eps >= 0 and 0 <= delta <= 1"
    if counterexample is None and not proved:
        return Finding("GAP", method, scope, {"identity": f"fails for extra = {extra}"})
    return judged(counterexample, method, scope, status="PROVED")


@claim(
    1,
    "Fact A.6 (domain of the example)",
    statement="DP_{2 eps, delta (1 + e^eps)} is a power function for all eps >= 0 and "
    "0 <= delta <= 1, as the printed example takes for granted.",
)
def example_domain() -> Finding:
    """Look for the first parameters for which the printed bound is not defined."""
    method = "evaluation; the definition before Fact A.5 wants 0 <= delta <= 1"
    scope = "delta in {0, 1, 1/2}, e^eps in {1, 2}; read min(1, delta (1 + e^eps)) instead"
    for delta, gamma in product((Fraction(0), Fraction(1), Fraction(1, 2)), (1, 2)):
        total = delta * (1 + gamma)
        try:
            PowerFunction.dp(exp_epsilon=gamma**2, delta=total)
        except InputError:
            witness = {"e^eps": str(gamma), "delta": str(delta), "new delta": str(total)}
            return Finding("GAP", method, scope, witness)
    return judged(None, method, scope)
