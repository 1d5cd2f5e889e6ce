"""Paper 1, Remark A.1 and Definition A.2: views of mechanisms, and divergences."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ...accounting.numbers import exact_number
from ..channels import channel_between, leads_to
from ..grids import Law, channels, laws, power_of, show_laws
from ..literal import pushed
from ..registry import Finding, claim, judged

__all__ = ["definition_a2", "power_functions_capture", "remark_a1"]

_BITS = (0, 1)


@claim(
    1,
    "Remark A.1",
    statement="A mechanism's outputs are a function of its view: its seed r and the inputs "
    "x[1..t].",
    sabotage={"seed_in_view": 0},
)
def remark_a1(*, seed_in_view: int = 1) -> Finding:
    """Run all adversaries on all small mechanisms; equal views must come with equal outputs."""
    counterexample: dict[str, str] | None = None
    cases = 0
    # Transition functions on one input, and on two, as tables of bits.
    for first in product(_BITS, repeat=4):
        for second in product(_BITS, repeat=4):
            outputs: dict[tuple[int, ...], tuple[int, int]] = {}
            for seed, start, *reply in product(_BITS, repeat=4):
                cases += 1
                y1 = first[2 * seed + start]
                x2 = reply[y1]
                y2 = second[2 * seed + (start ^ x2)]
                view = (seed, start, x2) if seed_in_view else (start, x2)
                if outputs.setdefault(view, (y1, y2)) != (y1, y2) and counterexample is None:
                    counterexample = {
                        "M(r; x1)": str(first),
                        "view": str(view),
                        "outputs": f"{outputs[view]} and {(y1, y2)}",
                    }
    scope = f"2 rounds, bits as seeds and messages, all adversaries: {cases} runs"
    return judged(counterexample, "every run of every transition function", scope)


def _hockey_stick(null: Law, alternative: Law, exp_epsilon: Fraction) -> Fraction:
    return sum(
        (max(Fraction(0), q - exp_epsilon * p) for p, q in zip(null, alternative, strict=True)),
        Fraction(0),
    )


@claim(
    1,
    "Definition A.2",
    statement="A divergence is non-negative, 0 exactly for equal laws; with the data processing "
    "inequality no channel raises it. Total variation is one. (The hockey-stick divergences with "
    "e^eps > 1, of which (eps, delta)-DP is made, obey the inequality and are 0 for some unequal "
    "laws, so the definition leaves them out.)",
    sabotage={"exp_epsilon": 2},
)
def definition_a2(*, exp_epsilon: int = 1) -> Finding:
    """Check the three properties of D(P||Q) = sup_S Q(S) - e^eps P(S) literally."""
    gamma = Fraction(exp_epsilon)
    counterexample: dict[str, str] | None = None
    shown: dict[str, str] = {}
    grid = laws(3, 3)
    reductions = channels(3, 2, 2)
    for null, alternative in product(grid, repeat=2):
        value = _hockey_stick(null, alternative, gamma)
        if value < 0 or (value == 0) != (null == alternative):
            counterexample = {**show_laws(P=null, Q=alternative), "D(P||Q)": str(value)}
            break
        for channel in reductions:
            after = _hockey_stick(pushed(null, channel), pushed(alternative, channel), gamma)
            if after > value:
                counterexample = {**show_laws(P=null, Q=alternative), "T": str(channel)}
                break
        if not shown and null != alternative and _hockey_stick(null, alternative, gamma + 1) == 0:
            shown = {**show_laws(P=null, Q=alternative), "hockey-stick at e^eps = 2": "0"}
    scope = (
        f"{len(grid) ** 2} pairs of laws on 3 outcomes with denominators to 3, "
        f"{len(reductions)} channels to 2 outcomes"
    )
    return judged(counterexample, "direct evaluation", scope, shown=shown)


@claim(
    1,
    "Definition A.2 (what power functions capture)",
    statement="Pow(P'||Q') <= Pow(P||Q) exactly if a channel takes (P, Q) to (P', Q'); so the power "
    "function decides every divergence with the data processing inequality.",
    sabotage={"height": "1/2"},
)
def power_functions_capture(*, height: str = "1") -> Finding:
    """Construct the channel wherever one curve is below the other, and find none elsewhere."""
    factor = exact_number(height)
    counterexample: dict[str, str] | None = None
    cases = 0
    sources = tuple(product(laws(3, 2), repeat=2))
    targets = tuple(product(laws(2, 3), repeat=2))
    for (p, q), (p_after, q_after) in product(sources, targets):
        cases += 1
        upper, lower = power_of(p, q), power_of(p_after, q_after)
        corners = [alpha for alpha, _ in (*upper.vertices, *lower.vertices)]
        below = all(factor * lower(alpha) <= upper(alpha) for alpha in corners)
        source, target = list(zip(p, q, strict=True)), list(zip(p_after, q_after, strict=True))
        channel = channel_between(source, target)
        reached = channel is not None and leads_to(source, channel, target)
        if reached != below:
            counterexample = show_laws(P=p, Q=q, P_after=p_after, Q_after=q_after)
            break
    scope = f"{cases} pairs of pairs, 3 outcomes with denominators to 2, 2 with denominators to 3"
    return judged(counterexample, "a channel constructed and multiplied out", scope)
