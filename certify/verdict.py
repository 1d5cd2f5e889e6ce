"""What an audit says: claims, judgements, witnesses and the report that holds them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..accounting.epsilon import read_exp_epsilon
from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Enclosure, Exact, LogExact, exact_number
from ..accounting.profile import PrivacyProfile

if TYPE_CHECKING:
    # The checklist reads specs, and specs read claims from here.
    from .checklist.findings import Checklist

__all__ = [
    "Adversary",
    "AuditReport",
    "Claim",
    "ClaimResult",
    "Judgement",
    "ProfileBounds",
    "Verdict",
    "Witness",
    "excess_of",
    "worst_verdict",
]

Adversary = Literal["adaptive", "nonadaptive"]
Verdict = Literal["holds", "violated", "undecided", "no-claim"]
History = tuple[Hashable, ...]
InputPair = tuple[Hashable, Hashable]

_SEVERITY: Mapping[Verdict, int] = {"no-claim": 0, "holds": 1, "undecided": 2, "violated": 3}


def worst_verdict(verdicts: tuple[Verdict, ...]) -> Verdict:
    """Return the most serious of several verdicts; none at all is "no-claim".

    Example:
        >>> worst_verdict(("holds", "violated", "undecided"))
        'violated'
    """
    worst: Verdict = "no-claim"
    for verdict in verdicts:
        if _SEVERITY[verdict] > _SEVERITY[worst]:
            worst = verdict
    return worst


@dataclass(frozen=True)
class Claim:
    """A claimed guarantee: (epsilon, delta) against one kind of adversary.

    Args:
        exp_epsilon: e^epsilon >= 1, an Exact, or math.inf (vacuous).
        delta: In [0, 1].
        adversary: "adaptive" (inputs may react to views) or "nonadaptive" (streams fixed first).

    Example:
        >>> Claim.of(epsilon="ln(2)", delta="1/3")
        Claim(exp_epsilon=Exact('2'), delta=Exact('1/3'), adversary='adaptive')
    """

    exp_epsilon: Exact | float
    delta: Exact
    adversary: Adversary = "adaptive"

    @classmethod
    def of(
        cls,
        *,
        epsilon: object = None,
        exp_epsilon: object = None,
        delta: object = 0,
        adversary: str = "adaptive",
    ) -> Claim:
        """Build a claim from text or numbers.

        Args:
            epsilon: Number >= 0 ("1", "1/10", "ln(3)", "inf"); this or ``exp_epsilon``, or both
                if they agree.
            exp_epsilon: Number >= 1 or "inf".
            delta: Number in [0, 1].
            adversary: "adaptive", "nonadaptive", or "fixed" (another word for the latter).

        Raises:
            InputError: A number is out of its domain, or the two forms of epsilon disagree.
        """
        bound = _exp_epsilon_of(epsilon, exp_epsilon)
        try:
            share = exact_number(delta)
        except InputError as error:
            raise error.located("claim.delta") from None
        if share < 0 or share > 1:
            raise InputError(
                "delta is not in [0, 1]",
                where="claim.delta",
                found=str(share),
                expected="write a probability",
            )
        word = "nonadaptive" if adversary == "fixed" else adversary
        if word not in ("adaptive", "nonadaptive"):
            raise InputError(
                "unknown adversary",
                where="claim.adversary",
                found=repr(adversary),
                expected='write "adaptive" or "nonadaptive"',
            )
        return cls(bound, share, "adaptive" if word == "adaptive" else "nonadaptive")

    @property
    def epsilon(self) -> Exact | LogExact | float:
        """Epsilon as the simplest exact number: rational where e^epsilon is exp(rational)."""
        if not isinstance(self.exp_epsilon, Exact):
            return math.inf
        return self.exp_epsilon.log().simplified()


def _exp_epsilon_of(epsilon: object, exp_epsilon: object) -> Exact | float:
    """Read e^epsilon from either form, and demand agreement when both are given."""
    if epsilon is None and exp_epsilon is None:
        raise InputError(
            "a claim needs epsilon or exp_epsilon",
            where="claim",
            expected='write epsilon = "ln(2)" or exp_epsilon = "2"',
        )
    from_epsilon = None if epsilon is None else _bound(epsilon=epsilon)
    from_exp = None if exp_epsilon is None else _bound(exp_epsilon=exp_epsilon)
    if from_epsilon is not None and from_exp is not None and from_epsilon != from_exp:
        raise InputError(
            "contradictory claim: epsilon and exp_epsilon disagree",
            where="claim",
            found=f"epsilon = {epsilon} and exp_epsilon = {exp_epsilon}",
            expected="keep one of the two",
        )
    bound = from_exp if from_exp is not None else from_epsilon
    assert bound is not None
    return bound


def _bound(*, epsilon: object = None, exp_epsilon: object = None) -> Exact | float:
    """Read one form of e^epsilon >= 1; infinity is math.inf."""
    try:
        bound = read_exp_epsilon(epsilon=epsilon, exp_epsilon=exp_epsilon, least=1)
    except InputError as error:
        place = "claim.epsilon" if exp_epsilon is None else "claim.exp_epsilon"
        raise InputError(
            error.what, where=place, found=error.found, expected=error.expected
        ) from None
    return math.inf if bound is None else bound


@dataclass(frozen=True)
class Witness:
    """What attains (or, under a limit, comes closest to) the worst case, replayed exactly.

    Args:
        order: "0-1" if the excess is P0(S) - e^epsilon P1(S), "1-0" if the worlds swap.
        p0: Exact probability of the whole event in world 0; p1 the same in world 1.
        event: The first transcripts of the event S (tuples of views).
        event_size: How many transcripts S holds in all; None where that was not counted.
        strategy: Adaptive only: (history, pair of inputs) for the first histories, breadth first.
        strategy_size: How many histories the whole strategy covers, or None likewise.
        pair: Nonadaptive only: the two input streams.
        truncated: True where ``event`` or ``strategy`` was cut.
    """

    order: Literal["0-1", "1-0"]
    p0: Exact
    p1: Exact
    event: tuple[History, ...]
    event_size: int | None
    strategy: tuple[tuple[History, InputPair], ...] | None = None
    strategy_size: int | None = 0
    pair: tuple[History, History] | None = None
    truncated: bool = False

    def excess(self, exp_epsilon: Exact) -> Enclosure:
        """Return P(S) - e^epsilon Q(S) in the witness's own order (see :func:`excess_of`)."""
        return excess_of(self.order, self.p0, self.p1, exp_epsilon)


