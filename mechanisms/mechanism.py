"""The mechanism protocol, and production runs that never redraw what was drawn."""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar, cast

from ..accounting.errors import InputError
from .coins import Coins, RandomBits, SamplerCoins, SeededBits
from .fingerprint import Fingerprint, differing_field, fingerprint
from .values import describe

__all__ = ["Mechanism", "Run", "RunSnapshot", "Step", "open_run", "require_step"]

State = TypeVar("State", bound=Hashable)
State_co = TypeVar("State_co", bound=Hashable, covariant=True)
Input = TypeVar("Input", bound=Hashable)
Input_contra = TypeVar("Input_contra", bound=Hashable, contravariant=True)
View_co = TypeVar("View_co", bound=Hashable, covariant=True)
Interface_co = TypeVar("Interface_co", bound=Hashable, covariant=True)
# A static method of a generic class needs variables of its own.
OfState = TypeVar("OfState", bound=Hashable)
OfInput = TypeVar("OfInput", bound=Hashable)
OfView = TypeVar("OfView", bound=Hashable)
OfInterface = TypeVar("OfInterface", bound=Hashable)


@dataclass(frozen=True)
class Step(Generic[State_co, View_co, Interface_co]):
    """What one step of a mechanism gives.

    Args:
        state: The next hidden state; immutable and hashable.
        view: What the adversary sees.
        core: The certified core release when the view is a function of the cores so far; None
            means that the core is the view itself.
        interface: The hidden output that goes to the next mechanism of a modular composition.

    Example:
        >>> Step(state=0, view="yes")
        Step(state=0, view='yes', core=None, interface=None)
    """

    state: State_co
    view: View_co
    core: Hashable = None
    interface: Interface_co | None = None


class Mechanism(Protocol[State, Input_contra, View_co, Interface_co]):
    """A mechanism written once, as a state machine that draws from laws.

    Every reader (sampler, enumerator, game solver) runs these two methods, so what is certified is
    what runs. All randomness comes from ``coins``; all memory is in the state. A machine that
    changes over time carries its round in the state.

    Source: Definitions B.1-B.3 of the buffering-recipe paper (interactive mechanism with hidden
        output).
    """

    def start(self, coins: Coins) -> State:
        """Return the state before the first input."""
        ...

    def step(
        self, state: State, item: Input_contra, coins: Coins
    ) -> Step[State, View_co, Interface_co]:
        """Consume one input: return the next state and what the adversary sees."""
        ...


def require_step(result: object, where: str = "") -> None:
    """Check that a mechanism's step returned a Step.

    Raises:
        InputError: It returned something else; the error names the type.

    Example:
        >>> require_step(("s", "view"))
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: a step did not return a Step; \
found ('s', 'view') (tuple); return Step(state, view)
    """
    if not isinstance(result, Step):
        raise InputError(
            "a step did not return a Step",
            where=where,
            found=describe(result),
            expected="return Step(state, view)",
        )


@dataclass(frozen=True)
class RunSnapshot:
    """A picklable, opaque record of a run: hidden state (with the noise spent) and counts.

    It holds secrets: whoever reads it knows the hidden state.
    """

    mechanism: str
    rounds: int
    draws: int
    seeds: tuple[int, ...]
    payload: bytes
    parameters: Fingerprint = ()

    def __repr__(self) -> str:
        """Show the counts, never the hidden state."""
        return f"RunSnapshot({self.mechanism}, rounds={self.rounds}, draws={self.draws})"


def _name(mechanism: object) -> str:
    kind = type(mechanism)
    return f"{kind.__module__}.{kind.__qualname__}"


