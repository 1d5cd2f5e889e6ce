"""Joint laws that look into the future: only fixed pairs of streams are defined for them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ..accounting.errors import LimitError
from ..accounting.numbers import Enclosure, Exact
from ..accounting.pair import Pair
from ..accounting.profile import PrivacyProfile
from ..mechanisms.neighbours import Relation
from ..mechanisms.stateless import Anticipation, JointLaws
from .checklist.joint_laws import checklist_of_joint
from .judging import delta_at, judged, worse_order
from .limits import Clock
from .relation_graph import RelationGraph, unrolled
from .verdict import AuditReport, Claim, ClaimResult, Judgement, ProfileBounds, Witness

__all__ = ["joint_report"]

_NOTHING: Sequence[Claim | None] = (None,)

_Stream = tuple[Hashable, ...]
_Order = tuple[_Stream, _Stream]


def joint_report(
    name: str,
    claims: list[Claim],
    joint: JointLaws,
    relation: Relation,
    anticipation: Anticipation,
    clock: Clock,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> AuditReport:
    """Judge fixed pairs exactly; an adaptive claim is then violated or not defined.

    A fixed pair is an adaptive adversary that ignores what it sees, so a violation carries over.

    Raises:
        LimitError: There are more neighbouring pairs than ``limits.laws``.
    """
    graph = unrolled(relation, joint.rounds)
    pairs: dict[_Order, Pair] = {}
    for first, second in _pairs_of_streams(graph, clock):
        if first == second or (second, first) in pairs:
            continue
        law0, law1 = joint.law(first), joint.law(second)
        pairs[first, second] = Pair.from_laws(dict(law1.items()), dict(law0.items()))
        clock.report("comparing pairs of streams", len(pairs))
    profile = PrivacyProfile.maximum(worse_order(p.power_function()) for p in pairs.values())
    bounds = ProfileBounds(profile, profile)
    results = tuple(_result(claim, bounds, pairs, joint, clock) for claim in claims or _NOTHING)
    return AuditReport(
        name=name,
        results=results,
        adaptive_profile=None,
        nonadaptive_profile=bounds,
        gap_where=None,
        checklist=checklist_of_joint(name, joint, relation, anticipation, clock),
        statistics={"pairs": len(pairs), "seconds": round(clock.elapsed, 3)},
        warnings=warnings,
        notes=(*notes, f"the joint law anticipates: {anticipation}"),
    )


def _pairs_of_streams(graph: RelationGraph, clock: Clock) -> Iterator[_Order]:
    """List all legal pairs of streams, or refuse if there are too many."""
    counts = [1] * len(graph.diagonal[-1])
    for layer in reversed(graph.arcs):
        counts = [sum(counts[arc.target] for arc in arcs) for arcs in layer]
    total = counts[graph.start]
    if total > clock.limits.laws:
        raise LimitError(
            "too many neighbouring pairs of streams",
            found=f"{total} pairs, limit {clock.limits.laws}",
            expected="raise --limit-laws or use fewer rounds",
        )
    stack: list[tuple[int, int, _Stream, _Stream]] = [(0, graph.start, (), ())]
    while stack:
        index, position, first, second = stack.pop()
        if index == graph.horizon:
            yield first, second
            continue
        stack += [
            (index + 1, arc.target, (*first, arc.input0), (*second, arc.input1))
            for arc in reversed(graph.arcs[index][position])
        ]


def _result(
    claim: Claim | None,
    bounds: ProfileBounds,
    pairs: dict[_Order, Pair],
    joint: JointLaws,
    clock: Clock,
) -> ClaimResult:
    fixed = judged(claim, bounds, delta_at(claim, bounds), _witness(claim, pairs, joint, clock))
    return ClaimResult(claim, _carried_over(fixed), fixed, None)


def _carried_over(fixed: Judgement) -> Judgement:
    """Say what a judgement over fixed pairs means for adaptive adversaries: lower bounds only."""
    one = Exact(1)
    delta = fixed.delta_at_claim
    vacuous = bool(fixed.reason)
    violated = fixed.verdict == "violated"
    return Judgement(
        verdict=fixed.verdict if violated or vacuous or delta is None else "undecided",
        delta_at_claim=None if delta is None else Enclosure(delta.lower, one),
        exp_epsilon_at_delta=_open_above(fixed.exp_epsilon_at_delta),
        pure_exp_epsilon=Enclosure(fixed.pure_exp_epsilon.lower, float("inf")),
        least_delta=Enclosure(fixed.least_delta.lower, one),
        witness=None,
        reason=fixed.reason
        or (
            "a fixed pair of streams violates the claim already"
            if violated
            else "the joint law anticipates later inputs, so no adaptive game is defined"
        ),
    )


def _open_above(bound: Enclosure | None) -> Enclosure | None:
    return None if bound is None else Enclosure(bound.lower, float("inf"))


def _witness(
    claim: Claim | None, pairs: dict[_Order, Pair], joint: JointLaws, clock: Clock
) -> Witness | None:
    """Return the pair of streams with the largest excess, and its event."""
    if claim is None or not isinstance(claim.exp_epsilon, Exact):
        return None
    bound = claim.exp_epsilon
    best: Witness | None = None
    for streams in pairs:
        laws = [joint.law(stream) for stream in streams]
        transcripts = dict.fromkeys(outcome for law in laws for outcome, _ in law.items())
        for order in (0, 1):
            event = [
                outcome
                for outcome in transcripts
                if laws[order].weight(outcome) > bound * laws[1 - order].weight(outcome)
            ]
            p0, p1 = (
                sum((law.weight(outcome) for outcome in event), start=Exact(0)) for law in laws
            )
            witness = Witness(
                order="0-1" if order == 0 else "1-0",
                p0=p0,
                p1=p1,
                event=tuple(event[: clock.limits.shown]),
                event_size=len(event),
                pair=streams,
                truncated=len(event) > clock.limits.shown,
            )
            if best is None or witness.excess(bound).lower > best.excess(bound).lower:
                best = witness
    return best
