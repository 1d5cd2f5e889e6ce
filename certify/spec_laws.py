"""The two forms without states: laws of the next view, and joint laws of whole transcripts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from ..accounting.numbers import Exact
from .history import join_history, view_text
from .relation_graph import RelationGraph
from .spec_kernel import check_total, shown
from .spec_problems import Problems, describe, is_list, is_table
from .spec_reach import reach
from .spec_values import Alphabet, Numbers, look_alike, read_history

__all__ = [
    "LawRows",
    "Names",
    "enter",
    "entries",
    "is_law",
    "law_table",
    "outcome_text",
    "read_laws",
    "read_outcomes",
]

Names = tuple[str, ...]
Law = dict[str, Exact]
Key = TypeVar("Key", str, tuple[str, ...])
_LAW_ROW = "[round, inputs so far, views so far, law of the next view]"


@dataclass(frozen=True)
class LawRows:
    """Laws of the next view.

    Args:
        laws: (inputs so far, views so far) to a law.
        defaults: Inputs so far to the law after every history of views not in ``laws``.
    """

    laws: Mapping[tuple[Names, Names], Law]
    defaults: Mapping[Names, Law]

    def law(self, inputs: Names, views: Names) -> Law | None:
        """Return the law that applies, or None."""
        found = self.laws.get((inputs, views))
        return self.defaults.get(inputs) if found is None else found


def read_outcomes(rows: Iterable[object], problems: Problems, where: str) -> Alphabet:
    """Collect the views that laws name, where the spec declares no outputs."""
    names: dict[str, None] = {}
    for value in rows:
        if type(value) is str and value:
            names[value] = None
    looks: dict[str, str] = {}
    for name in names:
        twin = looks.setdefault(look_alike(name), name)
        if twin != name:
            problems.add(
                "two views differ only by spacing or by the form of their characters",
                where=where,
                found=f"{twin!a} and {name!a}",
                expected="write one of them, or declare both in outputs with clearer names",
            )
    return Alphabet("output", names)


def read_laws(
    rows: object,
    rounds: int,
    inputs: Alphabet,
    outputs: Alphabet | None,
    numbers: Numbers,
    problems: Problems,
) -> tuple[LawRows, Alphabet]:
    """Read law rows; without declared outputs the views named in laws are the outputs."""
    assert is_list(rows)
    good: list[tuple[str, list[object]]] = []
    for index, row in enumerate(rows):
        if is_list(row) and len(row) == 4:
            good.append((f"laws[{index}]", row))
        else:
            problems.add(
                "not a row",
                where=f"laws[{index}]",
                found=describe(row),
                expected=f"write {_LAW_ROW}",
            )
    if outputs is None:
        named = (key for _, row in good for key, _ in entries(row[3]))
        outputs = read_outcomes(named, problems, "laws")
    laws: dict[tuple[Names, Names], Law] = {}
    defaults: dict[Names, Law] = {}
    for where, row in good:
        history = _histories(row, where, rounds, inputs, outputs, problems)
        law = _law_of(row[3], f"{where}.law", outputs, numbers, problems)
        if history is None or law is None:
            continue
        given, seen = history
        taken = given in defaults if seen is None else (given, seen) in laws
        if taken:
            problems.add(
                "duplicate row",
                where=where,
                found=f"a second law after inputs {join_history(given)}"
                + ("" if not seen else f", views {join_history(seen)}"),
                expected="keep one of them",
            )
        elif seen is None:
            defaults[given] = law
        else:
            laws[given, seen] = law
    return LawRows(laws, defaults), outputs


def _histories(
    row: list[object],
    where: str,
    rounds: int,
    inputs: Alphabet,
    outputs: Alphabet,
    problems: Problems,
) -> tuple[Names, Names | None] | None:
    """Read the first three fields of a law row; no views for ``*``."""
    number = row[0]
    if number != "*" and not (type(number) is int and 1 <= number <= rounds):
        problems.add(
            "not a round",
            where=f"{where}.round",
            found=describe(number),
            expected=f"write a whole number from 1 to {rounds}",
        )
        return None
    given = read_history(row[1], inputs, f"{where}.inputs", problems)
    seen: Names | None = ()
    if row[2] == "*":
        seen = None
    else:
        seen = read_history(row[2], outputs, f"{where}.views", problems)
        if seen is None:
            return None
    if given is None:
        return None
    length = number if type(number) is int else min(max(1, len(given)), rounds)
    if len(given) != length or (seen is not None and len(seen) != length - 1):
        views = "*" if seen is None else str(len(seen))
        problems.add(
            f"round {length} follows {length} inputs and {length - 1} views",
            where=where,
            found=f"{len(given)} inputs and {views} views",
            expected="list the inputs so far, this round's included, and the views before it",
        )
        return None
    return given, seen


def entries(value: object) -> list[tuple[object, object]]:
    """Return the (outcome, probability) pairs of a law in either notation."""
    if is_table(value):
        return list(value.items())
    if is_list(value):
        return [(row[0], row[1]) for row in value if is_list(row) and len(row) == 2]
    return []


def _law_of(
    value: object, where: str, outputs: Alphabet, numbers: Numbers, problems: Problems
) -> Law | None:
    if not is_law(value, where, problems):
        return None
    law: Law = {}
    for key, given in entries(value):
        name = outputs.resolve(key, where, problems)
        weight = numbers.probability(given, f"{where}, view {outcome_text(key)}")
        if name is not None and weight is not None:
            enter(law, name, weight, f"{where}, view {view_text(name)}", problems)
    if len(law) < len(entries(value)):
        return None
    check_total(law.values(), where, problems)
    return law


def is_law(value: object, where: str, problems: Problems) -> bool:
    """Whether a value has the shape of a law; if not, say so."""
    if (is_table(value) or is_list(value)) and not value:
        problems.add("a law without outcomes", where=where, expected="write what can be seen")
        return False
    if is_table(value) or (is_list(value) and len(entries(value)) == len(value)):
        return True
    problems.add(
        "not a law",
        where=where,
        found=describe(value),
        expected='write a table such as {a = "1/2", b = "1/2"}, or rows [outcome, probability]',
    )
    return False


def outcome_text(key: object) -> str:
    """Return an outcome as a message names it."""
    return view_text(key) if isinstance(key, str) else describe(key)


def enter(law: dict[Key, Exact], key: Key, weight: Exact, where: str, problems: Problems) -> None:
    """Put an outcome into a law; one that is there already is a problem."""
    if key in law:
        problems.add(
            "an outcome stands twice in a law",
            where=where,
            found=f"probability {shown(weight)} after {shown(law[key])}",
            expected="keep one, with the sum of both if both are meant",
        )
    law[key] = weight


def law_table(
    rows: LawRows, graph: RelationGraph, limit: int, problems: Problems
) -> dict[tuple[int, Names, Names], Law]:
    """Return the laws by (round, inputs so far, views so far), those of ``*`` rows spelt out.

    A history that a legal pair can reach and that has no law is a problem.
    """
    table: dict[tuple[int, Names, Names], Law] = {
        (len(given), given, seen): law for (given, seen), law in rows.laws.items()
    }

    def after(
        number: int, state: tuple[Names, Names], item: Hashable
    ) -> list[tuple[Names, Names]] | None:
        given, seen = (*state[0], str(item)), state[1]
        law = rows.law(given, seen)
        if law is None:
            return None
        table[number, given, seen] = law
        return [(given, (*seen, view)) for view, weight in law.items() if weight != 0]

    start: list[tuple[Names, Names]] = [((), ())]
    found = reach(graph, start, after, limit=limit, what="histories")
    if found.missing:
        number, (given, seen), item = found.missing[0]
        place = f"round {number}, inputs {join_history((*given, item))}"
        problems.add(
            f"no law for {len(found.missing)} reachable histories",
            where="laws",
            found=f"the first: {place}" + (f", views {join_history(seen)}" if seen else ""),
            expected="give each reachable history of inputs and views one row",
        )
    return table
