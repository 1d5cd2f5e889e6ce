"""Specs in Python: one message for each way that ``package.module:name`` can fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from powercert.accounting.errors import InputError, LimitError
from powercert.certify.spec import case_ids, is_python_name, load_spec

GOOD = """
    from powercert.certify.spec import AuditSpec
    from powercert.certify.verdict import Claim
    from powercert.mechanisms.table import TableMechanism

    def make(low="1/3", name="flip", horizon=2, inputs=("0", "1")):
        rows = [["*", "s", x, y, "s", low if x != y else "2/3"] for x in "01" for y in "01"]
        table = TableMechanism(2, "01", "01", ["s"], {"s": 1}, rows)
        return AuditSpec(name, table, "hamming", horizon, inputs, Claim.of(epsilon="ln(2)"))

    spec = make()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, and forget what was imported from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if not name.startswith("powercert"):
            del sys.modules[name]


def write(text: str, name: str = "audited.py") -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))


def refusal(source: str) -> str:
    with pytest.raises(InputError) as caught:
        load_spec(source)
    return str(caught.value)


def test_a_spec_and_a_function_that_returns_one() -> None:
    write(GOOD)
    assert load_spec("audited:spec").name == "flip"
    assert load_spec("audited:make").horizon == 2


def test_a_module_in_a_package_and_a_dotted_name() -> None:
    write(GOOD + "\n    class Box:\n        inner = spec\n", "folder/inner.py")
    assert load_spec("folder.inner:Box.inner").name == "flip"


def test_a_file_of_that_name_wins() -> None:
    assert is_python_name("audited:spec")
    write("", "audited:spec")
    assert not is_python_name("audited:spec")
    assert not is_python_name("C:\\audited.toml")


def test_no_cases_in_python() -> None:
    write(GOOD)
    assert case_ids("audited:spec") == ()
    with pytest.raises(InputError, match="a Python name has no cases"):
        load_spec("audited:spec", case="x")


def test_no_such_module() -> None:
    write(GOOD)
    assert "there is no module auditd; did you mean audited?" in refusal("auditd:spec")
    assert "there is no module nowhere.at_all" in refusal("nowhere.at_all:spec") or (
        "there is no module nowhere" in refusal("nowhere.at_all:spec")
    )
    assert "there is no module audited.inner" in refusal("audited.inner:spec")


def test_a_dependency_that_is_missing() -> None:
    write("import math\nimport not_installed_anywhere\n")
    text = refusal("audited:spec")
    assert "module audited needs not_installed_anywhere, which is not installed" in text
    assert "audited.py, line 2" in text


def test_an_import_that_fails() -> None:
    write("from math import no_such_function\n")
    assert "an import inside audited failed" in refusal("audited:spec")


@pytest.mark.parametrize(
    ("text", "line"), [("x = (\n", 1), ('y = 1\nprint "hello"\n', 2), ("def f():\nx = 1\n", 2)]
)
def test_a_syntax_error(text: str, line: int) -> None:
    write(text)
    found = refusal("audited:spec")
    assert "not valid Python 3" in found
    assert f"audited.py, line {line}" in found


def test_a_module_that_raises() -> None:
    write("x = 1\ny = x / 0\n")
    text = refusal("audited:spec")
    assert "audited.py, line 2: importing it raised ZeroDivisionError" in text


def test_a_module_that_exits() -> None:
    write("import sys\nsys.exit(0)\n")
    assert "it ended the program while importing it: exit(0)" in refusal("audited:spec")


def test_a_wrong_name() -> None:
    write(GOOD)
    assert "audited has no name 'spce'; did you mean spec?" in refusal("audited:spce")
    assert "it has make, spec" in refusal("audited:qqqqqq")
    assert "has no name 'part'" in refusal("audited:spec.part")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("lambda: None", "it returned None, not an AuditSpec; end the function with return"),
        ("lambda: [1]", "it returned a list, not an AuditSpec; found [1] (list)"),
        ("lambda: (x for x in 'a')", "it returned a generator, not an AuditSpec"),
        ("lambda: 0.5", "it returned a float, not an AuditSpec"),
        ("lambda: make", "it returned a function, not an AuditSpec"),
        ("17", "it is an int, not an AuditSpec"),
        ("None", "it is None, not an AuditSpec"),
        ("AuditSpec", "it cannot be called without arguments; found missing a required argument"),
        ("lambda x: spec", "it cannot be called without arguments; found missing"),
    ],
)
def test_a_wrong_kind_of_value(value: str, what: str) -> None:
    write(GOOD + f"\n    wrong = {value}\n")
    assert what in refusal("audited:wrong")


def test_a_coroutine_is_no_spec() -> None:
    write(GOOD + "\n    async def wrong():\n        return spec\n")
    assert "it returned a coroutine, not an AuditSpec" in refusal("audited:wrong")


