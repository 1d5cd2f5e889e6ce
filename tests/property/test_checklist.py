"""Checklist 1 against brute force over histories, and against the exact game."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import Pair, PowerFunction
from powercert.certify.audit import audit
from powercert.certify.checklist import Checklist, checklist, named_aggregate
from powercert.certify.spec import AuditSpec
from powercert.mechanisms import Coins, FiniteLaw, Mechanism, Step, hamming

State = tuple[int, int, int]
Inputs = tuple[int, ...]
Cores = tuple[int, ...]
Joint = dict[tuple[tuple[int, int], ...], Fraction]

ALPHABET = (0, 1)
WEIGHTS = [Fraction(n, 6) for n in range(7)]


@dataclass(frozen=True)
class Hidden:
    """(Round, hidden state, input before, input) to a law of (core, view, next hidden state)."""

    initial: FiniteLaw[int]
    laws: tuple[tuple[tuple[int, int, int, int], FiniteLaw[tuple[int, int, int]]], ...]

    def start(self, coins: Coins) -> State:
        return 1, coins.draw(self.initial), 0

    def step(self, state: State, item: int, coins: Coins) -> Step[State, int, None]:
        core, view, after = coins.draw(dict(self.laws)[*state, item])
        return Step((state[0] + 1, after, item), view, core=core)

    def runs(self, inputs: Inputs) -> Joint:
        """The joint law of (core, view) of all rounds, by listing every path."""
        paths: dict[tuple[int, tuple[tuple[int, int], ...]], Fraction] = {
            (hidden, ()): weight.as_fraction() for hidden, weight in self.initial.items()
        }
        table = dict(self.laws)
        for number, (before, item) in enumerate(zip((0, *inputs), inputs, strict=False), 1):
            longer: dict[tuple[int, tuple[tuple[int, int], ...]], Fraction] = {}
            for (hidden, shown), weight in paths.items():
                for (core, view, after), chance in table[number, hidden, before, item].items():
                    key = after, (*shown, (core, view))
                    longer[key] = longer.get(key, Fraction(0)) + weight * chance.as_fraction()
            paths = longer
        joint: Joint = {}
        for (_, shown), weight in paths.items():
            joint[shown] = joint.get(shown, Fraction(0)) + weight
        return joint


@st.composite
def finite_laws(
    draw: st.DrawFn, outcomes: list[tuple[int, int, int]]
) -> FiniteLaw[tuple[int, int, int]]:
    """A law whose weights are sixths; most outcomes may be missing."""
    left = 6
    weights: list[int] = []
    for _ in outcomes[:-1]:
        weights.append(draw(st.integers(0, left)))
        left -= weights[-1]
    weights.append(left)
    return FiniteLaw.of_pairs(
        (outcome, Fraction(weight, 6)) for outcome, weight in zip(outcomes, weights, strict=True)
    )


@st.composite
def machines(draw: st.DrawFn, rounds: int) -> Hidden:
    """Few different laws, so that conditions hold often enough to be told from failing."""
    states = draw(st.integers(1, 2))
    view_of = draw(st.sampled_from(["core", "zero", "free"]))
    outcomes = [
        (core, view, after)
        for core in (0, 1)
        for view in ((core,) if view_of == "core" else (0,) if view_of == "zero" else (0, 1))
        for after in range(states)
    ]
    pool = draw(st.lists(finite_laws(outcomes), min_size=1, max_size=3))
    laws = tuple(
        ((number, hidden, before, item), draw(st.sampled_from(pool)))
        for number in range(1, rounds + 1)
        for hidden in range(states)
        for before in ALPHABET
        for item in ALPHABET
    )
    first = draw(st.integers(0, 6)) if states == 2 else 0
    initial = FiniteLaw.of({0: Fraction(6 - first, 6), 1: Fraction(first, 6)})
    return Hidden(initial, laws)


def spec_of(mechanism: Mechanism[State, int, int, None], rounds: int) -> AuditSpec:
    return AuditSpec("random", mechanism, hamming(), rounds, ALPHABET)


def marginal(joint: Joint, number: int) -> dict[int, Fraction]:
    law: dict[int, Fraction] = {}
    for shown, weight in joint.items():
        core = shown[number][0]
        law[core] = law.get(core, Fraction(0)) + weight
    return law


def fresh_by_listing(machine: Hidden, rounds: int) -> bool:
    """Under every stream the joint law of the cores is the product of its marginals."""
    for inputs in product(ALPHABET, repeat=rounds):
        joint = machine.runs(inputs)
        cores: dict[Cores, Fraction] = {}
        for shown, weight in joint.items():
            key = tuple(core for core, _ in shown)
            cores[key] = cores.get(key, Fraction(0)) + weight
        marginals = [marginal(joint, number) for number in range(rounds)]
        for key in product((0, 1), repeat=rounds):
            wanted = Fraction(1)
            for number, core in enumerate(key):
                wanted *= marginals[number].get(core, Fraction(0))
            if cores.get(key, Fraction(0)) != wanted:
                return False
    return True


def view_settled_by_listing(machine: Hidden, rounds: int) -> bool:
    """No history of cores, over all streams and draws, is followed by two views."""
    views: dict[Cores, int] = {}
    for inputs in product(ALPHABET, repeat=rounds):
        for shown, weight in machine.runs(inputs).items():
            for number in range(rounds if weight else 0):
                cores = tuple(core for core, _ in shown[: number + 1])
                if views.setdefault(cores, shown[number][1]) != shown[number][1]:
                    return False
    return True


def stable_by_listing(machine: Hidden, rounds: int) -> bool:
    """Each (round, position, u, u') has one power function over all common inputs."""
    powers: dict[tuple[int, int, int], object] = {}
    for inputs in product(ALPHABET, repeat=rounds):
        for position in range(rounds):
            other = (*inputs[:position], 1 - inputs[position], *inputs[position + 1 :])
            for number in range(position, rounds):
                null = marginal(machine.runs(other), number)
                alternative = marginal(machine.runs(inputs), number)
                masses = [
                    (null.get(core, Fraction(0)), alternative.get(core, Fraction(0)))
                    for core in (0, 1)
                ]
                pair = Pair.from_laws([p for p, _ in masses], [q for _, q in masses])
                power = pair.power_function()
                if powers.setdefault((number, position, inputs[position]), power) != power:
                    return False
    return True


def statuses(found: Checklist) -> dict[str, str]:
    return {each.name: each.status for each in found.conditions}


@settings(max_examples=150)
@given(data=st.data(), rounds=st.integers(1, 3))
def test_every_condition_is_what_listing_all_runs_says(data: st.DataObject, rounds: int) -> None:
    machine = data.draw(machines(rounds))
    found = checklist(spec_of(machine, rounds))
    told = statuses(found)
    fresh = fresh_by_listing(machine, rounds)
    assert told["fresh_randomness"] == ("pass" if fresh else "fail")
    settled = view_settled_by_listing(machine, rounds)
    assert told["post_processing"] == ("pass" if settled else "fail")
    if fresh:
        stable = stable_by_listing(machine, rounds)
        assert told["stable_cost"] == ("pass" if stable else "fail")
        assert found.certified == (stable and settled)
    else:
        assert told["stable_cost"] == "not_applicable"
        assert not found.certified


@settings(max_examples=150)
@given(data=st.data(), rounds=st.integers(1, 3))
def test_a_certificate_is_the_fixed_and_the_adaptive_profile_of_the_cores(
    data: st.DataObject, rounds: int
) -> None:
    machine = data.draw(machines(rounds))
    found = checklist(spec_of(machine, rounds))
    if found.certificate is None:
        return
    report = audit(spec_of(Bare(machine), rounds))
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.upper == found.certificate.profile
    assert report.nonadaptive_profile.upper == found.certificate.profile
    seen = audit(spec_of(machine, rounds))
    assert seen.adaptive_profile is not None
    assert seen.adaptive_profile.upper <= found.certificate.profile


@settings(max_examples=60)
@given(data=st.data(), rounds=st.integers(2, 3))
def test_stable_later_contexts_suffice_for_equal_profiles(data: st.DataObject, rounds: int) -> None:
    machine = Bare(data.draw(machines(rounds)))
    found = checklist(spec_of(machine, rounds))
    stable = found.condition("stable_cost")
    if stable.details.get("later_contexts") == "pass":
        report = audit(spec_of(machine, rounds))
        assert report.adaptive_profile == report.nonadaptive_profile


@dataclass(frozen=True)
class Bare:
    """A machine whose views are its cores."""

    inner: Hidden

    def start(self, coins: Coins) -> State:
        return self.inner.start(coins)

    def step(self, state: State, item: int, coins: Coins) -> Step[State, int, None]:
        step = self.inner.step(state, item, coins)
        assert isinstance(step.core, int)
        return Step(step.state, step.core)


@dataclass(frozen=True)
class Sums:
    """Sums over index sets modulo m plus fresh noise, seen through a function of all cores."""

    modulus: int
    sets: tuple[tuple[int, ...], ...]
    noise: tuple[FiniteLaw[int], ...]
    view: Callable[[Cores], Hashable]
    mutation: str = ""

    def start(self, coins: Coins) -> tuple[Inputs, Cores, int]:
        return (), (), 0

    def step(
        self, state: tuple[Inputs, Cores, int], item: int, coins: Coins
    ) -> Step[tuple[Inputs, Cores, int], Hashable, None]:
        inputs, cores, kept = (*state[0], item), state[1], state[2]
        number = len(inputs)
        total = sum(inputs[position - 1] for position in self.sets[number - 1])
        if self.mutation == "saturate":
            total = min(total, 1)
        if self.mutation == "reuse" and number > 1:
            noise = kept
        elif self.mutation == "context" and number > 1 and inputs[0]:
            noise = 0
        else:
            noise = coins.draw(self.noise[number - 1])
        core = (total + noise) % self.modulus
        seen: Hashable = self.view((*cores, core))
        if self.mutation == "raw":
            seen = seen, item
        return Step((inputs, (*cores, core), noise if number == 1 else kept), seen, core=core)


VIEWS: list[Callable[[Cores], Hashable]] = [
    lambda cores: cores[-1],
    lambda cores: sum(cores) % 2,
    lambda cores: cores.count(0),
]


@st.composite
def certified_sums(draw: st.DrawFn, mutation: str = "") -> tuple[Sums, int]:
    """Sums that pass by construction: E.3 fits with Z_m, whatever the noise."""
    rounds, modulus = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    sets = tuple(
        tuple(draw(st.sets(st.integers(1, number), max_size=number)))
        for number in range(1, rounds + 1)
    )
    weights = st.lists(st.integers(1, 5), min_size=modulus, max_size=modulus)
    noise = tuple(
        FiniteLaw.of_pairs((value, Fraction(w, sum(drawn))) for value, w in enumerate(drawn))
        for drawn in (draw(weights) for _ in range(rounds))
    )
    return Sums(modulus, sets, noise, draw(st.sampled_from(VIEWS)), mutation), rounds


@settings(max_examples=100)
@given(certified_sums())
def test_sums_with_fresh_noise_are_certified_and_adapting_never_helps(
    drawn: tuple[Sums, int],
) -> None:
    mechanism, rounds = drawn
    spec = AuditSpec("sums", mechanism, hamming(), rounds, ALPHABET)
    found = checklist(spec)
    assert found.certificate is not None, [each.reason for each in found.conditions]
    report = audit(spec)
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.upper <= found.certificate.profile
    cores = AuditSpec(
        "cores",
        Sums(mechanism.modulus, mechanism.sets, mechanism.noise, lambda cores: cores[-1]),
        hamming(),
        rounds,
        ALPHABET,
    )
    assert audit(cores).nonadaptive_profile.upper == found.certificate.profile


SKEW = FiniteLaw.of({0: "1/2", 1: "1/3", 2: "1/6"})
WITNESSED = {
    "reuse": "fresh_randomness",
    "raw": "post_processing",
    "context": "stable_cost",
}


@pytest.mark.parametrize("mutation", [*WITNESSED, ""])
def test_each_mutation_of_a_certified_sum_is_caught_where_it_sits(mutation: str) -> None:
    sums = Sums(3, ((1,), (1, 2)), (SKEW, SKEW), lambda cores: cores[-1], mutation)
    found = checklist(AuditSpec(mutation or "sum", sums, hamming(), 2, ALPHABET))
    assert [each.name for each in found.failing] == ([WITNESSED[mutation]] if mutation else [])
    for each in found.failing:
        assert each.witness


def test_skew_noise_fits_signed_differences_but_no_metric() -> None:
    """The reversed difference costs something else: 1/2, 1/3, 1/6 is not a symmetric law."""
    sums = Sums(4, ((1,), (1, 2)), (SKEW, SKEW), lambda cores: cores[-1])
    found = checklist(AuditSpec("skew", sums, hamming(), 2, ALPHABET))
    assert found.certificate is not None
    assert found.certificate.basis == "Remark E.5"
    e3 = found.condition("stable_cost").details["definition_e3"]
    assert isinstance(e3, dict) and e3["status"] == "fail"


def test_a_saturating_sum_is_refused_with_the_reason() -> None:
    sums = Sums(4, ((1,), (1, 2)), (SKEW, SKEW), lambda cores: cores[-1], "saturate")
    found = checklist(AuditSpec("saturating", sums, hamming(), 2, ALPHABET))
    assert not found.certified
    stable = found.condition("stable_cost")
    assert stable.status == "fail"
    assert stable.witness["round"] == 2
    e3 = stable.details["definition_e3"]
    assert isinstance(e3, dict)
    assert "1 + 1 = 1 + 0 = 1 at the cap" in str(e3["reason"])


def metric_by_listing(machine: Hidden, rounds: int, modulus: int | None) -> bool:
    """Definition E.3 word by word: some index sets, and some order of the lengths of differences.

    Lengths of different absolute differences may be tied or in any order; any values in [1, 2] are
    a metric. ``modulus`` None means the integers.
    """
    laws: dict[tuple[int, Inputs], dict[int, Fraction]] = {
        (number, inputs): marginal(machine.runs(inputs), number - 1)
        for number in range(1, rounds + 1)
        for inputs in product(ALPHABET, repeat=number)
    }
    sizes = range(1, (rounds if modulus is None else modulus // 2) + 1)
    orders = [
        ranks
        for ranks in product(range(1, len(sizes) + 1), repeat=len(sizes))
        if set(ranks) == set(range(1, max(ranks, default=0) + 1))
    ]
    return any(
        all(_some_sets_fit(laws, number, modulus, order) for number in range(1, rounds + 1))
        for order in orders
    )


def _some_sets_fit(
    laws: dict[tuple[int, Inputs], dict[int, Fraction]],
    number: int,
    modulus: int | None,
    order: tuple[int, ...],
) -> bool:
    return any(
        _fits(laws, number, modulus, (0, *order), chosen)
        for size in range(number + 1)
        for chosen in combinations(range(number), size)
    )


def _fits(
    laws: dict[tuple[int, Inputs], dict[int, Fraction]],
    number: int,
    modulus: int | None,
    order: tuple[int, ...],
    chosen: Inputs,
) -> bool:
    powers: dict[int, PowerFunction] = {}
    for first, second in product(product(ALPHABET, repeat=number), repeat=2):
        gap = sum(first[index] - second[index] for index in chosen)
        size = abs(gap) if modulus is None else min(gap % modulus, -gap % modulus)
        null, alternative = laws[number, second], laws[number, first]
        pair = Pair.from_laws(
            [null.get(core, Fraction(0)) for core in (0, 1)],
            [alternative.get(core, Fraction(0)) for core in (0, 1)],
        )
        power = pair.power_function()
        if powers.setdefault(order[size], power) != power:
            return False
    identity = PowerFunction.identity()
    ranks = sorted(powers)
    return powers[0] == identity and all(
        powers[low] <= powers[high] for low, high in pairwise(ranks)
    )


@settings(max_examples=80)
@given(data=st.data(), rounds=st.integers(1, 2), name=st.sampled_from(["Z", "Z_2", "Z_3"]))
def test_definition_e3_is_what_trying_all_sets_and_orders_says(
    data: st.DataObject, rounds: int, name: str
) -> None:
    machine = data.draw(machines(rounds))
    found = checklist(spec_of(machine, rounds), aggregates=[named_aggregate(name)])
    e3 = found.condition("stable_cost").details.get("definition_e3")
    if not isinstance(e3, dict):
        return
    modulus = None if name == "Z" else int(name[2:])
    assert e3["status"] == ("pass" if metric_by_listing(machine, rounds, modulus) else "fail")
