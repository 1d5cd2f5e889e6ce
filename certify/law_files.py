"""Two finite laws from a command line, small files or standard input, with every number exact."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from ..accounting.errors import InputError, PowercertError
from ..accounting.numbers import Exact, exact_number
from ..accounting.pair import Pair
from .spec_kernel import check_total
from .spec_problems import Problems, SpecError, describe, is_list, is_table, nearest
from .spec_reader import Kind, decoded, kind_of_file, parse_text, read_bytes
from .spec_values import Numbers, look_alike, read_name

__all__ = ["read_pair"]

Role = Literal["P", "Q"]

_LARGEST_FILE: Final = 20_000_000
_STANDARD_INPUT: Final = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_SOURCES: Final = "give probabilities such as 3/4,1/4, a TOML or JSON file, or - for standard input"
_KEYS_SHOWN: Final = 3
_LAW: Final = "write a list of probabilities, or a table from outcome to probability"
_TOML_LAW: Final = 'write law = ["3/4", "1/4"], or [law] and a line for each outcome'
_FILE_NAME: Final = re.compile(r"\.[A-Za-z]\w*$")
# A header such as [law] with lines after it; a JSON list has nothing after its bracket.
_HEADER: Final = re.compile(r"""\s*\[[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\]\s*[^\s,]""")


@dataclass(frozen=True)
class _Law:
    """What was read of one law.

    Args:
        place: What messages call it: "P", or "P (p.json)".
        names: Its outcomes, or None for a list.
        masses: Its probabilities, None where one is wrong.
    """

    place: str
    names: tuple[str, ...] | None
    masses: tuple[Exact | None, ...]


def read_pair(
    null: str, alternative: str, problems: Problems, *, stdin: BinaryIO | None = None
) -> Pair | None:
    """Read two laws: each is "3/4,1/4", a file, or "-" for standard input.

    A file that ends in .json or .toml holds that syntax; of other files (whose path starts with
    "/", "./" or "../") and of standard input the first characters tell it.

    Args:
        null: The law P, as it stands on the command line.
        alternative: The law Q.
        problems: Where all that is wrong goes, and the warning of float literals.
        stdin: Where "-" reads from; the process's standard input by default.

    Returns:
        The pair, or None if there is any problem.

    Raises:
        LimitError: A sum of probabilities is too large to be exact.

    Example:
        >>> problems = Problems("")
        >>> read_pair("3/4, 0.25", "1/4,3/4", problems)
        Pair((1/4, 3/4), (3/4, 1/4))
        >>> read_pair("3/4,x", "1/2,1/3", problems), problems.count
        (None, 2)
    """
    if null in _STANDARD_INPUT and alternative in _STANDARD_INPUT:
        problems.add(
            "both laws are standard input, which can be read only once",
            where="P and Q",
            expected="give one of them as probabilities or as a file",
        )
        return None
    before = problems.count
    numbers = Numbers(problems)
    first = _read_law(null, "P", numbers, problems, stdin)
    second = _read_law(alternative, "Q", numbers, problems, stdin)
    numbers.warn()
    if first is None or second is None:
        return None
    rows = _joined(first, second, problems)
    if problems.count > before:
        return None
    return Pair.from_masses(rows)


def _read_law(
    text: str, role: Role, numbers: Numbers, problems: Problems, stdin: BinaryIO | None
) -> _Law | None:
    """Read one law; None where nothing of it can be compared with the other one."""
    path = None if text in _STANDARD_INPUT else Path(text)
    if path is None:
        place = f"{role} (stdin)"
    elif kind_of_file(path) is not None or text.startswith(("/", "./", "../")):
        # No number starts with a slash or dots and a slash.
        place = f"{role} ({text})"
    else:
        return _of_entries(text, role, numbers, problems)
    try:
        if path is None:
            raw = _standard_input(stdin, place)
        else:
            raw = read_bytes(path, _LARGEST_FILE, name=place, otherwise=_SOURCES)
        if len(raw) > _LARGEST_FILE:
            raise SpecError(
                f"more than {_LARGEST_FILE} bytes, too many for a law",
                where=place,
                expected="join outcomes of one likelihood ratio",
            )
        whole = decoded(raw, place)
        kind = kind_of_file(path) if path is not None else None
        syntax = kind or _sniffed(whole)
        if syntax == "list":
            return _of_list(whole.split(","), place, numbers, problems)
        data = parse_text(whole, name=place, kind=syntax, limit_rows=len(whole))
    except SpecError as error:
        _take_over(error, place, problems)
        return None
    return _of_data(data, syntax, place, numbers, problems)


def _standard_input(stdin: BinaryIO | None, place: str) -> bytes:
    # Python leaves sys.stdin empty where the process was started without one.
    source: BinaryIO | None = stdin or getattr(sys.stdin, "buffer", None)
    if source is None:
        raise SpecError("standard input is closed", where=place, expected=_SOURCES)
    try:
        return source.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", where=place) from None


def _take_over(error: SpecError, place: str, problems: Problems) -> None:
    """Record what made a file unreadable, each problem with the file's name."""
    if error.problems == (error,):
        problems.add_error(error)
        return
    for problem in error.problems:
        problems.add_error(problem.located(place))
    problems.count += error.count - len(error.problems)


def _sniffed(text: str) -> Kind | Literal["list"]:
    """Tell JSON, TOML and "3/4,1/4" apart by how the text starts."""
    start = text.lstrip()[:1]
    if start == "{" or (start == "[" and _HEADER.match(text) is None):
        return "json"
    return "toml" if not start or start in "[#" or "=" in text else "list"


def _of_entries(text: str, role: Role, numbers: Numbers, problems: Problems) -> _Law | None:
    """Read "3/4,1/4"; a file's name without a known ending is told from a bad number."""
    if "," not in text and not _is_number(text):
        exists = os.path.exists(text)
        if exists or _FILE_NAME.search(text) is not None:
            problems.add(
                "neither probabilities nor a file that ends in .json or .toml",
                where=role,
                found=describe(text),
                expected=f"write ./{text} to read that file" if exists else _SOURCES,
            )
            return None
    return _of_list(text.split(","), role, numbers, problems)


def _is_number(text: str) -> bool:
    try:
        exact_number(text)
    except PowercertError:
        return False
    return True


def _of_data(
    data: object, kind: Kind, place: str, numbers: Numbers, problems: Problems
) -> _Law | None:
    """Read what a file holds: a law, or a table whose key ``law`` holds one."""
    if is_table(data):
        law = data.get("law")
        if is_list(law) or is_table(law) or (kind == "toml" and "law" in data):
            for key in data:
                if key != "law":
                    problems.warn(f"{place}: unknown key {describe(key)} is not read")
            data, place = law, f"{place}: law"
        elif kind == "toml":
            close = nearest("law", data)
            found = ", ".join(describe(key) for key in list(data)[:_KEYS_SHOWN])
            problems.add(
                "no key law",
                where=place,
                found=found + (", ..." if len(data) > _KEYS_SHOWN else ""),
                expected=f"write law instead of {close[0]}" if close else _TOML_LAW,
            )
            return None
    if is_list(data):
        return _of_list(data, place, numbers, problems)
    if is_table(data):
        return _of_table(data, place, numbers, problems)
    problems.add("not a law", where=place, found=describe(data), expected=_LAW)
    return None


def _of_list(entries: Sequence[object], place: str, numbers: Numbers, problems: Problems) -> _Law:
    masses = tuple(
        numbers.probability(
            value.strip() if type(value) is str else value, f"{place}: entry {number}"
        )
        for number, value in enumerate(entries, 1)
    )
    return _checked(_Law(place, None, masses), problems)


def _of_table(
    table: Mapping[str, object], place: str, numbers: Numbers, problems: Problems
) -> _Law:
    looks: dict[str, str] = {}
    masses: list[Exact | None] = []
    for name, value in table.items():
        where = f"{place}: {describe(name)}"
        try:
            read_name(name)
        except InputError as error:
            problems.add_error(error.located(f"{place}: outcome"))
        twin = looks.setdefault(look_alike(name), name)
        if twin != name:
            problems.add(
                "two outcomes differ only by spacing or by the form of their characters",
                where=place,
                found=f"{twin!a} and {name!a}",
                expected="keep one of them, or rename one",
            )
        masses.append(numbers.probability(value.strip() if type(value) is str else value, where))
    return _checked(_Law(place, tuple(table), tuple(masses)), problems)


def _checked(law: _Law, problems: Problems) -> _Law:
    """Check that there are outcomes and that their probabilities add up to 1."""
    if not law.masses:
        problems.add("the law has no outcome", where=law.place, expected=_LAW)
    known = [mass for mass in law.masses if mass is not None]
    if len(known) == len(law.masses):
        check_total(known, law.place, problems)
    return law


def _joined(first: _Law, second: _Law, problems: Problems) -> list[tuple[Exact, Exact]]:
    """Put the two probabilities of each outcome side by side; what is missing has 0."""
    zero = exact_number(0)
    if first.names is None and second.names is None:
        if len(first.masses) != len(second.masses):
            problems.add(
                "the laws have different lengths",
                where="P and Q",
                found=f"{len(first.masses)} outcomes in P and {len(second.masses)} in Q",
                expected="give one probability for each outcome, 0 where it cannot occur",
            )
            return []
        return [(p or zero, q or zero) for p, q in zip(first.masses, second.masses, strict=True)]
    if first.names is None or second.names is None:
        problems.add(
            "one law names its outcomes and the other does not",
            where="P and Q",
            found=" and ".join(
                f"{'a list' if law.names is None else 'a table'} in {law.place}"
                for law in (first, second)
            ),
            expected="give two lists of one length, or two tables",
        )
        return []
    p_masses = dict(zip(first.names, first.masses, strict=True))
    q_masses = dict(zip(second.names, second.masses, strict=True))
    looks = {look_alike(name): name for name in first.names}
    for name in second.names:
        twin = looks.get(look_alike(name), name)
        if twin != name and name not in p_masses and twin not in q_masses:
            problems.add(
                "outcomes of P and Q differ only by spacing or by the form of their characters",
                where=second.place,
                found=f"{name!a}, and {twin!a} in {first.place}",
                expected="write both alike, or rename one",
            )
    return [
        (p_masses.get(name) or zero, q_masses.get(name) or zero)
        for name in dict.fromkeys([*first.names, *second.names])
    ]
