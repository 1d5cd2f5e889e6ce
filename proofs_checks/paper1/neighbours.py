"""Paper 1, Assumption B.1 to Fact B.6: neighbouring sequences, paired and multi-hop simulation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, cast

from ...accounting.power import PowerFunction
from ...certify.audit import audit
from ...certify.spec import AuditSpec
from ...certify.verdict import Claim
from ...mechanisms.coins import Coins
from ...mechanisms.enumeration import ExactMachine
from ...mechanisms.mechanism import Mechanism, Step
from ...mechanisms.neighbours import (
    edit,
    edit_d1,
    edit_extended,
    edit_informal,
    hamming,
    hops,
    participations,
    prefix_sum,
    static,
    user,
)
from ...mechanisms.relation import (
    ArcRelation,
    Relation,
    RelationFamily,
    RuleRelation,
    check_neighbouring,
)
from ..examples import machine_e1, repeat_or_refresh, solved_power, two_answers, two_round_machines
from ..game_tree import fixed_strategies, paired_tree, power_of_strategy, strategies, supremum_over
from ..registry import Finding, claim, judged

__all__ = [
    "assumption_b1",
    "definition_b2",
    "definition_b3",
    "definition_b4",
    "definition_b5",
    "fact_b6",
    "pairs_without_chain",
]

_BITS = (0, 1)
_HAMMING = hamming().over(_BITS)
_NAMED: tuple[tuple[RelationFamily, tuple[Hashable, ...]], ...] = (
    (hamming(), _BITS),
    (user(), _BITS),
    (participations(2, min_separation=2), _BITS),
    (participations(2, absent="_"), (0, "_")),
    (static(data=[0, 1], queries=["A"]), (0, 1, "A")),
    (edit_d1(), _BITS),
    (edit(), (0, "_")),
    (prefix_sum(), _BITS),
    (hops(hamming(), 2), _BITS),
)
_UNCLOSED: tuple[tuple[RelationFamily, tuple[Hashable, ...]], ...] = (
    (edit_informal(), (0, "_")),
    (edit_extended(), (0, "_", "$")),
)

Stream = tuple[Hashable, ...]
Related = dict[int, set[tuple[Stream, Stream]]]


def _related(relation: Relation, inputs: Sequence[Hashable], longest: int) -> Related:
    return {
        length: {
            (first, second)
            for first in product(inputs, repeat=length)
            for second in product(inputs, repeat=length)
            if check_neighbouring(relation, first, second) is None
        }
        for length in range(1, longest + 1)
    }


def _unclosed(related: Related) -> tuple[Stream, Stream] | None:
    """Return the shortest related pair with a proper prefix that is not related, or None."""
    for length in sorted(related):
        for first, second in sorted(related[length], key=str):
            for cut in range(1, length):
                if (first[:cut], second[:cut]) not in related.get(cut, set()):
                    return first, second
    return None


@claim(
    1,
    "Assumption B.1",
    statement="Neighbouring sequences have one length and all their prefixes are neighbouring: it "
    "holds for the named relations of the library, Definition D.1 (edit_d1), the two-hop closure and "
    "Hamming with at most one difference among them, but for edit_informal and edit_extended, which "
    "judge whole streams. (Exactly one difference is not prefix-closed either.)",
    sabotage={"fewest": 1},
)
def assumption_b1(*, fewest: int = 0) -> Finding:
    """Look at all pairs of short sequences; fewest is the least number of differences."""
    counterexample: dict[str, str] | None = None
    cases = 0
    for family, inputs in _NAMED:
        related = _related(family.over(inputs), inputs, 4 if len(inputs) == 2 else 3)
        if family.name == "hamming":
            related = {
                length: {(x, y) for x, y in pairs if _distance(x, y) >= fewest}
                for length, pairs in related.items()
            }
        cases += sum(map(len, related.values()))
        broken = _unclosed(related)
        if broken is not None:
            counterexample = {"relation": str(family), "x": str(broken[0]), "x'": str(broken[1])}
            break
    strict = {
        length: {(x, y) for x, y in pairs if x != y}
        for length, pairs in _related(_HAMMING, _BITS, 2).items()
    }
    broken = _unclosed(strict)
    shown = (
        {} if broken is None else {"exactly one difference fails at": f"{broken[0]}, {broken[1]}"}
    )
    for family, inputs in _UNCLOSED:
        open_end = _unclosed(_related(family.over(inputs), inputs, 3))
        if open_end is None:
            counterexample = {"relation": str(family), "found": "closed under prefixes"}
        else:
            shown[f"{family.name} fails at"] = f"{open_end[0]}, {open_end[1]}"
    scope = f"9 relations over 2 or 3 symbols, sequences to length 4 or 3: {cases} neighbours"
    return judged(counterexample, "every prefix of every pair", scope, shown=shown)


def _distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    return sum(a != b for a, b in zip(first, second, strict=True))


@claim(
    1,
    "Definition B.2",
    statement="In the paired simulation world b feeds component b of the adversary's pairs to the "
    "mechanism and stops at a pair that is not neighbouring; the solver plays this game.",
    sabotage={"most": 2},
)
def definition_b2(*, most: int = 1) -> Finding:
    """Compare the solver with adversaries that may submit any pairs; most differences allowed."""
    counterexample: dict[str, str] | None = None
    relation = participations(most).over(_BITS)
    cases = 0
    machines = two_round_machines()
    for name, machine in machines:
        tree = paired_tree(machine, relation, 2, refuse=True)
        players = list(strategies(tree))
        cases += len(players)
        literal = supremum_over(tree, iter(players))
        if literal != solved_power(machine, _HAMMING, 2):
            counterexample = {"mechanism": name, "brute force": str(literal)}
            break
    scope = (
        f"{len(machines)} binary two-round mechanisms, Hamming neighbours, {cases} adversaries, "
        "those that submit pairs that are not neighbouring among them"
    )
    return judged(counterexample, "brute force against the game solver", scope)


@claim(
    1,
    "Definition B.3",
    statement="M is adaptively (non-adaptively) f-DP if Pow(M0||M1) <= f for all adaptive "
    "(non-adaptive) adversaries; for f = DP_{eps,delta} this is the audit's verdict.",
    sabotage={"shift": "1/1000"},
)
def definition_b3(*, shift: str = "0") -> Finding:
    """Compare verdicts with f-DP by brute force, where f has delta raised by a shift."""
    counterexample: dict[str, str] | None = None
    deltas = tuple(map(Fraction, ("9/100", "899/10000", "991/10000", "990/10000", "5/9", "1/2")))
    gammas = tuple(map(Fraction, ("1", "21/20", "2")))
    cases = 0
    for name, machine in (("Section E.1", machine_e1()), ("repeater", repeat_or_refresh())):
        tree = paired_tree(machine, _HAMMING, 2)
        kinds = {"adaptive": 0, "nonadaptive": 2}
        powers = {
            kind: {power_of_strategy(tree, each) for each in fixed_strategies(tree, rounds)}
            for kind, rounds in kinds.items()
        }
        settings = list(product(gammas, deltas, kinds))
        claims = tuple(
            Claim.of(exp_epsilon=gamma, delta=delta, adversary=kind)
            for gamma, delta, kind in settings
        )
        report = audit(AuditSpec(name, machine.mechanism, "hamming", 2, _BITS, claims))
        for (gamma, delta, kind), result in zip(settings, report.results, strict=True):
            cases += 1
            curve = PowerFunction.dp(exp_epsilon=gamma, delta=delta + Fraction(shift))
            holds = all(power <= curve for power in powers[kind])
            if holds != (result.verdict == "holds") and counterexample is None:
                counterexample = {"mechanism": name, "adversary": kind}
                counterexample |= {"e^eps": str(gamma), "delta": str(delta)}
    scope = f"2 two-round mechanisms under the Hamming relation, {cases} claims"
    return judged(counterexample, "all adversaries against the audit's verdicts", scope)


@claim(
    1,
    "Definition B.4",
    statement="Sequences are k-hop neighbours if k steps of the relation lead from one to the "
    "other; for Hamming neighbours this is a distance of at most k.",
    sabotage={"per_hop": 2},
)
def definition_b4(*, per_hop: int = 1) -> Finding:
    """Compose the relation with itself and compare with distances of at most per_hop k."""
    counterexample: dict[str, str] | None = None
    cases = 0
    one_hop = _related(_HAMMING, _BITS, 4)
    for length, step in one_hop.items():
        reached: set[tuple[Stream, Stream]] = set(step)
        for steps in range(1, 5):
            for x, y in product(product(_BITS, repeat=length), repeat=2):
                cases += 1
                if ((x, y) in reached) != (_distance(x, y) <= per_hop * steps):
                    counterexample = counterexample or {
                        "k": str(steps),
                        "x": str(x),
                        "x'": str(y),
                    }
            reached = {(x, z) for x, y in reached for start, z in step if start == y}
    scope = f"bits, length to 4, k to 4: {cases} pairs"
    return judged(counterexample, "the relation composed with itself", scope)


@dataclass(frozen=True)
class _Labelled:
    """A mechanism whose inputs carry a label that it ignores."""

    inner: Mechanism[Any, Any, Any, Any]

    def start(self, coins: Coins) -> Hashable:
        """Start the inner mechanism."""
        state: Hashable = self.inner.start(coins)
        return state

    def step(
        self, state: Hashable, item: tuple[Hashable, Hashable], coins: Coins
    ) -> Step[Any, Any, Any]:
        """Feed the input without its label."""
        return self.inner.step(state, item[0], coins)


def _labelled(machine: ExactMachine[Any, Any, Any, Any]) -> ExactMachine[Any, Any, Any, Any]:
    return ExactMachine(_Labelled(machine.mechanism))


def _chained(relation: Relation, component: int = 2) -> ArcRelation:
    """Return the 2-hop simulation, in which the adversary commits to the middle sequence.

    A pair of inputs carries the middle input and the states of both hops as its label, since a
    relation alone would leave open, as Definition B.4 does, which chain a pair of streams has.

    Args:
        relation: The one-hop relation.
        component: Which component world 1 runs: 2, or 1 (the middle).
    """
    arcs: dict[tuple[Hashable, ...], None] = {}
    start: tuple[Hashable, Hashable] = (relation.start, relation.start)
    found, frontier = [start], [start]
    while frontier:
        state = frontier.pop()
        for a, middle, first in relation.pairs(state[0]):
            for other, b, second in relation.pairs(state[1]):
                if other != middle:
                    continue
                after, label = (first, second), (middle, first, second)
                shown = b if component == 2 else middle
                arcs[state, (a, label), (shown, label), after] = None
                if after not in found:
                    found.append(after)
                    frontier.append(after)
    return ArcRelation(start, found, arcs, name="2-hop")


def _literal_hops(relation: Relation, inputs: Sequence[Hashable], component: int) -> RuleRelation:
    """Return the 2-hop simulation by its definition: the state is the tuples submitted so far."""

    def neighbours(first: Sequence[Hashable], second: Sequence[Hashable]) -> bool:
        return check_neighbouring(relation, first, second) is None

    def rule(state: Hashable) -> Iterator[tuple[Hashable, Hashable, Hashable]]:
        before = cast("tuple[tuple[Hashable, ...], ...]", state)
        for triple in product(inputs, repeat=3):
            streams = tuple(zip(*before, triple, strict=True))
            if neighbours(streams[0], streams[1]) and neighbours(streams[1], streams[2]):
                yield triple[0], triple[component], (*before, triple)

    return RuleRelation("literal 2-hop", (), rule, lambda state: True)


@claim(
    1,
    "Definition B.5",
    statement="In the k-hop simulation the adversary submits tuples whose consecutive components "
    "are neighbouring, and world b runs component b; the solver plays it on pairs of inputs that "
    "carry the middle one.",
    sabotage={"component": 1},
)
def definition_b5(*, component: int = 2) -> Finding:
    """Compare the solver with all adversaries that submit triples; component is world 1's."""
    counterexample: dict[str, str] | None = None
    games: list[tuple[str, ExactMachine[Any, Any, Any, Any], Relation, tuple[int, ...]]] = [
        (name, machine, _HAMMING, _BITS) for name, machine in two_round_machines()[16:]
    ]
    games.append(("leak", _leak(), _ONE_HOP, _NAMES))
    for name, machine, relation, inputs in games:
        tree = paired_tree(machine, _literal_hops(relation, inputs, component), 2)
        literal = supremum_over(tree, strategies(tree))
        if solved_power(_labelled(machine), _chained(relation), 2) != literal:
            counterexample = {"mechanism": name, "brute force": str(literal)}
            break
    scope = f"k = 2, {len(games)} two-round mechanisms, every alpha"
    return judged(counterexample, "brute force against the game solver", scope)


