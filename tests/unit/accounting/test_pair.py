"""Pairs of laws: reading, refusing, merging."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from powercert.accounting import Exact, InputError, LimitError, Pair, compose, exact_number


def texts(pair: Pair) -> list[tuple[str, str]]:
    return [(str(p), str(q)) for p, q in pair.atoms]


def test_lists_and_mappings_give_the_same_pair() -> None:
    lists = Pair.from_laws(["1/2", "1/2", 0], ["1/4", Fraction(1, 4), Decimal("0.5")])
    mappings = Pair.from_laws({"a": "1/2", "b": "1/2"}, {"c": "1/2", "b": "1/4", "a": "1/4"})
    assert lists == mappings
    assert hash(lists) == hash(mappings)


def test_atoms_fall_in_likelihood_ratio_and_start_with_the_infinite_one() -> None:
    pair = Pair.from_laws(["1/2", "1/4", "1/4", 0], [0, "1/4", "1/2", "1/4"])
    assert texts(pair) == [("0", "1/4"), ("1/4", "1/2"), ("1/4", "1/4"), ("1/2", "0")]
    assert all(isinstance(mass, Exact) for atom in pair.atoms for mass in atom)


def test_outcomes_of_equal_ratio_merge() -> None:
    split = Pair.from_laws(["3/8", "3/8", "1/8", "1/8"], ["1/8", "1/8", "3/8", "3/8"])
    assert split == Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    assert len(split.atoms) == 2


def test_outcomes_that_neither_law_has_are_ignored() -> None:
    assert Pair.from_laws([1, 0, "0"], [1, 0, 0]) == Pair.from_laws([1], [1])


def test_pairs_differ_where_their_ratios_differ() -> None:
    pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    assert pair != Pair.from_laws(["2/3", "1/3"], ["1/3", "2/3"])
    assert pair != "a pair"


def test_ten_decimal_tenths_are_exactly_one() -> None:
    Pair.from_laws(["0.1"] * 10, ["1", *["0"] * 9])


@pytest.mark.parametrize(
    ("null", "alternative", "said"),
    [
        (
            ["0.333"] * 3,
            ["1/3"] * 3,
            "P (the null law): probabilities sum to 999/1000, not 1 (miss",
        ),
        (["0.333"] * 3, ["1/3"] * 3, "(missing 1/1000)"),
        (["0.333"] * 3, ["1/3"] * 3, 'such as "1/3"'),
        (["1/2", "1/2"], ["1/2", "49/100"], "Q (the alternative law): probabilities sum to 99/100"),
        (["1/2", "1/2"], ["1/2", "51/100"], "(1/100 too much)"),
        (["3/2", "1/2"], [1, 0], "P[0]: not a probability; found 3/2"),
        ([1, 0], ["-1/2", "3/2"], "Q[0]: not a probability; found -1/2"),
        ({"a": 1}, {"a": 2}, "Q['a']: not a probability; found 2"),
        (["1/0", 1], [1, 0], "P[0]: "),
        ([0.5, 0.5], [1, 0], "P[0]: "),
        ([1, 0], [True, False], "Q[0]: "),
        ([1, 0], [1, None], "Q[1]: "),
        ([1, 0], [1, "abc"], "Q[1]: "),
        ([1, 0], [1, ""], "Q[1]: "),
        ([float("nan"), 1], [1, 0], "P[0]: "),
        (["NaN", 1], [1, 0], "P[0]: "),
        (["Infinity", 1], [1, 0], "P[0]: "),
        (["1e400", 0], [1, 0], "P[0]: not a probability"),
        (["ln(2)", 0], [1, 0], "P[0]: a logarithm is not a probability"),
        ([], [], "the law has no outcome"),
        ({}, {}, "the law has no outcome"),
        ([1], [1, 0], "different lengths"),
        ({"a": 1}, [1], "one law is a mapping and the other is not"),
        ("1", "1", "P: not a law; found str"),
        ({1}, {1}, "P: not a law; found set"),
    ],
)
def test_what_is_no_law_is_refused_with_its_place(
    null: list[object], alternative: list[object], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        Pair.from_laws(null, alternative)
    assert said in str(caught.value)


def test_an_identity_of_exponentials_sums_to_one_and_a_near_miss_does_not() -> None:
    z = Exact.exp(Fraction(-1, 3))
    law = [1 / (1 + z), z / (1 + z)]
    Pair.from_laws(law, law[::-1])
    with pytest.raises(InputError, match="not 1"):
        Pair.from_laws([law[0], law[1] + Fraction(1, 10**40)], law)


def test_masses_are_checked_like_laws() -> None:
    half = exact_number("1/2")
    assert texts(Pair.from_masses([(half, half), (half, half)])) == [("1", "1")]
    with pytest.raises(InputError, match="missing 1/2"):
        Pair.from_masses([(half, half)])
    with pytest.raises(InputError, match="negative probability"):
        Pair.from_masses([(-half, half), (half * 3, half)])


def test_swapping_exchanges_the_laws() -> None:
    pair = Pair.from_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    assert pair.swapped() == Pair.from_laws(["1/4", "1/4", "1/2"], ["1/2", "1/2", 0])


def test_no_draw_tells_nothing_and_one_draw_is_the_pair() -> None:
    pair = Pair.from_laws(["9/10", "1/10"], ["99/100", "1/100"])
    assert pair.times(0) == Pair.from_laws([1], [1])
    assert pair.times(1) == pair


@pytest.mark.parametrize("count", [-1, True, "2", 1.0, None])
def test_a_number_of_draws_is_a_natural_number(count: int) -> None:
    with pytest.raises(InputError, match="number of draws"):
        Pair.from_laws([1], [1]).times(count)


def test_disjoint_laws_stay_disjoint() -> None:
    pair = Pair.from_laws([1, 0], [0, 1])
    assert pair.times(3) == pair
    assert pair.tensor(pair) == pair
    assert pair.profile().delta(exp_epsilon="inf") == 1


def test_a_product_above_the_limit_names_the_argument() -> None:
    pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    with pytest.raises(LimitError, match=r"2 x 2 = 4 atoms.*limit_atoms = 3.*limit_atoms=4"):
        pair.tensor(pair, limit_atoms=3)
    assert len(pair.tensor(pair, limit_atoms=4).atoms) == 3


def primes(count: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


@pytest.mark.parametrize("n", [70, 150])
def test_many_unrelated_ratios(n: int) -> None:
    """P uniform and Q in proportion to n primes: all products of two ratios differ."""
    weights = primes(n)
    null = [Fraction(1, n)] * n
    alternative = [Fraction(weight, sum(weights)) for weight in weights]
    expected = Pair.from_laws(
        [a * b for a in null for b in null], [a * b for a in alternative for b in alternative]
    )
    squared = Pair.from_laws(null, alternative).times(2)
    assert len(squared.atoms) == n * (n + 1) // 2
    assert squared == expected


def test_many_ratios_on_one_lattice() -> None:
    """41 ratios (11/10)^j: eight draws against products written out and merged by comparison."""
    steps = range(-20, 21)
    null = [Fraction(1, 1 + abs(j)) for j in steps]
    alternative = [mass * Fraction(11, 10) ** j for mass, j in zip(null, steps, strict=True)]
    pair = Pair.from_laws(
        [mass / sum(null) for mass in null], [mass / sum(alternative) for mass in alternative]
    )
    two = Pair(pair.ladder.tensor(pair.ladder))
    four = Pair(two.ladder.tensor(two.ladder))
    eight = Pair(four.ladder.tensor(four.ladder))
    assert len(eight.atoms) == 8 * 40 + 1
    assert pair.times(8) == eight
    assert four.tensor(four) == eight


def test_long_pairs_multiply_by_merging() -> None:
    pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    assert pair.times(150).tensor(pair.times(250)) == pair.times(400)


def test_repr_shows_the_atoms_and_is_cut() -> None:
    pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    assert repr(pair) == "Pair((1/4, 3/4), (3/4, 1/4))"
    assert repr(pair.times(20)).endswith("... 21 in all)")


def exponential_response(exponent: Fraction) -> Pair:
    z = Exact.exp(-exponent)
    return Pair.from_laws([1 / (1 + z), z / (1 + z)], [z / (1 + z), 1 / (1 + z)])


def test_pairs_over_different_exponentials_multiply() -> None:
    """Randomised responses of epsilon 1/2 and 1/3: pure epsilon 5/6, masses by hand."""
    product = exponential_response(Fraction(1, 2)).tensor(exponential_response(Fraction(1, 3)))
    assert product.profile().epsilon(delta=0) == Fraction(5, 6)
    w = Exact.exp(Fraction(-1, 6))
    total = (1 + w**3) * (1 + w**2)
    masses = [w**5 / total, w**3 / total, w**2 / total, 1 / total]
    assert product == Pair.from_laws(masses, masses[::-1])


def test_unrelated_long_pairs_are_multiplied_out_after_the_related_ones() -> None:
    weights = primes(150)
    null = [Fraction(1, 150)] * 150
    long = Pair.from_laws(null, [Fraction(weight, sum(weights)) for weight in weights])
    pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    expected = Pair(pair.ladder.tensor(pair.ladder).tensor(pair.ladder).tensor(long.ladder))
    assert compose([(pair, 3), (long, 1)]).pair == expected
