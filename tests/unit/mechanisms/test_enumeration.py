"""ExactMachine: merged exact transitions, and what it catches in a mechanism."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import Coins, ExactMachine, FiniteLaw, Step

COIN = FiniteLaw.of({0: "1/3", 1: "2/3"})


def plain(value: object) -> Any:
    """A value as it is, for comparing Exact with the int or Fraction it should equal."""
    return value


StepFunction = Callable[[Any, Any, Coins], Step[Any, Any, Any]]


class Machine:
    """A mechanism from two functions, so that each test states only its own step."""

    def __init__(self, step: StepFunction | None, start: Any = None) -> None:
        self._step = step
        self._start = start

    def start(self, coins: Coins) -> Any:
        return self._start(coins) if callable(self._start) else self._start

    def step(self, state: Any, item: Any, coins: Coins) -> Step[Any, Any, Any]:
        assert self._step is not None
        return self._step(state, item, coins)


def test_equal_views_and_states_merge_and_the_rest_is_kept() -> None:
    def step(state: int, item: int, coins: Coins) -> Step[int, int, int]:
        first, second = coins.draw(COIN), coins.draw(COIN)
        return Step(state + item, first + second, core=first, interface=second)

    machine = ExactMachine(Machine(step, 0))
    assert plain(machine.initial()) == ((0, 1),)
    assert plain(machine.transitions(0, 5)) == (
        (0, 5, Fraction(1, 9)), (1, 5, Fraction(4, 9)), (2, 5, Fraction(4, 9)),
    )  # fmt: skip
    assert plain(machine.steps(0, 5)[1]) == (Step(5, 1, 0, 1), Fraction(2, 9))


def test_steps_run_once_per_state_and_input() -> None:
    runs = itertools.count()

    def step(state: int, item: int, coins: Coins) -> Step[int, int, None]:
        next(runs)
        return Step(state, item)

    machine = ExactMachine(Machine(step, 0))
    first = machine.transitions(0, 1)
    seen = next(runs)
    assert machine.transitions(0, 1) is first
    assert next(runs) == seen + 1


def test_initial_states_merge() -> None:
    def start(coins: Coins) -> int:
        return coins.draw(COIN) * coins.draw(COIN)

    machine = ExactMachine(Machine(None, start))
    assert plain(machine.initial()) == ((0, Fraction(5, 9)), (1, Fraction(4, 9)))
    assert machine.initial() is machine.initial()


def test_states_are_interned() -> None:
    def step(state: Any, item: int, coins: Coins) -> Step[Any, int, None]:
        return Step((*state[:0], "s", coins.draw(COIN) * 0), 0)

    machine = ExactMachine(Machine(step, ("s", 0)))
    initial = machine.initial()[0][0]
    assert machine.transitions(initial, 0)[0][1] is initial


@pytest.mark.parametrize("result", [None, [0], (0, 0), 0.5, {0: 0}])
def test_what_is_no_step_is_refused_with_its_type(result: Any) -> None:
    machine = ExactMachine(Machine(lambda state, item, coins: result))
    with pytest.raises(InputError) as caught:
        machine.transitions("s", "x")
    message = str(caught.value)
    assert message.startswith("state s, input x: a step did not return a Step")
    assert f"({type(result).__name__})" in message


@pytest.mark.parametrize("what", ["state", "view", "core", "interface"])
def test_parts_of_a_step_must_be_hashable(what: str) -> None:
    parts: dict[str, Any] = {"state": 0, "view": 0, what: ["a"]}
    machine = ExactMachine(Machine(lambda state, item, coins: Step(**parts)))
    with pytest.raises(InputError, match=f"state s, input x: the {what} is not hashable"):
        machine.transitions("s", "x")


def test_an_unhashable_start_or_argument_is_refused() -> None:
    with pytest.raises(InputError, match="start: the state is not hashable"):
        ExactMachine(Machine(None, {"count": 0})).initial()
    machine: Any = ExactMachine(Machine(lambda state, item, coins: Step(0, 0)))
    with pytest.raises(InputError, match="the state is not hashable"):
        machine.transitions([0], "x")
    with pytest.raises(InputError, match="the input is not hashable"):
        machine.transitions(0, ["x"])


def test_views_that_are_not_a_number_are_refused() -> None:
    machine = ExactMachine(Machine(lambda state, item, coins: Step(0, float("nan"))))
    with pytest.raises(InputError, match="the view is not equal to itself"):
        machine.transitions(0, 0)


@pytest.mark.parametrize("pair", [(1, True), (1, 1.0), (0.0, -0.0)])
def test_types_must_agree_within_and_between_steps(pair: tuple[Any, Any]) -> None:
    within = ExactMachine(Machine(lambda state, item, coins: Step(0, pair[coins.draw(COIN)])))
    with pytest.raises(InputError, match="equal but of different types"):
        within.transitions("s", "x")
    between = ExactMachine(Machine(lambda state, item, coins: Step(0, pair[item == "y"])))
    between.transitions("s", "x")
    with pytest.raises(InputError, match="two views are equal but of different types"):
        between.transitions("s", "y")
    states = ExactMachine(Machine(lambda state, item, coins: Step(pair[1], 0), pair[0]))
    states.initial()
    with pytest.raises(InputError, match="two states are equal but of different types"):
        states.transitions(pair[0], "x")
    inputs = ExactMachine(Machine(lambda state, item, coins: Step(0, 0)))
    inputs.transitions("s", pair[0])
    with pytest.raises(InputError, match="two inputs are equal but of different types"):
        inputs.transitions("s", pair[1])


@dataclass(unsafe_hash=True)
class Counter:
    """A state that can be changed in place although it has a hash."""

    count: int = 0
    log: list[int] = field(default_factory=list[int], compare=False)


def test_a_state_changed_in_place_is_refused() -> None:
    def step(state: Counter, item: int, coins: Coins) -> Step[Counter, int, None]:
        state.count += coins.draw(COIN)
        return Step(state, 0)

    with pytest.raises(InputError, match="state Counter.*the step changed its state in place"):
        ExactMachine(Machine(step)).transitions(Counter(), 0)


def test_a_changed_state_is_named_even_where_it_also_breaks_the_replay() -> None:
    def step(state: Counter, item: int, coins: Coins) -> Step[int, int, None]:
        state.count += 1
        return Step(0, coins.draw(FiniteLaw.uniform(range(1, 2 + state.count))))

    with pytest.raises(InputError, match="changed its state in place"):
        ExactMachine(Machine(step)).transitions(Counter(), 0)


class Identity:
    """A mutable state whose hash and equality are its identity."""

    def __init__(self) -> None:
        self.items: list[int] = []


def test_a_shared_list_inside_a_state_is_noticed() -> None:
    def step(state: Identity, item: int, coins: Coins) -> Step[int, int, None]:
        state.items.append(item)
        return Step(0, 0)

    with pytest.raises(InputError, match="changed its state in place"):
        ExactMachine(Machine(step)).transitions(Identity(), 0)


def test_memory_outside_the_state_is_refused() -> None:
    class Remembering:
        def __init__(self) -> None:
            self.count = 0

        def start(self, coins: Coins) -> int:
            return 0

        def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
            self.count += 1
            return Step(0, self.count)

    with pytest.raises(InputError, match="not a function of its coins"):
        ExactMachine(Remembering()).transitions(0, 0)


def test_global_random_numbers_are_refused() -> None:
    import random

    generator = random.Random(1)
    machine = ExactMachine(Machine(lambda state, item, coins: Step(0, generator.getrandbits(64))))
    with pytest.raises(InputError, match="global random"):
        machine.transitions(0, 0)


def test_an_exception_for_one_input_names_state_input_and_draws() -> None:
    def step(state: int, item: str, coins: Coins) -> Step[int, int, None]:
        coins.draw(COIN)
        return Step(0, {"0": 1}[item])

    machine = ExactMachine(Machine(step))
    machine.transitions("s3", "0")
    with pytest.raises(InputError) as caught:
        machine.transitions("s3", "1")
    assert caught.value.where == "state s3, input 1"
    assert "KeyError: '1', after the draws [0]" in caught.value.found
    assert isinstance(caught.value.__cause__, KeyError)


def test_limits_name_state_and_input() -> None:
    def step(state: int, item: int, coins: Coins) -> Step[int, int, None]:
        return Step(0, sum(coins.draw(COIN) for _ in range(item)))

    machine = ExactMachine(Machine(step), limit_leaves=64, limit_draws=6)
    assert sum(weight.as_fraction() for _, _, weight in machine.transitions(0, 6)) == 1
    with pytest.raises(LimitError, match="state 0, input 7: a run made 6 draws"):
        machine.transitions(0, 7)


def test_symbolic_weights_are_exact() -> None:
    z = Exact.exp(Fraction(-1, 4))
    noise = FiniteLaw.of({0: 1 / (1 + z), 1: z / (1 + z)})

    def step(state: int, item: int, coins: Coins) -> Step[int, int, None]:
        return Step(0, item ^ coins.draw(noise) ^ coins.draw(noise))

    machine = ExactMachine(Machine(step))
    assert machine.transitions(0, 0) == (
        (0, 0, (1 + z**2) / (1 + z) ** 2), (1, 0, 2 * z / (1 + z) ** 2),
    )  # fmt: skip
