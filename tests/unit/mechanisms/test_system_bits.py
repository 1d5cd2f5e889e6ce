"""System randomness read in batches: no word is handed out twice."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from powercert.accounting.errors import InputError
from powercert.mechanisms import SystemBits

ROOT = Path(__file__).parents[3]


class Numbered:
    """Stands for the system: its words are 1, 2, 3, ..., so each can be recognised."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.sizes: list[int] = []

    def __call__(self, size: int) -> bytes:
        self.sizes.append(size)
        words = [next(self.numbers) for _ in range(size // 8)]
        return b"".join(word.to_bytes(8, sys.byteorder) for word in words)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Numbered:
    numbered = Numbered()
    monkeypatch.setattr(os, "urandom", numbered)
    return numbered


def test_the_system_is_asked_once_for_64_requests(system: Numbered) -> None:
    source = SystemBits()
    assert system.sizes == []  # not before the first request
    drawn = [source.bits(64) for _ in range(64)]
    assert system.sizes == [512]
    assert sorted(drawn) == list(range(1, 65))
    source.bits(1)
    assert system.sizes == [512, 512]


def test_each_request_takes_the_high_bits_of_a_word_of_its_own(system: Numbered) -> None:
    source = SystemBits()
    words = list(range(64, 0, -1))
    assert source.bits(64) == words[0]
    assert source.bits(60) == words[1] >> 4
    assert source.bits(1) == 0
    assert source.bits(0) == 0
    assert source.bits(64) == words[4]


def test_requests_beyond_a_word_are_not_kept(system: Numbered) -> None:
    source = SystemBits()
    assert source.bits(65) < 2**65
    assert source.bits(4096) < 2**4096
    assert system.sizes == [9, 512]
    source.bits(8)
    assert system.sizes == [9, 512, 512]


@pytest.mark.parametrize("count", [-1, -64, 100.5])
def test_a_width_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(InputError, match="the number of bits is not an integer >= 0"):
        SystemBits().bits(count)


def pickled(source: SystemBits) -> SystemBits:
    other: SystemBits = pickle.loads(pickle.dumps(source))
    return other


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, pickled],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_start_empty(copied: Callable[[SystemBits], SystemBits], system: Numbered) -> None:
    source = SystemBits()
    source.bits(64)
    other = copied(source)
    drawn = [one.bits(64) for _ in range(100) for one in (source, other)]
    assert len(set(drawn)) == 200


def test_words_read_ahead_are_not_written_into_a_pickle(system: Numbered) -> None:
    source = SystemBits()
    source.bits(64)
    assert pickle.dumps(source) == pickle.dumps(SystemBits())


def test_a_copy_reads_words_of_its_own(system: Numbered) -> None:
    source = SystemBits()
    source.bits(64)
    copy.copy(source).bits(64)
    assert system.sizes == [512, 512]


def test_a_copy_of_what_holds_a_source_starts_empty(system: Numbered) -> None:
    holder = {"entropy": SystemBits()}
    holder["entropy"].bits(64)
    other = copy.deepcopy(holder)
    drawn = [one["entropy"].bits(64) for _ in range(100) for one in (holder, other)]
    assert len(set(drawn)) == 200


def test_a_draw_in_the_middle_of_a_read_gets_words_of_its_own(
    system: Numbered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal handler or another thread may draw while the system is being read."""
    source = SystemBits()
    drawn: list[int] = []

    def interrupted(size: int) -> bytes:
        words = system(size)
        if len(system.sizes) == 1:  # the first read alone is interrupted
            drawn.extend(source.bits(64) for _ in range(70))
        return words

    monkeypatch.setattr(os, "urandom", interrupted)
    drawn.extend(source.bits(64) for _ in range(200))
    assert len(set(drawn)) == 270


def test_words_read_while_the_process_forks_are_dropped(
    system: Numbered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork between the read and its use: parent and child both hold the words read."""
    source = SystemBits()

    def forked(size: int) -> bytes:
        words = system(size)
        if len(system.sizes) == 1:
            monkeypatch.setattr(os, "getpid", lambda: 999_999_999)
        return words

    monkeypatch.setattr(os, "urandom", forked)
    drawn = {source.bits(64) for _ in range(10)}
    assert not drawn & set(range(1, 65))


def test_threads_never_share_a_word(system: Numbered) -> None:
    source = SystemBits()
    start = threading.Barrier(4)
    drawn: list[list[int]] = [[] for _ in range(4)]

    def draw(mine: list[int]) -> None:
        start.wait()
        mine.extend(source.bits(64) for _ in range(4_000))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=draw, args=(mine,)) for mine in drawn]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len({word for mine in drawn for word in mine}) == 16_000


def test_threads_that_read_the_system_at_once_get_different_words(
    system: Numbered, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SystemBits()
    both = threading.Barrier(2)
    drawn: list[list[int]] = [[], []]

    def together(size: int) -> bytes:
        words = system(size)
        if len(system.sizes) <= 2:
            both.wait()
        return words

    def draw(mine: list[int]) -> None:
        mine.extend(source.bits(64) for _ in range(200))

    monkeypatch.setattr(os, "urandom", together)
    threads = [threading.Thread(target=draw, args=(mine,)) for mine in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({word for mine in drawn for word in mine}) == 400


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_signal_handlers_never_share_a_word(system: Numbered) -> None:
    source = SystemBits()
    drawn: list[int] = []

    def handler(number: int, frame: object) -> None:
        drawn.append(source.bits(64))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    try:
        mine = [source.bits(64) for _ in range(20_000)]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len({*mine, *drawn}) == len(mine) + len(drawn)


# Forks with words read ahead. GUARDS names the protections that are left on: the fork hook of
# Python ("hook"), the process number ("number"). Children inherit the switched-off ones.
FORKING = """
import os, sys
from powercert.mechanisms import SystemBits, randomness

guards = sys.argv[1].split("+")
if "number" not in guards:
    os.getpid = lambda: 1
source = SystemBits()
source.bits(64)
process = randomness._Process
before = process.current


def draw():
    return [source.bits(64) for _ in range(100)]


def child_of(work):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if "hook" not in guards:
            process.current = before
        os.write(writer, " ".join(map(str, work())).encode())
        os._exit(0)
    os.close(writer)
    drawn = b""
    while part := os.read(reader, 65536):
        drawn += part
    os.waitpid(child, 0)
    return [int(word) for word in drawn.split()]


def child_and_grandchild():
    # The child does not draw itself, so it still holds what its parent had read.
    return child_of(draw) + draw()


words = child_of(child_and_grandchild) + draw() + child_of(draw) + draw()
print(len(words), len(set(words)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("guards", ["hook+number", "hook", "number"])
def test_parents_children_and_grandchildren_never_share_a_word(guards: str) -> None:
    # 64-bit words: two of 500 agree by chance with probability below 10^-14.
    assert forking(guards) == (500, 500)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_without_both_guards_the_fork_test_fails() -> None:
    count, different = forking("none")
    assert (count, different < 400) == (500, True)


def forking(guards: str) -> tuple[int, int]:
    done = subprocess.run(
        [sys.executable, "-c", FORKING, guards],
        env={**os.environ, "PYTHONPATH": str(ROOT / ".namespace")},
        capture_output=True,
        text=True,
        check=True,
    )
    count, different = done.stdout.split()
    return int(count), int(different)
