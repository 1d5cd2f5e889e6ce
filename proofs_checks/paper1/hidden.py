"""Paper 1, Definitions B.7 to B.9 and Remark B.10: hidden outputs and neighbour preservation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from ...accounting.numbers import Exact
from ...accounting.power import PowerFunction
from ...mechanisms.coins import Coins
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.law import FiniteLaw
from ...mechanisms.mechanism import Mechanism, Step
from ...mechanisms.neighbours import hamming
from ...mechanisms.relation import check_neighbouring
from ..examples import SeedMachine, pair_power
from ..registry import Finding, claim, judged

__all__ = ["definition_b7", "definition_b8", "definition_b9", "remark_b10"]

_BITS = (0, 1)
_HAMMING = hamming().over(_BITS)

Bits = tuple[int, ...]
Transition = Callable[[int, Bits], tuple[int, int]]
"""(seed, inputs so far) to (view, hidden output)."""


@dataclass(frozen=True)
class _Series:
    """The modular composition M -> N as a mechanism; delay feeds N the hidden output before."""

    first: Mechanism[Any, Any, Any, Any]
    second: Mechanism[Any, Any, Any, Any]
    delay: int

    def start(self, coins: Coins) -> tuple[Hashable, Hashable, Hashable]:
        """Start both."""
        return self.first.start(coins), self.second.start(coins), 0

    def step(
        self, state: tuple[Hashable, Hashable, Hashable], item: Hashable, coins: Coins
    ) -> Step[Any, Any, Any]:
        """Give the hidden output of the first to the second."""
        left = self.first.step(state[0], item, coins)
        passed = state[2] if self.delay else left.interface
        right = self.second.step(state[1], passed, coins)
        after = (left.state, right.state, left.interface)
        return Step(after, (left.view, right.view), interface=right.interface)


def _law_of_views(
    machine: ExactMachine[Any, Any, Any, Any], items: Sequence[Hashable]
) -> dict[Hashable, Exact]:
    """Return the law of the views on fixed inputs, as the enumerator reads it."""
    found: dict[tuple[Hashable, tuple[Hashable, ...]], Exact] = {
        (state, ()): weight for state, weight in machine.initial()
    }
    for item in items:
        after: dict[tuple[Hashable, tuple[Hashable, ...]], Exact] = {}
        for (state, seen), weight in found.items():
            for view, target, chance in machine.transitions(state, item):
                key = (target, (*seen, view))
                after[key] = after.get(key, Exact(0)) + weight * chance
        found = after
    views: dict[Hashable, Exact] = {}
    for (_, seen), weight in found.items():
        views[seen] = views.get(seen, Exact(0)) + weight
    return views


def _upstream() -> list[tuple[str, Transition]]:
    """Return 32 transition functions: hidden output a table of (seed, last input), view 0 or it."""
    found: list[tuple[str, Transition]] = []
    for table, shown in product(product(_BITS, repeat=4), _BITS):

        def transition(
            seed: int, items: Bits, table: Bits = table, shown: int = shown
        ) -> tuple[int, int]:
            hidden = table[2 * seed + items[-1]]
            return shown * hidden, hidden

        found.append((f"M table {table}, view {'y' if shown else '0'}", transition))
    return found


def _downstream() -> list[tuple[str, Transition]]:
    """Return 8 transition functions whose view is seed and, or, xor a function of all inputs."""
    found: list[tuple[str, Transition]] = []
    for number, last_only in product(range(4), _BITS):

        def transition(
            seed: int, items: Bits, number: int = number, last_only: int = last_only
        ) -> tuple[int, int]:
            value = items[-1] if last_only else sum(items) % 2
            view = (seed & value, seed | value, seed ^ value, value)[number]
            return view, value

        found.append((f"N rule {number}, {'last' if last_only else 'all'} inputs", transition))
    return found


@claim(
    1,
    "Definition B.7",
    statement="In M -> N the adversary feeds M, sees the views of both, and N's input in each round "
    "is M's hidden output of that round; the seeds are independent.",
    sabotage={"delay": 1},
)
def definition_b7(*, delay: int = 0) -> Finding:
    """Compare the law of views by seeds with the enumerator's reading of two chained machines."""
    counterexample: dict[str, str] | None = None
    seeds: FiniteLaw[Hashable] = FiniteLaw.of({0: "2/3", 1: "1/3"})
    cases = 0
    for (name, first), (second_name, second) in product(_upstream(), _downstream()):
        series = _Series(_machine(seeds, first), _machine(seeds, second), delay)
        machine: ExactMachine[Any, Any, Any, Any] = ExactMachine(series)
        for items in product(_BITS, repeat=2):
            cases += 1
            literal: dict[Hashable, Exact] = {}
            for (r, weight), (s, other) in product(_seed_weights(), repeat=2):
                hidden = [first(r, items[: t + 1])[1] for t in range(2)]
                views = tuple(
                    (first(r, items[: t + 1])[0], second(s, tuple(hidden[: t + 1]))[0])
                    for t in range(2)
                )
                literal[views] = literal.get(views, Exact(0)) + Exact(weight * other)
            if _law_of_views(machine, items) != literal and counterexample is None:
                counterexample = {"M": name, "N": second_name, "inputs": str(items)}
    scope = f"2 rounds of bits, 32 transition functions M, 8 transition functions N: {cases} laws"
    return judged(counterexample, "sums over seeds against the enumerator", scope)


