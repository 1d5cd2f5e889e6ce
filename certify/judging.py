"""Compare claims with certified profiles."""

from __future__ import annotations

import math

from ..accounting.errors import LimitError
from ..accounting.numbers import Enclosure, Exact
from ..accounting.power import PowerFunction
from ..accounting.profile import PrivacyProfile
from .verdict import Claim, Judgement, ProfileBounds, Verdict, Witness

# Precision where an exact delta would need polynomials of an unreasonable degree.
_BITS = 256

__all__ = ["delta_at", "difference", "gap_intervals", "judged", "worse_order"]


def worse_order(power: PowerFunction) -> PrivacyProfile:
    """Return the profile of the worse of the two orders."""
    profile = power.profile()
    return PrivacyProfile.maximum([profile, profile.swapped()])


def delta_at(claim: Claim | None, profile: ProfileBounds) -> Enclosure | None:
    """Return delta at a claim's epsilon; at an infinite one, the mass that no epsilon hides."""
    if claim is None:
        return None
    bound = claim.exp_epsilon
    if not isinstance(bound, Exact):
        return _least_delta(profile)
    try:
        return Enclosure(
            profile.lower.delta(exp_epsilon=bound), profile.upper.delta(exp_epsilon=bound)
        )
    except LimitError:
        # e^epsilon and the mechanism's numbers fit over no common e^g: delta falls with epsilon.
        below, above = bound.dyadic_ends(_BITS)
        return Enclosure(
            profile.lower.delta(exp_epsilon=above).dyadic_ends(_BITS)[0],
            profile.upper.delta(exp_epsilon=below).dyadic_ends(_BITS)[1],
        )


def _least_delta(profile: ProfileBounds) -> Enclosure:
    return Enclosure(
        profile.lower.delta(exp_epsilon=math.inf), profile.upper.delta(exp_epsilon=math.inf)
    )


def difference(first: Enclosure, second: Enclosure) -> Enclosure:
    """Return first - second, not below 0 (a fixed pair is an adaptive adversary too)."""
    zero = Exact(0)
    lower = _minus(first.lower, second.upper)
    upper = _minus(first.upper, second.lower)
    return Enclosure(max(zero, lower), max(zero, upper))


def _minus(left: object, right: object) -> Exact:
    if not isinstance(left, Exact) or not isinstance(right, Exact):
        raise TypeError("deltas are exact numbers")
    return left - right


def judged(
    claim: Claim | None,
    profile: ProfileBounds,
    delta: Enclosure | None,
    witness: Witness | None,
) -> Judgement:
    """Compare a claim with what is known of the worst case.

    Args:
        claim: The claim, or None.
        profile: Bounds on the profile of the worse order.
        delta: What is known of delta at the claim; may be sharper than the profile.
        witness: Evidence to attach.
    """
    verdict: Verdict = "no-claim"
    reason = ""
    needed: Enclosure | None = None
    tight = False
    if claim is not None and delta is not None:
        needed = Enclosure(
            profile.lower.exp_epsilon(delta=claim.delta),
            profile.upper.exp_epsilon(delta=claim.delta),
        )
        verdict, reason = _verdict(claim, delta, needed)
        tight = verdict == "holds" and not reason and _is_tight(claim, delta, needed)
    return Judgement(
        verdict=verdict,
        delta_at_claim=delta,
        exp_epsilon_at_delta=needed,
        pure_exp_epsilon=Enclosure(
            profile.lower.exp_epsilon(delta=0), profile.upper.exp_epsilon(delta=0)
        ),
        least_delta=_least_delta(profile),
        witness=witness,
        tight=tight,
        reason=reason,
    )


def _verdict(claim: Claim, delta: Enclosure, needed: Enclosure) -> tuple[Verdict, str]:
    """Decide by delta, or by the least e^epsilon that suffices.

    Both say the same, since delta does not grow with epsilon; the second compares numbers that fit
    over no common e^g.
    """
    if isinstance(claim.exp_epsilon, float) or claim.delta == 1:
        return "holds", "the claim is vacuous"
    if delta.upper <= claim.delta or needed.upper <= claim.exp_epsilon:
        return "holds", ""
    if delta.lower > claim.delta or needed.lower > claim.exp_epsilon:
        return "violated", ""
    return "undecided", (
        f"delta at the claim lies between {_short(delta.lower)} and {_short(delta.upper)}, "
        f"and the claim is {claim.delta}"
    )


def _short(number: object) -> str:
    return number.decimal(6) if isinstance(number, Exact) else str(number)


def _is_tight(claim: Claim, delta: Enclosure, needed: Enclosure) -> bool:
    """Whether the claimed delta (a pure claim: the claimed epsilon) cannot be lowered."""
    if claim.delta > 0:
        return delta.is_exact and delta.lower == claim.delta
    return needed.lower == claim.exp_epsilon


def gap_intervals(
    adaptive: ProfileBounds, nonadaptive: ProfileBounds
) -> tuple[tuple[Exact, Exact | float], ...] | None:
    """Return where, for e^epsilon >= 1, the adaptive profile is above the nonadaptive one.

    Each interval is open at ends where the two profiles meet; None if a profile is not exact.
    """
    if not adaptive.is_exact or not nonadaptive.is_exact:
        return None
    upper, lower = adaptive.upper, nonadaptive.upper
    inner = {g for profile in (upper, lower) for g, _ in profile.breakpoints if g > 1}
    knots = sorted({Exact(1), *inner})
    gaps = [upper.delta(exp_epsilon=g) - lower.delta(exp_epsilon=g) for g in knots]
    intervals: list[tuple[Exact, Exact | float]] = []
    ends: list[Exact | float] = [*knots[1:], math.inf]
    for number, (left, right) in enumerate(zip(knots, ends, strict=True)):
        behind = gaps[min(number + 1, len(gaps) - 1)]
        if gaps[number] > 0 or behind > 0:
            if intervals and intervals[-1][1] == left and gaps[number] > 0:
                intervals[-1] = (intervals[-1][0], right)
            else:
                intervals.append((left, right))
    return tuple(intervals)
