"""Neighbouring relations as automata over pairs of inputs, one pair per round.

A pair of equally long streams is related if some path of the automaton reads its pairs and ends in
an accepting state. The automata are nondeterministic: one pair may lead to several states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..accounting.errors import InputError, LimitError
from .values import as_sequence, canonical, describe, distinct, require_items, show

__all__ = [
    "DEFAULT_LIMIT_PAIRS",
    "Arc",
    "ArcRelation",
    "Relation",
    "RelationFamily",
    "RelationState",
    "RuleRelation",
    "Symbol",
    "check_neighbouring",
    "require_relation",
]

Symbol = Hashable
RelationState = Hashable
Arc = tuple[Symbol, Symbol, RelationState]

DEFAULT_LIMIT_PAIRS = 1_000_000


class Relation(Protocol):
    """A neighbouring relation on streams over a fixed alphabet, as an automaton."""

    @property
    def name(self) -> str:
        """What to call it in a report."""
        ...

    @property
    def start(self) -> RelationState:
        """The state before round 1."""
        ...

    def pairs(self, state: RelationState) -> tuple[Arc, ...]:
        """Return the legal (input in world 0, input in world 1, next state) of one round."""
        ...

    def accepts(self, state: RelationState) -> bool:
        """Return whether streams may end in this state."""
        ...


class ArcRelation:
    """A relation given by its arcs.

    Args:
        start: The state before round 1.
        accept: The states in which streams may end.
        arcs: (state, input in world 0, input in world 1, next state).
        name: What to call it in a report.

    Raises:
        InputError: An arc is malformed or comes twice, or no state accepts.

    Example:
        >>> relation = ArcRelation("r", ["e"], [("r", "0", "1", "e"), ("r", "1", "0", "e")])
        >>> relation.pairs("r"), relation.accepts("e")
        ((('0', '1', 'e'), ('1', '0', 'e')), True)
    """

    def __init__(
        self,
        start: RelationState,
        accept: Iterable[RelationState],
        arcs: Iterable[Sequence[Hashable]],
        *,
        name: str = "arcs",
    ) -> None:
        """Index the arcs by state."""
        states: dict[Hashable, Hashable] = {}
        symbols: dict[Hashable, Hashable] = {}
        self._name = name
        self._start = canonical(states, start, "relation state", "neighbours.start")
        self._accept = frozenset(
            canonical(states, state, "relation state", "neighbours.accept")
            for state in require_items(accept, "neighbours.accept")
        )
        if not self._accept:
            raise InputError("no relation state accepts", where="neighbours.accept")
        found: dict[RelationState, dict[Arc, None]] = {}
        for index, arc in enumerate(require_items(arcs, "neighbours.arcs")):
            where = f"neighbours.arcs[{index}]"
            fields = as_sequence(arc)
            if fields is None or len(fields) != 4:
                raise InputError(
                    "an arc is not a list of 4 fields",
                    where=where,
                    found=describe(arc),
                    expected="write [state, input in world 0, input in world 1, next state]",
                )
            state, first, second, after = fields
            state = canonical(states, state, "relation state", where)
            step = (
                canonical(symbols, first, "input", where),
                canonical(symbols, second, "input", where),
                canonical(states, after, "relation state", where),
            )
            leaving = found.setdefault(state, {})
            if step in leaving:
                raise InputError("an arc is given twice", where=where, found=describe(arc))
            leaving[step] = None
        self._arcs = {state: tuple(steps) for state, steps in found.items()}
        self._symbols = tuple(symbols)

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return self._name

    @property
    def start(self) -> RelationState:
        """The state before round 1."""
        return self._start

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The inputs that occur on arcs."""
        return self._symbols

    @property
    def states(self) -> tuple[RelationState, ...]:
        """The states that arcs leave or enter, the start first."""
        steps = (arc for arcs in self._arcs.values() for arc in arcs)
        return tuple(dict.fromkeys((self._start, *self._arcs, *(arc[2] for arc in steps))))

    def pairs(self, state: RelationState) -> tuple[Arc, ...]:
        """Return the arcs that leave a state."""
        return self._arcs.get(state, ())

    def accepts(self, state: RelationState) -> bool:
        """Return whether streams may end in this state."""
        return state in self._accept


@dataclass(frozen=True, eq=False)
class RuleRelation:
    """A relation whose arcs follow from a rule; a state's arcs are made when first asked for.

    Args:
        name: What to call it in a report.
        start: The state before round 1.
        rule: State to the arcs that leave it.
        accept: State to whether streams may end in it.
        allowance: What the relation allows, for the reason why streams are not related; or "".
    """

    name: str
    start: RelationState
    rule: Callable[[RelationState], Iterable[Arc]] = field(repr=False)
    accept: Callable[[RelationState], bool] = field(repr=False)
    allowance: str = ""
    _known: dict[RelationState, tuple[Arc, ...]] = field(
        default_factory=dict[RelationState, tuple[Arc, ...]], init=False, repr=False
    )

    def pairs(self, state: RelationState) -> tuple[Arc, ...]:
        """Return the arcs that leave a state."""
        known = self._known.get(state)
        if known is None:
            known = tuple(self.rule(state))
            self._known[state] = known
        return known

    def accepts(self, state: RelationState) -> bool:
        """Return whether streams may end in this state."""
        return self.accept(state)


