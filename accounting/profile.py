"""Privacy profiles: the exact delta at every epsilon, in one order of a pair."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Never

from .arguments import read_many, read_type, refuse_unnamed
from .epsilon import Exponent, read_gamma, read_probability
from .errors import InputError
from .numbers import Exact, LogExact, exact_number
from .piecewise import ConvexFunction, Point, first_index
from .power import PowerFunction

__all__ = ["PrivacyProfile"]

_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class PrivacyProfile:
    """delta(gamma) = sup over S of Q(S) - gamma P(S), gamma = e^epsilon >= 0, P being the null.

    It is the conjugate of Pow(P||Q), which it keeps and searches: convex, non-increasing,
    1 at gamma = 0, and constant (the mass of Q where P is 0) beyond its last breakpoint.

    Example:
        >>> from .pair import Pair
        >>> profile = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).profile()
        >>> profile.delta(exp_epsilon=2), profile.delta(epsilon="ln(3)")
        (Exact('1/4'), Exact('0'))
        >>> str(profile.epsilon(delta=0)), profile.exp_epsilon(delta="1/4")
        ('ln(3)', Exact('2'))

    Source: paper 1, Appendix A; Balle, Barthe and Gaboardi 2018 for the name.
    """

    power: PowerFunction

    def __post_init__(self) -> None:
        """Refuse what is no power function."""
        read_type(self.power, PowerFunction, "power", "use pair.profile()")

    @classmethod
    def from_breakpoints(cls, points: Iterable[tuple[object, object]]) -> PrivacyProfile:
        """Return the profile through (gamma, delta) points from gamma = 0, constant after the last.

        Raises:
            InputError: The points are no profile: convex, non-increasing, from (0, 1), and at
                least max(0, 1 - gamma).

        Example:
            >>> PrivacyProfile.from_breakpoints([(0, 1), (2, 0)]).power_function()
            PowerFunction((0, 0), (1/2, 1), (1, 1))
        """
        curve = ConvexFunction.through(points)
        gamma, delta = curve.points[0]
        if gamma != 0 or delta != 1:
            raise InputError("a privacy profile starts at (0, 1)", found=f"({gamma}, {delta})")
        vertices = list(curve.conjugate().points)
        if vertices[-1][0] < 1:
            vertices.append((exact_number(1), exact_number(1)))
        return cls(PowerFunction.from_vertices(vertices))

    @classmethod
    def maximum(cls, profiles: Iterable[PrivacyProfile]) -> PrivacyProfile:
        """Return the pointwise maximum of profiles, itself the profile of a pair.

        The worse of both orders is ``PrivacyProfile.maximum([p, p.swapped()])``.

        Raises:
            InputError: No profile is given.
        """
        given = read_many(profiles, PrivacyProfile, "profiles")
        if not given:
            raise InputError("the maximum of no profile is undefined")
        return cls(PowerFunction.supremum(profile.power for profile in given))

    def delta(self, *unnamed: Never, epsilon: object = None, exp_epsilon: object = None) -> Exact:
        """Return the least delta such that Q(S) <= e^epsilon P(S) + delta for every S.

        Args:
            unnamed: None: an epsilon and an e^epsilon look alike without their names.
            epsilon: A rational, a logarithm such as "ln(3)", or infinity; may be negative.
            exp_epsilon: gamma = e^epsilon in [0, infinity]; give exactly one of the two.

        Raises:
            InputError: None or both are given, or gamma is negative.
            LimitError: e^epsilon is too large to be built, and not so large that delta has
                reached its least value.
        """
        refuse_unnamed(unnamed, "delta(epsilon=1) or delta(exp_epsilon=3)")
        gamma = read_gamma(epsilon=epsilon, exp_epsilon=exp_epsilon)
        if gamma is None:
            return self.power.curve.chain.y(0)
        if isinstance(gamma, Exponent):
            if gamma.reaches(self._last_breakpoint()):
                return self.power.curve.chain.y(0)
            raise gamma.reason
        return self.power.curve.largest_over_lines(gamma)

    def _last_breakpoint(self) -> Exact:
        """Return the least gamma from which on delta is constant."""
        chain = self.power.curve.chain
        return (chain.y(1) - chain.y(0)) / (chain.x(1) - chain.x(0))

    def exp_epsilon(self, *unnamed: Never, delta: object) -> Exact | float:
        """Return the least e^epsilon >= 1 whose delta is at most ``delta``, or math.inf.

        Raises:
            InputError: ``delta`` is not in [0, 1].
        """
        refuse_unnamed(unnamed, 'exp_epsilon(delta="1/100")')
        bound = self._least_gamma(read_probability(delta, "delta"))
        if bound is None:
            return math.inf
        return bound if bound > 1 else exact_number(1)

    def meets(
        self,
        *unnamed: Never,
        epsilon: object = None,
        exp_epsilon: object = None,
        delta: object = 0,
    ) -> bool:
        """Return whether Q(S) <= e^epsilon P(S) + delta for every S.

        It is decided even where the delta at this epsilon is outside the field: masses in
        exp(1/3) meet epsilon = 333/1000 or not, though their delta there is no one polynomial.

        Args:
            unnamed: None, as for :meth:`delta`.
            epsilon: As for :meth:`delta`; this or ``exp_epsilon``.
            exp_epsilon: As for :meth:`delta`.
            delta: In [0, 1].

        Raises:
            InputError: An argument is outside its domain.

        Example:
            >>> from .pair import Pair
            >>> profile = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).profile()
            >>> profile.meets(epsilon="ln(3)"), profile.meets(epsilon=1, delta="0.0704")
            (True, False)
        """
        refuse_unnamed(unnamed, 'meets(epsilon=1, delta="1/100")')
        gamma = read_gamma(epsilon=epsilon, exp_epsilon=exp_epsilon)
        bound = self._least_gamma(read_probability(delta, "delta"))
        if bound is None or gamma is None:
            return bound is not None
        return gamma.reaches(bound) if isinstance(gamma, Exponent) else bound <= gamma

    def _least_gamma(self, share: Exact) -> Exact | None:
        """Return the least gamma >= 0 whose delta is at most ``share``, or None."""
        chain = self.power.curve.chain
        if chain.y(0) > share:
            return None
        # From (0, delta), the line of this slope touches the power curve from above.
        touch = first_index(len(chain) - 1, lambda i: not chain.starts_below(i, share))
        if chain.x(touch) == 0:
            touch += 1
        return (chain.y(touch) - share) / chain.x(touch)

    def epsilon(self, *unnamed: Never, delta: object) -> Exact | LogExact | float:
        """Return the least epsilon >= 0 whose delta is at most ``delta``, or math.inf.

        Returns:
            A rational where e^epsilon is exp of one, else an exact logarithm.

        Raises:
            InputError: ``delta`` is not in [0, 1].
        """
        refuse_unnamed(unnamed, 'epsilon(delta="1/100")')
        bound = self.exp_epsilon(delta=delta)
        if not isinstance(bound, Exact):
            return math.inf
        return bound.log().simplified()

    @property
    def breakpoints(self) -> tuple[Point, ...]:
        """The corners (gamma, delta) from gamma = 0; linear between, constant after the last."""
        return self.power.curve.conjugate().points

    def power_function(self) -> PowerFunction:
        """Return Pow(P||Q), whose conjugate this is."""
        return self.power

    def swapped(self) -> PrivacyProfile:
        """Return the profile of the other order: 1 - gamma + gamma delta(1/gamma)."""
        return PrivacyProfile(self.power.swapped())

    def __eq__(self, other: object) -> bool:
        """Return whether both profiles are the same everywhere."""
        if not isinstance(other, PrivacyProfile):
            return NotImplemented
        return self.power == other.power

    def __hash__(self) -> int:
        """Hash by the power function."""
        return hash((PrivacyProfile, self.power))

    def __le__(self, other: PrivacyProfile) -> bool:
        """Return whether this profile is at most the other one at every epsilon."""
        if not _is_profile(other):
            return NotImplemented
        return self.power <= other.power

    def __ge__(self, other: PrivacyProfile) -> bool:
        """Return whether this profile is at least the other one at every epsilon."""
        if not _is_profile(other):
            return NotImplemented
        return other <= self

    def __lt__(self, other: PrivacyProfile) -> bool:
        """Return whether this profile is at most the other one everywhere, and differs."""
        if not _is_profile(other):
            return NotImplemented
        return self <= other and self != other

    def __gt__(self, other: PrivacyProfile) -> bool:
        """Return whether this profile is at least the other one everywhere, and differs."""
        if not _is_profile(other):
            return NotImplemented
        return other < self

    def __repr__(self) -> str:
        """Show the breakpoints, cut after the first few."""
        points = self.breakpoints
        shown = ", ".join(f"({gamma}, {delta})" for gamma, delta in points[:_SHOWN])
        more = f", ... {len(points)} in all" if len(points) > _SHOWN else ""
        return f"PrivacyProfile({shown}{more})"


def _is_profile(value: object) -> bool:
    return isinstance(value, PrivacyProfile)
