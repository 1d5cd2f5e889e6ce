"""k-hop games against all strategies written out, and the bound of Fact B.6."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.accounting.power import PowerFunction
from powercert.certify.hops import HopGames, agreement, chain_relation, k_hop, k_hop_of
from powercert.certify.limits import Limits
from powercert.certify.spec import AuditSpec, load_spec
from powercert.mechanisms import (
    ArcRelation,
    ExactMachine,
    FiniteLaw,
    JointLaws,
    LawsMechanism,
    RandomisedResponse,
    Relation,
    TableMechanism,
    TreeCounter,
    check_neighbouring,
    edit,
    edit_d1,
    hamming,
    participations,
    prefix_sum,
    static,
    user,
)
from powercert.mechanisms.hop_relations import hop_closure, hops
from powercert.mechanisms.relation import Arc, RuleRelation
from powercert.proofs_checks.game_tree import paired_tree, strategies, supremum_over

Stream = tuple[Hashable, ...]
Chances = dict[tuple[tuple[Hashable, ...], tuple[int, ...]], Fraction]


def binary(rounds: int, inputs: Sequence[Hashable], chances: Chances) -> LawsMechanism:
    """The mechanism that shows 1 with a chance that depends on (inputs so far, views before)."""
    laws = {
        (len(items), items, views): {0: 1 - chance, 1: chance}
        for (items, views), chance in chances.items()
    }
    return LawsMechanism(rounds, inputs, laws)


def histories(rounds: int, inputs: Sequence[Hashable]) -> Iterator[tuple[Stream, tuple[int, ...]]]:
    for number in range(1, rounds + 1):
        for items in itertools.product(inputs, repeat=number):
            for views in itertools.product((0, 1), repeat=number - 1):
                yield items, views


def chains(
    relation: Relation, inputs: Sequence[Hashable], k: int, horizon: int
) -> set[tuple[Stream, ...]]:
    """All tuples of k + 1 streams of which neighbours in the tuple are neighbours."""
    streams = list(itertools.product(inputs, repeat=horizon))
    found: set[tuple[Stream, ...]] = {(stream,) for stream in streams}
    for _ in range(k):
        found = {
            (*chain, stream)
            for chain in found
            for stream in streams
            if check_neighbouring(relation, chain[-1], stream) is None
        }
    return found


def literal(tuples: set[tuple[Stream, ...]]) -> Relation:
    """The game in which the adversary submits a tuple a round; the worlds get first and last."""

    def rule(state: Hashable) -> list[Arc]:
        before = cast("tuple[Stream, ...]", state)
        size = len(before)
        follow = {
            tuple(zip(*(stream[: size + 1] for stream in chain), strict=True)) for chain in tuples
        }
        return [
            (longer[-1][0], longer[-1][-1], longer)
            for longer in sorted(follow)
            if longer[:-1] == before
        ]

    return RuleRelation("literal", (), rule, lambda state: True)


def brute_force(machine: LawsMechanism, relation: Relation, horizon: int) -> PowerFunction:
    tree = paired_tree(ExactMachine(machine), relation, horizon)
    return supremum_over(tree, strategies(tree))


def check_against_brute_force(
    machine: LawsMechanism, relation: Relation, inputs: Sequence[Hashable], k: int, horizon: int
) -> HopGames:
    games = k_hop(machine, relation, k, horizon)
    committed = chains(relation, inputs, k, horizon)
    ends: set[tuple[Stream, ...]] = {(chain[0], chain[-1]) for chain in committed}
    assert games.chain == brute_force(machine, literal(committed), horizon)
    assert games.closure == brute_force(machine, literal(ends), horizon)
    assert games.one_hop == brute_force(
        machine, literal(chains(relation, inputs, 1, horizon)), horizon
    )
    fixed = [brute_force(machine, literal({pair}), horizon) for pair in ends]
    assert games.fixed == PowerFunction.supremum(fixed)
    return games


@st.composite
def machines(
    draw: st.DrawFn,
    rounds: int,
    inputs: Sequence[Hashable],
    denominators: Sequence[int] = (2, 3, 4),
) -> LawsMechanism:
    denominator = draw(st.sampled_from(denominators))
    chance = st.integers(0, denominator)
    chances: Chances = {
        key: Fraction(draw(chance), denominator) for key in histories(rounds, inputs)
    }
    return binary(rounds, inputs, chances)


@st.composite
def automata(draw: st.DrawFn) -> ArcRelation:
    """Automata on bits, symmetric or not; loops of equal inputs keep every state alive."""
    state = st.sampled_from("ab")
    arc = st.tuples(state, st.sampled_from("01"), st.sampled_from("01"), state)
    arcs = draw(st.lists(arc, max_size=4, unique=True))
    return ArcRelation("a", "ab", {*arcs, ("a", "0", "1", "b"), *((s, "0", "0", s) for s in "ab")})


@settings(max_examples=15, deadline=None)
@given(
    machine=machines(2, "01"),
    relation=st.sampled_from([hamming().over("01"), edit_d1().over("01")]) | automata(),
)
def test_two_hops_are_what_all_strategies_attain(
    machine: LawsMechanism, relation: Relation
) -> None:
    games = check_against_brute_force(machine, relation, "01", 2, 2)
    assert games.chain_within_bound
    assert games.fixed_within_bound


RELATIONS: list[tuple[Relation, str]] = [
    (hamming().over("01"), "01"),
    (participations(2, 2).over("01"), "01"),
    (edit_d1().over("01"), "01"),
    (edit().over("0_"), "0_"),
    (prefix_sum().over("012"), "012"),
    (static("012", "3", pairs=[("0", "1"), ("1", "2")]).over("0123"), "0123"),
    (ArcRelation("r", "r", [("r", "0", "1", "r"), ("r", "1", "1", "r")]), "01"),
]


@settings(max_examples=60, deadline=None)
@given(data=st.data(), k=st.integers(1, 3), case=st.sampled_from(RELATIONS))
def test_the_committed_chain_stays_within_the_composed_bound(
    data: st.DataObject, k: int, case: tuple[Relation, str]
) -> None:
    relation, inputs = case
    horizon = data.draw(st.integers(1, 3 if len(inputs) == 2 else 2))
    machine = data.draw(machines(horizon, inputs))
    games = k_hop(machine, relation, k, horizon)
    assert games.chain <= games.bound
    assert games.fixed <= games.chain <= games.closure
    assert games.fixed <= games.fixed_bound
    if k == 1:
        assert games.chain == games.closure == games.one_hop == games.bound
        assert games.fixed == games.fixed_one_hop


# Round 1 loads a, b, c or d, round 2 asks 0 or 1. (a, 0) and (c, 0) have the middle (b, 0) only,
# (a, 1) and (c, 1) the middle (d, 1) only.
LEAK = ArcRelation(
    "start",
    ["start", "zero", "one"],
    [
        *(("start", x, y, "zero") for x, y in ("ab", "ba", "bc", "cb")),
        *(("start", x, y, "one") for x, y in ("ad", "da", "dc", "cd")),
        ("zero", "0", "0", "zero"),
        ("one", "1", "1", "one"),
    ],
)


def leaking() -> LawsMechanism:
    """Show a fair coin; answer 1 with chance 0, 1/2, 1 for a, (b or d), c if asked for the coin."""

    def chance(items: Stream, views: tuple[int, ...]) -> Fraction:
        if len(items) == 1:
            return Fraction(1, 2)
        asked = items[1] == str(views[0])
        return {"a": Fraction(0), "c": Fraction(1)}.get(str(items[0]), Fraction(1, 2)) * asked

    return binary(2, "abcd01", {key: chance(*key) for key in histories(2, "abcd01")})


def test_the_closure_read_as_pairs_breaks_the_bound_and_the_chain_does_not() -> None:
    games = k_hop(leaking(), LEAK, 2, 2)
    # One hop: the answer is asked for with chance 1/2, and then differs by 1/2.
    assert games.one_hop == PowerFunction.from_vertices([(0, "1/4"), ("3/4", 1), (1, 1)])
    assert games.bound == PowerFunction.from_vertices([(0, "1/2"), ("1/2", 1), (1, 1)])
    assert games.chain == games.fixed == games.bound
    assert shown(games.chain_tight) == [("0", "1")]
    # Submit (a, c), then ask for the coin that was seen: the answer tells the worlds apart.
    assert games.closure == PowerFunction.from_vertices([(0, 1), (1, 1)])
    assert games.chain_within_bound
    assert games.fixed_within_bound
    assert not games.closure_within_bound
    assert shown(games.closure_tight) == [("1/2", "1")]


def test_the_leak_by_all_strategies() -> None:
    committed = chains(LEAK, "abcd01", 2, 2)
    ends: set[tuple[Stream, ...]] = {(chain[0], chain[-1]) for chain in committed}
    games = k_hop(leaking(), LEAK, 2, 2)
    assert games.chain == brute_force(leaking(), literal(committed), 2)
    assert games.closure == brute_force(leaking(), literal(ends), 2)


def flips(rounds: int, keep: str = "3/4", other: str = "1/4") -> TableMechanism:
    rows = [["*", "s", x, y, "s", keep if x == y else other] for x in "01" for y in "01"]
    return TableMechanism(rounds, "01", "01", ["s"], {"s": 1}, rows)


def shown(points: Sequence[tuple[Exact, Exact]]) -> list[tuple[str, str]]:
    return [(str(x), str(y)) for x, y in points]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_hops_of_randomised_response_are_products(k: int) -> None:
    """k differing rounds of response with odds 3 are a product of k pairs (3/4, 1/4)."""
    one = PowerFunction.dp(exp_epsilon=3)
    product = one
    for _ in range(k - 1):
        product = product.tensor(one)
    games = k_hop(flips(3), hamming().over("01"), k, 3)
    assert games.one_hop == one
    assert games.chain == games.closure == games.fixed == product
    assert shown(games.bound.vertices[1:2]) == [(str(Fraction(1, 4 * 3 ** (k - 1))), "3/4")]


def test_two_hops_of_one_round_of_randomised_response_gain_nothing() -> None:
    games = k_hop(flips(1), hamming().over("01"), 2, 1)
    assert games.chain == games.one_hop < games.bound
    assert shown(games.chain_tight) == [("0", "0"), ("1", "1")]


def test_orders_of_a_one_way_relation_follow_by_swapping() -> None:
    """From 0 to 1 only: world 1 can show what world 0 never shows, not the other way."""
    rows: list[list[object]] = [
        ["*", "s", "0", "n", "s", 1],
        ["*", "s", "1", "y", "s", "1/2"],
        ["*", "s", "1", "n", "s", "1/2"],
    ]
    table = TableMechanism(2, "01", "ny", ["s"], {"s": 1}, rows)
    arcs = [("r", x, y, "r") for x, y in (("0", "0"), ("1", "1"))]
    up = ArcRelation("r", "rt", [*arcs, ("r", "0", "1", "t"), *(("t", x, x, "t") for x in "01")])
    down = ArcRelation("r", "rt", [*arcs, ("r", "1", "0", "t"), *(("t", x, x, "t") for x in "01")])
    rising, falling = k_hop(table, up, 2, 2), k_hop(table, down, 2, 2)
    assert rising.one_hop(0) == Fraction(1, 2)
    assert rising.chain(0) == Fraction(3, 4)
    assert rising.chain == rising.bound
    assert falling.chain == rising.chain.swapped()
    assert falling.bound == rising.bound.swapped()
    assert falling.one_hop == rising.one_hop.swapped() != rising.one_hop


def test_symbolic_weights_are_exact_too() -> None:
    keep, other = "1/(1 + exp(-1/2))", "exp(-1/2)/(1 + exp(-1/2))"
    games = k_hop(flips(2, keep, other), hamming().over("01"), 2, 2)
    one = PowerFunction.dp(epsilon="1/2")
    assert games.one_hop == one
    assert games.chain == one.tensor(one) <= one.after(one) == games.bound


def test_where_two_power_functions_agree() -> None:
    f = PowerFunction.from_vertices([(0, 0), ("1/4", "3/4"), (1, 1)])
    g = PowerFunction.from_vertices([(0, "1/2"), (1, 1)])
    # 3 x = 1/2 + x/2 at 1/5; after 1/4 the first stays above the second, up to 1.
    assert shown(agreement(f, g)) == [("1/5", "1/5"), ("1", "1")]
    assert shown(agreement(f, f)) == [("0", "1")]


def test_a_spec_is_solved_under_its_own_relation() -> None:
    games = k_hop_of(AuditSpec("flips", flips(2), "hamming", 2, ("0", "1")), 2)
    assert (games.relation, games.k, games.horizon) == ("hamming", 2, 2)
    assert games == k_hop(flips(2), hamming().over("01"), 2, 2)


def test_joint_laws_that_do_not_anticipate_are_read_as_laws() -> None:
    joint = JointLaws({("0",): {("n",): 1}, ("1",): {("n",): "1/2", ("y",): "1/2"}})
    assert k_hop(joint, user().over("01"), 2, 1).one_hop("0") == Fraction(1, 2)
    looking = JointLaws({(a, b): {(f"saw {b}", "n"): 1} for a in "01" for b in "01"})
    with pytest.raises(InputError, match="anticipate"):
        k_hop(looking, user().over("01"), 2, 2)


def test_games_that_are_too_large_are_refused() -> None:
    with pytest.raises(LimitError, match="one-hop game.*not solved exactly"):
        k_hop(flips(6), user().over("01"), 2, 6, limits=Limits(nodes=2))
    with pytest.raises(LimitError, match="2-hop simulation.*more than 40 arcs"):
        k_hop(flips(4), edit_d1().over("01"), 2, 4, limits=Limits(transitions=40))


@pytest.mark.parametrize(("k", "horizon"), [(0, 2), (True, 2), (2, 0), ("2", 1), (2, 1.0)])
def test_numbers_out_of_their_domain_are_refused(k: Any, horizon: Any) -> None:
    with pytest.raises(InputError, match="is not an integer >= 1"):
        k_hop(flips(2), hamming().over("01"), k, horizon)


SPEC = """
name = "flips"
rounds = 3
inputs = ["0", "1"]
outputs = ["0", "1"]
states = ["s"]
initial = "s"
neighbours = {neighbours}
kernel = [["*", "s", "0", "0", "s", "3/4"], ["*", "s", "0", "1", "s", "1/4"],
          ["*", "s", "1", "0", "s", "1/4"], ["*", "s", "1", "1", "s", "3/4"]]
