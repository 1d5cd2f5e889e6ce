"""Look at the brackets of a text without parsing it: how many rows, how deep, which keys twice."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["deepest", "duplicate_keys", "row_count"]

# The quantifiers are possessive: an unclosed string must not make the scan try every split.
_STRINGS = {
    "json": re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL),
    "toml": re.compile(
        r'"""(?:[^"\\]++|\\.|"(?!""))*+"""'
        r"|'''(?:[^']++|'(?!''))*+'''"
        r'|"(?:[^"\\\n]++|\\.)*+"'
        r"|'[^'\n]*+'"
        r"|\#[^\n]*+",
        re.DOTALL,
    ),
}
_NOT_BRACKETS = re.compile(r"[^\[\]{}\n]++")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,\n]', re.DOTALL)


def _brackets(text: str, syntax: Literal["toml", "json"]) -> str:
    """Return brackets and line ends alone, without those inside strings and comments."""
    bare = _STRINGS[syntax].sub(lambda found: "\n" * found.group().count("\n"), text)
    return _NOT_BRACKETS.sub("", bare)


def row_count(text: str, syntax: Literal["toml", "json"]) -> int:
    """Return how many lists stand directly inside a list that is not itself inside a list.

    Example:
        >>> row_count('{"kernel": [[1, "["], [2, []]], "claim": {"a": [1]}}', "json")
        2
    """
    rows = 0
    lists = [0]
    for character in _brackets(text, syntax):
        if character == "[":
            lists.append(lists[-1] + 1)
            rows += lists[-1] == 2
        elif character == "{":
            lists.append(0)
        elif character in "]}" and len(lists) > 1:
            lists.pop()
    return rows


def deepest(text: str, syntax: Literal["toml", "json"], *, limit: int) -> int | None:
    r"""Return the line on which brackets nest deeper than the limit, or None.

    Example:
        >>> deepest("[[[\n[[1]]]]]", "json", limit=4)
        2
        >>> deepest('["[[[[["]', "json", limit=4) is None
        True
    """
    if not _looks_deep(text, limit):
        return None
    depth, line = 0, 1
    for character in _brackets(text, syntax):
        if character == "\n":
            line += 1
        elif character in "[{":
            depth += 1
            if depth > limit:
                return line
        else:
            depth = max(0, depth - 1)
    return None


def _looks_deep(text: str, limit: int) -> bool:
    """Whether brackets may nest deeper: cheap, wrong only if strings hold closing brackets.

    The parsers' own RecursionError is caught as well, so a wrong "no" costs a worse message.
    """
    depth = 0
    for character in _NOT_BRACKETS.sub("", text):
        if character in "[{":
            depth += 1
            if depth > limit:
                return True
        elif character in "]}" and depth:
            depth -= 1
    return False


def duplicate_keys(text: str) -> list[tuple[list[str], int]]:
    r"""Return the path and the line of each key that repeats inside one JSON object.

    Args:
        text: Valid JSON.

    Example:
        >>> duplicate_keys('{"a": {"b": 1,\n "b": 2}}')
        [(['a', 'b'], 2)]
    """
    found: list[tuple[list[str], int]] = []
    seen: list[set[str] | None] = []
    path: list[str] = []
    line, last = 1, ""
    for match in _JSON_TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        elif token in "[{":
            seen.append(set() if token == "{" else None)
            path.append("0" if token == "[" else "")
        elif token in "]}":
            seen.pop()
            path.pop()
        elif token == ":":
            path[-1] = last
            keys = seen[-1]
            assert keys is not None
            if last in keys:
                found.append((list(path), line))
            keys.add(last)
        elif token == ",":
            if seen and seen[-1] is None:
                path[-1] = str(int(path[-1]) + 1)
        else:
            last = token[1:-1]
    return found
