"""The enumerator: the exact laws of a mechanism's steps, for the solver and for users."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Generic, TypeVar

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .coins import DEFAULT_LIMIT_DRAWS, DEFAULT_LIMIT_LEAVES, Coins, enumerate_outcomes
from .mechanism import Mechanism, Step, require_step
from .values import canonical, describe, mutation_guard, require_value, same_kind, show

__all__ = ["ExactMachine"]

State = TypeVar("State", bound=Hashable)
Input = TypeVar("Input", bound=Hashable)
View = TypeVar("View", bound=Hashable)
Interface = TypeVar("Interface", bound=Hashable)
Copied = TypeVar("Copied")


class ExactMachine(Generic[State, Input, View, Interface]):
    """A mechanism read by the enumerator: start and steps as exact laws.

    Guarantee: if the mechanism draws only from its coins and keeps all memory in its state, the
    laws are exact. Breaches that can be noticed (a changed state, a different second run) are
    refused.

    Steps are enumerated once per (state, input) and kept. Equal views, states and inputs must be of
    one type throughout (1 and True do not merge silently).

    Args:
        mechanism: What to enumerate.
        limit_leaves: Most sequences of outcomes within one step.
        limit_draws: Most draws in one run of a step.

    Example:
        >>> from powercert.mechanisms import TableMechanism
        >>> rows = [["*", "s", "0", "a", "s", "2/3"], ["*", "s", "0", "b", "s", "1/3"]]
        >>> machine = ExactMachine(TableMechanism(1, ["0"], ["a", "b"], ["s"], {"s": 1}, rows))
        >>> machine.initial()
        (('s', Exact('1')),)
        >>> machine.transitions("s", "0")
        (('a', 's', Exact('2/3')), ('b', 's', Exact('1/3')))
    """

    def __init__(
        self,
        mechanism: Mechanism[State, Input, View, Interface],
        *,
        limit_leaves: int = DEFAULT_LIMIT_LEAVES,
        limit_draws: int = DEFAULT_LIMIT_DRAWS,
    ) -> None:
        """Start with nothing enumerated."""
        self._mechanism = mechanism
        self._pristine = _copied(mechanism)
        self._limit_leaves = limit_leaves
        self._limit_draws = limit_draws
        self._states: dict[State, State] = {}
        self._inputs: dict[Input, Input] = {}
        self._views: dict[View, View] = {}
        self._initial: tuple[tuple[State, Exact], ...] | None = None
        self._steps: dict[
            tuple[State, Input], tuple[tuple[Step[State, View, Interface], Exact], ...]
        ] = {}
        self._transitions: dict[
            tuple[State, Input],
            tuple[State, Input, tuple[tuple[View, State, Exact], ...]],
        ] = {}

    @property
    def mechanism(self) -> Mechanism[State, Input, View, Interface]:
        """The mechanism enumerated."""
        return self._mechanism

    @property
    def declares_core(self) -> bool:
        """Whether a step enumerated so far declared a core release of its own."""
        return any(step.core is not None for found in self._steps.values() for step, _ in found)

    @property
    def declares_core_throughout(self) -> bool:
        """Whether every step enumerated so far did."""
        return all(step.core is not None for found in self._steps.values() for step, _ in found)

    def initial(self) -> tuple[tuple[State, Exact], ...]:
        """Return the law of the starting state: (state, weight), weights above 0, summing to 1.

        Raises:
            InputError: ``start`` failed or broke a rule; the error says which.
        """
        if self._initial is None:
            where = "start"
            found = enumerate_outcomes(
                self._mechanism.start,
                limit_leaves=self._limit_leaves,
                limit_draws=self._limit_draws,
                where=where,
                check=lambda state: require_value(state, "state", where),
            )
            _require_whole([weight for _, weight in found], where)
            self._initial = tuple(
                (canonical(self._states, state, "state", where), weight) for state, weight in found
            )
        return self._initial

    def transitions(self, state: State, item: Input) -> tuple[tuple[View, State, Exact], ...]:
        """Return the law of (view, next state) after an input, equal pairs merged.

        Args:
            state: A state of the mechanism.
            item: The input.

        Returns:
            (view, next state, weight), weights above 0, summing to exactly 1.

        Raises:
            InputError: The step failed, returned no Step, changed its state, was not a function of
                its coins, or returned values that are not hashable or mix types; the error names
                state and input and chains the original exception.
            LimitError: The step has too many outcomes or draws.
        """
        try:
            known = self._transitions.get((state, item))
        except TypeError:
            known = None
        if known is not None and (
            (known[0] is state or same_kind(known[0], state))
            and (known[1] is item or same_kind(known[1], item))
        ):
            return known[2]
        merged: dict[tuple[View, State], Exact] = {}
        for step, weight in self.steps(state, item):
            key = (step.view, step.state)
            merged[key] = merged[key] + weight if key in merged else weight
        found = tuple((view, after, weight) for (view, after), weight in merged.items())
        self._transitions[state, item] = (self._states[state], self._inputs[item], found)
        return found

    def steps(
        self, state: State, item: Input
    ) -> tuple[tuple[Step[State, View, Interface], Exact], ...]:
        """Return the law of the whole Step (core and interface too), equal steps merged.

        Raises:
            InputError: As ``transitions``.
            LimitError: As ``transitions``.
        """
        where = f"state {show(state)}, input {show(item)}"
        state = canonical(self._states, state, "state", where)
        item = canonical(self._inputs, item, "input", where)
        known = self._steps.get((state, item))
        if known is None:
            known = self._enumerate(state, item, where)
            self._steps[state, item] = known
        return known

    def check_memory(self, most: int = 64) -> None:
        """Check that a fresh copy of the mechanism takes the last steps alike, in reverse order.

        It catches memory kept outside the state, in the mechanism itself: such a machine's steps
        depend on the steps before. Mechanisms that cannot be copied, and those of this library,
        are not looked at; memory in a class or a module is not seen.

        Args:
            most: Number of steps compared.

        Raises:
            InputError: A step of the copy has another law; the error names state and input.
        """
        if self._pristine is None:
            return
        copied = ExactMachine(
            self._pristine, limit_leaves=self._limit_leaves, limit_draws=self._limit_draws
        )
        self._pristine = None
        for (state, item), found in list(self._steps.items())[: -most - 1 : -1]:
            if dict(copied.steps(state, item)) != dict(found):
                raise InputError(
                    "the mechanism remembers earlier steps outside of its state",
                    where=f"state {show(state)}, input {show(item)}",
                    found="another law from a fresh copy of the mechanism",
                    expected="keep all memory in the state that step returns",
                )

    def _enumerate(
        self, state: State, item: Input, where: str
    ) -> tuple[tuple[Step[State, View, Interface], Exact], ...]:
        step_of = self._mechanism.step

        def body(coins: Coins) -> Step[State, View, Interface]:
            step = step_of(state, item, coins)
            if type(step) is not Step:
                require_step(step)
            return step

        def check(step: Step[State, View, Interface]) -> None:
            for what in ("state", "view", "core", "interface"):
                require_value(getattr(step, what), what, where)

        guards = ("state", state, mutation_guard(state)), ("input", item, mutation_guard(item))
        try:
            found = enumerate_outcomes(
                body,
                limit_leaves=self._limit_leaves,
                limit_draws=self._limit_draws,
                where=where,
                check=check,
            )
        finally:
            # First, because a changed state also makes the second run differ from the first.
            for what, value, unchanged in guards:
                if not unchanged():
                    raise InputError(
                        f"the step changed its {what} in place",
                        where=where,
                        found=describe(value),
                        expected=f"return a new value; each {what} must stay what it is",
                    )
        _require_whole([weight for _, weight in found], where)
        return tuple((self._interned(step, where), weight) for step, weight in found)

    def _interned(
        self, step: Step[State, View, Interface], where: str
    ) -> Step[State, View, Interface]:
        after = canonical(self._states, step.state, "state", where)
        view = canonical(self._views, step.view, "view", where)
        return Step(after, view, step.core, step.interface)


def _require_whole(weights: list[Exact], where: str) -> None:
    """Check that the weights of all outcomes sum to exactly 1."""
    total = exact_number(0)
    for weight in weights:
        total = total + weight
    if total != 1:
        raise InputError(f"probabilities sum to {total}, not 1", where=where)


def _copied(mechanism: Copied) -> Copied | None:
    """Return a copy of a user's mechanism that has taken no step, or None if there is none."""
    if type(mechanism).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return None
    try:
        return copy.deepcopy(mechanism)
    except (copy.Error, TypeError, ValueError, AttributeError, NotImplementedError, RecursionError):
        return None