"""
ONE = (
    '{ start = "a", accept = ["a", "b"], hops = 2, arcs = ['
    + ", ".join(
        f'["{state}", "{x}", "{y}", "{after}"]'
        for state, x, y, after in map(tuple, ["a00a", "a11a", "a01b", "a10b", "b00b", "b11b"])
    )
    + "] }"
)


def read(neighbours: str, tmp_path: Any) -> Relation:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC.replace("{neighbours}", neighbours), encoding="utf-8")
    return load_spec(str(path)).neighbours()


@pytest.mark.parametrize("neighbours", ['{ name = "hamming", hops = 2 }', ONE])
def test_spec_files_take_hops(neighbours: str, tmp_path: Any) -> None:
    relation = read(neighbours, tmp_path)
    assert check_neighbouring(relation, "000", "101") is None
    assert check_neighbouring(relation, "000", "111") is not None


def test_spec_files_know_the_new_relations(tmp_path: Any) -> None:
    sums = read('"prefix_sum"', tmp_path)
    assert check_neighbouring(sums, "100", "010") is None
    assert check_neighbouring(sums, "110", "000") is not None
    ends = read('{ name = "edit_extended", bottom = "0", end = "1" }', tmp_path)
    assert check_neighbouring(ends, "001", "011") is None
    informal = read('{ name = "edit_informal", bottom = "0", hops = 2 }', tmp_path)
    assert informal.name == "hops(k=2, of=edit_informal(bottom=0))"


@pytest.mark.parametrize(
    "neighbours",
    ['{ name = "hamming", hops = 0 }', ONE.replace("hops = 2", "hops = 0"),
     '{ name = "hamming", hops = true }', '{ name = "hamming", hops = "two" }'],
)  # fmt: skip
def test_spec_files_refuse_a_number_of_hops_below_one(neighbours: str, tmp_path: Any) -> None:
    with pytest.raises(InputError, match="hops"):
        read(neighbours, tmp_path)


@pytest.mark.parametrize("relation", ["hamming", hamming()])
def test_a_relation_without_an_alphabet_is_refused(relation: Any) -> None:
    with pytest.raises(InputError, match=r"not a relation over an alphabet.*k_hop_of\(spec, k\)"):
        k_hop(RandomisedResponse((0, 1), exp_epsilon=3), relation, 2, 2)


def test_more_rounds_than_the_mechanism_has_are_refused() -> None:
    tree = TreeCounter(2, FiniteLaw.point(0))
    with pytest.raises(InputError, match="more rounds than the mechanism has.*write at most 2"):
        k_hop(tree, hamming().over((0, 1)), 2, 3)
    with pytest.raises(InputError, match="k_hop: not a mechanism"):
        k_hop(cast(Any, TreeCounter), hamming().over((0, 1)), 2, 2)


def test_what_is_no_spec_and_no_relation_is_refused() -> None:
    tree: Any = TreeCounter(2, FiniteLaw.point(0))
    family: Any = hamming()
    name: Any = "hamming"
    with pytest.raises(InputError, match="k_hop_of: not an AuditSpec"):
        k_hop_of(tree, 2)
    with pytest.raises(InputError, match="not a relation over an alphabet"):
        chain_relation(family, 2, 2)
    with pytest.raises(InputError, match="not a relation over an alphabet"):
        hop_closure(family, 2)
    for wrong in (name, family.over("01")):
        with pytest.raises(InputError, match=r"hops: not a family.*give one such as hamming\(\)"):
            hops(wrong, 2)
