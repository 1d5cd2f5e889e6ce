"""Scores of candidates: read exactly, from a function or a table, and how far data moves them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar, cast

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, LogExact, exact, exact_number
from .values import as_sequence, describe, distinct, require_items, show

__all__ = [
    "Number",
    "ScoreTable",
    "Scores",
    "exponential_of",
    "read_candidates",
    "read_scores",
    "require_scores",
    "score_sensitivity",
]

Data = TypeVar("Data", bound=Hashable)
Candidate = TypeVar("Candidate", bound=Hashable)

Number = Exact | LogExact | Fraction | int | str
Scores = Callable[[Data, Candidate], object] | Mapping[Data, Sequence[object]]


@dataclass(frozen=True)
class ScoreTable(Generic[Data]):
    """Scores as a table: each data set with its scores in the order of the candidates.

    Args:
        candidates: The candidates.
        rows: (data set, scores).
    """

    candidates: tuple[Hashable, ...]
    rows: tuple[tuple[Data, tuple[Fraction, ...]], ...]

    def __call__(self, data: Data, candidate: Hashable) -> Fraction:
        """Return the score of one candidate."""
        for known, scores in self.rows:
            if known == data:
                return scores[self.candidates.index(candidate)]
        raise InputError("there are no scores for this data", found=describe(data))


def read_candidates(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates, checked to be one or more and different."""
    found = distinct(candidates, "candidate", "candidates")
    if not found:
        raise InputError("there are no candidates", where="candidates")
    return found


def require_scores(
    scores: Scores[Data, Candidate], candidates: tuple[Candidate, ...]
) -> Callable[[Data, Candidate], object]:
    """Return scores as a function; a table is copied and checked.

    Args:
        scores: A function of data and candidate, or a table of data to scores in the order of the
            candidates.
        candidates: The candidates.

    Raises:
        InputError: It is neither, a row has the wrong length, or a score is not rational.

    Example:
        >>> require_scores({"d": (1, "1/2")}, ("a", "b"))("d", "b")
        Fraction(1, 2)
    """
    given = cast("object", scores)
    if isinstance(given, Mapping):
        rows: list[tuple[Data, tuple[Fraction, ...]]] = []
        for data, row in cast("Mapping[Data, object]", given).items():
            where = f"scores[{show(data)}]"
            listed = as_sequence(row)
            if listed is None or len(listed) != len(candidates):
                raise InputError(
                    f"not a list of {len(candidates)} scores", where=where, found=describe(row)
                )
            rows.append((data, tuple(_score(value, where) for value in listed)))
        return ScoreTable(candidates, tuple(rows))
    if not callable(given):
        raise InputError(
            "scores are neither a function nor a table", where="scores", found=describe(given)
        )
    return cast("Callable[[Data, Candidate], object]", given)


def read_scores(
    scores: Callable[[Data, Candidate], object], data: Data, candidates: tuple[Candidate, ...]
) -> tuple[Fraction, ...]:
    """Return the scores of all candidates on one data set, exactly.

    Raises:
        InputError: A score is not a rational number.
    """
    return tuple(
        _score(scores(data, candidate), f"score of {show(candidate)} on {show(data)}")
        for candidate in candidates
    )


def _score(value: object, where: str) -> Fraction:
    try:
        return exact_number(value).as_fraction()
    except InputError as error:
        raise error.located(where) from None


def score_sensitivity(
    candidates: Iterable[Candidate],
    scores: Scores[Data, Candidate],
    pairs: Iterable[tuple[Data, Data]],
) -> Fraction:
    """Return the largest change of one candidate's score between neighbouring data.

    Guarantee: exact over the pairs that are given.

    Args:
        candidates: The candidates.
        scores: A function of data and candidate, or a table (see ``require_scores``).
        pairs: The neighbouring data sets, in either order.

    Raises:
        InputError: A candidate, a score or a pair is malformed.

    Example:
        >>> score_sensitivity("ab", {0: (0, 1), 1: (2, "1/2")}, [(0, 1)])
        Fraction(2, 1)
    """
    listed = read_candidates(candidates)
    read = require_scores(scores, listed)
    largest = Fraction(0)
    for index, pair in enumerate(require_items(pairs, "pairs")):
        both = as_sequence(pair)
        if both is None or len(both) != 2:
            raise InputError(
                "not a pair of data sets", where=f"pairs[{index}]", found=describe(pair)
            )
        first, second = pair
        one, two = (read_scores(read, data, listed) for data in (first, second))
        largest = max(largest, *(abs(a - b) for a, b in zip(one, two, strict=True)))
    return largest


def exponential_of(epsilon: Number, factor: Fraction, where: str) -> Exact:
    """Return e^(epsilon * factor), exactly.

    Args:
        epsilon: A rational, or a logarithm such as "ln(4)".
        factor: What to multiply it by.
        where: Place named in an error.

    Raises:
        InputError: Epsilon is neither, or the result is a root outside the field.

    Example:
        >>> exponential_of("ln(4)", Fraction(-1, 2), "epsilon")
        Exact('1/2')
    """
    try:
        number = exact(epsilon)
        if isinstance(number, LogExact):
            return (number * factor).exp()
        return Exact.exp(number.as_fraction() * factor)
    except InputError as error:
        raise error.located(where) from None
