"""Selections and noisy counts: one release of one data set, as mechanisms of one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar, cast

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact, exact_number
from .coins import Coins
from .integer_sampling import bernoulli_power, geometric_sampler, uniform_below
from .law import FiniteLaw
from .law_parameters import refuse_large
from .mechanism import Step
from .randomness import RandomBits
from .scores import (
    Number,
    Scores,
    exponential_of,
    read_candidates,
    read_scores,
    require_scores,
)
from .two_forms import TwoFormLaw, clamped_sum
from .unbounded_laws import TwoSidedGeometric
from .values import describe, require_count, require_flag, show

__all__ = ["ExponentialMechanism", "GeometricRelease", "PermuteAndFlip"]

Data = TypeVar("Data", bound=Hashable)
Candidate = TypeVar("Candidate", bound=Hashable)

_ONE = Exact(1)
_MOST_CANDIDATES = 100
# What permute-and-flip's law may take, a few seconds: candidates times squared bits of a product of
# all chances where they are rational, else squared candidates times the degree of that product.
_MOST_REDUCTIONS = 200_000_000_000
_MOST_COEFFICIENTS = 4_000_000


def _read_calibration(epsilon: Number, sensitivity: object) -> None:
    """Check that e^epsilon >= 1 can be drawn from and that the sensitivity is rational, above 0."""
    base = exponential_of(epsilon, Fraction(-1), "epsilon")
    if base > 1:
        raise InputError("epsilon is negative", where="epsilon", found=str(epsilon))
    if base.pure_exponent() is None:
        # Refused here if at all: whether a draw needs it depends on the data.
        geometric_sampler(base)
    if _fraction(sensitivity, "sensitivity") <= 0:
        raise InputError("not above 0", where="sensitivity", found=str(sensitivity))


def _fraction(value: object, where: str) -> Fraction:
    try:
        return exact_number(value).as_fraction()
    except InputError as error:
        raise error.located(where) from None


@dataclass(frozen=True)
class _Calibrated(Generic[Data, Candidate]):
    """Candidates, their scores, and how epsilon weighs a difference of scores."""

    candidates: tuple[Candidate, ...]
    scores: Scores[Data, Candidate]
    epsilon: Number
    sensitivity: Fraction | int | str = 1
    monotone: bool = False

    def __post_init__(self) -> None:
        """Read every field."""
        candidates = read_candidates(self.candidates)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "scores", require_scores(self.scores, candidates))
        _read_calibration(self.epsilon, self.sensitivity)
        require_flag(self.monotone, "monotone")

    def start(self, coins: Coins) -> None:
        """Return the only state."""

    def chances(self, data: Data) -> tuple[Exact, ...]:
        """Return exp(rate * (score - best score)) of each candidate, in (0, 1].

        The rate is epsilon / (2 sensitivity), or epsilon / sensitivity where scores are monotone.

        Raises:
            InputError: A score is not rational, or a weight is a root outside the field.
            LimitError: A weight is too large to be built.
        """
        return tuple(
            exponential_of(self.epsilon, -loss, f"weight of {show(candidate)}")
            for candidate, loss in zip(self.candidates, self.losses(data), strict=True)
        )

    def losses(self, data: Data) -> tuple[Fraction, ...]:
        """Return the t >= 0 of each candidate's chance exp(-epsilon t).

        Raises:
            InputError: A score is not rational.
        """
        read = cast("Callable[[Data, Candidate], object]", self.scores)
        scores = read_scores(read, data, self.candidates)
        best = max(scores)
        rate = (1 if self.monotone else Fraction(1, 2)) / _fraction(self.sensitivity, "sensitivity")
        return tuple(rate * (best - score) for score in scores)

    def _largest_power(self, data: Data) -> tuple[int, Exact]:
        """Return how the smallest weight is written, roughly: a power, and of what."""
        losses, base = self.losses(data), self._base()
        if base.is_rational:
            return math.ceil(max(losses)), base
        unit = _common_divisor(losses)
        return (math.ceil(max(losses) / unit) if unit else 0), base

    def _base(self) -> Exact:
        return exponential_of(self.epsilon, Fraction(-1), "epsilon")


def _common_divisor(numbers: Sequence[Fraction]) -> Fraction:
    bottom = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * bottom) for number in numbers)), bottom)


@dataclass(frozen=True)
class ExponentialMechanism(_Calibrated[Data, Candidate]):
    """Choose a candidate with probability proportional to exp(epsilon * score / (2 sensitivity)).

    A draw needs no exact weights, so production serves every spread of the scores alike; only
    ``law``, and with it the enumerator, refuses weights that are too large or outside the field.

    Guarantee: epsilon-DP if every data set has rational scores, no score moves by more than the
    sensitivity between neighbouring data and, where ``monotone`` drops the factor 1/2, all scores
    move in one direction at a time.

    Args:
        candidates: What can be chosen.
        scores: Function of data and candidate to a rational, or table of data to scores.
        epsilon: A rational >= 0, or a logarithm such as "ln(4)".
        sensitivity: Most that one score moves, > 0 (see ``score_sensitivity``).
        monotone: Whether scores all rise or all fall between neighbours.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> table = {"d": (0, 1, 2)}
        >>> ExponentialMechanism(("a", "b", "c"), table, "ln(4)").law("d").items()
        (('a', Exact('1/7')), ('b', Exact('2/7')), ('c', Exact('4/7')))

    Source: McSherry and Talwar (2007), Theorem 6.
    """

    def law(self, data: Data) -> FiniteLaw[Candidate]:
        """Return the law of the choice.

        Guarantee: exact.

        Raises:
            InputError: A score is not rational, or a weight is a root outside the field.
            LimitError: The weights are too large.
        """
        power, base = self._largest_power(data)
        refuse_large(len(self.candidates), power, base)
        chances = self.chances(data)
        total = sum(chances, start=Exact(0))
        return FiniteLaw.of_pairs(
            (candidate, chance / total)
            for candidate, chance in zip(self.candidates, chances, strict=True)
        )

    def step(self, state: None, item: Data, coins: Coins) -> Step[None, Candidate, None]:
        """Choose once for the data set fed."""
        losses, base = self.losses(item), self._base()

        def sample(random_bits: RandomBits) -> Candidate:
            # A uniform candidate is taken with its chance, else another try is made.
            while True:
                index = uniform_below(random_bits, len(losses))
                if bernoulli_power(random_bits, base, losses[index]):
                    return self.candidates[index]

        return Step(None, coins.draw(TwoFormLaw(lambda: self.law(item), sample)))


@dataclass(frozen=True)
class PermuteAndFlip(_Calibrated[Data, Candidate]):
    """Visit candidates in random order; take each with chance exp(rate * (score - best score)).

    The rate and the arguments are those of ``ExponentialMechanism``; the expected score is never
    worse than its.

    Guarantee: epsilon-DP under the conditions of ``ExponentialMechanism``.

    Args:
        candidates: What can be chosen.
        scores: Function of data and candidate to a rational, or table of data to scores.
        epsilon: A rational >= 0, or a logarithm such as "ln(4)".
        sensitivity: Most that one score moves, > 0.
        monotone: Whether scores all rise or all fall between neighbours.
        sequential: Let the enumerator follow the order and the flips one by one, for candidates
            too many for ``law``. The law is the same, and so is what production draws.

    Example:
        >>> PermuteAndFlip(("a", "b"), {"d": (0, 1)}, "ln(4)").law("d").items()
        (('a', Exact('1/4')), ('b', Exact('3/4')))

    Source: McKenna and Sheldon (2020), Algorithm 1.
    """

    sequential: bool = False

    def __post_init__(self) -> None:
        """Read every field."""
        super().__post_init__()
        require_flag(self.sequential, "sequential")

    def law(self, data: Data) -> FiniteLaw[Candidate]:
        """Return the law of the choice.

        Guarantee: exact.

        Raises:
            InputError: As for ``ExponentialMechanism``.
            LimitError: There are more than 100 candidates, or the weights are too large.
        """
        if len(self.candidates) > _MOST_CANDIDATES:
            raise LimitError(
                f"the exact law of a choice among {len(self.candidates)} candidates",
                expected=f"at most {_MOST_CANDIDATES}; sequential=True draws one by one instead",
            )
        self._refuse_long(data)
        chances = self.chances(data)
        return FiniteLaw.of_pairs(zip(self.candidates, _taken(chances), strict=True))

    def _refuse_long(self, data: Data) -> None:
        """Refuse a law that would take more than a few seconds, before it is begun."""
        losses, base, count = self.losses(data), self._base(), len(self.candidates)
        if base.is_rational:
            bits = sum(part.bit_length() for part in base.as_integer_ratio())
            work, most = count * math.ceil(sum(losses) * bits) ** 2, _MOST_REDUCTIONS
        else:
            unit = _common_divisor(losses)
            degree = math.ceil(sum(losses) / unit) if unit else 0
            pure = base.pure_exponent() is not None
            work, most = count**2 * degree * (1 if pure else 8), _MOST_COEFFICIENTS
        if work > most:
            raise LimitError(
                f"the exact law of a choice among {count} candidates would take too long",
                found=f"scores up to {max(losses)} below the best, in units of 1/epsilon",
                expected="use fewer candidates or closer scores; sequential=True follows the "
                "order and the flips instead",
            )

    def step(self, state: None, item: Data, coins: Coins) -> Step[None, Candidate, None]:
        """Choose once for the data set fed."""
        losses, base = self.losses(item), self._base()

        def sample(random_bits: RandomBits) -> Candidate:
            left = list(range(len(losses)))
            while True:
                index = left.pop(uniform_below(random_bits, len(left)))
                # The best candidate's chance is 1, so the loop ends before nothing is left.
                if bernoulli_power(random_bits, base, losses[index]):
                    return self.candidates[index]

        if not self.sequential:
            return Step(None, coins.draw(TwoFormLaw(lambda: self.law(item), sample)))
        left = list(range(len(losses)))
        while True:
            index = coins.draw(FiniteLaw.uniform(left))
            left.remove(index)
            if coins.draw(self._flip(base, losses[index])):
                return Step(None, self.candidates[index])

    def _flip(self, base: Exact, loss: Fraction) -> TwoFormLaw[int]:
        def finite() -> FiniteLaw[int]:
            return FiniteLaw.bernoulli(exponential_of(self.epsilon, -loss, "weight"))

        return TwoFormLaw(finite, lambda bits: int(bernoulli_power(bits, base, loss)))


def _taken(chances: Sequence[Exact]) -> list[Exact]:
    """Return the probability with which each candidate is taken.

    Independent uniform arrival times x order the candidates at random; given x, each rival is
    visited earlier and taken with probability x * chance. So it is the candidate's chance times the
    integral over x in (0, 1) of the product over its rivals of (1 - x chance), which is the product
    over all candidates divided by the candidate's own factor.
    """
    if all(chance.is_rational for chance in chances):
        return _taken_rationally([chance.as_fraction() for chance in chances])
    product = [_ONE]
    for chance in chances:
        shifted = [Exact(0), *(-chance * coefficient for coefficient in product)]
        product = [a + b for a, b in zip([*product, Exact(0)], shifted, strict=True)]
    found: list[Exact] = []
    for chance in chances:
        coefficient, integral = Exact(0), Exact(0)
        for power in range(len(chances)):
            coefficient = product[power] + chance * coefficient
            integral = integral + coefficient / (power + 1)
        found.append(chance * integral)
    return found


def _taken_rationally(chances: Sequence[Fraction]) -> list[Exact]:
    """Do the same in integers: with chances n / d the factors are d - x n."""
    product = [1]
    for chance in chances:
        top, bottom = chance.as_integer_ratio()
        raised = [0, *(-top * coefficient for coefficient in product)]
        product = [bottom * a + b for a, b in zip([*product, 0], raised, strict=True)]
    shares = [0] * len(chances)
    common = math.lcm(*range(1, len(chances) + 1))
    for index, chance in enumerate(chances):
        top, bottom = chance.as_integer_ratio()
        coefficient = 0
        for power in range(len(chances)):
            coefficient = (product[power] + top * coefficient) // bottom
            shares[index] += top * coefficient * (common // (power + 1))
    total = sum(shares)
    return [Exact.of_rational(share, total) for share in shares]


@dataclass(frozen=True)
class GeometricRelease:
    """Add two-sided geometric noise to an integer statistic and print it.

    The result is clamped to [lower, upper], or taken modulo ``modulus``, or printed as it is (for
    production; the enumerator needs one of the other two). Production draws the noise and then
    clamps, so it serves every statistic alike; only ``law``, and with it the enumerator, refuses
    weights that are too large.

    Guarantee: s ln(1 / ratio)-DP if every data set has an integer statistic, which moves by at most
    s between neighbours.

    Args:
        ratio: Ratio r in (0, 1) of the noise weights r^|k|.
        lower: Least printed value; given with ``upper`` or not at all.
        upper: Greatest printed value.
        statistic: Function of the data, or table, to an integer; None takes the input itself.
        modulus: Print the remainder modulo this number >= 1.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> GeometricRelease("1/2", 0, 2).law(1).items()
        ((0, Exact('1/3')), (1, Exact('1/3')), (2, Exact('1/3')))

    Source: Ghosh, Roughgarden and Sundararajan (2009), Section 2.
    """

    ratio: Exact | Fraction | str
    lower: int | None = None
    upper: int | None = None
    statistic: Callable[[Any], int] | Mapping[Any, int] | None = None
    modulus: int | None = None

    def __post_init__(self) -> None:
        """Read every field."""
        geometric_sampler(TwoSidedGeometric(self.ratio).ratio)
        bounds = self.lower, self.upper
        if (self.lower is None) != (self.upper is None):
            raise InputError("one of lower and upper is missing", found=f"{bounds}")
        if self.lower is not None and self.upper is not None:
            _integer(self.lower, "lower")
            if _integer(self.upper, "upper") < self.lower:
                raise InputError("lower is above upper", found=f"{bounds}")
        if self.modulus is not None:
            require_count(self.modulus, "modulus", 1)
            if self.lower is not None:
                raise InputError("both a range and a modulus are given", found=f"{bounds}")
        given = cast("object", self.statistic)
        if isinstance(given, Mapping):
            table = cast("Mapping[Hashable, int]", given)
            for data, value in table.items():
                _integer(value, f"statistic of {show(data)}")
            # A copy: the caller's table may change later.
            object.__setattr__(self, "statistic", _Lookup(tuple(table.items())))
        elif given is not None and not callable(given):
            raise InputError(
                "the statistic is neither a function nor a table",
                where="statistic",
                found=describe(given),
            )

    def start(self, coins: Coins) -> None:
        """Return the only state."""

    def value(self, data: Hashable) -> int:
        """Return the statistic of a data set.

        Raises:
            InputError: It is not an integer.
        """
        found = self.statistic(data) if callable(self.statistic) else data
        return _integer(found, f"statistic of {show(data)}")

    def law(self, data: Hashable) -> FiniteLaw[int]:
        """Return the law of what is printed.

        Guarantee: exact.

        Raises:
            InputError: The statistic is not an integer, or the result is neither clamped nor
                reduced, so that the law is not finite.
            LimitError: The weights are too large.
        """
        noisy = TwoSidedGeometric(self.ratio, self.value(data))
        if self.modulus is not None:
            return noisy.folded(self.modulus)
        if self.lower is None or self.upper is None:
            raise InputError(
                "the law of an unbounded release is not finite",
                expected="give lower and upper, or a modulus",
            )
        return noisy.clamped(self.lower, self.upper)

    def step(self, state: None, item: Hashable, coins: Coins) -> Step[None, int, None]:
        """Print once for the data set fed."""
        value, noise, modulus = self.value(item), TwoSidedGeometric(self.ratio), self.modulus
        if modulus is not None:
            folded = TwoFormLaw(
                lambda: self.law(item), lambda bits: (value + noise.draw(bits)) % modulus
            )
            return Step(None, coins.draw(folded))
        if self.lower is None or self.upper is None:
            return Step(None, coins.draw(noise.shifted(value)))
        return Step(None, coins.draw(clamped_sum(noise, value, self.lower, self.upper)))


@dataclass(frozen=True)
class _Lookup:
    """A table as a function."""

    rows: tuple[tuple[Hashable, int], ...]

    def __call__(self, data: Hashable) -> int:
        for known, value in self.rows:
            if known == data:
                return value
        raise InputError("there is no statistic for this data", found=describe(data))


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("not an integer", where=where, found=describe(value))
    return value
