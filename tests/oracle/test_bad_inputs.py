"""What a user may feed an auditor by mistake, row by row, and what comes back.

The rows (p01, r02, ...) are those of a list of bad and awkward inputs that was written before the
loader. Each starts from one good spec, changes one thing, and asks for the message, the warning or
the note that a user needs. Exit codes are tested with the command line.
"""

from __future__ import annotations

import io
import json
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.certify.audit import audit
from powercert.certify.history import join_history, split_history
from powercert.certify.limits import Limits
from powercert.certify.spec import AuditSpec, load_spec
from powercert.certify.spec_problems import SpecError
from powercert.certify.verdict import Claim
from powercert.mechanisms.coins import Coins
from powercert.mechanisms.law import FiniteLaw
from powercert.mechanisms.mechanism import Step
from powercert.mechanisms.neighbours import check_neighbouring, hamming

Spec = dict[str, object]
Row = list[object]
COLUMNS = ("round", "state", "input", "output", "next_state", "probability")


def rows(index: int | None = None, column: str = "", value: object = None) -> list[Row]:
    """Return the kernel of the good spec, with one cell changed."""
    table: list[Row] = [
        [number, state, item, output, "t", "1/2"]
        for number, state in ((1, "s"), (2, "t"))
        for item in "01"
        for output in "ab"
    ]
    if index is not None:
        table[index][COLUMNS.index(column)] = value
    return table


def good(**changes: object) -> Spec:
    """Return the good spec with some keys changed."""
    spec: Spec = {
        "name": "good",
        "rounds": 2,
        "inputs": ["0", "1"],
        "outputs": ["a", "b"],
        "states": ["s", "t"],
        "initial": {"s": "1"},
        "kernel": rows(),
        "neighbours": "hamming",
        "claim": {"epsilon": "0", "delta": "0"},
    }
    return spec | changes


def probability(value: object) -> Spec:
    """Return the good spec with another first probability."""
    return good(kernel=rows(0, "probability", value))


def laws_of_first_view(*texts: str, **changes: object) -> Spec:
    """Return the good spec with other probabilities in (round 1, state s, input 0)."""
    outputs = [f"y{index}" for index in range(len(texts))]
    first: list[Row] = [
        [1, "s", "0", output, "t", text] for output, text in zip(outputs, texts, strict=True)
    ]
    return good(kernel=first + rows()[2:], outputs=[*outputs, "a", "b"], **changes)


def arcs(*listed: list[object], start: str = "r", accept: tuple[str, ...] = ("e",)) -> Spec:
    """Return the good spec with one round and these arcs."""
    kernel: list[Row] = [["*", *row[1:]] for row in rows()[:4]]
    relation = {"start": start, "accept": list(accept), "arcs": list(listed)}
    return good(rounds=1, kernel=kernel, neighbours=relation, states=["s", "t"])


def participations(**parameters: object) -> Spec:
    return good(neighbours={"name": "participations", **parameters})


def claimed(**claim: object) -> Spec:
    return good(claim=claim)


def raw(spec: Spec) -> bytes:
    return json.dumps(spec).encode()


def loaded(spec: Spec | bytes) -> AuditSpec:
    return load_spec("-", stdin=io.BytesIO(spec if isinstance(spec, bytes) else raw(spec)))


def literal(text: str) -> bytes:
    """Return the good spec with a bare JSON literal as its first probability."""
    return raw(good()).replace(b'"1/2"', text.encode(), 1)


def test_the_good_spec_is_good() -> None:
    spec = loaded(good())
    assert (spec.name, spec.horizon, spec.inputs) == ("good", 2, ("0", "1"))
    assert spec.claims == (Claim.of(epsilon=0),)
    assert not spec.warnings
    assert not spec.notes


SYMBOL = b', "symbols": {"z": "exp(-1/4)", "z": "7788/10000"}}'
JOINT = {"0": {"a|b": "1"}, "0|1": {"a|b|b": "1"}}

