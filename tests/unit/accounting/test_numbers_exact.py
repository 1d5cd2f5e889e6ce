"""Exact as Python meets it: operands, order, hashing, copies, rounding, limits."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest

from powercert.accounting.decimals import integer_text
from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.exponential import ExponentialPolynomial
from powercert.accounting.numbers import Enclosure, Exact, LogExact, exact, exact_number

NAMESPACE = Path(__file__).resolve().parents[3] / ".namespace"

# e to 60 digits (OEIS A001113).
E_TEXT = "2.71828182845904523536028747135266249775724709369995957496697"


def run(code: str) -> str:
    """Run code in a fresh interpreter that knows the package."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(NAMESPACE), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- what is imported ---------------------------------------------------------------------


def test_rational_work_never_imports_flint() -> None:
    printed = run(
        "import sys, pickle\n"
        "from fractions import Fraction\n"
        "from powercert.accounting.numbers import Enclosure, Exact, exact, exact_number\n"
        "x = exact('1/3') + Fraction(1, 6) - 2 * Exact('0.25') ** 3 / Exact('1e-6')\n"
        "x < 1, hash(x), str(x), x.decimal(), float(x), x.enclosure(20), abs(x), x == Fraction(1)\n"
        "pickle.loads(pickle.dumps(x)); Enclosure('1/3', '1/2').width; exact('ln(3)').exp()\n"
        "str(exact('ln(3)')), exact('ln(3)').simplified()\n"
        "print(any(name.split('.')[0] == 'flint' for name in sys.modules))\n"
    )
    assert printed == "False"


def test_the_first_exponential_imports_flint() -> None:
    printed = run(
        "import sys\n"
        "from powercert.accounting.numbers import exact\n"
        "before = 'flint' in sys.modules\n"
        "exact('exp(1/2)')\n"
        "print(before, 'flint' in sys.modules)\n"
    )
    assert printed == "False True"


# --- equality, hashing, containers --------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "1", "-1", "1/3", "-7/5", "1e-30", "123456789/1000000007"])
def test_a_rational_is_the_same_key_as_its_fraction(text: str) -> None:
    number, fraction = exact(text), Fraction(text)
    assert number == fraction and fraction == number
    assert hash(number) == hash(fraction)
    by_fraction: dict[object, str] = {fraction: "x"}
    by_number: dict[object, str] = {number: "x"}
    assert by_fraction[number] == by_number[fraction] == "x"


def test_hash_where_the_denominator_is_the_hash_modulus() -> None:
    modulus = sys.hash_info.modulus
    for top in (1, -1, 5):
        assert hash(Exact.of_rational(top, modulus)) == hash(Fraction(top, modulus))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("exp(1/2)**2", "exp(1)"),
        ("exp(1/2)*exp(1/3)", "exp(5/6)"),
        ("exp(1/3)**3/exp(1)", "1"),
        ("(exp(1) - 1)/(exp(1/2) - 1)", "exp(1/2) + 1"),
        ("1/(1 + exp(-1/3))", "exp(1/3)/(1 + exp(1/3))"),
        ("(2*exp(1/4) - 2)/(4*exp(1/4) - 4)", "1/2"),
        ("(1 - exp(1))/(1 - exp(2))", "1/(1 + exp(1))"),
        ("(exp(1/2) + exp(-1/2))**2", "exp(1) + 2 + exp(-1)"),
        ("exp(693/1000)*exp(1/3)", "exp(3079/3000)"),
        ("exp(1000)**7 * exp(1/999983)/exp(7000)", "exp(1/999983)"),
        ("(exp(1/6) + exp(1/3)) - exp(1/6)", "exp(1/3)"),
    ],
)
def test_equal_numbers_have_one_form(left: str, right: str) -> None:
    a, b = exact_number(left), exact_number(right)
    assert a == b
    assert hash(a) == hash(b)
    assert str(a) == str(b)
    assert a.exponent_gcd == b.exponent_gcd
    assert not (a < b or a > b) and a <= b and a >= b
    assert a - b == 0 and not (a - b)


def test_the_largest_generator_is_taken() -> None:
    assert exact_number("exp(1/3) + exp(1)").exponent_gcd == Fraction(1, 3)
    assert exact_number("exp(2/3) + 1").exponent_gcd == Fraction(2, 3)
    assert exact_number("exp(693/1000)").exponent_gcd == Fraction(693, 1000)
    assert exact_number("exp(1/2) + exp(1/3)").exponent_gcd == Fraction(1, 6)
    assert exact_number("7/3").exponent_gcd == 0


def test_an_identity_that_only_algebra_sees() -> None:
    z = Exact("exp(-1/3)")
    assert 1 / (1 + z) + z / (1 + z) == 1
    assert 1 / (1 + z) + z / (1 + z) + Exact("1e-40") != 1


