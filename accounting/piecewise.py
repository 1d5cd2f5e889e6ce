"""Exact concave and convex piecewise-linear functions on the ordered field of `Exact`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from .arguments import read_items, read_tuple, read_type
from .errors import InputError
from .numbers import Exact, exact_number

__all__ = ["Chain", "ConcaveFunction", "ConvexFunction", "Point", "PointChain", "upper_hull"]

Point = tuple[Exact, Exact]


class Chain(Protocol):
    """The vertices of a concave function from left to right, with the two tests searches need.

    A chain may compute its vertices on demand, and may decide both tests on integers.
    """

    def __len__(self) -> int:
        """Return the number of vertices, at least one."""
        ...

    def x(self, index: int) -> Exact:
        """Return the abscissa of one vertex."""
        ...

    def y(self, index: int) -> Exact:
        """Return the ordinate of one vertex."""
        ...

    def steeper(self, index: int, slope: Exact) -> bool:
        """Return whether the edge after vertex ``index`` has a slope above ``slope``."""
        ...

    def starts_below(self, index: int, level: Exact) -> bool:
        """Return whether the line of that edge is below ``level`` where it crosses x = 0."""
        ...


@dataclass(frozen=True)
class PointChain:
    """A chain whose vertices are all stored."""

    points: tuple[Point, ...]

    def __len__(self) -> int:
        """Return the number of vertices."""
        return len(self.points)

    def x(self, index: int) -> Exact:
        """Return the abscissa of one vertex."""
        return self.points[index][0]

    def y(self, index: int) -> Exact:
        """Return the ordinate of one vertex."""
        return self.points[index][1]

    def steeper(self, index: int, slope: Exact) -> bool:
        """Return whether the edge after vertex ``index`` has a slope above ``slope``."""
        (x0, y0), (x1, y1) = self.points[index], self.points[index + 1]
        # Comparing quotients never puts two exponentials over one generator; products would.
        return (y1 - y0) / (x1 - x0) > slope

    def starts_below(self, index: int, level: Exact) -> bool:
        """Return whether the line of that edge is below ``level`` where it crosses x = 0."""
        (x0, y0), (x1, y1) = self.points[index], self.points[index + 1]
        return (y0 * x1 - y1 * x0) / (x1 - x0) < level


def first_index(count: int, holds: Callable[[int], bool]) -> int:
    """Return the least index below ``count`` where a monotone test holds, or ``count``."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def upper_hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the vertices of the least concave function above some points, left to right.

    Args:
        points: Any points; several may share an abscissa, and then the highest counts.

    Returns:
        Vertices with strictly rising x and strictly falling slopes.

    Example:
        >>> corners = [(0, 0), (1, 1), (2, 1), (1, 3), (2, 2)]
        >>> hull = upper_hull((exact_number(x), exact_number(y)) for x, y in corners)
        >>> [(str(x), str(y)) for x, y in hull]
        [('0', '0'), ('1', '3'), ('2', '2')]

    Source: Andrew 1979, monotone chain.
    """
    hull: list[Point] = []
    for x, y in sorted(points):
        if hull and hull[-1][0] == x:
            hull.pop()
        while len(hull) > 1 and not _turns_down(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return tuple(hull)


def _turns_down(first: Point, second: Point, third: Point) -> bool:
    """Return whether the slope falls strictly at the second of three points."""
    (x0, y0), (x1, y1), (x2, y2) = first, second, third
    return (y1 - y0) * (x2 - x1) > (y2 - y1) * (x1 - x0)


@dataclass(frozen=True, eq=False)
class ConcaveFunction:
    """A concave piecewise-linear function on a closed interval.

    Equal functions compare equal: the vertices are the corners only.

    Example:
        >>> roof = ConcaveFunction.through([(0, 0), ("1/2", 1), (1, 1)])
        >>> roof("1/4")
        Exact('1/2')
        >>> roof.level("1/3")
        Exact('1/6')
    """

    chain: Chain

    @classmethod
    def through(cls, points: Iterable[tuple[object, object]]) -> ConcaveFunction:
        """Return the function with the given vertices; points inside an edge are dropped.

        Raises:
            InputError: No point, abscissas that do not rise, or slopes that rise.
        """
        given = _read_points(points)
        if not given:
            raise InputError("a piecewise-linear function needs at least one point")
        kept: list[Point] = []
        for point in given:
            if kept and point[0] <= kept[-1][0]:
                raise InputError(
                    "the abscissas do not rise",
                    found=f"{kept[-1][0]} then {point[0]}",
                    expected="list the points from left to right, one for each abscissa",
                )
            if len(kept) > 1 and not _turns_down(kept[-2], kept[-1], point):
                if not _collinear(kept[-2], kept[-1], point):
                    raise InputError(
                        "the points are not concave",
                        found=f"a rising slope at ({kept[-1][0]}, {kept[-1][1]})",
                        expected="give points whose slopes fall, or take their hull",
                    )
                kept.pop()
            kept.append(point)
        return cls(PointChain(tuple(kept)))

    @classmethod
    def hull(cls, points: Iterable[Point]) -> ConcaveFunction:
        """Return the least concave function above some points (at least one)."""
        vertices = upper_hull(_read_points(points))
        if not vertices:
            raise InputError("the hull of no point is empty")
        return cls(PointChain(vertices))

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The corners from left to right."""
        if isinstance(self.chain, PointChain):
            return self.chain.points
        return tuple((self.chain.x(i), self.chain.y(i)) for i in range(len(self.chain)))

    @property
    def start(self) -> Exact:
        """The left end of the interval."""
        return self.chain.x(0)

    @property
    def end(self) -> Exact:
        """The right end of the interval."""
        return self.chain.x(len(self.chain) - 1)

    def __call__(self, x: object) -> Exact:
        """Return the value at ``x``.

        Raises:
            InputError: ``x`` is outside the interval.
        """
        at = exact_number(x)
        chain = self.chain
        if at < self.start or at > self.end:
            raise InputError(
                "the argument is outside the interval",
                found=str(at),
                expected=f"write a number from {self.start} to {self.end}",
            )
        right = first_index(len(chain), lambda i: chain.x(i) >= at)
        if chain.x(right) == at:
            return chain.y(right)
        return _between(self._vertex(right - 1), self._vertex(right), at)

    def _vertex(self, index: int) -> Point:
        return self.chain.x(index), self.chain.y(index)

    def peak_index(self) -> int:
        """Return the index of the leftmost vertex where the function is largest."""
        zero = exact_number(0)
        return first_index(len(self.chain) - 1, lambda i: not self.chain.steeper(i, zero))

    def level(self, y: object) -> Exact | None:
        """Return the least x whose value is at least ``y``, or None if there is none."""
        height = exact_number(y)
        chain = self.chain
        peak = self.peak_index()
        right = first_index(peak + 1, lambda i: chain.y(i) >= height)
        if right > peak:
            return None
        if right == 0 or chain.y(right) == height:
            return chain.x(right)
        (x0, y0), (x1, y1) = self._vertex(right - 1), self._vertex(right)
        return x0 + (height - y0) * (x1 - x0) / (y1 - y0)

    def largest_over_lines(self, slope: Exact) -> Exact:
        """Return the maximum over x of f(x) - slope x."""
        chain = self.chain
        read_type(slope, Exact, "slope")
        best = first_index(len(chain) - 1, lambda i: not chain.steeper(i, slope))
        return chain.y(best) - slope * chain.x(best)

    def conjugate(self) -> ConvexFunction:
        """Return gamma -> max over x of f(x) - gamma x, for gamma >= 0; the interval starts at 0.

        Only the rising part of f shows: conjugating twice gives f up to its peak.

        Raises:
            InputError: The interval does not start at 0.

        Example:
            >>> profile = ConcaveFunction.through([(0, 0), ("1/4", "3/4"), (1, 1)]).conjugate()
            >>> [(str(gamma), str(delta)) for gamma, delta in profile.points]
            [('0', '1'), ('1/3', '2/3'), ('3', '0')]
        """
        if self.start != 0:
            raise InputError(
                "only a function that starts at 0 is conjugated", found=str(self.start)
            )
        rising = self.points[: self.peak_index() + 1]
        knots: list[Point] = [(exact_number(0), rising[-1][1])]
        for (x0, y0), (x1, y1) in reversed(list(pairwise(rising))):
            slope = (y1 - y0) / (x1 - x0)
            knots.append((slope, y0 - slope * x0))
        return ConvexFunction(tuple(knots))

    def plus(self, other: ConcaveFunction) -> ConcaveFunction:
        """Return the pointwise sum of two functions on one interval."""
        self._demand_same_interval(other)
        return ConcaveFunction.through((x, self(x) + other(x)) for x in self._knots(other))

    def minimum(self, other: ConcaveFunction) -> ConcaveFunction:
        """Return the pointwise minimum of two functions on one interval, which is concave."""
        self._demand_same_interval(other)
        knots = _with_crossings(self._knots(other), self, other)
        return ConcaveFunction.through((x, min(self(x), other(x))) for x in knots)

    def majorant(self, *others: ConcaveFunction) -> ConcaveFunction:
        """Return the least concave function above this and the others (of the same interval).

        It can exceed the pointwise maximum, which need not be concave.
        """
        for other in others:
            self._demand_same_interval(other)
        return ConcaveFunction.hull(point for f in (self, *others) for point in f.points)

    def after(self, inner: ConcaveFunction) -> ConcaveFunction:
        """Return x -> self(inner(x)), concave since this function must be non-decreasing.

        Raises:
            InputError: This function falls somewhere, or ``inner`` leaves its interval.
        """
        read_type(inner, ConcaveFunction, "inner")
        if self.peak_index() < len(self.chain) - 1 and self.points[-1][1] < self.points[-2][1]:
            raise InputError("the outer function of a composition must not fall")
        rising = inner.points[: inner.peak_index() + 1]
        low, high = rising[0][1], rising[-1][1]
        knots = {x for x, _ in inner.points}
        for corner, _ in self.points:
            if low < corner < high:
                reached = inner.level(corner)
                if reached is not None:
                    knots.add(reached)
        if len(rising) < len(inner.points):
            knots |= _falling_knots(self, inner)
        return ConcaveFunction.through((x, self(inner(x))) for x in sorted(knots))

    def _knots(self, other: ConcaveFunction) -> list[Exact]:
        return sorted({x for x, _ in self.points} | {x for x, _ in other.points})

    def _demand_same_interval(self, other: ConcaveFunction) -> None:
        read_type(other, ConcaveFunction, "other")
        if self.start != other.start or self.end != other.end:
            raise InputError(
                "the functions live on different intervals",
                found=f"[{self.start}, {self.end}] and [{other.start}, {other.end}]",
            )

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same function on the same interval."""
        if not isinstance(other, ConcaveFunction):
            return NotImplemented
        return self is other or (
            len(self.chain) == len(other.chain) and self.points == other.points
        )

    def __hash__(self) -> int:
        """Hash by the corners."""
        return hash(self.points)

    def __le__(self, other: ConcaveFunction) -> bool:
        """Return whether this function is at most the other one everywhere.

        The corners of this one suffice: between them it is linear and the other one concave.
        """
        if not _is_concave(other):
            return NotImplemented
        self._demand_same_interval(other)
        return all(y <= other(x) for x, y in self.points)


@dataclass(frozen=True)
class ConvexFunction:
    """A convex non-increasing piecewise-linear function on [start, infinity).

    ``points`` are the corners; after the last one the function is constant.

    Example:
        >>> floor = ConvexFunction.through([(0, 1), (3, "1/4")])
        >>> floor(1), floor(100), floor.level("1/2")
        (Exact('3/4'), Exact('1/4'), Exact('2'))
    """

    points: tuple[Point, ...]

    @classmethod
    def through(cls, points: Iterable[tuple[object, object]]) -> ConvexFunction:
        """Return the function with the given points; those that are no corner are dropped.

        Raises:
            InputError: No point, abscissas that do not rise, values that rise, not convex.
        """
        given = _read_points(points)
        mirrored = ConcaveFunction.through([(x, -y) for x, y in given]).points
        kept = [(x, -y) for x, y in mirrored]
        if len(kept) > 1 and kept[-1][1] > kept[-2][1]:
            raise InputError("the values rise", found=f"{kept[-2][1]} then {kept[-1][1]}")
        if len(kept) > 1 and kept[-1][1] == kept[-2][1]:
            kept.pop()
        return cls(tuple(kept))

    def __call__(self, x: object) -> Exact:
        """Return the value at ``x``.

        Raises:
            InputError: ``x`` is left of the domain.
        """
        at = exact_number(x)
        points = self.points
        if at < points[0][0]:
            raise InputError(
                "the argument is outside the domain",
                found=str(at),
                expected=f"write a number of at least {points[0][0]}",
            )
        right = first_index(len(points), lambda i: points[i][0] >= at)
        if right == len(points):
            return points[-1][1]
        if points[right][0] == at:
            return points[right][1]
        return _between(points[right - 1], points[right], at)

    def level(self, y: object) -> Exact | None:
        """Return the least x whose value is at most ``y``, or None if there is none."""
        height = exact_number(y)
        points = self.points
        right = first_index(len(points), lambda i: points[i][1] <= height)
        if right == len(points):
            return None
        if right == 0 or points[right][1] == height:
            return points[right][0]
        (x0, y0), (x1, y1) = points[right - 1], points[right]
        return x0 + (height - y0) * (x1 - x0) / (y1 - y0)

    def conjugate(self) -> ConcaveFunction:
        """Return x -> min over gamma >= 0 of g(gamma) + gamma x, on [0, -first slope].

        Raises:
            InputError: The domain does not start at 0.

        Example:
            >>> power = ConvexFunction.through([(0, 1), ("1/3", "2/3"), (3, 0)]).conjugate()
            >>> [(str(x), str(y)) for x, y in power.points]
            [('0', '0'), ('1/4', '3/4'), ('1', '1')]
        """
        points = self.points
        if points[0][0] != 0:
            raise InputError(
                "only a function that starts at 0 is conjugated", found=str(points[0][0])
            )
        knots: list[Point] = [(exact_number(0), points[-1][1])]
        for (x0, y0), (x1, y1) in reversed(list(pairwise(points))):
            slope = (y0 - y1) / (x1 - x0)
            knots.append((slope, y0 + slope * x0))
        return ConcaveFunction(PointChain(tuple(knots)))

    def plus(self, other: ConvexFunction) -> ConvexFunction:
        """Return the pointwise sum of two functions with one start."""
        return ConvexFunction.through((x, self(x) + other(x)) for x in self._knots(other))

    def maximum(self, other: ConvexFunction) -> ConvexFunction:
        """Return the pointwise maximum of two functions with one start, which is convex."""
        knots = _with_crossings(self._knots(other), self, other)
        return ConvexFunction.through((x, max(self(x), other(x))) for x in knots)

    def _knots(self, other: ConvexFunction) -> list[Exact]:
        read_type(other, ConvexFunction, "other")
        if self.points[0][0] != other.points[0][0]:
            raise InputError(
                "the functions start at different points",
                found=f"{self.points[0][0]} and {other.points[0][0]}",
            )
        return sorted({x for x, _ in self.points} | {x for x, _ in other.points})

    def __le__(self, other: ConvexFunction) -> bool:
        """Return whether this function is at most the other one everywhere.

        The corners of the other one suffice: between them it is linear and this one convex.
        """
        if not _is_convex(other):
            return NotImplemented
        if self.points[0][0] != other.points[0][0]:
            raise InputError("the functions start at different points")
        return all(self(x) <= y for x, y in other.points)


def _is_concave(value: object) -> bool:
    return isinstance(value, ConcaveFunction)


def _is_convex(value: object) -> bool:
    return isinstance(value, ConvexFunction)


def _between(left: Point, right: Point, x: Exact) -> Exact:
    (x0, y0), (x1, y1) = left, right
    return y0 + (x - x0) * (y1 - y0) / (x1 - x0)


def _collinear(first: Point, second: Point, third: Point) -> bool:
    (x0, y0), (x1, y1), (x2, y2) = first, second, third
    return (y1 - y0) * (x2 - x1) == (y2 - y1) * (x1 - x0)


def _with_crossings(
    knots: Sequence[Exact], first: Callable[[object], Exact], second: Callable[[object], Exact]
) -> list[Exact]:
    """Return the knots and the points between neighbouring knots where the functions cross."""
    result = [knots[0]]
    before = first(knots[0]) - second(knots[0])
    for left, right in pairwise(knots):
        gap = first(right) - second(right)
        if before.sign() * gap.sign() < 0:
            result.append(left + (right - left) * before / (before - gap))
        result.append(right)
        before = gap
    return result


def _falling_knots(outer: ConcaveFunction, inner: ConcaveFunction) -> set[Exact]:
    """Return where the falling part of ``inner`` meets a corner of ``outer``."""
    falling = inner.points[inner.peak_index() :]
    return {
        x0 + (corner - y0) * (x1 - x0) / (y1 - y0)
        for (x0, y0), (x1, y1) in pairwise(falling)
        for corner, _ in outer.points
        if y1 < corner < y0
    }


def _read_points(points: object) -> list[Point]:
    """Return points given as couples of numbers."""
    couples = [
        read_tuple(point, f"points[{index}]", 'write (0, "1/2")')
        for index, point in enumerate(read_items(points, "points", 'write [(0, "1/2"), (1, 1)]'))
    ]
    return [(exact_number(x), exact_number(y)) for x, y in couples]
