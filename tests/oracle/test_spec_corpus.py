"""The stored cases and the shipped examples load, and agree with the schema."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from powercert.certify.audit import audit
from powercert.certify.examples import example_names, example_path
from powercert.certify.spec import case_ids, load_example, load_schema, load_spec
from powercert.certify.spec_problems import SpecError
from powercert.certify.verdict import Claim

CASES = Path(__file__).resolve().parents[1] / "data" / "open_cases.json"
IDS = case_ids(CASES)


def case(name: str) -> dict[str, Any]:
    cases: list[dict[str, Any]] = json.loads(CASES.read_text())["cases"]
    return next(one for one in cases if one["id"] == name)


def valid(document: object) -> bool:
    checker: Any = jsonschema.Draft202012Validator(load_schema())
    return bool(checker.is_valid(document))


def test_there_are_43_cases() -> None:
    assert len(IDS) == 43


@pytest.mark.parametrize("name", IDS)
def test_a_stored_case_loads_as_it_is(name: str) -> None:
    stored = case(name)
    spec = load_spec(CASES, case=name)
    assert spec.name == name
    assert spec.horizon == stored["rounds"]
    assert spec.inputs == tuple(stored["inputs"])
    claim = stored["claim"]
    assert spec.claims == (Claim.of(exp_epsilon=claim["exp_eps"], delta=claim["delta"]),)
    assert not spec.warnings
    assert not spec.notes
    assert valid(stored)


def test_one_case_in_a_file_of_its_own_loads(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case(IDS[0])))
    spec = load_spec(path)
    assert spec.name == IDS[0]
    assert not spec.warnings
    assert load_spec(path, case=IDS[0]).name == IDS[0]
    with pytest.raises(SpecError, match="this file holds one spec, not cases"):
        load_spec(path, case="other")


def test_a_case_must_be_named() -> None:
    with pytest.raises(SpecError, match=r"the file holds 43 cases; found .*; say which one"):
        load_spec(CASES)
    with pytest.raises(SpecError, match=r"no such case among 43; .*did you mean n01-geo-count-ok"):
        load_spec(CASES, case="n01-geo-cuont-ok")


def test_cases_need_distinct_ids(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text('{"cases": [{"id": "a"}, {"id": "a"}, {}, 3]}')
    with pytest.raises(SpecError) as caught:
        case_ids(path)
    assert caught.value.count == 3


@pytest.mark.parametrize("name", example_names())
def test_an_example_loads_without_remarks(name: str) -> None:
    spec = load_example(name)
    assert spec.claims
    assert not spec.warnings
    assert not spec.notes
    assert valid(tomllib.loads(example_path(name).read_text()))


def test_the_counterexample_of_the_paper() -> None:
    """Appendix E.1: total variation 0.0991 adaptively, 0.09 over fixed streams."""
    result = audit(load_example("two-round-counterexample")).results[0]
    adaptive, fixed = result.adaptive.delta_at_claim, result.nonadaptive.delta_at_claim
    assert result.verdict == "violated"
    assert adaptive is not None and str(adaptive.upper) == str(adaptive.lower) == "991/10000"
    assert fixed is not None and str(fixed.upper) == "9/100"


def test_randomised_response_is_tight_at_one_third() -> None:
    result = audit(load_example("randomised-response")).results[0]
    assert (result.verdict, result.adaptive.tight) == ("holds", True)


def test_two_answers_that_differ_betray_a_change() -> None:
    """Probability 2/3 * 2/3 + 1/3 * 1/3 = 5/9 that no epsilon hides."""
    first, second = audit(load_example("repeat-or-refresh")).results
    assert (first.verdict, second.verdict) == ("holds", "violated")
    assert first.adaptive.least_delta.lower == first.adaptive.least_delta.upper
    assert str(first.adaptive.least_delta.upper) == "5/9"


def test_joint_laws_that_peek_ahead_are_told() -> None:
    report = audit(load_example("peeks-ahead"))
    assert report.checklist.condition("prefix_dependence").status == "fail"
    assert report.verdict == "holds"


@pytest.mark.parametrize("change", ["drop", "null", "list", "table", "number"])
def test_what_the_schema_refuses_the_loader_refuses(change: str, tmp_path: Path) -> None:
    """For each key of each example: if the changed file is not valid, it does not load either."""
    path = tmp_path / "changed.json"
    for name in example_names():
        whole = tomllib.loads(example_path(name).read_text())
        for key in whole:
            changed = copy.deepcopy(whole)
            if change == "drop":
                del changed[key]
            else:
                changed[key] = {"null": None, "list": [], "table": {}, "number": 17}[change]
            if valid(changed):
                continue
            path.write_text(json.dumps(changed))
            with pytest.raises(SpecError):
                load_spec(path)
