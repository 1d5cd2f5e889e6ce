"""Production runs: noise that was drawn is never drawn again."""

from __future__ import annotations

import array
import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Hashable
from enum import Enum, IntEnum
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.mechanisms import (
    Coins,
    FiniteLaw,
    LawsMechanism,
    MemoisedResponse,
    RandomisedResponse,
    Run,
    RunSnapshot,
    SeededBits,
    Step,
    SystemBits,
    TableMechanism,
    TreeCounter,
    TwoSidedGeometric,
    open_run,
    truncate,
)
from powercert.mechanisms.fingerprint import fingerprint

SOURCE = Path(__file__).resolve().parents[3] / ".namespace"

BYTE = FiniteLaw.uniform(range(256))
BYTES = 8

Noise = tuple[int, ...]


def noise(coins: Coins) -> Noise:
    return tuple(coins.draw(BYTE) for _ in range(BYTES))


class KeptNoise:
    """Draws one noise at the start and shows it with every input; then fresh noise each round."""

    def start(self, coins: Coins) -> Noise:
        return noise(coins)

    def step(self, state: Noise, item: str, coins: Coins) -> Step[Noise, tuple[Noise, Noise], str]:
        fresh = noise(coins)
        if item == "fail late":
            raise ValueError(item)
        return Step(state, (state, fresh), interface=item)


class FailsEarly(KeptNoise):
    """Refuses an input before it draws."""

    def step(self, state: Noise, item: str, coins: Coins) -> Step[Noise, tuple[Noise, Noise], str]:
        if item == "bad":
            raise ValueError(item)
        return super().step(state, item, coins)


def test_kept_noise_survives_a_restart_and_new_noise_is_new() -> None:
    run = open_run(KeptNoise())
    kept, first = run.feed("a")
    stored = pickle.dumps(run.snapshot())
    again = Run.restore(KeptNoise(), pickle.loads(stored))
    assert (again.rounds, again.draws) == (1, 2 * BYTES)
    kept_again, second = again.feed("b")
    assert kept_again == kept
    assert second != first  # equal with probability 2^-64
    assert (again.rounds, again.draws, again.interface) == (2, 3 * BYTES, "b")


def test_a_seeded_run_repeats_and_its_seed_cannot_be_spent_twice() -> None:
    views = [open_run(KeptNoise(), SeededBits(3)).feed("a") for _ in range(2)]
    assert views[0] == views[1]
    snapshot = open_run(KeptNoise(), SeededBits(3)).snapshot()
    with pytest.raises(InputError, match="seed 3"):
        Run.restore(KeptNoise(), snapshot, SeededBits(3))
    other = Run.restore(KeptNoise(), snapshot, SeededBits(4))
    assert other.feed("a")[0] == views[0][0]
    assert other.feed("a")[1] != views[0][1]
    continued = Run.restore(KeptNoise(), other.snapshot())
    for seed in (3, 4):
        with pytest.raises(InputError, match="already spent"):
            Run.restore(KeptNoise(), continued.snapshot(), SeededBits(seed))


def test_a_later_change_of_the_state_cannot_reach_a_snapshot() -> None:
    class Listing:
        def start(self, coins: Coins) -> Any:
            return []

        def step(self, state: Any, item: int, coins: Coins) -> Step[Any, int, None]:
            state.append(item)
            return Step(state, len(state))

    run = open_run(Listing())
    run.feed(1)
    snapshot = run.snapshot()
    run.feed(2)
    assert Run.restore(Listing(), snapshot).feed(3) == 2


def test_a_step_that_fails_after_drawing_closes_the_run() -> None:
    run = open_run(KeptNoise())
    run.feed("a")
    with pytest.raises(ValueError, match="fail late"):
        run.feed("fail late")
    with pytest.raises(InputError, match="round 2: this run is closed"):
        run.feed("a")
    with pytest.raises(InputError, match="closed"):
        run.snapshot()


def test_a_step_that_refuses_its_input_before_drawing_leaves_the_run_open() -> None:
    run = open_run(FailsEarly())
    with pytest.raises(ValueError, match="bad"):
        run.feed("bad")
    run.feed("good")
    assert (run.rounds, run.draws) == (1, 2 * BYTES)


def test_a_snapshot_of_another_mechanism_is_refused() -> None:
    snapshot = open_run(KeptNoise()).snapshot()
    with pytest.raises(InputError, match="another mechanism.*KeptNoise"):
        Run.restore(FailsEarly(), snapshot)


def test_a_snapshot_shows_no_secret() -> None:
    snapshot = open_run(KeptNoise(), SeededBits(1)).snapshot()
    assert isinstance(snapshot, RunSnapshot)
    text = repr(snapshot)
    assert str(pickle.loads(snapshot.payload)) not in text
    assert "payload" not in text


