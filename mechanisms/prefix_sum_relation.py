"""The relation of integer streams whose prefix sums stay close, always on the same side."""

from __future__ import annotations

from typing import cast

from ..accounting.errors import InputError
from .arcs import always
from .relation import Arc, Relation, RelationFamily, RelationState, RuleRelation, Symbol
from .values import describe

__all__ = ["prefix_sum"]


def prefix_sum() -> RelationFamily:
    """Return the prefix-sum relation: one stream's prefix sums equal the other's or trail by 1.

    The same stream may trail in every round. The inputs must be integers, or texts that are
    integers (as in a spec file, where names are text).

    Raises:
        InputError: From ``over``: an input is no integer, or two are the same one.

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> relation = prefix_sum().over([-1, 0, 1])
        >>> check_neighbouring(relation, [1, -1, 0], [0, 0, 0]) is None
        True
        >>> check_neighbouring(relation, [1, -1, -1], [0, 0, 0])
        'not neighbouring (differs in rounds 1, 2 and 3; the relation allows prefix sums 1 apart, \
always with the same stream ahead)'

    Source: Definition 7.1 of the edit-streams paper.
    """

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        numbers = _integers(inputs)

        def rule(state: RelationState) -> list[Arc]:
            side, gap = (0, 0) if state == "level" else cast("tuple[int, int]", state)
            arcs: list[Arc] = []
            for first, number in numbers.items():
                for second, other in numbers.items():
                    wider = gap + number - other
                    if side == 0 and abs(wider) <= 1:
                        arcs.append((first, second, (wider, wider) if wider else "level"))
                    elif side and wider in (0, side):
                        arcs.append((first, second, (side, wider)))
            return arcs

        return RuleRelation(
            name,
            "level",
            rule,
            always,
            "the relation allows prefix sums 1 apart, always with the same stream ahead",
        )

    return RelationFamily("prefix_sum", (), build)


def _integers(inputs: tuple[Symbol, ...]) -> dict[Symbol, int]:
    """Return the integer that each input is."""
    found: dict[Symbol, int] = {}
    known: dict[int, Symbol] = {}
    for symbol in inputs:
        number = _integer(symbol)
        if number is None:
            raise InputError(
                "prefix_sum takes integers only",
                where="inputs",
                found=describe(symbol),
                expected="write inputs such as -1, 0 and 1; streams of other values have no "
                "prefix sums of this definition",
            )
        if number in known:
            raise InputError(
                "two inputs are the same integer",
                where="inputs",
                found=f"{describe(known[number])} and {describe(symbol)}",
            )
        known[number] = symbol
        found[symbol] = number
    return found


def _integer(symbol: Symbol) -> int | None:
    if isinstance(symbol, bool):
        return None
    if isinstance(symbol, int):
        return symbol
    if isinstance(symbol, str) and symbol.removeprefix("-").isdecimal() and len(symbol) < 4000:
        number = int(symbol)
        return number if str(number) == symbol else None
    return None
