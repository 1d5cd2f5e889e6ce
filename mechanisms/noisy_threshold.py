"""The sparse vector as machines: the noise drawn, or summed out exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from ..accounting.errors import InputError
from ..accounting.numbers import Exact
from .coins import Coins
from .law import FiniteLaw
from .mechanism import Step
from .tailed import Noise, TailedFunction, noise_weights, require_noise
from .two_forms import clamped_sum
from .values import as_sequence, describe, require_count, require_flag

__all__ = ["CollapsedSparseVector", "SparseVector"]

HALTED = "halted"
NO = "no"
YES = "yes"

SparseVectorState = tuple[int, int] | None
CollapsedState = tuple[TailedFunction, int] | None
SparseVectorView = str | int
Values = Literal["none", "compared", "fresh"]

_ONE = Exact(1)


@dataclass(frozen=True)
class SparseVector:
    """Compare a stream of true answers with one hidden noisy threshold.

    An input is the true answer (an integer) of the next query. The view is "yes" if answer + noise
    >= threshold + threshold noise, else "no"; after ``cutoff`` times "yes" it is "halted". Whether
    this is private is a matter of the parameters: ``above_threshold`` calibrates them,
    ``sparse_vector.gallery`` shows famous mistakes.

    With finite noise the enumerator follows every noise; with unbounded noise it runs in
    production, and ``collapsed()`` is the same mechanism with the noise summed out, exactly.

    Args:
        threshold: What the answers are compared with (a threshold per query: feed the answer minus
            the query's threshold).
        threshold_noise: The law of the threshold's noise.
        query_noise: The law of each answer's noise.
        cutoff: How many times "yes" is said before halting; None never halts.
        redraw: Whether the threshold's noise is drawn anew after each "yes".
        values: What "yes" is replaced by: "none" keeps it, "compared" prints the noisy answer that
            was compared, "fresh" prints the answer with noise of its own.
        value_noise: The law of the noise of "fresh" values.
        value_range: The range that printed values are clamped to; None prints them as they are.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> half = FiniteLaw.uniform((0, 1))
        >>> vector = SparseVector(1, FiniteLaw.point(0), half)
        >>> from powercert.mechanisms import ExactMachine
        >>> ExactMachine(vector).transitions((0, 0), 0)
        (('no', (0, 0), Exact('1/2')), ('yes', None, Exact('1/2')))

    Source: Dwork, Naor, Reingold, Rothblum and Vadhan (2009); Lyu, Su and Li (2017), Figure 1.
    """

    threshold: int
    threshold_noise: Noise
    query_noise: Noise
    cutoff: int | None = 1
    redraw: bool = False
    values: Values = "none"
    value_noise: Noise | None = None
    value_range: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        _integer(self.threshold, "threshold")
        require_noise(self.threshold_noise, "threshold_noise")
        require_noise(self.query_noise, "query_noise")
        if self.cutoff is not None:
            require_count(self.cutoff, "cutoff", 1)
        if cast("str", self.values) not in ("none", "compared", "fresh"):
            raise InputError(
                "unknown kind of values",
                where="values",
                found=describe(self.values),
                expected='write "none", "compared" or "fresh"',
            )
        if (self.values == "fresh") != (self.value_noise is not None):
            raise InputError(
                'value_noise goes with values = "fresh"',
                found=f"values = {self.values!r}, value_noise = {self.value_noise!r}",
            )
        if self.value_noise is not None:
            require_noise(self.value_noise, "value_noise")
        require_flag(self.redraw, "redraw")
        if self.value_range is not None:
            ends = as_sequence(self.value_range)
            if ends is None or len(ends) != 2:
                raise InputError(
                    "not a range",
                    where="value_range",
                    found=describe(self.value_range),
                    expected="write two integers such as (0, 10)",
                )
            lower, upper = ends
            if _integer(lower, "value_range") > _integer(upper, "value_range"):
                raise InputError(
                    "lower is above upper", where="value_range", found=f"{self.value_range}"
                )

    def start(self, coins: Coins) -> SparseVectorState:
        """Draw the threshold's noise."""
        return coins.draw(self.threshold_noise), 0

    def step(
        self, state: SparseVectorState, item: int, coins: Coins
    ) -> Step[SparseVectorState, SparseVectorView, None]:
        """Compare one answer."""
        answer = _integer(item, "answer")
        if state is None:
            return Step(None, HALTED)
        noise, count = state
        noisy = answer + coins.draw(self.query_noise)
        if noisy < self.threshold + noise:
            return Step(state, NO)
        view = self._positive_view(answer, noisy, coins)
        if count + 1 == self.cutoff:
            return Step(None, view)
        after = coins.draw(self.threshold_noise) if self.redraw else noise
        return Step((after, self.counted(count)), view)

    def _positive_view(self, answer: int, noisy: int, coins: Coins) -> SparseVectorView:
        if self.values == "none":
            return YES
        if self.value_noise is not None:
            noisy = answer + coins.draw(self.value_noise)
        if self.value_range is None:
            return noisy
        lower, upper = self.value_range
        return max(lower, min(upper, noisy))

    def counted(self, count: int) -> int:
        """Return how many times "yes" was said after one more; 0 where nobody counts."""
        return 0 if self.cutoff is None else count + 1

    def collapsed(self) -> CollapsedSparseVector:
        """Return the same mechanism with the hidden noise summed out.

        Raises:
            InputError: Values are printed without a range, so that a step has no finite law.
        """
        return CollapsedSparseVector(self)


@dataclass(frozen=True)
class CollapsedSparseVector:
    """A sparse vector whose state is the law of the threshold's noise given the views so far.

    No noise is drawn; each view is drawn from its law given the views so far, which is exact even
    for unbounded noise. So it can be audited. Production runs the sparse vector itself: here an answer
    far away needs exact weights of unreasonable size, and would be refused.

    Guarantee: against every adversary the views have the law that they have in the sparse vector.

    Args:
        vector: The sparse vector.

    Raises:
        InputError: Values are printed without a range.

    Example:
        >>> from powercert.mechanisms import ExactMachine
        >>> from powercert.mechanisms.unbounded_laws import TwoSidedGeometric
        >>> noise = TwoSidedGeometric("1/2")
        >>> machine = ExactMachine(SparseVector(1, noise, noise).collapsed())
        >>> start = machine.initial()[0][0]
        >>> [(view, weight) for view, _, weight in machine.transitions(start, 0)]
        [('no', Exact('16/27')), ('yes', Exact('11/27'))]
    """

    vector: SparseVector

    def __post_init__(self) -> None:
        """Check that views are finitely many."""
        if self.vector.values != "none" and self.vector.value_range is None:
            raise InputError(
                "values are printed without a range, so a step has no finite law",
                where="value_range",
                expected="give value_range",
            )

    def start(self, coins: Coins) -> CollapsedState:
        """Return the law of the threshold's noise."""
        return noise_weights(self.vector.threshold_noise), 0

    def step(
        self, state: CollapsedState, item: int, coins: Coins
    ) -> Step[CollapsedState, SparseVectorView, None]:
        """Draw the view from its law given the views so far."""
        answer = _integer(item, "answer")
        if state is None:
            return Step(None, HALTED)
        law, count = state
        vector = self.vector
        joint = {view: law.times(chance) for view, chance in self.view_chances(answer).items()}
        masses = {view: function.total() for view, function in joint.items()}
        view = coins.draw(FiniteLaw.of(masses))
        if view == NO:
            return Step((joint[view].scaled(1 / masses[view]), count), view)
        shown = self._fresh_value(answer, coins) if vector.values == "fresh" else view
        if count + 1 == vector.cutoff:
            return Step(None, shown)
        if vector.redraw:
            return Step((noise_weights(vector.threshold_noise), vector.counted(count)), shown)
        after = joint[view].scaled(1 / masses[view])
        return Step((after, vector.counted(count)), shown)

    def view_chances(self, answer: int) -> dict[SparseVectorView, TailedFunction]:
        """Return each view's probability as a function of the threshold's noise.

        Guarantee: exact. Where fresh values are printed, "yes" stands for all of them.
        """
        vector = self.vector
        weights = noise_weights(vector.query_noise).shifted(answer - vector.threshold)
        # Everything below is relative to the threshold: n is the threshold's noise.
        positive = weights.from_here()
        chances: dict[SparseVectorView, TailedFunction] = {
            NO: TailedFunction.constant(_ONE).minus(positive)
        }
        if vector.values != "compared" or vector.value_range is None:
            return {**chances, YES: positive}
        lower, upper = (end - vector.threshold for end in vector.value_range)
        if lower == upper:
            return {**chances, vector.value_range[0]: positive}
        low = positive.minus(TailedFunction.constant(positive(lower + 1)))
        chances[vector.value_range[0]] = low.times(TailedFunction.at_most(lower))
        for value in range(lower + 1, upper):
            chance = TailedFunction.at_most(value).scaled(weights(value))
            chances[value + vector.threshold] = chance
        high = TailedFunction.at_most(upper)
        above = TailedFunction.constant(_ONE).minus(high)
        chances[vector.value_range[1]] = high.scaled(positive(upper)).plus(positive.times(above))
        return chances

    def _fresh_value(self, answer: int, coins: Coins) -> int:
        noise, ends = self.vector.value_noise, self.vector.value_range
        assert noise is not None
        assert ends is not None
        return coins.draw(clamped_sum(noise, answer, *ends))


def _integer(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("not an integer", where=where, found=describe(value))
    return value
