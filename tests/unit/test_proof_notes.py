"""Every docstring with a Guarantee line has a proof note that names it, and notes name real code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("accounting", "mechanisms", "certify")
NOTES = sorted(path for path in (ROOT / "docs" / "proofs").glob("*.md") if path.name != "README.md")
PARTS = ("Needs", "Gives", "Rounds", "Proof", "Sources")


def documented(node: ast.AST, name: str) -> dict[str, str]:
    """Dotted name -> docstring of a module and everything defined in it."""
    found: dict[str, str] = {}
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        found[name] = ast.get_docstring(node) or ""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            found |= documented(child, f"{name}.{child.name}")
    return found


def all_docstrings() -> dict[str, str]:
    found: dict[str, str] = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            module = module.removesuffix(".__init__")
            found |= documented(ast.parse(path.read_text(encoding="utf-8")), module)
    return found


DOCSTRINGS = all_docstrings()
GUARANTEED = sorted(name for name, text in DOCSTRINGS.items() if "Guarantee:" in text)
NAMED = {
    name: path.name
    for path in NOTES
    for name in re.findall(
        r"`((?:accounting|mechanisms|certify)\.[\w.]+)`", path.read_text("utf-8")
    )
}


def test_there_are_guarantees_to_look_at() -> None:
    assert len(GUARANTEED) > 20


@pytest.mark.parametrize("name", GUARANTEED)
def test_a_guarantee_has_a_note(name: str) -> None:
    assert name in NAMED, f"no note in docs/proofs names `{name}`"


@pytest.mark.parametrize("name", sorted(NAMED))
def test_a_note_names_code_that_exists(name: str) -> None:
    assert name in DOCSTRINGS, f"{NAMED[name]} names {name}, which does not exist"


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_a_note_has_the_fixed_shape(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    places = [text.find(f"**{part}.**") for part in PARTS]
    assert -1 not in places
    assert places == sorted(places)
