"""Keep the repository root off sys.path, where the bare folder names would be importable."""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _ROOT]
