"""The tools of the checks against values derived by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from powercert.accounting import Pair, PowerFunction
from powercert.mechanisms import hamming
from powercert.proofs_checks.channels import channel_between, leads_to
from powercert.proofs_checks.examples import machine_e1, two_answers
from powercert.proofs_checks.game_tree import (
    fixed_strategies,
    paired_tree,
    power_of_strategy,
    strategies,
    supremum_over,
)
from powercert.proofs_checks.grids import channels, laws
from powercert.proofs_checks.literal import events, hull_height, knapsack
from powercert.proofs_checks.simulation import simulator_of
from powercert.proofs_checks.symbolic import certified_non_negative, variables

HAMMING = hamming().over((0, 1))
HALF, QUARTER, ONE, ZERO = Fraction(1, 2), Fraction(1, 4), Fraction(1), Fraction(0)


def test_laws_of_denominator_three_or_less() -> None:
    # Farey fractions 0, 1/3, 1/2, 2/3, 1.
    assert len(laws(2, 3)) == 5
    assert all(sum(law) == 1 for law in laws(3, 4))


def test_deterministic_channels_are_the_functions() -> None:
    assert len(channels(3, 2, 1)) == 2**3


def test_events_are_all_subsets() -> None:
    assert len(list(events(3))) == 8


def test_the_knapsack_takes_the_best_ratio_first() -> None:
    # P = (1/2, 1/4, 1/4), Q = (1/4, 1/2, 1/4): 1/4 buys 1/2; 1/8 more buys half of 1/4.
    null, alternative = (HALF, QUARTER, QUARTER), (QUARTER, HALF, QUARTER)
    assert knapsack(null, alternative, QUARTER) == HALF
    assert knapsack(null, alternative, Fraction(3, 8)) == Fraction(5, 8)
    assert knapsack(null, alternative, Fraction(3, 8), fractional=0) == HALF


def test_the_hull_mixes_two_corners() -> None:
    corners = [(ZERO, ZERO), (HALF, ONE), (ONE, ONE)]
    assert hull_height(corners, QUARTER) == HALF
    assert hull_height(corners, QUARTER, mixing=0) == 0


def test_a_channel_exists_exactly_towards_smaller_curves() -> None:
    sharp = [(ZERO, QUARTER), (QUARTER, HALF), (HALF, QUARTER), (QUARTER, ZERO)]
    blunt = [(HALF, Fraction(5, 8)), (HALF, Fraction(3, 8))]
    channel = channel_between(sharp, blunt)
    assert channel is not None
    assert leads_to(sharp, channel, blunt)
    assert channel_between(blunt, sharp) is None


def test_a_matrix_that_is_no_channel_is_noticed() -> None:
    same = [(HALF, QUARTER), (HALF, HALF + QUARTER)]
    assert leads_to(same, [(ONE, ZERO), (ZERO, ONE)], same)
    assert not leads_to(same, [(ONE, ONE), (ZERO, ONE)], same)
    assert not leads_to(same, [(ZERO, ONE), (ONE, ZERO)], same)


def test_the_adversaries_of_two_binary_rounds_are_counted() -> None:
    tree = paired_tree(machine_e1(), HAMMING, 2)
    # Equal first inputs (2): any of 4 pairs after either view. Different (2): 2 after either.
    assert len(list(strategies(tree))) == 2 * 4**2 + 2 * 2**2
    assert len(list(fixed_strategies(tree, 2))) == 2 * 4 + 2 * 2
    assert len(list(fixed_strategies(tree, 0))) == 40


def test_refused_pairs_add_adversaries() -> None:
    tree = paired_tree(machine_e1(), HAMMING, 2, refuse=True)
    assert len(list(strategies(tree))) == 4 * 4**2


def test_one_round_of_randomised_response() -> None:
    machine = two_answers(1, (0, 1), lambda items, views: Fraction(1 + 2 * items[0], 4))
    tree = paired_tree(machine, HAMMING, 1)
    assert supremum_over(tree, strategies(tree)) == PowerFunction.dp(exp_epsilon=3)


def test_the_simulators_seeds_of_one_round_are_the_worst_pair() -> None:
    machine = two_answers(1, (0, 1), lambda items, views: Fraction(1 + 2 * items[0], 4))
    seeds = simulator_of(paired_tree(machine, HAMMING, 1)).seeds
    assert Pair.from_laws([p for p, _ in seeds], [q for _, q in seeds]) == Pair.from_laws(
        ["3/4", "1/4"], ["1/4", "3/4"]
    )


def test_the_best_fixed_and_adaptive_adversaries_of_e1() -> None:
    tree = paired_tree(machine_e1(), HAMMING, 2)

    def distance(function: PowerFunction) -> Fraction:
        return max((y - x).as_fraction() for x, y in function.vertices)

    fixed = max(distance(power_of_strategy(tree, each)) for each in fixed_strategies(tree, 2))
    adaptive = max(distance(power_of_strategy(tree, each)) for each in strategies(tree))
    assert (fixed, adaptive) == (Fraction("0.09"), Fraction("0.0991"))


def test_a_certificate_needs_the_identity_and_the_assumptions() -> None:
    x, y = variables("x y")
    assert certified_non_negative(x * y + x, [[x, y], [x]], [x, y])
    assert not certified_non_negative(x * y - x, [[x, y], [x]], [x, y])
    assert not certified_non_negative(x * y, [[x, y]], [x])


@pytest.mark.parametrize("power", [2, 3])
def test_a_square_of_an_assumed_factor_is_allowed(power: int) -> None:
    (x,) = variables("x")
    assert certified_non_negative(x**power, [[x] * power], [x])
