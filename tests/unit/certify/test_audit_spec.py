"""An AuditSpec built by hand is refused where it is written, with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.certify.spec import AuditSpec
from powercert.mechanisms import FiniteLaw, Relation, TreeCounter, hamming, static
from powercert.mechanisms.relation import ArcRelation
from powercert.mechanisms.sparse_vector import gallery

TREE = TreeCounter(2, FiniteLaw.point(0))


def refusal(mechanism: Any, relation: Any) -> str:
    with pytest.raises(InputError) as caught:
        AuditSpec("mine", mechanism, relation, 2, (0, 1))
    return str(caught.value)


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        ("haming", "mine: neighbours: unknown relation; found 'haming' (str); did you mean 'hamm"),
        ("hops", "hops = 2 beside it"),
        ("static", "mine: neighbours.static: a parameter is missing; give data"),
        ({"name": "hops", "k": 2}, "a family such as hops(hamming(), 2)"),
        (hamming, "a family such as hops(hamming(), 2)"),
        (ArcRelation, "a family such as hops(hamming(), 2)"),
    ],
)
def test_a_relation_is_refused_where_the_spec_is_written(relation: object, told: str) -> None:
    assert told in refusal(TREE, relation)


@pytest.mark.parametrize(
    "relation", ["hamming", hamming(), hamming().over((0, 1)), static([0, 1], [])]
)
def test_every_form_of_a_relation_is_taken(relation: Any) -> None:
    spec = AuditSpec("mine", TREE, relation, 1, (0, 1))
    neighbours: Relation = spec.neighbours()
    assert (0, 1) in [arc[:2] for arc in neighbours.pairs(neighbours.start)]


def test_what_builds_a_mechanism_says_how() -> None:
    told = refusal(gallery()["standard"], "hamming")
    assert "mine: mechanism: not a mechanism" in told
    assert "use .build()" in told
    assert ".build().collapsed()" in told


def test_a_relation_in_the_place_of_the_mechanism_is_no_builder() -> None:
    told = refusal(hamming(), TREE)
    assert "a relation comes after the mechanism" in told
    assert "build" not in told.partition("; a relation")[2]
