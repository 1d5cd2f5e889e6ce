"""compose(): what it accepts, refuses and answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import cast

import pytest

from powercert.accounting import Enclosure, Exact, InputError, LimitError, Pair, compose, exact

RR = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
SKEW = Pair.from_laws(["9/10", "1/10"], ["99/100", "1/100"])


def test_every_answer_is_an_exact_point() -> None:
    """Two draws: 3/4 * 3/4 - 3 * 1/4 * 1/4 = 3/8."""
    composed = compose([(RR, 2)], tolerance="1e-9")
    assert composed.method == "exact"
    for answer in (
        composed.delta(exp_epsilon=3),
        composed.delta(epsilon="ln(3)"),
        composed.epsilon(delta="1/10"),
        composed.exp_epsilon(delta="1/10"),
        composed.power("1/100"),
    ):
        assert isinstance(answer, Enclosure)
        assert answer.is_exact
    assert composed.delta(exp_epsilon=3).upper == Fraction(3, 8)
    assert composed.epsilon(delta=0).upper == exact("2*ln(3)")
    assert composed.power_function == RR.times(2).power_function()
    assert composed.profile == RR.times(2).profile()


def test_items_may_be_bare_pairs_repeated_and_absent() -> None:
    assert compose([RR, (RR, 2), (SKEW, 0)]).pair == RR.times(3)
    assert compose([]).delta(epsilon=0).upper == 0
    assert compose([(RR, 0)]).epsilon(delta=0).upper == 0


def test_one_order_can_be_far_worse_than_the_other() -> None:
    """At delta = 1/20: Q against P needs ln(47/45); P against Q needs ln 5."""
    assert compose([SKEW]).epsilon(delta="1/20").upper == exact("ln(5)")
    assert compose([SKEW], order="as_given").epsilon(delta="1/20").upper == exact("ln(47/45)")
    assert compose([SKEW], order="swapped").epsilon(delta="1/20").upper == exact("ln(5)")


def test_infinite_loss_adds_up() -> None:
    """Q has mass 1/10 outside P: after 3 draws 1 - (9/10)^3 = 271/1000 cannot be hidden."""
    pair = Pair.from_laws([1, 0], ["9/10", "1/10"])
    composed = compose([(pair, 3)], order="as_given")
    assert composed.delta(exp_epsilon="inf").upper == Fraction(271, 1000)
    assert composed.epsilon(delta="27/100").upper == math.inf
    assert composed.epsilon(delta="271/1000").upper == 0
    swapped = compose([(pair, 3)], order="swapped")
    assert swapped.delta(exp_epsilon="inf").upper == 0
    assert swapped.epsilon(delta=0).upper == exact("3*ln(10/9)")
    assert compose([(pair, 3)]).epsilon(delta="27/100").upper == math.inf


def test_both_orders_give_the_majorant_as_power() -> None:
    pair = Pair.from_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    composed = compose([pair])
    # The two orders are (0, 1/2)-(1, 1) and (0, 0)-(1/2, 1)-(1, 1): the hull joins the corners.
    assert [(str(x), str(y)) for x, y in composed.power_function.vertices] == [
        ("0", "1/2"),
        ("1/2", "1"),
        ("1", "1"),
    ]
    assert composed.power("1/4").upper == Fraction(3, 4)


def test_a_thousand_draws_of_two_ratios() -> None:
    """The binomial sum in 60-digit decimals; gamma = 3/2, ratio 11/10, k = 1000."""
    p = Fraction(11, 21)
    composed = compose([(Pair.from_laws([p, 1 - p], [1 - p, p]), 1000)])
    with localcontext() as context:
        context.prec = 80
        high, low = Decimal(11) / 21, Decimal(10) / 21
        delta = sum(
            max(
                Decimal(0),
                comb(1000, j)
                * (high**j * low ** (1000 - j) - Decimal("1.5") * high ** (1000 - j) * low**j),
            )
            for j in range(1001)
        )
    found = composed.delta(exp_epsilon="3/2").upper
    assert isinstance(found, Exact)
    assert abs(Decimal(found.decimal(50)) - delta) < Decimal("1e-49")


def test_a_hundred_draws_with_transcendental_masses() -> None:
    """Randomised response with epsilon = 1/10, at epsilon = 1, by the binomial sum."""
    z = Exact.exp(Fraction(-1, 10))
    pair = Pair.from_laws([1 / (1 + z), z / (1 + z)], [z / (1 + z), 1 / (1 + z)])
    with localcontext() as context:
        context.prec = 60
        tail = Decimal("-0.1").exp()
        high, low = 1 / (1 + tail), tail / (1 + tail)
        delta = sum(
            max(
                Decimal(0),
                comb(100, j)
                * (high**j * low ** (100 - j) - Decimal(1).exp() * high ** (100 - j) * low**j),
            )
            for j in range(101)
        )
    found = compose([(pair, 100)]).delta(epsilon=1).upper
    assert isinstance(found, Exact)
    assert abs(Decimal(found.decimal(40)) - delta) < Decimal("1e-39")


def test_one_lattice_of_two_long_pairs() -> None:
    """2 x 500 draws with ratios 3 and 1/3 are 1000 draws of the first: words merge across pairs."""
    noisier = Pair.from_laws(["3/5", "2/10", "2/10"], ["2/10", "3/5", "2/10"])
    composed = compose([(RR, 500), (noisier, 500)])
    assert len(composed.pair.ladder) == 2 * 1000 + 1
    assert composed.epsilon(delta=0).upper == exact("1000*ln(3)")


def test_sizes_above_the_limit_are_refused_before_the_work() -> None:
    weights = [2, 3, 5, 7, 11, 13, 17, 19]
    null = [Fraction(1, 8)] * 8
    alternative = [Fraction(w, sum(weights)) for w in weights]
    pair = Pair.from_laws(null, alternative)
    with pytest.raises(LimitError) as caught:
        compose([(pair, 1000)])
    # C(1007, 7) = 2.05...e17 multisets
    assert "about 2.1e17 atoms" in str(caught.value)
    assert "limit_atoms = 1000000" in str(caught.value)
    assert "pass limit_atoms=" in str(caught.value)
    with pytest.raises(
        LimitError, match="about 120 atoms; limit_atoms = 100; pass limit_atoms=120"
    ):
        compose([(pair, 3)], limit_atoms=100)
    assert len(compose([(pair, 3)], limit_atoms=120).pair.ladder) == comb(10, 3)


def test_long_masses_count_more_than_once() -> None:
    with pytest.raises(
        LimitError, match=r"100001 atoms of about 200000 bits.*pass limit_atoms=9800098"
    ):
        compose([(RR, 100_000)])
    with pytest.raises(LimitError, match="limit_atoms"):
        RR.times(10**9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"items": [RR], "order": "worst"}, "unknown order"),
        ({"items": [RR], "tolerance": 1e-6}, "tolerance"),
        ({"items": [RR], "tolerance": "-1/10"}, "tolerance is negative"),
        ({"items": [RR], "tolerance": "tight"}, "tolerance"),
        ({"items": [RR], "limit_atoms": True}, "integer"),
        ({"items": [(RR, -1)]}, "items[0]: "),
        ({"items": [RR, (RR, 1.0)]}, "items[1]: "),
        ({"items": [(RR, True)]}, "items[0]: "),
        ({"items": [(RR,)]}, "items[0]: not a pair"),
        ({"items": [(1, RR)]}, "items[0]: not a pair"),
        ({"items": ["RR"]}, "items[0]: not a pair with a multiplicity; found str"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        cast("Callable[..., object]", compose)(**arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize("tolerance", ["0", "1e-30", 1])
def test_exact_answers_meet_every_tolerance(tolerance: object) -> None:
    assert compose([RR], tolerance=tolerance).delta(exp_epsilon=2).is_exact
