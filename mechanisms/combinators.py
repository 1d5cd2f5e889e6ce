"""Mechanisms made from mechanisms: in series, post-processed, truncated."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast, overload

from ..accounting.errors import InputError
from .coins import Coins
from .mechanism import Mechanism, Step, require_step
from .values import describe, require_count, require_value

__all__ = [
    "PostProcessed",
    "Serial",
    "SerialState",
    "Truncated",
    "TruncatedState",
    "post_process",
    "serial",
    "truncate",
]

First = TypeVar("First", bound=Hashable)
Second = TypeVar("Second", bound=Hashable)
Input = TypeVar("Input", bound=Hashable)
View = TypeVar("View", bound=Hashable)
OtherView = TypeVar("OtherView", bound=Hashable)
Hidden = TypeVar("Hidden", bound=Hashable)
LastHidden = TypeVar("LastHidden", bound=Hashable)

Passed = Literal["interface", "view"]
Release = Literal["view", "views", "core", "cores"]


def _require_mechanism(value: object, where: str) -> None:
    methods = getattr(value, "start", None), getattr(value, "step", None)
    if isinstance(value, type) or not all(map(callable, methods)):
        raise InputError(
            "not a mechanism",
            where=where,
            found=describe(value),
            expected="give an object with start(coins) and step(state, item, coins)",
        )


def _rounds(mechanism: object) -> int | None:
    """Return a mechanism's horizon, or None if it names none."""
    found: object = getattr(mechanism, "rounds", None)
    return found if isinstance(found, int) else None


def _core(step: Step[Any, Any, Any]) -> Hashable:
    return cast("Hashable", step.view) if step.core is None else step.core


@dataclass(frozen=True)
class _Nothing:
    """The core of a round in which the mechanism showed None, which Step reads as "no core"."""

    def __repr__(self) -> str:
        return "nothing"


class SerialState(NamedTuple):
    """The hidden states of both mechanisms."""

    first: Hashable
    second: Hashable


@dataclass(frozen=True)
class Serial(Generic[First, Second, Input, View, OtherView, LastHidden]):
    """Two mechanisms in series; see ``serial``."""

    first: Mechanism[First, Input, View, Any]
    second: Mechanism[Second, Any, OtherView, LastHidden]
    passes: Passed = "interface"

    def __post_init__(self) -> None:
        """Check every field."""
        _require_mechanism(self.first, "serial: the first mechanism")
        _require_mechanism(self.second, "serial: the second mechanism")
        if cast("object", self.passes) not in ("interface", "view"):
            raise InputError(
                "unknown choice of what is passed on",
                where="serial: passes",
                found=describe(self.passes),
                expected='write "interface" or "view"',
            )

    @property
    def rounds(self) -> int | None:
        """The shorter horizon of the two, or None if neither has one."""
        known = [n for n in (_rounds(self.first), _rounds(self.second)) if n is not None]
        return min(known, default=None)

    def start(self, coins: Coins) -> SerialState:
        """Start both."""
        first = self.first.start(coins)
        return SerialState(first, self.second.start(coins))

    def step(
        self, state: SerialState, item: Input, coins: Coins
    ) -> Step[SerialState, tuple[View, OtherView], LastHidden]:
        """Feed the input to the first mechanism, and its hidden output to the second.

        Raises:
            InputError: The first mechanism gave no hidden output.
        """
        upper = self.first.step(cast("First", state.first), item, coins)
        require_step(upper, "serial: the first mechanism")
        passed: Hashable = upper.interface if self.passes == "interface" else upper.view
        if passed is None:
            raise InputError(
                "the first mechanism of a series gave nothing to pass on",
                where="serial",
                found=f"{self.passes} None",
                expected="return Step(..., interface=...) with a symbol of its own for "
                'nothing (such as "_"), or write passes="view" to pass its view on',
            )
        lower = self.second.step(cast("Second", state.second), passed, coins)
        require_step(lower, "serial: the second mechanism")
        core = None
        if upper.core is not None or lower.core is not None:
            core = (_core(upper), _core(lower))
        after = SerialState(upper.state, lower.state)
        return Step(after, (upper.view, lower.view), core, lower.interface)


