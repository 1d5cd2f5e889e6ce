"""The families of mechanisms that the benchmarks scale up, written in the protocol."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import ClassVar

from powercert.certify.spec import AuditSpec
from powercert.mechanisms import (
    Coins,
    FiniteLaw,
    RelationFamily,
    Step,
    edit_d1,
    hamming,
    participations,
    static,
    user,
)

__all__ = ["FAMILIES", "Family"]

BITS = ("0", "1")


@cache
def flip_law(truth: Fraction) -> FiniteLaw[int]:
    """1 with probability 1 - truth: whether randomised response lies."""
    return FiniteLaw.of({0: truth, 1: 1 - truth})


class RandomisedResponse:
    """Each bit through ratio-2 randomised response."""

    def start(self, coins: Coins) -> Hashable:
        return "s"

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, int, None]:
        return Step("s", int(str(item)) ^ coins.draw(flip_law(Fraction(2, 3))))


class ParityTree:
    """Every dyadic block's parity through ratio-2 randomised response when it completes."""

    def start(self, coins: Coins) -> tuple[int, tuple[int, ...]]:
        return (0, ())

    def step(
        self, state: tuple[int, tuple[int, ...]], item: Hashable, coins: Coins
    ) -> Step[tuple[int, tuple[int, ...]], tuple[int, ...], None]:
        count, blocks = state
        count += 1
        parity = int(str(item))
        released = [parity ^ coins.draw(flip_law(Fraction(2, 3)))]
        open_blocks = list(blocks)
        while count % (1 << len(released)) == 0:
            parity ^= open_blocks.pop()
            released.append(parity ^ coins.draw(flip_law(Fraction(2, 3))))
        return Step((count, (*open_blocks, parity)), tuple(released))


@cache
def svt_noise() -> FiniteLaw[int]:
    """Two-sided geometric noise of ratio 1/2 clamped to [-8, 8]: 17 values."""
    weights = {k: Fraction(1, 3) / 2 ** abs(k) for k in range(-7, 8)}
    rest = (1 - sum(weights.values())) / 2
    return FiniteLaw.of({**weights, -8: rest, 8: rest})


@cache
def answer_law(threshold: int, query: int) -> FiniteLaw[str]:
    above = sum(
        (weight for noise, weight in svt_noise().items() if query + noise >= threshold),
        start=Fraction(0) * svt_noise().items()[0][1],
    )
    return FiniteLaw.of({"yes": above, "no": 1 - above})


@dataclass(frozen=True)
class SparseVector:
    """Sparse vector with one noisy threshold; it halts at the first yes, or never."""

    halting: bool

    def start(self, coins: Coins) -> Hashable:
        return 1 + coins.draw(svt_noise())

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, str, None]:
        if not isinstance(state, int):
            return Step("end", "none")
        answer = coins.draw(answer_law(state, int(str(item))))
        return Step("end" if self.halting and answer == "yes" else state, answer)


class ChooseQuery:
    """A bit is loaded, then each round asks A (ratio-2 response) or B (prints it, 1/10)."""

    def start(self, coins: Coins) -> Hashable:
        return "s"

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, str, None]:
        if state == "s":
            return Step(item, "ok")
        if item == "A":
            return Step(state, str(int(str(state)) ^ coins.draw(flip_law(Fraction(2, 3)))))
        printed = coins.draw(FiniteLaw.of({1: Fraction(1, 10), 0: Fraction(9, 10)}))
        return Step(state, str(state) if printed else "-")


class GenericHidden:
    """Two hidden states, two views, unrelated weights: nothing ever merges."""

    WEIGHTS: ClassVar = {
        (0, "0"): (17, 29, 31, 23),
        (0, "1"): (37, 13, 19, 41),
        (1, "0"): (11, 43, 47, 7),
        (1, "1"): (53, 5, 3, 59),
    }

    def start(self, coins: Coins) -> Hashable:
        return 0

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, int, None]:
        weights = self.WEIGHTS[int(str(state)), str(item)]
        total = sum(weights)
        law = FiniteLaw.of(
            {
                outcome: Fraction(weight, total)
                for outcome, weight in zip(product((0, 1), (0, 1)), weights, strict=True)
            }
        )
        after, view = coins.draw(law)
        return Step(after, view)


class FourOutputs:
    """No state, four outputs with unrelated ratios: the curves grow, not the nodes."""

    LAWS: ClassVar = {"0": (47, 23, 17, 13), "1": (11, 31, 29, 29)}

    def start(self, coins: Coins) -> Hashable:
        return "s"

    def step(self, state: Hashable, item: Hashable, coins: Coins) -> Step[Hashable, int, None]:
        law = FiniteLaw.of({k: Fraction(n, 100) for k, n in enumerate(self.LAWS[str(item)])})
        return Step("s", coins.draw(law))


@dataclass(frozen=True)
class Family:
    """A mechanism, a relation, and the horizons worth measuring."""

    name: str
    mechanism: object
    relation: RelationFamily
    horizons: tuple[int, ...]
    inputs: tuple[str, ...] = BITS

    def spec(self, horizon: int) -> AuditSpec:
        """Return the family at one horizon, with nothing claimed."""
        return AuditSpec(
            name=f"{self.name} T={horizon}",
            mechanism=self.mechanism,  # type: ignore[arg-type]
            relation=self.relation,
            horizon=horizon,
            inputs=self.inputs,
            claim=None,
        )


FAMILIES = (
    Family("parity-tree", ParityTree(), hamming(), (8, 16, 32, 64)),
    Family("parity-tree-edit", ParityTree(), edit_d1(), (8, 16)),
    Family("parity-tree-user", ParityTree(), user(), (8, 16)),
    Family("rr-event", RandomisedResponse(), hamming(), (64, 256)),
    Family("rr-user", RandomisedResponse(), user(), (64, 128, 256)),
    Family("rr-edit", RandomisedResponse(), edit_d1(), (16, 64)),
    Family("rr-participations-3", RandomisedResponse(), participations(3), (64,)),
    Family("svt-halting", SparseVector(halting=True), user(), (8, 16, 24)),
    Family("svt-never-halting", SparseVector(halting=False), user(), (6, 8)),
    Family(
        "choose-query",
        ChooseQuery(),
        static(data=("0", "1"), queries=("A", "B")),
        (8, 25, 64),
        ("0", "1", "A", "B"),
    ),
    Family("hidden-event", GenericHidden(), hamming(), (4, 6, 7)),
    Family("hidden-user", GenericHidden(), user(), (4, 5, 6)),
    Family("four-outputs-user", FourOutputs(), user(), (4, 8, 12)),
)
