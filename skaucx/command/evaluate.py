"""``skaucx evaluate``: metrics of predictions in Parquet or CSV files."""

from __future__ import annotations

import argparse
from typing import Any

from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ._files import add_resampling, add_rows, columns_of, given, matrix, read
from ._terminal import print_json, printable

_OPTIONS = ("average", "multi_class", "intervals", "n_resamples", "random_state")
_OF_INTERVAL = ("low", "high", "confidence_level", "method")
EXAMPLE = """\
example:
  skaucx evaluate predictions.parquet --y-true label --y-score p \\
      --y-pred yhat --by hospital --metrics roc_auc mm7_auc f2
  skaucx evaluate risks.csv --y-true disease --y-score risk \\
      --pos-label ill --metrics clinical --groups patient --threshold 0.1 \\
      --intervals
"""


DESCRIPTION = "Metrics of predictions in Parquet or CSV files."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rows(parser)
    parser.add_argument(
        "--array", action="append", default=[], type=_named_array, metavar="NAME=COLUMNS",
        help="a further array of metrics: its name and its columns, such as treatment=letter",
    )  # fmt: skip
    parser.add_argument(
        "--average", metavar="HOW", help="macro, micro or weighted, of many classes"
    )
    parser.add_argument("--multi-class", choices=("ovr", "ovo"), help="of many columns of scores")
    parser.add_argument("--intervals", action="store_true", help="an interval for every value")
    add_resampling(parser)


def _named_array(text: str) -> tuple[str, list[str]]:
    name, _, columns = text.partition("=")
    if not name or not columns:
        raise argparse.ArgumentTypeError(f"write NAME=COLUMN, found {text!r}")
    return name, columns_of(columns)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    arrays = dict(arguments.array)
    others = [name for names in arrays.values() for name in names]
    matrices = [name for names in arrays.values() if len(names) > 1 for name in names]
    columns = read(arguments, arguments.files, arguments.by, *others, numbers=matrices)
    options = {name: getattr(arguments, name) for name in _OPTIONS}
    options = {name: option for name, option in options.items() if option is not None}
    options |= {name: matrix(columns, names) for name, names in arrays.items()}
    found = evaluate(**given(arguments, columns), **options)
    if arguments.json:
        print_json(_plain(found))
    else:
        print(printable(str(found)))


def _plain(found: Evaluation | GroupedEvaluation) -> dict[str, Any]:
    """Return values by metric, by group too, each with its interval where it has one."""
    if isinstance(found, GroupedEvaluation):
        return {str(group): _plain(values) for group, values in found.items()}
    plain = dict(found)
    for name, one in found.intervals.items():
        interval = {end: getattr(one, end) for end in _OF_INTERVAL}
        plain[name] = {"value": found[name], "interval": interval}
    return plain
