"""``certify checklist``: does a proof for fixed streams survive feedback?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from .exit_codes import HOLDS, UNDECIDED, VIOLATED, worst_code
from .options import debug_option, format_option, limit_options, progress_option
from .source import SpecSource, chosen_limits

if TYPE_CHECKING:
    from ...accounting.errors import PowercertError
    from ..checklist import Checklist

__all__ = ["command"]


@click.command(
    "checklist", short_help="Decide Checklist 1: does a proof for fixed streams survive feedback?"
)
@click.argument("target", required=False)
@click.option("--case", metavar="ID", help="The case to check in a file that holds several.")
@click.option("--all-cases", is_flag=True, help="Check every case of the file.")
@click.option("--example", metavar="NAME", help="Check a spec that comes with powercert.")
@click.option(
    "--aggregate",
    "aggregates",
    multiple=True,
    metavar="NAME",
    help='Try this addition for Definition E.3: "Z", "Z_5", "Z^2", "xor"; may be repeated.',
)
@format_option
@limit_options
@progress_option
@debug_option
def command(
    target: str | None,
    case: str | None,
    all_cases: bool,
    example: str | None,
    aggregates: tuple[str, ...],
    output_format: Literal["text", "json"],
    limit_nodes: int | None,
    limit_edges: int | None,
    limit_laws: int | None,
    limit_transitions: int | None,
    limit_seconds: float | None,
    limit_rows: int | None,
    progress: bool | None,
    debug: bool,
) -> int:
    """Decide Checklist 1: does a proof for fixed streams survive feedback?

    TARGET is a spec file (TOML or JSON), "-" for standard input, or package.module:name. Claims are
    not looked at. Each of the five conditions is decided from the exact laws, with a witness.

    Exit codes: 0 certified, 1 a condition fails, 2 bad input, 3 not decided, or the theorem does
    not apply (the relation lets streams differ in two rounds).
    """
    import sys
    from contextlib import redirect_stdout

    from ...accounting.errors import LimitError
    from ..checklist import checklist, named_aggregate
    from ..deadline import interruptible
    from ..limits import Clock
    from ..progress import progress_on_stderr
    from ..report.files import write_output

    source = SpecSource(target, example, limit_rows)
    tried = [named_aggregate(name) for name in aggregates] or None
    limits = chosen_limits(
        nodes=limit_nodes,
        edges=limit_edges,
        laws=limit_laws,
        transitions=limit_transitions,
        seconds=limit_seconds,
    )
    specs = interruptible(
        lambda: source.specs(case, all_cases=all_cases), Clock(limits), "loading the mechanism"
    )
    found: list[tuple[str, Checklist | PowercertError]] = []
    # What a mechanism prints must not end up inside the report.
    with progress_on_stderr(progress) as shown, redirect_stdout(sys.stderr):
        for name, spec in specs:
            try:
                decided = checklist(spec, limits=limits, progress=shown, aggregates=tried)
                found.append((name, decided))
            except LimitError as error:
                if not all_cases:
                    raise
                found.append((name, error))
    write_output(_text(found) if output_format == "text" else _json(found, several=all_cases))
    return worst_code(_exit_code(each) for _, each in found)


def _exit_code(found: Checklist | PowercertError) -> int:
    from ..checklist import Checklist

    if not isinstance(found, Checklist):
        return UNDECIDED
    if found.failing:
        return VIOLATED
    return HOLDS if found.certified else UNDECIDED


def _text(found: list[tuple[str, Checklist | PowercertError]]) -> str:
    from ..checklist import Checklist
    from ..report.checklist_report import render_checklist
    from ..report.names import printable

    return "\n".join(
        render_checklist(each)
        if isinstance(each, Checklist)
        else f"UNDECIDED  {printable(name)}: {printable(str(each))}\n"
        for name, each in found
    )


def _json(found: list[tuple[str, Checklist | PowercertError]], *, several: bool) -> str:
    from ..checklist import Checklist
    from ..report.checklist_report import checklist_document
    from ..report.json_report import rendered, undecided_document

    documents = [
        {**checklist_document(each), **({"case": name} if several else {})}
        if isinstance(each, Checklist)
        else undecided_document(name, str(each))
        for name, each in found
    ]
    if not several:
        return rendered(documents[0])
    return rendered({"schema": "powercert/checklists/1", "checklists": documents})
