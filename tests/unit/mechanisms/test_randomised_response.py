"""Randomised response on streams: fresh, and memoised per value."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import Claim, Judgement
from powercert.mechanisms import (
    ArcRelation,
    ExactMachine,
    Mechanism,
    RelationFamily,
    Run,
    SeededBits,
    hamming,
    open_run,
    user,
)
from powercert.mechanisms.responses import MemoisedResponse, RandomisedResponse

AnyMechanism = Mechanism[Any, Any, Any, Any]


def transcripts(mechanism: AnyMechanism, stream: tuple[Hashable, ...]) -> dict[Any, Any]:
    """The law of all views, by following the enumerator."""
    machine = ExactMachine(mechanism)
    law = {((), state): weight for state, weight in machine.initial()}
    for item in stream:
        after: dict[Any, Any] = {}
        for (views, state), weight in law.items():
            for view, target, chance in machine.transitions(state, item):
                key = ((*views, view), target)
                after[key] = after.get(key, 0) + weight * chance
        law = after
    merged: dict[Any, Any] = {}
    for (views, _), weight in law.items():
        merged[views] = merged.get(views, 0) + weight
    return merged


def judged(
    mechanism: AnyMechanism,
    relation: RelationFamily | ArcRelation,
    rounds: int,
    values: tuple[Hashable, ...],
    claim: Claim,
) -> Judgement:
    return audit(AuditSpec("test", mechanism, relation, rounds, values, claim)).results[0].adaptive


def constant_streams(values: tuple[Hashable, ...]) -> ArcRelation:
    pairs = [(a, b) for a in values for b in values if a != b]
    arcs = [("start", a, b, (a, b)) for a, b in pairs]
    return ArcRelation("start", pairs, arcs + [(pair, *pair, pair) for pair in pairs])


@pytest.mark.parametrize("size", [2, 3, 5])
def test_truth_is_odds_times_as_likely_as_each_lie(size: int) -> None:
    law = RandomisedResponse(tuple(range(size)), "7/2").law(1)
    lie = Fraction(1) / (Fraction(7, 2) + size - 1)
    assert [law.weight(report) for report in range(size)] == [
        Fraction(7, 2) * lie if report == 1 else lie for report in range(size)
    ]


@pytest.mark.parametrize("size", [2, 4])
def test_keeping_draws_a_uniform_report_otherwise(size: int) -> None:
    response = RandomisedResponse.keeping(range(size), "2/3")
    uniform = Fraction(1, 3) / size
    assert response.law(0).weight(0) == Fraction(2, 3) + uniform
    assert response.law(0).weight(1) == uniform


@pytest.mark.parametrize("size", [2, 3])
def test_fresh_responses_cost_epsilon_per_differing_round(size: int) -> None:
    values = tuple(range(size))
    response = RandomisedResponse(values, 3)
    event = judged(response, hamming(), 3, values, Claim.of(exp_epsilon=3))
    assert (event.verdict, event.tight) == ("holds", True)
    whole = judged(response, user(), 3, values, Claim.of(exp_epsilon=27))
    assert (whole.verdict, whole.tight) == ("holds", True)
    assert judged(response, user(), 3, values, Claim.of(exp_epsilon="26.9")).verdict == "violated"


def by_tables(
    values: tuple[int, ...], odds: int, second: int | None, stream: tuple[int, ...]
) -> dict[tuple[int, ...], Fraction]:
    """The law of the reports, by summing over whole tables of permanent responses."""

    def response(true: int, report: int, ratio: int) -> Fraction:
        return Fraction(ratio if true == report else 1, ratio + len(values) - 1)

    law: dict[tuple[int, ...], Fraction] = {}
    for reports in itertools.product(values, repeat=len(stream)):
        total = Fraction(0)
        for table in itertools.product(values, repeat=len(values)):
            weight = math.prod(response(v, r, odds) for v, r in zip(values, table, strict=True))
            for item, report in zip(stream, reports, strict=True):
                kept = table[values.index(item)]
                weight *= (
                    Fraction(kept == report) if second is None else response(kept, report, second)
                )
            total += weight
        if total:
            law[reports] = total
    return law


@pytest.mark.parametrize("second", [None, 2])
@pytest.mark.parametrize(
    ("size", "stream"), [(2, (0, 1, 0)), (2, (1, 1, 1)), (3, (0, 2, 0)), (3, (2, 1, 0))]
)
def test_memoised_reports_follow_one_table_of_responses(
    size: int, stream: tuple[int, ...], second: int | None
) -> None:
    values = tuple(range(size))
    mechanism = MemoisedResponse(values, 3, second)
    assert transcripts(mechanism, stream) == by_tables(values, 3, second, stream)


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_a_constant_value_pays_once(rounds: int) -> None:
    mechanism = MemoisedResponse((0, 1), 3)
    found = judged(mechanism, constant_streams((0, 1)), rounds, (0, 1), Claim.of(exp_epsilon=3))
    assert (found.verdict, found.tight) == ("holds", True)


def test_a_changing_value_is_shown() -> None:
    # Two equal reports for sure if the value stays; they differ if it changes with probability
    # (3/4)^2 + (1/4)^2, both permanent responses true or both false.
    mechanism = MemoisedResponse((0, 1), 3)
    found = judged(mechanism, hamming(), 2, (0, 1), Claim.of(exp_epsilon=3))
    assert found.verdict == "violated"
    assert found.pure_exp_epsilon.lower == math.inf
    assert found.delta_at_claim is not None
    assert found.delta_at_claim.lower == found.delta_at_claim.upper == Fraction(5, 8)


@pytest.mark.parametrize("size", [2, 3])
def test_a_second_response_hides_the_first_in_one_round(size: int) -> None:
    # Sum over the permanent response: (E F + k - 1) to (E + F + k - 2).
    values = tuple(range(size))
    odds = Fraction(3 * 2 + size - 1, 3 + 2 + size - 2)
    mechanism = MemoisedResponse(values, 3, 2)
    relation = constant_streams(values)
    found = judged(mechanism, relation, 1, values, Claim.of(exp_epsilon=odds))
    assert (found.verdict, found.tight) == ("holds", True)


def test_a_second_response_wears_off_but_never_costs_more_than_the_first() -> None:
    mechanism = MemoisedResponse((0, 1), 3, 2)
    relation = constant_streams((0, 1))
    losses = [
        judged(mechanism, relation, rounds, (0, 1), Claim.of(exp_epsilon=3)).pure_exp_epsilon.upper
        for rounds in (1, 2, 3, 4)
    ]
    assert losses == sorted(losses)
    # All T reports true: 3/4 (2/3)^T + 1/4 (1/3)^T against the same with 1/4 and 3/4.
    assert losses == [Fraction(3 * 2**t + 1, 2**t + 3) for t in (1, 2, 3, 4)]


def test_production_reports_have_the_exact_law() -> None:
    """Cells of 3 reports against their law; false alarm below 8 * 2 exp(-2 n 0.035^2) < 1e-3."""
    mechanism = MemoisedResponse((0, 1), 3, 2)
    stream, runs = (0, 1, 0), 4000
    bits = SeededBits(20)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(runs):
        run = open_run(mechanism, bits)
        counts[tuple(run.feed(item) for item in stream)] += 1
    for reports, weight in transcripts(mechanism, stream).items():
        assert abs(counts[reports] / runs - float(weight)) < 0.035


def test_a_restored_run_keeps_its_permanent_responses() -> None:
    mechanism = MemoisedResponse(tuple("abcdef"), 2)
    run = open_run(mechanism, SeededBits(3))
    first = [run.feed(value) for value in "abcdef"]
    again = Run.restore(mechanism, run.snapshot(), SeededBits(4))
    assert [again.feed(value) for value in "abcdef"] == first


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="fewer than two values"):
        RandomisedResponse((0,), 2)
    with pytest.raises(InputError, match="exp_epsilon: below 1"):
        RandomisedResponse((0, 1), "1/2")
    with pytest.raises(InputError, match="instantaneous: below 1"):
        MemoisedResponse((0, 1), 2, "1/2")
    with pytest.raises(InputError, match="not among the values"):
        RandomisedResponse((0, 1), 2).law(2)
    with pytest.raises(InputError, match="not among the values"):
        RandomisedResponse((0, 1), 2).law(True)
    with pytest.raises(InputError, match="not among the values"):
        ExactMachine(MemoisedResponse((0, 1), 2)).transitions((), 2)
    with pytest.raises(InputError, match=r"not in \[0, 1\)"):
        RandomisedResponse.keeping((0, 1), 1)
