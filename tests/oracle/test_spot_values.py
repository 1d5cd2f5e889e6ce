"""Exact values derived apart from this project, entry by entry of data/spot_values.json."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting import (
    Exact,
    LogExact,
    Pair,
    PowerFunction,
    PrivacyProfile,
    compose,
    exact,
    exact_number,
)

DATA = Path(__file__).parents[1] / "data" / "spot_values.json"
VALUES: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))

PAIRS = {
    "RR(3/4): P=(3/4,1/4), Q=(1/4,3/4)": Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]),
    "RR(3/4)": Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]),
    "RR(11/21): e^eps = 11/10": Pair.from_laws(["11/21", "10/21"], ["10/21", "11/21"]),
    "DP(ln 2, 1/10)": PowerFunction.dp(epsilon="ln(2)", delta="1/10").pair(),
}
GEOMETRIC: list[dict[str, Any]] = VALUES["clamped_geometric"]


def worst(pair: Pair) -> PrivacyProfile:
    return PrivacyProfile.maximum([pair.profile(), pair.swapped().profile()])


@pytest.mark.parametrize("entry", VALUES["tensor"], ids=lambda e: f"{e['pair']} x {e['times']}")
def test_tensor(entry: dict[str, Any]) -> None:
    pair, times = PAIRS[entry["pair"]], entry["times"]
    composed = compose([(pair, times)])
    if "delta_at_exp_epsilon_3" in entry:
        expected = exact(entry["delta_at_exp_epsilon_3"])
        assert composed.delta(exp_epsilon=3).upper == expected
        assert pair.tensor(pair).profile().delta(exp_epsilon=3) == expected
    if "delta_at_exp_epsilon_4" in entry:
        assert composed.delta(exp_epsilon=4).upper == exact(entry["delta_at_exp_epsilon_4"])
    if "pure_epsilon" in entry:
        assert entry["pure_epsilon"] == "2 ln 3"
        assert composed.epsilon(delta=0).upper == exact("2*ln(3)")
    for delta, decimal in entry.get("epsilon_at_delta", {}).items():
        found = composed.epsilon(delta=delta).upper
        assert isinstance(found, LogExact)
        if decimal == "10 ln 3":
            assert found == exact("10*ln(3)")
        else:
            assert Decimal(found.decimal(15)) == Decimal(decimal)
            assert worst(pair.times(times)).epsilon(delta=delta) == found


def test_group() -> None:
    (entry,) = VALUES["group"]
    f = PAIRS["RR(3/4)"].power_function()
    group = f.after(f)
    for alpha, power in entry["power_at"].items():
        assert group(alpha) == exact(power)
    assert group.profile().exp_epsilon(delta=0) == exact(entry["exp_epsilon"])


@pytest.mark.parametrize("entry", VALUES["directions"], ids=lambda e: e["epsilon_worse_order"])
def test_directions(entry: dict[str, Any]) -> None:
    pair, delta = Pair.from_laws(entry["P"], entry["Q"]), entry["delta"]
    expected = {"ln 5": exact("ln(5)"), "inf": math.inf}[entry["epsilon_worse_order"]]
    assert worst(pair).epsilon(delta=delta) == expected
    assert compose([pair]).epsilon(delta=delta).upper == expected
    if "epsilon_Q_against_null_P_only" in entry:
        one_sided = pair.profile().epsilon(delta=delta)
        assert entry["epsilon_Q_against_null_P_only"].startswith("ln(47/45) = 0.0434851")
        assert one_sided == exact("ln(47/45)")
        assert isinstance(one_sided, LogExact)
        assert one_sided.decimal(6) == "0.0434851"


def test_subsampling() -> None:
    (entry,) = VALUES["subsampling"]
    pair = Pair.from_laws(entry["Q"], entry["mixture"])
    gamma = entry["exp_epsilon"]
    mixed = exact(entry["delta_mixture_against_null_Q"])
    assert pair.profile().delta(exp_epsilon=gamma) == mixed
    other = exact(entry["delta_Q_against_null_mixture"])
    assert pair.swapped().profile().delta(exp_epsilon=gamma) == other


def test_threshold() -> None:
    """P(1 + noise >= 5) for two-sided geometric noise of ratio r is r^4 / (1 + r)."""
    (entry,) = VALUES["threshold"]
    ratio = Fraction(1, 3)
    released = ratio**4 / (1 + ratio)
    pair = Pair.from_laws({"nothing": 1}, {"nothing": 1 - released, "count": released})
    assert worst(pair).delta(exp_epsilon="inf") == exact(entry["delta"])
    assert pair.profile().epsilon(delta=entry["buggy_claim"]) == math.inf


def test_outside_support() -> None:
    (entry,) = VALUES["outside_support"]
    f = Pair.from_laws(entry["P"], entry["Q"]).power_function()
    assert f(0) == exact(entry["power_at_0"])
    assert f.tensor(f)(0) == exact(entry["tensor_square_at_0"])


def clamped_geometric(alpha: Fraction, half_width: int, shift: int) -> dict[int, Fraction]:
    """Mass (alpha-1)/(alpha+1) alpha^-|x| at x, the tails put on the two end atoms, shifted."""
    law = {
        x + shift: (alpha - 1) / (alpha + 1) / alpha ** abs(x)
        for x in range(-half_width + 1, half_width)
    }
    end = alpha / (alpha + 1) / alpha**half_width
    return {-half_width + shift: end, **law, half_width + shift: end}


@pytest.mark.parametrize("entry", GEOMETRIC, ids=lambda e: e["exp_epsilon"])
def test_clamped_geometric(entry: dict[str, Any]) -> None:
    alpha = Fraction(entry["exp_epsilon"])
    pair = Pair.from_laws(
        clamped_geometric(alpha, entry["half_width"], 0),
        clamped_geometric(alpha, entry["half_width"], entry["shift"]),
    )
    assert worst(pair).delta(exp_epsilon=alpha) == exact(entry["delta"])


def test_symbolic_laws() -> None:
    entry = VALUES["symbolic"][0]
    z = exact_number(entry["z"])
    laws = [
        [exact_number(text, symbols={"z": z}) for text in entry[name]]
        for name in ("law_0", "law_1")
    ]
    profile = worst(Pair.from_laws(*laws))
    assert profile.exp_epsilon(delta=0) == exact(entry["pure_exp_epsilon"])
    assert profile.delta(epsilon="1/3") == 0
    just_below = "333333333333333333333333333333/1000000000000000000000000000000"
    assert entry[f"claim_epsilon_{just_below}"] == "violated"
    assert not profile.meets(epsilon=just_below, delta=0)
    assert profile.meets(epsilon="1/3", delta=0)
    pure = profile.epsilon(delta=0)
    assert pure > exact(just_below)
    assert pure == Fraction(1, 3)
    at_zero = exact(entry["delta_at_epsilon_0"], symbols={"z": z})
    assert profile.delta(epsilon=0) == at_zero
    assert sum(laws[0], exact_number(0)) == 1


def test_rational_laws_at_a_rational_epsilon() -> None:
    entry = VALUES["symbolic"][1]
    delta = worst(PAIRS["RR(3/4)"]).delta(epsilon=1)
    assert entry["delta"] == "(3 - e)/4"
    assert delta == (3 - Exact.exp(1)) / 4
    assert delta > exact("0.0704")
    assert delta < exact("0.0705")
