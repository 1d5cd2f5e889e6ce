"""What a state, view, input or outcome must be: hashable, equal to itself, one type per value."""

from __future__ import annotations

import copy
import dataclasses
import difflib
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar, cast

from ..accounting.errors import InputError

__all__ = [
    "as_sequence",
    "canonical",
    "describe",
    "distinct",
    "mutation_guard",
    "nearest",
    "require_count",
    "require_flag",
    "require_items",
    "require_value",
    "same_kind",
    "show",
    "show_history",
]

Value = TypeVar("Value")

_LONGEST = 80
_IMMUTABLE = (int, float, complex, str, bytes, bool, type(None), Fraction, Decimal)


def show(value: object) -> str:
    """Return a value as a place in a message names it: text bare, the rest by its repr.

    Example:
        >>> show("s3"), show((2, "s3"))
        ('s3', "(2, 's3')")
    """
    text = value if isinstance(value, str) and value else _repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def describe(value: object) -> str:
    """Return a value's repr (cut if long) and the name of its type.

    Example:
        >>> describe(1), describe(True)
        ('1 (int)', 'True (bool)')
    """
    text = _repr(value)
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return f"{text} ({type(value).__name__})"


def _repr(value: object) -> str:
    """Return a value's repr; Python refuses that of integers of very many digits."""
    try:
        return repr(value)
    except ValueError:
        return f"{type(value).__name__} with very long numbers"


def nearest(word: object, known: Iterable[object]) -> str:
    """Return the hint "did you mean 'x'" for the closest known name, or "" if none is close.

    Example:
        >>> nearest("haming", ["hamming", "user"])
        "did you mean 'hamming'"
    """
    names = [name for name in known if isinstance(name, str)]
    if not isinstance(word, str):
        return ""
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}" if close else ""


def require_value(value: object, what: str, where: str = "") -> None:
    """Check that a value can be merged with equal ones.

    Args:
        value: The candidate.
        what: What it is to be ("state", "view", "outcome").
        where: Place named in the error.

    Raises:
        InputError: The value is not hashable, or not equal to itself (a NaN).

    Example:
        >>> require_value([1], "state")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: the state is not hashable; found [1] (list); \
use a hashable value: a tuple for a list, a frozenset for a set, a frozen dataclass
    """
    try:
        hash(value)
    except TypeError as error:
        raise InputError(
            f"the {what} is not hashable",
            where=where,
            found=describe(value),
            expected="use a hashable value: a tuple for a list, a frozenset for a set, "
            "a frozen dataclass",
        ) from error
    if operator.ne(value, value):
        raise InputError(f"the {what} is not equal to itself", where=where, found=describe(value))


def same_kind(first: object, second: object) -> bool:
    """Return whether two equal values also agree in type, all the way down.

    Python holds 1, 1.0 and True for equal, and so are 0.0 and -0.0; an observer can tell them
    apart, so merging them could hide a privacy loss.

    Example:
        >>> same_kind((1, "a"), (1, "a")), same_kind((1, "a"), (True, "a")), same_kind(0.0, -0.0)
        (True, False, False)
    """
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if isinstance(first, (str, int, bytes)):
        return True
    if isinstance(first, tuple):
        members = cast("tuple[object, ...]", first), cast("tuple[object, ...]", second)
        return all(map(same_kind, *members))
    if isinstance(first, float):
        return math.copysign(1.0, first) == math.copysign(1.0, cast(float, second))
    if isinstance(first, Decimal):
        return first.as_tuple() == cast(Decimal, second).as_tuple()
    if isinstance(first, frozenset):
        others = {member: member for member in cast("frozenset[object]", second)}
        return all(same_kind(m, others[m]) for m in cast("frozenset[object]", first))
    if dataclasses.is_dataclass(first):
        return all(
            same_kind(getattr(first, field.name), getattr(second, field.name))
            for field in dataclasses.fields(first)
            if field.compare
        )
    return True


def canonical(table: dict[Value, Value], value: Value, what: str, where: str = "") -> Value:
    """Return the representative of a value in a table, adding the value if it is new.

    Args:
        table: Representatives seen so far, each its own key.
        value: The value.
        what: What it is, for the error.
        where: Place named in the error.

    Raises:
        InputError: The value is not hashable, or equals one of another type (1 and True).

    Example:
        >>> table = {}
        >>> canonical(table, 1, "view"), canonical(table, 1, "view")
        (1, 1)
        >>> canonical(table, True, "view")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: two views are equal but of different types; \
found 1 (int) and True (bool); use one type
    """
    try:
        known = table.setdefault(value, value)
    except TypeError:
        require_value(value, what, where)
        raise
    if known is value:
        require_value(value, what, where)
        return value
    if not same_kind(known, value):
        raise InputError(
            f"two {what}s are equal but of different types",
            where=where,
            found=f"{describe(known)} and {describe(value)}",
            expected="use one type",
        )
    return known


