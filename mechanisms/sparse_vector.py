"""Sparse vector: calibrated as it should be, and a gallery of famous mistakes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .law import FiniteLaw
from .noisy_threshold import SparseVector
from .relation import Arc, Relation, RelationFamily, RelationState, RuleRelation, Symbol
from .scores import Number, exponential_of
from .unbounded_laws import TwoSidedGeometric
from .values import as_sequence, describe, require_count, require_flag

__all__ = ["SparseVectorVariant", "above_threshold", "close_answers", "gallery"]


def above_threshold(
    threshold: int,
    *,
    threshold_epsilon: Number,
    query_epsilon: Number,
    cutoff: int = 1,
    sensitivity: int = 1,
    monotone: bool = False,
) -> SparseVector:
    """Return the sparse vector that is private at threshold_epsilon + query_epsilon.

    Guarantee: (threshold_epsilon + query_epsilon)-DP against adaptive adversaries, for streams of
    answers that differ by at most ``sensitivity`` in every round (``close_answers``).

    Args:
        threshold: What the answers are compared with.
        threshold_epsilon: The share of the threshold's noise, > 0 (epsilon_1).
        query_epsilon: The share of the answers' noise, > 0 (epsilon_2).
        cutoff: How many times "yes" is said before halting, >= 1 (c).
        sensitivity: Most that one answer moves between the worlds, >= 1 (Delta).
        monotone: Whether all answers move in one direction; halves the answers' noise.

    Raises:
        InputError: A number is out of its domain, or a ratio e^(-epsilon / ...) is a root outside
            the field.

    Example:
        >>> vector = above_threshold(1, threshold_epsilon="ln(2)", query_epsilon="ln(4)")
        >>> vector.threshold_noise == vector.query_noise == TwoSidedGeometric("1/2")
        True

    Source: Lyu, Su and Li (2017), Algorithm 1, and what they say of monotonic queries (with
        Laplace noise).
    """
    require_count(cutoff, "cutoff", 1)
    require_count(sensitivity, "sensitivity", 1)
    require_flag(monotone, "monotone")
    moves = cutoff * sensitivity * (1 if monotone else 2)
    ratios = (
        exponential_of(threshold_epsilon, Fraction(-1, sensitivity), "threshold_epsilon"),
        exponential_of(query_epsilon, Fraction(-1, moves), "query_epsilon"),
    )
    first, second = map(TwoSidedGeometric, ratios)
    return SparseVector(threshold, first, second, cutoff)


def close_answers(sensitivity: int = 1, *, monotone: bool = False) -> RelationFamily:
    """Return the relation of answer streams that differ by little in every round.

    Args:
        sensitivity: Most that an answer moves between the worlds, >= 0.
        monotone: Whether all differing answers of a pair of streams move in one direction.

    Raises:
        InputError: The sensitivity is no integer >= 0; when used, an input is no integer.

    Example:
        >>> from powercert.mechanisms import check_neighbouring
        >>> relation = close_answers(1, monotone=True).over([0, 1, 2])
        >>> check_neighbouring(relation, [0, 1], [1, 2]) is None
        True
        >>> check_neighbouring(relation, [0, 1], [1, 0])
        'not neighbouring (differs in rounds 1 and 2; answers move by at most 1, in one direction)'
    """
    require_count(sensitivity, "sensitivity")
    require_flag(monotone, "monotone")
    parameters: tuple[tuple[str, object], ...] = (
        ("sensitivity", sensitivity),
        ("monotone", monotone),
    )

    def build(name: str, inputs: tuple[Symbol, ...]) -> Relation:
        answers = [_integer(symbol, "inputs") for symbol in inputs]
        close = [(a, b) for a in answers for b in answers if abs(a - b) <= sensitivity]

        def rule(state: RelationState) -> Iterable[Arc]:
            for a, b in close:
                direction = (b > a) - (b < a) if monotone else 0
                if direction * cast("int", state) >= 0:
                    yield a, b, direction or state

        def accept(state: Hashable) -> bool:
            return True

        allowance = f"answers move by at most {sensitivity}"
        return RuleRelation(
            name, 0, rule, accept, allowance + (", in one direction" if monotone else "")
        )

    return RelationFamily("close_answers", parameters, build)


@dataclass(frozen=True)
class SparseVectorVariant:
    """One entry of the gallery.

    Args:
        algorithm: Where it is printed.
        build: Returns the mechanism; ``build().collapsed()`` is the form to audit.
        exp_epsilon: e^epsilon as claimed, for answers that move by at most 1 in every round.
        fault: What is wrong, or why it is fine.
        private: Whether the claim is true for any number of queries.
        queries: A number of queries at which an audit with answers 0 and 1 refutes a false claim,
            at the default parameters; None for a true claim.
    """

    algorithm: str
    build: Callable[[], SparseVector]
    exp_epsilon: Exact
    fault: str
    private: bool
    queries: int | None = None


def gallery(
    *,
    ratio: Exact | Fraction | str = "1/2",
    cutoff: int = 1,
    threshold: int = 1,
    value_range: tuple[int, int] = (-1, 3),
) -> Mapping[str, SparseVectorVariant]:
    """Return the sparse vectors of the literature: which are private, and what is wrong with the rest.

    Each is the printed algorithm with two-sided geometric noise in place of Laplace noise: Lap(b)
    becomes the ratio e^(-1/b), for integer answers of sensitivity 1. The first six share one claim:
    epsilon = 4 c ln(1/ratio), so that every noise ratio is a power of ``ratio``.

    - "standard" (Algorithm 1): private.
    - "redrawn-threshold" (Algorithm 2): private; wasteful, as the threshold needs no new noise.
    - "printed-value" (Algorithm 3): not private for any epsilon as queries grow. A printed noisy
      answer bounds the threshold's noise from above.
    - "uncharged-cutoff" (Algorithm 4): not private at epsilon, only at (1 + 6 c) / 4 epsilon. The
      answers' noise does not grow with c, nor is it doubled.
    - "no-query-noise" (Algorithm 5): not private for any epsilon, at two queries.
    - "no-cutoff" (Algorithm 6): not private for any epsilon as queries grow.
    - "fresh-value" (Algorithm 7 with values): private; the printed value has noise of its own,
      which costs another 2 c ln(1/ratio).
    - "no-threshold-noise": the threshold is exact, so that every "no" costs too.

    Args:
        ratio: In (0, 1).
        cutoff: How many times "yes" is said before halting (c), where the algorithm halts at all.
        threshold: What the answers are compared with.
        value_range: The range to which printed values are clamped.

    Returns:
        Name to entry.

    Raises:
        InputError: A parameter is out of its domain.

    Example:
        >>> [name for name, entry in gallery().items() if entry.private]
        ['standard', 'redrawn-threshold', 'fresh-value']
        >>> gallery()["no-cutoff"].exp_epsilon
        Exact('16')

    Source: Lyu, Su and Li (2017), Figures 1 and 2; the algorithms are due to (1) them, (2) Dwork and
        Roth (2014), (3) Roth (2011), (4) Lee and Clifton (2014), (5) Stoddard, Chen and
        Machanavajjhala (2014), (6) Chen, Xiao, Zhang and Xu (2015).
    """
    base = _ratio(ratio)
    require_count(cutoff, "cutoff", 1)
    ends = as_sequence(value_range)
    if ends is None or len(ends) != 2:
        raise InputError(
            "not a pair of integers",
            where="value_range",
            found=describe(value_range),
            expected="write (lower, upper)",
        )

    def noise(power: int) -> TwoSidedGeometric:
        return TwoSidedGeometric(base**power)

    def entry(
        algorithm: str,
        fault: str,
        vector: SparseVector,
        *,
        queries: int | None = None,
        more: int = 0,
    ) -> SparseVectorVariant:
        claimed = 1 / base ** (4 * cutoff + more)
        return SparseVectorVariant(
            algorithm, lambda: vector, claimed, fault, queries is None, queries
        )

    half = noise(2 * cutoff)  # Lap(2 / epsilon): half of the claim for one answer
    none = FiniteLaw.point(0)
    return {
        "standard": entry(
            "Algorithm 1",
            "none",
            SparseVector(threshold, half, noise(1), cutoff),
        ),
        "redrawn-threshold": entry(
            "Algorithm 2",
            "none; drawing the threshold's noise anew is not needed, and makes it c times larger",
            SparseVector(threshold, noise(2), noise(1), cutoff, redraw=True),
        ),
        "printed-value": entry(
            "Algorithm 3",
            "prints the noisy answer that was compared, which bounds the threshold's noise",
            SparseVector(
                threshold, half, noise(2), cutoff, values="compared", value_range=value_range
            ),
            queries=3,
        ),
        "uncharged-cutoff": entry(
            "Algorithm 4",
            "the answers' noise is for one move of one answer: neither doubled nor times c",
            SparseVector(threshold, noise(cutoff), noise(3 * cutoff), cutoff),
            queries=2,
        ),
        "no-query-noise": entry(
            "Algorithm 5",
            "no noise on the answers: two comparisons with one threshold order them exactly",
            SparseVector(threshold, half, none, None),
            queries=2,
        ),
        "no-cutoff": entry(
            "Algorithm 6",
            "never halts: once both kinds of answers come, every one of them costs",
            SparseVector(threshold, half, half, None),
            queries=3,
        ),
        "fresh-value": entry(
            "Algorithm 7",
            "none; the value's own noise is charged",
            SparseVector(
                threshold,
                half,
                noise(1),
                cutoff,
                values="fresh",
                value_noise=noise(2),
                value_range=value_range,
            ),
            more=2 * cutoff,
        ),
        "no-threshold-noise": entry(
            "a common slip",
            "the threshold is exact, so that every answer costs, also a no",
            SparseVector(threshold, none, noise(1), cutoff),
            queries=5,
        ),
    }


def _ratio(value: Exact | Fraction | str) -> Exact:
    ratio = exact_number(value)
    if not 0 < ratio < 1:
        raise InputError("not in (0, 1)", where="ratio", found=str(value))
    return ratio


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("not an integer", where=where, found=describe(value))
    return value
