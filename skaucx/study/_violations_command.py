"""``python -m skaucx.study violations``: count the violations of score sets in a file."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from fractions import Fraction
from typing import Any

from ._generators import all_labellings, narrow_margins, narrow_spans
from ._sets import SetCollection
from ._text import parse_sets, read_sets
from ._violations import Violations, count_violations

_PARAMETERS = {
    "q": "the power of sondAUC (1/7)",
    "beta": "the steepness of softAUC (7)",
    "floor": "the least value of a won pair in mm4, mm6 and mm7 (1/2)",
    "auc_power": "the power of mm4 in mm6 and mm7 (9/10)",
    "margin_power": "the power of the margin in mm6 and mm7 (1/16)",
}
_EXAMPLE = """\
example:
  echo "1.0p 0.8p 0.6p 0.4n 0.2n 0.0n" |
    python -m skaucx.study violations - --span-steps 30 --labellings --margin-power 1/100
"""


def add_parser(commands: Any) -> None:
    """Add the command to the subparsers of the program."""
    parser = commands.add_parser(
        "violations",
        help="how often a measure ranks a correctly ranked score set below an incorrect one",
        description="Count the correctly ranked score sets whose value is below the highest value "
        "of an incorrectly ranked one.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="score sets, one a line; - for standard input")
    parser.add_argument(
        "--margin-steps", type=_steps, default=1, metavar="K", help="narrow margins in K steps"
    )
    parser.add_argument(
        "--span-steps", type=_steps, default=1, metavar="K", help="then narrow spans in K steps"
    )
    parser.add_argument("--labellings", action="store_true", help="then label in every way")
    parser.add_argument(
        "--measures", type=_names, default="all", metavar="NAMES",
        help="all (the default), or AUC variants parted by commas, such as roc_auc,mm7_auc",
    )  # fmt: skip
    for name, what in _PARAMETERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=_number, metavar="X", help=what)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--csv", metavar="FILE", help="write the table to a file too")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Count the violations, print them, write them where asked to."""
    result = _count(_generated(_read(arguments.file), arguments), arguments)
    if arguments.csv:
        _write_csv(result, arguments.csv)
    print(json.dumps(result.as_dict(), indent=2) if arguments.json else result)
    if result.correct in (0, result.sets):
        which = "correctly" if result.correct == 0 else "incorrectly"
        print(
            f"No set is {which} ranked, so none can be violated; try --labellings.", file=sys.stderr
        )


def _read(file: str) -> SetCollection:
    if file != "-":
        return read_sets(file)
    try:
        return parse_sets(sys.stdin.read())
    except ValueError as error:
        raise ValueError(f"standard input: {error}") from None


def _generated(sets: SetCollection, arguments: argparse.Namespace) -> SetCollection:
    sets = narrow_spans(narrow_margins(sets, arguments.margin_steps), arguments.span_steps)
    return all_labellings(sets) if arguments.labellings else sets


def _count(sets: SetCollection, arguments: argparse.Namespace) -> Violations:
    given = {name: getattr(arguments, name) for name in _PARAMETERS}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        return count_violations(sets, arguments.measures, **given)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _write_csv(result: Violations, file: str) -> None:
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(
            ["measure", "violations", "lowest_correct", "highest_incorrect", "sets", "correct"]
        )
        for name, tally in result.as_dict()["measures"].items():
            writer.writerow([name, *tally.values(), result.sets, result.correct])


def _steps(text: str) -> int:
    try:
        steps = int(text)
    except ValueError:
        steps = 0
    if steps < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, found {text!r}")
    return steps


def _number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None


def _names(text: str) -> str | list[str]:
    return text if text == "all" else [name.strip() for name in text.split(",")]
