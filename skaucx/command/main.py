"""The command line: ``python -m skaucx COMMAND``, or ``skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong, 130 interrupted. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._text.tables import paragraph
from ..study._arguments import check_output
from . import compare, evaluate, metrics, plan, report, study
from ._terminal import in_options, program

# Each module has add_parser(commands), which sets `run` as a default of its parser.
_COMMANDS = (evaluate, compare, report, metrics, plan, study)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    parser = argparse.ArgumentParser(
        prog=program(),
        description="Judge predictions that lie in files, plan studies, look metrics up.",
        epilog=f"{program()} COMMAND --help tells more of each.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)
    for added in commands.choices.values():  # those with examples are printed as they stand
        added.description = paragraph(added.description or "")
    arguments = parser.parse_args(argv)
    try:
        if hasattr(arguments, "plot"):
            check_output(arguments)
        arguments.run(arguments)
    except argparse.ArgumentTypeError as error:
        return _failed(str(error), 2)
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else str(error))
    except (ImportError, TypeError, ValueError) as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        return _failed("interrupted", 130)
    return 0


def _failed(message: str, code: int = 1) -> int:
    print(f"{program()}: error: {in_options(message)}", file=sys.stderr)
    return code
