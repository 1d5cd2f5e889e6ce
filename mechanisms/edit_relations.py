"""The edit relations: one stream has an element more, and the rest of it is shifted.

Four definitions differ in what ends the shift (a bottom, the end of the stream, nothing) and in
what may be inserted. All are closed under exchanging the two streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from ..accounting.errors import InputError
from .arcs import always, equal_pairs, require_input
from .relation import Arc, Relation, RelationFamily, RelationState, RuleRelation, Symbol
from .values import describe, require_value

__all__ = ["edit", "edit_d1", "edit_extended", "edit_informal"]

# A shifting state is (side, owed): the longer stream is that of world 0 for "del" (deleting from
# it gives the other) and of world 1 for "ins"; it must now show the owed input, which the shorter
# one showed a round ago.
_SIDES = ("del", "ins")


def _inserted(
    first: Iterable[Symbol],
    shown: Iterable[Symbol],
    after: Callable[[str, Symbol], RelationState],
) -> list[Arc]:
    """Return the arcs of the insertion: the longer stream shows one of ``first``."""
    return [
        (a, b, after(side, b)) if side == "del" else (b, a, after(side, b))
        for side in _SIDES
        for a in first
        for b in shown
    ]


def _shifted(
    state: RelationState,
    shown: Iterable[Symbol],
    after: Callable[[str, Symbol], RelationState],
) -> list[Arc]:
    """Return the arcs of a round of the shift, in which the shorter stream shows ``shown``."""
    side, owed = cast("tuple[str, Symbol]", state)
    if side == "del":
        return [(owed, new, after(side, new)) for new in shown]
    return [(new, owed, after(side, new)) for new in shown]


def edit_d1() -> RelationFamily:
    """Return the edit relation of Definition D.1: prefixes of streams with one element deleted.

    One stream, continued in some way, becomes the other (continued) when one of its elements is
    deleted and the rest moves up; either stream may be the one with the extra element.

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> relation = edit_d1().over("01")
        >>> check_neighbouring(relation, "0101", "1010") is None
        True
        >>> check_neighbouring(relation, "0011", "1100") is None
        False

    Source: Definition D.1 of the buffering-recipe paper.
    """

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        def after(side: str, shown: Symbol) -> RelationState:
            return side, shown

        def rule(state: RelationState) -> list[Arc]:
            if state == "same":
                return equal_pairs(inputs, "same") + _inserted(inputs, inputs, after)
            return _shifted(state, inputs, after)

        return RuleRelation(
            name, "same", rule, always, "the relation allows one deletion or insertion"
        )

    return RelationFamily("edit_d1", (), build)


def edit(bottom: Symbol = "_") -> RelationFamily:
    """Return the edit relation of Definition 3.11: an insertion shifts up to the next bottom.

    One stream gets an element inserted at a step; the other's elements from there move down until
    its first bottom, which is used up (or until the end, where one falls out).

    Args:
        bottom: The input that says "no element".

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> relation = edit().over("01_")
        >>> check_neighbouring(relation, "1010", "010_") is None
        True
        >>> check_neighbouring(relation, "10101", "010_0") is None
        False

    Source: Definition 3.11 of the edit-streams paper. As printed there, the inserted element may
        itself be bottom, and equal streams are neighbours.
    """
    require_value(bottom, "bottom input")

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        require_input(bottom, inputs, "bottom")

        def after(side: str, shown: Symbol) -> RelationState:
            return "done" if shown == bottom else (side, shown)

        def rule(state: RelationState) -> list[Arc]:
            if state == "same":
                return equal_pairs(inputs, "same") + _inserted(inputs, inputs, after)
            if state == "done":
                return equal_pairs(inputs, "done")
            return _shifted(state, inputs, after)

        return RuleRelation(
            name, "same", rule, always, "the relation allows one insertion up to the next bottom"
        )

    return RelationFamily("edit", (("bottom", bottom),), build)


def edit_informal(bottom: Symbol = "_") -> RelationFamily:
    """Return the edit relation of Definition 1.1, the informal one, taken at its word.

    It differs from ``edit`` (Definition 3.11) in two ways. The inserted element is not bottom, so a
    stream that ends in bottom is no neighbour of itself and Assumption B.1 fails. And the shift
    ends at the first bottom strictly *after* the insertion: one at the very step of the insertion
    is not used up but pushed down.

    Args:
        bottom: The input that says "no element".

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> informal, formal = edit_informal().over("01_"), edit().over("01_")
        >>> check_neighbouring(informal, "1_0", "_00"), check_neighbouring(formal, "100", "_00")
        (None, None)
        >>> check_neighbouring(informal, "100", "_00") is None
        False
        >>> check_neighbouring(informal, "0_", "0_")
        'not neighbouring (the relation demands one insertion of an element, up to the next bottom)'

    Source: Definition 1.1 of the edit-streams paper, for some step i and with the roles of the two
        streams in either order.
    """
    require_value(bottom, "bottom input")

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        require_input(bottom, inputs, "bottom")
        elements = [symbol for symbol in inputs if symbol != bottom]

        def opened(side: str, shown: Symbol) -> RelationState:
            return side, shown

        def after(side: str, shown: Symbol) -> RelationState:
            return "done" if shown == bottom else (side, shown)

        def rule(state: RelationState) -> list[Arc]:
            if state == "same":
                return equal_pairs(inputs, "same") + _inserted(elements, inputs, opened)
            if state == "done":
                return equal_pairs(inputs, "done")
            return _shifted(state, inputs, after)

        return RuleRelation(
            name,
            "same",
            rule,
            lambda state: state != "same",
            "the relation demands one insertion of an element, up to the next bottom",
        )

    return RelationFamily("edit_informal", (("bottom", bottom),), build)


def edit_extended(bottom: Symbol = "_", end: Symbol = "$") -> RelationFamily:
    """Return the extended edit relation of Appendix D: an insertion may make a stream longer.

    A sequence of the definition ends with ``end``; here it is padded with ``end`` up to the
    horizon, so that a pair of streams of one length may stand for sequences whose lengths differ
    by one. Both sequences must have ended: with T rounds they have at most T - 1 elements.
    Assumption B.1 fails, since a proper prefix need not have ended.

    Args:
        bottom: The input that says "no element".
        end: The input that ends a sequence, and pads it.

    Raises:
        InputError: The two are the same input.

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> relation = edit_extended().over("01_$")
        >>> check_neighbouring(relation, "101$", "01$$") is None
        True
        >>> check_neighbouring(relation, "110_$", "10__$") is None
        True
        >>> check_neighbouring(relation, "1$$$", "0$$$")
        'not neighbouring (differs in round 1; the relation demands one insertion up to the next \
bottom or the end, and streams that end with $)'

    Source: Definition D.1 of the edit-streams paper. As printed there, the inserted element may
        itself be bottom, and a stream without bottom is no neighbour of itself.
    """
    require_value(bottom, "bottom input")
    require_value(end, "end input")
    if bottom == end:
        raise InputError("bottom and end are the same input", where="end", found=describe(end))

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        require_input(bottom, inputs, "bottom")
        require_input(end, inputs, "end")
        elements = [symbol for symbol in inputs if symbol != end]
        over: list[Arc] = [(end, end, "ended")]
        ends = {(side, end) for side in _SIDES}

        def after(side: str, shown: Symbol) -> RelationState:
            return "done" if shown == bottom else (side, shown)

        def rule(state: RelationState) -> list[Arc]:
            if state == "same":
                # The shorter stream may have no element here: it ends before the longer one.
                return equal_pairs(elements, "same") + _inserted(elements, inputs, after)
            if state == "done":
                return equal_pairs(elements, "done") + over
            if state == "ended" or state in ends:
                return over
            return _shifted(state, inputs, after)

        return RuleRelation(
            name,
            "same",
            rule,
            lambda state: state == "ended",
            "the relation demands one insertion up to the next bottom or the end, and streams that "
            f"end with {end}",
        )

    return RelationFamily("edit_extended", (("bottom", bottom), ("end", end)), build)
