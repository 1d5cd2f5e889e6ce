"""The neighbouring relations with fixed names, each a family over input alphabets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from ..accounting.errors import InputError
from .arcs import always, equal_pairs, require_input
from .edit_relations import edit, edit_d1, edit_extended, edit_informal
from .hop_relations import hops
from .prefix_sum_relation import prefix_sum
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
    describe,
    distinct,
    nearest,
    require_count,
    require_items,
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
    "edit_extended",
    "edit_informal",
    "hamming",
    "hops",
    "participations",
    "prefix_sum",
    "relation_named",
    "static",
    "user",
]


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
        return RuleRelation(name, "any", lambda state: everything, always, "any two inputs")

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
            require_input(absent, inputs, "absent")
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
        arcs = equal_pairs(inputs, (left, max(0, wait - 1)))
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
    return RuleRelation(name, (k, 0), rule, always, allowance)


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
        listed = tuple(
            _data_pair(pair, index, loaded)
            for index, pair in enumerate(require_items(pairs, "pairs"))
        )
        arcs = dict.fromkeys(both for a, b in listed for both in ((a, b), (b, a)))
    if not arcs:
        raise InputError("there is no pair of data sets", where="pairs")
    parameters: tuple[tuple[str, object], ...] = (("data", loaded), ("queries", asked))
    if listed is not None:
        parameters += (("pairs", listed),)

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        for symbol in (*loaded, *asked):
            require_input(symbol, inputs, "data" if symbol in loaded else "queries")

        def rule(state: RelationState) -> list[Arc]:
            if state == "load":
                return [(a, b, "ask") for a, b in arcs]
            return equal_pairs(asked, "ask")

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
        require_input(symbol, data, where, "data")
    if first == second:
        raise InputError("a pair of equal data sets", where=where, found=describe(pair))
    return first, second


_FAMILIES: Mapping[str, tuple[Callable[..., RelationFamily], tuple[str, ...], tuple[str, ...]]] = {
    "edit": (edit, (), ("bottom",)),
    "edit_d1": (edit_d1, (), ()),
    "edit_extended": (edit_extended, (), ("bottom", "end")),
    "edit_informal": (edit_informal, (), ("bottom",)),
    "hamming": (hamming, (), ()),
    "participations": (participations, ("k",), ("min_separation", "absent")),
    "prefix_sum": (prefix_sum, (), ()),
    "static": (static, ("data", "queries"), ("pairs",)),
    "user": (user, (), ()),
}


def relation_named(name: str, parameters: Mapping[str, object] | None = None) -> RelationFamily:
    """Return the relation of a fixed name, as a spec file gives it.

    Args:
        name: "hamming", "user", "participations", "static", "edit", "edit_d1", "edit_informal",
            "edit_extended" or "prefix_sum".
        parameters: Its parameters by name; ``hops`` = k >= 1 takes k steps of any of them.

    Raises:
        InputError: The name or a parameter is unknown (the nearest one is suggested), or one is
            missing or out of its domain.

    Example:
        >>> str(relation_named("participations", {"k": 2}))
        'participations(k=2, min_separation=1)'
        >>> str(relation_named("hamming", {"hops": 2}))
        'hops(k=2, of=hamming)'
        >>> relation_named("haming")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: neighbours: unknown relation; found 'haming' (str); \
did you mean 'hamming'
    """
    if parameters is not None and not isinstance(cast("object", parameters), Mapping):
        raise InputError(
            "the parameters are not given by name",
            where="neighbours",
            found=describe(parameters),
            expected="write a mapping such as {'k': 2}",
        )
    given = dict(parameters or {})
    if not isinstance(cast(object, name), str) or name not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        raise InputError(
            "unknown relation",
            where="neighbours",
            found=describe(name),
            expected="write the name of the relation of one hop, and hops = 2 beside it"
            if name == "hops"
            else nearest(name, _FAMILIES) or f"use one of {known}, or arcs",
        )
    build, required, optional = _FAMILIES[name]
    where = f"neighbours.{name}"
    allowed = (*required, *optional, "hops")
    for key in given:
        if key not in allowed:
            raise InputError(
                "unknown parameter",
                where=where,
                found=show(key),
                expected=nearest(key, allowed) or f"it takes {', '.join(allowed)}",
            )
    for key in required:
        if key not in given:
            raise InputError("a parameter is missing", where=where, expected=f"give {key}")
    for key in ("data", "queries", "pairs"):
        if key in given and not isinstance(given[key], (list, tuple)):
            raise InputError(f"{key} is not a list", where=where, found=describe(given[key]))
    steps = given.pop("hops", 1)
    try:
        return hops(build(**given), cast(int, steps))
    except InputError as error:
        raise error.located(where) from error
