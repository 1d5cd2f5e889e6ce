"""Who judges: from a mechanism and a claim to a verdict with its evidence.

``spec`` reads what is to be audited, ``audit`` judges it, ``verdict`` holds what an audit says,
``report`` tells it, ``cli`` and ``commands`` are the command ``certify``. Between them:

- the game: ``compiled``, ``relation_graph``, ``game``, ``curve``, ``solver`` (adaptive
  adversaries), ``fixed`` (streams chosen beforehand), ``joint`` (laws of whole transcripts);
- bounds where a limit stops the exact game: ``point_based``, ``revealed``, ``threshold``;
- ``checklist``: does a proof for streams chosen beforehand survive feedback (Checklist 1);
- ``hops`` (groups of k steps), ``suprema`` and ``envelope`` (least power functions against pointwise
  maxima);
- evidence: ``policy``, ``replay``, ``transcripts``, ``history``;
- ``limits``, ``progress``, ``examples`` (specs to try), ``schemas`` (JSON schemas).

The names below are loaded when they are first used, so that the command line starts at once. The
function that judges is ``powercert.certify.audit.audit``, the one that certifies
``powercert.certify.checklist.checklist``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .limits import Limits, Progress
    from .spec import AuditSpec, case_ids, load_example, load_spec
    from .spec_problems import SpecError
    from .verdict import AuditReport, Claim, ClaimResult, Judgement, ProfileBounds, Witness

__all__ = [
    "AuditReport",
    "AuditSpec",
    "Claim",
    "ClaimResult",
    "Judgement",
    "Limits",
    "ProfileBounds",
    "Progress",
    "SpecError",
    "Witness",
    "case_ids",
    "load_example",
    "load_spec",
]

_MODULES = {
    "AuditReport": "verdict",
    "AuditSpec": "spec",
    "Claim": "verdict",
    "ClaimResult": "verdict",
    "Judgement": "verdict",
    "Limits": "limits",
    "ProfileBounds": "verdict",
    "Progress": "limits",
    "SpecError": "spec_problems",
    "Witness": "verdict",
    "case_ids": "spec",
    "load_example": "spec",
    "load_spec": "spec",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names too, loaded or not."""
    return sorted({*globals(), *__all__})