# --- other types --------------------------------------------------------------------------


def test_operands_of_other_exact_types() -> None:
    half = Exact("1/2")
    assert 1 + half == half + 1 == Fraction(3, 2)
    assert Fraction(1, 3) + half == half + Fraction(1, 3) == Fraction(5, 6)
    assert Fraction(1, 3) - half == Fraction(-1, 6)
    assert 3 / half == 6 and half / 3 == Fraction(1, 6)
    assert Fraction(1, 3) / half == Fraction(2, 3)
    assert Fraction(1, 3) * half == Fraction(1, 6)
    assert half + Decimal("0.25") == Fraction(3, 4)
    assert half == Decimal("0.5") and half != Decimal("NaN")
    assert Fraction(1, 3) < half < Fraction(2, 3)
    assert 0 < half < 1 and 1 > half > 0
    assert isinstance(1 + half, Exact) and isinstance(Fraction(1) * half, Exact)


def test_builtins_that_combine_numbers() -> None:
    numbers = [Exact("1/2"), Exact("exp(-1)"), Exact("1/3"), Exact("exp(1/10)")]
    assert sum(numbers, Exact(0)) == sum(numbers)
    assert max(numbers) == Exact.exp("1/10") and min(numbers) == Exact("1/3")
    assert sorted(numbers) == [numbers[2], numbers[1], numbers[0], numbers[3]]
    assert math.prod(numbers) == Exact("exp(-9/10)/6")


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "lt", "ge"])
@pytest.mark.parametrize("value", [0.5, float("nan"), True])
def test_floats_and_truth_values_are_refused(name: str, value: object) -> None:
    operation: Callable[[object, object], object] = getattr(operator, name)
    for number in (Exact("1/2"), Exact("exp(1)")):
        with pytest.raises(InputError):
            operation(number, value)
        with pytest.raises(InputError):
            operation(value, number)


def test_equality_with_a_float_is_refused_rather_than_false() -> None:
    for value in (0.5, float("nan")):
        with pytest.raises(InputError, match="binary float"):
            _ = Exact("1/2") == value
        with pytest.raises(InputError, match="binary float"):
            _ = value != Exact("1/2")


def test_equality_with_unrelated_things_is_false() -> None:
    one: object = Exact(1)
    assert one != "1" and one is not None and one != [1]
    truth: object = True
    assert one != truth


@pytest.mark.parametrize("text", ["0", "1e400", "exp(900)", "-exp(1)"])
def test_infinity_is_a_bound_of_every_number(text: str) -> None:
    number = exact_number(text)
    assert number < math.inf and number <= math.inf and number != math.inf
    assert number > -math.inf and number >= -math.inf and number != -math.inf
    assert math.inf > number > -math.inf
    assert not number > math.inf and not number < -math.inf
    assert min(number, math.inf) == number


def test_arithmetic_with_infinity_is_refused() -> None:
    with pytest.raises(InputError):
        operator.add(cast(Any, Exact(1)), math.inf)


# --- order --------------------------------------------------------------------------------


def test_order_next_to_e() -> None:
    below = E_TEXT[:-1] + "6"
    above = E_TEXT[:-1] + "8"
    assert exact_number(below) < Exact.exp(1) < exact_number(above)


@pytest.mark.parametrize("digits", [50, 1000])
def test_order_extremely_close_to_a_transcendental_number(digits: int) -> None:
    number = Exact.exp("1/10")
    lower, upper = number.dyadic_ends(4 * digits)
    assert upper - lower < Fraction(1, 10**digits)
    assert Exact(lower) < number < Exact(upper)
    assert (number - Exact(lower)).sign() == 1 and (number - Exact(upper)).sign() == -1
    assert Exact(lower) - number < 0 < Exact(upper) - number


def test_sign_of_a_high_power_of_a_small_number() -> None:
    small = (Exact.exp("1/1000") - 1) ** 400
    assert small.sign() == 1 and 0 < small < Exact("1e-1000")
    assert (-small).sign() == -1


def test_comparison_needs_no_common_generator() -> None:
    # A common generator of these exponents would need a degree of about 10^9.
    left, right = Exact.exp("1/31607") + 1, Exact.exp("1/31601") + 1
    assert left < right and left != right
    with pytest.raises(LimitError, match="degree"):
        _ = left + right