def test_a_state_that_cannot_be_pickled_is_explained() -> None:
    class Closure:
        def start(self, coins: Coins) -> Any:
            return lambda: 0

        def step(self, state: Any, item: int, coins: Coins) -> Step[Any, int, None]:
            return Step(state, 0)

    with pytest.raises(InputError, match="cannot be pickled.*function"):
        open_run(Closure()).snapshot()


def test_what_is_no_step_is_refused_in_production_too() -> None:
    class Wrong:
        def start(self, coins: Coins) -> int:
            return 0

        def step(self, state: int, item: int, coins: Coins) -> Any:
            return state, item

    with pytest.raises(InputError, match="round 1: a step did not return a Step.*tuple"):
        open_run(Wrong()).feed(0)


def test_a_table_runs_to_its_horizon_and_no_further() -> None:
    rows = [[t, "s", "0", "a", "s", 1] for t in (1, 2)]
    run = open_run(TableMechanism(2, ["0"], ["a"], ["s"], {"s": 1}, rows))
    assert [run.feed("0"), run.feed("0")] == ["a", "a"]
    with pytest.raises(InputError, match="past its horizon of 2 rounds"):
        run.feed("0")


TREE = TreeCounter(8, TwoSidedGeometric("1/3"), shows="prefix")
OTHERS = {
    "noise": [
        TreeCounter(8, TwoSidedGeometric("1/2"), shows="prefix"),
        TreeCounter(8, FiniteLaw.point(0), shows="prefix"),
    ],
    "rounds": [TreeCounter(9, TwoSidedGeometric("1/3"), shows="prefix")],
    "shows": [TreeCounter(8, TwoSidedGeometric("1/3"))],
}


@pytest.mark.parametrize(
    ("field", "other"), [(field, other) for field, listed in OTHERS.items() for other in listed]
)
def test_a_run_is_not_continued_with_other_parameters(field: str, other: TreeCounter) -> None:
    run = open_run(TREE, SeededBits(1))
    run.feed(1)
    kept = pickle.loads(pickle.dumps(run.snapshot()))
    with pytest.raises(InputError, match=f"{field}: the snapshot is of a mechanism with other"):
        Run.restore(other, kept)
    same = TreeCounter(8, TwoSidedGeometric("1/3"), shows="prefix")
    assert Run.restore(same, kept).rounds == 1


def test_what_stands_inside_a_combinator_counts() -> None:
    one, other = MemoisedResponse((0, 1), 3), RandomisedResponse((0, 1), 3)
    run = open_run(truncate(one, 5))
    run.feed(1)
    with pytest.raises(InputError, match="other parameters"):
        Run.restore(truncate(other, 5), run.snapshot())
    assert Run.restore(truncate(MemoisedResponse((0, 1), 3), 5), run.snapshot()).rounds == 1


def test_rows_of_a_table_count() -> None:
    def table(weight: str) -> TableMechanism:
        rows = [["*", "s", "0", "a", "s", weight], ["*", "s", "0", "b", "s", "1/2"]]
        rows = rows if weight == "1/2" else [["*", "s", "0", "a", "s", "1"]]
        return TableMechanism(2, ["0"], ["a", "b"], ["s"], {"s": 1}, rows)

    run = open_run(table("1/2"))
    run.feed("0")
    with pytest.raises(InputError, match="other parameters"):
        Run.restore(table("1"), run.snapshot())
    assert Run.restore(table("1/2"), run.snapshot()).rounds == 1


