"""Running the command line inside the test's own process, and beside it."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from powercert.certify.cli import main

SOURCE = Path(__file__).resolve().parents[2] / ".namespace"


@dataclass(frozen=True)
class Ran:
    """What one run of certify left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def error_document(self) -> Any:
        return json.loads(self.err)


@pytest.fixture
def certify(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """Run certify in this process; ``stdin`` is the text of standard input."""

    def run(*words: object, stdin: str = "") -> Ran:
        reader = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", reader)
        capfd.readouterr()
        code = main([str(word) for word in words])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def start_certify(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start certify as a process of its own, in an empty folder."""

    def start(*words: str, **keywords: Any) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "PYTHONWARNINGS": "error",
        }
        settings: dict[str, Any] = {
            "cwd": tmp_path,
            "env": environment,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            # A shell that runs the tests in the background has its children ignore Ctrl-C.
            "preexec_fn": _heed_interrupts,
            **keywords,
        }
        return subprocess.Popen([sys.executable, "-m", "powercert.certify", *words], **settings)

    return start


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _flip(claim: str, *, rounds: int = 1, name: str = "flip", more: str = "") -> str:
    return f"""
name = "{name}"
rounds = {rounds}
inputs = ["0", "1"]
outputs = ["0", "1"]
states = ["s"]
initial = {{ s = "1" }}
neighbours = "hamming"
kernel = [
    ["*", "s", "0", "0", "s", "3/4"],
    ["*", "s", "0", "1", "s", "1/4"],
    ["*", "s", "1", "0", "s", "1/4"],
    ["*", "s", "1", "1", "s", "3/4"],
]
{more}
{claim}
"""


@pytest.fixture
def flip() -> Callable[..., str]:
    """Return the spec of randomised response with e^eps = 3, with a claim."""
    return _flip


@pytest.fixture
def flip_file(tmp_path: Path) -> Callable[..., Path]:
    """Write that spec to a file."""

    def write(claim: str = "", **keywords: Any) -> Path:
        path = tmp_path / "flip.toml"
        path.write_text(_flip(claim, **keywords), encoding="utf-8")
        return path

    return write
