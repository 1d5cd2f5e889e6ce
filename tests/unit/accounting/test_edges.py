"""Numbers at the edges: epsilons out of reach, rounding, nan, parts of numbers, a million draws."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting import (
    Enclosure,
    Exact,
    InputError,
    LimitError,
    Pair,
    compose,
    exact,
    exact_number,
)

PAIR = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
PROFILE = PAIR.profile()
COMPOSED = compose([PAIR])
NAN = float("nan")
# The calls below break the types on purpose.
ANY: Any = None
WORD: Any = "x"

# The pair has e^eps = 3: beyond ln 3 its delta is 0, and no e^eps below 3 is enough for delta = 0.


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon": 2 * 10**6},
        {"epsilon": "10**30"},
        {"exp_epsilon": "exp(2000000)"},
        {"epsilon": "ln(10)/2"},
        {"epsilon": "1000001 * ln(3)"},
    ],
)
def test_an_epsilon_whose_exponential_cannot_be_built_is_decided_by_comparison(
    given: dict[str, object],
) -> None:
    # sqrt(10) > 3 is no number of the field, and e^(2 * 10^6) is too large to be written down.
    assert PROFILE.delta(**given) == 0
    assert PROFILE.meets(**given)
    assert COMPOSED.delta(**given).upper == 0


def test_an_epsilon_on_the_other_side_is_decided_too() -> None:
    assert not PROFILE.meets(epsilon="ln(8)/2")
    assert not PROFILE.meets(epsilon=-2 * 10**6)
    assert PROFILE.meets(epsilon=-2 * 10**6, delta=1)
    lossy = Pair.from_laws(["1", "0"], ["11/12", "1/12"]).profile()
    assert lossy.delta(epsilon=10**7) == Fraction(1, 12)
    assert not lossy.meets(epsilon=10**7, delta="1/13")


def test_where_comparison_does_not_decide_the_reason_is_told() -> None:
    # delta is 1 - e^eps here, and 1 - sqrt(8)/4 there.
    with pytest.raises(LimitError, match="above the limit"):
        PROFILE.delta(epsilon=-2 * 10**6)
    with pytest.raises(InputError, match="root"):
        PROFILE.delta(epsilon="ln(8)/2")
    with pytest.raises(InputError, match="epsilon is neither rational nor a logarithm"):
        PROFILE.delta(epsilon="exp(1)")
    with pytest.raises(InputError, match="unknown name"):
        PROFILE.delta(exp_epsilon="exp(x)")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ln(3)", 'write epsilon = "ln(3)", which is exp_epsilon = "3"'),
        ("ln(9)/2", 'which is exp_epsilon = "3"'),
        ("ln(3)/2", 'write epsilon = "ln(3)/2"'),
    ],
)
def test_a_logarithm_is_no_exp_epsilon(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        PROFILE.delta(exp_epsilon=text)
    assert "e^epsilon must be a number, not a logarithm" in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "nearest", "whole"),
    [
        ("5/2", 2, 2),
        ("7/2", 4, 3),
        ("-5/2", -2, -2),
        ("-7/2", -4, -3),
        ("1/3", 0, 0),
        ("-1/3", 0, 0),
        ("10**30 + 1/2", 10**30, 10**30),
        # e = 2.718..., and e^3 = 20.0855...
        ("exp(1)", 3, 2),
        ("-exp(1)", -3, -2),
        ("-exp(3)", -20, -20),
    ],
)
def test_rounding_and_truncation_are_those_of_fractions(
    text: str, nearest: int, whole: int
) -> None:
    number = exact_number(text)
    assert (round(number), math.trunc(number), int(number)) == (nearest, whole, whole)
    if number.is_rational:
        fraction = number.as_fraction()
        assert (nearest, whole) == (round(fraction), math.trunc(fraction))


@pytest.mark.parametrize(("digits", "rounded"), [(2, "68/25"), (0, "3"), (-1, "0")])
def test_rounding_to_digits_is_exact(digits: int, rounded: str) -> None:
    assert round(exact_number("exp(1)"), digits) == exact_number(rounded)


def test_rounding_refuses_other_digits() -> None:
    refused: list[Any] = ["x", True, 1.5]
    for digits in refused:
        with pytest.raises(InputError, match="digits"):
            round(Exact(1), digits)
    with pytest.raises(LimitError):
        round(Exact(1), 10**9)


@pytest.mark.parametrize("number", [Exact(1), exact_number("exp(1)"), exact("ln(2)")])
@pytest.mark.parametrize("nan", [NAN, Decimal("nan"), Decimal("snan")])
@pytest.mark.parametrize("compare", [operator.le, operator.ge, operator.lt, operator.gt])
def test_nan_has_no_order(number: object, nan: object, compare: Callable[[Any, Any], bool]) -> None:
    with pytest.raises(InputError):
        compare(number, nan)
    with pytest.raises(InputError):
        compare(nan, number)


def test_nan_equals_nothing_and_bounds_nothing() -> None:
    assert Exact(1) != Decimal("nan")
    assert exact("ln(2)") != Decimal("nan")
    between = Enclosure("1/3", "1/2")
    for call in (
        lambda: Exact(1) == NAN,
        lambda: Exact(NAN),
        lambda: Exact(Decimal("nan")),
        lambda: Enclosure(0, NAN),
        lambda: between.contains(NAN),
        lambda: between < NAN,
        lambda: between == NAN,
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: Exact.of_rational(1, 0),
        lambda: Exact.of_rational(WORD, 2),
        lambda: Exact.of_rational(1, ANY),
        lambda: Exact.of_rational(True, 2),
        lambda: Exact(1).directed(2),
        lambda: Exact(1).directed(-2),
        lambda: Exact(1).directed(True),
        lambda: Exact(1).directed(WORD),
        lambda: exact("ln(2)").directed(5),
        lambda: Exact(1).as_polynomials(ANY),
        lambda: Exact(1).as_polynomials(Fraction(0)),
        lambda: exact_number("exp(1)").as_polynomials(Fraction(0)),
        lambda: exact_number("exp(1)").as_polynomials(Fraction(-1, 2)),
        lambda: exact_number("exp(1/2)").as_polynomials(Fraction(1)),
    ],
)
def test_parts_of_numbers_out_of_their_domain(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


def test_a_generator_of_zero_is_refused_whatever_its_type() -> None:
    zero: Any = 0
    with pytest.raises(InputError, match="generator"):
        Exact(1).as_polynomials(zero)


def calls_of(run: Callable[[], object]) -> int:
    """Return how many functions were called: the same on every machine."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def test_a_million_draws_cost_no_more_steps_than_ten() -> None:
    """Of one likelihood ratio and one outcome that each law lacks, N draws make three atoms."""
    leak = Pair.from_laws(["1/2", "1/2", "0"], ["1/2", "0", "1/2"])
    million = leak.times(10**6)
    assert len(million.atoms) == 3
    # All draws must hit the common outcome for the laws to stay alike: 2^-N.
    assert million.profile().delta(epsilon=0) == 1 - Exact(1) / Exact(2) ** (10**6)
    leak.times(10)
    assert calls_of(lambda: leak.times(10**6)) < 2 * calls_of(lambda: leak.times(10))


def test_a_million_draws_that_are_too_many_are_refused_in_a_few_steps() -> None:
    def refused(count: int) -> None:
        with pytest.raises(LimitError, match="pass limit_atoms="):
            PAIR.times(count, limit_atoms=5)

    refused(10)
    assert calls_of(lambda: refused(10**6)) < 2 * calls_of(lambda: refused(10))
