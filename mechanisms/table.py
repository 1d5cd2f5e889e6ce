"""Mechanisms given as tables: kernel rows, with an optional release map of cores to views."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from ..accounting.errors import InputError
from .coins import Coins, PlacedError
from .law import FiniteLaw, exact_weight
from .mechanism import Step
from .stateless import Anticipation, JointLaws, LawsMechanism
from .values import (
    as_sequence,
    canonical,
    describe,
    distinct,
    nearest,
    require_count,
    show,
    show_history,
)

__all__ = ["Anticipation", "JointLaws", "LawsMechanism", "TableMechanism"]

Symbol = Hashable
Round = int | Literal["*"]
Row = Sequence[object]
Place = tuple[object, Symbol, Symbol]
Cores = tuple[Symbol, ...]


class TableMechanism:
    """A mechanism given by the rows of its kernel.

    The hidden state a reader meets is the state's name if every row holds in all rounds ("*");
    (round, name) if some row names its round; and (round, name, cores so far) if there is a release
    map, where ``Step.core`` is the kernel's output and ``Step.view`` the released view.

    A (round, state, input) without rows is an error only when a reader reaches it.

    Args:
        rounds: The horizon, >= 1.
        inputs: The input alphabet.
        outputs: The alphabet of kernel outputs (views, or cores if there is a release map).
        states: The names of the hidden states.
        initial: State name to its starting weight.
        kernel: Rows [round or "*", state, input, output, next state, probability].
        release: Rows [round, core history, view]: the view released once the cores so far are
            that history (a sequence of ``round`` outputs).

    Raises:
        InputError: A row is malformed, names something undeclared, comes twice or overlaps a "*"
            row; or the probabilities of one (round, state, input) do not sum to exactly 1.

    Example:
        >>> flip = [["*", "s", x, y, "s", "2/3" if x == y else "1/3"] for x in "01" for y in "01"]
        >>> table = TableMechanism(2, ["0", "1"], ["0", "1"], ["s"], {"s": 1}, flip)
        >>> table.law("s", "0").weight(("0", "s"))
        Exact('2/3')
    """

    def __init__(
        self,
        rounds: int,
        inputs: Iterable[Symbol],
        outputs: Iterable[Symbol],
        states: Iterable[Symbol],
        initial: Mapping[Any, object],
        kernel: Iterable[Row],
        release: Iterable[Row] | None = None,
    ) -> None:
        """Read and check the rows."""
        self._rounds = require_count(rounds, "rounds", 1)
        self._inputs = _alphabet(inputs, "input")
        self._outputs = _alphabet(outputs, "output")
        self._states = _alphabet(states, "state")
        for name in initial:
            _declared(name, self._states, "state", "initial")
        self._initial = FiniteLaw.of(initial, where="initial")
        self._kernel = self._read_kernel(kernel)
        self._every_round = all(place[0] == "*" for place in self._kernel)
        self._release = None if release is None else self._read_release(release)

    @property
    def rounds(self) -> int:
        """The horizon."""
        return self._rounds

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        """The input alphabet."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> tuple[Symbol, ...]:
        """The alphabet of kernel outputs."""
        return tuple(self._outputs)

    @property
    def states(self) -> tuple[Symbol, ...]:
        """The names of the hidden states."""
        return tuple(self._states)

    @property
    def has_release(self) -> bool:
        """Whether views are released from core histories."""
        return self._release is not None

    def law(self, state: Symbol, item: Symbol) -> FiniteLaw[tuple[Symbol, Symbol]]:
        """Return the law of (output, next state name) after an input.

        Args:
            state: A hidden state as readers meet it (see the class).
            item: An input.

        Raises:
            InputError: There is no row for them, or the horizon is past.
        """
        number, name, _ = self._parts(state)
        if number is not None and number > self._rounds:
            raise PlacedError(
                f"the run is past its horizon of {self._rounds} rounds",
                where=self._place(state, item),
            )
        kernel = self._kernel
        found = kernel.get(("*", name, item))
        if found is None and number is not None:
            found = kernel.get((number, name, item))
        if found is None:
            if item not in self._inputs:
                raise PlacedError(
                    "unknown input",
                    where=self._place(state, item),
                    found=describe(item),
                    expected=nearest(item, self._inputs),
                )
            raise PlacedError("no transition", where=self._place(state, item))
        return found

    def start(self, coins: Coins) -> Symbol:
        """Draw the state before round 1."""
        name = coins.draw(self._initial)
        if self._release is not None:
            return (1, name, ())
        return name if self._every_round else (1, name)

    def step(self, state: Symbol, item: Symbol, coins: Coins) -> Step[Symbol, Symbol, None]:
        """Draw (output, next state) from the row group of the state and the input."""
        output, name = coins.draw(self.law(state, item))
        number, _, cores = self._parts(state)
        if self._release is None:
            return Step(name if number is None else (number + 1, name), output)
        assert number is not None
        history = (*cores, output)
        try:
            view = self._release[history]
        except KeyError:
            raise PlacedError(
                "the release map has no view for this core history",
                where=self._place(state, item),
                found=show_history(history),
                expected=f"add a release row [{number}, core history, view]",
            ) from None
        return Step((number + 1, name, history), view, core=output)

    def _parts(self, state: Symbol) -> tuple[int | None, Symbol, Cores]:
        """Split a hidden state into its round (if it carries one), name and cores so far."""
        if self._release is not None:
            return cast("tuple[int, Symbol, Cores]", state)
        if self._every_round:
            return None, state, ()
        number, name = cast("tuple[int, Symbol]", state)
        return number, name, ()

    def _place(self, state: Symbol, item: Symbol) -> str:
        number, name, _ = self._parts(state)
        return _place_text("*" if number is None else number, name, item)

    def _read_kernel(self, rows: Iterable[Row]) -> dict[Place, FiniteLaw[tuple[Symbol, Symbol]]]:
        groups: dict[Place, dict[tuple[Symbol, Symbol], object]] = {}
        weights: dict[str, object] = {}
        for index, row in enumerate(rows):
            where = f"kernel[{index}]"
            number, state, item, output, after, value = _fields(row, 6, where)
            self._require_round(number, where, star=True)
            _declared(state, self._states, "state", where)
            _declared(item, self._inputs, "input", where)
            _declared(output, self._outputs, "output", where)
            _declared(after, self._states, "state", where)
            if isinstance(value, str):
                # Large tables repeat few probabilities, and reading one is the slow part.
                if value not in weights:
                    weights[value] = exact_weight(value, where)
                value = weights[value]
            else:
                value = exact_weight(value, where)
            group = groups.setdefault((number, state, item), {})
            if (output, after) in group:
                raise InputError(
                    "duplicate row",
                    where=where,
                    found=f"{_place_text(number, state, item)}, output {show(output)}, "
                    f"next state {show(after)} again",
                )
            group[output, after] = value
        self._refuse_overlap(groups)
        return {
            place: FiniteLaw.of(group, where=_place_text(*place)) for place, group in groups.items()
        }

    def _refuse_overlap(self, groups: Iterable[Place]) -> None:
        starred = {(state, item) for number, state, item in groups if number == "*"}
        for number, state, item in groups:
            if number != "*" and (state, item) in starred:
                raise InputError(
                    'rows for one round overlap "*" rows',
                    where=_place_text(number, state, item),
                    expected='use either "*" or explicit rounds for one state and input',
                )

    def _read_release(self, rows: Iterable[Row]) -> dict[Cores, Symbol]:
        found: dict[Cores, Symbol] = {}
        views: dict[Symbol, Symbol] = {}
        for index, row in enumerate(rows):
            where = f"release[{index}]"
            number, listed, view = _fields(row, 3, where)
            self._require_round(number, where, star=False)
            history = _history(listed, where)
            for output in history:
                _declared(output, self._outputs, "output", where)
            if len(history) != number:
                raise InputError(
                    "the core history has another length than the round",
                    where=where,
                    found=f"round {number} and {len(history)} cores",
                )
            canonical(views, view, "view", where)
            if history in found:
                same = found[history] == view
                raise InputError(
                    "duplicate row" if same else "the release map is not a function",
                    where=where,
                    found=f"core history {show_history(history)} gives {describe(found[history])} "
                    f"and {describe(view)}",
                    expected="" if same else "put a randomised release into the kernel",
                )
            found[history] = view
        return found

    def _require_round(self, number: object, where: str, *, star: bool) -> None:
        if star and number == "*":
            return
        if (
            isinstance(number, bool)
            or not isinstance(number, int)
            or not (1 <= number <= self._rounds)
        ):
            raise InputError(
                "not a round",
                where=where,
                found=describe(number),
                expected=f"write an integer from 1 to {self._rounds}" + (' or "*"' if star else ""),
            )


