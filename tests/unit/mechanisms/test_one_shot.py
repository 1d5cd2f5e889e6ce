"""Selections and noisy counts: exact laws, known privacy, and samples that have those laws."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import Exact, exact_number
from powercert.accounting.errors import InputError, LimitError
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import Claim, Judgement
from powercert.mechanisms import (
    ArcRelation,
    ExactMachine,
    FiniteLaw,
    Mechanism,
    SeededBits,
    open_run,
)
from powercert.mechanisms.noisy_max import ReportNoisyMax, Ties
from powercert.mechanisms.one_shot import ExponentialMechanism, GeometricRelease, PermuteAndFlip
from powercert.mechanisms.scores import score_sensitivity
from powercert.mechanisms.tailed import Noise
from powercert.mechanisms.unbounded_laws import Geometric, TwoSidedGeometric

AnyMechanism = Mechanism[Any, Any, Any, Any]
ALL_TIES: tuple[Ties, ...] = ("first", "last", "uniform")
SCORES = st.lists(st.integers(-2, 2), min_size=1, max_size=4).map(tuple)


def machine_law(mechanism: AnyMechanism, data: Hashable) -> dict[Any, Exact]:
    machine = ExactMachine(mechanism)
    ((state, _),) = machine.initial()
    return {view: weight for view, _, weight in machine.transitions(state, data)}


def own_scores(data: Sequence[int], candidate: int) -> int:
    return data[candidate]


def names(data: Sequence[int]) -> tuple[int, ...]:
    return tuple(range(len(data)))


# --- laws ---------------------------------------------------------------------------------------


@given(SCORES)
@settings(max_examples=30)
def test_exponential_mechanism_is_its_formula(data: tuple[int, ...]) -> None:
    # epsilon = ln 9, sensitivity 2: one unit of score weighs 9^(1/4), two weigh 3 - use even ones.
    doubled = tuple(2 * score for score in data)
    mechanism = ExponentialMechanism(names(data), own_scores, "ln(9)", sensitivity=2)
    total = sum((Fraction(3) ** score for score in data), Fraction(0))
    assert machine_law(mechanism, doubled) == {
        name: Fraction(3) ** score / total for name, score in enumerate(data)
    }


def test_exponential_mechanism_takes_rational_epsilon_and_scores() -> None:
    mechanism = ExponentialMechanism(("a", "b"), {"d": ("1/3", 1)}, "1/2")
    weight = exact_number("exp(1/6)/(1 + exp(1/6))")
    assert machine_law(mechanism, "d")["b"] == weight
    monotone = ExponentialMechanism(("a", "b"), {"d": ("1/3", 1)}, "1/2", monotone=True)
    assert machine_law(monotone, "d")["b"] == exact_number("exp(1/3)/(1 + exp(1/3))")


def flips_in_every_order(chances: Sequence[Fraction]) -> dict[int, Fraction]:
    """Permute-and-flip by all permutations of the candidates."""
    orders = list(itertools.permutations(range(len(chances))))
    law = dict.fromkeys(range(len(chances)), Fraction(0))
    for order in orders:
        reached = Fraction(1, len(orders))
        for index in order:
            law[index] += reached * chances[index]
            reached *= 1 - chances[index]
    return law


@given(SCORES)
@settings(max_examples=30)
def test_permute_and_flip_is_the_average_over_orders(data: tuple[int, ...]) -> None:
    expected = flips_in_every_order([Fraction(2) ** (score - max(data)) for score in data])
    for sequential in (False, True):
        mechanism = PermuteAndFlip(names(data), own_scores, "ln(4)", sequential=sequential)
        assert machine_law(mechanism, data) == expected


def test_permute_and_flip_takes_rational_epsilon() -> None:
    at_once = PermuteAndFlip((0, 1, 2), own_scores, 1)
    one_by_one = PermuteAndFlip((0, 1, 2), own_scores, 1, sequential=True)
    assert machine_law(at_once, (0, 1, 3)) == machine_law(one_by_one, (0, 1, 3))


def winner_by_all_noises(
    data: Sequence[int], noise: FiniteLaw[int], ties: Ties
) -> dict[int, Fraction]:
    law = dict.fromkeys(range(len(data)), Fraction(0))
    for drawn in itertools.product(noise.items(), repeat=len(data)):
        noisy = [score + value for score, (value, _) in zip(data, drawn, strict=True)]
        weight = math.prod((chance.as_fraction() for _, chance in drawn), start=Fraction(1))
        best = [index for index, value in enumerate(noisy) if value == max(noisy)]
        chosen = {"first": best[:1], "last": best[-1:], "uniform": best}[ties]
        for index in chosen:
            law[index] += weight / len(chosen)
    return {index: weight for index, weight in law.items() if weight}


@pytest.mark.parametrize("ties", ALL_TIES)
@given(data=SCORES)
@settings(max_examples=12)
def test_noisy_max_sums_out_finite_noise(ties: Ties, data: tuple[int, ...]) -> None:
    noise = FiniteLaw.of({-1: "1/6", 0: "1/2", 2: "1/3"})
    expected = winner_by_all_noises(data, noise, ties)
    for sequential in (False, True):
        mechanism = ReportNoisyMax(names(data), own_scores, noise, ties, sequential)
        assert machine_law(mechanism, data) == expected


@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.parametrize("two_sided", [False, True])
def test_noisy_max_sums_out_unbounded_noise(ties: Ties, two_sided: bool) -> None:
    """Cut the noise at distance 30: each law moves by at most the chance that one noise is cut."""
    data = (0, 1, -1)
    places = range(-30 if two_sided else 0, 31)
    weights = {k: Fraction(1, 3 if two_sided else 2) * Fraction(1, 2) ** abs(k) for k in places}
    kept = sum(weights.values())
    cut = FiniteLaw.of({k: weight / kept for k, weight in weights.items()})
    noise: Noise = TwoSidedGeometric("1/2") if two_sided else Geometric("1/2")
    exact = machine_law(ReportNoisyMax(names(data), own_scores, noise, ties), data)
    near = machine_law(ReportNoisyMax(names(data), own_scores, cut, ties), data)
    for name in names(data):
        assert abs(exact[name] - near[name]) <= 2 * len(data) * (1 - kept)


def test_noisy_max_of_many_candidates_is_one_law() -> None:
    data = tuple(range(12))
    law = machine_law(ReportNoisyMax(names(data), own_scores, TwoSidedGeometric("1/2")), data)
    assert sum(law.values(), Exact(0)) == 1
    assert list(law.values()) == sorted(law.values())


def test_noisy_max_with_exponential_like_noise_is_not_permute_and_flip() -> None:
    """On the integers ties count: with noise on the reals both would be the same law."""
    noisy = machine_law(ReportNoisyMax((0, 1), own_scores, Geometric("1/2"), "uniform"), (0, 1))
    flip = machine_law(PermuteAndFlip((0, 1), own_scores, "ln(4)"), (0, 1))
    # With X, Y the noises: P(X > Y + 1) = r^2 / (1 + r), and half of P(X = Y + 1), which is
    # r (1 - r) / (1 + r), at r = 1/2.
    assert noisy[0] == Fraction(1, 6) + Fraction(1, 2) * Fraction(1, 6)
    assert flip[0] == Fraction(1, 2) * Fraction(1, 2)


def clamped_by_hand(ratio: Fraction, value: int, lower: int, upper: int) -> dict[int, Fraction]:
    """r^|d| (1 - r) / (1 + r) inside, r^distance / (1 + r) for all at or beyond an end."""
    law = {
        place: ratio ** abs(place - value) * (1 - ratio) / (1 + ratio)
        for place in range(lower, upper + 1)
    }
    law[lower] = ratio ** (value - lower) / (1 + ratio)
    law[upper] = ratio ** (upper - value) / (1 + ratio)
    return law


@pytest.mark.parametrize("value", [0, 1, 4])
def test_geometric_release_is_its_formula(value: int) -> None:
    release = GeometricRelease("1/3", 0, 4)
    assert machine_law(release, value) == clamped_by_hand(Fraction(1, 3), value, 0, 4)


def test_geometric_release_modulo_five() -> None:
    # The sum over all k that are d modulo 5 of r^|k| (1 - r) / (1 + r).
    ratio = Fraction(1, 2)
    law = machine_law(GeometricRelease("1/2", modulus=5), 3)
    for view in range(5):
        d = (view - 3) % 5
        both = (ratio**d + ratio ** (5 - d)) / (1 - ratio**5) * (1 - ratio) / (1 + ratio)
        assert law[view] == both


def test_statistic_from_a_table_or_a_function() -> None:
    by_table = GeometricRelease("1/2", 0, 3, statistic={"abc": 3, "a": 1})
    by_function = GeometricRelease("1/2", 0, 3, statistic=len)
    for data in ("abc", "a"):
        assert (
            by_table.law(data)
            == by_function.law(data)
            == GeometricRelease("1/2", 0, 3).law(len(data))
        )


# --- privacy ------------------------------------------------------------------------------------


def judged(
    mechanism: AnyMechanism, pairs: Iterable[tuple[Hashable, Hashable]], exp_epsilon: object
) -> Judgement:
    arcs = [("start", *pair, "end") for a, b in pairs for pair in ((a, b), (b, a))]
    relation = ArcRelation("start", ["end"], arcs)
    claim = Claim.of(exp_epsilon=exp_epsilon)
    spec = AuditSpec("test", mechanism, relation, 1, relation.symbols, claim)
    return audit(spec).results[0].adaptive


def close_scores(size: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of score vectors in {0, 1, 2} whose entries differ by at most 1."""
    vectors = list(itertools.product(range(3), repeat=size))
    return [
        (a, b)
        for a, b in itertools.combinations(vectors, 2)
        if all(abs(x - y) <= 1 for x, y in zip(a, b, strict=True))
    ]


