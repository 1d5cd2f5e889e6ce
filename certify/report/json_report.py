"""An audit as JSON of schema ``powercert/audit/1``: every exact number is a string."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from ...accounting.numbers import Enclosure, Exact, LogExact
from ...accounting.profile import PrivacyProfile
from ..history import join_history, view_text
from ..verdict import AuditReport, Claim, ClaimResult, Judgement, ProfileBounds, Witness
from .checklist_report import checklist_block
from .wording import Toward, decimal_of, exact_of

__all__ = [
    "Json",
    "audit_document",
    "audits_document",
    "exact_block",
    "number_block",
    "rendered",
    "undecided_document",
    "witness_document",
]

Json = str | int | float | bool | None | Mapping[str, "Json"] | Sequence["Json"]

_SEVERITY: Final = {"no-claim": 0, "holds": 1, "undecided": 2, "violated": 3}


def rendered(document: Json) -> str:
    """Return the JSON text of a document, lists of plain values on one line each.

    Example:
        >>> print(rendered({"a": ["1/3", "2"], "b": {}, "c": [["0", "1"]]}), end="")
        {
          "a": ["1/3", "2"],
          "b": {},
          "c": [
            ["0", "1"]
          ]
        }
    """
    return _laid_out(document, "") + "\n"


def _laid_out(value: Json, margin: str) -> str:
    inner = margin + "  "
    if isinstance(value, Mapping) and value:
        rows = [f"{inner}{_plain(key)}: {_laid_out(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{margin}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if all(not isinstance(item, Mapping | list | tuple) for item in value):
            return "[" + ", ".join(_plain(item) for item in value) + "]"
        rows = [inner + _laid_out(item, inner) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{margin}]"
    return _plain(value)


def _plain(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def audit_document(
    report: AuditReport, *, profile: bool = True, shown: int = 48
) -> dict[str, Json]:
    """Return the document of one audit.

    Args:
        report: A finished audit.
        profile: Whether the breakpoints of the profiles are listed.
        shown: Most histories of a strategy and most transcripts of an event that are listed.
    """
    worst = max(report.results, key=lambda result: _SEVERITY[result.verdict])
    document: dict[str, Json] = {
        "schema": "powercert/audit/1",
        "name": report.name,
        "verdict": report.verdict,
        **_claim_result(worst, shown),
        "checklist": checklist_block(report.checklist),
        "adaptivity_gap": {"at_claim": _gap(worst.gap_at_claim), "where": _where(report)},
        "profile": _profiles(report) if profile else {},
        "monte_carlo": {},
        "limits": dict(report.limits),
        "statistics": dict(report.statistics),
        "warnings": list(report.warnings),
        "notes": list(report.notes),
    }
    if len(report.results) > 1:
        document["claims"] = [
            {
                "verdict": result.verdict,
                **_claim_result(result, shown),
                "adaptivity_gap": {"at_claim": _gap(result.gap_at_claim)},
            }
            for result in report.results
        ]
    return document


def audits_document(audits: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the document of the audits of several cases, with the worst verdict on top."""
    verdicts = tuple(audit["verdict"] for audit in audits)
    worst = max(
        (str(verdict) for verdict in verdicts), key=_SEVERITY.__getitem__, default="no-claim"
    )
    return {"schema": "powercert/audits/1", "verdict": worst, "audits": list(audits)}


def undecided_document(name: str, reason: str) -> dict[str, Json]:
    """Return what stands in a list of audits for one that a limit stopped without any bound."""
    return {
        "schema": "powercert/audit-stopped/1",
        "name": name,
        "verdict": "undecided",
        "reason": reason,
    }


def witness_document(report: AuditReport) -> dict[str, Json]:
    """Return the document that ``--witness FILE`` holds: every witness, with all that was listed."""
    return {
        "schema": "powercert/witness/1",
        "name": report.name,
        "claims": [
            {
                "claim": _claim(result.claim),
                "verdict": result.verdict,
                "adaptive": _witness(result.adaptive.witness),
                "nonadaptive": _witness(result.nonadaptive.witness),
            }
            for result in report.results
        ],
    }


