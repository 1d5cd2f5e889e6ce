"""Paper 1, Definitions E.1 to E.3: fresh randomness, invariant metrics, decomposable costs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from ...accounting.errors import InputError
from ...certify.checklist import Checklist, checklist, finite_aggregate, named_aggregate
from ...certify.spec import AuditSpec
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.law import FiniteLaw
from ...mechanisms.neighbours import hamming
from ..decompositions import (
    CYCLIC_2,
    INTEGERS,
    WORDS,
    Carrier,
    fit,
    indexed_fit,
    weak_orders,
)
from ..examples import SeedMachine, two_answers
from ..fresh_rounds import (
    FreshRounds,
    bit_laws,
    fixed_and_adaptive,
    instability,
    noisy,
    total_variation,
    two_rounds,
)
from ..grids import laws, power_of, show_laws
from ..registry import Finding, claim, judged

__all__ = [
    "bits_and_sums",
    "both_directions",
    "definition_e1",
    "definition_e2",
    "definition_e3",
    "every_carrier",
    "monoids",
    "without_commuting",
]

_BITS = (0, 1)
_HAMMING = hamming().over(_BITS)
_HALF = Fraction(1, 2)
_THIRDS = bit_laws("0", "1/3", "2/3", "1")
_HALVES = bit_laws("0", "1/2", "1")
_TERNARY = laws(3, 2)
_COIN = bit_laws("1/2")


def _checked(machine: ExactMachine[Any, Any, Any, Any], rounds: int, *names: str) -> Checklist:
    spec = AuditSpec("check", machine.mechanism, hamming(), rounds, _BITS)
    return checklist(spec, aggregates=[named_aggregate(name) for name in names] or None)


@claim(
    1,
    "Definition E.1",
    statement="A mechanism is independently decomposable exactly if, given the inputs, the outputs "
    "of all rounds are independent and the law of y_t depends on x[1..t] only: these laws are then "
    "those of a deterministic function of one fresh seed per round (condition 3 asks no more).",
    sabotage={"seeds": 1},
)
def definition_e1(*, seeds: int = 2) -> Finding:
    """Compare products, the library's verdict, and a function of seeds; seeds 1 reuses one."""
    counterexample: dict[str, str] | None = None
    independent = cases = 0
    for chances in product((Fraction(0), _HALF, Fraction(1)), repeat=4):
        cases += 1
        table = dict(zip(product(_BITS, repeat=2), chances, strict=True))
        is_product = all(table[x2, 0] == table[x2, 1] for x2 in _BITS)
        machine = two_answers(2, _BITS, _after_a_coin(table))
        status = _checked(machine, 2).condition("fresh_randomness").status
        agrees = (status == "pass") == is_product
        if is_product:
            independent += 1
            seeded = _from_seeds(table, seeds)
            agrees = agrees and all(
                _joint(machine, x) == _joint(seeded, x) for x in product(_BITS, repeat=2)
            )
        if not agrees:
            counterexample = {"chances of y2 = 1 by (x2, y1)": ", ".join(map(str, chances))}
            break
    scope = (
        f"bits, y1 a fair coin, y2 with chance 0, 1/2 or 1 for each (x2, y1): {cases} mechanisms, "
        f"{independent} independent"
    )
    return judged(counterexample, "joint laws multiplied out, and the library's verdict", scope)


def _after_a_coin(table: Mapping[Any, Fraction]) -> Any:
    def chance(items: tuple[int, ...], views: tuple[int, ...]) -> Fraction:
        return _HALF if len(items) == 1 else table[items[1], views[0]]

    return chance


def _from_seeds(table: Mapping[Any, Fraction], seeds: int) -> ExactMachine[Any, Any, Any, Any]:
    """Return a function of seeds with the one-round laws of a table that ignores y1."""

    def transition(seed: Any, inputs: tuple[Any, ...]) -> tuple[int, None]:
        drawn = seed[len(inputs) - 1 if seeds == 2 else 0]
        chance = _HALF if len(inputs) == 1 else table[inputs[1], 0]
        return int(drawn < 2 * chance), None

    law: FiniteLaw[Hashable] = FiniteLaw.uniform(list(product(_BITS, repeat=2)))
    return ExactMachine(SeedMachine(law, transition))


