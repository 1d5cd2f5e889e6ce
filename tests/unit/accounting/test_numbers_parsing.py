"""Numbers as text: what is read, what is refused and how the refusal reads."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from powercert.accounting.errors import InputError, LimitError, PowercertError
from powercert.accounting.numbers import Exact, LogExact, exact, exact_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("-0", Fraction(0)),
        ("007", Fraction(7)),
        ("1/3", Fraction(1, 3)),
        ("-2/6", Fraction(-1, 3)),
        ("0.1", Fraction(1, 10)),
        ("-0.25", Fraction(-1, 4)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e-6", Fraction(1, 10**6)),
        ("1E+2", Fraction(100)),
        ("0.30000000000000004", Fraction(30000000000000004, 10**17)),
        ("1e400", Fraction(10**400)),
        (" 1 / 3\n", Fraction(1, 3)),
        ("1+2*3", Fraction(7)),
        ("1-2-3", Fraction(-4)),
        ("12/2/3", Fraction(2)),
        ("2**3**2", Fraction(512)),
        ("2^3", Fraction(8)),
        ("-2**2", Fraction(-4)),
        ("(-2)**2", Fraction(4)),
        ("2**-1", Fraction(1, 2)),
        ("--1", Fraction(1)),
        ("+1", Fraction(1)),
        ("2*-3", Fraction(-6)),
        ("((1/3))", Fraction(1, 3)),
        ("1/3+1/3+1/3", Fraction(1)),
        ("exp(0)", Fraction(1)),
        ("exp(ln(3))", Fraction(3)),
        ("exp(2*ln(3) - ln(9))", Fraction(1)),
    ],
)
def test_rational_texts(text: str, value: Fraction) -> None:
    assert exact(text) == value


def test_ten_tenths_are_one() -> None:
    assert sum(exact_number("0.1") for _ in range(10)) == 1
    assert sum(exact_number("0.333") for _ in range(3)) == Fraction(999, 1000)


def test_other_types() -> None:
    assert exact(3) == 3 and exact(Fraction(1, 3)) == Fraction(1, 3)
    assert exact(Decimal("0.1")) == Fraction(1, 10) and exact(Decimal("1E+3")) == 1000
    number, logarithm = Exact("1/3"), LogExact("ln(3)")
    assert exact(number) is number and exact(logarithm) is logarithm


def test_symbols() -> None:
    symbols = {"z": Exact("exp(-1/4)"), "exp": Exact(7), "p_1": Exact("1/3")}
    assert exact("z**4", symbols=symbols) == Exact.exp(-1)
    assert exact("exp + exp(1) - exp(1)", symbols=symbols) == 7
    assert exact_number("1 - p_1", symbols=symbols) == Fraction(2, 3)
    with pytest.raises(InputError, match="did you mean p_1"):
        exact("p_2", symbols=symbols)
    with pytest.raises(InputError, match="known symbols: z"):
        exact("qqq", symbols={"z": Exact(1)})


REFUSED: list[tuple[object, str]] = [
    ("", "empty"),
    ("  ", "empty"),
    ("abc", "unknown name 'abc'"),
    ("nan", "not a finite number"),
    ("NaN", "not a finite number"),
    ("inf", "not a finite number"),
    ("-Infinity", "not a finite number"),
    ("1/0", "zero denominator"),
    ("1/(1-1)", "zero denominator"),
    ("0**-1", "zero denominator"),
    ("ln(2)/0", "zero denominator"),
    ("1/ln(1)", "zero denominator"),
    ("1e100000000", "decimal exponent above 100000"),
    ("1e-100001", "decimal exponent above 100000"),
    ("9" * 2_600_001, "more than 2600000 digits"),
    ("\N{MINUS SIGN}1", r"MINUS SIGN.*write \"-\""),
    ("\N{FULLWIDTH DIGIT ONE}/2", r"FULLWIDTH DIGIT ONE.*write \"1\""),
    ("1\N{NO-BREAK SPACE}/2", "NO-BREAK SPACE"),
    ("2\N{MULTIPLICATION SIGN}3", r"MULTIPLICATION SIGN.*write \"\*\""),
    ("\N{VULGAR FRACTION ONE HALF}", "VULGAR FRACTION ONE HALF"),
    ("\N{ARABIC-INDIC DIGIT THREE}", "ARABIC-INDIC DIGIT THREE"),
    ("1,5", r"COMMA.*write \"\.\""),
    ("1\x00", "no name"),
    ("50%", "PERCENT SIGN"),
    ("1_000", "operator is missing"),
    ("0x10", "operator is missing"),
    ("1 2", "operator is missing before '2'"),
    ("2exp(1)", "operator is missing before 'exp'"),
    ("(1)(2)", "operator is missing"),
    ("1e", "operator is missing"),
    (".", "point without digits"),
    ("1+", "ends too early"),
    ("*1", r"missing before '\*'"),
    ("1**", "ends too early"),
    ("(1", "not closed"),
    ("exp(1", "not closed"),
    ("1)", "never opened"),
    ("()", "missing before"),
    ("exp", "without its argument"),
    ("exp 1", "without its argument"),
    ("exp()", "missing before"),
    ("e", r"write exp\(1\)"),
    ("log(2)", "natural logarithm"),
    ("sqrt(2)", "roots are outside"),
    ("2**(1/2)", "not whole"),
    ("2**exp(1)", "not whole"),
    ("exp(exp(1))", "not rational"),
    ("exp(ln(3)/2)", "root"),
    ("ln(0)", "not positive"),
    ("ln(2-3)", "not positive"),
    ("ln(ln(3))", "logarithm of a logarithm"),
    ("ln(2)*ln(3)", "product of logarithms"),
    ("1/ln(2)", "division by a logarithm"),
    ("ln(2)**2", "power with a logarithm"),
    ("2**ln(2)", "power with a logarithm"),
    ("exp(1)*ln(2)", "outside the field"),
    ("ln(2)*exp(1)", "outside the field"),
    ("ln(2)+exp(1)", "outside the field"),
    ("(" * 101 + "1" + ")" * 101, "nesting deeper than 100"),
    ("2**" * 101 + "1", "nesting deeper than 100"),
    ("exp(" * 50000, "nesting deeper than 100"),
    ("import os", "unknown name 'import'"),
    ("__import__('os')", "unknown name"),
    ("1;2", "SEMICOLON"),
    (None, "not a number"),
    ([1], "type list"),
    (1j, "type complex"),
    (b"1", "type bytes"),
    (True, "truth value"),
    (0.5, "binary float"),
    (float("nan"), "not a finite number"),
    (float("inf"), "not a finite number"),
    (Decimal("NaN"), "not a finite number"),
    (Decimal("-Infinity"), "not a finite number"),
    (Decimal("1e999999"), "more than 100000 digits"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED, ids=lambda value: repr(value)[:30])
def test_refusals(value: object, message: str) -> None:
    start = time.perf_counter()
    with pytest.raises(InputError, match=f"(?s){message}") as caught:
        exact(value)
    assert len(str(caught.value)) < 400
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "text",
    [
        "10**1000000000",
        "exp(1e30)",
        "exp(1)**1000000000",
        "(1+exp(1))**100000",
        "exp(1/7)+exp(1/1000003)",
        "*".join(["1e100000"] * 60),
    ],
    ids=lambda text: text[:20],
)
def test_numbers_that_are_too_large(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(LimitError) as caught:
        exact(text)
    assert len(str(caught.value)) < 400
    assert time.perf_counter() - start < 10


def test_the_column_is_named() -> None:
    with pytest.raises(InputError, match="column 5"):
        exact("1 + abc")


def test_a_logarithm_is_not_a_probability() -> None:
    with pytest.raises(InputError, match="not a probability"):
        exact_number("ln(3)")


def test_long_flat_sums_are_read() -> None:
    assert exact("+".join(["1/7"] * 7000)) == 1000
    assert exact("-" * 50000 + "1") == 1


@given(st.text(alphabet="0123456789./*+-^()exp ln,z\N{MINUS SIGN}", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        number = exact(text)
    except PowercertError as error:
        assert len(str(error)) < 400
    else:
        assert exact(str(number)) == number
