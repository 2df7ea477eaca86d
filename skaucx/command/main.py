"""The command line: ``python -m skaucx COMMAND``, or ``skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong, 130 interrupted, 141 nobody reads the output any more. Results go to standard
output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:  # during the imports, too
        return _failed("interrupted", 130)
    except OSError as error:
        # What is left in the buffer must not be written once more when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        return _failed(f"standard output: {error.strerror}.")


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, since SciPy and scikit-learn take seconds in which the user may interrupt.
    from .._text.tables import paragraph
    from ..study._arguments import check_output
    from . import compare, evaluate, metrics, plan, report, study
    from ._terminal import program, told_warnings

    parser = argparse.ArgumentParser(
        prog=program(),
        description="Judge predictions that lie in files, plan studies, look metrics up.",
        epilog=f"{program()} COMMAND --help tells more of each.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # Each module has add_parser(commands), which sets `run` as a default of its parser.
    for command in (evaluate, compare, report, metrics, plan, study):
        command.add_parser(commands)
    for added in commands.choices.values():  # those with examples are printed as they stand
        added.description = paragraph(added.description or "")
    arguments = parser.parse_args(argv)
    try:
        check_output(arguments)
        with told_warnings():
            arguments.run(arguments)
    except argparse.ArgumentTypeError as error:
        return _failed(str(error), 2)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else str(error))
    except (ImportError, TypeError, ValueError) as error:
        return _failed(str(error))
    return 0


def _failed(message: str, code: int = 1) -> int:
    from ._terminal import in_options, printable, program

    print(f"{program()}: error: {printable(in_options(message))}", file=sys.stderr)
    return code
