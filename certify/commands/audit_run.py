"""The work behind ``certify audit``: judge specs and put the findings together."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Final

from ...accounting.errors import LimitError, PowercertError, UndecidedError
from ..audit import audit
from ..limits import Limits
from ..progress import progress_on_stderr
from ..report.json_report import (
    Json,
    audit_document,
    audits_document,
    rendered,
    undecided_document,
    witness_document,
)
from ..report.names import counted, printable
from ..report.text import Shown, case_words, render_text, verdict_lines
from ..spec import AuditSpec
from ..verdict import AuditReport, Claim, Witness
from .exit_codes import UNDECIDED, exit_code

__all__ = [
    "ClaimOverride",
    "Finding",
    "Loaded",
    "as_json",
    "as_text",
    "cut_witnesses",
    "find",
    "witnesses_as_json",
]

_LINE: Final = "-" * 78


@dataclass(frozen=True)
class ClaimOverride:
    """The parts of a claim given on the command line, which replace those of the spec.

    Args:
        epsilon: Text of a number, or None to keep the spec's; the same for the next two.
        exp_epsilon: e^epsilon.
        delta: Probability.
        adversary: "both" keeps the adversary that the spec's claim names.

    Example:
        >>> given = ClaimOverride("ln(3)", None, None, "nonadaptive")
        >>> given.applied((Claim.of(exp_epsilon=2, delta="1/3"),))
        (Claim(exp_epsilon=Exact('3'), delta=Exact('1/3'), adversary='nonadaptive'),)
    """

    epsilon: str | None
    exp_epsilon: str | None
    delta: str | None
    adversary: Shown

    def check(self) -> None:
        """Refuse a number out of its domain before anything is loaded.

        Raises:
            InputError: A number is out of its domain, or the two forms of epsilon disagree.
        """
        names_epsilon = self.epsilon is not None or self.exp_epsilon is not None
        try:
            Claim.of(
                epsilon=self.epsilon,
                exp_epsilon=self.exp_epsilon if names_epsilon else 1,
                delta=0 if self.delta is None else self.delta,
            )
        except PowercertError as error:
            # The user wrote options, not a claim in a file.
            part = error.where.rpartition(".")[2].replace("_", "-")
            given = {"epsilon": self.epsilon, "exp-epsilon": self.exp_epsilon, "delta": self.delta}
            named = [part] if part in given else [name for name, text in given.items() if text]
            raise type(error)(
                error.what,
                where=" and ".join(f"--{name}" for name in named),
                found=error.found,
                expected=error.expected,
            ) from None

    def applied(self, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """Return the claims to judge, each once.

        Raises:
            InputError: A number is out of its domain, or there is no epsilon at all.
        """
        adversary = None if self.adversary == "both" else self.adversary
        names_epsilon = self.epsilon is not None or self.exp_epsilon is not None
        if not claims:
            if not names_epsilon and self.delta is None:
                return ()
            return (
                Claim.of(
                    epsilon=self.epsilon,
                    exp_epsilon=self.exp_epsilon,
                    delta=0 if self.delta is None else self.delta,
                    adversary=adversary or "adaptive",
                ),
            )
        changed = (
            Claim.of(
                epsilon=self.epsilon,
                exp_epsilon=self.exp_epsilon if names_epsilon else claim.exp_epsilon,
                delta=claim.delta if self.delta is None else self.delta,
                adversary=adversary or claim.adversary,
            )
            for claim in claims
        )
        return tuple(dict.fromkeys(changed))


@dataclass(frozen=True)
class Loaded:
    """A spec, and the id of its case where it is one of a collection."""

    spec: AuditSpec
    case: str | None = None


@dataclass(frozen=True)
class Finding:
    """What came of one spec: a report, or the limit that left nothing to report."""

    name: str
    case: str | None
    report: AuditReport | None
    failure: PowercertError | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of this spec alone."""
        return UNDECIDED if self.report is None else exit_code(self.report.verdict)


