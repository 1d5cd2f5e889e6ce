"""Selections and noisy counts: one release of one data set, as mechanisms of one step."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar, cast

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact, exact_number
from .coins import Coins
from .law import FiniteLaw
from .mechanism import Step
from .scores import (
    Number,
    Scores,
    exponential_of,
    read_candidates,
    read_scores,
    require_scores,
)
from .unbounded_laws import TwoSidedGeometric
from .values import describe, require_count, show

__all__ = ["ExponentialMechanism", "GeometricRelease", "PermuteAndFlip"]

Data = TypeVar("Data", bound=Hashable)
Candidate = TypeVar("Candidate", bound=Hashable)

_ONE = Exact(1)
# The work of permute-and-flip's law grows with the cube of their number.
_MOST_CANDIDATES = 100


def _read_calibration(epsilon: Number, sensitivity: object) -> None:
    """Check that e^epsilon >= 1 and that the sensitivity is a rational above 0."""
    if exponential_of(epsilon, Fraction(1), "epsilon") < 1:
        raise InputError("epsilon is negative", where="epsilon", found=str(epsilon))
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

    def start(self, coins: Coins) -> None:
        """Return the only state."""

    def chances(self, data: Data) -> tuple[Exact, ...]:
        """Return exp(rate * (score - best score)) of each candidate, in (0, 1].

        The rate is epsilon / (2 sensitivity), or epsilon / sensitivity where scores are monotone.

        Raises:
            InputError: A score is not rational, or a weight is a root outside the field.
        """
        read = cast("Callable[[Data, Candidate], object]", self.scores)
        scores = read_scores(read, data, self.candidates)
        best = max(scores)
        rate = (1 if self.monotone else Fraction(1, 2)) / _fraction(self.sensitivity, "sensitivity")
        return tuple(
            exponential_of(self.epsilon, rate * (score - best), f"weight of {show(candidate)}")
            for candidate, score in zip(self.candidates, scores, strict=True)
        )


@dataclass(frozen=True)
class ExponentialMechanism(_Calibrated[Data, Candidate]):
    """Choose a candidate with probability proportional to exp(epsilon * score / (2 sensitivity)).

    Guarantee: epsilon-DP if no score moves by more than the sensitivity between neighbouring data
    and, where ``monotone`` drops the factor 1/2, all scores move in one direction at a time.

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
        """
        chances = self.chances(data)
        total = sum(chances, start=Exact(0))
        return FiniteLaw.of_pairs(
            (candidate, chance / total)
            for candidate, chance in zip(self.candidates, chances, strict=True)
        )

    def step(self, state: None, item: Data, coins: Coins) -> Step[None, Candidate, None]:
        """Choose once for the data set fed."""
        return Step(None, coins.draw(self.law(item)))


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
        sequential: Draw the order and the flips one by one (fast with many candidates) instead of
            the choice at once. The law is the same.

    Example:
        >>> PermuteAndFlip(("a", "b"), {"d": (0, 1)}, "ln(4)").law("d").items()
        (('a', Exact('1/4')), ('b', Exact('3/4')))

    Source: McKenna and Sheldon (2020), Algorithm 1.
    """

    sequential: bool = False

    def law(self, data: Data) -> FiniteLaw[Candidate]:
        """Return the law of the choice.

        Guarantee: exact.

        Raises:
            InputError: As for ``ExponentialMechanism``.
            LimitError: There are more than 100 candidates.
        """
        if len(self.candidates) > _MOST_CANDIDATES:
            raise LimitError(
                f"the exact law of a choice among {len(self.candidates)} candidates",
                expected=f"at most {_MOST_CANDIDATES}; sequential=True draws one by one instead",
            )
        chances = self.chances(data)
        return FiniteLaw.of_pairs(
            (candidate, chance * _none_before([*chances[:index], *chances[index + 1 :]]))
            for index, (candidate, chance) in enumerate(zip(self.candidates, chances, strict=True))
        )

    def step(self, state: None, item: Data, coins: Coins) -> Step[None, Candidate, None]:
        """Choose once for the data set fed."""
        if not self.sequential:
            return Step(None, coins.draw(self.law(item)))
        chances = self.chances(item)
        left = list(range(len(chances)))
        while True:
            index = coins.draw(FiniteLaw.uniform(left))
            left.remove(index)
            # The best candidate's chance is 1, so the loop ends before nothing is left.
            if coins.draw(FiniteLaw.bernoulli(chances[index])):
                return Step(None, self.candidates[index])


def _none_before(chances: Sequence[Exact]) -> Exact:
    """Return the probability that nobody who is visited earlier is taken.

    Independent uniform arrival times x order the candidates at random; given x, each rival is
    visited earlier and taken with probability x * chance. So it is the integral over x in (0, 1)
    of the product of (1 - x chance).
    """
    coefficients = [_ONE]
    for chance in chances:
        extended = [*coefficients, Exact(0)]
        for power, coefficient in enumerate(coefficients):
            extended[power + 1] = extended[power + 1] - coefficient * chance
        coefficients = extended
    return sum(
        (coefficient / (power + 1) for power, coefficient in enumerate(coefficients)),
        start=Exact(0),
    )


@dataclass(frozen=True)
class GeometricRelease:
    """Add two-sided geometric noise to an integer statistic and print it.

    The result is clamped to [lower, upper], or taken modulo ``modulus``, or printed as it is (for
    production; the enumerator needs one of the other two).

    Guarantee: s ln(1 / ratio)-DP if the statistic moves by at most s between neighbours.

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
        TwoSidedGeometric(self.ratio)
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
            # A copy: the caller's table may change later.
            object.__setattr__(self, "statistic", _Lookup(tuple(table.items())))

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
        if self.lower is None and self.modulus is None:
            return Step(None, coins.draw(TwoSidedGeometric(self.ratio, self.value(item))))
        return Step(None, coins.draw(self.law(item)))


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
