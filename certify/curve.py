"""Privacy curves of game nodes: ROC edges with integer masses, merged, hulled and coarsened.

A curve is the list of edges (mass in world 0, mass in world 1) of the upper boundary of all points
(P1(S), P0(S)), by falling likelihood ratio. It is the same object as a power function with null
world 1, kept in integers over one common denominator (or in integer polynomials in e^g), because
that is what makes exact dynamic programming fast.

Source: Dong, Roth, Su (2022), tradeoff functions; the game recursion is paper 1, Definition B.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from ..accounting.exponential import ExponentialPolynomial

__all__ = [
    "Edge",
    "Edges",
    "Mass",
    "coarsened_lower",
    "coarsened_upper",
    "merged",
    "totals",
    "upper_hull",
    "vertices",
]

# Masses are integers, or integer polynomials in e^g where the mechanism's weights hold exp(...).
Mass: TypeAlias = "int | ExponentialPolynomial"
Edge = tuple[Mass, Mass]
Edges = tuple[Edge, ...]
Part = tuple[Edges, Mass, Mass]
_IntEdge = tuple[int, int]

_LARGEST_FLOAT = 1.7976931348623157e308


def _compare(first: Edge, second: Edge) -> int:
    """Order edges by falling ratio n0/n1 (n1 = 0 first)."""
    left = first[0] * second[1]
    right = second[0] * first[1]
    if left == right:
        return 0
    return -1 if left > right else 1


def _float_key(edge: _IntEdge) -> float:
    """Return a float that never contradicts the exact order, since true division rounds right."""
    if not edge[1]:
        return float("-inf")
    try:
        return -(edge[0] / edge[1])
    except OverflowError:
        return -_LARGEST_FLOAT


def _sorted(edges: list[Edge]) -> list[Edge]:
    """Sort by falling ratio: by floats, then exactly wherever floats tie without being equal."""
    try:
        keyed = sorted([(_float_key(edge), *edge) for edge in cast("list[_IntEdge]", edges)])
    except TypeError:  # polynomials have no quotient
        return sorted(edges, key=cmp_to_key(_compare))
    previous = keyed[0]
    for entry in keyed[1:]:
        if entry[0] == previous[0] and entry[1] * previous[2] != entry[2] * previous[1]:
            return sorted(edges, key=cmp_to_key(_compare))
        previous = entry
    return [(n0, n1) for _, n0, n1 in keyed]


def merged(parts: Iterable[Part]) -> Edges:
    """Return the curve of a chance node: all scaled edges, equal ratios added up.

    Args:
        parts: (edges, scale of world 0, scale of world 1) of each outcome.

    Example:
        >>> merged([(((1, 0), (1, 2)), 2, 1), (((1, 1),), 1, 1)])
        ((2, 0), (3, 3))
    """
    edges: list[Edge] = []
    for part, scale0, scale1 in parts:
        if scale0 == 1 and scale1 == 1:
            edges += part
        else:
            edges += [(n0 * scale0, n1 * scale1) for n0, n1 in part]
    if len(edges) < 2:
        return tuple(edges)
    result: list[Edge] = []
    last0, last1 = None, None
    for n0, n1 in _sorted(edges):
        if last0 is not None and last1 is not None:
            if n0 * last1 == last0 * n1:
                last0, last1 = last0 + n0, last1 + n1
                continue
            result.append((last0, last1))
        last0, last1 = n0, n1
    if last0 is not None and last1 is not None:
        result.append((last0, last1))
    return tuple(result)


def totals(edges: Sequence[Edge]) -> Edge:
    """Return the masses of both worlds, added up over the edges.

    Example:
        >>> totals(((2, 0), (3, 3)))
        (5, 3)
    """
    total: Edge = (0, 0)
    for n0, n1 in edges:
        total = (total[0] + n0, total[1] + n1)
    return total


def vertices(edges: Edges) -> list[Edge]:
    """Return the points (P1, P0) of the boundary, from (0, 0) to the two totals.

    Example:
        >>> vertices(((2, 0), (3, 3)))
        [(0, 0), (0, 2), (3, 5)]
    """
    zero: Mass = 0
    across = accumulate((n1 for _, n1 in edges), initial=zero)
    up = accumulate((n0 for n0, _ in edges), initial=zero)
    return list(zip(across, up, strict=True))


def _hull_of_points(points: Sequence[Edge]) -> Edges:
    """Return the upper hull of points sorted by (x, y), the first being (0, 0)."""
    chain: list[Edge] = []
    for x, y in points:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2], chain[-1]
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):
                break
            chain.pop()
        if chain and chain[-1] == (x, y):
            continue
        chain.append((x, y))
    return tuple((y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in pairwise(chain))


def upper_hull(curves: Sequence[Edges]) -> Edges:
    """Return the curve of an adversary's node: the least concave majorant of several curves.

    All curves have the same totals.

    Example:
        >>> upper_hull([((2, 0), (2, 4)), ((4, 2), (0, 2))])
        ((2, 0), (2, 2), (0, 2))
    """
    distinct = list(dict.fromkeys(curves))
    if len(distinct) == 1:
        return distinct[0]
    points = sorted(point for edges in distinct for point in vertices(edges))
    return _hull_of_points(points)


def _groups(edges: Edges, most: int) -> Iterable[Edges]:
    """Cut a curve into about ``most`` runs of neighbouring edges of similar total mass.

    Runs of similar mass keep the loss of coarsening small everywhere on the curve; where to cut
    affects only how tight the bounds are, never whether they hold.
    """
    total0, total1 = sum(n0 for n0, _ in edges), sum(n1 for _, n1 in edges)
    seen0: Mass = 0
    seen1: Mass = 0
    cell = 0
    group: list[Edge] = []
    for n0, n1 in edges:
        seen0, seen1 = seen0 + n0, seen1 + n1
        # Twice the share of the boundary walked, counting both worlds alike.
        reached = (seen0 * total1 + seen1 * total0) * most
        step = 2 * total0 * total1
        here = cell
        while (here + 1) * step <= reached:
            here += 1
        if here != cell and group:
            yield tuple(group)
            group = []
        cell = here
        group.append((n0, n1))
    if group:
        yield tuple(group)


def coarsened_lower(edges: Edges, most: int) -> Edges:
    """Return a curve with at most about ``most`` edges that lies below: neighbours are added up.

    Guarantee: never above the given curve (an adversary who forgets which outcome it saw).
    """
    if len(edges) <= most:
        return edges
    first, last = _singular(edges)
    middle = edges[len(first) : len(edges) - len(last)]
    runs = [(sum(n0 for n0, _ in run), sum(n1 for _, n1 in run)) for run in _groups(middle, most)]
    return (*first, *runs, *last)


def _singular(edges: Edges) -> tuple[Edges, Edges]:
    """Return the edges without mass in world 1, and those without mass in world 0."""
    return edges[:1] if not edges[0][1] else (), edges[-1:] if not edges[-1][0] else ()


def coarsened_upper(edges: Edges, most: int) -> Edges:
    """Return a curve with at most about ``most`` edges that lies above, with the same totals.

    Each run of neighbouring edges is replaced by its first and its last direction, which meet
    above the run; the meeting point is rounded up and to the left, to whole units (over
    polynomials, to the corner of the run).

    Guarantee: never below the given curve.
    """
    if len(edges) <= most:
        return edges
    first, last = _singular(edges)
    middle = edges[len(first) : len(edges) - len(last)]
    x: Mass = 0
    y: Mass = sum(n0 for n0, _ in first)
    points: list[Edge] = [(0, 0), (x, y)] if first else [(0, 0)]
    for run in _groups(middle, max(1, most // 2)):
        width, height = sum(n1 for _, n1 in run), sum(n0 for n0, _ in run)
        if len(run) > 2:
            across, up = _meeting_point(run[0], run[-1], height, width)
            points.append((x + across, y + up))
        elif len(run) == 2:
            points.append((x + run[0][1], y + run[0][0]))
        x, y = x + width, y + height
        points.append((x, y))
    for n0, n1 in last:
        points.append((x + n1, y + n0))
    return _hull_of_points(sorted(points))


def _meeting_point(first: Edge, last: Edge, height: Mass, width: Mass) -> Edge:
    """Intersect the line of ``first`` from the start with the line of ``last`` into the end.

    Solves s * first + t * last = (height, width) and returns s * first, rounded outward.
    """
    determinant = first[0] * last[1] - last[0] * first[1]
    share = height * last[1] - last[0] * width
    up, across = first[0] * share, first[1] * share
    if (
        isinstance(determinant, int)
        and isinstance(up, int)
        and isinstance(across, int)
        and isinstance(height, int)
    ):
        return across // determinant, min(-(-up // determinant), height)
    return 0, height
