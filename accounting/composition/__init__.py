"""Composition of independent pairs, each with a multiplicity."""

from .composed import Composition, Order
from .entry import compose

__all__ = ["Composition", "Order", "compose"]