SELECTIONS: dict[str, AnyMechanism] = {
    "permute-and-flip": PermuteAndFlip((0, 1), own_scores, "ln(4)"),
    **{
        f"noisy-max-{kind}-{ties}": ReportNoisyMax((0, 1), own_scores, noise, ties)
        for kind, noise in (("one", Geometric("1/2")), ("two", TwoSidedGeometric("1/2")))
        for ties in ALL_TIES
    },
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_are_private_at_their_epsilon(name: str) -> None:
    found = judged(SELECTIONS[name], close_scores(2), 4)
    assert found.verdict == "holds"
    # Both scores move towards each other by 1, which one-sided noise feels in full: the chance of
    # the worse candidate is p (1 - 1/2) with p = 1/4 instead of 1 for permute-and-flip, and
    # r^3 / (1 + r) instead of r / (1 + r) for one-sided noise. Two-sided noise is not tight here.
    assert found.tight == ("two" not in name)


@pytest.mark.parametrize("size", [2, 3, 9])
def test_exponential_mechanism_nearly_spends_its_epsilon(size: int) -> None:
    # One score rises by 1 and all others fall by 1, each unit weighing 2 at e^epsilon = 4. The
    # total goes from n to 2 + (n - 1) / 2 = (n + 3) / 2, so the one chance rises by
    # 4 n / (n + 3), and each other one falls by (n + 3) / n.
    flat, peaked = (0,) * size, (1,) + (-1,) * (size - 1)
    mechanism = ExponentialMechanism(names(flat), own_scores, "ln(4)")
    found = judged(mechanism, [(flat, peaked)], 4)
    assert found.verdict == "holds"
    assert found.pure_exp_epsilon.lower == max(
        Fraction(4 * size, size + 3), Fraction(size + 3, size)
    )


def test_exponential_mechanism_is_private_at_its_epsilon() -> None:
    mechanism = ExponentialMechanism((0, 1, 2), own_scores, "ln(4)")
    pairs = close_scores(3)
    assert score_sensitivity((0, 1, 2), own_scores, pairs) == 1
    assert judged(mechanism, pairs, 4).verdict == "holds"


def test_sensitivity_counts_rises_and_falls_over_the_given_pairs() -> None:
    table = {"a": (3, 0), "b": (1, 1), "c": (1, "3/2")}
    assert score_sensitivity((0, 1), table, [("a", "b")]) == 2
    assert score_sensitivity((0, 1), table, [("b", "a")]) == 2
    assert score_sensitivity((0, 1), table, [("b", "c")]) == Fraction(1, 2)
    assert score_sensitivity((0, 1), table, []) == 0


def test_half_the_noise_is_caught() -> None:
    pairs = close_scores(2)
    bold = ExponentialMechanism((0, 1, 2), own_scores, "ln(4)", monotone=True)
    assert judged(bold, close_scores(3), 4).verdict == "violated"
    flip = PermuteAndFlip((0, 1), own_scores, "ln(4)", monotone=True)
    assert judged(flip, pairs, 4).verdict == "violated"
    noisy = ReportNoisyMax((0, 1), own_scores, Geometric("1/4"))
    assert judged(noisy, pairs, 4).verdict == "violated"


def test_monotone_scores_need_half_the_noise() -> None:
    rising = [(a, b) for a, b in close_scores(3) if all(x <= y for x, y in zip(a, b, strict=True))]
    for mechanism in (
        ExponentialMechanism((0, 1, 2), own_scores, "ln(4)", monotone=True),
        PermuteAndFlip((0, 1, 2), own_scores, "ln(4)", monotone=True),
        ReportNoisyMax((0, 1, 2), own_scores, Geometric("1/4")),
    ):
        assert judged(mechanism, rising, 4).verdict == "holds"


def test_geometric_release_is_private_and_tight() -> None:
    counts = [(n, n + 1) for n in range(4)]
    found = judged(GeometricRelease("1/2", 0, 4), counts, 2)
    assert (found.verdict, found.tight) == ("holds", True)
    two_apart = [(n, n + 2) for n in range(3)]
    assert judged(GeometricRelease("1/2", 0, 4), two_apart, 2).verdict == "violated"
    assert judged(GeometricRelease("1/2", 0, 4), two_apart, 4).verdict == "holds"


# --- samples ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mechanism",
    [
        ExponentialMechanism((0, 1, 2), own_scores, 1),
        PermuteAndFlip((0, 1, 2), own_scores, "ln(4)", sequential=True),
        ReportNoisyMax((0, 1, 2), own_scores, Geometric("1/2"), sequential=True),
        ReportNoisyMax((0, 1, 2), own_scores, TwoSidedGeometric("1/2"), "uniform", True),
    ],
    ids=["exponential", "permute-and-flip", "one-sided max", "two-sided max"],
)
def test_production_choices_have_the_exact_law(mechanism: Any) -> None:
    """False alarm of each mechanism below 3 * 2 exp(-2 n 0.055^2) < 4e-4."""
    data, runs = (0, 1, 1), 1600
    run = open_run(mechanism, SeededBits(11))
    counts = Counter(run.feed(data) for _ in range(runs))
    for name, weight in mechanism.law(data).items():
        assert abs(counts[name] / runs - float(weight)) < 0.055


