"""The numbered claims of the papers as executable checks, one package for each paper.

``contents`` lists the parts that have records so far, ``registry`` says what a record and a finding
are, ``table`` prints them. The rest are tools of the checks: ``grids`` (small laws), ``literal``
(definitions by brute force), ``game_tree`` (every adversary written out), ``channels`` (channels
between pairs of laws), ``symbolic`` (polynomial certificates). The README says how a claim is
added. This package may import all other rooms, and none of them may import it.
"""

from .contents import all_records
from .registry import Finding, Record, Status, claim, judged, refuted, run_all
from .table import claims_json, claims_markdown

__all__ = [
    "Finding",
    "Record",
    "Status",
    "all_records",
    "claim",
    "claims_json",
    "claims_markdown",
    "judged",
    "refuted",
    "run_all",
]
