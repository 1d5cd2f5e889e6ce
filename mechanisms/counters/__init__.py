"""Counters: running sums of a stream under continual observation."""

from .dyadic import Node, nodes_containing, nodes_ending_at, prefix_nodes, tree_levels
from .factorisation import Factorisation, square_root_coefficients
from .linear import LinearMechanism, LinearState
from .noise import IntegerNoise, NoiseLaw
from .serial_tree import SerialTreeCounter, SerialTreeState, SubRound
from .tree import TreeCounter, TreeState

__all__ = [
    "Factorisation",
    "IntegerNoise",
    "LinearMechanism",
    "LinearState",
    "Node",
    "NoiseLaw",
    "SerialTreeCounter",
    "SerialTreeState",
    "SubRound",
    "TreeCounter",
    "TreeState",
    "nodes_containing",
    "nodes_ending_at",
    "prefix_nodes",
    "square_root_coefficients",
    "tree_levels",
]
