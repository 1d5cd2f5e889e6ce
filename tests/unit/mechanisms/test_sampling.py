"""The exact sampler, bit by bit: scripted bits stand for the entropy source."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import FiniteLaw, SamplerCoins, SeededBits, SystemBits

mpmath: Any = importlib.import_module("mpmath")  # has no types


class Script:
    """Hands out stated integers, each of the width asked for."""

    def __init__(self, *values: int) -> None:
        self.left = list(values)
        self.widths: list[int] = []

    def bits(self, count: int) -> int:
        value = self.left.pop(0)
        assert 0 <= value < 2**count
        self.widths.append(count)
        return value


def test_every_accepted_integer_counts_once() -> None:
    law = FiniteLaw.of({"a": "1/6", "b": "1/2", "c": "1/3"})
    drawn = Counter(law.draw(Script(value)) for value in range(6))
    assert drawn == {"a": 1, "b": 3, "c": 2}


def test_integers_outside_are_rejected_whole() -> None:
    law = FiniteLaw.uniform(range(5))
    script = Script(7, 5, 6, 4)
    assert law.draw(script) == 4
    assert script.widths == [3, 3, 3, 3]


def test_certain_outcomes_need_no_bits() -> None:
    assert FiniteLaw.point("x").draw(Script()) == "x"
    assert FiniteLaw.of({"x": 1, "y": 0}).draw(Script()) == "x"


def test_powers_of_two_are_never_rejected() -> None:
    law = FiniteLaw.uniform(range(8))
    assert [law.draw(Script(value)) for value in range(8)] == list(range(8))


def thresholds(digits: int) -> list[Any]:
    """The inner cumulative weights of the law below, by an independent library."""
    with mpmath.workdps(digits):
        z = mpmath.exp(mpmath.mpf(-1) / 3)
        total = 1 + z + z**2
        return [1 / total, (1 + z) / total]


def symbolic_law() -> FiniteLaw[int]:
    z = Exact.exp(Fraction(-1, 3))
    total = 1 + z + z**2
    return FiniteLaw.of({0: 1 / total, 1: z / total, 2: z**2 / total})


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("offset", [-5, -2, 1, 4])
def test_a_real_well_inside_a_cell_needs_64_bits(which: int, offset: int) -> None:
    with mpmath.workdps(100):
        nearest = int(mpmath.floor(thresholds(100)[which] * 2**64))
    script = Script(nearest + offset)
    assert symbolic_law().draw(script) == which + (offset > 0)
    assert script.widths == [64]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("offset", [-1, 1])
def test_a_real_on_a_threshold_asks_for_more_bits_and_lands_right(which: int, offset: int) -> None:
    # 127 bits agree with the threshold up to the last places: undecided twice, then decided.
    with mpmath.workdps(200):
        word = int(mpmath.floor(thresholds(200)[which] * 2**256))
    first, second, third = word >> 192, (word >> 128) & (2**64 - 1), word & (2**128 - 1)
    script = Script(first, second, third + 8 * offset)
    assert symbolic_law().draw(script) == which + (offset > 0)
    assert script.widths == [64, 64, 128]


def test_dyadic_thresholds_of_symbolic_laws_are_decided_at_once() -> None:
    z = Exact.exp(-1)
    law = FiniteLaw.of({"left": "1/2", "mid": z / 2, "right": (1 - z) / 2})
    assert law.draw(Script(2**63 - 1)) == "left"
    assert law.draw(Script(2**63)) == "mid"


def test_seeded_bits_repeat_and_refuse_other_seeds() -> None:
    assert [SeededBits(5).bits(64) for _ in range(2)] == [SeededBits(5).bits(64)] * 2
    assert SeededBits(5).seed == 5
    wrong: Any
    for wrong in (-1, True, "1", 1.0, None):
        with pytest.raises(InputError, match="the seed"):
            SeededBits(wrong)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64, 1000])
def test_system_bits_have_the_width_asked_for(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def ones(size: int) -> bytes:
        return b"\xff" * size

    monkeypatch.setattr(os, "urandom", ones)
    assert SystemBits().bits(count) == 2**count - 1


def test_sampler_counts_draws_and_refuses_other_things() -> None:
    coins = SamplerCoins(SeededBits(1))
    coins.draw(FiniteLaw.uniform("ab"))
    coins.draw(FiniteLaw.point("a"))
    assert coins.draws == 2
    wrong: Any = {"a": 1}
    with pytest.raises(InputError, match="needs a FiniteLaw"):
        coins.draw(wrong)


def test_sampler_uses_the_system_by_default() -> None:
    # The false alarm has probability 2^-199.
    drawn = {SamplerCoins().draw(FiniteLaw.uniform("ab")) for _ in range(200)}
    assert drawn == {"a", "b"}
