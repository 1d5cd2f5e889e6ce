"""The literal readings of Checklist 1 and Definition E.3 against values derived by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from powercert.accounting import PowerFunction
from powercert.mechanisms import hamming
from powercert.proofs_checks import Record
from powercert.proofs_checks.decompositions import (
    CYCLIC_2,
    INTEGERS,
    WORDS,
    fit,
    indexed_fit,
    weak_orders,
)
from powercert.proofs_checks.examples import machine_e1, solved_power
from powercert.proofs_checks.fresh_rounds import (
    FreshRounds,
    bit_laws,
    fixed_and_adaptive,
    histories,
    instability,
    noisy,
    tables,
    two_rounds,
)
from powercert.proofs_checks.game_tree import (
    paired_tree,
    strategies,
    supremum_over,
)
from powercert.proofs_checks.paper1.adaptive_safety import remark_e5, theorem_e4, three_rounds
from powercert.proofs_checks.paper1.decomposability import definition_e2, monoids

BITS = (0, 1)
HAMMING = hamming().over(BITS)
E1 = FreshRounds(BITS, (bit_laws("0.68", "0.65"), bit_laws("0.28", "0.20", "0.19", "0.28")))
FLIPS = bit_laws("1/3", "2/3")


def parity(chances: tuple[str, str], rounds: int = 2) -> FreshRounds:
    """Every round answers by the sum of all inputs mod 2."""
    laws = bit_laws(*chances)
    return FreshRounds(
        BITS,
        tuple(
            tuple(laws[sum(items) % 2] for items in histories(BITS, number))
            for number in range(1, rounds + 1)
        ),
    )


def test_the_weak_orders_are_counted() -> None:
    # The ordered Bell numbers (OEIS A000670).
    assert [len(weak_orders(count)) for count in range(5)] == [1, 1, 3, 13, 75]


def test_tables_up_to_the_names_of_outputs() -> None:
    # 3^2 tables of chances 0, 1/2, 1; swapping the outputs fixes only (1/2, 1/2).
    assert len(tables(bit_laws("0", "1/2", "1"), 2)) == (9 + 1) // 2


def test_a_table_is_the_mechanism_of_section_e1() -> None:
    # Table, library machine and the printed example are three readings of one mechanism.
    adaptive = fixed_and_adaptive(E1)[1]
    printed = paired_tree(machine_e1(), HAMMING, 2)
    assert adaptive == supremum_over(printed, strategies(printed))
    assert adaptive == solved_power(E1.machine(), HAMMING, 2)


def test_section_e1_is_unstable_in_round_two() -> None:
    found = instability(E1)
    assert found is not None
    assert (found.round, found.position) == (2, 1)
    assert found.changes == (((0, 0), (1, 0)), ((0, 1), (1, 1)))


def test_costs_may_depend_on_what_came_before() -> None:
    # x1 decides whether round 2 answers by x2 at all, and round 1 says nothing.
    half, low, high = bit_laws("1/2", "1/3", "2/3")
    mechanism = FreshRounds(BITS, ((half, half), (half, half, low, high)))
    assert instability(mechanism) is not None
    assert instability(FreshRounds(BITS, mechanism.rounds[:1])) is None


def test_parity_fits_both_additions_with_its_own_index_sets() -> None:
    # In Z the difference 2 must be shorter than 1, and costs nothing.
    for carrier in (INTEGERS, CYCLIC_2, WORDS):
        found = fit(parity(("1/3", "2/3")), carrier)
        assert found is not None
        assert found.index_sets == ((1,), (1, 2))
    assert fit(parity(("1/3", "2/3")), INTEGERS, orders=((1, 2),)) is None


def test_a_metric_wants_both_directions_to_cost_the_same() -> None:
    skew = FreshRounds(BITS, (bit_laws("0", "1/2"),))
    assert fit(skew, WORDS) is None
    assert indexed_fit(skew, WORDS) is not None
    assert indexed_fit(skew, CYCLIC_2) is None  # its difference cannot tell the directions apart


def test_a_sum_of_bits_with_noise_fits_the_integers_only() -> None:
    noise = bit_laws("1/2")[0]
    sums = tuple(noisy(sum(items), noise, 4) for items in histories(BITS, 2))
    mechanism = FreshRounds(BITS, (tuple(noisy(x, noise, 3) for x in BITS), sums))
    found = fit(mechanism, INTEGERS)
    assert found is not None
    assert found.index_sets == ((1,), (1, 2))
    # A fair bit moved by 1 overlaps in half of its mass; moved by 2 not at all.
    assert found.costs[1][-1](Fraction(0)) == Fraction(1, 2)
    assert found.costs[1][-2] == PowerFunction.dp(exp_epsilon=1, delta=1)
    assert fit(mechanism, CYCLIC_2) is None


def test_weights_that_differ_fit_no_invariant_pair() -> None:
    noise = bit_laws("1/2")[0]
    first = tuple(noisy(x, noise, 3) for x in BITS)
    second = tuple(noisy(x1 + 2 * x2, noise, 5) for x1, x2 in product(BITS, repeat=2))
    mechanism = FreshRounds(BITS, (first, second))
    assert fit(mechanism, WORDS) is None and indexed_fit(mechanism, WORDS) is None
    assert instability(mechanism) is None


def test_words_see_the_order_of_the_inputs() -> None:
    # 01 and 10 have different laws, so no sum serves.
    a, b, c = (tuple(Fraction(i == j) for j in range(3)) for i in range(3))
    mechanism = FreshRounds(BITS, ((a, a), (a, b, c, a)))
    assert fit(mechanism, WORDS) is not None
    assert fit(mechanism, INTEGERS) is None


def test_monoids_are_counted() -> None:
    # Labelled monoids (OEIS A058153: 1, 4, 33, 624), divided by the choice of the neutral element.
    assert [len(list(monoids(size))) for size in (1, 2, 3)] == [1, 2, 11]


def test_round_three_is_played_by_brute_force_too() -> None:
    mechanism = parity(("1/3", "2/3"), rounds=3)
    fixed, adaptive = fixed_and_adaptive(mechanism)
    assert fixed == adaptive == solved_power(mechanism.machine(), HAMMING, 3)


@pytest.mark.slow
def test_monoids_on_four_elements_have_a_metric_exactly_if_they_are_groups() -> None:
    # 624 / 4 monoids; with a named neutral element Z_4 has 3 tables and Klein's group 1.
    assert len(list(monoids(4))) == 156
    finding = definition_e2.check(largest=4)
    assert finding.status == "VERIFIED"
    assert "170 monoids" in finding.scope and "7 groups" in finding.scope


@pytest.mark.slow
@pytest.mark.parametrize("record", [theorem_e4, remark_e5], ids=["Theorem E.4", "Remark E.5"])
def test_three_outputs_in_both_rounds(record: Record) -> None:
    assert record.check(wide=True).status == "VERIFIED"


@pytest.mark.slow
def test_all_three_round_mechanisms_by_brute_force() -> None:
    mechanisms = three_rounds()
    assert len(mechanisms) == 64  # a set of positions per round: 2 * 4 * 8
    for mechanism in mechanisms:
        fixed, adaptive = fixed_and_adaptive(mechanism)
        assert fixed == adaptive, str(mechanism)


@pytest.mark.slow
def test_stability_suffices_for_finer_chances() -> None:
    for mechanism in two_rounds(bit_laws("0", "1/4", "1/2", "3/4", "1")):
        if instability(mechanism, "before") is None:
            fixed, adaptive = fixed_and_adaptive(mechanism)
            assert fixed == adaptive, str(mechanism)
