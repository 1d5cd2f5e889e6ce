"""Mechanisms given without states: laws of the next view, or joint laws of whole transcripts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..accounting.errors import InputError
from ..accounting.numbers import Exact, exact_number
from .coins import Coins, PlacedError
from .law import FiniteLaw
from .mechanism import Step
from .values import (
    as_sequence,
    canonical,
    describe,
    require_count,
    require_flag,
    show_history,
)

__all__ = ["Anticipation", "JointLaws", "LawsMechanism"]

Symbol = Hashable
Stream = tuple[Symbol, ...]
Histories = tuple[Stream, Stream]


class LawsMechanism:
    """A mechanism given by the law of the next view for every history.

    The hidden state a reader meets is (inputs so far, views so far).

    Args:
        rounds: The horizon, >= 1.
        inputs: The input alphabet.
        laws: (round, inputs so far with the present one, views so far) to the law of the next view:
            a FiniteLaw, or a mapping of view to weight.

    Raises:
        InputError: A key has the wrong lengths, or a law is not one.

    Example:
        >>> laws = {(1, (x,), ()): {x: "2/3", y: "1/3"} for x, y in [("0", "1"), ("1", "0")]}
        >>> LawsMechanism(1, ["0", "1"], laws).law(("0",), ()).weight("0")
        Exact('2/3')
    """

    def __init__(
        self,
        rounds: int,
        inputs: Iterable[Symbol],
        laws: Mapping[Any, FiniteLaw[Any] | Mapping[Any, object]],
    ) -> None:
        """Read and check the laws."""
        self._rounds = require_count(rounds, "rounds", 1)
        self._inputs: dict[Symbol, Symbol] = {}
        for symbol in inputs:
            canonical(self._inputs, symbol, "input", "inputs")
        self._laws: dict[Histories, FiniteLaw[Symbol]] = {}
        views: dict[Symbol, Symbol] = {}
        for key, law in laws.items():
            number, given, seen = _history_key(key)
            where = _place(number, given, seen)
            if not 1 <= number <= self._rounds:
                raise InputError(
                    "not a round",
                    where=where,
                    expected=f"write an integer from 1 to {self._rounds}",
                )
            if len(given) != number or len(seen) != number - 1:
                raise InputError(
                    "a history has the wrong length",
                    where=where,
                    found=f"{len(given)} inputs and {len(seen)} views",
                    expected=f"round {number} follows {number} inputs and {number - 1} views",
                )
            for symbol in given:
                if symbol not in self._inputs:
                    raise InputError("unknown input", where=where, found=describe(symbol))
                canonical(self._inputs, symbol, "input", where)
            read = law if isinstance(law, FiniteLaw) else FiniteLaw.of(law, where=where)
            for view in read.outcomes:
                canonical(views, view, "view", where)
            self._laws[given, seen] = read

    @property
    def rounds(self) -> int:
        """The horizon."""
        return self._rounds

    @property
    def inputs(self) -> Stream:
        """The input alphabet."""
        return tuple(self._inputs)

    def law(self, inputs: Stream, views: Stream) -> FiniteLaw[Symbol]:
        """Return the law of the next view.

        Args:
            inputs: The inputs so far, the present one included.
            views: The views so far.

        Raises:
            InputError: There is no law for that history, or the horizon is past.
        """
        found = self._laws.get((inputs, views))
        if found is None:
            past = len(inputs) > self._rounds
            raise PlacedError(
                f"the run is past its horizon of {self._rounds} rounds"
                if past
                else "no transition",
                where=_place(len(inputs), inputs, views),
            )
        return found

    def start(self, coins: Coins) -> Histories:
        """Return the empty history."""
        return (), ()

    def step(self, state: Histories, item: Symbol, coins: Coins) -> Step[Histories, Symbol, None]:
        """Draw the next view from the law of the history."""
        inputs, views = (*state[0], item), state[1]
        view = coins.draw(self.law(inputs, views))
        return Step((inputs, (*views, view)), view)


@dataclass(frozen=True)
class Anticipation:
    """A proof that a joint law looks into the future.

    Up to ``round`` the two streams agree, yet the first ``round`` views are ``views`` with
    different probabilities.

    Args:
        round: How long the streams agree.
        streams: The two input streams.
        views: The views of rounds 1 to ``round``.
        probabilities: Their probabilities under the two streams.
    """

    round: int
    streams: tuple[Stream, Stream]
    views: Stream
    probabilities: tuple[Exact, Exact]

    def __str__(self) -> str:
        """Say it in one sentence."""
        first, second = self.streams
        return (
            f"streams {show_history(first)} and {show_history(second)} agree up to round "
            f"{self.round}, but views {show_history(self.views)} have probabilities "
            f"{self.probabilities[0]} and {self.probabilities[1]}"
        )


class JointLaws:
    """The law of the whole transcript for every input stream, fixed in advance.

    Such laws may anticipate: the law of an early view may depend on a later input. Then no
    mechanism that answers round by round has them.

    Args:
        laws: Input stream to the law of its transcript (a FiniteLaw of view tuples, or a mapping
            of view tuple to weight). All streams and transcripts have one length.
        inputs: The input alphabet, if every stream over it must be there; None asks for every
            combination of the symbols that occur in each round.
        partial: Accept missing streams (they are errors when reached).

    Raises:
        InputError: Lengths differ, a law is not one, or streams are missing (the first and the
            count are named).

    Example:
        >>> joint = JointLaws({("0",): {("a",): 1}, ("1",): {("b",): 1}})
        >>> joint.rounds, joint.anticipation()
        (1, None)
    """

    def __init__(
        self,
        laws: Mapping[Any, FiniteLaw[Any] | Mapping[Any, object]],
        *,
        inputs: Iterable[Symbol] | None = None,
        partial: bool = False,
    ) -> None:
        """Read and check the laws."""
        require_flag(partial, "partial")
        if not laws:
            raise InputError("there are no input streams", where="joint")
        first: object = next(iter(laws))
        self._rounds = len(as_sequence(first) or ())
        if first == ():
            raise InputError("input streams are empty", where="joint", expected="rounds >= 1")
        symbols: dict[Symbol, Symbol] = {}
        declared = inputs is not None
        for symbol in inputs or ():
            canonical(symbols, symbol, "input", "inputs")
        self._laws: dict[Stream, FiniteLaw[Stream]] = {}
        views: dict[Symbol, Symbol] = {}
        for stream, law in laws.items():
            where = f"stream {show_history(stream)}"
            self._require_length(stream, "stream", where)
            for symbol in stream:
                if declared and symbol not in symbols:
                    raise InputError("unknown input", where=where, found=describe(symbol))
                canonical(symbols, symbol, "input", where)
            read = law if isinstance(law, FiniteLaw) else FiniteLaw.of(law, where=where)
            for transcript in read.outcomes:
                self._require_length(transcript, "transcript", where)
                for view in transcript:
                    canonical(views, view, "view", where)
            self._laws[stream] = read
        self._inputs = tuple(symbols)
        self._columns: tuple[Stream, ...] = (
            (self._inputs,) * self._rounds
            if declared
            else tuple(tuple(dict.fromkeys(column)) for column in zip(*self._laws, strict=True))
        )
        count, first = self.missing()
        if count and not partial:
            raise InputError(
                "input streams are missing",
                where="joint",
                found=f"{count} missing, the first is {show_history(first)}",
                expected="give the law of every input stream",
            )

    @property
    def rounds(self) -> int:
        """The horizon."""
        return self._rounds

    @property
    def inputs(self) -> Stream:
        """The input alphabet."""
        return self._inputs

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The input streams, in the order given."""
        return tuple(self._laws)

    def law(self, stream: Stream) -> FiniteLaw[Stream]:
        """Return the law of the transcript of an input stream.

        Raises:
            InputError: The stream has no law.
        """
        try:
            return self._laws[stream]
        except KeyError:
            raise PlacedError(
                "no law for this input stream", where=f"stream {show_history(stream)}"
            ) from None

    def missing(self) -> tuple[int, Stream]:
        """Return how many streams have no law, and the first of them (empty if none).

        Example:
            >>> joint = JointLaws({("0", "1"): {("a", "a"): 1}}, inputs=["0", "1"], partial=True)
            >>> joint.missing()
            (3, ('0', '0'))
        """
        count = math.prod(map(len, self._columns)) - len(self._laws)
        if not count:
            return 0, ()
        everything = itertools.product(*self._columns)
        return count, next(stream for stream in everything if stream not in self._laws)

    def anticipation(self) -> Anticipation | None:
        """Find two streams that agree on a prefix while its views have different laws.

        Returns:
            The witness of the earliest such round, or None: then the laws are those of a mechanism
            that answers round by round (the prefix-dependence condition).

        Example:
            >>> def told(bit): return {("0", bit): "1/2", ("1", bit): "1/2"}
            >>> honest = {(x, y): told(y) for x in "01" for y in "01"}
            >>> JointLaws(honest).anticipation() is None
            True
            >>> print(JointLaws({("0", y): {(y, "-"): 1} for y in "01"}).anticipation())
            streams 0|0 and 0|1 agree up to round 1, but views 0 have probabilities 1 and 0
        """
        for number in range(1, self._rounds):
            firsts: dict[Stream, tuple[Stream, FiniteLaw[Stream]]] = {}
            for stream in self._laws:
                law = self._prefix_law(stream, number)
                first, known = firsts.setdefault(stream[:number], (stream, law))
                if known != law:
                    return _witness(number, (first, stream), known, law)
        return None

    def as_laws(self) -> LawsMechanism:
        """Return the mechanism that answers round by round with these laws, by conditioning.

        Raises:
            InputError: The laws anticipate, so there is no such mechanism.

        Example:
            >>> joint = JointLaws({("0",): {("a",): "1/3", ("b",): "2/3"}})
            >>> joint.as_laws().law(("0",), ()).weight("b")
            Exact('2/3')
        """
        witness = self.anticipation()
        if witness is not None:
            raise InputError(
                "the joint laws anticipate: no mechanism answers round by round with them",
                where=f"round {witness.round}",
                found=str(witness),
            )
        laws: dict[tuple[int, Stream, Stream], dict[Symbol, Exact]] = {}
        for number in range(1, self._rounds + 1):
            done: set[Stream] = set()
            for stream in self._laws:
                given = stream[:number]
                if given in done:
                    continue
                done.add(given)
                for seen, weights in self._conditionals(stream, number).items():
                    laws[number, given, seen] = weights
        return LawsMechanism(self._rounds, self._inputs, laws)

    def _conditionals(self, stream: Stream, number: int) -> dict[Stream, dict[Symbol, Exact]]:
        """Return the law of the view of a round given the views before it, where they can occur."""
        before = dict(self._prefix_law(stream, number - 1).items())
        found: dict[Stream, dict[Symbol, Exact]] = {}
        for views, weight in self._prefix_law(stream, number).items():
            found.setdefault(views[:-1], {})[views[-1]] = weight / before[views[:-1]]
        return found

    def _prefix_law(self, stream: Stream, number: int) -> FiniteLaw[Stream]:
        return self._laws[stream].map(lambda transcript: transcript[:number])

    def _require_length(self, history: object, what: str, where: str) -> None:
        if not isinstance(history, tuple):
            raise InputError(f"a {what} is not a tuple", where=where, found=describe(history))
        size = len(cast("Stream", history))
        if size != self._rounds:
            raise InputError(
                f"a {what} has another length than the first stream",
                where=where,
                found=f"lengths {self._rounds} and {size}",
                expected="neighbouring streams of different length need a stated padding rule",
            )


