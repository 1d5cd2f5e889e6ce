"""``python -m powercert.proofs_checks``: print the page of claims, or its JSON form."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from .table import claims_json, claims_markdown

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every check and print what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m powercert.proofs_checks", description="Check every registered claim."
    )
    parser.add_argument("--format", choices=("markdown", "json"), default="markdown")
    if parser.parse_args(arguments).format == "json":
        text = json.dumps(claims_json(), indent=2) + "\n"
    else:
        text = claims_markdown()
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