@overload
def serial(
    first: Mechanism[First, Input, View, Hidden],
    second: Mechanism[Second, Hidden, OtherView, LastHidden],
    *,
    passes: Literal["interface"] = "interface",
) -> Serial[First, Second, Input, View, OtherView, LastHidden]: ...


@overload
def serial(
    first: Mechanism[First, Input, View, Hidden],
    second: Mechanism[Second, View, OtherView, LastHidden],
    *,
    passes: Literal["view"],
) -> Serial[First, Second, Input, View, OtherView, LastHidden]: ...


def serial(
    first: Mechanism[First, Input, View, Any],
    second: Mechanism[Second, Any, OtherView, LastHidden],
    *,
    passes: Passed = "interface",
) -> Serial[First, Second, Input, View, OtherView, LastHidden]:
    """Compose two mechanisms in series: every round, the first one's output feeds the second.

    The adversary chooses the inputs of the first mechanism and sees both views; the hidden output
    in between is seen only through the second one's view. The series' own hidden output is the
    second one's, so that series can be longer. Every round passes one output: a mechanism that has
    nothing to say in some rounds needs a symbol for that.

    Args:
        first: The head, M: its steps give view and hidden output (``Step.interface``).
        second: The second, N: its inputs are the hidden outputs of the first.
        passes: "interface" passes the hidden output. "view" passes the view, for mechanisms whose
            output is what they show; then the second is a reader of released values.

    Returns:
        The mechanism with views (view of the first, view of the second). Its core is the pair of
        cores where either mechanism declares one.

    Raises:
        InputError: An argument is no mechanism. (A step raises it if there is nothing to pass on.)

    Example:
        >>> from powercert.mechanisms import FiniteLaw, TableMechanism, open_run
        >>> copy = [["*", "s", x, x, "s", 1] for x in "01"]
        >>> table = TableMechanism(2, "01", "01", ["s"], {"s": 1}, copy)
        >>> both = serial(table, table, passes="view")
        >>> both.rounds, open_run(both).feed("1")
        (2, ('1', '1'))

    Source: Definition B.7 of the buffering-recipe paper (modular composition M -> N).
    """
    return Serial(first, second, passes)


@dataclass(frozen=True)
class PostProcessed(Generic[First, Input, View, Hidden, OtherView]):
    """A mechanism behind a map of what it releases; see ``post_process``."""

    mechanism: Mechanism[First, Input, View, Hidden]
    function: Callable[[Any], OtherView]
    over: Release = "view"

    def __post_init__(self) -> None:
        """Check every field."""
        _require_mechanism(self.mechanism, "post_process")
        if not callable(cast("object", self.function)):
            raise InputError(
                "the view map is not a function",
                where="post_process",
                found=describe(self.function),
            )
        if cast("object", self.over) not in ("view", "views", "core", "cores"):
            raise InputError(
                "unknown argument of the view map",
                where="post_process: over",
                found=describe(self.over),
                expected='write "view", "views", "core" or "cores"',
            )

    @property
    def rounds(self) -> int | None:
        """The horizon of the mechanism, or None if it names none."""
        return _rounds(self.mechanism)

    def start(self, coins: Coins) -> tuple[First, tuple[Hashable, ...]]:
        """Start the mechanism, with nothing released."""
        return self.mechanism.start(coins), ()

    def step(
        self, state: tuple[First, tuple[Hashable, ...]], item: Input, coins: Coins
    ) -> Step[tuple[First, tuple[Hashable, ...]], OtherView, Hidden]:
        """Step the mechanism and map what it releases.

        Raises:
            InputError: The map's result is not hashable.
        """
        inner, released = state
        step = self.mechanism.step(inner, item, coins)
        require_step(step, "post_process")
        core = _core(step)
        latest = core if self.over in ("core", "cores") else cast("Hashable", step.view)
        if self.over in ("views", "cores"):
            released = (*released, latest)
            view = self.function(released)
        else:
            view = self.function(latest)
        require_value(view, "view", "post_process")
        declared = _Nothing() if core is None else core
        return Step((step.state, released), view, declared, step.interface)


