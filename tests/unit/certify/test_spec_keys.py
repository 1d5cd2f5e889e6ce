"""Keys that nobody reads: slips of known keys, keys in the wrong table, and remarks."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from powercert.certify.spec import AuditSpec, case_ids, load_spec
from powercert.certify.spec_keys import misspelt
from powercert.certify.spec_problems import SpecError

Spec = dict[str, Any]

KERNEL: list[list[object]] = [
    ["*", "s", item, output, "s", "h"] for item in "01" for output in "ab"
]
AUTOMATON = {
    "start": "r",
    "accept": ["r"],
    "arcs": [["r", item, other, "r"] for item in "01" for other in "01"],
}


def good(**changes: object) -> Spec:
    spec: Spec = {
        "name": "good",
        "rounds": 2,
        "inputs": ["0", "1"],
        "outputs": ["a", "b"],
        "states": ["s"],
        "initial": {"s": "1"},
        "kernel": KERNEL,
        "symbols": {"h": "1/2"},
        "neighbours": "hamming",
        "claim": {"epsilon": "1", "delta": "0"},
    }
    return spec | changes


def loaded(spec: Spec | str) -> AuditSpec:
    text = spec if isinstance(spec, str) else json.dumps(spec)
    return load_spec("-", stdin=io.BytesIO(text.encode()))


def refused(spec: Spec | str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        loaded(spec)
    return caught.value


@pytest.mark.parametrize(
    ("change", "where", "wrong", "right"),
    [
        ({"claim": {"epsilon": "1", "dleta": "1/2"}}, "claim: ", "dleta", "delta"),
        ({"claim": {"epsilon": "1", "Delta": "1/2"}}, "claim: ", "Delta", "delta"),
        ({"claim": {"epsilon": "1", "adversery": "fixed"}}, "claim: ", "adversery", "adversary"),
        ({"claim": {"eps": "1", "expeps": "9"}}, "claim: ", "expeps", "exp_eps"),
        ({"releas": []}, "", "releas", "release"),
        ({"release_map": []}, "", "release_map", "release"),
        ({"symbolz": {"z": "1/3"}}, "", "symbolz", "symbols"),
        ({"Symbols": {"z": "1/3"}}, "", "Symbols", "symbols"),
        ({"climes": []}, "", "climes", "claims"),
        ({"formt": 2}, "", "formt", "format"),
        ({"neighbours": AUTOMATON | {"acept": ["r"]}}, "neighbours: ", "acept", "accept"),
    ],
)
def test_a_slip_of_a_known_key_is_bad_input(
    change: Spec, where: str, wrong: str, right: str
) -> None:
    error = refused(good(**change))
    assert error.count == 1
    told = f'{where}unknown key "{wrong}"; did you mean "{right}"? rename it to {right} '
    assert told in str(error)


def test_a_slip_in_one_claim_of_several_is_placed() -> None:
    spec = good(claims=[{"epsilon": "1"}, {"epsilon": "1", "detla": "1/2"}])
    del spec["claim"]
    assert 'claims[1]: unknown key "detla"; did you mean "delta"?' in str(refused(spec))


def test_a_slip_of_the_list_of_cases_is_one_problem() -> None:
    error = refused({"case": [good(id="a")]})
    assert error.count == 1
    assert 'unknown key "case"; did you mean "cases"?' in str(error)


@pytest.mark.parametrize(
    "key",
    ["origin", "author", "source", "note", "notes", "version", "date", "paper", "status", "class"],
)
def test_other_keys_are_allowed_with_a_warning(key: str) -> None:
    assert loaded(good(**{key: "text"})).warnings == (f'unknown key "{key}" is not read',)


def test_remarks_and_keys_that_are_for_people_bring_no_warning() -> None:
    claim = {"epsilon": "1", "delta": "0", "_why": "theorem 3", "type": "pure"}
    spec = good(x_origin="a paper", _releas=1, id="a", title="t", tags=[], claim=claim)
    assert not loaded(spec).warnings
    # A slip of a key that nobody reads changes nothing.
    assert loaded(good(tag=["x"])).warnings == ('unknown key "tag" is not read',)


@pytest.mark.parametrize(
    ("word", "known"),
    [("delta", "dleta"), ("claim", "claims"), ("release", "releases"), ("accept", "acccept")],
)
def test_slips_go_both_ways(word: str, known: str) -> None:
    assert misspelt(word, [known]) == known
    assert misspelt(known, [word]) == word


def test_warnings_survive_beside_errors() -> None:
    error = refused(good(origin="a paper", releas=[], rounds="two"))
    assert error.count == 2
    assert error.warnings == ('unknown key "origin" is not read',)
    assert error.located("here").warnings == error.warnings


# --- keys that another table swallowed ------------------------------------------------------------

HEAD = """
name = "flip"
inputs = ["0", "1"]
outputs = ["0", "1"]
states = ["s"]
kernel = [
    ["*", "s", "0", "0", "s", "3/4"],
    ["*", "s", "0", "1", "s", "1/4"],
    ["*", "s", "1", "0", "s", "1/4"],
    ["*", "s", "1", "1", "s", "3/4"],
]
"""
REST = 'initial = "s"\nneighbours = "hamming"\n'
RELEASE = 'release = [["*", "*", "silent"]]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (REST + '[claim]\nepsilon = "1"\nrounds = 2\n', ["`rounds` stands inside [claim]"]),
        (
            '[claim]\nepsilon = "1"\nrounds = 2\n' + REST,
            [f"`{key}` stands inside [claim]" for key in ("rounds", "initial", "neighbours")],
        ),
        (
            'neighbours = "hamming"\n[initial]\ns = "1"\nrounds = 2\nclaim = { epsilon = "1" }\n',
            ["`rounds` stands inside [initial]", "`claim` stands inside [initial]"],
        ),
        (
            'rounds = 2\ninitial = "s"\n[neighbours]\nname = "hamming"\nclaim = { epsilon = "1" }',
            ["`claim` stands inside [neighbours]"],
        ),
        (
            "rounds = 2\n" + REST + '[claim]\nepsilon = "1"\n' + RELEASE,
            ["`release` stands inside [claim]"],
        ),
        (
            "rounds = 2\n" + REST + '[[claims]]\nepsilon = "1"\n' + RELEASE,
            ["`release` stands inside [claims]"],
        ),
        (
            REST + "[origin]\nrounds = 2\n[origin.deeper]\n",
            ["`rounds` stands inside [origin]"],
        ),
    ],
)
def test_a_key_that_a_toml_table_swallowed_is_named(text: str, told: list[str]) -> None:
    error = refused(HEAD + text)
    assert error.count == len(told)
    for part in told:
        assert f"{part}; move it above the first [table]" in str(error)


def test_a_swallowed_key_in_json_belongs_to_the_top_level() -> None:
    spec = good(claim={"epsilon": "1", "rounds": 2})
    del spec["rounds"]
    assert '"rounds" stands inside "claim"; move it to the top level' in str(refused(spec))


def test_a_swallowed_key_of_a_case_names_the_whole_table(tmp_path: Path) -> None:
    path = tmp_path / "cases.toml"
    path.write_text('[[cases]]\nid = "a"\n' + HEAD + REST + "[cases.claim]\nrounds = 2\n")
    with pytest.raises(SpecError, match=r"`rounds` stands inside \[cases\.claim\]"):
        load_spec(path, case="a")


def test_a_mechanism_that_a_table_swallowed_is_found() -> None:
    spec = good(initial={"s": "1", "kernel": KERNEL})
    del spec["kernel"]
    error = refused(spec)
    assert (error.count, '"kernel" stands inside "initial"' in str(error)) == (1, True)


def test_names_may_be_like_keys_where_the_user_gives_the_names() -> None:
    # A symbol "claim" is a number, and a stream "claim" consists of the input "claim".
    spec = good(symbols={"h": "1/2", "claim": "1/3"})
    del spec["claim"]
    assert loaded(spec).claims == ()
    joint: Spec = {"rounds": 1, "inputs": ["claim", "0"], "neighbours": "hamming"}
    joint["joint"] = {"claim": {"a": 1}, "0": {"a": 1}}
    assert loaded(joint).claims == ()


def test_a_table_that_is_not_read_may_hold_anything_but_is_named() -> None:
    spec = good(origin={"claim": {"epsilon": "1"}})
    del spec["claim"]
    warnings = loaded(spec).warnings
    assert warnings[0] == 'unknown key "origin" is not read'
    assert warnings[1].startswith('`claim` stands inside "origin", which is not read')
    assert len(loaded(good(origin={"claim": {}})).warnings) == 1


# --- one bad symbol is one problem ----------------------------------------------------------------


@pytest.mark.parametrize(
    "symbols",
    [{"h": "1/0"}, {"h": "q + 1"}, {"q": "1/0", "h": "q/2"}, {"h": "ln(2)"}, 17],
)
def test_uses_of_a_bad_symbol_are_no_problems_of_their_own(symbols: object) -> None:
    claim = {"exp_epsilon": "1 + h", "delta": "h"}
    error = refused(good(symbols=symbols, claim=claim, initial={"s": "h + h"}))
    assert error.count == 1
    assert "symbols" in str(error)


def test_a_bad_symbol_in_laws_and_joint_laws_is_one_problem() -> None:
    frame: Spec = {"rounds": 1, "inputs": ["0", "1"], "neighbours": "user", "symbols": {"h": "?"}}
    law = {"a": "h", "b": "h"}
    assert refused(frame | {"laws": [[1, "0", "", law], [1, "1", "", law]]}).count == 1
    assert refused(frame | {"joint": {"0": law, "1": law}}).count == 1


def test_a_name_that_nothing_defines_is_one_problem_with_a_count() -> None:
    error = refused(good(symbols={"hh": "1/2"}))
    assert error.count == 1
    assert "kernel[0].probability: not a probability: unknown name 'h' (and in 3 more places)" in (
        str(error)
    )
    assert "did you mean hh?" in str(error)


def test_two_names_that_nothing_defines_are_two_problems() -> None:
    claim = {"epsilon": "1", "delta": "other"}
    assert refused(good(symbols={}, claim=claim)).count == 2


# --- hints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "relation", ["edit", {"name": "edit"}, "edit_informal", {"name": "edit_informal"}]
)
def test_a_relation_without_its_bottom_says_how_to_name_it(relation: object) -> None:
    name = relation if isinstance(relation, str) else "edit"
    text = str(refused(good(neighbours=relation)))
    assert 'name the input that says "no element": neighbours = { name = "' in text
    assert name.partition("_")[0] in text
    assert 'bottom = "..."' in text
    assert loaded(good(neighbours={"name": "edit", "bottom": "0"})).horizon == 2


def test_a_logarithm_as_exp_epsilon_says_what_to_write() -> None:
    text = str(refused(good(claim={"exp_epsilon": "ln(3)"})))
    assert "claim.exp_epsilon: e^epsilon must be a number, not a logarithm" in text
    assert 'write epsilon = "ln(3)", which is exp_epsilon = "3"' in text
    assert "probability" not in text


def test_a_case_that_is_like_none_lists_some(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": [good(id=f"case-{letter}") for letter in "abcd"]}))
    assert len(case_ids(path)) == 4
    with pytest.raises(SpecError, match=r"the ids are case-a, case-b, case-c, \.\.\.; --list"):
        load_spec(path, case="zzz")
    with pytest.raises(SpecError, match="did you mean case-a"):
        load_spec(path, case="csae-a")


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("package/tree.py", "Python, not a spec file; write package.tree:NAME"),
        ("package/tree.py:spec", "Python, not a spec file; write package.tree:spec"),
        ("package.tree", "Python, not a spec file; write package.tree:NAME"),
        ("package.inner", "Python, not a spec file; write package.inner:NAME"),
        ("package.missing", "no such file; write package.missing:NAME"),
        ("package/missing.py", "no such file; write package.missing:NAME"),
        ("__init__.py", "no such file; write package.module:NAME"),
        ("not-a-name.py", "no such file; write package.module:NAME"),
        ("nowhere", "no such file; give a TOML or JSON file"),
        ("nowhere.toml", "no such file; give a TOML or JSON file"),
    ],
)
def test_python_named_like_a_file_or_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, hint: str
) -> None:
    (tmp_path / "package" / "inner").mkdir(parents=True)
    for name in ("tree.py", "inner/__init__.py"):
        (tmp_path / "package" / name).write_text("raise RuntimeError('must not be run')\n")
    monkeypatch.chdir(tmp_path)
    for read in (load_spec, case_ids):
        with pytest.raises(SpecError) as caught:
            read(source)
        assert f"{source}: {hint}" in str(caught.value)
