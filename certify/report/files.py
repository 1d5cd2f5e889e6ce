"""Output that arrives whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TextIO, cast

from ...accounting.errors import InputError

__all__ = ["check_writable", "write_output", "write_whole_file"]


def write_output(text: str) -> None:
    """Write a finished report on stdout; a reader that has gone away is no error."""
    # Python leaves no stream at all where the descriptor is closed.
    if cast("TextIO | None", sys.stdout) is None:
        raise OSError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
    except OSError:
        _silence_stdout()
        raise


def _silence_stdout() -> None:
    """Send what is still buffered to nowhere, or Python would fail again while it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def check_writable(path: Path) -> None:
    """Refuse, before any work is done, a file that could not be written.

    Raises:
        InputError: The folder does not exist or is not writable, or the path is no plain file.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(
            "the folder of the output file does not exist",
            where=str(path),
            expected="create the folder first",
        )
    if path.exists() and not path.is_file():
        raise InputError(
            "the output path is not a plain file",
            where=str(path),
            expected="name a new or existing plain file",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError("the folder of the output file is not writable", where=str(path))


def write_whole_file(path: Path, text: str) -> None:
    """Write a file through a temporary one beside it, so that it is whole or absent.

    Raises:
        InputError: The file cannot be written.
    """
    check_writable(path)
    target = path.resolve()
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, _mode_of(target))
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise InputError(
            "the output file cannot be written", where=str(path), found=str(error.strerror)
        ) from error


def _mode_of(target: Path) -> int:
    """Return the permissions the file should have: its own, or what a new file would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
