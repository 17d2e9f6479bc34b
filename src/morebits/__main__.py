"""`python -m morebits` is the command `morebits`."""

from __future__ import annotations

import sys

from morebits.cli import main

if __name__ == "__main__":
    sys.exit(main())
