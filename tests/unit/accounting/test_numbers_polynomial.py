"""ExponentialPolynomial: the ordered ring Z[e^g] of the solver."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

import pytest

from powercert.accounting.errors import InputError
from powercert.accounting.exponential import ExponentialPolynomial

G = Fraction(1, 4)


def polynomial(*coefficients: int) -> ExponentialPolynomial:
    return ExponentialPolynomial(G, coefficients)


def test_arithmetic() -> None:
    w = polynomial(0, 1)
    assert (1 + w) * (1 - w) == 1 - w * w
    assert 3 - w == -(w - 3) and 2 * w == w * 2 == w + w
    assert (w * w - 1) // (w - 1) == w + 1
    assert (4 * w - 6) // 2 == 2 * w - 3
    assert (w * w).coefficients == (0, 0, 1) and (w - w).coefficients == ()
    assert (w.degree, (w - w).degree, w.generator) == (1, -1, G)
    assert not w - w and bool(w)


def test_inexact_quotients_are_refused() -> None:
    w = polynomial(0, 1)
    for divisor in (w - 1, polynomial(2), 2):
        with pytest.raises(InputError, match="inexact"):
            _ = (w * w + w + 1) // divisor
    for zero in (0, w - w):
        with pytest.raises(InputError, match="zero"):
            _ = w // zero


def test_constants_are_their_integers() -> None:
    assert polynomial(5) == 5 and hash(polynomial(5)) == hash(5)
    assert polynomial() == 0 and hash(polynomial()) == hash(0)
    assert polynomial(5) == ExponentialPolynomial(Fraction(1), [5])
    assert polynomial(0, 1) != 1
    truth: object = True
    assert polynomial(1) != truth


def test_identity_over_one_generator() -> None:
    assert polynomial(0, 1) != ExponentialPolynomial(Fraction(1), [0, 1])
    assert hash(polynomial(1, 2, 0)) == hash(polynomial(1, 2))
    with pytest.raises(InputError, match="generators"):
        _ = polynomial(0, 1) + ExponentialPolynomial(Fraction(1), [0, 1])
    with pytest.raises(InputError, match="generators"):
        _ = polynomial(0, 1) < ExponentialPolynomial(Fraction(1), [0, 1])
    with pytest.raises(InputError, match="generators"):
        ExponentialPolynomial.gcd(polynomial(0, 1), ExponentialPolynomial(Fraction(1), [0, 1]))
    assert polynomial(0, 1) + ExponentialPolynomial(Fraction(2, 8), [1]) == polynomial(1, 1)


def test_order_is_the_order_of_values() -> None:
    # e^(1/4) = 1.2840...
    w = polynomial(0, 1)
    rising = [polynomial(-1), polynomial(), w - 1, polynomial(1), w, w * w, polynomial(2), 3 * w]
    for small, large in pairwise(rising):
        assert small < large and large > small and small <= large and not small >= large
    same = polynomial(0, 1)
    assert w <= same and w >= same and 1 < w < 2 and 2 > w > 1
    assert (w - 1).sign() == 1 and (1 - w).sign() == -1 and (w - w).sign() == 0
    assert (1000000 * w - 1284025).sign() == 1 and (1000000 * w - 1284026).sign() == -1


def test_gcd_is_positive_at_w() -> None:
    w = polynomial(0, 1)
    small = 1 - w
    for left, right in ((small, small * small), (-small, 3 * small), (small, small * 0)):
        divisor = ExponentialPolynomial.gcd(left, right)
        assert divisor == w - 1 and divisor > 0
    assert ExponentialPolynomial.gcd(3 - w, (3 - w) * w) == 3 - w
    assert ExponentialPolynomial.gcd(6 * w, polynomial(4)) == 2
    assert ExponentialPolynomial.gcd(w * 0, w * 0) == 0


def test_pickle_copy_and_immutability() -> None:
    p = polynomial(1, -2, 10**40)
    assert pickle.loads(pickle.dumps(p)) == p and copy.deepcopy(p) is p
    p.polynomial[0] = 7
    assert p.coefficients == (1, -2, 10**40)
    with pytest.raises(AttributeError):
        cast(Any, p).degree = 3


def test_bad_generators_and_operands() -> None:
    for generator in (Fraction(0), Fraction(-1)):
        with pytest.raises(InputError, match="not positive"):
            ExponentialPolynomial(generator, [1])
    with pytest.raises(TypeError):
        _ = cast(Any, polynomial(1)) + 0.5
    with pytest.raises(TypeError):
        _ = polynomial(1) * True
