"""What a relation is: closed under prefixes, symmetric, the same as another; with witnesses.

All three are decided on sets of states, walked breadth first, so witnesses are shortest. Without a
horizon the answer is for streams of every length; it comes as soon as no new set turns up, which
happens for every relation with finitely many states.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..accounting.errors import LimitError
from .relation import Arc, Relation, RelationState, RuleRelation, Symbol
from .values import require_count, show

__all__ = [
    "DEFAULT_LIMIT_SETS",
    "RelatedStreams",
    "asymmetric_pair",
    "distinguishing_pair",
    "unextended_pair",
    "unrelated_prefix",
]

DEFAULT_LIMIT_SETS = 100_000

_Set = frozenset[RelationState]
_Pair = tuple[Symbol, Symbol]
Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class RelatedStreams:
    """A pair of streams that shows something of a relation.

    Args:
        stream0: The stream of world 0.
        stream1: The stream of world 1.
        rounds: How many rounds of it are not related (for a witness about prefixes), or the length.
    """

    stream0: tuple[Symbol, ...]
    stream1: tuple[Symbol, ...]
    rounds: int

    def __str__(self) -> str:
        """Return both streams."""
        first, second = (" ".join(map(show, s)) for s in (self.stream0, self.stream1))
        return f"{first} and {second} ({self.rounds} of {len(self.stream0)} rounds)"


@dataclass
class _Walk(Generic[Node]):
    """Nodes met in a walk, each with the pair and the node that led to it."""

    start: Node
    came: dict[Node, tuple[Node, _Pair] | None] = field(
        default_factory=dict["Node", "tuple[Node, _Pair] | None"]
    )

    def __post_init__(self) -> None:
        self.came[self.start] = None

    def streams(self, node: Node) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...]]:
        """Return the shortest pair of streams that leads to a node."""
        pairs: list[_Pair] = []
        step = self.came[node]
        while step is not None:
            node, pair = step
            pairs.append(pair)
            step = self.came[node]
        pairs.reverse()
        return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)


def _moves(relation: Relation, states: _Set) -> dict[_Pair, _Set]:
    """Return where each pair leads from a set of states; in the order of the relation's arcs."""
    targets: dict[_Pair, set[RelationState]] = {}
    # Sorted, so that no witness depends on the order of a set.
    for state in sorted(states, key=repr):
        for first, second, after in relation.pairs(state):
            targets.setdefault((first, second), set()).add(after)
    return {pair: frozenset(found) for pair, found in targets.items()}


def _lengths(horizon: int | None) -> Iterator[int]:
    length = 0
    while horizon is None or length < horizon:
        length += 1
        yield length


def _guard(count: int, limit: int, relation: Relation) -> None:
    if count > limit:
        raise LimitError(
            f"more than {limit} sets of states",
            where=f"relation {relation.name}",
            expected="give a horizon, or raise limit_sets",
        )


def unrelated_prefix(
    relation: Relation, horizon: int | None = None, *, limit_sets: int = DEFAULT_LIMIT_SETS
) -> RelatedStreams | None:
    """Decide Assumption B.1: whether all prefixes of related streams are related.

    That related streams have one length is built into every relation here. Prefixes have at least
    one round, as in the assumption.

    Guarantee: None if and only if it holds for all related streams of up to ``horizon`` rounds (of
    every length, if there is no horizon).

    Args:
        relation: The relation.
        horizon: Longest streams looked at, >= 1; None looks at all lengths.
        limit_sets: Most sets of states.

    Returns:
        None, or a shortest pair of related streams and the length of a prefix that is not related.

    Raises:
        InputError: The horizon is out of its domain.
        LimitError: There are more sets of states than the limit.

    Example:
        >>> from powercert.mechanisms import edit, edit_informal
        >>> unrelated_prefix(edit().over("01_")) is None
        True
        >>> print(unrelated_prefix(edit_informal().over("01_")))
        _ 0 and _ 0 (1 of 2 rounds)

    Source: Assumption B.1 of the buffering-recipe paper.
    """
    if horizon is not None:
        require_count(horizon, "horizon", 1)
    # (states, length of the first prefix that is not related, or 0)
    start: tuple[_Set, bool] = (frozenset([relation.start]), False)
    walk: _Walk[tuple[_Set, bool]] = _Walk(start)
    broken_at: dict[tuple[_Set, bool], int] = {start: 0}
    layer = [start]
    for length in _lengths(horizon):
        following: list[tuple[_Set, bool]] = []
        for node in layer:
            states, broken = node
            for pair, targets in _moves(relation, states).items():
                accepted = any(map(relation.accepts, targets))
                after = (targets, broken or not accepted)
                if after in walk.came:
                    continue
                walk.came[after] = (node, pair)
                broken_at[after] = broken_at[node] or (0 if accepted else length)
                if accepted and broken:
                    return RelatedStreams(*walk.streams(after), broken_at[after])
                following.append(after)
                _guard(len(walk.came), limit_sets, relation)
        if not following:
            break
        layer = following
    return None


