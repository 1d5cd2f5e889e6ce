"""Wrong types in public calls: one InputError that names the argument, never a raw Python error."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting import (
    Exact,
    InputError,
    LimitError,
    LogExact,
    Pair,
    PowerFunction,
    PrivacyProfile,
    compose,
    exact,
    exact_number,
)

PAIR = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
IDENTITY = PowerFunction.identity()
# The calls below break the types on purpose.
ANY: Any = None
ONE: Any = 1
TRIPLE: Any = (0, 0, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: PowerFunction.supremum([ANY]),
        lambda: PowerFunction.supremum([ONE]),
        lambda: Pair(ANY),
        lambda: PAIR.tensor(ANY),
        lambda: IDENTITY.after(ANY),
        lambda: IDENTITY.tensor(ONE),
        lambda: PrivacyProfile(ANY),
        lambda: PrivacyProfile.maximum([ANY]),
        lambda: compose(ANY),
        lambda: compose({PAIR: 2}),
        lambda: compose([PAIR], limit_atoms=-1),
        lambda: PowerFunction.from_vertices([ANY, ONE]),
        lambda: PowerFunction.from_vertices([TRIPLE]),
        lambda: Exact.from_float(ANY),
        lambda: Exact(1).decimal(3, ONE),
        lambda: exact_number("z", symbols={"z": 0.1}),
        lambda: LogExact.of(Exact(3), 0.1),
    ],
)
def test_wrong_types_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


def test_order_with_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        assert IDENTITY <= ONE


def test_a_symbol_is_read_like_any_number() -> None:
    assert exact_number("z", symbols={"z": "1/2"}) == Fraction(1, 2)


def test_floor_and_ceiling_are_exact() -> None:
    assert math.ceil(exact_number("1+1e-30")) == 2
    assert math.floor(exact_number("1-1e-30")) == 0
    assert math.floor(exact_number("10**17+1")) == 10**17 + 1
    # e = 2.71828182845904523536 02874...
    assert math.floor(exact_number("exp(1)*10**20")) == 271828182845904523536


def test_long_numbers_read_back() -> None:
    tiny = exact_number("1e-100000")
    assert exact(str(tiny)) == tiny


def test_equality_of_large_logarithms_is_quick() -> None:
    assert exact("ln(2**1000000+1)") != exact("ln(2)") * 1000000


def test_an_epsilon_no_query_could_answer_is_refused_at_once() -> None:
    with pytest.raises(LimitError, match="epsilon is above"):
        PowerFunction.dp(epsilon=600_000)
    assert PowerFunction.dp(epsilon=300_000)("0") == 0
