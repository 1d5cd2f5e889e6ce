"""Joint laws of whole transcripts, read from a spec."""

from __future__ import annotations

from collections.abc import Mapping

from ..accounting.errors import InputError
from ..accounting.numbers import Exact
from .history import join_history, split_history
from .relation_graph import RelationGraph
from .spec_kernel import check_total
from .spec_laws import Names, enter, entries, is_law, outcome_text, read_outcomes
from .spec_problems import Problems, describe, is_list, is_table
from .spec_reach import legal_inputs
from .spec_values import Alphabet, Numbers, read_history

__all__ = ["check_joint", "read_joint"]


def read_joint(
    value: object,
    rounds: int,
    inputs: Alphabet,
    outputs: Alphabet | None,
    numbers: Numbers,
    problems: Problems,
) -> tuple[dict[Names, dict[Names, Exact]], Alphabet]:
    """Read joint laws, as a table by joined stream or as rows [stream, law]."""
    found: list[tuple[str, object, object]] = []
    if is_table(value):
        found = [(f"joint, stream {key}", key, law) for key, law in value.items()]
    elif is_list(value):
        for index, row in enumerate(value):
            if is_list(row) and len(row) == 2:
                found.append((f"joint[{index}]", row[0], row[1]))
            else:
                problems.add(
                    "not a row",
                    where=f"joint[{index}]",
                    found=describe(row),
                    expected="write [input stream, law of the transcript]",
                )
    if outputs is None:
        named = (view for _, _, law in found for key, _ in entries(law) for view in _views_in(key))
        outputs = read_outcomes(named, problems, "joint")
    laws: dict[Names, dict[Names, Exact]] = {}
    for where, key, given in found:
        stream = read_history(key, inputs, where, problems)
        law = _transcripts(given, rounds, where, outputs, numbers, problems)
        if stream is None or not _has_length(stream, rounds, "stream", where, problems):
            continue
        if stream in laws:
            problems.add(
                "a stream stands twice",
                where=where,
                found=join_history(stream),
                expected="keep one of them",
            )
        elif law is not None:
            laws[stream] = law
    return laws, outputs


def _views_in(key: object) -> list[object]:
    if is_list(key):
        return key
    if type(key) is not str:
        return []
    try:
        return list(split_history(key))
    except InputError:
        return []


def _transcripts(
    value: object,
    rounds: int,
    where: str,
    outputs: Alphabet,
    numbers: Numbers,
    problems: Problems,
) -> dict[Names, Exact] | None:
    if not is_law(value, where, problems):
        return None
    law: dict[Names, Exact] = {}
    for key, given in entries(value):
        place = f"{where}, transcript {key if isinstance(key, str) else _joined(key)}"
        views = read_history(key, outputs, place, problems)
        weight = numbers.probability(given, place)
        if views is None or not _has_length(views, rounds, "transcript", place, problems):
            continue
        if weight is not None:
            enter(law, views, weight, place, problems)
    if len(law) < len(entries(value)):
        return None
    check_total(law.values(), where, problems)
    return law


def _joined(key: object) -> str:
    return "|".join(outcome_text(item) for item in key) if is_list(key) else describe(key)


def _has_length(names: Names, rounds: int, what: str, where: str, problems: Problems) -> bool:
    if len(names) == rounds:
        return True
    problems.add(
        f"a {what} of another length than rounds",
        where=where,
        found=f"lengths {rounds} and {len(names)}",
        expected="streams of different length need a stated padding rule: declare an input that "
        "fills the missing rounds",
    )
    return False


def check_joint(
    laws: Mapping[Names, object], graph: RelationGraph, limit: int, problems: Problems
) -> None:
    """Demand a law for every input stream that is half of a legal pair."""
    streams = legal_inputs(graph, limit=limit)
    if streams is None:
        problems.add(
            f"no law for some input streams: neighbouring pairs use more than {limit}",
            where="joint",
            found=f"{len(laws)} streams",
            expected="use fewer rounds or inputs, or the kernel form",
        )
        return
    missing = [stream for stream in streams if stream not in laws]
    if missing:
        problems.add(
            f"no law for {len(missing)} input streams that neighbouring pairs use",
            where="joint",
            found=f"the first: {join_history(missing[0])}",
            expected="give each of them a law",
        )
    spare = [stream for stream in laws if stream not in streams]
    if spare:
        problems.note(
            f"joint: {len(spare)} streams are in no neighbouring pair, "
            f"the first: {join_history(spare[0])}"
        )
