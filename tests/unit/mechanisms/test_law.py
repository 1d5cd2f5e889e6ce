"""Finite laws: what they refuse, and their algebra on small examples worked by hand."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.accounting.numbers import Exact, exact_number
from powercert.mechanisms import FiniteLaw


def plain(value: object) -> Any:
    """A value as it is, for comparing Exact with the int or Fraction it should equal."""
    return value


class ForeignFloat:
    """Stands for another library's float: a real number that is not a Python float."""

    def __float__(self) -> float:
        return 0.5


ForeignFloat.__name__ = "float32"


class ForeignInteger:
    """Stands for another library's integer."""

    def __index__(self) -> int:
        return 1


@pytest.mark.parametrize("weight", [0.5, 1.0, float("nan"), float("inf"), ForeignFloat()])
def test_floats_are_refused_with_what_to_write(weight: object) -> None:
    with pytest.raises(InputError, match=r'float.*write "1/10" \(text\) or Fraction\(1, 10\)'):
        FiniteLaw.of({"a": weight})


@pytest.mark.parametrize("weight", ["abc", "", None, True, [1], "nan", "inf", Decimal("NaN")])
def test_what_is_no_number_is_refused(weight: object) -> None:
    with pytest.raises(InputError, match="weight of a"):
        FiniteLaw.of({"a": weight})


@pytest.mark.parametrize("weight", [1, "1", "1.0", Fraction(1), Decimal("1.00"), ForeignInteger()])
def test_exact_numbers_of_every_kind_are_read(weight: object) -> None:
    assert FiniteLaw.of({"a": weight}) == FiniteLaw.point("a")


def test_decimals_are_exact() -> None:
    law = FiniteLaw.of({"a": Decimal("0.1"), "b": Decimal("0.9")})
    assert plain(law.items()) == (("a", Fraction(1, 10)), ("b", Fraction(9, 10)))


def test_ten_decimal_tenths_sum_to_one_and_three_rounded_thirds_do_not() -> None:
    assert FiniteLaw.of(dict.fromkeys(range(10), "0.1")) == FiniteLaw.uniform(range(10))
    with pytest.raises(InputError, match=r"sum to 999/1000, not 1 \(missing 1/1000\)"):
        FiniteLaw.of(dict.fromkeys("abc", "0.333"))
    with pytest.raises(InputError, match=r"sum to 6/5, not 1 \(1/5 too much\)"):
        FiniteLaw.of(dict.fromkeys("ab", "0.6"))


def test_an_identity_between_exponentials_is_a_sum_of_one_and_a_tiny_error_is_not() -> None:
    z = Exact.exp(Fraction(-1, 4))
    law = FiniteLaw.of({0: 1 / (1 + z), 1: z / (1 + z)})
    assert law.numerators is None
    off = exact_number("1e-40")
    with pytest.raises(InputError, match="not 1"):
        FiniteLaw.of({0: 1 / (1 + z), 1: z / (1 + z) - off})


def test_negative_weights_are_refused_even_where_the_sum_is_one() -> None:
    with pytest.raises(InputError, match="weight of b: a probability is negative; found -1/2"):
        FiniteLaw.of({"a": "3/2", "b": "-1/2"})


def test_zero_weights_are_no_outcomes() -> None:
    law = FiniteLaw.of({"a": 1, "never": "0"})
    assert law.outcomes == ("a",)
    assert law.weight("never") == 0


@pytest.mark.parametrize(
    "pair", [(1, True), (1, 1.0), ((1, "x"), (True, "x")), (0.0, -0.0), (Fraction(1), 1),
             (frozenset({1}), frozenset({True}))],
)  # fmt: skip
def test_equal_outcomes_of_different_type_are_refused(pair: tuple[Any, Any]) -> None:
    with pytest.raises(InputError, match="equal but of different types"):
        FiniteLaw.of_pairs([(pair[0], "1/2"), (pair[1], "1/2")])


def test_an_outcome_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="given twice"):
        FiniteLaw.of_pairs([("a", "1/2"), ("a", "1/2")])


def test_outcomes_must_be_hashable_and_equal_to_themselves() -> None:
    outcome: Any = [1]
    with pytest.raises(InputError, match=r"not hashable.*\[1\] \(list\)"):
        FiniteLaw.point(outcome)
    with pytest.raises(InputError, match="not equal to itself"):
        FiniteLaw.point(float("nan"))


