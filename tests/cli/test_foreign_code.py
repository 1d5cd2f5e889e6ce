"""Mechanisms that are somebody's Python: endless, printing, or with a hash that lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

MODULE = """
from powercert.certify import AuditSpec, Claim
from powercert.mechanisms import FiniteLaw, Step

LAW = FiniteLaw.of({True: "3/4", False: "1/4"})


class Endless:
    def start(self, coins):
        return ()

    def step(self, state, item, coins):
        while True:
            pass


class Wide(Endless):
    def step(self, state, item, coins):
        seen = 0
        for _ in range(18):
            seen = 2 * seen + coins.draw(LAW)
        return Step(seen, 0)


class Printing(Endless):
    def step(self, state, item, coins):
        print("HELLO")
        return Step(state, item if coins.draw(LAW) else 1 - item)


class Lying:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Lying) and self.value == other.value

    def __hash__(self):
        return id(self)


class BadHash(Endless):
    def step(self, state, item, coins):
        return Step(state, Lying(item if coins.draw(LAW) else 1 - item))


def spec(mechanism):
    return AuditSpec("m", mechanism(), "hamming", 2, (0, 1), Claim.of(epsilon="ln(3)"))


endless, wide, printing, bad_hash = map(spec, (Endless, Wide, Printing, BadHash))


def factory():
    while True:
        pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def certify(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "powercert.certify", "audit", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", ["endless", "wide", "factory"])
def test_endless_code_is_stopped_at_the_time_limit(folder: Path, name: str) -> None:
    start = time.monotonic()
    done = certify(folder, f"mine:{name}", "--limit-seconds", "0.5")
    assert done.returncode == 3
    assert done.stdout == ""
    assert "time limit reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert time.monotonic() - start < 30


def test_what_a_mechanism_prints_is_not_in_the_report(folder: Path) -> None:
    done = certify(folder, "mine:printing", "--format", "json")
    assert json.loads(done.stdout)["verdict"] == "holds"
    assert "HELLO" in done.stderr


def test_a_hash_that_contradicts_equality_is_refused(folder: Path) -> None:
    done = certify(folder, "mine:bad_hash")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "different hashes" in done.stderr


def test_closed_output_is_not_called_a_fault(folder: Path) -> None:
    command = f'"{sys.executable}" -m powercert.certify audit mine:printing >&-'
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 70
    assert "standard output is closed" in done.stderr
    assert "fault of powercert" not in done.stderr
