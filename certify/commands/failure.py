"""How a run that ends without a verdict is told to the user, on stderr only."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..report.names import printable
from .exit_codes import BAD_INPUT, UNDECIDED

if TYPE_CHECKING:
    from ...accounting.errors import PowercertError

__all__ = ["Failure"]


@dataclass(frozen=True)
class Failure:
    """One failed run.

    Args:
        kind: "bad-input", "usage", "undecided", "out-of-memory", "interrupted" or "internal".
        message: The whole message for a person.
        exit_code: What the process returns.
        details: The parts of the message (what, where, found, expected), for a program.
        problems: Every single problem where one file has several.
        count: How many problems there are in all.
        warnings: What else the user should hear about the input.
    """

    kind: str
    message: str
    exit_code: int
    details: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    count: int = 1
    warnings: tuple[str, ...] = ()

    @classmethod
    def plain(cls, kind: str, what: str, expected: str, exit_code: int) -> Failure:
        """Make a failure of one sentence and one hint."""
        message = f"{what}; {expected}" if expected else what
        return cls(kind, message, exit_code, (("what", what), ("expected", expected)))

    @classmethod
    def of_error(cls, error: PowercertError, exit_code: int) -> Failure:
        """Take over the parts of one of the library's own errors."""
        kind = "undecided" if exit_code == UNDECIDED else "bad-input"
        parts = (
            ("what", error.what),
            ("where", error.where),
            ("found", error.found),
            ("expected", error.expected),
        )
        problems: tuple[object, ...] = tuple(getattr(error, "problems", ()))
        count = getattr(error, "count", None)
        warnings: tuple[object, ...] = tuple(getattr(error, "warnings", ()))
        return cls(
            kind,
            str(error),
            exit_code,
            parts,
            tuple(str(problem) for problem in problems),
            count if isinstance(count, int) else max(1, len(problems)),
            tuple(str(warning) for warning in warnings),
        )

    @classmethod
    def of_usage(cls, error: click.ClickException) -> Failure:
        """Take over a wrong option or argument."""
        message = error.format_message()
        context = error.ctx if isinstance(error, click.UsageError) else None
        if context is not None:
            message += f"\nSee: {context.command_path} --help"
        return cls("usage", message, BAD_INPUT, (("what", error.format_message()),))

    def show(self, *, as_json: bool) -> None:
        """Write the failure on stderr."""
        if as_json:
            details: dict[str, object] = {key: value for key, value in self.details if value}
            document = {
                "schema": "powercert/error/1",
                "kind": self.kind,
                "exit_code": self.exit_code,
                "message": self.message,
                **details,
                "problems": list(self.problems) or [self.message],
                "count": self.count,
                "warnings": list(self.warnings),
            }
            print(json.dumps(document, indent=2), file=sys.stderr)
            return
        print(f"certify: {printable(self.message, keep_lines=True)}", file=sys.stderr)
        for warning in self.warnings:
            print(f"Warning: {printable(warning)}", file=sys.stderr)
