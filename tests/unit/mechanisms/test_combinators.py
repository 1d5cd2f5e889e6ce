"""Series, post-processing and truncation: exact laws, cores, horizons and wrong use."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.accounting.profile import PrivacyProfile
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import AuditReport
from powercert.mechanisms import (
    Coins,
    ExactMachine,
    FiniteLaw,
    Mechanism,
    SeededBits,
    Step,
    TreeCounter,
    hamming,
    open_run,
    post_process,
    serial,
    truncate,
)

THIRD = FiniteLaw.of({0: "2/3", 1: "1/3"})
HALF = FiniteLaw.uniform((0, 1))

AnyMechanism = Mechanism[Any, Any, Any, Any]


@dataclass(frozen=True)
class Masked:
    """Shows nothing of the input; hides the input xor a coin, and remembers the last one."""

    coin: FiniteLaw[int]

    def start(self, coins: Coins) -> int:
        return 0

    def step(self, state: int, item: int, coins: Coins) -> Step[int, str, int]:
        hidden = item ^ state ^ coins.draw(self.coin)
        return Step(item, "quiet", interface=hidden)


@dataclass(frozen=True)
class Response:
    """Randomised response on a bit; its hidden output is the count of inputs so far."""

    coin: FiniteLaw[int]

    def start(self, coins: Coins) -> int:
        return 0

    def step(self, state: int, item: int, coins: Coins) -> Step[int, int, int]:
        return Step(state + item, item ^ coins.draw(self.coin), interface=state + item)


@dataclass(frozen=True)
class Silent:
    """Shows None, and gives no hidden output."""

    def start(self, coins: Coins) -> None:
        return None

    def step(self, state: None, item: int, coins: Coins) -> Step[None, None, None]:
        return Step(None, None)


def wrong(value: object) -> Any:
    """A value of a type that the library refuses, hidden from the type checker."""
    return value


def steps(mechanism: AnyMechanism, *items: Hashable) -> list[tuple[Step[Any, Any, Any], Fraction]]:
    """The law of the last step after some inputs (states of equal probability paths kept apart)."""
    machine = ExactMachine(mechanism)
    runs = [(state, weight.as_fraction()) for state, weight in machine.initial()]
    found: list[tuple[Step[Any, Any, Any], Fraction]] = []
    for item in items:
        found = [
            (step, weight * share.as_fraction())
            for state, weight in runs
            for step, share in machine.steps(state, item)
        ]
        runs = [(step.state, weight) for step, weight in found]
    return found


def law_of(values: list[tuple[Hashable, Fraction]]) -> dict[Hashable, Fraction]:
    law: dict[Hashable, Fraction] = {}
    for value, weight in values:
        law[value] = law.get(value, Fraction(0)) + weight
    return law


def adaptive(report: AuditReport) -> PrivacyProfile:
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.is_exact
    return report.adaptive_profile.upper


def certificate(report: AuditReport) -> Any:
    return report.checklist.certificate


# --- series -------------------------------------------------------------------------------------


def test_series_feeds_the_hidden_output_and_shows_both_views() -> None:
    both = serial(Masked(THIRD), Response(HALF))
    law = law_of([((s.view, s.interface), w) for s, w in steps(both, 1, 1)])
    expected: list[tuple[Hashable, Fraction]] = []
    coin = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    for a, b in itertools.product(coin, repeat=2):
        # Round 1 hides 1 ^ 0 ^ a, round 2 hides 1 ^ 1 ^ b; the second view is a fair coin.
        for view in (0, 1):
            weight = coin[a] * coin[b] / 2
            expected.append(((("quiet", view), (1 ^ a) + b), weight))
    assert law == law_of(expected)


def test_series_of_three_associates_up_to_the_shape_of_the_views() -> None:
    left = serial(serial(Masked(THIRD), Masked(THIRD)), Response(THIRD))
    right = serial(Masked(THIRD), serial(Masked(THIRD), Response(THIRD)))
    flat_left = law_of([((*s.view[0], s.view[1]), w) for s, w in steps(left, 1, 0, 1)])
    flat_right = law_of([((s.view[0], *s.view[1]), w) for s, w in steps(right, 1, 0, 1)])
    assert flat_left == flat_right
    # Two masks in a row flip with probability 4/9; the response then errs with 1/3.
    once = law_of([(s.view, w) for s, w in steps(right, 1)])
    assert once[("quiet", ("quiet", 1))] == Fraction(5, 9) * Fraction(2, 3) + Fraction(4, 27)


def test_series_can_pass_the_view_on() -> None:
    both = serial(Response(THIRD), Response(HALF), passes="view")
    law = law_of([((s.view[0], s.interface), w) for s, w in steps(both, 1)])
    # What was shown is what the second mechanism counts.
    assert law == {(1, 1): Fraction(2, 3), (0, 0): Fraction(1, 3)}


def test_a_view_that_is_passed_on_costs_nothing_more() -> None:
    alone = AuditSpec("alone", Response(THIRD), hamming(), 2, (0, 1))
    both = serial(Response(THIRD), Response(THIRD), passes="view")
    report = audit(AuditSpec("both", both, hamming(), 2, (0, 1)))
    assert adaptive(report) == adaptive(audit(alone))


def test_a_count_passed_on_in_hiding_is_paid_for() -> None:
    @dataclass(frozen=True)
    class Revealing:
        def start(self, coins: Coins) -> None:
            return None

        def step(self, state: None, item: int, coins: Coins) -> Step[None, int, None]:
            return Step(None, item)

    both = serial(Response(THIRD), Revealing())
    report = audit(AuditSpec("revealed", both, hamming(), 1, (0, 1)))
    assert adaptive(report).delta(exp_epsilon=10) == 1


def test_nothing_to_pass_on_is_an_error_and_not_a_guess() -> None:
    run = open_run(serial(wrong(Silent()), Response(THIRD)), SeededBits(1))
    with pytest.raises(InputError, match=r"gave nothing to pass on.*passes=\"view\""):
        run.feed(1)


def test_series_has_the_shorter_horizon() -> None:
    tree = TreeCounter(3, THIRD)
    assert serial(truncate(Masked(THIRD), 5), tree).rounds == 3
    assert serial(Masked(THIRD), tree).rounds == 3
    assert serial(Masked(THIRD), Response(THIRD)).rounds is None
    with pytest.raises(InputError, match="at most 3"):
        AuditSpec("long", serial(Masked(THIRD), tree), hamming(), 4, (0, 1))


def test_series_declares_cores_only_if_a_part_does() -> None:
    plain = serial(Masked(THIRD), Response(THIRD))
    assert {step.core for step, _ in steps(plain, 1)} == {None}
    prefix = TreeCounter(2, THIRD, shows="prefix")
    mixed = serial(Masked(THIRD), prefix)
    for step, _ in steps(mixed, 1, 1):
        first, nodes = wrong(step.core)
        assert first == "quiet"
        assert len(nodes) == 2
        assert step.view == ("quiet", nodes[-1])


def test_a_series_releases_no_state() -> None:
    # The first mechanism's view does not depend on its input, the second's only on the masked bit.
    both = serial(Masked(HALF), Response(FiniteLaw.point(0)))
    report = audit(AuditSpec("one-time pad", both, hamming(), 3, (0, 1)))
    assert adaptive(report).delta(exp_epsilon=1) == 0


# --- post-processing ----------------------------------------------------------------------------


def test_post_processing_maps_this_rounds_view_and_keeps_the_rest() -> None:
    mapped = post_process(Response(THIRD), lambda view: "yes" if view else "no")
    for (step, weight), (plain, share) in zip(
        steps(mapped, 1, 0), steps(Response(THIRD), 1, 0), strict=True
    ):
        assert (step.view, weight) == ("yes" if plain.view else "no", share)
        assert (step.core, step.interface) == (plain.view, plain.interface)


def test_post_processing_of_histories() -> None:
    prefix = TreeCounter(3, FiniteLaw.point(0), shows="prefix")
    stream = (1, 1, 1)
    expected = {
        "view": [-1, -2, -3],
        "views": [(1,), (1, 2), (1, 2, 3)],
        "core": [(1,), (1, 2), (1,)],
        "cores": [1, 2, 3],
    }
    functions: dict[str, Callable[[Any], Hashable]] = {
        "view": lambda view: -view,
        "views": lambda views: views,
        "core": lambda core: core,
        "cores": len,
    }
    for over, views in expected.items():
        run = open_run(post_process(prefix, functions[over], over=wrong(over)), SeededBits(1))
        assert [run.feed(item) for item in stream] == views


def test_the_tree_with_its_prefix_sums_made_by_post_processing() -> None:
    """The prefix sums that the tree shows by itself are a function of its cores."""
    nodes, prefix = TreeCounter(4, THIRD, modulus=2), TreeCounter(4, THIRD, 0, 1, "prefix", 2)

    def parity(cores: tuple[tuple[int, ...], ...]) -> int:
        total, time = 0, len(cores)
        while time:
            total += cores[time - 1][(time & -time).bit_length() - 1]
            time &= time - 1
        return total % 2

    made = audit(AuditSpec("made", post_process(nodes, parity, over="cores"), hamming(), 4, (0, 1)))
    shown = audit(AuditSpec("shown", prefix, hamming(), 4, (0, 1)))
    assert adaptive(made) == adaptive(shown)
    assert certificate(made).power == certificate(shown).power


def test_the_core_stays_declared_where_the_view_says_less() -> None:
    report = audit(
        AuditSpec("count", post_process(Response(THIRD), lambda view: "-"), hamming(), 2, (0, 1))
    )
    assert adaptive(report).delta(exp_epsilon=1) == 0
    # The certificate speaks of the responses, of which the view is a function.
    assert certificate(report).power.profile().delta(exp_epsilon=1) == Fraction(1, 3)
    assert report.checklist.condition("post_processing").status == "pass"


def test_a_view_of_none_is_a_core_of_its_own() -> None:
    mapped = post_process(Silent(), lambda view: "shown")
    ((step, _),) = steps(mapped, 1)
    assert step.view == "shown"
    assert step.core is not None
    assert repr(step.core) == "nothing"


def test_a_map_that_is_no_function_is_noticed() -> None:
    seen: list[int] = []

    def counting(view: int) -> int:
        seen.append(view)
        return len(seen)

    machine = ExactMachine(post_process(Response(THIRD), counting))
    with pytest.raises(InputError, match="not a function of its coins"):
        machine.transitions(machine.initial()[0][0], 1)


def test_post_processing_keeps_the_horizon() -> None:
    assert post_process(TreeCounter(3, THIRD), len).rounds == 3
    assert post_process(Response(THIRD), str).rounds is None


# --- truncation ---------------------------------------------------------------------------------


def test_truncation_changes_no_round_up_to_the_horizon() -> None:
    cut = truncate(Response(THIRD), 3)
    for count in range(1, 4):
        items = (1, 0, 1)[:count]
        assert law_of([((s.view, s.interface, s.core), w) for s, w in steps(cut, *items)]) == (
            law_of([((s.view, s.interface, s.core), w) for s, w in steps(Response(THIRD), *items)])
        )


def test_truncation_halts_a_run_and_the_audit() -> None:
    run = open_run(truncate(Response(THIRD), 2), SeededBits(1))
    run.feed(1)
    run.feed(1)
    drawn = run.draws
    with pytest.raises(InputError, match="round 3: the horizon is past"):
        run.feed(1)
    assert run.draws == drawn
    with pytest.raises(InputError, match="at most 2"):
        AuditSpec("long", truncate(Response(THIRD), 2), hamming(), 3, (0, 1))


def test_what_is_never_read_again_is_dropped_at_the_horizon() -> None:
    cut = truncate(Response(THIRD), 2)
    assert {step.state for step, _ in steps(cut, 1, 1)} == {(2, None)}


def test_truncating_twice_is_truncating_to_the_shorter() -> None:
    cut = truncate(truncate(Response(THIRD), 3), 2)
    assert cut.rounds == 2
    with pytest.raises(InputError, match="fewer rounds.*at most 2"):
        truncate(cut, 3)


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: serial(wrong(Masked), Response(THIRD)), "first mechanism: not a mechanism"),
        (lambda: serial(Masked(THIRD), wrong("m")), "second mechanism: not a mechanism"),
        (lambda: serial(Masked(THIRD), Response(THIRD), passes=wrong("output")), "passes"),
        (lambda: post_process(wrong(None), str), "not a mechanism"),
        (lambda: post_process(Response(THIRD), wrong("f")), "not a function"),
        (lambda: post_process(Response(THIRD), str, over=wrong("inputs")), "over"),
        (lambda: truncate(wrong(3), 3), "not a mechanism"),
        (lambda: truncate(Response(THIRD), 0), "horizon"),
        (lambda: truncate(Response(THIRD), True), "horizon"),
    ],
)
def test_wrong_use_is_named(build: Callable[[], object], part: str) -> None:
    with pytest.raises(InputError, match=part):
        build()


def test_a_view_that_cannot_be_hashed_is_named() -> None:
    run = open_run(post_process(TreeCounter(1, THIRD), wrong(list)), SeededBits(1))
    with pytest.raises(InputError, match="post_process: the view is not hashable"):
        run.feed(1)
