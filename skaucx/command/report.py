"""``python -m skaucx report``: saved predictions as one page with tables and pictures."""

from __future__ import annotations

import argparse

import numpy as np

from ..reports import report
from ._files import (
    add_columns,
    below_each_other,
    existing_file,
    label_of,
    named_columns,
    scores_of,
)
from ._terminal import print_json, printable

EXAMPLE = """\
example:
  python -m skaucx report predictions.csv --y-true disease --y-score risk \\
      --pos-label ill -o report.html
"""


DESCRIPTION = """\
Write predictions up as one HTML page, which needs no network: how good they are, for which rows, and
for two classes at which threshold.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=existing_file, help="Parquet or CSV, or a folder"
    )
    add_columns(parser)
    parser.add_argument("--by", metavar="COLUMN", help="subgroups to report")
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="X",
        help="scores of at least X are predicted positive",
    )
    parser.add_argument("--title", default="Evaluation of predictions")
    parser.add_argument("-o", "--output", required=True, metavar="PAGE", help="the file to write")
    parser.add_argument("--json", action="store_true", help="print the page's name as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Read the files, write the page."""
    others = arguments.groups, arguments.by
    columns = below_each_other(named_columns(arguments, arguments.files, *others))
    truth = columns[arguments.y_true]
    page = report(
        arguments.output,
        truth,
        columns.get(arguments.y_pred),
        scores_of(columns, arguments),
        metrics=arguments.metrics,
        pos_label=label_of(arguments.pos_label, np.unique(truth).tolist()),
        sample_weight=columns.get(arguments.sample_weight),
        groups=columns.get(arguments.groups),
        by=arguments.by and {arguments.by: columns[arguments.by]},
        threshold=arguments.threshold,
        confidence_level=arguments.confidence_level,
        title=arguments.title,
    )
    if arguments.json:
        print_json({"page": str(page)})
    else:
        print(printable(f"{page} is written; open it in a browser."))