def post_process(
    mechanism: Mechanism[First, Input, View, Hidden],
    function: Callable[[Any], OtherView],
    *,
    over: Release = "view",
) -> PostProcessed[First, Input, View, Hidden, OtherView]:
    """Show a function of what a mechanism releases instead of its views.

    The function sees releases only: no inputs, no hidden state, no coins. It must be a function in
    the mathematical sense (no clock, no random numbers); the enumerator refuses what it notices.
    What the mechanism released before stays declared as the core, so that Checklist 1 (5) can be
    decided; the core itself is not seen by the adversary.

    Args:
        mechanism: What to post-process.
        function: From the release to the new view, which must be hashable.
        over: What the function is given: this round's "view" or "core" (the view if no core is
            declared), or the tuple of all "views" or "cores" so far. The tuple is kept in the
            state, so it grows with the rounds.

    Raises:
        InputError: An argument is not of its kind.

    Example:
        >>> from powercert.mechanisms import FiniteLaw, TableMechanism, open_run
        >>> copy = [["*", "s", x, x, "s", 1] for x in (0, 1)]
        >>> table = TableMechanism(3, (0, 1), (0, 1), ["s"], {"s": 1}, copy)
        >>> run = open_run(post_process(table, sum, over="views"))
        >>> [run.feed(item) for item in (1, 0, 1)]
        [1, 1, 2]

    Source: Checklist 1 (5) and Fact A.4 of the buffering-recipe paper (data processing).
    """
    return PostProcessed(mechanism, function, over)


class TruncatedState(NamedTuple):
    """Rounds so far, and the mechanism's hidden state (None once the horizon is reached)."""

    done: int
    inner: Hashable


@dataclass(frozen=True)
class Truncated(Generic[First, Input, View, Hidden]):
    """A mechanism that halts at a horizon; see ``truncate``."""

    mechanism: Mechanism[First, Input, View, Hidden]
    rounds: int

    def __post_init__(self) -> None:
        """Check every field."""
        _require_mechanism(self.mechanism, "truncate")
        require_count(self.rounds, "horizon", 1)
        known = _rounds(self.mechanism)
        if known is not None and known < self.rounds:
            raise InputError(
                "the mechanism has fewer rounds",
                where="truncate: horizon",
                found=str(self.rounds),
                expected=f"at most {known}",
            )

    def start(self, coins: Coins) -> TruncatedState:
        """Start the mechanism."""
        return TruncatedState(0, self.mechanism.start(coins))

    def step(
        self, state: TruncatedState, item: Input, coins: Coins
    ) -> Step[TruncatedState, View, Hidden]:
        """Step the mechanism, up to the horizon.

        Raises:
            InputError: The horizon is past.
        """
        if state.done == self.rounds:
            raise InputError(
                "the horizon is past: the mechanism has halted",
                where=f"round {self.rounds + 1}",
                found=f"a mechanism truncated to {self.rounds} rounds",
            )
        step = self.mechanism.step(cast("First", state.inner), item, coins)
        require_step(step, "truncate")
        done = state.done + 1
        # What the mechanism would go on with is never read again: states at the end are one.
        inner = None if done == self.rounds else cast("Hashable", step.state)
        return cast(
            "Step[TruncatedState, View, Hidden]",
            replace(step, state=cast("First", TruncatedState(done, inner))),
        )


def truncate(
    mechanism: Mechanism[First, Input, View, Hidden], horizon: int
) -> Truncated[First, Input, View, Hidden]:
    """Halt a mechanism after a number of rounds.

    Every round up to the horizon is as before, so what holds for the mechanism's first ``horizon``
    rounds holds here. Feeding more is an error, also to a production run; the audit reads
    ``rounds`` and refuses a larger horizon.

    Args:
        mechanism: What to truncate.
        horizon: Number of rounds >= 1, not above the mechanism's own.

    Raises:
        InputError: An argument is not of its kind, or the mechanism has fewer rounds.

    Example:
        >>> from powercert.mechanisms import FiniteLaw, TableMechanism, open_run
        >>> copy = [["*", "s", x, x, "s", 1] for x in "01"]
        >>> run = open_run(truncate(TableMechanism(9, "01", "01", ["s"], {"s": 1}, copy), 1))
        >>> run.feed("0")
        '0'
        >>> run.feed("0")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: round 2: the horizon is past: the mechanism has \
halted; found a mechanism truncated to 1 rounds

    Source: Appendix F of the buffering-recipe paper (a mechanism truncated to T steps).
    """
    return Truncated(mechanism, horizon)
