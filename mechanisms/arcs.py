"""What the rules of named relations share: arcs of equal inputs, and inputs that must be known."""

from __future__ import annotations

from collections.abc import Iterable

from ..accounting.errors import InputError
from .relation import Arc, RelationState, Symbol
from .values import canonical, describe, nearest

__all__ = ["always", "equal_pairs", "require_input"]


def always(state: RelationState) -> bool:
    """Return True: streams may end in every state.

    Example:
        >>> always("any")
        True
    """
    return True


def equal_pairs(inputs: Iterable[Symbol], after: RelationState) -> list[Arc]:
    """Return the arcs of a round in which both worlds get the same input.

    Example:
        >>> equal_pairs("01", "same")
        [('0', '0', 'same'), ('1', '1', 'same')]
    """
    return [(symbol, symbol, after) for symbol in inputs]


def require_input(
    symbol: Symbol, inputs: tuple[Symbol, ...], where: str, what: str = "inputs"
) -> None:
    """Check that a parameter of a relation names an input, of the type the alphabet has.

    Raises:
        InputError: It does not.

    Example:
        >>> require_input("-", ("0", "1"), "bottom")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: bottom: unknown input: it is not in inputs; \
found '-' (str)
    """
    if symbol not in inputs:
        raise InputError(
            f"unknown input: it is not in {what}",
            where=where,
            found=describe(symbol),
            expected=nearest(symbol, inputs),
        )
    canonical({known: known for known in inputs}, symbol, "input", where)