def test_an_exception_inside_names_the_users_line() -> None:
    write(GOOD + "\n    def wrong():\n        return {}['key']\n")
    text = refusal("audited:wrong")
    assert "audited.py, line 14: calling it raised KeyError: 'key'" in text


def test_errors_of_the_library_keep_their_message() -> None:
    write(GOOD + "\n    def wrong():\n        return make(low='1/4')\n")
    text = refusal("audited:wrong")
    assert text.startswith("audited:wrong: state s, input 0")
    assert "11/12" in text


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ("name=''", "name is not a text"),
        ("name=None", "name is not a text"),
        ("horizon=0", "flip: horizon: not a number of rounds; found 0"),
        ("horizon=True", "flip: horizon: not a number of rounds; found True"),
        ("horizon=2.0", "flip: horizon: not a number of rounds; found 2.0"),
        ("horizon=3", "flip: horizon: more rounds than the mechanism has"),
        ("inputs=()", "flip: inputs: empty"),
        ("inputs=('0', '0')", "flip: inputs: an input stands twice"),
        ("inputs=(1, True)", "flip: inputs: two inputs are equal but not alike"),
        ("inputs=(['0'],)", "the input is not hashable"),
        ("inputs='01'", "flip: inputs: not a tuple"),
    ],
)
def test_fields_of_the_wrong_kind(arguments: str, what: str) -> None:
    write(GOOD + f"\n    def wrong():\n        return make({arguments})\n")
    assert what in refusal("audited:wrong")


def test_a_mechanism_a_relation_and_a_claim_of_the_wrong_kind() -> None:
    write(
        GOOD
        + """
    def mechanism():
        return AuditSpec("m", TableMechanism, "hamming", 2, ("0", "1"), None)

    def relation():
        return AuditSpec("m", spec.mechanism, 3, 2, ("0", "1"), None)

    def claim():
        return AuditSpec("m", spec.mechanism, "hamming", 2, ("0", "1"), "ln(2)")

    def unknown():
        return AuditSpec("m", spec.mechanism, "haming", 2, ("0", "1"), None)
    """
    )
    assert "m: mechanism: not a mechanism" in refusal("audited:mechanism")
    assert "m: relation: not a neighbouring relation; found 3 (int)" in refusal("audited:relation")
    assert "m: claim: not a Claim; found 'ln(2)' (str)" in refusal("audited:claim")
    assert "did you mean 'hamming'" in refusal("audited:unknown")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("make(low='1/3') if next(count) % 2 else make(name='other')", "name 'flip', then 'other'"),
        ("make(inputs=('0', '1') if next(count) % 2 else ('1', '0'))", "inputs"),
        ("shifted(next(count))", "the law of the view in state 's' after input '0'"),
        ("moved(next(count))", "the law of the next state in state (1, 's') after input '0'"),
        ("joint(next(count))", "the joint law of stream ('0',)"),
        ("related(next(count))", "the relation"),
    ],
)
def test_two_calls_that_differ(change: str, what: str) -> None:
    write(
        GOOD
        + f"""
    from dataclasses import replace
    from itertools import count as counter
    from powercert.mechanisms.neighbours import participations
    from powercert.mechanisms.table import JointLaws
    count = counter(1)

    def table(rows):
        return replace(spec, mechanism=TableMechanism(2, "01", "ab", "st", {{"s": 1}}, rows))

    def shifted(n):
        rows = [["*", "s", x, "a", "s", f"1/{{n + 1}}"] for x in "01"]
        return table(rows + [["*", "s", x, "b", "s", f"{{n}}/{{n + 1}}"] for x in "01"])

    def moved(n):
        rows = [[1, "s", x, "a", "s", f"1/{{n + 1}}"] for x in "01"]
        return table(rows + [[1, "s", x, "a", "t", f"{{n}}/{{n + 1}}"] for x in "01"])

    def joint(n):
        laws = {{(x,): {{("a",): f"1/{{n + 1}}", ("b",): f"{{n}}/{{n + 1}}"}} for x in "01"}}
        return replace(spec, mechanism=JointLaws(laws), horizon=1)

    def related(n):
        return replace(spec, relation=participations(2, min_separation=n))

    def changing():
        return {change}
    """
    )
    text = refusal("audited:changing")
    assert "not deterministic: two calls gave different specs" in text
    assert what in text


def test_memory_and_interrupts() -> None:
    write("def memory():\n    raise MemoryError\n\ndef stop():\n    raise KeyboardInterrupt\n")
    with pytest.raises(LimitError, match="out of memory while calling it"):
        load_spec("audited:memory")
    with pytest.raises(KeyboardInterrupt):
        load_spec("audited:stop")


def test_what_the_module_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "print('loading')\n" + dedent(GOOD) + "\ndef loud():\n    print('loud')\n    return spec\n"
    )
    load_spec("audited:loud")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "loading" in captured.err and "loud" in captured.err
