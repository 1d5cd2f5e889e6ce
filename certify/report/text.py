"""An audit in words: the verdict first, then the tightest guarantees, then the witness."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal

from ...accounting.numbers import Enclosure, Exact
from ...accounting.profile import PrivacyProfile
from ..verdict import AuditReport, Claim, ClaimResult, Judgement, ProfileBounds, Verdict
from .checklist_report import conclusion_lines
from .limits_advice import advice_lines, reached_limits
from .names import counted, printable
from .witness_text import witness_lines
from .wording import (
    epsilon_words,
    exact_of,
    interval_words,
    is_infinite,
    number_words,
    place_words,
)

__all__ = ["case_words", "claim_words", "render_text", "verdict_lines"]

Shown = Literal["adaptive", "nonadaptive", "both"]

_WORDS: Final[dict[Verdict, str]] = {
    "holds": "HOLDS",
    "violated": "VIOLATED",
    "undecided": "UNDECIDED",
    "no-claim": "NO CLAIM",
}
_OUTCOMES: Final[dict[Verdict, str]] = {
    "holds": "holds",
    "violated": "fails",
    "undecided": "is neither proved nor refuted",
    "no-claim": "was not made",
}
_AGAINST: Final = {
    "adaptive": "adaptive adversaries",
    "nonadaptive": "fixed input streams",
}
_NO_COMMON_FIELD: Final = (
    "delta is an interval because e^epsilon and the numbers of the mechanism fit over no common",
    "e^(1/N) of reasonable degree; the verdict compares e^epsilon itself and is exact.",
)
_SHOWN_BREAKPOINTS: Final = 10
_WIDEST_LABEL: Final = 32
_WIDEST: Final = max(map(len, _WORDS.values()))


def render_text(
    report: AuditReport, *, shown: Shown = "both", profile: bool = True, case: str | None = None
) -> str:
    """Return the report for a person, ending in a line feed.

    Args:
        report: A finished audit.
        shown: Which kind of adversary is described; both by default.
        profile: Whether the privacy profile is listed.
        case: Id of the case in its file, or None.
    """
    # A warning may say that something else was judged than the user meant.
    verdict = [*verdict_lines(report, case=case), *_titled("Warning: ", report.warnings)]
    blocks: list[list[str]] = [verdict]
    several = len(report.results) > 1
    for number, result in enumerate(report.results, 1):
        if several and result.claim is not None:
            blocks.append([f"Claim {number}: ({claim_words(result.claim)})"])
        blocks += _result_blocks(report, result, shown)
    if profile:
        blocks.append(_profile_lines(report, shown))
    blocks.append(conclusion_lines(report.checklist))
    blocks.append(advice_lines(report))
    blocks.append(_remarks(report))
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def verdict_lines(
    report: AuditReport, *, align: bool = False, case: str | None = None
) -> list[str]:
    """Return one line for each claim, verdict first.

    Args:
        report: A finished audit.
        align: Whether the line must align with others; several lines of one report always do.
        case: Id of the case in its file, or None.
    """
    width = _WIDEST if align or len(report.results) > 1 else 0
    name = case_words(report.name, case)
    return [_verdict_line(name, result, width) for result in report.results]


def case_words(name: str, case: str | None) -> str:
    """Return a spec's name, behind the id of its case where that is another text.

    Example:
        >>> case_words("leaky counter", "c01"), case_words("c01", "c01"), case_words("flip", None)
        ('c01 (leaky counter)', 'c01', 'flip')
    """
    return name if case is None or case == name else f"{case} ({name})"


def claim_words(claim: Claim) -> str:
    """Return a claim as its two numbers.

    Example:
        >>> claim_words(Claim.of(epsilon="ln(2)", delta="1/3"))
        'epsilon = ln(2), delta = 1/3'
    """
    return f"epsilon = {exact_of(claim.epsilon)}, delta = {exact_of(claim.delta)}"


def _verdict_line(name: str, result: ClaimResult, width: int) -> str:
    start = f"{_WORDS[result.verdict].ljust(width)}  {printable(name)}: "
    claim = result.claim
    if claim is None:
        return start + "nothing was claimed; the tightest guarantees are below"
    outcome = _OUTCOMES[result.verdict]
    return f"{start}claim ({claim_words(claim)}) {outcome} against {_AGAINST[claim.adversary]}"


def _result_blocks(report: AuditReport, result: ClaimResult, shown: Shown) -> list[list[str]]:
    """Describe one claim: slack, guarantees, witnesses, gap."""
    blocks = [_comment(result), _guarantees(result, shown, limited=bool(reached_limits(report)))]
    # Without a gap the fixed pair already attains the adaptive worst case, so one witness tells all.
    fixed_tells_all = (
        shown == "both"
        and result.gap_at_claim is not None
        and result.gap_at_claim.is_exact
        and result.gap_at_claim.lower == 0
        and result.nonadaptive.witness is not None
    )
    if shown != "nonadaptive" and not fixed_tells_all:
        blocks.append(_evidence("Adaptive adversary. ", report, result.claim, result.adaptive))
    if shown != "adaptive":
        heading = "Fixed streams. "
        if fixed_tells_all:
            heading = "Fixed streams, as bad as any adaptive adversary. "
        blocks.append(_evidence(heading, report, result.claim, result.nonadaptive))
    if shown == "both":
        blocks.append(_gap_lines(report, result))
    return blocks


def _evidence(
    heading: str, report: AuditReport, claim: Claim | None, judgement: Judgement
) -> list[str]:
    """Describe the witness, unless no event tells the worlds apart beyond the claimed epsilon."""
    if judgement.witness is None:
        return []
    delta = judgement.delta_at_claim
    if delta is not None and delta.is_exact and delta.lower == 0:
        return [heading + "No event S has a positive excess P0(S) - e^eps*P1(S), in either order."]
    is_worst = _is_exact(judgement) or not reached_limits(report)
    lines = witness_lines(judgement.witness, claim, is_worst=is_worst)
    return [heading + lines[0], *lines[1:]]


def _is_exact(judgement: Judgement) -> bool:
    bounds = judgement.delta_at_claim
    return bounds.is_exact if bounds is not None else judgement.least_delta.is_exact


def _comment(result: ClaimResult) -> list[str]:
    """Say whether a claim that holds is tight, and whether the other adversary changes the verdict."""
    claim = result.claim
    if claim is None:
        return []
    lines: list[str] = []
    judged, other = result.adaptive, result.nonadaptive
    other_name = _AGAINST["nonadaptive"]
    if claim.adversary == "nonadaptive":
        judged, other, other_name = other, judged, _AGAINST["adaptive"]
    tight = f"; {'eps' if claim.delta == 0 else 'delta'} is tight at the claim"
    if claim.exp_epsilon == math.inf or claim.delta == 1:
        lines.append("The claim is vacuous: it holds for every mechanism.")
    elif judged.verdict == "holds":
        measured = judged.exp_epsilon_at_delta if claim.delta == 0 else judged.delta_at_claim
        if judged.tight:
            lines.append(f"claim holds{tight}")
        elif measured is not None and measured.is_exact:
            lines.append("claim holds with slack; the tightest guarantees are below")
        else:
            lines.append("claim holds; whether with slack was not decided")
    if other.verdict != judged.verdict:
        outcome = _OUTCOMES[other.verdict] + (tight if other.tight else "")
        lines.append(f"Against {other_name} the claim {outcome}.")
    return lines


def _guarantees(result: ClaimResult, shown: Shown, *, limited: bool) -> list[str]:
    """List the tightest guarantees against each kind of adversary."""
    lines = ["Tightest guarantees"]
    if shown != "nonadaptive":
        lines.append("  against adaptive adversaries (each input may react to the views so far)")
        lines += _judgement_lines(result.claim, result.adaptive, limited=limited)
    if shown != "adaptive":
        lines.append("  against fixed streams (all inputs chosen beforehand)")
        lines += _judgement_lines(result.claim, result.nonadaptive, limited=limited)
    return lines


def _judgement_lines(claim: Claim | None, judgement: Judgement, *, limited: bool) -> list[str]:
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
    width = min(max(len(label) for label, _ in rows), _WIDEST_LABEL)
    lines = [f"    {label.ljust(width)}  {value}" for label, value in rows]
    if judgement.verdict == "undecided":
        lines.append(
            f"    not decided: {printable(judgement.reason) or 'the interval is too wide'}"
        )
    elif judgement.reason:
        lines.append(f"    {printable(judgement.reason)}")
    bounds = judgement.delta_at_claim
    if not limited and not judgement.reason and bounds is not None and not bounds.is_exact:
        lines += [f"    {line}" for line in _NO_COMMON_FIELD]
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
        elif gap.lower == 0:
            upper = number_words(gap.upper, "up")
            lines.append(f"Adaptivity gap at the claim: at most {upper} in delta.")
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
        lines.append(f"Adapting helps for e^eps {spans}{more}.")
    return lines


def _span(lower: Exact, upper: Exact | float) -> str:
    return f"from {place_words(lower)} " + (
        f"to {place_words(upper)}" if isinstance(upper, Exact) else "on"
    )


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
            (place_words(exp_epsilon), f"delta = {number_words(delta)}")
            for exp_epsilon, delta in points[:_SHOWN_BREAKPOINTS]
        ]
    else:
        points = _points(bounds.upper, one)
        rows = [
            (
                place_words(exp_epsilon),
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
    lines += _titled("Note: ", report.notes)
    if report.statistics:
        facts = ", ".join(f"{key} {value}" for key, value in report.statistics.items())
        lines.append(f"Work: {printable(facts).replace('_', ' ')}")
    return lines


def _titled(title: str, texts: Iterable[str]) -> list[str]:
    return [title + printable(text) for text in texts]
