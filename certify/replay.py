"""Play a finished strategy against the mechanism again, exactly, apart from the solver.

The replay reads the mechanism's own laws over its own states, checks every pair it feeds against
the relation itself, and adds up the exact probability of the event in both worlds. A witness is
printed only if this agrees with what the solver said.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..accounting.errors import PowercertError
from ..accounting.numbers import Exact
from ..mechanisms.neighbours import Relation
from .compiled import Ring, Transitions
from .curve import Mass
from .policy import Key, Policy

__all__ = ["replayed"]

_Masses = dict[Hashable, Mass]
_Place = tuple[Key, frozenset[Hashable]]


def replayed(
    machine: Transitions,
    relation: Relation,
    horizon: int,
    policy: Policy,
    *,
    ring: Ring,
    denominators: Sequence[Mass],
    view_numbers: dict[Hashable, int],
) -> tuple[Exact, Exact]:
    """Return (P0(S), P1(S)) of the policy's event.

    Args:
        machine: The exact law of the mechanism.
        relation: The neighbouring relation, checked pair by pair.
        horizon: Number of rounds.
        policy: The adversary.
        ring: Ring of the weights.
        denominators: A common denominator of all weights of each round.
        view_numbers: The number under which the policy knows each view.

    Raises:
        PowercertError: The policy feeds a pair that is not neighbouring (a fault of powercert).
    """
    first = machine.initial()
    base = ring.common_denominator(weight for _, weight in first)
    laws: tuple[_Masses, _Masses] = ({}, {})
    for law in laws:
        for state, weight in first:
            law[state] = ring.whole(weight, base)
    places: dict[_Place, tuple[_Masses, _Masses]] = {
        (policy.start(), frozenset([relation.start])): laws
    }
    total = base
    for index in range(horizon):
        denominator = denominators[index]
        total = total * denominator
        rows: dict[tuple[Hashable, Hashable], list[tuple[int, Hashable, Mass]]] = {}
        following: dict[_Place, tuple[_Masses, _Masses]] = {}
        for (key, positions), worlds in places.items():
            arc = policy.move(index, key)
            targets = frozenset(
                target
                for position in positions
                for input0, input1, target in relation.pairs(position)
                if input0 == arc.input0 and input1 == arc.input1
            )
            if not targets:
                raise PowercertError(
                    "internal check failed: the witness feeds a pair that is not neighbouring",
                    where=f"round {index + 1}",
                    found=f"({arc.input0!r}, {arc.input1!r})",
                    expected="report this as a fault of powercert",
                )
            for world, item in enumerate((arc.input0, arc.input1)):
                for state, mass in worlds[world].items():
                    row = rows.get((state, item))
                    if row is None:
                        row = rows[state, item] = [
                            (view_numbers[view], after, ring.whole(weight, denominator))
                            for view, after, weight in machine.transitions(state, item)
                        ]
                    for view, after, factor in row:
                        place = (policy.after(index, key, view), targets)
                        masses = following.setdefault(place, ({}, {}))[world]
                        share = mass * factor
                        masses[after] = masses[after] + share if after in masses else share
        places = following
    event: list[Mass] = [0, 0]
    for (key, positions), worlds in places.items():
        if not any(relation.accepts(position) for position in positions):
            raise PowercertError(
                "internal check failed: the witness ends in a pair that is not neighbouring",
                expected="report this as a fault of powercert",
            )
        if policy.accepts(key):
            for world in (0, 1):
                for mass in worlds[world].values():
                    event[world] = event[world] + mass
    return ring.number(event[0], total), ring.number(event[1], total)
