"""The audit: solve, judge every claim against both kinds of adversary, and keep the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..accounting.certificate import Certificate
from ..accounting.errors import LimitError, PowercertError
from ..accounting.numbers import Enclosure, End, Exact
from ..accounting.power import PowerFunction
from ..accounting.profile import PrivacyProfile
from ..mechanisms.enumeration import ExactMachine
from ..mechanisms.stateless import JointLaws
from .checklist.decide import checklist_of_machine
from .checklist.joint_laws import legal_part
from .compiled import Ring
from .curve import Edges, upper_hull
from .deadline import interruptible
from .fixed import Path
from .game import Game, root_curve
from .joint import joint_report
from .judging import delta_at, difference, gap_intervals, judged, worse_order
from .limits import Clock, Limits, Progress
from .relation_graph import unrolled
from .solver import Attained, Solution, Streams, pair_of, solve
from .spec import AuditSpec, require_spec
from .threshold import Threshold
from .transcripts import listed
from .verdict import (
    AuditReport,
    Claim,
    ClaimResult,
    ProfileBounds,
    Witness,
    excess_of,
)

__all__ = ["audit"]

_NOTHING: Sequence[Claim | None] = (None,)


def audit(
    spec: AuditSpec,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    whole_profile: bool = True,
) -> AuditReport:
    """Judge a mechanism over all neighbouring inputs and all adversaries.

    Guarantee: "holds" and "violated" are decided exactly; where a limit was reached the numbers are
    certified intervals and a verdict that they do not decide is "undecided".

    Args:
        spec: Mechanism, relation, horizon and claims.
        limits: Where to stop being exact.
        progress: Told about long stages.
        whole_profile: False leaves the nonadaptive profile away from the claims to bounds.

    Raises:
        InputError: The mechanism or the relation is not usable.
        LimitError: Not even the mechanism could be enumerated within the limits.

    Example:
        >>> from powercert.certify.spec import load_example
        >>> report = audit(load_example("two-round-counterexample"))
        >>> report.verdict, str(report.results[0].adaptive.delta_at_claim.upper)
        ('violated', '991/10000')
    """
    require_spec(spec, "audit")
    clock = Clock(limits or Limits(), progress)
    relation = spec.neighbours()
    claims = list(spec.claims)
    mechanism = spec.mechanism
    if isinstance(mechanism, JointLaws):
        mechanism = legal_part(mechanism, unrolled(relation, spec.horizon))
        anticipation = mechanism.anticipation()
        if anticipation is not None:
            return joint_report(
                spec.name,
                claims,
                mechanism,
                relation,
                anticipation,
                clock,
                spec.warnings,
                spec.notes,
            )
        machine = ExactMachine[Any, Any, Any, Any](mechanism.as_laws())
    else:
        machine = ExactMachine[Any, Any, Any, Any](mechanism)
    bounds = [claim.exp_epsilon for claim in claims if isinstance(claim.exp_epsilon, Exact)]
    gammas = [gamma for bound in bounds for gamma in _both_orders(bound)]
    solution = solve(machine, relation, spec.horizon, clock, gammas)
    _check_memory(machine, clock)
    conditions = checklist_of_machine(
        spec.name,
        machine,
        relation,
        spec.horizon,
        _half_of_what_is_left(clock),
        views=solution.compiled,
        joint=isinstance(spec.mechanism, JointLaws),
    )
    if conditions.certificate is not None:
        _check_certificate(conditions.certificate, solution)
        if not solution.exact:
            # Views are a function of the cores, so what holds for these bounds the views too.
            least = solution.upper.curve.minimum(conditions.certificate.power.curve)
            solution.upper = PowerFunction(least)
    adaptive_profile = ProfileBounds(worse_order(solution.lower), worse_order(solution.upper))
    fixed = _fixed(solution, gammas, whole_profile)
    results = tuple(
        _result(claim, solution, adaptive_profile, fixed) for claim in claims or _NOTHING
    )
    return AuditReport(
        name=spec.name,
        results=results,
        adaptive_profile=adaptive_profile,
        nonadaptive_profile=fixed.profile,
        gap_where=gap_intervals(adaptive_profile, fixed.profile),
        checklist=conditions,
        limits=_limits_reached(solution, fixed, clock),
        statistics=_statistics(solution, fixed, clock),
        warnings=spec.warnings,
        notes=spec.notes,
    )


def _check_memory(machine: ExactMachine[Any, Any, Any, Any], clock: Clock) -> None:
    """Refuse memory outside the state where there is time to look for it."""
    # A time limit that ends this extra check leaves the bounds found so far as they are.
    with suppress(LimitError):
        interruptible(machine.check_memory, clock, "replay on a copy of the mechanism")


def _half_of_what_is_left(clock: Clock) -> Clock:
    """Return a clock for a stage that must leave time to those after it."""
    seconds = clock.limits.seconds
    if seconds is None:
        return clock
    until = clock.elapsed + max(0.0, seconds - clock.elapsed) / 2
    return clock.with_limits(replace(clock.limits, seconds=until))


def _check_certificate(certificate: Certificate, solution: Solution) -> None:
    """Hold a certificate against the solver: no adversary may do better than it says."""
    if not solution.lower <= certificate.power:
        raise PowercertError(
            "internal check failed: the game's adversary does better than Checklist 1 allows",
            found=f"delta up to {solution.lower.profile().delta(exp_epsilon=1)} at epsilon = 0",
            expected="report this as a fault of powercert",
        )


@dataclass(frozen=True)
class _Fixed:
    """What is known of fixed pairs of streams.

    Args:
        profile: Bounds on the profile over all fixed pairs.
        best: The curve of the best path at each gamma that was searched to the end.
        lines: Solved games of paths that are merely good, where the search did not end.
        looked_at: Prefix laws looked at.
        reached: Name of the limit that ended the search, or "".
    """

    profile: ProfileBounds
    best: Mapping[Exact, tuple[Path, PowerFunction]]
    lines: Sequence[Solution]
    looked_at: int
    reached: str

    def exact_at(self, bound: Exact) -> ProfileBounds | None:
        """Return a profile that is the true one at the claim, if both orders were searched."""
        found = [self.best.get(gamma) for gamma in _both_orders(bound)]
        profiles = [worse_order(entry[1]) for entry in found if entry is not None]
        if len(profiles) < len(found):
            return None
        profile = PrivacyProfile.maximum(profiles)
        return ProfileBounds(profile, profile)


def _both_orders(bound: Exact) -> tuple[Exact, Exact]:
    """Return where to weigh P0 against P1 so that both orders are judged at e^epsilon."""
    return bound, 1 / bound


def _fixed(solution: Solution, gammas: Sequence[Exact], whole_profile: bool) -> _Fixed:
    """Search fixed pairs: at the claims first, then everywhere, both under the limits."""
    search = solution.fixed_search()
    best: dict[Exact, tuple[Path, PowerFunction]] = {}
    reached = "" if search is not None else _stopped_by(solution.game)
    ring = solution.compiled.ring
    if search is not None and solution.upper_curves is not None:
        try:
            for gamma in gammas:
                path = search.best_path(gamma)
                if path is not None:
                    best[gamma] = path, pair_of(search.paths[path], ring).power_function()
            if whole_profile:
                edges = search.profile(root_curve(solution.upper_curves))
                profile = worse_order(pair_of(edges, ring).power_function())
                bounds = ProfileBounds(profile, profile)
                return _Fixed(bounds, best, (), search.looked_at, "")
        except LimitError as error:
            reached = "edges" if "edges" in error.what else "laws"
    lower = PowerFunction.identity()
    if search is not None and search.paths:
        lower = pair_of(upper_hull(list(search.paths.values())), ring).power_function()
    lines = _guessed_lines(solution, gammas) if reached else []
    lower = PowerFunction.supremum([lower, *(line.lower for line in lines)])
    if search is not None:
        open_gammas = [gamma for gamma in gammas if gamma not in best]
        lines += [solution.along(path) for path in _attaining(search.paths, open_gammas, ring)]
    bounds = ProfileBounds(worse_order(lower), worse_order(solution.upper))
    return _Fixed(bounds, best, lines, 0 if search is None else search.looked_at, reached)


def _attaining(paths: Mapping[Path, Edges], gammas: Sequence[Exact], ring: Ring) -> list[Path]:
    """Return the paths found that do best at the gammas, so that witnesses reach the bounds."""
    chosen: dict[Path, None] = {}
    for gamma in gammas:
        threshold = Threshold(gamma, ring)
        best: Path | None = None
        for path, edges in paths.items():
            if best is None or threshold.greater(
                threshold.best(edges), threshold.best(paths[best])
            ):
                best = path
        if best is not None:
            chosen[best] = None
    return list(chosen)


def _guessed_lines(solution: Solution, gammas: Sequence[Exact]) -> list[Solution]:
    """Return solved games of a few fixed pairs that a good adaptive adversary might feed."""
    found = solution.found or [
        solution.adversary(gamma, complement=False) for gamma in gammas or (Exact(1),)
    ]
    paths = dict.fromkeys(_likely_path(solution, attained) for attained in found)
    lines: list[Solution] = []
    for path in paths:
        if lines and solution.clock.expired:
            break
        lines.append(solution.guessed_along(path, gammas))
    return lines


def _likely_path(solution: Solution, attained: Attained) -> Path:
    """Follow a policy along its first possible views, and return the arcs it takes."""
    path: list[int] = []
    position = solution.graph.start
    policy = attained.policy
    key = policy.start()
    support = {state for state, _ in solution.compiled.initial}
    for index in range(solution.graph.horizon):
        arc = policy.move(index, key)
        path.append(solution.graph.arcs[index][position].index(arc))
        weights: dict[int, float] = {}
        after: dict[int, set[int]] = {}
        ring, unit = solution.compiled.ring, solution.compiled.denominators[index]
        for state in support:
            for view, target, mass in solution.compiled.rows[index].get((state, arc.input0), ()):
                weights[view] = weights.get(view, 0.0) + float(ring.number(mass, unit))
                after.setdefault(view, set()).add(target)
        view = max(weights, key=lambda number: weights[number])
        key = policy.after(index, key, view)
        support = after[view]
        position = arc.target
    return tuple(path)


def _result(
    claim: Claim | None, solution: Solution, adaptive: ProfileBounds, fixed: _Fixed
) -> ClaimResult:
    """Judge one claim against both kinds of adversary."""
    adaptive_delta = delta_at(claim, adaptive)
    fixed_delta = delta_at(claim, fixed.profile)
    witness: Witness | None = None
    fixed_witness: Witness | None = None
    if claim is not None and isinstance(claim.exp_epsilon, Exact):
        bound = claim.exp_epsilon
        witness = _adaptive_witness(bound, solution)
        fixed_witness = _fixed_witness(bound, solution, fixed)
        exact = fixed.exact_at(bound)
        if exact is not None:
            fixed_delta = delta_at(claim, exact)
    adaptive_judgement = judged(claim, adaptive, adaptive_delta, witness)
    fixed_judgement = judged(claim, fixed.profile, fixed_delta, fixed_witness)
    gap: Enclosure | None = None
    if adaptive_delta is not None and fixed_delta is not None:
        gap = difference(adaptive_delta, fixed_delta)
    return ClaimResult(claim, adaptive_judgement, fixed_judgement, gap)


def _adaptive_witness(bound: Exact, solution: Solution) -> Witness:
    """Return the best replayed adaptive adversary, in the worse order."""
    found = [
        _Candidate(solution.adversary(gamma, complement=swapped), swapped, solution)
        for gamma, swapped in zip(_both_orders(bound), (False, True), strict=True)
    ]
    return _witness(_worse(found, bound), solution, None)


def _fixed_witness(bound: Exact, solution: Solution, fixed: _Fixed) -> Witness | None:
    """Return the best replayed fixed pair at the claim, in the worse order."""
    found: list[_Candidate] = []
    for gamma, swapped in zip(_both_orders(bound), (False, True), strict=True):
        best = fixed.best.get(gamma)
        lines = fixed.lines if best is None else [solution.along(best[0])]
        for line in lines:
            found.append(_Candidate(line.adversary(gamma, complement=swapped), swapped, line))
    if not found:
        return None
    worst = _worse(found, bound)
    return _witness(worst, solution, worst.game.streams())


@dataclass(frozen=True)
class _Candidate:
    """A replayed adversary, the order it is meant for, and the game it plays."""

    attained: Attained
    swapped: bool
    game: Solution

    @property
    def order(self) -> Literal["0-1", "1-0"]:
        """The order of worlds as reports name it."""
        return "1-0" if self.swapped else "0-1"


def _worse(found: Sequence[_Candidate], bound: Exact) -> _Candidate:
    """Return the adversary with the largest excess; the first order wins a tie."""

    def excess(candidate: _Candidate) -> End:
        attained = candidate.attained
        return excess_of(candidate.order, attained.p0, attained.p1, bound).lower

    return max(found, key=excess)


def _witness(candidate: _Candidate, solution: Solution, pair: Streams | None) -> Witness:
    """Return what a report shows of an adversary; ``pair`` is None for an adaptive one."""
    attained = candidate.attained
    transcripts = listed(
        solution.compiled,
        attained.policy,
        solution.graph.horizon,
        solution.clock.limits.shown,
    )
    adaptive = pair is None
    return Witness(
        order=candidate.order,
        p0=attained.p0,
        p1=attained.p1,
        event=transcripts.event,
        event_size=transcripts.event_size,
        strategy=transcripts.strategy if adaptive else None,
        strategy_size=transcripts.strategy_size if adaptive else 0,
        pair=pair,
        truncated=transcripts.event_size != len(transcripts.event)
        or (adaptive and transcripts.truncated),
    )


def _limits_reached(
    solution: Solution, fixed: _Fixed, clock: Clock
) -> Mapping[str, str | int | float | bool]:
    """Say which limits were reached, and what was asked for."""
    limits: dict[str, str | int | float | bool] = {
        "nodes": clock.limits.nodes,
        "edges": clock.limits.edges,
        "laws": clock.limits.laws,
        "adaptive_exact": solution.exact,
        "nonadaptive_exact": fixed.profile.is_exact,
    }
    if clock.limits.seconds is not None:
        limits["seconds"] = clock.limits.seconds
    reached: dict[str, None] = {}
    if clock.expired:
        reached["seconds"] = None
    else:
        if not solution.exact:
            reached[_stopped_by(solution.game)] = None
        if fixed.reached:
            reached[fixed.reached] = None
    limits["reached"] = ", ".join(reached)
    return limits


def _stopped_by(game: Game) -> str:
    """Name the limit that ended the exact game; exploring has a share of the seconds only."""
    if game.complete:
        return "edges"
    return "seconds" if game.hurried else "nodes"


def _statistics(solution: Solution, fixed: _Fixed, clock: Clock) -> Mapping[str, str | int | float]:
    statistics: dict[str, str | int | float] = {
        "nodes": solution.game.nodes,
        "depth": solution.game.depth,
        "transitions": solution.compiled.transitions,
        "positions": solution.graph.positions,
        "seconds": round(clock.elapsed, 3),
    }
    if solution.lower_curves is not None:
        statistics["edges"] = max(
            (len(edges) for layer in solution.lower_curves for edges in layer), default=0
        )
    statistics["prefix_laws"] = fixed.looked_at
    return statistics
