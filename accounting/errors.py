"""The errors a user can meet: what is wrong, where, what was found, what to write instead."""

from __future__ import annotations

__all__ = ["InputError", "LimitError", "PowercertError", "UndecidedError"]


class PowercertError(Exception):
    r"""Base of every error raised on purpose.

    Args:
        what: What is wrong, in one sentence without a final stop.
        where: Place of the fault (file, row, round, state, input), or "".
        found: What was found there, or "".
        expected: What to write instead, or "".

    Example:
        >>> str(PowercertError("not a probability", where="kernel[3]", found="'abc'",
        ...                    expected="write a number from 0 to 1 such as \"1/3\""))
        'kernel[3]: not a probability; found \'abc\'; write a number from 0 to 1 such as "1/3"'
    """

    def __init__(self, what: str, *, where: str = "", found: str = "", expected: str = "") -> None:
        """Keep the parts as attributes and join them into one message."""
        self.what = what
        self.where = where
        self.found = found
        self.expected = expected
        message = f"{where}: {what}" if where else what
        if found:
            message += f"; found {found}"
        if expected:
            message += f"; {expected}"
        super().__init__(message)

    def located(self, where: str) -> PowercertError:
        """Return the same error, placed at ``where`` (outermost place first)."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.what, where=place, found=self.found, expected=self.expected)


class InputError(PowercertError):
    """The input is wrong; nothing was judged (exit code 2)."""


class LimitError(PowercertError):
    """A stated limit was reached before an answer (exit code 3)."""


class UndecidedError(PowercertError):
    """A comparison that the available precision or theory cannot decide (exit code 3)."""