def number_block(bounds: Enclosure | None) -> Json:
    """Return a number with its decimal, or the two ends of an interval; null where there is none.

    Example:
        >>> from ...accounting.numbers import exact
        >>> number_block(Enclosure.point(exact("1/4")))
        {'exact': '1/4', 'decimal': '0.25'}
    """
    if bounds is None:
        return None
    if bounds.is_exact:
        return exact_block(bounds.lower)
    return {"lower": exact_block(bounds.lower, "down"), "upper": exact_block(bounds.upper, "up")}


def exact_block(value: Exact | LogExact | float, toward: Toward = "nearest") -> Json:
    """Return one exact number with its decimal.

    Example:
        >>> from ...accounting.numbers import exact
        >>> exact_block(exact("1/3"))
        {'exact': '1/3', 'decimal': '0.333333333333'}
    """
    return {"exact": exact_of(value), "decimal": decimal_of(value, toward)}


def _claim(claim: Claim | None) -> Json:
    if claim is None:
        return None
    return {
        "exp_epsilon": exact_of(claim.exp_epsilon),
        "epsilon": exact_of(claim.epsilon),
        "delta": exact_of(claim.delta),
        "adversary": claim.adversary,
    }


def _claim_result(result: ClaimResult, shown: int) -> dict[str, Json]:
    return {
        "claim": _claim(result.claim),
        "adaptive": _judgement(result.adaptive, shown),
        "nonadaptive": _judgement(result.nonadaptive, shown),
    }


def _judgement(judgement: Judgement, shown: int) -> Json:
    block: dict[str, Json] = {
        "verdict": judgement.verdict,
        "delta_at_claim": number_block(judgement.delta_at_claim),
        "exp_epsilon_at_delta": number_block(judgement.exp_epsilon_at_delta),
        "pure_exp_epsilon": number_block(judgement.pure_exp_epsilon),
        "least_delta": number_block(judgement.least_delta),
        "tight": judgement.tight,
        "witness": _witness(judgement.witness, shown),
    }
    if judgement.reason:
        block["reason"] = judgement.reason
    return block


def _witness(witness: Witness | None, shown: int | None = None) -> Json:
    if witness is None:
        return None
    block: dict[str, Json] = {"order": witness.order}
    listed = len(witness.event) + len(witness.strategy or ())
    event = witness.event[:shown]
    listed_now = len(event) + len((witness.strategy or ())[:shown])
    if witness.strategy is not None:
        block["strategy"] = {
            join_history(history): _texts(inputs) for history, inputs in witness.strategy[:shown]
        }
        block["strategy_size"] = witness.strategy_size
    if witness.pair is not None:
        block["pair"] = [_texts(stream) for stream in witness.pair]
    return {
        **block,
        "event": [join_history(transcript) for transcript in event],
        "event_size": witness.event_size,
        "p0": exact_of(witness.p0),
        "p1": exact_of(witness.p1),
        "truncated": witness.truncated or listed_now < listed,
        "size": _sum(witness.event_size, witness.strategy_size),
    }


def _sum(first: int | None, second: int | None) -> int | None:
    """Add two sizes; null where one was too large to count."""
    return None if first is None or second is None else first + second


def _texts(values: Sequence[Hashable]) -> Json:
    """Inputs stand alone, so a text stays as it is; another value is written as in a history."""
    return [value if isinstance(value, str) else view_text(value) for value in values]


def _gap(bounds: Enclosure | None) -> Json:
    if bounds is None:
        return None
    if bounds.is_exact:
        return exact_of(bounds.lower)
    return [exact_of(bounds.lower), exact_of(bounds.upper)]


def _where(report: AuditReport) -> Json:
    if report.gap_where is None:
        return None
    return [[exact_of(lower), exact_of(upper)] for lower, upper in report.gap_where]


def _profiles(report: AuditReport) -> Json:
    adaptive = report.adaptive_profile
    return {
        "adaptive": None if adaptive is None else _bounds(adaptive),
        "nonadaptive": _bounds(report.nonadaptive_profile),
    }


def _bounds(bounds: ProfileBounds) -> Json:
    if bounds.is_exact:
        return _breakpoints(bounds.lower)
    return {"lower": _breakpoints(bounds.lower), "upper": _breakpoints(bounds.upper)}


def _breakpoints(profile: PrivacyProfile) -> Json:
    return [[exact_of(gamma), exact_of(delta)] for gamma, delta in profile.breakpoints]
