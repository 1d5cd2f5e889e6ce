"""Finite probability laws with exact weights: built, combined and sampled without rounding."""

from __future__ import annotations

import math
import numbers
import operator
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, NoReturn, TypeVar, cast, final

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .randomness import RandomBits
from .values import canonical, describe, require_count, same_kind, show

__all__ = ["FiniteLaw", "exact_weight"]

Outcome = TypeVar("Outcome", bound=Hashable)
Outcome_co = TypeVar("Outcome_co", bound=Hashable, covariant=True)
Image = TypeVar("Image", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)

_FIRST_BITS = 64
_SPARE_BITS = 16


def exact_weight(value: object, where: str = "") -> Exact:
    """Read a probability weight >= 0 exactly.

    Args:
        value: int, Fraction, Decimal (taken exactly), Exact, text such as "1/3", "0.1" or
            "exp(-1)", or another library's integer; a float is refused.
        where: Place named in the error.

    Raises:
        InputError: The value is not an exact number, or is negative.

    Example:
        >>> exact_weight("0.1"), exact_weight(Decimal("0.25"))
        (Exact('1/10'), Exact('1/4'))
        >>> exact_weight(0.1)
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: a binary float is not an exact weight; \
found 0.1 (float); write "1/10" (text) or Fraction(1, 10)
    """
    if isinstance(value, Exact):
        number = value
    elif isinstance(value, (int, str, Fraction, Decimal)):
        try:
            number = exact_number(value)
        except InputError as error:
            if not where:
                raise
            raise error.located(where) from error
    else:
        number = _foreign_weight(value, where)
    if number < 0:
        raise InputError("a probability is negative", where=where, found=str(number))
    return number


def _foreign_weight(value: object, where: str) -> Exact:
    """Read a number of another library's type: its integers are exact, its floats are not."""
    kind = type(value).__name__
    if hasattr(value, "__index__") and not kind.startswith("bool"):
        return exact_number(operator.index(cast("int", value)))
    if isinstance(value, numbers.Rational):
        return exact_number(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, numbers.Real) or kind.startswith("float"):
        raise InputError(
            "a binary float is not an exact weight",
            where=where,
            found=describe(value),
            expected='write "1/10" (text) or Fraction(1, 10)',
        )
    raise InputError(
        "not a probability",
        where=where,
        found=describe(value),
        expected='write a number from 0 to 1 such as "1/3"',
    )


