"""Aggregates: how Definition E.3 adds up inputs, and which additions can serve.

An invariant pair (d, +) needs d(a + u + b, a + u' + b) = d(u, u') for a metric d. So a common
addend never makes two elements equal: the addition is cancellative, and on a finite carrier it is
a group. The inputs may be any subset of the carrier. Saturating sums never qualify.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from ...accounting.errors import InputError
from ...mechanisms.values import describe, distinct, nearest

__all__ = [
    "Aggregate",
    "candidate_aggregates",
    "cyclic",
    "finite_aggregate",
    "fitted",
    "integers",
    "named_aggregate",
    "saturating",
    "vectors",
    "xor",
]

Element = Hashable
Kind = Literal["signed", "vector", "group"]

_LARGEST_TABLE: Final = 64
_NAME = re.compile(r"(Z|xor|Z\^(\d+)|Z_(\d+))")


@dataclass(frozen=True)
class Aggregate:
    """An addition on a carrier that holds the inputs.

    Args:
        name: What to call it: "Z", "Z_5", "xor", "Z^2".
        kind: What a difference is: a signed integer, a vector, or a group element.
        zero: The neutral element.
        add: The addition, associative.
        difference: An invariant of two elements that common addends on either side do not change.
        inverse_of: The difference the other way round.
        embed: An input to its element, or None where the input has none.
        refusal: Why no metric is invariant under this addition; "" where one may be.
    """

    name: str
    kind: Kind
    zero: Element
    add: Callable[[Any, Any], Element] = field(repr=False)
    difference: Callable[[Any, Any], Hashable] = field(repr=False)
    inverse_of: Callable[[Any], Hashable] = field(repr=False)
    embed: Callable[[Hashable], Element | None] = field(repr=False)
    refusal: str = ""


def _integer(symbol: Hashable) -> int | None:
    """Read an input as an integer: a Python int, or text such as "-3"."""
    if isinstance(symbol, bool):
        return None
    if isinstance(symbol, int):
        return symbol
    if isinstance(symbol, str) and re.fullmatch(r"0|-?[1-9]\d{0,17}", symbol):
        return int(symbol)
    return None


def integers() -> Aggregate:
    """Return the integers under addition; inputs are ints or their text.

    Example:
        >>> group = integers()
        >>> group.embed("-2"), group.difference(3, 5)
        (-2, -2)
    """
    return Aggregate(
        "Z", "signed", 0, lambda a, b: a + b, lambda a, b: a - b, lambda v: -v, _integer
    )


def cyclic(modulus: int, order: Sequence[Hashable] | None = None) -> Aggregate:
    """Return the integers modulo m; ``order`` names the inputs that stand for 0, 1, 2, ...

    Raises:
        InputError: The modulus is below 2, or ``order`` names more inputs than elements.

    Example:
        >>> cyclic(3).difference(1, 2)
        2
    """
    if isinstance(cast(object, modulus), bool) or modulus < 2:
        raise InputError("a modulus is at least 2", where="aggregate", found=str(modulus))
    if order is not None and len(order) > modulus:
        raise InputError(f"{len(order)} inputs do not fit into Z_{modulus}", where="aggregate")
    numbers = None if order is None else {symbol: number for number, symbol in enumerate(order)}

    def embed(symbol: Hashable) -> int | None:
        if numbers is not None:
            return numbers.get(symbol)
        number = _integer(symbol)
        return None if number is None else number % modulus

    return Aggregate(
        f"Z_{modulus}" + (f" ({_listed(order)})" if order is not None else ""),
        "group",
        0,
        lambda a, b: (a + b) % modulus,
        lambda a, b: (a - b) % modulus,
        lambda v: -v % modulus,
        embed,
    )


def _listed(order: Sequence[Hashable]) -> str:
    """Say which element each input stands for."""
    return ", ".join(f"{symbol} = {number}" for number, symbol in enumerate(order))


def xor() -> Aggregate:
    """Return the integers >= 0 under bitwise exclusive or.

    Example:
        >>> xor().add(5, 3)
        6
    """

    def embed(symbol: Hashable) -> int | None:
        number = _integer(symbol)
        return number if number is not None and number >= 0 else None

    return Aggregate("xor", "group", 0, lambda a, b: a ^ b, lambda a, b: a ^ b, lambda v: v, embed)


def vectors(length: int) -> Aggregate:
    """Return the integer vectors of a length under addition; inputs are tuples of ints.

    Example:
        >>> vectors(2).difference((3, 1), (1, 1))
        (2, 0)
    """

    def embed(symbol: Hashable) -> tuple[int, ...] | None:
        if not isinstance(symbol, tuple):
            return None
        parts = [_integer(part) for part in cast("tuple[Hashable, ...]", symbol)]
        if len(parts) != length:
            return None
        whole = tuple(part for part in parts if part is not None)
        return whole if len(whole) == length else None

    return Aggregate(
        f"Z^{length}",
        "vector",
        (0,) * length,
        lambda a, b: tuple(map(int.__add__, a, b)),
        lambda a, b: tuple(map(int.__sub__, a, b)),
        lambda v: tuple(-part for part in v),
        embed,
    )


def saturating(cap: int) -> Aggregate:
    """Return sums of integers >= 0 that stop at a cap, which no metric is invariant under.

    Example:
        >>> print(saturating(2).refusal)
        the law is a function of this sum, but 2 + 1 = 2 + 0 = 2 at the cap, so an invariant metric has d(1, 0) = d(2, 2) = 0
    """

    def embed(symbol: Hashable) -> int | None:
        number = _integer(symbol)
        return min(number, cap) if number is not None and number >= 0 else None

    return Aggregate(
        f"sum capped at {cap}",
        "signed",
        0,
        lambda a, b: min(cap, a + b),
        lambda a, b: a - b,
        lambda v: -v,
        embed,
        refusal=f"the law is a function of this sum, but {cap} + 1 = {cap} + 0 = {cap} at the cap, so an invariant metric has "
        f"d(1, 0) = d({cap}, {cap}) = 0",
    )


def finite_aggregate(
    name: str,
    elements: Iterable[Element],
    add: Callable[[Any, Any], Element],
    embed: Mapping[Hashable, Element] | None = None,
) -> Aggregate:
    """Return an aggregate of your own on finitely many elements, checked in full.

    Args:
        name: What to call it.
        elements: The carrier, at most 64 elements.
        add: The addition; it need not commute.
        embed: Input to its element; by default every input is itself an element.

    Raises:
        InputError: The addition leaves the carrier, is not associative, has no neutral element, or
            is not cancellative (such as a saturating sum): then no metric is invariant under it.
            The message shows the elements.

    Example:
        >>> group = finite_aggregate("Z_2", [0, 1], lambda a, b: (a + b) % 2)
        >>> group.difference(0, 1)
        1
        >>> finite_aggregate("capped", [0, 1], lambda a, b: min(1, a + b))
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: aggregate capped: no metric is invariant under this \
addition; found 1 + 0 = 1 + 1 = 1 but 0 is not 1; use a group: common addends must never make two \
elements equal
    """
    carrier = distinct(elements, "element", f"aggregate {name}")
    where = f"aggregate {name}"
    if not 0 < len(carrier) <= _LARGEST_TABLE:
        raise InputError(
            "a carrier has too few or too many elements",
            where=where,
            found=str(len(carrier)),
            expected=f"give 1 to {_LARGEST_TABLE} elements",
        )
    known = set(carrier)
    table: dict[tuple[Element, Element], Element] = {}
    for a, b in itertools.product(carrier, repeat=2):
        table[a, b] = add(a, b)
        if table[a, b] not in known:
            raise InputError(
                "the addition leaves the carrier",
                where=where,
                found=f"{a!r} + {b!r} = {describe(table[a, b])}",
            )
    for a, b, c in itertools.product(carrier, repeat=3):
        if table[table[a, b], c] != table[a, table[b, c]]:
            raise InputError(
                "the addition is not associative", where=where, found=f"{a!r}, {b!r}, {c!r}"
            )
    zero = next((e for e in carrier if all(table[e, a] == a == table[a, e] for a in carrier)), None)
    if zero is None and None not in carrier:
        raise InputError("the addition has no neutral element", where=where)
    _require_cancellation(carrier, table, where)
    # Finite and cancellative, so a group: every element has an inverse.
    inverse = {a: next(b for b in carrier if table[a, b] == zero) for a in carrier}
    # Common addends on both sides conjugate -u + u', so the invariant is its conjugacy class.
    classes: dict[Element, Element] = {}
    for element in carrier:
        if element not in classes:
            for b in carrier:
                classes[table[table[b, element], inverse[b]]] = element
    members = {element: element for element in carrier} if embed is None else dict(embed)
    for item, element in members.items():
        if element not in known:
            raise InputError(
                "an input stands for no element",
                where=where,
                found=f"{describe(item)} for {describe(element)}",
                expected=nearest(element, carrier),
            )
    return Aggregate(
        name,
        "group",
        zero,
        lambda a, b: table[a, b],
        lambda a, b: classes[table[a, inverse[b]]],
        lambda v: classes[inverse[v]],
        members.get,
    )


def _require_cancellation(
    carrier: tuple[Element, ...], table: Mapping[tuple[Element, Element], Element], where: str
) -> None:
    for a in carrier:
        for left in (True, False):
            sums: dict[Element, Element] = {}
            for u in carrier:
                total = table[(a, u) if left else (u, a)]
                other = sums.setdefault(total, u)
                if other != u:
                    found = (
                        f"{a!r} + {other!r} = {a!r} + {u!r} = {total!r}"
                        if left
                        else f"{other!r} + {a!r} = {u!r} + {a!r} = {total!r}"
                    )
                    raise InputError(
                        "no metric is invariant under this addition",
                        where=where,
                        found=f"{found} but {other!r} is not {u!r}",
                        expected="use a group: common addends must never make two elements equal",
                    )


def named_aggregate(name: str) -> Aggregate:
    """Return the aggregate of a name: "Z", "Z_5", "Z^2" or "xor".

    Raises:
        InputError: The name is unknown.

    Example:
        >>> named_aggregate("Z_5").name
        'Z_5'
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            "unknown aggregate",
            where="aggregate",
            found=describe(name),
            expected='use "Z", "Z_m" such as "Z_5", "Z^k" such as "Z^2", or "xor"',
        )
    if match[2]:
        if not 1 <= len(match[2]) <= 2 or not 1 <= int(match[2]) <= _LARGEST_TABLE:
            raise InputError(
                f"a vector has 1 to {_LARGEST_TABLE} coordinates", where="aggregate", found=name
            )
        return vectors(int(match[2]))
    if match[3]:
        return cyclic(int(match[3]))
    return integers() if name == "Z" else xor()


