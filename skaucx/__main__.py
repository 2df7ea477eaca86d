"""``python -m skaucx``."""

from __future__ import annotations

import sys

from .command.main import main

if __name__ == "__main__":
    sys.exit(main())
