"""Checklist 1 against the horizon: seconds beside the game solver, and beside listing all runs.

The ratio to the solver says what an audit pays for the checklist. The naive check lists every input
stream with its joint law and tests independence and stability by definition; it is run where it
finishes, in the same process, and must agree.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from itertools import product
from typing import Any

from families import FAMILIES, Family

from powercert.accounting import Pair
from powercert.certify.checklist import Checklist, checklist
from powercert.certify.limits import Clock, Limits
from powercert.certify.solver import solve
from powercert.mechanisms import ExactMachine, SerialTreeCounter, TreeCounter, TwoSidedGeometric

Joint = dict[tuple[Any, ...], Fraction]
_NAIVE_STREAMS = 64


def joint_law(machine: ExactMachine[Any, Any, Any, Any], stream: tuple[Any, ...]) -> Joint:
    """Return the law of all views under a stream, by listing runs."""
    runs: dict[tuple[Any, tuple[Any, ...]], Fraction] = {
        (state, ()): weight.as_fraction() for state, weight in machine.initial()
    }
    for item in stream:
        longer: dict[tuple[Any, tuple[Any, ...]], Fraction] = {}
        for (state, views), mass in runs.items():
            for view, after, weight in machine.transitions(state, item):
                key = after, (*views, view)
                longer[key] = longer.get(key, Fraction(0)) + mass * weight.as_fraction()
        runs = longer
    joint: Joint = {}
    for (_, views), mass in runs.items():
        joint[views] = joint.get(views, Fraction(0)) + mass
    return joint


def naive_certified(family: Family, horizon: int) -> bool:
    """Decide conditions 2 and 4 under the Hamming relation, word by word."""
    machine = ExactMachine[Any, Any, Any, Any](family.spec(horizon).mechanism)  # type: ignore[arg-type]
    marginals: dict[tuple[Any, ...], list[dict[Any, Fraction]]] = {}
    for stream in product(family.inputs, repeat=horizon):
        joint = joint_law(machine, stream)
        laws: list[dict[Any, Fraction]] = [{} for _ in range(horizon)]
        for views, mass in joint.items():
            for law, view in zip(laws, views, strict=True):
                law[view] = law.get(view, Fraction(0)) + mass
        for views in product(*laws):
            expected = Fraction(1)
            for law, view in zip(laws, views, strict=True):
                expected *= law[view]
            if joint.get(views, Fraction(0)) != expected:
                return False
        marginals[stream] = laws
    costs: dict[tuple[Any, ...], object] = {}
    for stream, position, item in product(marginals, range(horizon), family.inputs):
        other = (*stream[:position], item, *stream[position + 1 :])
        for number in range(position, horizon):
            null, law = marginals[other][number], marginals[stream][number]
            masses = [(null.get(v, Fraction(0)), law.get(v, Fraction(0))) for v in {*null, *law}]
            pair = Pair.from_laws([p for p, _ in masses], [q for _, q in masses])
            key = number, position, stream[position], item
            if costs.setdefault(key, pair.power_function()) != pair.power_function():
                return False
    return True


def line(name: str, horizon: int, found: Checklist, ours: float, game: float, naive: str) -> str:
    """Return one row."""
    basis = (
        found.certificate.basis
        if found.certificate
        else (found.failing[0].name if found.failing else "does not apply")
    )
    ratio = f"{ours / game:.1f}" if game else ""
    return f"{name:>22} {horizon:>4} {basis:>20} {ours:>9.3f} {game:>9.3f} {ratio:>7} {naive:>12}"


def measure(name: str, spec: Any, horizon: int, family: Family | None) -> str:
    """Time the checklist, the adaptive game, and the naive check where it finishes."""
    start = time.perf_counter()
    found = checklist(spec)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    machine = ExactMachine[Any, Any, Any, Any](spec.mechanism)
    solve(machine, spec.neighbours(), horizon, Clock(Limits(seconds=60)))
    game = time.perf_counter() - start
    naive = ""
    if family is not None and family.relation.name == "hamming":
        small = 1
        while len(family.inputs) ** (small + 1) <= _NAIVE_STREAMS:
            small += 1
        small = min(small, horizon)
        start = time.perf_counter()
        slow = naive_certified(family, small)
        naive_seconds = time.perf_counter() - start
        start = time.perf_counter()
        assert checklist(family.spec(small)).certified == slow
        naive = f"{naive_seconds / (time.perf_counter() - start):.0f}x (T={small})"
    return line(name, horizon, found, ours, game, naive)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", action="append", help="only these (may be repeated)")
    wanted = parser.parse_args().family
    print(
        f"{'family':>22} {'T':>4} {'outcome':>20} {'checklist':>9} {'game':>9} {'ratio':>7} "
        f"{'naive':>12}"
    )
    for family in FAMILIES:
        for horizon in family.horizons:
            if not wanted or family.name in wanted:
                print(measure(family.name, family.spec(horizon), horizon, family), flush=True)
    from powercert.certify.spec import AuditSpec

    noise = TwoSidedGeometric("1/2").truncated(-2, 2)
    for rounds in (4, 8):
        if not wanted or "count-tree" in wanted:
            tree = TreeCounter(rounds, noise)
            spec = AuditSpec("joint", tree, "hamming", rounds, tree.inputs)
            print(measure("count-tree", spec, rounds, None), flush=True)
            serial = SerialTreeCounter(rounds, noise)
            spec = AuditSpec("serial", serial, serial.relation(), serial.rounds, serial.inputs)
            print(measure("count-tree-serial", spec, serial.rounds, None), flush=True)


if __name__ == "__main__":
    main()