@claim(
    1,
    "Fact B.6",
    statement="If M is adaptively f-DP, then in the k-hop simulation, where the adversary commits "
    "to the whole chain round by round, Pow(M0||Mk) <= f o ... o f (k times).",
    sabotage={"times": 1},
)
def fact_b6(*, times: int = 2) -> Finding:
    """Solve the 1-hop and 2-hop games of small mechanisms and compare whole functions."""
    counterexample: dict[str, str] | None = None
    games: list[tuple[str, ExactMachine[Any, Any, Any, Any], Relation]] = [
        (name, machine, _HAMMING) for name, machine in two_round_machines()
    ]
    games.append(("leak", _leak(), _ONE_HOP))
    for name, machine, relation in games:
        least = solved_power(machine, relation, 2)
        bound = least.after(least) if times == 2 else least
        power = solved_power(_labelled(machine), _chained(relation), 2)
        if not power <= bound:
            counterexample = {"mechanism": name, "f": str(least), "two hops": str(power)}
            break
    scope = f"k = 2, least f, {len(games)} two-round mechanisms, every alpha"
    return judged(counterexample, "both games solved exactly", scope)


# Inputs of round 1 are a, b, c, d; those of round 2 are 0 and 1. (a, 0) and (c, 0) have the middle
# (b, 0) only, (a, 1) and (c, 1) the middle (d, 1) only.
_A, _B, _C, _D, _ZERO, _ONE = _NAMES = (0, 1, 2, 3, 4, 5)
_ONE_HOP = ArcRelation(
    "start",
    ["start", "zero", "one"],
    [
        *(("start", x, y, "zero") for x, y in ((_A, _B), (_B, _A), (_B, _C), (_C, _B))),
        *(("start", x, y, "one") for x, y in ((_A, _D), (_D, _A), (_D, _C), (_C, _D))),
        ("zero", _ZERO, _ZERO, "zero"),
        ("one", _ONE, _ONE, "one"),
    ],
)
_PAIRS_ONLY = ArcRelation(
    "start",
    ["start", "end"],
    [
        *(("start", x, y, "end") for x, y in ((_A, _C), (_C, _A))),
        *(("end", query, query, "end") for query in (_ZERO, _ONE)),
    ],
)


