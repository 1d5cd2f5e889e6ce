"""Keys of a spec that nobody reads: mistyped ones are refused, misplaced ones are named."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from .spec_problems import Problems, describe, is_list, is_table
from .spec_reader import Kind

__all__ = [
    "FORMS",
    "REQUIRED",
    "check_unknown",
    "is_remark",
    "lifted",
    "misspelt",
    "note_swallowed",
]

FORMS = ("kernel", "laws", "joint")
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "kernel": ("rounds", "inputs", "outputs", "states", "initial", "neighbours"),
    "laws": ("rounds", "inputs", "neighbours"),
    "joint": ("rounds", "inputs", "neighbours"),
}
_OPTIONAL = ("claim", "claims", "release", "symbols", "outputs")
# In these tables a key is the name of a symbol, a state or a stream.
_NAMING = frozenset({"symbols", "initial", "joint"})
_SHORTEST = 3
_ONE_SLIP = 6
_ALIKE = 0.8
_STEM = 4
_DEEPEST = 2
# One letter away from "states", and a word that people do write beside a spec.
_ORDINARY = frozenset({"status"})


def is_remark(key: str) -> bool:
    """Whether a key is the user's own, which no version of the format will read.

    Example:
        >>> is_remark("x_origin"), is_remark("origin")
        (True, False)
    """
    return key.startswith(("x-", "x_", "_"))


def misspelt(word: str, known: Iterable[str]) -> str | None:
    """Return the known key that a word is a slip of, or None.

    A slip is another case or separator, one letter too many, missing, wrong or swapped with its
    neighbour (two of them in a longer word), or the beginning of the key alone.

    Example:
        >>> keys = ["delta", "adversary", "exp_epsilon", "claims"]
        >>> [misspelt(word, keys) for word in ("dleta", "adv", "adversery", "Exp-Epsilon", "note")]
        ['delta', None, 'adversary', 'exp_epsilon', None]
    """
    written = _folded(word[:200])
    if written in _ORDINARY:
        return None
    found = [(_distance(written, _folded(key)), key) for key in known]
    near = [
        (distance, key)
        for distance, key in found
        if distance == 0 or _is_near(written, _folded(key), distance)
    ]
    return min(near)[1] if near else None


def _folded(word: str) -> str:
    return re.sub(r"[\W_]+", "", word.casefold())


def _is_near(written: str, key: str, distance: int) -> bool:
    shorter = min(len(written), len(key))
    if shorter < _SHORTEST:
        return False
    if shorter >= _STEM and key.startswith(written):
        return True
    if shorter <= _STEM and written[0] != key[0]:
        # Of short words, many of one shape mean something else.
        return False
    if distance <= (1 if shorter <= _ONE_SLIP else 2):
        return True
    return difflib.SequenceMatcher(None, written, key).ratio() > _ALIKE


def _distance(first: str, second: str) -> int:
    """Return how many slips lead from one word to the other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first):
        earlier, before = before, row
        row = [index + 1]
        for place, other in enumerate(second):
            cost = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != other))
            if index and place and letter == second[place - 1] and first[index - 1] == other:
                cost = min(cost, earlier[place - 1] + 1)
            row.append(cost)
    return row[-1]


def check_unknown(
    keys: Iterable[str], known: Collection[str], problems: Problems, *, where: str = ""
) -> None:
    """Refuse unknown keys that are slips of known ones, and warn of the others.

    Args:
        keys: Keys that nobody reads.
        known: Keys that are read in this table.
        problems: Where problems and warnings go.
        where: The table, "" for the top level.
    """
    inside = f" in {where}" if where else ""
    for key in keys:
        if is_remark(key):
            continue
        meant = misspelt(key, known)
        if meant is None:
            problems.warn(f"unknown key {describe(key)}{inside} is not read")
        else:
            problems.add(
                f"unknown key {describe(key)}",
                where=where,
                expected=f'did you mean "{meant}"? rename it to {meant} '
                '(a remark of your own may start with "x_")',
            )


