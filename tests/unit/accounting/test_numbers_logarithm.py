"""LogExact: arithmetic inside the logarithms, exact order, canonical equality."""

from __future__ import annotations

import copy
import math
import pickle
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError, UndecidedError
from powercert.accounting.numbers import Exact, LogExact, exact

# ln 2 and ln 3 rounded to 50 digits (OEIS A002162, A002391).
LN_2 = "0.69314718055994530941723212145817656807550013436026"
LN_3 = "1.0986122886681096913952452369225257046474905578227"


def log(text: str) -> LogExact:
    return LogExact(text)


def test_digits_of_known_logarithms() -> None:
    assert log("ln(2)").decimal(50) == LN_2
    assert log("ln(3)").decimal(50) == LN_3
    assert log("ln(1/2)").decimal(50) == "-" + LN_2
    assert log("ln(2)/2 + 1").decimal(10) == "1.34657359"
    assert float(log("ln(3)")) == math.log(3)
    assert log("ln(2)").decimal(5, "down") == "0.69314"
    assert log("ln(2)").decimal(5, "up") == "0.69315"
    assert log("-ln(2)").decimal(5, "down") == "-0.69315"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ln(9)/2", "ln(3)"),
        ("2*ln(3)", "ln(9)"),
        ("ln(2) + ln(3)", "ln(6)"),
        ("ln(6) - ln(3)", "ln(2)"),
        ("ln(1/3)", "-ln(3)"),
        ("ln(8)/3 - ln(4)/2", "0"),
        ("ln(exp(1/3))", "1/3"),
        ("ln(3) + 1/10", "ln(3*exp(1/10))"),
        ("1/10 - ln(3)", "ln(exp(1/10)/3)"),
        ("ln(1 + 2*exp(1) + exp(2))/2", "ln(1 + exp(1))"),
        ("ln(4*exp(2)*(1 + exp(1))**2)/2", "1 + ln(2 + 2*exp(1))"),
        ("ln((1 - exp(1))**2)", "2*ln(exp(1) - 1)"),
        ("3*(ln(2)/3)", "ln(2)"),
        ("1000*ln(3)/1000", "ln(3)"),
        ("ln(8/27)", "3*ln(2/3)"),
        ("ln(8/27)/ln(exp(2))", "ln(2/3)*(3/2)"),
    ],
)
def test_equal_values(left: str, right: str) -> None:
    a, b = exact(left), exact(right)
    assert a == b and b == a and hash(a) == hash(b)
    assert a <= b and a >= b and not a < b and not a > b
    assert {a: 1}[b] == 1


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ("ln(2)", "7/10"),
        ("69/100", "ln(2)"),
        ("ln(3)/2", "ln(2)"),
        ("ln(2)", "ln(3)"),
        ("-ln(3)", "-ln(2)"),
        ("0", "ln(2)"),
        ("ln(1/2)", "0"),
        ("ln(2)/1000003", "ln(3)/1000003"),
        ("ln(7)", "exp(2/3)"),
        ("exp(1/10)", "ln(3) + 1/10"),
        ("1054*ln(2)", "665*ln(3)"),
        ("ln(3)", "ln(3) + 1e-100"),
        ("ln(exp(1) + 1)", "ln(exp(1) + 1 + 1e-100)"),
    ],
)
def test_order(small: str, large: str) -> None:
    a, b = exact(small), exact(large)
    assert a < b and a <= b and b > a and b >= a and a != b
    assert not b < a and not b <= a


def test_order_of_high_multiples_needs_no_power() -> None:
    # A convergent of ln(3)/ln(2) of 20 digits: 3^p and 2^q would have 10^19 digits.
    ratio = Fraction(log("ln(3)").decimal(60)) / Fraction(log("ln(2)").decimal(60))
    best = ratio.limit_denominator(10**20)
    left = log("ln(3)") * best.denominator
    right = log("ln(2)") * best.numerator
    assert left != right
    assert (left < right) != (left > right)
    assert hash(left) != hash(right)


def test_nearly_equal_arguments_separate() -> None:
    big = Exact(10) ** 300
    assert big.log() < (big + 1).log() < (big + 2).log()


def test_simplified() -> None:
    assert log("ln(1)").simplified() == Exact(0)
    assert type(log("ln(exp(1/3))").simplified()) is Exact
    assert type(log("3/7*ln(exp(1/3))").simplified()) is Exact
    assert log("ln(3)").simplified() == log("ln(3)")
    assert type(log("ln(3)").simplified()) is LogExact
    assert log("ln(3) - ln(3)").simplified() == 0


