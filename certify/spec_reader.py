"""From bytes to data: TOML or JSON, with every fault placed and nothing rounded."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal

from ..accounting.errors import InputError, LimitError
from .spec_problems import NumberText, SpecError, describe, is_table, nearest
from .spec_python import python_hint
from .spec_scan import deepest, duplicate_keys, long_dotted_key, row_count

__all__ = [
    "DEFAULT_LIMIT_ROWS",
    "Document",
    "Kind",
    "decoded",
    "kind_of_file",
    "parse_document",
    "parse_text",
    "read_bytes",
    "read_document",
]

DEFAULT_LIMIT_ROWS = 200_000
_DEEPEST = 32
_BYTES_PER_ROW = 2_000
_BYTES_FREE = 1_000_000
_LONGEST_INTEGER = 4_000
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
Kind = Literal["toml", "json"]


@dataclass(frozen=True)
class Document:
    """A file's data: text, whole numbers, booleans, lists and tables; floats as NumberText.

    Args:
        data: The top-level table.
        name: Name of the source, for messages.
        kind: The syntax it was read as.
    """

    data: dict[str, object]
    name: str
    kind: Kind


def read_document(
    source: Path | str,
    *,
    limit_rows: int = DEFAULT_LIMIT_ROWS,
    stdin: BinaryIO | None = None,
) -> Document:
    """Read a TOML or JSON file, or standard input for "-".

    Args:
        source: Path, or "-".
        limit_rows: Most rows that are read; also bounds the bytes (2000 for each row).
        stdin: Where "-" reads from; the process's standard input by default.

    Raises:
        SpecError: Not readable, or not TOML or JSON.
        LimitError: More rows or bytes than the limit.
    """
    limit_bytes = _BYTES_FREE + _BYTES_PER_ROW * limit_rows
    if str(source) == "-":
        raw = (stdin or sys.stdin.buffer).read(limit_bytes + 1)
        name, kind = "stdin", None
    else:
        path = Path(source)
        hint, is_python = python_hint(path)
        if is_python:
            raise SpecError("Python, not a spec file", where=str(path), expected=hint)
        raw = read_bytes(path, limit_bytes, name=str(path), otherwise=hint or _SOURCES)
        name, kind = str(path), kind_of_file(path)
    if len(raw) > limit_bytes:
        raise LimitError(
            f"more than {limit_bytes} bytes, too many for --limit-rows {limit_rows}",
            where=name,
            expected="raise --limit-rows to read it",
        )
    return parse_document(raw, name=name, kind=kind, limit_rows=limit_rows)


_KINDS: dict[str, Kind] = {".toml": "toml", ".json": "json"}
_SOURCES = "give a TOML or JSON file, package.module:name, or - for standard input"


def kind_of_file(path: Path) -> Kind | None:
    """Return the syntax that the ending of a file's name says, in either case, or None.

    Example:
        >>> kind_of_file(Path("A.JSON")), kind_of_file(Path("a.txt"))
        ('json', None)
    """
    return _KINDS.get(path.suffix.lower())


def read_bytes(path: Path, limit_bytes: int, *, name: str, otherwise: str) -> bytes:
    """Read a file, at most one byte beyond the limit.

    Args:
        path: The file.
        limit_bytes: The caller refuses more bytes than this.
        name: Name of the source, for messages.
        otherwise: What to give instead of a file that does not exist.

    Raises:
        SpecError: It does not exist or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(limit_bytes + 1)
    except FileNotFoundError:
        expected = _other_files(path) or otherwise
        raise SpecError("no such file", where=name, expected=expected) from None
    except IsADirectoryError:
        raise SpecError(
            "a folder, not a file", where=name, expected="name a TOML or JSON file"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(f"cannot be read: {reason}", where=name) from None


def _other_files(path: Path) -> str:
    try:
        names = [entry.name for entry in islice(path.parent.iterdir(), 2000) if entry.is_file()]
    except OSError:
        return ""
    close = nearest(path.name, names)
    return f"did you mean {path.with_name(close[0])}?" if close else ""


def parse_document(
    raw: bytes,
    *,
    name: str,
    kind: Kind | None = None,
    limit_rows: int = DEFAULT_LIMIT_ROWS,
) -> Document:
    """Parse bytes as TOML or JSON.

    Args:
        raw: The bytes; UTF-8, or UTF-16 or UTF-32 with a byte order mark.
        name: Name of the source, for messages.
        kind: The syntax; by default JSON if the first character is an opening brace.
        limit_rows: Most rows (lists directly inside a list) in the file.

    Raises:
        SpecError: With line and column, or the offset of an invalid byte.
        LimitError: More rows than the limit; found before the text is parsed.

    Example:
        >>> parse_document(b'p = 0.10', name="a.toml").data
        {'p': '0.10'}
        >>> parse_document(b'{"p": [1,]}', name="a.json")
        Traceback (most recent call last):
            ...
        powercert.certify.spec_problems.SpecError: a.json: line 1, column 10: not JSON: a comma \
before the closing bracket; remove the comma
    """
    text = decoded(raw, name)
    syntax: Kind = kind or ("json" if text.lstrip()[:1] == "{" else "toml")
    data = parse_text(text, name=name, kind=syntax, limit_rows=limit_rows)
    if not is_table(data):
        raise SpecError(
            "the top level is not a table",
            where=name,
            found=describe(data),
            expected='start with { and keys such as "rounds"',
        )
    return Document(data, name, syntax)


def parse_text(text: str, *, name: str, kind: Kind, limit_rows: int) -> object:
    """Parse TOML or JSON with any value at the top; float literals become NumberText.

    Args:
        text: The whole text.
        name: Name of the source, for messages.
        kind: The syntax.
        limit_rows: Most rows (lists directly inside a list) in the file.

    Raises:
        SpecError: With line and column.
        LimitError: More rows than the limit; found before the text is parsed.

    Example:
        >>> parse_text("[0.10, 1]", name="a.json", kind="json", limit_rows=10)
        ['0.10', 1]
    """
    if not text.strip():
        raise SpecError("the file is empty", where=name, expected="write TOML or JSON")
    _check_size(text, name, kind, limit_rows)
    try:
        data = _from_json(text, name) if kind == "json" else _from_toml(text, name)
    except RecursionError:
        raise _too_deep(name) from None
    if kind == "toml" and is_table(data) and _depth_exceeds(data, _DEEPEST):
        raise _too_deep(name)
    return data


def decoded(raw: bytes, name: str) -> str:
    r"""Decode bytes as UTF-8, or as what their byte order mark says.

    Raises:
        SpecError: With the offset of an invalid byte.

    Example:
        >>> decoded(b"\xef\xbb\xbf[1]", "a.json")
        '[1]'
    """
    encoding, skip = "utf-8", 0
    for mark, encoding_of_mark in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            encoding, skip = encoding_of_mark, len(mark)
            break
    try:
        text = raw[skip:].decode(encoding)
    except UnicodeDecodeError as error:
        offset = skip + error.start
        line = raw.count(b"\n", 0, offset) + 1
        raise SpecError(
            f"not {encoding.upper()}: invalid byte at offset {offset}",
            where=f"{name}: line {line}",
            found=f"0x{raw[offset]:02x}",
            expected="save the file as UTF-8",
        ) from None
    null = text.find("\0")
    if null >= 0:
        raise SpecError(
            f"a null character at offset {null}",
            where=name,
            expected="save the file as UTF-8 (or as UTF-16 with a byte order mark)",
        )
    return text


def _check_size(text: str, name: str, syntax: Kind, limit_rows: int) -> None:
    """Refuse a file that is too long or too deep, before a parser sees it."""
    if text.count("[") > limit_rows:
        rows = row_count(text, syntax)
        if rows > limit_rows:
            raise LimitError(
                f"{rows} rows exceed --limit-rows {limit_rows}",
                where=name,
                expected="raise --limit-rows to read them",
            )
    line = deepest(text, syntax, limit=_DEEPEST)
    if line is None and syntax == "toml":
        line = long_dotted_key(text, limit=_DEEPEST)
    if line is not None:
        raise _too_deep(f"{name}: line {line}")


def _too_deep(where: str) -> SpecError:
    return SpecError(
        f"nested more than {_DEEPEST} levels deep",
        where=where,
        expected="a file needs no more than 6",
    )


def _depth_exceeds(data: dict[str, object], limit: int) -> bool:
    """Whether tables nest deeper than the limit: dotted TOML keys do so without brackets."""
    level = [data]
    for _ in range(limit):
        level = [child for table in level for child in table.values() if is_table(child)]
        if not level:
            return False
    return True


# --- JSON ---------------------------------------------------------------------------------------


def _from_json(text: str, name: str) -> object:
    repeated = False

    def table(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        found = dict(pairs)
        repeated = repeated or len(found) < len(pairs)
        return found

    try:
        data: object = json.loads(
            text,
            parse_float=NumberText,
            parse_int=_integer,
            parse_constant=NumberText,
            object_pairs_hook=table,
        )
    except json.JSONDecodeError as error:
        raise _json_error(text, error, name) from None
    if repeated:
        raise _repeated(text, name)
    return data


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else NumberText(digits)


def _json_error(text: str, error: json.JSONDecodeError, name: str) -> SpecError:
    position = error.pos
    character = text[position : position + 1]
    before = text[:position].rstrip()[-1:]
    what, expected = error.msg, ""
    if character == "" or not text[position:].strip() or "Unterminated" in error.msg:
        what, expected = "the text ends too early", "close every string, bracket and brace"
    elif character == "'":
        what, expected = "a single quote", 'use double quotes "..."'
    elif character in "/#":
        what, expected = "JSON has no comments", "remove it, or write the file in TOML"
    elif (character in "]}" and before == ",") or "trailing comma" in error.msg:
        what, expected = "a comma before the closing bracket", "remove the comma"
    elif "Extra data" in error.msg:
        what, expected = "more text after the end of the object", "keep one object per file"
    return SpecError(
        f"not JSON: {what}",
        where=f"{name}: line {error.lineno}, column {error.colno}",
        expected=expected,
    )


def _repeated(text: str, name: str) -> SpecError:
    found = duplicate_keys(text)
    problems: list[InputError] = []
    for path, line in found[:20]:
        *outer, key = path
        what = f'key "{key}" is written twice in one object'
        if outer[-1:] == ["symbols"]:
            what = f"symbol {key} is defined twice"
        place = f"line {line}" + (f", {'.'.join(outer)}" if outer else "")
        problems.append(InputError(what, where=place, expected="keep one of them"))
    if len(problems) == 1:
        (only,) = problems
        return SpecError(only.what, where=f"{name}: {only.where}", expected=only.expected)
    lines = "\n".join(f"  {problem}" for problem in problems)
    return SpecError(
        f"{len(found)} problems\n{lines}", where=name, problems=tuple(problems), count=len(found)
    )


# --- TOML ---------------------------------------------------------------------------------------

_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def _from_toml(text: str, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(text, parse_float=lambda digits: NumberText(digits.replace("_", "")))
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(text, str(error), name) from None
    except ValueError as error:
        long = re.search(r"[0-9_]{4300,}", text)
        if long is None:
            raise SpecError(f"not TOML: {error}", where=name) from None
        raise SpecError(
            f"a whole number of {len(long.group())} digits",
            where=f"{name}: line {text.count(chr(10), 0, long.start()) + 1}",
            expected="write a shorter one",
        ) from None


def _toml_error(text: str, message: str, name: str) -> SpecError:
    place = _TOML_PLACE.search(message)
    what = message[: place.start()] if place else message
    if place is not None and place.group(1):
        line, column = int(place.group(1)), int(place.group(2))
    else:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    lines = text.splitlines()
    written = lines[line - 1].strip() if line <= len(lines) else ""
    expected = ""
    if re.search(r"twice|overwrite|[Dd]uplicate|immutable", what):
        expected = "keep one of them"
        symbol = re.search(r"inline table key '([^']*)'", what) or re.match(r"([\w-]+)", written)
        if "Cannot declare" in what:
            what = f"a table is defined twice ({what})"
        elif symbol is not None and _in_symbols(lines, line):
            what = f"symbol {symbol.group(1)} is defined twice"
        else:
            what = f"a key is written twice ({what})"
    return SpecError(
        what if "twice" in what else f"not TOML: {what}",
        where=f"{name}: line {line}, column {column}",
        found=describe(written) if written else "",
        expected=expected,
    )


def _in_symbols(lines: list[str], line: int) -> bool:
    if re.match(r"\s*symbols\s*=", lines[line - 1] if line <= len(lines) else ""):
        return True
    for written in reversed(lines[:line]):
        if re.match(r"\s*\[", written):
            return re.match(r"\s*\[\s*symbols\s*\]", written) is not None
    return False
