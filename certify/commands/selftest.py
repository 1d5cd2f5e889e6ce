"""``certify selftest``: check an installation against truths known from elsewhere."""

from __future__ import annotations

from typing import Literal

import click

from .exit_codes import HOLDS, VIOLATED
from .options import debug_option, format_option

__all__ = ["command"]


@click.command("selftest", short_help="Check this installation against known truths.")
@format_option
@debug_option
def command(output_format: Literal["text", "json"], debug: bool) -> int:
    """Check this installation against known truths, in a few seconds.

    Exit codes: 0 every check passed, 1 one failed.
    """
    from ..report.files import write_output
    from ..report.json_report import Json, rendered
    from ..self_checks import run_checks

    outcomes = run_checks()
    passed = all(outcome.passed for outcome in outcomes)
    if output_format == "json":
        checks: list[Json] = [
            {"check": outcome.title, "passed": outcome.passed, "found": outcome.found}
            for outcome in outcomes
        ]
        write_output(
            rendered({"schema": "powercert/selftest/1", "passed": passed, "checks": checks})
        )
    else:
        lines = [
            f"{'ok    ' if outcome.passed else 'FAILED'}  {outcome.title}"
            + ("" if outcome.passed else f": found {outcome.found}")
            for outcome in outcomes
        ]
        good = sum(outcome.passed for outcome in outcomes)
        lines.append(f"{good} of {len(outcomes)} checks passed")
        write_output("\n".join(lines) + "\n")
    return HOLDS if passed else VIOLATED
