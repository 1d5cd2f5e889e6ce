"""Python code that is named where a spec file is expected; nothing of it is imported here."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["python_hint"]

_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_IN_FILE = re.compile(r"(.+)\.py(?::([\w.]+))?")
_SPECS = (".toml", ".json")


def python_hint(path: Path) -> tuple[str, bool]:
    """Return how to name the Python code that a source seems to mean, and whether it is that.

    Args:
        path: What was given as a spec file: "package/module.py", that and ":name", or
            "package.module".

    Returns:
        What to write, or ""; and True where the code exists and no spec file of that name does.

    Example:
        >>> python_hint(Path("no_such_package.module"))
        ('write no_such_package.module:NAME for a spec in Python', False)
        >>> python_hint(Path("spec.toml"))
        ('', False)
    """
    given = _IN_FILE.fullmatch(str(path))
    if given is not None:
        file = Path(f"{given.group(1)}.py")
        try:
            parts = file.resolve().relative_to(Path.cwd().resolve()).with_suffix("").parts
        except ValueError:
            parts = (file.stem,)
        if parts[-1] == "__init__":
            parts = parts[:-1]
        can_be_imported = bool(parts) and all(part.isidentifier() for part in parts)
        module = ".".join(parts) if can_be_imported else "package.module"
        is_there = file.is_file()
    elif _MODULE.fullmatch(str(path)) and path.suffix.lower() not in _SPECS and not path.exists():
        module = str(path)
        folder = Path(*module.split("."))
        is_there = folder.with_suffix(".py").is_file() or (folder / "__init__.py").is_file()
        if not is_there and "." not in module:
            return "", False
    else:
        return "", False
    name = given.group(2) if given is not None and given.group(2) else "NAME"
    return f"write {module}:{name} for a spec in Python", is_there
