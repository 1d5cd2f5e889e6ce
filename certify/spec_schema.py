"""The frame of a spec against its JSON schema, with messages that say what to write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from .spec_keys import FORMS, REQUIRED, check_unknown, is_remark, misspelt, note_swallowed
from .spec_problems import Problems, describe, is_list, is_table, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from jsonschema import ValidationError

    class _Validator(Protocol):
        def iter_errors(self, instance: object) -> Iterable[ValidationError]: ...


__all__ = ["check_frame", "load_schema"]

# Keys that a stored case brings along; a spec that was cut out of a collection keeps them.
_FREE = frozenset(("root_cause", "truth", "expect", "checklist1_expected_violations"))
# Nobody reads these, so a slip of them changes nothing.
_NOT_READ = frozenset(("title", "description", "tags"))
_TYPES = {
    "object": "a table",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
}


@cache
def _schema_text() -> str:
    place = files(__package__ or "powercert.certify").joinpath("schemas", "1", "spec.json")
    return place.read_text(encoding="utf-8")


def load_schema() -> dict[str, object]:
    """Return the JSON schema (draft 2020-12) of the spec file, format 1.

    Example:
        >>> load_schema()["$id"]
        'powercert/spec/1'
    """
    schema: dict[str, object] = json.loads(_schema_text())
    return schema


def check_frame(data: Mapping[str, object], problems: Problems) -> frozenset[str]:
    """Check the keys of a spec and the kinds of their values; names and rows are read later.

    Missing and misspelt keys are problems or warnings here; so are two forms in one spec.

    Args:
        data: The top-level table.
        problems: Where problems and warnings go.

    Returns:
        The top-level keys whose values have the right kind.
    """
    # Imported here: it takes a tenth of a second, and a Python spec needs no schema.
    from jsonschema import Draft202012Validator

    schema = load_schema()
    properties = _table(schema["properties"])
    _check_keys(data, properties, problems)
    frame = {key: _emptied(key, value) for key, value in data.items() if key in properties}
    # The keys themselves are checked above, with better words than "oneOf" has.
    known = {key: value for key, value in schema.items() if key not in ("required", "oneOf")}
    validator = cast("_Validator", Draft202012Validator(known))
    bad: set[str] = set()
    for error in sorted(validator.iter_errors(frame), key=_place):
        bad.add(str(error.absolute_path[0]))
        _explain(error, properties, problems)
    return frozenset(frame) - bad


def _table(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return cast("dict[str, object]", value)


def _place(error: ValidationError) -> str:
    text = ""
    for step in error.absolute_path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


_ONE_ROW: Mapping[str, list[object]] = {
    "kernel": [["*", "s", "0", "0", "s", "1"]],
    "laws": [["*", ["0"], "*", {}]],
    "joint": [[["0"], {}]],
    "arcs": [["r", "0", "1", "r"]],
    "accept": ["r"],
    "inputs": ["0"],
    "outputs": ["0"],
    "states": ["s"],
}


def _emptied(key: str, value: object) -> object:
    """Cut names and rows down to one good one: the reader looks at each itself, and faster."""
    if is_list(value):
        if key in _ONE_ROW:
            return _ONE_ROW[key] if value else value
        return [] if key in ("release", "symbols") else value
    if is_table(value):
        if key in ("initial", "symbols") and value:
            return {"name": "1"}
        if key == "joint" and value:
            return {"0": {}}
        if key == "neighbours":
            return {inner: _emptied(inner, part) for inner, part in value.items()}
    return value


def _check_keys(
    data: Mapping[str, object], properties: Mapping[str, object], problems: Problems
) -> None:
    """Find missing keys, keys nobody reads, and the pairs of them that are one misspelt key."""
    unknown = [key for key in data if key not in properties and key not in _FREE]
    unknown = [key for key in unknown if not is_remark(key)]
    given = [form for form in FORMS if form in data]
    collection = [key for key in unknown if is_list(data[key]) and misspelt(key, ("cases",))]
    if collection and not given:
        problems.add(f"unknown key {describe(collection[0])}", expected='did you mean "cases"?')
        return
    missing = [key for key in REQUIRED[given[0] if given else "laws"] if key not in data]
    if not given:
        renamed = next((key for key in unknown if nearest(key, FORMS)), None)
        if renamed is None:
            problems.add(
                "the mechanism is missing",
                expected="write one of kernel (a state machine), laws, joint",
            )
        else:
            missing.append(nearest(renamed, FORMS)[0])
    elif len(given) > 1:
        problems.add(
            "the mechanism is given twice", found=" and ".join(given), expected="keep one of them"
        )
    for key in missing:
        close = nearest(key, unknown)
        expected = f'rename it to "{key}"'
        if close:
            unknown.remove(close[0])
        else:
            expected = str(_table(properties[key]).get("expected", ""))
        found = f'key "{close[0]}"' if close else ""
        problems.add(f'key "{key}" is missing', found=found, expected=expected)
    check_unknown(unknown, set(properties) - _NOT_READ, problems)
    note_swallowed(data, unknown, problems)
    if "claim" in data and "claims" in data:
        problems.add("both claim and claims are given", expected="keep one of them")
    if "release" in data and "kernel" not in data:
        problems.add(
            "release needs a kernel", where="release", expected="give the views in the laws"
        )


def _explain(error: ValidationError, properties: Mapping[str, object], problems: Problems) -> None:
    """Turn one schema error into a problem in plain words."""
    where = _place(error)
    rule = _table(error.schema)
    value: object = error.instance
    expected = str(rule.get("expected") or "")
    if not expected:
        expected = str(_table(properties[str(error.absolute_path[0])]).get("expected", ""))
    keyword = str(error.validator)
    if keyword == "type":
        kinds = cast("str | list[str]", error.validator_value)
        words = [_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
        problems.add(
            f"not {' or '.join(words)}", where=where, found=describe(value), expected=expected
        )
    elif keyword == "required":
        inner = _table(value)
        parts = _table(rule.get("properties", {}))
        for key in cast("list[str]", error.validator_value):
            if f"{key!r} is a required property" != error.message:
                continue
            close = nearest(key, [name for name in inner if name not in parts])
            problems.add(
                f'key "{key}" is missing',
                where=where,
                found=f'key "{close[0]}"' if close else "",
                expected=f'rename it to "{key}"'
                if close
                else str(_table(parts.get(key, {})).get("expected") or expected),
            )
    elif keyword in ("minItems", "minLength", "minProperties"):
        problems.add("empty", where=where, expected=expected)
    elif keyword == "anyOf" and where.startswith("claim"):
        inner = _table(value)
        spare = [key for key in inner if key not in _table(rule.get("properties", {}))]
        alike = [key for key in spare if nearest(key, ("epsilon", "exp_epsilon"))]
        found = f'key "{alike[0]}"' if alike else ""
        if alike:
            meant = nearest(alike[0], ("epsilon", "exp_epsilon"))[0]
            expected = f'rename it to "{meant}"'
        problems.add(
            "a claim needs epsilon or exp_epsilon", where=where, found=found, expected=expected
        )
    elif keyword == "minimum" and where == "rounds" and value == 0:
        problems.add(
            "a mechanism without rounds says nothing, so it is (0, 0)-DP and needs no audit",
            where=where,
            found="0",
            expected=expected,
        )
    else:
        problems.add("not allowed here", where=where, found=describe(value), expected=expected)