def _joint(
    machine: ExactMachine[Any, Any, Any, Any], inputs: tuple[int, ...]
) -> dict[tuple[Hashable, ...], Fraction]:
    """Return the law of all views under a fixed stream."""
    paths = {(state, ()): weight.as_fraction() for state, weight in machine.initial()}
    for item in inputs:
        longer: dict[Any, Fraction] = {}
        for (state, views), weight in paths.items():
            for view, after, chance in machine.transitions(state, item):
                key = after, (*views, view)
                longer[key] = longer.get(key, Fraction(0)) + weight * chance.as_fraction()
        paths = longer
    law: dict[tuple[Hashable, ...], Fraction] = {}
    for (_, views), weight in paths.items():
        law[views] = law.get(views, Fraction(0)) + weight
    return law


Addition = dict[tuple[int, int], int]


def monoids(size: int) -> Iterator[Addition]:
    """Yield all associative additions on 0 .. size - 1 with the neutral element 0."""
    places = tuple(product(range(1, size), range(1, size)))
    neutral: Addition = {(0, a): a for a in range(size)} | {(a, 0): a for a in range(size)}
    for values in product(range(size), repeat=len(places)):
        plus = neutral | dict(zip(places, values, strict=True))
        triples = product(range(size), repeat=3)
        if all(plus[plus[a, b], c] == plus[a, plus[b, c]] for a, b, c in triples):
            yield plus


def _invariant_metric(size: int, plus: Addition, least: int) -> bool:
    """Try distances least, ..., 2 for all pairs; least 0 lets different elements be at distance 0."""
    pairs = tuple(combinations(range(size), 2))
    for values in product(range(least, 3), repeat=len(pairs)):
        d = {(a, a): 0 for a in range(size)}
        for (a, b), value in zip(pairs, values, strict=True):
            d[a, b] = d[b, a] = value
        triangle = all(d[a, c] <= d[a, b] + d[b, c] for a, b, c in product(range(size), repeat=3))
        if triangle and all(
            d[plus[plus[a, u], b], plus[plus[a, v], b]] == d[u, v]
            for a, b, u, v in product(range(size), repeat=4)
        ):
            return True
    return False


def _accepted(size: int, plus: Addition) -> bool:
    try:
        finite_aggregate("table", range(size), lambda a, b: plus[a, b])
    except InputError:
        return False
    return True


@claim(
    1,
    "Definition E.2",
    statement="On a finite carrier an invariant metric exists exactly if the monoid is a group. (If "
    "a + u + b = a + u' + b then d(u, u') = 0, so u = u'; the other way, all distances 1 will do.) "
    "So sums that saturate or are clipped never qualify.",
    sabotage={"least": 0},
)
def definition_e2(*, least: int = 1, largest: int = 3) -> Finding:
    """Search all monoids for metrics with values 1 and 2; least is the smallest distance."""
    counterexample: dict[str, str] | None = None
    cases = groups = 0
    for size in range(1, largest + 1):
        for plus in monoids(size):
            cases += 1
            elements = range(size)
            group = all(any(plus[a, b] == 0 for b in elements) for a in elements)
            groups += group
            found = _invariant_metric(size, plus, least)
            if not found == group == _accepted(size, plus) and counterexample is None:
                counterexample = {"sums": ", ".join(f"{a}+{b}={plus[a, b]}" for a, b in plus)}
    scope = (
        f"all {cases} monoids on 1 to {largest} elements with neutral element 0; {groups} groups"
    )
    return judged(counterexample, "all distances 1 or 2, all contexts; and the library", scope)


@claim(
    1,
    "Definition E.2 (without commuting)",
    statement="The addition need not commute: on the permutations of 3 things the least number of "
    "transpositions between two of them is an invariant metric. Invariance on one side is not "
    "enough: counting adjacent transpositions only is not invariant.",
    sabotage={"farthest": 1},
)
def without_commuting(*, farthest: int = 2) -> Finding:
    """Count swaps of places at most farthest apart, and try all contexts on both sides."""
    counterexample = _variant_context(farthest)
    shown = _variant_context(1)
    scope = "the 6 permutations of 3 things, all 1296 (a, b, u, u')"
    if shown is None:
        counterexample = counterexample or {"adjacent transpositions": "invariant"}
    named = {f"adjacent only, {name}": value for name, value in (shown or {}).items()}
    return judged(counterexample, "every context", scope, shown=named)


