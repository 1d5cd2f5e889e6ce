"""Where random bits come from: the operating system, or a seed for tests and simulation."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Protocol, cast, final

from ..accounting.errors import InputError, LimitError
from .values import describe, require_count

__all__ = ["RandomBits", "SeededBits", "SystemBits", "require_random_bits"]

_WORD_BITS = 64
#: Most bits of one request: more would fill the memory.
_MOST_BITS = 1 << 32

#: Bytes read from the system at once. Larger batches gain little (a word costs 37 ns of reading
#: at 512 bytes, 27 ns at 4096, 600 ns alone) and would put more noise at risk, see SystemBits.
_BATCH_BYTES = 512


class RandomBits(Protocol):
    """A source of independent fair bits."""

    def bits(self, count: int) -> int:
        """Return a uniform integer in [0, 2^count) from bits never returned before."""
        ...


def require_random_bits(random_bits: RandomBits) -> RandomBits:
    """Return a value that must be a source of bits.

    Raises:
        InputError: It has no method ``bits``.

    Example:
        >>> require_random_bits(5)
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: not a source of random bits; found 5 (int); \
use SystemBits(), or SeededBits(seed) for tests
    """
    given = cast("object", random_bits)
    if isinstance(given, type) or not callable(getattr(given, "bits", None)):
        raise InputError(
            "not a source of random bits",
            found=describe(given),
            expected="use SystemBits(), or SeededBits(seed) for tests",
        )
    return random_bits


def _read_number_of_bits(count: object) -> int:
    found = require_count(count, "the number of bits")
    if found > _MOST_BITS:
        raise LimitError("too many bits at once", found=describe(count), expected="at most 2^32")
    return found


class _Process:
    """A process, told apart from its forked children even where a process number comes again."""

    current = object()

    @classmethod
    def begin(cls) -> None:
        cls.current = object()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.begin)


@final
class SystemBits:
    """Random bits from the operating system's generator, for production.

    Up to 64 words of 64 bits are read ahead, and each request takes whole words, so that what is
    left of one is never used again. No word is handed out twice:

    - after a fork the child drops what the parent had read (a fork hook of Python, and the process
      number for forks that Python does not see);
    - between threads and signal handlers, because taking a word is one indivisible operation;
    - by copies, deep copies and pickles, which start without words.

    Two things it cannot notice. One is an image of the whole memory that is run twice: a virtual
    machine or container restored from a snapshot, after which both copies hand out the same words.
    The other is a fork that Python does not see (by a C library, or a raw clone) into a child that
    has the same process number, as in nested process-number namespaces: both can be process 1. At
    most the 64 requests that follow can repeat (here; after a restore the system's own generator
    may repeat too until it is seeded anew). Where that can happen, use a new ``SystemBits``
    afterwards.

    Example:
        >>> 0 <= SystemBits().bits(10) < 1024
        True
    """

    __slots__ = ("_batch",)

    # How to take a word, and the process that read the words: its mark and its number.
    _batch: tuple[Callable[[], int], object, int]

    def __init__(self) -> None:
        """Start without words."""
        self._batch = [].pop, None, 0

    def bits(self, count: int) -> int:
        """Return a uniform integer in [0, 2^count).

        Raises:
            InputError: ``count`` is no integer >= 0.
            LimitError: It is above 2^32.
        """
        if type(count) is not int or not 0 <= count <= _WORD_BITS:
            return _straight(count)
        while True:
            take, mark, process = self._batch
            try:
                # list.pop is one step for threads and signal handlers: no two get the same word.
                word = take()
            except IndexError:
                self._refill()
                continue
            # Looked at after taking: a fork in between must not leave both sides with the word.
            if mark is _Process.current and process == os.getpid():
                return word >> (_WORD_BITS - count)
            self._refill()

    def _refill(self) -> None:
        """Read words anew, marked with the process as it was before they were read.

        Threads that refill at once each read words of their own; the last batch is kept.
        """
        mark, process = _Process.current, os.getpid()
        words = memoryview(os.urandom(_BATCH_BYTES)).cast("Q").tolist()
        self._batch = words.pop, mark, process

    def __reduce__(self) -> tuple[type[SystemBits], tuple[()]]:
        """Copy and pickle without words."""
        return SystemBits, ()


def _straight(count: int) -> int:
    """Return a request of more than a word, read from the system alone."""
    size = (_read_number_of_bits(count) + 7) // 8
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
        """Return a pseudo-random integer in [0, 2^count).

        Raises:
            InputError: ``count`` is no integer >= 0.
            LimitError: It is above 2^32.
        """
        if type(count) is not int or not 0 <= count <= _WORD_BITS:
            count = _read_number_of_bits(count)
        return self._generator.getrandbits(count)