def _seed_weights() -> tuple[tuple[int, Fraction], ...]:
    return ((0, Fraction(2, 3)), (1, Fraction(1, 3)))


def _machine(seeds: FiniteLaw[Hashable], transition: Transition) -> SeedMachine:
    def read(seed: Hashable, items: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
        return transition(int(seed == 1), tuple(int(item == 1) for item in items))

    return SeedMachine(seeds, read)


@claim(
    1,
    "Definition B.8",
    statement="A neighbour-preserving simulation outputs (v, y0, y1) with neighbouring y's on "
    "neighbouring inputs, and (v, y_b) is M's own output on component b. For hidden y_t = x_t + r_t "
    "(bits, a seed for each round) adding the same seed to both components is one.",
    sabotage={"offset": 1},
)
def definition_b8(*, offset: int = 0) -> Finding:
    """Check conditions 2 and 3 for all seeds and inputs; offset shifts the component simulated."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for rounds in (1, 2, 3):
        for seed in product(_BITS, repeat=rounds):
            for streams in product(product(_BITS, repeat=rounds), repeat=2):
                if check_neighbouring(_HAMMING, *streams) is not None:
                    continue
                for world in _BITS:
                    cases += 1
                    hidden = [
                        tuple((x + r) % 2 for x, r in zip(stream, seed, strict=True))
                        for stream in streams
                    ]
                    own = hidden[world]
                    hidden[1 - world] = tuple((y + offset) % 2 for y in hidden[1 - world])
                    # Condition 3: M itself on component b; condition 2: neighbouring outputs.
                    true = tuple((x + r) % 2 for x, r in zip(streams[world], seed, strict=True))
                    near = check_neighbouring(_HAMMING, hidden[0], hidden[1]) is None
                    if (own != true or not near) and counterexample is None:
                        counterexample = {
                            "r": str(seed),
                            "x0": str(streams[0]),
                            "x1": str(streams[1]),
                            "y0": str(hidden[0]),
                            "y1": str(hidden[1]),
                        }
    scope = f"bits, to 3 rounds, Hamming neighbours on both sides: {cases} runs"
    return judged(counterexample, "conditions 2 and 3 for every seed", scope)


@claim(
    1,
    "Definition B.9",
    statement="M is f-NPDP if some neighbour-preserving simulation has Pow <= f. If only equal "
    "outputs are neighbouring, the least f of a one-round M is Pow(M(x0)||M(x1)); if all outputs "
    "are, f = Id suffices.",
    sabotage={"independent": 0},
)
def definition_b9(*, independent: int = 1) -> Finding:
    """Write out the augmented views for one-round binary mechanisms with a hidden output.

    With ``independent`` 0 the second simulation shows the true output twice.
    """
    counterexample: dict[str, str] | None = None
    grid = [Fraction(step, 6) for step in range(7)]
    for first, second in product(grid, repeat=2):
        laws = [(1 - first, first), (1 - second, second)]
        alone = pair_power(list(zip(*laws, strict=True)))
        # Equal outputs: y0 = y1 is M's own output in either world.
        equal = _power_of_views([{(y, y): law[y] for y in _BITS} for law in laws])
        # Any outputs: the other component is drawn apart from M's own output.
        apart = [
            {(y0, y1): laws[0][y0] * laws[1][y1] for y0, y1 in product(_BITS, repeat=2)}
            for _ in _BITS
        ]
        free = _power_of_views(apart) if independent else equal
        if equal != alone or free != PowerFunction.identity():
            counterexample = {"Pr[M(x0) = 1]": str(first), "Pr[M(x1) = 1]": str(second)}
            break
    scope = f"one round, {len(grid) ** 2} pairs of binary laws with denominator 6, every alpha"
    return judged(counterexample, "augmented views written out", scope)


def _power_of_views(worlds: Sequence[dict[tuple[int, int], Fraction]]) -> PowerFunction:
    views = dict.fromkeys(view for world in worlds for view in world)
    zero = Fraction(0)
    return pair_power([(worlds[0].get(view, zero), worlds[1].get(view, zero)) for view in views])


@claim(
    1,
    "Remark B.10",
    statement="For two rounds there may be no simulation that is best for both rounds and whose "
    "first round is best for one round. (That one round has a universally best one is cited from "
    "[7] and not checked.)",
    sabotage={"bridge": 0},
)
def remark_b10(*, bridge: int = 1) -> Finding:
    """List all simulations of one example; with bridge 0 the third neighbouring pair is missing.

    World 0 outputs a fair bit and then A, world 1 a fair bit and then B. Neighbouring first bits:
    (0,0), (1,1) and, as the bridge, (0,1). Second outputs: after the bridge (A,B); after equal bits
    (A,A) and (B,B). World 0 then must output (A,A) after equal bits, and world 1 (B,B). So a
    simulation is the mass that either world puts on the bridge.
    """
    half = Fraction(1, 2)
    shares = [Fraction(step, 12) for step in range(7)] if bridge else [Fraction(0)]
    prefix: dict[tuple[Fraction, Fraction], Fraction] = {}
    whole: dict[tuple[Fraction, Fraction], Fraction] = {}
    counterexample: dict[str, str] | None = None
    for s0, s1 in product(shares, repeat=2):
        # World 0 takes its bit 0 from (0,0) or the bridge, world 1 its bit 1 from (1,1) or it.
        world0 = {"00": half - s0, "01": s0, "11": half}
        world1 = {"00": half, "01": s1, "11": half - s1}
        prefix[s0, s1] = _variation(world0, world1)
        after0 = {name + ("AB" if name == "01" else "AA"): m for name, m in world0.items()}
        after1 = {name + ("AB" if name == "01" else "BB"): m for name, m in world1.items()}
        whole[s0, s1] = _variation(after0, after1)
        # Both are monotone in the masses, so the grid holds the best simulations of all.
        if (prefix[s0, s1], whole[s0, s1]) != (max(s0, s1), 1 - min(s0, s1)):
            counterexample = {"bridge masses": f"{s0}, {s1}"}
    best_prefix = {key for key, value in prefix.items() if value == min(prefix.values())}
    best_whole = {key for key, value in whole.items() if value == min(whole.values())}
    for s0, s1 in sorted(best_prefix & best_whole):
        counterexample = counterexample or {"bridge masses": f"{s0}, {s1}"}
    shown = {
        "round 1 alone": f"best total variation {min(prefix.values())}, which forces "
        f"{max(whole[key] for key in best_prefix)} for both rounds",
        "both rounds": f"best total variation {min(whole.values())}, whose first round has "
        f"{min(prefix[key] for key in best_whole)}",
    }
    scope = f"one example, {len(shares) ** 2} simulations, bridge masses in twelfths"
    return judged(counterexample, "all simulations of the example", scope, shown=shown)


def _variation(first: dict[str, Fraction], second: dict[str, Fraction]) -> Fraction:
    zero = Fraction(0)
    return sum(
        (max(zero, first.get(key, zero) - second.get(key, zero)) for key in first | second), zero
    )
