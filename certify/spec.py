"""What is audited: the AuditSpec, and loading one from a file, a case or a Python name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..accounting.errors import InputError
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.neighbours import Relation, RelationFamily, relation_named
from ..mechanisms.table import JointLaws
from ..mechanisms.values import describe as describe_value
from ..mechanisms.values import require_value, same_kind
from .spec_problems import NumberText, Problems, SpecError, describe, is_list, is_table, nearest
from .spec_reader import DEFAULT_LIMIT_ROWS, Document, read_document
from .spec_schema import load_schema
from .spec_table import read_parts
from .verdict import Claim

__all__ = [
    "AuditSpec",
    "case_ids",
    "is_python_name",
    "load_example",
    "load_schema",
    "load_spec",
    "require_spec",
]

AnyMechanism = Mechanism[Any, Any, Any, Any]
_PYTHON_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class AuditSpec:
    """One thing to audit.

    Args:
        name: Its name in reports.
        mechanism: A Mechanism, or JointLaws (which may anticipate).
        relation: Which input streams are neighbours: a Relation over these inputs, a family such
            as ``hamming()``, or a family's name.
        horizon: Number of rounds T >= 1.
        inputs: The input alphabet, distinct hashable values.
        claim: The claim, several of them, or None for the profile only.
        warnings: What the user should hear before the result.
        notes: Remarks that change nothing.

    Raises:
        InputError: A field is of the wrong kind or empty, or the mechanism has fewer rounds.

    Example:
        >>> from powercert.mechanisms.table import TableMechanism
        >>> rows = [["*", "s", x, y, "s", "2/3" if x == y else "1/3"] for x in "01" for y in "01"]
        >>> table = TableMechanism(2, "01", "01", ["s"], {"s": 1}, rows)
        >>> spec = AuditSpec("flip", table, "hamming", 2, ("0", "1"), Claim.of(epsilon="ln(2)"))
        >>> spec.claims
        (Claim(exp_epsilon=Exact('2'), delta=Exact('0'), adversary='adaptive'),)
        >>> AuditSpec("flip", table, "hamming", 3, ("0", "1"), None)
        Traceback (most recent call last):
            ...
        powercert.accounting.errors.InputError: flip: horizon: more rounds than the mechanism has; \
