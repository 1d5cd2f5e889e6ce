"""A mechanism over whole numbers: what the solver reads of it, enumerated once per game.

Every reachable (round, state, input) is enumerated, the weights of each round are brought over one
common denominator, and hidden states with the same future are merged. Weights are Python integers;
where the mechanism's weights hold exp(...), they are integer polynomials in w = e^g with one g for
the whole game.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Protocol

from ..accounting.errors import LimitError, PowercertError
from ..accounting.numbers import Exact
from ..accounting.rationals import common_exponent
from .curve import Mass
from .limits import Clock
from .relation_graph import RelationGraph

if TYPE_CHECKING:
    from ..accounting.exponential import ExponentialPolynomial

__all__ = ["Belief", "CompiledMachine", "Ring", "Row", "Transitions", "compiled"]


class Transitions(Protocol):
    """The exact law of a mechanism, step by step (mechanisms.enumeration.ExactMachine)."""

    def initial(self) -> tuple[tuple[Hashable, Exact], ...]:
        """Return the law of the first state."""
        ...

    def transitions(
        self, state: Hashable, item: Hashable
    ) -> tuple[tuple[Hashable, Hashable, Exact], ...]:
        """Return (view, next state, weight) of one step."""
        ...


# One row: (number of the view, number of the next state's class, weight).
Row = tuple[tuple[int, int, Mass], ...]
# A normalised belief: (class of hidden states, weight) with no common factor.
Belief = tuple[tuple[int, Mass], ...]


@dataclass(frozen=True)
class Ring:
    """The ordered ring the game is solved in: Z, or Z[e^g] for ``generator`` g > 0."""

    generator: Fraction = Fraction(0)

    @property
    def is_integer(self) -> bool:
        """Whether masses are plain integers."""
        return not self.generator

    def parts(self, number: Exact) -> tuple[Mass, Mass]:
        """Return numerator and positive denominator of a number in the ring."""
        if self.is_integer:
            fraction = number.as_fraction()
            return fraction.numerator, fraction.denominator
        return number.as_polynomials(self.generator)

    def number(self, numerator: Mass, denominator: Mass) -> Exact:
        """Return the quotient of two ring elements as an exact number."""
        if isinstance(numerator, int) and isinstance(denominator, int):
            return Exact(Fraction(numerator, denominator))
        return Exact.from_polynomials(self._lift(numerator), self._lift(denominator))

    def _lift(self, value: Mass) -> ExponentialPolynomial:
        if isinstance(value, int):
            # Imported only where exp(...) appears: it needs python-flint.
            from ..accounting.exponential import ExponentialPolynomial

            return ExponentialPolynomial(self.generator, [value])
        return value

    def gcd(self, values: Iterable[Mass]) -> Mass:
        """Return a common divisor with positive value (the greatest one)."""
        result: Mass = 0
        for value in values:
            if isinstance(result, int) and isinstance(value, int):
                result = gcd(result, value)
            elif not result:
                result = value
            else:
                left, right = self._lift(result), self._lift(value)
                result = left.gcd(left, right)
            if result == 1:
                break
        if not isinstance(result, int) and result.sign() < 0:
            return -result
        return result

    def lcm(self, first: Mass, second: Mass) -> Mass:
        """Return a positive common multiple."""
        if isinstance(first, int) and isinstance(second, int):
            return lcm(first, second)
        return self.quotient(first * second, self.gcd((first, second)))

    def common_denominator(self, numbers: Iterable[Exact]) -> Mass:
        """Return a positive common denominator (the least one)."""
        result: Mass = 1
        for number in set(numbers):
            result = self.lcm(result, self.parts(number)[1])
        return result

    def whole(self, number: Exact, denominator: Mass) -> Mass:
        """Return a number times one of its denominators, an element of the ring."""
        numerator, own = self.parts(number)
        return numerator * self.quotient(denominator, own)

    def quotient(self, value: Mass, divisor: Mass) -> Mass:
        """Divide exactly."""
        if isinstance(value, int) and isinstance(divisor, int):
            return value // divisor
        return self._lift(value) // self._lift(divisor)


@dataclass(frozen=True)
class CompiledMachine:
    """A mechanism unrolled beside a relation, over one ring.

    Args:
        rows: ``rows[t][class of state, input]`` is the law of round t + 1.
        denominators: ``denominators[t]`` is what the weights of a row of round t + 1 sum to.
        remaining: ``remaining[t]`` is the product of the denominators from round t + 1 on.
        initial: Normalised law of the first hidden state.
        views: The views by number.
    """

    ring: Ring
    rows: tuple[Mapping[tuple[int, Hashable], Row], ...]
    denominators: tuple[Mass, ...]
    remaining: tuple[Mass, ...]
    initial: Belief
    views: tuple[Hashable, ...]

    @property
    def transitions(self) -> int:
        """Number of enumerated rows over all rounds."""
        return sum(len(layer) for layer in self.rows)


_RawRow = tuple[tuple[Hashable, Hashable, Exact], ...]


def compiled(machine: Transitions, graph: RelationGraph, clock: Clock) -> CompiledMachine:
    """Enumerate, clear denominators and merge hidden states with the same future.

    Raises:
        LimitError: More (round, state, input) triples are reachable than the limit allows.
    """
    first = machine.initial()
    raw = _enumerated(machine, graph, clock, [state for state, _ in first])
    ring = _ring_of([weight for _, weight in first], raw)
    views: dict[Hashable, int] = {}
    denominators: list[Mass] = []
    scaled: list[dict[tuple[Hashable, Hashable], list[tuple[int, Hashable, Mass]]]] = []
    for layer in raw:
        denominator = ring.common_denominator(w for row in layer.values() for _, _, w in row)
        denominators.append(denominator)
        scaled.append(
            {
                key: [
                    (views.setdefault(view, len(views)), state, ring.whole(weight, denominator))
                    for view, state, weight in row
                ]
                for key, row in layer.items()
            }
        )
    rows, first_classes = _lumped(scaled)
    remaining: list[Mass] = [1]
    for denominator in reversed(denominators):
        remaining.append(remaining[-1] * denominator)
    remaining.reverse()
    return CompiledMachine(
        ring,
        tuple(rows),
        tuple(denominators),
        tuple(remaining),
        _initial_belief(ring, first, first_classes),
        tuple(views),
    )


def _enumerated(
    machine: Transitions, graph: RelationGraph, clock: Clock, first: list[Hashable]
) -> list[dict[tuple[Hashable, Hashable], _RawRow]]:
    """Return the laws of every (state, input) that a legal stream can reach, per round."""
    limit = clock.limits.transitions
    count = 0
    here: dict[int, tuple[dict[Hashable, None], dict[Hashable, None]]] = {
        graph.start: (dict.fromkeys(first), dict.fromkeys(first))
    }
    layers: list[dict[tuple[Hashable, Hashable], _RawRow]] = []
    for index, positions in enumerate(graph.arcs):
        layer: dict[tuple[Hashable, Hashable], _RawRow] = {}
        following: dict[int, tuple[dict[Hashable, None], dict[Hashable, None]]] = {}
        for position, worlds in here.items():
            for arc in positions[position]:
                targets = following.setdefault(arc.target, ({}, {}))
                for world, item in enumerate((arc.input0, arc.input1)):
                    for state in worlds[world]:
                        row = layer.get((state, item))
                        if row is None:
                            row = layer[state, item] = _row(machine, state, item, index)
                            count += 1
                            if count > limit:
                                raise LimitError(
                                    f"state limit reached in round {index + 1}",
                                    where="enumeration of the mechanism",
                                    found=f"more than {limit} reachable (round, state, input)",
                                    expected="raise --limit-transitions, or use fewer rounds",
                                )
                            clock.report("enumerating the mechanism", count)
                            if clock.expired:
                                raise LimitError(
                                    f"time limit reached in round {index + 1}",
                                    where="enumeration of the mechanism",
                                    found=f"{count} (round, state, input) enumerated",
                                    expected="raise --limit-seconds",
                                )
                        for _, state_after, _ in row:
                            targets[world][state_after] = None
        layers.append(layer)
        here = following
    return layers


def _row(machine: Transitions, state: Hashable, item: Hashable, index: int) -> _RawRow:
    try:
        return machine.transitions(state, item)
    except PowercertError as error:
        if "round" in error.where:
            raise
        raise error.located(f"round {index + 1}") from error


def _ring_of(weights: list[Exact], layers: list[dict[tuple[Hashable, Hashable], _RawRow]]) -> Ring:
    """Return Z, or Z[e^g] with g the greatest common divisor of all exponents present."""
    generator = Fraction(0)
    for weight in (
        *weights,
        *(w for layer in layers for row in layer.values() for _, _, w in row),
    ):
        if not weight.is_rational:
            generator = common_exponent(generator, weight.exponent_gcd)
    return Ring(generator)


def _lumped(
    layers: list[dict[tuple[Hashable, Hashable], list[tuple[int, Hashable, Mass]]]],
) -> tuple[list[dict[tuple[int, Hashable], Row]], dict[Hashable, int]]:
    """Merge hidden states whose rows agree up to merged next states, from the end backwards.

    Every state that is reached before a round has a row there, as every position has a legal pair.

    Returns:
        The rows over classes, and the classes of the first states.
    """
    classes_after: dict[Hashable, int] = {
        after: 0 for row in layers[-1].values() for _, after, _ in row
    }
    rows: list[dict[tuple[int, Hashable], Row]] = []
    for layer in reversed(layers):
        by_state: dict[Hashable, dict[Hashable, Row]] = {}
        for (state, item), row in layer.items():
            sums: dict[tuple[int, int], Mass] = {}
            for view, after, weight in row:
                key = (view, classes_after[after])
                sums[key] = sums[key] + weight if key in sums else weight
            by_state.setdefault(state, {})[item] = tuple(
                (view, after, weight)
                for (view, after), weight in sorted(sums.items(), key=lambda entry: entry[0])
            )
        numbers: dict[frozenset[tuple[Hashable, Row]], int] = {}
        classes: dict[Hashable, int] = {}
        table: dict[tuple[int, Hashable], Row] = {}
        for state, laws in by_state.items():
            number = classes[state] = numbers.setdefault(frozenset(laws.items()), len(numbers))
            for item, law in laws.items():
                table[number, item] = law
        rows.append(table)
        classes_after = classes
    rows.reverse()
    return rows, classes_after


def _initial_belief(
    ring: Ring, first: tuple[tuple[Hashable, Exact], ...], member: Mapping[Hashable, int]
) -> Belief:
    denominator = ring.common_denominator(weight for _, weight in first)
    totals: dict[int, Mass] = {}
    for state, weight in first:
        number = member[state]
        mass = ring.whole(weight, denominator)
        totals[number] = totals[number] + mass if number in totals else mass
    divisor = ring.gcd(totals.values())
    return tuple((number, ring.quotient(totals[number], divisor)) for number in sorted(totals))
