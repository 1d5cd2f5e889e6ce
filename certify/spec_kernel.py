"""The rows of a table mechanism: every row looked at once, every group of rows added up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..accounting.numbers import Exact, exact_number
from .history import view_text
from .spec_problems import Problems, describe, is_list, is_table
from .spec_values import Alphabet, Numbers

__all__ = ["Group", "KernelTable", "Law", "check_total", "read_initial", "read_kernel", "shown"]

Group = tuple[int | None, str, str]
Law = dict[tuple[str, str], Exact]
_ROW = '[round or "*", state, input, output, next_state, probability]'
_LONGEST = 80
_ZERO = exact_number(0)
_ROUNDED = Fraction(1, 100)


@dataclass(frozen=True)
class KernelTable:
    """Laws of (output, next state) by (round, state, input); round None is every round.

    Args:
        laws: Weights above 0 (rows of weight 0 say that an outcome cannot happen).
    """

    laws: Mapping[Group, Law]

    def law(self, round_number: int, state: str, item: str) -> Law | None:
        """Return the law that applies in a round, or None."""
        found = self.laws.get((round_number, state, item))
        return self.laws.get((None, state, item)) if found is None else found

    def rounds_of(self, item: str) -> frozenset[int | None]:
        """Return the rounds in which an input has rows (None for every round)."""
        return frozenset(key[0] for key in self.laws if key[2] == item)

    def states_by_round(self) -> dict[int | None, set[str]]:
        """Return the states that have rows, by round (None for every round)."""
        found: dict[int | None, set[str]] = {}
        for number, state, _ in self.laws:
            found.setdefault(number, set()).add(state)
        return found

    @staticmethod
    def place(number: int | None, state: str, item: str) -> str:
        """Return the place of a group of rows, for messages."""
        when = "every round" if number is None else f"round {number}"
        return f"{when}, state {view_text(state)}, input {view_text(item)}"

    def rows(self) -> list[tuple[int | str, str, str, str, str, Exact]]:
        """Return the rows, without those of probability 0."""
        return [
            ("*" if number is None else number, state, item, output, following, weight)
            for (number, state, item), law in self.laws.items()
            for (output, following), weight in law.items()
        ]


def shown(number: Exact) -> str:
    """Return an exact number for a message: its text, or its decimal where that is long.

    Example:
        >>> from powercert.accounting.numbers import exact_number
        >>> shown(exact_number("1/100"))
        '1/100'
    """
    text = str(number)
    return text if len(text) <= _LONGEST else f"about {number.decimal()}"


def read_kernel(
    rows: Sequence[object],
    rounds: int,
    alphabets: tuple[Alphabet, Alphabet, Alphabet],
    numbers: Numbers,
    problems: Problems,
) -> KernelTable:
    """Read kernel rows.

    Args:
        rows: Rows [round or "*", state, input, output, next_state, probability].
        rounds: Number of rounds.
        alphabets: The declared states, inputs and outputs.
        numbers: Reads the probabilities.
        problems: Where problems go: bad fields, repeated rows, overlapping rounds, sums.
    """
    states, inputs, outputs = alphabets
    laws: dict[Group, Law] = {}
    incomplete: set[Group] = set()
    lost = _LostRows()
    for index, row in enumerate(rows):
        if not is_list(row) or len(row) != 6:
            problems.add(
                "not a row", where=f"kernel[{index}]", found=describe(row), expected=f"write {_ROW}"
            )
            continue
        number = _round(row[0], rounds)
        state, item = states.find(row[1]), inputs.find(row[2])
        output, following = outputs.find(row[3]), states.find(row[4])
        weight = numbers.known(row[5])
        if weight is None:
            weight = numbers.probability(row[5], f"kernel[{index}].probability")
        if number == 0:
            problems.add(
                "not a round",
                where=f"kernel[{index}].round",
                found=describe(row[0]),
                expected=f'write a whole number from 1 to {rounds}, or "*" for every round',
            )
        if state is None:
            states.refuse(row[1], f"kernel[{index}].state", problems)
        if item is None:
            inputs.refuse(row[2], f"kernel[{index}].input", problems)
        if output is None:
            outputs.refuse(row[3], f"kernel[{index}].output", problems)
        if following is None:
            states.refuse(row[4], f"kernel[{index}].next_state", problems)
        if number == 0 or state is None or item is None:
            lost.add(state, item)
            continue
        group = (number, state, item)
        if output is None or following is None or weight is None:
            incomplete.add(group)
            continue
        law = laws.setdefault(group, {})
        if (output, following) in law:
            problems.add(
                "duplicate row",
                where=f"kernel[{index}] ({KernelTable.place(*group)}, output {view_text(output)}, "
                f"next state {view_text(following)})",
                found=f"probability {shown(weight)} after {shown(law[output, following])}",
                expected="keep one row, with the sum of both if both are meant",
            )
            incomplete.add(group)
            continue
        law[output, following] = weight
    for group, law in laws.items():
        if group not in incomplete and not lost.may_belong(group):
            check_total(law.values(), KernelTable.place(*group), problems)
        if group[0] is not None and (None, group[1], group[2]) in laws:
            problems.add(
                f'rows for round {group[0]} overlap rows for every round ("*")',
                where=f"kernel: {KernelTable.place(*group)}",
                expected="give this state and input rows of the one kind only",
            )
    # A group that only has bad rows is not missing: its own problems are told already.
    for group in incomplete:
        laws.setdefault(group, {})
    return KernelTable({group: _possible(law) for group, law in laws.items()})


def _possible(law: Law) -> Law:
    if all(weight != 0 for weight in law.values()):
        return law
    return {key: weight for key, weight in law.items() if weight != 0}


class _LostRows:
    """Rows whose round, state or input is wrong: what they would add to is unknown."""

    def __init__(self) -> None:
        self._known: set[tuple[str | None, str | None]] = set()

    def add(self, state: str | None, item: str | None) -> None:
        """Remember what is known of such a row."""
        self._known.add((state, item))

    def may_belong(self, group: Group) -> bool:
        """Whether such a row may have been meant for a group, whose sum then says nothing."""
        _, state, item = group
        candidates = ((state, item), (state, None), (None, item), (None, None))
        return bool(self._known) and any(one in self._known for one in candidates)


def _round(value: object, rounds: int) -> int | None:
    """Return the round, None for every round, or 0 for what is neither."""
    if type(value) is int:
        return value if 1 <= value <= rounds else 0
    return None if type(value) is str and value == "*" else 0


def check_total(weights: Collection[Exact], where: str, problems: Problems) -> None:
    """Check that probabilities add up to exactly 1; the problem says what is missing."""
    if not weights:
        return
    total = sum(weights, _ZERO)
    if total == 1:
        return
    gap = 1 - total
    amount = f"missing {shown(gap)}" if gap > 0 else f"{shown(-gap)} too much"
    rounded = gap.is_rational and -_ROUNDED <= gap <= _ROUNDED
    problems.add(
        f"probabilities sum to {shown(total)}, not 1 ({amount})",
        where=where,
        expected='write exact numbers such as "1/3" where decimals are rounded' if rounded else "",
    )


def read_initial(
    value: object, states: Alphabet, numbers: Numbers, problems: Problems
) -> dict[str, Exact]:
    """Read the law of the first state: a table, or the name of one state."""
    if not is_table(value):
        name = states.resolve(value, "initial", problems)
        one = numbers.probability(1, "initial")
        return {name: one} if name is not None and one is not None else {}
    law: dict[str, Exact] = {}
    for key, given in value.items():
        name = states.resolve(key, "initial", problems)
        weight = numbers.probability(given, f"initial.{view_text(key)}")
        if name is not None and weight is not None:
            law[name] = weight
    if len(law) == len(value):
        check_total(law.values(), "initial", problems)
    return {name: weight for name, weight in law.items() if weight != 0}
