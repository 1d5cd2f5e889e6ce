"""All problems of one spec file, gathered into a single error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TypeGuard

from ..accounting.errors import InputError, PowercertError

__all__ = [
    "NumberText",
    "Problems",
    "SpecError",
    "describe",
    "is_list",
    "is_table",
    "nearest",
    "suggestion",
]

_SHOWN = 20
_LONGEST = 60
_LONGEST_FOUND = 400


class NumberText(str):
    """The digits of a float literal (or nan, inf), kept as they were written."""

    __slots__ = ()


class SpecError(InputError):
    """What is wrong with one spec: every problem found in one run.

    Args:
        what: The one problem, or the list of them as text.
        where: File and place.
        found: What was found.
        expected: What to write instead.
        problems: The first problems, each an error with its own parts.
        count: How many problems there are in all.
        warnings: What else the user should hear about the file.

    Example:
        >>> error = SpecError("rounds is missing", where="a.toml")
        >>> error.count, str(error)
        (1, 'a.toml: rounds is missing')
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        found: str = "",
        expected: str = "",
        problems: tuple[PowercertError, ...] = (),
        count: int = 1,
        warnings: tuple[str, ...] = (),
    ) -> None:
        """Keep the parts, and the problems as errors of their own."""
        super().__init__(what, where=where, found=found, expected=expected)
        self.problems: tuple[PowercertError, ...] = problems or (self,)
        self.count = count
        self.warnings = warnings

    def located(self, where: str) -> SpecError:
        """Return the same error, placed at ``where``."""
        place = f"{where}: {self.where}" if self.where else where
        own = self.problems == (self,)
        return SpecError(
            self.what,
            where=place,
            found=self.found,
            expected=self.expected,
            problems=() if own else self.problems,
            count=self.count,
            warnings=self.warnings,
        )


class Problems:
    """The problems, warnings and notes that reading one spec brings up.

    Args:
        source: Name of the file, for messages; "" where each problem names its own source.

    Example:
        >>> problems = Problems("a.toml")
        >>> problems.add("unknown input", where="kernel[0].input", found='"2"')
        >>> problems.add("rounds is missing")
        >>> problems.raise_if_any()
        Traceback (most recent call last):
            ...
        powercert.certify.spec_problems.SpecError: a.toml: 2 problems
          kernel[0].input: unknown input; found "2"
          rounds is missing
    """

    def __init__(self, source: str) -> None:
        """Start with none."""
        self.source = source
        self.count = 0
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self._first: list[PowercertError] = []

    def add(self, what: str, *, where: str = "", found: str = "", expected: str = "") -> None:
        """Record one problem."""
        self.add_error(InputError(what, where=where, found=found, expected=expected))

    def add_error(self, error: PowercertError) -> int | None:
        """Record one problem that is an error already; the text of the first 20 is kept.

        Returns:
            Its number, for :meth:`extend`; None where its text was not kept.
        """
        self.count += 1
        if len(self._first) == _SHOWN:
            return None
        if len(error.found) > _LONGEST_FOUND:
            found = f"{error.found[:_LONGEST_FOUND]}... ({len(error.found)} characters)"
            error = InputError(error.what, where=error.where, found=found, expected=error.expected)
        self._first.append(error)
        return len(self._first) - 1

    def extend(self, number: int, more: str) -> None:
        """Add words to a problem that was recorded, such as where else it occurs."""
        error = self._first[number]
        self._first[number] = type(error)(
            f"{error.what} {more}", where=error.where, found=error.found, expected=error.expected
        )

    def warn(self, text: str) -> None:
        """Record a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def note(self, text: str) -> None:
        """Record a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def raise_if_any(self) -> None:
        """Raise one SpecError that holds everything recorded.

        Raises:
            SpecError: There is at least one problem.
        """
        if not self.count:
            return
        first = tuple(self._first)
        if self.count == 1:
            (only,) = first
            raise SpecError(
                only.what,
                where=": ".join(place for place in (self.source, only.where) if place),
                found=only.found,
                expected=only.expected,
                problems=first,
                warnings=tuple(self.warnings),
            )
        lines = [f"{self.count} problems", *(f"  {problem}" for problem in first)]
        if self.count > len(first):
            lines.append(f"  and {self.count - len(first)} more")
        raise SpecError(
            "\n".join(lines),
            where=self.source,
            problems=first,
            count=self.count,
            warnings=tuple(self.warnings),
        )


def is_list(value: object) -> TypeGuard[list[object]]:
    """Return whether a value read from a file is a list."""
    return isinstance(value, list)


def is_table(value: object) -> TypeGuard[dict[str, object]]:
    """Return whether a value read from a file is a table, whose keys are text."""
    return isinstance(value, dict)


def describe(value: object) -> str:
    """Say what stands in a file, shortly and on one line.

    Example:
        >>> print(describe("a"), describe(True), describe(None), describe([1]), describe({}))
        "a" true null a list of 1 an empty table
    """
    if isinstance(value, NumberText):
        return _cut(str(value))
    if isinstance(value, str):
        plain = value.isprintable() and '"' not in value and "\\" not in value
        return _cut(f'"{value}"' if plain else ascii(value))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_table(value):
        return "a table" if value else "an empty table"
    if is_list(value):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very long whole number"
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def nearest(word: str, words: Iterable[str], *, cutoff: float = 0.6) -> tuple[str, ...]:
    """Return the known words that look most like ``word`` (at most three, best first).

    Example:
        >>> nearest("neighbors", ["neighbours", "rounds"])
        ('neighbours',)
    """
    return tuple(difflib.get_close_matches(word[:200], list(words)[:5000], n=3, cutoff=cutoff))


def suggestion(word: str, words: Iterable[str], *, kind: str) -> str:
    """Return what to write instead of an unknown word: the nearest known ones, or the first few.

    Example:
        >>> suggestion("staet", ["state", "end"], kind="state")
        'did you mean "state"?'
        >>> suggestion("q", ["state", "end"], kind="state")
        'the declared state names are "state", "end"'
    """
    known = list(words)
    close = nearest(word, known)
    if close:
        return "did you mean " + " or ".join(f'"{name}"' for name in close) + "?"
    shown = ", ".join(f'"{name}"' for name in known[:6]) + (", ..." if len(known) > 6 else "")
    return f"the declared {kind} names are {shown}" if known else f"no {kind} is declared"
