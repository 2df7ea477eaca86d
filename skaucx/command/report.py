"""``python -m skaucx report``: saved predictions as one page with tables and pictures."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import Any

import numpy as np

from ..metrics import report_predictions
from ._files import add_columns, check_columns, label_of, named_tables, names, read_whole, score_of
from ._terminal import print_json, printable

_EXAMPLE = """\
example:
  python -m skaucx report predictions.csv --true disease --score risk \\
      --positive ill -o report.html
"""


def add_parser(commands: Any, shown: str) -> None:
    """Add the command to the subparsers of the program."""
    parser = commands.add_parser(
        "report",
        help=shown,
        description="Write predictions up as one HTML page, which needs no network: how good "
        "they are, for which rows, and for two classes at which threshold.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="Parquet or CSV, or a folder",
    )
    add_columns(parser)
    parser.add_argument(
        "--groups", metavar="COLUMN", help="what belongs together, such as patients"
    )
    parser.add_argument("--metrics", type=names, metavar="NAMES", help="names parted by commas")
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")
    parser.add_argument("--title", default="Evaluation of predictions")
    parser.add_argument("-o", "--output", required=True, metavar="PAGE", help="the file to write")
    parser.add_argument("--json", action="store_true", help="print the page's name as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, write the page."""
    check_columns(arguments)
    tables = list(chain.from_iterable(named_tables(arguments, arguments.files, arguments.groups)))
    columns = read_whole(tables, tables[0].columns)

    def column(name: str | None) -> Any:
        return columns[name] if name else None

    truth, positive = columns[arguments.true], arguments.positive
    page = report_predictions(
        arguments.output,
        truth,
        column(arguments.pred),
        score_of(columns, arguments.score),
        metrics=arguments.metrics,
        pos_label=None if positive is None else label_of(positive, np.unique(truth).tolist()),
        sample_weight=column(arguments.weight),
        groups=column(arguments.groups),
        confidence_level=arguments.confidence_level,
        title=arguments.title,
    )
    if arguments.json:
        print_json({"page": str(page)})
    else:
        print(printable(f"{page} is written; open it in a browser."))
