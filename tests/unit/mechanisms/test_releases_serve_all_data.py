"""Production serves every data set alike; options, limits and arguments are refused by rule."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import pytest

from powercert.accounting import Exact
from powercert.accounting.errors import InputError, LimitError
from powercert.mechanisms import (
    DiscreteGaussian,
    ExactMachine,
    ExponentialMechanism,
    FiniteLaw,
    GeometricRelease,
    PermuteAndFlip,
    Poisson,
    RandomisedResponse,
    ReportNoisyMax,
    SamplerCoins,
    SeededBits,
    SystemBits,
    TreeCounter,
    TwoSidedGeometric,
    check_neighbouring,
    hamming,
    open_run,
    prefix_sum,
    relation_named,
    static,
)
from powercert.mechanisms.counters import Factorisation, SerialTreeCounter, tree_levels
from powercert.mechanisms.integer_sampling import bernoulli_power
from powercert.mechanisms.scores import score_sensitivity
from powercert.mechanisms.sparse_vector import above_threshold, close_answers, gallery

FAR = 10**9
WRONG: Any = 5
HALF = TwoSidedGeometric("1/2")
TENTH = TwoSidedGeometric("exp(-1/10)")


# --- no refusal depends on the data ---------------------------------------------------------------


@pytest.mark.parametrize("ratio", ["exp(-1/10)", "1/2", "0.904837418"])
@pytest.mark.parametrize("value", [20000, 20001, 2796203, FAR, -FAR])
def test_a_clamped_release_serves_every_statistic(ratio: str, value: int) -> None:
    """Noise reaches 19900 with chance below exp(-1990)."""
    assert open_run(GeometricRelease(ratio, 0, 100)).feed(value) == (100 if value > 0 else 0)
    assert 0 <= open_run(GeometricRelease(ratio, modulus=2**40)).feed(value) < 2**40


@pytest.mark.parametrize("epsilon", ["ln(4)", 1, "ln(2)", "ln(2*exp(1))"])
@pytest.mark.parametrize("spread", [2_000_001, FAR, "1000000000/7"])
def test_selections_serve_every_spread(epsilon: Any, spread: Any) -> None:
    table: Any = {"d": (0, spread)}
    assert open_run(ExponentialMechanism(("a", "b"), table, epsilon)).feed("d") == "b"
    assert open_run(PermuteAndFlip(("a", "b"), table, epsilon)).feed("d") == "b"
    one_by_one = PermuteAndFlip(("a", "b"), table, epsilon, sequential=True)
    assert open_run(one_by_one).feed("d") == "b"


@pytest.mark.parametrize("ties", ["first", "last", "uniform"])
def test_noisy_max_serves_every_spread(ties: Any) -> None:
    scores = (0, FAR, *[0] * 300)
    noisy = ReportNoisyMax(tuple(range(302)), {"d": scores}, TENTH, ties)
    assert open_run(noisy).feed("d") == 1


def test_a_clamped_counter_serves_every_total() -> None:
    tree = TreeCounter(4, TENTH, 0, 10**7, clamped=True)
    (leaf,) = cast("tuple[int]", open_run(tree).feed(5 * 10**6))
    serial = open_run(SerialTreeCounter(4, TENTH, 0, 10**7, clamped=True)).feed(5 * 10**6)
    assert 10**6 < leaf < 10**7
    assert 10**6 < serial < 10**7
    with pytest.raises(LimitError):
        machine = ExactMachine(TreeCounter(4, TENTH, 0, 10**7, clamped=True))
        machine.transitions(machine.initial()[0][0], 0)


def share_of(mechanism: Any, data: Any, runs: int) -> dict[Any, float]:
    coins = SamplerCoins(SeededBits(5))
    state = mechanism.start(coins)
    counts = Counter(mechanism.step(state, data, coins).view for _ in range(runs))
    return {view: count / runs for view, count in counts.items()}


SCORES = {"d": (0, 1, 1, -2)}
NAMES = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [
        (ExponentialMechanism(NAMES, SCORES, "ln(4)"), "d"),
        (ExponentialMechanism(NAMES, SCORES, "1/2"), "d"),
        (PermuteAndFlip(NAMES, SCORES, "ln(4)"), "d"),
        (ReportNoisyMax(NAMES, SCORES, HALF, "uniform"), "d"),
        (ReportNoisyMax(NAMES, SCORES, HALF, "last"), "d"),
        (GeometricRelease("1/2", 0, 2), 1),
        (GeometricRelease("1/2", 0, 2), 5),
        (GeometricRelease("1/2", modulus=3), 7),
        (TreeCounter(1, HALF, 0, 2, clamped=True), 1),
    ],
)
def test_what_is_sampled_is_what_is_enumerated(mechanism: Any, data: Any) -> None:
    """False alarm per outcome below 2 exp(-2 n 0.05^2) < 1e-6."""
    machine = ExactMachine(mechanism)
    ((state, _),) = machine.initial()
    shares = share_of(mechanism, data, 3000)
    for view, _, weight in machine.transitions(state, data):
        assert abs(shares.get(view, 0) - float(weight)) < 0.05
    assert len(shares) <= len(machine.transitions(state, data))


@pytest.mark.parametrize(
    ("base", "exponent"),
    [("1/2", "1/2"), ("1/2", "5/2"), ("exp(-1)", "7/3"), ("exp(-1)/2", "1/3"), ("1", "9")],
)
def test_powers_are_flipped_with_their_chance(base: str, exponent: str) -> None:
    """False alarm below 2 exp(-2 n 0.04^2) < 1e-5."""
    random_bits, runs = SeededBits(2), 4000
    flips = sum(bernoulli_power(random_bits, Exact(base), Fraction(exponent)) for _ in range(runs))
    assert abs(flips / runs - float(Exact(base)) ** float(Fraction(exponent))) < 0.04


# --- limits bound the time ------------------------------------------------------------------------


def ladder(count: int, step: int) -> dict[str, tuple[int, ...]]:
    return {"d": tuple(step * index for index in range(count))}


@pytest.mark.parametrize(
    "build",
    [
        lambda: GeometricRelease("0.904837418", 0, 1000).law(2000),
        lambda: PermuteAndFlip(tuple(range(100)), ladder(100, 1), 1).law("d"),
        lambda: PermuteAndFlip(tuple(range(100)), ladder(100, 200), "ln(4)").law("d"),
        lambda: ExponentialMechanism(tuple(range(1000)), ladder(1000, 20), "ln(81/16)").law("d"),
        lambda: ReportNoisyMax(("a", "b"), {"d": (0, 20000)}, HALF).law("d"),
        lambda: ReportNoisyMax(tuple(range(100)), ladder(100, 1), HALF).law("d"),
        lambda: Poisson(10**6).probability(10**6),
        lambda: Poisson(10**6).tail(10**6),
        lambda: DiscreteGaussian(100).tail(5, bits=10**6),
        lambda: DiscreteGaussian(100).probability(5, bits=10**9),
    ],
)
def test_what_would_take_long_is_refused_before_it_begins(build: Callable[[], object]) -> None:
    begun = time.perf_counter()
    with pytest.raises(LimitError):
        build()
    assert time.perf_counter() - begun < 2


def test_permute_and_flip_of_many_candidates_is_quick() -> None:
    law = PermuteAndFlip(tuple(range(100)), ladder(100, 0), "ln(4)").law("d")
    assert set(law.weights) == {Exact("1/100")}


# --- options and arguments ------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["False", 0, 1, None, 1.0, "no"])
def test_an_option_is_true_or_false(value: Any) -> None:
    scores = {"d": (0, 1)}
    for build in (
        lambda: ExponentialMechanism(("a", "b"), scores, 1, monotone=value),
        lambda: PermuteAndFlip(("a", "b"), scores, 1, monotone=value),
        lambda: PermuteAndFlip(("a", "b"), scores, 1, sequential=value),
        lambda: ReportNoisyMax(("a", "b"), scores, HALF, sequential=value),
        lambda: above_threshold(
            1, threshold_epsilon="ln(2)", query_epsilon="ln(4)", monotone=value
        ),
        lambda: close_answers(1, monotone=value),
        lambda: TreeCounter(2, HALF, clamped=value),
        lambda: SerialTreeCounter(2, HALF, clamped=value),
        lambda: tree_levels(3, padded=value),
    ):
        with pytest.raises(InputError, match="not true or false"):
            build()


@pytest.mark.parametrize("statistic", [5, "nan", True, [1]])
def test_a_statistic_is_a_function_or_a_table(statistic: Any) -> None:
    with pytest.raises(InputError, match="neither a function nor a table"):
        GeometricRelease("1/2", 0, 3, statistic=statistic)


def test_a_table_of_statistics_holds_integers() -> None:
    wrong: Any = {"d": 0.5}
    with pytest.raises(InputError, match="statistic of d: not an integer"):
        GeometricRelease("1/2", 0, 3, statistic=wrong)


TABLE = {0: (0, 1), 1: (2, 1)}
NO_COUNTS: tuple[Any, ...] = (1.0, "8", None, True, -1)


@pytest.mark.parametrize(
    "build",
    [
        *(lambda value=value: SystemBits().bits(value) for value in NO_COUNTS),
        *(lambda value=value: SeededBits(1).bits(value) for value in NO_COUNTS),
        lambda: gallery(value_range=WRONG),
        lambda: score_sensitivity("ab", TABLE, WRONG),
        lambda: score_sensitivity("ab", TABLE, cast("Any", "xy")),
        lambda: score_sensitivity(WRONG, TABLE, [(0, 1)]),
        lambda: relation_named("hamming", WRONG),
        lambda: relation_named("hamming", cast("Any", "xy")),
        lambda: RandomisedResponse(WRONG, 3),
        lambda: ExponentialMechanism(WRONG, TABLE, 1),
        lambda: Factorisation(WRONG),
        lambda: Factorisation([[1]], WRONG),
        lambda: Factorisation([[1]], None, WRONG),
        lambda: prefix_sum().over(WRONG),
        lambda: static(WRONG, ()),
        lambda: static("ab", WRONG),
        lambda: static("ab", (), WRONG),
        lambda: check_neighbouring(WRONG, "0", "1"),
        lambda: check_neighbouring(cast("Any", hamming()), "0", "1"),
        lambda: check_neighbouring(hamming().over("01"), WRONG, "1"),
        lambda: HALF.draw(WRONG),
        lambda: DiscreteGaussian(1).draw(WRONG),
        lambda: Poisson(1).draw(WRONG),
        lambda: SerialTreeCounter(2, HALF).relation(WRONG),
        lambda: SerialTreeCounter(2, HALF).spread(WRONG),
        lambda: SerialTreeCounter(2, HALF).spread([cast("Any", Fraction(1, 2))]),
        lambda: SerialTreeCounter(2, HALF, idle=0.5),
        lambda: SerialTreeCounter(2, HALF, idle=None),
    ],
)
def test_wrong_arguments_are_input_errors(build: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        build()


def test_too_many_bits_at_once_are_refused() -> None:
    for source in (SystemBits(), SeededBits(1)):
        with pytest.raises(LimitError, match="too many bits"):
            source.bits(10**30)


def test_finite_noise_is_clamped_as_before() -> None:
    noise = FiniteLaw.uniform((-1, 0, 1))
    machine = ExactMachine(TreeCounter(1, noise, clamped=True))
    ((state, _),) = machine.initial()
    views = {view: weight for view, _, weight in machine.transitions(state, 0)}
    assert views == {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}
