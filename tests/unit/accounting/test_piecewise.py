"""Concave and convex piecewise-linear functions: refusals and edges."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from powercert.accounting import InputError, exact_number
from powercert.accounting.piecewise import ConcaveFunction, ConvexFunction, Point, upper_hull


def texts(points: Sequence[Point]) -> list[tuple[str, str]]:
    return [(str(x), str(y)) for x, y in points]


ROOF = ConcaveFunction.through([(0, 0), (1, 2), (3, 0)])
SLOPE = ConvexFunction.through([(0, 4), (1, 1), (2, 0)])


def test_the_hull_of_nothing_and_of_one_point() -> None:
    assert upper_hull([]) == ()
    one = (exact_number(1), exact_number(2))
    assert upper_hull([one, one]) == (one,)
    with pytest.raises(InputError, match="hull of no point"):
        ConcaveFunction.hull([])


def test_values_and_domain() -> None:
    assert [str(ROOF(x)) for x in (0, "1/2", 1, 2, 3)] == ["0", "1", "2", "1", "0"]
    assert [str(SLOPE(x)) for x in (0, "1/2", 1, "3/2", 2, 9)] == ["4", "5/2", "1", "1/2", "0", "0"]
    for outside in ("-1/10", "31/10"):
        with pytest.raises(InputError, match="outside the interval"):
            ROOF(outside)
    with pytest.raises(InputError, match="outside the domain"):
        SLOPE(-1)


def test_levels_are_reached_at_the_leftmost_place() -> None:
    assert ROOF.level(0) == 0
    assert ROOF.level(-5) == 0
    assert ROOF.level(1) == Fraction(1, 2)
    assert ROOF.level(2) == 1
    assert ROOF.level("21/10") is None
    assert SLOPE.level(5) == 0
    assert SLOPE.level("5/2") == Fraction(1, 2)
    assert SLOPE.level(0) == 2
    assert SLOPE.level("-1/10") is None


def test_sums_minima_and_maxima() -> None:
    other = ConcaveFunction.through([(0, 1), (3, 1)])
    assert texts(ROOF.plus(other).points) == [("0", "1"), ("1", "3"), ("3", "1")]
    # 2x meets 1 at 1/2, and 3 - x meets it at 2.
    assert texts(ROOF.minimum(other).points) == [("0", "0"), ("1/2", "1"), ("2", "1"), ("3", "0")]
    assert texts(ROOF.majorant(other).points) == [("0", "1"), ("1", "2"), ("3", "1")]
    line = ConvexFunction.through([(0, 2), (4, 0)])
    # 4 - 3x meets 2 - x/2 at 4/5, and the line is above from there on.
    assert texts(SLOPE.maximum(line).points) == [("0", "4"), ("4/5", "8/5"), ("4", "0")]
    assert texts(SLOPE.plus(line).points) == [("0", "6"), ("1", "5/2"), ("2", "1"), ("4", "0")]


def test_orders() -> None:
    below = ConcaveFunction.through([(0, 0), (3, 0)])
    assert below <= ROOF
    assert not ROOF <= below
    flat = ConvexFunction.through([(0, 4)])
    assert SLOPE <= flat
    assert not flat <= SLOPE


def test_composition_through_a_falling_inner_function() -> None:
    """min(y, 1) after the roof: 2x up to 1/2, 1 up to 2, then 3 - x."""
    cut = ConcaveFunction.through([(0, 0), (1, 1), (2, 1)])
    assert texts(cut.after(ROOF).points) == [("0", "0"), ("1/2", "1"), ("2", "1"), ("3", "0")]
    with pytest.raises(InputError, match="must not fall"):
        ROOF.after(cut)


def test_equal_functions_are_equal() -> None:
    again = ConcaveFunction.through([(0, 0), ("1/2", 1), (1, 2), (2, 1), (3, 0)])
    assert again == ROOF
    assert hash(again) == hash(ROOF)
    assert ROOF != "roof"
    assert ConvexFunction.through([(0, 4), (1, 1), (2, 0), (3, 0)]) == SLOPE


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([], "at least one point"),
        ([(0, 0), (0, 1)], "do not rise"),
        ([(1, 0), (0, 1)], "do not rise"),
        ([(0, 0), (1, 0), (2, 1)], "not concave"),
        ([(0, 0), (0.5, 1)], "float"),
    ],
)
def test_what_is_not_concave_is_refused(points: list[tuple[object, object]], said: str) -> None:
    with pytest.raises(InputError) as caught:
        ConcaveFunction.through(points)
    assert said in str(caught.value)


def test_functions_on_different_intervals_do_not_mix() -> None:
    short = ConcaveFunction.through([(0, 0), (1, 1)])
    late = ConvexFunction.through([(1, 1), (2, 0)])
    with pytest.raises(InputError, match="different intervals"):
        short.plus(ROOF)
    with pytest.raises(InputError, match="different intervals"):
        ROOF.majorant(short)
    with pytest.raises(InputError, match="different points"):
        late.plus(SLOPE)
    with pytest.raises(InputError, match="different points"):
        assert late <= SLOPE
    with pytest.raises(InputError, match="starts at 0"):
        late.conjugate()
    with pytest.raises(InputError, match="starts at 0"):
        ConcaveFunction.through([(1, 1), (2, 1)]).conjugate()
