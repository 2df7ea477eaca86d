"""``python -m skaucx study``: which measure deserves trust, by violations."""

from __future__ import annotations

import argparse
import json
import sys
from fractions import Fraction
from typing import Any

import numpy as np

from .. import study
from .._text.plain import names
from .._text.tables import Table

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
    python -m skaucx study violations - --span-steps 30 --labellings \\
      --margin-power 1/100
"""


DESCRIPTION = "Which measure deserves trust: studies of the AUC variants."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the study of violations with its arguments."""
    own = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    counted = own.add_parser(
        "violations",
        help="how often a measure ranks a correctly ranked score set below an incorrect one",
        description="Count the correctly ranked score sets whose value is below the highest value\n"
        "of an incorrectly ranked one.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = counted.add_argument
    add("file", metavar="FILE", help="score sets, one a line; - for standard input")
    add("--margin-steps", type=int, default=1, metavar="K", help="narrow margins in K steps")
    add("--span-steps", type=int, default=1, metavar="K", help="then narrow spans in K steps")
    add("--labellings", action="store_true", help="then label in every way")
    add("--by", help="break the violations down by a property of the sets")
    add(
        "--measures", type=names, metavar="NAMES",
        help="AUC variants parted by commas, such as roc_auc,mm7_auc (all)",
    )  # fmt: skip
    for name, what in _PARAMETERS.items():
        add(f"--{name.replace('_', '-')}", type=_number, metavar="X", help=what)
    add("--json", action="store_true", help="print JSON instead of a table")
    counted.set_defaults(run=_violations)


def _violations(arguments: argparse.Namespace) -> None:
    piped = arguments.file == "-"
    sets = study.parse_sets(sys.stdin.read()) if piped else study.read_sets(arguments.file)
    sets = study.narrow_margins(sets, arguments.margin_steps)
    sets = study.narrow_spans(sets, arguments.span_steps)
    sets = study.all_labellings(sets) if arguments.labellings else sets
    given = {name: getattr(arguments, name) for name in ("measures", *_PARAMETERS)}
    options = {name: value for name, value in given.items() if value is not None}
    result = study.count_violations(sets, **options)
    tables = {"violations": result._table()}
    if arguments.by:
        tables["by"] = result.by(arguments.by)._table()
    if arguments.json:
        records = {name: _records(table) for name, table in tables.items()}
        print(json.dumps(records, indent=2))
    else:
        print("\n\n".join(table.text() for table in tables.values()))
    if result.correct in (0, result.sets):
        which = "correctly" if result.correct == 0 else "incorrectly"
        print(
            f"No set is {which} ranked, so none can be violated; try --labellings.", file=sys.stderr
        )


def _records(table: Table) -> list[dict[str, Any]]:
    """Return rows as JSON holds them: plain numbers, None where undefined."""
    rows = [[np.asarray(cell).item() for cell in row] for row in table.rows]
    return [
        {name: None if cell != cell else cell for name, cell in zip(table.head, row, strict=True)}
        for row in rows
    ]


def _number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None
