"""Checklist 1: when does a proof for fixed streams survive feedback? Decided from exact laws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...accounting.certificate import Basis, Certificate
from ...accounting.errors import LimitError
from ...accounting.power import PowerFunction
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.neighbours import Relation
from ...mechanisms.stateless import Anticipation, JointLaws
from ..compiled import CompiledMachine, compiled
from ..curve import Edges, merged
from ..deadline import interruptible
from ..history import join_history, view_text
from ..limits import Clock, Limits, Progress
from ..relation_graph import RelationGraph, unrolled
from ..solver import solve
from ..spec import AuditSpec
from .aggregates import Aggregate
from .core import core_machine, joined_machine
from .decomposable import Attempt, Decomposition, decomposition
from .findings import Checklist, Condition, Fact
from .fresh import Dependence, KeyGraph, fresh_randomness
from .post_processing import Ambiguity, ambiguous_view
from .stability import (
    NO_COST,
    Change,
    Curves,
    Instability,
    Stability,
    context_stability,
    later_context_stability,
)
from .streams import StreamGraph, same_pairs, single_difference_graph, stream_graph, two_differences

__all__ = ["checklist", "checklist_of_joint", "checklist_of_machine"]

_PAST_ONLY = "holds by construction: a state machine reads its inputs one by one"
Views = tuple[Hashable, ...]

_IN_COMMON = "common inputs"


def checklist(
    spec: AuditSpec,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    aggregates: Sequence[Aggregate] | None = None,
) -> Checklist:
    """Decide the five conditions of Checklist 1, and certify where all of them hold.

    Guarantee: "pass" and "fail" are exact, over all legal streams up to the horizon; a failure
    comes with its witness. A certificate is issued only if every legal pair of streams differs in
    at most one round and all five conditions pass: then no adaptive adversary does better against
    the core releases than the worst fixed pair of streams.

    Args:
        spec: Mechanism, relation and horizon; claims are not looked at.
        limits: Where to stop; what is then not decided says so.
        progress: Told about long stages.
        aggregates: Additions to try for Definition E.3; by default what suits the inputs.

    Raises:
        InputError: The mechanism or the relation is not usable.
        LimitError: Not even the mechanism could be enumerated within the limits.

    Example:
        >>> from powercert.certify.spec import load_example
        >>> found = checklist(load_example("two-round-counterexample"))
        >>> found.certified, found.condition("stable_cost").status
        (False, 'fail')
        >>> found.condition("stable_cost").witness["contexts"]
        ('0', '1')

    Source: Checklist 1, Theorem 4.3 and Appendix E of the buffering-recipe paper.
    """
    clock = Clock(limits or Limits(), progress)
    relation = spec.neighbours()
    mechanism = spec.mechanism
    if isinstance(mechanism, JointLaws):
        anticipation = mechanism.anticipation()
        if anticipation is not None:
            return checklist_of_joint(spec.name, mechanism, relation, anticipation, clock)
        mechanism = mechanism.as_laws()
    return checklist_of_machine(
        spec.name,
        ExactMachine(mechanism),
        relation,
        spec.horizon,
        clock,
        aggregates=aggregates,
        joint=isinstance(spec.mechanism, JointLaws),
    )


def checklist_of_machine(
    name: str,
    machine: ExactMachine[Any, Any, Any, Any],
    relation: Relation,
    horizon: int,
    clock: Clock,
    *,
    aggregates: Sequence[Aggregate] | None = None,
    views: CompiledMachine | None = None,
    joint: bool = False,
) -> Checklist:
    """Decide Checklist 1 for a mechanism whose exact laws are at hand.

    Args:
        name: The mechanism's name.
        machine: Its enumerator.
        relation: The neighbouring relation.
        horizon: Number of rounds.
        clock: Limits and progress.
        aggregates: Additions to try for Definition E.3.
        views: The machine of the views if it was compiled before, to save doing it again.
        joint: Whether the laws came as joint laws (which do not anticipate).

    Raises:
        InputError: The mechanism or the relation is not usable.
        LimitError: Not even the mechanism could be enumerated.
    """
    graph = unrolled(relation, horizon)
    subject = _Subject(name, machine, relation, graph, clock, aggregates, views)
    past = "no law of a prefix depends on later inputs" if joint else _PAST_ONLY
    conditions = (
        Condition("prefix_dependence", "pass", past),
        subject.fresh(),
        Condition(
            "deterministic_release",
            "pass",
            "every law is the law of a function of the inputs and one seed (its inverse "
            "distribution function); replays of the same draws gave the same steps",
        ),
        subject.stable(),
        subject.post_processing(),
    )
    passed = all(each.status == "pass" for each in conditions)
    return Checklist(
        name,
        relation.name,
        horizon,
        conditions,
        subject.certificate() if passed else None,
        applies=subject.differing is None,
    )


def checklist_of_joint(
    name: str, joint: JointLaws, relation: Relation, anticipation: Anticipation, clock: Clock
) -> Checklist:
    """Decide what can be decided of laws that look ahead: condition 1 fails.

    Args:
        name: The mechanism's name.
        joint: The joint laws.
        relation: The neighbouring relation.
        anticipation: The witness against condition 1.
        clock: Limits.
    """
    graph = unrolled(relation, joint.rounds)
    streams = stream_graph(graph)
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
        _independence(joint, streams, clock),
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


def _independence(joint: JointLaws, streams: StreamGraph, clock: Clock) -> Condition:
    """Decide condition 2 for joint laws: is each a product over the rounds?"""
    for stream in joint.streams:
        if not _legal(streams, stream):
            continue
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


@dataclass
class _Subject:
    """One mechanism under the checklist; each condition is decided once."""

    name: str
    machine: ExactMachine[Any, Any, Any, Any]
    relation: Relation
    graph: RelationGraph
    clock: Clock
    aggregates: Sequence[Aggregate] | None
    views: CompiledMachine | None

    @cached_property
    def streams(self) -> StreamGraph:
        """The legal single streams."""
        return stream_graph(self.graph)

    @cached_property
    def differing(self) -> tuple[tuple[Hashable, Hashable], ...] | None:
        """A legal pair that differs in two rounds, to which the theorem does not apply."""
        return two_differences(self.graph)

    @cached_property
    def core(self) -> CompiledMachine:
        """The machine of the core releases."""
        if self.views is not None and not self.machine.declares_core:
            return self.views
        return self._compiled(core_machine(self.machine))

    def _compiled(self, machine: Any) -> CompiledMachine:
        return interruptible(
            lambda: compiled(machine, self.graph, self.clock),
            self.clock,
            "enumeration of the mechanism",
        )

    @cached_property
    def keys(self) -> KeyGraph | Dependence | LimitError:
        """The laws of the cores, or why there are none."""
        core = self.core
        try:
            return fresh_randomness(core, self.streams, self.clock)
        except LimitError as error:
            return error

    @cached_property
    def curves(self) -> Curves:
        """The power functions of pairs of one-round laws."""
        assert isinstance(self.keys, KeyGraph)
        return Curves(self.keys)

    @cached_property
    def stability(self) -> Stability | Instability | LimitError:
        """Context stability over the relation's own pairs."""
        assert isinstance(self.keys, KeyGraph)
        try:
            return context_stability(self.graph, self.keys, self.curves, self.clock)
        except LimitError as error:
            return error

    @cached_property
    def decomposition(self) -> Decomposition | LimitError:
        """Definition E.3 and its variants."""
        assert isinstance(self.keys, KeyGraph)
        everything = single_difference_graph(self.streams)
        known = self.stability if same_pairs(self.graph, everything) else None
        try:
            return decomposition(
                self.streams,
                everything,
                self.keys,
                self.curves,
                self.clock,
                self.aggregates,
                known,
            )
        except LimitError as error:
            return error

    def fresh(self) -> Condition:
        """Condition 2."""
        found = self.keys
        if isinstance(found, LimitError):
            return Condition("fresh_randomness", "undecided", str(found))
        if isinstance(found, Dependence):
            first, second = map(view_text, found.cores)
            last = found.round + len(found.event)
            when = (
                f"round {last}" if len(found.event) == 1 else f"rounds {found.round + 1} to {last}"
            )
            return Condition(
                "fresh_randomness",
                "fail",
                f"inputs {join_history(found.inputs)}: after core {first} or {second} in round "
                f"{found.round}, {join_history(found.event)} in {when} has probability "
                f"{found.probabilities[0]} or {found.probabilities[1]}",
                witness={
                    "round": found.round,
                    "later_round": last,
                    "inputs": join_history(found.inputs),
                    "cores": (first, second),
                    "event": join_history(found.event),
                    "probabilities": tuple(map(str, found.probabilities)),
                },
            )
        details: dict[str, Fact] = {"carried_draws": found.carried is not None}
        reason = "given the inputs, the cores of all rounds are independent"
        if found.carried is not None:
            details["carried_after"] = join_history(found.carried)
            reason += (
                "; the code keeps a draw in its state after the inputs "
                f"{join_history(found.carried) or '(none)'}, but no two cores share one"
            )
        return Condition("fresh_randomness", "pass", reason, details=details)

    def stable(self) -> Condition:
        """Condition 4."""
        name = "stable_cost"
        if self.differing is not None:
            return self._not_applicable()
        if isinstance(self.keys, LimitError):
            return Condition(name, "undecided", str(self.keys))
        if isinstance(self.keys, Dependence):
            return Condition(
                name,
                "not_applicable",
                "one round alone has no cost, as its core depends on earlier ones (condition 2)",
            )
        found = self.stability
        details = self._forms()
        if isinstance(found, LimitError):
            return Condition(name, "undecided", str(found), details=details)
        if isinstance(found, Instability):
            return self._unstable(found, details)
        basis = self._basis()
        details["certified_by"] = basis
        reason = f"{_IN_COMMON} never change the cost of one changed input"
        if basis != "context stability":
            attempt = self._passing("metric") or self._passing("signed", "vector", "group")
            assert attempt is not None
            reason += f"; {basis} holds with the aggregate {attempt.aggregate}"
        return Condition(name, "pass", reason, details=details)

    def _not_applicable(self) -> Condition:
        assert self.differing is not None
        rounds = [str(n) for n, (a, b) in enumerate(self.differing, 1) if a != b]
        streams = tuple(join_history(pair[world] for pair in self.differing) for world in (0, 1))
        return Condition(
            "stable_cost",
            "not_applicable",
            "the theorem is about streams that differ in at most one round; the relation "
            f"{self.relation.name} has {streams[0]} beside {streams[1]}",
            witness={"rounds": tuple(map(int, rounds)), "streams": streams},
        )

    def _unstable(self, found: Instability, details: dict[str, Fact]) -> Condition:
        assert isinstance(self.keys, KeyGraph)
        first, second = found.change.inputs
        contexts = tuple(map(join_history, found.contexts))
        try:
            narrow = later_context_stability(self.graph, self.keys, self.curves, self.clock)
            details["later_contexts"] = "fail" if narrow is not None else "pass"
        except LimitError:
            details["later_contexts"] = "undecided"
        reason = (
            f"round {found.round}: changing position {found.change.position} from "
            f"{view_text(first)} to {view_text(second)} costs delta = {found.deltas[0]} at e^eps = "
            f"{found.exp_epsilon} when the common inputs are {contexts[0] or '(none)'}, and "
            f"{found.deltas[1]} when they are {contexts[1] or '(none)'}"
        )
        if details["later_contexts"] == "pass":
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
                "inputs": (view_text(first), view_text(second)),
                "contexts": contexts,
                "exp_epsilon": str(found.exp_epsilon),
                "deltas": tuple(map(str, found.deltas)),
            },
            details=details,
        )

    def _forms(self) -> dict[str, Fact]:
        """Say which forms of condition 4 hold."""
        found = self.decomposition
        stability = {Stability: "pass", Instability: "fail", LimitError: "undecided"}
        forms: dict[str, Fact] = {
            "certified_by": None,
            "context_stability": stability[type(self.stability)],
        }
        if isinstance(found, LimitError):
            forms["definition_e3"] = {"status": "undecided", "reason": str(found)}
            return forms
        metric = [each for each in found.attempts if each.difference == "metric"]
        passing = found.passing("metric")
        status = "pass" if passing else "fail"
        if not passing and any(each.passed is None for each in metric):
            status = "undecided"
        e3: dict[str, Fact] = {
            "status": status,
            "index_sets": tuple(found.index_sets),
            "tried": tuple(_attempt_facts(each) for each in found.attempts),
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

    def _passing(self, *differences: str) -> Attempt | None:
        found = self.decomposition
        return None if isinstance(found, LimitError) else found.passing(*differences)

    def _basis(self) -> Basis:
        if self._passing("metric"):
            return "Definition E.3"
        if self._passing("signed", "vector", "group"):
            return "Remark E.5"
        return "context stability"

    def post_processing(self) -> Condition:
        """Condition 5."""
        name = "post_processing"
        # Reading the core reads every step, after which it is known whether one declares a core.
        core = self.core
        if not self.machine.declares_core:
            return Condition(name, "pass", "no core is declared: the views are the cores")
        assert core
        try:
            joined = self._compiled(joined_machine(self.machine))
            found = ambiguous_view(joined, self.streams, self.clock)
        except LimitError as error:
            return Condition(name, "undecided", str(error))
        if found is None:
            return Condition(name, "pass", "the cores so far settle every view")
        return _ambiguous(found)

    def certificate(self) -> Certificate:
        """Issue the record; the costs of a change over all rounds multiply."""
        assert isinstance(self.stability, Stability)
        return Certificate(
            self.name,
            self.relation.name,
            self.graph.horizon,
            self._basis(),
            self._power(self.stability),
        )

    def _power(self, stability: Stability) -> PowerFunction:
        """Return the power function of the worst fixed pair, which is that of every adversary."""
        by_change: dict[Change, list[Edges]] = {}
        for (_, change), curve in stability.costs.items():
            by_change.setdefault(change, []).append(curve)
        worst: dict[Edges, None] = {}
        for curves in dict.fromkeys(tuple(curves) for curves in by_change.values()):
            product = _product(curves, self.clock.limits.edges)
            if product is None:
                core = core_machine(self.machine)
                return solve(core, self.relation, self.graph.horizon, self.clock).upper
            worst[product] = None
        return PowerFunction.supremum([self.curves.power(edges) for edges in worst])


def _product(curves: Sequence[Edges], limit: int) -> Edges | None:
    """Return the curve of independent rounds, or None if it has too many edges."""
    result: Edges = NO_COST
    for curve in curves:
        if curve == NO_COST:
            continue
        if len(result) * len(curve) > 8 * limit:
            return None
        result = merged([(result, n0, n1) for n0, n1 in curve])
        if len(result) > limit:
            return None
    return result


def _attempt_facts(attempt: Attempt) -> Fact:
    status = {True: "pass", False: "fail", None: "undecided"}[attempt.passed]
    facts: dict[str, Fact] = {
        "aggregate": attempt.aggregate,
        "difference": attempt.difference,
        "status": status,
    }
    if attempt.reason:
        facts["reason"] = attempt.reason
    return facts


def _ambiguous(found: Ambiguity) -> Condition:
    first, second = map(view_text, found.views)
    inputs = tuple(map(join_history, found.inputs))
    return Condition(
        "post_processing",
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
