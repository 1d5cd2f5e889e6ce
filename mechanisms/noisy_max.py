"""Report-noisy-max: whose noisy score is largest, with the noise summed out exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, cast

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact
from .coins import Coins
from .integer_sampling import uniform_below
from .law import FiniteLaw
from .mechanism import Step
from .randomness import RandomBits
from .scores import Scores, read_candidates, read_scores, require_scores
from .tailed import Noise, TailedFunction, noise_weights, require_noise
from .two_forms import TwoFormLaw
from .values import describe, require_flag, show

__all__ = ["ReportNoisyMax"]

Data = TypeVar("Data", bound=Hashable)
Candidate = TypeVar("Candidate", bound=Hashable)
Ties = Literal["first", "last", "uniform"]

_ONE = Exact(1)
_MOST_CANDIDATES = 100
_MOST_WITH_UNIFORM_TIES = 25
# Most bits handled, roughly: a few seconds.
_MOST_WORK = 600_000_000


@dataclass(frozen=True)
class ReportNoisyMax(Generic[Data, Candidate]):
    """Add independent noise to integer scores and report whose noisy score is largest.

    Production draws every noise, so it serves all scores alike; only ``law``, and with it the
    enumerator, refuses what is too large.

    Guarantee: for integer scores, with noise TwoSidedGeometric or Geometric of ratio r, 2 s ln(1 / r)-DP under every
    tie rule here if no score moves by more than s between neighbours; s ln(1 / r)-DP if moreover
    all scores move in one direction.

    Args:
        candidates: What can be reported.
        scores: Function of data and candidate to an integer, or table of data to scores.
        noise: The law of one candidate's noise: TwoSidedGeometric, Geometric or a FiniteLaw.
        ties: Which of several largest wins: the "first" or the "last" in the order of the
            candidates, or one drawn "uniform".
        sequential: Let the enumerator follow every noise, which must be finite, instead of the
            winner. The law is the same, and so is what production draws.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> from powercert.mechanisms.unbounded_laws import Geometric
        >>> noisy = ReportNoisyMax(("a", "b"), {"d": (0, 1)}, Geometric("1/2"))
        >>> noisy.law("d").items()
        (('a', Exact('1/3')), ('b', Exact('2/3')))

    Source: Dwork and Roth (2014), Claim 3.9; Ding, Kifer, Saghaian et al. (2021) for one-sided
        noise. The tie rules are ours.
    """

    candidates: tuple[Candidate, ...]
    scores: Scores[Data, Candidate]
    noise: Noise
    ties: Ties = "first"
    sequential: bool = False

    def __post_init__(self) -> None:
        """Read every field."""
        candidates = read_candidates(self.candidates)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "scores", require_scores(self.scores, candidates))
        require_noise(self.noise, "noise")
        if cast("str", self.ties) not in ("first", "last", "uniform"):
            raise InputError(
                "unknown tie rule",
                where="ties",
                found=describe(self.ties),
                expected='write "first", "last" or "uniform"',
            )
        require_flag(self.sequential, "sequential")

    def start(self, coins: Coins) -> None:
        """Return the only state."""

    def integer_scores(self, data: Data) -> tuple[int, ...]:
        """Return the scores on one data set.

        Raises:
            InputError: A score is not an integer.
        """
        read = cast("Callable[[Data, Candidate], object]", self.scores)
        found: list[int] = []
        for candidate, score in zip(
            self.candidates, read_scores(read, data, self.candidates), strict=True
        ):
            if score.denominator != 1:
                raise InputError(
                    "a score is not an integer",
                    where=f"score of {show(candidate)} on {show(data)}",
                    found=str(score),
                    expected="the noise is on the integers; scale the scores",
                )
            found.append(score.numerator)
        return tuple(found)

    def law(self, data: Data) -> FiniteLaw[Candidate]:
        """Return the law of the candidate reported, the noise summed out.

        Guarantee: exact, also for unbounded noise.

        Raises:
            InputError: A score is not an integer.
            LimitError: There are more than 100 candidates (25 with uniform ties), or the scores
                are too far apart.
        """
        most = _MOST_WITH_UNIFORM_TIES if self.ties == "uniform" else _MOST_CANDIDATES
        if len(self.candidates) > most:
            raise LimitError(
                f"the exact law of a choice among {len(self.candidates)} candidates",
                expected=f"at most {most}; sequential=True draws every noise instead",
            )
        scores = self.integer_scores(data)
        self._refuse_long(scores)
        at = noise_weights(self.noise)
        least = at.from_here()
        below = TailedFunction.constant(_ONE).minus(least)
        at_score = [at.shifted(score) for score in scores]
        below_score = [below.shifted(score) for score in scores]
        if self.ties == "uniform":
            chances = _uniform_winner(at_score, below_score)
        else:
            up_to = [one.plus(other) for one, other in zip(at_score, below_score, strict=True)]
            earlier, later = (below_score, up_to) if self.ties == "first" else (up_to, below_score)
            chances = _ordered_winner(at_score, earlier, later)
        return FiniteLaw.of_pairs(zip(self.candidates, chances, strict=True))

    def _refuse_long(self, scores: Sequence[int]) -> None:
        """Refuse a law that would take more than a few seconds, before it is begun."""
        count, span = len(scores), max(scores) - min(scores)
        if isinstance(self.noise, FiniteLaw):
            span += max(self.noise.outcomes) - min(self.noise.outcomes)
            bits = 512 if self.noise.numerators is None else self.noise.denominator.bit_length()
            work = count**2 * span * bits
        else:
            ratio = self.noise.ratio
            if ratio.is_rational:
                bits = sum(part.bit_length() for part in ratio.as_integer_ratio())
            else:
                bits = 128 if ratio.pure_exponent() is not None else 512
            # Products of all candidates' chances over the span, and those of their tails.
            work = count**2 * span**2 * bits + 15 * count**4 * bits
        if self.ties == "uniform":
            work *= 2 * count
        if work > _MOST_WORK:
            raise LimitError(
                f"the exact law of a choice among {count} candidates would take too long",
                found=f"scores and noise that span {span} integers",
                expected="use fewer candidates or closer scores",
            )

    def step(self, state: None, item: Data, coins: Coins) -> Step[None, Candidate, None]:
        """Report once for the data set fed."""
        scores = self.integer_scores(item)
        if self.sequential:
            winners = self._winners([score + coins.draw(self.noise) for score in scores])
            index = coins.draw(FiniteLaw.uniform(winners)) if len(winners) > 1 else winners[0]
            return Step(None, self.candidates[index])

        def sample(random_bits: RandomBits) -> Candidate:
            winners = self._winners([score + self.noise.draw(random_bits) for score in scores])
            return self.candidates[winners[uniform_below(random_bits, len(winners))]]

        return Step(None, coins.draw(TwoFormLaw(lambda: self.law(item), sample)))

    def _winners(self, noisy: Sequence[int]) -> list[int]:
        """Return which candidates win; several only if ties are broken uniformly."""
        largest = max(noisy)
        winners = [index for index, value in enumerate(noisy) if value == largest]
        if self.ties == "uniform":
            return winners
        return winners[:1] if self.ties == "first" else winners[-1:]


def _ordered_winner(
    at: Sequence[TailedFunction],
    earlier: Sequence[TailedFunction],
    later: Sequence[TailedFunction],
) -> list[Exact]:
    """Return each candidate's chance when rivals before and after it in order must stay lower.

    ``earlier`` and ``later`` give, for rivals on either side, the chance not to win against v.
    """
    after = [TailedFunction.constant(_ONE)]
    for function in reversed(later[1:]):
        after.append(after[-1].times(function))
    before = TailedFunction.constant(_ONE)
    chances: list[Exact] = []
    for index, weight in enumerate(at):
        chances.append(weight.times(before).times(after[len(at) - 1 - index]).total())
        before = before.times(earlier[index])
    return chances


def _uniform_winner(at: Sequence[TailedFunction], below: Sequence[TailedFunction]) -> list[Exact]:
    """Return each candidate's chance when ties are broken uniformly.

    Independent uniform arrival times break ties: a rival of equal value must come later. The product of (below + x at) over the rivals is integrated over x in (0, 1).
    """
    chances: list[Exact] = []
    for index, weight in enumerate(at):
        powers = [weight]
        for rival, (equal, lower) in enumerate(zip(at, below, strict=True)):
            if rival == index:
                continue
            extended = [power.times(lower) for power in powers]
            extended.append(TailedFunction.constant(Exact(0)))
            for degree, power in enumerate(powers):
                extended[degree + 1] = extended[degree + 1].plus(power.times(equal))
            powers = extended
        chances.append(
            sum(
                (power.total() / (degree + 1) for degree, power in enumerate(powers)),
                start=Exact(0),
            )
        )
    return chances
