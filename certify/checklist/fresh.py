"""Condition 2, fresh randomness: given the inputs, the core releases are independent.

Definition E.1 asks that round t draws from a seed of its own. Some mechanism with the same law does
so exactly when, for every input stream, the cores of all rounds are independent; that is what is
decided here, and all that the proof of Theorem E.4 uses. Where it holds, the law of a core depends
on the inputs alone, and the hidden state can be replaced by its law given the inputs: a *key*.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ...accounting.errors import LimitError
from ...accounting.numbers import Exact
from ..compiled import Belief, CompiledMachine, Ring, Row
from ..curve import Mass
from ..limits import Clock
from .streams import StreamGraph

__all__ = ["Dependence", "KeyEdge", "KeyGraph", "fresh_randomness"]

# Work on one law of the hidden state, against which elimination is measured.
_WORK_PER_NODE = 200

Vector = dict[int, Mass]
Law = tuple[tuple[int, Mass], ...]


@dataclass(frozen=True)
class Dependence:
    """A core release that tells about a later one although the inputs are fixed.

    Args:
        round: The round of the earlier core.
        inputs: The inputs up to the last round of the event.
        cores: Two cores of that round.
        event: The cores of the rounds after it, up to the last.
        probabilities: Of the event, given each of the two cores.
    """

    round: int
    inputs: tuple[Hashable, ...]
    cores: tuple[Hashable, Hashable]
    event: tuple[Hashable, ...]
    probabilities: tuple[Exact, Exact]


@dataclass(frozen=True)
class KeyEdge:
    """What an input does at a key: the number of the core release's law, and the next key."""

    law: int
    target: int


@dataclass(frozen=True)
class KeyGraph:
    """The laws of the core releases as a deterministic automaton on inputs.

    Args:
        ring: Where masses live.
        cores: The core releases by number.
        laws: The laws of core releases by number: (core, mass), primitive (no common factor), so
            different numbers are different laws.
        layers: ``layers[t][key]`` maps an input of round t + 1 to its edge.
        root: The key before round 1.
        carried: The shortest inputs after which a draw is still hidden in the state, or None.
    """

    ring: Ring
    cores: tuple[Hashable, ...]
    laws: tuple[Law, ...]
    layers: tuple[tuple[Mapping[Hashable, KeyEdge], ...], ...]
    root: int
    carried: tuple[Hashable, ...] | None

    @property
    def keys(self) -> int:
        """How many keys there are over all rounds."""
        return sum(map(len, self.layers))


@dataclass(frozen=True)
class _Origin:
    """Where a difference of two laws of the hidden state comes from."""

    depth: int
    belief: Belief
    item: Hashable
    core: int
    items: tuple[Hashable, ...] = ()
    event: tuple[int, ...] = ()


@dataclass
class _Span:
    """Vectors that matter at one node: kept if they are linearly independent of earlier ones."""

    ring: Ring
    rows: dict[int, Vector] = field(default_factory=dict[int, Vector])
    kept: list[tuple[Vector, _Origin]] = field(default_factory=list[tuple[Vector, _Origin]])
    seen: set[frozenset[tuple[int, Mass]]] = field(default_factory=set[frozenset[tuple[int, Mass]]])
    work: int = 0

    def add(self, vector: Vector, origin: _Origin) -> None:
        """Keep a vector unless it is a combination of those kept."""
        vector = _primitive(vector, self.ring)
        signature = frozenset(vector.items())
        if not vector or signature in self.seen:
            return
        self.seen.add(signature)
        rest = vector
        while rest:
            pivot = min(rest)
            row = self.rows.get(pivot)
            if row is None:
                self.rows[pivot] = rest
                self.kept.append((vector, origin))
                return
            self.work += len(rest) + len(row)
            rest = _eliminated(rest, row, pivot, self.ring)


def _eliminated(vector: Vector, row: Vector, pivot: int, ring: Ring) -> Vector:
    factor, other = row[pivot], vector[pivot]
    result = {index: mass * factor for index, mass in vector.items()}
    for index, mass in row.items():
        result[index] = result.get(index, 0) - mass * other
    return _primitive(result, ring)


def _primitive(vector: Vector, ring: Ring) -> Vector:
    """Drop zeros and divide by the greatest common divisor."""
    present = {index: mass for index, mass in vector.items() if mass}
    divisor = ring.gcd(present.values())
    if not present or divisor == 1:
        return present
    return {index: ring.quotient(mass, divisor) for index, mass in present.items()}


