"""Mechanisms given by laws of the next view, and joint laws that may anticipate."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.mechanisms import ExactMachine, FiniteLaw, JointLaws, LawsMechanism

Stream = tuple[str, ...]


def plain(value: object) -> Any:
    """A value as it is, for comparing Exact with the int or Fraction it should equal."""
    return value


def echo_first() -> dict[Any, Any]:
    """Round 1 flips a coin; round 2 repeats that coin if the second input is 1, else prints 0."""
    laws: dict[Any, Any] = {}
    for x in "01":
        laws[1, (x,), ()] = {"0": "1/2", "1": "1/2"}
        for y, view in itertools.product("01", "01"):
            laws[2, (x, y), (view,)] = {view if y == "1" else "0": 1}
    return laws


def test_laws_depend_on_inputs_and_views() -> None:
    machine = ExactMachine(LawsMechanism(2, ["0", "1"], echo_first()))
    assert plain(machine.initial()) == ((((), ()), 1),)
    first = machine.transitions(((), ()), "0")
    assert plain(first) == (
        ("0", (("0",), ("0",)), Fraction(1, 2)), ("1", (("0",), ("1",)), Fraction(1, 2)),
    )  # fmt: skip
    assert plain(machine.transitions((("0",), ("1",)), "1")) == (
        ("1", (("0", "1"), ("1", "1")), 1),
    )
    assert plain(machine.transitions((("0",), ("1",)), "0")) == (
        ("0", (("0", "0"), ("1", "0")), 1),
    )


def test_a_missing_law_and_the_horizon_are_errors_when_reached() -> None:
    laws = echo_first()
    del laws[2, ("0", "1"), ("1",)]
    machine = ExactMachine(LawsMechanism(2, ["0", "1"], laws))
    with pytest.raises(InputError) as caught:
        machine.transitions((("0",), ("1",)), "1")
    assert str(caught.value) == "round 2, inputs 0|1, views 1: no transition"
    with pytest.raises(InputError, match="past its horizon of 2"):
        machine.transitions((("0", "0"), ("1", "0")), "1")


@pytest.mark.parametrize(
    ("key", "law", "message"),
    [
        ((0, (), ()), {"a": 1}, "not a round"),
        ("0", {"a": 1}, "a key is not"),
        ((1, "0", ()), {"a": 1}, "a key is not"),
        ((True, ("0",), ()), {"a": 1}, "a key is not"),
        ((1, ("0",), ()), [("a", 1)], "not a mapping"),
        ((3, ("0", "0", "0"), ("a", "a")), {"a": 1}, "not a round"),
        ((2, ("0",), ("a",)), {"a": 1}, "wrong length"),
        ((2, ("0", "0"), ()), {"a": 1}, "wrong length"),
        ((1, ("2",), ()), {"a": 1}, "unknown input"),
        ((1, ("0",), ()), {"a": "1/2"}, "round 1, inputs 0: probabilities sum to 1/2"),
        ((1, ("0",), ()), {"a": 0.5, "b": 0.5}, "binary float"),
    ],
)
def test_laws_are_checked(key: Any, law: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LawsMechanism(2, ["0", "1"], {key: law})


def joint_of_echo() -> dict[Stream, dict[Stream, str]]:
    """The joint laws of the mechanism above, multiplied out by hand."""
    return {
        (x, y): {("0", "0"): "1/2", ("1", "1" if y == "1" else "0"): "1/2"}
        for x in "01"
        for y in "01"
    }


def test_honest_joint_laws_do_not_anticipate_and_condition_to_the_mechanism() -> None:
    joint = JointLaws(joint_of_echo(), inputs=["0", "1"])
    assert joint.anticipation() is None
    machine = joint.as_laws()
    original = LawsMechanism(2, ["0", "1"], echo_first())
    for x, y, view in itertools.product("01", "01", "01"):
        assert machine.law((x,), ()) == original.law((x,), ())
        assert machine.law((x, y), (view,)) == original.law((x, y), (view,))


def test_a_law_that_looks_ahead_is_caught_with_a_witness() -> None:
    laws = joint_of_echo()
    laws["1", "0"] = {("0", "0"): "1/3", ("1", "0"): "2/3"}
    joint = JointLaws(laws)
    witness = joint.anticipation()
    assert witness is not None
    assert witness.round == 1
    assert set(witness.streams) == {("1", "0"), ("1", "1")}
    assert witness.views == ("0",)
    assert set(witness.probabilities) == {Fraction(1, 2), Fraction(1, 3)}
    for stream, probability in zip(witness.streams, witness.probabilities, strict=True):
        law = joint.law(stream).map(lambda transcript: transcript[:1])
        assert law.weight(witness.views) == probability
    with pytest.raises(InputError, match="round 1: the joint laws anticipate.*agree up to round 1"):
        joint.as_laws()


def test_an_early_view_that_only_one_stream_can_give_is_a_witness() -> None:
    # Equal laws but for a view that has probability 0 under the first stream.
    joint = JointLaws({
        ("0", "0"): {("a", "-"): 1},
        ("0", "1"): {("a", "-"): "1/2", ("b", "-"): "1/2"},
    })  # fmt: skip
    witness = joint.anticipation()
    assert witness is not None
    assert plain((witness.views, witness.probabilities)) == (("a",), (1, Fraction(1, 2)))


def test_the_last_round_cannot_anticipate() -> None:
    assert JointLaws({("0",): {("0",): 1}, ("1",): {("1",): 1}}).anticipation() is None


def test_missing_streams_are_reported_with_their_count() -> None:
    laws = joint_of_echo()
    del laws["0", "1"], laws["1", "1"]
    with pytest.raises(InputError, match=r"2 missing, the first is 0\|1"):
        JointLaws(laws, inputs=["0", "1"])
    # Without a declared alphabet round 2 has the one input 0 only, and nothing is missing.
    assert JointLaws(laws).missing() == (0, ())
    partial = JointLaws(laws, inputs=["0", "1"], partial=True)
    assert partial.missing() == (2, ("0", "1"))
    with pytest.raises(InputError, match=r"stream 0\|1: no law"):
        partial.law(("0", "1"))
    with pytest.raises(InputError, match="no transition"):
        partial.as_laws().law(("0", "1"), ("0",))


def test_data_then_queries_need_no_impossible_streams() -> None:
    laws = {(data, query): {("ok", data): 1} for data in "01" for query in "AB"}
    assert JointLaws(laws).missing() == (0, ())


def test_the_count_of_missing_streams_needs_no_enumeration() -> None:
    stream = tuple("0" * 40)
    joint = JointLaws({stream: {stream: 1}}, inputs=["0", "1"], partial=True)
    assert joint.missing() == (2**40 - 1, (*"0" * 39, "1"))


@pytest.mark.parametrize(
    ("laws", "message"),
    [
        ({}, "no input streams"),
        ({(): {(): 1}}, "empty"),
        ({("0",): {("a",): 1}, ("0", "1"): {("a", "a"): 1}}, "lengths 1 and 2"),
        ({("0",): {("a", "b"): 1}}, "lengths 1 and 2"),
        ({("0",): {"a": 1}}, "a transcript is not a tuple"),
        ({"0": {("a",): 1}}, "a stream is not a tuple"),
        ({0: {("a",): 1}}, "a stream is not a tuple"),
        ({("0",): {("a",): "1/2"}}, "stream 0: probabilities sum to 1/2"),
        ({("0",): {(1,): 1}, ("1",): {(True,): 1}}, "different types"),
    ],
)
def test_joint_laws_are_checked(laws: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        JointLaws(laws)


def test_declared_inputs_are_checked() -> None:
    with pytest.raises(InputError, match="unknown input.*'2'"):
        JointLaws({("2",): {("a",): 1}}, inputs=["0"])


def test_laws_may_be_given_as_laws() -> None:
    law = FiniteLaw.uniform([("a",), ("b",)])
    joint = JointLaws({("0",): law})
    assert joint.law(("0",)) is law
    assert joint.streams == (("0",),)
    assert joint.as_laws().law(("0",), ()) == FiniteLaw.uniform("ab")
