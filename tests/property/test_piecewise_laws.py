"""Piecewise-linear functions against their pointwise definitions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import exact_number
from powercert.accounting.piecewise import ConcaveFunction, ConvexFunction, upper_hull

Points = list[tuple[Fraction, Fraction]]

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
SAMPLES = [Fraction(i, 8) for i in range(9)]


@st.composite
def clouds(draw: st.DrawFn) -> Points:
    """Points over [0, 1] that include both ends."""
    inner = draw(st.lists(st.tuples(st.sampled_from(SAMPLES), small), max_size=6))
    return [(Fraction(0), draw(small)), *inner, (Fraction(1), draw(small))]


def hull_of(points: Points) -> ConcaveFunction:
    return ConcaveFunction.hull((exact_number(x), exact_number(y)) for x, y in points)


concaves = clouds().map(hull_of)


@st.composite
def convexes(draw: st.DrawFn) -> ConvexFunction:
    """Convex and non-increasing: slopes fall in size over unit steps."""
    sizes = sorted(draw(st.lists(st.integers(0, 6), max_size=5)), reverse=True)
    points: list[tuple[object, object]] = [(0, 10)]
    height = Fraction(10)
    for step, size in enumerate(sizes, start=1):
        height -= size
        points.append((step, height))
    return ConvexFunction.through(points)


def best_mixture(points: Points, x: Fraction) -> Fraction:
    """The highest point over x on a segment between two of the points."""
    values = [y for x0, y in points if x0 == x]
    values += [
        y0 + (x - x0) * (y1 - y0) / (x1 - x0)
        for x0, y0 in points
        for x1, y1 in points
        if x0 < x < x1
    ]
    return max(values)


@settings(max_examples=40)
@given(clouds())
def test_the_hull_is_the_least_concave_function_above(points: Points) -> None:
    hull = hull_of(points)
    for x in SAMPLES:
        assert hull(x) == best_mixture(points, x)
    given_points = {(exact_number(x), exact_number(y)) for x, y in points}
    assert set(hull.points) <= given_points
    assert upper_hull(hull.points) == hull.points


@settings(max_examples=40)
@given(concaves, concaves)
def test_sums_minima_and_majorants_are_pointwise(f: ConcaveFunction, g: ConcaveFunction) -> None:
    corners = [(x, y) for x, y in (*f.points, *g.points)]
    for x in SAMPLES:
        assert f.plus(g)(x) == f(x) + g(x)
        assert f.minimum(g)(x) == min(f(x), g(x))
        assert f.majorant(g)(x) >= max(f(x), g(x))
    assert set(f.majorant(g).points) <= set(corners)
    assert f.minimum(g) <= f
    assert g <= f.majorant(g)


@settings(max_examples=40)
@given(concaves, small)
def test_levels_are_least(f: ConcaveFunction, y: Fraction) -> None:
    found = f.level(y)
    if found is None:
        assert all(height < y for _, height in f.points)
        return
    assert f(found) >= y
    if found > 0:
        assert f(found - found / 1000) < y


@settings(max_examples=40)
@given(concaves)
def test_a_concave_conjugate_is_the_best_line(f: ConcaveFunction) -> None:
    conjugate = f.conjugate()
    for gamma in range(7):
        assert conjugate(gamma) == max(y - gamma * x for x, y in f.points)
    rising = f.points[: f.peak_index() + 1]
    assert conjugate.conjugate().points == rising


@settings(max_examples=40)
@given(convexes())
def test_a_convex_conjugate_is_the_best_line(g: ConvexFunction) -> None:
    conjugate = g.conjugate()
    for x, y in conjugate.points:
        assert y == min(delta + gamma * x for gamma, delta in g.points)
    assert conjugate.conjugate() == g


@settings(max_examples=40)
@given(convexes(), convexes(), st.fractions(0, 7, max_denominator=6))
def test_convex_sums_and_maxima_are_pointwise(
    f: ConvexFunction, g: ConvexFunction, x: Fraction
) -> None:
    assert f.plus(g)(x) == f(x) + g(x)
    assert f.maximum(g)(x) == max(f(x), g(x))
    assert f <= f.maximum(g)
    if f <= g:
        assert f.maximum(g) == g


@settings(max_examples=40)
@given(convexes(), st.integers(-25, 12))
def test_convex_levels_are_least(f: ConvexFunction, y: int) -> None:
    found = f.level(y)
    if found is None:
        assert f.points[-1][1] > y
        return
    assert f(found) <= y
    if found > 0:
        assert f(found - found / 1000) > y


@settings(max_examples=40)
@given(clouds(), clouds())
def test_composition_is_pointwise(outer: Points, inner: Points) -> None:
    f = hull_of([(x, Fraction(i)) for i, (x, _) in enumerate(sorted(outer))])
    g = hull_of([(x, abs(y) / 3) for x, y in inner])
    composed = f.after(g)
    for x in SAMPLES:
        assert composed(x) == f(g(x))
    for corner, height in composed.points:
        assert height == f(g(corner))