def test_empty_laws_are_refused() -> None:
    with pytest.raises(InputError, match="sum to 0"):
        FiniteLaw.of({})
    with pytest.raises(InputError, match="at least one"):
        FiniteLaw.uniform([])


def test_bernoulli_domain() -> None:
    assert FiniteLaw.bernoulli(0) == FiniteLaw.point(0)
    assert FiniteLaw.bernoulli(1) == FiniteLaw.point(1)
    for wrong in ("3/2", "-1/2"):
        with pytest.raises(InputError, match="probability"):
            FiniteLaw.bernoulli(wrong)


def test_equality_forgets_order_and_hash_agrees() -> None:
    first = FiniteLaw.of({"a": "1/3", "b": "2/3"})
    second = FiniteLaw.of({"b": "4/6", "a": "2/6"})
    assert first == second
    assert hash(first) == hash(second)
    assert first != FiniteLaw.of({"a": "2/3", "b": "1/3"})
    assert first != FiniteLaw.of({"a": "1/3", "c": "2/3"})
    assert first != "a law"


def test_symbolic_laws_compare_by_value() -> None:
    z = Exact.exp(-1)
    first = FiniteLaw.of({0: 1 / (1 + z), 1: z / (1 + z)})
    second = FiniteLaw.of({1: 1 / (1 + 1 / z), 0: 1 / (1 + z)})
    assert first == second
    assert hash(first) == hash(second)
    assert first != FiniteLaw.uniform((0, 1))


def test_laws_are_immutable_and_pickle() -> None:
    law: Any = FiniteLaw.of({"a": "1/3", "b": "2/3"})
    with pytest.raises(AttributeError):
        law.outcomes = ()
    assert pickle.loads(pickle.dumps(law)) == law
    symbolic = FiniteLaw.of({0: "exp(-1)", 1: "1 - exp(-1)"})
    assert pickle.loads(pickle.dumps(symbolic)) == symbolic


def test_repr_builds_the_law_again() -> None:
    law = FiniteLaw.of({"a": "1/3", "b": "2/3"})
    assert repr(law) == "FiniteLaw.of({'a': '1/3', 'b': '2/3'})"
    assert eval(repr(law)) == law


def test_map_adds_the_weights_of_equal_images() -> None:
    law = FiniteLaw.of({-1: "1/6", 0: "1/2", 1: "1/3"}).map(abs)
    assert plain(law.items()) == ((1, Fraction(1, 2)), (0, Fraction(1, 2)))
    mixed: dict[int, Any] = {0: 1, 1: True}
    with pytest.raises(InputError, match="different types"):
        FiniteLaw.uniform((0, 1)).map(mixed.__getitem__)


def test_clamping_moves_the_tails_to_the_ends() -> None:
    law = FiniteLaw.uniform(range(-5, 6)).clamped(-1, 2)
    assert law.weight(-1) == Fraction(5, 11)
    assert law.weight(2) == Fraction(4, 11)
    with pytest.raises(InputError, match="above the upper"):
        law.clamped(1, 0)


def test_two_hundred_coins_are_the_binomial_law() -> None:
    total = FiniteLaw.bernoulli("1/3").repeated_sum(200)
    # C(200, 2) (1/3)^2 (2/3)^198
    assert total.weight(2) == Fraction(19900 * 2**198, 3**200)
    with pytest.raises(InputError, match="count"):
        total.repeated_sum(0)


def test_symbolic_sums_become_rational_where_they_are() -> None:
    z = Exact.exp(-1)
    law = FiniteLaw.of({0: z / 2, 1: (1 - z) / 2, 2: "1/2"}).map(lambda x: x // 2)
    assert law == FiniteLaw.uniform((0, 1))
    assert law.numerators == (1, 1)


def test_symbolic_product_and_sum() -> None:
    z = Exact.exp(-1)
    law = FiniteLaw.of({0: 1 - z, 1: z})
    coin = FiniteLaw.uniform((0, 1))
    assert law.product(coin).weight((1, 0)) == z / 2
    assert law.plus(law).weight(1) == 2 * z * (1 - z)
    assert law.repeated_sum(3).weight(3) == z**3
