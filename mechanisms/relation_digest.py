"""A short name for what a relation relates, so that two of one name are not mixed up."""

from __future__ import annotations

import hashlib

from ..accounting.errors import LimitError
from .relation import Relation, RelationState
from .relation_checks import DEFAULT_LIMIT_SETS
from .values import require_count

__all__ = ["relation_digest"]

_Set = frozenset[RelationState]


def relation_digest(
    relation: Relation, horizon: int, *, limit_sets: int = DEFAULT_LIMIT_SETS
) -> str:
    """Return a digest of the set of related streams of up to ``horizon`` rounds.

    It depends on nothing but which streams are related (symbols by their type and ``repr``): two
    automata for the same relation have one digest, and two relations differ in it but for a
    collision of SHA-256.

    Args:
        relation: The relation.
        horizon: Longest streams looked at, >= 1.
        limit_sets: Most sets of states.

    Raises:
        InputError: The horizon is out of its domain.
        LimitError: There are more sets of states than the limit.

    Example:
        >>> from powercert.mechanisms import hamming, participations, user
        >>> relation_digest(hamming().over("01"), 3) == relation_digest(
        ...     participations(1).over("01"), 3)
        True
        >>> relation_digest(hamming().over("01"), 3) == relation_digest(hamming().over("012"), 3)
        False
        >>> relation_digest(hamming().over("01"), 1) == relation_digest(user().over("01"), 1)
        True
    """
    require_count(horizon, "horizon", 1)
    layers = _layers(relation, horizon, limit_sets)
    # From the end backwards: what a set of states still allows. Sets that allow nothing are left
    # out, so that dead ends of an automaton do not count.
    after: dict[_Set, bytes] = {}
    for index in range(horizon, -1, -1):
        here: dict[_Set, bytes] = {}
        for states, moves in layers[index].items():
            rows = sorted(
                f"{pair}>{after[target].hex()}" for pair, target in moves.items() if target in after
            )
            accepted = any(map(relation.accepts, states))
            if rows or accepted:
                text = "\n".join([str(accepted), *rows])
                here[states] = hashlib.sha256(text.encode()).digest()
        after = here
    return after.get(frozenset([relation.start]), b"").hex()


def _layers(relation: Relation, horizon: int, limit: int) -> list[dict[_Set, dict[str, _Set]]]:
    """Return, for each number of rounds, the reachable sets of states and where pairs lead."""
    layers: list[dict[_Set, dict[str, _Set]]] = []
    reached: dict[_Set, None] = {frozenset([relation.start]): None}
    count = 0
    for index in range(horizon + 1):
        layer: dict[_Set, dict[str, _Set]] = {}
        following: dict[_Set, None] = {}
        for states in reached:
            targets: dict[str, set[RelationState]] = {}
            for state in states if index < horizon else ():
                for first, second, target in relation.pairs(state):
                    targets.setdefault(_pair_text(first, second), set()).add(target)
            layer[states] = {pair: frozenset(found) for pair, found in targets.items()}
            following |= dict.fromkeys(layer[states].values())
        count += len(layer)
        if count > limit:
            raise LimitError(
                f"more than {limit} sets of states",
                where=f"relation {relation.name}",
                expected="lower the horizon, or raise limit_sets",
            )
        layers.append(layer)
        reached = following
    return layers


def _pair_text(first: object, second: object) -> str:
    return repr([type(first).__name__, first, type(second).__name__, second])
