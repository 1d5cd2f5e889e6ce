"""What a composition answers: delta, epsilon and power, as enclosures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Never, get_args

from ..arguments import read_type, refuse_unnamed
from ..errors import InputError
from ..numbers import Enclosure, Exact
from ..pair import Pair
from ..power import PowerFunction
from ..profile import PrivacyProfile

__all__ = ["Composition", "Order"]

Order = Literal["both", "as_given", "swapped"]


@dataclass(frozen=True)
class Composition:
    """The composition of independent pairs, in one order or in the worse of both.

    Args:
        pair: The composed pair, as given (Q against the null P).
        order: "as_given" answers for Q against P, "swapped" for P against Q, "both" for the worse.
        tolerance: The relative width the caller asked for; exact answers have width 0.
        method: "exact": every enclosure is a point.

    Example:
        >>> composed = Composition(Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).times(2))
        >>> composed.delta(exp_epsilon=3).upper, composed.power("1/12").upper
        (Exact('3/8'), Exact('7/12'))
    """

    pair: Pair
    order: Order = "both"
    tolerance: Exact | None = None
    method: Literal["exact"] = "exact"

    def __post_init__(self) -> None:
        """Refuse what is no pair or no order."""
        read_type(self.pair, Pair, "pair", "use compose([pair])")
        demand_order(self.order)

    @cached_property
    def _orders(self) -> tuple[PrivacyProfile, ...]:
        """One profile for each order that can be the worse one somewhere."""
        ladder = self.pair.ladder
        if self.order == "as_given" or ladder.is_symmetric:
            return (self.pair.profile(),)
        if self.order == "swapped":
            return (self.pair.swapped().profile(),)
        return (self.pair.profile(), self.pair.swapped().profile())

    @cached_property
    def profile(self) -> PrivacyProfile:
        """The whole privacy profile of the order asked for."""
        profiles = self._orders
        return profiles[0] if len(profiles) == 1 else PrivacyProfile.maximum(profiles)

    @property
    def power_function(self) -> PowerFunction:
        """The whole power function; with both orders the least concave majorant of the two."""
        return self.profile.power_function()

    def delta(
        self, *unnamed: Never, epsilon: object = None, exp_epsilon: object = None
    ) -> Enclosure:
        """Return the least delta at an epsilon; give exactly one of the two forms.

        Guarantee: the point enclosure is the exact value.

        Raises:
            InputError: None or both forms are given, or e^epsilon is negative.
        """
        refuse_unnamed(unnamed, "delta(epsilon=1) or delta(exp_epsilon=3)")
        return Enclosure.point(
            max(p.delta(epsilon=epsilon, exp_epsilon=exp_epsilon) for p in self._orders)
        )

    def exp_epsilon(self, *unnamed: Never, delta: object) -> Enclosure:
        """Return the least e^epsilon >= 1 that suffices at ``delta``; infinite if none does.

        Guarantee: the point enclosure is the exact value.

        Raises:
            InputError: ``delta`` is not in [0, 1].
        """
        refuse_unnamed(unnamed, 'exp_epsilon(delta="1/100")')
        return Enclosure.point(self._worst_bound(delta))

    def epsilon(self, *unnamed: Never, delta: object) -> Enclosure:
        """Return the least epsilon >= 0 that suffices at ``delta``; infinite if none does.

        Guarantee: the point enclosure is the exact value.

        Raises:
            InputError: ``delta`` is not in [0, 1].
        """
        refuse_unnamed(unnamed, 'epsilon(delta="1/100")')
        bound = self._worst_bound(delta)
        if not isinstance(bound, Exact):
            return Enclosure.point(math.inf)
        return Enclosure.point(bound.log().simplified())

    def power(self, alpha: object) -> Enclosure:
        """Return the power of the best test at false-alarm level ``alpha`` in [0, 1].

        With both orders this is the least concave majorant of the two power functions, which can
        exceed both.

        Guarantee: the point enclosure is the exact value.

        Raises:
            InputError: ``alpha`` is not in [0, 1].
        """
        return Enclosure.point(self.power_function(alpha))

    def _worst_bound(self, delta: object) -> Exact | float:
        worst: Exact | None = None
        for profile in self._orders:
            bound = profile.exp_epsilon(delta=delta)
            if not isinstance(bound, Exact):
                return math.inf
            worst = bound if worst is None else max(worst, bound)
        assert worst is not None
        return worst


def demand_order(order: object) -> None:
    """Refuse what is none of the three orders."""
    if order not in get_args(Order):
        raise InputError(
            "unknown order",
            where="order",
            found=repr(order),
            expected='write "both", "as_given" or "swapped"',
        )
