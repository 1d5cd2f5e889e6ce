"""Progress of a long audit, on stderr and only where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["StderrProgress", "progress_on_stderr"]


class StderrProgress:
    """The ``Progress`` that an audit reports to: one line per stage, drawn by rich."""

    def __init__(self, bars: RichProgress) -> None:
        """Draw on the given bars."""
        self._bars = bars
        self._stages: dict[str, TaskID] = {}

    def update(self, stage: str, done: int, total: int | None) -> None:
        """Show that ``done`` of ``total`` units of ``stage`` are finished."""
        task = self._stages.get(stage)
        if task is None:
            task = self._stages[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(task, completed=done, total=total)


@contextmanager
def progress_on_stderr(wanted: bool | None) -> Generator[StderrProgress | None]:
    """Yield a progress display, or None where nobody would see it.

    Args:
        wanted: True or False if the user said so; None means only if stderr is a terminal.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield StderrProgress(bars)
