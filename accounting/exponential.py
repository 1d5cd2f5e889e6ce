"""Integer polynomials in w = e^g, ordered by their value at w: the ring of the exact solver."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import final

from flint import fmpz_poly

from .arguments import read_integer, read_type
from .balls import Generator, sign_at
from .errors import InputError

__all__ = ["ExponentialPolynomial"]


@lru_cache(maxsize=256)
def shared_generator(exponent: Fraction) -> Generator:
    """Return the generator e^exponent, the same object for the same exponent where possible."""
    return Generator(exponent)


def read_generator(exponent: object) -> Fraction:
    """Return the exponent g of w = e^g.

    Raises:
        InputError: It is no positive Fraction.
    """
    generator = read_type(exponent, Fraction, "generator", "write Fraction(1, 2)")
    if generator <= 0:
        raise InputError("a generator exponent is not positive", found=str(generator))
    return generator


def _mixed(left: Fraction, right: Fraction) -> InputError:
    return InputError(
        "polynomials in different generators",
        found=f"exp({left}) and exp({right})",
        expected="write both over one generator",
    )


@final
class ExponentialPolynomial:
    """A polynomial with integer coefficients in w = e^g, for a positive rational g.

    Equality is identity of (g, coefficients); constants equal the integers they are. The order is
    the order of the values at w, decided exactly. Operands share g, or are integers.

    Args:
        generator: The exponent g > 0.
        coefficients: Of 1, w, w^2, ...

    Raises:
        InputError: The generator is no positive Fraction, or a coefficient is no int.

    Example:
        >>> w = ExponentialPolynomial(Fraction(1), [0, 1])
        >>> 2 < w < 3, (w - 1) * (w + 1) == w * w - 1, ((w * w - 1) // (w + 1)).coefficients
        (True, True, (-1, 1))
    """

    __slots__ = ("_generator", "_hash", "_polynomial", "_sign")

    _generator: Generator
    _polynomial: fmpz_poly
    _sign: int | None
    _hash: int | None

    def __init__(self, generator: Fraction, coefficients: Iterable[int]) -> None:
        """Build the polynomial from its coefficients."""
        self._generator = shared_generator(read_generator(generator))
        self._polynomial = fmpz_poly([read_integer(part, "coefficients") for part in coefficients])
        self._sign = None
        self._hash = None

    @classmethod
    def wrap(cls, generator: Generator, polynomial: fmpz_poly) -> ExponentialPolynomial:
        """Return a python-flint polynomial as one in w; it must not be changed afterwards."""
        made = object.__new__(cls)
        made._generator = generator
        made._polynomial = polynomial
        made._sign = None
        made._hash = None
        return made

    @property
    def generator(self) -> Fraction:
        """The exponent g of w = e^g."""
        return self._generator.exponent

    @property
    def coefficients(self) -> tuple[int, ...]:
        """The coefficients of 1, w, w^2, ...; empty for zero."""
        return tuple(int(part) for part in self._polynomial.coeffs())

    @property
    def degree(self) -> int:
        """The degree; -1 for zero."""
        return self._polynomial.degree()

    @property
    def polynomial(self) -> fmpz_poly:
        """A copy of the wrapped python-flint polynomial."""
        return fmpz_poly(self._polynomial)

    def sign(self) -> int:
        """Return -1, 0 or 1: the exact sign of the value at w.

        Example:
            >>> ExponentialPolynomial(Fraction(1, 10), [-1, 1]).sign()
            1
        """
        if self._sign is None:
            self._sign = sign_at(self._polynomial, self._generator)
        return self._sign

    def _right(self, other: object) -> fmpz_poly | int | None:
        """Return the other operand as something python-flint combines, or None."""
        if isinstance(other, ExponentialPolynomial):
            mine, yours = self._generator, other._generator
            if mine is not yours and mine.exponent != yours.exponent:
                raise _mixed(mine.exponent, yours.exponent)
            return other._polynomial
        if isinstance(other, int) and not isinstance(other, bool):
            return other
        return None

    def __add__(self, other: ExponentialPolynomial | int) -> ExponentialPolynomial:
        """Return the sum."""
        right = self._right(other)
        if right is None:
            return NotImplemented
        return self.wrap(self._generator, self._polynomial + right)

    __radd__ = __add__

    def __sub__(self, other: ExponentialPolynomial | int) -> ExponentialPolynomial:
        """Return the difference."""
        right = self._right(other)
        if right is None:
            return NotImplemented
        return self.wrap(self._generator, self._polynomial - right)

    def __rsub__(self, other: int) -> ExponentialPolynomial:
        """Return ``other`` minus this."""
        right = self._right(other)
        if right is None:
            return NotImplemented
        return self.wrap(self._generator, -(self._polynomial - right))

    def __mul__(self, other: ExponentialPolynomial | int) -> ExponentialPolynomial:
        """Return the product."""
        right = self._right(other)
        if right is None:
            return NotImplemented
        return self.wrap(self._generator, self._polynomial * right)

    __rmul__ = __mul__

    def __floordiv__(self, other: ExponentialPolynomial | int) -> ExponentialPolynomial:
        """Return the exact quotient.

        Raises:
            InputError: The divisor is zero or does not divide.
        """
        right = self._right(other)
        if right is None:
            return NotImplemented
        if not right:
            raise InputError("division of a polynomial by zero")
        quotient, rest = divmod(self._polynomial, right)
        if rest:
            raise InputError(
                "an inexact quotient of polynomials", found=f"({self!r}) // ({other!r})"
            )
        return self.wrap(self._generator, quotient)

    def __neg__(self) -> ExponentialPolynomial:
        """Return the negative."""
        return self.wrap(self._generator, -self._polynomial)

    def __bool__(self) -> bool:
        """Return False for zero only."""
        return bool(self._polynomial)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same polynomial in the same w, or the same constant."""
        if isinstance(other, ExponentialPolynomial):
            if self._polynomial != other._polynomial:
                return False
            mine, yours = self._generator, other._generator
            return (
                mine is yours or mine.exponent == yours.exponent or self._polynomial.degree() <= 0
            )
        if isinstance(other, int) and not isinstance(other, bool):
            return self._polynomial.degree() <= 0 and int(self._polynomial[0]) == other
        return NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the coefficients; a constant hashes like its integer."""
        if self._hash is None:
            if self._polynomial.degree() <= 0:
                self._hash = hash(int(self._polynomial[0]))
            else:
                self._hash = hash(tuple(self._polynomial.coeffs()))
        return self._hash

    def _order(self, other: object) -> int | None:
        right = self._right(other)
        if right is None:
            return None
        return sign_at(self._polynomial - right, self._generator)

    def __lt__(self, other: ExponentialPolynomial | int) -> bool:
        """Return whether the value at w is smaller."""
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: ExponentialPolynomial | int) -> bool:
        """Return whether the value at w is smaller or the same."""
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: ExponentialPolynomial | int) -> bool:
        """Return whether the value at w is larger."""
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: ExponentialPolynomial | int) -> bool:
        """Return whether the value at w is larger or the same."""
        order = self._order(other)
        return NotImplemented if order is None else order >= 0

    @staticmethod
    def gcd(left: ExponentialPolynomial, right: ExponentialPolynomial) -> ExponentialPolynomial:
        """Return the greatest common divisor whose value at w is positive (0 for two zeros).

        python-flint makes the *leading coefficient* positive, and dividing probabilities by such a
        divisor could turn them negative: gcd(1 - w, (1 - w)^2) is w - 1 there.

        Example:
            >>> z = ExponentialPolynomial(Fraction(1, 4), [0, 1])
            >>> ExponentialPolynomial.gcd(1 - z, (1 - z) * (1 - z)).coefficients
            (-1, 1)
            >>> ExponentialPolynomial.gcd(3 - z, (3 - z) * z).coefficients
            (3, -1)
        """
        mine, yours = left._generator, right._generator
        if mine is not yours and mine.exponent != yours.exponent:
            raise _mixed(mine.exponent, yours.exponent)
        divisor = left.wrap(mine, left._polynomial.gcd(right._polynomial))
        return -divisor if divisor.sign() < 0 else divisor

    def __reduce__(
        self,
    ) -> tuple[type[ExponentialPolynomial], tuple[Fraction, tuple[int, ...]]]:
        """Pickle through the coefficients (python-flint polynomials do not pickle)."""
        return ExponentialPolynomial, (self._generator.exponent, self.coefficients)

    def __copy__(self) -> ExponentialPolynomial:
        """Return itself: the value never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> ExponentialPolynomial:
        """Return itself: the value never changes."""
        return self

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"ExponentialPolynomial({self.generator!r}, {list(self.coefficients)!r})"