def test_unbounded_release_has_geometric_tails() -> None:
    """Values around 5 with chance (1/3) 2^-|d|; false alarm below 5 * 2 exp(-2 n 0.04^2) < 4e-4."""
    runs = 3200
    run = open_run(GeometricRelease("1/2"), SeededBits(12))
    counts = Counter(run.feed(5) for _ in range(runs))
    for distance in range(-2, 3):
        share = Fraction(1, 3) / 2 ** abs(distance)
        assert abs(counts[5 + distance] / runs - float(share)) < 0.04


def test_unbounded_release_is_refused_by_the_enumerator() -> None:
    with pytest.raises(InputError, match="infinite support"):
        ExactMachine(GeometricRelease("1/2")).transitions(None, 0)
    with pytest.raises(InputError, match="not finite"):
        GeometricRelease("1/2").law(0)


@pytest.mark.parametrize(
    "mechanism",
    [
        PermuteAndFlip(tuple(range(500)), own_scores, "ln(4)"),
        ReportNoisyMax(tuple(range(500)), own_scores, Geometric("1/2")),
    ],
    ids=["permute-and-flip", "noisy-max"],
)
def test_many_candidates_are_drawn_one_by_one(mechanism: Any) -> None:
    data = (0,) * 500
    with pytest.raises(LimitError, match="500 candidates"):
        mechanism.law(data)
    one_by_one = dataclasses.replace(mechanism, sequential=True)
    assert open_run(one_by_one, SeededBits(1)).feed(data) in names(data)


