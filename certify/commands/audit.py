"""``certify audit``: judge the claim of a mechanism exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import click

from .exit_codes import HOLDS, worst_code
from .options import debug_option, format_option, limit_options, progress_option
from .source import SpecSource, chosen_limits

__all__ = ["command"]

Adversary = Literal["adaptive", "nonadaptive", "fixed", "both"]
Function = TypeVar("Function", bound=Callable[..., Any])

_WHOLE_WITNESS: Final = 1_000_000


def _claim_options(function: Function) -> Function:
    """Add the options that replace parts of the claim in the spec."""
    options = (
        click.option("--epsilon", metavar="NUMBER", help='Claim this epsilon: "1/10", "ln(3)".'),
        click.option("--exp-epsilon", metavar="NUMBER", help='Claim this e^epsilon: "3".'),
        click.option("--delta", metavar="NUMBER", help='Claim this delta: "1e-6", "1/12".'),
        click.option(
            "--adversary",
            type=click.Choice(["adaptive", "nonadaptive", "fixed", "both"]),
            default="both",
            show_default=True,
            help="Judge against this kind and show only it (fixed is nonadaptive); both: as the "
            "claim says, show both.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command("audit", short_help="Judge the (epsilon, delta) claim of a mechanism exactly.")
@click.argument("target", required=False)
@click.option("--case", metavar="ID", help="The case to audit in a file that holds several.")
@click.option("--all-cases", is_flag=True, help="Audit every case of the file.")
@click.option("--list-cases", is_flag=True, help="List the cases of the file and stop.")
@click.option("--example", metavar="NAME", help="Audit a spec that comes with powercert.")
@format_option
@click.option(
    "--witness",
    "witness_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Write the whole witness as JSON to this file, up to {_WHOLE_WITNESS} entries.",
)
@_claim_options
@limit_options
@click.option(
    "--no-profile",
    is_flag=True,
    help="Leave the privacy profile out of the report.",
)
@progress_option
@debug_option
def command(
    target: str | None,
    case: str | None,
    all_cases: bool,
    list_cases: bool,
    example: str | None,
    output_format: Literal["text", "json"],
    witness_file: Path | None,
    epsilon: str | None,
    exp_epsilon: str | None,
    delta: str | None,
    adversary: Adversary,
    limit_nodes: int | None,
    limit_edges: int | None,
    limit_laws: int | None,
    limit_transitions: int | None,
    limit_seconds: float | None,
    limit_rows: int | None,
    no_profile: bool,
    progress: bool | None,
    debug: bool,
) -> int:
    """Judge the (epsilon, delta) claim of a mechanism exactly.

    TARGET is a spec file (TOML or JSON), "-" for standard input, or package.module:name, which
    names an AuditSpec or a function without arguments that returns one.

    Exit codes: 0 the claim holds or nothing was claimed, 1 violated, 2 bad input, 3 undecided.
    """
    from ..report.files import check_writable, write_output, write_whole_file

    if witness_file is not None:
        check_writable(witness_file)
    source = SpecSource(target, example, limit_rows)
    if list_cases:
        write_output(source.cases_listed(output_format))
        return HOLDS
    from .audit_run import (
        ClaimOverride,
        Loaded,
        as_json,
        as_text,
        cut_witnesses,
        find,
        witnesses_as_json,
    )

    shown = "nonadaptive" if adversary == "fixed" else adversary
    override = ClaimOverride(epsilon, exp_epsilon, delta, shown)
    override.check()
    limits = chosen_limits(
        nodes=limit_nodes,
        edges=limit_edges,
        laws=limit_laws,
        transitions=limit_transitions,
        seconds=limit_seconds,
        shown=_WHOLE_WITNESS if witness_file is not None else None,
    )
    from ..deadline import interruptible
    from ..limits import Clock

    specs = interruptible(
        lambda: source.specs(case, all_cases=all_cases), Clock(limits), "loading the mechanism"
    )
    findings = find(
        [Loaded(spec, name if all_cases else case) for name, spec in specs],
        override,
        limits,
        progress=progress,
        keep_going=all_cases,
    )
    if witness_file is not None:
        write_whole_file(witness_file, witnesses_as_json(findings, several=all_cases))
        for line in cut_witnesses(findings):
            click.echo(f"certify: {witness_file}: {line}", err=True)
    if output_format == "json":
        text = as_json(findings, several=all_cases, profile=not no_profile)
    else:
        text = as_text(findings, several=all_cases, shown=shown, profile=not no_profile)
    write_output(text)
    return worst_code(finding.exit_code for finding in findings)
