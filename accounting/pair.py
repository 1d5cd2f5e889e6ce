"""Pairs of finite laws, seen through their likelihood ratios."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from .arguments import read_integer, read_items, read_tuple, read_type
from .errors import InputError
from .ladder import DEFAULT_LIMIT_ATOMS, Ladder, ladder_of
from .ladder_products import compose_ladders
from .numbers import Exact, exact_number

if TYPE_CHECKING:
    from .power import PowerFunction
    from .profile import PrivacyProfile

__all__ = ["Pair"]

_SHOWN = 8
_LONGEST_TEXT = 120
_MASSES = '[("1/4", "3/4"), ("3/4", "1/4")]'
_DIRECT_PRODUCTS = 1000
"""Up to here writing a product out is faster than looking for coinciding ratios first."""


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two laws on one finite space: P, the null, and Q, the alternative.

    Only the likelihood ratios matter to privacy. Outcomes of equal Q/P are merged, and two pairs
    are equal if their merged atoms are: then, and only then, they have one power function.

    Example:
        >>> pair = Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"])
        >>> pair.atoms
        ((Exact('1/4'), Exact('3/4')), (Exact('3/4'), Exact('1/4')))
        >>> pair.tensor(pair) == pair.times(2)
        True
    """

    ladder: Ladder

    def __post_init__(self) -> None:
        """Refuse what is no ladder of atoms."""
        read_type(self.ladder, Ladder, "ladder", "use Pair.from_laws(P, Q)")

    @classmethod
    def from_laws(
        cls,
        null: Mapping[Any, object] | Sequence[object],
        alternative: Mapping[Any, object] | Sequence[object],
    ) -> Pair:
        """Return the pair of two laws given as lists of one length or as mappings.

        Args:
            null: Probabilities of P (text, integers, fractions, exact numbers), summing to 1.
            alternative: Probabilities of Q. In mappings a missing outcome has probability 0.

        Raises:
            InputError: A law is no law: the message says which one and what is missing.
        """
        if isinstance(null, Mapping) and isinstance(alternative, Mapping):
            p_law, q_law = _read_mapping(null, "P"), _read_mapping(alternative, "Q")
            zero = exact_number(0)
            outcomes = dict.fromkeys([*p_law, *q_law])
            masses = [(p_law.get(key, zero), q_law.get(key, zero)) for key in outcomes]
        elif isinstance(null, Mapping) or isinstance(alternative, Mapping):
            raise InputError(
                "one law is a mapping and the other is not",
                expected="give two lists of one length, or two mappings",
            )
        else:
            p_list, q_list = _read_list(null, "P"), _read_list(alternative, "Q")
            if len(p_list) != len(q_list):
                raise InputError(
                    "the laws have different lengths",
                    found=f"{len(p_list)} outcomes in P and {len(q_list)} in Q",
                    expected="give one probability for each outcome, 0 where it cannot occur",
                )
            masses = list(zip(p_list, q_list, strict=True))
        return cls.from_masses(masses)

    @classmethod
    def from_masses(cls, masses: Iterable[tuple[Exact, Exact]]) -> Pair:
        """Return the pair with the given (P mass, Q mass) atoms, in any order.

        Raises:
            InputError: An atom is no couple of numbers, a mass is negative, or a law does not sum
                to exactly one.
        """
        atoms = [
            _read_atom(atom, f"masses[{index}]")
            for index, atom in enumerate(read_items(masses, "masses", f"write {_MASSES}"))
        ]
        for name, law in (("P", [p for p, _ in atoms]), ("Q", [q for _, q in atoms])):
            _demand_law(law, name)
        return cls(ladder_of(atoms))

    @property
    def atoms(self) -> tuple[tuple[Exact, Exact], ...]:
        """Merged (P mass, Q mass) by falling likelihood ratio Q/P, infinite first."""
        return self.ladder.masses

    def swapped(self) -> Pair:
        """Return the pair (Q, P)."""
        return Pair(self.ladder.swapped())

    def tensor(self, other: Pair, *, limit_atoms: int = DEFAULT_LIMIT_ATOMS) -> Pair:
        """Return the pair of products, (P x P', Q x Q').

        Raises:
            LimitError: The product has more than ``limit_atoms`` atoms (of 2048 bits).
        """
        read_type(other, Pair, "other")
        read_integer(limit_atoms, "limit_atoms", least=1)
        if len(self.ladder) * len(other.ladder) <= _DIRECT_PRODUCTS:
            return Pair(self.ladder.tensor(other.ladder, limit_atoms=limit_atoms))
        factors = [(self.ladder, 1), (other.ladder, 1)]
        return Pair(compose_ladders(factors, limit_atoms=limit_atoms))

    def times(self, count: int, *, limit_atoms: int = DEFAULT_LIMIT_ATOMS) -> Pair:
        """Return the pair of ``count`` independent draws; 0 draws give two equal laws.

        Raises:
            InputError: ``count`` is not an integer of at least 0.
            LimitError: The result has more than ``limit_atoms`` atoms (of 2048 bits).

        Example:
            >>> Pair.from_laws(["3/4", "1/4"], ["1/4", "3/4"]).times(2).profile().delta(exp_epsilon=3)
            Exact('3/8')
        """
        power = read_count(count)
        read_integer(limit_atoms, "limit_atoms", least=1)
        return Pair(compose_ladders([(self.ladder, power)], limit_atoms=limit_atoms))

    def power_function(self) -> PowerFunction:
        """Return Pow(P||Q): the largest Q(S) over randomised tests S with P(S) <= alpha."""
        from .power import PowerFunction

        return PowerFunction.of_ladder(self.ladder)

    def profile(self) -> PrivacyProfile:
        """Return the privacy profile of Q against the null P."""
        from .profile import PrivacyProfile

        return PrivacyProfile(self.power_function())

    def __eq__(self, other: object) -> bool:
        """Return whether the merged atoms are the same."""
        if not isinstance(other, Pair):
            return NotImplemented
        return self is other or (
            len(self.ladder) == len(other.ladder) and self.atoms == other.atoms
        )

    def __hash__(self) -> int:
        """Hash by the merged atoms."""
        return hash(self.atoms)

    def __repr__(self) -> str:
        """Show the merged atoms, cut after the first few."""
        shown = ", ".join(f"({p}, {q})" for p, q in self.atoms[:_SHOWN])
        more = f", ... {len(self.ladder)} in all" if len(self.ladder) > _SHOWN else ""
        return f"Pair({shown}{more})"


