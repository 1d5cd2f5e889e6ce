"""What the relations refuse, and how they explain themselves."""

from __future__ import annotations

from typing import Any

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.mechanisms import (
    ArcRelation,
    RelationFamily,
    check_neighbouring,
    edit,
    edit_d1,
    edit_extended,
    edit_informal,
    hamming,
    hops,
    participations,
    prefix_sum,
    relation_named,
    static,
    user,
)


@pytest.mark.parametrize("k", [-1, True, "2", 1.0, None])
def test_participation_count_must_be_a_natural_number(k: object) -> None:
    with pytest.raises(InputError, match="k is not an integer >= 0"):
        relation_named("participations", {"k": k})


@pytest.mark.parametrize("separation", [0, -3, "1", False])
def test_separation_must_be_positive(separation: object) -> None:
    with pytest.raises(InputError, match="min_separation is not an integer >= 1"):
        relation_named("participations", {"k": 1, "min_separation": separation})


def test_huge_participation_limits_cost_nothing() -> None:
    relation = participations(10**12, min_separation=10**9).over("01")
    assert check_neighbouring(relation, "0000", "0100") is None


def test_no_participation_leaves_only_equal_pairs() -> None:
    relation = participations(0).over("01")
    assert all(a == b for a, b, _ in relation.pairs(relation.start))


@pytest.mark.parametrize(
    "family",
    [
        participations(1, absent="x"),
        edit("x"),
        edit_informal("x"),
        edit_extended("x", "1"),
        edit_extended("1", "x"),
        static("0x", "1"),
        static("01", "x"),
    ],
)
def test_named_symbols_must_be_inputs(family: RelationFamily) -> None:
    with pytest.raises(InputError, match="unknown input.*'x'"):
        family.over(["0", "1"])


def test_named_symbols_must_have_the_type_of_the_inputs() -> None:
    with pytest.raises(InputError, match="equal but of different types"):
        edit(bottom=True).over([0, 1])


def test_alphabets_are_checked() -> None:
    unhashable: list[Any] = [["0"]]
    with pytest.raises(InputError, match="there are no inputs"):
        user().over([])
    with pytest.raises(InputError, match="comes twice"):
        user().over(["0", "0"])
    with pytest.raises(InputError, match="equal but of different types"):
        user().over([1, True])
    with pytest.raises(InputError, match="not hashable"):
        user().over(unhashable)


def test_a_large_alphabet_is_refused_before_any_pair_is_made() -> None:
    with pytest.raises(LimitError, match="100000000 pairs.*limit_pairs"):
        user().over(range(10_000))


def test_static_needs_different_data() -> None:
    with pytest.raises(InputError, match="at least two"):
        static("0", "A")
    with pytest.raises(InputError, match="equal data"):
        static("01", "A", pairs=[("0", "0")])
    with pytest.raises(InputError, match="not in data"):
        static("01", "A", pairs=[("0", "A")])
    with pytest.raises(InputError, match="no pair"):
        static("01", "A", pairs=[])


@pytest.mark.parametrize(
    ("name", "parameters", "hint"),
    [
        ("hammming", {}, "did you mean 'hamming'"),
        ("participation", {"k": 1}, "did you mean 'participations'"),
        (
            "swap",
            {},
            "use one of edit, edit_d1, edit_extended, edit_informal, hamming, participations",
        ),
        (
            "sum_of_prefixes",
            {},
            "prefix_sum, static, user, or arcs",
        ),
        ("participations", {"k": 1, "min_seperation": 2}, "did you mean 'min_separation'"),
        ("participations", {}, "give k"),
        ("hamming", {"k": 1}, "unknown parameter; found k; it takes hops"),
        ("hops", {"k": 2}, "write the name of the relation of one hop, and hops = 2 beside it"),
        ("static", {"data": "01", "queries": []}, "data is not a list"),
    ],
)
def test_unknown_names_and_parameters_are_explained(
    name: str, parameters: dict[str, object], hint: str
) -> None:
    with pytest.raises(InputError) as caught:
        relation_named(name, parameters)
    assert hint in str(caught.value)


