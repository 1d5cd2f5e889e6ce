"""Power functions: reference values of the paper, edges, refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from powercert.accounting import (
    Exact,
    InputError,
    LimitError,
    Pair,
    PowerFunction,
    exact_number,
)


def texts(f: PowerFunction) -> list[tuple[str, str]]:
    return [(str(x), str(y)) for x, y in f.vertices]


RR = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).power_function()


def test_randomised_response_is_a_tent_cut_at_its_corner() -> None:
    """The knapsack takes the ratio-3 item first: (1/4, 3/4)."""
    assert texts(RR) == [("0", "0"), ("1/4", "3/4"), ("1", "1")]
    assert RR("1/12") == Fraction(1, 4)


def test_mass_outside_the_null_is_the_power_at_zero() -> None:
    """P = (1/2, 1/2, 0), Q = (1/4, 1/4, 1/2); the swapped order ends flat."""
    pair = Pair.from_laws(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    f = pair.power_function()
    assert texts(f) == [("0", "1/2"), ("1", "1")]
    assert f(0) == Fraction(1, 2)
    assert f.tensor(f)(0) == Fraction(3, 4)
    assert texts(f.swapped()) == [("0", "0"), ("1/2", "1"), ("1", "1")]


def test_group_privacy_of_randomised_response() -> None:
    """f(f(1/12)) = f(1/4) = 3/4, and past the corner f(x) = 2/3 + x/3."""
    group = RR.after(RR)
    assert group("1/12") == Fraction(3, 4)
    assert group("1/4") == Fraction(11, 12)
    assert group.profile().exp_epsilon(delta=0) == 9


def test_two_hops_of_dp() -> None:
    """g = DP with delta = 1/10, e^epsilon = 2: the corners of g o g, by hand."""
    g = PowerFunction.dp(exp_epsilon=2, delta="1/10")
    group = g.after(g)
    assert texts(group) == [
        ("0", "3/10"),
        ("1/10", "7/10"),
        ("3/10", "9/10"),
        ("7/10", "1"),
        ("1", "1"),
    ]
    assert group <= PowerFunction.dp(exp_epsilon=4, delta="3/10")
    assert not PowerFunction.dp(exp_epsilon=4, delta="3/10") <= group


def test_two_draws_of_dp_itself() -> None:
    """Infinite loss: 1 - (9/10)^2 = 19/100, and no more than that at e^(2 ln 2) = 4."""
    f = PowerFunction.dp(epsilon="ln(2)", delta="1/10")
    assert f.tensor(f).profile().delta(exp_epsilon=4) == Fraction(19, 100)


@pytest.mark.parametrize("exp_epsilon", ["1", "3/2", "3", "exp(1)", "exp(1/3)"])
@pytest.mark.parametrize("delta", ["0", "1/10", "9/10"])
def test_dp_is_the_formula_of_appendix_a(exp_epsilon: str, delta: str) -> None:
    f = PowerFunction.dp(exp_epsilon=exp_epsilon, delta=delta)
    gamma, share = exact_number(exp_epsilon), exact_number(delta)
    for step in range(21):
        alpha = exact_number(Fraction(step, 20))
        if alpha <= (1 - share) / (1 + gamma):
            expected = share + gamma * alpha
        elif alpha <= 1 - share:
            expected = 1 - (1 - share) / gamma + alpha / gamma
        else:
            expected = exact_number(1)
        assert f(alpha) == expected
    assert f.swapped() == f


def test_dp_reads_both_forms_of_epsilon() -> None:
    assert PowerFunction.dp(epsilon="ln(3)") == PowerFunction.dp(exp_epsilon="3", delta=0)
    assert PowerFunction.dp(epsilon="1/3") == PowerFunction.dp(exp_epsilon="exp(1/3)")
    assert PowerFunction.dp(epsilon=0) == PowerFunction.identity()


def test_vacuous_dp_is_the_constant_one() -> None:
    one = PowerFunction.from_vertices([(0, 1), (1, 1)])
    assert PowerFunction.dp(epsilon=1, delta=1) == one
    assert PowerFunction.dp(epsilon="inf") == one
    assert PowerFunction.dp(exp_epsilon=float("inf"), delta="1/2") == one
    assert one.swapped() == one
    assert one.after(RR) == one
    assert [(str(x), str(y)) for x, y in one.profile().breakpoints] == [("0", "1")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "exactly one of epsilon and exp_epsilon"),
        ({"epsilon": 0, "exp_epsilon": 1}, "exactly one of epsilon and exp_epsilon"),
        ({"epsilon": "-1"}, "epsilon is negative"),
        ({"exp_epsilon": "1/2"}, "exp_epsilon is below 1"),
        ({"epsilon": 0.5}, "float"),
        ({"epsilon": "exp(1)"}, "neither rational nor a logarithm"),
        ({"epsilon": 1, "delta": "-1/10"}, "delta: not a probability"),
        ({"epsilon": 1, "delta": "11/10"}, "delta: not a probability"),
        ({"epsilon": 1, "delta": "x"}, "delta: "),
    ],
)
def test_dp_refuses_what_is_no_guarantee(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        PowerFunction.dp(**arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize("alpha", ["-1/10", "11/10", 0.5, "x", True])
def test_alpha_is_a_probability(alpha: object) -> None:
    with pytest.raises(InputError, match="alpha"):
        RR(alpha)


def test_alpha_may_be_transcendental() -> None:
    z = Exact.exp(-2)
    assert RR(z) == 3 * z
    assert RR(1 - z) == Fraction(2, 3) + (1 - z) / 3


def test_the_supremum_exceeds_the_pointwise_maximum() -> None:
    """Corners (0, 1/2) of one and (1/10, 9/10) of the other: at 1/20 the line gives 7/10."""
    loss = PowerFunction.from_vertices([(0, "1/2"), (1, 1)])
    response = PowerFunction.dp(exp_epsilon=9)
    assert max(loss("1/20"), response("1/20")) == Fraction(21, 40)
    assert PowerFunction.supremum([loss, response])("1/20") == Fraction(7, 10)


def test_the_supremum_of_few() -> None:
    assert PowerFunction.supremum([]) == PowerFunction.identity()
    assert PowerFunction.supremum([RR]) == RR
    assert PowerFunction.supremum([RR, RR, PowerFunction.identity()]) == RR


def test_incomparable_functions() -> None:
    loss = PowerFunction.from_vertices([(0, "1/2"), (1, 1)])
    assert not loss <= RR
    assert not loss >= RR
    assert not loss < RR
    assert not loss > RR
    assert PowerFunction.identity() < RR
    assert RR > PowerFunction.identity()


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([], "at least one point"),
        ([(0, 0), ("1/2", "1/4"), (1, 1)], "not concave"),
        ([(0, 0), ("1/2", "3/2"), (1, 1)], "not a power function"),
        ([(0, 0), (1, "9/10")], "not a power function"),
        ([(0, 0), ("9/10", 1)], "not a power function"),
        ([("1/10", "1/10"), (1, 1)], "not a power function"),
        ([(0, "-1/10"), (1, 1)], "not a power function"),
        ([(0, 0), (0, "1/2"), (1, 1)], "do not rise"),
        ([(1, 1)], "not a power function"),
    ],
)
def test_what_is_no_power_function_is_refused(
    points: list[tuple[object, object]], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        PowerFunction.from_vertices(points)
    assert said in str(caught.value)


def test_points_inside_an_edge_are_dropped() -> None:
    assert texts(PowerFunction.from_vertices([(0, 0), ("1/3", "1/3"), ("1/2", "1/2"), (1, 1)])) == [
        ("0", "0"),
        ("1", "1"),
    ]


def test_a_tensor_above_the_limit_is_refused() -> None:
    with pytest.raises(LimitError, match="limit_atoms"):
        RR.tensor(RR, limit_atoms=3)


def test_equality_and_repr() -> None:
    assert RR == PowerFunction.dp(exp_epsilon=3)
    assert RR != "f"
    assert len({RR, PowerFunction.dp(exp_epsilon=3)}) == 1
    assert repr(RR) == "PowerFunction((0, 0), (1/4, 3/4), (1, 1))"
    many = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).times(9).power_function()
    assert repr(many).endswith("... 11 in all)")
