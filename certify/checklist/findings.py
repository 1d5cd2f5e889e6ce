"""What was found about Checklist 1: one finding for each condition, and the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ...accounting.certificate import Certificate

__all__ = ["CONDITIONS", "Checklist", "Condition", "Fact", "Outcome", "Status"]

Status = Literal["pass", "fail", "not_applicable", "undecided"]
Outcome = Literal["certified", "not-certified", "does-not-apply", "undecided"]
Fact = str | int | bool | None | Sequence["Fact"] | Mapping[str, "Fact"]

CONDITIONS: Final[Mapping[str, str]] = {
    "prefix_dependence": "a core release depends on past inputs only",
    "fresh_randomness": "every round draws afresh",
    "deterministic_release": "given the draws, the release is a function of the inputs",
    "stable_cost": "common inputs do not change what one changed input costs",
    "post_processing": "the views are a function of the core releases",
}


@dataclass(frozen=True)
class Condition:
    """One condition of Checklist 1.

    Args:
        name: One of ``CONDITIONS``.
        status: "pass", "fail", "not_applicable" or "undecided".
        reason: Why, in one sentence.
        witness: What shows a failure; exact numbers are text, streams are joined by "|".
        details: Further facts, such as which form of condition 4 holds.
    """

    name: str
    status: Status
    reason: str
    witness: Mapping[str, Fact] = field(default_factory=dict[str, "Fact"])
    details: Mapping[str, Fact] = field(default_factory=dict[str, "Fact"])


@dataclass(frozen=True, repr=False)
class Checklist:
    """Checklist 1, decided for a mechanism up to a horizon.

    Args:
        name: The mechanism's name.
        relation: The neighbouring relation's name.
        horizon: Number of rounds.
        conditions: The five findings, in order.
        certificate: Issued where all five pass and the theorem applies, else None.
        applies: Whether the theorem is about this relation: at most one round differs.
        core_declared: Whether the mechanism declares core releases of its own. What is certified is
            then about these; a proof about the views alone need not survive feedback.
        warnings: What the user should hear of the spec.
        notes: Remarks that change nothing.
    """

    name: str
    relation: str
    horizon: int
    conditions: tuple[Condition, ...]
    certificate: Certificate | None
    applies: bool
    core_declared: bool = False
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Outcome:
        """The conclusion in a word."""
        if self.certified:
            return "certified"
        if self.failing:
            return "not-certified"
        return "undecided" if self.applies else "does-not-apply"

    @property
    def certified(self) -> bool:
        """Whether a proof for fixed streams survives feedback, by Theorem 4.3 / E.4."""
        return self.certificate is not None

    @property
    def failing(self) -> tuple[Condition, ...]:
        """The conditions that fail."""
        return tuple(each for each in self.conditions if each.status == "fail")

    def condition(self, name: str) -> Condition:
        """Return the finding for one condition.

        Raises:
            KeyError: There is no condition of that name.
        """
        for each in self.conditions:
            if each.name == name:
                return each
        raise KeyError(name)

    def __repr__(self) -> str:
        """Name the subject and the conclusion; ``str`` is the whole text."""
        return f"Checklist({self.name!r}, {self.verdict!r})"

    def __str__(self) -> str:
        """Return the text that ``certify checklist`` prints, without its last line feed."""
        from ..report.checklist_report import render_checklist

        return render_checklist(self).rstrip("\n")
