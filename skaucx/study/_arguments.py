"""What the commands share: the arguments of measures, numbers on the command line, output."""

from __future__ import annotations

import argparse
import csv
import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .._compat import import_pyplot
from ._drawing import Display, save_pictures

_T = TypeVar("_T")

_OUTPUTS = ("output", "csv", "plot")
_PICTURES = (".png", ".svg", ".pdf")

PARAMETERS = {
    "q": "the power of sondAUC (1/7)",
    "beta": "the steepness of softAUC (7)",
    "floor": "the least value of a won pair in mm4, mm6 and mm7 (1/2)",
    "auc_power": "the power of mm4 in mm6 and mm7 (9/10)",
    "margin_power": "the power of the margin in mm6 and mm7 (1/16)",
}


class Result(Protocol):
    """What a command prints: a table as text, plain numbers as JSON."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the choice of measures and their parameters."""
    parser.add_argument(
        "--measures", type=_measures, default="all", metavar="NAMES",
        help="all (the default), or AUC variants parted by commas, such as roc_auc,mm7_auc",
    )  # fmt: skip
    for name, what in PARAMETERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=number, metavar="X", help=what)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the forms of output."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--csv", metavar="FILE", help="write the numbers to a file too")
    parser.add_argument(
        "--plot", type=_picture, metavar="FILE",
        help="draw them too, as PNG, SVG or PDF by the end of the name (needs matplotlib)",
    )  # fmt: skip


def check_output(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written or are read, and pictures that cannot be drawn."""
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
        import_pyplot()


def _words(given: Iterable[Any]) -> list[str]:
    """Return the words of a command line, those in lists too, that could name files."""
    lists = [value if isinstance(value, list) else [value] for value in given]
    return [word for words in lists for word in words if isinstance(word, str)]


def computed(function: Callable[..., _T], *given: Any, **options: Any) -> _T:
    """Call a study, a progress bar on a terminal; what it refuses came from the command line."""
    try:
        return function(*given, verbose=sys.stderr.isatty(), **options)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def measure_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the measures and those of their parameters that were given."""
    given = {name: getattr(arguments, name) for name in PARAMETERS}
    options = {name: value for name, value in given.items() if value is not None}
    return {"measures": arguments.measures, **options}


def show(
    result: Result,
    arguments: argparse.Namespace,
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    displays: Sequence[Display],
) -> None:
    """Write the CSV file and the pictures if asked for, then print the result."""
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([header, *rows])
    if arguments.plot:
        save_pictures(displays, arguments.plot)
    print(json.dumps(result.as_dict(), indent=2) if arguments.json else result)


def whole(text: str) -> int:
    """Read a whole number >= 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, found {text!r}")
    return value


def number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None


def names(text: str) -> list[str]:
    """Read names parted by commas."""
    return [name.strip() for name in text.split(",")]


def _picture(text: str) -> str:
    """Read the name of a picture, whose end tells its form."""
    if Path(text).suffix.lower() not in _PICTURES:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(_PICTURES)}, found {text!r}")
    return text


def _measures(text: str) -> str | list[str]:
    return text if text == "all" else names(text)
