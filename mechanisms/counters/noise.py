"""Noise on integers: added as it is, modulo a number, or clamped to a range."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast

from ...accounting.errors import InputError
from ..coins import Coins, SampledLaw
from ..law import FiniteLaw
from ..two_forms import Clampable, clamped_sum
from ..values import describe, require_count, require_flag, require_value

__all__ = ["IntegerNoise", "NoiseLaw", "require_integer"]

_CACHED_LAWS = 4096


#: A law of integer noise: finite, or one that can only be sampled.
NoiseLaw = FiniteLaw[int] | SampledLaw[int]


class _Foldable(Protocol):
    def folded(self, modulus: int) -> FiniteLaw[int]: ...


def require_integer(value: object, where: str) -> int:
    """Return a value that must be an integer (bool is no integer here).

    Raises:
        InputError: It is not.

    Example:
        >>> require_integer("3", "noise")
        Traceback (most recent call last):
        ...
        powercert.accounting.errors.InputError: noise: not an integer; found '3' (str)
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("not an integer", where=where, found=describe(value))
    return value


@dataclass(frozen=True)
class IntegerNoise:
    """How a total is made noisy.

    Args:
        law: A FiniteLaw on integers, or a law such as TwoSidedGeometric that can only be sampled.
        modulus: Work modulo this number >= 1; totals and noisy values are then in 0..modulus-1,
            and an unbounded law is enumerable.
        clamped: Move the noisy value into the range that the total can have; an unbounded law is
            then enumerable too where the range is short, as the clamped law is built outcome by
            outcome. Production draws the noise and then clamps, whatever the range.

    Raises:
        InputError: A field is out of its domain, or ``modulus`` and ``clamped`` are both given.

    Example:
        >>> IntegerNoise(FiniteLaw.of({0: "2/3", 3: "1/3"}), modulus=2).law.items()
        ((0, Exact('2/3')), (1, Exact('1/3')))
    """

    law: NoiseLaw
    modulus: int | None = None
    clamped: bool = False

    def __post_init__(self) -> None:
        """Check every field, and fold the law once."""
        _check_law(self.law)
        require_flag(self.clamped, "clamped")
        require_value(self.law, "law", "noise")
        if self.clamped and not hasattr(self.law, "clamped"):
            raise InputError(
                "this law cannot be clamped",
                where="noise",
                found=type(self.law).__name__,
                expected="give a FiniteLaw or a law with clamped(lower, upper)",
            )
        if self.modulus is None:
            return
        modulus = require_count(self.modulus, "modulus", 1)
        if self.clamped:
            raise InputError(
                "both a modulus and clamping are asked for", found=f"modulus {modulus}"
            )
        if isinstance(self.law, FiniteLaw):
            object.__setattr__(self, "law", self.law.map(lambda outcome: outcome % modulus))
        elif hasattr(self.law, "folded"):
            object.__setattr__(self, "law", cast("_Foldable", self.law).folded(modulus))

    def reduced(self, total: int) -> int:
        """Return a total as this noise keeps it: modulo the modulus, if there is one."""
        return total if self.modulus is None else total % self.modulus

    def noisy(self, total: int, coins: Coins, *, length: int = 1, lower: int, upper: int) -> int:
        """Draw the noisy value of a total of ``length`` inputs.

        Args:
            total: The exact total.
            coins: Where to draw from.
            length: Number of inputs.
            lower: The least value of one input (it matters for clamping only).
            upper: The greatest one.

        Raises:
            InputError: The law's sampler gave something else than an integer.
        """
        if self.clamped:
            low, high = length * lower - total, length * upper - total
            if isinstance(self.law, FiniteLaw):
                return total + coins.draw(_clamped_law(self.law, low, high))
            # Sampled without the weights of the clamped law: their size depends on the total.
            law = clamped_sum(cast("Clampable", self.law), 0, low, high)
            return total + require_integer(coins.draw(law), "noise")
        return self.added(total, coins)

    def added(self, total: int, coins: Coins) -> int:
        """Draw the noisy value of a total, without clamping.

        Raises:
            InputError: The law's sampler gave something else than an integer.
        """
        return self.reduced(total + require_integer(coins.draw(self.law), "noise"))


def _check_law(law: object) -> None:
    """Check that a law can be drawn from, and that a finite one is on integers."""
    sampled = all(hasattr(law, name) for name in ("draw", "finite_counterpart"))
    if isinstance(law, type) or not (sampled or isinstance(law, FiniteLaw)):
        raise InputError(
            "not a law of noise",
            where="noise",
            found=describe(law),
            expected="give a FiniteLaw on integers, or a law with draw(random_bits) such as "
            "TwoSidedGeometric",
        )
    if isinstance(law, FiniteLaw):
        for outcome in cast("FiniteLaw[Hashable]", law).outcomes:
            require_integer(outcome, "noise")


@lru_cache(maxsize=_CACHED_LAWS)
def _clamped_law(law: FiniteLaw[int], lower: int, upper: int) -> FiniteLaw[int]:
    return law.clamped(lower, upper)
