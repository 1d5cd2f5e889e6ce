"""The readers' side of a draw: sample it, or follow every outcome with its exact weight."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Generic, NoReturn, Protocol, TypeVar, cast

from ..accounting.errors import InputError, LimitError, PowercertError
from ..accounting.numbers import Exact, exact_number
from .law import FiniteLaw
from .randomness import RandomBits, SeededBits, SystemBits
from .two_forms import TwoFormLaw
from .values import describe, require_count, require_value, same_kind

__all__ = [
    "DEFAULT_LIMIT_DRAWS",
    "DEFAULT_LIMIT_LEAVES",
    "Coins",
    "PlacedError",
    "RandomBits",
    "ReplayCoins",
    "SampledLaw",
    "SamplerCoins",
    "SeededBits",
    "SystemBits",
    "enumerate_outcomes",
]

Outcome = TypeVar("Outcome", bound=Hashable)
Outcome_co = TypeVar("Outcome_co", bound=Hashable, covariant=True)
Result = TypeVar("Result")

DEFAULT_LIMIT_LEAVES = 1_000_000
DEFAULT_LIMIT_DRAWS = 1_000

_NOT_A_FUNCTION = (
    "the body is not a function of its coins (clock, global random, set order, cached state)"
)


class PlacedError(InputError):
    """An input error whose ``where`` already names the state and the input."""


class SampledLaw(Protocol[Outcome_co]):
    """A law that can be sampled but not enumerated, because its support is infinite."""

    @property
    def finite_counterpart(self) -> str:
        """What to call on it for a law that can be enumerated: ".truncated(lower, upper)"."""
        ...

    def draw(self, random_bits: RandomBits) -> Outcome_co:
        """Sample one outcome with exactly its probability."""
        ...


class Coins(Protocol):
    """What a mechanism draws from; it cannot tell which reader is behind it."""

    def draw(self, law: FiniteLaw[Outcome] | SampledLaw[Outcome]) -> Outcome:
        """Return one outcome of the law, independent of every other draw.

        A reader that follows every outcome refuses a ``SampledLaw``.
        """
        ...


class SamplerCoins:
    """Coins that sample: every draw has exactly its law.

    Args:
        entropy: The operating system's bits by default; ``SeededBits`` for tests and simulation.

    Example:
        >>> coins = SamplerCoins(SeededBits(1))
        >>> coins.draw(FiniteLaw.point("a")), coins.draws
        ('a', 1)
    """

    def __init__(self, entropy: RandomBits | None = None) -> None:
        """Start with no draw made."""
        self._bits: RandomBits = SystemBits() if entropy is None else entropy
        self._draws = 0

    @property
    def draws(self) -> int:
        """How many draws were made."""
        return self._draws

    def draw(self, law: FiniteLaw[Outcome] | SampledLaw[Outcome]) -> Outcome:
        """Sample one outcome."""
        if not isinstance(law, FiniteLaw) and not _is_sampled(law):
            raise _no_law(law)
        self._draws += 1
        return law.draw(self._bits)


class ReplayCoins:
    """Coins that walk through every sequence of outcomes, one run of the body after another.

    A run repeats the recorded choices and takes the first outcome of each further draw;
    ``advance`` moves to the next sequence as an odometer does. The body must be a function of its
    coins: a run that meets another law, or another number of draws, than recorded is refused.

    Args:
        limit_draws: Most draws in one run.
    """

    __slots__ = (
        "_choices",
        "_depth",
        "_failure",
        "_known",
        "_laws",
        "_limit",
        "_open",
        "_outcomes",
        "_products",
    )

    def __init__(self, limit_draws: int = DEFAULT_LIMIT_DRAWS) -> None:
        """Start before the first run."""
        self._limit = limit_draws
        self._laws: list[FiniteLaw[Hashable]] = []
        self._choices: list[int] = []
        self._outcomes: list[Hashable] = []
        # Entry d: numerator, denominator and symbolic factor of the first d draws' weight.
        self._products: list[tuple[int, int, Exact | None]] = [(1, 1, None)]
        self._depth = 0
        self._known = 0
        self._failure: PowercertError | None = None
        self._open = False

    @property
    def outcomes(self) -> tuple[Hashable, ...]:
        """The outcomes drawn so far in this run."""
        return tuple(self._outcomes[: self._depth])

    @property
    def weight(self) -> tuple[int, int, Exact | None]:
        """The weight of the finished run: numerator, denominator, symbolic factor (or None)."""
        return self._products[-1]

    @property
    def failure(self) -> PowercertError | None:
        """The first thing found wrong, or None."""
        return self._failure

    def start(self) -> None:
        """Begin a run that repeats the recorded choices."""
        self._depth = 0
        self._known = len(self._laws)
        self._open = True

    def finish(self) -> None:
        """End a run, raising what was found wrong during it even if the body hid that."""
        self._open = False
        if self._failure is not None:
            raise self._failure
        if self._depth != len(self._laws):
            raise InputError(
                _NOT_A_FUNCTION,
                found=f"{self._depth} draws where the same outcomes led to {len(self._laws)}",
            )

    def advance(self) -> bool:
        """Move to the next sequence of outcomes; False when all have been walked."""
        while self._laws:
            law, choice = self._laws[-1], self._choices[-1] + 1
            if choice < len(law.outcomes):
                self._choices[-1] = choice
                self._outcomes[-1] = law.outcomes[choice]
                self._products[-1] = _extended(self._products[-2], law, choice)
                return True
            self._laws.pop()
            self._choices.pop()
            self._outcomes.pop()
            self._products.pop()
        return False

    def rewind(self) -> None:
        """Forget all choices, as before the first run."""
        self._laws.clear()
        self._choices.clear()
        self._outcomes.clear()
        del self._products[1:]

    def draw(self, law: FiniteLaw[Outcome] | SampledLaw[Outcome]) -> Outcome:
        """Return the recorded outcome, or the first one of a new draw."""
        if isinstance(law, TwoFormLaw):
            law = law.finite()
        if not isinstance(law, FiniteLaw):
            self._fail(_endless(law) if _is_sampled(law) else _no_law(law))
        depth = self._depth
        if depth < self._known:
            recorded = self._laws[depth]
            if recorded is law or recorded == law:
                self._depth = depth + 1
                return cast("Outcome", self._outcomes[depth])
            self._fail(
                InputError(
                    _NOT_A_FUNCTION,
                    found=f"draw {depth + 1} from {_brief(law)} where the same outcomes led to "
                    f"{_brief(recorded)}",
                )
            )
        if not self._open:
            self._fail(InputError("coins are used outside the step they were given to"))
        if depth >= self._limit:
            self._fail(
                LimitError(
                    f"a run made {self._limit} draws without ending",
                    expected="a loop that may draw for ever cannot be enumerated: draw from one "
                    "bounded law instead, or raise limit_draws",
                )
            )
        outcome = law.outcomes[0]
        self._laws.append(law)
        self._choices.append(0)
        self._outcomes.append(outcome)
        self._products.append(_extended(self._products[-1], law, 0))
        self._depth = depth + 1
        return outcome

    def _fail(self, error: PowercertError) -> NoReturn:
        """Raise an error, and keep it in case the body catches it."""
        if self._failure is None:
            self._failure = error
        raise error


def _extended(
    product: tuple[int, int, Exact | None], law: FiniteLaw[Hashable], choice: int
) -> tuple[int, int, Exact | None]:
    """Multiply the weight of one more outcome into a product."""
    numerator, denominator, factor = product
    numerators = law.numerators
    if numerators is None:
        weight = law.weights[choice]
        return numerator, denominator, weight if factor is None else factor * weight
    return numerator * numerators[choice], denominator * law.denominator, factor


def _brief(law: object) -> str:
    text = repr(law)
    return text if len(text) <= 120 else text[:117] + "..."


def _is_sampled(law: object) -> bool:
    """Return whether a value is a SampledLaw as far as its attributes tell."""
    return isinstance(getattr(law, "finite_counterpart", None), str) and callable(
        getattr(law, "draw", None)
    )


def _endless(law: SampledLaw[Hashable]) -> InputError:
    kind = type(law).__name__
    return InputError(
        f"a law with infinite support can be sampled but not enumerated: {kind}",
        found=describe(law),
        expected=f"draw from a finite law made of it: {kind}(...){law.finite_counterpart}; or "
        "use the mechanism's .collapsed(), where it has one, which keeps the noise as it is",
    )


def _no_law(law: object) -> InputError:
    return InputError(
        "a draw needs a FiniteLaw",
        found=describe(law),
        expected="use FiniteLaw.of({outcome: weight}); clamp or fold a law with infinite "
        "or continuous support into a finite one",
    )


class _Leaves(Generic[Result]):
    """Results of runs with their weights; equal results are merged if asked."""

    def __init__(self, merge: bool, check: Callable[[Result], None], where: str) -> None:
        self._merge = merge
        self._check = check
        self._where = where
        self._seen: dict[Result, int] = {}
        self._results: list[Result] = []
        # Per result: denominator to numerator, and the symbolic part (None if there is none).
        self._rational: list[dict[int, int]] = []
        self._symbolic: list[Exact | None] = []

    def add(self, result: Result, weight: tuple[int, int, Exact | None]) -> None:
        index = self._index(result)
        numerator, denominator, factor = weight
        if factor is None:
            totals = self._rational[index]
            totals[denominator] = totals.get(denominator, 0) + numerator
            return
        mass = factor * Fraction(numerator, denominator)
        known = self._symbolic[index]
        self._symbolic[index] = mass if known is None else known + mass

    def _index(self, result: Result) -> int:
        if self._merge:
            try:
                known = self._seen.get(result)
            except TypeError:
                self._check(result)
                raise
            if known is not None:
                if not same_kind(self._results[known], result):
                    raise InputError(
                        "two results are equal but of different types",
                        where=self._where,
                        found=f"{describe(self._results[known])} and {describe(result)}",
                        expected="use one type",
                    )
                return known
            self._check(result)
            self._seen[result] = len(self._results)
        self._results.append(result)
        self._rational.append({})
        self._symbolic.append(None)
        return len(self._results) - 1

    def collect(self) -> list[tuple[Result, Exact]]:
        return [
            (result, _total(totals, symbolic))
            for result, totals, symbolic in zip(
                self._results, self._rational, self._symbolic, strict=True
            )
        ]


def _total(totals: dict[int, int], symbolic: Exact | None) -> Exact:
    common = math.lcm(*totals) if totals else 1
    numerator = sum(value * (common // denominator) for denominator, value in totals.items())
    rational = exact_number(Fraction(numerator, common))
    return rational if symbolic is None else rational + symbolic


def enumerate_outcomes(
    body: Callable[[Coins], Result],
    *,
    limit_leaves: int = DEFAULT_LIMIT_LEAVES,
    limit_draws: int = DEFAULT_LIMIT_DRAWS,
    where: str = "",
    merge: bool = True,
    check: Callable[[Result], None] | None = None,
) -> list[tuple[Result, Exact]]:
    """Run a body on every sequence of outcomes and return its results with exact weights.

    Guarantee: if the body is a function of its coins, the weights are the exact law of its result.
    Replay refuses bodies that it catches not being one; it cannot catch every such body.

    Args:
        body: Draws from the coins it is given and returns a result; it is run once per sequence
            of outcomes, and the first sequence once more at the end as a check.
        limit_leaves: Most sequences of outcomes.
        limit_draws: Most draws in one run.
        where: Place named in errors.
        merge: Merge equal results (they must be hashable); else one entry per sequence.
        check: Called on each new result before it is merged; it raises an error to refuse one.

    Returns:
        (result, weight) in the order first met; the weights sum to 1.

    Raises:
        InputError: The body raised an exception (chained), drew from something that is not a
            FiniteLaw, was not a function of its coins, or returned equal results of different type.
        LimitError: A limit was reached.

    Example:
        >>> coin = FiniteLaw.of({0: "1/3", 1: "2/3"})
        >>> enumerate_outcomes(lambda coins: coins.draw(coin) + coins.draw(coin))
        [(0, Exact('1/9')), (1, Exact('4/9')), (2, Exact('4/9'))]
    """
    require_count(limit_leaves, "limit_leaves", 1)
    require_count(limit_draws, "limit_draws")
    coins = ReplayCoins(limit_draws)
    leaves = _Leaves[Result](
        merge, check or (lambda result: require_value(result, "result", where)), where
    )
    first = _run(body, coins, where)
    first_outcomes = coins.outcomes
    leaves.add(first, coins.weight)
    count = 1
    while coins.advance():
        if count >= limit_leaves:
            raise LimitError(
                f"more than {limit_leaves} sequences of outcomes",
                where=where,
                expected="draw sums, clamped values and products as one law, or raise limit_leaves",
            )
        leaves.add(_run(body, coins, where), coins.weight)
        count += 1
    _check_repeats(body, coins, first, first_outcomes, where)
    return leaves.collect()


def _run(body: Callable[[Coins], Result], coins: ReplayCoins, where: str) -> Result:
    """Run the body once, turning whatever goes wrong into an error that names the place."""
    coins.start()
    try:
        result = body(coins)
        coins.finish()
        return result
    except Exception as error:
        # What the coins found comes first: the body may have caught it and raised another.
        problem = coins.failure or _problem(error, coins)
        if where and not isinstance(problem, PlacedError):
            problem = problem.located(where)
        if problem is error:
            raise
        raise problem from error


def _problem(error: Exception, coins: ReplayCoins) -> PowercertError:
    if isinstance(error, PowercertError):
        return error
    if isinstance(error, MemoryError):
        return LimitError("out of memory", found=_draws(coins))
    return InputError(
        "the body raised an exception", found=f"{type(error).__name__}: {error}, {_draws(coins)}"
    )


def _draws(coins: ReplayCoins) -> str:
    drawn = coins.outcomes
    shown = ", ".join(repr(outcome) for outcome in drawn[:20])
    more = f", ... ({len(drawn)} in all)" if len(drawn) > 20 else ""
    return f"after the draws [{shown}{more}]"


def _check_repeats(
    body: Callable[[Coins], Result],
    coins: ReplayCoins,
    first: Result,
    first_outcomes: tuple[Hashable, ...],
    where: str,
) -> None:
    """Run the first sequence of outcomes once more; it must do the same again."""
    coins.rewind()
    again = _run(body, coins, where)
    if again == first and _hash_of(again) != _hash_of(first):
        raise InputError(
            "equal results of a step have different hashes",
            where=where,
            found=f"{describe(first)} twice, from the same outcomes",
            expected="make __hash__ of views and states agree with __eq__ (a frozen dataclass does)",
        )
    if coins.outcomes != first_outcomes or again != first or not same_kind(first, again):
        hint = ""
        if again != first and type(first).__eq__ is object.__eq__:
            hint = f"{type(first).__name__} compares by identity: use a frozen dataclass"
        raise InputError(
            _NOT_A_FUNCTION,
            where=where,
            found=f"{describe(first)} and then {describe(again)} from the same outcomes",
            expected=hint,
        )


def _hash_of(result: object) -> int | None:
    """Return the hash, or None where there is none (which is refused elsewhere)."""
    try:
        return hash(result)
    except TypeError:
        return None
