"""Condition 5, post-processing only: the views are a function of the core releases so far."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import cast

from ...accounting.errors import LimitError
from ..compiled import CompiledMachine, Row
from ..limits import Clock
from .streams import StreamGraph

__all__ = ["Ambiguity", "ambiguous_view"]

# (node of the streams, class of the hidden state): where a run may be after given cores.
_Place = tuple[int, int]


@dataclass(frozen=True)
class Ambiguity:
    """One history of cores after which two views are possible.

    Args:
        cores: The core releases up to and with the round of the views.
        views: Two views of that round.
        inputs: Inputs under which each of them occurs.
    """

    cores: tuple[Hashable, ...]
    views: tuple[Hashable, Hashable]
    inputs: tuple[tuple[Hashable, ...], tuple[Hashable, ...]]


@dataclass
class _Runs:
    """All runs with the same history of cores, merged on where they are."""

    cores: tuple[Hashable, ...]
    places: dict[_Place, tuple[Hashable, ...]]


def ambiguous_view(
    machine: CompiledMachine, streams: StreamGraph, clock: Clock
) -> Ambiguity | None:
    """Find a history of cores that does not settle the view, or None if every one does.

    Guarantee: exact, over all legal streams up to the horizon: None means that one function maps
    the cores so far to the view, in every run.

    Args:
        machine: The machine that shows (core, view).
        streams: The legal streams.
        clock: Limits.

    Raises:
        LimitError: There are more sets of runs than ``limits.nodes``, or the time is over.

    Source: Checklist 1 (5) of the buffering-recipe paper.
    """
    first = {(streams.start, state): () for state, _ in machine.initial}
    layer: dict[frozenset[_Place], _Runs] = {frozenset(first): _Runs((), dict(first))}
    count = 0
    for depth in range(streams.horizon):
        following: dict[frozenset[_Place], _Runs] = {}
        for runs in layer.values():
            found = _round(machine, streams, depth, runs, following)
            if found is not None:
                return found
            count += 1
            clock.report("reading the views off the cores", count)
            if count + len(following) > clock.limits.nodes:
                raise LimitError(
                    f"more than {clock.limits.nodes} sets of runs with equal cores",
                    where="Checklist 1, condition 5",
                    expected="raise --limit-nodes",
                )
            if clock.expired:
                raise LimitError(
                    "time limit reached",
                    where="Checklist 1, condition 5",
                    expected="raise --limit-seconds",
                )
        layer = following
    return None


def _round(
    machine: CompiledMachine,
    streams: StreamGraph,
    depth: int,
    runs: _Runs,
    following: dict[frozenset[_Place], _Runs],
) -> Ambiguity | None:
    """Continue all runs of one history by one round, sorted by the core they release."""
    rows: Mapping[tuple[int, Hashable], Row] = machine.rows[depth]
    views: dict[Hashable, tuple[Hashable, tuple[Hashable, ...]]] = {}
    targets: dict[Hashable, dict[_Place, tuple[Hashable, ...]]] = {}
    for (node, state), inputs in runs.places.items():
        for item, target in streams.moves[depth][node]:
            longer = (*inputs, item)
            for shown, after, _ in rows[state, item]:
                core, view = cast("tuple[Hashable, Hashable]", machine.views[shown])
                known = views.setdefault(core, (view, longer))
                if known[0] != view:
                    return Ambiguity((*runs.cores, core), (known[0], view), (known[1], longer))
                targets.setdefault(core, {}).setdefault((target, after), longer)
    for core, places in targets.items():
        following.setdefault(frozenset(places), _Runs((*runs.cores, core), places))
    return None
