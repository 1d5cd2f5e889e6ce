"""Counters: which nodes there are, their exact laws, and constants from the papers."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.accounting.numbers import Exact
from powercert.mechanisms import (
    ExactMachine,
    Factorisation,
    FiniteLaw,
    LinearMechanism,
    Mechanism,
    Run,
    SamplerCoins,
    SeededBits,
    SerialTreeCounter,
    TreeCounter,
    check_neighbouring,
    open_run,
    participations,
    static,
)
from powercert.mechanisms.counters import (
    Node,
    TreeState,
    nodes_containing,
    nodes_ending_at,
    prefix_nodes,
    square_root_coefficients,
    tree_levels,
)
from powercert.mechanisms.unbounded_laws import TwoSidedGeometric

FLIP = FiniteLaw.of({0: "2/3", 1: "1/3"})
SKEW = FiniteLaw.of({-1: "1/2", 0: "1/3", 2: "1/6"})
POINT = FiniteLaw.point(0)

AnyMechanism = Mechanism[Any, Any, Any, Any]
Transcript = tuple[Any, ...]


def wrong(value: object) -> Any:
    """A value of a type that the library refuses, hidden from the type checker."""
    return value


def transcripts(mechanism: AnyMechanism, stream: Iterable[Hashable]) -> dict[Transcript, Exact]:
    """The law of all views under a fixed stream, by the enumerator."""
    machine = ExactMachine(mechanism)
    runs: dict[tuple[Hashable, Transcript], Exact] = {
        (state, ()): weight for state, weight in machine.initial()
    }
    for item in stream:
        longer: dict[tuple[Hashable, Transcript], Exact] = {}
        for (state, views), weight in runs.items():
            for view, after, share in machine.transitions(state, item):
                key = after, (*views, view)
                longer[key] = longer.get(key, Exact(0)) + weight * share
        runs = longer
    law: dict[Transcript, Exact] = {}
    for (_, views), weight in runs.items():
        law[views] = law.get(views, Exact(0)) + weight
    return law


def dyadic(rounds: int) -> list[tuple[int, int]]:
    """All [first..last] of length 2^j that end at a multiple of it, in order of release."""
    blocks = [
        (last - 2**level + 1, last)
        for level in range(rounds.bit_length())
        for last in range(2**level, rounds + 1, 2**level)
    ]
    return sorted(blocks, key=lambda block: (block[1], -block[0]))


def by_hand(
    stream: Sequence[int], noise: FiniteLaw[int], modulus: int | None
) -> dict[Transcript, Exact]:
    """The law of the noisy nodes, from one noise value per node and nothing else."""
    blocks = dyadic(len(stream))
    law: dict[Transcript, Exact] = {}
    for drawn in itertools.product(noise.items(), repeat=len(blocks)):
        weight, rows = Exact(1), dict[int, list[int]]()
        for (first, last), (value, share) in zip(blocks, drawn, strict=True):
            noisy = sum(stream[first - 1 : last]) + value
            rows.setdefault(last, []).append(noisy if modulus is None else noisy % modulus)
            weight = weight * share
        views = tuple(tuple(rows[time]) for time in range(1, len(stream) + 1))
        law[views] = law.get(views, Exact(0)) + weight
    return law


# --- dyadic nodes -------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", range(1, 20))
def test_nodes_are_the_dyadic_blocks_in_order_of_their_ends(rounds: int) -> None:
    released = [tuple(n) for time in range(1, rounds + 1) for n in nodes_ending_at(time)]
    assert released == dyadic(rounds)


@pytest.mark.parametrize("time", range(70))
def test_prefix_nodes_partition_the_prefix_and_are_known_by_then(time: int) -> None:
    nodes = prefix_nodes(time)
    rounds = [position for node in nodes for position in range(node.first, node.last + 1)]
    assert rounds == list(range(1, time + 1))
    assert {tuple(node) for node in nodes} <= set(dyadic(max(time, 1)))
    assert len(nodes) == time.bit_count()


@pytest.mark.parametrize("rounds", range(1, 20))
def test_nodes_containing_a_round_and_the_number_of_levels(rounds: int) -> None:
    counts: list[int] = []
    for position in range(1, rounds + 1):
        expected = [b for b in dyadic(rounds) if b[0] <= position <= b[1]]
        assert [tuple(n) for n in nodes_containing(position, rounds)] == expected
        counts.append(len(expected))
    assert tree_levels(rounds) == max(counts)
    size = 1
    while size < rounds:
        size *= 2
    padded = [sum(b[0] <= p <= b[1] for b in dyadic(size)) for p in range(1, rounds + 1)]
    assert tree_levels(rounds, padded=True) == max(padded)


def test_levels_of_five_rounds() -> None:
    # The finding on Proposition F.6: padded ceil(log2 5) + 1 = 4, finished by T floor(log2 5) + 1.
    assert (tree_levels(5), tree_levels(5, padded=True)) == (3, 4)
    assert Factorisation.tree(5).squared_sensitivity == 3


# --- the tree -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "noise", "modulus"),
    [
        ((1, 0, 1, 1), FLIP, 2),
        ((2, 0, 1, 2), FiniteLaw.of({0: "1/2", 1: "1/3", 2: "1/6"}), 3),
        ((1, 1, 0), SKEW, None),
        ((-1, 2, 2), SKEW, None),
        ((1, 0, 1, 1, 1), FLIP, 2),
        ((0, 1, 1, 0, 1, 1), FLIP, 2),
    ],
)
def test_joint_tree_has_the_law_of_one_noise_value_per_node(
    stream: tuple[int, ...], noise: FiniteLaw[int], modulus: int | None
) -> None:
    expected = by_hand(stream, noise, modulus)
    flat: dict[tuple[int, ...], Exact] = {
        tuple(node for view in views for node in view): weight for views, weight in expected.items()
    }
    joint = TreeCounter(len(stream), noise, -1, 2, modulus=modulus)
    assert transcripts(joint, stream) == expected

    serial = SerialTreeCounter(len(stream), noise, -1, 2, modulus=modulus)
    assert transcripts(serial, serial.spread(stream)) == flat

    prefix = TreeCounter(len(stream), noise, -1, 2, "prefix", modulus)
    sums: dict[Transcript, Exact] = {}
    for released, weight in flat.items():
        noisy = dict(zip(map(Node._make, dyadic(len(stream))), released, strict=True))
        shown: list[int] = []
        for time in range(1, len(stream) + 1):
            total = sum(noisy[node] for node in prefix_nodes(time))
            shown.append(total if modulus is None else total % modulus)
        sums[tuple(shown)] = sums.get(tuple(shown), Exact(0)) + weight
    assert transcripts(prefix, stream) == sums


@pytest.mark.parametrize("rounds", [*range(1, 20), 100])
def test_without_noise_every_view_is_the_prefix_sum(rounds: int) -> None:
    stream = [(7 * i * i + i) % 5 - 2 for i in range(rounds)]
    run = open_run(TreeCounter(rounds, POINT, -2, 2, "prefix"), SeededBits(1))
    assert [run.feed(item) for item in stream] == list(itertools.accumulate(stream))
    assert run.draws == len(dyadic(rounds))
    serial = SerialTreeCounter(rounds, POINT, -2, 2)
    sub = open_run(serial, SeededBits(1))
    nodes = [sub.feed(item) for item in serial.spread(stream)]
    assert nodes == [sum(stream[first - 1 : last]) for first, last in dyadic(rounds)]


def test_clamped_nodes_have_the_clamped_law_of_their_range() -> None:
    noise = TwoSidedGeometric("1/2")
    tree = TreeCounter(2, noise, clamped=True)
    law = transcripts(tree, (1, 1))
    # P(1 + X clamped to [0, 1] = 1) = P(X >= 0) = 2/3; node [1..2] has total 2 in [0, 2].
    leaf = {0: Fraction(1, 3), 1: Fraction(2, 3)}
    pair = {2: Fraction(2, 3), 1: Fraction(1, 6), 0: Fraction(1, 6)}
    assert law == {
        ((a,), (b, c)): Exact(leaf[a] * leaf[b] * pair[c]) for a in leaf for b in leaf for c in pair
    }


@pytest.mark.parametrize("rounds", range(1, 20))
def test_only_what_a_later_node_or_view_reads_is_remembered(rounds: int) -> None:
    joint, serial = TreeCounter(rounds, POINT, 1, 2), SerialTreeCounter(rounds, POINT, 1, 2)
    prefix = TreeCounter(rounds, POINT, 1, 2, "prefix")
    coins = SamplerCoins(SeededBits(1))
    state, sub, shown = joint.start(coins), serial.start(coins), prefix.start(coins)
    for time in range(1, rounds + 1):
        state = joint.step(state, 1, coins).state
        shown = prefix.step(shown, 1, coins).state
        for item in serial.spread([1] * time)[len(serial.spread([1] * (time - 1))) :]:
            sub = serial.step(sub, item, coins).state
        blocks = [(node.first, node.last) for node in reversed(prefix_nodes(time))]
        to_come = [block for block in dyadic(rounds) if block[1] > time]
        inside = [
            last - first + 1
            for first, last in blocks
            if any(start <= first and last <= end for start, end in to_come)
        ]
        # With inputs 1 and no noise, a block's total is its length.
        assert state.totals == tuple(inside)
        assert tuple(total for total in (sub.total, *sub.totals) if total) == tuple(inside)
        later = [tuple(node) for end in range(time + 1, rounds + 1) for node in prefix_nodes(end)]
        assert shown.noisy == tuple(b - a + 1 for a, b in blocks if (a, b) in later)


def test_the_first_four_time_steps_have_the_index_sets_of_the_findings() -> None:
    counter = SerialTreeCounter(4, POINT)
    assert counter.index_sets == ((1,), (2,), (1, 2), (4,), (5,), (4, 5), (1, 2, 4, 5))
    assert counter.rounds == 7
    assert counter.schedule[6] == (4, Node(1, 4))
    assert [sub.takes_input for sub in counter.schedule] == [True, True, False] + [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("horizon", range(1, 20))
def test_index_sets_are_the_sub_rounds_of_the_nodes_inputs(horizon: int) -> None:
    counter = SerialTreeCounter(horizon, POINT)
    blocks = dyadic(horizon)
    arrival = {last: i for i, (first, last) in enumerate(blocks, 1) if first == last}
    expected = [tuple(arrival[time] for time in range(first, last + 1)) for first, last in blocks]
    assert list(counter.index_sets) == expected
    assert counter.rounds == len(blocks)


def test_the_relation_of_sub_rounds_is_the_relation_of_the_streams() -> None:
    counter = SerialTreeCounter(3, POINT)
    for family, most in ((None, 1), (participations(2), 2)):
        relation = counter.relation(family)
        for one, two in itertools.product(itertools.product((0, 1), repeat=3), repeat=2):
            differing = sum(a != b for a, b in zip(one, two, strict=True))
            reason = check_neighbouring(relation, counter.spread(one), counter.spread(two))
            assert (reason is None) == (differing <= most)
    loads = counter.relation(static(data=(0, 1), queries=()))
    assert check_neighbouring(loads, (0,), (1,)) is None
    assert check_neighbouring(loads, (), ()) is not None
    # Nothing but the idle input fits a sub-round without data, and nothing follows the last one.
    assert check_neighbouring(counter.relation(), (0, 0, 1), (0, 0, 1)) is not None
    assert check_neighbouring(counter.relation(), (0, 0, "-", 1, 0), (0, 0, "-", 1, 0)) is not None


def test_memory_is_logarithmic() -> None:
    rounds = 2**12
    tree = TreeCounter(rounds, TwoSidedGeometric("1/2"), shows="prefix")
    coins = SamplerCoins(SeededBits(3))
    state = tree.start(coins)
    for time in range(1, rounds + 1):
        state = tree.step(state, time % 2, coins).state
        assert len(state.totals) + len(state.noisy) <= 2 * 12
    assert state == TreeState(rounds, (), ())


def test_a_restored_run_repeats_its_nodes_and_draws_no_old_one_again() -> None:
    tree = TreeCounter(8, FiniteLaw.uniform(range(1000)), shows="prefix")
    run = open_run(tree, SeededBits(5))
    views = [run.feed(item) for item in (1, 0, 1, 1, 0, 1)]
    # Round 7 shows the nodes [1..4] and [5, 6], which are those of round 6, plus the new leaf [7].
    settled = views[-1]
    assert isinstance(settled, int)
    kept = run.snapshot()
    again = {Run.restore(tree, kept, SeededBits(seed)).feed(0) for seed in range(6, 26)}
    assert all(isinstance(view, int) and 0 <= view - settled < 1000 for view in again)
    assert len(again) > 10


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: TreeCounter(0, FLIP), "rounds"),
        (lambda: TreeCounter(True, FLIP), "rounds"),
        (lambda: TreeCounter(4, FLIP, 1, 0), "lower is above upper"),
        (lambda: TreeCounter(4, FLIP, 0, wrong("1")), "upper"),
        (lambda: TreeCounter(4, FLIP, shows=wrong("sum")), "shows"),
        (lambda: TreeCounter(4, wrong("coin")), "not a law of noise"),
        (lambda: TreeCounter(4, wrong(FiniteLaw.point("0"))), "noise"),
        (lambda: TreeCounter(4, FLIP, modulus=0), "modulus"),
        (lambda: TreeCounter(4, FLIP, modulus=2, clamped=True), "both a modulus and clamping"),
        (lambda: TreeCounter(4, FLIP, clamped=wrong(1)), "clamped"),
        (lambda: SerialTreeCounter(2, FLIP, idle=1), "idle"),
        (lambda: SerialTreeCounter(2, FLIP, idle=wrong([])), "idle"),
        (lambda: SerialTreeCounter(2, FLIP).spread([0, 0, 0]), "horizon is past"),
        (lambda: TreeCounter(4, FLIP).nodes(5), "no such round"),
        (lambda: nodes_containing(6, 5), "after the horizon"),
    ],
)
def test_wrong_use_is_named(build: Any, part: str) -> None:
    with pytest.raises(InputError, match=part):
        build()


def test_wrong_inputs_and_late_rounds_are_refused_before_any_draw() -> None:
    run = open_run(TreeCounter(1, FLIP), SeededBits(1))
    for item in (2, -1, True, "1", None):
        with pytest.raises(InputError, match="round 1"):
            run.feed(wrong(item))
    assert run.draws == 0
    run.feed(1)
    with pytest.raises(InputError, match="round 2: the horizon is past"):
        run.feed(1)
    sub = open_run(SerialTreeCounter(2, FLIP), SeededBits(1))
    with pytest.raises(InputError, match="not an integer"):
        sub.feed("-")
    sub.feed(1)
    sub.feed(1)
    with pytest.raises(InputError, match=r"node \[1\.\.2\]: an input is fed to an idle"):
        sub.feed(1)
    sub.feed("-")
    with pytest.raises(InputError, match="round 4: the horizon is past"):
        sub.feed(1)


def test_unbounded_noise_is_refused_by_the_enumerator_by_name() -> None:
    machine = ExactMachine(TreeCounter(2, TwoSidedGeometric("1/2")))
    with pytest.raises(InputError, match="TwoSidedGeometric"):
        machine.transitions(machine.initial()[0][0], 1)


# --- factorisations -----------------------------------------------------------------------------


def product(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> Any:
    inner, width = range(len(right)), range(len(right[0]))
    return [[sum(row[k] * right[k][j] for k in inner) for j in width] for row in left]


FACTORS = {
    "identity": Factorisation.identity,
    "summed inputs": Factorisation.summed_inputs,
    "noisy sums": Factorisation.noisy_sums,
    "tree": Factorisation.tree,
    "square root": Factorisation.square_root,
}


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("name", FACTORS)
def test_factors_multiply_to_the_workload(name: str, rounds: int) -> None:
    factors = FACTORS[name](rounds)
    decoder = factors.decoder
    if decoder is None:
        assert factors.product == factors.encoder
    else:
        count = [[int(i <= t) for i in range(rounds)] for t in range(rounds)]
        assert product(decoder, factors.encoder) == count
        assert [list(row) for row in factors.product] == count
    assert factors.counts_prefixes == (name != "identity" or rounds == 1)


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", FACTORS)
def test_sensitivities_are_maxima_over_the_moves_allowed(name: str, rounds: int) -> None:
    factors = FACTORS[name](rounds)
    columns = list(zip(*factors.encoder, strict=True))
    steps = [Fraction(step, 2) for step in range(-2, 3)]

    def moved(i: int, a: Fraction, b: Fraction) -> Fraction:
        other = columns[i + 1] if i + 1 < rounds else (Fraction(0),) * len(columns[i])
        return sum(((a * x + b * y) ** 2 for x, y in zip(columns[i], other, strict=True)), a * 0)

    one = max(moved(i, a, 0 * a) for i in range(rounds) for a in steps)
    two = max(moved(i, a, b) for i in range(rounds) for a in steps for b in steps)
    assert factors.squared_sensitivity == one
    assert factors.squared_two_bin_sensitivity == two


def test_two_bin_sensitivity_looks_at_both_signs() -> None:
    factors = Factorisation([[1, 0], [-1, 1]])
    assert factors.squared_sensitivity == 2
    # e_1 - e_2 moves R x by (1, -2), e_1 + e_2 by (1, 0).
    assert factors.squared_two_bin_sensitivity == 5


def test_constants_of_the_papers() -> None:
    root = Factorisation.square_root
    assert [str(f) for f in square_root_coefficients(5)] == ["1", "1/2", "3/8", "5/16", "35/128"]
    assert root(4).squared_sensitivity == Fraction(381, 256)
    assert root(8).squared_sensitivity == Fraction(7207405, 4194304)
    assert root(8).squared_two_bin_sensitivity == Fraction(23124349, 4194304)
    # Proposition F.7 bounds s^2 by Psi(T), which is below it at T = 11: 1.82239 > 1.81052.
    assert root(11).squared_sensitivity == Fraction(125233642041, 68719476736)
    for height in range(1, 6):
        tree = Factorisation.tree(2**height)
        assert tree.squared_sensitivity == height + 1
        assert tree.squared_two_bin_sensitivity == 4 * height + 2
    assert Factorisation.tree(8).squared_two_bin_sensitivity == 14


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: Factorisation([]), "no rows"),
        (lambda: Factorisation([[1, 0]]), "times are needed"),
        (lambda: Factorisation([[1, 0], [1]]), "different lengths"),
        (lambda: Factorisation([[1, 1], [0, 1]]), "round 1 reads the input of round 2"),
        (lambda: Factorisation([[1, 0], [0.5, 1]]), "encoder"),
        (lambda: Factorisation([[1, 0], ["exp(1)", 1]]), "encoder"),
        (lambda: Factorisation([[True, 0], [1, 1]]), "encoder"),
        (lambda: Factorisation(["10", "11"]), "not a row"),
        (lambda: Factorisation([[1]], [[1, 1]]), "does not fit"),
        (lambda: Factorisation([[1, 0], [0, 1]], [[1, 1], [0, 1]]), "reads a row released"),
        (lambda: Factorisation([[1, 0], [0, 1]], None, [2, 1]), "times"),
        (lambda: Factorisation([[1, 0], [0, 1]], None, [1, 3]), "after the horizon"),
        (lambda: Factorisation([[1, 0], [0, 1]], None, [1]), "one time per row"),
        (lambda: Factorisation([[1, 0], [0, 1]], None, [2, 2, 2]), "one time per row"),
        (lambda: Factorisation.tree(0), "rounds"),
        (lambda: LinearMechanism(wrong("R"), FLIP), "not a factorisation"),
        (lambda: LinearMechanism(Factorisation.identity(2), POINT, 1, 0), "above upper"),
        (lambda: LinearMechanism(Factorisation.square_root(2), POINT, modulus=2), "integers"),
        (
            lambda: LinearMechanism(
                Factorisation.identity(2), FiniteLaw.point(Fraction(1, 2)), modulus=2
            ),
            "integers",
        ),
        (
            lambda: LinearMechanism(Factorisation.identity(2), wrong(FiniteLaw.point("1"))),
            "noise",
        ),
    ],
)
def test_wrong_factorisations_are_named(build: Any, part: str) -> None:
    with pytest.raises(InputError, match=part):
        build()


def test_matrices_that_could_explode_are_refused() -> None:
    for build in (Factorisation.tree, Factorisation.square_root, Factorisation.identity):
        with pytest.raises(LimitError, match="exact numbers"):
            build(10**5)
    with pytest.raises(LimitError, match="multiplications"):
        _ = Factorisation.summed_inputs(500).product


# --- the linear mechanism -----------------------------------------------------------------------


def linear_by_hand(
    factors: Factorisation, stream: Sequence[int], noise: FiniteLaw[Any], modulus: int | None
) -> dict[Transcript, Exact]:
    """The law of L (R x + z), or of the rows R x + z round by round, over all z."""
    law: dict[Transcript, Exact] = {}
    for drawn in itertools.product(noise.items(), repeat=len(factors.times)):
        weight = Exact(1)
        noisy: list[Fraction] = []
        for row, (value, share) in zip(factors.encoder, drawn, strict=True):
            noisy.append(sum((a * x for a, x in zip(row, stream, strict=True)), Fraction(value)))
            weight = weight * share
        views: list[Hashable] = []
        for time in range(1, len(stream) + 1):
            if factors.decoder is None:
                now = [y for y, when in zip(noisy, factors.times, strict=True) if when == time]
                views.append(now[0] if modulus is None else now[0] % modulus)
            else:
                row = factors.decoder[time - 1]
                shown = sum((a * y for a, y in zip(row, noisy, strict=True)), Fraction(0))
                views.append(shown if modulus is None else shown % modulus)
        law[tuple(views)] = law.get(tuple(views), Exact(0)) + weight
    return law


HALVES = FiniteLaw.of({Fraction(-1, 2): "1/4", Fraction(0): "1/2", Fraction(1, 2): "1/4"})


@pytest.mark.parametrize("stream", [(1, 0, 2), (2, 2, -1)])
@pytest.mark.parametrize(
    ("factors", "noise", "modulus"),
    [
        (Factorisation.identity(3), SKEW, None),
        (Factorisation.summed_inputs(3), SKEW, None),
        (Factorisation.summed_inputs(3), FLIP, 2),
        (Factorisation.noisy_sums(3), FLIP, 2),
        (Factorisation.tree(3), SKEW, None),
        (Factorisation.tree(3), FLIP, 2),
        (Factorisation.square_root(3), HALVES, None),
        (Factorisation.square_root(3), SKEW, None),
        (Factorisation([[2, 0, 0], [-1, 1, 0], [0, 3, "1/3"]]), HALVES, None),
    ],
)
def test_linear_mechanism_has_the_law_of_the_matrices(
    factors: Factorisation, noise: FiniteLaw[Any], modulus: int | None, stream: tuple[int, ...]
) -> None:
    mechanism = LinearMechanism(factors, noise, -1, 2, modulus)
    assert transcripts(mechanism, stream) == linear_by_hand(factors, stream, noise, modulus)


def test_tree_as_matrix_is_the_tree_counter() -> None:
    for rounds, stream in ((4, (1, 0, 1, 1)), (5, (0, 1, 1, 1, 0))):
        tree = Factorisation.tree(rounds)
        matrix = LinearMechanism(tree, FLIP, modulus=2)
        counter = TreeCounter(rounds, FLIP, shows="prefix", modulus=2)
        assert transcripts(matrix, stream) == transcripts(counter, stream)
        shown = LinearMechanism(Factorisation(tree.encoder, None, tree.times), FLIP, modulus=2)
        nodes = TreeCounter(rounds, FLIP, modulus=2)
        assert transcripts(shown, stream) == transcripts(nodes, stream)
        steps = ExactMachine(matrix).steps(ExactMachine(matrix).initial()[0][0], 1)
        assert {step.core for step, _ in steps} == {(0,), (1,)}


def test_values_keep_one_type() -> None:
    whole = LinearMechanism(Factorisation.identity(2), SKEW)
    assert {type(view) for views in transcripts(whole, (0, 1)) for view in views} == {int}
    root = LinearMechanism(Factorisation.square_root(2), SKEW)
    assert {type(view) for views in transcripts(root, (0, 0)) for view in views} == {Fraction}
    sampled = LinearMechanism(Factorisation.square_root(2), TwoSidedGeometric("1/9"), 0, 1)
    run = open_run(sampled, SeededBits(1))
    assert [type(run.feed(1)) for _ in range(2)] == [Fraction, Fraction]


def test_integer_noise_on_fractional_rows_is_not_scaled() -> None:
    class Always:
        """A law that is only sampled, and always gives 3."""

        finite_counterpart = "FiniteLaw.point(3)"

        def draw(self, random_bits: object) -> int:
            return 3

    factors = Factorisation([["1/2", 0], [0, "1/3"]])
    run = open_run(LinearMechanism(factors, Always(), 0, 1), SeededBits(1))
    assert [run.feed(1), run.feed(1)] == [Fraction(7, 2), Fraction(10, 3)]
