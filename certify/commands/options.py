"""Options that several commands have in common, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

__all__ = ["debug_option", "format_option", "limit_options", "progress_option"]

Function = TypeVar("Function", bound=Callable[..., Any])

format_option: Final = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Prose for a person or JSON for a program.",
)
progress_option: Final = click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on stderr; by default only if it is a terminal.",
)
debug_option: Final = click.option("--debug", is_flag=True, help="Print the traceback of an error.")


def limit_options(function: Function) -> Function:
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
