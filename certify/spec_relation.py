"""The neighbouring relation of a spec: by name, or as an automaton."""

from __future__ import annotations

from collections.abc import Mapping

from ..accounting.errors import InputError, PowercertError
from ..mechanisms.hop_relations import hop_closure
from ..mechanisms.neighbours import ArcRelation, Relation, relation_named
from ..mechanisms.values import require_count
from .spec_keys import check_unknown
from .spec_problems import Problems, describe, is_list, is_table, suggestion
from .spec_values import Alphabet, read_name

__all__ = ["read_relation"]

_ADAPTIVE = frozenset({"outputs", "output", "views", "view", "history", "adaptive"})
_NAME_PARAMETERS = frozenset({"absent", "bottom", "end"})
_ROLES = {"bottom": 'says "no element"', "end": "ends every stream and pads it"}
_AUTOMATON_KEYS = ("start", "accept", "arcs", "hops")
_LIST_PARAMETERS = frozenset({"data", "queries"})


def read_relation(
    value: object, inputs: Alphabet, rounds: int, problems: Problems
) -> Relation | None:
    """Read ``neighbours`` as a relation over the declared inputs.

    Args:
        value: A name, {name, parameters}, or {start, accept, arcs}; ``hops`` beside either of
            the last two takes that many steps of the relation.
        inputs: The declared inputs.
        rounds: Number of rounds.
        problems: Where problems go.

    Returns:
        The relation, or None where there were problems.
    """
    before = problems.count
    if is_table(value) and _is_adaptive(value):
        _refuse_adaptive("neighbours", problems)
        return None
    try:
        if is_table(value) and "name" not in value:
            relation: Relation | None = _automaton(value, inputs, problems)
        else:
            relation = _by_name(value, inputs, rounds, problems)
    except PowercertError as raised:
        error = _naming(raised, value)
        placed = error.where.startswith("neighbours")
        problems.add_error(error if placed else error.located("neighbours"))
        return None
    return relation if problems.count == before else None


def _naming(error: PowercertError, value: object) -> PowercertError:
    """Say how to name an input of a special meaning, where its usual name is not declared."""
    role = _ROLES.get(error.where)
    name = value.get("name") if is_table(value) else value
    if role is None or (is_table(value) and error.where in value):
        return error
    return InputError(
        error.what,
        where="neighbours",
        found=error.found,
        expected=f"name the input that {role}: "
        f'neighbours = {{ name = "{name}", {error.where} = "..." }}',
    )


def _is_adaptive(value: Mapping[str, object]) -> bool:
    return not _ADAPTIVE.isdisjoint(value)


def _refuse_adaptive(where: str, problems: Problems) -> None:
    problems.add(
        "a relation that depends on outputs is not supported",
        where=where,
        expected="let the relation see inputs only: [relation state, input in world 0, "
        "input in world 1, next relation state]",
    )


def _by_name(value: object, inputs: Alphabet, rounds: int, problems: Problems) -> Relation | None:
    parameters: dict[str, object] = {}
    if is_table(value):
        name = value["name"]
        for key, given in value.items():
            if key != "name":
                parameters[key] = _parameter(key, given, inputs, problems)
    else:
        name = value
    if any(part is None for part in parameters.values()):
        return None
    relation = relation_named(str(name), parameters).over(inputs.names)
    limit = parameters.get("k")
    if isinstance(limit, int) and limit > rounds:
        problems.note(
            f"neighbours: k = {limit} is more than the {rounds} rounds, so every round may differ"
        )
    inputs.use_all()
    return relation


