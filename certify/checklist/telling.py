"""What the searches found, as findings: one sentence, the witness, and further facts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ...accounting.errors import LimitError
from ..history import join_history, view_text
from .decomposable import Attempt, Decomposition
from .findings import Condition, Fact, Status
from .fresh import Dependence, KeyGraph
from .post_processing import Ambiguity
from .stability import Instability, Stability

__all__ = [
    "forms_of_stability",
    "fresh_randomness_told",
    "instability_told",
    "not_applicable_told",
    "post_processing_told",
]


def fresh_randomness_told(found: KeyGraph | Dependence | LimitError) -> Condition:
    """Return the finding for condition 2."""
    name = "fresh_randomness"
    if isinstance(found, LimitError):
        return Condition(name, "undecided", str(found))
    if isinstance(found, Dependence):
        return _dependence(name, found)
    details: dict[str, Fact] = {"carried_draws": found.carried is not None}
    reason = "given the inputs, the cores of all rounds are independent"
    if found.carried is not None:
        details["carried_after"] = join_history(found.carried)
        when = (
            f"after the inputs {join_history(found.carried)}" if found.carried else "at the start"
        )
        reason += f"; {when} the state holds a draw that later cores depend on, but no two cores share one"
    return Condition(name, "pass", reason, details=details)


def _dependence(name: str, found: Dependence) -> Condition:
    first, second = map(view_text, found.cores)
    last = found.round + len(found.event)
    when = f"round {last}" if len(found.event) == 1 else f"rounds {found.round + 1} to {last}"
    return Condition(
        name,
        "fail",
        f"inputs {join_history(found.inputs)}: core {join_history(found.event)} in {when} has "
        f"probability {found.probabilities[0]} after core {first} in round {found.round}, and "
        f"{found.probabilities[1]} after core {second}; draw afresh in every round",
        witness={
            "round": found.round,
            "later_round": last,
            "inputs": join_history(found.inputs),
            "cores": (first, second),
            "event": join_history(found.event),
            "probabilities": tuple(map(str, found.probabilities)),
        },
    )


def not_applicable_told(relation: str, differing: Sequence[tuple[Hashable, Hashable]]) -> Condition:
    """Return the finding for condition 4 where streams may differ in two rounds."""
    streams = tuple(join_history(pair[world] for pair in differing) for world in (0, 1))
    return Condition(
        "stable_cost",
        "not_applicable",
        "the theorem is about streams that differ in at most one round; the relation "
        f"{relation} has {streams[0]} beside {streams[1]}",
        witness={
            "rounds": tuple(n for n, (first, second) in enumerate(differing, 1) if first != second),
            "streams": streams,
        },
    )


def instability_told(found: Instability, later: Status, forms: dict[str, Fact]) -> Condition:
    """Return the finding for condition 4 where the common inputs change a cost.

    Args:
        found: The two contexts.
        later: Whether at least the inputs after the change leave its cost alone.
        forms: What is known of the forms of the condition.
    """
    first, second = map(view_text, found.change.inputs)
    contexts = tuple(map(join_history, found.contexts))
    reason = (
        f"round {found.round}: changing position {found.change.position} from "
        f"{first} to {second} costs delta = {found.deltas[0]} at e^eps = "
        f"{found.exp_epsilon} when the common inputs are {contexts[0] or '(none)'}, and "
        f"{found.deltas[1]} when they are {contexts[1] or '(none)'}"
        + (" (world 1 against world 0)" if found.order == "1-0" else "")
    )
    if later == "pass":
        reason += (
            "; inputs after the change leave its cost alone, so adapting does not help "
            "although the theorem is silent"
        )
    return Condition(
        "stable_cost",
        "fail",
        reason,
        witness={
            "round": found.round,
            "position": found.change.position,
            "inputs": (first, second),
            "contexts": contexts,
            "exp_epsilon": str(found.exp_epsilon),
            "order": found.order,
            "deltas": tuple(map(str, found.deltas)),
        },
        details={**forms, "later_contexts": later},
    )


def forms_of_stability(
    stability: Stability | Instability | LimitError, found: Decomposition | LimitError
) -> dict[str, Fact]:
    """Say which forms of condition 4 hold: context stability, and Definition E.3 as printed."""
    statuses: dict[type, Status] = {Stability: "pass", Instability: "fail"}
    forms: dict[str, Fact] = {
        "certified_by": None,
        "context_stability": statuses.get(type(stability), "undecided"),
    }
    if isinstance(found, LimitError):
        forms["definition_e3"] = {"status": "undecided", "reason": str(found)}
        return forms
    metric = [each for each in found.attempts if each.difference == "metric"]
    passing = found.passing("metric")
    status: Status = "pass" if passing else "fail"
    if not passing and any(each.passed is None for each in metric):
        status = "undecided"
    e3: dict[str, Fact] = {
        "status": status,
        "index_sets": tuple(found.index_sets),
        "tried": tuple(map(_attempt_told, found.attempts)),
    }
    if passing:
        e3["aggregate"] = passing.aggregate
    elif not metric:
        e3["reason"] = "no aggregate suits these inputs"
    else:
        # A saturating sum, tried last, tells more than the groups that do not fit.
        told = metric[-1] if metric[-1].aggregate.startswith("sum capped") else metric[0]
        e3["reason"] = f"no aggregate tried fits; {told.aggregate}: {told.reason}"
    forms["definition_e3"] = e3
    return forms


def _attempt_told(attempt: Attempt) -> Fact:
    status = {True: "pass", False: "fail", None: "undecided"}[attempt.passed]
    facts: dict[str, Fact] = {
        "aggregate": attempt.aggregate,
        "difference": attempt.difference,
        "status": status,
    }
    if attempt.reason:
        facts["reason"] = attempt.reason
    return facts


def post_processing_told(
    found: Ambiguity | LimitError | None, *, throughout: bool = True
) -> Condition:
    """Return the finding for condition 5 of a mechanism that declares a core.

    Args:
        found: What the search found.
        throughout: Whether every step declares a core; else the view stands for it.
    """
    name = "post_processing"
    if isinstance(found, LimitError):
        return Condition(name, "undecided", str(found))
    if found is None:
        reason = "the cores so far settle every view"
        if not throughout:
            reason += "; some steps declare no core, so that their view counts as one"
        return Condition(name, "pass", reason)
    first, second = map(view_text, found.views)
    inputs = tuple(map(join_history, found.inputs))
    return Condition(
        name,
        "fail",
        f"after the cores {join_history(found.cores)} the view of round {len(found.cores)} may be "
        f"{first} (inputs {inputs[0]}) or {second} (inputs {inputs[1]})",
        witness={
            "round": len(found.cores),
            "cores": join_history(found.cores),
            "views": (first, second),
            "inputs": inputs,
        },
    )
