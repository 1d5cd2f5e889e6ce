"""The Poisson law: probabilities, tails, finite counterparts and what they cost in delta."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import FiniteLaw
from powercert.mechanisms.poisson import Poisson

RATES = ["1/10", "1", "7/2", "20"]


def weight(rate: str, k: int) -> Fraction:
    """The probability times e^rate, from the definition."""
    return Fraction(rate) ** k / math.factorial(k)


@pytest.mark.parametrize("rate", RATES)
def test_probabilities_and_tails_are_the_printed_formula(rate: str) -> None:
    law, scale = Poisson(rate), Exact.exp(-Fraction(rate))
    below = Fraction(0)
    for k in range(12):
        assert law.tail(k) == 1 - scale * below
        assert law.probability(k) == scale * weight(rate, k)
        below += weight(rate, k)
    assert law.probability(-1) == 0
    assert law.tail(-1) == 1


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("lower", "upper"), [(0, 0), (0, 5), (2, 4), (-3, 2), (3, 3)])
def test_truncating_gives_rational_weights_in_proportion(rate: str, lower: int, upper: int) -> None:
    truncated = Poisson(rate).truncated(lower, upper)
    kept = range(max(lower, 0), upper + 1)
    total = sum((weight(rate, k) for k in kept), start=Fraction(0))
    assert dict(truncated.items()) == {k: Exact(weight(rate, k) / total) for k in kept}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("lower", "upper"), [(0, 5), (2, 4), (-3, 2), (3, 3), (-2, -1)])
def test_clamping_moves_each_tail_to_its_end(rate: str, lower: int, upper: int) -> None:
    law = Poisson(rate)
    clamped = law.clamped(lower, upper)
    if lower == upper:
        assert clamped == FiniteLaw.point(lower)
        return
    assert clamped.weight(upper) == law.tail(upper)
    assert clamped.weight(lower) == 1 - law.tail(lower + 1)
    for k in range(lower + 1, upper):
        assert clamped.weight(k) == law.probability(k)


def test_a_window_around_a_large_rate_is_cheap() -> None:
    law = Poisson(10**6).truncated(10**6 - 5, 10**6 + 5)
    assert law.weight(10**6) == law.weight(10**6 - 1)
    assert law.weight(10**6 + 1) / law.weight(10**6) == Fraction(10**6, 10**6 + 1)


def test_long_tails_are_summed_by_halving() -> None:
    # P(X >= 3000) for rate 1000 is between its first term and twice that (ratios below 1/2).
    law = Poisson(1000)
    assert law.probability(3000) < law.tail(3000) < 2 * law.probability(3000)


def hockey_stick(one: FiniteLaw[int], two: FiniteLaw[int], gamma: Exact) -> Exact:
    """The worst P(S) - gamma Q(S) over sets of outcomes."""
    gaps = [one.weight(k) - gamma * two.weight(k) for k in {*one.outcomes, *two.outcomes}]
    return sum((gap for gap in gaps if gap > 0), start=Exact(0))


def almost_unbounded(rate: str) -> FiniteLaw[int]:
    """The law up to 40, beyond which these rates leave less than 10^-20."""
    assert Poisson(rate).tail(40) < Exact("1e-20")
    return Poisson(rate).clamped(0, 40)


@pytest.mark.parametrize("rates", [("1/10", "5"), ("5", "1/10"), ("1", "2"), ("2", "1")])
@pytest.mark.parametrize("gamma", ["1/2", "1", "3"])
@pytest.mark.parametrize("upper", [0, 1, 2, 6])
def test_the_clamped_tail_pays_for_counts_that_are_released(
    rates: tuple[str, str], gamma: str, upper: int
) -> None:
    one, two = (Poisson(rate).charged_clamped(upper) for rate in rates)
    finite = hockey_stick(one.law, two.law, Exact(gamma))
    truth = hockey_stick(almost_unbounded(rates[0]), almost_unbounded(rates[1]), Exact(gamma))
    # Clamping at 40 is post-processing, so this is at most the truth of the unbounded laws.
    assert truth <= finite + one.tail


def test_the_mass_above_the_end_alone_would_not_pay() -> None:
    """Rates 1/10 and 5, clamped at 1, total variation: 0.057 is lost, 0.0047 lies above 1."""
    one, two = (Poisson(rate).charged_clamped(1) for rate in ("1/10", "5"))
    finite = hockey_stick(one.law, two.law, Exact(1))
    truth = hockey_stick(almost_unbounded("1/10"), almost_unbounded("5"), Exact(1))
    assert truth > finite + Poisson("1/10").tail(2)
    assert truth <= finite + one.tail


@pytest.mark.parametrize("gamma", ["1", "2", "4"])
@pytest.mark.parametrize("upper", [0, 1, 3])
def test_the_truncated_tail_pays_for_counts_that_stay_hidden(gamma: str, upper: int) -> None:
    """A hidden count k chooses the chance of the view in each world; the rate is the same."""
    law = Poisson(1)
    charged = law.charged_truncated(upper)
    chances: dict[int, tuple[Exact, Exact]] = {
        k: (Exact(Fraction(k + 1, k + 2)), Exact(Fraction(1, k + 2))) for k in range(41)
    }

    def view_one(counts: FiniteLaw[int], world: int) -> Exact:
        return sum((w * chances[k][world] for k, w in counts.items()), start=Exact(0))

    def delta(counts: FiniteLaw[int]) -> Exact:
        null, other = view_one(counts, 0), view_one(counts, 1)
        gaps = null - Exact(gamma) * other, (1 - null) - Exact(gamma) * (1 - other)
        return sum((gap for gap in gaps if gap > 0), start=Exact(0))

    truth = delta(almost_unbounded("1"))
    # Clamping at 40 changes the truth by less than (1 + gamma) 10^-20.
    slack = Exact("1e-19")
    assert truth <= (1 - charged.tail) * delta(charged.law) + charged.tail + slack
    assert charged.tail == law.tail(upper + 1)
    assert charged.law == law.truncated(0, upper)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Poisson(0), InputError, "rate: not above 0"),
        (lambda: Poisson("exp(1)"), InputError, "rate: not rational"),
        (lambda: Poisson(0.5), InputError, "rate: a binary float"),
        (lambda: Poisson(10**9), LimitError, "a rate above 100000000"),
        (lambda: Poisson(1).truncated(-2, -1), InputError, "the range has probability 0"),
        (lambda: Poisson(1).clamped(3, 2), InputError, "lower is above upper"),
        (lambda: Poisson(1).charged_clamped(-1), InputError, "upper: not of at least 0"),
        (lambda: Poisson(1).charged_truncated(-1), InputError, "upper: not of at least 0"),
        (lambda: Poisson(1).truncated(0, 99_999), LimitError, "too large"),
        (lambda: Poisson(1).tail(10**9), LimitError, "too large"),
        (lambda: Poisson(1).probability(10**9), LimitError, "too large"),
        (lambda: Poisson(10**7).probability(3), LimitError, "exp"),
    ],
)
def test_wrong_parameters_and_huge_laws_are_refused(
    build: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        build()
