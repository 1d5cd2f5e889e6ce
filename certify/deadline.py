"""Stop code that is not ours when a time limit passes, even if it never returns."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from ..accounting.errors import LimitError
from .limits import Clock

__all__ = ["interruptible"]

Result = TypeVar("Result")

_AGAIN = 0.02


class _TimeIsUp(BaseException):
    """Not an Exception, so that no handler in the interrupted code takes it for its own."""


def _is_importing(frame: FrameType | None) -> bool:
    """Whether an import is under way in this call stack."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def interruptible(work: Callable[[], Result], clock: Clock, where: str) -> Result:
    """Return what ``work`` returns, or stop it once the clock's time limit has passed.

    It works where the operating system offers an interval timer, in the main thread; elsewhere the
    limit is checked between steps only.

    Args:
        work: What to do.
        clock: The running time; without a limit nothing is ever stopped.
        where: What the work is, for the message.

    Raises:
        LimitError: The time limit passed before the work was done.

    Example:
        >>> from itertools import count
        >>> from powercert.certify.limits import Limits
        >>> clock = Clock(Limits(seconds=0.05))
        >>> interruptible(lambda: max(n for n in count()), clock, "counting to the end")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.LimitError: counting to the end: time limit reached; \
found no end after 0.05 seconds; raise --limit-seconds
    """
    seconds = clock.limits.seconds
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "setitimer"):
        return work()

    def ring(number: int, frame: FrameType | None) -> None:
        if _is_importing(frame):
            # A module that is torn apart while it loads stays broken: ring again a little later.
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
            return
        raise _TimeIsUp

    previous = signal.signal(signal.SIGALRM, ring)
    # One frame for all of it: wherever the timer rings while it runs, it rings inside this try.
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds - clock.elapsed, 1e-3))
        try:
            return work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimeIsUp:
        raise LimitError(
            "time limit reached",
            where=where,
            found=f"no end after {seconds:g} seconds",
            expected="raise --limit-seconds",
        ) from None
    finally:
        signal.signal(signal.SIGALRM, previous)
