"""A witness in words: the streams or the strategy, the event, and its excess."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from ...accounting.errors import LimitError
from ...accounting.numbers import Enclosure, Exact
from ..history import join_history, view_text
from ..verdict import Claim, Witness
from .names import shown_name
from .wording import interval_words, number_words

__all__ = ["excess_formula", "strategy_lines", "witness_lines"]

History = tuple[Hashable, ...]

_SHOWN_MOVES: Final = 16
_SHOWN_EVENT: Final = 8
_LONGEST_TEXT: Final = 400
_LINE: Final = 100
_BITS: Final = 512


def witness_lines(witness: Witness, claim: Claim | None, *, is_worst: bool) -> list[str]:
    """Describe one witness.

    Args:
        witness: What was replayed.
        claim: The claim it is measured against, if any.
        is_worst: False where a limit was reached, so that a worse witness may exist.
    """
    lines = [
        "Witness, replayed exactly:"
        if is_worst
        else "Best witness found, replayed exactly (a limit was reached; a worse one may exist):"
    ]
    if witness.strategy is not None:
        lines.append("  strategy, as pairs (input of world 0 | input of world 1):")
        lines += ["    " + line for line in strategy_lines(witness)]
    if witness.pair is not None:
        lines.append("  the two input streams:")
        for world, stream in enumerate(witness.pair):
            lines.append(f"    world {world}: {_cut(', '.join(map(shown_name, stream)))}")
    lines += _event_lines(witness)
    lines.append(f"  P0(S) = {number_words(witness.p0)}, P1(S) = {number_words(witness.p1)}")
    if claim is not None and isinstance(claim.exp_epsilon, Exact):
        lines.append(f"  {_excess(witness, claim, claim.exp_epsilon)}")
    return lines


def excess_formula(witness: Witness) -> str:
    """Return the formula of the excess in the witness's own order.

    Example:
        >>> from ...accounting.numbers import exact
        >>> excess_formula(Witness("0-1", exact(1), exact(0), (("a",),), 1))
        'P0 - e^eps*P1'
    """
    return "P0 - e^eps*P1" if witness.order == "0-1" else "P1 - e^eps*P0"


def _excess(witness: Witness, claim: Claim, exp_epsilon: Exact) -> str:
    excess = _excess_bounds(witness, exp_epsilon)
    if excess.lower > claim.delta:
        comparison = f"above the claimed delta {claim.delta}"
    elif excess.upper < claim.delta:
        comparison = f"below the claimed delta {claim.delta}"
    elif excess.is_exact:
        comparison = "equal to the claimed delta"
    else:
        comparison = f"not told apart from the claimed delta {claim.delta}"
    sign = "=" if excess.is_exact else "is"
    return f"excess {excess_formula(witness)} {sign} {interval_words(excess)}, {comparison}"


def _excess_bounds(witness: Witness, exp_epsilon: Exact) -> Enclosure:
    """Return the excess, exact unless its exponents do not fit into one field of low degree."""
    try:
        return witness.excess(exp_epsilon)
    except LimitError:
        first, second = witness.p0, witness.p1
        if witness.order == "1-0":
            first, second = second, first
        first_low, first_high = _ends(first)
        second_low, second_high = _ends(second)
        factor_low, factor_high = _ends(exp_epsilon)
        return Enclosure(
            first_low - factor_high * second_high, first_high - factor_low * second_low
        )


def _ends(number: Exact) -> tuple[Exact, Exact]:
    """Return rational ends around a number of 0 or more, close enough for any claim."""
    bounds = number.enclosure(_BITS)
    assert isinstance(bounds.lower, Exact)
    assert isinstance(bounds.upper, Exact)
    return bounds.lower, bounds.upper


def _event_lines(witness: Witness) -> list[str]:
    """Return the size of the event and its first transcripts, views joined with ``|``."""
    size = "very many" if witness.event_size is None else str(witness.event_size)
    noun = "transcript" if witness.event_size == 1 else "transcripts"
    shown = [_cut(join_history(transcript)) for transcript in witness.event[:_SHOWN_EVENT]]
    more = _hidden(witness.event_size, len(shown))
    if more:
        shown.append(f"and {more} more (--witness FILE writes them)")
    heading = f"  event S of {size} {noun}:"
    line = f"{heading} {', '.join(shown)}"
    return [line] if len(line) <= _LINE else [heading, *(f"    {text}" for text in shown)]


def _hidden(size: int | None, shown: int) -> str:
    """Return how many entries are not shown, "" if none, "many" if nobody counted them."""
    if size is None:
        return "many"
    return str(size - shown) if size > shown else ""


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[: _LONGEST_TEXT - 40]}... ({len(text)} characters; --witness FILE has all)"


def strategy_lines(witness: Witness) -> list[str]:
    r"""Return an adaptive strategy as a small tree, one line for each history.

    Example:
        >>> from ...accounting.numbers import exact
        >>> moves = (((), ("0", "1")), (("a",), ("0", "0")), (("b",), ("1", "1")))
        >>> witness = Witness("0-1", exact(1), exact(0), (("a", "b"),), 1, moves, 3)
        >>> print(*strategy_lines(witness), sep="\n")
        start with (0 | 1)
          after a: feed (0 | 0)
          after b: feed (1 | 1)
    """
    assert witness.strategy is not None
    moves = dict(witness.strategy[:_SHOWN_MOVES])
    lines: list[str] = []
    # The moves come breadth first; a tree is read depth first.
    waiting: list[History] = [
        history for history in moves if history[:-1] not in moves or not history
    ]
    waiting.reverse()
    children: dict[History, list[History]] = {}
    for history in moves:
        if history and history[:-1] in moves:
            children.setdefault(history[:-1], []).append(history)
    while waiting:
        history = waiting.pop()
        first, second = moves[history]
        fed = f"({shown_name(first)} | {shown_name(second)})"
        if history:
            lines.append(f"{'  ' * len(history)}after {view_text(history[-1])}: feed {fed}")
        else:
            lines.append(f"start with {fed}")
        waiting += reversed(children.get(history, []))
    more = _hidden(witness.strategy_size, len(moves))
    if more:
        lines.append(f"... and {more} more histories (--witness FILE writes them)")
    return lines
