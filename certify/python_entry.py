"""Specs written in Python: ``package.module:name``, with one message for each way it can fail."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import cast

from ..accounting.errors import InputError, LimitError, PowercertError
from ..mechanisms.values import describe
from .same_spec import difference
from .spec import AuditSpec
from .spec_problems import nearest

__all__ = ["load_python"]

_PACKAGE = Path(__file__).resolve().parent.parent


def load_python(source: str) -> AuditSpec:
    """Load an AuditSpec from ``package.module:name``.

    The working directory is importable, as it is under ``python -m``. A function is called twice,
    and the two specs must agree: what is audited must not change from run to run. What the module
    prints goes to standard error.

    Args:
        source: Module and name; the name is an AuditSpec, or callable without arguments and returns
            one. Dots in the name reach into it.

    Raises:
        InputError: The module or the name is missing, does not run, or is no AuditSpec; there is
            one message for each case. Errors of powercert inside it are passed on with the place.
        LimitError: It uses up the memory.
    """
    module_name, _, name = source.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    with contextlib.redirect_stdout(sys.stderr):
        with _told(source, "importing it"):
            module = _imported(source, module_name)
        found = _looked_up(source, module, name)
        if isinstance(found, AuditSpec):
            return found
        if not callable(found):
            raise _wrong_type(source, "is", found)
        _check_callable(source, found)
        specs: list[AuditSpec] = []
        for _ in range(2):
            with _told(source, "calling it"):
                result: object = found()
            if not isinstance(result, AuditSpec):
                raise _wrong_type(source, "returned", result)
            specs.append(result)
        with _told(source, "comparing two calls"):
            changed = difference(specs[0], specs[1])
    if changed:
        raise InputError(
            "not deterministic: two calls gave different specs",
            where=source,
            found=changed,
            expected="build the spec without random numbers, clocks or counters",
        )
    return specs[0]


def _imported(source: str, module_name: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing and f"{module_name}.".startswith(f"{missing}."):
            raise InputError(
                f"there is no module {missing}",
                where=source,
                expected=_modules_nearby(missing),
            ) from error
        raise InputError(
            f"module {module_name} needs {missing or 'a module'}, which is not installed",
            where=f"{source}: {_place(error)}",
            expected="install it in the environment of certify",
        ) from error
    except ImportError as error:
        raise InputError(
            f"an import inside {module_name} failed: {error}",
            where=f"{source}: {_place(error)}",
        ) from error
    except SyntaxError as error:
        column = f", column {error.offset}" if error.offset else ""
        raise InputError(
            f"not valid Python {sys.version_info.major}: {error.msg}",
            where=f"{source}: {error.filename}, line {error.lineno}{column}",
            found=(error.text or "").strip(),
        ) from error


def _modules_nearby(missing: str) -> str:
    last = missing.rpartition(".")[2]
    names = [
        path.stem
        for path in Path.cwd().glob("*")
        if (path.suffix == ".py" or path.is_dir()) and path.stem.isidentifier()
    ]
    close = nearest(last, names)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "it must be installed, or lie in the working directory"


@contextlib.contextmanager
def _told(source: str, doing: str) -> Generator[None]:
    """Turn what a user's code raises into one message with its place.

    KeyboardInterrupt passes through, so that Ctrl-C ends the program.
    """
    try:
        yield
    except PowercertError as error:
        raise error if error.where.startswith(source) else error.located(source) from error
    except MemoryError as error:
        raise LimitError(
            f"out of memory while {doing}", where=source, expected="make it smaller"
        ) from error
    except SystemExit as error:
        raise InputError(
            f"it ended the program while {doing}: exit({error.code!r})",
            where=f"{source}: {_place(error)}",
            expected="guard scripts with if __name__ == '__main__'",
        ) from error
    except Exception as error:
        message = str(error)
        raise InputError(
            f"{doing} raised {type(error).__name__}" + (f": {message}" if message else ""),
            where=f"{source}: {_place(error)}",
        ) from error


def _place(error: BaseException) -> str:
    """Return file and line of the deepest frame that is the user's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_ours(frame.filename)]
    if not own:
        return type(error).__name__
    return f"{own[-1].filename}, line {own[-1].lineno}"


def _is_ours(filename: str) -> bool:
    if filename.startswith("<"):
        return True
    path = Path(filename).resolve()
    inside = any(path.is_relative_to(root) for root in (_PACKAGE, Path(importlib.__file__).parent))
    return inside


def _looked_up(source: str, module: ModuleType, name: str) -> object:
    found: object = module
    path = module.__name__
    for part in name.split("."):
        known = cast("dict[str, object]", vars(found)) if hasattr(found, "__dict__") else {}
        missing = object()
        following: object = getattr(found, part, missing)
        if following is missing:
            public = [key for key in known if not key.startswith("_")]
            close = nearest(part, public)
            useful = [key for key in public if _could_be_meant(known[key], module)]
            hint = f"did you mean {' or '.join(close)}?" if close else ""
            if not hint and useful:
                hint = f"it has {', '.join(useful[:6])}"
            raise InputError(f"{path} has no name {part!r}", where=source, expected=hint)
        found, path = following, f"{path}.{part}"
    return found


def _could_be_meant(value: object, module: ModuleType) -> bool:
    if isinstance(value, AuditSpec):
        return True
    return inspect.isfunction(value) and value.__module__ == module.__name__


def _check_callable(source: str, found: Callable[..., object]) -> None:
    try:
        signature = inspect.signature(found)
        signature.bind()
    except TypeError as error:
        raise InputError(
            "it cannot be called without arguments",
            where=source,
            found=str(error),
            expected="write a function without arguments that returns an AuditSpec",
        ) from error
    except ValueError:
        # Some built-in callables have no signature; the call itself will tell.
        return


def _wrong_type(source: str, verb: str, value: object) -> InputError:
    # A coroutine that is dropped without being awaited would add a warning of its own.
    if inspect.iscoroutine(value):
        value.close()
    missing = value is None and verb == "returned"
    return InputError(
        f"it {verb} {_kind(value)}, not an AuditSpec",
        where=source,
        found="" if value is None else describe(value),
        expected="end the function with return AuditSpec(...)"
        if missing
        else "write AuditSpec(name, mechanism, relation, horizon, inputs, claim)",
    )


def _kind(value: object) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"
