"""The forms a mechanism can take in a spec file, and that they mean the same."""

from __future__ import annotations

import io
import json

import pytest

from powercert.accounting.errors import LimitError
from powercert.accounting.profile import PrivacyProfile
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec, load_spec
from powercert.certify.spec_problems import SpecError

Spec = dict[str, object]
TABLE_ROWS: list[list[object]] = [
    [1, "start", "0", "0", "b0", "0.32"],
    [1, "start", "0", "1", "b0", "0.68"],
    [1, "start", "1", "0", "b1", "0.35"],
    [1, "start", "1", "1", "b1", "0.65"],
    [2, "b0", "0", "0", "end", "0.72"],
    [2, "b0", "0", "1", "end", "0.28"],
    [2, "b0", "1", "0", "end", "0.80"],
    [2, "b0", "1", "1", "end", "0.20"],
    [2, "b1", "0", "0", "end", "0.81"],
    [2, "b1", "0", "1", "end", "0.19"],
    [2, "b1", "1", "0", "end", "0.72"],
    [2, "b1", "1", "1", "end", "0.28"],
]
FRAME: Spec = {"rounds": 2, "inputs": ["0", "1"], "neighbours": "hamming"}
TABLE: Spec = FRAME | {
    "outputs": ["0", "1"],
    "states": ["start", "b0", "b1", "end"],
    "initial": "start",
    "kernel": TABLE_ROWS,
}
FIRST = {"0": {"0": "0.32", "1": "0.68"}, "1": {"0": "0.35", "1": "0.65"}}
SECOND = {
    "0|0": {"0": "0.72", "1": "0.28"},
    "0|1": {"0": "0.80", "1": "0.20"},
    "1|0": {"0": "0.81", "1": "0.19"},
    "1|1": {"0": "0.72", "1": "0.28"},
}
# The same mechanism twice more: paper 1, Appendix E.1.
LAW_ROWS: list[list[object]] = [
    *([1, [given], [], law] for given, law in FIRST.items()),
    *([2, given, "*", law] for given, law in SECOND.items()),
]
LAWS: Spec = FRAME | {"laws": LAW_ROWS}
JOINT_LAWS: dict[str, dict[str, str]] = {
    given: {
        f"{first}|{second}": f"({FIRST[given[0]][first]}) * ({law[second]})"
        for first in "01"
        for second in "01"
    }
    for given, law in SECOND.items()
}
JOINT: Spec = FRAME | {"joint": JOINT_LAWS}


def loaded(spec: Spec, *, limit_rows: int = 1000) -> AuditSpec:
    return load_spec("-", stdin=io.BytesIO(json.dumps(spec).encode()), limit_rows=limit_rows)


def refusal(spec: Spec) -> str:
    with pytest.raises(SpecError) as caught:
        loaded(spec)
    return str(caught.value)


def profiles(spec: AuditSpec) -> tuple[PrivacyProfile, PrivacyProfile]:
    report = audit(spec)
    assert report.adaptive_profile is not None
    return report.adaptive_profile.upper, report.nonadaptive_profile.upper


def spelt_out_laws() -> Spec:
    rows: list[object] = [[1, given, "", list(law.items())] for given, law in FIRST.items()]
    for given, law in SECOND.items():
        rows += [["*", list(given[::2]), [seen], law] for seen in "01"]
    return FRAME | {"laws": rows, "outputs": ["0", "1"]}


def listed_joint() -> Spec:
    rows = [
        [key.split("|"), [[path.split("|"), weight] for path, weight in law.items()]]
        for key, law in JOINT_LAWS.items()
    ]
    return FRAME | {"joint": rows}


@pytest.mark.parametrize("spec", [LAWS, spelt_out_laws(), JOINT, listed_joint()])
def test_every_form_of_one_mechanism_has_one_profile(spec: Spec) -> None:
    assert profiles(loaded(spec)) == profiles(loaded(TABLE))


