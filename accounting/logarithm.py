"""LogExact: rational multiples of logarithms of positive exact numbers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, final, overload

from .arguments import read_integer
from .decimals import Toward, decimal_of_ends, integer_text
from .errors import InputError, PowercertError, UndecidedError
from .field import Exact, directed_float
from .rationals import float_of_ends, floor_of_ends, fraction_of, infinity_sign, is_nan

if TYPE_CHECKING:
    from flint import arb

    from .enclosure import Enclosure

__all__ = ["LogExact"]

_FIRST_BITS = 64
#: Below this the two sides of a comparison are first told apart by balls alone.
_CHEAP_BITS = 512
#: Beyond this a comparison that no theorem decides is given up.
_LAST_BITS = 1 << 14
#: Up to this size c * ln(x) with a whole c is kept as ln(x^c).
_FOLD_BITS = 128

Number = Exact | int | Fraction | Decimal


@final
class LogExact:
    """A number c ln(x), with x a positive :class:`Exact` and c a positive rational.

    A sum with a rational r stays of this form, because r = ln(e^r). Comparisons with another
    logarithm and with rationals are exact and always end: two different values come apart at some
    precision, and (p/q) ln(x) = ln(y) exactly where x and y are the q-th and the p-th power of one
    number, so equality is decided by two roots. Against an ``Exact`` that is not rational no
    theorem is known that would settle equality; if balls do not separate the two,
    ``UndecidedError`` is raised.

    Args:
        value: Text such as "ln(3)/2", or a LogExact.

    Example:
        >>> LogExact("ln(3)") + LogExact("ln(2)"), LogExact("ln(9)/2") == LogExact("ln(3)")
        (LogExact('ln(6)'), True)
        >>> LogExact("ln(3)") + Fraction(1, 10)
        LogExact('ln(3*exp(1/10))')
    """

    __slots__ = ("_argument", "_coefficient", "_direction")

    _argument: Exact
    _coefficient: Fraction
    _direction: int

    def __new__(cls, value: str | LogExact) -> LogExact:
        """Read a logarithm."""
        from .numbers import exact

        number = exact(value)
        if isinstance(number, Exact):
            raise InputError(
                "not a logarithm", found=str(number), expected='write "ln(3)" or use Exact.log()'
            )
        return number

    @staticmethod
    def of(argument: object, coefficient: object = 1) -> LogExact:
        """Return coefficient * ln(argument).

        Args:
            argument: A positive number, read like any other.
            coefficient: A rational, read like any other.

        Raises:
            InputError: The argument is no positive number, or the coefficient no rational.

        Example:
            >>> LogExact.of(Exact(3), Fraction(-1, 2))
            LogExact('ln(1/3)/2')
        """
        if not isinstance(argument, Exact):
            argument = _read(argument, "argument")
        if argument.sign() <= 0:
            raise InputError(
                "a logarithm of a number that is not positive", found=f"ln({argument})"
            )
        if isinstance(coefficient, Fraction):
            factor = coefficient
        else:
            factor = _read(coefficient, "coefficient").as_fraction()
        if factor < 0:
            argument, factor = 1 / argument, -factor
        exponent = argument.pure_exponent()
        if factor == 0 or exponent is not None:
            argument = Exact.exp(factor * exponent) if exponent else Exact(1)
            factor = Fraction(1)
        elif factor.numerator > 1 and argument.is_rational:
            bits = sum(part.bit_length() for part in argument.as_fraction().as_integer_ratio())
            if bits * factor.numerator <= _FOLD_BITS:
                argument = argument**factor.numerator
                factor = Fraction(1, factor.denominator)
        return LogExact._made(argument, factor, 0)

    @property
    def argument(self) -> Exact:
        """The x of c ln(x)."""
        return self._argument

    @property
    def coefficient(self) -> Fraction:
        """The c > 0 of c ln(x)."""
        return self._coefficient

    @property
    def direction(self) -> int:
        """Which way float() rounds: 0 to nearest, -1 down, 1 up (ends of an Enclosure)."""
        return self._direction

    def directed(self, direction: int) -> LogExact:
        """Return the same number whose float() rounds down (-1), up (1) or to nearest (0)."""
        way = read_integer(direction, "direction", least=-1, most=1)
        return LogExact._made(self._argument, self._coefficient, way)

    def simplified(self) -> Exact | LogExact:
        """Return the value as an Exact where it is rational, else this logarithm.

        c ln(x) is rational exactly where x is e^r for a rational r.

        Example:
            >>> LogExact("ln(exp(1/3))").simplified(), LogExact("ln(3)").simplified()
            (Exact('1/3'), LogExact('ln(3)'))
        """
        rational = self._rational()
        return self if rational is None else Exact(rational)

    def _rational(self) -> Fraction | None:
        exponent = self._argument.pure_exponent()
        return None if exponent is None else self._coefficient * exponent

    def exp(self) -> Exact:
        """Return the exponential.

        Raises:
            InputError: It is a root that lies outside the field.
            LimitError: It is too large to be built.

        Example:
            >>> LogExact("ln(9)/2").exp()
            Exact('3')
        """
        power, order = self._coefficient.as_integer_ratio()
        root = self._root(order)
        if root is not None:
            return root**power
        raise InputError(
            f"exp({self}) is a root (of order {order}) outside the field",
            found=f"exp({self})",
            expected="use a whole multiple of the logarithm",
        )

    def _root(self, order: int) -> Exact | None:
        """Return the positive root of the argument, or None where it lies outside the field."""
        if order == 1:
            return self._argument
        from .perfect_power import root_of

        return root_of(self._argument, order)

    # --- arithmetic -----------------------------------------------------------------------

    def __add__(self, other: LogExact | Number) -> LogExact:
        """Return the sum with a logarithm or a rational number."""
        if not isinstance(other, LogExact):
            rational = _rational_of(other, "a sum of a logarithm")
            if rational is None:
                return NotImplemented
            shift = Exact.exp(rational / self._coefficient)
            return LogExact.of(self._argument * shift, self._coefficient)
        mine, yours = self._coefficient, other._coefficient
        if self._argument == other._argument:
            return LogExact.of(self._argument, mine + yours)
        shared = Fraction(
            math.gcd(mine.numerator, yours.numerator),
            math.lcm(mine.denominator, yours.denominator),
        )
        argument = self._argument ** int(mine / shared) * other._argument ** int(yours / shared)
        return LogExact.of(argument, shared)

    __radd__ = __add__

    def __neg__(self) -> LogExact:
        """Return the negative."""
        return LogExact.of(1 / self._argument, self._coefficient)

    def __pos__(self) -> LogExact:
        """Return the number itself."""
        return self

    def __abs__(self) -> LogExact:
        """Return the absolute value."""
        return -self if self.sign() < 0 else self

    def __sub__(self, other: LogExact | Number) -> LogExact:
        """Return the difference with a logarithm or a rational number."""
        if isinstance(other, LogExact):
            if self._argument == other._argument:
                return LogExact.of(self._argument, self._coefficient - other._coefficient)
            return self + (-other)
        rational = _rational_of(other, "a difference with a logarithm")
        return NotImplemented if rational is None else self + -rational

    def __rsub__(self, other: Number) -> LogExact:
        """Return a rational number minus this."""
        rational = _rational_of(other, "a difference with a logarithm")
        return NotImplemented if rational is None else -self + rational

    def __mul__(self, other: Number) -> LogExact:
        """Return the product with a rational number."""
        rational = _rational_of(other, "a product with a logarithm")
        if rational is None:
            return NotImplemented
        return LogExact.of(self._argument, self._coefficient * rational)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> LogExact:
        """Return the quotient by a rational number.

        Raises:
            InputError: The divisor is 0 or not rational.
        """
        rational = _rational_of(other, "a quotient of a logarithm")
        if rational is None:
            return NotImplemented
        if rational == 0:
            raise InputError("zero denominator", found=f"{self} / 0")
        return LogExact.of(self._argument, self._coefficient / rational)

    # --- order ----------------------------------------------------------------------------

    def sign(self) -> int:
        """Return -1, 0 or 1, exactly.

        Example:
            >>> LogExact("ln(1/3)").sign()
            -1
        """
        return (self._argument - 1).sign()

    def __bool__(self) -> bool:
        """Return False for 0 only."""
        return self._argument != 1

    def ball(self, bits: int) -> arb:
        """Return a python-flint ball around the number at a working precision of ``bits``."""
        from .balls import WorkingPrecision, ball_of_rational

        inner = self._argument.ball(bits)
        factor = ball_of_rational(*self._coefficient.as_integer_ratio(), bits)
        with WorkingPrecision(bits):
            return inner.log() * factor

    def _order(self, other: object) -> int | None:
        """Return the sign of self - other, or None for an unknown type."""
        infinite = infinity_sign(other)
        if infinite:
            return -infinite
        right = _compared(other)
        return None if right is None else self._sign_of_difference(right, only_equality=False)

    def _sign_of_difference(self, right: Exact | LogExact, *, only_equality: bool) -> int:
        """Return the sign of self - right; any sign where only equality is asked and they differ.

        Balls come first, since they are cheap; where they do not separate the two, an exact
        identity is looked for.
        """
        if isinstance(right, LogExact):
            right = right.simplified()
        mine_rational = self._rational()
        if isinstance(right, Exact):
            if mine_rational is not None:
                return (Exact(mine_rational) - right).sign()
            if not right or (only_equality and right.is_rational):
                return self.sign()  # not 0, since this is irrational
        elif self._argument == right._argument and self._coefficient == right._coefficient:
            return 0
        bits = _FIRST_BITS
        while True:
            mine, yours = self.ball(bits), right.ball(bits)
            if mine < yours:
                return -1
            if mine > yours:
                return 1
            if bits == _CHEAP_BITS and isinstance(right, LogExact):
                if self._same(right):
                    return 0
                if only_equality:
                    return 1
            if bits >= _LAST_BITS and isinstance(right, Exact) and not right.is_rational:
                raise UndecidedError(
                    f"a logarithm and a number with exp(...) agree to {bits} bits and no theorem "
                    "decides whether they are equal",
                    found=f"{self} and {right}",
                )
            bits *= 2

    def _same(self, right: LogExact) -> bool:
        """Return whether two logarithms are equal, exactly.

        For coprime p and q, x^p = y^q exactly where x = t^q and y = t^p for one t, so no power is
        formed.
        """
        power, power_2 = (self._coefficient / right._coefficient).as_integer_ratio()
        root = self._root(power_2)
        return root is not None and root == right._root(power)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same number; a bool and a Decimal nan equal none.

        Raises:
            InputError: The other is a float that is not infinite, or a Decimal beyond the limits.
            UndecidedError: The other is an Exact with exp(...) and agrees to many digits.
        """
        if isinstance(other, bool) or is_nan(other) or infinity_sign(other):
            return False
        right = _compared(other)
        if right is None:
            return NotImplemented
        return self._sign_of_difference(right, only_equality=True) == 0

    def __hash__(self) -> int:
        """Return a hash that agrees with every equal number."""
        rational = self._rational()
        # Rounding depends on the value alone, not on how it is written.
        return hash(Decimal(self.decimal(50))) if rational is None else hash(rational)

    def __lt__(self, other: LogExact | Number | float) -> bool:
        """Return whether this is smaller; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: LogExact | Number | float) -> bool:
        """Return whether this is smaller or the same; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: LogExact | Number | float) -> bool:
        """Return whether this is larger; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: LogExact | Number | float) -> bool:
        """Return whether this is larger or the same; a float must be an infinity."""
        order = self._order(other)
        return NotImplemented if order is None else order >= 0

    # --- rounding and text ----------------------------------------------------------------

    def dyadic_ends(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return the ends of :meth:`enclosure` as Fractions."""
        rational = self._rational()
        if rational is not None:
            return Exact(rational).dyadic_ends(bits)
        read_integer(bits, "bits", least=2)
        from .balls import narrow_ends

        return narrow_ends(self.ball, bits)

    def enclosure(self, bits: int = 64) -> Enclosure:
        """Return dyadic ends of at most ``bits`` bits around the number.

        Guarantee: lower <= number <= upper, and the width is at most 2^(3 - bits) of the size.

        Raises:
            InputError: ``bits`` is no integer of at least 2.

        Example:
            >>> str(LogExact("ln(3)").enclosure(4))
            '[1, 9/8]'
        """
        from .enclosure import Enclosure

        return Enclosure(*(Exact(end) for end in self.dyadic_ends(bits)))

    def decimal(self, digits: int = 15, toward: Toward = "nearest") -> str:
        """Return the number in decimal, correctly rounded to ``digits`` significant digits.

        Guarantee: with ``toward`` "down" or "up" the text is at most, or at least, the number.

        Raises:
            InputError: ``digits`` is no integer from 1 to 10^5, or ``toward`` is another text.

        Example:
            >>> LogExact("ln(3)").decimal(12)
            '1.09861228867'
        """
        rational = self._rational()
        if rational is not None:
            return Exact(rational).decimal(digits, toward)
        return decimal_of_ends(self.dyadic_ends, digits, toward)

    def __floor__(self) -> int:
        """Return the largest integer that is at most the number.

        Example:
            >>> math.floor(LogExact("ln(3)")), math.ceil(LogExact("ln(3)"))
            (1, 2)
        """
        rational = self._rational()
        return floor_of_ends(self.dyadic_ends) if rational is None else math.floor(rational)

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
            >>> round(LogExact("ln(3)")), round(LogExact("ln(3)"), 2)
            (1, Exact('11/10'))
        """
        rational = self._rational()
        if rational is not None:
            return round(Exact(rational), digits)
        if digits is not None:
            scale = Exact(10) ** read_integer(digits, "digits")
            return round(self * scale) / scale
        return (math.floor(self * 2) + 1) // 2  # an irrational number is never half-way

    def __float__(self) -> float:
        """Return the nearest float; an end of an Enclosure rounds outward instead."""
        rational = self._rational()
        if rational is not None:
            return float(Exact(rational).directed(self._direction))
        return directed_float(self, float_of_ends(self.dyadic_ends), self._direction)

    def __str__(self) -> str:
        """Return text that ``exact`` reads back, where it reads the argument (Exact.__str__)."""
        top, bottom = self._coefficient.as_integer_ratio()
        times = "" if top == 1 else f"{integer_text(top)}*"
        over = "" if bottom == 1 else f"/{integer_text(bottom)}"
        return f"{times}ln({self._argument}){over}"

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"LogExact({str(self)!r})"

    def __reduce__(self) -> tuple[object, tuple[Exact, Fraction, int]]:
        """Pickle the parts."""
        return LogExact._made, (self._argument, self._coefficient, self._direction)

    def __copy__(self) -> LogExact:
        """Return itself: the value never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> LogExact:
        """Return itself: the value never changes."""
        return self

    @staticmethod
    def _made(argument: Exact, coefficient: Fraction, direction: int) -> LogExact:
        made = object.__new__(LogExact)
        made._argument = argument
        made._coefficient = coefficient
        made._direction = direction
        return made


def _read(value: object, name: str) -> Exact:
    """Return an argument as a number that is no logarithm."""
    from .numbers import exact_number

    try:
        return exact_number(value)
    except PowercertError as error:
        raise error.located(name) from None


def _compared(value: object) -> Exact | LogExact | None:
    """Return the other side of a comparison, or None for an unknown type."""
    if isinstance(value, LogExact | Exact):
        return value
    if isinstance(value, float):
        raise InputError(
            "a binary float is not exact",
            found=repr(value),
            expected='write text such as "0.1" or "1/3", or ask for Exact.from_float',
        )
    parts = fraction_of(value)
    return None if parts is None else Exact.of_rational(*parts)


def _rational_of(value: object, operation: str) -> Fraction | None:
    """Return a rational operand, or None for an unknown type; refuse what is not rational."""
    number = _compared(value)
    if number is None:
        return None
    if isinstance(number, LogExact):
        number = number.simplified()
    if isinstance(number, LogExact) or not number.is_rational:
        raise InputError(
            f"{operation} and a number that is not rational is outside the field",
            found=str(number),
            expected="use a rational number",
        )
    return number.as_fraction()
