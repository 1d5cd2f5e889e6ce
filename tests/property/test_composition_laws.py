"""Exact composition against products written out, and the two engines against each other."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import Exact, Pair, PrivacyProfile, compose
from powercert.accounting.composition import Order

Laws = tuple[list[Fraction], list[Fraction]]


@st.composite
def laws(draw: st.DrawFn, largest: int = 4) -> Laws:
    size = draw(st.integers(1, largest))
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    p, q = draw(weights), draw(weights)
    return [Fraction(x, sum(p)) for x in p], [Fraction(x, sum(q)) for x in q]


@st.composite
def lattice_laws(draw: st.DrawFn) -> Laws:
    """Laws whose likelihood ratios are powers of 2 up to one factor, so that words coincide."""
    exponents = draw(st.lists(st.integers(-2, 2), min_size=2, max_size=5))
    p = [draw(st.integers(1, 4)) for _ in exponents]
    q = [Fraction(w) * Fraction(2) ** e for w, e in zip(p, exponents, strict=True)]
    return [Fraction(x, sum(p)) for x in p], [x / sum(q) for x in q]


def written_out(parts: list[tuple[Laws, int]]) -> Pair:
    """The pair of laws of all words, outcome by outcome."""
    singles = [laws for laws, count in parts for _ in range(count)]
    null = [prod(word, start=Fraction(1)) for word in product(*(p for p, _ in singles))]
    alternative = [prod(word, start=Fraction(1)) for word in product(*(q for _, q in singles))]
    return Pair.from_laws(null, alternative)


@settings(max_examples=60)
@given(st.lists(st.tuples(laws(3), st.integers(0, 2)), max_size=2))
def test_composing_is_the_pair_of_all_words(parts: list[tuple[Laws, int]]) -> None:
    composed = compose([(Pair.from_laws(*two), count) for two, count in parts])
    assert composed.pair == written_out(parts)


@settings(max_examples=60)
@given(lattice_laws(), st.integers(0, 4))
def test_coinciding_words_merge(two: Laws, count: int) -> None:
    assert Pair.from_laws(*two).times(count) == written_out([(two, count)])


@settings(max_examples=60)
@given(laws(), laws(), st.integers(0, 4), st.integers(0, 3))
def test_composing_is_repeated_tensor(one: Laws, two: Laws, first: int, second: int) -> None:
    a, b = Pair.from_laws(*one), Pair.from_laws(*two)
    expected = Pair.from_laws([1], [1])
    for factor in [a] * first + [b] * second:
        expected = expected.tensor(factor)
    assert compose([(a, first), (b, second)]).pair == expected
    assert compose([(b, second), a, (a, first)]).pair == expected.tensor(a)


def test_steps_that_leave_the_range_of_words_meet_no_other_word() -> None:
    """Two pairs with six ratios in four primes: packed exponents once carried over here."""
    one = (["6/11", "4/11", "1/11"], ["6/7", "1/7", 0])
    two = (["1/14", "1/7", "3/14", "4/7"], ["7/20", "7/20", "3/20", "3/20"])
    a, b = Pair.from_laws(*one), Pair.from_laws(*two)
    expected = a.tensor(a).tensor(b).tensor(b).tensor(b).tensor(b)
    assert compose([(a, 2), (b, 4)]).pair == expected


@settings(max_examples=60)
@given(laws(), laws(), laws(3), st.tuples(*[st.integers(0, 5)] * 3))
def test_longer_mixed_words(
    one: Laws, two: Laws, three: Laws, counts: tuple[int, int, int]
) -> None:
    singles = [Pair.from_laws(*part) for part in (one, two, three)]
    expected = Pair.from_laws([1], [1])
    for pair, count in zip(singles, counts, strict=True):
        for _ in range(count):
            expected = expected.tensor(pair)
    composed = compose(list(zip(singles, counts, strict=True)))
    assert composed.pair == expected
    ratios = [q / p for p, q in composed.pair.atoms if p]
    assert all(left > right for left, right in pairwise(ratios))


@settings(max_examples=40)
@given(laws(), st.integers(1, 4), st.sampled_from(["as_given", "swapped", "both"]))
def test_orders(two: Laws, count: int, order: Order) -> None:
    pair = Pair.from_laws(*two)
    powered = pair.times(count)
    forward, backward = powered.profile(), powered.swapped().profile()
    expected = {
        "as_given": forward,
        "swapped": backward,
        "both": PrivacyProfile.maximum([forward, backward]),
    }[order]
    composed = compose([(pair, count)], order=order)
    assert composed.profile == expected
    assert composed.power_function == expected.power_function()
    for gamma in ("1/2", 1, 2, 9, "inf"):
        assert composed.delta(exp_epsilon=gamma).lower == expected.delta(exp_epsilon=gamma)
    for delta in (0, "1/10", "1/2", 1):
        assert composed.exp_epsilon(delta=delta).upper == expected.exp_epsilon(delta=delta)
        assert composed.epsilon(delta=delta).upper == expected.epsilon(delta=delta)
    assert composed.power("1/7").upper == expected.power_function()("1/7")


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), st.integers(0, 4))
def test_transcendental_words_merge_too(weights: list[int], count: int) -> None:
    z = Exact.exp(Fraction(-1, 3))
    null = [1 / (1 + z + z**2), z / (1 + z + z**2), z**2 / (1 + z + z**2)]
    alternative = [Fraction(weight, sum(weights)) for weight in weights]
    pair = Pair.from_laws(null, alternative)
    expected = Pair.from_laws([1], [1])
    for _ in range(count):
        expected = expected.tensor(pair)
    assert pair.times(count) == expected
    rational = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
    assert compose([(pair, count), rational]).pair == expected.tensor(rational)
