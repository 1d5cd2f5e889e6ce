"""What a limit left undecided, and the option that raises it."""

from __future__ import annotations

from ..verdict import AuditReport

__all__ = ["advice_lines", "reached_limits"]


def reached_limits(report: AuditReport) -> tuple[str, ...]:
    """Return the names of the limits that were reached, such as "nodes"."""
    names = report.limits.get("reached")
    return tuple(names.split(", ")) if isinstance(names, str) and names else ()


def advice_lines(report: AuditReport) -> list[str]:
    """Name the options worth raising; no line where no limit was reached."""
    reached = reached_limits(report)
    if not reached:
        return []
    options = ", ".join(f"--limit-{name} (now {report.limits.get(name)})" for name in reached)
    what = "a limit was" if len(reached) == 1 else "limits were"
    return [
        f"Not exact everywhere, because {what} reached: {options}.",
        "Intervals above are certified; raise it for narrower ones.".replace(
            "raise it", "raise it" if len(reached) == 1 else "raise them"
        ),
    ]
