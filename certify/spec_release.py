"""The release map of a spec: the kernel's outputs are a hidden core, views are what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..accounting.errors import InputError
from .history import join_history, view_text
from .relation_graph import RelationGraph
from .spec_kernel import KernelTable
from .spec_problems import Problems, describe, is_list
from .spec_reach import reach
from .spec_values import Alphabet, read_history, read_name

__all__ = ["ReleaseMap", "read_release", "release_rows"]

Cores = tuple[str, ...]


@dataclass(frozen=True)
class ReleaseMap:
    """What is seen after each history of cores.

    Args:
        views: History of cores (the newest last) to view.
        defaults: Round to the view of all histories of that length that are not in ``views``;
            round 0 stands for every round.

    Example:
        >>> ReleaseMap({("a",): "low"}, {2: "same"}).view(("a", "b"))
        'same'
    """

    views: Mapping[Cores, str]
    defaults: Mapping[int, str] = field(default_factory=dict[int, str])

    def view(self, cores: Cores) -> str | None:
        """Return the view after a history, or None if the map does not say."""
        if cores in self.views:
            return self.views[cores]
        return self.defaults.get(len(cores), self.defaults.get(0))


def read_release(
    value: object, rounds: int, outputs: Alphabet, problems: Problems
) -> ReleaseMap | None:
    """Read release rows; None if there are problems."""
    assert is_list(value)
    before = problems.count
    views: dict[Cores, str] = {}
    defaults: dict[int, str] = {}
    for index, row in enumerate(value):
        where = f"release[{index}]"
        if is_list(row) and len(row) == 4:
            problems.add(
                "a release map may read the cores only, not inputs or fresh randomness",
                where=where,
                found=describe(row),
                expected="put what depends on them into the kernel: release rows are "
                "[round, core history, view]",
            )
            continue
        if not is_list(row) or len(row) != 3:
            problems.add(
                "not a row",
                where=where,
                found=describe(row),
                expected="write [round, core history, view]",
            )
            continue
        _read_row((row[0], row[1], row[2]), where, rounds, outputs, (views, defaults), problems)
    return ReleaseMap(views, defaults) if problems.count == before else None


def _read_row(
    row: tuple[object, object, object],
    where: str,
    rounds: int,
    outputs: Alphabet,
    found: tuple[dict[Cores, str], dict[int, str]],
    problems: Problems,
) -> None:
    views, defaults = found
    number = 0 if row[0] == "*" else row[0]
    if type(number) is not int or not (number == 0 if row[0] == "*" else 1 <= number <= rounds):
        problems.add(
            "not a round",
            where=f"{where}.round",
            found=describe(row[0]),
            expected=f"write a whole number from 1 to {rounds}",
        )
        return
    try:
        view = read_name(row[2])
    except InputError as error:
        problems.add_error(error.located(f"{where}.view"))
        return
    if row[1] == "*":
        earlier, place = defaults.setdefault(number, view), f"round {row[0]}, every other history"
    else:
        cores = read_history(row[1], outputs, f"{where}.history", problems)
        if cores is None:
            return
        if not cores or len(cores) > rounds or (number and len(cores) != number):
            problems.add(
                f"a core history of round {row[0]} has that many cores",
                where=where,
                found=f"{len(cores)} cores",
                expected="list the cores of all rounds so far, this round's included",
            )
            return
        earlier, place = views.setdefault(cores, view), f"cores {join_history(cores)}"
    if earlier != view:
        problems.add(
            "a release map must be deterministic: two views for one history",
            where=f"{where} ({place})",
            found=f"{view_text(earlier)} and {view_text(view)}",
            expected="to model a randomised release, draw it in the kernel",
        )


def release_rows(
    release: ReleaseMap,
    kernel: KernelTable,
    start: Iterable[str],
    graph: RelationGraph,
    limit: int,
    problems: Problems,
) -> list[tuple[int, Cores, str]]:
    """Return the rows [round, core history, view] of every history that a legal pair can reach.

    A reachable history without a view is a problem.
    """
    reached: dict[Cores, str | None] = {}

    def after(number: int, state: tuple[str, Cores], item: object) -> list[tuple[str, Cores]]:
        found: list[tuple[str, Cores]] = []
        for core, following in kernel.law(number, state[0], str(item)) or {}:
            history = (*state[1], core)
            if history not in reached:
                reached[history] = release.view(history)
            if reached[history] is not None:
                found.append((following, history))
        return found

    first: list[tuple[str, Cores]] = [(state, ()) for state in start]
    reach(graph, first, after, limit=limit, what="histories of cores")
    lacking = [history for history, view in reached.items() if view is None]
    if lacking:
        cores = lacking[0]
        problems.add(
            f"no view for {len(lacking)} reachable histories of cores",
            where="release",
            found=f"the first: round {len(cores)}, cores {join_history(cores)}",
            expected="give each reachable history of cores one row",
        )
    unread = [history for history in release.views if history not in reached]
    if unread and not lacking:
        problems.note(
            f"release: {len(unread)} rows are for histories of cores that no neighbouring pair "
            f"can reach, the first: {join_history(unread[0])}"
        )
    return [(len(cores), cores, view) for cores, view in reached.items() if view is not None]
