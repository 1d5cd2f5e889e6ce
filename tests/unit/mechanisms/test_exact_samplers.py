"""Samplers fed with every string of bits: what they have decided brackets each probability."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import RandomBits, SeededBits
from powercert.mechanisms.discrete_gaussian import DiscreteGaussian
from powercert.mechanisms.integer_sampling import (
    GeometricDigits,
    Threshold,
    bernoulli,
    bernoulli_exp,
    geometric_exp,
    geometric_sampler,
    two_sided,
    uniform_below,
)
from powercert.mechanisms.poisson import Poisson
from powercert.mechanisms.unbounded_laws import Geometric, TwoSidedGeometric

mpmath: Any = importlib.import_module("mpmath")  # has no types

Draw = Callable[[RandomBits], int]
Chance = Callable[[int], Any]


class OutOfBits(Exception):
    """The string of bits has ended before the sampler has."""


class Prefix:
    """Hands out one string of bits, and says where it ends."""

    def __init__(self, value: int, length: int) -> None:
        self.value = value
        self.left = length

    def bits(self, count: int) -> int:
        if count > self.left:
            raise OutOfBits
        self.left -= count
        return (self.value >> self.left) & ((1 << count) - 1)


def decided(draw: Draw, depth: int) -> tuple[dict[int, Fraction], Fraction]:
    """Probability of each outcome that at most ``depth`` bits decide, and the mass left over.

    A string on which the sampler ends has all its bits used; one on which it does not is followed
    by both longer ones. So the strings on which it ends are disjoint, and each has mass 2^-length.
    """
    units: Counter[int] = Counter()
    undecided = 0
    pending = [(0, 0)]
    while pending:
        value, length = pending.pop()
        source = Prefix(value, length)
        try:
            outcome = draw(source)
        except OutOfBits:
            if length == depth:
                undecided += 1
            else:
                pending += [(2 * value, length + 1), (2 * value + 1, length + 1)]
            continue
        assert source.left == 0
        units[outcome] += 1 << (depth - length)
    whole = 1 << depth
    found = {outcome: Fraction(unit, whole) for outcome, unit in units.items()}
    return found, Fraction(undecided, whole)


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def brackets(draw: Draw, chance: Chance, depth: int) -> Fraction | None:
    """The undecided mass if the decided masses bracket every probability, else None."""
    found, undecided = decided(draw, depth)
    places = range(min(found, default=0) - 2, max(found, default=0) + 3)
    with mpmath.workdps(50):
        slack = mpmath.mpf(10) ** -40  # only the rounding of mpmath
        for place in places:
            low = real(found.get(place, Fraction(0)))
            if not low - slack <= chance(place) <= low + real(undecided) + slack:
                return None
    return undecided


def geometric(ratio: Any) -> Chance:
    return lambda k: (1 - ratio) * ratio**k if k >= 0 else mpmath.mpf(0)


def both_sides(ratio: Any, centre: int = 0) -> Chance:
    return lambda k: (1 - ratio) / (1 + ratio) * ratio ** abs(k - centre)


def gaussian(variance: Fraction, centre: int = 0) -> Chance:
    def weight(k: int) -> Any:
        return mpmath.exp(-real(Fraction(k * k) / (2 * variance)))

    def chance(k: int) -> Any:
        return weight(k - centre) / mpmath.fsum(weight(j) for j in range(-60, 61))

    return chance


def poisson(rate: Fraction) -> Chance:
    def chance(k: int) -> Any:
        return mpmath.exp(-real(rate)) * real(rate) ** k / mpmath.factorial(k) if k >= 0 else 0

    return chance


def coin(chance: Callable[[], Any]) -> Chance:
    return lambda k: chance() if k == 1 else 1 - chance() if k == 0 else 0


def e(exponent: str) -> Any:
    with mpmath.workdps(50):
        return mpmath.exp(real(Fraction(exponent)))


def ratio(text: str) -> Any:
    with mpmath.workdps(50):
        return real(Fraction(text))


# Name, sampler, its law by an independent library, depth, most mass undecided there.
SAMPLERS: list[tuple[str, Draw, Chance, int, float]] = [
    ("uniform below 5", lambda b: uniform_below(b, 5), lambda k: 0.2 if 0 <= k < 5 else 0, 15, 0.01),
    ("coin of 2/7", lambda b: bernoulli(b, 2, 7), coin(lambda: ratio("2/7")), 20, 1e-5),
    ("coin of exp(-1/3)", lambda b: bernoulli_exp(b, 1, 3), coin(lambda: e("-1/3")), 16, 0.002),
    ("coin of exp(-5/2)", lambda b: bernoulli_exp(b, 5, 2), coin(lambda: e("-5/2")), 16, 0.02),
    ("geometric exp(-1)", lambda b: geometric_exp(b, 1, 1), geometric(e("-1")), 15, 0.1),
    ("geometric exp(-2/3)", lambda b: geometric_exp(b, 2, 3), geometric(e("-2/3")), 16, 0.2),
    ("digits 1/3", GeometricDigits(Exact("1/3")).draw, geometric(ratio("1/3")), 16, 0.01),
    ("digits 4/5", GeometricDigits(Exact("4/5")).draw, geometric(ratio("4/5")), 15, 0.06),
    (
        "digits exp(-1/2)/2",
        GeometricDigits(Exact("exp(-1/2)/2")).draw,
        geometric(e("-1/2") / 2),
        15,
        0.01,
    ),
    ("geometric 3/4", Geometric("3/4").draw, geometric(ratio("3/4")), 15, 0.06),
    ("two-sided 1/3", TwoSidedGeometric("1/3", 2).draw, both_sides(ratio("1/3"), 2), 15, 0.06),
    ("two-sided exp(-1)", TwoSidedGeometric("exp(-1)").draw, both_sides(e("-1")), 15, 0.2),
    ("discrete Gaussian 1/3", DiscreteGaussian("1/3", -1).draw, gaussian(Fraction(1, 3), -1), 15, 0.45),
    ("discrete Gaussian 2", DiscreteGaussian(2).draw, gaussian(Fraction(2)), 15, 0.4),
    ("Poisson 1", Poisson(1).draw, poisson(Fraction(1)), 15, 0.6),
    ("Poisson 3", Poisson(3).draw, poisson(Fraction(3)), 15, 0.4),
    ("Poisson 3/4", Poisson("3/4").draw, poisson(Fraction(3, 4)), 14, 0.65),
]  # fmt: skip


@pytest.mark.parametrize(
    ("draw", "chance", "depth", "most"),
    [row[1:] for row in SAMPLERS],
    ids=[row[0] for row in SAMPLERS],
)
def test_what_the_bits_decide_brackets_every_probability(
    draw: Draw, chance: Chance, depth: int, most: float
) -> None:
    shallow = brackets(draw, chance, depth - 6)
    deep = brackets(draw, chance, depth)
    assert shallow is not None
    assert deep is not None
    assert deep <= most
    # It goes on shrinking; it is 1 where nothing can be decided yet.
    assert deep < shallow * Fraction(9, 10)


def test_the_bracket_notices_a_zero_that_is_counted_twice() -> None:
    def careless(random_bits: RandomBits) -> int:
        negative = random_bits.bits(1)
        size = geometric_sampler(Exact("1/3"))(random_bits)
        return -size if negative else size

    assert brackets(careless, both_sides(ratio("1/3")), 15) is None


def test_the_bracket_notices_a_chance_that_is_off_by_a_thousandth() -> None:
    assert brackets(lambda b: bernoulli(b, 334, 1000), coin(lambda: ratio("1/3")), 20) is None


@pytest.mark.parametrize("variance", ["1/3", "1", "2", "99/100", "1000/7", "1000000"])
@pytest.mark.parametrize("centre", [0, -3])
def test_gaussian_proposals_times_acceptance_are_gaussian_weights(
    variance: str, centre: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With |k| / t + (exponent of the acceptance) = k^2 / (2 sigma^2) + constant, the law is right.

    The proposal's weights are exp(-|k| / t) for the scale t that the sampler asked for.
    """
    module = "powercert.mechanisms.discrete_gaussian"
    asked: list[tuple[int, int]] = []
    accepted: list[Fraction] = []

    def record_scale(random_bits: RandomBits, numerator: int, denominator: int) -> int:
        asked.append((numerator, denominator))
        return 0

    def record_chance(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
        accepted.append(Fraction(numerator, denominator))
        return True

    monkeypatch.setattr(f"{module}.geometric_exp", record_scale)
    monkeypatch.setattr(f"{module}.bernoulli_exp", record_chance)
    constants: set[Fraction] = set()
    for proposed in range(-40, 41):

        def propose(random_bits: RandomBits, magnitude: Draw, proposed: int = proposed) -> int:
            magnitude(random_bits)
            return proposed

        monkeypatch.setattr(f"{module}.two_sided", propose)
        assert DiscreteGaussian(variance, centre).draw(Prefix(0, 0)) == proposed + centre
        numerator, denominator = asked[-1]
        exponent = Fraction(abs(proposed) * numerator, denominator) + accepted[-1]
        constants.add(exponent - proposed**2 / (2 * Fraction(variance)))
    assert len(constants) == 1
    assert min(accepted) >= 0


@pytest.mark.parametrize("rate", [1, 2, 3, 7, 10, 99, 100, 101, 1000])
def test_poisson_proposals_times_acceptance_are_poisson_weights(
    rate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(t / (t + 1))^|d| times the acceptance is proportional to rate^(rate + d) / (rate + d)!."""
    module = "powercert.mechanisms.poisson"
    accepted: list[Fraction] = []

    def record_chance(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
        accepted.append(Fraction(numerator, denominator))
        return True

    monkeypatch.setattr(f"{module}.bernoulli", record_chance)
    noise_ratio = Fraction(math.isqrt(rate) + 1, math.isqrt(rate) + 2)
    quotients: set[Fraction] = set()
    for noise in range(-min(rate, 150), 151):

        def propose(random_bits: RandomBits, magnitude: Draw, noise: int = noise) -> int:
            return noise

        monkeypatch.setattr(f"{module}.two_sided", propose)
        assert Poisson(rate).draw(Prefix(0, 0)) == rate + noise
        weight = Fraction(rate) ** noise / Fraction(math.factorial(rate + noise), 1)
        quotients.add(noise_ratio ** abs(noise) * accepted[-1] / weight)
    assert len(quotients) == 1
    # Probabilities, and none of them wasted: some proposal is always accepted.
    assert max(accepted) == 1


def test_poisson_noise_below_zero_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    proposals = iter([-4, -9, -3])

    def propose(random_bits: RandomBits, magnitude: Draw) -> int:
        return next(proposals)

    def accept(random_bits: RandomBits, numerator: int, denominator: int) -> bool:
        return True

    monkeypatch.setattr("powercert.mechanisms.poisson.two_sided", propose)
    monkeypatch.setattr("powercert.mechanisms.poisson.bernoulli", accept)
    assert Poisson(3).draw(SeededBits(0)) == 0


class Digits:
    """Hands out stated bits one by one."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.used = 0

    def bits(self, count: int) -> int:
        assert count == 1
        self.used += 1
        return int(self.script[self.used - 1])


def test_a_real_beside_a_threshold_is_decided_by_bits_beyond_the_first_bounds() -> None:
    # 1/3 = 0.010101...: 150 digits agree, then one differs.
    third = Threshold(lambda bits: (2**bits // 3, 2**bits // 3 + 1))
    digits = "01" * 75
    below, above = Digits(digits + "00"), Digits(digits + "1")
    assert third.flip(below) is True
    assert third.flip(above) is False
    assert above.used == 151
    assert below.used == 152


class Counting:
    """Counts the bits that are handed out."""

    def __init__(self, seed: int) -> None:
        self.source = SeededBits(seed)
        self.count = 0

    def bits(self, count: int) -> int:
        self.count += count
        return self.source.bits(count)


@pytest.mark.parametrize(
    ("draw", "most"),
    [
        (TwoSidedGeometric("exp(-1/1000)").draw, 60),
        (TwoSidedGeometric(Exact.exp(Fraction(-1, 10**30))).draw, 300),
        (TwoSidedGeometric("999/1000").draw, 60),
        (TwoSidedGeometric("1/3").draw, 12),
        (Geometric(1 - Exact(1) / 10**30).draw, 260),
        (DiscreteGaussian(10**6).draw, 100),
        (DiscreteGaussian("1/100").draw, 40),
        (Poisson(10**4).draw, 60),
    ],
)
def test_few_bits_are_needed_however_wide_the_law(draw: Draw, most: int) -> None:
    # About 2 log2(width) bits and a constant; the mean of 400 draws is far from the limit.
    random_bits = Counting(11)
    for _ in range(400):
        draw(random_bits)
    assert random_bits.count / 400 < most


def test_a_ratio_absurdly_near_one_is_refused_before_it_is_computed() -> None:
    with pytest.raises(LimitError, match="too near 1"):
        TwoSidedGeometric(1 - Exact(1) / 2**9000).draw(SeededBits(1))


def test_two_sided_is_even() -> None:
    found, _ = decided(lambda b: two_sided(b, lambda source: uniform_below(source, 3)), 14)
    assert found[1] == found[-1]
    assert found[2] == found[-2]
    assert abs(found[0] - Fraction(1, 5)) < Fraction(1, 50)


def edges(chance: Chance, start: int, end: int, bins: int) -> list[tuple[int, Any]]:
    """Cut the integers of [start, end) into bins of about equal probability: (first, mass)."""
    cut: list[tuple[int, Any]] = []
    first, mass = start, mpmath.mpf(0)
    for place in range(start, end):
        mass += chance(place)
        if mass * bins >= 1:
            cut.append((first, mass))
            first, mass = place + 1, mpmath.mpf(0)
    rest = 1 - mpmath.fsum(mass for _, mass in cut)
    return [*cut, (first, rest)]


def chi_square_chance(draw: Draw, chance: Chance, spread: int, count: int) -> float:
    """The chance that a right sampler is further from its law than this one was."""
    cut = edges(chance, -spread, spread, 24)
    firsts = [first for first, _ in cut]
    random_bits = SeededBits(20240607)
    seen = Counter[int]()
    for _ in range(count):
        place = draw(random_bits)
        seen[sum(first <= place for first in firsts[1:])] += 1
    statistic = mpmath.fsum(
        (seen[index] - count * mass) ** 2 / (count * mass) for index, (_, mass) in enumerate(cut)
    )
    return float(
        mpmath.gammainc(mpmath.mpf(len(cut) - 1) / 2, statistic / 2, mpmath.inf, regularized=True)
    )


WIDE: list[tuple[str, Draw, Chance, int]] = [
    ("exp(-1/100)", TwoSidedGeometric("exp(-1/100)").draw, both_sides(e("-1/100")), 3000),
    ("99/100", TwoSidedGeometric("99/100", 5).draw, both_sides(ratio("99/100"), 5), 3000),
    ("one-sided 99/100", Geometric("99/100").draw, geometric(ratio("99/100")), 3000),
    ("one-sided exp(-2/3)", Geometric("exp(-2/3)").draw, geometric(e("-2/3")), 100),
    ("one-sided exp(-1/9)/2", Geometric("exp(-1/9)/2").draw, geometric(e("-1/9") / 2), 100),
    ("Gaussian 50", DiscreteGaussian(50).draw, gaussian(Fraction(50)), 60),
    ("Gaussian 5/7", DiscreteGaussian("5/7").draw, gaussian(Fraction(5, 7)), 20),
    ("Poisson 1/3", Poisson("1/3").draw, poisson(Fraction(1, 3)), 30),
    ("Poisson 50/3", Poisson("50/3").draw, poisson(Fraction(50, 3)), 80),
    ("Poisson 400", Poisson(400).draw, poisson(Fraction(400)), 700),
]


@pytest.mark.parametrize(
    ("draw", "chance", "spread"), [row[1:] for row in WIDE], ids=[row[0] for row in WIDE]
)
def test_frequencies_fit(draw: Draw, chance: Chance, spread: int) -> None:
    # A right sampler fails with probability 10^-6 over the choice of the seed, which is fixed.
    assert chi_square_chance(draw, chance, spread, 8_000) > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "chance", "spread"), [row[1:] for row in WIDE], ids=[row[0] for row in WIDE]
)
def test_frequencies_of_many_draws_fit(draw: Draw, chance: Chance, spread: int) -> None:
    # As above; half a million draws notice a bin that is off by about one percent of its mass.
    assert chi_square_chance(draw, chance, spread, 500_000) > 1e-6


def test_frequencies_of_a_neighbouring_law_do_not_fit() -> None:
    found = chi_square_chance(Geometric("98/100").draw, geometric(ratio("99/100")), 3000, 8_000)
    assert found < 1e-6
