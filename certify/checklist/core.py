"""The certified core of a mechanism, as a machine of its own.

Checklist 1 speaks of core releases: a step's ``core``, or its view where no core is declared. The
machines here relabel the views of the enumerator, so that the walks of the game apply unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ...accounting.numbers import Exact
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.mechanism import Step

__all__ = ["RelabelledMachine", "core_machine", "joined_machine"]

Label = Callable[[Step[Hashable, Hashable, Hashable]], Hashable]


class RelabelledMachine:
    """A mechanism whose steps show something else than their views.

    Args:
        machine: The enumerator of the mechanism.
        label: What a step shows.
    """

    def __init__(self, machine: ExactMachine[Any, Any, Any, Any], label: Label) -> None:
        """Read the machine's steps through a label."""
        self._machine = machine
        self._label = label

    def initial(self) -> tuple[tuple[Hashable, Exact], ...]:
        """Return the law of the first state."""
        return self._machine.initial()

    def transitions(
        self, state: Hashable, item: Hashable
    ) -> tuple[tuple[Hashable, Hashable, Exact], ...]:
        """Return (shown, next state, weight) of one step, equal pairs merged."""
        merged: dict[tuple[Hashable, Hashable], Exact] = {}
        for step, weight in self._machine.steps(state, item):
            key = self._label(step), step.state
            merged[key] = merged[key] + weight if key in merged else weight
        return tuple((shown, after, weight) for (shown, after), weight in merged.items())


def _core(step: Step[Hashable, Hashable, Hashable]) -> Hashable:
    return step.view if step.core is None else step.core


def core_machine(machine: ExactMachine[Any, Any, Any, Any]) -> RelabelledMachine:
    """Return the machine that shows its core releases."""
    return RelabelledMachine(machine, _core)


def joined_machine(machine: ExactMachine[Any, Any, Any, Any]) -> RelabelledMachine:
    """Return the machine that shows (core release, view)."""
    return RelabelledMachine(machine, lambda step: (_core(step), step.view))
