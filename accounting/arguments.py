"""Reading arguments of public functions: a wrong type is an `InputError` that says what to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

from .errors import InputError

__all__ = [
    "described",
    "read_integer",
    "read_items",
    "read_many",
    "read_tuple",
    "read_type",
    "refuse_unnamed",
]

Kind = TypeVar("Kind")

_SHOWN = 120


def described(value: object) -> str:
    """Return a value and its type for a message, cut; never raises.

    Example:
        >>> described("1/3"), described(10**5000)
        ("'1/3' of type str", 'a value of type int')
    """
    kind = type(value).__name__
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a value that cannot be shown must not hide the refusal
        return f"a value of type {kind}"
    return f"{text if len(text) <= _SHOWN else text[:_SHOWN] + '...'} of type {kind}"


def read_type(value: object, kind: type[Kind], where: str, expected: str = "") -> Kind:
    """Return a value that is of one type, or refuse it.

    Args:
        value: Any value.
        kind: The type it must have.
        where: The name of the argument.
        expected: What to write instead.

    Raises:
        InputError: The value has another type.

    Example:
        >>> read_type(3, int, "count")
        3
    """
    if isinstance(value, kind):
        return value
    name = kind.__name__
    raise InputError(
        f"not {'an' if name[0] in 'AEIOU' else 'a'} {name}",
        where=where,
        found=described(value),
        expected=expected,
    )


def read_integer(
    value: object, where: str, *, least: int | None = None, most: int | None = None
) -> int:
    """Return an integer within bounds; a bool is none.

    Raises:
        InputError: The value is no int, or is out of bounds.

    Example:
        >>> read_integer(10, "count")
        10
    """
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    expected = "write an int such as 10" if least is None else f"write an integer {bounds}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("not an integer", where=where, found=described(value), expected=expected)
    if (least is not None and value < least) or (most is not None and value > most):
        raise InputError(f"not {bounds}", where=where, found=described(value), expected=expected)
    return value


def read_items(values: object, where: str, expected: str) -> list[object]:
    """Return the items of an iterable other than a text or a mapping.

    Raises:
        InputError: The value is nothing of the kind.

    Example:
        >>> read_items((1, 2), "points", "write a list")
        [1, 2]
    """
    given = values
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError("not a list", where=where, found=described(given), expected=expected)
    return list(cast("Iterable[object]", values))


def read_many(values: object, kind: type[Kind], where: str) -> list[Kind]:
    """Return the items of an iterable that are all of one type.

    Raises:
        InputError: It is no iterable, or an item has another type; the message says which.
    """
    items = read_items(values, where, f"write a list of {kind.__name__} objects")
    return [read_type(item, kind, f"{where}[{index}]") for index, item in enumerate(items)]


def read_tuple(value: object, where: str, expected: str) -> tuple[object, object]:
    """Return the two parts of a tuple or list of length two.

    Raises:
        InputError: The value is nothing of the kind.

    Example:
        >>> read_tuple([0, "1/2"], "points[0]", 'write (0, "1/2")')
        (0, '1/2')
    """
    given = value
    if isinstance(value, tuple | list):
        parts = cast("tuple[object, ...] | list[object]", value)
        if len(parts) == 2:
            return parts[0], parts[1]
    raise InputError("not a couple", where=where, found=described(given), expected=expected)


def refuse_unnamed(values: tuple[object, ...], call: str) -> None:
    """Refuse arguments without a name where only the name tells what is meant.

    Args:
        values: The arguments that were given without a name.
        call: How to write the call.

    Raises:
        InputError: There are any.

    Example:
        >>> refuse_unnamed((), "delta(epsilon=1)")
    """
    if values:
        raise InputError(
            "an argument without its name", found=described(values[0]), expected=f"write {call}"
        )
