"""Perfect powers of integers and of exact numbers."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from flint import fmpz

from .exponential import ExponentialPolynomial
from .field import Exact

__all__ = ["split_power"]


def _power_of_integer(value: int) -> tuple[int, int]:
    """Return (m, k) with value = m^k and k largest; the value is at least 2."""
    base, power = fmpz(value), 1
    while base.is_perfect_power():
        prime = 2
        while True:
            root = base.root(prime)
            if root**prime == base:
                base, power = root, power * prime
                break
            prime = next_prime(prime)
    return int(base), power


def next_prime(prime: int) -> int:
    """Return the next prime number.

    Example:
        >>> next_prime(7)
        11
    """
    prime += 1
    while not fmpz(prime).is_prime():
        prime += 1
    return prime


def _root(value: int, order: int) -> int | None:
    """Return the whole root of a positive integer, or None."""
    root = fmpz(value).root(order)
    return int(root) if root**order == value else None


def _split_rational(value: Fraction) -> tuple[int, Fraction]:
    """Return (k, y) with value = y^k and k largest, for a positive value other than 1."""
    top, bottom = value.as_integer_ratio()
    if bottom == 1:
        base, power = _power_of_integer(top)
        return power, Fraction(base)
    if top == 1:
        base, power = _power_of_integer(bottom)
        return power, Fraction(1, base)
    base, power = _power_of_integer(top)
    base_2, power_2 = _power_of_integer(bottom)
    shared = gcd(power, power_2)
    return shared, Fraction(base ** (power // shared), base_2 ** (power_2 // shared))


def split_power(value: Exact) -> tuple[Fraction, int, Exact]:
    """Return (r, k, y) with value = e^r y^k, y without a factor e^s and no perfect power.

    k is the largest possible; y = 1 goes with k = 0. A root that lies over a finer generator
    than the value needs no search: w^(1/m) splits no irreducible polynomial other than w into
    repeated factors, so multiplicities are the same over every generator.

    Args:
        value: A positive number.

    Example:
        >>> split_power(Exact("8/27")), split_power(Exact("exp(1) * (1 + exp(1/2))**2"))
        ((Fraction(0, 1), 3, Exact('2/3')), (Fraction(1, 1), 2, Exact('exp(1/2) + 1')))
    """
    if value == 1:
        return Fraction(0), 0, value
    if value.is_rational:
        power, base = _split_rational(value.as_fraction())
        return Fraction(0), power, Exact(base)
    generator = value.exponent_gcd
    exponent = Fraction(0)
    factors: list[tuple[ExponentialPolynomial, int]] = []
    constants: list[int] = []
    for side, part in zip((1, -1), value.as_polynomials(generator), strict=True):
        content, found = part.polynomial.factor_squarefree()
        constants.append(abs(int(content)))
        for factor, multiplicity in found:
            shift = 0
            while not factor[shift]:
                shift += 1
            exponent += side * shift * multiplicity * generator
            rest = ExponentialPolynomial(generator, [int(c) for c in factor.coeffs()[shift:]])
            if rest.degree > 0:
                factors.append((-rest if rest.sign() < 0 else rest, side * multiplicity))
    if not factors:
        rational = Fraction(*constants)
        if rational == 1:
            return exponent, 0, Exact(1)
        power, base = _split_rational(rational)
        return exponent, power, Exact(base)
    shared = 0
    for _, multiplicity in factors:
        shared = gcd(shared, multiplicity)
    power, roots = _constant_roots(constants, shared)
    top, bottom = (ExponentialPolynomial(generator, [root]) for root in roots)
    for base_factor, multiplicity in factors:
        for _ in range(abs(multiplicity) // power):
            if multiplicity > 0:
                top = top * base_factor
            else:
                bottom = bottom * base_factor
    return exponent, power, Exact.from_polynomials(top, bottom)


def _constant_roots(constants: list[int], order: int) -> tuple[int, list[int]]:
    """Return the largest divisor k of ``order`` for which all constants are k-th powers."""
    power, prime = 1, 2
    while order > 1:
        if order % prime:
            prime = next_prime(prime)
            continue
        order //= prime
        roots = [_root(constant, prime) for constant in constants]
        if None not in roots:
            constants = [root for root in roots if root is not None]
            power *= prime
    return power, constants
