"""Roots of exact numbers inside the field."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpz

from .exponential import ExponentialPolynomial
from .field import Exact

__all__ = ["root_of"]


def _whole_root(value: int, order: int) -> int | None:
    """Return the whole root of a positive integer, or None."""
    if value == 1:
        return 1
    if order >= value.bit_length():
        return None  # it lies between 1 and 2
    root = fmpz(value).root(order)
    return int(root) if root**order == value else None


def _rational_root(numerator: int, denominator: int, order: int) -> Fraction | None:
    """Return the root of a positive fraction in lowest terms, or None."""
    top = _whole_root(numerator, order)
    bottom = None if top is None else _whole_root(denominator, order)
    return None if top is None or bottom is None else Fraction(top, bottom)


def root_of(value: Exact, order: int) -> Exact | None:
    """Return the positive root of a positive number, or None where it lies outside the field.

    A number is e^r times a rational c times powers of coprime squarefree primitive polynomials in
    w. It has a root of this order exactly where c has one and every multiplicity is divisible
    (e^r always has one). A root over a finer generator needs no search: w^(1/m) splits no
    irreducible polynomial other than w into repeated factors, so multiplicities are the same over
    every generator.

    Args:
        value: A positive number.
        order: At least 1.

    Example:
        >>> root_of(Exact("8/27"), 3), root_of(Exact("exp(1) * (1 + exp(1/2))**2"), 2)
        (Exact('2/3'), Exact('exp(1) + exp(1/2)'))
        >>> root_of(Exact(2), 2) is None
        True
    """
    if value.is_rational:
        root = _rational_root(*value.as_integer_ratio(), order)
        return None if root is None else Exact(root)
    generator = value.exponent_gcd
    exponent = Fraction(0)
    sides = [ExponentialPolynomial(generator, [1])] * 2
    constants: list[int] = []
    for side, part in enumerate(value.as_polynomials(generator)):
        content, factors = part.polynomial.factor_squarefree()
        constants.append(abs(int(content)))
        for factor, multiplicity in factors:
            shift = 0
            while not factor[shift]:
                shift += 1
            exponent += (-1) ** side * shift * multiplicity * generator
            rest = ExponentialPolynomial(generator, [int(c) for c in factor.coeffs()[shift:]])
            if rest.degree == 0:
                continue
            if multiplicity % order:
                return None
            for _ in range(multiplicity // order):
                sides[side] = sides[side] * (-rest if rest.sign() < 0 else rest)
    root = _rational_root(constants[0], constants[1], order)
    if root is None:
        return None
    return Exact.from_polynomials(*sides) * root * Exact.exp(exponent / order)
