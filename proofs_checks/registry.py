"""The registry of claims: what a numbered statement says, and what checking it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Literal, get_args

from ..accounting.errors import InputError

__all__ = ["Finding", "Record", "Status", "claim", "judged", "records_of", "refuted", "run_all"]

Status = Literal["PROVED", "VERIFIED", "SUPPORTED", "REFUTED", "GAP", "OUT_OF_SCOPE"]
"""PROVED: symbolic, all parameters. VERIFIED: exhaustive on the stated scope. SUPPORTED: sampled,
with a confidence. REFUTED: false, with the smallest witness. GAP: a step does not follow, with the
case. OUT_OF_SCOPE: cited from elsewhere or purely asymptotic, saying why."""

Witness = Mapping[str, str]

_NEEDS_WITNESS = ("REFUTED", "GAP")


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Args:
        status: One of the six words of ``Status``.
        method: How it was decided.
        scope: What was covered, with the number of cases; for OUT_OF_SCOPE the reason.
        witness: The case that refutes, or one that shows what is meant; names to exact texts.

    Raises:
        InputError: The status is unknown, method or scope is empty, or a refutation has no witness.

    Example:
        >>> Finding("REFUTED", "direct evaluation", "one case", {"T": "11"}).status
        'REFUTED'
    """

    status: Status
    method: str
    scope: str
    witness: Witness = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        """Refuse a finding that does not say what its status promises."""
        if self.status not in get_args(Status):
            raise InputError("unknown status", found=repr(self.status))
        if not self.method or not self.scope:
            raise InputError("a finding says how it was found and what it covers")
        if self.status in _NEEDS_WITNESS and not self.witness:
            raise InputError(f"a finding {self.status} has a witness")


def refuted(method: str, scope: str, witness: Witness) -> Finding:
    """Return the finding that a case contradicts the statement."""
    return Finding("REFUTED", method, scope, witness)


def judged(
    counterexample: Witness | None,
    method: str,
    scope: str,
    *,
    status: Status = "VERIFIED",
    shown: Witness | None = None,
) -> Finding:
    """Return REFUTED with the counterexample, or ``status`` if the search found none.

    Args:
        counterexample: The first case found that contradicts the statement, or None.
        method: How the cases were decided.
        scope: What was searched.
        status: The status where nothing contradicts.
        shown: A case worth showing where nothing contradicts.

    Example:
        >>> judged(None, "all cases", "n up to 3").status
        'VERIFIED'
        >>> judged({"n": "2"}, "all cases", "n up to 3").witness
        {'n': '2'}
    """
    if counterexample is not None:
        return refuted(method, scope, counterexample)
    return Finding(status, method, scope, shown or {})


@dataclass(frozen=True)
class Record:
    """One statement of a paper with its check.

    Args:
        paper: The number of the paper.
        label: The printed heading, such as "Fact A.6", with an optional part in parentheses.
        statement: What is claimed, in one or two sentences.
        check: Returns the finding; its keyword arguments are the constants of the statement.
        sabotage: Constants to change so that the statement becomes false.
        module: Name of the module of the check.
        name: Name of the check in that module.
    """

    paper: int
    label: str
    statement: str
    check: Callable[..., Finding]
    sabotage: Mapping[str, object]
    module: str
    name: str

    @property
    def heading(self) -> str:
        """The printed heading, without the part."""
        return self.label.split(" (", 1)[0]

    def run(self) -> Finding:
        """Check the statement as it is."""
        return self.check()

    def run_sabotaged(self) -> Finding:
        """Check the statement with its constant changed; a check that works refutes it."""
        if not self.sabotage:
            raise InputError(
                "this claim has no sabotaged twin", where=f"{self.paper}: {self.label}"
            )
        return self.check(**self.sabotage)


_LABEL = re.compile(r"[A-Z][a-z]+ [A-Z0-9]+(\.[0-9]+)*( \(.+\))?")


def claim(
    paper: int,
    label: str,
    *,
    statement: str,
    sabotage: Mapping[str, object] | None = None,
) -> Callable[[Callable[..., Finding]], Record]:
    """Turn a check into the record of a numbered statement.

    Args:
        paper: The number of the paper.
        label: The heading as printed, such as "Fact A.6" or "Fact A.6 (example)".
        statement: What is claimed.
        sabotage: One keyword argument of the check, changed so that the check must refute. Every
            check that can come out PROVED or VERIFIED needs it.

    Raises:
        InputError: The label is not a heading, or the statement is empty.

    Example:
        >>> @claim(1, "Fact Z.1", statement="1 + 1 = 2.", sabotage={"total": 3})
        ... def fact_z1(*, total: int = 2) -> Finding:
        ...     return judged(None if 1 + 1 == total else {"1 + 1": "2"}, "addition", "one case")
        >>> fact_z1.run().status, fact_z1.run_sabotaged().status
        ('VERIFIED', 'REFUTED')
    """
    if not _LABEL.fullmatch(label):
        raise InputError("not a heading", found=repr(label), expected='write "Fact A.6"')
    if not statement:
        raise InputError("a claim has a statement", where=label)

    def record(check: Callable[..., Finding]) -> Record:
        return Record(
            paper=paper,
            label=label,
            statement=statement,
            check=check,
            sabotage=dict(sabotage or {}),
            module=check.__module__,
            name=check.__name__,
        )

    return record


def records_of(module: ModuleType) -> tuple[Record, ...]:
    """Return the records a module defines, in the order of its text."""
    return tuple(
        value
        for value in vars(module).values()
        if isinstance(value, Record) and value.module == module.__name__
    )


def run_all(records: Iterable[Record]) -> tuple[tuple[Record, Finding], ...]:
    """Run checks in the given order; ``run_all(all_records())`` runs them all."""
    return tuple((record, record.run()) for record in records)
