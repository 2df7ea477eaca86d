"""The command line: ``python -m skaucx COMMAND``, or ``skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong, 130 interrupted, 141 the reader of the output has closed it. Results go to
standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Each is a module with DESCRIPTION and add_arguments(parser), imported where it is
# named; most have an EXAMPLE, and `run`, unless commands of their own set it.
_COMMANDS = {
    "evaluate": "metrics of predictions in Parquet or CSV files, however large",
    "compare": "two models on the same rows: tests and intervals of the difference",
    "report": "saved predictions as one HTML page with tables and pictures",
    "metrics": "list and explain the metrics",
    "study": "which measure deserves trust: studies of the AUC variants",
}
_OUTPUTS = ("output", "csv", "plot")

_EXAMPLES = """\
examples:
  {program} evaluate predictions.csv --y-true y --y-score p \\
    --pos-label ill
  {program} report predictions.csv --y-true y --y-score p \\
    --pos-label ill -o report.html
  {program} metrics PPV

{program} COMMAND --help explains a command.
"""


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
        # The rest of the buffer must not be written again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        return _failed(f"standard output: {error.strerror}.")


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, since SciPy and scikit-learn take seconds in which the user may interrupt.
    from .._text.plain import paragraph
    from ._terminal import program, reported_warnings

    parser = argparse.ArgumentParser(
        prog=program(),
        description="Evaluate predictions in files, explain metrics.",
        epilog=_EXAMPLES.format(program=program()),
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
    try:
        arguments = parser.parse_args(words)
        if "run" not in arguments:
            parser.print_help(sys.stderr)
            return 2
        _check_output(vars(arguments))
        with reported_warnings():
            arguments.run(arguments)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else str(error))
    except (ImportError, TypeError, ValueError) as error:
        return _failed(str(error))
    return 0


def _failed(message: str, code: int = 1) -> int:
    from ._terminal import printable, program

    print(f"{program()}: error: {printable(message)}", file=sys.stderr)
    return code


def _check_output(given: dict[str, Any]) -> None:
    """Raise an error for an output file whose folder is missing, or that is or lies in what is read."""
    for file in filter(None, map(given.get, _OUTPUTS)):
        target = Path(file).resolve()
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no such folder: {target.parent}", file)
        for word in _words(value for name, value in given.items() if name not in _OUTPUTS):
            read = Path(word)
            same = read.is_file() and target.exists() and read.samefile(target)
            if same or (read.is_dir() and read.resolve() in target.parents):
                raise ValueError(f"{file} is or lies in {word}, which is read; write elsewhere.")


def _words(given: Iterable[Any]) -> list[str]:
    """Return the words of a command line, those in lists too, that could name files."""
    lists = [value if isinstance(value, list) else [value] for value in given]
    return [word for words in lists for word in words if isinstance(word, str)]
