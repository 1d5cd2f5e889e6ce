"""Checklist 1 for joint laws that look ahead: condition 1 fails, the rest is what can be said."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ...mechanisms.neighbours import Relation
from ...mechanisms.stateless import Anticipation, JointLaws
from ..history import join_history
from ..limits import Clock
from ..relation_graph import RelationGraph, unrolled
from .findings import Checklist, Condition
from .streams import StreamGraph, stream_graph, two_differences

__all__ = ["checklist_of_joint", "legal_part"]

Views = tuple[Hashable, ...]


def legal_part(joint: JointLaws, graph: RelationGraph) -> JointLaws:
    """Return the laws of the streams that some neighbouring pair holds; the others never occur."""
    streams = stream_graph(graph)
    kept = {stream: joint.law(stream) for stream in joint.streams if _legal(streams, stream)}
    return joint if len(kept) == len(joint.streams) else JointLaws(kept, partial=True)


def checklist_of_joint(
    name: str, joint: JointLaws, relation: Relation, anticipation: Anticipation, clock: Clock
) -> Checklist:
    """Decide what can be decided of laws that look ahead: condition 1 fails.

    Args:
        name: The mechanism's name.
        joint: The joint laws of the legal streams (see ``legal_part``).
        relation: The neighbouring relation.
        anticipation: The witness against condition 1.
        clock: Limits.
    """
    graph = unrolled(relation, joint.rounds)
    conditions = (
        Condition(
            "prefix_dependence",
            "fail",
            str(anticipation),
            witness={
                "round": anticipation.round,
                "stream_0": join_history(anticipation.streams[0]),
                "stream_1": join_history(anticipation.streams[1]),
                "views": join_history(anticipation.views),
                "probability_0": str(anticipation.probabilities[0]),
                "probability_1": str(anticipation.probabilities[1]),
            },
        ),
        _independence(joint, clock),
        Condition(
            "deterministic_release",
            "pass",
            "every law is the law of a function of the inputs and one seed",
        ),
        Condition(
            "stable_cost",
            "not_applicable",
            "the law of an early view depends on later inputs, so one round alone has no cost",
        ),
        Condition("post_processing", "pass", "no core is declared: the views are the cores"),
    )
    return Checklist(
        name, relation.name, joint.rounds, conditions, None, two_differences(graph) is None
    )


def _independence(joint: JointLaws, clock: Clock) -> Condition:
    """Decide condition 2 for joint laws: is each a product over the rounds?"""
    for stream in joint.streams:
        clock.report("comparing rounds", 0)
        law = joint.law(stream)
        for number in range(1, joint.rounds):
            before, after = law.map(_until(number)), law.map(_since(number))
            for first, weight in before.items():
                for rest, chance in after.items():
                    found = law.weight((*first, *rest))
                    if found != weight * chance:
                        return Condition(
                            "fresh_randomness",
                            "fail",
                            f"under {join_history(stream)} the views up to round {number} tell "
                            "about the later ones",
                            witness={
                                "round": number,
                                "inputs": join_history(stream),
                                "cores": join_history(first),
                                "event": join_history(rest),
                                "probabilities": (str(found / weight), str(chance)),
                            },
                        )
    return Condition(
        "fresh_randomness", "pass", "under every stream the views of all rounds are independent"
    )


def _until(number: int) -> Callable[[Views], Views]:
    return lambda views: views[:number]


def _since(number: int) -> Callable[[Views], Views]:
    return lambda views: views[number:]


def _legal(streams: StreamGraph, stream: tuple[Hashable, ...]) -> bool:
    node = streams.start
    for moves, item in zip(streams.moves, stream, strict=True):
        targets = dict(moves[node])
        if item not in targets:
            return False
        node = targets[item]
    return True