def lifted(
    data: Mapping[str, object], problems: Problems, *, kind: Kind = "json", parent: str = ""
) -> dict[str, object]:
    """Return a spec in which keys that another table swallowed stand at the top level again.

    In TOML every key after ``[claim]`` belongs to the claim. Each such key is a problem; it is read
    where it was meant, so that it brings no other.

    Args:
        data: The top-level table of a spec.
        problems: Where a problem for each misplaced key goes.
        kind: The syntax, for the words.
        parent: The table that holds the whole spec, such as "cases", or "".

    Example:
        >>> problems = Problems("a.toml")
        >>> lifted({"claim": {"epsilon": "1", "rounds": 2}}, problems, kind="toml")
        {'claim': {'epsilon': '1'}, 'rounds': 2}
        >>> problems.raise_if_any()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        powercert...SpecError: a.toml: `rounds` stands inside [claim]; move it above the first [table]
    """
    whole = dict(data)
    given = [form for form in FORMS if form in whole]
    for form in () if given else FORMS:
        if _lift(whole, form, problems, (kind, parent), required=True):
            given = [form]
            break
    required = REQUIRED[given[0] if given else "laws"]
    for key in required:
        _lift(whole, key, problems, (kind, parent), required=True)
    for key in _OPTIONAL:
        if key not in required:
            _lift(whole, key, problems, (kind, parent), required=False)
    return whole


def _lift(
    whole: dict[str, object],
    key: str,
    problems: Problems,
    layout: tuple[Kind, str],
    *,
    required: bool,
) -> bool:
    """Move one missing key to the top level, if a table swallowed it."""
    if key in whole:
        return False
    for path, table in _tables(whole, ()):
        if key not in table or not (required or _swallowed(path[0], key, table[key], whole)):
            continue
        value = table[key]
        whole[path[0]] = _without(whole[path[0]], path[1:], key)
        whole[key] = value
        kind, parent = layout
        if kind == "toml":
            what = f"`{key}` stands inside [{'.'.join((parent, *path) if parent else path)}]"
            spec = f" of this case, below [[{parent}]]" if parent else ""
            problems.add(what, expected=f"move it above the first [table]{spec}")
        else:
            what = f"{describe(key)} stands inside {describe('.'.join(path))}"
            problems.add(what, expected="move it to the top level of the spec")
        return True
    return False


def _tables(
    table: Mapping[str, object], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Mapping[str, object]]]:
    """Walk the tables inside a table, and those in lists of tables."""
    for key, value in table.items():
        if is_table(value):
            yield (*path, key), value
            if len(path) < _DEEPEST:
                yield from _tables(value, (*path, key))
        elif is_list(value) and not path and key == "claims":
            for item in value:
                if is_table(item):
                    yield (key,), item


def _without(value: object, path: tuple[str, ...], key: str) -> object:
    """Return a table, or a list of tables, without one key at a place."""
    if is_list(value):
        return [_without(item, path, key) for item in value]
    if not is_table(value):
        return value
    if path:
        return value | {path[0]: _without(value[path[0]], path[1:], key)}
    return {name: part for name, part in value.items() if name != key}


def _swallowed(table: str, key: str, value: object, whole: Mapping[str, object]) -> bool:
    """Whether a key that may be left out was meant for the top level rather than for a table."""
    if table in ("claim", "claims"):
        return True
    if table == "neighbours":
        # There it asks for a relation that depends on outputs, which has its own message.
        return key != "outputs"
    if table in _NAMING:
        inputs = whole.get("inputs")
        is_name = is_list(inputs) and key in inputs
        return (is_table(value) or is_list(value)) and not is_name
    return False


def note_swallowed(data: Mapping[str, object], unknown: Iterable[str], problems: Problems) -> None:
    """Warn where a table that nobody reads holds a key that would mean something outside of it."""
    for table in unknown:
        inner = data[table]
        if not is_table(inner):
            continue
        for key in _OPTIONAL:
            if key in inner and key not in data:
                problems.warn(
                    f"`{key}` stands inside {describe(table)}, which is not read; "
                    "if it is meant for this spec, move it to the top level"
                )
