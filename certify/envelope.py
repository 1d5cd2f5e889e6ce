"""Continuous piecewise-linear functions that need not be concave: maxima of power functions.

A function here is the list of its corners from left to right, the first at 0. It does not fall, and
it stands for what an adversary can reach: the most mass in one world at a given mass in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..accounting.epsilon import read_probability
from ..accounting.numbers import Exact
from ..accounting.piecewise import ConcaveFunction, Point
from ..accounting.power import PowerFunction

__all__ = ["Corners", "Envelope", "convolved", "larger"]

Corners = tuple[Point, ...]


@dataclass(frozen=True)
class Envelope:
    """The pointwise maximum of some power functions; it need not be concave.

    Args:
        points: Its corners (alpha, power), from alpha = 0 to alpha = 1.

    Example:
        >>> loss = PowerFunction.from_vertices([(0, "1/2"), (1, 1)])
        >>> rr = PowerFunction.dp(exp_epsilon=9)
        >>> both = Envelope.of([loss, rr])
        >>> both("1/20"), both.majorant()("1/20"), both.is_concave
        (Exact('21/40'), Exact('7/10'), False)
    """

    points: Corners

    @classmethod
    def of(cls, functions: Sequence[PowerFunction]) -> Envelope:
        """Return the pointwise maximum of at least one power function."""
        first, *others = (function.vertices for function in functions)
        result = first
        for other in others:
            result = larger(result, other)
        return cls(result)

    def __call__(self, alpha: object) -> Exact:
        """Return the largest power at false-alarm level ``alpha`` in [0, 1].

        Raises:
            InputError: ``alpha`` is no number in [0, 1].
        """
        return _value(self.points, read_probability(alpha, "alpha"))

    @property
    def is_concave(self) -> bool:
        """Whether it is its own least concave majorant."""
        return self.majorant().vertices == self.points

    def majorant(self) -> PowerFunction:
        """Return the least power function above it."""
        return PowerFunction(ConcaveFunction.hull(self.points))

    def delta(self, exp_epsilon: Exact) -> Exact:
        """Return the largest power - e^epsilon alpha: the profile at e^epsilon >= 0.

        A maximum of linear functions of the points, so it is that of the majorant too.
        """
        return max(y - exp_epsilon * x for x, y in self.points)


def larger(first: Corners, second: Corners) -> Corners:
    """Return the pointwise maximum of two functions over one interval.

    Example:
        >>> number = Exact
        >>> steep = ((number(0), number(0)), (number(1), number(3)), (number(3), number(3)))
        >>> flat = ((number(0), number(2)), (number(3), number(4)))
        >>> [(str(x), str(y)) for x, y in larger(steep, flat)]
        [('0', '2'), ('6/7', '18/7'), ('1', '3'), ('3/2', '3'), ('3', '4')]
    """
    if first == second:
        return first
    knots = sorted({x for corners in (first, second) for x, _ in corners})
    values = [(_value(first, x), _value(second, x)) for x in knots]
    points: list[Point] = [(knots[0], max(values[0]))]
    for (left, (f0, g0)), (right, (f1, g1)) in pairwise(zip(knots, values, strict=True)):
        before, behind = f0 - g0, f1 - g1
        if before.sign() * behind.sign() < 0:
            share = before / (before - behind)
            points.append((left + (right - left) * share, f0 + (f1 - f0) * share))
        points.append((right, max(f1, g1)))
    return _corners_of(points)


def convolved(
    first: Corners, second: Corners, spend: Callable[[int], None] = lambda count: None
) -> Corners:
    """Return z -> the largest f(x) + g(z - x): a budget shared out over two outcomes.

    Each function is cut into its concave runs. Two runs are convolved by walking their edges by
    falling slope; the maximum over all pairs of runs is the result, because a split of the budget
    has its two parts in one run each.

    Args:
        first: A function on [0, a].
        second: A function on [0, b].
        spend: Told how many corners each step handles; it may raise.

    Returns:
        The function on [0, a + b].

    Example:
        >>> number = Exact
        >>> kink = ((number(0), number(0)), (number(1), number(1)), (number(2), number(4)))
        >>> [(str(x), str(y)) for x, y in convolved(kink, kink)]
        [('0', '0'), ('1', '1'), ('2', '4'), ('3', '5'), ('4', '8')]
    """
    end = first[-1][0] + second[-1][0]
    result: Corners = ()
    others = list(_runs(second))
    # In this order each pair of runs starts at a point that an earlier pair ends at or passes.
    for run in _runs(first):
        for other in others:
            piece = _concave_sum(run, other)
            if piece[-1][0] < end:
                # Budget may be left over, since no function falls.
                piece = (*piece, (end, piece[-1][1]))
            spend(len(result) + len(piece))
            result = _joined(result, piece) if result else piece
    return _corners_of(result)


def _joined(known: Corners, piece: Corners) -> Corners:
    """Return the maximum of a function and of one that starts later, not above it there."""
    start = piece[0][0]
    if start == known[0][0]:
        return larger(known, piece)
    before = [point for point in known if point[0] < start]
    behind = ((start, _value(known, start)), *(point for point in known if point[0] > start))
    if len(behind) == 1:
        return known
    return (*before, *larger(behind, piece))


def _runs(corners: Corners) -> Iterator[Corners]:
    """Cut a function into its maximal concave runs; neighbours share a corner."""
    run: list[Point] = []
    for point in corners:
        if len(run) > 1 and _slope(run[-1], point) > _slope(run[-2], run[-1]):
            yield tuple(run)
            run = run[-1:]
        run.append(point)
    yield tuple(run)


def _concave_sum(first: Corners, second: Corners) -> Corners:
    """Return the convolution of two concave functions: all edges by falling slope."""
    steps = [
        (right[0] - left[0], right[1] - left[1])
        for corners in (first, second)
        for left, right in pairwise(corners)
    ]
    steps.sort(key=lambda step: step[1] / step[0], reverse=True)
    x, y = first[0][0] + second[0][0], first[0][1] + second[0][1]
    points = [(x, y)]
    for across, up in steps:
        x, y = x + across, y + up
        points.append((x, y))
    return tuple(points)


def _corners_of(points: Sequence[Point]) -> Corners:
    """Return the points without those on a line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if len(kept) > 1 and _slope(kept[-2], kept[-1]) == _slope(kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _slope(left: Point, right: Point) -> Exact:
    return (right[1] - left[1]) / (right[0] - left[0])


def _value(corners: Corners, x: Exact) -> Exact:
    low, high = 0, len(corners) - 1
    while low < high:
        middle = (low + high) // 2
        if corners[middle][0] < x:
            low = middle + 1
        else:
            high = middle
    right = corners[low]
    if right[0] == x:
        return right[1]
    left = corners[low - 1]
    return left[1] + (x - left[0]) * _slope(left, right)
