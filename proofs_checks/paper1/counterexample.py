"""Paper 1, Section E.1: independent decomposability alone is insufficient."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ...accounting.numbers import Exact
from ...certify.audit import audit
from ...certify.spec import AuditSpec
from ...certify.verdict import Claim
from ..examples import ANSWERS_E1, machine_e1
from ..registry import Finding, claim, judged

__all__ = ["adaptive_adversary", "fixed_streams"]

_BITS = (0, 1)
_PRINTED_DISTANCES = {
    ((0, 0), (1, 0)): "0.09",
    ((0, 1), (1, 1)): "0.08",
    ((0, 0), (0, 1)): "0.08",
    ((1, 0), (1, 1)): "0.09",
}
_PRINTED_LAWS = {
    (0, 0): ("0.2304", "0.2835"),
    (0, 1): ("0.0896", "0.0665"),
    (1, 0): ("0.5440", "0.4680"),
    (1, 1): ("0.1360", "0.1820"),
}


def _law(first: int, second: tuple[int, int]) -> dict[tuple[int, int], Fraction]:
    """Return the law of (Y1, Y2) for x1 and for x2 as a function of Y1."""
    found: dict[tuple[int, int], Fraction] = {}
    for y1, y2 in product(_BITS, repeat=2):
        one, two = ANSWERS_E1[first,], ANSWERS_E1[first, second[y1]]
        found[y1, y2] = (one if y1 else 1 - one) * (two if y2 else 1 - two)
    return found


def _variation(
    first: dict[tuple[int, int], Fraction], second: dict[tuple[int, int], Fraction]
) -> Fraction:
    return sum((max(Fraction(0), first[key] - second[key]) for key in first), Fraction(0))


@claim(
    1,
    "Section E.1 (fixed streams)",
    statement="The four Hamming-neighbouring pairs of fixed streams have total variation 0.09, "
    "0.08, 0.08, 0.09, so the mechanism is non-adaptively (0, 0.09)-DP.",
    sabotage={"largest": "0.08"},
)
def fixed_streams(*, largest: str = "0.09") -> Finding:
    """Recompute the table from the printed chances and ask the audit for the worst pair."""
    counterexample: dict[str, str] | None = None
    for (left, right), printed in _PRINTED_DISTANCES.items():
        laws = [_law(stream[0], (stream[1], stream[1])) for stream in (left, right)]
        distance = _variation(laws[0], laws[1])
        if distance != Fraction(printed) and counterexample is None:
            counterexample = {"streams": f"{left}, {right}", "total variation": str(distance)}
    wanted = Claim.of(epsilon=0, delta=largest, adversary="nonadaptive")
    spec = AuditSpec("E.1", machine_e1().mechanism, "hamming", 2, _BITS, wanted)
    judgement = audit(spec).results[0].nonadaptive
    found = judgement.delta_at_claim
    if found is None or found.lower != Fraction(largest) or judgement.verdict != "holds":
        counterexample = counterexample or {"worst fixed pair": str(found)}
    scope = "the printed mechanism, all fixed pairs of streams"
    return judged(counterexample, "the table recomputed, and the audit", scope)


@claim(
    1,
    "Section E.1 (adaptive adversary)",
    statement="The adversary with challenge (0, 1) and then x2 = Y1 in both worlds sees the printed "
    "laws, with total variation 0.0991 > 0.09 attained on {(0,1), (1,0)}; so the mechanism is not "
    "adaptively (0, 0.09)-DP. No adversary does better.",
    sabotage={"distance": "0.0990"},
)
def adaptive_adversary(*, distance: str = "0.0991") -> Finding:
    """Recompute the laws and ask the audit for the worst adaptive adversary."""
    counterexample: dict[str, str] | None = None
    wanted = Fraction(distance)
    laws = [_law(first, (0, 1)) for first in _BITS]
    for key, printed in _PRINTED_LAWS.items():
        if (laws[0][key], laws[1][key]) != (Fraction(printed[0]), Fraction(printed[1])):
            counterexample = {"views": str(key), "laws": f"{laws[0][key]}, {laws[1][key]}"}
    event = sum((laws[0][key] - laws[1][key] for key in ((0, 1), (1, 0))), Fraction(0))
    if not event == _variation(laws[0], laws[1]) == wanted:
        counterexample = counterexample or {"total variation": str(_variation(laws[0], laws[1]))}
    spec = AuditSpec(
        "E.1", machine_e1().mechanism, "hamming", 2, _BITS, Claim.of(epsilon=0, delta="0.09")
    )
    result = audit(spec).results[0]
    found = result.adaptive.delta_at_claim
    if found is None or found.lower != Exact(wanted) or result.verdict != "violated":
        counterexample = counterexample or {"worst adversary": str(found)}
    scope = "the printed mechanism, all adaptive adversaries under the Hamming relation"
    shown = {"event": "{(0,1), (1,0)}", "difference": str(event)}
    return judged(counterexample, "the table recomputed, and the audit", scope, shown=shown)