def excess_of(order: Literal["0-1", "1-0"], p0: Exact, p1: Exact, exp_epsilon: Exact) -> Enclosure:
    """Return P0 - e^epsilon P1, or the worlds swapped for the order "1-0".

    Guarantee: exact (both ends agree) wherever the numbers fit over one generator e^g; else
    rounded outward at 256 bits.

    Example:
        >>> str(excess_of("1-0", Exact("1/4"), Exact("3/4"), Exact(2)).upper)
        '1/4'
    """
    first, second = (p0, p1) if order == "0-1" else (p1, p0)
    try:
        return Enclosure.point(first - exp_epsilon * second)
    except LimitError:
        pairs = [(first, Exact(1)), (second, -exp_epsilon)]
        return Enclosure.of_sum_of_products(pairs, bits=256)


@dataclass(frozen=True)
class ProfileBounds:
    """The privacy profile of the worse order, exact or between two certified curves."""

    lower: PrivacyProfile
    upper: PrivacyProfile

    @property
    def is_exact(self) -> bool:
        """Whether both curves are the same."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Judgement:
    """One claim judged against one kind of adversary.

    Every number is an Enclosure whose ends agree where the result is exact (ends may be math.inf).
    ``exp_epsilon_at_delta`` is the least e^epsilon >= 1 that suffices at the claimed delta,
    ``pure_exp_epsilon`` the least at delta = 0, ``least_delta`` the mass that no epsilon hides.
    """

    verdict: Verdict
    delta_at_claim: Enclosure | None
    exp_epsilon_at_delta: Enclosure | None
    pure_exp_epsilon: Enclosure
    least_delta: Enclosure
    witness: Witness | None
    tight: bool = False
    reason: str = ""


@dataclass(frozen=True)
class ClaimResult:
    """One claim (or none) judged against both kinds of adversary."""

    claim: Claim | None
    adaptive: Judgement
    nonadaptive: Judgement
    gap_at_claim: Enclosure | None

    @property
    def verdict(self) -> Verdict:
        """The verdict against the adversary that the claim names."""
        if self.claim is None:
            return "no-claim"
        judged = self.adaptive if self.claim.adversary == "adaptive" else self.nonadaptive
        return judged.verdict


@dataclass(frozen=True, repr=False)
class AuditReport:
    """Everything one audit found.

    ``gap_where`` lists the closed intervals of e^epsilon on which the adaptive profile exceeds the
    nonadaptive one (None where that is not decided). ``checklist`` says whether a proof for fixed
    streams would survive feedback.
    """

    name: str
    results: tuple[ClaimResult, ...]
    adaptive_profile: ProfileBounds | None
    nonadaptive_profile: ProfileBounds
    gap_where: tuple[tuple[Exact, Exact | float], ...] | None
    checklist: Checklist
    limits: Mapping[str, str | int | float | bool] = field(
        default_factory=dict[str, "str | int | float | bool"]
    )
    statistics: Mapping[str, str | int | float] = field(
        default_factory=dict[str, "str | int | float"]
    )
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all claims."""
        return worst_verdict(tuple(result.verdict for result in self.results))

    def __repr__(self) -> str:
        """Name the subject and the verdict; ``str`` is the whole text."""
        return f"AuditReport({self.name!r}, {self.verdict!r})"

    def __str__(self) -> str:
        """Return the text that ``certify audit`` prints, without its last line feed."""
        from .report.text import render_text

        return render_text(self).rstrip("\n")