def test_a_fingerprint_is_the_same_in_another_process() -> None:
    code = (
        "from powercert.mechanisms import *\n"
        "from powercert.mechanisms.fingerprint import fingerprint\n"
        "print(fingerprint(post_process(truncate(MemoisedResponse(('a', 'b'), 3), 5), len)))\n"
        "law = FiniteLaw.uniform({'a', 'b', 'c', 'd', 'e'})\n"
        "rows = [['*', 's', '0', x, 's', '1/5'] for x in {'a', 'b', 'c', 'd', 'e'}]\n"
        "print(fingerprint(TableMechanism(2, ['0'], 'abcde', ['s'], {'s': 1}, rows)))\n"
        "print(fingerprint(post_process(truncate(TreeCounter(4, FiniteLaw.point(0)), 2), "
        "lambda view: (view, law))))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


class Steps:
    """What all mechanisms below share."""

    def start(self, coins: Coins) -> int:
        return 0

    def step(self, state: int, item: Hashable, coins: Coins) -> Step[int, int, None]:
        return Step(state, 0)


class Plain(Steps):
    """No dataclass; one argument under its name, one with an underscore, and a cache."""

    def __init__(self, scale: object, shift: int = 0) -> None:
        self.scale = scale
        self._shift = shift
        self.cache: dict[int, int] = {}


class Slotted(Steps):
    __slots__ = ("_scale",)

    def __init__(self, scale: object) -> None:
        self._scale = scale


class Inherited(Plain):
    """Inherits its constructor."""


@dataclasses.dataclass(frozen=True)
class Holder(Steps):
    held: object

    @cached_property
    def slow(self) -> int:
        return 1


class Colour(Enum):
    RED = 1
    BLUE = 2


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Method:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def scaled(self, value: int) -> int:
        return self.factor * value


class Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "Text"


def scaling(factor: object) -> Callable[[Any], Any]:
    return lambda value: value * factor


def told_apart(one: Any, other: Any) -> bool:
    kept = pickle.loads(pickle.dumps(open_run(one, SeededBits(1)).snapshot()))
    assert Run.restore(one, kept).rounds == 0
    try:
        Run.restore(other, kept)
    except InputError as error:
        assert error.what == "the snapshot is of a mechanism with other parameters"
        return True
    return False


PAIRS: list[tuple[object, object]] = [
    (1, 2),
    (1, "1"),
    (Fraction(1, 10**5000), Fraction(1, 10**5000 + 1)),
    (10**5000, 10**5000 + 1),
    (0.1, 0.2),
    (Colour.RED, Colour.BLUE),
    (Level.LOW, Level.HIGH),
    (Text("a"), Text("b")),
    (FiniteLaw.of({0: "1/2", 1: "1/2"}), FiniteLaw.of({0: "1/3", 1: "2/3"})),
    (TwoSidedGeometric("1/2"), TwoSidedGeometric("1/3")),
    (Plain(1), Plain(2)),
    (Method(2).scaled, Method(3).scaled),
    (scaling(2), scaling(3)),
    (scaling(TwoSidedGeometric("1/2")), scaling(TwoSidedGeometric("1/3"))),
    (array.array("d", [1.0, 2.0]), array.array("d", [1.0, 3.0])),
    (memoryview(b"ab"), memoryview(b"ac")),
    (range(3), range(4)),
    ([1, (2, {"a": {3}})], [1, (2, {"a": {4}})]),
    (len, sum),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=range(len(PAIRS)))
def test_whatever_a_parameter_is_it_counts(one: object, other: object) -> None:
    assert told_apart(Holder(one), Holder(other))
    assert told_apart(Plain(one), Plain(other))
    assert told_apart(Slotted(one), Slotted(other))
    assert told_apart(Inherited(one), Inherited(other))
    assert told_apart(Holder((one, Plain([one]))), Holder((one, Plain([other]))))


def test_the_refusal_names_the_argument() -> None:
    snapshot = open_run(Plain(1, 2)).snapshot()
    with pytest.raises(InputError, match=r"shift: the snapshot is .*found 3 \(int\)"):
        Run.restore(Plain(1, 3), snapshot)


def test_laws_of_histories_count() -> None:
    one, other = (
        LawsMechanism(1, ["0"], {(1, ("0",), ()): {"a": weight, "b": Fraction(1) - weight}})
        for weight in (Fraction(1, 2), Fraction(1, 3))
    )
    assert told_apart(one, other)


def test_caches_and_the_order_of_outcomes_are_no_parameters() -> None:
    warm, holder = Plain(1), Holder(Holder(1))
    warm.cache[1] = 1
    assert not told_apart(Plain(1), warm)
    cold = fingerprint(holder)
    assert holder.slow == 1
    assert fingerprint(holder) == cold
    law, turned = (FiniteLaw.of(dict.fromkeys(keys, "1/2")) for keys in ("ab", "ba"))
    assert law == turned
    assert not told_apart(Holder(law), Holder(turned))
    assert not told_apart(Holder({1: 2, 3: 4}), Holder({3: 4, 1: 2}))
    recursive: list[object] = [1]
    recursive.append(recursive)
    assert not told_apart(Holder(recursive), Holder(recursive))


def test_a_snapshot_from_before_there_were_fingerprints_is_still_restored() -> None:
    snapshot = open_run(Plain(1)).snapshot()
    del snapshot.__dict__["parameters"]
    old = pickle.loads(pickle.dumps(snapshot))
    assert Run.restore(Plain(1), old).rounds == 0


@pytest.mark.parametrize("entropy", [SeededBits, SystemBits])
def test_a_class_is_no_source_of_bits(entropy: Any) -> None:
    with pytest.raises(InputError, match="entropy: not a source of random bits"):
        open_run(KeptNoise(), entropy)


@pytest.mark.parametrize("wrong", [KeptNoise, 5, "tree"])
def test_what_is_no_mechanism_is_not_run(wrong: Any) -> None:
    with pytest.raises(InputError, match="not a mechanism"):
        open_run(wrong)


def test_what_gives_no_bits_is_no_entropy() -> None:
    entropy: Any = 7
    with pytest.raises(InputError, match="entropy: not a source of random bits"):
        open_run(KeptNoise(), entropy)
    snapshot: Any = b"..."
    with pytest.raises(InputError, match="not a snapshot"):
        Run.restore(KeptNoise(), snapshot)
