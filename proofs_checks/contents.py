"""Which parts of the papers have records so far: the one list to extend."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from ..accounting.errors import InputError
from .registry import Record, records_of

__all__ = ["PARTS", "Part", "all_records"]


@dataclass(frozen=True)
class Part:
    """One part of a paper whose numbered headings all have records.

    Args:
        paper: The number of the paper.
        prefixes: How the numbers of its headings begin, such as "A."; or whole headings.
        title: What to call it.
        modules: The modules with its records, below this package, in order.
    """

    paper: int
    prefixes: tuple[str, ...]
    title: str
    modules: tuple[str, ...]

    def covers(self, heading: str) -> bool:
        """Return whether a printed heading, such as "Fact A.6", belongs to this part."""
        return heading in self.prefixes or heading.partition(" ")[2].startswith(self.prefixes)

    def records(self) -> tuple[Record, ...]:
        """Return the records of the part, in the order of the text."""
        return tuple(
            record
            for name in self.modules
            for record in records_of(import_module(f".{name}", __package__))
        )


PARTS = (
    Part(
        1,
        ("Checklist 1", "Theorem 4.3"),
        "Section 4.2, certifying primitives",
        ("paper1.certification", "paper1.mini_audits"),
    ),
    Part(
        1,
        ("A.",),
        "Appendix A, detailed preliminaries",
        ("paper1.preliminaries", "paper1.power", "paper1.combining", "paper1.interaction"),
    ),
    Part(1, ("B.",), "Appendix B, hidden outputs", ("paper1.neighbours", "paper1.hidden")),
    Part(
        1,
        ("E.",),
        "Appendix E, independently decomposable mechanisms",
        (
            "paper1.decomposability",
            "paper1.adaptive_safety",
            "paper1.vector_aggregates",
            "paper1.counterexample",
        ),
    ),
)


def all_records(paper: int | None = None) -> tuple[Record, ...]:
    """Return all records, or those of one paper, in the order of the papers.

    Raises:
        InputError: A label comes twice, or the paper has no records.

    Example:
        >>> all_records(1)[0].label
        'Checklist 1'
    """
    found = [record for part in PARTS if paper in (None, part.paper) for record in part.records()]
    if not found:
        papers = ", ".join(str(number) for number in sorted({part.paper for part in PARTS}))
        raise InputError("no claims of this paper", found=str(paper), expected=f"one of {papers}")
    labels = [(record.paper, record.label) for record in found]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError("a label comes twice", found=str(label))
    return tuple(found)
