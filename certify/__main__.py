"""Run ``python -m powercert.certify`` like the command ``certify``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
