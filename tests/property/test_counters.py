"""Laws of counters: feedback gains nothing where noise is fresh, and the sampler has the law."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.profile import PrivacyProfile
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import AuditReport
from powercert.mechanisms import (
    Coins,
    ExactMachine,
    Factorisation,
    FiniteLaw,
    LinearMechanism,
    Mechanism,
    Relation,
    RelationFamily,
    SeededBits,
    SerialTreeCounter,
    Step,
    TreeCounter,
    hamming,
    open_run,
    participations,
    post_process,
)
from powercert.mechanisms.coins import SampledLaw
from powercert.mechanisms.unbounded_laws import TwoSidedGeometric

AnyMechanism = Mechanism[Any, Any, Any, Any]
Law = dict[Hashable, Fraction]


@st.composite
def noises(draw: st.DrawFn, outcomes: Iterable[int], least: int = 0) -> FiniteLaw[int]:
    """A random rational law on given integers; with ``least`` = 1 all of them have weight."""
    places = tuple(outcomes)
    parts = draw(
        st.lists(st.integers(least, 5), min_size=len(places), max_size=len(places)).filter(any)
    )
    return FiniteLaw.of({k: Fraction(n, sum(parts)) for k, n in zip(places, parts, strict=True)})


def audited(
    mechanism: AnyMechanism,
    rounds: int,
    inputs: Iterable[Hashable] = (0, 1),
    relation: Relation | RelationFamily | None = None,
) -> AuditReport:
    neighbours = hamming() if relation is None else relation
    return audit(AuditSpec("drawn", mechanism, neighbours, rounds, tuple(inputs)))


def adaptive(report: AuditReport) -> PrivacyProfile:
    bounds = report.adaptive_profile
    assert bounds is not None
    assert bounds.is_exact
    return bounds.upper


def fixed(report: AuditReport) -> PrivacyProfile:
    assert report.nonadaptive_profile.is_exact
    return report.nonadaptive_profile.upper


# --- fresh noise --------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.data(), st.integers(1, 5), st.integers(2, 3))
def test_feedback_gains_nothing_against_trees_over_a_group(
    data: st.DataObject, rounds: int, modulus: int
) -> None:
    noise = data.draw(noises(range(modulus)))
    inputs = range(min(modulus, 2 if rounds > 3 else 3))
    nodes = audited(TreeCounter(rounds, noise, 0, 2, modulus=modulus), rounds, inputs)
    assert nodes.checklist.certificate is not None
    assert adaptive(nodes) == fixed(nodes)
    serial = SerialTreeCounter(rounds, noise, 0, inputs[-1], modulus=modulus)
    spread = audited(serial, serial.rounds, serial.inputs, serial.relation())
    assert spread.checklist.certificate is not None
    assert adaptive(spread) == adaptive(nodes)
    assert fixed(spread) == fixed(nodes)
    shown = audited(TreeCounter(rounds, noise, 0, 2, "prefix", modulus), rounds, inputs)
    # The views are a function of the nodes, and adaptive at most what the nodes cost.
    assert shown.checklist.certificate is not None
    assert adaptive(shown) <= adaptive(nodes)


@settings(max_examples=10)
@given(noises((-1, 0, 1, 3)), st.integers(1, 3))
def test_feedback_gains_nothing_against_trees_over_the_integers(
    noise: FiniteLaw[int], rounds: int
) -> None:
    report = audited(TreeCounter(rounds, noise), rounds)
    assert report.checklist.certificate is not None
    assert adaptive(report) == fixed(report)


@settings(max_examples=8)
@given(noises(range(2), least=1))
def test_joint_and_serialised_trees_cost_the_same_under_two_participations(
    noise: FiniteLaw[int],
) -> None:
    joint = audited(TreeCounter(4, noise, modulus=2), 4, relation=participations(2))
    counter = SerialTreeCounter(4, noise, modulus=2)
    relation = counter.relation(participations(2))
    serial = audited(counter, counter.rounds, counter.inputs, relation)
    assert adaptive(serial) == adaptive(joint)
    assert fixed(serial) == fixed(joint)


@st.composite
def causal(draw: st.DrawFn, rounds: int) -> list[list[int]]:
    return [
        [draw(st.integers(0, 2)) if s <= t else 0 for s in range(rounds)] for t in range(rounds)
    ]


@settings(max_examples=15)
@given(st.data(), st.integers(1, 3))
def test_feedback_gains_nothing_against_noisy_rows_whatever_is_shown_of_them(
    data: st.DataObject, rounds: int
) -> None:
    noise = data.draw(noises(range(3)))
    rows, shown = data.draw(causal(rounds)), data.draw(causal(rounds))
    released = audited(LinearMechanism(Factorisation(rows), noise, modulus=3), rounds)
    assert released.checklist.certificate is not None
    assert adaptive(released) == fixed(released)
    views = audited(LinearMechanism(Factorisation(rows, shown), noise, modulus=3), rounds)
    assert views.checklist.certificate is not None
    assert adaptive(views) <= adaptive(released)


def test_weighted_rows_with_fractions_are_certified() -> None:
    halves = FiniteLaw.of({Fraction(k, 2): Fraction(3 - abs(k), 9) for k in range(-2, 3)})
    report = audited(LinearMechanism(Factorisation.square_root(3), halves), 3)
    assert report.checklist.certificate is not None
    assert adaptive(report) == fixed(report)


@settings(max_examples=10)
@given(st.data(), st.sampled_from(["view", "views", "core", "cores"]))
def test_post_processing_never_costs_more(data: st.DataObject, over: Any) -> None:
    noise = data.draw(noises(range(2), least=1))
    salt = data.draw(st.integers(0, 7))
    tree = TreeCounter(3, noise, shows="prefix", modulus=2)

    def mapped(released: Hashable) -> int:
        return sum(map(ord, f"{salt}{released}")) * (salt + 1) // 2 % 2

    nodes = audited(TreeCounter(3, noise, modulus=2), 3)
    assert adaptive(audited(post_process(tree, mapped, over=over), 3)) <= adaptive(nodes)


# --- noise that is not fresh, and clamps that see their context ----------------------------------


@dataclass(frozen=True)
class OneNoise:
    """A mechanism whose noise is drawn once, at its first draw, and used every time."""

    inner: AnyMechanism

    def start(self, coins: Coins) -> Any:
        return self.inner.start(coins), ()

    def step(self, state: Any, item: Hashable, coins: Coins) -> Step[Any, Any, Any]:
        inner, kept = state
        noise = list(kept)

        class Repeating:
            def draw(self, law: FiniteLaw[Any] | SampledLaw[Any]) -> Any:
                if not noise:
                    noise.append(coins.draw(law))
                return noise[0]

        step = self.inner.step(inner, item, Repeating())
        return Step((step.state, tuple(noise)), step.view, step.core)


@settings(max_examples=10)
@given(noises(range(2), least=1), st.integers(2, 4), st.sampled_from(["nodes", "prefix"]))
def test_reused_noise_is_caught(noise: FiniteLaw[int], rounds: int, shows: Any) -> None:
    tree = TreeCounter(rounds, noise, shows=shows, modulus=2)
    fresh, reused = audited(tree, rounds), audited(OneNoise(tree), rounds)
    assert fresh.checklist.certificate is not None
    assert reused.checklist.certificate is None
    assert reused.checklist.condition("fresh_randomness").status == "fail"
    # The nodes [1] and [1, 2] with one noise bit: their difference is the second input.
    assert adaptive(reused).delta(exp_epsilon=1) == 1
    assert adaptive(fresh).delta(exp_epsilon=1) < 1


def test_clamping_geometric_noise_is_stable_and_clamping_truncated_noise_is_not() -> None:
    geometric = TwoSidedGeometric("1/2")
    stable = audited(TreeCounter(4, geometric, clamped=True), 4)
    assert stable.checklist.certificate is not None
    assert adaptive(stable) == fixed(stable)
    # Noise -1, 0, 1 with weights 1/4, 1/2, 1/4; the first input is 0 or 1. By hand at epsilon = 0:
    # with x_2 = 0 the two nodes differ by 9/16, with x_2 = 1 as well; taking x_2 = 0 after the
    # leaf shows 0 and x_2 = 1 after it shows 1 gives 9/16 + 1/16.
    cut = audited(TreeCounter(2, geometric.truncated(-1, 1), clamped=True), 2)
    assert cut.checklist.certificate is None
    assert cut.checklist.condition("stable_cost").status == "fail"
    assert fixed(cut).delta(exp_epsilon=1) == Fraction(9, 16)
    assert adaptive(cut).delta(exp_epsilon=1) == Fraction(10, 16)


# --- the sampler --------------------------------------------------------------------------------


def law_of_views(mechanism: AnyMechanism, stream: Iterable[Hashable]) -> Law:
    machine = ExactMachine(mechanism)
    runs: dict[Any, Fraction] = {
        (state, ()): weight.as_fraction() for state, weight in machine.initial()
    }
    for item in stream:
        longer: dict[Any, Fraction] = {}
        for (state, views), weight in runs.items():
            for view, after, share in machine.transitions(state, item):
                key = after, (*views, view)
                longer[key] = longer.get(key, Fraction(0)) + weight * share.as_fraction()
        runs = longer
    law: Law = {}
    for (_, views), weight in runs.items():
        law[views] = law.get(views, Fraction(0)) + weight
    return law


RUNS = 20_000
FALSE_ALARM = 1e-9
GEOMETRIC = TwoSidedGeometric("1/3")


def same(view: Any) -> Any:
    return view


def modulo_three(view: Any) -> Any:
    return tuple(node % 3 for node in view)


@pytest.mark.parametrize(
    ("sampled", "seen_as", "exact"),
    [
        (TreeCounter(4, GEOMETRIC.folded(2), shows="prefix", modulus=2), same, None),
        (TreeCounter(2, GEOMETRIC), modulo_three, TreeCounter(2, GEOMETRIC, modulus=3)),
        (TreeCounter(2, GEOMETRIC, clamped=True), same, None),
        (LinearMechanism(Factorisation.square_root(2), GEOMETRIC.truncated(-1, 1)), same, None),
    ],
    ids=["prefix", "unbounded noise", "clamped", "square root"],
)
def test_sampled_runs_have_the_exact_law(
    sampled: AnyMechanism, seen_as: Callable[[Any], Any], exact: AnyMechanism | None
) -> None:
    """Total variation of N runs from a law on k outcomes is >= d with chance <= 2^k e^(-2 N d^2).

    The seed is fixed; over seeds, a right sampler fails with chance at most 10^-9.
    """
    mechanism: Any = sampled
    stream = (1, 0, 1, 1)[: mechanism.rounds]
    expected = law_of_views(sampled if exact is None else exact, stream)
    seen: Counter[Hashable] = Counter()
    bits = SeededBits(17)
    for _ in range(RUNS):
        run = open_run(sampled, bits)
        seen[tuple(seen_as(run.feed(item)) for item in stream)] += 1
    assert set(seen) <= set(expected)
    gap = sum(abs(Fraction(seen[views], RUNS) - weight) for views, weight in expected.items()) / 2
    allowed = math.sqrt((len(expected) * math.log(2) - math.log(FALSE_ALARM)) / (2 * RUNS))
    assert gap < allowed < 0.06
