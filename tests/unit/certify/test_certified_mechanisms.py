"""Checklist 1 on the library's own mechanisms: who is certified, by what, and who is not."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, cast

import pytest

from powercert.accounting import Exact, InputError, PowerFunction
from powercert.certify.audit import audit
from powercert.certify.checklist import (
    Checklist,
    checklist,
    finite_aggregate,
    named_aggregate,
)
from powercert.certify.spec import AuditSpec
from powercert.mechanisms import (
    ArcRelation,
    Coins,
    Factorisation,
    FiniteLaw,
    JointLaws,
    LinearMechanism,
    MemoisedResponse,
    RandomisedResponse,
    SerialTreeCounter,
    Step,
    TreeCounter,
    TwoSidedGeometric,
    hamming,
    post_process,
    relation_digest,
)

NOISE = FiniteLaw.of({-1: "1/4", 0: "1/2", 1: "1/4"})
SKEW = FiniteLaw.of({0: "4/7", 1: "2/7", 2: "1/7"})


def checked(mechanism: Any, rounds: int, inputs: tuple[Hashable, ...] = (0, 1)) -> Checklist:
    return checklist(AuditSpec("subject", mechanism, hamming(), rounds, inputs))


def definition_e3(found: Checklist) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", found.condition("stable_cost").details["definition_e3"])


def difference_forms(found: Checklist, aggregate: str) -> dict[str, str]:
    """Difference to status, for one aggregate."""
    return {
        each["difference"]: each["status"]
        for each in definition_e3(found)["tried"]
        if each["aggregate"] == aggregate
    }


def test_the_serialised_tree_fits_definition_e3_with_the_index_sets_of_its_nodes() -> None:
    """T = 4: sub-rounds [1], [2], [1,2], [4], [5], [4,5], [1,2,4,5]; 3, 6, 7 take no input."""
    tree = SerialTreeCounter(4, NOISE)
    spec = AuditSpec("tree", tree, tree.relation(), tree.rounds, tree.inputs)
    found = checklist(spec)
    assert found.certificate is not None
    assert found.certificate.basis == "Definition E.3"
    assert definition_e3(found)["index_sets"] == (
        (1,),
        (2,),
        (1, 2),
        (4,),
        (5,),
        (4, 5),
        (1, 2, 4, 5),
    )


def test_the_joint_tree_needs_context_stability() -> None:
    """In round 2 it releases [2,2] and [1,2]: changing input 2 moves both, input 1 only one."""
    found = checked(TreeCounter(4, NOISE), 4)
    assert found.certificate is not None
    assert found.certificate.basis == "context stability"
    assert definition_e3(found)["status"] == "fail"
    assert difference_forms(found, "Z") == {
        "metric": "fail",
        "signed": "fail",
        "position-tagged": "pass",
    }


def test_joint_and_serialised_trees_have_one_guarantee() -> None:
    serial = SerialTreeCounter(3, NOISE)
    spec = AuditSpec("tree", serial, serial.relation(), serial.rounds, serial.inputs)
    joint = checked(TreeCounter(3, NOISE), 3).certificate
    apart = checklist(spec).certificate
    assert joint is not None and apart is not None
    assert joint.power == apart.power


def test_the_published_prefix_sum_is_post_processing_of_the_noisy_nodes() -> None:
    published = TreeCounter(3, NOISE, shows="prefix")
    found = checked(published, 3)
    assert found.certified
    # Without the declared core the prefix sums themselves share noise: nodes come back.
    bare = checked(Bare(published), 3)
    assert [each.name for each in bare.failing] == ["fresh_randomness"]


def test_weighted_sums_need_context_stability() -> None:
    weights = LinearMechanism(Factorisation([[1, 0], [2, 1]]), NOISE)
    found = checked(weights, 2)
    assert found.certificate is not None
    assert found.certificate.basis == "context stability"
    assert difference_forms(found, "Z")["position-tagged"] == "pass"


def test_skew_noise_passes_by_its_signed_difference() -> None:
    """P = (4, 2, 1, 0)/7 and Q = (0, 4, 2, 1)/7: Pow(P || Q)(0) = 1/7 one way, 4/7 the other."""
    found = checked(LinearMechanism(Factorisation.identity(2), SKEW), 2)
    assert found.certificate is not None
    assert found.certificate.basis == "Remark E.5"
    assert difference_forms(found, "Z")["metric"] == "fail"


def test_fresh_answers_are_certified_and_memoised_ones_are_not() -> None:
    fresh = checked(RandomisedResponse((0, 1), exp_epsilon=3), 3)
    assert fresh.certificate is not None
    assert fresh.certificate.profile.exp_epsilon(delta=0) == 3
    memoised = checked(MemoisedResponse((0, 1), exp_epsilon=3), 2)
    assert [each.name for each in memoised.failing] == ["fresh_randomness"]


@pytest.mark.parametrize("rounds", [2, 3])
def test_a_certificate_multiplies_rounds_as_independent_releases(rounds: int) -> None:
    """A running sum y_t = x_1 + ... + x_t + noise: changing x_1 costs every round."""
    sums = LinearMechanism(Factorisation.noisy_sums(rounds), NOISE)
    found = checked(sums, rounds)
    one = checked(LinearMechanism(Factorisation.identity(1), NOISE), 1)
    assert found.certificate is not None and one.certificate is not None
    product = one.certificate.power
    for _ in range(rounds - 1):
        product = product.tensor(one.certificate.power)
    assert found.certificate.power == product


def test_clamped_nodes_with_truncated_noise_are_refused() -> None:
    """Clamping at the ends of the range makes the cost depend on where the total stands."""
    noise = TwoSidedGeometric("1/2").truncated(-1, 1)
    found = checked(TreeCounter(2, noise, clamped=True), 2)
    assert [each.name for each in found.failing] == ["stable_cost"]


@dataclass(frozen=True)
class Bare:
    """A mechanism that declares no core."""

    inner: Any

    def start(self, coins: Coins) -> Hashable:
        return cast(Hashable, self.inner.start(coins))

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, Any, None]:
        return replace(self.inner.step(state, item, coins), core=None)


@dataclass(frozen=True)
class Reused:
    """A sum whose noise is drawn once, at the start, and added in every round."""

    noise: FiniteLaw[int]

    def start(self, coins: Coins) -> tuple[int, int]:
        return 0, coins.draw(self.noise)

    def step(self, state: tuple[int, int], item: int, coins: Coins) -> Step[Any, int, None]:
        total = state[0] + item
        return Step((total, state[1]), total + state[1])


def test_noise_drawn_once_and_used_in_two_rounds_is_caught() -> None:
    """Given y_1 = 0 + z the second release is certain: 1/4 or 0 for the same event."""
    found = checked(Reused(NOISE), 2)
    fresh = found.condition("fresh_randomness")
    assert fresh.status == "fail"
    assert fresh.witness["probabilities"] in (("1", "0"), ("0", "1"))
    assert checked(Reused(NOISE), 1).certified


def test_a_draw_kept_for_one_later_round_is_fresh_in_law_and_reported() -> None:
    """The start draws what only round 2 uses: no two cores share it."""
    found = checked(Delayed(NOISE), 2)
    fresh = found.condition("fresh_randomness")
    assert fresh.status == "pass"
    assert fresh.details["carried_draws"] is True
    assert found.certified


@dataclass(frozen=True)
class Delayed:
    noise: FiniteLaw[int]

    def start(self, coins: Coins) -> tuple[int, int]:
        return 1, coins.draw(self.noise)

    def step(self, state: tuple[int, int], item: int, coins: Coins) -> Step[Any, int, None]:
        number, kept = state
        if number == 1:
            return Step((2, kept), 0)
        return Step((3, 0), item + kept)


def test_post_processing_that_reads_the_raw_input_is_caught() -> None:
    found = checked(Peeking(TreeCounter(2, NOISE)), 2)
    assert [each.name for each in found.failing] == ["post_processing"]
    processed = post_process(TreeCounter(2, NOISE), len)
    assert checked(processed, 2).certified


@dataclass(frozen=True)
class Peeking:
    """Shows the last core and whether the raw input was 1."""

    inner: TreeCounter

    def start(self, coins: Coins) -> Any:
        return self.inner.start(coins)

    def step(self, state: Any, item: int, coins: Coins) -> Step[Any, Any, None]:
        step = self.inner.step(state, item, coins)
        core = step.view if step.core is None else step.core
        return Step(step.state, (step.view, item == 1), core=core)


def test_anticipation_is_caught_by_condition_1() -> None:
    laws = {(x, y): {(y, 0): "3/4", (1 - y, 0): "1/4"} for x in (0, 1) for y in (0, 1)}
    found = checklist(AuditSpec("peek", JointLaws(laws), hamming(), 2, (0, 1)))
    assert [each.name for each in found.failing] == ["prefix_dependence"]
    honest = {(x, y): {(x, 0): "3/4", (1 - x, 0): "1/4"} for x in (0, 1) for y in (0, 1)}
    assert checklist(AuditSpec("honest", JointLaws(honest), hamming(), 2, (0, 1))).certified


def test_a_group_of_your_own_serves_and_a_saturating_sum_is_refused() -> None:
    """x or y through noise: the exclusive or of two bits fits Z_2 given as a table."""
    group = finite_aggregate("bits", [0, 1], lambda a, b: a ^ b)
    spec = AuditSpec(
        "parity",
        LinearMechanism(Factorisation.noisy_sums(2), FiniteLaw.of({0: "2/3", 1: "1/3"}), modulus=2),
        hamming(),
        2,
        (0, 1),
    )
    found = checklist(spec, aggregates=[group])
    assert definition_e3(found)["aggregate"] == "bits"
    with pytest.raises(Exception, match="no metric is invariant under this addition"):
        finite_aggregate("capped", [0, 1, 2], lambda a, b: min(2, a + b))


def test_a_group_that_does_not_commute_measures_differences_up_to_conjugation() -> None:
    """S3, where noise is the identity or any permutation: every change costs the same."""
    elements = list(permutations(range(3)))

    def compose(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(a[b[index]] for index in range(3))

    group = finite_aggregate("S3", elements, compose)
    swaps = [element for element in elements if sum(i != j for i, j in enumerate(element)) == 2]
    assert len({group.difference(swap, (0, 1, 2)) for swap in swaps}) == 1
    noise = FiniteLaw.of_pairs(
        (element, "1/2" if element == (0, 1, 2) else "1/10") for element in elements
    )
    found = checklist(
        AuditSpec("walk", Walk(noise), hamming(), 2, tuple(elements[:4])), aggregates=[group]
    )
    assert definition_e3(found)["status"] == "pass"
    assert found.certified


@dataclass(frozen=True)
class Walk:
    """The product of the permutations so far, times noise."""

    noise: FiniteLaw[tuple[int, ...]]

    def start(self, coins: Coins) -> tuple[int, ...]:
        return (0, 1, 2)

    def step(
        self, state: tuple[int, ...], item: tuple[int, ...], coins: Coins
    ) -> Step[tuple[int, ...], tuple[int, ...], None]:
        after = tuple(state[item[index]] for index in range(3))
        drawn = coins.draw(self.noise)
        return Step(after, tuple(after[drawn[index]] for index in range(3)))


def test_the_certificate_bounds_the_views_of_an_audit() -> None:
    published = TreeCounter(2, NOISE, shows="prefix")
    report = audit(AuditSpec("prefix", published, hamming(), 2, (0, 1)))
    certificate = report.checklist.certificate
    assert certificate is not None
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.upper <= certificate.profile
    assert certificate.power >= PowerFunction.identity()
    assert certificate.delta(epsilon=0) >= Exact(0)


@dataclass(frozen=True)
class Latch:
    """Round 2 may forget what came in round 1; round 3 shows what is left, through noise."""

    def start(self, coins: Coins) -> tuple[int, int]:
        return 1, 0

    def step(self, state: tuple[int, int], item: int, coins: Coins) -> Step[Any, int, None]:
        number, kept = state
        if number == 1:
            return Step((2, item), 0)
        if number == 2:
            return Step((3, kept * item), 0)
        return Step((4, 0), kept + coins.draw(NOISE))


def test_a_context_that_forgets_the_change_is_compared_with_one_that_keeps_it() -> None:
    """Input 2 = 0 forgets: round 3 then costs nothing; with 1 it costs TV(z, 1 + z) = 1/2."""
    found = checked(Latch(), 3)
    stable = found.condition("stable_cost")
    assert stable.status == "fail"
    assert (stable.witness["round"], stable.witness["position"]) == (3, 1)
    assert sorted(cast("tuple[str, str]", stable.witness["deltas"])) == ["0", "1/2"]
    contexts = cast("tuple[str, str]", stable.witness["contexts"])
    forgets = cast("tuple[str, str]", stable.witness["deltas"]).index("0")
    assert contexts[forgets].startswith("0|") and contexts[1 - forgets].startswith("1|")


@dataclass(frozen=True)
class Masked:
    """Core: a coin, then the sum of both inputs; view: the coin, then whether the sum exceeds it."""

    def start(self, coins: Coins) -> tuple[int, int, int]:
        return 1, 0, 0

    def step(self, state: tuple[int, int, int], item: int, coins: Coins) -> Step[Any, int, None]:
        number, kept, coin = state
        if number == 1:
            flipped = coins.draw(FiniteLaw.uniform((0, 1)))
            return Step((2, item, flipped), flipped, core=flipped)
        total = kept + item
        return Step((3, 0, 0), int(total > coin), core=total)


def test_a_certificate_speaks_of_cores_and_views_may_still_gain_by_adapting() -> None:
    """Fixed: the second input suits one of two coins, delta 1/2. Feeding the coin back: delta 1."""
    report = audit(AuditSpec("masked", Masked(), hamming(), 2, (0, 1)))
    assert report.checklist.core_declared
    certificate = report.checklist.certificate
    assert certificate is not None and certificate.delta(epsilon=0) == 1
    assert report.adaptive_profile is not None
    assert report.adaptive_profile.upper.delta(exp_epsilon=1) == 1
    assert report.nonadaptive_profile.upper.delta(exp_epsilon=1) == Exact("1/2")


@dataclass(frozen=True)
class Forgetful:
    """Declares a core in round 1 only."""

    def start(self, coins: Coins) -> int:
        return 1

    def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
        noisy = item + coins.draw(NOISE)
        return Step(state + 1, min(noisy, 1), core=noisy if state == 1 else None)


def test_a_core_declared_in_some_rounds_only_is_said() -> None:
    reason = checked(Forgetful(), 2).condition("post_processing").reason
    assert reason.endswith("some steps declare no core, so that their view counts as one")
    assert "some steps" not in checked(Forgetful(), 1).condition("post_processing").reason


class Remembering:
    """Shows the first input it was ever fed, which it keeps in itself instead of its state."""

    def __init__(self) -> None:
        self.first: int | None = None

    def start(self, coins: Coins) -> int:
        return 0

    def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
        if self.first is None:
            self.first = item
        return Step(0, self.first)


class Caching:
    """Keeps laws it has built, which changes nothing."""

    def __init__(self) -> None:
        self.laws: dict[int, FiniteLaw[int]] = {}

    def start(self, coins: Coins) -> int:
        return 0

    def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
        law = self.laws.setdefault(item, NOISE.map(lambda drawn: drawn + item))
        return Step(0, coins.draw(law))


def test_memory_outside_the_state_is_refused() -> None:
    """A real run shows x_1 in round 2; one object audited for all runs would show a constant."""
    for judge in (checklist, audit):
        with pytest.raises(InputError, match="remembers earlier steps outside of its state"):
            judge(AuditSpec("memory", Remembering(), hamming(), 2, (0, 1)))
    assert checked(Caching(), 2).certified


def dead_end(name: str) -> ArcRelation:
    """Streams that are equal, or differ in their last round and cannot be continued."""
    arcs = [("same", 0, 0, "same"), ("same", 1, 1, "same"), ("same", 0, 1, "stop")]
    return ArcRelation("same", ["same", "stop"], arcs, name=name)


@dataclass(frozen=True)
class Bare1:
    """Shows the first input, then a coin."""

    def start(self, coins: Coins) -> int:
        return 1

    def step(self, state: int, item: int, coins: Coins) -> Step[int, int, None]:
        shown = item if state == 1 else coins.draw(FiniteLaw.uniform((0, 1)))
        return Step(state + 1, shown)


def test_a_certificate_says_for_which_streams_and_rounds_it_is() -> None:
    """Streams of one round that differ cannot be continued: nothing was decided about them."""
    found = checklist(AuditSpec("dead end", Bare1(), dead_end("hamming"), 2, (0, 1)))
    certificate = found.certificate
    assert certificate is not None and not certificate.shorter_too
    assert "for exactly 2 rounds" in str(found)
    own = relation_digest(dead_end("another name"), 2)
    certificate.require(digest=own, horizon=2)
    with pytest.raises(InputError, match="it covers 2 rounds exactly"):
        certificate.require(digest=own, horizon=1)
    with pytest.raises(InputError, match="it is for other neighbouring streams"):
        certificate.require(digest=relation_digest(hamming().over((0, 1)), 2), horizon=2)
    usual = checked(LinearMechanism(Factorisation.identity(3), NOISE), 3).certificate
    assert usual is not None and usual.shorter_too
    usual.require(digest=relation_digest(hamming().over((0, 1)), 3), horizon=2)


def test_streams_that_no_pair_holds_cannot_anticipate() -> None:
    """The law of (1, 1) looks ahead, but the relation never feeds it."""
    laws = {(x, y): {(x, 0): 1} for x in (0, 1) for y in (0, 1)}
    laws[1, 1] = {(0, 0): 1}
    arcs = [("s", 0, 1, "d"), ("d", 0, 0, "d")]
    relation = ArcRelation("s", ["d"], arcs)
    spec = AuditSpec("partial", JointLaws(laws), relation, 2, (0, 1))
    assert checklist(spec).condition("prefix_dependence").status == "pass"
    assert audit(spec).adaptive_profile is not None


def test_index_sets_are_left_open_where_positions_only_change_together() -> None:
    """Core: x_1 + z, noise, x_2 + z. Legal: 010 beside itself, 101 beside 001."""
    arcs = [("s", 0, 0, "a"), ("a", 1, 1, "b"), ("b", 0, 0, "e")]
    arcs += [("s", 1, 0, "c"), ("c", 0, 0, "d"), ("d", 1, 1, "e")]
    relation = ArcRelation("s", ["e"], arcs)
    late = LinearMechanism(Factorisation([[1, 0, 0], [0, 0, 0], [0, 1, 0]]), NOISE)
    found = checklist(AuditSpec("late", late, relation, 3, (0, 1)))
    assert found.certified
    assert definition_e3(found)["status"] == "undecided"


def test_a_cyclic_group_by_name_reads_letters_in_their_order() -> None:
    letters = RandomisedResponse(("a", "b", "c"), exp_epsilon=2)
    spec = AuditSpec("letters", letters, hamming(), 1, ("a", "b", "c"))
    by_default = definition_e3(checklist(spec))["aggregate"]
    by_name = definition_e3(checklist(spec, aggregates=[named_aggregate("Z_3")]))["aggregate"]
    assert by_default == by_name == "Z_3 (a = 0, b = 1, c = 2)"
    for name in ("Z^0", "Z^100000000000", "Z_1"):
        with pytest.raises(InputError):
            named_aggregate(name)


def test_what_is_no_spec_is_refused_with_what_to_write() -> None:
    for judge in (checklist, audit):
        with pytest.raises(InputError, match="not an AuditSpec"):
            judge(cast(AuditSpec, TreeCounter(2, NOISE)))
    with pytest.raises(InputError, match=r"write audit\(load_spec\('flip.toml'\)\)"):
        audit(cast(AuditSpec, "flip.toml"))


def test_what_are_no_limits_is_refused() -> None:
    spec = AuditSpec("flip", RandomisedResponse((0, 1), exp_epsilon=3), hamming(), 1, (0, 1))
    for judge in (checklist, audit):
        with pytest.raises(InputError, match="limits: not limits; found 5"):
            judge(spec, limits=cast(Any, 5))
    with pytest.raises(InputError, match="not true or false"):
        JointLaws({(0,): {("a",): 1}}, partial=cast(Any, "no"))
