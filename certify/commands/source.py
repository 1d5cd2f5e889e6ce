"""What commands share that read specs: where specs come from, and within which limits."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from ..limits import Limits
    from ..spec import AuditSpec

__all__ = ["SpecSource", "chosen_limits"]

Format = Literal["text", "json"]

_BYTES_PER_ROW: Final = 2_000


def chosen_limits(**given: float | None) -> Limits:
    """Return the limits, with defaults where none was given."""
    from dataclasses import replace

    from ..limits import Limits

    wanted: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(Limits(), **wanted)


class SpecSource:
    """Where specs come from: a target, or an example that comes with the package.

    Args:
        target: A file, "-" or ``package.module:name``; this or ``example``.
        example: The name of a spec that comes with the package.
        limit_rows: Most rows of a spec file.

    Raises:
        InputError: Neither or both are given, or the limit is below 1.
    """

    def __init__(self, target: str | None, example: str | None, limit_rows: int | None) -> None:
        """Read standard input if that is the source."""
        from ...accounting.errors import InputError
        from ..spec_reader import DEFAULT_LIMIT_ROWS

        if limit_rows is not None and limit_rows < 1:
            raise InputError(
                "a limit is a positive whole number",
                where="--limit-rows",
                found=str(limit_rows),
                expected="write 1 or more",
            )
        if (target is None) == (example is None):
            raise InputError(
                "no spec is named" if target is None else "both a target and --example are given",
                expected="name one: a spec file, -, package.module:name, or --example NAME",
            )
        self._limit_rows = DEFAULT_LIMIT_ROWS if limit_rows is None else limit_rows
        self._target: str | Path = target if target is not None else _example(example)
        # Several cases read the same standard input, which can be read only once.
        bound = 1_000_000 + _BYTES_PER_ROW * self._limit_rows
        self._standard_input = sys.stdin.buffer.read(bound + 1) if target == "-" else b""

    def cases(self) -> tuple[str, ...]:
        """Return the ids of the cases, empty if the source is one spec."""
        from ..spec import case_ids

        return case_ids(
            self._target, limit_rows=self._limit_rows, stdin=io.BytesIO(self._standard_input)
        )

    def cases_listed(self, output_format: Format) -> str:
        """Return the list of the cases as it is printed."""
        from ..report.json_report import rendered

        ids = self.cases()
        if output_format == "json":
            return rendered({"schema": "powercert/cases/1", "cases": list(ids)})
        return "".join(f"{name}\n" for name in ids) or "one spec, without cases\n"

    def specs(self, case: str | None, *, all_cases: bool) -> list[tuple[str, AuditSpec]]:
        """Load what is to be audited, all of it before the first audit starts."""
        from ...accounting.errors import InputError

        if not all_cases:
            spec = self._load(case)
            return [(spec.name, spec)]
        if case is not None:
            raise InputError("both --case and --all-cases are given", expected="keep one of them")
        ids = self.cases()
        if not ids:
            spec = self._load(None)
            return [(spec.name, spec)]
        return [(name, self._load(name)) for name in ids]

    def _load(self, case: str | None) -> AuditSpec:
        from ..spec import load_spec

        return load_spec(
            self._target,
            case=case,
            limit_rows=self._limit_rows,
            stdin=io.BytesIO(self._standard_input),
        )


def _example(name: str | None) -> Path:
    from ..examples import example_path

    assert name is not None
    return example_path(name)
