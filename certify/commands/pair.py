"""``certify pair``: the exact guarantees of two finite laws."""

from __future__ import annotations

from typing import Literal

import click

from .exit_codes import HOLDS

__all__ = ["command"]


@click.command("pair", short_help="Exact guarantees of two finite laws, in both orders.")
@click.argument("p", metavar="P")
@click.argument("q", metavar="Q")
@click.option("--epsilon", metavar="NUMBER", help='Ask delta at this epsilon: "1/10", "ln(3)".')
@click.option("--exp-epsilon", metavar="NUMBER", help='Ask delta at this e^epsilon: "3".')
@click.option("--delta", metavar="NUMBER", help='Ask epsilon at this delta: "1e-6", "1/12".')
@click.option(
    "--times",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Compose N independent copies first.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Prose for a person or JSON for a program.",
)
@click.option("--debug", is_flag=True, help="Print the traceback of an error.")
def command(
    p: str,
    q: str,
    epsilon: str | None,
    exp_epsilon: str | None,
    delta: str | None,
    times: int,
    output_format: Literal["text", "json"],
    debug: bool,
) -> int:
    """Print the exact guarantees of two finite laws, in both orders.

    P (the null) and Q are lists of probabilities on the same outcomes, "3/4,1/4", or files that
    end in .json or .toml: a list, or a table from outcome to probability (in TOML under the key
    "law").

    These are answers to questions, not verdicts: the exit code is 0 unless the input is bad (2)
    or the composition too large to be exact (3).
    """
    from ...accounting.errors import InputError
    from ...accounting.pair import Pair
    from ..law_files import read_law
    from ..report.files import write_output
    from ..report.json_report import rendered
    from ..report.pair_report import PairFindings, pair_document, pair_text
    from ..verdict import Claim

    if times < 1:
        raise InputError(
            "a number of copies is 1 or more",
            where="--times",
            found=str(times),
            expected="write 1 or more",
        )
    # A claim checks the domains of both numbers; epsilon = 0 stands in where none is asked.
    asks_epsilon = epsilon is not None or exp_epsilon is not None
    asked = Claim.of(
        epsilon=epsilon if asks_epsilon else 0,
        exp_epsilon=exp_epsilon,
        delta=0 if delta is None else delta,
    )
    found = PairFindings.of(
        Pair.from_laws(read_law(p, "P"), read_law(q, "Q")),
        exp_epsilon=asked.exp_epsilon if asks_epsilon else None,
        delta=None if delta is None else asked.delta,
        times=times,
    )
    text = rendered(pair_document(found)) if output_format == "json" else pair_text(found)
    write_output(text)
    return HOLDS
