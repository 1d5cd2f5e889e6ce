"""A witness in words: the streams or the strategy, the event, and its excess."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from ...accounting.numbers import Exact
from ..history import join_history, view_text
from ..verdict import Claim, Witness
from .names import counted, shown_name
from .wording import number_words

__all__ = ["excess_formula", "strategy_lines", "witness_lines"]

History = tuple[Hashable, ...]

_SHOWN_MOVES: Final = 16
_SHOWN_EVENT: Final = 8
_LONGEST_TEXT: Final = 400


def witness_lines(witness: Witness, claim: Claim | None, *, is_exact: bool) -> list[str]:
    """Describe one witness.

    Args:
        witness: What was replayed.
        claim: The claim it is measured against, if any.
        is_exact: False where a limit was reached, so that a worse witness may exist.
    """
    lines = [
        "Witness, replayed exactly:"
        if is_exact
        else "Best witness found, replayed exactly (a limit was reached; a worse one may exist):"
    ]
    if witness.strategy is not None:
        lines.append("  strategy, as pairs (input of world 0 | input of world 1):")
        lines += ["    " + line for line in strategy_lines(witness)]
    if witness.pair is not None:
        lines.append("  the two input streams:")
        for world, stream in enumerate(witness.pair):
            lines.append(f"    world {world}: {_cut(', '.join(map(shown_name, stream)))}")
    lines.append(f"  event S of {counted(witness.event_size, 'transcript')}: {_event(witness)}")
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
    excess = witness.excess(exp_epsilon)
    if excess > claim.delta:
        comparison = f"above the claimed delta {claim.delta}"
    elif excess == claim.delta:
        comparison = "equal to the claimed delta"
    else:
        comparison = f"below the claimed delta {claim.delta}"
    return f"excess {excess_formula(witness)} = {number_words(excess)}, {comparison}"


def _event(witness: Witness) -> str:
    """Return the first transcripts of the event, views joined with ``|``."""
    shown: list[str] = []
    length = 0
    for transcript in witness.event[:_SHOWN_EVENT]:
        text = join_history(transcript)
        length += len(text)
        if shown and length > _LONGEST_TEXT:
            break
        shown.append(_cut(text))
    text = ", ".join(shown)
    hidden = witness.event_size - len(shown)
    return f"{text}, and {hidden} more (--witness FILE writes them)" if hidden > 0 else text


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
          after a feed (0 | 0)
          after b feed (1 | 1)
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
            lines.append(f"{'  ' * len(history)}after {view_text(history[-1])} feed {fed}")
        else:
            lines.append(f"start with {fed}")
        waiting += reversed(children.get(history, []))
    hidden = witness.strategy_size - len(moves)
    if hidden > 0:
        lines.append(
            f"... and {counted(hidden, 'more history', 'more histories')} (--witness FILE writes them)"
        )
    return lines
