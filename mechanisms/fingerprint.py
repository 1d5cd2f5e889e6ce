"""What a mechanism's parameters are, in a form that is the same in every process."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import cast

from ..accounting.numbers import Exact, LogExact
from .law import FiniteLaw

__all__ = ["Fingerprint", "differing_field", "fingerprint"]

# (field, digest of its value), in the order of the fields; empty where nothing can be compared.
Fingerprint = tuple[tuple[str, str], ...]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), Fraction, Decimal, Exact, LogExact)


def fingerprint(mechanism: object) -> Fingerprint:
    """Return a digest for each parameter of a mechanism.

    Parameters are the fields of a dataclass, and what this library's tables hold. Functions count
    by module and name only. Other classes of a user's have no fingerprint: what they hold may be a
    cache.

    Example:
        >>> from powercert.mechanisms import TreeCounter, TwoSidedGeometric
        >>> one, two = (TreeCounter(4, TwoSidedGeometric(ratio)) for ratio in ("1/2", "1/3"))
        >>> differing_field(fingerprint(one), fingerprint(two))
        'noise'
        >>> fingerprint(one) == fingerprint(TreeCounter(4, TwoSidedGeometric("1/2")))
        True
    """
    return tuple(
        (name, hashlib.sha256(_text(value, ()).encode()).hexdigest()[:16])
        for name, value in _parameters(mechanism)
    )


def differing_field(first: Fingerprint, second: Fingerprint) -> str:
    """Return the first parameter in which two fingerprints differ, or ""."""
    known = dict(first)
    for name, digest in second:
        if known.pop(name, None) != digest:
            return name
    return next(iter(known), "")


def _parameters(value: object) -> list[tuple[str, object]]:
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    kind = type(value)
    if kind.__module__.partition(".")[0] == __name__.partition(".")[0] and hasattr(
        value, "__dict__"
    ):
        return sorted(vars(value).items())
    return []


def _text(value: object, above: tuple[int, ...]) -> str:
    """Describe a value without addresses and without the order of sets."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, _PLAIN):
        return f"{kind}:{value!r}"
    if id(value) in above:
        return f"{kind}:above"
    inside = (*above, id(value))
    if isinstance(value, FiniteLaw):
        law = cast("FiniteLaw[object]", value)
        return f"{kind}{[(_text(outcome, inside), str(w)) for outcome, w in law.items()]}"
    if isinstance(value, tuple | list):
        return f"{kind}{[_text(member, inside) for member in cast('tuple[object, ...]', value)]}"
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value).items()
        return f"{kind}{sorted((_text(k, inside), _text(v, inside)) for k, v in entries)}"
    if isinstance(value, AbstractSet):
        return f"{kind}{sorted(_text(member, inside) for member in cast('AbstractSet[object]', value))}"
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, value.keywords)
        return f"{kind}{[_text(part, inside) for part in parts]}"
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str) and callable(value):
        return f"{getattr(value, '__module__', '')}.{name}"
    return f"{kind}{[(field, _text(held, inside)) for field, held in _parameters(value)]}"
