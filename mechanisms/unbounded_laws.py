"""Geometric laws on all integers and on the integers >= 0: sampled as they are, or made finite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ..accounting.arguments import read_integer
from ..accounting.errors import InputError
from ..accounting.numbers import Exact
from .integer_sampling import geometric_sampler, two_sided
from .law import FiniteLaw
from .law_parameters import (
    conditioned,
    read_modulus,
    read_number,
    read_range,
    read_rational,
    refuse_large,
    relative_powers,
)
from .randomness import RandomBits, require_random_bits

__all__ = ["Geometric", "TwoSidedGeometric", "discrete_laplace"]

_ZERO = Exact(0)
_ONE = Exact(1)
_COUNTERPART = ".clamped(lower, upper), .truncated(lower, upper) or .folded(modulus)"


def _read_ratio(value: object) -> Exact:
    ratio = read_number(value, "ratio")
    if ratio <= 0 or ratio >= 1:
        raise InputError(
            "not between 0 and 1",
            where="ratio",
            found=str(ratio),
            expected='write a ratio such as "1/3" or "exp(-1/10)"',
        )
    return ratio


@final
@dataclass(frozen=True)
class TwoSidedGeometric:
    """The two-sided geometric law: P(k) = (1 - r) / (1 + r) * r^|k - centre| on all integers.

    Adding it to a count of sensitivity 1 is epsilon-DP for r = exp(-epsilon). The support is
    infinite, so it is sampled but not enumerated; its finite counterparts are exact.

    Args:
        ratio: The ratio r in (0, 1), e.g. "1/3" or "exp(-1/10)".
        centre: An integer.

    Raises:
        InputError: A parameter is out of its domain.

    Example:
        >>> law = TwoSidedGeometric("1/3")
        >>> law.probability(0), law.probability(-2), law.tail(2)
        (Exact('1/2'), Exact('1/18'), Exact('1/6'))
        >>> law.clamped(-1, 1).items()
        ((-1, Exact('1/4')), (0, Exact('1/2')), (1, Exact('1/4')))

    Source: Ghosh, Roughgarden, Sundararajan (2009), Section 2.
    """

    ratio: Exact
    centre: int

    def __init__(self, ratio: object, centre: int = 0) -> None:
        """Read both parameters."""
        object.__setattr__(self, "ratio", _read_ratio(ratio))
        object.__setattr__(self, "centre", read_integer(centre, "centre"))

    @property
    def finite_counterpart(self) -> str:
        """What to call instead where every outcome is to be followed."""
        return _COUNTERPART

    def probability(self, outcome: int) -> Exact:
        """Return the probability of an integer.

        Guarantee: exact.

        Raises:
            LimitError: The power of the ratio is too large to be built.
        """
        distance = abs(read_integer(outcome, "outcome") - self.centre)
        return self._peak * self.ratio**distance

    def tail(self, distance: int) -> Exact:
        """Return P(|X - centre| >= distance).

        Guarantee: exact.

        Args:
            distance: An integer; 1 is returned where it is not above 0.

        Example:
            >>> TwoSidedGeometric("1/2").tail(3)
            Exact('1/6')
        """
        if read_integer(distance, "distance") <= 0:
            return _ONE
        return 2 * self.ratio**distance / (1 + self.ratio)

    def at_least(self, outcome: int) -> Exact:
        """Return P(X >= outcome).

        Guarantee: exact.

        Example:
            >>> TwoSidedGeometric("1/2").at_least(1), TwoSidedGeometric("1/2").at_least(0)
            (Exact('1/3'), Exact('2/3'))
        """
        above = read_integer(outcome, "outcome") - self.centre
        if above > 0:
            return self.ratio**above / (1 + self.ratio)
        return 1 - self.ratio ** (1 - above) / (1 + self.ratio)

    def shifted(self, by: int) -> TwoSidedGeometric:
        """Return the law of X + by.

        Example:
            >>> TwoSidedGeometric("1/2").shifted(3).centre
            3
        """
        return TwoSidedGeometric(self.ratio, self.centre + read_integer(by, "by"))

    def clamped(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X moved to the nearest end of [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, or ``lower`` is above ``upper``.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> TwoSidedGeometric("1/2").clamped(0, 1).items()
            ((0, Exact('2/3')), (1, Exact('1/3')))

        Source: Ghosh, Roughgarden, Sundararajan (2009), Section 2 ("truncated" there).
        """
        places = read_range(lower, upper)
        if lower == upper:
            return FiniteLaw.point(lower)
        power = max(abs(upper - self.centre), abs(lower - self.centre))
        refuse_large(len(places), power, self.ratio)
        inner = [(place, self.probability(place)) for place in places[1:-1]]
        ends = (lower, 1 - self.at_least(lower + 1)), (upper, self.at_least(upper))
        return FiniteLaw.of_pairs([ends[0], *inner, ends[1]])

    def truncated(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X given that it lies in [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, or ``lower`` is above ``upper``.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> TwoSidedGeometric("1/2").truncated(-1, 1).items()
            ((-1, Exact('1/4')), (0, Exact('1/2')), (1, Exact('1/4')))
        """
        places = read_range(lower, upper)
        distances = [abs(place - self.centre) for place in places]
        refuse_large(len(places), max(distances) - min(distances), self.ratio)
        return conditioned(zip(places, relative_powers(self.ratio, distances), strict=True))

    def folded(self, modulus: int, start: int = 0) -> FiniteLaw[int]:
        """Return the law of X modulo ``modulus``, on start, ..., start + modulus - 1.

        Guarantee: exact.

        Args:
            modulus: An integer >= 1.
            start: The least residue.

        Raises:
            InputError: ``modulus`` is no integer >= 1, or ``start`` no integer.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> TwoSidedGeometric("1/2").folded(3, start=-1).items()
            ((-1, Exact('2/7')), (0, Exact('3/7')), (1, Exact('2/7')))
        """
        residues = read_modulus(modulus, start)
        refuse_large(modulus, modulus, self.ratio)
        # The terms k = j, j - m, j + m, j - 2m, ... of residue j are two geometric series.
        powers = relative_powers(self.ratio, range(modulus + 1))
        above = [(residue - self.centre) % modulus for residue in residues]
        return conditioned(
            (residue, powers[j] + powers[modulus - j])
            for residue, j in zip(residues, above, strict=True)
        )

    def draw(self, random_bits: RandomBits) -> int:
        """Sample an integer.

        Guarantee: the integer's law is exactly this law if the bits are fair and independent.

        Args:
            random_bits: Source of bits.

        Raises:
            LimitError: The ratio is too near 1 (and not of the form exp(-p/q)).

        Source: Canonne, Kamath, Steinke (2020), Algorithm 2.
        """
        return self.centre + two_sided(
            require_random_bits(random_bits), geometric_sampler(self.ratio)
        )

    @property
    def _peak(self) -> Exact:
        return (1 - self.ratio) / (1 + self.ratio)


def discrete_laplace(scale: object, centre: int = 0) -> TwoSidedGeometric:
    """Return the discrete Laplace law: P(k) proportional to exp(-|k - centre| / scale).

    It is the two-sided geometric law of ratio exp(-1 / scale).

    Args:
        scale: A rational above 0.
        centre: An integer.

    Raises:
        InputError: A parameter is out of its domain.

    Example:
        >>> discrete_laplace(10).ratio, discrete_laplace("1/2").ratio
        (Exact('exp(-1/10)'), Exact('exp(-2)'))

    Source: Inusah, Kozubowski (2006).
    """
    return TwoSidedGeometric(Exact.exp(-1 / read_rational(scale, "scale")), centre)


@final
@dataclass(frozen=True)
class Geometric:
    """The geometric law: P(k) = (1 - r) r^k on the integers k >= 0.

    Args:
        ratio: The ratio r in (0, 1), e.g. "1/3" or "exp(-1/10)".

    Raises:
        InputError: The ratio is out of its domain.

    Example:
        >>> law = Geometric("1/3")
        >>> law.probability(0), law.probability(2), law.tail(2)
        (Exact('2/3'), Exact('2/27'), Exact('1/9'))
    """

    ratio: Exact

    def __init__(self, ratio: object) -> None:
        """Read the ratio."""
        object.__setattr__(self, "ratio", _read_ratio(ratio))

    @property
    def finite_counterpart(self) -> str:
        """What to call instead where every outcome is to be followed."""
        return _COUNTERPART

    def probability(self, outcome: int) -> Exact:
        """Return the probability of an integer; 0 below 0.

        Guarantee: exact.

        Raises:
            LimitError: The power of the ratio is too large to be built.
        """
        if read_integer(outcome, "outcome") < 0:
            return _ZERO
        return (1 - self.ratio) * self.ratio**outcome

    def tail(self, distance: int) -> Exact:
        """Return P(X >= distance).

        Guarantee: exact.

        Args:
            distance: An integer; 1 is returned where it is not above 0.

        Example:
            >>> Geometric("1/2").tail(3)
            Exact('1/8')
        """
        return _ONE if read_integer(distance, "distance") <= 0 else self.ratio**distance

    def clamped(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X moved to the nearest end of [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, or ``lower`` is above ``upper``.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> Geometric("1/2").clamped(0, 2).items()
            ((0, Exact('1/2')), (1, Exact('1/4')), (2, Exact('1/4')))
        """
        places = read_range(lower, upper)
        refuse_large(len(places), max(upper, 0), self.ratio)
        if lower == upper:
            return FiniteLaw.point(lower)
        inner = [(place, self.probability(place)) for place in places[1:-1]]
        ends = (lower, 1 - self.tail(lower + 1)), (upper, self.tail(upper))
        return FiniteLaw.of_pairs([ends[0], *inner, ends[1]])

    def truncated(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law of X given that it lies in [lower, upper].

        Guarantee: exact.

        Raises:
            InputError: An end is no integer, ``lower`` is above ``upper``, or ``upper`` is below 0.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> Geometric("1/2").truncated(0, 2).items()
            ((0, Exact('4/7')), (1, Exact('2/7')), (2, Exact('1/7')))
        """
        places = read_range(lower, upper)
        if upper < 0:
            raise InputError(
                "the range has probability 0", where="upper", found=f"{upper}, below every outcome"
            )
        first = max(lower, 0)
        refuse_large(len(places), upper - first, self.ratio)
        kept = range(first, upper + 1)
        return conditioned(zip(kept, relative_powers(self.ratio, kept), strict=True))

    def folded(self, modulus: int, start: int = 0) -> FiniteLaw[int]:
        """Return the law of X modulo ``modulus``, on start, ..., start + modulus - 1.

        Guarantee: exact.

        Args:
            modulus: An integer >= 1.
            start: The least residue.

        Raises:
            InputError: ``modulus`` is no integer >= 1, or ``start`` no integer.
            LimitError: There are too many outcomes, or their weights are too large.

        Example:
            >>> Geometric("1/2").folded(2).items()
            ((0, Exact('2/3')), (1, Exact('1/3')))
        """
        residues = read_modulus(modulus, start)
        refuse_large(modulus, modulus, self.ratio)
        powers = relative_powers(self.ratio, range(modulus))
        return conditioned((residue, powers[residue % modulus]) for residue in residues)

    def draw(self, random_bits: RandomBits) -> int:
        """Sample an integer >= 0.

        Guarantee: the integer's law is exactly this law if the bits are fair and independent.

        Args:
            random_bits: Source of bits.

        Raises:
            LimitError: The ratio is too near 1 (and not of the form exp(-p/q)).

        Source: Canonne, Kamath, Steinke (2020), Algorithm 2 without the sign.
        """
        return geometric_sampler(self.ratio)(require_random_bits(random_bits))
