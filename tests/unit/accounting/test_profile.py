"""Privacy profiles: both directions, infinite and clamped epsilon, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from powercert.accounting import (
    Exact,
    InputError,
    LogExact,
    Pair,
    PrivacyProfile,
    exact,
    exact_number,
)


def texts(profile: PrivacyProfile) -> list[tuple[str, str]]:
    return [(str(gamma), str(delta)) for gamma, delta in profile.breakpoints]


RR = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).profile()
LOSS = Pair.from_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"]).profile()


def test_randomised_response() -> None:
    """Q - gamma P on the event of ratio 3: 3/4 - gamma/4, until 3; below 1/3 all of it."""
    assert texts(RR) == [("0", "1"), ("1/3", "2/3"), ("3", "0")]
    assert RR.delta(exp_epsilon=2) == Fraction(1, 4)
    assert RR.delta(epsilon="ln(3)") == 0
    assert RR.delta(epsilon=1) == (3 - Exact.exp(1)) / 4
    assert RR.delta(epsilon="inf") == 0
    assert RR.delta(exp_epsilon=math.inf) == 0


def test_gamma_below_one_is_meaningful() -> None:
    assert RR.delta(exp_epsilon=0) == 1
    assert RR.delta(exp_epsilon="1/6") == Fraction(5, 6)
    assert RR.delta(epsilon="-ln(2)") == Fraction(5, 8)


def test_what_no_epsilon_hides() -> None:
    """Q has mass 1/2 where P has none."""
    assert LOSS.delta(exp_epsilon="inf") == Fraction(1, 2)
    assert LOSS.epsilon(delta="1/10") == math.inf
    assert LOSS.exp_epsilon(delta="49/100") == math.inf
    assert LOSS.epsilon(delta="1/2") == 0
    assert texts(LOSS.swapped()) == [("0", "1"), ("2", "0")]


def test_the_least_epsilon_at_the_unavoidable_mass_is_finite() -> None:
    """(ln 2, 1/10)-DP itself: delta = 1/10 needs e^epsilon = 2, anything below needs infinity."""
    pair = Pair.from_laws(["6/10", "3/10", "1/10", 0], ["3/10", "6/10", 0, "1/10"])
    profile = pair.profile()
    assert profile.exp_epsilon(delta="1/10") == 2
    assert profile.epsilon(delta="1/10") == exact("ln(2)")
    assert profile.epsilon(delta="99/1000") == math.inf
    assert profile.exp_epsilon(delta="2/10") == Fraction(5, 3)


def test_epsilon_is_never_negative() -> None:
    assert RR.epsilon(delta=1) == 0
    assert RR.exp_epsilon(delta="9/10") == 1
    assert isinstance(RR.epsilon(delta=1), Exact)


def test_epsilon_is_rational_where_it_is() -> None:
    z = Exact.exp(Fraction(-1, 3))
    profile = Pair.from_laws([1 / (1 + z), z / (1 + z)], [z / (1 + z), 1 / (1 + z)]).profile()
    assert profile.exp_epsilon(delta=0) == Exact.exp(Fraction(1, 3))
    assert profile.epsilon(delta=0) == Fraction(1, 3)
    assert isinstance(profile.epsilon(delta=0), Exact)
    assert isinstance(RR.epsilon(delta=0), LogExact)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "exactly one"),
        ({"epsilon": 1, "exp_epsilon": 3}, "exactly one"),
        ({"exp_epsilon": "-1/10"}, "exp_epsilon is below 0"),
        ({"exp_epsilon": 1.5}, "float"),
        ({"exp_epsilon": "ln(3)"}, "logarithm"),
        ({"epsilon": math.nan}, "finite"),
        ({"epsilon": "nan"}, ""),
        ({"epsilon": -math.inf}, "finite"),
    ],
)
def test_delta_needs_one_epsilon(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        RR.delta(**arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize("delta", ["-1/10", "11/10", 0.1, "", None, True])
def test_delta_is_a_probability(delta: object) -> None:
    with pytest.raises(InputError, match="delta"):
        RR.epsilon(delta=delta)


def test_the_worse_of_both_orders() -> None:
    worst = PrivacyProfile.maximum([LOSS, LOSS.swapped()])
    for gamma in (0, "1/2", 1, "3/2", 2, 5):
        assert worst.delta(exp_epsilon=gamma) == max(
            LOSS.delta(exp_epsilon=gamma), LOSS.swapped().delta(exp_epsilon=gamma)
        )
    assert LOSS <= worst
    assert worst >= LOSS.swapped()
    assert LOSS < worst
    assert worst > LOSS
    with pytest.raises(InputError, match="no profile"):
        PrivacyProfile.maximum([])


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([(0, "9/10"), (1, 0)], "starts at (0, 1)"),
        ([(1, 1), (2, 0)], "starts at (0, 1)"),
        ([(0, 1), ("1/2", 0)], "not a power function"),
        ([(0, 1), (1, "1/2"), (2, "3/5")], "rise"),
        ([(0, 1), (1, "1/2"), (2, 0)], ""),
        ([(0, 1), (1, "9/10"), (2, 0)], "not concave"),
    ],
)
def test_what_is_no_profile_is_refused(points: list[tuple[object, object]], said: str) -> None:
    if not said:
        assert texts(PrivacyProfile.from_breakpoints(points)) == [("0", "1"), ("2", "0")]
        return
    with pytest.raises(InputError) as caught:
        PrivacyProfile.from_breakpoints(points)
    assert said in str(caught.value)


def test_a_constant_profile_is_total_loss() -> None:
    total = PrivacyProfile.from_breakpoints([(0, 1), (4, 1)])
    assert total == Pair.from_laws([1, 0], [0, 1]).profile()
    assert texts(total) == [("0", "1")]
    assert total.epsilon(delta=1) == 0


def test_equality_hash_and_repr() -> None:
    again = PrivacyProfile.from_breakpoints([(0, 1), ("1/3", "2/3"), (3, 0)])
    assert again == RR
    assert hash(again) == hash(RR)
    assert RR != RR.power_function()
    assert repr(RR) == "PrivacyProfile((0, 1), (1/3, 2/3), (3, 0))"


def test_delta_is_decided_not_approximated() -> None:
    """(3 - e)/4 = 0.07042954..."""
    delta = RR.delta(epsilon=1)
    assert exact_number("0.0704") < delta < exact_number("0.0705")
    assert RR.epsilon(delta="0.0705") < 1
    assert RR.epsilon(delta="0.0704") > 1
    assert RR.epsilon(delta=delta) == 1
