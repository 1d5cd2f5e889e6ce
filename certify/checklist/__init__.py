"""Checklist 1: the conditions under which a proof for fixed streams survives feedback."""

from .aggregates import Aggregate, finite_aggregate, named_aggregate
from .decide import checklist
from .findings import CONDITIONS, Checklist, Condition

__all__ = [
    "CONDITIONS",
    "Aggregate",
    "Checklist",
    "Condition",
    "checklist",
    "finite_aggregate",
    "named_aggregate",
]
