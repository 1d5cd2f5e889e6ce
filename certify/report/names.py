"""Names from a user's file, made safe to print on one line of a terminal."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

__all__ = ["counted", "printable", "shown_name"]


def printable(text: str, *, keep_lines: bool = False) -> str:
    r"""Return the text with control characters written as escapes.

    A name from a file could otherwise move the cursor or hide a verdict.

    Example:
        >>> printable("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    return "".join(
        character
        if character.isprintable() or (keep_lines and character == "\n")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def shown_name(value: Hashable) -> str:
    """Return an input, view or state as a short word for prose.

    Example:
        >>> shown_name("A0"), shown_name(3), shown_name("two words"), shown_name("")
        ('A0', '3', "'two words'", "''")
    """
    if isinstance(value, str):
        plain = value and not any(character in " |,()'\"\\" for character in value)
        return value if plain and value.isprintable() else printable(repr(value))
    if isinstance(value, tuple):
        parts = [shown_name(part) for part in cast("tuple[Hashable, ...]", value)]
        return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    return printable(str(value) if isinstance(value, int) else repr(value))


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun.

    Example:
        >>> counted(1, "transcript"), counted(2, "history", "histories")
        ('1 transcript', '2 histories')
    """
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
