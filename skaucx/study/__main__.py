"""``python -m skaucx.study``."""

from __future__ import annotations

import sys

from ._command_line import main

if __name__ == "__main__":
    sys.exit(main())
