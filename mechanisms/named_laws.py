"""Finite laws by name: randomised response, binomial, uniform on integers; tails of finite laws."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TypeVar

from ..accounting.arguments import read_integer, read_type
from ..accounting.epsilon import read_exp_epsilon, read_probability
from ..accounting.errors import InputError
from ..accounting.numbers import Exact
from .law import FiniteLaw
from .law_parameters import read_range, refuse_large
from .values import describe, distinct, same_kind

__all__ = ["binomial", "lower_tail", "randomised_response", "uniform_integers", "upper_tail"]

Value = TypeVar("Value", bound=Hashable)


def randomised_response(
    value: Value, values: Iterable[Value], *, exp_epsilon: object = None, epsilon: object = None
) -> FiniteLaw[Value]:
    """Return the law of randomised response: the value itself, else another one, all alike.

    With k values the true one has probability e^epsilon / (e^epsilon + k - 1) and each other one
    1 / (e^epsilon + k - 1). It is epsilon-DP between any two values, and k = 2 is the classic.

    Guarantee: exact.

    Args:
        value: The true value.
        values: All possible values, different, the true one among them.
        exp_epsilon: e^epsilon >= 1, or "inf"; give this or ``epsilon``.
        epsilon: A rational >= 0, a logarithm such as "ln(3)", or "inf".

    Raises:
        InputError: The values are not different, do not hold the true one, or epsilon is out of
            its domain.

    Example:
        >>> randomised_response("b", "abc", epsilon="ln(3)").items()
        (('a', Exact('1/5')), ('b', Exact('3/5')), ('c', Exact('1/5')))

    Source: Warner (1965); Kairouz, Bonawitz, Ramage (2016) for k values.
    """
    gamma = read_exp_epsilon(epsilon=epsilon, exp_epsilon=exp_epsilon, least=1)
    listed = distinct(values, "value", "values")
    if not any(known == value and same_kind(known, value) for known in listed):
        raise InputError(
            "the true value is not among the values", where="value", found=describe(value)
        )
    if gamma is None:
        return FiniteLaw.point(value)
    other = 1 / (gamma + (len(listed) - 1))
    return FiniteLaw.of_pairs(
        (known, gamma * other if known == value else other) for known in listed
    )


def binomial(trials: int, probability: object) -> FiniteLaw[int]:
    """Return the law of the number of successes in independent trials.

    Guarantee: exact: P(k) = C(n, k) p^k (1 - p)^(n - k).

    Args:
        trials: The number n of trials, an integer >= 0.
        probability: The chance p of a success, in [0, 1].

    Raises:
        InputError: A parameter is out of its domain.
        LimitError: The weights are too large.

    Example:
        >>> binomial(2, "1/3").items()
        ((0, Exact('4/9')), (1, Exact('4/9')), (2, Exact('1/9')))
    """
    read_integer(trials, "trials", least=0)
    success = read_probability(probability, "probability")
    if success == 0 or success == 1:
        return FiniteLaw.point(trials if success == 1 else 0)
    refuse_large(trials + 1, trials, success)
    failure = 1 - success
    return FiniteLaw.of_pairs(
        (k, math.comb(trials, k) * success**k * failure ** (trials - k)) for k in range(trials + 1)
    )


def uniform_integers(lower: int, upper: int) -> FiniteLaw[int]:
    """Return the uniform law on the integers from ``lower`` to ``upper``, both included.

    Guarantee: exact.

    Raises:
        InputError: An end is no integer, or ``lower`` is above ``upper``.
        LimitError: There are more than 100000.

    Example:
        >>> uniform_integers(1, 6).weight(6)
        Exact('1/6')
    """
    return FiniteLaw.uniform(read_range(lower, upper))


def upper_tail(law: FiniteLaw[int], least: int) -> Exact:
    """Return P(X >= least) of a finite law on integers.

    Guarantee: exact.

    Raises:
        InputError: The law is no finite law on integers, or ``least`` is no integer.

    Example:
        >>> upper_tail(binomial(10, "1/2"), 9)
        Exact('11/1024')
    """
    read_integer(least, "least")
    return _total(weight for outcome, weight in _integer_items(law) if outcome >= least)


def lower_tail(law: FiniteLaw[int], most: int) -> Exact:
    """Return P(X <= most) of a finite law on integers.

    Guarantee: exact.

    Raises:
        InputError: The law is no finite law on integers, or ``most`` is no integer.

    Example:
        >>> lower_tail(uniform_integers(1, 6), 2)
        Exact('1/3')
    """
    read_integer(most, "most")
    return _total(weight for outcome, weight in _integer_items(law) if outcome <= most)


def _integer_items(law: FiniteLaw[int]) -> tuple[tuple[int, Exact], ...]:
    read_type(law, FiniteLaw, "law", "unbounded laws have a method tail")
    for outcome in law.outcomes:
        read_integer(outcome, "an outcome of the law")
    return law.items()


def _total(weights: Iterable[Exact]) -> Exact:
    return sum(weights, start=Exact(0))