@dataclass(frozen=True)
class RelationFamily:
    """A relation with its parameters, not yet fixed to an input alphabet.

    Args:
        name: Its fixed name.
        parameters: (parameter, value), in order.
        build: The relation's name and an alphabet to the relation.

    Example:
        >>> from powercert.mechanisms import hamming, participations
        >>> hamming().over(["0", "1"]).name
        'hamming'
        >>> str(participations(2, min_separation=3))
        'participations(k=2, min_separation=3)'
    """

    name: str
    parameters: tuple[tuple[str, object], ...]
    build: Callable[[str, tuple[Symbol, ...]], Relation] = field(repr=False, compare=False)

    def over(self, inputs: Iterable[Symbol], *, limit_pairs: int = DEFAULT_LIMIT_PAIRS) -> Relation:
        """Return the relation on streams over an input alphabet.

        Args:
            inputs: The alphabet, without repeats.
            limit_pairs: Most pairs of inputs in one round.

        Raises:
            InputError: The alphabet is empty or repeats a symbol, or a parameter names an input
                that is not in it.
            LimitError: The alphabet has too many pairs.
        """
        table = distinct(inputs, "input", "inputs")
        if not table:
            raise InputError("there are no inputs", where="inputs")
        if len(table) ** 2 > limit_pairs:
            raise LimitError(
                f"{len(table)} inputs make up to {len(table) ** 2} pairs a round",
                where=f"relation {self}",
                expected=f"limit_pairs is {limit_pairs}; raise it, or use fewer inputs",
            )
        return self.build(str(self), table)

    def __str__(self) -> str:
        """Return the name with its parameters."""
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(f'{key}={show(value)}' for key, value in self.parameters)})"


def require_relation(relation: object) -> None:
    """Check that a value is a relation over an alphabet.

    Raises:
        InputError: It is not.

    Example:
        >>> require_relation(5)
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: not a relation over an alphabet; found 5 (int); \
build one such as hamming().over(["0", "1"])
    """
    parts = ("pairs", "accepts", "start", "name")
    if isinstance(relation, type) or not all(hasattr(relation, part) for part in parts):
        raise InputError(
            "not a relation over an alphabet",
            found=describe(relation),
            expected='build one such as hamming().over(["0", "1"])',
        )


def check_neighbouring(
    relation: Relation, stream0: Iterable[Symbol], stream1: Iterable[Symbol]
) -> str | None:
    """Return why two streams are not related, or None if they are.

    Args:
        relation: The relation.
        stream0: The stream of world 0.
        stream1: The stream of world 1.

    Returns:
        None, or the reason: different lengths, or the rounds that differ and the first round at
        which no path goes on.

    Raises:
        InputError: It is no relation over an alphabet, or a stream is no list.

    Example:
        >>> from powercert.mechanisms import user
        >>> check_neighbouring(user().over("01"), "011", "0110")
        'not neighbouring (lengths 3 and 4)'
    """
    require_relation(relation)
    first = tuple(require_items(stream0, "stream0"))
    second = tuple(require_items(stream1, "stream1"))
    if len(first) != len(second):
        return f"not neighbouring (lengths {len(first)} and {len(second)})"
    states: set[RelationState] = {relation.start}
    stuck = 0
    for number, pair in enumerate(zip(first, second, strict=True), start=1):
        states = {
            after for state in states for a, b, after in relation.pairs(state) if (a, b) == pair
        }
        if not states:
            stuck = number
            break
    if any(map(relation.accepts, states)):
        return None
    allowance = relation.allowance if isinstance(relation, RuleRelation) else ""
    if not allowance:
        allowance = (
            f"no arc for the pair {show(first[stuck - 1])}, {show(second[stuck - 1])} "
            f"of round {stuck}"
            if stuck
            else f"the streams end in the state {', '.join(map(show, states))}, "
            "which does not accept"
        )
    differing = [n for n, (a, b) in enumerate(zip(first, second, strict=True), 1) if a != b]
    if not differing:
        return f"not neighbouring ({allowance})"
    return f"not neighbouring (differs in {_rounds(differing)}; {allowance})"


def _rounds(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"round {numbers[0]}"
    shown = [str(number) for number in numbers[:10]]
    if len(numbers) > 10:
        return f"rounds {', '.join(shown)} and {len(numbers) - 10} more"
    return f"rounds {', '.join(shown[:-1])} and {shown[-1]}"