class Run(Generic[State, Input, View_co, Interface_co]):
    """A mechanism running for real: feed inputs, release views, snapshot and restore.

    Noise that was drawn is in the state and is never drawn again: a restored run draws only what
    comes after its snapshot. So take the snapshot after each ``feed`` and store it *before* the
    view leaves; restoring one that is older than the last view released would answer again with
    new noise, which no software can undo. A step that fails after it drew closes the run, since
    running it again would redraw.

    Example:
        >>> from powercert.mechanisms import FiniteLaw, SeededBits, TableMechanism
        >>> table = TableMechanism(1, ["0"], ["a"], ["s"], {"s": 1}, [["*", "s", "0", "a", "s", 1]])
        >>> run = open_run(table)
        >>> run.feed("0")
        'a'
        >>> run.snapshot()
        RunSnapshot(powercert.mechanisms.table.TableMechanism, rounds=1, draws=2)
    """

    def __init__(
        self,
        mechanism: Mechanism[State, Input, View_co, Interface_co],
        state: State,
        coins: SamplerCoins,
        *,
        rounds: int = 0,
        draws_before: int = 0,
        seeds: tuple[int, ...] = (),
    ) -> None:
        """Hold a started machine; use ``open_run`` or ``Run.restore``."""
        self._mechanism = mechanism
        self._state = state
        self._coins = coins
        self._rounds = rounds
        self._draws_before = draws_before
        self._seeds = seeds
        self._interface: Interface_co | None = None
        self._closed = False

    @cached_property
    def _parameters(self) -> Fingerprint:
        return fingerprint(self._mechanism)

    @property
    def rounds(self) -> int:
        """How many inputs were consumed."""
        return self._rounds

    @property
    def draws(self) -> int:
        """How many draws were made, those before a restore included."""
        return self._draws_before + self._coins.draws

    @property
    def interface(self) -> Interface_co | None:
        """The hidden output of the last step, for the next mechanism of a composition."""
        return self._interface

    def feed(self, item: Input) -> View_co:
        """Consume one input and return the view to release.

        Raises:
            InputError: The run is closed, or the step returned no Step; whatever the mechanism
                raises itself passes through.
        """
        if self._closed:
            raise InputError(
                "this run is closed: a step failed after it had drawn",
                where=f"round {self._rounds + 1}",
                expected="a new attempt would draw that noise again; start a new run",
            )
        before = self._coins.draws
        try:
            step = self._mechanism.step(self._state, item, self._coins)
            require_step(step, f"round {self._rounds + 1}")
        except BaseException:
            self._closed = self._coins.draws > before
            raise
        self._state = step.state
        self._interface = step.interface
        self._rounds += 1
        return step.view

    def snapshot(self) -> RunSnapshot:
        """Return the state and the draws spent so far, for ``restore``.

        Raises:
            InputError: The run is closed, or the state cannot be pickled.
        """
        if self._closed:
            raise InputError("this run is closed: a step failed after it had drawn")
        try:
            payload = pickle.dumps(self._state)
        except Exception as error:
            raise InputError(
                "the state cannot be pickled",
                found=f"{type(self._state).__name__}: {error}",
                expected="use plain values or a dataclass defined at the top of a module",
            ) from error
        return RunSnapshot(
            _name(self._mechanism),
            self._rounds,
            self.draws,
            self._seeds,
            payload,
            self._parameters,
        )

    @staticmethod
    def restore(
        mechanism: Mechanism[OfState, OfInput, OfView, OfInterface],
        snapshot: RunSnapshot,
        entropy: RandomBits | None = None,
    ) -> Run[OfState, OfInput, OfView, OfInterface]:
        """Continue a run from its snapshot; only draws after the snapshot are new.

        Args:
            mechanism: The mechanism of the run, with the same parameters.
            snapshot: From ``snapshot()``; it is unpickled, so it must come from a trusted place.
            entropy: Bits for the draws to come; the operating system's by default.

        Raises:
            InputError: The snapshot is of another kind of mechanism or of one with other
                parameters (see ``mechanisms.fingerprint``), it is no snapshot, or ``entropy`` is no
                source of bits, or the seed whose bits the run has already spent.

        Example:
            >>> from powercert.mechanisms import FiniteLaw, TableMechanism
            >>> table = TableMechanism(
            ...     2, ["0"], ["a"], ["s"], {"s": 1}, [["*", "s", "0", "a", "s", 1]])
            >>> run = open_run(table)
            >>> view = run.feed("0")
            >>> Run.restore(table, run.snapshot()).rounds
            1
        """
        _require_mechanism(mechanism)
        _require_entropy(entropy)
        if not isinstance(cast("object", snapshot), RunSnapshot):
            raise InputError(
                "not a snapshot", found=describe(snapshot), expected="give what snapshot() returned"
            )
        if snapshot.mechanism != _name(mechanism):
            raise InputError(
                "the snapshot is of another mechanism",
                found=snapshot.mechanism,
                expected=f"restore it with that mechanism, not {_name(mechanism)}",
            )
        changed = differing_field(snapshot.parameters, fingerprint(mechanism))
        if changed and snapshot.parameters:
            raise InputError(
                "the snapshot is of a mechanism with other parameters",
                where=changed.lstrip("_"),
                found=_shown(getattr(mechanism, changed, None)),
                expected="restore it with the parameters of the run; other noise would break what "
                "was promised",
            )
        seeds = _seeds_of(entropy)
        if set(seeds) & set(snapshot.seeds):
            raise InputError(
                "this seed's bits are already spent in the run",
                found=f"seed {seeds[0]}",
                expected="give another seed, or none",
            )
        return Run(
            mechanism,
            cast("OfState", pickle.loads(snapshot.payload)),
            SamplerCoins(entropy),
            rounds=snapshot.rounds,
            draws_before=snapshot.draws,
            seeds=snapshot.seeds + seeds,
        )


def _shown(parameter: object) -> str:
    """Describe a parameter; its type alone where it cannot be written (a number of many digits)."""
    try:
        return describe(parameter)
    except ValueError:
        return f"another {type(parameter).__name__}"


def _require_mechanism(mechanism: object) -> None:
    steps = getattr(mechanism, "start", None), getattr(mechanism, "step", None)
    if isinstance(mechanism, type) or not all(map(callable, steps)):
        raise InputError(
            "not a mechanism",
            found=describe(mechanism),
            expected="give an object with start(coins) and step(state, item, coins)",
        )


def _require_entropy(entropy: object) -> None:
    if isinstance(entropy, type) or (
        entropy is not None and not callable(getattr(entropy, "bits", None))
    ):
        raise InputError(
            "not a source of random bits",
            where="entropy",
            found=describe(entropy),
            expected="leave it out for the operating system's, or give SeededBits(seed) in tests",
        )


def _seeds_of(entropy: RandomBits | None) -> tuple[int, ...]:
    return (entropy.seed,) if isinstance(entropy, SeededBits) else ()


def open_run(
    mechanism: Mechanism[State, Input, View_co, Interface_co],
    entropy: RandomBits | None = None,
) -> Run[State, Input, View_co, Interface_co]:
    """Start a production run of a mechanism.

    Args:
        mechanism: What to run.
        entropy: The operating system's bits by default; ``SeededBits`` only for tests and
            simulation.

    Raises:
        InputError: ``mechanism`` is no mechanism (a class, say), or ``entropy`` no source of bits.

    Example:
        >>> from powercert.mechanisms import SeededBits, TableMechanism
        >>> table = TableMechanism(1, ["0"], ["a"], ["s"], {"s": 1}, [["*", "s", "0", "a", "s", 1]])
        >>> open_run(table, SeededBits(1)).feed("0")
        'a'
    """
    _require_mechanism(mechanism)
    _require_entropy(entropy)
    coins = SamplerCoins(entropy)
    return Run(mechanism, mechanism.start(coins), coins, seeds=_seeds_of(entropy))