def test_spot_values_of_the_symbolic_cases() -> None:
    z = Exact("exp(-1/3)")
    first, second = 1 / (1 + z), z / (1 + z)
    assert first / second == Exact("exp(1/3)")
    claim = Fraction(333333333333333333333333333333, 10**30)
    assert first / second > Exact.exp(claim)
    assert first <= Exact.exp(Fraction(1, 3)) * second
    with pytest.raises(LimitError, match="degree"):
        _ = first - Exact.exp(claim) * second
    excess = Enclosure.of_sum_of_products([(first, Exact(1)), (-Exact.exp(claim), second)])
    assert 0 < excess < Exact("1e-29")
    assert first - second == exact_number("(1-z)/(1+z)", symbols={"z": z})
    delta = (3 - Exact.exp(1)) / 4
    assert Exact("0.0704") < delta < Exact("0.0705")


# --- powers, division, limits -------------------------------------------------------------


def test_powers() -> None:
    assert Exact("2/3") ** 3 == Fraction(8, 27) and Exact("2/3") ** -2 == Fraction(9, 4)
    assert Exact("-2/3") ** -3 == Fraction(-27, 8)
    assert Exact(0) ** 0 == 1 and Exact("exp(1)") ** 0 == 1
    assert (1 + Exact.exp(1)) ** 2 == 1 + 2 * Exact.exp(1) + Exact.exp(2)
    assert (1 + Exact.exp(1)) ** -1 == 1 / (1 + Exact.exp(1))
    assert (-3 * Exact.exp("-1/7")) ** -3 == Exact("-exp(3/7)/27")
    assert Exact(-1) ** (10**30 + 1) == -1
    assert Exact(2) ** Exact(5) == 32


@pytest.mark.parametrize(
    "action",
    [
        lambda: Exact(1) / 0,
        lambda: 1 / (Exact.exp(1) - Exact.exp(1)),
        lambda: Exact.exp(1) / Exact(0),
        lambda: Exact(0) ** -1,
        lambda: Exact.of_rational(1, 0),
    ],
)
def test_zero_denominators(action: Callable[[], object]) -> None:
    with pytest.raises(InputError, match="zero denominator"):
        action()


@pytest.mark.parametrize(
    "action",
    [
        lambda: Exact(10) ** 10**9,
        lambda: (1 + Exact.exp(1)) ** 30000,
        lambda: Exact.exp(1) ** 10**9,
        lambda: Exact.exp(10**7),
        lambda: Exact.exp("693/1000") + Exact.exp("1/30001"),
        lambda: (10**5000 + Exact.exp(1)) ** 10000,
        lambda: (1 + Exact.exp(1)) ** 15000 * (2 + Exact.exp(1)) ** 15000,
    ],
)
def test_unreasonable_sizes_are_refused_quickly(action: Callable[[], object]) -> None:
    with pytest.raises(LimitError):
        action()


def test_roots_are_refused() -> None:
    with pytest.raises(InputError, match="not whole"):
        _ = Exact(2) ** Exact("1/2")
    with pytest.raises(InputError, match="not rational"):
        Exact.exp(Exact.exp(1))


# --- rounding -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "digits", "expected"),
    [
        ("0", 15, "0.0"),
        ("1", 15, "1.0"),
        ("-1/3", 15, "-0.333333333333333"),
        ("2/3", 15, "0.666666666666667"),
        ("1e-30", 15, "1.0e-30"),
        ("1/100000", 15, "0.00001"),
        ("1/1000000", 15, "1.0e-6"),
        ("1e15", 15, "1.0e15"),
        ("1e14", 15, "100000000000000.0"),
        ("999999999999999/1000000000000000", 3, "1.0"),
        ("0.125", 2, "0.12"),
        ("0.375", 2, "0.38"),
        ("0.135", 2, "0.14"),
        ("123456", 3, "1.23e5"),
        ("9.5", 1, "1.0e1"),
        ("exp(1)", 30, "2.71828182845904523536028747135"),
        ("exp(-100)", 5, "3.7201e-44"),
        ("-exp(1)", 2, "-2.7"),
        ("1e1000", 2, "1.0e1000"),
    ],
)
def test_decimals(text: str, digits: int, expected: str) -> None:
    assert exact_number(text).decimal(digits) == expected


def test_directed_decimals_bracket_the_number() -> None:
    for text in ("1/3", "-1/3", "exp(1)", "-exp(-50)", "1e-300/7", "(3 - exp(1))/4"):
        number = exact_number(text)
        for digits in (1, 5, 40):
            low, high = number.decimal(digits, "down"), number.decimal(digits, "up")
            assert exact_number(low) < number < exact_number(high)
            assert number.decimal(digits) in (low, high)


def test_decimal_digits_out_of_range() -> None:
    for digits in (0, -1, 10**6):
        with pytest.raises(InputError, match="digits"):
            Exact("1/3").decimal(digits)


