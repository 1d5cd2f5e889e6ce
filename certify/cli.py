"""The command ``certify``: it parses, delegates to one command, and turns errors into exit codes.

Nothing heavy is imported here: each command is loaded when it is named, and loads the library when
it runs, so that ``certify --help`` answers at once.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise

import click

from .commands.exit_codes import BAD_INPUT, BROKEN, HOLDS, INTERRUPTED, UNDECIDED
from .commands.failure import Failure

__all__ = ["cli", "main"]

_COMMANDS = ("audit", "checklist", "pair", "selftest")


class _CommandsOnDemand(click.Group):
    """A group that imports a command's module only when that command is looked at."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f".commands.{cmd_name}", __package__)
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0].lower(), _COMMANDS, n=1)
            if not close or f"'{close[0]}'" in error.format_message():
                raise
            hint = f"{error.message} Did you mean '{close[0]}'?"
            raise click.UsageError(hint, error.ctx) from error


def _print_version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"certify, powercert {version('powercert')}")
    except PackageNotFoundError:
        click.echo("certify, powercert (run from a source tree that is not installed)")
    ctx.exit()


@click.group(
    cls=_CommandsOnDemand,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 holds or nothing was claimed, 1 violated, 2 bad input, 3 undecided "
    "(a limit was reached), 70 the tool failed, 130 interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version and stop.",
)
def cli() -> None:
    """Audit differentially private mechanisms exactly.

    Every verdict is decided in exact arithmetic; no tolerance is used anywhere.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: The words after ``certify``; those of the process by default.

    Returns:
        0 holds or nothing was claimed, 1 violated, 2 bad input, 3 undecided, 70 the tool itself
        failed (never a verdict), 130 interrupted.

    Example:
        >>> main(["pair", "1/2,1/2", "1/2"])
        2
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except BaseException as error:
        if isinstance(error.__context__, BrokenPipeError) and isinstance(error, SystemExit):
            # Click exits when the reader of its help has gone away; nothing was judged.
            return HOLDS
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            click.echo(error.format_message(), err=True)
            return BAD_INPUT
        if "--debug" in words:
            traceback.print_exception(error)
        failure = _failure_of(error)
    failure.show(as_json=_wants_json(words))
    return failure.exit_code


def _failure_of(error: BaseException) -> Failure:
    """Return what a run that ended without a verdict says, and its exit code."""
    from ..accounting.errors import LimitError, PowercertError, UndecidedError

    match error:
        case click.Abort() | KeyboardInterrupt():
            return Failure.plain("interrupted", "interrupted; nothing was judged", "", INTERRUPTED)
        case click.ClickException():
            return Failure.of_usage(error)
        case LimitError() | UndecidedError():
            return Failure.of_error(error, UNDECIDED)
        case PowercertError():
            return Failure.of_error(error, BAD_INPUT)
        case MemoryError():
            return Failure.plain(
                "out-of-memory",
                "the memory of this machine is used up",
                "lower --limit-nodes or --limit-edges, which gives bounds instead",
                UNDECIDED,
            )
        case SystemExit():
            # A user's own module may exit; its code must never pass for a verdict.
            return Failure.plain(
                "bad-input", f"the audited program called exit({error.code!r})", "", BAD_INPUT
            )
        case OSError():
            return Failure.plain("system", f"the system refused: {error}", "", BROKEN)
        case _:
            return Failure.plain(
                "internal",
                f"internal error: {type(error).__name__}: {error}",
                "this is a fault of powercert; --debug prints the traceback to report",
                BROKEN,
            )


def _run(words: list[str]) -> int:
    """Run one command in click's own way, except that no exception is turned into an exit."""
    try:
        with cli.make_context("certify", words) as context:
            outcome: object = cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return outcome if isinstance(outcome, int) else HOLDS


def _wants_json(words: Sequence[str]) -> bool:
    """Whether the raw words ask for JSON; a usage error happens before they are parsed."""
    return "--format=json" in words or any(pair == ("--format", "json") for pair in pairwise(words))