def test_named_relations_are_the_families() -> None:
    assert relation_named("hamming") == hamming()
    assert relation_named("edit_d1") == edit_d1()
    assert relation_named("edit", {"bottom": "-"}) == edit("-") != edit("_")
    assert relation_named("participations", {"k": 2, "absent": "_"}) == participations(
        2, absent="_"
    )
    assert relation_named("static", {"data": ["0", "1"], "queries": ["A"]}) == static("01", "A")
    assert relation_named("edit_informal") == edit_informal("_")
    assert relation_named("edit_extended", {"end": "."}) == edit_extended("_", ".")
    assert relation_named("prefix_sum") == prefix_sum()
    assert relation_named("hamming", {"hops": 1}) == hamming()
    assert relation_named("participations", {"k": 2, "hops": 3}) == hops(participations(2), 3)


@pytest.mark.parametrize("steps", [0, -1, True, "2", None, 1.0])
def test_the_number_of_hops_is_a_positive_whole_number(steps: object) -> None:
    with pytest.raises(InputError, match="hops is not an integer >= 1"):
        relation_named("hamming", {"hops": steps})


def test_extended_edit_needs_two_symbols_of_its_own() -> None:
    with pytest.raises(InputError, match="the same input.*'_'"):
        edit_extended("_", "_")


@pytest.mark.parametrize("symbol", ["_", "01", "+1", "-0", "", "1.0", 1.5, True, "\u0661", None])
def test_prefix_sums_need_integers(symbol: object) -> None:
    with pytest.raises(InputError, match="prefix_sum takes integers only"):
        prefix_sum().over([-1, symbol])


def test_prefix_sums_refuse_one_integer_twice() -> None:
    with pytest.raises(InputError, match=r"the same integer; found 1 \(int\) and '1' \(str\)"):
        prefix_sum().over([1, "1"])


def test_a_closure_with_too_many_arcs_is_refused() -> None:
    relation = hops(user(), 2, limit_arcs=8).over("012")
    with pytest.raises(LimitError, match=r"more than 8 arcs.*limit_arcs"):
        relation.pairs(relation.start)


def test_arcs_are_checked() -> None:
    with pytest.raises(InputError, match=r"neighbours\.arcs\[1\].*twice"):
        ArcRelation("r", ["r"], [["r", "0", "1", "r"], ["r", "0", "1", "r"]])
    with pytest.raises(InputError, match=r"arcs\[0\].*4 fields"):
        ArcRelation("r", ["r"], [["r", "0", "1"]])
    with pytest.raises(InputError, match="accept"):
        ArcRelation("r", [], [["r", "0", "1", "r"]])
    with pytest.raises(InputError, match="different types"):
        ArcRelation("r", ["r"], [["r", 0, 1, "r"], ["r", False, 1, "r"]])


def test_one_pair_may_lead_to_several_states() -> None:
    relation = ArcRelation("r", ["a", "b"], [("r", "0", "0", "a"), ("r", "0", "0", "b")])
    assert [after for _, _, after in relation.pairs("r")] == ["a", "b"]
    assert relation.states == ("r", "a", "b")


def test_reasons_name_rounds_lengths_and_ends() -> None:
    arcs = ArcRelation("r", ["e"], [("r", "0", "1", "m"), ("m", "0", "0", "e")])
    assert check_neighbouring(arcs, "00", "10") is None
    assert check_neighbouring(arcs, "0", "1") == (
        "not neighbouring (differs in round 1; the streams end in the state m, which does not "
        "accept)"
    )
    assert check_neighbouring(arcs, "00", "11") == (
        "not neighbouring (differs in rounds 1 and 2; no arc for the pair 0, 1 of round 2)"
    )
    many = check_neighbouring(hamming().over("01"), "0" * 30, "1" * 30)
    assert many is not None
    assert "and 20 more" in many
    assert check_neighbouring(user().over("01"), "", "") is None
