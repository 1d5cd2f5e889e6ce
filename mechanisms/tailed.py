"""Functions on all integers whose tails are sums of geometric sequences: exact infinite sums."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact
from .law import FiniteLaw
from .unbounded_laws import Geometric, TwoSidedGeometric
from .values import describe

__all__ = ["Noise", "TailedFunction", "noise_weights", "require_noise"]

Noise = FiniteLaw[int] | TwoSidedGeometric | Geometric
Tail = tuple[tuple[Exact, Exact], ...]

_ZERO = Exact(0)
_ONE = Exact(1)
_LONGEST_WINDOW = 100_000


@dataclass(frozen=True)
class TailedFunction:
    """A function on the integers: values on a window, geometric sums on both sides of it.

    Such functions are closed under sums, products, shifts and running sums, and their total is a
    closed expression. Two-sided and one-sided geometric weights are of this form, and so are their
    tail probabilities, so mechanisms with unbounded noise have exact laws.

    Args:
        first: Where the window begins.
        values: The values on the window, at ``first``, ``first + 1``, ...
        left: (base, coefficient) with f(first - 1 - k) = sum of coefficient * base^k for k >= 0;
            bases in (0, 1], rising, without repeats.
        right: Likewise f(end + k), where ``end`` is the first place after the window.

    Example:
        >>> half = TailedFunction(0, (), left=(), right=((Exact("1/2"), Exact("1/2")),))
        >>> half(3), half(-1), half.total()
        (Exact('1/16'), Exact('0'), Exact('1'))
    """

    first: int
    values: tuple[Exact, ...]
    left: Tail
    right: Tail

    @staticmethod
    def constant(value: Exact) -> TailedFunction:
        """Return the function with one value everywhere."""
        tail = _tail([(_ONE, value)])
        return TailedFunction(0, (), tail, tail)

    @staticmethod
    def at_most(limit: int) -> TailedFunction:
        """Return the indicator of n <= limit.

        Example:
            >>> TailedFunction.at_most(2)(2), TailedFunction.at_most(2)(3)
            (Exact('1'), Exact('0'))
        """
        return TailedFunction(limit + 1, (), ((_ONE, _ONE),), ())

    @property
    def end(self) -> int:
        """The first place after the window."""
        return self.first + len(self.values)

    def __call__(self, place: int) -> Exact:
        """Return the value at an integer."""
        if place < self.first:
            return _sum(c * base ** (self.first - 1 - place) for base, c in self.left)
        if place >= self.end:
            return _sum(c * base ** (place - self.end) for base, c in self.right)
        return self.values[place - self.first]

    def shifted(self, by: int) -> TailedFunction:
        """Return n -> f(n - by): the graph moved to the right."""
        return TailedFunction(self.first + by, self.values, self.left, self.right)

    def scaled(self, factor: Exact) -> TailedFunction:
        """Return the function times a number."""
        return self.times(TailedFunction.constant(factor))

    def plus(self, other: TailedFunction) -> TailedFunction:
        """Return the pointwise sum."""
        one, two = _aligned(self, other)
        values = tuple(a + b for a, b in zip(one.values, two.values, strict=True))
        left, right = _tail([*one.left, *two.left]), _tail([*one.right, *two.right])
        return TailedFunction(one.first, values, left, right)

    def minus(self, other: TailedFunction) -> TailedFunction:
        """Return the pointwise difference."""
        return self.plus(other.scaled(-_ONE))

    def times(self, other: TailedFunction) -> TailedFunction:
        """Return the pointwise product."""
        one, two = _aligned(self, other)
        values = tuple(a * b for a, b in zip(one.values, two.values, strict=True))
        left, right = _product(one.left, two.left), _product(one.right, two.right)
        return TailedFunction(one.first, values, left, right)

    def total(self) -> Exact:
        """Return the sum over all integers.

        Guarantee: exact.

        Raises:
            InputError: The sum does not converge.

        Example:
            >>> noise_weights(TwoSidedGeometric("1/3")).total()
            Exact('1')
        """
        return _sum(self.values) + _tail_total(self.left) + _tail_total(self.right)

    def from_here(self) -> TailedFunction:
        """Return n -> the sum of f over all integers >= n.

        Guarantee: exact.

        Raises:
            InputError: The right tail does not converge, or the left one has the base 1.

        Example:
            >>> noise_weights(Geometric("1/2")).from_here()(3)
            Exact('1/8')
        """
        right = _tail([(base, c / (1 - base)) for base, c in _convergent(self.right)])
        running = _tail_total(self.right)
        values: list[Exact] = []
        for value in reversed(self.values):
            running = running + value
            values.append(running)
        terms = [(_ONE, running)]
        for base, c in _convergent(self.left):
            terms += [(_ONE, c / (1 - base)), (base, -c * base / (1 - base))]
        return TailedFunction(self.first, tuple(reversed(values)), _tail(terms), right)


def _sum(numbers: Iterable[Exact]) -> Exact:
    total = _ZERO
    for number in numbers:
        total = total + number
    return total


def _tail(terms: Iterable[tuple[Exact, Exact]]) -> Tail:
    """Merge terms of equal base, drop what vanishes, and sort by base."""
    merged: dict[Exact, Exact] = {}
    for base, c in terms:
        merged[base] = merged[base] + c if base in merged else c
    return tuple((base, merged[base]) for base in sorted(merged) if merged[base] != 0)


def _product(one: Tail, two: Tail) -> Tail:
    return _tail((a * b, c * d) for a, c in one for b, d in two)


def _convergent(tail: Tail) -> Tail:
    if tail and tail[-1][0] >= 1:
        raise InputError("a sum over all integers does not converge")
    return tail


def _tail_total(tail: Tail) -> Exact:
    return _sum(c / (1 - base) for base, c in _convergent(tail))


def _aligned(one: TailedFunction, two: TailedFunction) -> tuple[TailedFunction, TailedFunction]:
    """Return both functions over the same window."""
    first, end = min(one.first, two.first), max(one.end, two.end)
    return _widened(one, first, end), _widened(two, first, end)


def _widened(function: TailedFunction, first: int, end: int) -> TailedFunction:
    """Return the same function with a window that reaches from ``first`` to ``end``."""
    if (first, end) == (function.first, function.end):
        return function
    if end - first > _LONGEST_WINDOW:
        raise LimitError(
            f"noise and answers span {end - first} integers",
            expected=f"at most {_LONGEST_WINDOW}; scale the answers down",
        )
    below, above = function.first - first, end - function.end
    return TailedFunction(
        first,
        (
            *_tail_values(function.left, below)[::-1],
            *function.values,
            *_tail_values(function.right, above),
        ),
        tuple((base, c * base**below) for base, c in function.left),
        tuple((base, c * base**above) for base, c in function.right),
    )


def _tail_values(tail: Tail, count: int) -> list[Exact]:
    """Return the first ``count`` values of a tail, counted away from the window."""
    values: list[Exact] = []
    terms = list(tail)
    for _ in range(count):
        values.append(_sum(c for _, c in terms))
        terms = [(base, c * base) for base, c in terms]
    return values


def require_noise(noise: object, what: str) -> None:
    """Check that a value is a law of integer noise whose weights are known in closed form.

    Raises:
        InputError: It is not, or a finite law has an outcome that is not an integer.

    Example:
        >>> require_noise(FiniteLaw.point("0"), "query_noise")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: query_noise: an outcome is not an integer; \
