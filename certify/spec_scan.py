"""Look at the brackets of a text without parsing it: how many rows, how deep, which keys twice."""

from __future__ import annotations

import json
import re
from typing import Literal

__all__ = ["deepest", "duplicate_keys", "long_dotted_key", "row_count"]

Syntax = Literal["toml", "json"]

# The quantifiers are possessive, words start at their first letter, and a string that is not closed
# goes on to the end: no text makes the scan look at a stretch again and again.
_JSON_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_TOML_STRING = (
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+(?:"|(?=\n)|\\?\Z)'
    r"|'[^'\n]*+(?:'|(?=\n)|\Z)"
    r"|\#[^\n]*+"
)
_STRINGS = {"json": _JSON_STRING, "toml": _TOML_STRING}
_FILLERS = {
    syntax: re.compile(rf"""(?:{string}|[^\[\]{{}}"'\#]++)++""", re.DOTALL)
    for syntax, string in _STRINGS.items()
}
_TOKENS = {
    syntax: re.compile(rf"{string}|[\[\]{{}}]", re.DOTALL) for syntax, string in _STRINGS.items()
}
_NOT_BRACKETS = re.compile(r"[^\[\]{}]++")
_PART = r"""(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_JSON_TOKEN = re.compile(rf"{_JSON_STRING}|[\[\]{{}}:,\n]", re.DOTALL)


def row_count(text: str, syntax: Syntax) -> int:
    """Return how many lists stand directly inside a list that is not itself inside a list.

    Example:
        >>> row_count('{"kernel": [[1, "["], [2, []]], "claim": {"a": [1]}}', "json")
        2
    """
    rows = 0
    lists = [0]
    for character in _FILLERS[syntax].sub("", text):
        if character == "[":
            lists.append(lists[-1] + 1)
            rows += lists[-1] == 2
        elif character == "{":
            lists.append(0)
        elif character in "]}" and len(lists) > 1:
            lists.pop()
    return rows


def deepest(text: str, syntax: Syntax, *, limit: int) -> int | None:
    r"""Return the line on which brackets nest deeper than the limit, or None.

    Example:
        >>> deepest("[[[\n[[1]]]]]", "json", limit=4)
        2
        >>> deepest('["[[[[["]', "json", limit=4) is None
        True
    """
    if not _looks_deep(text, limit):
        return None
    depth = 0
    for match in _TOKENS[syntax].finditer(text):
        token = match.group()
        if token in ("[", "{"):
            depth += 1
            if depth > limit:
                return text.count("\n", 0, match.start()) + 1
        elif token in ("]", "}"):
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
        elif depth:
            depth -= 1
    return False


def long_dotted_key(text: str, *, limit: int) -> int | None:
    r"""Return the line of a TOML key with more dots than the limit, or None.

    Each dot nests one level, and tomllib needs memory quadratic in their number.

    Example:
        >>> long_dotted_key("a.b.c = 1", limit=2) is None
        True
        >>> long_dotted_key("x = 1\na . b . c . d = 1", limit=2)
        2
    """
    key = re.compile(rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{limit + 1}}}")
    if key.search(text) is None:
        return None
    # Text in quotes may hold dots of its own, so strings are looked at as empty ones.
    bare = re.sub(_TOML_STRING, _same_lines, text, flags=re.DOTALL)
    found = key.search(bare)
    return None if found is None else bare.count("\n", 0, found.start()) + 1


def _same_lines(found: re.Match[str]) -> str:
    return '""' + "\n" * found.group().count("\n")


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
            path[-1] = str(json.loads(last))
            keys = seen[-1]
            assert keys is not None
            if path[-1] in keys:
                found.append((list(path), line))
            keys.add(path[-1])
        elif token == ",":
            if seen and seen[-1] is None:
                path[-1] = str(int(path[-1]) + 1)
        else:
            last = token
    return found
