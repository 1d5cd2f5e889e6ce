"""Laws of power functions and profiles, against brute force over all tests."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from powercert.accounting import Exact, Pair, PowerFunction, PrivacyProfile, exact_number

Laws = tuple[list[Fraction], list[Fraction]]
LEVELS = [Fraction(i, 12) for i in range(13)]
GAMMAS = [Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1), Fraction(2), Fraction(7)]


def normalised(weights: list[int]) -> list[Fraction]:
    total = sum(weights)
    return [Fraction(weight, total) for weight in weights]


@st.composite
def laws(draw: st.DrawFn, largest: int = 5) -> Laws:
    size = draw(st.integers(1, largest))
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    return normalised(draw(weights)), normalised(draw(weights))


def pair_of(two: Laws) -> Pair:
    return Pair.from_laws(two[0], two[1])


pairs = laws().map(pair_of)
functions = pairs.map(Pair.power_function)


def events(size: int) -> list[tuple[int, ...]]:
    return [event for count in range(size + 1) for event in combinations(range(size), count)]


def knapsack(p: list[Fraction], q: list[Fraction], alpha: Fraction) -> Fraction:
    """The best value of whole items and one fractional item within the capacity alpha."""
    best = Fraction(0)
    for event in events(len(p)):
        room = alpha - sum(p[i] for i in event)
        if room < 0:
            continue
        value = sum((q[i] for i in event), Fraction(0))
        best = max(best, value)
        for i in range(len(p)):
            if i not in event and p[i]:
                best = max(best, value + min(Fraction(1), room / p[i]) * q[i])
    return best


def excess(p: list[Fraction], q: list[Fraction], gamma: Fraction) -> Fraction:
    return max(sum((q[i] - gamma * p[i] for i in event), Fraction(0)) for event in events(len(p)))


@given(laws())
def test_the_power_function_is_the_fractional_knapsack(two: Laws) -> None:
    f = pair_of(two).power_function()
    for alpha in LEVELS:
        assert f(alpha) == knapsack(*two, alpha)


@given(laws())
def test_the_profile_is_the_best_excess_over_events(two: Laws) -> None:
    profile = pair_of(two).profile()
    for gamma in GAMMAS:
        assert profile.delta(exp_epsilon=gamma) == excess(*two, gamma)


@given(laws())
def test_at_zero_the_power_is_what_the_null_cannot_produce(two: Laws) -> None:
    f = pair_of(two).power_function()
    assert f(0) == sum(q for p, q in zip(*two, strict=True) if p == 0)
    assert f(1) == 1


@given(functions)
def test_vertices_are_corners_of_a_concave_curve_above_the_identity(f: PowerFunction) -> None:
    points = f.vertices
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    assert points[0][0] == 0 and points[-1][0] == 1 and points[-1][1] == 1
    assert all(left > right for left, right in pairwise(slopes))
    assert PowerFunction.identity() <= f


@given(laws())
def test_only_equal_laws_have_the_identity(two: Laws) -> None:
    assert (pair_of(two).power_function() == PowerFunction.identity()) == (two[0] == two[1])


@given(laws(3).map(pair_of), laws(3).map(pair_of), laws(3).map(pair_of))
def test_tensor_commutes_and_associates(a: Pair, b: Pair, c: Pair) -> None:
    assert a.tensor(b) == b.tensor(a)
    assert a.tensor(b).tensor(c) == a.tensor(b.tensor(c))
    f, g = a.power_function(), b.power_function()
    assert f.tensor(g) == g.tensor(f) == a.tensor(b).power_function()


@given(laws(3), laws(3))
def test_the_tensor_is_the_pair_of_product_laws(one: Laws, two: Laws) -> None:
    null = [p * r for p in one[0] for r in two[0]]
    alternative = [q * s for q in one[1] for s in two[1]]
    assert pair_of(one).tensor(pair_of(two)) == Pair.from_laws(null, alternative)


@st.composite
def laws_with_channels(draw: st.DrawFn) -> tuple[Laws, list[list[Fraction]]]:
    two = draw(laws())
    outputs = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 4), min_size=outputs, max_size=outputs).filter(any)
    return two, [normalised(draw(row)) for _ in two[0]]


@given(laws_with_channels())
def test_processing_never_helps_the_distinguisher(
    case: tuple[Laws, list[list[Fraction]]],
) -> None:
    (p, q), channel = case
    outputs = range(len(channel[0]))
    after = Pair.from_laws(
        [sum(p[i] * channel[i][o] for i in range(len(p))) for o in outputs],
        [sum(q[i] * channel[i][o] for i in range(len(q))) for o in outputs],
    )
    before = Pair.from_laws(p, q)
    assert after.power_function() <= before.power_function()
    assert after.profile() <= before.profile()


@given(functions)
def test_conjugating_twice_gives_the_same_function(f: PowerFunction) -> None:
    profile = f.profile()
    assert profile.power_function() == f
    assert PrivacyProfile.from_breakpoints(profile.breakpoints) == profile
    assert PrivacyProfile.from_breakpoints(profile.breakpoints).power_function() == f
    assert f.pair().power_function() == f
    assert PowerFunction.from_vertices(f.vertices) == f
    assert hash(PowerFunction.from_vertices(f.vertices)) == hash(f)


@given(functions)
def test_breakpoints_interpolate_the_profile(f: PowerFunction) -> None:
    profile = f.profile()
    points = profile.breakpoints
    for (g0, d0), (g1, d1) in pairwise(points):
        middle = (g0 + g1) / 2
        assert profile.delta(exp_epsilon=g0) == d0
        assert profile.delta(exp_epsilon=middle) == (d0 + d1) / 2
    assert profile.delta(exp_epsilon=points[-1][0] + 5) == points[-1][1]
    assert profile.delta(exp_epsilon="inf") == points[-1][1] == f(0)


@given(functions)
def test_swapping_twice_is_nothing(f: PowerFunction) -> None:
    assert f.swapped().swapped() == f
    explicit = PowerFunction.from_vertices(f.vertices)
    assert explicit.swapped() == f.swapped()
    assert explicit.swapped().swapped() == f


@given(laws())
def test_swapping_exchanges_the_laws_and_follows_the_formula(two: Laws) -> None:
    pair = pair_of(two)
    other = Pair.from_laws(two[1], two[0])
    assert pair.swapped() == other
    assert pair.power_function().swapped() == other.power_function()
    profile, swapped = pair.profile(), pair.profile().swapped()
    for gamma in GAMMAS[1:]:
        mirrored = 1 - gamma + gamma * profile.delta(exp_epsilon=1 / gamma)
        assert swapped.delta(exp_epsilon=gamma) == mirrored == excess(two[1], two[0], gamma)


@given(functions, functions)
def test_the_supremum_is_the_least_concave_majorant(f: PowerFunction, g: PowerFunction) -> None:
    """Definition A.7: the best mixture of a point below f or g on the left and on the right."""
    supremum = PowerFunction.supremum([f, g])
    assert f <= supremum and g <= supremum
    corners = [*f.vertices, *g.vertices]
    for alpha in LEVELS:
        best = max(f(alpha), g(alpha))
        for x0, y0 in corners:
            for x1, y1 in corners:
                if x0 < alpha < x1:
                    best = max(best, y0 + (alpha - x0) * (y1 - y0) / (x1 - x0))
        assert supremum(alpha) == best
    explicit = [PowerFunction.from_vertices(h.vertices) for h in (f, g)]
    assert PowerFunction.supremum(explicit) == supremum


@given(functions, functions)
def test_profiles_of_the_supremum_are_pointwise_maxima(f: PowerFunction, g: PowerFunction) -> None:
    p, q = f.profile(), g.profile()
    worst = PrivacyProfile.maximum([p, q])
    assert worst == PowerFunction.supremum([f, g]).profile()
    for gamma in GAMMAS:
        assert worst.delta(exp_epsilon=gamma) == max(
            p.delta(exp_epsilon=gamma), q.delta(exp_epsilon=gamma)
        )
    for delta in LEVELS:
        assert worst.exp_epsilon(delta=delta) == max(
            p.exp_epsilon(delta=delta), q.exp_epsilon(delta=delta)
        )


@given(functions, functions, functions)
def test_composing_functions_is_monotone_and_associative(
    f: PowerFunction, g: PowerFunction, h: PowerFunction
) -> None:
    larger = PowerFunction.supremum([f, h])
    assert f.after(g) <= larger.after(g)
    assert g.after(f) <= g.after(larger)
    assert f.after(g).after(h) == f.after(g.after(h))
    for alpha in LEVELS:
        assert f.after(g)(alpha) == f(g(alpha))
    identity = PowerFunction.identity()
    assert f.after(identity) == f == identity.after(f)


@given(laws(4), laws(4))
def test_two_hops_cost_at_most_the_composed_function(one: Laws, two: Laws) -> None:
    """Fact A.6 for X, Y from one pair and Z appended where the sizes agree."""
    x, y = one
    z = two[1] if len(two[1]) == len(x) else x
    f, g = Pair.from_laws(x, y).power_function(), Pair.from_laws(y, z).power_function()
    assert Pair.from_laws(x, z).power_function() <= g.after(f)


@given(
    laws(4),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3), Fraction(10)]),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)]),
)
def test_being_below_dp_is_both_inequalities_for_every_event(
    two: Laws, gamma: Fraction, delta: Fraction
) -> None:
    holds = excess(*two, gamma) <= delta and excess(two[1], two[0], gamma) <= delta
    f = pair_of(two).power_function()
    assert (f <= PowerFunction.dp(exp_epsilon=gamma, delta=delta)) == holds


@given(functions, st.sampled_from(LEVELS))
def test_exp_epsilon_is_the_least_that_meets_delta(f: PowerFunction, delta: Fraction) -> None:
    profile = f.profile()
    bound = profile.exp_epsilon(delta=delta)
    if not isinstance(bound, Exact):
        assert f(0) > delta
        return
    assert bound >= 1
    assert profile.delta(exp_epsilon=bound) <= delta
    if bound > 1:
        below = bound - (bound - 1) / 1000
        assert profile.delta(exp_epsilon=below) > delta


@given(functions, functions)
def test_order_is_pointwise(f: PowerFunction, g: PowerFunction) -> None:
    corners = {x for x, _ in f.vertices} | {x for x, _ in g.vertices}
    assert (f <= g) == all(f(x) <= g(x) for x in corners)
    assert (f <= g) == (g >= f)
    assert (f < g) == (f <= g and f != g)
    assert (f.profile() <= g.profile()) == (f <= g)
    if f <= g <= f:
        assert f == g


@settings(max_examples=25)
@given(st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_transcendental_masses_obey_the_same_laws(weights: list[int]) -> None:
    z = Exact.exp(Fraction(-1, 3))
    powers = [z**0, z, z**2, z**3]
    total = sum(powers, exact_number(0))
    null = [power / total for power in powers]
    scale = sum((power * w for power, w in zip(powers, weights, strict=True)), exact_number(0))
    alternative = (
        [power * w / scale for power, w in zip(powers, weights, strict=True)]
        if scale
        else [*reversed(null)]
    )
    pair = Pair.from_laws(null, alternative)
    f, profile = pair.power_function(), pair.profile()
    assert f.swapped().swapped() == f
    assert f.pair() == pair
    assert PrivacyProfile.from_breakpoints(profile.breakpoints) == profile
    assert pair.tensor(pair) == pair.times(2)
    for gamma in (exact_number(1), 1 / z, Exact.exp(Fraction(1, 2))):
        gaps = [q - gamma * p for p, q in zip(null, alternative, strict=True)]
        assert profile.delta(exp_epsilon=gamma) == sum(
            (gap for gap in gaps if gap > 0), exact_number(0)
        )
        assert f.profile().swapped().delta(exp_epsilon=gamma) == 1 - gamma + gamma * profile.delta(
            exp_epsilon=1 / gamma
        )