def test_floats_are_nearest() -> None:
    assert float(Exact("1/10")) == 0.1 and float(Exact("exp(1)")) == math.e
    assert float(Exact("1e400")) == math.inf and float(Exact("-1e400")) == -math.inf
    assert float(Exact("1e-400")) == 0.0 and float(Exact("exp(-2000)")) == 0.0
    assert float(Exact("exp(2000)")) == math.inf
    assert float(Exact("5e-324")) == 5e-324


def test_from_float_is_the_binary_value() -> None:
    assert Exact.from_float(0.1) == Fraction(0.1)
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(InputError, match="finite"):
            Exact.from_float(value)


def test_very_long_numbers_print_and_read_back() -> None:
    number = Exact(3) ** 20000 / Exact(7) ** 9000
    assert exact(str(number)) == number
    assert repr(number).startswith("Exact('")
    assert len(Exact(10).__pow__(50000).decimal(20000)) < 20


# --- copies -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "-1/3", "exp(1/3)", "(3 - exp(1))/(exp(-7/2) + 4)"])
def test_pickle_and_copy(text: str) -> None:
    number = exact_number(text)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(number, protocol))
        assert type(again) is Exact and again == number and hash(again) == hash(number)
    assert copy.copy(number) is number and copy.deepcopy([number])[0] is number


def test_numbers_take_no_attributes() -> None:
    for number in (Exact("1/3"), LogExact("ln(3)")):
        with pytest.raises(AttributeError):
            cast(Any, number).sign = 3
        with pytest.raises(AttributeError):
            cast(Any, number).note = "x"
        assert not hasattr(number, "__dict__")


# --- python-flint's global precision ------------------------------------------------------


def test_the_global_precision_is_neither_used_nor_changed() -> None:
    from flint import ctx

    saved = ctx.prec
    try:
        texts: list[tuple[object, ...]] = []
        for precision in (2, 53, 1000):
            ctx.prec = precision
            number = (3 - Exact("exp(1/7)")) / (2 + Exact("exp(-1/5)"))
            texts.append(
                (number.decimal(60), float(number), str(number.enclosure(77)), number < 1)
                + (exact("ln(7)/3").decimal(50), str(exact("ln(7)").enclosure(50)))
            )
            assert ctx.prec == precision
        assert texts[0] == texts[1] == texts[2]
    finally:
        ctx.prec = saved


def test_threads_do_not_disturb_each_other() -> None:
    from flint import ctx

    saved = ctx.prec
    wrong: list[str] = []
    expected = Exact("exp(1/3)").decimal(300), Exact("exp(1/3)").decimal(20)

    def work(digits: int, text: str) -> None:
        for _ in range(60):
            if (Exact("exp(1/3)") + 0).decimal(digits) != text:
                wrong.append(text)

    jobs = [
        threading.Thread(target=work, args=pair)
        for pair in ((300, expected[0]), (20, expected[1])) * 3
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert wrong == [] and ctx.prec == saved


# --- polynomials --------------------------------------------------------------------------


def test_polynomials_of_a_number() -> None:
    number = Exact("(3 - exp(1/2))/(1 - exp(1))")
    for step in (1, 2, 5):
        top, bottom = number.as_polynomials(Fraction(1, 2 * step))
        assert bottom > 0 and top.generator == Fraction(1, 2 * step)
        assert Exact.from_polynomials(top, bottom) == number
    top, bottom = Exact("-2/6").as_polynomials(Fraction(1, 9))
    assert top == -1 and bottom == 3


@pytest.mark.parametrize("generator", [Fraction(1, 3), Fraction(1), Fraction(3, 4)])
def test_polynomials_over_the_wrong_generator(generator: Fraction) -> None:
    with pytest.raises(InputError, match="rational function of exp"):
        Exact("exp(1/2)").as_polynomials(generator)


def test_polynomials_of_too_high_degree() -> None:
    with pytest.raises(LimitError, match="degree"):
        Exact("exp(1/2)").as_polynomials(Fraction(1, 10**6))


def test_from_polynomials_checks() -> None:
    w, v = (ExponentialPolynomial(Fraction(1, n), [0, 1]) for n in (1, 2))
    with pytest.raises(InputError, match="zero denominator"):
        Exact.from_polynomials(w, w - w)
    with pytest.raises(InputError, match="generators"):
        Exact.from_polynomials(w, v)


@pytest.mark.parametrize("size", [4000, 12001, 20001, 40003, 100_000])
def test_long_integers_are_written_digit_by_digit(size: int) -> None:
    number = 7 ** (size * 1000 // 845) + 3
    text = integer_text(number)
    # The same digits by another road: remainders modulo powers of ten, 4000 digits at a time.
    pieces: list[str] = []
    rest = number
    while rest:
        rest, piece = divmod(rest, 10**4000)
        pieces.append(str(piece).zfill(4000))
    assert text == "".join(reversed(pieces)).lstrip("0")
    assert integer_text(-number) == "-" + text
