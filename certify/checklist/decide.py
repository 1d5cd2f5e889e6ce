"""Checklist 1: when does a proof for fixed streams survive feedback? Decided from exact laws."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...accounting.certificate import Basis, Certificate
from ...accounting.errors import LimitError
from ...accounting.power import PowerFunction
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.neighbours import Relation
from ...mechanisms.relation_checks import unextended_pair
from ...mechanisms.relation_digest import relation_digest
from ...mechanisms.stateless import JointLaws
from ..compiled import CompiledMachine, compiled
from ..curve import Edges, merged
from ..deadline import interruptible
from ..limits import Clock, Limits, Progress
from ..relation_graph import RelationGraph, unrolled
from ..solver import solve
from ..spec import AuditSpec, require_spec
from .aggregates import Aggregate
from .core import core_machine, joined_machine
from .decomposable import Attempt, Decomposition, decomposition
from .findings import Checklist, Condition, Status
from .fresh import Dependence, KeyGraph, fresh_randomness
from .joint_laws import checklist_of_joint, legal_part
from .post_processing import ambiguous_view
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
from .telling import (
    forms_of_stability,
    fresh_randomness_told,
    instability_told,
    not_applicable_told,
    post_processing_told,
)

__all__ = ["checklist", "checklist_of_machine"]

_PAST_ONLY = "holds by construction: a state machine reads its inputs one by one"


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

    Example:
        >>> from powercert.certify.spec import load_example
        >>> found = checklist(load_example("two-round-counterexample"))
        >>> found.certified, found.condition("stable_cost").status
        (False, 'fail')
        >>> found.condition("stable_cost").witness["contexts"]
        ('0', '1')

    Source: Checklist 1, Theorem 4.3 and Appendix E of the buffering-recipe paper.
    """
    require_spec(spec, "checklist")
    clock = Clock(limits or Limits(), progress)
    found = _decided(spec, clock, aggregates)
    return replace(found, warnings=spec.warnings, notes=spec.notes)


def _decided(spec: AuditSpec, clock: Clock, aggregates: Sequence[Aggregate] | None) -> Checklist:
    relation = spec.neighbours()
    mechanism = spec.mechanism
    if isinstance(mechanism, JointLaws):
        mechanism = legal_part(mechanism, unrolled(relation, spec.horizon))
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
            "distribution function); replays of the same draws, also on a fresh copy, gave the same "
            "steps",
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
        core_declared=machine.declares_core,
    )


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
        def read() -> CompiledMachine:
            table = compiled(machine, self.graph, self.clock)
            self.machine.check_memory()
            return table

        return interruptible(read, self.clock, "enumeration of the mechanism")

    @cached_property
    def keys(self) -> KeyGraph | Dependence | LimitError:
        """The laws of the cores, or why there are none."""
        try:
            return fresh_randomness(self.core, self.streams, self.clock)
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
        return fresh_randomness_told(self.keys)

    def stable(self) -> Condition:
        """Condition 4."""
        name = "stable_cost"
        if self.differing is not None:
            return not_applicable_told(self.relation.name, self.differing)
        if isinstance(self.keys, LimitError):
            return Condition(name, "undecided", str(self.keys))
        if isinstance(self.keys, Dependence):
            return Condition(
                name,
                "not_applicable",
                "one round alone has no cost, as its core depends on earlier ones (condition 2)",
            )
        found = self.stability
        forms = forms_of_stability(found, self.decomposition)
        if isinstance(found, LimitError):
            return Condition(name, "undecided", str(found), details=forms)
        if isinstance(found, Instability):
            return instability_told(found, self._later_contexts(), forms)
        basis, attempt = self._basis()
        forms["certified_by"] = basis
        reason = "common inputs never change the cost of one changed input"
        if attempt is not None:
            reason += f"; {basis} holds with the aggregate {attempt.aggregate}"
        return Condition(name, "pass", reason, details=forms)

    def _later_contexts(self) -> Status:
        assert isinstance(self.keys, KeyGraph)
        try:
            found = later_context_stability(self.graph, self.keys, self.curves, self.clock)
        except LimitError:
            return "undecided"
        return "pass" if found is None else "fail"

    def _basis(self) -> tuple[Basis, Attempt | None]:
        """Return the strictest form of condition 4 that holds, and the attempt that shows it."""
        found = self.decomposition
        if isinstance(found, Decomposition):
            metric = found.passing("metric")
            if metric is not None:
                return "Definition E.3", metric
            difference = found.passing("signed", "vector", "group")
            if difference is not None:
                return "Remark E.5", difference
        return "context stability", None

    def post_processing(self) -> Condition:
        """Condition 5."""
        try:
            # Compiling the core reads every step, and so tells whether one declares a core.
            whole = self.core
            if not self.machine.declares_core:
                return Condition(
                    "post_processing", "pass", "no core is declared: the views are the cores"
                )
            assert whole
            joined = self._compiled(joined_machine(self.machine))
            return post_processing_told(
                ambiguous_view(joined, self.streams, self.clock),
                throughout=self.machine.declares_core_throughout,
            )
        except LimitError as error:
            return post_processing_told(error)

    def certificate(self) -> Certificate:
        """Issue the record; the costs of a change over all rounds multiply."""
        assert isinstance(self.stability, Stability)
        horizon = self.graph.horizon
        return Certificate(
            self.name,
            self.relation.name,
            relation_digest(self.relation, horizon),
            horizon,
            unextended_pair(self.relation, horizon) is None,
            self._basis()[0],
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
