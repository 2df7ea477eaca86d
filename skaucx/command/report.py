"""``skaucx report``: saved predictions as one page with tables and pictures."""

from __future__ import annotations

import argparse

from ..reports import report
from ._files import add_rows, given, read
from ._terminal import print_json, printable

EXAMPLE = """\
example:
  skaucx report predictions.csv --y-true disease --y-score risk \\
      --pos-label ill -o report.html
"""


DESCRIPTION = """\
Write predictions up as one HTML page, which needs no network: how good they are, for which rows, and
for two classes at which threshold.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rows(parser)
    parser.add_argument("--title", default="Evaluation of predictions")
    parser.add_argument("-o", "--output", required=True, metavar="PAGE", help="the file to write")


def run(arguments: argparse.Namespace) -> None:
    """Read the files, write the page."""
    columns = read(arguments, arguments.files, arguments.by)
    page = report(arguments.output, title=arguments.title, **given(arguments, columns))
    if arguments.json:
        print_json({"page": str(page)})
    else:
        print(printable(f"{page} is written; open it in a browser."))