# --- refusals -----------------------------------------------------------------------------------


def test_bad_arguments_are_refused() -> None:
    wrong: Any = 3
    with pytest.raises(InputError, match="there are no candidates"):
        ExponentialMechanism((), own_scores, 1)
    with pytest.raises(InputError, match="comes twice"):
        ExponentialMechanism((0, 0), own_scores, 1)
    with pytest.raises(InputError, match="epsilon is negative"):
        ExponentialMechanism((0,), own_scores, -1)
    with pytest.raises(InputError, match="sensitivity: not above 0"):
        PermuteAndFlip((0,), own_scores, 1, sensitivity=0)
    with pytest.raises(InputError, match="not a list of 2 scores"):
        ExponentialMechanism((0, 1), {"d": (1,)}, 1)
    with pytest.raises(InputError, match="no scores for this data"):
        ExponentialMechanism((0, 1), {"d": (1, 2)}, 1).law("e")
    with pytest.raises(InputError, match="outside the field"):
        ExponentialMechanism((0, 1), own_scores, "ln(3)").law((0, 1))
    with pytest.raises(InputError, match="a score is not an integer"):
        ReportNoisyMax((0, 1), {"d": ("1/2", 1)}, Geometric("1/2")).law("d")
    with pytest.raises(InputError, match="not a law of integer noise"):
        ReportNoisyMax((0, 1), own_scores, wrong)
    with pytest.raises(InputError, match="unknown tie rule"):
        ReportNoisyMax((0, 1), own_scores, Geometric("1/2"), wrong)
    with pytest.raises(InputError, match="one of lower and upper is missing"):
        GeometricRelease("1/2", 0)
    with pytest.raises(InputError, match="lower is above upper"):
        GeometricRelease("1/2", 1, 0)
    with pytest.raises(InputError, match="both a range and a modulus"):
        GeometricRelease("1/2", 0, 1, modulus=2)
    with pytest.raises(InputError, match="not an integer"):
        GeometricRelease("1/2", 0, 1).law("1")
    with pytest.raises(InputError, match="no statistic for this data"):
        GeometricRelease("1/2", 0, 1, statistic={"d": 0}).law("e")
