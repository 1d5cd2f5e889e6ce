"""Enclosure: ends, outward rounding, decided and undecided questions."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any, cast

import pytest

from powercert.accounting.errors import InputError, UndecidedError
from powercert.accounting.numbers import Enclosure, Exact, LogExact, exact


@pytest.mark.parametrize(
    "text", ["1/3", "-1/3", "exp(1)", "-exp(-400)", "ln(3)", "1e-400", "1e400"]
)
def test_floats_of_the_ends_round_outward(text: str) -> None:
    number = exact(text)
    point = Enclosure.point(number)
    low, high = float(point.lower), float(point.upper)
    assert low < high
    assert math.nextafter(low, math.inf) == high
    for bound, sign in ((low, 1), (high, -1)):
        if math.isfinite(bound):
            assert (number > Exact.from_float(bound)) == (sign > 0)


@pytest.mark.parametrize("text", ["0", "1/2", "-3", "ln(1)", "ln(exp(1/4))"])
def test_floats_of_ends_that_are_floats_are_exact(text: str) -> None:
    point = Enclosure.point(text)
    assert float(point.lower) == float(point.upper) == float(exact(text))


def test_the_ends_are_ordinary_numbers_otherwise() -> None:
    e = Enclosure("1/3", "ln(2)")
    assert type(e.lower) is Exact and type(e.upper) is LogExact
    assert e.lower == Fraction(1, 3) and hash(e.lower) == hash(Fraction(1, 3))
    assert float(e.upper * 1) == math.log(2)
    assert str(e.lower) == "1/3" and str(e.upper) == "ln(2)"


def test_points_and_widths() -> None:
    assert Enclosure.point("exp(1)").is_exact and Enclosure.point("exp(1)").width == 0
    assert Enclosure("1/4", "3/4").width == Fraction(1, 2)
    assert Enclosure(0, math.inf).width == math.inf
    assert Enclosure(math.inf, math.inf).is_exact and Enclosure.point(math.inf).width == 0
    assert Enclosure("1/2", "ln(2)").width == exact("ln(2) - 1/2")
    mixed = Enclosure("ln(2)", "exp(1)").width
    assert isinstance(mixed, Exact) and 2 < mixed < Exact("2.03")
    assert mixed >= Exact("exp(1)") - Exact("0.69314718055994530942")


def test_midpoints() -> None:
    assert Enclosure("1/4", "3/4").midpoint() == 0.5
    assert Enclosure("1/3", "1/3").midpoint() == pytest.approx(1 / 3, rel=1e-15)
    assert Enclosure(0, math.inf).midpoint() == math.inf
    assert Enclosure(-math.inf, 0).midpoint() == -math.inf
    with pytest.raises(InputError, match="middle"):
        Enclosure(-math.inf, math.inf).midpoint()


def test_membership() -> None:
    e = Enclosure("1/3", "exp(1)")
    assert e.contains("1/3") and e.contains("ln(3)") and e.contains(Exact.exp(1))
    assert not e.contains(3) and not e.contains(math.inf) and not e.contains("1/4")


def test_order_is_answered_only_where_the_ends_force_it() -> None:
    e = Enclosure("1/3", "1/2")
    assert e < 1 and e <= "1/2" and not e < "1/3" and not e <= "1/4"
    assert e > 0 and e >= "1/3" and not e > "1/2" and not e >= 1
    assert e < math.inf and e > -math.inf
    assert Enclosure(0, "1/4") < e and not Enclosure("1/2", 1) < e
    assert 1 > e and not e < Enclosure("1/4", "1/3")
    same = Enclosure("1/3", "1/2")
    questions: list[Callable[[], object]] = [
        lambda: e < "1/2",
        lambda: e <= "2/5",
        lambda: e > "1/3",
        lambda: e >= "2/5",
        lambda: e < same,
        lambda: e == Exact("2/5"),
    ]
    for undecided in questions:
        with pytest.raises(UndecidedError):
            undecided()


def test_equality() -> None:
    assert Enclosure("1/3", "1/2") == Enclosure("2/6", "0.5")
    assert Enclosure("1/3", "1/2") != Enclosure("1/3", 1)
    assert hash(Enclosure("1/3", "1/2")) == hash(Enclosure("2/6", "0.5"))
    assert Enclosure.point("1/3") == Fraction(1, 3)
    assert hash(Enclosure.point("1/3")) == hash(Fraction(1, 3))
    assert Enclosure("1/3", "1/2") != 1
    assert Enclosure.point(1) != "1" and Enclosure.point(1) is not None
    assert Enclosure.point(math.inf) == math.inf
    with pytest.raises(InputError):
        _ = Enclosure.point("1/2") == 0.5


@pytest.mark.parametrize(
    ("lower", "upper"), [(1, 0), ("exp(1)", "ln(3)"), (math.inf, 0), (0, math.nan), (0, 0.5)]
)
def test_bad_ends(lower: object, upper: object) -> None:
    with pytest.raises(InputError):
        Enclosure(lower, upper)


def test_frozen_and_pickled() -> None:
    e = Enclosure("1/3", "ln(2)")
    with pytest.raises(FrozenInstanceError):
        cast(Any, e).lower = Exact(0)
    again = pickle.loads(pickle.dumps(e))
    assert again == e
    assert (float(again.lower), float(again.upper)) == (float(e.lower), float(e.upper))
    assert float(again.lower) <= 1 / 3 and float(again.upper) >= math.log(2)


def test_text() -> None:
    assert str(Enclosure("1/3", "ln(2)")) == "[1/3, ln(2)]"
    assert str(Enclosure.point("1/3")) == "1/3"
    assert repr(Enclosure("1/3", "ln(2)")) == "Enclosure('1/3', 'ln(2)')"
    unbounded = Enclosure(0, math.inf)
    assert str(unbounded) == "[0, inf]"
    assert eval(repr(unbounded), {"Enclosure": Enclosure}) == unbounded
    assert Enclosure("1/3", "ln(2)").decimal(4) == "[0.3333, 0.6932]"
    assert Enclosure(0, math.inf).decimal(4) == "[0.0, inf]"
    assert Enclosure.point("ln(2)").decimal(4) == "0.6931"


@pytest.mark.parametrize("text", ["1/3", "-2/7", "exp(1)", "(3 - exp(1))/4", "ln(3)/2", "1e-300"])
@pytest.mark.parametrize("bits", [2, 3, 10, 53, 300])
def test_enclosures_of_numbers(text: str, bits: int) -> None:
    number = exact(text)
    e = number.enclosure(bits)
    assert e.contains(number)
    assert isinstance(e.lower, Exact) and isinstance(e.upper, Exact)
    for end in (e.lower, e.upper):
        top, bottom = end.as_integer_ratio()
        assert bottom & (bottom - 1) == 0
        odd = abs(top) // (abs(top) & -abs(top))
        assert odd.bit_length() <= bits + 1
    size = max(abs(e.lower), abs(e.upper))
    assert e.upper - e.lower <= size * Fraction(8, 2**bits)


def test_two_precisions_agree() -> None:
    for text in ("exp(1/3)", "ln(3)/7", "1/(1 + exp(-9))", "22/7"):
        number = exact(text)
        for bits in (2, 20, 64, 200):
            coarse, fine = number.enclosure(bits), number.enclosure(4 * bits)
            assert max(coarse.lower, fine.lower) <= min(coarse.upper, fine.upper)


def test_a_dyadic_number_is_its_own_enclosure() -> None:
    assert Exact("3/8").enclosure(10).is_exact and Exact(0).enclosure(2).is_exact
    assert LogExact("ln(exp(1/4))").enclosure(10).is_exact
    with pytest.raises(InputError, match="bits: not of at least 2"):
        Exact("1/3").enclosure(1)
    with pytest.raises(InputError, match="bits: not of at least 2"):
        LogExact("ln(3)").enclosure(0)


def test_sum_of_products() -> None:
    claim = Exact.exp(Fraction(333333333333333333333333333333, 10**30))
    z = Exact("exp(-1/3)")
    excess = Enclosure.of_sum_of_products([(1 / (1 + z), Exact(1)), (-claim, z / (1 + z))])
    # (e^(1/3) - e^(claim)) z / (1 + z) = (1 - e^(-1/3 10^-30)) / (1 + z), about 1.94e-31.
    assert excess > Exact("1.9e-31") and excess < Exact("2e-31")
    assert Enclosure.of_sum_of_products([]) == Exact(0)
    square = Enclosure.of_sum_of_products([(Exact("-1/3"), Exact("-1/3")), (-z, z)])
    assert square.contains(Fraction(1, 9) - z * z)
