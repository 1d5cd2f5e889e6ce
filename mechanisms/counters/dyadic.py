"""Dyadic blocks of rounds: the nodes of the binary tree over a stream."""

from __future__ import annotations

from typing import NamedTuple

from ...accounting.errors import InputError
from ..values import require_count, require_flag

__all__ = ["Node", "nodes_containing", "nodes_ending_at", "prefix_nodes", "tree_levels"]


class Node(NamedTuple):
    """A block of rounds [first..last] of length 2^level that ends at a multiple of its length.

    Example:
        >>> Node(5, 6).length, Node(5, 6).level
        (2, 1)
    """

    first: int
    last: int

    @property
    def length(self) -> int:
        """The number of rounds."""
        return self.last - self.first + 1

    @property
    def level(self) -> int:
        """The height above the leaves."""
        return self.length.bit_length() - 1


def trailing_zeros(number: int) -> int:
    """Return how often 2 divides an integer >= 1."""
    return (number & -number).bit_length() - 1


def nodes_ending_at(time: int) -> tuple[Node, ...]:
    """Return the nodes that are complete with a round, the smallest first.

    Args:
        time: The round, >= 1.

    Raises:
        InputError: It is no round.

    Example:
        >>> [tuple(node) for node in nodes_ending_at(4)]
        [(4, 4), (3, 4), (1, 4)]
    """
    require_count(time, "time", 1)
    return tuple(Node(time - 2**level + 1, time) for level in range(trailing_zeros(time) + 1))


def prefix_nodes(time: int) -> tuple[Node, ...]:
    """Return the canonical nodes that make up the rounds [1..time], from left to right.

    Guarantee: they partition [1..time], there is one per binary digit 1 of ``time``, and each is
    complete with some round <= time.

    Args:
        time: The last round, >= 0.

    Raises:
        InputError: It is negative.

    Example:
        >>> [tuple(node) for node in prefix_nodes(7)]
        [(1, 4), (5, 6), (7, 7)]

    Source: Chan, Shi and Song (2011), Section 3.
    """
    require_count(time, "time")
    nodes, first = list[Node](), 1
    for level in reversed(range(time.bit_length())):
        if time >> level & 1:
            nodes.append(Node(first, first + 2**level - 1))
            first += 2**level
    return tuple(nodes)


def nodes_containing(position: int, horizon: int) -> tuple[Node, ...]:
    """Return the nodes finished by the horizon that contain a round, the smallest first.

    Args:
        position: The round, in 1..horizon.
        horizon: The last round, >= 1.

    Raises:
        InputError: The position is not a round up to the horizon.

    Example:
        >>> [tuple(node) for node in nodes_containing(3, 5)]
        [(3, 3), (3, 4), (1, 4)]
    """
    require_count(horizon, "horizon", 1)
    if require_count(position, "position", 1) > horizon:
        raise InputError("the position is after the horizon", found=f"{position} of {horizon}")
    nodes = list[Node]()
    for level in range(horizon.bit_length()):
        last = -(-position // 2**level) * 2**level
        if last > horizon:
            break
        nodes.append(Node(last - 2**level + 1, last))
    return tuple(nodes)


def tree_levels(horizon: int, *, padded: bool = False) -> int:
    """Return in how many nodes one round can be: the squared column sensitivity of the tree.

    Guarantee: exact: the maximum over all rounds of the number of nodes that contain it.

    Args:
        horizon: Number of rounds T, >= 1.
        padded: Count all nodes of the tree over the next power of two, as is done where T is not
            known to be the end: ceil(log2 T) + 1. Otherwise only nodes finished by T are released:
            floor(log2 T) + 1.

    Raises:
        InputError: The horizon is not an integer >= 1.

    Example:
        >>> tree_levels(5), tree_levels(5, padded=True), tree_levels(8)
        (3, 4, 4)

    Source: Proposition F.6 of the buffering-recipe paper, which pads.
    """
    require_count(horizon, "horizon", 1)
    require_flag(padded, "padded")
    return (horizon - 1).bit_length() + 1 if padded else horizon.bit_length()
