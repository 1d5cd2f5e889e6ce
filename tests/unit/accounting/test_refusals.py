"""Wrong types in public calls: one InputError that names the argument, never a raw Python error."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting import (
    Composition,
    Enclosure,
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
CURVE = IDENTITY.curve
PROFILE = PAIR.profile()
CONVEX = CURVE.conjugate()
COMPOSED = compose([PAIR])
# The calls below break the types on purpose.
ANY: Any = None
ONE: Any = 1
TRIPLE: Any = (0, 0, 0)
WORD: Any = "x"


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
        lambda: Pair.from_masses(ANY),
        lambda: Pair.from_masses([ONE]),
        lambda: Pair.from_masses([TRIPLE]),
        lambda: Pair.from_masses(WORD),
        lambda: Enclosure.of_sum_of_products(ANY),
        lambda: Enclosure.of_sum_of_products([ONE]),
        lambda: Enclosure.of_sum_of_products([TRIPLE]),
        lambda: Enclosure.of_sum_of_products([(ANY, Exact(1))]),
        lambda: Enclosure.of_sum_of_products([], bits=WORD),
        lambda: Composition(ANY),
        lambda: Composition(PAIR, WORD),
        lambda: PowerFunction.of_ladder(ANY),
        lambda: CURVE.after(ANY),
        lambda: CURVE.plus(ANY),
        lambda: CURVE.minimum(ONE),
        lambda: CURVE.majorant(ONE),
        lambda: CURVE.hull(ANY),
        lambda: CURVE.hull([ONE]),
        lambda: CURVE.largest_over_lines(WORD),
        lambda: CONVEX.plus(ONE),
        lambda: CONVEX.maximum(ANY),
        lambda: Exact.from_polynomials(ONE, ONE),
    ],
)
def test_wrong_types_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("value", [IDENTITY, PROFILE, CURVE, CONVEX])
@pytest.mark.parametrize("compare", [operator.le, operator.ge, operator.lt, operator.gt])
def test_order_with_something_else_is_a_type_error(
    value: object, compare: Callable[[Any, Any], bool]
) -> None:
    for other in (1, None, PAIR):
        with pytest.raises(TypeError, match="not supported between"):
            compare(value, other)
    assert value != 1


@pytest.mark.parametrize("limit", ["x", None, True, 0, -1, 1.5])
def test_a_limit_on_atoms_is_a_whole_number(limit: Any) -> None:
    for call in (
        lambda: PAIR.times(2, limit_atoms=limit),
        lambda: PAIR.times(1, limit_atoms=limit),
        lambda: PAIR.tensor(PAIR, limit_atoms=limit),
        lambda: IDENTITY.tensor(IDENTITY, limit_atoms=limit),
        lambda: compose([PAIR], limit_atoms=limit),
    ):
        with pytest.raises(InputError, match="limit_atoms"):
            call()


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (PROFILE.delta, r"write delta\(epsilon=1\) or delta\(exp_epsilon=3\)"),
        (PROFILE.meets, "write meets"),
        (COMPOSED.delta, "write delta"),
        (PowerFunction.dp, "write dp"),
    ],
)
def test_an_epsilon_needs_its_name(call: Callable[..., object], hint: str) -> None:
    with pytest.raises(InputError, match=f"an argument without its name; found 1 of .*{hint}"):
        call(1)
    with pytest.raises(InputError, match="an argument without its name"):
        call(1, epsilon=1)


@pytest.mark.parametrize(
    "call", [PROFILE.epsilon, PROFILE.exp_epsilon, COMPOSED.epsilon, COMPOSED.exp_epsilon]
)
def test_a_delta_needs_its_name(call: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="'delta'"):
        call(0)
    with pytest.raises(InputError, match="an argument without its name"):
        call(0, delta=0)


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
