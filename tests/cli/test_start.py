"""Help and version answer at once; the self test knows right from wrong."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from powercert.certify import self_checks

Run = Callable[..., Any]

HEAVY = ("numpy", "scipy", "sympy", "matplotlib", "flint", "rich", "jsonschema", "mpmath")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["audit", "--help"]])
def test_help_imports_nothing_heavy(words: Sequence[str]) -> None:
    source = str(Path(__file__).resolve().parents[2] / ".namespace")
    program = (
        f"import sys; sys.path.insert(0, {source!r})\n"
        "from powercert.certify.cli import main\n"
        f"code = main({words!r})\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
        "sys.exit(code)\n"
    )
    started = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "certify" in run.stdout
    # Generous, for a loaded machine; it takes a tenth of a second on an idle one.
    assert time.monotonic() - started < 10


def test_an_audit_of_rational_numbers_imports_no_second_opinion() -> None:
    program = (
        "import sys\n"
        "from powercert.certify.cli import main\n"
        "code = main(['audit', '--example', 'two-round-counterexample'])\n"
        "heavy = ('numpy', 'scipy', 'sympy', 'matplotlib', 'mpmath')\n"
        "assert not [name for name in heavy if name in sys.modules]\n"
        "sys.exit(code)\n"
    )
    source = str(Path(__file__).resolve().parents[2] / ".namespace")
    run = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": source},
    )
    assert run.returncode == 1, run.stderr


def test_solving_a_rational_game_needs_no_python_flint() -> None:
    program = (
        "import sys\n"
        "from powercert.certify.audit import audit\n"
        "from powercert.certify.spec import load_example\n"
        "assert audit(load_example('two-round-counterexample')).verdict == 'violated'\n"
        "assert 'flint' not in sys.modules\n"
    )
    source = str(Path(__file__).resolve().parents[2] / ".namespace")
    run = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": source},
    )
    assert run.returncode == 0, run.stderr


def test_the_help_of_every_command_names_its_options(certify: Run) -> None:
    listed = certify("--help")
    assert listed.code == 0
    for command in ("audit", "pair", "selftest"):
        assert command in listed.out
        ran = certify(command, "--help")
        assert ran.code == 0
        assert "--format" in ran.out


def test_the_self_test_passes_with_one_line_for_each_check(certify: Run) -> None:
    ran = certify("selftest")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert all(line.startswith("ok ") for line in lines[:-1])
    assert lines[-1] == f"{len(lines) - 1} of {len(lines) - 1} checks passed"


def test_the_self_test_fails_when_one_truth_is_missed(
    certify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ("two is two", "2", lambda: "2")
    broken = ("two is three", "3", lambda: "2")
    raising = ("this works", "1", lambda: str(1 / 0))
    monkeypatch.setattr(self_checks, "_CHECKS", (right, broken, raising))
    ran = certify("selftest")
    assert ran.code == 1
    assert "FAILED  two is three: found 2" in ran.out
    assert "FAILED  this works: found ZeroDivisionError" in ran.out
    assert "1 of 3 checks passed" in ran.out
    document = json.loads(certify("selftest", "--format", "json").out)
    assert document["passed"] is False
