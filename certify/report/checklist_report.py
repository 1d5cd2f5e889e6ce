"""Checklist 1 as JSON and in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final, cast

from ..checklist.findings import CONDITIONS, Checklist, Condition, Fact
from .names import printable
from .wording import exact_of, number_words

__all__ = ["checklist_block", "checklist_document", "conclusion_lines", "render_checklist"]

Block = dict[str, Fact]

_WORDS: Final[Mapping[str, str]] = {
    "pass": "pass",
    "fail": "FAIL",
    "not_applicable": "not applicable",
    "undecided": "undecided",
}
_HOLDS: Final = {"pass": "holds", "fail": "does not hold", "undecided": "undecided"}
_WIDTH: Final = max(map(len, _WORDS.values()))
_LINE: Final = 100
_SHOWN_SETS: Final = 32
_SHOWN_POINTS: Final = 10


def checklist_block(checklist: Checklist) -> Block:
    """Return the five conditions and the conclusion as they stand in an audit report."""
    block: Block = {each.name: _condition(each) for each in checklist.conditions}
    block["certified"] = checklist.certified
    return block


def _condition(condition: Condition) -> Block:
    block: Block = {"status": condition.status, "reason": condition.reason}
    if condition.witness:
        block["witness"] = dict(condition.witness)
    return {**block, **condition.details}


def checklist_document(checklist: Checklist) -> Block:
    """Return a checklist as JSON of schema ``powercert/checklist/1``."""
    certificate = checklist.certificate
    document: Block = {
        "schema": "powercert/checklist/1",
        "name": checklist.name,
        "verdict": checklist.verdict,
        "relation": checklist.relation,
        "horizon": checklist.horizon,
        "core_declared": checklist.core_declared,
        "checklist": checklist_block(checklist),
        "certificate": None,
    }
    if certificate is not None:
        document["certificate"] = {
            "basis": certificate.basis,
            "relation": certificate.relation,
            "digest": certificate.digest,
            "horizon": certificate.horizon,
            "shorter_too": certificate.shorter_too,
            "profile": [
                [str(gamma), str(delta)] for gamma, delta in certificate.profile.breakpoints
            ],
        }
    document["warnings"] = list(checklist.warnings)
    document["notes"] = list(checklist.notes)
    return document


def conclusion_lines(checklist: Checklist) -> list[str]:
    """Say in a few lines what follows from Checklist 1 for an audited mechanism."""
    lines = [f"Checklist 1: {_conclusion(checklist)}"]
    for number, each in enumerate(checklist.conditions, 1):
        if each.status != "pass" and (each.status == "fail" or not checklist.failing):
            lines.append(f"  condition {number} ({CONDITIONS[each.name]}): {_WORDS[each.status]}")
            lines += _wrapped(each.reason, "    ")
    return lines


def _wrapped(text: str, margin: str) -> list[str]:
    return textwrap.wrap(
        printable(text),
        width=_LINE,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _conclusion(checklist: Checklist) -> str:
    if checklist.certificate is not None:
        about = " about the core releases" if checklist.core_declared else ""
        return (
            f"certified, by {checklist.certificate.basis}: "
            f"a proof for fixed streams{about} survives feedback"
        )
    if checklist.failing:
        if adapting_is_idle(checklist):
            return (
                "not certified as printed, but adapting does not help: "
                "only inputs before the change set its cost"
            )
        return "not certified: it does not show that a proof for fixed streams survives feedback"
    if not checklist.applies:
        return "does not apply: it is about streams that differ in at most one round"
    return "not decided"


def adapting_is_idle(checklist: Checklist) -> bool:
    """Whether adapting does not help although condition 4 fails: later inputs change no cost."""
    stable = checklist.condition("stable_cost")
    return checklist.failing == (stable,) and stable.details.get("later_contexts") == "pass"


def render_checklist(checklist: Checklist) -> str:
    """Return a checklist for a person, ending in a line feed."""
    head = checklist.verdict.replace("-", " ").upper()
    relation = printable(checklist.relation)
    exactly = checklist.certificate is not None and not checklist.certificate.shorter_too
    reach = (
        f"for exactly {checklist.horizon} rounds" if exactly else f"up to round {checklist.horizon}"
    )
    subject = f"Checklist 1 for the relation {relation}, {reach}"
    lines = [f"{head}  {printable(checklist.name)}: {subject}"]
    lines += [f"Warning: {printable(text)}" for text in checklist.warnings]
    lines.append("")
    for number, each in enumerate(checklist.conditions, 1):
        lines.append(f"{number}. {_WORDS[each.status].ljust(_WIDTH)}  {CONDITIONS[each.name]}")
        lines += _wrapped(each.reason, "   ")
        for line in _form_lines(each):
            lines += _wrapped(line, "   ")
    lines.append("")
    lines += _guarantee_lines(checklist)
    lines += [f"Note: {printable(text)}" for text in checklist.notes]
    return "\n".join(lines) + "\n"


def _form_lines(condition: Condition) -> list[str]:
    """Say which forms of condition 4 were tried."""
    details = condition.details
    if "context_stability" not in details:
        return []
    lines = [f"context stability: {_HOLDS[str(details['context_stability'])]}"]
    e3 = details.get("definition_e3")
    if isinstance(e3, Mapping):
        fits = e3.get("aggregate")
        outcome = _HOLDS[str(e3["status"])]
        lines.append(
            f"Definition E.3 as printed, which asks for more: {outcome}"
            + (f", with the aggregate {fits}" if fits else f"; {e3['reason']}")
        )
        sets = e3.get("index_sets")
        if isinstance(sets, Sequence) and not isinstance(sets, str):
            shown = " ".join(_index_set(each) for each in sets[:_SHOWN_SETS])
            lines.append(
                f"positions that each core depends on (I_t): {shown}"
                + (" ..." if len(sets) > _SHOWN_SETS else "")
            )
    return lines


def _index_set(positions: Fact) -> str:
    listed = cast("Sequence[int]", positions)
    return "[" + ",".join(map(str, listed)) + "]"


def _guarantee_lines(checklist: Checklist) -> list[str]:
    certificate = checklist.certificate
    if certificate is None:
        conclusion = _conclusion(checklist)
        return [
            f"{conclusion[0].upper()}{conclusion[1:]}.",
            "certify audit judges adaptive adversaries directly, whatever Checklist 1 says.",
        ]
    lines = [
        f"By Theorem 4.3 / E.4 ({certificate.basis}) no adaptive adversary does better than the",
        "worst fixed pair of streams, by the core releases or anything computed from them:",
    ]
    profile = certificate.profile
    pure = profile.exp_epsilon(delta=0)
    points = [(gamma, delta) for gamma, delta in profile.breakpoints if gamma >= 1]
    first = profile.delta(exp_epsilon=1)
    lines.append("  (least delta for each epsilon; straight in e^eps in between, constant after)")
    lines.append(f"  e^eps = 1: delta = {number_words(first)}")
    lines += [
        f"  e^eps = {exact_of(gamma)}: delta = {number_words(delta)}"
        for gamma, delta in points[:_SHOWN_POINTS]
        if gamma > 1
    ]
    if isinstance(pure, float):
        lines.append("  no finite eps at delta = 0")
    return lines
