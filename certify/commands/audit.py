"""``certify audit``: judge the claim of a mechanism exactly."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click

from .exit_codes import HOLDS, worst_code

if TYPE_CHECKING:
    from ..limits import Limits
    from ..spec import AuditSpec

__all__ = ["command"]

Adversary = Literal["adaptive", "nonadaptive", "both"]
Format = Literal["text", "json"]
Function = TypeVar("Function", bound=Callable[..., Any])

_WHOLE_WITNESS: Final = 1_000_000
_BYTES_PER_ROW: Final = 2_000


def _limit_options(function: Function) -> Function:
    """Add the options that say where an audit stops being exact."""
    options = (
        click.option("--limit-nodes", type=int, metavar="N", help="Most nodes of the merged game."),
        click.option("--limit-edges", type=int, metavar="N", help="Most edges of one curve."),
        click.option("--limit-laws", type=int, metavar="N", help="Most laws of fixed prefixes."),
        click.option(
            "--limit-transitions",
            type=int,
            metavar="N",
            help="Most (round, state, input) triples of the mechanism.",
        ),
        click.option(
            "--limit-seconds",
            type=float,
            metavar="S",
            help="Wall-clock seconds; what is known then is printed as bounds.",
        ),
        click.option("--limit-rows", type=int, metavar="N", help="Most rows of a spec file."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _claim_options(function: Function) -> Function:
    """Add the options that replace parts of the claim in the spec."""
    options = (
        click.option("--epsilon", metavar="NUMBER", help='Claim this epsilon: "1/10", "ln(3)".'),
        click.option("--exp-epsilon", metavar="NUMBER", help='Claim this e^epsilon: "3".'),
        click.option("--delta", metavar="NUMBER", help='Claim this delta: "1e-6", "1/12".'),
        click.option(
            "--adversary",
            type=click.Choice(["adaptive", "nonadaptive", "both"]),
            default="both",
            show_default=True,
            help="Judge against this kind and show only it; both: as the claim says, show both.",
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
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Prose for a person or JSON for a program.",
)
@click.option(
    "--witness",
    "witness_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the whole witness as JSON to this file.",
)
@_claim_options
@_limit_options
@click.option(
    "--no-profile",
    is_flag=True,
    help="Leave the privacy profile out of the report.",
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on stderr; by default only if it is a terminal.",
)
@click.option("--debug", is_flag=True, help="Print the traceback of an error.")
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
    source = _Source(target, example, limit_rows)
    if list_cases:
        write_output(source.cases_listed(output_format))
        return HOLDS
    from .audit_run import ClaimOverride, as_json, as_text, find, witnesses_as_json

    override = ClaimOverride(epsilon, exp_epsilon, delta, adversary)
    override.check()
    limits = _limits(
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
        specs,
        override,
        limits,
        progress=progress,
        keep_going=all_cases,
    )
    if witness_file is not None:
        write_whole_file(witness_file, witnesses_as_json(findings, several=all_cases))
    if output_format == "json":
        text = as_json(findings, several=all_cases, profile=not no_profile)
    else:
        text = as_text(findings, several=all_cases, shown=adversary, profile=not no_profile)
    write_output(text)
    return worst_code(finding.exit_code for finding in findings)


def _limits(**given: float | None) -> Limits:
    """Return the limits, with defaults where none was given."""
    from dataclasses import replace

    from ..limits import Limits

    wanted: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(Limits(), **wanted)


class _Source:
    """Where specs come from: a target, or an example that comes with the package."""

    def __init__(self, target: str | None, example: str | None, limit_rows: int | None) -> None:
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
                "nothing to audit" if target is None else "both a target and --example are given",
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
