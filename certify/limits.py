"""Limits of an audit, and the clock that enforces them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol, cast

from ..accounting.errors import InputError

__all__ = ["Clock", "Limits", "Progress"]


class Progress(Protocol):
    """What a long computation tells its caller."""

    def update(self, stage: str, done: int, total: int | None) -> None:
        """Say that ``done`` of ``total`` units of ``stage`` are finished."""
        ...


@dataclass(frozen=True)
class Limits:
    """Where an audit stops being exact and returns certified bounds instead.

    Args:
        nodes: Most nodes of the game (distinct pairs of normalised beliefs) kept in all.
        edges: Most edges of one privacy curve before it is coarsened outward.
        laws: Most prefix laws looked at in the search over fixed streams.
        transitions: Most (round, state, input) triples of the mechanism that are enumerated.
        seconds: Wall-clock limit, or None. Everything found until then stays a sound bound;
            finishing the bounds and replaying the witness can take somewhat longer.
        shown: Most histories of a strategy or event that a witness lists.

    Example:
        >>> Limits(nodes=10).nodes
        10
    """

    nodes: int = 100_000
    edges: int = 20_000
    laws: int = 200_000
    transitions: int = 1_000_000
    seconds: float | None = None
    shown: int = 48

    def __post_init__(self) -> None:
        """Refuse limits that nothing could satisfy."""
        for name in ("nodes", "edges", "laws", "transitions", "shown"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(
                    "a limit is a positive whole number",
                    where=f"limit on {name}",
                    found=repr(value),
                    expected="write 1 or more",
                )
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InputError(
                "a time limit is positive and finite",
                where="limit on seconds",
                found=repr(self.seconds),
                expected="write a number of seconds above 0, or leave it out",
            )
        if self.edges < 8:
            raise InputError(
                "a curve cannot be coarsened below 8 edges",
                where="limit on edges",
                found=str(self.edges),
                expected="write 8 or more",
            )


class Clock:
    """The running time of one audit against its limit."""

    def __init__(self, limits: Limits, progress: Progress | None = None) -> None:
        """Start counting now."""
        if not isinstance(cast("object", limits), Limits):
            raise InputError(
                "not limits", where="limits", found=repr(limits), expected="write Limits(nodes=...)"
            )
        self.limits = limits
        self._progress = progress
        self._start = time.monotonic()
        self._next_report = 0.0

    def with_limits(self, limits: Limits) -> Clock:
        """Return a clock that started when this one did, for a part with limits of its own."""
        part = Clock(limits, self._progress)
        part._start = self._start
        return part

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def expired(self) -> bool:
        """Whether the time limit has passed."""
        return self.used(1)

    def used(self, share: float) -> bool:
        """Whether this share of the time limit has passed; stages keep time for later ones."""
        return self.limits.seconds is not None and self.elapsed > share * self.limits.seconds

    def report(self, stage: str, done: int, total: int | None = None) -> None:
        """Pass progress on, at most ten times a second."""
        if self._progress is None:
            return
        now = self.elapsed
        if now >= self._next_report or done == total:
            self._next_report = now + 0.1
            self._progress.update(stage, done, total)
