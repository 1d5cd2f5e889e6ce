"""A fixed gamma = e^epsilon against which masses are weighed, decided exactly."""

from __future__ import annotations

from fractions import Fraction

from ..accounting.numbers import Exact
from .compiled import Ring
from .curve import Edges, Mass, totals

__all__ = ["Threshold", "Weighed"]

# A value n0 - gamma n1, kept as the pair (n0, n1).
Weighed = tuple[Mass, Mass]


class Threshold:
    """Signs of n0 - gamma n1 for masses of one ring.

    Args:
        gamma: A positive exact number.
        ring: The ring of the masses.

    Example:
        >>> Threshold(Exact(2), Ring()).sign(5, 2)
        1
        >>> Threshold(Exact.exp(1), Ring()).sign(19, 7)  # e < 19/7
        -1
    """

    def __init__(self, gamma: Exact, ring: Ring) -> None:
        """Prepare the fast paths: integers against a rational, integers against a bracket."""
        self.gamma = gamma
        self._ring = ring
        self._bits = 64
        self._rational: tuple[int, int] | None = None
        self._bracket: tuple[Fraction, Fraction] | None = None
        if gamma.is_rational:
            fraction = gamma.as_fraction()
            self._rational = (fraction.numerator, fraction.denominator)
        else:
            self._bracket = self._enclosed()

    def _enclosed(self) -> tuple[Fraction, Fraction]:
        enclosure = self.gamma.enclosure(self._bits)
        lower, upper = enclosure.lower, enclosure.upper
        if not isinstance(lower, Exact) or not isinstance(upper, Exact):
            raise TypeError("the enclosure of an Exact has Exact ends")
        return lower.as_fraction(), upper.as_fraction()

    def sign(self, n0: Mass, n1: Mass) -> int:
        """Return the sign of n0 - gamma n1, in -1, 0, 1."""
        if isinstance(n0, int) and isinstance(n1, int):
            if self._rational is not None:
                difference = n0 * self._rational[1] - n1 * self._rational[0]
                return (difference > 0) - (difference < 0)
            return self._sign_by_bracket(n0, n1)
        return self._sign_by_ratio(n0, n1)

    def _sign_by_ratio(self, n0: Mass, n1: Mass) -> int:
        """Compare n0 / n1 with gamma, which needs no common generator of exponents."""
        if not n1:
            return (n0 > 0) - (n0 < 0)
        if n1 < 0:
            return -self._sign_by_ratio(-n0, -n1)
        ratio = self._ring.number(n0, n1)
        return (ratio > self.gamma) - (ratio < self.gamma)

    def _sign_by_bracket(self, n0: int, n1: int) -> int:
        """Refine the bracket until it separates; gamma is irrational, so it does."""
        if not n1:
            return (n0 > 0) - (n0 < 0)
        if n1 < 0:
            return -self._sign_by_bracket(-n0, -n1)
        while True:
            assert self._bracket is not None
            lower, upper = self._bracket
            if n0 * lower.denominator < lower.numerator * n1:
                return -1
            if n0 * upper.denominator > upper.numerator * n1:
                return 1
            self._bits *= 2
            self._bracket = self._enclosed()

    def greater(self, first: Weighed, second: Weighed) -> bool:
        """Whether the first weighed value is larger."""
        return self.sign(first[0] - second[0], first[1] - second[1]) > 0

    def count(self, edges: Edges, scale0: Mass = 1, scale1: Mass = 1, ties: bool = False) -> int:
        """Return how many leading edges, scaled, have n0 > gamma n1 (n0 >= gamma n1 with ties)."""
        low, high = 0, len(edges)
        while low < high:
            middle = (low + high) // 2
            n0, n1 = edges[middle]
            sign = self.sign(n0 * scale0, n1 * scale1)
            if sign > 0 or (ties and sign == 0):
                low = middle + 1
            else:
                high = middle
        return low

    def best(self, edges: Edges) -> Weighed:
        """Return the largest value of the curve, sum of max(0, n0 - gamma n1), as a pair."""
        return totals(edges[: self.count(edges)])
