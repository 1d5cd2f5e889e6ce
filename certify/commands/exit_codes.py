"""Exit codes of ``certify``, which a script can tell apart.

Several claims or cases give the most serious code: bad input (2) stops everything, then
violated (1), then undecided (3), then holds (0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = [
    "BAD_INPUT",
    "BROKEN",
    "HOLDS",
    "INTERRUPTED",
    "UNDECIDED",
    "VIOLATED",
    "exit_code",
    "worst_code",
]

HOLDS: Final = 0
VIOLATED: Final = 1
BAD_INPUT: Final = 2
UNDECIDED: Final = 3
BROKEN: Final = 70
INTERRUPTED: Final = 130

_OF_VERDICT: Mapping[str, int] = {
    "no-claim": HOLDS,
    "holds": HOLDS,
    "undecided": UNDECIDED,
    "violated": VIOLATED,
}
_SERIOUSNESS: Mapping[int, int] = {HOLDS: 0, UNDECIDED: 1, VIOLATED: 2, BAD_INPUT: 3}


def exit_code(verdict: str) -> int:
    """Return the exit code of one verdict.

    Example:
        >>> exit_code("undecided")
        3
    """
    return _OF_VERDICT[verdict]


def worst_code(codes: Iterable[int]) -> int:
    """Return the most serious of several exit codes; none at all is 0.

    Example:
        >>> worst_code([0, 3, 1])
        1
    """
    return max(codes, key=_SERIOUSNESS.__getitem__, default=HOLDS)
