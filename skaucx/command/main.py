"""The command line: ``python -m skaucx COMMAND``, or ``skaucx COMMAND``.

Exit codes: 0 done, 1 the input could not be read or is malformed or a package is missing, 2 the
arguments are wrong, 130 interrupted, 141 the reader of the output has closed it. Results go to
standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

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
  {program} evaluate predictions.csv --true y --score p --positive ill
  {program} report predictions.csv --true y --score p --positive ill \\
    -o report.html
  {program} metrics PPV

{program} COMMAND --help explains a command.
"""
_NO_CHOICE = re.compile(r"argument (.+?): invalid choice: (.+?) \(choose from (.+?)\)")


class _Parser(argparse.ArgumentParser):
    """A parser that suggests what a misspelt word may mean, and without a command shows its help."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.set_defaults(parser=self)  # the innermost one remains

    def error(self, message: str) -> NoReturn:
        if message.endswith(": COMMAND"):
            self.print_help(sys.stderr)
            sys.exit(2)
        if found := _NO_CHOICE.match(message):
            place, word, known = (text.replace("'", "") for text in found.groups())
            hint = _similar(word, known.split(", ")) or f"; choose from {known}"
            message = f"argument {place}: there is no {word!r}{hint}"
        super().error(message)

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """End with an error for arguments that the command does not take."""
        options = re.findall(r"--[a-z][\w-]*", self.format_help())
        hints = (_similar(word.partition("=")[0], options) for word in words)
        self.error(f"unrecognized arguments: {' '.join(words)}{next(filter(None, hints), '')}")


def _similar(word: str, known: Sequence[str]) -> str:
    """Return the end of a sentence about an unknown word, if a known one is similar."""
    similar = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {similar[0]!r}?" if similar else ""


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

    parser = _Parser(
        prog=program(),
        description="Evaluate predictions in files, explain metrics.",
        epilog=_EXAMPLES.format(program=program()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"skaucx {version('skaucx')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
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
        arguments, rest = parser.parse_known_args(words)
        if rest:
            arguments.parser.refuse(rest)
        _check_output(arguments)
        with reported_warnings():
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


def _check_output(arguments: argparse.Namespace) -> None:
    """Raise an error for output files that cannot be written or are read, and without matplotlib."""
    given = vars(arguments)
    for file in filter(None, map(given.get, _OUTPUTS)):
        folder = Path(file).resolve().parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no such folder: {folder}", file)
        if Path(file).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
        if not os.access(file if Path(file).exists() else folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), file)
        for word in _words(value for name, value in given.items() if name not in _OUTPUTS):
            read = Path(word)
            if read.is_file() and Path(file).exists() and read.samefile(file):
                raise ValueError(f"{file} is one of the files to read; write to another one.")
            if read.is_dir() and read.resolve() in [folder, *folder.parents]:
                raise ValueError(f"{file} lies in {word}, all of which is read; write elsewhere.")
    if given.get("plot"):
        from .._compat import import_pyplot

        import_pyplot()


def _words(given: Iterable[Any]) -> list[str]:
    """Return the words of a command line, those in lists too, that could name files."""
    lists = [value if isinstance(value, list) else [value] for value in given]
    return [word for words in lists for word in words if isinstance(word, str)]