found 3; write at most 2
    """

    name: str
    mechanism: AnyMechanism | JointLaws
    relation: Relation | RelationFamily | str
    horizon: int
    inputs: tuple[Hashable, ...]
    claim: Claim | tuple[Claim, ...] | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every field, since users build these by hand."""
        given: dict[str, object] = dict(vars(self))
        name = given["name"]
        if not isinstance(name, str) or not name:
            raise InputError("name is not a text", where="AuditSpec", found=describe_value(name))
        self._check_sequences(given["inputs"], given["claim"])
        self._check_mechanism(given["mechanism"], given["relation"])
        self._check_horizon(given["horizon"])

    def _fail(self, where: str, what: str, found: str, expected: str) -> InputError:
        return InputError(what, where=f"{self.name}: {where}", found=found, expected=expected)

    def _check_sequences(self, inputs: object, claim: object) -> None:
        if not isinstance(inputs, tuple | list):
            raise self._fail(
                "inputs", "not a tuple", describe_value(inputs), "write a tuple of inputs"
            )
        items = tuple(cast("tuple[Hashable, ...]", inputs))
        if not items:
            raise self._fail("inputs", "empty", "()", "name one input or more")
        seen: dict[Hashable, Hashable] = {}
        for item in items:
            require_value(item, "input", f"{self.name}: inputs")
            if item in seen:
                twice = same_kind(item, seen[item])
                raise self._fail(
                    "inputs",
                    "an input stands twice" if twice else "two inputs are equal but not alike",
                    describe_value(item) if twice else f"{seen[item]!r} and {item!r}",
                    "keep one of them",
                )
            seen[item] = item
        object.__setattr__(self, "inputs", items)
        if isinstance(claim, list):
            claim = tuple(cast("list[object]", claim))
        claims = cast("tuple[object, ...]", claim) if isinstance(claim, tuple) else (claim,)
        for one in claims:
            if not isinstance(one, Claim) and claim is not None:
                raise self._fail(
                    "claim", "not a Claim", describe_value(one), "write Claim.of(epsilon=..., ...)"
                )
        object.__setattr__(self, "claim", claim)

    def _check_mechanism(self, mechanism: object, relation: object) -> None:
        steps = (getattr(mechanism, "start", None), getattr(mechanism, "step", None))
        if isinstance(mechanism, type) or not (
            isinstance(mechanism, JointLaws) or all(map(callable, steps))
        ):
            hint = "give an object with start(coins) and step(state, item, coins), or JointLaws"
            if callable(getattr(mechanism, "over", None)):
                hint = "a relation comes after the mechanism"
            elif callable(getattr(mechanism, "build", None)):
                hint = "use .build(), or .build().collapsed() where it is a sparse vector"
            raise self._fail("mechanism", "not a mechanism", describe_value(mechanism), hint)
        if isinstance(relation, str):
            try:
                relation_named(relation)
            except InputError as error:
                raise error.located(self.name) from error
        known = isinstance(relation, str) or callable(getattr(relation, "over", None))
        if isinstance(relation, type) or not (known or callable(getattr(relation, "pairs", None))):
            raise self._fail(
                "relation",
                "not a neighbouring relation",
                describe_value(relation),
                'write a name such as "hamming", a family such as hops(hamming(), 2), or a Relation',
            )

    def _check_horizon(self, horizon: object) -> None:
        if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
            raise self._fail(
                "horizon", "not a number of rounds", describe_value(horizon), "write 1 or more"
            )
        rounds: object = getattr(self.mechanism, "rounds", None)
        if isinstance(rounds, int) and rounds < horizon:
            raise self._fail(
                "horizon",
                "more rounds than the mechanism has",
                str(horizon),
                f"write at most {rounds}",
            )
        if isinstance(self.mechanism, JointLaws) and rounds != horizon:
            raise self._fail(
                "horizon",
                "joint laws are laws of whole transcripts",
                str(horizon),
                f"write {rounds}",
            )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims as a tuple, empty if there is none."""
        if self.claim is None:
            return ()
        return self.claim if isinstance(self.claim, tuple) else (self.claim,)

    def neighbours(self) -> Relation:
        """Return the relation over this spec's inputs.

        Raises:
            InputError: The relation's name or its parameters are unknown.
        """
        relation = self.relation
        if isinstance(relation, str):
            relation = relation_named(relation, {})
        over = cast(
            "Callable[[tuple[Hashable, ...]], Relation] | None", getattr(relation, "over", None)
        )
        return over(self.inputs) if over is not None else cast("Relation", relation)


def require_spec(spec: object, function: str) -> None:
    """Check that what is to be judged is an AuditSpec.

    Raises:
        InputError: It is something else; the message says what to write.

    Example:
        >>> require_spec("tree.toml", "audit")
        Traceback (most recent call last):
            ...
        powercert.accounting.errors.InputError: audit: not an AuditSpec; found 'tree.toml' (str); \
