"""The laws of the ordered field Q(e^(1/N)), against high-precision decimals of another library."""

from __future__ import annotations

import decimal
import pickle
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from powercert.accounting.exponential import ExponentialPolynomial
from powercert.accounting.numbers import Enclosure, Exact, LogExact, exact, exact_number

# The reference: Python's decimal, whose exp() is correctly rounded. 300 digits leave more than
# 200 after the cancellations that expressions of this size can cause.
REFERENCE = decimal.Context(prec=300, Emin=-999999, Emax=999999)
NEAR = Decimal("1e-150")

small_fractions = st.fractions(min_value=-4, max_value=4, max_denominator=6)
exponents = st.builds(Fraction, st.integers(-6, 6), st.sampled_from([1, 2, 3, 4, 6]))


@dataclass(frozen=True)
class Sample:
    """An exact number beside its reference value."""

    number: Exact
    reference: Decimal


def _decimal(value: Fraction) -> Decimal:
    return REFERENCE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _leaf(value: Fraction) -> Sample:
    return Sample(Exact(value), _decimal(value))


def _exponential(value: Fraction) -> Sample:
    return Sample(Exact.exp(value), REFERENCE.exp(_decimal(value)))


def _join(operation: str, left: Sample, right: Sample) -> Sample:
    a, b, x, y = left.number, right.number, left.reference, right.reference
    if operation == "+":
        return Sample(a + b, REFERENCE.add(x, y))
    if operation == "-":
        return Sample(a - b, REFERENCE.subtract(x, y))
    if operation == "*" or b == 0:
        return Sample(a * b, REFERENCE.multiply(x, y))
    return Sample(a / b, REFERENCE.divide(x, y))


leaves = st.one_of(st.builds(_leaf, small_fractions), st.builds(_exponential, exponents))
samples = st.recursive(
    leaves,
    lambda inner: st.builds(_join, st.sampled_from("+-*/"), inner, inner),
    max_leaves=6,
)
numbers = samples.map(lambda sample: sample.number)
rationals = st.fractions(max_denominator=10**6)


@given(samples, samples)
@settings(max_examples=150)
def test_order_and_equality_agree_with_high_precision(left: Sample, right: Sample) -> None:
    gap = REFERENCE.subtract(left.reference, right.reference)
    scale = max(abs(left.reference), abs(right.reference), Decimal(1))
    if abs(gap) < REFERENCE.multiply(NEAR, scale):
        assert left.number == right.number
        assert hash(left.number) == hash(right.number)
        assert str(left.number) == str(right.number)
    else:
        assert left.number != right.number
        assert (left.number < right.number) == (gap < 0)
        assert (left.number > right.number) == (gap > 0)
        assert (left.number - right.number).sign() == (1 if gap > 0 else -1)


@given(samples)
@settings(max_examples=150)
def test_decimals_floats_and_enclosures_contain_the_value(sample: Sample) -> None:
    number = sample.number
    with decimal.localcontext(REFERENCE):
        slack = abs(sample.reference) * NEAR + NEAR
        assert abs(Decimal(number.decimal(40)) - sample.reference) <= (
            abs(sample.reference) * Decimal("6e-40") + slack
        )
        for bits in (2, 20, 100):
            lower, upper = number.dyadic_ends(bits)
            assert lower <= number.enclosure(bits).upper and upper >= number.enclosure(bits).lower
            assert _decimal(lower) <= sample.reference + slack
            assert _decimal(upper) >= sample.reference - slack
    low, high = Enclosure.point(number).lower, Enclosure.point(number).upper
    assert Exact.from_float(float(low)) <= number <= Exact.from_float(float(high))


@given(numbers, numbers, numbers)
@settings(max_examples=100)
def test_field_axioms(a: Exact, b: Exact, c: Exact) -> None:
    assert a + b == b + a and a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + 0 == a and a * 1 == a and a - a == 0 and a + -a == 0
    if a:
        assert a / a == 1 and (b / a) * a == b and 1 / (1 / a) == a


@given(numbers, numbers, numbers)
@settings(max_examples=100)
def test_order_axioms(a: Exact, b: Exact, c: Exact) -> None:
    assert (a < b) + (a == b) + (a > b) == 1
    low, middle, high = sorted([a, b, c])
    assert low <= middle <= high and low <= high
    if a < b:
        assert a + c < b + c
        assert (c * a < c * b) == (c > 0)
    assert abs(a) >= 0 and abs(a) in (a, -a)
    assert (a * a).sign() == (1 if a else 0)


@given(numbers, st.integers(0, 4), st.integers(-4, 4))
@settings(max_examples=60)
def test_powers_are_repeated_products(a: Exact, count: int, other: int) -> None:
    product = Exact(1)
    for _ in range(count):
        product = product * a
    assert a**count == product
    assume(a != 0)
    assert a**count * a**other == a ** (count + other)
    assert (a**other) ** 2 == a ** (2 * other)


@given(numbers)
@settings(max_examples=100)
def test_text_pickle_and_polynomials_give_the_number_back(number: Exact) -> None:
    assert exact_number(str(number)) == number
    assert pickle.loads(pickle.dumps(number)) == number
    generator = number.exponent_gcd or Fraction(1, 2)
    top, bottom = number.as_polynomials(generator / 3)
    assert bottom > 0
    assert top.sign() == number.sign()
    assert Exact.from_polynomials(top, bottom) == number