def unextended_pair(
    relation: Relation, horizon: int, *, limit_sets: int = DEFAULT_LIMIT_SETS
) -> RelatedStreams | None:
    """Decide whether all shorter related streams can be continued to ``horizon`` rounds.

    What was decided for streams of ``horizon`` rounds then holds for shorter ones too.

    Guarantee: None if and only if every pair of related streams of 1 to ``horizon`` rounds is the
    beginning of a pair of related streams of ``horizon`` rounds.

    Args:
        relation: The relation.
        horizon: Number of rounds, >= 1.
        limit_sets: Most sets of states.

    Returns:
        None, or a shortest pair of related streams that cannot be continued.

    Raises:
        InputError: The horizon is out of its domain.
        LimitError: There are more sets of states than the limit.

    Example:
        >>> from powercert.mechanisms import ArcRelation, hamming
        >>> unextended_pair(hamming().over("01"), 3) is None
        True
        >>> arcs = [("s", "0", "0", "s"), ("s", "0", "1", "stop")]
        >>> print(unextended_pair(ArcRelation("s", ["s", "stop"], arcs), 2))
        0 and 1 (1 of 1 rounds)
    """
    require_count(horizon, "horizon", 1)
    reached: list[set[RelationState]] = [{relation.start}]
    for _ in range(horizon):
        reached.append({arc[2] for state in reached[-1] for arc in relation.pairs(state)})
    live: list[set[RelationState]] = [{s for s in reached[-1] if relation.accepts(s)}]
    for states in reversed(reached[:-1]):
        live.append({s for s in states if any(arc[2] in live[-1] for arc in relation.pairs(s))})
    live.reverse()
    start: tuple[_Set, int] = (frozenset([relation.start]), 0)
    walk: _Walk[tuple[_Set, int]] = _Walk(start)
    layer = [start]
    for length in range(1, horizon + 1):
        following: list[tuple[_Set, int]] = []
        for node in layer:
            for pair, targets in _moves(relation, node[0]).items():
                after = (targets, length)
                if after in walk.came:
                    continue
                walk.came[after] = (node, pair)
                if any(map(relation.accepts, targets)) and not targets & live[length]:
                    return RelatedStreams(*walk.streams(after), length)
                following.append(after)
                _guard(len(walk.came), limit_sets, relation)
        layer = following
    return None


def distinguishing_pair(
    first: Relation,
    second: Relation,
    horizon: int | None = None,
    *,
    limit_sets: int = DEFAULT_LIMIT_SETS,
) -> RelatedStreams | None:
    """Decide whether two relations are the same on streams of at least one round.

    Guarantee: None if and only if they relate the same streams of up to ``horizon`` rounds (of
    every length, if there is no horizon).

    Args:
        first: A relation.
        second: Another one.
        horizon: Longest streams looked at, >= 1; None looks at all lengths.
        limit_sets: Most pairs of sets of states.

    Returns:
        None, or a shortest pair of streams that exactly one of them relates.

    Raises:
        InputError: The horizon is out of its domain.
        LimitError: There are more pairs of sets than the limit.

    Example:
        >>> from powercert.mechanisms import hamming, hops, participations
        >>> distinguishing_pair(hops(hamming(), 2).over("01"), participations(2).over("01"))
        >>> print(distinguishing_pair(hamming().over("01"), participations(2).over("01")))
        0 0 and 1 1 (2 of 2 rounds)
    """
    if horizon is not None:
        require_count(horizon, "horizon", 1)
    start: tuple[_Set, _Set] = (frozenset([first.start]), frozenset([second.start]))
    walk = _Walk(start)
    layer = [start]
    for length in _lengths(horizon):
        following: list[tuple[_Set, _Set]] = []
        for node in layer:
            moves, others = _moves(first, node[0]), _moves(second, node[1])
            for pair in dict.fromkeys((*moves, *others)):
                after = (moves.get(pair, frozenset()), others.get(pair, frozenset()))
                if after in walk.came:
                    continue
                walk.came[after] = (node, pair)
                if any(map(first.accepts, after[0])) != any(map(second.accepts, after[1])):
                    return RelatedStreams(*walk.streams(after), length)
                following.append(after)
                _guard(len(walk.came), limit_sets, first)
        if not following:
            break
        layer = following
    return None


def asymmetric_pair(
    relation: Relation, horizon: int | None = None, *, limit_sets: int = DEFAULT_LIMIT_SETS
) -> RelatedStreams | None:
    """Decide whether a relation is symmetric.

    Guarantee: None if and only if it is, on streams of up to ``horizon`` rounds (of every length,
    if there is no horizon).

    Args:
        relation: The relation.
        horizon: Longest streams looked at, >= 1; None looks at all lengths.
        limit_sets: Most pairs of sets of states.

    Returns:
        None, or a shortest pair of streams that are related in one order only.

    Raises:
        InputError: The horizon is out of its domain.
        LimitError: There are more pairs of sets than the limit.

    Example:
        >>> from powercert.mechanisms import ArcRelation, edit
        >>> asymmetric_pair(edit().over("01_")) is None
        True
        >>> print(asymmetric_pair(ArcRelation("r", ["r"], [("r", "0", "1", "r")])))
        0 and 1 (1 of 1 rounds)
    """

    def rule(state: RelationState) -> list[Arc]:
        return [(second, first, after) for first, second, after in relation.pairs(state)]

    mirrored = RuleRelation(f"mirrored {relation.name}", relation.start, rule, relation.accepts)
    return distinguishing_pair(relation, mirrored, horizon, limit_sets=limit_sets)
