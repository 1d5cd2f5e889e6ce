"""Geometric laws: probabilities, tails, finite counterparts, and the readers' two answers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import Coins, ExactMachine, FiniteLaw, SamplerCoins, SeededBits, Step
from powercert.mechanisms.coins import SampledLaw, enumerate_outcomes
from powercert.mechanisms.discrete_gaussian import DiscreteGaussian
from powercert.mechanisms.poisson import Poisson
from powercert.mechanisms.unbounded_laws import Geometric, TwoSidedGeometric, discrete_laplace

RATIOS = ["1/3", "99/100", "exp(-1/10)", "exp(-2)", "exp(-1/3)/2", "1/(1 + exp(1))"]
UNBOUNDED: list[SampledLaw[int]] = [
    TwoSidedGeometric("1/3", 4),
    Geometric("exp(-1/3)"),
    discrete_laplace(10),
    DiscreteGaussian(2, -1),
    Poisson("7/2"),
]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("centre", [0, -3, 5])
def test_two_sided_probabilities_are_the_printed_formula(ratio: str, centre: int) -> None:
    law, r = TwoSidedGeometric(ratio, centre), Exact(ratio)
    assert law.probability(centre) == (1 - r) / (1 + r)
    for k in range(1, 4):
        assert law.probability(centre + k) == law.probability(centre) * r**k
        assert law.probability(centre - k) == law.probability(centre + k)


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_tail_is_what_the_inner_probabilities_leave(ratio: str) -> None:
    two_sided, one_sided = TwoSidedGeometric(ratio, 7), Geometric(ratio)
    for distance in range(4):
        inner = range(7 - distance + 1, 7 + distance)
        left = 1 - sum((two_sided.probability(k) for k in inner), start=Exact(0))
        assert two_sided.tail(distance) == left
        left = 1 - sum((one_sided.probability(k) for k in range(distance)), start=Exact(0))
        assert one_sided.tail(distance) == left
    assert two_sided.tail(-1) == one_sided.tail(-1) == 1


@pytest.mark.parametrize("ratio", RATIOS)
def test_at_least_falls_by_the_probability_and_is_symmetric(ratio: str) -> None:
    law = TwoSidedGeometric(ratio, -2)
    for k in range(-6, 4):
        assert law.at_least(k) - law.at_least(k + 1) == law.probability(k)
    assert law.at_least(-2 + 3) == 1 - law.at_least(-2 - 2)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("lower", "upper"), [(-3, 2), (0, 1), (4, 6), (-9, -7), (1, 1)])
def test_clamping_moves_each_tail_to_its_end(ratio: str, lower: int, upper: int) -> None:
    for law, at_least in (
        (TwoSidedGeometric(ratio, 1), TwoSidedGeometric(ratio, 1).at_least),
        (Geometric(ratio), Geometric(ratio).tail),
    ):
        clamped = law.clamped(lower, upper)
        if lower == upper:
            assert clamped == FiniteLaw.point(lower)
            continue
        assert clamped.weight(upper) == at_least(upper)
        assert clamped.weight(lower) == 1 - at_least(lower + 1)
        for k in range(lower + 1, upper):
            assert clamped.weight(k) == law.probability(k)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("lower", "upper"), [(-3, 2), (0, 1), (4, 6), (1, 1)])
def test_truncating_conditions_on_the_range(ratio: str, lower: int, upper: int) -> None:
    for law in (TwoSidedGeometric(ratio, 1), Geometric(ratio)):
        inside = sum((law.probability(k) for k in range(lower, upper + 1)), start=Exact(0))
        truncated = law.truncated(lower, upper)
        for k in range(lower - 1, upper + 2):
            expected = law.probability(k) / inside if lower <= k <= upper else Exact(0)
            assert truncated.weight(k) == expected


def moved(ratio: str) -> TwoSidedGeometric:
    return TwoSidedGeometric(ratio, 2)


@pytest.mark.parametrize("ratio", ["1/3", "3/4"])
@pytest.mark.parametrize(("modulus", "start"), [(1, 0), (2, 0), (5, -2), (4, 10)])
@pytest.mark.parametrize("law_of", [moved, Geometric])
def test_folding_adds_up_the_residues(
    ratio: str, modulus: int, start: int, law_of: Callable[[str], Any]
) -> None:
    """What a long partial sum leaves out is at most the tail beyond it."""
    law = law_of(ratio)
    folded = law.folded(modulus, start)
    assert sorted(folded.outcomes) == list(range(start, start + modulus))
    for residue in folded.outcomes:
        places = [k for k in range(-200, 201) if (k - residue) % modulus == 0]
        partial = sum((law.probability(k) for k in places), start=Exact(0))
        assert partial <= folded.weight(residue) <= partial + law.tail(198)
    assert law.tail(198) < Exact("1e-20")


def test_folding_with_exponentials_has_the_closed_form() -> None:
    r = Exact("exp(-1/2)")
    folded = TwoSidedGeometric(r).folded(3)
    assert folded.weight(0) == (1 - r) * (1 + r**3) / ((1 + r) * (1 - r**3))


def test_discrete_laplace_is_two_sided_geometric() -> None:
    assert discrete_laplace("5/2", 3) == TwoSidedGeometric("exp(-2/5)", 3)


def test_a_shift_moves_the_centre() -> None:
    law = TwoSidedGeometric("1/3", 2).shifted(-5)
    assert law.probability(-3) == Exact("1/2")
    assert law == TwoSidedGeometric("1/3", -3)


def test_adding_it_to_a_count_is_private_exactly() -> None:
    law, shifted = TwoSidedGeometric("exp(-1/2)"), TwoSidedGeometric("exp(-1/2)", 1)
    ratios = {law.probability(k) / shifted.probability(k) for k in range(-10, 11)}
    assert ratios == {Exact("exp(1/2)"), Exact("exp(-1/2)")}


def test_ranges_far_from_the_centre_are_no_harder_to_truncate() -> None:
    far = TwoSidedGeometric("1/3", 10**12).truncated(0, 2)
    assert far == TwoSidedGeometric("1/3", 3).truncated(0, 2)
    assert Geometric("exp(-1)").truncated(10**9, 10**9 + 1).weight(10**9 + 1) == Exact(
        "1/(1 + exp(1))"
    )


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: TwoSidedGeometric(0), InputError, "ratio: not between 0 and 1; found 0"),
        (lambda: TwoSidedGeometric(1), InputError, "ratio: not between 0 and 1"),
        (lambda: Geometric("exp(1/10)"), InputError, "ratio: not between 0 and 1"),
        (lambda: Geometric("ln(2)"), InputError, "ratio: a logarithm is not"),
        (lambda: Geometric(0.5), InputError, "ratio: a binary float"),
        (lambda: TwoSidedGeometric("1/2", True), InputError, "centre: not an integer"),
        (lambda: discrete_laplace(0), InputError, "scale: not above 0"),
        (lambda: discrete_laplace("exp(1)"), InputError, "scale: not rational"),
        (lambda: Geometric("1/2").truncated(-3, -1), InputError, "the range has probability 0"),
        (lambda: Geometric("1/2").clamped(2, 1), InputError, "lower is above upper"),
        (lambda: TwoSidedGeometric("1/2").folded(0), InputError, "modulus: not of at least 1"),
        (lambda: TwoSidedGeometric("1/2").clamped(0, 10**9), LimitError, "more than 100000"),
        (lambda: TwoSidedGeometric("1/2").folded(10**9), LimitError, "more than 100000"),
        (lambda: Geometric("1/2").truncated(0, 99_999), LimitError, "too large"),
        (lambda: TwoSidedGeometric("exp(-1)").clamped(-9999, 9999), LimitError, "too large"),
        (lambda: TwoSidedGeometric("1/3", 10**9).clamped(0, 1), LimitError, "too large"),
        (lambda: Geometric("1/3").probability(10**9), LimitError, "power"),
    ],
)
def test_wrong_parameters_and_huge_laws_are_refused(
    build: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build()


@pytest.mark.parametrize("law", UNBOUNDED, ids=lambda law: type(law).__name__)
def test_sampler_coins_draw_from_them(law: SampledLaw[int]) -> None:
    coins = SamplerCoins(SeededBits(5))
    drawn = {coins.draw(law) for _ in range(50)}
    assert coins.draws == 50
    assert len(drawn) > 1


@pytest.mark.parametrize("law", UNBOUNDED, ids=lambda law: type(law).__name__)
def test_the_enumerator_names_the_law_and_the_finite_one_to_use(law: SampledLaw[int]) -> None:
    name = type(law).__name__
    with pytest.raises(InputError) as caught:
        enumerate_outcomes(lambda coins: coins.draw(law), where="state s")
    text = str(caught.value)
    assert text.startswith("state s: a law with infinite support can be sampled but not enumerated")
    assert f"found {name}(" in text
    assert f"draw from a finite law made of it: {name}(...).truncated(lower, upper)" in text or (
        f"{name}(...).clamped(lower, upper), .truncated(lower, upper)" in text
    )


def test_the_refusal_cannot_be_swallowed_by_the_body() -> None:
    def body(coins: Coins) -> int:
        try:
            return coins.draw(TwoSidedGeometric("1/2"))
        except InputError:
            return 0

    with pytest.raises(InputError, match=r"or \.folded\(modulus\)"):
        enumerate_outcomes(body)


def test_a_law_that_becomes_unbounded_on_a_later_run_is_refused() -> None:
    coin = FiniteLaw.bernoulli("1/2")

    def body(coins: Coins) -> int:
        return coins.draw(coin) or coins.draw(Geometric("1/2"))

    with pytest.raises(InputError, match="not enumerated: Geometric"):
        enumerate_outcomes(body)


def test_a_machine_with_unbounded_noise_runs_and_is_not_enumerated() -> None:
    class Noisy:
        def start(self, coins: Coins) -> int:
            return 0

        def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
            return Step(state + item, state + item + coins.draw(TwoSidedGeometric("1/3")))

    coins = SamplerCoins(SeededBits(1))
    assert isinstance(Noisy().step(0, 1, coins).view, int)
    with pytest.raises(InputError, match="infinite support"):
        ExactMachine(Noisy()).transitions(0, 1)


def drawing(law: Any) -> Callable[[Coins], int]:
    return lambda coins: coins.draw(law)


def test_what_only_looks_like_a_law_is_no_law() -> None:
    class Half:
        finite_counterpart = ".truncated(lower, upper)"

    wrong: Any
    for wrong in (Half(), {"a": 1}, "1/2", None, TwoSidedGeometric):
        with pytest.raises(InputError, match="a draw needs a FiniteLaw"):
            SamplerCoins(SeededBits(1)).draw(wrong)
        with pytest.raises(InputError, match="a draw needs a FiniteLaw"):
            enumerate_outcomes(drawing(wrong))


@pytest.mark.parametrize("law", UNBOUNDED, ids=lambda law: type(law).__name__)
def test_laws_are_values(law: Any) -> None:
    for other in (copy.deepcopy(law), pickle.loads(pickle.dumps(law))):
        assert other == law
        assert hash(other) == hash(law)
    assert eval(repr(law), globals()) == law


def test_exact_numbers_in_reprs_are_read_back() -> None:
    assert repr(Geometric("1/3")) == "Geometric(ratio=Exact('1/3'))"
    assert repr(Poisson("7/2")) == "Poisson(rate=Fraction(7, 2))"
    assert Fraction(7, 2) == Poisson("3.5").rate
