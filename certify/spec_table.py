"""From the data of a spec to its mechanism, relation and claims, with every problem at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from ..accounting.errors import InputError, LimitError
from ..accounting.numbers import Exact
from ..mechanisms.law import FiniteLaw
from ..mechanisms.neighbours import Relation
from ..mechanisms.table import JointLaws, LawsMechanism, TableMechanism
from .relation_graph import RelationGraph, unrolled
from .spec_claims import read_claims
from .spec_joint import check_joint, read_joint
from .spec_kernel import KernelTable, read_initial, read_kernel
from .spec_keys import lifted
from .spec_laws import law_table, read_laws
from .spec_problems import Problems, describe, is_list, is_table
from .spec_reach import Reach, reach
from .spec_reader import Kind
from .spec_relation import read_relation
from .spec_release import read_release, release_rows
from .spec_schema import check_frame
from .spec_values import Alphabet, Numbers, read_symbols
from .verdict import Claim

__all__ = ["SpecParts", "read_parts"]

Stream = tuple[Hashable, ...]
FileMechanism = TableMechanism | LawsMechanism | JointLaws
_MOST_TRIPLES_NOTED = 1_000_000


@dataclass(frozen=True)
class SpecParts:
    """What one spec file says."""

    mechanism: FileMechanism
    relation: Relation
    rounds: int
    inputs: tuple[str, ...]
    claim: Claim | tuple[Claim, ...] | None


def read_parts(
    data: Mapping[str, object],
    *,
    limit_rows: int,
    problems: Problems,
    kind: Kind = "json",
    parent: str = "",
) -> SpecParts:
    """Read the data of a spec file.

    Args:
        data: The top-level table, or one case of a file of cases.
        limit_rows: Most rows, and most histories and positions that are walked.
        problems: Collects problems, warnings and notes.
        kind: The syntax of the file, for messages.
        parent: The table that holds the case, "" where the file is one spec.

    Raises:
        SpecError: There is any problem; all of them are in it.
        LimitError: A limit was reached.
    """
    data = lifted(data, problems, kind=kind, parent=parent)
    _check_rows(data, limit_rows)
    return _Reader(data, check_frame(data, problems), limit_rows, problems).parts()


def _check_rows(data: Mapping[str, object], limit_rows: int) -> None:
    """Refuse too many rows or rounds before any of them is looked at."""
    neighbours = data.get("neighbours")
    arcs = neighbours.get("arcs") if is_table(neighbours) else None
    sizes = {
        "kernel": data.get("kernel"),
        "release": data.get("release"),
        "laws": data.get("laws"),
        "joint": data.get("joint"),
        "neighbours.arcs": arcs,
    }
    for where, value in sizes.items():
        rows = len(value) if is_list(value) or is_table(value) else 0
        if rows > limit_rows:
            raise LimitError(
                f"{rows} rows exceed --limit-rows {limit_rows}",
                where=where,
                expected="raise --limit-rows to read them",
            )
    rounds = data.get("rounds")
    if isinstance(rounds, int) and rounds > limit_rows:
        raise LimitError(
            f"{describe(rounds)} rounds exceed --limit-rows {limit_rows}",
            where="rounds",
            expected="raise --limit-rows to read them",
        )


def _law(weights: Mapping[str, Exact]) -> Mapping[Hashable, object]:
    """Return the same law with the key type that mechanisms take."""
    return dict[Hashable, object](weights.items())


class _Reader:
    """The parts of one spec while they are read."""

    def __init__(
        self,
        data: Mapping[str, object],
        good: frozenset[str],
        limit_rows: int,
        problems: Problems,
    ) -> None:
        self._data = data
        self._good = good
        self._limit = limit_rows
        self._problems = problems
        self._numbers = Numbers(problems, merge_unknown=True)
        if "symbols" in good:
            read_symbols(data["symbols"], self._numbers, problems)
        elif "symbols" in data:
            self._numbers.lose_all()
        rounds = data.get("rounds") if "rounds" in good else None
        self._rounds = rounds if isinstance(rounds, int) else None
        before = problems.count
        self._inputs = self._alphabet("input")
        self._outputs = self._alphabet("output")
        self._states = self._alphabet("state")
        self._bad_names = problems.count > before

    def parts(self) -> SpecParts:
        """Read everything that can be read, then raise all problems or return the parts."""
        relation = self._relation()
        claim = (
            read_claims(self._kept("claim", "claims"), self._numbers, self._problems)
            if self._good & {"claim", "claims"}
            else None
        )
        graph = None if relation is None else self._graph(relation)
        mechanism: FileMechanism | None = None
        if "kernel" in self._data:
            mechanism = self._table(graph)
        elif "laws" in self._good:
            mechanism = self._laws(graph)
        elif "joint" in self._good:
            mechanism = self._joint(graph)
        self._numbers.warn()
        self._problems.raise_if_any()
        assert mechanism is not None and relation is not None
        assert self._rounds is not None and self._inputs is not None
        return SpecParts(mechanism, relation, self._rounds, self._inputs.names, claim)

    def _kept(self, *keys: str) -> dict[str, object]:
        return {key: self._data[key] for key in keys if key in self._good}

    def _alphabet(self, kind: str) -> Alphabet | None:
        values = self._data.get(f"{kind}s") if f"{kind}s" in self._good else None
        if not is_list(values):
            return None
        return Alphabet.read(kind, values, f"{kind}s", self._problems)

    def _relation(self) -> Relation | None:
        if "neighbours" not in self._good or self._inputs is None or self._rounds is None:
            return None
        value = self._data["neighbours"]
        self._check_pairs(value, len(self._inputs.names))
        return read_relation(value, self._inputs, self._rounds, self._problems)

    def _check_pairs(self, value: object, inputs: int) -> None:
        """Refuse a named relation whose pairs of inputs alone are too many."""
        if is_table(value):
            data = value.get("data")
            if "name" not in value or "pairs" in value:
                return
            inputs = len(data) if is_list(data) else inputs
        if inputs * inputs > self._limit:
            raise LimitError(
                f"up to {inputs * inputs} pairs of inputs exceed --limit-rows {self._limit}",
                where="neighbours",
                expected="raise --limit-rows, or list the pairs as arcs",
            )

    def _graph(self, relation: Relation) -> RelationGraph | None:
        assert self._rounds is not None
        try:
            return unrolled(relation, self._rounds)
        except InputError as error:
            self._problems.add_error(
                InputError(
                    error.what, where="neighbours", found=error.found, expected=error.expected
                )
            )
            return None

    # --- the three forms ------------------------------------------------------------------------

    def _table(self, graph: RelationGraph | None) -> TableMechanism | None:
        states, inputs, outputs = self._states, self._inputs, self._outputs
        rows = self._data["kernel"]
        if states is None or inputs is None or outputs is None or self._rounds is None:
            return None
        problems = self._problems
        initial: dict[str, Exact] = {}
        if "initial" in self._good:
            initial = read_initial(self._data["initial"], states, self._numbers, problems)
        if "kernel" not in self._good or not is_list(rows):
            return None
        before = problems.count
        kernel = read_kernel(rows, self._rounds, (states, inputs, outputs), self._numbers, problems)
        self._warn_names(states, inputs, outputs)
        release: list[tuple[int, tuple[str, ...], str]] | None = None
        # A bad name or row leaves holes that are not the user's.
        if graph is not None and initial and not self._bad_names and problems.count == before:
            self._check_reach(kernel, initial, graph)
        if "release" in self._good:
            shown = read_release(self._data["release"], self._rounds, outputs, problems)
            if shown is None or graph is None:
                return None
            release = release_rows(shown, kernel, initial, graph, self._limit, problems)
        if problems.count:
            return None
        return TableMechanism(
            self._rounds,
            inputs.names,
            outputs.names,
            states.names,
            _law(initial),
            kernel.rows(),
            release,
        )

    def _check_reach(self, kernel: KernelTable, start: Iterable[str], graph: RelationGraph) -> None:
        """Demand rows wherever a legal pair can lead, and note where there are none elsewhere."""

        def after(number: int, state: str, item: object) -> list[str] | None:
            law = kernel.law(number, state, str(item))
            if law is None:
                return None
            return [following for _, following in law]

        found = reach(graph, list(start), after, limit=self._limit, what="(relation, state) pairs")
        for number, state, item in found.missing:
            rounds = sorted(given for given in kernel.rounds_of(str(item)) if given is not None)
            what = "no transition"
            if rounds and number not in rounds and None not in kernel.rounds_of(str(item)):
                legal = ", ".join(map(str, rounds[:5])) + (", ..." if len(rounds) > 5 else "")
                what += f": this input has rows in round {legal} only"
            self._problems.add(
                what,
                where=kernel.place(number, state, str(item)),
                expected="add its rows, or let the relation not use this input there",
            )
        if not found.missing:
            self._note_spare(kernel, list(start), found)

    def _note_spare(self, kernel: KernelTable, start: list[str], found: Reach[str]) -> None:
        """Note what lacks rows although the machine, but no neighbouring pair, could get there."""
        assert self._rounds is not None and self._inputs is not None and self._states is not None
        inputs = self._inputs.names
        if self._rounds * len(inputs) * len(self._states.names) > _MOST_TRIPLES_NOTED:
            return
        lacking: list[tuple[int, str, str]] = []
        here = set(start)
        partly = kernel.states_by_round()
        for number in range(1, self._rounds + 1):
            following: set[str] = set()
            candidates = here | partly.get(number, set()) | partly.get(None, set())
            for state in sorted(candidates):
                for item in inputs:
                    law = kernel.law(number, state, item)
                    if law is None:
                        lacking.append((number, state, item))
                    elif state in here:
                        following.update(target for _, target in law)
            here = following
        lacking = [triple for triple in lacking if triple not in found.used]
        if lacking:
            self._problems.note(
                f"{len(lacking)} (round, state, input) without rows, which no neighbouring pair "
                f"can reach; the first: {kernel.place(*lacking[0])}"
            )

    def _laws(self, graph: RelationGraph | None) -> LawsMechanism | None:
        if self._inputs is None or self._rounds is None or self._bad_outputs():
            return None
        rows, outputs = read_laws(
            self._data["laws"],
            self._rounds,
            self._inputs,
            self._outputs,
            self._numbers,
            self._problems,
        )
        self._warn_names(self._inputs, outputs)
        if graph is None or self._problems.count:
            return None
        table = law_table(rows, graph, self._limit, self._problems)
        if self._problems.count:
            return None
        laws: dict[tuple[int, Stream, Stream], FiniteLaw[Hashable] | Mapping[Hashable, object]] = {}
        for (number, given, seen), law in table.items():
            laws[number, given, seen] = _law(law)
        return LawsMechanism(self._rounds, self._inputs.names, laws)

    def _joint(self, graph: RelationGraph | None) -> JointLaws | None:
        if self._inputs is None or self._rounds is None or self._bad_outputs():
            return None
        laws, outputs = read_joint(
            self._data["joint"],
            self._rounds,
            self._inputs,
            self._outputs,
            self._numbers,
            self._problems,
        )
        self._warn_names(self._inputs, outputs)
        if graph is None or self._problems.count:
            return None
        check_joint(laws, graph, self._limit, self._problems)
        if self._problems.count:
            return None
        joint: dict[Stream, FiniteLaw[Stream] | Mapping[Stream, object]] = {}
        for stream, law in laws.items():
            joint[stream] = dict[Stream, object](law.items())
        return JointLaws(joint, inputs=self._inputs.names, partial=True)

    def _bad_outputs(self) -> bool:
        return "outputs" in self._data and self._outputs is None

    def _warn_names(self, *alphabets: Alphabet) -> None:
        """Warn of names that nothing uses, and of names in two spellings."""
        for alphabet in alphabets:
            alphabet.warn_mixed(self._data.get(f"{alphabet.kind}s"), self._problems)
            unused = alphabet.unused()
            # Where there are problems, not everything was read.
            if unused and not self._problems.count:
                listed = ", ".join(describe(name) for name in unused[:5])
                more = f" and {len(unused) - 5} more" if len(unused) > 5 else ""
                self._problems.warn(f"declared but never used: {alphabet.kind} {listed}{more}")
