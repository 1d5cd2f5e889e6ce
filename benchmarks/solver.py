"""Scale of the game solver: nodes, edges, time and memory against the horizon.

Three tables: the exact solver on every family; the solver beside naive enumeration of all
deterministic adversaries, as a ratio, where that finishes; and the certified gap against the work
allowed, where exactness is given up.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from multiprocessing.connection import Connection

from families import FAMILIES, Family

from powercert.accounting import Enclosure
from powercert.certify.audit import audit
from powercert.certify.limits import Clock, Limits
from powercert.certify.solver import solve
from powercert.certify.verdict import Claim
from powercert.mechanisms import ExactMachine, Relation

Row = dict[str, object]
_PATIENCE = 120.0


def relation_of(family: Family) -> Relation:
    """Return the family's relation over its inputs."""
    return family.relation.over(family.inputs)


def measure_exact(family: Family, horizon: int, fixed: bool) -> Row:
    """Solve for all epsilons at once, with or without the whole fixed profile."""
    limits = Limits(nodes=2_000_000, edges=1_000_000, transitions=5_000_000)
    start = time.perf_counter()
    if fixed:
        report = audit(family.spec(horizon), limits=limits)
        nodes, edges = report.statistics["nodes"], report.statistics.get("edges", 0)
    else:
        machine = ExactMachine(family.spec(horizon).mechanism)  # type: ignore[arg-type,var-annotated]
        solution = solve(machine, relation_of(family), horizon, Clock(limits))
        assert solution.exact and solution.lower_curves is not None
        nodes = solution.game.nodes
        edges = max(len(edges) for layer in solution.lower_curves for edges in layer)
    return {
        "family": family.name,
        "T": horizon,
        "nodes": nodes,
        "edges": edges,
        "seconds": f"{time.perf_counter() - start:.2f}",
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def naive_delta(family: Family, horizon: int, gamma: Fraction) -> Fraction:
    """Maximise P0 - gamma P1 over all adversaries by plain recursion over histories."""
    machine = ExactMachine(family.spec(horizon).mechanism)  # type: ignore[arg-type,var-annotated]
    relation = relation_of(family)

    def can_finish(states: frozenset[object], left: int) -> bool:
        if not left:
            return any(relation.accepts(state) for state in states)  # type: ignore[arg-type]
        after = {t for s in states for _, _, t in relation.pairs(s)}  # type: ignore[arg-type]
        return bool(after) and can_finish(frozenset(after), left - 1)

    def moved(law: dict[object, Fraction], item: object) -> dict[object, dict[object, Fraction]]:
        result: dict[object, dict[object, Fraction]] = {}
        for state, mass in law.items():
            for view, after, weight in machine.transitions(state, item):
                masses = result.setdefault(view, {})
                masses[after] = masses.get(after, Fraction(0)) + mass * weight.as_fraction()
        return result

    def value(states: frozenset[object], law0: dict, law1: dict, left: int) -> Fraction:  # type: ignore[type-arg]
        total0 = sum(law0.values(), Fraction(0))
        total1 = sum(law1.values(), Fraction(0))
        if not left:
            return max(Fraction(0), total0 - gamma * total1)
        targets: dict[tuple[object, object], set[object]] = {}
        for state in states:
            for first, second, target in relation.pairs(state):  # type: ignore[arg-type]
                targets.setdefault((first, second), set()).add(target)
        best = Fraction(0)
        for (first, second), after in targets.items():
            following = frozenset(after)
            if not can_finish(following, left - 1):
                continue
            views0, views1 = moved(law0, first), moved(law1, second)
            best = max(
                best,
                sum(
                    (
                        value(following, views0.get(v, {}), views1.get(v, {}), left - 1)
                        for v in {*views0, *views1}
                    ),
                    Fraction(0),
                ),
            )
        return best

    law = {state: weight.as_fraction() for state, weight in machine.initial()}
    return value(frozenset([relation.start]), law, law, horizon)


def measure_naive(family: Family, horizon: int) -> Row:
    """Time one gamma by recursion over histories, and the solver's whole curve, in one run."""
    gamma = Fraction(2)
    start = time.perf_counter()
    expected = naive_delta(family, horizon, gamma)
    naive = time.perf_counter() - start
    start = time.perf_counter()
    machine = ExactMachine(family.spec(horizon).mechanism)  # type: ignore[arg-type,var-annotated]
    solution = solve(machine, relation_of(family), horizon, Clock(Limits()))
    ours = time.perf_counter() - start
    assert solution.lower.profile().delta(exp_epsilon=gamma) == expected
    return {
        "family": family.name,
        "T": horizon,
        "naive s (one gamma)": f"{naive:.3f}",
        "solver s (all gamma)": f"{ours:.3f}",
        "ratio": f"{naive / ours:.0f}",
    }


def measure_gap(family: Family, horizon: int, limits: Limits, allowed: str, gamma: int) -> Row:
    """Audit under a limit and say what is left open at one gamma."""
    start = time.perf_counter()
    spec = family.spec(horizon)
    claimed = type(spec)(
        name=spec.name,
        mechanism=spec.mechanism,
        relation=spec.relation,
        horizon=horizon,
        inputs=spec.inputs,
        claim=Claim.of(exp_epsilon=gamma, delta=0),
    )
    report = audit(claimed, limits=limits, whole_profile=False)
    judgement = report.results[0].adaptive
    delta = judgement.delta_at_claim
    assert isinstance(delta, Enclosure) and judgement.witness is not None
    lower, upper = float(delta.lower), float(delta.upper)  # type: ignore[arg-type]
    return {
        "family": family.name,
        "T": horizon,
        "e^eps": gamma,
        "allowed": allowed,
        "lower": f"{lower:.7f}",
        "upper": f"{upper:.7f}",
        "gap": f"{upper - lower:.1e}",
        "seconds": f"{time.perf_counter() - start:.2f}",
    }


def in_a_process(work: Callable[[], Row]) -> Row | None:
    """Run one measurement in a process of its own, so that memory is its own; None if too slow."""

    def run(connection: Connection) -> None:
        connection.send(work())

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run, args=(theirs,))
    process.start()
    theirs.close()
    row: Row | None = None
    if ours.poll(_PATIENCE):
        try:
            row = ours.recv()
        except EOFError:
            row = None
    process.terminate()
    process.join()
    return row