@final
class FiniteLaw(Generic[Outcome_co]):
    """A probability law on finitely many outcomes, with exact weights that sum to exactly 1.

    Outcomes are hashable; outcomes of weight zero are dropped. Laws are immutable, and equal when
    they give every outcome the same weight. ``outcomes`` lists the support in the order given;
    where every weight is rational, ``numerators`` over ``denominator`` are the weights as integers
    (otherwise ``numerators`` is None).

    Example:
        >>> coin = FiniteLaw.of({"heads": "2/3", "tails": "1/3"})
        >>> coin.items()
        (('heads', Exact('2/3')), ('tails', Exact('1/3')))
        >>> FiniteLaw.of({"a": "1/2", "b": "49/100"})
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: probabilities sum to 99/100, not 1 (missing 1/100)
    """

    __slots__ = (
        "_bounds",
        "_cumulative",
        "_hash",
        "_weights",
        "denominator",
        "numerators",
        "outcomes",
    )

    outcomes: tuple[Outcome_co, ...]
    numerators: tuple[int, ...] | None
    denominator: int
    _weights: tuple[Exact, ...] | None
    _cumulative: tuple[int, ...] | None
    _bounds: dict[int, tuple[list[int], list[int]]]
    _hash: int | None

    def __init__(self, pairs: Iterable[tuple[Outcome_co, object]], *, where: str = "") -> None:
        """Read and check (outcome, weight) pairs; see ``of_pairs``."""
        seen: dict[object, object] = {}
        outcomes: list[Outcome_co] = []
        weights: list[Exact] = []
        for outcome, value in pairs:
            size = len(seen)
            canonical(seen, outcome, "outcome", where)
            if len(seen) == size:
                raise InputError("an outcome is given twice", where=where, found=describe(outcome))
            weight = exact_weight(value, where or f"weight of {show(outcome)}")
            if weight != 0:
                outcomes.append(outcome)
                weights.append(weight)
        _require_total(weights, where)
        _fill(self, outcomes, weights)

    @staticmethod
    def of(weights: Mapping[Outcome, object], *, where: str = "") -> FiniteLaw[Outcome]:
        """Build a law from a mapping.

        Args:
            weights: Outcome to weight; a weight is anything ``exact_weight`` reads.
            where: Place named in an error.

        Raises:
            InputError: A weight is not exact or negative, or the sum is not exactly 1.

        Example:
            >>> FiniteLaw.of({0: "exp(-1)", 1: "1 - exp(-1)"}).weight(0)
            Exact('exp(-1)')
        """
        if not isinstance(cast("object", weights), Mapping):
            raise InputError(
                "a law is not a mapping of outcome to weight", where=where, found=describe(weights)
            )
        return FiniteLaw(weights.items(), where=where)

    @staticmethod
    def of_pairs(pairs: Iterable[tuple[Outcome, object]], *, where: str = "") -> FiniteLaw[Outcome]:
        """Build a law from (outcome, weight) pairs; an outcome may come only once.

        Raises:
            InputError: As ``of``; also for an outcome given twice, and for outcomes that are equal
                but of different types (1 and True).

        Example:
            >>> FiniteLaw.of_pairs([(1, "1/2"), (True, "1/2")])
            Traceback (most recent call last):
            ...
            powercert.accounting.errors.InputError: two outcomes are equal but of different \
types; found 1 (int) and True (bool); use one type
        """
        return FiniteLaw(pairs, where=where)

    @staticmethod
    def uniform(outcomes: Iterable[Outcome]) -> FiniteLaw[Outcome]:
        """Give each of finitely many different outcomes the same weight.

        Raises:
            InputError: There is no outcome, or one comes twice.

        Example:
            >>> FiniteLaw.uniform("abc").weight("a")
            Exact('1/3')
        """
        listed = tuple(outcomes)
        if not listed:
            raise InputError("a law needs at least one outcome")
        weight = exact_number(Fraction(1, len(listed)))
        return FiniteLaw((outcome, weight) for outcome in listed)

    @staticmethod
    def bernoulli(probability: object) -> FiniteLaw[int]:
        """Give 1 with the stated probability in [0, 1], else 0.

        Example:
            >>> FiniteLaw.bernoulli("1/3").items()
            ((1, Exact('1/3')), (0, Exact('2/3')))
        """
        weight = exact_weight(probability, "probability")
        if weight > 1:
            raise InputError("a probability is above 1", where="probability", found=str(weight))
        return FiniteLaw(((1, weight), (0, 1 - weight)))

    @staticmethod
    def point(outcome: Outcome) -> FiniteLaw[Outcome]:
        """Give one outcome weight 1.

        Example:
            >>> FiniteLaw.point("x").items()
            (('x', Exact('1')),)
        """
        return FiniteLaw(((outcome, 1),))

    @property
    def weights(self) -> tuple[Exact, ...]:
        """The weights, in the order of ``outcomes``; each is above 0."""
        if self._weights is None:
            assert self.numerators is not None
            found = tuple(exact_number(Fraction(n, self.denominator)) for n in self.numerators)
            object.__setattr__(self, "_weights", found)
            return found
        return self._weights

    def items(self) -> tuple[tuple[Outcome_co, Exact], ...]:
        """Return the (outcome, weight) pairs of positive weight, in the order given."""
        return tuple(zip(self.outcomes, self.weights, strict=True))

    def weight(self, outcome: object) -> Exact:
        """Return the probability of an outcome; 0 outside the support.

        Example:
            >>> FiniteLaw.bernoulli("1/3").weight(7)
            Exact('0')
        """
        for known, weight in zip(self.outcomes, self.weights, strict=True):
            if known == outcome and same_kind(known, outcome):
                return weight
        return exact_number(0)

    def map(self, function: Callable[[Outcome_co], Image]) -> FiniteLaw[Image]:
        """Return the law of a function of the outcome; equal images merge.

        Raises:
            InputError: Two images are equal but of different types, or one is not hashable.

        Example:
            >>> FiniteLaw.uniform(range(4)).map(lambda x: x % 2).items()
            ((0, Exact('1/2')), (1, Exact('1/2')))
        """
        if self.numerators is not None:
            images = ((function(o), n) for o, n in zip(self.outcomes, self.numerators, strict=True))
            return _from_integers(images, self.denominator)
        return _from_exact((function(outcome), weight) for outcome, weight in self.items())

    def product(self, other: FiniteLaw[Other]) -> FiniteLaw[tuple[Outcome_co, Other]]:
        """Return the law of an independent pair.

        Example:
            >>> coin = FiniteLaw.uniform((0, 1))
            >>> coin.product(coin).weight((0, 1))
            Exact('1/4')
        """
        return _independent(self, other, _pair)

    def plus(self, other: FiniteLaw[Outcome]) -> FiniteLaw[Outcome]:
        """Return the law of the sum of two independent outcomes (convolution by ``+``).

        Example:
            >>> coin = FiniteLaw.uniform((0, 1))
            >>> coin.plus(coin).items()
            ((0, Exact('1/4')), (1, Exact('1/2')), (2, Exact('1/4')))
        """
        return _independent(self, other, cast("Callable[[object, object], Outcome]", operator.add))

    def repeated_sum(self, count: int) -> FiniteLaw[Outcome_co]:
        """Return the law of the sum of ``count`` >= 1 independent copies.

        Example:
            >>> FiniteLaw.uniform((0, 1)).repeated_sum(200).weight(0) == Fraction(1, 2**200)
            True
        """
        remaining = require_count(count, "count", 1)
        power, total = self, cast("FiniteLaw[Outcome_co] | None", None)
        while True:
            if remaining & 1:
                total = power if total is None else total.plus(power)
            remaining >>= 1
            if not remaining:
                assert total is not None
                return total
            power = power.plus(power)

    def clamped(self, lower: Outcome, upper: Outcome) -> FiniteLaw[Outcome]:
        """Return the law with outcomes moved to the nearest end of [lower, upper].

        Raises:
            InputError: ``lower`` is above ``upper``.

        Example:
            >>> FiniteLaw.uniform(range(4)).clamped(1, 2).items()
            ((1, Exact('1/2')), (2, Exact('1/2')))
        """
        if _below(upper, lower):
            raise InputError(
                "the lower end is above the upper end",
                found=f"{describe(lower)} and {describe(upper)}",
            )

        def nearest_in_range(outcome: Hashable) -> Outcome:
            if _below(outcome, lower):
                return lower
            return upper if _below(upper, outcome) else cast("Outcome", outcome)

        return self.map(nearest_in_range)

    def draw(self, random_bits: RandomBits) -> Outcome_co:
        """Sample one outcome with exactly its weight.

        Guarantee: the outcome's law is exactly this law if the bits are fair and independent; no
        step rounds. The number of bits used varies (and may be observed through time).

        Args:
            random_bits: Source of bits.

        Example:
            >>> from powercert.mechanisms import SeededBits
            >>> FiniteLaw.point("only").draw(SeededBits(1))
            'only'

        Source: rational weights by rejection on uniform integers; others by revealing a uniform
            real bit by bit until it lies inside one cell (Knuth and Yao, 1976).
        """
        outcomes = self.outcomes
        if len(outcomes) == 1:
            return outcomes[0]
        numerators = self.numerators
        if numerators is None:
            return outcomes[self._symbolic_index(random_bits)]
        cumulative = self._cumulative
        if cumulative is None:
            cumulative = _running_sums(numerators)
            object.__setattr__(self, "_cumulative", cumulative)
        denominator = self.denominator
        width = (denominator - 1).bit_length()
        value = random_bits.bits(width)
        while value >= denominator:
            value = random_bits.bits(width)
        return outcomes[bisect_right(cumulative, value)]

    def _symbolic_index(self, random_bits: RandomBits) -> int:
        """Return the cell that holds a uniform real, known only as far as needed.

        After b bits the real lies in [value, value + 1] / 2^b. ``uppers`` and ``lowers`` bound the
        inner thresholds on the same grid, so the two comparisons below are proofs; a real that is
        still too close to a threshold gets more bits instead of a guess.
        """
        bits = _FIRST_BITS
        value = random_bits.bits(bits)
        while True:
            lowers, uppers = self._thresholds(bits)
            index = bisect_right(uppers, value)
            if index == len(uppers) or value + 1 <= lowers[index]:
                return index
            value = value << bits | random_bits.bits(bits)
            bits *= 2

    def _thresholds(self, bits: int) -> tuple[list[int], list[int]]:
        """Return lower and upper integer bounds of 2^bits times each inner cumulative weight."""
        known = self._bounds.get(bits)
        if known is not None:
            return known
        lowers: list[int] = []
        uppers: list[int] = []
        total = exact_number(0)
        for weight in self.weights[:-1]:
            total = total + weight
            lower, upper = total.dyadic_ends(bits + _SPARE_BITS)
            lowers.append(math.floor(lower * 2**bits))
            uppers.append(math.ceil(upper * 2**bits))
        # The true thresholds increase, so the bounds may be made monotone without losing validity.
        for index in range(1, len(uppers)):
            uppers[index] = max(uppers[index], uppers[index - 1])
        for index in range(len(lowers) - 2, -1, -1):
            lowers[index] = min(lowers[index], lowers[index + 1])
        self._bounds[bits] = (lowers, uppers)
        return lowers, uppers

    def _units(self) -> tuple[int, ...] | tuple[Exact, ...]:
        """Return the integer numerators, or the weights themselves (over denominator 1)."""
        return self.weights if self.numerators is None else self.numerators

    def __eq__(self, other: object) -> bool:
        """Return whether both laws give every outcome the same weight."""
        if self is other:
            return True
        if not isinstance(other, FiniteLaw):
            return NotImplemented
        them = cast("FiniteLaw[Hashable]", other)
        if self.denominator != them.denominator or len(self.outcomes) != len(them.outcomes):
            return False
        if (self.numerators is None) != (them.numerators is None):
            return False
        if self.outcomes == them.outcomes:
            return bool(self._units() == them._units())
        return dict(zip(self.outcomes, self._units(), strict=True)) == dict(
            zip(them.outcomes, them._units(), strict=True)
        )

    def __hash__(self) -> int:
        """Return a hash that agrees with equality."""
        if self._hash is None:
            value = hash(frozenset(zip(self.outcomes, self._units(), strict=True)))
            object.__setattr__(self, "_hash", value)
            return value
        return self._hash

    def __repr__(self) -> str:
        """Return the call that builds the law again."""
        body = ", ".join(f"{outcome!r}: '{weight}'" for outcome, weight in self.items())
        return f"FiniteLaw.of({{{body}}})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a law is immutable."""
        raise AttributeError("a FiniteLaw is immutable")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle a law as its items, which are checked again when read."""
        return FiniteLaw, (self.items(),)


def _pair(first: Outcome, second: Other) -> tuple[Outcome, Other]:
    return first, second


def _below(first: object, second: object) -> bool:
    return bool(cast("Any", first) < second)


def _running_sums(numerators: tuple[int, ...]) -> tuple[int, ...]:
    total, sums = 0, list[int]()
    for numerator in numerators:
        total += numerator
        sums.append(total)
    return tuple(sums)


def _require_total(weights: list[Exact], where: str) -> None:
    """Check that the weights sum to exactly 1, and say how much is missing or too much."""
    if all(weight.is_rational for weight in weights):
        total = exact_number(sum((w.as_fraction() for w in weights), Fraction(0)))
    else:
        total = exact_number(0)
        for weight in weights:
            total = total + weight
    if total == 1:
        return
    missing = 1 - total
    gap = f"missing {missing}" if missing > 0 else f"{-missing} too much"
    raise InputError(f"probabilities sum to {total}, not 1 ({gap})", where=where)


def _fill(law: FiniteLaw[Hashable], outcomes: Iterable[Hashable], weights: list[Exact]) -> None:
    """Set the fields of a new law from checked weights."""
    if all(weight.is_rational for weight in weights):
        fractions = [weight.as_fraction() for weight in weights]
        denominator = math.lcm(*(fraction.denominator for fraction in fractions))
        numerators = tuple(f.numerator * (denominator // f.denominator) for f in fractions)
        _set(law, tuple(outcomes), numerators, denominator, tuple(weights))
    else:
        _set(law, tuple(outcomes), None, 1, tuple(weights))


def _set(
    law: FiniteLaw[Hashable],
    outcomes: tuple[Hashable, ...],
    numerators: tuple[int, ...] | None,
    denominator: int,
    weights: tuple[Exact, ...] | None,
) -> None:
    fields: tuple[tuple[str, object], ...] = (
        ("outcomes", outcomes),
        ("numerators", numerators),
        ("denominator", denominator),
        ("_weights", weights),
        ("_cumulative", None),
        ("_bounds", {}),
        ("_hash", None),
    )
    for name, value in fields:
        object.__setattr__(law, name, value)


def _from_integers(pairs: Iterable[tuple[Outcome, int]], denominator: int) -> FiniteLaw[Outcome]:
    """Build a law from integer weights known to sum to ``denominator``, merging equal outcomes."""
    seen: dict[Outcome, Outcome] = {}
    totals: dict[Outcome, int] = {}
    for outcome, numerator in pairs:
        key = canonical(seen, outcome, "outcome")
        totals[key] = totals.get(key, 0) + numerator
    common = math.gcd(denominator, *totals.values())
    law = cast("FiniteLaw[Outcome]", object.__new__(FiniteLaw))
    numerators = tuple(numerator // common for numerator in totals.values())
    _set(law, tuple(totals), numerators, denominator // common, None)
    return law


def _from_exact(pairs: Iterable[tuple[Outcome, Exact]]) -> FiniteLaw[Outcome]:
    """Build a law from exact weights known to sum to 1, merging equal outcomes."""
    seen: dict[Outcome, Outcome] = {}
    totals: dict[Outcome, Exact] = {}
    for outcome, weight in pairs:
        key = canonical(seen, outcome, "outcome")
        totals[key] = totals[key] + weight if key in totals else weight
    law = cast("FiniteLaw[Outcome]", object.__new__(FiniteLaw))
    _fill(law, totals, list(totals.values()))
    return law


def _independent(
    first: FiniteLaw[Outcome], second: FiniteLaw[Other], combine: Callable[[Outcome, Other], Image]
) -> FiniteLaw[Image]:
    """Return the law of a function of two independent outcomes."""
    if first.numerators is not None and second.numerators is not None:
        left = tuple(zip(first.outcomes, first.numerators, strict=True))
        right = tuple(zip(second.outcomes, second.numerators, strict=True))
        return _from_integers(
            ((combine(a, b), m * n) for a, m in left for b, n in right),
            first.denominator * second.denominator,
        )
    return _from_exact((combine(a, b), v * w) for a, v in first.items() for b, w in second.items())
