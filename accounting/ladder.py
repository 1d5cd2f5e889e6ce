"""Two finite laws as integer masses in order of likelihood ratio: the form that hot loops use.

All P masses share one denominator and all Q masses another, so loops add and multiply integers
(or, with transcendental masses, integer polynomials in w = e^g) and never reduce a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from .errors import LimitError
from .numbers import Exact, exact_number
from .rationals import common_exponent

if TYPE_CHECKING:
    from .exponential import ExponentialPolynomial

    RingElement = int | ExponentialPolynomial
    Rung = tuple[RingElement, RingElement]

__all__ = [
    "DEFAULT_LIMIT_ATOMS",
    "Ladder",
    "LadderChain",
    "exact_quotient",
    "ladder_of",
    "majorant_ladder",
    "merged",
    "over_one_ring",
    "quotient",
    "ring_gcd",
]

DEFAULT_LIMIT_ATOMS = 10**6
"""How many atoms an exact composition may have unless the caller says otherwise."""


@dataclass(frozen=True)
class Ladder:
    """Merged atoms of a pair (P null, Q alternative), likelihood ratio Q/P strictly falling.

    Args:
        rungs: (P numerator, Q numerator); the first may have P = 0, the last may have Q = 0.
        null_total: Common denominator of the P masses, which is their sum.
        alternative_total: Common denominator of the Q masses, which is their sum.
        generator: The g of w = e^g if numerators are polynomials in w, else None.
    """

    rungs: tuple[Rung, ...]
    null_total: RingElement
    alternative_total: RingElement
    generator: Fraction | None = None

    def __len__(self) -> int:
        """Return the number of rungs."""
        return len(self.rungs)

    @cached_property
    def masses(self) -> tuple[tuple[Exact, Exact], ...]:
        """The atoms as exact (P mass, Q mass)."""
        return tuple(
            (quotient(p, self.null_total), quotient(q, self.alternative_total))
            for p, q in self.rungs
        )

    def swapped(self) -> Ladder:
        """Return the ladder of (Q, P)."""
        return Ladder(
            tuple((q, p) for p, q in reversed(self.rungs)),
            self.alternative_total,
            self.null_total,
            self.generator,
        )

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether (Q, P) has the same ladder as (P, Q)."""
        same = self.null_total == self.alternative_total
        left, right = (1, 1) if same else (self.null_total, self.alternative_total)
        return all(
            p * right == mirror * left
            for (p, _), (_, mirror) in zip(self.rungs, reversed(self.rungs), strict=True)
        )

    def tensor(self, other: Ladder, *, limit_atoms: int = DEFAULT_LIMIT_ATOMS) -> Ladder:
        """Return the ladder of (P x P', Q x Q').

        Raises:
            LimitError: The product has more atoms than ``limit_atoms`` before merging.
        """
        count = len(self) * len(other)
        if count > limit_atoms:
            raise LimitError(
                "the product is too large",
                found=f"{len(self)} x {len(other)} = {count} atoms, limit_atoms = {limit_atoms}",
                expected=f"pass limit_atoms={count} to allow it",
            )
        if self.generator != other.generator and None not in (self.generator, other.generator):
            first, second = over_one_ring([self.masses, other.masses])
            return first.tensor(second, limit_atoms=limit_atoms)
        return merged(
            [(p0 * p1, q0 * q1) for p0, q0 in self.rungs for p1, q1 in other.rungs],
            self.null_total * other.null_total,
            self.alternative_total * other.alternative_total,
            self.generator or other.generator,
        )


def ladder_of(masses: Sequence[tuple[Exact, Exact]]) -> Ladder:
    """Return the ladder of exact (P mass, Q mass) atoms, each law summing to one."""
    return over_one_ring([masses])[0]


def over_one_ring(laws: Sequence[Sequence[tuple[Exact, Exact]]]) -> list[Ladder]:
    """Return one ladder for each list of masses, all with the same generator (or none)."""
    generator = Fraction(0)
    for masses in laws:
        for pair in masses:
            for mass in pair:
                if not mass.is_rational:
                    generator = common_exponent(generator, mass.exponent_gcd)
    ladders: list[Ladder] = []
    for masses in laws:
        nulls, null_total = _over_common_denominator([p for p, _ in masses], generator)
        others, other_total = _over_common_denominator([q for _, q in masses], generator)
        ladders.append(
            merged(
                list(zip(nulls, others, strict=True)), null_total, other_total, generator or None
            )
        )
    return ladders


def merged(
    rungs: list[Rung],
    null_total: RingElement,
    alternative_total: RingElement,
    generator: Fraction | None,
) -> Ladder:
    """Return the ladder of unordered atoms: sort by falling ratio, join equal ratios."""
    present = [(p, q) for p, q in rungs if p or q]
    # The rough order makes the exact sort linear; it decides nothing.
    if generator is None:
        present.sort(key=_rough_log_ratio, reverse=True)
    present.sort(key=cmp_to_key(_compare_falling))
    joined: list[Rung] = []
    for p, q in present:
        if joined and joined[-1][1] * p == q * joined[-1][0]:
            joined[-1] = (joined[-1][0] + p, joined[-1][1] + q)
        else:
            joined.append((p, q))
    return Ladder(tuple(joined), null_total, alternative_total, generator)


def _rough_log_ratio(rung: Rung) -> float:
    p, q = rung
    if not p:
        return math.inf
    if not q or not isinstance(p, int) or not isinstance(q, int):
        return -math.inf
    return math.log(q) - math.log(p)