def _history_key(key: object) -> tuple[int, Stream, Stream]:
    """Return the parts of a key (round, inputs so far, views so far)."""
    parts = as_sequence(key)
    if parts is not None and len(parts) == 3:
        number, given, seen = parts
        histories = isinstance(given, tuple) and isinstance(seen, tuple)
        if isinstance(number, int) and not isinstance(number, bool) and histories:
            return number, cast("Stream", given), cast("Stream", seen)
    raise InputError(
        "a key is not (round, inputs so far, views so far)",
        where="laws",
        found=describe(key),
        expected='write keys such as (1, ("0",), ())',
    )


def _witness(
    number: int,
    streams: tuple[Stream, Stream],
    first: FiniteLaw[Stream],
    second: FiniteLaw[Stream],
) -> Anticipation:
    """Return the first views that two different laws give different probabilities."""
    zero = exact_number(0)
    left, right = dict(first.items()), dict(second.items())
    views = next(v for v in (*left, *right) if left.get(v, zero) != right.get(v, zero))
    probabilities = left.get(views, zero), right.get(views, zero)
    return Anticipation(number, streams, views, probabilities)


def _place(number: int, inputs: Stream, views: Stream) -> str:
    place = f"round {number}, inputs {show_history(inputs)}"
    return f"{place}, views {show_history(views)}" if views else place
