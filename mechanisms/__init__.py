"""What draws: laws, coins, mechanisms and the neighbouring relations of their inputs."""

from .coins import (
    Coins,
    RandomBits,
    SamplerCoins,
    SeededBits,
    SystemBits,
    enumerate_outcomes,
)
from .enumeration import ExactMachine
from .law import FiniteLaw
from .mechanism import Mechanism, Run, RunSnapshot, Step, open_run
from .neighbours import (
    ArcRelation,
    Relation,
    RelationFamily,
    check_neighbouring,
    edit,
    edit_d1,
    hamming,
    participations,
    relation_named,
    static,
    user,
)
from .table import Anticipation, JointLaws, LawsMechanism, TableMechanism

__all__ = [
    "Anticipation",
    "ArcRelation",
    "Coins",
    "ExactMachine",
    "FiniteLaw",
    "JointLaws",
    "LawsMechanism",
    "Mechanism",
    "RandomBits",
    "Relation",
    "RelationFamily",
    "Run",
    "RunSnapshot",
    "SamplerCoins",
    "SeededBits",
    "Step",
    "SystemBits",
    "TableMechanism",
    "check_neighbouring",
    "edit",
    "edit_d1",
    "enumerate_outcomes",
    "hamming",
    "open_run",
    "participations",
    "relation_named",
    "static",
    "user",
]