def _leak() -> ExactMachine[Any, Any, Any, Any]:
    """Show a fair coin; then answer with 0, 1/2, 1 for a, (b, d), c if the query is the coin."""

    def chance(items: tuple[int, ...], views: tuple[int, ...]) -> Fraction:
        if len(items) == 1:
            return Fraction(1, 2)
        if items[1] - _ZERO != views[0]:
            return Fraction(0)
        return {_A: Fraction(0), _C: Fraction(1)}.get(items[0], Fraction(1, 2))

    return two_answers(2, _NAMES, chance)


@claim(
    1,
    "Fact B.6 (pairs without a chain)",
    statement="If M is adaptively f-DP, it is adaptively f o f-DP for the relation of 2-hop "
    "neighbouring sequences (Definition B.4), that is, against adversaries that submit pairs and "
    "not the chains of Definition B.5.",
)
def pairs_without_chain() -> Finding:
    """Solve a game in which the middle sequence depends on a query that follows a view."""
    least = solved_power(_leak(), _ONE_HOP, 2)
    power = solved_power(_leak(), _PAIRS_ONLY, 2)
    chain = solved_power(_labelled(_leak()), _chained(_ONE_HOP), 2)
    method = "both games solved exactly"
    scope = (
        "one two-round mechanism; prefix-closed symmetric relation on round-1 inputs a, b, c, d: "
        "(a,0)~(b,0)~(c,0) and (a,1)~(d,1)~(c,1)"
    )
    if power <= least.after(least):
        return judged(None, method, scope)
    witness = {
        "mechanism": "round 1 shows a fair coin y; round 2, if the query is y, answers 1 with "
        "chance 0, 1/2, 1 for a, (b or d), c, else 0",
        "f": str(least),
        "f o f": str(least.after(least)),
        "adversary": "submits (a, c), then y in both worlds",
        "its Pow": str(power),
        "with a chain": str(chain),
    }
    return Finding("GAP", method, scope, witness)
