"""Canonical quotients of integer polynomials in w = e^g: the transcendental part of the field."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import final

from flint import arb, fmpz_poly

from .balls import FIRST_BITS, Generator, WorkingPrecision, sign_at
from .decimals import decimal_of_rational, integer_text
from .errors import InputError, LimitError
from .exponential import shared_generator
from .rationals import common_exponent

__all__ = ["DEGREE_LIMIT", "EXPONENT_LIMIT", "ExponentialRatio"]

#: Largest degree in w = e^g that is built.
DEGREE_LIMIT = 20_000
#: Largest |r| for which e^r is built (e^r has about 434000 digits there).
EXPONENT_LIMIT = 1_000_000
#: Largest size in bits of a number with exp(...).
BITS_LIMIT = 1 << 26


def check_degree(degree: int, reason: str) -> None:
    """Refuse a polynomial that is too large to be built.

    Raises:
        LimitError: The degree is above ``DEGREE_LIMIT``.
    """
    if degree > DEGREE_LIMIT:
        raise LimitError(
            f"{reason} needs polynomials of degree {degree}, above the limit {DEGREE_LIMIT}",
            expected="use exponents with a larger common divisor, or an enclosure",
        )


@final
class ExponentialRatio:
    """A number of the field that is not rational, in its one canonical form.

    ``top`` and ``bottom`` are coprime integer polynomials in w = e^g without a common integer
    factor; the leading coefficient of ``bottom`` is positive; and g is the largest exponent over
    which both can be written. So equal numbers have equal parts. (If R(w) is also a function of
    w^k, then R is invariant under w -> zeta w for a k-th root of unity zeta; one of the coprime
    parts has a constant term, so both parts are invariant, hence polynomials in w^k.)

    Instances are built by :meth:`reduce` and :meth:`exponential` only.
    """

    __slots__ = ("_ball", "_hash", "_sign", "bottom", "generator", "top")

    generator: Generator
    top: fmpz_poly
    bottom: fmpz_poly
    _ball: arb | None
    _hash: int | None
    _sign: int | None

    def __init__(self, generator: Generator, top: fmpz_poly, bottom: fmpz_poly) -> None:
        """Wrap parts that are canonical already."""
        self.generator = generator
        self.top = top
        self.bottom = bottom
        self._ball = None
        self._hash = None
        self._sign = None

    @staticmethod
    def exponential(exponent: Fraction) -> ExponentialRatio:
        """Return e^exponent for a rational other than 0.

        Raises:
            LimitError: The exponent is above ``EXPONENT_LIMIT`` in absolute value.
        """
        generator = shared_generator(_within(abs(exponent)))
        one, w = fmpz_poly([1]), fmpz_poly([0, 1])
        if exponent > 0:
            return ExponentialRatio(generator, w, one)
        return ExponentialRatio(generator, one, w)

    @staticmethod
    def reduce(
        generator: Generator, top: fmpz_poly, bottom: fmpz_poly
    ) -> ExponentialRatio | tuple[int, int]:
        """Return top / bottom in canonical form, or (numerator, denominator) if it is rational.

        Args:
            generator: Of both polynomials.
            top: Any polynomial.
            bottom: Any polynomial other than zero.
        """
        divisor = top.gcd(bottom)
        if not divisor.is_one():
            top, bottom = top // divisor, bottom // divisor
        return _deflated(generator, top, bottom)

    @property
    def exponent(self) -> Fraction:
        """The exponent g of w = e^g."""
        return self.generator.exponent

    def key(self) -> tuple[Fraction, tuple[int, ...], tuple[int, ...]]:
        """Return (g, coefficients of top, coefficients of bottom)."""
        return (
            self.exponent,
            tuple(int(part) for part in self.top.coeffs()),
            tuple(int(part) for part in self.bottom.coeffs()),
        )

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same number: canonical forms agree."""
        if not isinstance(other, ExponentialRatio):
            return NotImplemented
        return (
            self.top == other.top
            and self.bottom == other.bottom
            and self.exponent == other.exponent
        )

    def __hash__(self) -> int:
        """Return the hash of the canonical form."""
        if self._hash is None:
            self._hash = hash(self.key())
        return self._hash

    def sign(self) -> int:
        """Return -1 or 1."""
        if self._sign is None:
            ball = self.ball(FIRST_BITS)
            if ball > 0:
                self._sign = 1
            elif ball < 0:
                self._sign = -1
            else:
                self._sign = sign_at(self.top, self.generator) * sign_at(
                    self.bottom, self.generator
                )
        return self._sign

    def ball(self, bits: int) -> arb:
        """Return a ball around the number, computed with a working precision of ``bits``."""
        if bits == FIRST_BITS and self._ball is not None:
            return self._ball
        with WorkingPrecision(bits):
            w = self.generator.ball(bits)
            ball = self.top(w) / self.bottom(w)
        if bits == FIRST_BITS:
            self._ball = ball
        return ball

    def negative(self) -> ExponentialRatio:
        """Return the number times -1."""
        return ExponentialRatio(self.generator, -self.top, self.bottom)

    def reciprocal(self) -> ExponentialRatio:
        """Return 1 over the number."""
        return _oriented(self.generator, self.bottom, self.top)

    def plus_rational(self, numerator: int, denominator: int) -> ExponentialRatio:
        """Return the sum with a rational."""
        bottom = self.bottom * denominator
        return _primitive(self.generator, self.top * denominator + self.bottom * numerator, bottom)

    def times_rational(self, numerator: int, denominator: int) -> ExponentialRatio:
        """Return the product with a rational other than 0."""
        return _primitive(self.generator, self.top * numerator, self.bottom * denominator)

    def plus(self, other: ExponentialRatio) -> ExponentialRatio | tuple[int, int]:
        """Return the sum of two numbers."""
        generator, top, bottom, top_2, bottom_2 = self._lifted(other)
        shared = bottom.gcd(bottom_2)
        if shared.is_one():
            return _deflated(generator, top * bottom_2 + top_2 * bottom, bottom * bottom_2)
        rest = bottom // shared
        total = top * (bottom_2 // shared) + top_2 * rest
        divisor = total.gcd(shared)
        if not divisor.is_one():
            total, bottom_2 = total // divisor, bottom_2 // divisor
        return _deflated(generator, total, rest * bottom_2)

    def times(self, other: ExponentialRatio) -> ExponentialRatio | tuple[int, int]:
        """Return the product of two numbers."""
        if self.is_monomial and other.is_monomial:
            return self._times_monomial(other)
        generator, top, bottom, top_2, bottom_2 = self._lifted(other)
        first, second = top.gcd(bottom_2), top_2.gcd(bottom)
        if not first.is_one():
            top, bottom_2 = top // first, bottom_2 // first
        if not second.is_one():
            top_2, bottom = top_2 // second, bottom // second
        return _deflated(generator, top * top_2, bottom * bottom_2)

    def power(self, exponent: int) -> ExponentialRatio | tuple[int, int]:
        """Return the number to a power other than 0.

        Raises:
            LimitError: The power is too large to be built.
        """
        base = self if exponent > 0 else self.reciprocal()
        exponent = abs(exponent)
        degree = max(base.top.degree(), base.bottom.degree())
        height = max(base.top.height_bits(), base.bottom.height_bits()) + degree.bit_length()
        if base.is_monomial:
            _check_bits(height * exponent)
            stretched = shared_generator(_within(base.exponent * exponent))
            top, bottom = (
                fmpz_poly([0] * part.degree() + [part[part.degree()] ** exponent])
                for part in (base.top, base.bottom)
            )
            return ExponentialRatio(stretched, top, bottom)
        check_degree(degree * exponent, "a power of a number with exp(...)")
        _check_bits(height * exponent * degree * exponent)
        _within(base.exponent * degree * exponent)
        # The generator may grow: (w + 1/w)^2 is a function of w^2 although w + 1/w is not.
        return _deflated(base.generator, base.top**exponent, base.bottom**exponent)

    @property
    def is_monomial(self) -> bool:
        """Whether the number is a rational times e^(g) or e^(-g)."""
        return _is_monomial(self.top) and _is_monomial(self.bottom)

    def pure_exponent(self) -> Fraction | None:
        """Return r where the number is exactly e^r, else None."""
        if self.bottom.is_one() and self.top.is_gen():
            return self.exponent
        if self.top.is_one() and self.bottom.is_gen():
            return -self.exponent
        return None

    def parts(self, exponent: Fraction) -> tuple[fmpz_poly, fmpz_poly]:
        """Return top and bottom as polynomials in e^exponent, bottom positive there.

        Raises:
            InputError: The number is no function of e^exponent.
            LimitError: The degree is above the limit.
        """
        stretch = self.exponent / exponent
        if stretch.denominator != 1 or stretch < 1:
            raise InputError(
                f"a number that is not a rational function of exp({exponent})",
                found=self.text(),
                expected=f"use a divisor of {self.exponent} as the generator's exponent",
            )
        top, bottom = _stretched(self.top, int(stretch)), _stretched(self.bottom, int(stretch))
        if sign_at(self.bottom, self.generator) < 0:
            return -top, -bottom
        return top, bottom

    def _lifted(
        self, other: ExponentialRatio
    ) -> tuple[Generator, fmpz_poly, fmpz_poly, fmpz_poly, fmpz_poly]:
        """Write both numbers over one generator."""
        mine, yours = self.generator, other.generator
        if mine is yours or mine.exponent == yours.exponent:
            return mine, self.top, self.bottom, other.top, other.bottom
        shared = common_exponent(mine.exponent, yours.exponent)
        stretch, stretch_2 = int(mine.exponent / shared), int(yours.exponent / shared)
        return (
            shared_generator(shared),
            _stretched(self.top, stretch),
            _stretched(self.bottom, stretch),
            _stretched(other.top, stretch_2),
            _stretched(other.bottom, stretch_2),
        )

    def _times_monomial(self, other: ExponentialRatio) -> ExponentialRatio | tuple[int, int]:
        """Multiply c e^r by d e^s without a common generator."""
        exponent = Fraction(0)
        numerator = denominator = 1
        for factor in (self, other):
            up, down = factor.top.degree(), factor.bottom.degree()
            exponent += factor.exponent * (up - down)
            numerator *= int(factor.top[up])
            denominator *= int(factor.bottom[down])
        if exponent == 0:
            return numerator, denominator
        return ExponentialRatio.exponential(exponent).times_rational(numerator, denominator)

    def text(self) -> str:
        """Return the number as an expression in exp(...)."""
        top, bottom = self.top, self.bottom
        if sign_at(bottom, self.generator) < 0:
            top, bottom = -top, -bottom
        shift = _order_at_zero(bottom)
        if shift == 0 and bottom.degree() > 0:
            shift = _order_at_zero(top)
        above = _expression(self.exponent, _terms(top), shift)
        below = _expression(self.exponent, _terms(bottom), shift)
        if below == "1":
            return above
        if " " in above:
            above = f"({above})"
        return f"{above}/({below})" if any(mark in below for mark in " */") else f"{above}/{below}"


def _check_bits(bits: int) -> None:
    """Refuse a number that would take too much memory.

    Raises:
        LimitError: It may have more than ``BITS_LIMIT`` bits.
    """
    if bits > BITS_LIMIT:
        raise LimitError(
            f"a number of about {bits} bits, above the limit {BITS_LIMIT}",
            expected="use smaller exponents or shorter numerals",
        )


def _within(exponent: Fraction) -> Fraction:
    if exponent > EXPONENT_LIMIT:
        raise LimitError(
            f"an exponent of exp above the limit {EXPONENT_LIMIT}",
            found=f"exp of about {decimal_of_rational(*exponent.as_integer_ratio(), 6)}",
        )
    return exponent


def _stretched(polynomial: fmpz_poly, stretch: int) -> fmpz_poly:
    if stretch == 1:
        return polynomial
    check_degree(polynomial.degree() * stretch, "putting these exponents over one generator")
    return polynomial.inflate(stretch)


def _is_monomial(polynomial: fmpz_poly) -> bool:
    return _order_at_zero(polynomial) == polynomial.degree()


def _order_at_zero(polynomial: fmpz_poly) -> int:
    """Return the least exponent with a coefficient other than 0."""
    order = 0
    while not polynomial[order]:
        order += 1
    return order


def _oriented(generator: Generator, top: fmpz_poly, bottom: fmpz_poly) -> ExponentialRatio:
    """Make the leading coefficient of ``bottom`` positive."""
    if bottom.leading_coefficient() < 0:
        return ExponentialRatio(generator, -top, -bottom)
    return ExponentialRatio(generator, top, bottom)


def _primitive(generator: Generator, top: fmpz_poly, bottom: fmpz_poly) -> ExponentialRatio:
    """Take out common integer factors of parts that are canonical otherwise."""
    shared = top.content().gcd(bottom.content())
    if shared != 1:
        top, bottom = top // shared, bottom // shared
    return _oriented(generator, top, bottom)


def _deflated(
    generator: Generator, top: fmpz_poly, bottom: fmpz_poly
) -> ExponentialRatio | tuple[int, int]:
    """Take the largest generator of coprime parts."""
    degree, degree_2 = top.degree(), bottom.degree()
    if degree < 0:
        return 0, 1
    if degree == 0 and degree_2 == 0:
        return int(top[0]), int(bottom[0])
    # A constant has no exponent to divide, and deflating the zero polynomial is unsafe.
    step = top.deflation()[1] if degree > 0 else 0
    step = gcd(step, bottom.deflation()[1] if degree_2 > 0 else 0)
    largest = max(degree, degree_2)
    if step > 1:
        generator = shared_generator(generator.exponent * step)
        top = top.deflate(step) if degree > 0 else top
        bottom = bottom.deflate(step) if degree_2 > 0 else bottom
        largest //= step
    check_degree(largest, "a number with exp(...)")
    _check_bits(largest * max(top.height_bits(), bottom.height_bits()))
    _within(generator.exponent * largest)
    return _oriented(generator, top, bottom)


def _terms(polynomial: fmpz_poly) -> list[tuple[int, int]]:
    """Return (exponent, coefficient), falling, or rising where that starts with a plus."""
    terms = [(k, int(part)) for k, part in enumerate(polynomial.coeffs()) if part]
    if not (terms[-1][1] < 0 < terms[0][1]):
        terms.reverse()
    return terms


def _expression(exponent: Fraction, terms: Sequence[tuple[int, int]], shift: int) -> str:
    """Write the sum of coefficient * exp((k - shift) * exponent)."""
    pieces: list[str] = []
    for k, coefficient in terms:
        power = (k - shift) * exponent
        size = integer_text(abs(coefficient))
        if power == 0:
            body = size
        else:
            factor = f"exp({_rational_text(power)})"
            body = factor if size == "1" else f"{size}*{factor}"
        if not pieces:
            pieces.append(f"-{body}" if coefficient < 0 else body)
        else:
            pieces.append(f"- {body}" if coefficient < 0 else f"+ {body}")
    return " ".join(pieces)


def _rational_text(value: Fraction) -> str:
    top = integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{integer_text(value.denominator)}"