@given(rationals, rationals)
def test_rationals_behave_like_fractions(x: Fraction, y: Fraction) -> None:
    a, b = Exact(x), Exact(y)
    assert a + b == x + y and a - b == x - y and a * b == x * y
    assert (a < b, a <= b, a == b) == (x < y, x <= y, x == y)
    assert hash(a) == hash(x) and float(a) == float(x) and str(a) == str(x)
    assert a.as_fraction() == x and bool(a) == bool(x) and -a == -x and abs(a) == abs(x)
    assert a + y == x + b == x + y and y - a == y - x and a * y == x * b
    if y:
        assert a / b == a / y == x / b == x / y


@given(exponents, exponents)
def test_exponentials_turn_sums_into_products(r: Fraction, s: Fraction) -> None:
    assert Exact.exp(r) * Exact.exp(s) == Exact.exp(r + s)
    assert Exact.exp(r) ** 3 == Exact.exp(3 * r)
    assert (Exact.exp(r) < Exact.exp(s)) == (r < s)
    assert Exact.exp(r).log().simplified() == r
    assert Exact.exp(r).pure_exponent() == r


@given(st.integers(1, 10**12), st.integers(1, 10**12), st.integers(1, 40))
def test_correct_rounding_of_rationals(top: int, bottom: int, digits: int) -> None:
    with decimal.localcontext(decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN)):
        expected = Decimal(top) / Decimal(bottom)
    assert Decimal(Exact.of_rational(top, bottom).decimal(digits)) == expected


# --- logarithms ---------------------------------------------------------------------------

positive = st.builds(Fraction, st.integers(1, 60), st.integers(1, 12))
coefficients = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@st.composite
def logarithms(draw: st.DrawFn) -> tuple[LogExact, Decimal]:
    """A sum of two multiples of logarithms and a rational, with its reference value."""
    (x, y), (p, q, r) = (draw(positive), draw(positive)), (draw(coefficients) for _ in range(3))
    number = Exact(x).log() * p + Exact(y).log() * q + r
    with decimal.localcontext(REFERENCE):
        reference = _decimal(x).ln() * _decimal(p) + _decimal(y).ln() * _decimal(q) + _decimal(r)
    return number, reference


@given(logarithms(), logarithms())
@settings(max_examples=80)
def test_logarithms_against_high_precision(
    left: tuple[LogExact, Decimal], right: tuple[LogExact, Decimal]
) -> None:
    (a, x), (b, y) = left, right
    gap = REFERENCE.subtract(x, y)
    if abs(gap) < NEAR:
        assert a == b and hash(a) == hash(b)
    else:
        assert a != b and (a < b) == (gap < 0) and (a > b) == (gap > 0)
    with decimal.localcontext(REFERENCE):
        assert abs(Decimal(a.decimal(40)) - x) <= abs(x) * Decimal("6e-40") + NEAR
    assert exact(str(a)) == a and pickle.loads(pickle.dumps(a)) == a
    assert a + b - b == a and (a * 2) / 2 == a and 0 - (0 - a) == a and a - a == 0


@given(logarithms(), st.integers(1, 5))
@settings(max_examples=40)
def test_the_same_logarithm_written_differently(
    sample: tuple[LogExact, Decimal], count: int
) -> None:
    number, _ = sample
    raised = LogExact.of(number.argument**count, number.coefficient / count)
    assert raised == number and hash(raised) == hash(number)
    if number:
        assert hash(number + Fraction(1, 10**30)) != hash(number)
        assert number + Fraction(1, 10**30) > number


@given(numbers, st.integers(1, 3))
@settings(max_examples=40)
def test_logarithms_of_transcendental_powers(number: Exact, count: int) -> None:
    base = abs(number)
    assume(base != 0)
    left, right = (base**count).log(), base.log() * count
    assert left == right and hash(left) == hash(right)
    assert (left / count).exp() == base
    assert base.log().exp() == base


# --- the ring of the solver ---------------------------------------------------------------

polynomials = st.lists(st.integers(-20, 20), max_size=5).map(
    lambda parts: ExponentialPolynomial(Fraction(1, 3), parts)
)


def _value(polynomial: ExponentialPolynomial) -> Decimal:
    w = REFERENCE.exp(_decimal(polynomial.generator))
    total = Decimal(0)
    for part in reversed(polynomial.coefficients):
        total = REFERENCE.add(REFERENCE.multiply(total, w), Decimal(part))
    return total


@given(polynomials, polynomials)
def test_polynomials_against_their_values(
    a: ExponentialPolynomial, b: ExponentialPolynomial
) -> None:
    for made, reference in (
        (a + b, REFERENCE.add(_value(a), _value(b))),
        (a - b, REFERENCE.subtract(_value(a), _value(b))),
        (a * b, REFERENCE.multiply(_value(a), _value(b))),
    ):
        assert abs(REFERENCE.subtract(_value(made), reference)) < NEAR
    assert (a < b) == (_value(a) < _value(b)) and (a == b) == (_value(a) == _value(b))
    assert a.sign() == (_value(a) > 0) - (_value(a) < 0)
    assert hash(a + b) == hash(b + a)
    if b:
        assert (a * b) // b == a
    divisor = ExponentialPolynomial.gcd(a, b)
    if a or b:
        assert divisor > 0
        assert (a // divisor) * divisor == a and (b // divisor) * divisor == b
        assert ExponentialPolynomial.gcd(a // divisor, b // divisor) == 1
    else:
        assert divisor == 0


@given(polynomials, polynomials)
def test_quotients_of_polynomials_are_reduced(
    a: ExponentialPolynomial, b: ExponentialPolynomial
) -> None:
    assume(bool(b))
    number = Exact.from_polynomials(a, b)
    common = ExponentialPolynomial(a.generator, [-7, 2, 1])
    assert Exact.from_polynomials(a * common, b * common) == number
    assert number.sign() == a.sign() * b.sign()
    assert (number == 0) == (not a)
