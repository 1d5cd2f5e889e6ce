"""Spec files that come with the package, to try ``certify audit --example NAME`` on."""

from __future__ import annotations

from pathlib import Path

from ...accounting.errors import InputError

__all__ = ["example_names", "example_path"]

_FOLDER = Path(__file__).resolve().parent


def example_names() -> tuple[str, ...]:
    """Return the names of the shipped specs.

    Example:
        >>> "two-round-counterexample" in example_names()
        True
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def example_path(name: str) -> Path:
    """Return the file of one shipped spec.

    Raises:
        InputError: There is no such example.

    Example:
        >>> example_path("two-round-counterexample").name
        'two-round-counterexample.toml'
    """
    if name not in example_names():
        raise InputError(
            "unknown example",
            where="--example",
            found=repr(name),
            expected="write one of " + ", ".join(example_names()),
        )
    return _FOLDER / f"{name}.toml"