def read_count(value: object) -> int:
    """Return a number of draws: an integer of at least 0, never a bool."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            "a number of draws must be an integer",
            found=f"{value!r} of type {type(value).__name__}",
            expected="write an int such as 10",
        )
    if value < 0:
        raise InputError(
            "a number of draws is negative", found=str(value), expected="write 0 or more"
        )
    return value


def _read_mapping(law: Mapping[Any, object], name: str) -> dict[Hashable, Exact]:
    return {key: _read_mass(value, f"{name}[{key!r}]") for key, value in law.items()}


def _read_list(law: object, name: str) -> list[Exact]:
    if isinstance(law, (str, bytes)) or not isinstance(law, Sequence):
        raise InputError(
            "not a law",
            where=name,
            found=f"{type(law).__name__}",
            expected='write a list such as ["1/2", "1/2"] or a mapping {outcome: probability}',
        )
    values = cast("Sequence[object]", law)
    return [_read_mass(value, f"{name}[{index}]") for index, value in enumerate(values)]


def _read_atom(atom: object, where: str) -> tuple[Exact, Exact]:
    p, q = read_tuple(atom, where, 'write ("1/4", "3/4")')
    try:
        return exact_number(p), exact_number(q)
    except InputError as error:
        raise error.located(where) from None


def _read_mass(value: object, where: str) -> Exact:
    try:
        mass = exact_number(value)
    except InputError as error:
        raise error.located(where) from None
    if mass < 0 or mass > 1:
        raise InputError(
            "not a probability", where=where, found=str(mass), expected="write a number in [0, 1]"
        )
    return mass


def _text(number: Exact) -> str:
    text = str(number)
    return text if len(text) <= _LONGEST_TEXT else f"about {number.decimal(15)}"


def _demand_law(law: Sequence[Exact], name: str) -> None:
    """Refuse masses that are negative or do not sum to one, saying what is missing."""
    side = {"P": "P (the null law)", "Q": "Q (the alternative law)"}[name]
    if not law:
        raise InputError("the law has no outcome", where=side, expected="give at least one outcome")
    for index, mass in enumerate(law):
        if mass < 0:
            raise InputError("negative probability", where=f"{name}[{index}]", found=str(mass))
    total = sum(law, exact_number(0))
    if total != 1:
        gap = 1 - total
        change = f"missing {_text(gap)}" if gap > 0 else f"{_text(-gap)} too much"
        raise InputError(
            f"probabilities sum to {_text(total)}, not 1 ({change})",
            where=side,
            expected='write exact numbers such as "1/3" instead of rounded decimals',
        )
