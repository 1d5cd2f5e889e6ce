"""Randomised response, binomial, uniform, and tails of finite laws."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import FiniteLaw
from powercert.mechanisms.named_laws import (
    binomial,
    lower_tail,
    randomised_response,
    uniform_integers,
    upper_tail,
)


def plain(law: FiniteLaw[Any]) -> Any:
    return dict(law.items())


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize("gamma", ["1", "3", "exp(1/2)"])
def test_the_truth_is_gamma_times_as_likely_as_every_lie(size: int, gamma: str) -> None:
    for truth in range(size):
        law = randomised_response(truth, range(size), exp_epsilon=gamma)
        lies = {law.weight(other) for other in range(size) if other != truth}
        assert len(lies) == 1
        assert law.weight(truth) == Exact(gamma) * lies.pop()


def test_binary_randomised_response_is_warners() -> None:
    law = randomised_response("yes", ["yes", "no"], exp_epsilon=3)
    assert plain(law) == {"yes": Exact("3/4"), "no": Exact("1/4")}


def test_epsilon_may_be_given_as_itself() -> None:
    by_gamma = randomised_response(0, (0, 1), exp_epsilon="exp(1/10)")
    assert randomised_response(0, (0, 1), epsilon="1/10") == by_gamma
    assert randomised_response(0, (0, 1), epsilon="ln(3)") == randomised_response(
        0, (0, 1), exp_epsilon=3
    )


def test_infinite_epsilon_tells_the_truth_and_zero_epsilon_nothing() -> None:
    assert randomised_response("b", "abc", epsilon=math.inf) == FiniteLaw.point("b")
    assert randomised_response("b", "abc", epsilon=0) == FiniteLaw.uniform("abc")
    assert randomised_response("a", "a", epsilon=1) == FiniteLaw.point("a")


@pytest.mark.parametrize(
    ("value", "values", "options", "message"),
    [
        ("d", "abc", {"epsilon": 1}, "the true value is not among the values; found 'd'"),
        (True, (0, 1), {"epsilon": 1}, "not among the values; found True"),
        ("a", "aba", {"epsilon": 1}, "twice"),
        ("a", "abc", {}, "exactly one of epsilon and exp_epsilon"),
        ("a", "abc", {"epsilon": 1, "exp_epsilon": 3}, "exactly one of epsilon and exp_epsilon"),
        ("a", "abc", {"epsilon": -1}, "epsilon"),
        ("a", "abc", {"exp_epsilon": "1/2"}, "exp_epsilon is below 1"),
        ("a", "abc", {"epsilon": 0.5}, "float"),
    ],
)
def test_wrong_randomised_responses_are_refused(
    value: Any, values: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        randomised_response(value, values, **options)


@pytest.mark.parametrize("trials", [0, 1, 2, 5])
@pytest.mark.parametrize("chance", ["0", "1/3", "1"])
def test_binomial_counts_successes(trials: int, chance: str) -> None:
    p = Fraction(chance)
    counted: Counter[int] = Counter()
    weights: dict[int, Fraction] = {}
    for outcome in itertools.product((0, 1), repeat=trials):
        counted[sum(outcome)] += 1
        chances = [p if success else 1 - p for success in outcome]
        weights[sum(outcome)] = weights.get(sum(outcome), Fraction(0)) + math.prod(chances)
    found = {k: weight.as_fraction() for k, weight in binomial(trials, chance).items()}
    assert found == {k: weight for k, weight in weights.items() if weight}


def test_binomial_with_a_transcendental_chance() -> None:
    z = Exact("exp(-1)")
    assert plain(binomial(2, z)) == {0: (1 - z) ** 2, 1: 2 * z * (1 - z), 2: z**2}


@pytest.mark.parametrize(
    ("trials", "chance", "message"),
    [
        (-1, "1/2", "trials"),
        (True, "1/2", "trials"),
        (2, "3/2", "probability"),
        (2, 0.5, "probability.*float"),
        (2, "ln(2)", "probability"),
    ],
)
def test_wrong_binomials_are_refused(trials: Any, chance: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        binomial(trials, chance)


def test_huge_laws_are_refused_before_they_are_built() -> None:
    with pytest.raises(LimitError, match="too large"):
        binomial(10**9, "1/3")
    with pytest.raises(LimitError, match="more than 100000 outcomes"):
        uniform_integers(0, 10**30)


def test_uniform_integers_include_both_ends() -> None:
    assert plain(uniform_integers(-1, 1)) == {k: Exact("1/3") for k in (-1, 0, 1)}
    assert uniform_integers(4, 4) == FiniteLaw.point(4)
    with pytest.raises(InputError, match="lower is above upper; found 2 and 1"):
        uniform_integers(2, 1)
    wrong: Any = "1"
    with pytest.raises(InputError, match="upper: not an integer"):
        uniform_integers(0, wrong)


def test_tails_of_finite_laws() -> None:
    law = binomial(4, "1/2")
    assert [upper_tail(law, k) for k in (-3, 0, 1, 4, 5)] == [
        1, 1, Exact("15/16"), Exact("1/16"), 0,
    ]  # fmt: skip
    assert [lower_tail(law, k) for k in (-1, 0, 3, 4, 9)] == [
        0, Exact("1/16"), Exact("15/16"), 1, 1,
    ]  # fmt: skip


def test_tails_need_integers() -> None:
    law: Any = FiniteLaw.uniform("ab")
    with pytest.raises(InputError, match="an outcome of the law: not an integer; found 'a'"):
        upper_tail(law, 0)
    wrong: Any = {0: 1}
    with pytest.raises(InputError, match="law: not a FiniteLaw"):
        lower_tail(wrong, 0)
