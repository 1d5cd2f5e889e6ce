"""The neighbouring relations with fixed names, each a family over input alphabets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from ..accounting.errors import InputError
from .relation import (
    Arc,
    ArcRelation,
    Relation,
    RelationFamily,
    RelationState,
    RuleRelation,
    Symbol,
    check_neighbouring,
)
from .values import (
    as_sequence,
    canonical,
    describe,
    distinct,
    nearest,
    require_count,
    require_value,
    show,
)

__all__ = [
    "ArcRelation",
    "Relation",
    "RelationFamily",
    "check_neighbouring",
    "edit",
    "edit_d1",
    "hamming",
    "participations",
    "relation_named",
    "static",
    "user",
]


def _always(state: RelationState) -> bool:
    return True


def _equal_pairs(inputs: Iterable[Symbol], after: RelationState) -> list[Arc]:
    return [(symbol, symbol, after) for symbol in inputs]


def hamming() -> RelationFamily:
    """Return the relation of streams that differ in at most one round (event level).

    Example:
        >>> relation = hamming().over("01")
        >>> check_neighbouring(relation, "00", "01") is None
        True
        >>> check_neighbouring(relation, "000", "101")
        'not neighbouring (differs in rounds 1 and 3; the relation allows 1)'
    """

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        return _participation_relation(name, inputs, 1, 1, None)

    return RelationFamily("hamming", (), build)


def user() -> RelationFamily:
    """Return the relation of all pairs of equally long streams (user level).

    Example:
        >>> len(user().over("01").pairs("any"))
        4
    """

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        everything = tuple((a, b, "any") for a in inputs for b in inputs)
        return RuleRelation(name, "any", lambda state: everything, _always, "any two inputs")

    return RelationFamily("user", (), build)


def participations(k: int, min_separation: int = 1, absent: Symbol | None = None) -> RelationFamily:
    """Return the relation of streams that differ in at most k rounds, some way apart.

    Args:
        k: Most differing rounds, >= 0 (above the horizon it sets no limit).
        min_separation: Least distance between two differing rounds, >= 1.
        absent: The input that says "no participation": in a differing round then exactly one world
            has it. None lets any two different inputs differ.

    Raises:
        InputError: A number is out of its domain.

    Example:
        >>> relation = participations(2, min_separation=2, absent="_").over("01_")
        >>> check_neighbouring(relation, "0101", "0_0_") is None
        True
        >>> check_neighbouring(relation, "01", "1_")
        'not neighbouring (differs in rounds 1 and 2; the relation allows 2, at least 2 apart, \
each with _ in exactly one stream)'
    """
    require_count(k, "k")
    require_count(min_separation, "min_separation", 1)
    parameters: tuple[tuple[str, object], ...] = (("k", k), ("min_separation", min_separation))
    if absent is not None:
        require_value(absent, "absent input")
        parameters += (("absent", absent),)

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        if absent is not None:
            _require_input(absent, inputs, "absent")
        return _participation_relation(name, inputs, k, min_separation, absent)

    return RelationFamily("participations", parameters, build)


def _participation_relation(
    name: str, inputs: tuple[Symbol, ...], k: int, min_separation: int, absent: Symbol | None
) -> Relation:
    """State: (differing rounds left, rounds until the next may differ)."""
    differing = [
        (a, b) for a in inputs for b in inputs if a != b and (absent is None or absent in (a, b))
    ]

    def rule(state: RelationState) -> list[Arc]:
        left, wait = cast("tuple[int, int]", state)
        arcs = _equal_pairs(inputs, (left, max(0, wait - 1)))
        if left and not wait:
            # With nothing left the wait no longer matters, so those states are one.
            after = (left - 1, min_separation - 1 if left > 1 else 0)
            arcs += [(a, b, after) for a, b in differing]
        return arcs

    allowance = f"the relation allows {k}"
    if min_separation > 1:
        allowance += f", at least {min_separation} apart"
    if absent is not None:
        allowance += f", each with {show(absent)} in exactly one stream"
    return RuleRelation(name, (k, 0), rule, _always, allowance)


def static(
    data: Iterable[Symbol],
    queries: Iterable[Symbol],
    pairs: Iterable[Sequence[Symbol]] | None = None,
) -> RelationFamily:
    """Return the relation of streams that load different data in round 1, then ask the same.

    Args:
        data: The inputs that are data sets; at least two.
        queries: The inputs that are queries (empty if there is one round only).
        pairs: The neighbouring data sets, in either direction; None makes all different ones
            neighbours.

    Raises:
        InputError: There are fewer than two data sets, or a pair is not one of different data.

    Example:
        >>> relation = static(data=["0", "1"], queries=["A"]).over(["0", "1", "A"])
        >>> check_neighbouring(relation, ["0", "A"], ["1", "A"]) is None
        True
        >>> check_neighbouring(relation, ["0", "A"], ["0", "A"])
        'not neighbouring (no arc for the pair 0, 0 of round 1)'
    """
    loaded = distinct(data, "input", "data")
    asked = distinct(queries, "input", "queries")
    if len(loaded) < 2:
        raise InputError("static needs at least two data sets", where="data")
    arcs: dict[tuple[Symbol, Symbol], None] = {}
    if pairs is None:
        listed = None
        arcs = dict.fromkeys((a, b) for a in loaded for b in loaded if a != b)
    else:
        listed = tuple(_data_pair(pair, index, loaded) for index, pair in enumerate(pairs))
        arcs = dict.fromkeys(both for a, b in listed for both in ((a, b), (b, a)))
    if not arcs:
        raise InputError("there is no pair of data sets", where="pairs")
    parameters: tuple[tuple[str, object], ...] = (("data", loaded), ("queries", asked))
    if listed is not None:
        parameters += (("pairs", listed),)

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        for symbol in (*loaded, *asked):
            _require_input(symbol, inputs, "data" if symbol in loaded else "queries")

        def rule(state: RelationState) -> list[Arc]:
            if state == "load":
                return [(a, b, "ask") for a, b in arcs]
            return _equal_pairs(asked, "ask")

        return RuleRelation(name, "load", rule, lambda state: state == "ask", "")

    return RelationFamily("static", parameters, build)


def _data_pair(
    pair: Sequence[Symbol], index: int, data: tuple[Symbol, ...]
) -> tuple[Symbol, Symbol]:
    where = f"pairs[{index}]"
    symbols = as_sequence(pair)
    if symbols is None or len(symbols) != 2:
        raise InputError("not a pair of data sets", where=where, found=describe(pair))
    first, second = symbols
    for symbol in (first, second):
        _require_input(symbol, data, where, "data")
    if first == second:
        raise InputError("a pair of equal data sets", where=where, found=describe(pair))
    return first, second


def edit_d1() -> RelationFamily:
    """Return the edit relation of Definition D.1: prefixes of streams with one element deleted.

    One stream, continued in some way, becomes the other (continued) when one of its elements is
    deleted and the rest moves up; either stream may be the one with the extra element.

    Example:
        >>> relation = edit_d1().over("01")
        >>> check_neighbouring(relation, "0101", "1010") is None
        True
        >>> check_neighbouring(relation, "0011", "1100") is None
        False

    Source: Definition D.1 of the buffering-recipe paper.
    """

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        def shifted(owed: Symbol, side: str) -> list[Arc]:
            # The longer stream must now show what the shorter one showed a round ago.
            if side == "del":
                return [(owed, new, ("del", new)) for new in inputs]
            return [(new, owed, ("ins", new)) for new in inputs]

        def rule(state: RelationState) -> list[Arc]:
            if state != "same":
                side, owed = cast("tuple[str, Symbol]", state)
                return shifted(owed, side)
            return (
                _equal_pairs(inputs, "same")
                + [(a, b, ("del", b)) for a in inputs for b in inputs]
                + [(a, b, ("ins", a)) for a in inputs for b in inputs]
            )

        return RuleRelation(
            name, "same", rule, _always, "the relation allows one deletion or insertion"
        )

    return RelationFamily("edit_d1", (), build)


def edit(bottom: Symbol = "_") -> RelationFamily:
    """Return the edit relation of Definition 3.11: an insertion shifts up to the next bottom.

    One stream gets an element inserted at a step; the other's elements from there move down until
    its first bottom, which is used up (or until the end, where one falls out).

    Args:
        bottom: The input that says "no element".

    Example:
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
        _require_input(bottom, inputs, "bottom")

        def after(side: str, shown: Symbol) -> RelationState:
            return "done" if shown == bottom else (side, shown)

        def rule(state: RelationState) -> list[Arc]:
            if state == "same":
                return (
                    _equal_pairs(inputs, "same")
                    + [(a, b, after("del", b)) for a in inputs for b in inputs]
                    + [(a, b, after("ins", a)) for a in inputs for b in inputs]
                )
            if state == "done":
                return _equal_pairs(inputs, "done")
            side, owed = cast("tuple[str, Symbol]", state)
            if side == "del":
                return [(owed, new, after("del", new)) for new in inputs]
            return [(new, owed, after("ins", new)) for new in inputs]

        return RuleRelation(
            name, "same", rule, _always, "the relation allows one insertion up to the next bottom"
        )

    return RelationFamily("edit", (("bottom", bottom),), build)


