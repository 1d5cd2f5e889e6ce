"""Mechanisms as tables: what their rows must be, and that every reader reads the same text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import ExactMachine, SeededBits, TableMechanism, open_run

FLIP: list[list[Any]] = [
    ["*", "s", x, y, "s", "2/3" if x == y else "1/3"] for x in "01" for y in "01"
]


def plain(value: object) -> Any:
    """A value as it is, for comparing Exact with the int or Fraction it should equal."""
    return value


def table(**changes: Any) -> TableMechanism:
    """A two-round randomised response, with some arguments replaced."""
    arguments: dict[str, Any] = {
        "rounds": 2, "inputs": ["0", "1"], "outputs": ["0", "1"], "states": ["s"],
        "initial": {"s": "1"}, "kernel": FLIP,
    }  # fmt: skip
    return TableMechanism(**(arguments | changes))


def test_rows_for_all_rounds_carry_no_round_in_the_state() -> None:
    machine = ExactMachine(table())
    assert plain(machine.initial()) == (("s", 1),)
    assert plain(machine.transitions("s", "1")) == (
        ("0", "s", Fraction(1, 3)), ("1", "s", Fraction(2, 3)),
    )  # fmt: skip


def test_rows_for_one_round_carry_the_round_in_the_state() -> None:
    rows = [[1, "s", x, y, "s", "1/2"] for x in "01" for y in "01"]
    rows += [[2, "s", x, x, "s", 1] for x in "01"]
    machine = ExactMachine(table(kernel=rows))
    assert plain(machine.initial()) == (((1, "s"), 1),)
    assert plain(machine.transitions((1, "s"), "0")) == (
        ("0", (2, "s"), Fraction(1, 2)), ("1", (2, "s"), Fraction(1, 2)),
    )  # fmt: skip
    assert plain(machine.transitions((2, "s"), "0")) == (("0", (3, "s"), 1),)
    with pytest.raises(InputError) as caught:
        machine.transitions((3, "s"), "0")
    assert str(caught.value) == (
        "round 3, state s, input 0: the run is past its horizon of 2 rounds"
    )


def test_all_round_rows_and_one_round_rows_mix_for_different_inputs() -> None:
    rows = [["*", "s", "0", "0", "s", 1], [1, "s", "1", "1", "s", 1], [2, "s", "1", "0", "s", 1]]
    machine = ExactMachine(table(kernel=rows))
    assert plain(machine.transitions((2, "s"), "0")) == (("0", (3, "s"), 1),)
    assert plain(machine.transitions((2, "s"), "1")) == (("0", (3, "s"), 1),)


def test_initial_law_over_states_and_next_states() -> None:
    rows = [["*", a, "0", "0", b, p] for a in "ab" for b, p in (("a", "1/4"), ("b", "3/4"))]
    machine = ExactMachine(table(states=["a", "b"], initial={"a": "1/3", "b": "2/3"}, kernel=rows))
    assert plain(machine.initial()) == (("a", Fraction(1, 3)), ("b", Fraction(2, 3)))
    assert plain(machine.transitions("b", "0")) == (
        ("0", "a", Fraction(1, 4)), ("0", "b", Fraction(3, 4)),
    )  # fmt: skip


def test_symbolic_probabilities() -> None:
    z = Exact.exp(Fraction(-1, 4))
    rows = [["*", "s", x, y, "s", (1 if x == y else z) / (1 + z)] for x in "01" for y in "01"]
    assert ExactMachine(table(kernel=rows)).transitions("s", "0")[1][2] == z / (1 + z)


def test_zero_rows_are_accepted_and_unreachable() -> None:
    rows = [["*", "s", x, y, "s", "1" if x == y else "0"] for x in "01" for y in "01"]
    assert plain(ExactMachine(table(kernel=rows)).transitions("s", "0")) == (("0", "s", 1),)


def test_a_missing_row_is_an_error_only_when_reached() -> None:
    rows = [[1, "s", x, "0", "s", 1] for x in "01"] + [[2, "s", "0", "0", "s", 1]]
    machine = ExactMachine(table(kernel=rows))
    machine.transitions((2, "s"), "0")
    with pytest.raises(InputError) as caught:
        machine.transitions((2, "s"), "1")
    assert str(caught.value) == "round 2, state s, input 1: no transition"
    assert caught.value.where == "round 2, state s, input 1"


def test_an_unknown_input_at_run_time_is_explained() -> None:
    machine = ExactMachine(table(inputs=["left", "right"], kernel=[
        ["*", "s", "left", "0", "s", 1], ["*", "s", "right", "1", "s", 1]]))  # fmt: skip
    with pytest.raises(InputError, match="state s, input rigth: unknown input.*mean 'right'"):
        machine.transitions("s", "rigth")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["*", "s", "0", "0", "s"], "not a list of 6 fields"),
        ("*s00s1", "not a list of 6 fields"),
        ([0, "s", "0", "0", "s", 1], "not a round; found 0"),
        ([-1, "s", "0", "0", "s", 1], "not a round; found -1"),
        ([3, "s", "0", "0", "s", 1], "not a round; found 3"),
        ([1.5, "s", "0", "0", "s", 1], "not a round; found 1.5"),
        (["two", "s", "0", "0", "s", 1], "not a round; found 'two'"),
        ([True, "s", "0", "0", "s", 1], r"not a round; found True \(bool\)"),
        (["*", "t", "0", "0", "s", 1], "unknown state; found 't'"),
        (["*", "s", "2", "0", "s", 1], "unknown input; found '2'"),
        (["*", "s", 0, "0", "s", 1], r"unknown input; found 0 \(int\)"),
        (["*", "s", "0", "2", "s", 1], "unknown output; found '2'"),
        (["*", "s", "0", "0", "t", 1], "unknown state; found 't'"),
        (["*", ["s"], "0", "0", "s", 1], "unknown state"),
        (["*", "s", "0", "0", "s", 0.5], "binary float"),
        (["*", "s", "0", "0", "s", "-1/2"], "negative"),
        (["*", "s", "0", "0", "s", "1/0"], "zero"),
        (["*", "s", "0", "0", "s", None], "not a probability"),
    ],
)
def test_bad_rows_are_named_by_their_place(row: Any, message: str) -> None:
    with pytest.raises(InputError, match=rf"kernel\[1\].*{message}"):
        table(kernel=[["*", "s", "1", "0", "s", 1], row])


def test_nearest_declared_name_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'halted'"):
        table(outputs=["halted"], kernel=[["*", "s", "0", "haltd", "s", 1]])


def test_sums_are_checked_per_round_state_and_input() -> None:
    rows = [[1, "s", "0", "0", "s", "99/100"]]
    with pytest.raises(InputError) as caught:
        table(kernel=rows)
    assert str(caught.value) == (
        "round 1, state s, input 0: probabilities sum to 99/100, not 1 (missing 1/100)"
    )
    with pytest.raises(InputError, match="^state s, input 0: probabilities sum to 2, not 1"):
        table(kernel=[["*", "s", "0", "0", "s", 1], ["*", "s", "0", "1", "s", 1]])


def test_duplicate_rows_are_refused() -> None:
    with pytest.raises(InputError, match=r"kernel\[1\]: duplicate row.*state s, input 0, output 0"):
        table(kernel=[["*", "s", "0", "0", "s", "1/2"], ["*", "s", "0", "0", "s", "1/2"]])


def test_rows_for_one_round_may_not_overlap_rows_for_all() -> None:
    with pytest.raises(InputError, match=r"round 2, state s, input 1: .*overlap"):
        table(kernel=[*FLIP, [2, "s", "1", "1", "s", 1]])


@pytest.mark.parametrize("rounds", [0, -1, True, 1.5, "2"])
def test_rounds_must_be_positive(rounds: object) -> None:
    with pytest.raises(InputError, match="rounds is not an integer >= 1"):
        table(rounds=rounds)


@pytest.mark.parametrize("what", ["inputs", "outputs", "states"])
def test_alphabets_are_not_empty_and_have_no_repeats(what: str) -> None:
    with pytest.raises(InputError, match=f"there are no {what}"):
        table(**{what: []})
    with pytest.raises(InputError, match="comes twice"):
        table(**{what: ["0", "1", "s", "0"]})
    with pytest.raises(InputError, match="equal but of different types"):
        table(**{what: [1, True]})


def test_the_initial_law_is_checked() -> None:
    with pytest.raises(InputError, match="initial: unknown state"):
        table(initial={"t": 1})
    with pytest.raises(InputError, match="initial: probabilities sum to 1/2"):
        table(initial={"s": "1/2"})


RELEASE = [[1, ["0"], "low"], [1, ["1"], "high"]] + [
    [2, [a, b], "same" if a == b else "other"] for a in "01" for b in "01"
]


def test_release_maps_core_histories_to_views() -> None:
    released = table(release=RELEASE)
    assert released.has_release
    machine = ExactMachine(released)
    assert plain(machine.initial()) == (((1, "s", ()), 1),)
    steps = dict(machine.steps((1, "s", ()), "0"))
    assert {(step.core, step.view): weight for step, weight in steps.items()} == {
        ("0", "low"): Fraction(2, 3), ("1", "high"): Fraction(1, 3),
    }  # fmt: skip
    second = machine.steps((2, "s", ("1",)), "1")
    assert {(step.state, step.view): weight for step, weight in second} == {
        ((3, "s", ("1", "0")), "other"): Fraction(1, 3),
        ((3, "s", ("1", "1")), "same"): Fraction(2, 3),
    }
    with pytest.raises(InputError, match="past its horizon"):
        machine.transitions((3, "s", ("1", "1")), "0")


def test_a_missing_release_is_an_error_when_reached() -> None:
    machine = ExactMachine(table(release=RELEASE[:2]))
    machine.transitions((1, "s", ()), "0")
    with pytest.raises(InputError, match=r"round 2, state s, input 0: .*no view.*found 1\|0"):
        machine.transitions((2, "s", ("1",)), "0")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, ["0"], "high"], "release map is not a function.*put a randomised release"),
        ([1, ["0"], "low"], "duplicate row"),
        ([2, ["0"], "low"], "another length than the round"),
        (["*", ["0"], "low"], "not a round"),
        ([1, ["2"], "low"], "unknown output"),
        ([1, "0", "low"], "core history is not a list"),
        ([1, ["0"]], "not a list of 3 fields"),
        ([2, ["0", "0"], ["low"]], "the view is not hashable"),
    ],
)
def test_release_rows_are_checked(row: Any, message: str) -> None:
    with pytest.raises(InputError, match=rf"release\[2\].*{message}"):
        table(release=[*RELEASE[:2], row])


def test_the_sampler_reads_the_same_table() -> None:
    rows = [["*", "s", "0", "1", "s", 1], ["*", "s", "1", "0", "s", 1]]
    run = open_run(table(kernel=rows), SeededBits(0))
    assert [run.feed(item) for item in "01"] == ["1", "0"]


def test_a_table_with_many_rows_is_read_in_linear_time() -> None:
    size = 20_000
    names = [str(number) for number in range(size)]
    rows = [["*", name, "0", "0", name, "1"] for name in names]
    big = table(states=names, initial={"0": 1}, kernel=rows)
    assert big.law("17", "0").outcomes == (("0", "17"),)
