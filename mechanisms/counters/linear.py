"""Lower-triangular linear mechanisms: noisy rows R x, and views that are linear in them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, cast

from ...accounting.errors import InputError
from ..coins import Coins
from ..law import FiniteLaw
from ..mechanism import Step
from ..values import describe
from .factorisation import Factorisation
from .noise import IntegerNoise, NoiseLaw
from .tree import past_horizon, require_item, require_range

__all__ = ["LinearMechanism", "LinearState"]

Value = int | Fraction


class LinearState(NamedTuple):
    """What a linear mechanism remembers, as integers over fixed denominators.

    Args:
        time: Rounds so far.
        sums: For each row still to be released, its sum over the inputs so far.
        views: For each view still to be shown, its sum over the rows released so far.
    """

    time: int
    sums: tuple[int, ...]
    views: tuple[int, ...]


@dataclass(frozen=True)
class LinearMechanism:
    """Release the rows of R x with fresh noise, and show L (R x + z).

    The core release of round t is the noisy row of that round (a tuple where rounds release other
    numbers of rows than one). The view is the core, or row t of L times all rows released so far.
    Each row gets its noise once; views repeat it as they read it again.

    Values are integers where R, L and the noise are; otherwise they are Fractions throughout.

    Args:
        factors: R, L and the round of each row.
        noise: The law of each row's noise: a FiniteLaw on integers or Fractions, or a law on
            integers that can only be sampled.
        lower: Least input, an integer.
        upper: Greatest input.
        modulus: Work modulo this number >= 1; R, L and the noise must be integers.

    Raises:
        InputError: A field is out of its domain.

    Example:
        >>> from powercert.mechanisms import FiniteLaw, open_run
        >>> root = Factorisation.square_root(3)
        >>> run = open_run(LinearMechanism(root, FiniteLaw.point(0)))
        >>> [run.feed(1) for _ in range(3)]
        [Fraction(1, 1), Fraction(2, 1), Fraction(3, 1)]

    Source: Section F.1 of the buffering-recipe paper; Li, Miklau, Hay, McGregor and Rastogi (2015).
    """

    factors: Factorisation
    noise: FiniteLaw[Fraction] | NoiseLaw
    lower: int = 0
    upper: int = 1
    modulus: int | None = None
    # The scale: released rows are integers over _denominator, views over it times the decoder's.
    _denominator: int = field(init=False, repr=False, compare=False)
    _unit: int = field(init=False, repr=False, compare=False)
    _noise: IntegerNoise = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check every field, and put everything over one denominator."""
        if not isinstance(cast("object", self.factors), Factorisation):
            raise InputError(
                "not a factorisation",
                where="factors",
                found=describe(self.factors),
                expected="give Factorisation(encoder, decoder, times)",
            )
        require_range(self.lower, self.upper)
        fine = _noise_denominator(self.noise)
        denominator = math.lcm(self.factors.scaled_encoder.denominator, fine)
        decoder = self.factors.scaled_decoder
        if self.modulus is not None and (denominator, decoder and decoder.denominator) not in (
            (1, None),
            (1, 1),
        ):
            raise InputError(
                "a modulus needs integers in the matrices and the noise",
                where="modulus",
                found=str(self.modulus),
                expected="scale the rows to integers, or leave the modulus out",
            )
        # A sampled law gives integers, which are multiplied when drawn; a finite one is rewritten.
        law, unit = self.noise, denominator
        if isinstance(law, FiniteLaw):
            law, unit = law.map(lambda outcome: int(outcome * denominator)), 1
        object.__setattr__(self, "_denominator", denominator)
        object.__setattr__(self, "_unit", unit)
        object.__setattr__(self, "_noise", IntegerNoise(law, self.modulus))

    @property
    def rounds(self) -> int:
        """The horizon."""
        return self.factors.rounds

    @property
    def inputs(self) -> tuple[int, ...]:
        """The input alphabet."""
        return tuple(range(self.lower, self.upper + 1))

    def start(self, coins: Coins) -> LinearState:
        """Return the state before the first input; nothing is drawn."""
        decoder = self.factors.scaled_decoder
        views = 0 if decoder is None else len(decoder.rows)
        return LinearState(0, (0,) * len(self.factors.times), (0,) * views)

    def step(
        self, state: LinearState, item: int, coins: Coins
    ) -> Step[LinearState, Value | tuple[Value, ...], None]:
        """Add an input, and release the rows of the round.

        Raises:
            InputError: The horizon is past, or the input is not in the range.
        """
        time = state.time + 1
        if time > self.rounds:
            raise past_horizon(self.rounds)
        value = require_item(item, self.lower, self.upper, f"round {time}")
        rows, denominator = self.factors.scaled_encoder
        pending = rows[len(rows) - len(state.sums) :]
        reduced = self._noise.reduced
        sums = tuple(
            reduced(total + row[time - 1] * value)
            for total, row in zip(state.sums, pending, strict=True)
        )
        done = len(rows) - len(sums)
        count = self.factors.times[done:].count(time)
        factor = self._denominator // denominator
        released = tuple(self._noisy(factor * total, coins) for total in sums[:count])
        core = self._shown(released)
        views, view = self._reconstructed(state.views, released, done)
        after = LinearState(time, sums[count:], views)
        return Step(after, core) if view is None else Step(after, view, core=core)

    def _noisy(self, total: int, coins: Coins) -> int:
        """Draw a noisy row, over ``_denominator``."""
        if self._unit == 1:
            return self._noise.added(total, coins)
        return total + self._unit * self._noise.added(0, coins)

    def _reconstructed(
        self, views: tuple[int, ...], released: tuple[int, ...], done: int
    ) -> tuple[tuple[int, ...], Value | None]:
        """Add the rows of a round to the views to come; return those left and the one to show."""
        decoder = self.factors.scaled_decoder
        if decoder is None:
            return (), None
        pending = decoder.rows[len(decoder.rows) - len(views) :]
        added = tuple(
            self._noise.reduced(
                total + sum(row[done + i] * noisy for i, noisy in enumerate(released))
            )
            for total, row in zip(views, pending, strict=True)
        )
        return added[1:], _number(added[0], self._denominator * decoder.denominator)

    def _shown(self, released: tuple[int, ...]) -> Value | tuple[Value, ...]:
        values = tuple(_number(noisy, self._denominator) for noisy in released)
        one_each = self.factors.times == tuple(range(1, self.rounds + 1))
        return values[0] if one_each else values


def _number(numerator: int, denominator: int) -> Value:
    """Return a value: an int if the denominator is 1, else always a Fraction, to keep one type."""
    return numerator if denominator == 1 else Fraction(numerator, denominator)


def _noise_denominator(law: object) -> int:
    """Return the common denominator of a finite law's outcomes; 1 for a law that is sampled."""
    if not isinstance(law, FiniteLaw):
        return 1
    found = 1
    for outcome in cast("FiniteLaw[Hashable]", law).outcomes:
        if isinstance(outcome, bool) or not isinstance(outcome, int | Fraction):
            raise InputError(
                "a noise outcome is no integer or Fraction", where="noise", found=describe(outcome)
            )
        found = math.lcm(found, outcome.denominator)
    return found