def _require_input(
    symbol: Symbol, inputs: tuple[Symbol, ...], where: str, what: str = "inputs"
) -> None:
    if symbol not in inputs:
        raise InputError(
            f"unknown input: it is not in {what}",
            where=where,
            found=describe(symbol),
            expected=nearest(symbol, inputs),
        )
    canonical({known: known for known in inputs}, symbol, "input", where)


_FAMILIES: Mapping[str, tuple[Callable[..., RelationFamily], tuple[str, ...], tuple[str, ...]]] = {
    "edit": (edit, (), ("bottom",)),
    "edit_d1": (edit_d1, (), ()),
    "hamming": (hamming, (), ()),
    "participations": (participations, ("k",), ("min_separation", "absent")),
    "static": (static, ("data", "queries"), ("pairs",)),
    "user": (user, (), ()),
}


def relation_named(name: str, parameters: Mapping[str, object] | None = None) -> RelationFamily:
    """Return the relation of a fixed name, as a spec file gives it.

    Args:
        name: "hamming", "user", "participations", "static", "edit_d1" or "edit".
        parameters: Its parameters by name.

    Raises:
        InputError: The name or a parameter is unknown (the nearest one is suggested), or one is
            missing or out of its domain.

    Example:
        >>> str(relation_named("participations", {"k": 2}))
        'participations(k=2, min_separation=1)'
        >>> relation_named("haming")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: neighbours: unknown relation; found 'haming' (str); \
did you mean 'hamming'
    """
    given = dict(parameters or {})
    if not isinstance(cast(object, name), str) or name not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        raise InputError(
            "unknown relation",
            where="neighbours",
            found=describe(name),
            expected=nearest(name, _FAMILIES) or f"use one of {known}, or arcs",
        )
    build, required, optional = _FAMILIES[name]
    where = f"neighbours.{name}"
    allowed = (*required, *optional)
    for key in given:
        if key not in allowed:
            raise InputError(
                "unknown parameter",
                where=where,
                found=describe(key),
                expected=nearest(key, allowed) or f"it takes {', '.join(allowed) or 'none'}",
            )
    for key in required:
        if key not in given:
            raise InputError("a parameter is missing", where=where, expected=f"give {key}")
    for key in ("data", "queries", "pairs"):
        if key in given and not isinstance(given[key], (list, tuple)):
            raise InputError(f"{key} is not a list", where=where, found=describe(given[key]))
    try:
        return build(**given)
    except InputError as error:
        raise error.located(where) from error
