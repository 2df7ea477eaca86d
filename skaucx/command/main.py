"""The command line: ``python -m skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import evaluate

# Each module has add_parser(commands), which sets `run` as a default of its parser.
_COMMANDS = (evaluate,)
_PROGRAM = "python -m skaucx"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Metrics of predictions that lie in files."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)
    arguments = parser.parse_args(argv)
    try:
        arguments.run(arguments)
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else str(error))
    except (ImportError, TypeError, ValueError) as error:
        return _failed(str(error))
    return 0


def _failed(message: str) -> int:
    print(f"{_PROGRAM}: error: {message}", file=sys.stderr)
    return 1