def candidate_aggregates(inputs: Sequence[Hashable]) -> tuple[Aggregate, ...]:
    """Return the aggregates worth trying for an input alphabet.

    Integers (or their text): Z, the cyclic group if they are 0 .. m - 1, and xor; integer tuples:
    vectors; other symbols: the cyclic group in their order. Two inputs never share an element.

    Example:
        >>> [group.name for group in candidate_aggregates(["0", "1", "2"])]
        ['Z', 'Z_3', 'xor']
        >>> [group.name for group in candidate_aggregates(["yes", "no"])]
        ['Z_2 (yes = 0, no = 1)']
    """
    found: list[Aggregate] = []
    whole = [number for number in map(_integer, inputs) if number is not None]
    if len(whole) == len(inputs):
        found.append(integers())
        if len(inputs) > 1 and sorted(whole) == list(range(len(inputs))):
            found.append(cyclic(len(inputs)))
        if len(inputs) > 2 and min(whole) >= 0:
            found.append(xor())
    lengths = {len(cast("tuple[object, ...]", i)) for i in inputs if isinstance(i, tuple)}
    if len(lengths) == 1:
        found.append(vectors(lengths.pop()))
    if not found and len(inputs) > 1:
        found.append(cyclic(len(inputs), tuple(inputs)))
    return tuple(group for group in found if _injective(group, inputs))


def fitted(aggregate: Aggregate, inputs: Sequence[Hashable]) -> Aggregate:
    """Return a cyclic group over the inputs in their order if none of them is a number.

    Example:
        >>> fitted(named_aggregate("Z_3"), ["a", "b"]).name
        'Z_3 (a = 0, b = 1)'
    """
    match = _NAME.fullmatch(aggregate.name)
    if match is None or not match[3] or not 0 < len(inputs) <= int(match[3]):
        return aggregate
    if any(aggregate.embed(item) is not None for item in inputs):
        return aggregate
    return cyclic(int(match[3]), tuple(inputs))


def _injective(group: Aggregate, inputs: Sequence[Hashable]) -> bool:
    elements = [group.embed(item) for item in inputs]
    return None not in elements and len(set(elements)) == len(elements)
