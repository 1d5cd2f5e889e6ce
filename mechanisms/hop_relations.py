"""k-hop closures: streams that a chain of k steps of a relation connects."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from ..accounting.errors import InputError, LimitError
from .relation import (
    Arc,
    Relation,
    RelationFamily,
    RelationState,
    RuleRelation,
    Symbol,
    require_relation,
)
from .values import describe, require_count, show

__all__ = ["DEFAULT_LIMIT_ARCS", "hop_closure", "hops"]

DEFAULT_LIMIT_ARCS = 1_000_000

_States = tuple[RelationState, ...]


def hops(family: RelationFamily, k: int, *, limit_arcs: int = DEFAULT_LIMIT_ARCS) -> RelationFamily:
    """Return the relation of streams that exactly k steps of another relation connect.

    Exactly k, as printed. Where every stream is a neighbour of itself (hamming, participations,
    user, edit, edit_d1, prefix_sum) that is the same as at most k; else it is not: two steps of
    ``static`` lead back to the same data.

    Args:
        family: The relation of one step.
        k: The number of steps, >= 1; with 1 the family itself is returned.
        limit_arcs: Most arcs of one state.

    Raises:
        InputError: k is out of its domain, or ``family`` is no family.

    Example:
        >>> from powercert.mechanisms import check_neighbouring, hamming
        >>> two = hops(hamming(), 2)
        >>> str(two)
        'hops(k=2, of=hamming)'
        >>> check_neighbouring(two.over("01"), "000", "101") is None
        True
        >>> check_neighbouring(two.over("01"), "000", "111")
        'not neighbouring (differs in rounds 1, 2 and 3; the relation allows 2 steps of hamming)'

    Source: Definition B.4 of the buffering-recipe paper.
    """
    if not isinstance(cast("object", family), RelationFamily):
        raise InputError(
            "not a family of relations",
            where="hops",
            found=describe(family),
            expected="give one such as hamming()",
        )
    require_count(k, "hops", 1)
    if k == 1:
        return family

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        return hop_closure(family.build(str(family), inputs), k, limit_arcs=limit_arcs)

    return RelationFamily("hops", (("k", k), ("of", str(family))), build)


def hop_closure(relation: Relation, k: int, *, limit_arcs: int = DEFAULT_LIMIT_ARCS) -> Relation:
    """Return the k-hop closure of a relation over a fixed alphabet, as an automaton.

    The automaton runs k copies of the relation side by side on a chain of k + 1 streams and forgets
    the middle ones, so it guesses them: a pair of streams is accepted if some chain is. Which
    chain it is stays open while the streams go on.

    Args:
        relation: The relation of one step.
        k: The number of steps, >= 1.
        limit_arcs: Most arcs of one state.

    Raises:
        InputError: k is out of its domain, or ``relation`` is none over an alphabet.
        LimitError: From ``pairs``: a state has too many arcs.

    Example:
        >>> from powercert.mechanisms import hamming
        >>> two = hop_closure(hamming().over("01"), 2)
        >>> two.start, len(two.pairs(two.start))
        (((1, 0), (1, 0)), 8)

    Source: Definition B.4 of the buffering-recipe paper.
    """
    require_relation(relation)
    require_count(k, "hops", 1)
    if k == 1:
        return relation
    name = f"hops(k={k}, of={relation.name})"
    # Arcs of one copy by the input that the copy before it must have reached.
    known: dict[RelationState, dict[Symbol, list[tuple[Symbol, RelationState]]]] = {}

    def by_first(state: RelationState) -> dict[Symbol, list[tuple[Symbol, RelationState]]]:
        if state not in known:
            table: dict[Symbol, list[tuple[Symbol, RelationState]]] = {}
            for first, second, after in relation.pairs(state):
                table.setdefault(first, []).append((second, after))
            known[state] = table
        return known[state]

    def rule(state: RelationState) -> list[Arc]:
        first, *others = cast(_States, state)
        arcs: dict[tuple[Symbol, Symbol, _States], None] = {
            (a, b, (after,)): None for a, b, after in relation.pairs(first)
        }
        for other in others:
            table = by_first(other)
            longer: dict[tuple[Symbol, Symbol, _States], None] = {}
            for a, middle, reached in arcs:
                for b, after in table.get(middle, ()):
                    longer[a, b, (*reached, after)] = None
                if len(longer) > limit_arcs:
                    raise LimitError(
                        f"a state has more than {limit_arcs} arcs",
                        where=f"relation {name}, state {show(state)}",
                        expected="raise limit_arcs, or use fewer hops or inputs",
                    )
            arcs = longer
        return list(arcs)

    def accept(state: RelationState) -> bool:
        return all(map(relation.accepts, cast("tuple[Hashable, ...]", state)))

    return RuleRelation(
        name,
        (relation.start,) * k,
        rule,
        accept,
        f"the relation allows {k} steps of {relation.name}",
    )