def _parameter(key: str, value: object, inputs: Alphabet, problems: Problems) -> object:
    """Read one parameter; those that name inputs must name declared ones."""
    where = f"neighbours.{key}"
    if key in _NAME_PARAMETERS:
        return inputs.resolve(value, where, problems)
    if key in _LIST_PARAMETERS and is_list(value):
        names = [
            inputs.resolve(item, f"{where}[{index}]", problems) for index, item in enumerate(value)
        ]
        return None if None in names else tuple(names)
    if key == "pairs" and is_list(value):
        pairs: list[tuple[str, str]] = []
        for index, row in enumerate(value):
            place = f"{where}[{index}]"
            if not is_list(row) or len(row) != 2:
                problems.add("not a pair of inputs", where=place, found=describe(row))
                return None
            first = inputs.resolve(row[0], place, problems)
            second = inputs.resolve(row[1], place, problems)
            if first is None or second is None:
                return None
            pairs.append((first, second))
        return tuple(pairs)
    if isinstance(value, int) or type(value) is str:
        return value
    problems.add(
        "not a parameter",
        where=where,
        found=describe(value),
        expected="write a whole number or a text",
    )
    return None


def _automaton(
    value: Mapping[str, object], inputs: Alphabet, problems: Problems
) -> Relation | None:
    unknown = [key for key in value if key not in _AUTOMATON_KEYS]
    check_unknown(unknown, _AUTOMATON_KEYS, problems, where="neighbours")
    rows, accept = value["arcs"], value["accept"]
    assert is_list(rows) and is_list(accept)
    arcs: list[tuple[str, str, str, str]] = []
    places: dict[tuple[str, str, str, str], int] = {}
    for index, row in enumerate(rows):
        arc = _arc(row, f"neighbours.arcs[{index}]", inputs, problems)
        if arc is None:
            continue
        if arc in places:
            problems.add(
                "duplicate arc",
                where=f"neighbours.arcs[{index}]",
                found=f"the same as neighbours.arcs[{places[arc]}]",
                expected="remove one of them",
            )
            continue
        places[arc] = index
        arcs.append(arc)
    if len(arcs) < len(rows):
        return None
    states = {arc[0] for arc in arcs} | {arc[3] for arc in arcs}
    ordered = tuple(sorted(states))
    start = _state(value["start"], "neighbours.start", ordered, problems)
    accepting = [
        _state(item, f"neighbours.accept[{index}]", ordered, problems)
        for index, item in enumerate(accept)
    ]
    known = [item for item in accepting if item is not None]
    if start is None or len(known) < len(accepting):
        return None
    steps: object = value.get("hops", 1)
    return hop_closure(
        ArcRelation(start, tuple(known), tuple(arcs)), require_count(steps, "hops", 1)
    )


def _arc(
    row: object, where: str, inputs: Alphabet, problems: Problems
) -> tuple[str, str, str, str] | None:
    if is_list(row) and len(row) == 5:
        _refuse_adaptive(where, problems)
        return None
    if not is_list(row) or len(row) != 4:
        problems.add(
            "not an arc",
            where=where,
            found=describe(row),
            expected="write [relation state, input in world 0, input in world 1, "
            "next relation state]",
        )
        return None
    state, input0, input1, following = row
    if any(item is None or (isinstance(item, str) and not item) for item in (input0, input1)):
        problems.add(
            "an arc pairs one input with one input, so both streams have one length",
            where=where,
            found=f"{describe(input0)} and {describe(input1)}",
            expected="declare an input that pads the shorter stream, and use it here",
        )
        return None
    names: list[str | None] = [
        inputs.resolve(input0, f"{where}, input in world 0", problems),
        inputs.resolve(input1, f"{where}, input in world 1", problems),
    ]
    for value, place in ((state, "relation state"), (following, "next relation state")):
        try:
            names.append(read_name(value))
        except InputError as error:
            problems.add_error(error.located(f"{where}, {place}"))
            names.append(None)
    first, second, source, target = names
    if first is None or second is None or source is None or target is None:
        return None
    return source, first, second, target


def _state(value: object, where: str, states: tuple[str, ...], problems: Problems) -> str | None:
    try:
        name = read_name(value)
    except InputError as error:
        problems.add_error(error.located(where))
        return None
    if name not in states:
        problems.add(
            "a relation state that no arc names",
            where=where,
            found=describe(name),
            expected=suggestion(name, states, kind="relation state"),
        )
        return None
    return name
