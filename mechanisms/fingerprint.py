"""What a mechanism's parameters are, in a form that is the same in every process."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Number
from typing import Any, cast

from ..accounting.numbers import Exact, LogExact
from .law import FiniteLaw

__all__ = ["Fingerprint", "differing_field", "fingerprint"]

# (field, digest of its value), in the order of the fields; empty where nothing can be compared.
Fingerprint = tuple[tuple[str, str], ...]

_PLAIN = (bool, float, complex, str, bytes, type(None), Decimal, Exact, LogExact)
_LIBRARY = __name__.partition(".")[0]


def fingerprint(mechanism: object) -> Fingerprint:
    """Return a digest for each parameter of a mechanism.

    Parameters are the fields of a dataclass, what this library's tables hold, and whatever else an
    object keeps of its constructor's arguments, under their names or with an underscore before
    them (other attributes may be caches). A function counts by module, name, bound object and the
    numbers, texts and laws that it closes over; its code does not count.

    Example:
        >>> from powercert.mechanisms import TreeCounter, TwoSidedGeometric
        >>> one, two = (TreeCounter(4, TwoSidedGeometric(ratio)) for ratio in ("1/2", "1/3"))
        >>> differing_field(fingerprint(one), fingerprint(two))
        'noise'
        >>> fingerprint(one) == fingerprint(TreeCounter(4, TwoSidedGeometric("1/2")))
        True
    """
    return tuple(
        (name, hashlib.sha256(_text(value, (id(mechanism),)).encode()).hexdigest()[:16])
        for name, value in _parameters(mechanism).items()
    )


def differing_field(first: Fingerprint, second: Fingerprint) -> str:
    """Return the first parameter in which two fingerprints differ, or ""."""
    known = dict(first)
    for name, digest in second:
        if known.pop(name, None) != digest:
            return name
    return next(iter(known), "")


def _parameters(value: object) -> dict[str, object]:
    kind, held = type(value), dict(_held(value))
    found: dict[str, object] = {}
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            # Neither given nor compared: derived from the others, or a cache.
            if field.init or field.compare:
                found[field.name] = held.get(field.name, getattr(kind, field.name, None))
    elif any(_is_table(base) for base in kind.__mro__):
        cached = {
            name
            for base in kind.__mro__
            for name, part in vars(base).items()
            if isinstance(part, functools.cached_property)
        }
        found = {name: held[name] for name in sorted(held) if name not in cached}
    for name in _arguments(kind):
        for kept in (name, f"_{name}"):
            if kept in held:
                found.setdefault(kept, held[kept])
    return found


def _held(value: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes of an object itself; no property runs."""
    yield from getattr(value, "__dict__", {}).items()
    for base in type(value).__mro__:
        for name, part in vars(base).items():
            if isinstance(part, types.MemberDescriptorType):
                try:
                    yield name, part.__get__(value)
                except AttributeError:
                    continue


def _is_table(kind: type) -> bool:
    """Whether a class is one of this library's that holds what it was given in another form."""
    return kind.__module__.partition(".")[0] == _LIBRARY and not getattr(
        kind, "_is_protocol", False
    )


def _arguments(kind: type) -> list[str]:
    """Return the names of a constructor's arguments, as far as Python tells."""
    constructor: object = getattr(kind, "__init__", None)
    if not isinstance(constructor, types.FunctionType):
        return []
    _, *arguments = inspect.signature(constructor).parameters or ("self",)
    return arguments


def _text(value: object, above: tuple[int, ...]) -> str:
    """Describe a value without addresses and without the order of sets."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, Enum):
        return f"{kind}.{value.name}"
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        # In base 16, as Python refuses to write long numbers in base 10.
        return f"{kind}:{value.numerator:x}/{value.denominator:x}"
    for plain in _PLAIN:
        if isinstance(value, plain):
            return f"{kind}:{cast('Any', plain).__repr__(value)}"
    if isinstance(value, Number):
        return f"{kind}:{value!r}"
    if id(value) in above:
        return f"{kind}:above"
    inside = (*above, id(value))
    if isinstance(value, FiniteLaw):
        law = cast("FiniteLaw[object]", value)
        return f"{kind}{sorted((_text(outcome, inside), str(w)) for outcome, w in law.items())}"
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value).items()
        return f"{kind}{sorted((_text(k, inside), _text(v, inside)) for k, v in entries)}"
    if isinstance(value, AbstractSet):
        members = cast("AbstractSet[object]", value)
        return f"{kind}{sorted(_text(member, inside) for member in members)}"
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, value.keywords)
        return f"{kind}{[_text(part, inside) for part in parts]}"
    if isinstance(value, types.MethodType):
        return f"{kind}{[_text(part, inside) for part in (value.__func__, value.__self__)]}"
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str) and callable(value):
        return f"{getattr(value, '__module__', '')}.{name}{_closed_over(value, inside)}"
    parameters = _parameters(value)
    given = [(field, _text(held, inside)) for field, held in parameters.items()]
    if isinstance(value, Sequence):
        items = cast("Sequence[object]", value)
        return f"{kind}{given}{[_text(item, inside) for item in items]}"
    return f"{kind}{given}{'' if given else _raw(value)}"


def _closed_over(function: object, above: tuple[int, ...]) -> list[tuple[str, str]]:
    """Describe the numbers, texts and laws that a function closes over; others may be caches."""
    if not isinstance(function, types.FunctionType):
        return []
    found: list[tuple[str, str]] = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            held = cast("object", cell.cell_contents)
        except ValueError:
            continue
        counted = (*_PLAIN, int, Fraction, FiniteLaw, tuple, types.FunctionType)
        if dataclasses.is_dataclass(held) or isinstance(held, counted):
            found.append((name, _text(cast("object", held), above)))
    return sorted(found)


def _raw(value: object) -> str:
    """Return a digest of the bytes of an array, "" for any other object."""
    try:
        view = memoryview(cast("Any", value))
    except TypeError:
        return ""
    # An array of objects holds addresses.
    content = b"" if "O" in view.format else view.tobytes()
    return f"{view.format}{view.shape}{hashlib.sha256(content).hexdigest()}"
