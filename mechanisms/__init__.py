"""What draws: laws, coins, mechanisms and the neighbouring relations of their inputs."""

from .coins import (
    Coins,
    RandomBits,
    SampledLaw,
    SamplerCoins,
    SeededBits,
    SystemBits,
    enumerate_outcomes,
)
from .combinators import post_process, serial, truncate
from .counters import Factorisation, LinearMechanism, SerialTreeCounter, TreeCounter
from .discrete_gaussian import DiscreteGaussian
from .enumeration import ExactMachine
from .law import FiniteLaw
from .mechanism import Mechanism, Run, RunSnapshot, Step, open_run
from .named_laws import (
    binomial,
    lower_tail,
    randomised_response,
    uniform_integers,
    upper_tail,
)
from .neighbours import (
    ArcRelation,
    Relation,
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
from .noisy_max import ReportNoisyMax
from .noisy_threshold import CollapsedSparseVector, SparseVector
from .one_shot import ExponentialMechanism, GeometricRelease, PermuteAndFlip
from .poisson import ChargedLaw, Poisson
from .relation_checks import (
    asymmetric_pair,
    distinguishing_pair,
    unextended_pair,
    unrelated_prefix,
)
from .relation_digest import relation_digest
from .responses import MemoisedResponse, RandomisedResponse
from .scores import score_sensitivity
from .sparse_vector import SparseVectorVariant, above_threshold, close_answers
from .table import Anticipation, JointLaws, LawsMechanism, TableMechanism
from .unbounded_laws import Geometric, TwoSidedGeometric, discrete_laplace

__all__ = [
    "Anticipation",
    "ArcRelation",
    "ChargedLaw",
    "Coins",
    "CollapsedSparseVector",
    "DiscreteGaussian",
    "ExactMachine",
    "ExponentialMechanism",
    "Factorisation",
    "FiniteLaw",
    "Geometric",
    "GeometricRelease",
    "JointLaws",
    "LawsMechanism",
    "LinearMechanism",
    "Mechanism",
    "MemoisedResponse",
    "PermuteAndFlip",
    "Poisson",
    "RandomBits",
    "RandomisedResponse",
    "Relation",
    "RelationFamily",
    "ReportNoisyMax",
    "Run",
    "RunSnapshot",
    "SampledLaw",
    "SamplerCoins",
    "SeededBits",
    "SerialTreeCounter",
    "SparseVector",
    "SparseVectorVariant",
    "Step",
    "SystemBits",
    "TableMechanism",
    "TreeCounter",
    "TwoSidedGeometric",
    "above_threshold",
    "asymmetric_pair",
    "binomial",
    "check_neighbouring",
    "close_answers",
    "discrete_laplace",
    "distinguishing_pair",
    "edit",
    "edit_d1",
    "edit_extended",
    "edit_informal",
    "enumerate_outcomes",
    "hamming",
    "hops",
    "lower_tail",
    "open_run",
    "participations",
    "post_process",
    "prefix_sum",
    "randomised_response",
    "relation_digest",
    "relation_named",
    "score_sensitivity",
    "serial",
    "static",
    "truncate",
    "unextended_pair",
    "uniform_integers",
    "unrelated_prefix",
    "upper_tail",
    "user",
]
