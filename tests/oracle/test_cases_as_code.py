"""The open cases written again as code: the same profiles and verdicts as their tables.

Every mechanism here follows from the words of its case (``description``), never from its rows
(e04, whose words are incomplete, is a reading that was compared with them). The relation and the
claim are those of the case. All 43 cases are here.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec, load_spec
from powercert.certify.verdict import AuditReport
from powercert.mechanisms import Coins, FiniteLaw, Mechanism, Step
from powercert.mechanisms.counters import TreeCounter
from powercert.mechanisms.noisy_threshold import SparseVector
from powercert.mechanisms.one_shot import ExponentialMechanism, GeometricRelease
from powercert.mechanisms.responses import MemoisedResponse, RandomisedResponse
from powercert.mechanisms.sparse_vector import above_threshold
from powercert.mechanisms.two_forms import clamped_sum
from powercert.mechanisms.unbounded_laws import TwoSidedGeometric

CASES = Path(__file__).parent.parent / "data" / "open_cases.json"
IDS = [case["id"] for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]]

AnyMechanism = Mechanism[Any, Any, Any, Any]
Release = Callable[[Any, Coins], Hashable]
HALF = TwoSidedGeometric("1/2")
FLIP = FiniteLaw.bernoulli("1/3")

BUILT: dict[str, Callable[[], AnyMechanism]] = {}


@dataclass(frozen=True)
class EveryRound:
    """A mechanism without memory: each round prints a function of its input and its coins."""

    release: Release

    def start(self, coins: Coins) -> None:
        return None

    def step(self, state: None, item: Hashable, coins: Coins) -> Step[None, Any, None]:
        return Step(None, self.release(item, coins))


@dataclass(frozen=True)
class WithMemory:
    """A mechanism whose next state and view are a function of state, input and coins."""

    first: Hashable
    move: Callable[[Any, Any, Coins], tuple[Hashable, Hashable]]

    def start(self, coins: Coins) -> Hashable:
        return self.first

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Any, Any, None]:
        return Step(*self.move(state, item, coins))


@dataclass(frozen=True)
class Reading:
    """A mechanism behind a reader of its inputs."""

    read: Callable[[Any], Hashable]
    inner: AnyMechanism

    def start(self, coins: Coins) -> Any:
        return self.inner.start(coins)

    def step(self, state: Any, item: Hashable, coins: Coins) -> Step[Any, Any, Any]:
        return self.inner.step(state, self.read(item), coins)


def case(name: str) -> Callable[[Callable[[], AnyMechanism]], Callable[[], AnyMechanism]]:
    (full,) = [one for one in IDS if one.startswith(name + "-")]

    def register(build: Callable[[], AnyMechanism]) -> Callable[[], AnyMechanism]:
        BUILT[full] = build
        return build

    return register


def every_round(name: str) -> Callable[[Release], Release]:
    (full,) = [one for one in IDS if one.startswith(name + "-")]

    def register(release: Release) -> Release:
        BUILT[full] = lambda: EveryRound(release)
        return release

    return register


def answer(bit: int, ratio: int | str, coins: Coins) -> int:
    """Binary randomised response that is right ``ratio`` times as often as wrong."""
    return coins.draw(RandomisedResponse((0, 1), ratio).law(bit))


def geometric(value: int, lower: int, upper: int, coins: Coins) -> int:
    return coins.draw(clamped_sum(HALF, value, lower, upper))


# --- one round: geometric noise ---------------------------------------------------------------


@case("n01")
def clamped_count() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 3, statistic=int)


@case("n02")
def square() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 4, statistic=lambda text: int(text) ** 2)


@every_round("n07")
def threshold_cell(count: str, coins: Coins) -> Hashable:
    if count == "absent":
        return "none"
    # The noisy count is printed from 4 on, and clamped at 6; below 4 nothing is.
    noisy = geometric(int(count), 3, 6, coins)
    return noisy if noisy >= 4 else "none"


@case("n10")
def wrapped() -> AnyMechanism:
    return GeometricRelease("1/2", statistic=int, modulus=5)


@every_round("n11")
def censored(value: str, coins: Coins) -> int:
    return int(value) + geometric(0, -2, 2, coins)


@case("n12")
def rounded() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 4, statistic=lambda count: -(-int(count) // 4) * 4)


@case("n14")
def overflowed() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 3, statistic=lambda count: int(count) % 4)


@case("n15")
def unclipped() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 3, statistic=int)


@every_round("n23")
def private_normaliser(data: str, coins: Coins) -> Fraction:
    count, total = (int(part[1:]) for part in data.split(","))
    return Fraction(geometric(total, 0, 3, coins), count)


@every_round("n25")
def skipped_batch(data: str, coins: Coins) -> Hashable:
    if data == "-" or not coins.draw(FiniteLaw.bernoulli("1/2")):
        return "skip"
    return geometric(int(data), 0, 1, coins)


@every_round("n28")
def exact_zero(count: str, coins: Coins) -> int:
    return geometric(int(count), 0, 3, coins) if int(count) else 0


@every_round("n29")
def porous(value: str, coins: Coins) -> int:
    weights = {u: Fraction(1, 2 ** (u + 1)) for u in (0, 1, 2, 3, 4, 6, 8)}
    total = sum(weights.values())
    return int(value) + coins.draw(FiniteLaw.of({u: w / total for u, w in weights.items()}))


@every_round("n35")
def padded(value: str, coins: Coins) -> int:
    weights = {k: Fraction(1, 2 ** abs(k - 3)) for k in range(7)}
    total = sum(weights.values())
    return int(value) + coins.draw(FiniteLaw.of({k: w / total for k, w in weights.items()}))


@case("n36")
def batch() -> AnyMechanism:
    return GeometricRelease("1/2", 0, 9, statistic=lambda records: 3 * int(records))


@every_round("n40")
def bounds_from_data(data: str, coins: Coins) -> int:
    first, second = map(int, data)
    return geometric((first + second) // 2, min(first, second), max(first, second), coins)


# --- one round: choices and responses -----------------------------------------------------------


@case("n04")
def missing_half() -> AnyMechanism:
    # Weight 4^u at epsilon = ln 4 is the rule for monotone scores, which these are not.
    return ExponentialMechanism(
        (0, 1, 2), lambda data, which: int(data[which]), "ln(4)", monotone=True
    )


@every_round("n05")
def largest_value(counts: str, coins: Coins) -> int:
    return max(geometric(int(count), 0, 2, coins) for count in counts)


@every_round("n17")
def unnoised_coordinate(bits: str, coins: Coins) -> tuple[int, ...]:
    chosen = coins.draw(FiniteLaw.uniform((0, 1)))
    return tuple(
        answer(int(bit), 2, coins) if place == chosen else int(bit)
        for place, bit in enumerate(bits)
    )


@case("n18")
def lie_may_be_true() -> AnyMechanism:
    return RandomisedResponse.keeping(("0", "1"), "2/3")


@every_round("n20")
def sketch_row(item: str, coins: Coins) -> Hashable:
    row = coins.draw(FiniteLaw.uniform((0, 1)))
    column = {"a": (0, 0), "b": (0, 1), "c": (1, 1)}[item][row]
    return row, tuple(answer(int(place == column), 2, coins) for place in (0, 1))


@every_round("n26")
def best_of_three(bit: str, coins: Coins) -> int:
    return max(answer(int(bit), 2, coins) for _ in range(3))


@case("n34")
def small_loss() -> AnyMechanism:
    return RandomisedResponse(("0", "1"), "1 + 1e-9")


@every_round("n37")
def printed_exactly(counters: str, coins: Coins) -> str:
    return counters


# --- sparse vector ------------------------------------------------------------------------------


@case("s01")
def standard() -> AnyMechanism:
    # Ratio 1/2 on the threshold is epsilon_1 = ln 2; on the answers, for moves of 2, ln 4.
    vector = above_threshold(1, threshold_epsilon="ln(2)", query_epsilon="ln(4)")
    return Reading(int, vector.collapsed())


@case("s04")
def printed_value() -> AnyMechanism:
    vector = SparseVector(1, HALF, HALF, values="compared", value_range=(-1, 3))
    return Reading(int, vector.collapsed())


@case("s06")
def no_query_noise() -> AnyMechanism:
    return Reading(int, SparseVector(1, HALF, FiniteLaw.point(0), None).collapsed())


@case("s07")
def no_cutoff() -> AnyMechanism:
    return Reading(int, SparseVector(1, HALF, HALF, None).collapsed())


# --- several rounds -----------------------------------------------------------------------------


@case("c01")
@case("c03")
def absent_as_zero() -> AnyMechanism:
    return EveryRound(lambda value, coins: answer(int(value == "1"), 2, coins))


@case("c05")
def private_loop() -> AnyMechanism:
    def move(left: int | None, item: str, coins: Coins) -> tuple[Hashable, Hashable]:
        if left is None:
            return int(item), "ok"
        if not left:
            return 0, "stop"
        return left - 1, coins.draw(FiniteLaw.uniform((0, 1)))

    return WithMemory(None, move)


@case("a01")
def published_threshold() -> AnyMechanism:
    def move(threshold: int | None, item: str, coins: Coins) -> tuple[Hashable, Hashable]:
        if threshold is None:
            drawn = coins.draw(FiniteLaw.uniform((1, 2, 3)))
            return drawn, drawn
        return threshold, "yes" if int(item) >= threshold else "no"

    return WithMemory(None, move)


@case("a04")
def next_query() -> AnyMechanism:
    def move(bit: int | None, item: str, coins: Coins) -> tuple[Hashable, Hashable]:
        if bit is None:
            return int(item == "1"), "ok"
        if item == "A":
            return bit, ("A", answer(bit, 2, coins))
        return bit, ("B", bit if coins.draw(FiniteLaw.bernoulli("1/10")) else "nothing")

    return WithMemory(None, move)


@case("e01")
def shifted_bits() -> AnyMechanism:
    return RandomisedResponse(("0", "1"), 2)


@case("e04")
def change_indicator() -> AnyMechanism:
    # Its words point to e03, which is no open case. The reading here: each round answers whether
    # the bit has changed, with ratio 2; the first bit has nothing to differ from.
    def move(before: str | None, item: str, coins: Coins) -> tuple[Hashable, Hashable]:
        return item, answer(int(before not in (None, item)), 2, coins)

    return WithMemory(None, move)


@case("f01")
def late_filter() -> AnyMechanism:
    def move(state: tuple[int, int] | None, item: str, coins: Coins) -> tuple[Hashable, Hashable]:
        if state is None:
            return (int(item == "1"), 1), "ok"
        bit, spent = state
        if spent >= 4:
            return state, "refused"
        ratio = {"A": 2, "B": 4}.get(item, 1)
        return (bit, spent * ratio), answer(bit, ratio, coins)

    return WithMemory(None, move)


@case("l01")
@case("l03")
def permanent() -> AnyMechanism:
    return MemoisedResponse(("0", "1"), 3)


@case("t01")
def parity_tree() -> AnyMechanism:
    return Reading(int, TreeCounter(8, FLIP, modulus=2))


@case("t04")
def count_tree() -> AnyMechanism:
    return Reading(int, TreeCounter(4, HALF, clamped=True))


@case("t05")
def prefix_parity() -> AnyMechanism:
    return Reading(int, TreeCounter(4, FLIP, shows="prefix", modulus=2))


@case("t06")
def restarted_tree() -> AnyMechanism:
    def move(
        state: tuple[int, int, tuple[int, ...]], item: str, coins: Coins
    ) -> tuple[Hashable, Hashable]:
        place, before, noises = state
        bit = int(item)
        blocks = (bit,) if place == 0 else (bit, bit ^ before)
        if len(noises) < 3:  # first epoch: draw the noise of the blocks that end here
            noises += tuple(coins.draw(FLIP) for _ in blocks)
        used = noises[:1] if place == 0 else noises[1:]
        view = tuple(block ^ noise for block, noise in zip(blocks, used, strict=True))
        return (1 - place, bit if place == 0 else 0, noises), view

    return WithMemory((0, 0, ()), move)


@every_round("q01")
def clip_indicator(value: str, coins: Coins) -> tuple[int, int]:
    x = int(value)
    return answer(int(x > 1), "3/2", coins), answer(int(x >= 1), 2, coins)


@every_round("d01")
def leaking(bit: str, coins: Coins) -> Hashable:
    if coins.draw(FiniteLaw.bernoulli("1/10")):
        return "raw", int(bit)
    return answer(int(bit), 2, coins)


# --- the comparison -----------------------------------------------------------------------------


def profiles(report: AuditReport) -> list[tuple[tuple[object, object], ...]]:
    assert report.adaptive_profile is not None
    found: list[tuple[tuple[object, object], ...]] = []
    for bounds in (report.adaptive_profile, report.nonadaptive_profile):
        assert bounds.is_exact
        found.append(bounds.upper.breakpoints)
    return found


def both(name: str, mechanism: AnyMechanism) -> tuple[AuditReport, AuditReport]:
    table = load_spec(CASES, case=name)
    return audit(table), audit(rebuilt(table, mechanism))


def rebuilt(table: AuditSpec, mechanism: AnyMechanism) -> AuditSpec:
    return dataclasses.replace(table, mechanism=mechanism)


@pytest.mark.parametrize("name", BUILT)
def test_the_code_is_judged_as_its_table(name: str) -> None:
    table, code = both(name, BUILT[name]())
    assert profiles(code) == profiles(table)
    for one, other in zip(code.results, table.results, strict=True):
        assert one.claim == other.claim
        for kind in ("adaptive", "nonadaptive"):
            mine, theirs = getattr(one, kind), getattr(other, kind)
            assert mine.verdict == theirs.verdict
            assert mine.tight == theirs.tight
            assert mine.delta_at_claim == theirs.delta_at_claim
            assert mine.pure_exp_epsilon == theirs.pure_exp_epsilon
            assert mine.exp_epsilon_at_delta == theirs.exp_epsilon_at_delta


def test_every_case_is_code() -> None:
    assert set(BUILT) == set(IDS)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("n01-geo-count-ok", GeometricRelease("1/3", 0, 3, statistic=int)),
        ("n10-wrapped-noise-ok", GeometricRelease("1/2", 0, 4, statistic=int)),
        ("n18-rr-lie-may-be-true", RandomisedResponse(("0", "1"), 2)),
        ("l01-memoised-rr-ok", RandomisedResponse(("0", "1"), 3)),
        ("t04-count-tree4-levels", Reading(int, TreeCounter(4, HALF, modulus=5))),
        ("s01-svt1-ok", Reading(int, SparseVector(1, HALF, HALF, None).collapsed())),
        ("s07-svt6-no-cutoff", Reading(int, SparseVector(1, HALF, HALF).collapsed())),
    ],
)
def test_a_wrong_reading_is_told_apart(name: str, wrong: AnyMechanism) -> None:
    table, code = both(name, wrong)
    assert profiles(code) != profiles(table)
