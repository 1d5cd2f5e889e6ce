"""Frozen records of what was certified, for whoever builds on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import InputError
from .numbers import Exact
from .power import PowerFunction
from .profile import PrivacyProfile

__all__ = ["Basis", "Certificate"]

Basis = Literal["Definition E.3", "Remark E.5", "context stability"]


@dataclass(frozen=True, repr=False)
class Certificate:
    """A proof record: a mechanism passed Checklist 1, so its fixed-stream guarantee is adaptive.

    Guarantee: issued by ``certify.checklist`` only. No adversary, adaptive or not, that feeds
    neighbouring streams of the relation for ``horizon`` rounds tells the worlds apart better than
    ``power`` allows, by the core releases or by anything computed from them; nor for fewer rounds,
    where ``shorter_too``.

    Args:
        mechanism: The name it was audited under.
        relation: The neighbouring relation, by name.
        digest: What the relation relates (``mechanisms.relation_digest``); names may collide.
        horizon: Rounds T >= 1 that were decided.
        shorter_too: Whether related streams of fewer rounds can all be continued to T rounds.
        basis: What stands in for condition 4: Definition E.3 as printed, its difference form
            (Remark E.5), or context stability, which the proof uses.
        power: The power function (1 - tradeoff) of world 0 against null world 1, over all fixed
            pairs of neighbouring streams.

    Raises:
        InputError: The horizon is below 1 or a name is empty.

    Example:
        >>> certificate = Certificate(
        ...     "flip", "hamming", "5eed", 3, True, "Definition E.3",
        ...     PowerFunction.dp(exp_epsilon=2, delta=0))
        >>> certificate.delta(exp_epsilon="3/2"), certificate.profile.exp_epsilon(delta=0)
        (Exact('1/6'), Exact('2'))
        >>> certificate.require(digest="5eed", horizon=3)

    Source: Theorem 4.3 and Theorem E.4 of the buffering-recipe paper.
    """

    mechanism: str
    relation: str
    digest: str
    horizon: int
    shorter_too: bool
    basis: Basis
    power: PowerFunction

    def __post_init__(self) -> None:
        """Refuse a record that says nothing."""
        if not self.mechanism or not self.relation:
            raise InputError("a certificate names its mechanism and its relation")
        if self.horizon < 1:
            raise InputError("a horizon is at least 1", found=str(self.horizon))

    @property
    def profile(self) -> PrivacyProfile:
        """The privacy profile of the worse order, against adaptive adversaries too."""
        profile = self.power.profile()
        return PrivacyProfile.maximum([profile, profile.swapped()])

    def delta(self, *, epsilon: object = None, exp_epsilon: object = None) -> Exact:
        """Return the certified delta at an epsilon, for the worse order.

        Guarantee: exact for the worst fixed pair, and so for the worst adaptive adversary.

        Args:
            epsilon: Number >= 0 ("1/10", "ln(3)"); this or ``exp_epsilon``.
            exp_epsilon: e^epsilon >= 1.
        """
        return self.profile.delta(epsilon=epsilon, exp_epsilon=exp_epsilon)

    def require(self, *, digest: str, horizon: int) -> None:
        """Check that the certificate covers a use.

        Args:
            digest: ``relation_digest(relation, certificate.horizon)`` of the relation in use.
            horizon: Rounds in use.

        Raises:
            InputError: It is for other neighbouring streams, or for another number of rounds.

        Example:
            >>> identity = PowerFunction.identity()
            >>> Certificate("m", "hamming", "5eed", 2, True, "Remark E.5", identity).require(
            ...     digest="ab", horizon=2)
            Traceback (most recent call last):
            ...
            powercert.accounting.errors.InputError: certificate of m: it is for other neighbouring \
streams; found relation hamming, digest 5eed; certify the mechanism for the relation in use
        """
        where = f"certificate of {self.mechanism}"
        if digest != self.digest:
            raise InputError(
                "it is for other neighbouring streams",
                where=where,
                found=f"relation {self.relation}, digest {self.digest}",
                expected="certify the mechanism for the relation in use",
            )
        if horizon > self.horizon or (horizon < self.horizon and not self.shorter_too):
            only = "only" if self.shorter_too else "exactly"
            raise InputError(
                f"it covers {self.horizon} rounds {only}",
                where=where,
                found=f"{horizon} rounds wanted",
                expected="certify the mechanism for that many rounds",
            )

    def __repr__(self) -> str:
        """Say what is certified, and by what; the power function may be long."""
        return (
            f"Certificate({self.mechanism!r}, {self.relation!r}, {self.horizon} rounds, "
            f"{self.basis!r})"
        )
