"""Whether two specs describe the same audit, as far as a bounded look can tell."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..accounting.errors import PowercertError
from ..accounting.numbers import Exact
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.neighbours import Relation
from ..mechanisms.table import JointLaws
from .spec import AuditSpec

__all__ = ["difference"]

_MOST_WEIGHTS = 5_000
_MOST_LEAVES = 2_000
_MOST_STATES = 500
Machine = ExactMachine[Any, Any, Any, Any]
Weights = dict[Hashable, Exact]


def difference(first: AuditSpec, second: AuditSpec) -> str:
    """Say how two specs differ, or return "" if no difference was found.

    The fields are compared, then the relations state by state and the mechanisms law by law from
    their start, up to some hundred states and some thousand probabilities. States of the two
    mechanisms are matched by equality; where they cannot be, only the views are compared.

    Example:
        >>> from dataclasses import replace
        >>> from powercert.certify.spec import load_example
        >>> spec = load_example("two-round-counterexample")
        >>> difference(spec, replace(spec, horizon=1))
        'horizon 2, then 1'
    """
    for name in ("name", "horizon", "inputs", "claim", "warnings", "notes"):
        before, after = getattr(first, name), getattr(second, name)
        if before != after:
            return f"{name} {before!r}, then {after!r}"
    changed = _relations(first.neighbours(), second.neighbours())
    if changed:
        return changed
    one, other = first.mechanism, second.mechanism
    if one is other:
        return ""
    if isinstance(one, JointLaws) or isinstance(other, JointLaws):
        if not (isinstance(one, JointLaws) and isinstance(other, JointLaws)):
            return f"{type(one).__name__}, then {type(other).__name__}"
        return _joint(one, other)
    if type(one) is not type(other):
        return f"{type(one).__name__}, then {type(other).__name__}"
    machines = (
        ExactMachine(one, limit_leaves=_MOST_LEAVES),
        ExactMachine(other, limit_leaves=_MOST_LEAVES),
    )
    try:
        return _machines(*machines, first)
    except PowercertError:
        # A mechanism that cannot be enumerated has its own message in the audit; here it only means
        # that nothing more can be compared.
        return ""


def _relations(first: Relation, second: Relation) -> str:
    if first is second:
        return ""
    if first.start != second.start:
        return f"the relation starts in {first.start!r}, then in {second.start!r}"
    waiting, seen = [first.start], {first.start}
    while waiting and len(seen) < _MOST_STATES:
        state = waiting.pop()
        if first.accepts(state) != second.accepts(state):
            return f"the relation accepts {state!r} in one of them only"
        arcs, others = set(first.pairs(state)), set(second.pairs(state))
        if arcs != others:
            arc = min(arcs ^ others, key=repr)
            return f"the relation has {arc!r} from state {state!r} in one of them only"
        for _, _, following in sorted(arcs, key=repr):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return ""


def _joint(first: JointLaws, second: JointLaws) -> str:
    if set(first.streams) != set(second.streams):
        return "the joint laws have different streams"
    for stream in first.streams:
        if dict(first.law(stream).items()) != dict(second.law(stream).items()):
            return f"the joint law of stream {stream!r}"
    return ""


def _machines(first: Machine, second: Machine, spec: AuditSpec) -> str:
    before: Weights = dict(first.initial())
    after: Weights = dict(second.initial())
    if before.keys() & after.keys() and before != after:
        return "the law of the first state"
    looked_at = 0
    waiting: list[Hashable] = [state for state in before if state in after]
    seen = set(waiting)
    for _ in range(spec.horizon):
        following: list[Hashable] = []
        for state in waiting:
            for item in spec.inputs:
                law, other = first.transitions(state, item), second.transitions(state, item)
                looked_at += len(law) + len(other)
                if _views(law) != _views(other):
                    return f"the law of the view in state {state!r} after input {item!r}"
                pairs = {(view, target): weight for view, target, weight in law}
                others = {(view, target): weight for view, target, weight in other}
                common = [target for _, target in pairs if target in {key[1] for key in others}]
                if common and pairs != others:
                    return f"the law of the next state in state {state!r} after input {item!r}"
                for target in common:
                    if target not in seen:
                        seen.add(target)
                        following.append(target)
                if looked_at > _MOST_WEIGHTS:
                    return ""
        waiting = following
    return ""


def _views(law: tuple[tuple[Any, Any, Exact], ...]) -> Weights:
    found: Weights = {}
    for view, _, weight in law:
        found[view] = found[view] + weight if view in found else weight
    return found
