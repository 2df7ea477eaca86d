"""The command line: ``skaucx COMMAND``, or ``python -m skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong, 130 interrupted, 141 the reader of the output has closed it. Results go to
standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

# Each is a module with DESCRIPTION and add_arguments(parser), imported where it is
# named; most have an EXAMPLE, and `run`, unless commands of their own set it.
_COMMANDS = {
    "evaluate": "metrics of predictions in Parquet or CSV files",
    "compare": "two models on the same rows: tests and intervals of the difference",
    "report": "saved predictions as one HTML page with tables and pictures",
    "metrics": "list and explain the metrics",
    "study": "which measure deserves trust: studies of the AUC variants",
}

_EXAMPLES = """\
examples:
  skaucx evaluate predictions.csv --y-true y --y-score p \\
    --pos-label ill
  skaucx report predictions.csv --y-true y --y-score p \\
    --pos-label ill -o report.html
  skaucx metrics PPV

skaucx COMMAND --help explains a command.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:  # during the imports, too
        return _failed("interrupted", 130)
    except OSError as error:
        if error.filename:
            return _failed(f"{error.filename}: {error.strerror}.")
        # The rest of the buffer must not be written again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        closed = isinstance(error, BrokenPipeError)
        return 141 if closed else _failed(f"standard output: {error.strerror}.")
    except (ImportError, TypeError, ValueError) as error:
        return _failed(str(error))


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, since SciPy and scikit-learn take seconds in which the user may interrupt.
    from .._text.plain import paragraph
    from ._terminal import reported_warnings

    parser = argparse.ArgumentParser(
        prog="skaucx",
        description="Evaluate predictions in files, explain metrics.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"skaucx {version('skaucx')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    words = sys.argv[1:] if argv is None else argv
    for name, shown in _COMMANDS.items():
        added = commands.add_parser(
            name, help=shown, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name in words:  # imports are most of the time of a small file
            place = "skaucx.study._command" if name == "study" else f"{__package__}.{name}"
            module = import_module(place)
            added.description = paragraph(module.DESCRIPTION)
            added.epilog = getattr(module, "EXAMPLE", None)
            added.set_defaults(run=getattr(module, "run", None))
            module.add_arguments(added)
    arguments = parser.parse_args(words)
    if "run" not in arguments:
        parser.print_help(sys.stderr)
        return 2
    with reported_warnings():
        arguments.run(arguments)
    return 0


def _failed(message: str, code: int = 1) -> int:
    from ._terminal import printable

    print(f"skaucx: error: {printable(message)}", file=sys.stderr)
    return code
