"""Ball arithmetic of python-flint under one lock: its precision is a global of the process."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from threading import RLock
from types import TracebackType

from flint import arb, ctx, fmpq, fmpz_poly

__all__ = [
    "Generator",
    "WorkingPrecision",
    "ball_ends",
    "ball_of_rational",
    "narrow_ends",
    "sign_at",
]

#: Precision at which every undecided question starts; it is then doubled.
FIRST_BITS = 64

_KEPT = 64
_LOCK = RLock()


class WorkingPrecision:
    """Hold python-flint's global precision at ``bits`` inside a ``with`` block, for one thread.

    Every use of ``arb`` in this package goes through this lock; the precision found is restored.

    Example:
        >>> with WorkingPrecision(200):
        ...     (arb(2).sqrt() ** 2).rel_accuracy_bits() > 190
        True
    """

    __slots__ = ("_bits", "_saved")

    def __init__(self, bits: int) -> None:
        """Take the precision in bits (at least 2)."""
        self._bits = bits
        self._saved = 0

    def __enter__(self) -> None:
        """Take the lock and set the precision."""
        _LOCK.acquire()
        self._saved = ctx.prec
        ctx.prec = self._bits

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the precision and free the lock."""
        ctx.prec = self._saved
        _LOCK.release()


class Generator:
    """The number w = e^g for a positive rational g, with its balls kept.

    Example:
        >>> Generator(Fraction(1, 2)).exponent
        Fraction(1, 2)
    """

    __slots__ = ("_balls", "exponent")

    def __init__(self, exponent: Fraction) -> None:
        """Take g > 0."""
        self.exponent = exponent
        self._balls: dict[int, arb] = {}

    def ball(self, bits: int) -> arb:
        """Return a ball around w; the working precision must be ``bits`` already."""
        known = self._balls.get(bits)
        if known is None:
            known = arb(fmpq(*self.exponent.as_integer_ratio())).exp()
            if len(self._balls) >= _KEPT:
                self._balls.clear()
            self._balls[bits] = known
        return known


def ball_of_rational(numerator: int, denominator: int, bits: int) -> arb:
    """Return a ball around a rational.

    Example:
        >>> ball_of_rational(1, 2, 64).is_exact()
        True
    """
    with WorkingPrecision(bits):
        return arb(fmpq(numerator, denominator))


def sign_at(polynomial: fmpz_poly, generator: Generator) -> int:
    """Return the exact sign of an integer polynomial at w = e^g.

    Zero is decided by the polynomial alone (w is transcendental, so only the zero polynomial
    vanishes there); otherwise the precision is doubled until a ball leaves zero, which it must.

    Example:
        >>> sign_at(fmpz_poly([-3, 1]), Generator(Fraction(1)))
        -1

    Source: F. Lindemann (1882), transcendence of e^g for algebraic g other than 0.
    """
    degree = polynomial.degree()
    if degree <= 0:
        constant = int(polynomial[0])
        return (constant > 0) - (constant < 0)
    bits = FIRST_BITS
    while True:
        with WorkingPrecision(bits):
            value = polynomial(generator.ball(bits))
        if value > 0:
            return 1
        if value < 0:
            return -1
        bits *= 2


def _scaled(mantissa: int, exponent: int) -> Fraction:
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)


def ball_ends(ball: arb, bits: int) -> tuple[Fraction, Fraction] | None:
    """Return dyadic ends of at most ``bits`` bits around a ball, rounded outward.

    Guarantee: lower <= every number of the ball <= upper. None where the ball is not finite.

    Example:
        >>> ball_ends(ball_of_rational(1, 3, 64), 4)
        (Fraction(5, 16), Fraction(11, 32))
    """
    if not ball.is_finite():
        return None
    middle, middle_exponent = (int(part) for part in ball.mid().man_exp())
    radius, radius_exponent = (int(part) for part in ball.rad().man_exp())
    exponent = min(middle_exponent, radius_exponent) if radius else middle_exponent
    middle <<= middle_exponent - exponent
    radius = radius << (radius_exponent - exponent) if radius else 0
    lower, upper = middle - radius, middle + radius
    cut_lower = max(0, lower.bit_length() - bits)
    cut_upper = max(0, upper.bit_length() - bits)
    return (
        _scaled(lower >> cut_lower, exponent + cut_lower),
        _scaled(-(-upper >> cut_upper), exponent + cut_upper),
    )


def narrow_ends(ball_at: Callable[[int], arb], bits: int) -> tuple[Fraction, Fraction]:
    """Return dyadic ends of at most ``bits`` bits around a number other than 0.

    Guarantee: lower <= number <= upper, and the width is at most 2^(3 - bits) of the size.

    Args:
        ball_at: Given a working precision, a ball around the number that narrows as it grows.
        bits: At least 2.

    Example:
        >>> narrow_ends(lambda bits: ball_of_rational(1, 3, bits), 3)
        (Fraction(5, 16), Fraction(3, 8))
    """
    working = bits + 32
    while True:
        ball = ball_at(working)
        if ball.is_finite() and ball.rel_accuracy_bits() >= bits + 8:
            ends = ball_ends(ball, bits)
            if ends is not None:
                return ends
        working *= 2