def _place_text(number: object, state: object, item: object) -> str:
    place = f"state {show(state)}, input {show(item)}"
    return place if number == "*" else f"round {number}, {place}"


def _fields(row: object, count: int, where: str) -> tuple[Symbol, ...]:
    """Return the fields of a row; each is checked where it is used."""
    fields = as_sequence(row)
    if fields is None or len(fields) != count:
        raise InputError(f"a row is not a list of {count} fields", where=where, found=describe(row))
    return fields


def _history(listed: object, where: str) -> Cores:
    history = as_sequence(listed)
    if history is None:
        raise InputError(
            "a core history is not a list",
            where=where,
            found=describe(listed),
            expected='write the outputs so far as a list such as ["0", "1"]',
        )
    return history


def _alphabet(symbols: Iterable[Symbol], what: str) -> dict[Symbol, Symbol]:
    """Return an alphabet as a table of its symbols, refusing an empty one and repeats."""
    table = {symbol: symbol for symbol in distinct(symbols, what, f"{what}s")}
    if not table:
        raise InputError(f"there are no {what}s", where=f"{what}s", expected="declare at least one")
    return table


def _declared(symbol: Symbol, alphabet: dict[Symbol, Symbol], what: str, where: str) -> None:
    """Check that a symbol is declared, in the same type."""
    try:
        known = symbol in alphabet
    except TypeError:
        known = False
    if not known:
        raise InputError(
            f"unknown {what}",
            where=where,
            found=describe(symbol),
            expected=nearest(symbol, alphabet) or f"declare it in {what}s",
        )
    if alphabet[symbol] is not symbol:
        canonical(alphabet, symbol, what, where)
