"""Randomised response on a stream: drawn afresh every round, or drawn once per value and kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .coins import Coins
from .law import FiniteLaw
from .mechanism import Step
from .named_laws import randomised_response
from .values import describe, distinct

__all__ = ["MemoisedResponse", "RandomisedResponse"]

Value = TypeVar("Value", bound=Hashable)
# A static method of a generic class needs a variable of its own.
OfValue = TypeVar("OfValue", bound=Hashable)
Number = Exact | Fraction | int | str


@dataclass(frozen=True)
class RandomisedResponse(Generic[Value]):
    """Report each round's value truthfully e^epsilon times as often as any other one.

    Every round draws anew.

    Guarantee: epsilon-DP for streams that differ in one round, k epsilon-DP for k rounds.

    Args:
        values: The k >= 2 values, which are also the reports.
        exp_epsilon: e^epsilon >= 1; the true value is reported with probability
            e^epsilon / (e^epsilon + k - 1).

    Raises:
        InputError: There are fewer than two values, or e^epsilon is below 1.

    Example:
        >>> RandomisedResponse((0, 1), 3).law(0).items()
        ((0, Exact('3/4')), (1, Exact('1/4')))

    Source: Warner (1965); for k values Kairouz, Bonawitz and Ramage (2016).
    """

    values: tuple[Value, ...]
    exp_epsilon: Number

    def __post_init__(self) -> None:
        """Read both fields."""
        object.__setattr__(self, "values", _read_values(self.values))
        object.__setattr__(self, "exp_epsilon", _read_exp_epsilon(self.exp_epsilon, "exp_epsilon"))

    @staticmethod
    def keeping(values: Iterable[OfValue], probability: Number) -> RandomisedResponse[OfValue]:
        """Return the response that keeps the value, or else reports a uniform one.

        A uniform report may be the true value again, so e^epsilon is 1 + k p / (1 - p), not
        p / (1 - p).

        Args:
            values: The k >= 2 values.
            probability: How often the value is kept for sure (p), in [0, 1).

        Raises:
            InputError: There are fewer than two values, or p is not in [0, 1).

        Example:
            >>> RandomisedResponse.keeping((0, 1), "2/3").exp_epsilon
            Exact('5')
        """
        listed = _read_values(values)
        kept = exact_number(probability)
        if not 0 <= kept < 1:
            raise InputError("not in [0, 1)", where="probability", found=str(probability))
        return RandomisedResponse(listed, 1 + len(listed) * kept / (1 - kept))

    def law(self, value: Value) -> FiniteLaw[Value]:
        """Return the law of the report.

        Raises:
            InputError: The value is not one of the values.
        """
        return randomised_response(value, self.values, exp_epsilon=self.exp_epsilon)

    def start(self, coins: Coins) -> None:
        """Return the only state."""

    def step(self, state: None, item: Value, coins: Coins) -> Step[None, Value, None]:
        """Report once."""
        return Step(None, coins.draw(self.law(item)))


@dataclass(frozen=True)
class MemoisedResponse(Generic[Value]):
    """Draw one permanent response per value, keep it, and report it every time the value comes.

    A value that changes is not protected at the price of one that stays: a repeated report shows
    that nothing changed.

    Guarantee: epsilon-DP over any number of rounds for streams that stay at one value each.

    Args:
        values: The k >= 2 values, which are also the reports.
        exp_epsilon: e^epsilon >= 1 of the permanent response.
        instantaneous: e^epsilon >= 1 of a second response, drawn anew every round from the
            permanent one (as in RAPPOR); None reports the permanent one itself.

    Raises:
        InputError: There are fewer than two values, or an e^epsilon is below 1.

    Example:
        >>> from powercert.mechanisms import ExactMachine
        >>> machine = ExactMachine(MemoisedResponse((0, 1), 3))
        >>> machine.transitions((), 0)
        ((0, ((0, 0),), Exact('3/4')), (1, ((0, 1),), Exact('1/4')))
        >>> machine.transitions(((0, 1),), 0)
        ((1, ((0, 1),), Exact('1')),)

    Source: Erlingsson, Pihur and Korolova (2014), for responses of k values.
    """

    values: tuple[Value, ...]
    exp_epsilon: Number
    instantaneous: Number | None = None

    def __post_init__(self) -> None:
        """Read every field."""
        object.__setattr__(self, "values", _read_values(self.values))
        object.__setattr__(self, "exp_epsilon", _read_exp_epsilon(self.exp_epsilon, "exp_epsilon"))
        if self.instantaneous is not None:
            second = _read_exp_epsilon(self.instantaneous, "instantaneous")
            object.__setattr__(self, "instantaneous", second)

    def start(self, coins: Coins) -> tuple[tuple[Value, Value], ...]:
        """Return the state in which no response is drawn: no (value, permanent response) yet."""
        return ()

    def step(
        self, state: tuple[tuple[Value, Value], ...], item: Value, coins: Coins
    ) -> Step[tuple[tuple[Value, Value], ...], Value, None]:
        """Report once; the permanent response of a new value is drawn and kept."""
        permanent = RandomisedResponse(self.values, self.exp_epsilon).law(item)
        kept = dict(state)
        if item not in kept:
            kept[item] = coins.draw(permanent)
        after = tuple((value, kept[value]) for value in self.values if value in kept)
        if self.instantaneous is None:
            return Step(after, kept[item])
        second = RandomisedResponse(self.values, self.instantaneous)
        return Step(after, coins.draw(second.law(kept[item])))


def _read_values(values: Iterable[Value]) -> tuple[Value, ...]:
    found = distinct(values, "value", "values")
    if len(found) < 2:
        raise InputError("fewer than two values", where="values", found=describe(found))
    return found


def _read_exp_epsilon(value: Number, where: str) -> Exact:
    try:
        number = exact_number(value)
    except InputError as error:
        raise error.located(where) from None
    if number < 1:
        raise InputError(
            "below 1", where=where, found=str(number), expected="write e^epsilon, at least 1"
        )
    return number
