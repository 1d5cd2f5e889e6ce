"""From a policy to what a report lists: histories with their pairs, and the event's transcripts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from .compiled import CompiledMachine
from .policy import Key, Policy

__all__ = ["Transcripts", "listed"]

_Support = frozenset[int]
_Spot = tuple[Key, _Support, _Support]
_MOST_SPOTS = 200_000


@dataclass(frozen=True)
class Transcripts:
    """The beginning of a strategy and of its event, with their whole sizes.

    A size is None where counting it would take more than the listing is worth.
    """

    strategy: tuple[tuple[tuple[Hashable, ...], tuple[Hashable, Hashable]], ...]
    strategy_size: int | None
    event: tuple[tuple[Hashable, ...], ...]
    event_size: int | None

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return self.strategy_size != len(self.strategy) or self.event_size != len(self.event)


class _Walk:
    """Successors of (memory, possible hidden states of either world)."""

    def __init__(self, machine: CompiledMachine, policy: Policy) -> None:
        self.machine = machine
        self.policy = policy
        self._seen: dict[tuple[int, _Spot], dict[int, _Spot]] = {}

    def start(self) -> _Spot:
        support = frozenset(state for state, _ in self.machine.initial)
        return self.policy.start(), support, support

    def successors(self, index: int, spot: _Spot) -> dict[int, _Spot]:
        known = self._seen.get((index, spot))
        if known is not None:
            return known
        key, support0, support1 = spot
        arc = self.policy.move(index, key)
        after0 = self._supports(index, support0, arc.input0)
        after1 = self._supports(index, support1, arc.input1)
        empty: _Support = frozenset()
        result = {
            view: (
                self.policy.after(index, key, view),
                after0.get(view, empty),
                after1.get(view, empty),
            )
            for view in dict.fromkeys((*after0, *after1))
        }
        self._seen[index, spot] = result
        return result

    def _supports(self, index: int, support: _Support, item: Hashable) -> dict[int, _Support]:
        after: dict[int, set[int]] = {}
        for state in sorted(support):
            for view, target, _ in self.machine.rows[index][state, item]:
                after.setdefault(view, set()).add(target)
        return {view: frozenset(states) for view, states in after.items()}


def listed(machine: CompiledMachine, policy: Policy, horizon: int, most: int) -> Transcripts:
    """List the first ``most`` histories of a strategy (breadth first) and of its event."""
    walk = _Walk(machine, policy)
    counts, layers = _counted(walk, horizon)
    useful = _useful(walk, layers) if layers is not None else None
    strategy = _first_histories(walk, horizon, most)
    event = _first_accepted(walk, horizon, most, useful)
    if counts is None:
        return Transcripts(strategy, None, event, None)
    return Transcripts(strategy, counts[0], event, counts[1])


def _counted(
    walk: _Walk, horizon: int
) -> tuple[tuple[int, int] | None, list[dict[_Spot, int]] | None]:
    """Count histories before the end, and accepted transcripts, by merging equal spots."""
    layer: dict[_Spot, int] = {walk.start(): 1}
    layers = [layer]
    histories = 0
    for index in range(horizon):
        histories += sum(layer.values())
        following: dict[_Spot, int] = {}
        for spot, count in layer.items():
            for target in walk.successors(index, spot).values():
                following[target] = following.get(target, 0) + count
        if len(following) > _MOST_SPOTS:
            return None, None
        layer = following
        layers.append(layer)
    accepted = sum(count for spot, count in layer.items() if walk.policy.accepts(spot[0]))
    return (histories, accepted), layers


def _useful(walk: _Walk, layers: list[dict[_Spot, int]]) -> list[set[_Spot]]:
    """Return, per round, the spots from which an accepted transcript can follow."""
    useful = [{spot for spot in layers[-1] if walk.policy.accepts(spot[0])}]
    for index in range(len(layers) - 2, -1, -1):
        useful.append(
            {
                spot
                for spot in layers[index]
                if any(target in useful[-1] for target in walk.successors(index, spot).values())
            }
        )
    useful.reverse()
    return useful


def _first_histories(
    walk: _Walk, horizon: int, most: int
) -> tuple[tuple[tuple[Hashable, ...], tuple[Hashable, Hashable]], ...]:
    found: list[tuple[tuple[Hashable, ...], tuple[Hashable, Hashable]]] = []
    layer: list[tuple[tuple[Hashable, ...], _Spot]] = [((), walk.start())]
    for index in range(horizon):
        following: list[tuple[tuple[Hashable, ...], _Spot]] = []
        for history, spot in layer:
            if len(found) >= most:
                return tuple(found)
            arc = walk.policy.move(index, spot[0])
            found.append((history, (arc.input0, arc.input1)))
            if len(following) < most:
                following += [
                    ((*history, walk.machine.views[view]), target)
                    for view, target in walk.successors(index, spot).items()
                ]
        layer = following
    return tuple(found)


def _first_accepted(
    walk: _Walk, horizon: int, most: int, useful: list[set[_Spot]] | None
) -> tuple[tuple[Hashable, ...], ...]:
    """Return accepted transcripts depth first, without entering branches that hold none."""
    found: list[tuple[Hashable, ...]] = []
    steps = 0
    stack: list[tuple[int, tuple[Hashable, ...], _Spot]] = [(0, (), walk.start())]
    while stack and len(found) < most and steps < _MOST_SPOTS:
        index, history, spot = stack.pop()
        steps += 1
        if useful is not None and spot not in useful[index]:
            continue
        if index == horizon:
            if walk.policy.accepts(spot[0]):
                found.append(history)
            continue
        stack += [
            (index + 1, (*history, walk.machine.views[view]), target)
            for view, target in reversed(walk.successors(index, spot).items())
        ]
    return tuple(found)
