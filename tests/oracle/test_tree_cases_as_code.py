"""The open cases about trees written as code: the same profiles and verdicts as their tables.

Every mechanism follows from the words of its case (``description``), never from its rows. The
truth it is held against is the one stored with the case.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from powercert.certify.audit import audit
from powercert.certify.spec import AuditSpec, load_spec
from powercert.certify.verdict import AuditReport
from powercert.mechanisms import Coins, FiniteLaw, Mechanism, Step, TreeCounter, hamming
from powercert.mechanisms.coins import SampledLaw
from powercert.mechanisms.unbounded_laws import TwoSidedGeometric

CASES = Path(__file__).parent.parent / "data" / "open_cases.json"
TRUTHS: dict[str, dict[str, Any]] = {
    case["id"]: case["truth"] for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]
}
Outcome = TypeVar("Outcome", bound=Hashable)

AnyMechanism = Mechanism[Any, Any, Any, Any]

#: Randomised response on a bit, right twice as often as wrong, as noise modulo 2.
RATIO_TWO = FiniteLaw.of({0: "2/3", 1: "1/3"})


@dataclass
class Remembering:
    """Coins that first hand out the noise remembered, and note what they draw anew."""

    coins: Coins
    old: list[Any]
    new: list[Any]

    def draw(self, law: FiniteLaw[Outcome] | SampledLaw[Outcome]) -> Outcome:
        if self.old:
            return cast("Outcome", self.old.pop(0))
        drawn = self.coins.draw(law)
        self.new.append(drawn)
        return drawn


@dataclass(frozen=True)
class Restarted:
    """A mechanism that starts anew after some rounds, with the noise it had the first time."""

    inner: AnyMechanism
    epoch: int

    def start(self, coins: Coins) -> Any:
        return 0, self.inner.start(coins), ()

    def step(self, state: Any, item: Hashable, coins: Coins) -> Step[Any, Any, Any]:
        time, inner, noise = state
        if time and time % self.epoch == 0:
            inner = self.inner.start(coins)
        reader = Remembering(coins, list(noise) if time >= self.epoch else [], [])
        step = self.inner.step(inner, item, reader)
        noise = (*noise, *reader.new) if time < self.epoch else tuple(reader.old)
        return Step((time + 1, step.state, noise), step.view)


BUILT: dict[str, AnyMechanism] = {
    "t01-tree8-levels-off-by-one": TreeCounter(8, RATIO_TWO, modulus=2),
    "t04-count-tree4-levels": TreeCounter(4, TwoSidedGeometric("1/2"), clamped=True),
    "t05-prefix-release-ok": TreeCounter(4, RATIO_TWO, shows="prefix", modulus=2),
    "t06-restart-reuses-noise": Restarted(TreeCounter(2, RATIO_TWO, modulus=2), 2),
}


def audited(name: str) -> tuple[AuditReport, AuditReport]:
    """The case as its table says, and as the code says (whose inputs are numbers)."""
    table = load_spec(CASES, case=name)
    code = AuditSpec(name, BUILT[name], hamming(), table.horizon, (0, 1), table.claim)
    return audit(table), audit(code)


@pytest.mark.parametrize("name", BUILT)
def test_code_and_table_have_the_same_profiles_and_verdicts(name: str) -> None:
    table, code = audited(name)
    assert code.adaptive_profile == table.adaptive_profile
    assert code.nonadaptive_profile == table.nonadaptive_profile
    assert [r.adaptive.verdict for r in code.results] == [r.adaptive.verdict for r in table.results]


@pytest.mark.parametrize("name", BUILT)
def test_code_has_the_profile_stored_with_the_case(name: str) -> None:
    _, code = audited(name)
    for bound, truth in TRUTHS[name]["profile"].items():
        for kind, profile in (
            ("adaptive", code.adaptive_profile),
            ("nonadaptive", code.nonadaptive_profile),
        ):
            assert profile is not None
            assert str(profile.upper.delta(exp_epsilon=bound)) == truth[kind]
            assert profile.lower == profile.upper


def test_prefix_sums_from_remembered_nodes_are_certified_and_reused_noise_is_not() -> None:
    _, remembered = audited("t05-prefix-release-ok")
    assert remembered.checklist.certificate is not None
    _, reused = audited("t06-restart-reuses-noise")
    assert reused.checklist.certificate is None
    assert reused.checklist.condition("fresh_randomness").status == "fail"
