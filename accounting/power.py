"""Power functions: the exact error trade-off of testing a null law against an alternative."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Never

from .arguments import read_many, read_type, refuse_unnamed
from .epsilon import read_exp_epsilon, read_probability
from .errors import InputError, LimitError
from .ladder import DEFAULT_LIMIT_ATOMS, Ladder, LadderChain, majorant_ladder
from .numbers import Exact, exact_number
from .pair import Pair
from .piecewise import ConcaveFunction, Point, PointChain

if TYPE_CHECKING:
    from .profile import PrivacyProfile

__all__ = ["PowerFunction"]

_SHOWN = 8


# e^(2 epsilon) must stay below the largest exponential that is built.
_LARGEST_EPSILON = 400_000


@dataclass(frozen=True, eq=False, repr=False)
class PowerFunction:
    """Pow(P||Q): alpha -> the largest Q(S) over tests S with P(S) <= alpha, P being the null.

    The tests are randomised: alpha is the capacity of a fractional knapsack whose items are the
    outcomes, of weight P and value Q. The function is concave, non-decreasing, 1 at 1, and at 0
    it is the mass of Q where P is 0. It is 1 minus the trade-off function. Comparison with <= is
    pointwise, a partial order; a larger function means laws that are easier to tell apart.

    Example:
        >>> f = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).power_function()
        >>> f("1/12")
        Exact('1/4')
        >>> f.after(f)("1/12")
        Exact('3/4')
        >>> f == PowerFunction.dp(epsilon="ln(3)", delta=0)
        True

    Source: Chan and others, "the buffering recipe" (paper 1), Definition A.3.
    """

    curve: ConcaveFunction

    def __post_init__(self) -> None:
        """Refuse a curve that is no power function."""
        read_type(self.curve, ConcaveFunction, "curve")
        chain = self.curve.chain
        last = len(chain) - 1
        if (
            chain.x(0) != 0
            or chain.x(last) != 1
            or chain.y(0) < 0
            or chain.y(last) != 1
            or chain.y(last - 1) > 1
        ):
            raise InputError(
                "not a power function",
                found=f"from ({chain.x(0)}, {chain.y(0)}) to ({chain.x(last)}, {chain.y(last)})",
                expected="give a concave non-decreasing curve over [0, 1] that ends at (1, 1)",
            )

    @classmethod
    def from_vertices(cls, points: Iterable[tuple[object, object]]) -> PowerFunction:
        """Return the power function through some points from alpha = 0 to alpha = 1.

        Raises:
            InputError: The points are not on a concave non-decreasing curve that ends at (1, 1).

        Example:
            >>> PowerFunction.from_vertices([(0, 0), ("1/4", "3/4"), (1, 1)]).swapped()
            PowerFunction((0, 0), (1/4, 3/4), (1, 1))
        """
        return cls(ConcaveFunction.through(points))

    @classmethod
    def of_ladder(cls, ladder: Ladder) -> PowerFunction:
        """Return Pow(P||Q) of a ladder; its vertices are computed when asked for."""
        return cls(ConcaveFunction(LadderChain(read_type(ladder, Ladder, "ladder"))))

    @classmethod
    def identity(cls) -> PowerFunction:
        """Return the power function of two equal laws, the least of all."""
        return cls.from_vertices([(0, 0), (1, 1)])

    @classmethod
    def dp(
        cls,
        *unnamed: Never,
        epsilon: object = None,
        exp_epsilon: object = None,
        delta: object = 0,
    ) -> PowerFunction:
        """Return DP_{epsilon, delta}, the largest power function of an (epsilon, delta)-DP pair.

        Args:
            unnamed: None: an epsilon and an e^epsilon look alike without their names.
            epsilon: From 0 to 400 000, or infinity (the constant 1); this or ``exp_epsilon``.
            exp_epsilon: e^epsilon, at least 1.
            delta: In [0, 1].

        Raises:
            InputError: A value is outside its domain.
            LimitError: Epsilon is finite and above 400 000, where no query could be answered.

        Returns:
            f with Pow(P||Q) <= f if and only if Q(S) <= e^epsilon P(S) + delta and
            P(S) <= e^epsilon Q(S) + delta for every S.

        Example:
            >>> PowerFunction.dp(exp_epsilon=2, delta="1/10").vertices[1]
            (Exact('3/10'), Exact('7/10'))

        Source: paper 1, Fact A.5; Dong, Roth and Su 2022, Proposition 2.5.
        """
        refuse_unnamed(unnamed, 'dp(epsilon=1, delta="1/100")')
        bound = read_exp_epsilon(epsilon=epsilon, exp_epsilon=exp_epsilon, least=1)
        share = read_probability(delta, "delta")
        if bound is None or share == 1:
            return cls.from_vertices([(0, 1), (1, 1)])
        exponent = bound.pure_exponent()
        if exponent is not None and exponent > _LARGEST_EPSILON:
            raise LimitError(
                f"epsilon is above {_LARGEST_EPSILON}",
                where="epsilon",
                found=str(exponent),
                expected='write a smaller epsilon, or "inf" for no guarantee at all',
            )
        turn = (1 - share) / (1 + bound)
        points: list[tuple[object, object]] = [(0, share), (turn, 1 - turn), (1 - share, 1)]
        if share > 0:
            points.append((1, 1))
        return cls.from_vertices(points)

    @classmethod
    def supremum(cls, functions: Iterable[PowerFunction]) -> PowerFunction:
        """Return the least power function above all the given ones.

        Guarantee: an upper bound of each of them, and the least concave one. It **can exceed the
        pointwise maximum**: where that is not concave, a seen coin that picks one of two pairs
        attains the value between. No function at all gives the identity.

        Example:
            >>> loss = PowerFunction.from_vertices([(0, "1/2"), (1, 1)])
            >>> rr = PowerFunction.dp(exp_epsilon=9)
            >>> PowerFunction.supremum([loss, rr])("1/20"), max(loss("1/20"), rr("1/20"))
            (Exact('7/10'), Exact('21/40'))

        Source: paper 1, Definition A.7.
        """
        given = read_many(functions, PowerFunction, "functions")
        if not given:
            return cls.identity()
        if len(given) == 1:
            return given[0]
        chains = [function.curve.chain for function in given]
        ladders = [chain.ladder for chain in chains if isinstance(chain, LadderChain)]
        if len(ladders) == len(chains):
            return cls.of_ladder(majorant_ladder(ladders))
        return cls(given[0].curve.majorant(*(function.curve for function in given[1:])))

    def __call__(self, alpha: object) -> Exact:
        """Return the power at false-alarm level ``alpha`` in [0, 1].

        Raises:
            InputError: ``alpha`` is no number in [0, 1].
        """
        return self.curve(read_probability(alpha, "alpha"))

    @property
    def vertices(self) -> tuple[Point, ...]:
        """The corners (alpha, power), from alpha = 0 to alpha = 1."""
        return self.curve.points

    def after(self, inner: PowerFunction) -> PowerFunction:
        """Return x -> self(inner(x)): with f = self, two hops of f cost at most f.after(f).

        Guarantee: if Pow(X||Y) <= inner and Pow(Y||Z) <= self, then Pow(X||Z) is at most this.

        Source: paper 1, Fact A.6; Dong, Roth and Su 2022, Theorem 2.14.
        """
        return PowerFunction(self.curve.after(read_type(inner, PowerFunction, "inner").curve))

    def tensor(
        self, other: PowerFunction, *, limit_atoms: int = DEFAULT_LIMIT_ATOMS
    ) -> PowerFunction:
        """Return the power function of two independent pairs, one for each factor.

        Raises:
            LimitError: The product has more than ``limit_atoms`` atoms before merging.

        Source: paper 1, Definition A.8.
        """
        factor = read_type(other, PowerFunction, "other").pair()
        return self.pair().tensor(factor, limit_atoms=limit_atoms).power_function()

    def pair(self) -> Pair:
        """Return the merged pair that has this power function."""
        chain = self.curve.chain
        if isinstance(chain, LadderChain):
            return Pair(chain.ladder)
        points = self.vertices
        zero = exact_number(0)
        steps = [(zero, points[0][1])]
        steps += [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(points)]
        return Pair.from_masses(steps)

    def swapped(self) -> PowerFunction:
        """Return Pow(Q||P), the curve mirrored at the line y = 1 - x."""
        chain = self.curve.chain
        if isinstance(chain, LadderChain):
            return PowerFunction.of_ladder(chain.ladder.swapped())
        mirrored = [(1 - y, 1 - x) for x, y in reversed(self.vertices)]
        if mirrored[-1][0] != 1:
            mirrored.append((exact_number(1), exact_number(1)))
        if mirrored[1][0] == 0:
            del mirrored[0]
        return PowerFunction(ConcaveFunction(PointChain(tuple(mirrored))))

    def profile(self) -> PrivacyProfile:
        """Return the privacy profile of the same pair, the conjugate of this function."""
        from .profile import PrivacyProfile

        return PrivacyProfile(self)

    def __eq__(self, other: object) -> bool:
        """Return whether both functions are the same everywhere."""
        if not isinstance(other, PowerFunction):
            return NotImplemented
        return self.curve == other.curve

    def __hash__(self) -> int:
        """Hash by the vertices."""
        return hash(self.curve)

    def __le__(self, other: PowerFunction) -> bool:
        """Return whether this function is at most the other one everywhere."""
        if not _is_power_function(other):
            return NotImplemented
        return self.curve <= other.curve

    def __ge__(self, other: PowerFunction) -> bool:
        """Return whether this function is at least the other one everywhere."""
        if not _is_power_function(other):
            return NotImplemented
        return other.curve <= self.curve

    def __lt__(self, other: PowerFunction) -> bool:
        """Return whether this function is at most the other one everywhere, and differs."""
        if not _is_power_function(other):
            return NotImplemented
        return self <= other and self != other

    def __gt__(self, other: PowerFunction) -> bool:
        """Return whether this function is at least the other one everywhere, and differs."""
        if not _is_power_function(other):
            return NotImplemented
        return other < self

    def __repr__(self) -> str:
        """Show the vertices, cut after the first few."""
        chain = self.curve.chain
        shown = ", ".join(f"({chain.x(i)}, {chain.y(i)})" for i in range(min(_SHOWN, len(chain))))
        more = f", ... {len(chain)} in all" if len(chain) > _SHOWN else ""
        return f"PowerFunction({shown}{more})"


def _is_power_function(value: object) -> bool:
    return isinstance(value, PowerFunction)
