"""The command line: ``python -m skaucx.study COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed, the output not written, or a package
is missing, 2 the arguments are wrong. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import _regret_command, _simulate_command, _violations_command
from ._arguments import check_output

# Each module has add_parser(commands), which sets `run` as a default of its parser.
_COMMANDS = (_violations_command, _simulate_command, _regret_command)
_PROGRAM = "python -m skaucx.study"
DESCRIPTION = "Which measure deserves trust: studies of the AUC variants."


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Add the commands of the study to a parser."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=DESCRIPTION)
    add_commands(parser)
    arguments = parser.parse_args(argv)
    try:
        check_output(arguments)
        arguments.run(arguments)
    except argparse.ArgumentTypeError as error:
        return _failed(str(error), 2)
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else str(error), 1)
    except (ImportError, ValueError) as error:
        return _failed(str(error), 1)
    return 0


def _failed(message: str, code: int) -> int:
    print(f"{_PROGRAM}: error: {message}", file=sys.stderr)
    return code