def fresh_randomness(
    machine: CompiledMachine, streams: StreamGraph, clock: Clock
) -> Dependence | KeyGraph:
    """Decide whether the cores are independent given the inputs.

    Guarantee: exact. A ``Dependence`` is a proof that they are not; a ``KeyGraph`` is returned only
    if they are, for every legal stream up to the horizon.

    Args:
        machine: The machine of the core releases.
        streams: The legal streams.
        clock: Limits.

    Raises:
        LimitError: There are more keys than ``limits.nodes``, or the time is over.

    Source: Definition E.1 of the buffering-recipe paper; equal futures by spans of differences
        after Tzeng (1992).
    """
    walk = _Walk(machine, streams, clock)
    for depth in range(streams.horizon):
        found = walk.advance(depth)
        if found is not None:
            return found
    return walk.keys()


class _Walk:
    """One pass over the rounds: keys forward, differences forward beside them."""

    def __init__(self, machine: CompiledMachine, streams: StreamGraph, clock: Clock) -> None:
        self._machine = machine
        self._streams = streams
        self._clock = clock
        first = machine.initial
        # Beliefs of a round to how they were first reached (belief before, input).
        self._parents: list[dict[Belief, tuple[Belief, Hashable] | None]] = [{first: None}]
        self._nodes: list[dict[tuple[int, Belief], None]] = [{(streams.start, first): None}]
        self._edges: list[dict[Belief, dict[Hashable, tuple[Law, Belief]]]] = []
        self._spans: dict[int, _Span] = {}
        self._count = 1

    def advance(self, depth: int) -> Dependence | None:
        """Walk one round, and return a dependence that shows in it."""
        found = self._propagated(depth)
        if found is not None:
            return found
        self._extend(depth)
        return None

    def _propagated(self, depth: int) -> Dependence | None:
        """Carry differences through this round; a total that is not 0 shows one."""
        spans: dict[int, _Span] = {}
        for node, span in self._spans.items():
            for vector, origin in span.kept:
                for item, target in self._streams.moves[depth][node]:
                    for core, image in _images(vector, self._machine.rows[depth], item).items():
                        longer = _Origin(
                            origin.depth,
                            origin.belief,
                            origin.item,
                            origin.core,
                            (*origin.items, item),
                            (*origin.event, core),
                        )
                        if _total(image):
                            return self._dependence(longer)
                        spans.setdefault(target, _Span(self._machine.ring)).add(image, longer)
                self._clock.report("comparing futures", depth, self._streams.horizon)
                self._check_limits(0, spans)
        self._spans = spans
        return None

    def _extend(self, depth: int) -> None:
        """Reach the keys of the next round, and note how cores change the hidden state's law."""
        ring = self._machine.ring
        rows = self._machine.rows[depth]
        edges: dict[Belief, dict[Hashable, tuple[Law, Belief]]] = {}
        parents: dict[Belief, tuple[Belief, Hashable] | None] = {}
        nodes: dict[tuple[int, Belief], None] = {}
        for node, belief in self._nodes[depth]:
            known = edges.setdefault(belief, {})
            for item, target in self._streams.moves[depth][node]:
                images = _images(dict(belief), rows, item)
                whole: Vector = {}
                for image in images.values():
                    for index, mass in image.items():
                        whole[index] = whole[index] + mass if index in whole else mass
                total = _total(whole)
                weights = {core: _total(image) for core, image in images.items()}
                if item not in known:
                    after = tuple(sorted(_primitive(whole, ring).items()))
                    law = tuple(sorted(_primitive(weights, ring).items()))
                    known[item] = law, after
                    parents.setdefault(after, (belief, item))
                after = known[item][1]
                nodes[target, after] = None
                span = self._spans.setdefault(target, _Span(ring))
                for core, image in images.items():
                    difference = {
                        index: image.get(index, 0) * total - mass * weights[core]
                        for index, mass in whole.items()
                    }
                    span.add(difference, _Origin(depth, belief, item, core))
            self._clock.report("following the laws of the hidden state", depth)
            self._check_limits(len(nodes), self._spans)
        self._edges.append(edges)
        self._parents.append(parents)
        self._nodes.append(nodes)
        self._count += len(nodes)

    def _check_limits(self, more: int, spans: Mapping[int, _Span]) -> None:
        limit = self._clock.limits.nodes
        work = sum(span.work for span in spans.values())
        if work > _WORK_PER_NODE * limit:
            raise LimitError(
                f"more than {_WORK_PER_NODE * limit} steps of elimination in one round",
                where="Checklist 1, condition 2",
                expected="raise --limit-nodes",
            )
        if self._count + more > limit:
            raise LimitError(
                f"more than {limit} laws of the hidden state",
                where="Checklist 1, condition 2",
                expected="raise --limit-nodes",
            )
        if self._clock.expired:
            raise LimitError(
                "time limit reached",
                where="Checklist 1, condition 2",
                expected="raise --limit-seconds",
            )

    def _prefix(self, depth: int, belief: Belief) -> tuple[Hashable, ...]:
        """Return the inputs by which a belief was first reached."""
        items: list[Hashable] = []
        while depth:
            step = self._parents[depth][belief]
            assert step is not None
            belief, item = step
            items.append(item)
            depth -= 1
        return tuple(reversed(items))

    def _dependence(self, origin: _Origin) -> Dependence:
        """Compute what the event's probability is after each core of the earlier round."""
        machine, depth = self._machine, origin.depth
        images = _images(dict(origin.belief), machine.rows[depth], origin.item)
        chances: dict[int, Exact] = {}
        for core, image in images.items():
            before = _total(image) * _scale(machine, depth + 1, len(origin.items))
            vector = image
            for offset, (item, shown) in enumerate(zip(origin.items, origin.event, strict=True)):
                rows = machine.rows[depth + 1 + offset]
                vector = _images(vector, rows, item).get(shown, {})
            chances[core] = machine.ring.number(_total(vector), before)
        own = chances[origin.core]
        other = next(core for core, chance in chances.items() if chance != own)
        first, second = (other, origin.core) if other < origin.core else (origin.core, other)
        return Dependence(
            depth + 1,
            (*self._prefix(depth, origin.belief), origin.item, *origin.items),
            (machine.views[first], machine.views[second]),
            tuple(machine.views[shown] for shown in origin.event),
            (chances[first], chances[second]),
        )

    def keys(self) -> KeyGraph:
        """Merge beliefs that have the same future, and number them."""
        classes: dict[Belief, int] = dict.fromkeys(self._parents[-1], 0)
        laws: dict[Law, int] = {}
        layers: list[tuple[Mapping[Hashable, KeyEdge], ...]] = []
        for edges in reversed(self._edges):
            numbers: dict[frozenset[tuple[Hashable, KeyEdge]], int] = {}
            table: list[Mapping[Hashable, KeyEdge]] = []
            here: dict[Belief, int] = {}
            for belief, moves in edges.items():
                row = {
                    item: KeyEdge(laws.setdefault(law, len(laws)), classes[after])
                    for item, (law, after) in moves.items()
                }
                signature = frozenset(row.items())
                if signature not in numbers:
                    numbers[signature] = len(table)
                    table.append(row)
                here[belief] = numbers[signature]
            layers.append(tuple(table))
            classes = here
        layers.reverse()
        return KeyGraph(
            self._machine.ring,
            self._machine.views,
            tuple(laws),
            tuple(layers),
            classes[self._machine.initial],
            self._carried(),
        )

    def _carried(self) -> tuple[Hashable, ...] | None:
        """Return the shortest inputs after which the hidden state is still random."""
        for depth, beliefs in enumerate(self._parents[:-1]):
            for belief in beliefs:
                if len(belief) > 1:
                    return self._prefix(depth, belief)
        return None


def _images(
    vector: Vector, rows: Mapping[tuple[int, Hashable], Row], item: Hashable
) -> dict[int, Vector]:
    """Return, for each core, the (unnormalised) law of the next state after an input."""
    images: dict[int, Vector] = {}
    for state, mass in vector.items():
        for core, after, weight in rows[state, item]:
            image = images.setdefault(core, {})
            share = mass * weight
            image[after] = image[after] + share if after in image else share
    return images


def _total(vector: Mapping[int, Mass]) -> Mass:
    total: Mass = 0
    for mass in vector.values():
        total = total + mass
    return total


def _scale(machine: CompiledMachine, start: int, rounds: int) -> Mass:
    """Return what the weights of some rounds multiply to."""
    scale: Mass = 1
    denominators: Sequence[Mass] = machine.denominators[start : start + rounds]
    for denominator in denominators:
        scale = scale * denominator
    return scale
