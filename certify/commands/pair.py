"""``certify pair``: the exact guarantees of two finite laws."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

import click

from .exit_codes import HOLDS
from .options import debug_option, format_option

if TYPE_CHECKING:
    from ...accounting.errors import LimitError
    from ...accounting.numbers import Exact
    from ..spec_problems import Problems
    from ..verdict import Claim

__all__ = ["command"]

# As in the library, which is not imported before the command runs.
DEFAULT_LIMIT_ATOMS: Final = 1_000_000


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
    "--limit-atoms",
    type=int,
    default=DEFAULT_LIMIT_ATOMS,
    show_default=True,
    metavar="N",
    help="Most atoms of the composition.",
)
@format_option
@debug_option
def command(
    p: str,
    q: str,
    epsilon: str | None,
    exp_epsilon: str | None,
    delta: str | None,
    times: int,
    limit_atoms: int,
    output_format: Literal["text", "json"],
    debug: bool,
) -> int:
    """Print the exact guarantees of two finite laws, in both orders.

    P (the null) and Q are lists of probabilities on the same outcomes, "3/4,1/4", or files that
    end in .json or .toml: a list, or a table from outcome to probability (in TOML under the key
    "law"). One of them may be "-" for standard input.

    These are answers to questions, not verdicts: the exit code is 0 unless the input is bad (2)
    or the composition too large to be exact (3).
    """
    from ...accounting.errors import LimitError
    from ..law_files import read_pair
    from ..report.files import write_output
    from ..report.json_report import rendered
    from ..report.pair_report import PairFindings, pair_document, pair_text
    from ..spec_problems import Problems

    problems = Problems("")
    for option, number in (("--times", times), ("--limit-atoms", limit_atoms)):
        if number < 1:
            problems.add(
                "not a positive whole number",
                where=option,
                found=str(number),
                expected="write 1 or more",
            )
    asked_exp_epsilon = _asked_exp_epsilon(epsilon, exp_epsilon, problems)
    asked_delta = None if delta is None else _claim("--delta", delta, problems)
    pair = read_pair(p, q, problems)
    _raise_if_any(problems)
    assert pair is not None
    try:
        found = PairFindings.of(
            pair,
            exp_epsilon=asked_exp_epsilon,
            delta=None if asked_delta is None else asked_delta.delta,
            times=times,
            limit_atoms=limit_atoms,
            warnings=problems.warnings,
        )
    except LimitError as error:
        raise _with_option(error, times) from error
    text = rendered(pair_document(found)) if output_format == "json" else pair_text(found)
    write_output(text)
    return HOLDS


def _raise_if_any(problems: Problems) -> None:
    """Raise all problems: as bad input, or as a limit where nothing but limits is in the way."""
    from ...accounting.errors import LimitError
    from ..spec_problems import SpecError

    try:
        problems.raise_if_any()
    except SpecError as error:
        limits = sum(isinstance(problem, LimitError) for problem in error.problems)
        if limits < error.count:
            raise
        raise LimitError(
            error.what, where=error.where, found=error.found, expected=error.expected
        ) from error


def _asked_exp_epsilon(
    epsilon: str | None, exp_epsilon: str | None, problems: Problems
) -> Exact | float | None:
    """Return the e^epsilon that is asked, in either form; both must agree."""
    options = (("--epsilon", epsilon), ("--exp-epsilon", exp_epsilon))
    given = [(option, text) for option, text in options if text is not None]
    claims = [_claim(option, text, problems) for option, text in given]
    bounds = [claim.exp_epsilon for claim in claims if claim is not None]
    if len(bounds) == 2 and bounds[0] != bounds[1]:
        problems.add(
            "they disagree",
            where="--epsilon and --exp-epsilon",
            found=f"{epsilon} and {exp_epsilon}",
            expected="keep one of the two",
        )
    return bounds[0] if bounds else None


def _claim(option: str, text: str, problems: Problems) -> Claim | None:
    """Read the number of one option; a claim checks its domain."""
    from ...accounting.errors import PowercertError
    from ..verdict import Claim

    try:
        match option:
            case "--epsilon":
                return Claim.of(epsilon=text)
            case "--exp-epsilon":
                return Claim.of(exp_epsilon=text)
            case _:
                return Claim.of(epsilon=0, delta=text)
    except PowercertError as error:
        problems.add_error(
            type(error)(error.what, where=option, found=error.found, expected=error.expected)
        )
        return None


def _with_option(error: LimitError, times: int) -> LimitError:
    """Name the option of this command where the library names its parameter."""
    from ...accounting.errors import LimitError

    needed = re.search(r"limit_atoms *= *(\d+)(?![\d.e])", error.expected)
    raised = f"pass --limit-atoms {needed.group(1)} to allow it, or " if needed else ""
    return LimitError(
        _named(error.what),
        where=f"--times {times}",
        found=_named(error.found),
        expected=f"{raised}lower --times",
    )


def _named(text: str) -> str:
    return re.sub(r"limit_atoms *= *", "--limit-atoms ", text)
