"""Equality of type, and the check that a value was not changed in place."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.mechanisms import FiniteLaw
from powercert.mechanisms.values import (
    canonical,
    describe,
    mutation_guard,
    nearest,
    same_kind,
    show,
)


@dataclass(frozen=True)
class Point:
    """A value with parts."""

    x: Any


class Colour(Enum):
    """Members compare by identity."""

    RED = 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1, 1, True),
        (1, True, False),
        (1, Fraction(1), False),
        ("a", "a", True),
        (Decimal("1.0"), Decimal("1.00"), False),
        (Decimal("1.0"), Decimal("1.0"), True),
        (0.5, 0.5, True),
        (0.0, -0.0, False),
        (((1,),), ((True,),), False),
        (frozenset({1, 2}), frozenset({2, 1}), True),
        (frozenset({1}), frozenset({1.0}), False),
        (Point(1), Point(1), True),
        (Point(1), Point(1.0), False),
        (Point((1, Point(0))), Point((1, Point(False))), False),
    ],
)
def test_same_kind_looks_all_the_way_down(first: object, second: object, same: bool) -> None:
    assert first == second
    assert same_kind(first, second) is same


def test_canonical_returns_the_first_of_equal_values() -> None:
    table: dict[tuple[int, int], tuple[int, int]] = {}
    first, second = (1, int("1000")), (1, int("1000"))
    assert canonical(table, first, "state") is first
    assert canonical(table, second, "state") is first
    assert len(table) == 1


@pytest.mark.parametrize(
    "value",
    [0, "s", (1, ("a", None)), frozenset({1}), Point(1), Point((1, object())), ("s", object()),
     object(), Colour.RED, len, Point, FiniteLaw.uniform("ab"), ("s", Colour.RED)],
)  # fmt: skip
def test_untouched_values_are_unchanged(value: object) -> None:
    assert mutation_guard(value)()


def test_a_changed_part_is_noticed_at_any_depth() -> None:
    @dataclass(unsafe_hash=True)
    class Cell:
        value: int

    cell = Cell(1)
    state = ("s", (Point(cell), 2))
    unchanged = mutation_guard(state)
    assert unchanged()
    cell.value = 2
    assert not unchanged()


def test_names_are_shown_and_suggested() -> None:
    assert show("") == "''"
    assert len(show("x" * 1000)) == 80
    assert nearest("partcipations", ["participations", 3]) == "did you mean 'participations'"
    assert nearest("zzz", ["participations"]) == nearest(3, ["three"]) == ""


def test_an_unhashable_value_is_named() -> None:
    table: dict[Any, Any] = {}
    with pytest.raises(InputError, match="place: the view is not hashable"):
        canonical(table, {}, "view", "place")


def test_very_long_numbers_are_named_not_refused() -> None:
    assert describe(10**5000) == "int with very long numbers (int)"
    assert show((10**5000,)) == "tuple with very long numbers"
