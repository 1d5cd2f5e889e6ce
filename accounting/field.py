"""Exact: the ordered field of rational functions of e^(1/N), N = 1, 2, 3, ...

Longer than other modules because it is one class; what it computes with lives in rationals.py
(integers), ratio.py (canonical quotients of polynomials), balls.py and decimals.py (rounding).
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, cast, final, overload

from .arguments import described, read_integer, read_type
from .decimals import Toward, decimal_of_ends, decimal_of_rational, integer_text
from .errors import InputError, LimitError
from .rationals import (
    float_of_ends,
    float_of_rational,
    floor_of_ends,
    fraction_of,
    infinity_sign,
    is_nan,
    rational_ends,
    rational_hash,
    without_common_divisor,
)

if TYPE_CHECKING:
    # python-flint and what needs it are imported when the first exp(...) appears.
    from flint import arb

    from .enclosure import Enclosure
    from .exponential import ExponentialPolynomial
    from .logarithm import LogExact
    from .ratio import ExponentialRatio

__all__ = ["Exact", "directed_float"]

_FIRST_BITS = 64
_POWER_BITS_LIMIT = 1 << 23


def _refused_float(value: float) -> InputError:
    return InputError(
        "a binary float is not exact",
        found=repr(value),
        expected='write text such as "0.1" or "1/3", or ask for Exact.from_float',
    )


@final
class Exact:
    """A number of the ordered field Q(e^(1/N)): exact arithmetic, exact comparisons.

    Rational values stay rational, equal and hash like ``Fraction``, and import python-flint only
    where integers of more than 2^14 bits are reduced.
    Other values are rational functions of w = e^g in a canonical form, so equality is identity;
    the order is decided by balls of growing precision, which always ends. Operands may be
    ``Exact``, ``int``, ``Fraction`` or ``Decimal``; a float other than an infinity is refused, in
    comparisons too (``==`` included), because it would be silently wrong as often as right. An
    infinity may be a float or a Decimal; a Decimal nan equals nothing and has no order.

    Args:
        value: What :func:`powercert.accounting.numbers.exact_number` reads.

    Example:
        >>> Exact("1/3") + 1, Exact("exp(1/2)") ** 2 == Exact("exp(1)"), Exact("1/2") < math.inf
        (Exact('4/3'), True, True)
        >>> (3 - Exact("exp(1)")) / 4
        Exact('(3 - exp(1))/4')
    """

    __slots__ = ("_denominator", "_direction", "_hash", "_numerator", "_ratio")

    _numerator: int  # 0 where _ratio is set
    _denominator: int
    _ratio: ExponentialRatio | None
    _direction: int  # set by directed() only
    _hash: int  # set by __hash__ only

    def __new__(cls, value: object = 0) -> Exact:
        """Read a number."""
        from .numbers import exact_number

        return exact_number(value)

    # --- building -------------------------------------------------------------------------

    @staticmethod
    def of_rational(numerator: int, denominator: int = 1) -> Exact:
        """Return a rational number.

        Raises:
            InputError: The denominator is 0, or an argument is no int.

        Example:
            >>> Exact.of_rational(2, -4)
            Exact('-1/2')
        """
        if type(numerator) is not int or type(denominator) is not int:
            for part, name in ((numerator, "numerator"), (denominator, "denominator")):
                read_integer(part, name)
        if denominator == 0:
            raise InputError("zero denominator", found=f"{integer_text(numerator)}/0")
        if denominator < 0:
            numerator, denominator = -numerator, -denominator
        return Exact._rational(*without_common_divisor(numerator, denominator))

    @staticmethod
    def of_ratio(ratio: ExponentialRatio | tuple[int, int]) -> Exact:
        """Wrap a canonical quotient of polynomials, or a numerator and denominator."""
        if isinstance(ratio, tuple):
            return Exact.of_rational(*ratio)
        return Exact._transcendental(ratio)

    @staticmethod
    def from_float(value: float) -> Exact:
        """Return the exact binary value of a float.

        Raises:
            InputError: The value is no float (nor an int), or is not finite.

        Example:
            >>> Exact.from_float(0.75), Exact.from_float(0.1) == Exact("1/10")
            (Exact('3/4'), False)
        """
        number = cast("object", value)
        if isinstance(number, bool) or not isinstance(number, float | int):
            raise InputError(
                "not a float", found=described(number), expected="write a float such as 0.5"
            )
        if not math.isfinite(number):
            raise InputError(
                "not a finite number", found=repr(value), expected="write a float such as 0.5"
            )
        return Exact._rational(*number.as_integer_ratio())

    @staticmethod
    def exp(exponent: object) -> Exact:
        """Return e^exponent for a rational exponent.

        Args:
            exponent: A rational number, or text that reads as one.

        Raises:
            InputError: The exponent is no number, or not rational.
            LimitError: It is above 10^6 in absolute value.

        Example:
            >>> Exact.exp("1/2") * Exact.exp("-1/2")
            Exact('1')
        """
        number = Exact(exponent)
        if number._ratio is not None:
            raise InputError(
                "an exponent of exp that is not rational", found=f"exp({_short(number)})"
            )
        if number._numerator == 0:
            return Exact._rational(1, 1)
        from .ratio import ExponentialRatio

        return Exact._transcendental(ExponentialRatio.exponential(number.as_fraction()))

    @staticmethod
    def from_polynomials(
        numerator: ExponentialPolynomial, denominator: ExponentialPolynomial
    ) -> Exact:
        """Return numerator / denominator at w = e^generator.

        Raises:
            InputError: The denominator is 0 or the generators differ.

        Example:
            >>> from powercert.accounting.exponential import ExponentialPolynomial
            >>> w = ExponentialPolynomial(Fraction(1, 2), [0, 1])
            >>> Exact.from_polynomials(w * w - 1, w - 1)
            Exact('exp(1/2) + 1')
        """
        from .exponential import ExponentialPolynomial, shared_generator
        from .ratio import ExponentialRatio

        for part, name in ((numerator, "numerator"), (denominator, "denominator")):
            read_type(part, ExponentialPolynomial, name)
        if not denominator:
            raise InputError("zero denominator", found=f"({numerator!r}) / 0")
        if numerator.generator != denominator.generator:
            raise InputError(
                "polynomials in different generators",
                found=f"exp({numerator.generator}) and exp({denominator.generator})",
            )
        return Exact.of_ratio(
            ExponentialRatio.reduce(
                shared_generator(numerator.generator),
                numerator.polynomial,
                denominator.polynomial,
            )
        )

    # --- looking inside -------------------------------------------------------------------

    @property
    def is_rational(self) -> bool:
        """Whether the number is rational."""
        return self._ratio is None

    def as_fraction(self) -> Fraction:
        """Return the number as a Fraction.

        Raises:
            InputError: The number is not rational.

        Example:
            >>> Exact("0.1").as_fraction()
            Fraction(1, 10)
        """
        if self._ratio is not None:
            raise InputError("a number that is not rational", found=_short(self))
        return Fraction(self._numerator, self._denominator)

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return (numerator, denominator), coprime and the second one positive.

        Raises:
            InputError: The number is not rational.

        Example:
            >>> Exact("-0.75").as_integer_ratio()
            (-3, 4)
        """
        if self._ratio is not None:
            raise InputError("a number that is not rational", found=_short(self))
        return self._numerator, self._denominator

    @property
    def exponent_gcd(self) -> Fraction:
        """The largest g such that the number is a rational function of e^g; 0 if rational."""
        return Fraction(0) if self._ratio is None else self._ratio.exponent

    def pure_exponent(self) -> Fraction | None:
        """Return r where the number is exactly e^r with r rational, else None.

        Example:
            >>> Exact("exp(-1/3)").pure_exponent(), Exact(1).pure_exponent()
            (Fraction(-1, 3), Fraction(0, 1))
        """
        if self._ratio is not None:
            return self._ratio.pure_exponent()
        return Fraction(0) if self._numerator == self._denominator else None

    def as_polynomials(
        self, generator: Fraction
    ) -> tuple[ExponentialPolynomial, ExponentialPolynomial]:
        """Return numerator and denominator > 0 as integer polynomials in w = e^generator.

        Raises:
            InputError: The exponents present are no multiples of ``generator``, or it is no
                positive Fraction.
            LimitError: The degree would be above 20000.

        Example:
            >>> top, bottom = Exact("exp(1) / (1 - exp(1/2))").as_polynomials(Fraction(1, 2))
            >>> top.coefficients, bottom.coefficients
            ((0, 0, -1), (-1, 1))
        """
        from .exponential import ExponentialPolynomial, read_generator, shared_generator

        generator = read_generator(generator)
        if self._ratio is None:
            return (
                ExponentialPolynomial(generator, [self._numerator]),
                ExponentialPolynomial(generator, [self._denominator]),
            )
        top, bottom = self._ratio.parts(generator)
        shared = shared_generator(generator)
        return ExponentialPolynomial.wrap(shared, top), ExponentialPolynomial.wrap(shared, bottom)

    def ball(self, bits: int) -> arb:
        """Return a python-flint ball around the number at a working precision of ``bits``."""
        if self._ratio is not None:
            return self._ratio.ball(bits)
        from .balls import ball_of_rational

        return ball_of_rational(self._numerator, self._denominator, bits)

    def enclosure(self, bits: int = 64) -> Enclosure:
        """Return dyadic ends of at most ``bits`` bits around the number.

        Guarantee: lower <= number <= upper, and the width is at most 2^(3 - bits) of the size.

        Args:
            bits: At least 2.

        Raises:
            InputError: ``bits`` is no such integer.

        Example:
            >>> str(Exact("1/3").enclosure(4))
            '[5/16, 11/32]'
        """
        from .enclosure import Enclosure

        return Enclosure(*(Exact(end) for end in self.dyadic_ends(bits)))

    def dyadic_ends(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return the ends of :meth:`enclosure` as Fractions."""
        read_integer(bits, "bits", least=2)
        if self._ratio is None:
            return rational_ends(self._numerator, self._denominator, bits)
        from .balls import narrow_ends

        return narrow_ends(self._ratio.ball, bits)

    # --- rounding -------------------------------------------------------------------------

    def decimal(self, digits: int = 15, toward: Toward = "nearest") -> str:
        """Return the number in decimal, correctly rounded to ``digits`` significant digits.

        Guarantee: with ``toward`` "down" or "up" the text is at most, or at least, the number.

        Raises:
            InputError: ``digits`` is no integer from 1 to 10^5, or ``toward`` is another text.

        Example:
            >>> Exact("1/3").decimal(), Exact(1).decimal(), Exact("exp(1)").decimal(5)
            ('0.333333333333333', '1.0', '2.7183')
        """
        if self._ratio is None:
            return decimal_of_rational(self._numerator, self._denominator, digits, toward)
        return decimal_of_ends(self.dyadic_ends, digits, toward)

    def __float__(self) -> float:
        """Return the nearest float; an end of an Enclosure rounds outward instead."""
        if self._ratio is None:
            nearest = float_of_rational(self._numerator, self._denominator)
        else:
            nearest = float_of_ends(self.dyadic_ends)
        return directed_float(self, nearest, self.direction)

    @property
    def direction(self) -> int:
        """Which way float() rounds: 0 to nearest, -1 down, 1 up (ends of an Enclosure)."""
        return getattr(self, "_direction", 0)

    def directed(self, direction: int) -> Exact:
        """Return the same number whose float() rounds down (-1), up (1) or to nearest (0).

        Example:
            >>> low, high = (float(Exact("0.1").directed(way)) for way in (-1, 1))
            >>> Exact.from_float(low) < Exact("0.1") < Exact.from_float(high)
            True
        """
        made = Exact._rational(self._numerator, self._denominator)
        made._ratio = self._ratio
        made._direction = read_integer(direction, "direction", least=-1, most=1)
        return made

    def __floor__(self) -> int:
        """Return the largest integer that is at most the number.

        Example:
            >>> math.floor(Exact("10**17 + 1/2")), math.floor(Exact("-exp(1)"))
            (100000000000000000, -3)
        """
        if self._ratio is None:
            return self._numerator // self._denominator
        return floor_of_ends(self.dyadic_ends)

    def __ceil__(self) -> int:
        """Return the least integer that is at least the number."""
        return -math.floor(-self)

    def __trunc__(self) -> int:
        """Return the number without its fractional part."""
        return math.ceil(self) if self.sign() < 0 else math.floor(self)

    __int__ = __trunc__

    @overload
    def __round__(self, digits: None = None) -> int: ...
    @overload
    def __round__(self, digits: int) -> Exact: ...
    def __round__(self, digits: int | None = None) -> int | Exact:
        """Return the nearest integer, or multiple of 10^-digits; half-way to the even one.

        Raises:
            InputError: ``digits`` is no int.
            LimitError: 10^digits is too large to be built.

        Example:
            >>> round(Exact("5/2")), round(Exact("exp(1)"), 2)
            (2, Exact('68/25'))
        """
        if digits is not None:
            scale = Exact._rational(10, 1) ** read_integer(digits, "digits")
            return round(self * scale) / scale
        double = math.floor(self * 2)
        nearest = (double + 1) // 2
        half_way = double % 2 == 1 and self * 2 == double
        return nearest - 1 if half_way and nearest % 2 == 1 else nearest

    # --- arithmetic -----------------------------------------------------------------------

    def __add__(self, other: Exact | int | Fraction | Decimal) -> Exact:
        """Return the sum."""
        right = other if type(other) is Exact else Exact._operand(other)
        if right is None:
            return NotImplemented
        if self._ratio is None and right._ratio is None:
            return Exact._sum(
                self._numerator, self._denominator, right._numerator, right._denominator
            )
        return Exact._mixed_sum(self, right)

    __radd__ = __add__

    def __sub__(self, other: Exact | int | Fraction | Decimal) -> Exact:
        """Return the difference."""
        right = other if type(other) is Exact else Exact._operand(other)
        if right is None:
            return NotImplemented
        if self._ratio is None and right._ratio is None:
            return Exact._sum(
                self._numerator, self._denominator, -right._numerator, right._denominator
            )
        return Exact._mixed_sum(self, -right)

    def __rsub__(self, other: int | Fraction | Decimal) -> Exact:
        """Return ``other`` minus this."""
        left = Exact._operand(other)
        return NotImplemented if left is None else left - self

    def __mul__(self, other: Exact | int | Fraction | Decimal) -> Exact:
        """Return the product."""
        right = other if type(other) is Exact else Exact._operand(other)
        if right is None:
            return NotImplemented
        if self._ratio is None and right._ratio is None:
            return Exact._product(
                self._numerator, self._denominator, right._numerator, right._denominator
            )
        return Exact._mixed_product(self, right)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int | Fraction | Decimal) -> Exact:
        """Return the quotient.

        Raises:
            InputError: The divisor is 0.
        """
        right = other if type(other) is Exact else Exact._operand(other)
        if right is None:
            return NotImplemented
        if right._ratio is not None:
            return self * Exact._transcendental(right._ratio.reciprocal())
        numerator, denominator = right._denominator, right._numerator
        if denominator <= 0:
            if denominator == 0:
                raise InputError("zero denominator", found=f"division of {_short(self)} by 0")
            numerator, denominator = -numerator, -denominator
        if self._ratio is None:
            return Exact._product(self._numerator, self._denominator, numerator, denominator)
        return Exact._transcendental(self._ratio.times_rational(numerator, denominator))

    def __rtruediv__(self, other: int | Fraction | Decimal) -> Exact:
        """Return ``other`` divided by this."""
        left = Exact._operand(other)
        return NotImplemented if left is None else left / self

    def __pow__(self, exponent: int | Exact) -> Exact:
        """Return the number to a whole power.

        Raises:
            InputError: The exponent is not whole, or 0 is raised to a negative power.
            LimitError: The result has more than about 8 * 10^6 bits, or a degree above 20000.
        """
        power = exponent if type(exponent) is Exact else Exact._operand(exponent)
        if power is None:
            return NotImplemented
        if power._ratio is not None or power._denominator != 1:
            raise InputError(
                "an exponent that is not whole",
                found=f"{_short(self)} ** {_short(power)}",
                expected='write roots of e as "exp(1/2)"; other roots are outside the field',
            )
        count = power._numerator
        if count == 0:
            return Exact._rational(1, 1)
        if self._ratio is not None:
            return Exact.of_ratio(self._ratio.power(count))
        if self._numerator == 0 and count < 0:
            raise InputError("zero denominator", found=f"0 ** {_short(power)}")
        bits = self._numerator.bit_length() + self._denominator.bit_length()
        if bits > 2 and bits * abs(count) > _POWER_BITS_LIMIT:
            raise LimitError(
                f"a power of more than {_POWER_BITS_LIMIT} bits",
                found=f"{_short(self)} ** {_short(power)}",
            )
        if abs(self._numerator) == self._denominator:
            count %= 2
        if count < 0:
            return Exact.of_rational(self._denominator**-count, self._numerator**-count)
        return Exact._rational(self._numerator**count, self._denominator**count)

    def __neg__(self) -> Exact:
        """Return the negative."""
        if self._ratio is not None:
            return Exact._transcendental(self._ratio.negative())
        return Exact._rational(-self._numerator, self._denominator)

    def __pos__(self) -> Exact:
        """Return the number itself."""
        return self

    def __abs__(self) -> Exact:
        """Return the absolute value."""
        return -self if self.sign() < 0 else self

    def log(self) -> LogExact:
        """Return the natural logarithm.

        Raises:
            InputError: The number is not positive.

        Example:
            >>> Exact(3).log().exp()
            Exact('3')
        """
        from .logarithm import LogExact

        return LogExact.of(self)

    # --- order ----------------------------------------------------------------------------

    def sign(self) -> int:
        """Return -1, 0 or 1, exactly.

        Example:
            >>> Exact("exp(1) - 2.7182818284590452353602874713526624977572470936999").sign()
            1
        """
        if self._ratio is not None:
            return self._ratio.sign()
        return (self._numerator > 0) - (self._numerator < 0)

    def __bool__(self) -> bool:
        """Return False for 0 only."""
        return self._ratio is not None or self._numerator != 0

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same number.

        A bool and a Decimal nan equal no number.

        Raises:
            InputError: The other is a float that is not infinite, or a Decimal beyond the limits.
        """
        if type(other) is Exact:
            return (
                self._numerator == other._numerator
                and self._denominator == other._denominator
                and self._ratio == other._ratio
            )
        if isinstance(other, bool) or is_nan(other) or infinity_sign(other):
            return False
        right = Exact._operand(other)
        return NotImplemented if right is None else self == right

    def __hash__(self) -> int:
        """Return the hash; the one of the equal Fraction where the number is rational."""
        try:
            return self._hash
        except AttributeError:
            if self._ratio is not None:
                self._hash = hash(self._ratio)
            else:
                self._hash = rational_hash(self._numerator, self._denominator)
            return self._hash

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None for an unknown type."""
        if type(other) is Exact:
            right: Exact | None = other
        else:
            infinite = infinity_sign(other)
            if infinite:
                return -infinite
            right = Exact._operand(other)
        if right is None:
            return None
        if self._ratio is None and right._ratio is None:
            left_side = self._numerator * right._denominator
            right_side = right._numerator * self._denominator
            return (left_side > right_side) - (left_side < right_side)
        if self == right:
            return 0
        if right._ratio is None and right._numerator == 0:
            return self.sign()
        # Canonical forms differ, so the numbers differ, and balls around them come apart.
        bits = _FIRST_BITS
        while True:
            mine, yours = self.ball(bits), right.ball(bits)
            if mine < yours:
                return -1
            if mine > yours:
                return 1
            bits *= 2

    def __lt__(self, other: Exact | Fraction | Decimal | float) -> bool:
        """Return whether this is smaller; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Exact | Fraction | Decimal | float) -> bool:
        """Return whether this is smaller or the same; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Exact | Fraction | Decimal | float) -> bool:
        """Return whether this is larger; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Exact | Fraction | Decimal | float) -> bool:
        """Return whether this is larger or the same; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order >= 0

    # --- text and copies ------------------------------------------------------------------

    def __str__(self) -> str:
        """Return text that ``exact`` reads back.

        A rational of up to 2^23 bits is read, and any other text of up to 4 * 10^6 characters.
        """
        if self._ratio is not None:
            return self._ratio.text()
        top = integer_text(self._numerator)
        return top if self._denominator == 1 else f"{top}/{integer_text(self._denominator)}"

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"Exact({str(self)!r})"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Pickle through integers (python-flint polynomials do not pickle)."""
        if self._ratio is not None:
            return Exact._restored, (self._ratio.key(), self.direction)
        return Exact._restored, ((self._numerator, self._denominator), self.direction)

    def __copy__(self) -> Exact:
        """Return itself: the value never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Exact:
        """Return itself: the value never changes."""
        return self

    # --- the inside ------------------------------------------------------------------------

    @staticmethod
    def _rational(numerator: int, denominator: int) -> Exact:
        """Wrap coprime parts, the second one positive."""
        made = object.__new__(Exact)
        made._numerator = numerator
        made._denominator = denominator
        made._ratio = None
        return made

    @staticmethod
    def _transcendental(ratio: ExponentialRatio) -> Exact:
        made = object.__new__(Exact)
        made._numerator = 0
        made._denominator = 1
        made._ratio = ratio
        return made

    @staticmethod
    def _restored(
        key: tuple[int, int] | tuple[Fraction, tuple[int, ...], tuple[int, ...]], direction: int
    ) -> Exact:
        if len(key) == 2:
            made = Exact._rational(*key)
        else:
            from .exponential import ExponentialPolynomial

            exponent, top, bottom = key
            made = Exact.from_polynomials(
                ExponentialPolynomial(exponent, top), ExponentialPolynomial(exponent, bottom)
            )
        return made.directed(direction) if direction else made

    @staticmethod
    def _operand(value: object) -> Exact | None:
        """Return another exact number as Exact, or None for an unknown type."""
        if type(value) is int:
            return Exact._rational(value, 1)
        if isinstance(value, float):
            raise _refused_float(value)
        parts = fraction_of(value)
        return None if parts is None else Exact._rational(*parts)

    @staticmethod
    def _sum(top: int, bottom: int, top_2: int, bottom_2: int) -> Exact:
        """Add two reduced fractions with small gcds (D. Knuth, TAOCP volume 2, section 4.5.1)."""
        rest, rest_2 = without_common_divisor(bottom, bottom_2)
        if rest == bottom:
            return Exact._rational(top * bottom_2 + top_2 * bottom, bottom * bottom_2)
        total = top * rest_2 + top_2 * rest
        # What cancels divides the common part of the denominators.
        total, shared = without_common_divisor(total, bottom_2 // rest_2)
        return Exact._rational(total, rest * rest_2 * shared)

    @staticmethod
    def _product(top: int, bottom: int, top_2: int, bottom_2: int) -> Exact:
        top, bottom_2 = without_common_divisor(top, bottom_2)
        top_2, bottom = without_common_divisor(top_2, bottom)
        return Exact._rational(top * top_2, bottom * bottom_2)

    @staticmethod
    def _mixed_sum(left: Exact, right: Exact) -> Exact:
        """Add two numbers, at least one of which is not rational."""
        ratio = left._ratio
        if ratio is None:
            left, right, ratio = right, left, right._ratio
        assert ratio is not None
        if right._ratio is not None:
            return Exact.of_ratio(ratio.plus(right._ratio))
        if right._numerator == 0:
            return left
        return Exact._transcendental(ratio.plus_rational(right._numerator, right._denominator))

    @staticmethod
    def _mixed_product(left: Exact, right: Exact) -> Exact:
        """Multiply two numbers, at least one of which is not rational (or the second is not)."""
        ratio = left._ratio
        if ratio is None:
            left, right, ratio = right, left, right._ratio
        assert ratio is not None
        if right._ratio is not None:
            return Exact.of_ratio(ratio.times(right._ratio))
        if right._numerator == 0:
            return Exact._rational(0, 1)
        return Exact._transcendental(ratio.times_rational(right._numerator, right._denominator))


def _short(value: Exact) -> str:
    """Return the text of a number, cut for a message."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def directed_float(number: Exact | LogExact, nearest: float, direction: int) -> float:
    """Return the nearest float of a number, or the neighbour below (-1) or above (1) it.

    Guarantee: the result is at most the number for -1 and at least the number for 1.

    Example:
        >>> directed_float(Exact("1/3"), 1 / 3, 1) > 1 / 3, directed_float(Exact(1), 1.0, 1)
        (True, 1.0)
    """
    if direction == 0 or (math.isinf(nearest) and (nearest > 0) == (direction > 0)):
        return nearest
    if math.isinf(nearest):
        return math.copysign(sys.float_info.max, nearest)
    exact_value = Exact.from_float(nearest)
    if direction < 0 and number < exact_value:
        return math.nextafter(nearest, -math.inf)
    if direction > 0 and number > exact_value:
        return math.nextafter(nearest, math.inf)
    return nearest