def find(
    specs: Iterable[Loaded],
    override: ClaimOverride,
    limits: Limits,
    *,
    progress: bool | None,
    keep_going: bool,
) -> list[Finding]:
    """Audit specs one after the other.

    Args:
        specs: What to audit.
        override: What the command line claims instead.
        limits: Limits of each single audit.
        progress: Whether progress is shown; None means only on a terminal.
        keep_going: Whether a limit that leaves nothing to report ends one spec or all.

    Raises:
        LimitError: Not even bounds could be found, and ``keep_going`` is False.
    """
    findings: list[Finding] = []
    # What a mechanism prints must not end up inside the report.
    with progress_on_stderr(progress) as shown, redirect_stdout(sys.stderr):
        for loaded in specs:
            spec = loaded.spec
            claims = override.applied(spec.claims)
            warnings = tuple(
                f"the claim epsilon = {claim.epsilon}, delta = {claim.delta} is vacuous: "
                "it holds for every mechanism"
                for claim in claims
                if claim not in spec.claims and (claim.exp_epsilon == math.inf or claim.delta == 1)
            )
            judged = replace(
                spec,
                claim=claims or None,
                warnings=(*spec.warnings, *warnings),
                notes=(*spec.notes, *_merged(len(spec.claims), len(claims))),
            )
            try:
                report = audit(judged, limits=limits, progress=shown)
            except (LimitError, UndecidedError) as error:
                if not keep_going:
                    raise
                findings.append(Finding(spec.name, loaded.case, None, error))
            else:
                findings.append(Finding(spec.name, loaded.case, report))
    return findings


def _merged(given: int, judged: int) -> tuple[str, ...]:
    """Say that equal claims are judged once; without a word some would seem to be lost."""
    if judged >= given:
        return ()
    return (f"{counted(given, 'claim')} given, {judged} judged: equal claims are judged once",)


def as_text(findings: Sequence[Finding], *, several: bool, shown: Shown, profile: bool) -> str:
    """Return findings for a person; with several specs a summary comes last."""
    texts = [_text_of(finding, shown, profile) for finding in findings]
    if not several:
        return "".join(texts)
    lines = [line for finding in findings for line in _summary_lines(finding)]
    verdicts = [finding.report.verdict if finding.report else "undecided" for finding in findings]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts))
    summary = [f"Summary of {counted(len(findings), 'case')}: {counts}", *lines]
    return f"\n{_LINE}\n".join([*texts, "\n".join(summary) + "\n"])


def _text_of(finding: Finding, shown: Shown, profile: bool) -> str:
    if finding.report is not None:
        return render_text(finding.report, shown=shown, profile=profile, case=finding.case)
    return "\n".join(_summary_lines(finding)) + "\n"


def _summary_lines(finding: Finding) -> list[str]:
    if finding.report is None:
        name = printable(case_words(finding.name, finding.case))
        return [f"UNDECIDED  {name}: {printable(str(finding.failure))}"]
    return verdict_lines(finding.report, align=True, case=finding.case)


def as_json(findings: Sequence[Finding], *, several: bool, profile: bool) -> str:
    """Return findings for a program: one report, or a list of them."""
    documents = [
        _with_case(
            finding,
            audit_document(finding.report, profile=profile)
            if finding.report is not None
            else undecided_document(finding.name, str(finding.failure)),
        )
        for finding in findings
    ]
    return rendered(audits_document(documents) if several else documents[0])


def _with_case(finding: Finding, document: dict[str, Json]) -> dict[str, Json]:
    """Put the id of the case behind the schema, if there is one: names need not be distinct."""
    if finding.case is None:
        return document
    return {"schema": document["schema"], "case": finding.case, **document}


def witnesses_as_json(findings: Sequence[Finding], *, several: bool) -> str:
    """Return the whole witnesses of every finding."""
    documents: list[Json] = [
        _with_case(finding, witness_document(finding.report))
        for finding in findings
        if finding.report is not None
    ]
    if not several:
        return rendered(documents[0])
    return rendered({"schema": "powercert/witnesses/1", "audits": documents})


def cut_witnesses(findings: Sequence[Finding]) -> list[str]:
    """Say of each witness that could not be written down whole what is in the file instead."""
    lines: list[str] = []
    for finding in findings:
        for result in finding.report.results if finding.report is not None else ():
            for kind, judgement in (
                ("adaptive", result.adaptive),
                ("fixed-stream", result.nonadaptive),
            ):
                witness = judgement.witness
                if witness is not None and witness.truncated:
                    name = printable(case_words(finding.name, finding.case))
                    lines.append(f"the {kind} witness of {name} is cut: {_sizes(witness)}")
    return lines


def _sizes(witness: Witness) -> str:
    """Return how much of an event and of a strategy is listed."""
    parts = [_listed(len(witness.event), witness.event_size, "transcripts of the event")]
    if witness.strategy is not None:
        parts.append(
            _listed(len(witness.strategy), witness.strategy_size, "histories of the strategy")
        )
    return " and ".join(parts)


def _listed(listed: int, size: int | None, what: str) -> str:
    return f"{listed} of {'uncounted many' if size is None else size} {what}"