def test_exponential() -> None:
    assert log("ln(3)").exp() == 3
    assert log("ln(3) + 1/10").exp() == 3 * Exact.exp("1/10")
    assert log("-2*ln(3)").exp() == Fraction(1, 9)
    assert log("ln(9)/2").exp() == 3
    assert log("ln(exp(1)*(1 + exp(1))**2)/2").exp() == Exact.exp("1/2") * (1 + Exact.exp(1))
    with pytest.raises(InputError, match="root"):
        log("ln(3)/2").exp()
    with pytest.raises(InputError, match="root"):
        log("ln(2 + 4*exp(1) + 2*exp(2))/2").exp()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("ln(3)", "ln(3)"),
        ("ln(3)/2", "ln(3)/2"),
        ("2*ln(2)", "ln(4)"),
        ("ln(4)", "ln(4)"),
        ("1000*ln(3)/7", "1000*ln(3)/7"),
        ("ln(3) + 1/10", "ln(3*exp(1/10))"),
        ("1/2*ln(exp(1/2))", "ln(exp(1/4))"),
        ("-ln(3)", "ln(1/3)"),
    ],
)
def test_printing_reads_back(text: str, printed: str) -> None:
    number = log(text)
    assert str(number) == printed
    assert exact(printed) == number
    assert eval(repr(number), {"LogExact": LogExact}) == number


def test_arithmetic_with_rationals() -> None:
    number = log("ln(3)")
    assert number + 0 == number and 0 + number == number
    assert sum([number, number, number]) == log("ln(27)")
    assert number * 2 == 2 * number == number + number == log("ln(9)")
    assert number * Fraction(1, 2) == number / 2
    assert number * 0 == 0 and number - number == 0
    assert 1 - number == -(number - 1)
    assert abs(log("ln(1/3)")) == number and -number == log("ln(1/3)")
    assert Exact("1/2") + number == number + Fraction(1, 2)
    assert Exact("1/2") * number == number / 2
    assert bool(number) and not log("ln(1)")
    assert [log("ln(1/2)").sign(), log("ln(1)").sign(), number.sign()] == [-1, 0, 1]


REFUSED: list[Callable[[Any], object]] = [
    lambda x: x * x,
    lambda x: x + Exact.exp(1),
    lambda x: Exact.exp(1) - x,
    lambda x: x / 0,
    lambda x: x + 0.5,
    lambda x: x < 0.5,
    lambda x: x == 0.5,
    lambda x: x + True,
    lambda x: Exact(-1).log(),
    lambda x: Exact(0).log(),
    lambda x: (3 - Exact("exp(2)")).log(),
]


@pytest.mark.parametrize("action", REFUSED)
def test_refusals(action: Callable[[Any], object]) -> None:
    with pytest.raises(InputError):
        action(log("ln(3)"))


def test_infinity() -> None:
    number = log("ln(3)")
    assert -math.inf < number < math.inf and number != math.inf


def test_a_comparison_that_no_theorem_decides() -> None:
    number = log("ln(3)")
    close = Exact.exp(1) + Exact(number.dyadic_ends(60000)[0] - Exact.exp(1).dyadic_ends(60000)[0])
    assert not close.is_rational
    with pytest.raises(UndecidedError, match="no theorem"):
        _ = number < close
    with pytest.raises(UndecidedError, match="no theorem"):
        _ = number == close


def test_a_rational_logarithm_against_a_transcendental_number_is_decided() -> None:
    number = Exact("exp(1)")
    close = LogExact.of(Exact.exp(number.dyadic_ends(200)[0]))
    assert close < number and close != number


def test_unreasonable_sizes() -> None:
    start = time.perf_counter()
    huge = log("ln(3)") * 10**12
    assert huge > log("ln(2)") and huge.decimal(5) == "1.0986e12"
    with pytest.raises(LimitError):
        huge.exp()
    with pytest.raises(LimitError):
        _ = huge + log("ln(2)")
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("text", ["ln(1)", "ln(3)/2", "1/3*ln(1 + exp(1/2))"])
def test_pickle_and_copy(text: str) -> None:
    number = log(text)
    again = pickle.loads(pickle.dumps(number))
    assert type(again) is LogExact and again == number and str(again) == str(number)
    assert copy.deepcopy(number) is number


def test_text_that_is_no_logarithm() -> None:
    with pytest.raises(InputError, match="not a logarithm"):
        LogExact("1/3")
