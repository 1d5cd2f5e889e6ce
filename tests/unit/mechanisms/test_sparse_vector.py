"""Sparse vector: laws by brute force, the gallery's known verdicts, and samples."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting import Exact
from powercert.accounting.errors import InputError
from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec
from powercert.certify.verdict import Claim, Judgement
from powercert.mechanisms import (
    ExactMachine,
    FiniteLaw,
    Mechanism,
    Run,
    SeededBits,
    check_neighbouring,
    open_run,
)
from powercert.mechanisms.noisy_threshold import SparseVector
from powercert.mechanisms.sparse_vector import above_threshold, close_answers, gallery
from powercert.mechanisms.unbounded_laws import TwoSidedGeometric

AnyMechanism = Mechanism[Any, Any, Any, Any]
Views = tuple[Any, ...]
SMALL = FiniteLaw.of({-1: "1/4", 0: "1/2", 1: "1/4"})
SKEW = FiniteLaw.of({-2: "1/6", 0: "1/2", 1: "1/3"})
HALF = TwoSidedGeometric("1/2")
TWO_HALVES = SparseVector(1, HALF, HALF, 2)
VARIANTS = gallery()


def transcripts(mechanism: AnyMechanism, stream: tuple[int, ...]) -> dict[Views, Exact]:
    """The law of all views, by following the enumerator."""
    machine = ExactMachine(mechanism)
    law: dict[tuple[Views, Any], Exact] = {((), s): weight for s, weight in machine.initial()}
    for item in stream:
        after: dict[tuple[Views, Any], Exact] = {}
        for (views, state), weight in law.items():
            for view, target, chance in machine.transitions(state, item):
                key = ((*views, view), target)
                after[key] = after.get(key, Exact(0)) + weight * chance
        law = after
    merged: dict[Views, Exact] = {}
    for (views, _), weight in law.items():
        merged[views] = merged.get(views, Exact(0)) + weight
    return merged


def reference(vector: SparseVector, stream: tuple[int, ...], noises: Iterator[int]) -> Views:
    """The printed algorithms, as plain code over noise that is already drawn.

    Noise comes in the order: threshold; per round answer, value, new threshold, used or not.
    """
    views: list[Any] = []
    rho, count = next(noises), 0
    for answer in stream:
        nu, value, renewed = next(noises), next(noises), next(noises)
        if vector.cutoff is not None and count >= vector.cutoff:
            views.append("halted")
        elif answer + nu >= vector.threshold + rho:
            count += 1
            if vector.values == "none":
                views.append("yes")
            else:
                shown = answer + (nu if vector.values == "compared" else value)
                low, high = vector.value_range or (shown, shown)
                views.append(min(max(shown, low), high))
            if vector.redraw:
                rho = renewed
        else:
            views.append("no")
    return tuple(views)


def by_all_noises(vector: SparseVector, stream: tuple[int, ...]) -> dict[Views, Fraction]:
    none = FiniteLaw.point(0)
    threshold, query = vector.threshold_noise, vector.query_noise
    value = none if vector.value_noise is None else vector.value_noise
    assert isinstance(threshold, FiniteLaw)
    assert isinstance(query, FiniteLaw)
    assert isinstance(value, FiniteLaw)
    laws = [threshold]
    for _ in stream:
        laws += [query, value, threshold if vector.redraw else none]
    law: dict[Views, Fraction] = {}
    for drawn in itertools.product(*(one.items() for one in laws)):
        views = reference(vector, stream, iter([noise for noise, _ in drawn]))
        weight = math.prod((chance.as_fraction() for _, chance in drawn), start=Fraction(1))
        law[views] = law.get(views, Fraction(0)) + weight
    return law


FINITE = {
    "cutoff one": SparseVector(1, SMALL, SKEW),
    "cutoff two": SparseVector(0, SKEW, SMALL, 2),
    "no cutoff": SparseVector(1, SMALL, SMALL, None),
    "redrawn": SparseVector(0, SKEW, SMALL, 2, redraw=True),
    "no query noise": SparseVector(1, SMALL, FiniteLaw.point(0), None),
    "compared values": SparseVector(1, SMALL, SKEW, 2, values="compared", value_range=(0, 2)),
    "compared, one value": SparseVector(1, SMALL, SKEW, 2, values="compared", value_range=(1, 1)),
    "fresh values": SparseVector(
        0, SKEW, SMALL, 2, values="fresh", value_noise=SKEW, value_range=(-1, 1)
    ),
    "redrawn, compared": SparseVector(
        0, SMALL, SKEW, 2, redraw=True, values="compared", value_range=(-1, 2)
    ),
}


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("stream", [(0, 1), (1, 0), (2, -1)])
def test_both_forms_are_the_printed_algorithm(name: str, stream: tuple[int, ...]) -> None:
    vector = FINITE[name]
    expected = by_all_noises(vector, stream)
    assert transcripts(vector, stream) == expected
    assert transcripts(vector.collapsed(), stream) == expected


@pytest.mark.parametrize("name", ["cutoff two", "no cutoff", "redrawn"])
def test_both_forms_are_the_printed_algorithm_over_three_rounds(name: str) -> None:
    vector = FINITE[name]
    expected = by_all_noises(vector, (0, 1, 0))
    assert transcripts(vector, (0, 1, 0)) == expected
    assert transcripts(vector.collapsed(), (0, 1, 0)) == expected


def cut_at(distance: int, ratio: Fraction) -> FiniteLaw[int]:
    weights = {k: ratio ** abs(k) for k in range(-distance, distance + 1)}
    total = sum(weights.values())
    return FiniteLaw.of({k: weight / total for k, weight in weights.items()})


@pytest.mark.parametrize(
    "vector",
    [
        SparseVector(1, HALF, HALF, 2),
        SparseVector(0, HALF, TwoSidedGeometric("1/3"), None),
        SparseVector(1, HALF, HALF, 2, redraw=True),
        SparseVector(1, HALF, HALF, values="compared", value_range=(-1, 3)),
    ],
    ids=str,
)
def test_unbounded_noise_is_the_limit_of_cut_noise(vector: SparseVector) -> None:
    """Noise cut at distance 24 differs from the whole by at most 7 draws of chance 2^-23 each.

    P(|noise| > 24) = 2 r^25 / (1 + r) <= 2^-24 for r <= 1/2, and conditioning moves a law by that.
    """
    stream = (0, 1, 1)
    ratio = Fraction(1, 3) if vector.cutoff is None else Fraction(1, 2)
    near = SparseVector(
        vector.threshold,
        cut_at(24, Fraction(1, 2)),
        cut_at(24, ratio),
        vector.cutoff,
        vector.redraw,
        vector.values,
        None,
        vector.value_range,
    )
    exact, close = transcripts(vector.collapsed(), stream), transcripts(near.collapsed(), stream)
    assert sum(exact.values(), Exact(0)) == 1
    for views, weight in exact.items():
        assert abs(weight - close.get(views, Exact(0))) <= 7 * Fraction(1, 2**23)


# --- privacy ------------------------------------------------------------------------------------


def judged(
    mechanism: AnyMechanism, rounds: int, exp_epsilon: object, *, monotone: bool = False
) -> Judgement:
    relation = close_answers(1, monotone=monotone)
    claim = Claim.of(exp_epsilon=exp_epsilon)
    spec = AuditSpec("test", mechanism, relation, rounds, (0, 1), claim)
    return audit(spec).results[0].adaptive


def delta(found: Judgement) -> object:
    assert found.delta_at_claim is not None
    assert found.delta_at_claim.is_exact
    return found.delta_at_claim.lower


@pytest.mark.parametrize("name", [name for name, entry in VARIANTS.items() if entry.private])
def test_private_variants_hold(name: str) -> None:
    entry = VARIANTS[name]
    for rounds in (2, 4):
        assert judged(entry.build().collapsed(), rounds, entry.exp_epsilon).verdict == "holds"


@pytest.mark.parametrize("name", [name for name, entry in VARIANTS.items() if not entry.private])
def test_other_variants_are_refuted(name: str) -> None:
    entry = VARIANTS[name]
    assert entry.queries is not None
    mechanism = entry.build().collapsed()
    found = judged(mechanism, entry.queries, entry.exp_epsilon)
    assert found.verdict == "violated"
    assert found.witness is not None
    assert found.witness.excess(entry.exp_epsilon).lower == delta(found)
    # One query fewer would not do: the number in the gallery is the least.
    assert judged(mechanism, entry.queries - 1, entry.exp_epsilon).verdict == "holds"


def test_the_gallery_names_all_algorithms_and_who_is_right() -> None:
    verdicts = {entry.algorithm: entry.private for entry in VARIANTS.values()}
    assert verdicts == {
        "Algorithm 1": True,
        "Algorithm 2": True,
        "Algorithm 3": False,
        "Algorithm 4": False,
        "Algorithm 5": False,
        "Algorithm 6": False,
        "Algorithm 7": True,
        "a common slip": False,
    }


@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_claims_are_those_of_the_algorithms(cutoff: int) -> None:
    # With epsilon = 4 c ln 2, Lap(b) is the ratio e^(-1/b); epsilon_1 = epsilon / 2 but in (4).
    def power(epsilon_over: Fraction) -> TwoSidedGeometric:
        exponent = 4 * cutoff * epsilon_over
        assert exponent.denominator == 1
        return TwoSidedGeometric(Exact(Fraction(1, 2)) ** exponent.numerator)

    c = cutoff
    expected = {
        "standard": (power(Fraction(1, 2)), power(Fraction(1, 4 * c))),
        "redrawn-threshold": (power(Fraction(1, 2 * c)), power(Fraction(1, 4 * c))),
        "printed-value": (power(Fraction(1, 2)), power(Fraction(1, 2 * c))),
        "uncharged-cutoff": (power(Fraction(1, 4)), power(Fraction(3, 4))),
        "no-query-noise": (power(Fraction(1, 2)), FiniteLaw.point(0)),
        "no-cutoff": (power(Fraction(1, 2)), power(Fraction(1, 2))),
    }
    variants = gallery(cutoff=cutoff)
    for name, noises in expected.items():
        vector = variants[name].build()
        assert (vector.threshold_noise, vector.query_noise) == noises
        assert variants[name].exp_epsilon == 16**cutoff


def test_a_cutoff_of_two_holds() -> None:
    for name in ("standard", "redrawn-threshold"):
        entry = gallery(cutoff=2)[name]
        assert judged(entry.build().collapsed(), 4, entry.exp_epsilon).verdict == "holds"


def test_the_loss_of_printed_values_grows_fourfold_with_each_query() -> None:
    # Ratio 1/4 on answers: below a threshold noise of -2 or less, each no and the printed -1
    # are exactly 4 times as likely with one answer as with the other, and never more.
    entry = VARIANTS["printed-value"]
    for rounds in (1, 2, 3):
        found = judged(entry.build().collapsed(), rounds, entry.exp_epsilon)
        assert found.pure_exp_epsilon.lower == 4**rounds


def test_the_uncharged_cutoff_stays_below_its_true_cost() -> None:
    # (1 + 6 c) / 4 epsilon with c = 1 and epsilon = 4 ln 2 is 7 ln 2.
    entry = VARIANTS["uncharged-cutoff"]
    losses = [
        judged(entry.build().collapsed(), rounds, 128).pure_exp_epsilon.upper
        for rounds in (1, 2, 3, 4)
    ]
    assert losses == sorted(losses)
    assert 120 < losses[-1] < 128


def test_two_exact_comparisons_separate_the_worlds() -> None:
    # 0 then 1 gives "no", "yes" only where the threshold's noise is 0, of chance (1 - r)/(1 + r)
    # with r = 1/4; 1 then 0 never does.
    entry = VARIANTS["no-query-noise"]
    found = judged(entry.build().collapsed(), 2, entry.exp_epsilon)
    assert delta(found) == Fraction(3, 5)
    assert found.pure_exp_epsilon.lower == math.inf


def test_an_exact_threshold_charges_every_no() -> None:
    # A no has chance 2/3 at answer 0 and 1/3 at answer 1, ratio 2 in every round.
    entry = VARIANTS["no-threshold-noise"]
    found = judged(entry.build().collapsed(), 5, entry.exp_epsilon)
    assert delta(found) == Fraction(2, 3) ** 5 - 16 * Fraction(1, 3) ** 5
    assert found.pure_exp_epsilon.lower == 2**5


def test_monotone_answers_need_half_the_noise() -> None:
    half = above_threshold(1, threshold_epsilon="ln(2)", query_epsilon="ln(2)", monotone=True)
    assert half.query_noise == TwoSidedGeometric("1/2")
    for rounds in (2, 4):
        assert judged(half.collapsed(), rounds, 4, monotone=True).verdict == "holds"
    assert judged(half.collapsed(), 4, 4).verdict == "violated"


def test_truncated_noise_is_not_purely_private() -> None:
    # Noise in -2..2, each end of chance (1/4) / (5/2): a no to 4 needs the threshold's noise 2 and
    # the answer's -2; a no to 5 never happens.
    vector = SparseVector(1, cut_at(2, Fraction(1, 2)), cut_at(2, Fraction(1, 2)))
    claim = Claim.of(exp_epsilon=8)
    for mechanism in (vector, vector.collapsed()):
        spec = AuditSpec("test", mechanism, close_answers(1), 1, (4, 5), claim)
        found = audit(spec).results[0].adaptive
        assert found.verdict == "violated"
        assert delta(found) == Fraction(1, 10) ** 2
        assert found.pure_exp_epsilon.lower == math.inf


def test_rational_epsilon_is_exact() -> None:
    vector = above_threshold(1, threshold_epsilon="1/2", query_epsilon=1)
    assert vector.threshold_noise == vector.query_noise == TwoSidedGeometric("exp(-1/2)")
    claim = Claim.of(epsilon="3/2")
    spec = AuditSpec("test", vector.collapsed(), close_answers(1), 2, (0, 1), claim)
    assert audit(spec).verdict == "holds"


# --- relation, samples, refusals ----------------------------------------------------------------


def test_close_answers_relates_what_it_says() -> None:
    answers = range(4)
    streams = list(itertools.product(answers, repeat=2))
    for monotone in (False, True):
        relation = close_answers(2, monotone=monotone).over(answers)
        for one, two in itertools.product(streams, streams):
            moves = [b - a for a, b in zip(one, two, strict=True)]
            close = all(abs(move) <= 2 for move in moves)
            agree = not monotone or min(moves) >= 0 or max(moves) <= 0
            assert (check_neighbouring(relation, one, two) is None) == (close and agree)


@pytest.mark.parametrize("mechanism", [TWO_HALVES, TWO_HALVES.collapsed()], ids=["drawn", "exact"])
def test_production_views_have_the_exact_law(mechanism: Any) -> None:
    """False alarm below 11 * 2 exp(-2 n 0.08^2) < 1e-3: 11 transcripts, n = 800 runs."""
    stream, runs, bits = (0, 1, 1, 0), 800, SeededBits(31)
    counts: Counter[Views] = Counter()
    for _ in range(runs):
        run: Run[Any, int, Any, Any] = open_run(mechanism, bits)
        counts[tuple(run.feed(item) for item in stream)] += 1
    exact = transcripts(TWO_HALVES.collapsed(), stream)
    assert len(exact) == 11
    for views, weight in exact.items():
        assert abs(counts[views] / runs - float(weight)) < 0.08


def test_unbounded_noise_is_refused_by_the_enumerator() -> None:
    with pytest.raises(InputError, match="infinite support"):
        ExactMachine(SparseVector(1, HALF, HALF)).initial()


def test_a_collapsed_run_can_be_stored() -> None:
    mechanism = SparseVector(5, HALF, HALF, 3).collapsed()
    run = open_run(mechanism, SeededBits(1))
    run.feed(0)
    again = Run.restore(mechanism, run.snapshot(), SeededBits(2))
    assert again.feed(100) == "yes"


def test_bad_parameters_are_refused() -> None:
    wrong: Any = "2"
    with pytest.raises(InputError, match="threshold: not an integer"):
        SparseVector(True, HALF, HALF)
    with pytest.raises(InputError, match="query_noise: not a law of integer noise"):
        SparseVector(1, HALF, wrong)
    with pytest.raises(InputError, match="cutoff is not an integer >= 1"):
        SparseVector(1, HALF, HALF, 0)
    with pytest.raises(InputError, match="unknown kind of values"):
        SparseVector(1, HALF, HALF, values=wrong)
    with pytest.raises(InputError, match="value_noise goes with"):
        SparseVector(1, HALF, HALF, values="fresh")
    with pytest.raises(InputError, match="lower is above upper"):
        SparseVector(1, HALF, HALF, values="compared", value_range=(1, 0))
    with pytest.raises(InputError, match="without a range"):
        SparseVector(1, HALF, HALF, values="compared").collapsed()
    with pytest.raises(InputError, match="answer: not an integer"):
        ExactMachine(SparseVector(1, SMALL, SMALL)).transitions((0, 0), wrong)
    with pytest.raises(InputError, match="query_epsilon: .* outside the field"):
        above_threshold(1, threshold_epsilon="ln(2)", query_epsilon="ln(2)")
    with pytest.raises(InputError, match=r"ratio: not in \(0, 1\)"):
        gallery(ratio="1")
    with pytest.raises(InputError, match="inputs: not an integer"):
        close_answers().over(["0", "1"])


def test_unbounded_noise_in_an_audit_names_the_collapsed_form() -> None:
    machine = ExactMachine(SparseVector(1, HALF, HALF))
    with pytest.raises(InputError, match=r"infinite support.*use the mechanism's \.collapsed\(\)"):
        machine.initial()
    with pytest.raises(InputError, match=r"infinite support.*use the mechanism's \.collapsed\(\)"):
        machine.transitions((0, 0), 0)
