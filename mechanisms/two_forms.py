"""A finite law in two forms: followed by its exact weights, sampled without building them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, Protocol, TypeVar, final

from .law import FiniteLaw
from .randomness import RandomBits

__all__ = ["Clampable", "TwoFormLaw", "clamped_sum"]

Outcome = TypeVar("Outcome", bound=Hashable)


_CACHED_LAWS = 4096


class Clampable(Hashable, Protocol):
    """A hashable law on integers that can be sampled as it is, and clamped into a finite law."""

    def clamped(self, lower: int, upper: int) -> FiniteLaw[int]:
        """Return the law moved to the nearest end of a range."""
        ...

    def draw(self, random_bits: RandomBits) -> int:
        """Sample an integer."""
        ...


@final
class TwoFormLaw(Generic[Outcome]):
    """One law in two forms: the enumerator follows ``finite()``, production calls ``draw``.

    Exact weights can be numbers of millions of digits, and how large they are may depend on the
    data; a mechanism that refused to draw then would tell the data apart. So a draw never builds
    them. Whoever makes one promises that both forms are the same law.

    Args:
        finite: Returns the law with its exact weights.
        sample: Draws an outcome with exactly those weights.

    Example:
        >>> from powercert.mechanisms import SeededBits
        >>> coin = TwoFormLaw(lambda: FiniteLaw.uniform((0, 1)), lambda bits: bits.bits(1))
        >>> coin.finite().weight(0), coin.draw(SeededBits(1)) in (0, 1)
        (Exact('1/2'), True)
    """

    __slots__ = ("_finite", "_sample")

    def __init__(
        self, finite: Callable[[], FiniteLaw[Outcome]], sample: Callable[[RandomBits], Outcome]
    ) -> None:
        """Keep both forms."""
        self._finite = finite
        self._sample = sample

    @property
    def finite_counterpart(self) -> str:
        """What gives the law that can be enumerated."""
        return ".finite()"

    def finite(self) -> FiniteLaw[Outcome]:
        """Return the law with its exact weights.

        Raises:
            LimitError: They are too large to be built.
        """
        return self._finite()

    def draw(self, random_bits: RandomBits) -> Outcome:
        """Sample one outcome with exactly its weight."""
        return self._sample(random_bits)


def clamped_sum(noise: Clampable, centre: int, lower: int, upper: int) -> TwoFormLaw[int]:
    """Return the law of centre + noise moved to the nearest end of [lower, upper].

    It can be sampled for every centre and every range: the noise is drawn, then clamped.

    Guarantee: both forms are exactly this law.

    Args:
        noise: A law on integers, such as TwoSidedGeometric.
        centre: What the noise is added to.
        lower: Least value.
        upper: Greatest value, >= lower.

    Example:
        >>> from powercert.mechanisms import SeededBits, TwoSidedGeometric
        >>> law = clamped_sum(TwoSidedGeometric("1/2"), 10**9, 0, 1)
        >>> law.draw(SeededBits(1))
        1
    """

    def finite() -> FiniteLaw[int]:
        return _clamped(noise, lower - centre, upper - centre).map(lambda value: value + centre)

    def sample(random_bits: RandomBits) -> int:
        return max(lower, min(upper, centre + noise.draw(random_bits)))

    return TwoFormLaw(finite, sample)


@lru_cache(maxsize=_CACHED_LAWS)
def _clamped(noise: Clampable, lower: int, upper: int) -> FiniteLaw[int]:
    return noise.clamped(lower, upper)