ERRORS: list[tuple[str, Spec | bytes, list[str]]] = [
    (
        "p01",
        laws_of_first_view("49/100", "1/2"),
        ["round 1, state s, input 0: probabilities sum to 99/100, not 1 (missing 1/100)"],
    ),
    ("p01-too-much", probability("2/3"), ["sum to 7/6, not 1 (1/6 too much)"]),
    ("p02-thirds", laws_of_first_view("0.333", "0.333", "0.333"), ["999/1000", '"1/3"']),
    ("p03-float", literal("0.30000000000000004"), ["20000000000000001/25000000000000000"]),
    ("p05", probability("3/2"), ["kernel[0].probability: not a probability: above 1"]),
    ("p05-negative", probability("-1/2"), ["not a probability: negative"]),
    ("p06-nan", literal("NaN"), ["kernel[0].probability: not a probability; found NaN"]),
    ("p06-infinity", literal("Infinity"), ["not a probability; found Infinity"]),
    ("p06-minus-infinity", literal("-Infinity"), ["not a probability; found -Infinity"]),
    ("p06-1e400", literal("1e400"), ["not a probability: above 1; found 1e400"]),
    ("p06-nan-text", probability("nan"), ["kernel[0].probability: not a probability"]),
    ("p06-empty", probability(""), ["kernel[0].probability: not a probability"]),
    ("p06-abc", probability("abc"), ["not a probability", "'abc'"]),
    ("p06-null", probability(None), ["not a probability; found null"]),
    ("p06-true", probability(True), ["not a probability; found true"]),
    ("p06-list", probability(["1/2"]), ["not a probability; found a list of 1"]),
    ("p06-logarithm", probability("ln(2)"), ["a logarithm is not a probability"]),
    ("p07", probability("1/0"), ["kernel[0].probability: not a probability: zero denominator"]),
    (
        "p11",
        good(kernel=[*rows(), rows()[0]]),
        ["kernel[8] (round 1, state s, input 0, output a, next state t): duplicate row"],
    ),
    ("p13-types", good(inputs=["0", "1", 1]), ["inputs[2]", "as a text and as a number"]),
    ("p13-spaces", good(inputs=["0", "1", " 1"]), ["inputs[2]", "differ only by spacing"]),
    ("p13-full-width", good(inputs=["0", "1", "\uff11"]), ["inputs[2]", r"'\uff11'"]),
    (
        "p13-normal-form",
        good(outputs=["a", "b", "\u00e9", unicodedata.normalize("NFD", "\u00e9")]),
        ["outputs[3]", "the form of their characters"],
    ),
    ("p13-use", good(kernel=rows(0, "input", " 0")), ["kernel[0].input", 'write "0"']),
    ("p14", good(kernel=rows()[:-2]), ["round 2, state t, input 1: no transition"]),
    (
        "p17",
        good(symbols=[["z", "exp(-1/4)"], ["z", "7788/10000"]]),
        ["symbols[1]: symbol z is defined twice"],
    ),
    ("p17-json", raw(good())[:-1] + SYMBOL, ["symbol z is defined twice"]),
    (
        "p17-toml",
        b'[symbols]\nz = "exp(-1/4)"\nz = "7788/10000"\n',
        ["line 3", "symbol z is defined twice"],
    ),
    (
        "p19",
        laws_of_first_view("1/(1+z)", "z/(1+z) + 1e-40", symbols={"z": "exp(-1/4)"}),
        ["round 1, state s, input 0", f"1/1{'0' * 40} too much"],
    ),
    (
        "p21",
        claimed(eps="ln(2)", exp_eps="3"),
        ["claim: contradictory claim", "epsilon = ln(2) and exp_epsilon = 3"],
    ),
    (
        "r01",
        good(kernel=rows(0, "output", "aa")),
        ['kernel[0].output: unknown output; found "aa"; did you mean "a"?'],
    ),
    (
        "r02",
        arcs(["r", "0", "2", "e"]),
        ['neighbours.arcs[0], input in world 1: unknown input; found "2"'],
    ),
    *(
        (f"r05-{value}", good(kernel=rows(0, "round", value)), ["kernel[0].round: not a round"])
        for value in (0, -1, 3, "two", True)
    ),
    (
        "r05-1.5",
        raw(good()).replace(b'[1, "s"', b'[1.5, "s"', 1),
        ["kernel[0].round: not a round; found 1.5"],
    ),
    (
        "r06",
        good(kernel=[*rows(), ["*", "s", "0", "a", "t", "1"]]),
        ["round 1, state s, input 0", 'overlap rows for every round ("*")'],
    ),
    (
        "r09",
        good(release=[[1, "a", "x"], [1, ["a"], "y"], [1, "*", "z"], [2, "*", "z"]]),
        [
            "release[1] (cores a): a release map must be deterministic",
            "x and y",
            "draw it in the kernel",
        ],
    ),
    (
        "r10",
        good(release=[[1, "a", "0", "x"]]),
        ["release[0]: a release map may read the cores only", "into the kernel"],
    ),
    (
        "r12-release",
        good(release=[[1, "a", "x"], [1, "b", "x"], [2, "a|a", "x"]]),
        ["no view for 3 reachable histories", "the first: round 2, cores a|b"],
    ),
    ("r13-inputs", good(inputs=[]), ["inputs: empty"]),
    ("r13-outputs", good(outputs=[]), ["outputs: empty"]),
    ("r13-states", good(states=[]), ["states: empty"]),
    ("r13-rounds", good(rounds=0), ["rounds: a mechanism without rounds", "(0, 0)-DP"]),
    ("r14-empty", good(outputs=["a", "b", ""]), ["outputs[2]: an empty name"]),
    ("r14-surrogate", good(outputs=["a", "b", "\ud800"]), ["outputs[2]", "not valid Unicode"]),
    ("b02-null", arcs(["r", "0", None, "e"]), ["one input with one input", '"0" and null']),
    ("b02-empty", arcs(["r", "", "0", "e"]), ["one length", "pads the shorter stream"]),
    (
        "b04",
        arcs(["r", "0", "0", "e"]),
        ["neighbours: no neighbouring pair; nothing to audit"],
    ),
    (
        "b06",
        arcs(["r", "0", "0", "e"], ["r", "1", "1", "e"], ["r", "0", "1", "dead"]),
        ["no neighbouring pair; nothing to audit"],
    ),
    (
        "b07",
        good(kernel=[row for row in rows() if row[:3] != [2, "t", "1"]]),
        ["round 2, state t, input 1: no transition: this input has rows in round 1 only"],
    ),
    (
        "b08",
        arcs(["r", "0", "1", "e", "a"]),
        ["neighbours.arcs[0]: a relation that depends on outputs is not supported"],
    ),
    (
        "b08-key",
        good(
            neighbours={"start": "r", "accept": ["r"], "arcs": [["r", "0", "1", "r"]], "views": []}
        ),
        ["neighbours: a relation that depends on outputs is not supported"],
    ),
    ("b10-negative", participations(k=-1), ["neighbours.participations: k ", "-1"]),
    ("b10-zero", participations(k=0), ["no neighbouring pair; nothing to audit"]),
    ("b10-separation", participations(k=1, min_separation=0), ["min_separation"]),
    ("b10-absent", participations(k=1, absent="_"), ["neighbours.absent: unknown input"]),
    ("c01-epsilon", claimed(epsilon="-1"), ["claim.epsilon: epsilon is negative"]),
    ("c01-exp", claimed(exp_epsilon="1/2"), ["claim.exp_epsilon: exp_epsilon is below 1"]),
    ("c01-delta", claimed(epsilon="1", delta="-1/9"), ["claim.delta: delta is not in [0, 1]"]),
    ("c01-above", claimed(epsilon="1", delta="9/8"), ["claim.delta: delta is not in [0, 1]"]),
    ("f01-truncated", b'{"a": [1,', ["line 1, column", "not JSON: the text ends too early"]),
    ("f01-comma", b'{"a":\n [1,]}', ["line 2, column 5", "remove the comma"]),
    ("f01-object-comma", b'{"a": 1,}', ["line 1, column", "remove the comma"]),
    ("f01-single", b"{'a': 1}", ["line 1, column 2", "double quotes"]),
    ("f01-comment", b'{"a": 1 // x\n}', ["line 1, column 9", "no comments"]),
    (
        "f02",
        b"[claim]\nepsilon = 1\n[claim]\ndelta = 0\n",
        ["line 3, column", "a table is defined twice", '"[claim]"'],
    ),
    ("f04-invalid", b'{"a": "\xff"}', ["invalid byte at offset 7", "line 1"]),
    ("f06-json", b"[" * 100_000, ["line 1: nested more than 32 levels deep"]),
    ("f06-objects", b'{"a":' * 100_000, ["nested more than 32 levels deep"]),
    ("f06-toml", b"a = \n\n" + b"[" * 100_000, ["line 3: nested more than 32 levels deep"]),
    ("f06-dots", b"x = 1\na" + b".a" * 100_000 + b" = 1", ["line 2: nested more than 32"]),
    ("f12", good(outputs=["a", "b", ["c"]]), ["outputs[2]: not hashable as a name", "a list of 1"]),
    ("f13-bool", good(outputs=["a", "b", True]), ["outputs[2]: not a name; found true"]),
    ("f13-float", raw(good(outputs=["a", "b", 1.0])), ["outputs[2]: not a name; found 1.0"]),
]