def print_row(row: Row | None, widths: dict[str, int], heading: list[bool]) -> None:
    """Print one measurement, after a heading the first time."""
    if row is None:
        print("  (not finished)", flush=True)
        return
    if heading[0]:
        print("  ".join(f"{name:>{widths.get(name, 10)}}" for name in row))
        heading[0] = False
    print("  ".join(f"{row[name]!s:>{widths.get(name, 10)}}" for name in row), flush=True)


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", action="append", help="only these (may be repeated)")
    parser.add_argument("--table", action="append", choices=["exact", "naive", "gap"])
    arguments = parser.parse_args()
    chosen = [f for f in FAMILIES if not arguments.family or f.name in arguments.family]
    tables = arguments.table or ["exact", "naive", "gap"]
    widths = {
        "family": 20,
        "both profiles s": 16,
        "naive s (one gamma)": 20,
        "solver s (all gamma)": 20,
        "allowed": 22,
    }
    if "exact" in tables:
        print(
            "Exact, every epsilon at once (adaptive; then with all fixed pairs, claims and witness)"
        )
        heading = [True]
        for family, horizon in ((f, t) for f in chosen for t in f.horizons):
            row = in_a_process(partial(measure_exact, family, horizon, False))
            both = in_a_process(partial(measure_exact, family, horizon, True))
            if row is not None:
                row["both profiles s"] = "-" if both is None else both["seconds"]
            print_row(row, widths, heading)
    if "naive" in tables:
        print("\nBeside naive recursion over all histories and pairs")
        heading = [True]
        for family, horizon in product(chosen, (2, 3, 4, 5)):
            if len(family.inputs) > 2 and horizon > 4:
                continue
            print_row(in_a_process(partial(measure_naive, family, horizon)), widths, heading)
    if "gap" in tables:
        print("\nCertified gap against the work allowed")
        heading = [True]
        by_name = {family.name: family for family in chosen}
        for name, horizon, gamma, unit, amounts in (
            ("four-outputs-user", 16, 7, "edges", (16, 64, 256, 1024)),
            ("four-outputs-user", 64, 7, "edges", (64, 256)),
            ("hidden-user", 6, 1, "nodes", (10, 100, 1000, 10000, 100_000)),
            ("hidden-user", 15, 1, "nodes", (100, 1000)),
            ("hidden-event", 9, 1, "nodes", (100, 1000, 10000)),
            ("svt-never-halting", 8, 2, "nodes", (100, 1000, 100_000)),
            ("svt-halting", 8, 2, "nodes", (20, 100, 1000)),
        ):
            if name not in by_name:
                continue
            for amount in amounts:
                limits = Limits(**{unit: amount})  # type: ignore[arg-type]
                allowed = f"{unit} {amount}"
                family = by_name[name]
                print_row(
                    in_a_process(partial(measure_gap, family, horizon, limits, allowed, gamma)),
                    widths,
                    heading,
                )


if __name__ == "__main__":
    main()