found '0' (str)
    """
    if isinstance(noise, FiniteLaw):
        for outcome in cast("FiniteLaw[Hashable]", noise).outcomes:
            if isinstance(outcome, bool) or not isinstance(outcome, int):
                raise InputError(
                    "an outcome is not an integer", where=what, found=describe(outcome)
                )
    elif not isinstance(noise, TwoSidedGeometric | Geometric):
        raise InputError(
            "not a law of integer noise",
            where=what,
            found=describe(noise),
            expected="use a FiniteLaw on integers, TwoSidedGeometric or Geometric; truncate "
            "other laws into a FiniteLaw",
        )


def noise_weights(noise: Noise) -> TailedFunction:
    """Return the weights of a noise law as a function on the integers.

    Example:
        >>> noise_weights(TwoSidedGeometric("1/2"))(-2)
        Exact('1/12')
    """
    if isinstance(noise, FiniteLaw):
        weights: Mapping[int, Exact] = dict(noise.items())
        low, high = min(weights), max(weights)
        if high - low > _LONGEST_WINDOW:
            raise LimitError(
                f"noise spans {high - low} integers", expected=f"at most {_LONGEST_WINDOW}"
            )
        values = tuple(weights.get(place, _ZERO) for place in range(low, high + 1))
        return TailedFunction(low, values, (), ())
    ratio = noise.ratio
    if isinstance(noise, Geometric):
        return TailedFunction(0, (), (), ((ratio, 1 - ratio),))
    peak = (1 - ratio) / (1 + ratio)
    side = ((ratio, peak * ratio),)
    return TailedFunction(noise.centre, (peak,), side, side)
