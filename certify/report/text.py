"""An audit in words: the verdict first, then the tightest guarantees, then the witness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from ...accounting.numbers import Enclosure, Exact
from ...accounting.profile import PrivacyProfile
from ..verdict import AuditReport, Claim, ClaimResult, Judgement, ProfileBounds, Verdict
from .limits_advice import advice_lines
from .names import counted, printable
from .witness_text import witness_lines
from .wording import (
    epsilon_words,
    exact_of,
    interval_words,
    is_infinite,
    number_words,
)

__all__ = ["claim_words", "render_text", "verdict_line"]

Shown = Literal["adaptive", "nonadaptive", "both"]

_WORDS: Final[dict[Verdict, str]] = {
    "holds": "HOLDS",
    "violated": "VIOLATED",
    "undecided": "UNDECIDED",
    "no-claim": "NO CLAIM",
}
_AGAINST: Final = {
    "adaptive": "adaptive adversaries",
    "nonadaptive": "fixed input streams",
}
_SHOWN_BREAKPOINTS: Final = 10


def render_text(report: AuditReport, *, shown: Shown = "both", profile: bool = True) -> str:
    """Return the report for a person, ending in a line feed.

    Args:
        report: A finished audit.
        shown: Which kind of adversary is described; both by default.
        profile: Whether the privacy profile is listed.
    """
    blocks: list[list[str]] = [[verdict_line(report.name, result) for result in report.results]]
    several = len(report.results) > 1
    for number, result in enumerate(report.results, 1):
        if several and result.claim is not None:
            blocks.append([f"Claim {number}: ({claim_words(result.claim)})"])
        blocks += _result_blocks(report, result, shown)
    if profile:
        blocks.append(_profile_lines(report, shown))
    blocks.append(advice_lines(report))
    blocks.append(_remarks(report))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def claim_words(claim: Claim) -> str:
    """Return a claim as its two numbers.

    Example:
        >>> claim_words(Claim.of(epsilon="ln(2)", delta="1/3"))
        'epsilon = ln(2), delta = 1/3'
    """
    return f"epsilon = {exact_of(claim.epsilon)}, delta = {exact_of(claim.delta)}"


def verdict_line(name: str, result: ClaimResult) -> str:
    """Return the verdict on one claim in one line, verdict first."""
    start = f"{_WORDS[result.verdict]}  {printable(name)}: "
    claim = result.claim
    if claim is None:
        return start + "nothing was claimed; the tightest guarantees are below"
    against = _AGAINST[claim.adversary]
    if result.verdict == "holds":
        end = f"holds against {against}"
    elif result.verdict == "violated":
        end = f"fails against {against}"
    else:
        end = f"is neither proved nor refuted against {against}"
    return f"{start}claim ({claim_words(claim)}) {end}"


def _result_blocks(report: AuditReport, result: ClaimResult, shown: Shown) -> list[list[str]]:
    """Describe one claim: slack, guarantees, witnesses, gap."""
    blocks = [_slack_line(result), _guarantees(result, shown)]
    # Without a gap the fixed pair already attains the adaptive worst case, so one witness tells all.
    fixed_tells_all = (
        shown == "both"
        and result.gap_at_claim is not None
        and result.gap_at_claim.is_exact
        and result.gap_at_claim.lower == 0
        and result.nonadaptive.witness is not None
    )
    if shown != "nonadaptive" and not fixed_tells_all and result.adaptive.witness is not None:
        lines = witness_lines(
            result.adaptive.witness, result.claim, is_exact=_is_exact(result.adaptive)
        )
        blocks.append(["Adaptive adversary. " + lines[0], *lines[1:]])
    if shown != "adaptive" and result.nonadaptive.witness is not None:
        lines = witness_lines(
            result.nonadaptive.witness, result.claim, is_exact=_is_exact(result.nonadaptive)
        )
        heading = "Fixed streams, as bad as any adaptive adversary. "
        blocks.append([(heading if fixed_tells_all else "Fixed streams. ") + lines[0], *lines[1:]])
    if shown == "both":
        blocks.append(_gap_lines(report, result))
    return blocks


def _is_exact(judgement: Judgement) -> bool:
    bounds = judgement.delta_at_claim
    return bounds.is_exact if bounds is not None else judgement.least_delta.is_exact


def _slack_line(result: ClaimResult) -> list[str]:
    claim = result.claim
    if claim is None or result.verdict != "holds":
        return []
    judged = result.adaptive if claim.adversary == "adaptive" else result.nonadaptive
    if not judged.tight:
        return ["claim holds with slack; the tightest guarantee is below"]
    return [f"claim holds; {'eps' if claim.delta == 0 else 'delta'} is tight at the claim"]


def _guarantees(result: ClaimResult, shown: Shown) -> list[str]:
    """List the tightest guarantees against each kind of adversary."""
    lines = ["Tightest guarantees"]
    if shown != "nonadaptive":
        lines.append("  against adaptive adversaries (each input may react to the views so far)")
        lines += _judgement_lines(result.claim, result.adaptive)
    if shown != "adaptive":
        lines.append("  against fixed streams (all inputs chosen beforehand)")
        lines += _judgement_lines(result.claim, result.nonadaptive)
    return lines


def _judgement_lines(claim: Claim | None, judgement: Judgement) -> list[str]:
    rows: list[tuple[str, str]] = []
    if claim is not None and judgement.delta_at_claim is not None:
        delta = f"delta = {interval_words(judgement.delta_at_claim)}"
        if not judgement.delta_at_claim.is_exact:
            delta = f"delta is {interval_words(judgement.delta_at_claim)}"
        rows.append((f"at epsilon = {exact_of(claim.epsilon)}:", delta))
    least = judgement.exp_epsilon_at_delta
    if claim is not None and least is not None and claim.delta != 0:
        words = epsilon_words(least)
        if is_infinite(least.lower):
            words = f"no finite eps at this delta; {_smallest_delta(judgement)}"
        rows.append((f"at delta = {exact_of(claim.delta)}:", words))
    pure = epsilon_words(judgement.pure_exp_epsilon)
    if is_infinite(judgement.pure_exp_epsilon.lower):
        pure = f"no finite eps at this delta; {_smallest_delta(judgement)}"
    rows.append(("at delta = 0 (pure):", pure))
    width = max(len(label) for label, _ in rows)
    lines = [f"    {label.ljust(width)}  {value}" for label, value in rows]
    if judgement.verdict == "undecided" or (judgement.reason and not _is_exact(judgement)):
        lines.append(
            f"    not decided: {printable(judgement.reason) or 'the interval is too wide'}"
        )
    elif judgement.reason:
        lines.append(f"    {printable(judgement.reason)}")
    return lines


def _smallest_delta(judgement: Judgement) -> str:
    """Name the mass that no epsilon hides."""
    if judgement.least_delta.is_exact:
        return f"smallest possible delta {interval_words(judgement.least_delta)}"
    return f"smallest possible delta is {interval_words(judgement.least_delta)}"


def _gap_lines(report: AuditReport, result: ClaimResult) -> list[str]:
    """Say whether adapting helps, at the claim and elsewhere."""
    lines: list[str] = []
    gap = result.gap_at_claim
    if gap is not None:
        if gap.is_exact and gap.lower == 0:
            lines.append("Adaptivity gap at the claim: none.")
        elif gap.is_exact:
            lines.append(f"Adaptivity gap at the claim: {number_words(gap.lower)} in delta.")
        else:
            lines.append(f"Adaptivity gap at the claim: {interval_words(gap)} in delta.")
    where = report.gap_where
    if where is None:
        lines.append("Where adapting helps at other epsilons was not decided.")
    elif not where:
        lines.append("Adapting helps at no epsilon.")
    else:
        spans = ", ".join(_span(lower, upper) for lower, upper in where[:_SHOWN_BREAKPOINTS])
        more = (
            f" and {len(where) - _SHOWN_BREAKPOINTS} more"
            if len(where) > _SHOWN_BREAKPOINTS
            else ""
        )
        lines.append(f"Adapting helps for e^eps in {spans}{more}.")
    return lines


def _span(lower: Exact, upper: Exact | float) -> str:
    if isinstance(upper, float):
        return f"[{exact_of(lower)}, inf)"
    return f"[{exact_of(lower)}, {exact_of(upper)}]"


def _profile_lines(report: AuditReport, shown: Shown) -> list[str]:
    """List delta at the breakpoints of the profile with e^eps >= 1."""
    adaptive, fixed = report.adaptive_profile, report.nonadaptive_profile
    title = "Least delta for each epsilon (straight in e^eps between the lines, constant after)"
    if shown == "both" and adaptive is not None and _same(adaptive, fixed):
        return [title + ", adaptive and fixed alike", *_curve_lines(adaptive)]
    lines = [title]
    if shown != "nonadaptive" and adaptive is not None:
        lines += ["  adaptive adversaries", *_curve_lines(adaptive)]
    if shown != "adaptive":
        lines += ["  fixed streams", *_curve_lines(fixed)]
    return lines if len(lines) > 1 else []


def _same(first: ProfileBounds, second: ProfileBounds) -> bool:
    return first.lower == second.lower and first.upper == second.upper


def _curve_lines(bounds: ProfileBounds) -> list[str]:
    one = Exact.exp(0)
    if bounds.is_exact:
        points = _points(bounds.lower, one)
        rows = [
            (exact_of(exp_epsilon), f"delta = {number_words(delta)}")
            for exp_epsilon, delta in points[:_SHOWN_BREAKPOINTS]
        ]
    else:
        points = _points(bounds.upper, one)
        rows = [
            (
                exact_of(exp_epsilon),
                "delta is "
                + interval_words(Enclosure(bounds.lower.delta(exp_epsilon=exp_epsilon), delta)),
            )
            for exp_epsilon, delta in points[:_SHOWN_BREAKPOINTS]
        ]
    width = max(len(label) for label, _ in rows)
    lines = [f"    e^eps = {label.ljust(width)}  {value}" for label, value in rows]
    hidden = len(points) - _SHOWN_BREAKPOINTS
    if hidden > 0:
        lines.append(f"    and {counted(hidden, 'more breakpoint')} (--format json lists all)")
    return lines


def _points(profile: PrivacyProfile, one: Exact) -> list[tuple[Exact, Exact]]:
    later = [(gamma, delta) for gamma, delta in profile.breakpoints if gamma > one]
    return [(one, profile.delta(exp_epsilon=one)), *later]


def _remarks(report: AuditReport) -> list[str]:
    """Gather what else the reader should know."""
    lines: list[str] = []
    if report.anticipation is not None:
        parts = ", ".join(f"{key} {value}" for key, value in report.anticipation.items())
        lines.append(
            f"Checklist 1, condition 1 fails: the law looks into the future ({printable(parts)})."
        )
    lines += _titled("Warning: ", report.warnings)
    lines += _titled("Note: ", report.notes)
    if report.statistics:
        facts = ", ".join(f"{key} {value}" for key, value in report.statistics.items())
        lines.append(f"Work: {printable(facts)}")
    return lines


def _titled(title: str, texts: Iterable[str]) -> list[str]:
    return [title + printable(text) for text in texts]
