"""Exact composition against digits made apart from this project (data/composition_truth.json)."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting import Exact, LogExact, Pair, compose
from powercert.accounting.composition import Composition, Order

DATA = Path(__file__).parents[1] / "data" / "composition_truth.json"
TRUTH: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))


def composed(entry: dict[str, Any]) -> Composition:
    """The data's delta is sup P(S) - e^epsilon Q(S) where it says forward."""
    pair = Pair.from_laws(entry["P"], entry["Q"])
    order: Order = "swapped" if entry["direction"] == "forward" else "as_given"
    return compose([(pair, entry["times"])], order=order)


def agrees(found: Exact | LogExact, decimal: str) -> bool:
    """Whether a stored decimal is the exact value up to one unit of its last digit."""
    digits = len(Decimal(decimal).as_tuple().digits)
    last = Decimal(decimal).as_tuple().exponent
    assert isinstance(last, int)
    return abs(Decimal(found.decimal(digits + 3)) - Decimal(decimal)) <= Decimal(10) ** last


CELLS = [
    pytest.param(entry, id=entry["id"], marks=[pytest.mark.slow] if entry.get("slow") else [])
    for entry in TRUTH["cells"]
]


@pytest.mark.parametrize("entry", CELLS)
def test_cells(entry: dict[str, Any]) -> None:
    composition = composed(entry)
    for epsilon, delta in zip(entry["epsilon"], entry["delta"], strict=True):
        found = composition.delta(epsilon=Fraction(float(epsilon))).upper
        assert isinstance(found, Exact)
        assert agrees(found, delta)
    for delta, epsilon in zip(TRUTH["deltas"], entry["epsilon_at_delta"], strict=True):
        bound = composition.epsilon(delta=delta).upper
        if epsilon is None:
            assert bound == math.inf
        else:
            assert isinstance(bound, Exact | LogExact)
            assert agrees(bound, epsilon)


@pytest.mark.parametrize(
    "entry", TRUTH["exact_fractions"], ids=lambda e: f"{e['id']} at {e['exp_epsilon']}"
)
def test_exact_fractions(entry: dict[str, Any]) -> None:
    assert composed(entry).delta(exp_epsilon=entry["exp_epsilon"]).upper == Fraction(entry["delta"])
