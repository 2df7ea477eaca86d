"""What the commands share: the arguments of measures, numbers on the command line, output."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar

_T = TypeVar("_T")

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
        "--measures", type=_names, default="all", metavar="NAMES",
        help="all (the default), or AUC variants parted by commas, such as roc_auc,mm7_auc",
    )  # fmt: skip
    for name, what in PARAMETERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=number, metavar="X", help=what)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the forms of output."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--csv", metavar="FILE", help="write the numbers to a file too")


def computed(function: Callable[..., _T], *given: Any, **options: Any) -> _T:
    """Call a study; what it refuses came from the command line."""
    try:
        return function(*given, **options)
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
) -> None:
    """Write the CSV file if one is asked for, then print the result."""
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([header, *rows])
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


def _names(text: str) -> str | list[str]:
    return text if text == "all" else [name.strip() for name in text.split(",")]