def test_a_release_map_shows_views_and_keeps_cores() -> None:
    """Releasing the parity of the cores after a silent round is one fresh bit less to see."""
    release = [
        [1, "*", "silent"],
        [2, "0|0", "even"],
        [2, ["1", "1"], "even"],
        [2, "*", "odd"],
    ]
    spec = loaded(TABLE | {"release": release})
    merged: list[object] = []
    for given, law in SECOND.items():
        even = " + ".join(f"{FIRST[given[0]][bit]} * {law[bit]}" for bit in "01")
        merged.append([2, given, "*", {"even": even, "odd": f"1 - ({even})"}])
    first = [[1, bit, "", {"silent": 1}] for bit in "01"]
    assert profiles(spec) == profiles(loaded(FRAME | {"laws": [*first, *merged]}))


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([[1, "0", "x"]], "no view for 3 reachable histories of cores"),
        ([[3, "0", "x"]], "release[0].round: not a round; found 3"),
        ([[2, "0", "x"]], "release[0]: a core history of round 2 has that many cores"),
        ([[1, "2", "x"]], "release[0].history: unknown output"),
        ([[1, 5, "x"]], "release[0].history: not a history; found 5"),
        ([[1, "0", ""]], "release[0].view: an empty name"),
        ([[1, "0"]], "release[0]: not a row; found a list of 2"),
    ],
)
def test_release_rows_that_are_wrong(rows: list[object], what: str) -> None:
    assert what in refusal(TABLE | {"release": rows})


def test_release_needs_a_kernel() -> None:
    assert "release needs a kernel" in refusal(LAWS | {"release": [["*", "*", "x"]]})


WRONG_LAW_ROWS: list[tuple[list[object], str]] = [
    ([3, "0|0|0", "0|0", {"0": 1}], "laws[0].round: not a round; found 3"),
    ([1, "0|0", "", {"0": 1}], "laws[0]: round 1 follows 1 inputs and 0 views"),
    ([1, "2", "", {"0": 1}], "laws[0].inputs: unknown input"),
    ([1, "0", "", {"0": "1/2"}], "laws[0].law: probabilities sum to 1/2, not 1"),
    ([1, "0", "", {}], "laws[0].law: a law without outcomes"),
    ([1, "0", "", [["0", "1/2"], ["0", "1/2"]]], "an outcome stands twice in a law"),
    ([1, "0", "", "0"], 'laws[0].law: not a law; found "0"'),
    ([1, "0", {"0": 1}], "laws[0]: not a row; found a list of 3"),
    ([1, "0", "", {"0": 2}], "laws[0].law, view 0: not a probability: above 1"),
    ([2, "0|0", "\\q", {"0": 1}], "laws[0].views: unknown escape in a history"),
]


@pytest.mark.parametrize(("row", "what"), WRONG_LAW_ROWS)
def test_law_rows_that_are_wrong(row: list[object], what: str) -> None:
    text = refusal(FRAME | {"laws": [row]})
    assert what in text
    assert "problems" not in text


def test_laws_are_needed_where_a_pair_can_lead_and_nowhere_else() -> None:
    text = refusal(LAWS | {"laws": LAW_ROWS[:-1]})
    assert "laws: no law for 2 reachable histories" in text
    assert "the first: round 2, inputs 1|1, views 0" in text
    arcs = [["r", "0", "1", "e"], ["e", "0", "0", "e"]]
    relation = {"start": "r", "accept": ["e"], "arcs": arcs}
    needed = [row for row in LAW_ROWS if not str(row[1]).endswith("|1")]
    assert loaded(LAWS | {"laws": needed, "neighbours": relation}).horizon == 2


def test_a_second_law_for_one_history() -> None:
    assert "laws[6]: duplicate row" in refusal(LAWS | {"laws": [*LAW_ROWS, LAW_ROWS[-1]]})