def _compare_falling(left: Rung, right: Rung) -> int:
    """Order by falling Q/P through cross products; (0, 0) never occurs."""
    here, there = left[1] * right[0], right[1] * left[0]
    if here == there:
        return 0
    return -1 if here > there else 1


def _over_common_denominator(
    masses: Sequence[Exact], generator: Fraction
) -> tuple[list[RingElement], RingElement]:
    if not generator:
        fractions = [mass.as_fraction() for mass in masses]
        common = math.lcm(*(fraction.denominator for fraction in fractions))
        return [f.numerator * (common // f.denominator) for f in fractions], common
    parts = [mass.as_polynomials(generator) for mass in masses]
    total = _least_common_multiple([denominator for _, denominator in parts])
    return [top * exact_quotient(total, bottom) for top, bottom in parts], total


def _least_common_multiple(elements: Sequence[RingElement]) -> RingElement:
    common = elements[0]
    for element in elements[1:]:
        common = common * exact_quotient(element, ring_gcd(common, element))
    return common


def ring_gcd(first: RingElement, second: RingElement) -> RingElement:
    """Return the greatest common divisor, positive; both are in one ring."""
    if isinstance(first, int) or isinstance(second, int):
        assert isinstance(first, int) and isinstance(second, int)
        return math.gcd(first, second)
    return type(first).gcd(first, second)


def exact_quotient(dividend: RingElement, divisor: RingElement) -> RingElement:
    """Return a quotient that is known to be in the ring."""
    if isinstance(divisor, int):
        return dividend // divisor
    return (dividend + divisor * 0) // divisor


def quotient(numerator: RingElement, denominator: RingElement) -> Exact:
    """Return one ring element over another (positive) one as an Exact."""
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Exact.of_rational(numerator, denominator)
    return _as_exact(numerator) / _as_exact(denominator)


def _as_exact(element: RingElement) -> Exact:
    if isinstance(element, int):
        return exact_number(element)
    return Exact.from_polynomials(element, element * 0 + 1)


def majorant_ladder(ladders: Sequence[Ladder]) -> Ladder:
    """Return the ladder whose power function is the least one above those of all the given."""
    if len({ladder.generator for ladder in ladders}) > 1:
        ladders = over_one_ring([ladder.masses for ladder in ladders])
    null_total = _least_common_multiple([ladder.null_total for ladder in ladders])
    other_total = _least_common_multiple([ladder.alternative_total for ladder in ladders])
    points: list[Rung] = []
    for ladder in ladders:
        across = exact_quotient(null_total, ladder.null_total)
        up = exact_quotient(other_total, ladder.alternative_total)
        xs, ys = _corners(ladder)
        points += [(x * across, y * up) for x, y in zip(xs, ys, strict=True)]
    points.sort()
    hull: list[Rung] = []
    for x, y in points:
        if hull and hull[-1][0] == x:
            hull.pop()
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    first: list[Rung] = [(0, hull[0][1])] if hull[0][1] else []
    steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(hull)]
    return Ladder((*first, *steps), null_total, other_total, ladders[0].generator)


def _corners(ladder: Ladder) -> tuple[list[RingElement], list[RingElement]]:
    """Return the abscissas and ordinates of the corners of Pow(P||Q), as numerators."""
    rungs: Sequence[Rung] = ladder.rungs
    start: RingElement = 0
    if rungs and not rungs[0][0]:
        start, rungs = rungs[0][1], rungs[1:]
    zero: RingElement = 0
    return (
        list(_running_sums(zero, (p for p, _ in rungs))),
        list(_running_sums(start, (q for _, q in rungs))),
    )


class LadderChain:
    """The vertices of Pow(P||Q) read off a ladder on demand, deciding on ring elements."""

    def __init__(self, ladder: Ladder) -> None:
        """Sum the rungs up; the first vertex is (0, mass of Q where P is 0)."""
        self.ladder = ladder
        self._xs, self._ys = _corners(ladder)

    def __len__(self) -> int:
        """Return the number of vertices."""
        return len(self._xs)

    def x(self, index: int) -> Exact:
        """Return P of the ``index`` most likely rungs."""
        return quotient(self._xs[index], self.ladder.null_total)

    def y(self, index: int) -> Exact:
        """Return Q of the same rungs."""
        return quotient(self._ys[index], self.ladder.alternative_total)

    def steeper(self, index: int, slope: Exact) -> bool:
        """Return whether the edge after vertex ``index`` has a slope above ``slope``."""
        rise = self._ys[index + 1] - self._ys[index]
        run = self._xs[index + 1] - self._xs[index]
        return self._exceeds(rise * self.ladder.null_total, run, slope)

    def starts_below(self, index: int, level: Exact) -> bool:
        """Return whether the line of that edge is below ``level`` where it crosses x = 0."""
        xs, ys = self._xs, self._ys
        run = xs[index + 1] - xs[index]
        return self._exceeds(ys[index + 1] * xs[index] - ys[index] * xs[index + 1], run, -level)

    def _exceeds(self, rise: RingElement, run: RingElement, slope: Exact) -> bool:
        """Return whether rise / (run * alternative_total) > slope."""
        run = run * self.ladder.alternative_total
        if slope.is_rational:
            fraction = slope.as_fraction()
            return bool(rise * fraction.denominator > run * fraction.numerator)
        return quotient(rise, run) > slope


def _running_sums(start: RingElement, steps: Iterable[RingElement]) -> Iterable[RingElement]:
    return accumulate(steps, lambda total, step: total + step, initial=start)
