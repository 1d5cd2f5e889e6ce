"""One finite law from a command line or a small file, with every number exact."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .spec_problems import describe, is_list, is_table

__all__ = ["read_law"]

_LARGEST_FILE = 20_000_000


def read_law(text: str, name: str) -> Sequence[Exact] | Mapping[Hashable, Exact]:
    """Read a law from "3/4,1/4" or from a file that ends in .json or .toml.

    Args:
        text: Probabilities separated by commas, or a path.
        name: What the law is called in messages.

    Returns:
        Probabilities in order, or a mapping from outcome to probability. Whether they are a law
        is checked by whoever makes a pair of them.

    Raises:
        InputError: The file cannot be read, or an entry is not a number.

    Example:
        >>> read_law("3/4, 0.25", "P")
        (Exact('3/4'), Exact('1/4'))
    """
    if text.endswith((".json", ".toml")):
        return _law(_parsed(Path(text)), text)
    entries: list[object] = list(text.split(","))
    return _law(entries, name)


def _law(data: object, where: str) -> Sequence[Exact] | Mapping[Hashable, Exact]:
    if is_table(data):
        if set(data) == {"law"}:
            return _law(data["law"], f"{where}: law")
        return {key: _number(value, f"{where}: {key}") for key, value in data.items()}
    if is_list(data):
        return tuple(
            _number(value, f"{where}: entry {place}") for place, value in enumerate(data, 1)
        )
    raise InputError(
        "not a law",
        where=where,
        found=describe(data),
        expected="write a list of probabilities, or a table from outcome to probability",
    )


def _number(value: object, where: str) -> Exact:
    if isinstance(value, str):
        value = value.strip()
    try:
        return exact_number(value)
    except InputError as error:
        raise error.located(where) from None


def _parsed(path: Path) -> object:
    """Parse a file; floats stay the decimal text they were written as."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError(
                "the file is too large for a law",
                where=str(path),
                found=f"{path.stat().st_size} bytes",
                expected=f"use a file of at most {_LARGEST_FILE} bytes",
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            "the file cannot be read", where=str(path), found=str(error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "the file is not UTF-8", where=str(path), found=f"a wrong byte at offset {error.start}"
        ) from error
    try:
        if path.suffix == ".toml":
            return tomllib.loads(text, parse_float=str)
        return json.loads(
            text, parse_float=str, parse_constant=str, object_pairs_hook=_without_repeats
        )
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise InputError("the file does not parse", where=str(path), found=str(error)) from error
    except RecursionError as error:
        raise InputError("the file is nested too deeply", where=str(path)) from error
    except ValueError as error:
        raise InputError("the file does not parse", where=str(path), found=str(error)) from error


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key written twice: the last one would win in silence and drop mass."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            "an outcome is given twice", found=repr(repeated), expected="add up its probabilities"
        )
    return table
