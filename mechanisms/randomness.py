"""Where random bits come from: the operating system, or a seed for tests and simulation."""

from __future__ import annotations

import os
import random
from typing import Protocol

from .values import require_count

__all__ = ["RandomBits", "SeededBits", "SystemBits"]


class RandomBits(Protocol):
    """A source of independent fair bits."""

    def bits(self, count: int) -> int:
        """Return a uniform integer in [0, 2^count) from bits never returned before."""
        ...


class SystemBits:
    """Random bits from the operating system's generator, for production.

    Every request reads the system: nothing is kept in the process, so a fork, a thread or a copy
    of the process's memory never hands out the same bits twice.

    Example:
        >>> 0 <= SystemBits().bits(10) < 1024
        True
    """

    def bits(self, count: int) -> int:
        """Return a uniform integer in [0, 2^count)."""
        size = (count + 7) // 8
        return int.from_bytes(os.urandom(size), "big") >> (8 * size - count)


class SeededBits:
    """Repeatable bits from a seed: for tests and simulation only, never for a release.

    The generator (Mersenne Twister) is predictable, so noise made from it protects nothing.

    Args:
        seed: An integer >= 0.

    Example:
        >>> SeededBits(7).bits(16) == SeededBits(7).bits(16)
        True
    """

    def __init__(self, seed: int) -> None:
        """Start the generator at the seed."""
        require_count(seed, "the seed")
        self._seed = seed
        self._generator = random.Random(seed)

    @property
    def seed(self) -> int:
        """The seed."""
        return self._seed

    def bits(self, count: int) -> int:
        """Return a pseudo-random integer in [0, 2^count)."""
        return self._generator.getrandbits(count)