def as_sequence(value: object) -> tuple[Hashable, ...] | None:
    """Return a list or tuple as a tuple, anything else as None; members are not checked.

    Example:
        >>> as_sequence([1, 2]), as_sequence("12")
        ((1, 2), None)
    """
    return tuple(cast("Iterable[Hashable]", value)) if isinstance(value, (list, tuple)) else None


def distinct(values: Iterable[Value], what: str, where: str = "") -> tuple[Value, ...]:
    """Return values in order, checked to be hashable, different, and of one type where equal.

    Raises:
        InputError: They are not iterable, or one is not hashable, comes twice, or equals one of
            another type.

    Example:
        >>> distinct("ab", "input")
        ('a', 'b')
    """
    table: dict[Value, Value] = {}
    for value in require_items(values, where or f"{what}s"):
        size = len(table)
        canonical(table, value, what, where)
        if len(table) == size:
            raise InputError(f"the same {what} comes twice", where=where, found=describe(value))
    return tuple(table)


def _immutable(value: object) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(map(_immutable, cast("Iterable[object]", value)))
    return isinstance(value, _IMMUTABLE)


def mutation_guard(value: object) -> Callable[[], bool]:
    """Return a check to call later: whether a value is still what it is now.

    The check compares the hash, and for values that are not built from plain immutable types also
    a deep copy taken now (where the type allows one).

    Example:
        >>> from dataclasses import dataclass, field
        >>> @dataclass(unsafe_hash=True)
        ... class Counter:
        ...     count: int = 0
        >>> counter = Counter()
        >>> unchanged = mutation_guard(counter)
        >>> counter.count += 1
        >>> unchanged()
        False
    """
    if _immutable(value):
        return _unchanged
    before = hash(value)
    try:
        snapshot = copy.deepcopy(value)
    except (copy.Error, TypeError, ValueError, AttributeError, NotImplementedError):
        # A type may refuse to be copied; then the hash alone is compared.
        return lambda: hash(value) == before
    if type(value).__eq__ is object.__eq__:  # compares by identity: compare what it holds
        if not hasattr(value, "__dict__"):
            return _unchanged
        return lambda: bool(vars(snapshot) == vars(value))
    if not bool(snapshot == value):  # something inside compares by identity
        return lambda: hash(value) == before
    return lambda: hash(value) == before and bool(snapshot == value)


def _unchanged() -> bool:
    return True


def show_history(history: object) -> str:
    """Return a history as a place in a message names it: symbols joined by "|".

    Example:
        >>> show_history(("0", "1"))
        '0|1'
    """
    symbols = as_sequence(history)
    return show(history) if symbols is None else "|".join(map(show, symbols))


def require_count(value: object, what: str, least: int = 0) -> int:
    """Return a value that must be an integer at least ``least`` (bool is no integer here).

    Raises:
        InputError: It is not.

    Example:
        >>> require_count(3, "k")
        3
        >>> require_count(0, "min_separation", 1)
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: min_separation is not an integer >= 1; \
found 0 (int)
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{what} is not an integer >= {least}", found=describe(value))
    return value


def require_items(values: Iterable[Value], where: str) -> Iterator[Value]:
    """Return the items of a value that must be a list or another iterable.

    Raises:
        InputError: It is not.

    Example:
        >>> list(require_items((1, 2), "times"))
        [1, 2]
        >>> require_items(5, "times")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: times: not a list; found 5 (int)
    """
    given = cast("object", values)
    if not isinstance(given, Iterable):
        raise InputError("not a list", where=where, found=describe(given))
    return iter(values)


def require_flag(value: object, where: str) -> bool:
    """Return an option that must be True or False, nothing else that Python takes for one.

    Raises:
        InputError: It is not.

    Example:
        >>> require_flag(False, "monotone")
        False
        >>> require_flag("False", "monotone")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: monotone: not true or false; found 'False' (str)
    """
    if not isinstance(value, bool):
        raise InputError("not true or false", where=where, found=describe(value))
    return value