write audit(load_spec('tree.toml'))
    """
    if isinstance(spec, AuditSpec):
        return
    kind = type(spec).__name__
    hint = f"write {function}(AuditSpec(name, mechanism, relation, horizon, inputs, claim))"
    if isinstance(spec, str | Path):
        hint = f"write {function}(load_spec({str(spec)!r}))"
    elif callable(getattr(spec, "step", None)):
        hint = f"write {function}(AuditSpec(name, that {kind}, relation, horizon, inputs, claim))"
    raise InputError("not an AuditSpec", where=function, found=describe_value(spec), expected=hint)


def is_python_name(source: Path | str) -> bool:
    """Return whether a source reads as ``package.module:name`` rather than as a file.

    Example:
        >>> is_python_name("my.module:spec"), is_python_name("my/spec.toml")
        (True, False)
    """
    return (
        isinstance(source, str)
        and _PYTHON_NAME.fullmatch(source) is not None
        and not Path(source).exists()
    )


def load_spec(
    source: Path | str,
    *,
    case: str | None = None,
    limit_rows: int = DEFAULT_LIMIT_ROWS,
    stdin: BinaryIO | None = None,
) -> AuditSpec:
    """Load one spec.

    Args:
        source: A TOML or JSON file, "-" for standard input, or ``package.module:name`` for an
            AuditSpec in Python (or a function without arguments that returns one).
        case: Which case, if the file is a collection of them (has the key ``cases``).
        limit_rows: Most rows that are read.
        stdin: Where "-" reads from; the process's standard input by default.

    Returns:
        The spec; its ``warnings`` and ``notes`` are for the user.

    Raises:
        SpecError: Anything is wrong with the file; all problems are in it.
        LimitError: The file is too large for ``limit_rows``.
        InputError: Anything is wrong with a Python name; the message says which step failed.
    """
    if is_python_name(source):
        from .python_entry import load_python

        if case is not None:
            raise InputError("a Python name has no cases", where=str(source), found=f"case {case}")
        return load_python(str(source))
    document = read_document(source, limit_rows=limit_rows, stdin=stdin)
    data, name, place = _chosen(document, case)
    problems = Problems(place)
    parts = read_parts(
        data,
        limit_rows=limit_rows,
        problems=problems,
        kind=document.kind,
        parent="cases" if "cases" in document.data else "",
    )
    return AuditSpec(
        name,
        parts.mechanism,
        parts.relation,
        parts.rounds,
        parts.inputs,
        parts.claim,
        warnings=tuple(problems.warnings),
        notes=tuple(problems.notes),
    )


def load_example(name: str) -> AuditSpec:
    """Load one of the specs that come with the package.

    Raises:
        InputError: There is no such example.

    Example:
        >>> load_example("two-round-counterexample").horizon
        2
    """
    from .examples import example_path

    return load_spec(example_path(name))


def case_ids(
    source: Path | str,
    *,
    limit_rows: int = DEFAULT_LIMIT_ROWS,
    stdin: BinaryIO | None = None,
) -> tuple[str, ...]:
    """Return the ids of the cases in a file, empty if it holds one spec only.

    Raises:
        SpecError: The file cannot be read, or its cases have no distinct ids.
        LimitError: The file is too large for ``limit_rows``.
    """
    if is_python_name(source):
        return ()
    document = read_document(source, limit_rows=limit_rows, stdin=stdin)
    return tuple(_cases(document)) if "cases" in document.data else ()


def _chosen(document: Document, case: str | None) -> tuple[dict[str, object], str, str]:
    """Return the data of one spec, its name, and where it stands."""
    if "cases" not in document.data:
        name = _name_of(document.data) or Path(document.name).stem
        if case is not None and case not in (name, document.data.get("id")):
            raise SpecError(
                "this file holds one spec, not cases",
                where=document.name,
                found=f"case {describe(case)}",
                expected="leave the case out",
            )
        return document.data, name, document.name
    cases = _cases(document)
    if case is None:
        raise SpecError(
            f"the file holds {len(cases)} cases",
            where=document.name,
            found=_first_ids(cases),
            expected="say which one: --case ID",
        )
    if case not in cases:
        close = nearest(case, cases)
        first = f"the ids are {_first_ids(cases)}; --list-cases lists all"
        hint = "did you mean " + " or ".join(close) + "?" if close else first
        raise SpecError(
            f"no such case among {len(cases)}",
            where=document.name,
            found=describe(case),
            expected=hint,
        )
    data = cases[case]
    return data, _name_of(data) or case, f"{document.name}: case {case}"


def _first_ids(cases: Collection[str]) -> str:
    return ", ".join(list(cases)[:3]) + (", ..." if len(cases) > 3 else "")


def _name_of(data: dict[str, object]) -> str:
    for key in ("name", "id"):
        value = data.get(key)
        if isinstance(value, str) and not isinstance(value, NumberText) and value:
            return value
    return ""


def _cases(document: Document) -> dict[str, dict[str, object]]:
    """Return the cases of a collection by id."""
    listed = document.data["cases"]
    problems = Problems(document.name)
    found: dict[str, dict[str, object]] = {}
    if not is_list(listed) or not listed:
        problems.add(
            "cases is not a list of cases" if not is_list(listed) else "cases is empty",
            where="cases",
            found=describe(listed),
        )
        listed = []
    for index, case in enumerate(listed):
        where = f"cases[{index}]"
        if not is_table(case):
            problems.add("not a table", where=where, found=describe(case))
            continue
        key = case.get("id")
        if not isinstance(key, str) or not key:
            problems.add('key "id" is missing', where=where, expected="give each case an id")
        elif key in found:
            problems.add("an id stands twice", where=where, found=describe(key))
        else:
            found[key] = case
    problems.raise_if_any()
    return found