@pytest.mark.parametrize(
    ("spec", "parts"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_refused_with_place_and_reason(spec: Spec | bytes, parts: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        loaded(spec)
    assert str(caught.value).startswith("stdin: ")
    for part in parts:
        assert part in str(caught.value)


def test_one_fault_is_one_problem() -> None:
    """A bad cell must not bring a train of faults that are not the user's."""
    single = [case for case in ERRORS if not case[0].startswith("f0")]
    for name, spec, _ in single:
        with pytest.raises(SpecError) as caught:
            loaded(spec)
        assert caught.value.count == 1, f"{name}: {caught.value}"


@dataclass(frozen=True)
class Accepted:
    """A spec that loads, and what the user is told."""

    spec: Spec | bytes
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


ACCEPTED: dict[str, Accepted] = {
    "p02": Accepted(laws_of_first_view(*["0.1"] * 10)),
    "p03": Accepted(literal("0.5"), ("float literals", "kernel[0].probability = 0.5")),
    "p09": Accepted(good(kernel=[*rows(), [1, "s", "0", "a", "s", "0"]])),
    "p13": Accepted(good(kernel=rows(0, "input", 0)), ("input names", "as numbers")),
    "p15": Accepted(
        good(states=["s", "t", "q"], kernel=[*rows(), [2, "q", "0", "a", "t", 1]]),
        notes=("no neighbouring pair can reach", "round 2, state q, input 1"),
    ),
    "p18": Accepted(laws_of_first_view("1/(1+z)", "z/(1+z)", symbols={"z": "exp(-1/4)"})),
    "r04-state": Accepted(good(states=["s", "t", "q"]), ('declared but never used: state "q"',)),
    "r04-output": Accepted(good(outputs=["a", "b", "c"]), ('never used: output "c"',)),
    "r04-symbol": Accepted(good(symbols={"z": "1/3"}), ("never used: symbol z",)),
    "b10": Accepted(participations(k=9), notes=("k = 9 is more than the 2 rounds",)),
    "c01": Accepted(claimed(epsilon="1", delta=1), ("delta = 1", "holds for every mechanism")),
    "c02": Accepted(claimed(epsilon="inf"), ("epsilon is infinite", "every mechanism")),
    "f04-bom": Accepted(b"\xef\xbb\xbf" + raw(good())),
    "f04-utf16": Accepted(json.dumps(good()).encode("utf-16")),
    "unknown-key": Accepted(good(origin="a paper"), ('unknown key "origin" is not read',)),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_with_what_the_user_is_told(name: str) -> None:
    case = ACCEPTED[name]
    spec = loaded(case.spec)
    assert all(part in " ".join(spec.warnings) for part in case.warnings)
    assert all(part in " ".join(spec.notes) for part in case.notes)
    assert bool(spec.warnings) == bool(case.warnings)
    assert bool(spec.notes) == bool(case.notes)


def test_all_problems_of_a_file_come_in_one_run() -> None:
    kernel: list[Row] = [[1, "s", "0", f"y{index}", "t", "1/2"] for index in range(30)]
    with pytest.raises(SpecError) as caught:
        loaded(good(kernel=kernel, claim={"epsilon": "-1"}, neighbours="haming"))
    assert caught.value.count == 32
    assert len(caught.value.problems) == 20
    assert "and 12 more" in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "right"), [("neighbors", "neighbours"), ("kernal", "kernel"), ("round", "rounds")]
)
def test_a_misspelt_key_is_named(wrong: str, right: str) -> None:
    spec = good()
    spec[wrong] = spec.pop(right)
    with pytest.raises(SpecError) as caught:
        loaded(spec)
    assert caught.value.count == 1
    assert f'found key "{wrong}"; rename it to "{right}"' in str(caught.value)


def test_p09_a_zero_row_reaches_nothing() -> None:
    # State q has no rows, which is right only if the zero row does not lead there.
    spec = loaded(good(states=["s", "t", "q"], kernel=[*rows(), [1, "s", "0", "a", "q", "0"]]))
    assert audit(spec).verdict == "holds"


def test_p10_an_outcome_of_weight_zero_in_both_worlds_has_no_ratio() -> None:
    zero: list[Row] = [[1, "s", item, "c", "t", "0"] for item in "01"]
    report = audit(loaded(good(outputs=["a", "b", "c"], kernel=rows() + zero)))
    assert report.verdict == "holds"
    assert report.results[0].adaptive.pure_exp_epsilon.upper == 1


@pytest.mark.parametrize("name", ["a|b", "a\nb", 'a"b', "a\\", "\\|", "\\e"])
def test_r14_odd_names_stay_apart_in_histories(name: str) -> None:
    kernel: list[Row] = [[*row[:3], name if row[3] == "b" else row[3], *row[4:]] for row in rows()]
    spec = loaded(good(outputs=["a", name], kernel=kernel))
    assert spec.horizon == 2
    histories = [(), (name,), ("a", name), (name, "a"), (name, name), ("a", "b")]
    texts = [join_history(history) for history in histories]
    assert len(set(texts)) == len(texts)
    assert [split_history(text) for text in texts] == histories
    assert all(len(text.splitlines()) <= 1 for text in texts)


def test_b02_joint_laws_of_different_lengths() -> None:
    spec = good(joint=JOINT)
    for key in ("kernel", "states", "initial"):
        del spec[key]
    with pytest.raises(SpecError) as caught:
        loaded(spec)
    text = str(caught.value)
    assert "joint, stream 0: a stream of another length than rounds; found lengths 2 and 1" in text
    assert "found lengths 2 and 3" in text
    assert "padding rule" in text


def test_r12_joint_table_with_missing_streams() -> None:
    spec = good(joint={"0|0": {"a|a": 1}, "0|1": {"a|a": 1}})
    for key in ("kernel", "states", "initial"):
        del spec[key]
    with pytest.raises(SpecError, match="no law for 2 input streams") as caught:
        loaded(spec)
    assert "the first: 1|0" in str(caught.value)


def test_b03_a_pair_that_is_not_neighbouring() -> None:
    reason = check_neighbouring(hamming().over("01"), "000", "101")
    assert reason == "not neighbouring (differs in rounds 1 and 3; the relation allows 1)"


def test_c04_a_mechanism_that_ignores_its_input() -> None:
    report = audit(loaded(good()))
    assert report.verdict == "holds"
    assert report.results[0].adaptive.pure_exp_epsilon.upper == 1


def test_c05_no_claim_is_no_verdict() -> None:
    spec = good()
    del spec["claim"]
    found = loaded(spec)
    assert found.claim is None
    assert audit(found).verdict == "no-claim"


def test_c06_two_claims_are_two_verdicts() -> None:
    spec = good(claims=[{"epsilon": "0"}, {"epsilon": "1", "adversary": "nonadaptive"}])
    del spec["claim"]
    assert len(audit(loaded(spec)).results) == 2


def test_f05_a_million_rows_are_refused_up_front() -> None:
    row = '[1, "s", "0", "a", "t", "1/2"]'
    text = '{"kernel": [' + ",\n".join([row] * 1_000_000) + "]}"
    started = time.perf_counter()
    with pytest.raises(LimitError, match="1000000 rows exceed --limit-rows 200000"):
        loaded(text.encode())
    assert time.perf_counter() - started < 30


def test_f05_the_limit_counts_rows_of_one_spec() -> None:
    with pytest.raises(LimitError, match="8 rows exceed --limit-rows 7"):
        load_spec("-", stdin=io.BytesIO(raw(good())), limit_rows=7)


class Machine:
    """A mechanism that draws one bit a round and returns what a function makes of it."""

    def __init__(self, result: Callable[[Any, str, int], Step[Any, Any, None]]) -> None:
        self._result = result

    def start(self, coins: Coins) -> Any:
        return 0

    def step(self, state: Any, item: str, coins: Coins) -> Step[Any, Any, None]:
        return self._result(state, item, coins.draw(FiniteLaw.of({0: "1/2", 1: "1/2"})))


def audited(
    result: Callable[[Any, str, int], Step[Any, Any, None]],
    horizon: int = 3,
    limits: Limits | None = None,
) -> None:
    spec = AuditSpec("machine", Machine(result), "hamming", horizon, ("0", "1"), None)
    audit(spec, limits=limits)


def test_f08_a_step_that_raises_for_one_input_only() -> None:
    def result(state: Any, item: str, bit: int) -> Step[Any, Any, None]:
        if state == 1 and item == "1":
            raise ValueError("boom")
        return Step(state + 1, bit)

    with pytest.raises(InputError, match="round 2: state 1, input 1: .*ValueError: boom"):
        audited(result)


@pytest.mark.parametrize("step", [Step[Any, Any, None]([1], 0), Step[Any, Any, None](0, [1])])
def test_f12_an_unhashable_state_or_view(step: Step[Any, Any, None]) -> None:
    with pytest.raises(InputError, match="round 1: state 0, input 0: the .* is not hashable"):
        audited(lambda state, item, bit: step)


def test_f13_views_that_are_equal_and_not_alike() -> None:
    with pytest.raises(InputError, match="equal but of different types"):
        audited(lambda state, item, bit: Step(0, [1, 1.0][bit]))


def test_f14_states_without_end_stop_at_a_limit() -> None:
    with pytest.raises(LimitError, match=r"state limit reached in round \d+"):
        audited(
            lambda state, item, bit: Step((state, item, bit), bit),
            horizon=40,
            limits=Limits(transitions=2000),
        )


def test_f16_a_step_that_uses_up_the_memory() -> None:
    def result(state: Any, item: str, bit: int) -> Step[Any, Any, None]:
        raise MemoryError

    with pytest.raises(LimitError, match="out of memory"):
        audited(result)


def test_s03_the_tree_of_strategies_is_merged() -> None:
    rows_of_flip: list[Row] = [
        ["*", "s", item, output, "s", "2/3" if item == output else "1/3"]
        for item in "01"
        for output in "01"
    ]
    spec = good(rounds=16, outputs=["0", "1"], states=["s"], kernel=rows_of_flip)
    spec["claim"] = {"epsilon": "ln(2)"}
    report = audit(loaded(spec))
    assert report.verdict == "holds"


def test_s04_ten_thousand_data_sets_are_refused_by_their_pairs() -> None:
    inputs = [f"d{index}" for index in range(10_000)]
    kernel: list[Row] = [["*", "s", item, "a", "t", "1"] for item in inputs]
    with pytest.raises(LimitError, match="100000000 pairs of inputs exceed --limit-rows"):
        loaded(good(rounds=1, inputs=inputs, outputs=["a"], kernel=kernel))
