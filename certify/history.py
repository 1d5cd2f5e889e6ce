r"""Histories as text: views joined by ``|``, escaped so that no two histories look the same."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

from ..accounting.errors import InputError

__all__ = ["join_history", "split_history", "view_text"]

_SHORT = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONG = {"\\": "\\", "|": "|", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|(.))", re.DOTALL)
_PARTS = re.compile(r"(?:[^|\\]|\\.)*", re.DOTALL)
_EMPTY = "\\e"
_LAST_CODE_POINT = 0x10FFFF


def view_text(view: Hashable) -> str:
    r"""Return one view as it stands in a history, on one line.

    Args:
        view: Text, or any value with a ``str`` that tells it apart from the other views.

    Returns:
        The text with ``|`` and backslash escaped by a backslash, line ends and tabs as ``\n``,
        ``\r`` and ``\t``, other unprintable characters as ``\u{hex}``, and the empty text as
        ``\e`` (an empty history is the empty text).

    Example:
        >>> print(view_text("a|b"), view_text(""), view_text(3))
        a\|b \e 3
    """
    text = view if isinstance(view, str) else str(view)
    if text.isalnum():
        return text
    return "".join(map(_escaped, text)) or _EMPTY


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def join_history(views: Iterable[Hashable]) -> str:
    r"""Join views with ``|``; texts are escaped, so ``split_history`` gives them back.

    Example:
        >>> join_history(["y1", "y2"])
        'y1|y2'
        >>> join_history([])
        ''
        >>> print(join_history(["a|b", ""]))
        a\|b|\e
    """
    return "|".join(map(view_text, views))


def split_history(text: str) -> tuple[str, ...]:
    r"""Split a joined history into its views, as texts.

    Raises:
        InputError: An escape that ``join_history`` never writes, or an empty view not written
            as ``\e``.

    Example:
        >>> split_history("y1|y2")
        ('y1', 'y2')
        >>> split_history("")
        ()
        >>> split_history("a\\|b|\\e")
        ('a|b', '')
    """
    if not text:
        return ()
    parts: list[str] = []
    position = 0
    while True:
        part = _PARTS.match(text, position)
        assert part is not None
        parts.append(_unescaped(part.group(), text))
        position = part.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != "|":
            raise _bad_escape(text, "a lone backslash at the end")
        position += 1


def _unescaped(part: str, whole: str) -> str:
    if part == _EMPTY:
        return ""
    if not part:
        raise InputError(
            "an empty view in a history",
            found=repr(whole),
            expected="write an empty view as \\e",
        )

    def replace(match: re.Match[str]) -> str:
        code, letter = match.groups()
        if code is not None and int(code, 16) <= _LAST_CODE_POINT:
            return chr(int(code, 16))
        if letter is None or letter not in _LONG:
            raise _bad_escape(whole, match.group())
        return _LONG[letter]

    return _ESCAPE.sub(replace, part)


def _bad_escape(whole: str, escape: str) -> InputError:
    return InputError(
        "unknown escape in a history",
        found=f"{escape} in {whole!r}",
        expected="write a backslash as \\\\ and a bar inside a view as \\|",
    )