def _variant_context(farthest: int) -> dict[str, str] | None:
    """Return a context that changes a number of swaps, or None."""
    elements = tuple(permutations(range(3)))
    swaps = [
        tuple({i: j, j: i}.get(k, k) for k in range(3))
        for i, j in combinations(range(3), 2)
        if j - i <= farthest
    ]
    distance = {(a, b): _steps(a, b, swaps) for a, b in product(elements, repeat=2)}
    for a, b, u, v in product(elements, repeat=4):
        if distance[_after(_after(a, u), b), _after(_after(a, v), b)] != distance[u, v]:
            return {"a": str(a), "b": str(b), "u": str(u), "u'": str(v)}
    return None


def _after(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(first[place] for place in second)


def _steps(start: tuple[int, ...], goal: tuple[int, ...], swaps: Sequence[tuple[int, ...]]) -> int:
    reached, count = {start}, 0
    while goal not in reached:
        reached |= {_after(each, swap) for each in reached for swap in swaps}
        count += 1
    return count


@claim(
    1,
    "Definition E.3",
    statement="For a given addition, `certify checklist` decides the definition: index sets I_t, an "
    "invariant metric and non-decreasing g_t(d) that equal the one-round power functions.",
    sabotage={"orders": 1},
)
def definition_e3(*, orders: int = 13) -> Finding:
    """Try all index sets and all orders of distances; orders 1 has |u - u'| only."""
    counterexample: dict[str, str] | None = None
    binary, ternary = two_rounds(_COIN, _HALVES), two_rounds(_COIN, _TERNARY)
    passing = {carrier.name: 0 for carrier in (INTEGERS, CYCLIC_2)}
    for mechanism in (*binary, *ternary):
        details = _checked(mechanism.machine(), 2, "Z", "Z_2").condition("stable_cost").details
        for carrier in (INTEGERS, CYCLIC_2):
            tried = weak_orders(2)[:1] if orders == 1 else None
            fits = fit(mechanism, carrier, orders=tried) is not None
            passing[carrier.name] += fits
            if fits != _metric_passes(details, carrier.name) and counterexample is None:
                counterexample = {"mechanism": str(mechanism), "aggregate": carrier.name}
        if counterexample is not None:
            break
    scope = (
        f"bits, a coin, then {len(binary)} tables of chances 0, 1/2, 1 and {len(ternary)} of laws on "
        f"3 outputs with denominators to 2; {passing['Z']} pass with Z, {passing['Z_2']} with Z_2"
    )
    return judged(counterexample, "all index sets and weak orders of distances", scope)


def _metric_passes(details: Any, name: str) -> bool:
    (found,) = (
        each
        for each in details["definition_e3"]["tried"]
        if (each["aggregate"], each["difference"]) == (name, "metric")
    )
    return bool(found["status"] == "pass")


@claim(
    1,
    "Definition E.3 (both directions)",
    statement="A metric is symmetric, so the definition forces Pow(P||Q) = Pow(Q||P) for all "
    "one-round laws P, Q, and for one round it says just this: skew noise never fits. The symmetry "
    "is not idle: where y2 depends on x1 + x2 mod 2 alone and all distances are 1, laws that are "
    "not symmetric let adapting help.",
    sabotage={"direction": 1},
)
def both_directions(*, direction: int = 0) -> Finding:
    """Decide all one-round mechanisms; direction 1 keeps the order of the difference (E.5)."""
    counterexample: dict[str, str] | None = None
    decided = indexed_fit if direction else fit
    grid = laws(3, 3)
    for zero, one in product(grid, repeat=2):
        symmetric = power_of(zero, one) == power_of(one, zero)
        if (decided(FreshRounds(_BITS, ((zero, one),)), WORDS) is not None) != symmetric:
            counterexample = counterexample or show_laws(law_of_0=zero, law_of_1=one)
    one, skew, high, low = bit_laws("1", "1/3", "2/3", "1/3")
    parity = FreshRounds(_BITS, ((high, low), (one, skew, skew, one)))
    fixed, adaptive = fixed_and_adaptive(parity)
    if fixed == adaptive or instability(parity) is None:
        counterexample = counterexample or {"mechanism": str(parity)}
    shown = {"adapting helps": str(parity), "fixed": str(fixed), "adaptive": str(adaptive)}
    scope = f"{len(grid) ** 2} pairs of laws on 3 outcomes, denominators to 3, any invariant pair"
    return judged(counterexample, "all index sets and orders of distances", scope, shown=shown)


def _permuted(inputs: Any) -> tuple[int, ...]:
    """Read bits as two transpositions that do not commute, and multiply."""
    total: tuple[int, ...] = (0, 1, 2)
    for item in inputs:
        total = _after(total, (1, 0, 2) if item == 0 else (0, 2, 1))
    return total


# In this group the conjugacy class of u^-1 u' is told by its number of fixed points.
_PERMUTATIONS = Carrier(
    "S_3",
    _permuted,
    lambda a, b: sum(i == j for i, j in zip(a, b, strict=True)),
    lambda v: v,
)
_CYCLIC_3 = Carrier("Z_3", lambda x: sum(x) % 3, lambda a, b: (a - b) % 3, lambda v: -v % 3)
_CARRIERS = (INTEGERS, CYCLIC_2, _CYCLIC_3, _PERMUTATIONS)


@claim(
    1,
    "Definition E.3 (every carrier)",
    statement="What fits some invariant pair (d, +) also fits words under concatenation: give two "
    "different words of one length the distance 1 + d/(1 + d) of their sums; values in [1, 2] are a "
    "metric and order as d does. There common context is a common beginning or end. So that no "
    "invariant pair fits is decidable.",
    sabotage={"swapped": 1},
)
def every_carrier(*, swapped: int = 0) -> Finding:
    """Decide mechanisms for four groups and for words; swapped asks words for the integers."""
    counterexample: dict[str, str] | None = None
    family = (*two_rounds(_THIRDS), *two_rounds(_COIN, _TERNARY))
    some = by_words = 0
    for mechanism in family:
        words = fit(mechanism, WORDS) is not None
        groups = [fit(mechanism, carrier) is not None for carrier in _CARRIERS]
        some += any(groups)
        by_words += words
        fails = words and not groups[0] if swapped else any(groups) and not words
        if fails and counterexample is None:
            counterexample = {"mechanism": str(mechanism)}
    scope = (
        f"{len(family)} two-round mechanisms on bits, the groups Z, Z_2, Z_3 and the permutations of "
        f"3 things; {some} fit one of these, {by_words} fit words"
    )
    return judged(counterexample, "all index sets and orders of distances", scope)


@claim(
    1,
    "Definition E.3 (inputs and carrier)",
    statement="As printed, inputs range over the whole carrier, x[1..t] in U^t. On bits this leaves "
    "U = {0, 1} with addition mod 2 (either element being neutral), so noisy sums of bits do not "
    "fit; on U = Z they do, but then one input may change without bound. (Let the inputs be a "
    "subset of the carrier: the proof of Theorem E.4 does not change.)",
)
def bits_and_sums() -> Finding:
    """Decide a noisy sum of two bits with both additions on bits, and with Z."""
    noise = _COIN[0]
    sums = tuple(noisy(sum(items), noise, 4) for items in product(_BITS, repeat=2))
    first = tuple(noisy(item, noise, 3) for item in _BITS)
    mechanism = FreshRounds(_BITS, (first, sums))
    other = Carrier("other", lambda x: (1 + sum(1 - i for i in x)) % 2, lambda a, b: 1, lambda v: v)
    method = "all index sets and orders of distances"
    scope = "T = 2, bits, noise a fair bit"
    fixed, adaptive = fixed_and_adaptive(mechanism)
    if any(fit(mechanism, carrier) for carrier in (CYCLIC_2, other)) or fixed != adaptive:
        return judged(None, method, scope)
    fitted = fit(mechanism, INTEGERS)
    largest = [total_variation(noisy(0, noise, 5), noisy(by, noise, 5)) for by in range(4)]
    witness = {
        "mechanism": "y1 = x1 + noise, y2 = x1 + x2 + noise",
        "fits": "no addition on {0, 1}",
        "I_t with bits in Z": "none" if fitted is None else str(fitted.index_sets),
        "total variation of changes by 0, 1, 2, 3": ", ".join(map(str, largest)),
    }
    return Finding("GAP", method, scope, witness)
