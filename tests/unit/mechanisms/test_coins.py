"""The enumerator's guards: a body that is not a function of its coins, or does not end."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import Coins, FiniteLaw, enumerate_outcomes

COIN = FiniteLaw.of({0: "1/3", 1: "2/3"})
NOT_A_FUNCTION = "not a function of its coins"


def plain(value: object) -> Any:
    """A value as it is, for comparing Exact with the int or Fraction it should equal."""
    return value


def test_data_dependent_numbers_of_draws() -> None:
    def first_success(coins: Coins) -> int:
        for trial in range(1, 4):
            if coins.draw(COIN):
                return trial
        return 4

    assert plain(enumerate_outcomes(first_success)) == [
        (4, Fraction(1, 27)), (3, Fraction(2, 27)), (2, Fraction(2, 9)), (1, Fraction(2, 3)),
    ]  # fmt: skip


def test_no_draw_is_one_certain_result() -> None:
    assert plain(enumerate_outcomes(lambda coins: "done")) == [("done", 1)]


def test_results_need_not_be_hashable_without_merging() -> None:
    found = enumerate_outcomes(lambda coins: [coins.draw(COIN)], merge=False)
    assert plain(found) == [([0], Fraction(1, 3)), ([1], Fraction(2, 3))]
    with pytest.raises(InputError, match=r"here: the result is not hashable; found \[0\] \(list\)"):
        enumerate_outcomes(lambda coins: [coins.draw(COIN)], where="here")


def test_rational_and_symbolic_draws_mix() -> None:
    z = Exact.exp(-1)
    noise = FiniteLaw.of({0: 1 - z, 1: z})
    found = dict(enumerate_outcomes(lambda coins: coins.draw(COIN) + coins.draw(noise)))
    assert found == {0: (1 - z) / 3, 1: z / 3 + 2 * (1 - z) / 3, 2: 2 * z / 3}


def test_laws_built_anew_on_every_run_are_the_same_laws() -> None:
    found = enumerate_outcomes(
        lambda coins: coins.draw(FiniteLaw.uniform("ab")) + coins.draw(FiniteLaw.uniform("cd"))
    )
    assert len(found) == 4


def test_a_law_that_changes_between_runs_is_refused() -> None:
    ticks = itertools.count()

    def body(coins: Coins) -> int:
        return coins.draw(FiniteLaw.bernoulli(Fraction(1, 2 + next(ticks)))) + coins.draw(COIN)

    with pytest.raises(InputError, match=f"place: the body is {NOT_A_FUNCTION}.*draw 1 from"):
        enumerate_outcomes(body, where="place")


def test_fewer_draws_than_before_are_refused() -> None:
    ticks = itertools.count()

    def body(coins: Coins) -> int:
        return sum(coins.draw(COIN) for _ in range(2 if next(ticks) == 0 else 1))

    with pytest.raises(InputError, match=f"{NOT_A_FUNCTION}.*1 draws where .* led to 2"):
        enumerate_outcomes(body)


def test_a_result_from_a_clock_or_counter_is_refused() -> None:
    ticks = itertools.count()
    with pytest.raises(InputError, match=f"{NOT_A_FUNCTION}.*0 .int. and then 1 .int."):
        enumerate_outcomes(lambda coins: next(ticks))
    with pytest.raises(InputError, match=NOT_A_FUNCTION):
        enumerate_outcomes(lambda coins: (coins.draw(COIN), next(ticks)))


def test_results_that_compare_by_identity_are_explained() -> None:
    class Opaque:
        pass

    with pytest.raises(InputError, match="Opaque compares by identity"):
        enumerate_outcomes(lambda coins: Opaque())


def test_more_draws_on_the_check_run_are_refused() -> None:
    ticks = itertools.count()

    def body(coins: Coins) -> int:
        if next(ticks) == 2:
            coins.draw(COIN)
        coins.draw(COIN)
        return 0

    with pytest.raises(InputError, match=NOT_A_FUNCTION):
        enumerate_outcomes(body)


def test_a_guard_that_the_body_swallows_is_raised_all_the_same() -> None:
    ticks = itertools.count()

    def body(coins: Coins) -> int:
        try:
            return coins.draw(FiniteLaw.bernoulli(Fraction(1, 2 + next(ticks))))
        except InputError:
            return 0

    with pytest.raises(InputError, match=NOT_A_FUNCTION):
        enumerate_outcomes(body)


def test_a_guard_that_the_body_replaces_is_raised_all_the_same() -> None:
    ticks = itertools.count()

    def body(coins: Coins) -> int:
        try:
            return coins.draw(FiniteLaw.bernoulli(Fraction(1, 2 + next(ticks))))
        except InputError:
            raise KeyError("hidden") from None

    with pytest.raises(InputError, match=NOT_A_FUNCTION):
        enumerate_outcomes(body)


def test_exceptions_carry_the_draws_and_the_original() -> None:
    def body(coins: Coins) -> int:
        return 1 // coins.draw(COIN)

    with pytest.raises(InputError) as caught:
        enumerate_outcomes(body, where="state s, input 0")
    assert str(caught.value).startswith("state s, input 0: the body raised an exception; found ")
    assert "ZeroDivisionError" in caught.value.found
    assert "after the draws [0]" in caught.value.found
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_input_errors_from_inside_are_located() -> None:
    with pytest.raises(InputError, match="place: weight of a: a binary float"):
        enumerate_outcomes(lambda coins: coins.draw(FiniteLaw.of({"a": 1.0})), where="place")


def test_memory_and_interrupts() -> None:
    def exhausted(coins: Coins) -> int:
        raise MemoryError

    def interrupted(coins: Coins) -> int:
        raise KeyboardInterrupt

    with pytest.raises(LimitError, match="out of memory"):
        enumerate_outcomes(exhausted)
    with pytest.raises(KeyboardInterrupt):
        enumerate_outcomes(interrupted)


def test_a_rejection_loop_meets_the_limit_on_draws() -> None:
    def body(coins: Coins) -> int:
        while coins.draw(COIN) == 0:
            pass
        return 0

    with pytest.raises(LimitError, match="a run made 50 draws .*raise limit_draws"):
        enumerate_outcomes(body, limit_draws=50)


def test_the_limit_on_leaves_is_exact() -> None:
    def body(coins: Coins) -> int:
        return sum(coins.draw(COIN) for _ in range(4))

    assert len(enumerate_outcomes(body, limit_leaves=16)) == 5
    with pytest.raises(LimitError, match="more than 15 sequences.*limit_leaves"):
        enumerate_outcomes(body, limit_leaves=15)


@pytest.mark.parametrize("law", [{"a": 1}, None, "ab", COIN.items()])
def test_draws_need_a_finite_law(law: Any) -> None:
    with pytest.raises(InputError, match="needs a FiniteLaw.*clamp or fold"):
        enumerate_outcomes(lambda coins: coins.draw(law))


def test_coins_kept_beyond_their_step_are_refused() -> None:
    kept: list[Coins] = []

    def body(coins: Coins) -> int:
        kept.append(coins)
        return coins.draw(COIN)

    enumerate_outcomes(body)
    with pytest.raises(InputError, match="outside the step"):
        kept[0].draw(COIN)


@pytest.mark.parametrize("values", [(1, True), (1, 1.0), (0.0, -0.0), ((1, "a"), (1.0, "a"))])
def test_equal_results_of_different_type_are_refused(values: tuple[Any, Any]) -> None:
    with pytest.raises(InputError, match="equal but of different types"):
        enumerate_outcomes(lambda coins: values[coins.draw(COIN)])


@pytest.mark.parametrize("limit", [0, -1, True, 1.5])
def test_limits_are_checked(limit: Any) -> None:
    with pytest.raises(InputError, match="limit_leaves"):
        enumerate_outcomes(lambda coins: 0, limit_leaves=limit)