def test_histories_are_counted_before_they_explode() -> None:
    laws = [[n, ["0"] * n, "*", {"a": "1/2", "b": "1/2"}] for n in range(1, 31)]
    relation = {"start": "r", "accept": ["r"], "arcs": [["r", "0", "0", "r"], ["r", "0", "1", "r"]]}
    spec: Spec = {"rounds": 30, "inputs": ["0", "1"], "laws": laws, "neighbours": relation}
    with pytest.raises(LimitError, match="more than 1000 histories can be reached"):
        loaded(spec)


def test_joint_laws_of_too_many_streams() -> None:
    spec: Spec = {"rounds": 40, "inputs": ["0", "1"], "neighbours": "user"}
    spec["joint"] = {"|".join("0" * 40): {"|".join("a" * 40): 1}}
    assert "neighbouring pairs use more than 1000" in refusal(spec)


@pytest.mark.parametrize(
    ("joint", "what"),
    [
        ({"0|0": {"0|0": "1/2"}}, "joint, stream 0|0: probabilities sum to 1/2, not 1"),
        ({"0|2": {"0|0": 1}}, "joint, stream 0|2: unknown input"),
        ({"0|0": 1}, "joint, stream 0|0: not a law; found 1"),
        ([[["0", "0"]]], "joint[0]: not a row"),
        ({"0|0": {"a|\uff11": "1/2", "a|1": "1/2"}}, "two views differ only by spacing"),
    ],
)
def test_joint_laws_that_are_wrong(joint: object, what: str) -> None:
    text = refusal(FRAME | {"joint": joint})
    assert what in text


def test_a_stream_that_stands_twice() -> None:
    law = [["0|0", 1]]
    text = refusal(FRAME | {"joint": [["0|0", law], [["0", "0"], law]]})
    assert "joint[1]: a stream stands twice; found 0|0" in text


@pytest.mark.parametrize("two", [{"laws": LAW_ROWS}, {"joint": JOINT_LAWS}])
def test_a_mechanism_in_two_forms(two: Spec) -> None:
    assert "the mechanism is given twice; found kernel and" in refusal(TABLE | two)


def test_no_mechanism_at_all() -> None:
    assert "the mechanism is missing; write one of kernel" in refusal(FRAME)


def test_symbols_may_use_earlier_symbols_and_stand_in_claims() -> None:
    symbols = [["z", "exp(-1/4)"], ["one", "z / z"], ["half", "one / 2"]]
    claim = {"exp_epsilon": "1 / z", "delta": "half"}
    spec = loaded(TABLE | {"symbols": symbols, "claim": claim})
    assert not spec.warnings
    (found,) = spec.claims
    assert str(found.epsilon) == "1/4"
    assert str(found.delta) == "1/2"


@pytest.mark.parametrize("name", ["exp", "ln", "2z", "", "a b", "inf"])
def test_symbols_that_cannot_be_names(name: str) -> None:
    assert "not a name for a symbol" in refusal(TABLE | {"symbols": {name: "1/2"}})


def test_names_may_be_numbers_throughout() -> None:
    kernel = [[*row[:2], int(str(row[2])), int(str(row[3])), *row[4:]] for row in TABLE_ROWS]
    spec = loaded(TABLE | {"inputs": [0, 1], "outputs": [0, 1], "kernel": kernel})
    assert spec.inputs == ("0", "1")
    assert not spec.warnings


def test_relations_with_parameters() -> None:
    edit = {"name": "edit", "bottom": "1"}
    assert loaded(TABLE | {"neighbours": edit}).neighbours().name == "edit(bottom=1)"
    pairs = {"name": "static", "data": ["0", "1"], "queries": ["0"], "pairs": [["0", "1"]]}
    relation = loaded(TABLE | {"neighbours": pairs}).neighbours()
    assert {arc[:2] for arc in relation.pairs(relation.start)} == {("0", "1"), ("1", "0")}
    assert "unknown input" in refusal(TABLE | {"neighbours": {"name": "edit", "bottom": "x"}})
    assert "did you mean 'k'" in refusal(
        TABLE | {"neighbours": {"name": "participations", "kk": 1, "k": 1}}
    )
