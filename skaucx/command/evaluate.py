"""``skaucx evaluate``: metrics of predictions in Parquet or CSV files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..evaluation._columns import files_below
from ..scale import ScoreCounts
from ._files import add_resampling, add_rows, given, named, positive_of, read
from ._terminal import print_json, printable

_OPTIONS = ("average", "multi_class", "intervals", "n_resamples", "random_state")
_LARGE = 1 << 24  # bytes of files whose rows are counted
# What counts of labels and scores do not hold.
_OF_ROWS = ("y_pred", "sample_weight", "groups", "multi_class")
_OF_INTERVAL = ("low", "high", "confidence_level", "method")
EXAMPLE = """\
example:
  skaucx evaluate predictions.parquet --y-true label --y-score p \\
      --y-pred yhat --by hospital --metrics roc_auc mm7_auc f2
  skaucx evaluate risks.csv --y-true disease --y-score risk \\
      --pos-label ill --metrics clinical --groups patient --threshold 0.1 \\
      --intervals
"""


DESCRIPTION = """\
Metrics of predictions in Parquet or CSV files. Rows of large files with one column of scores are
counted by label and score, which is exact.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rows(parser)
    parser.add_argument(
        "--average", metavar="HOW", help="macro, micro or weighted, of many classes"
    )
    parser.add_argument("--multi-class", choices=("ovr", "ovo"), help="of many columns of scores")
    parser.add_argument(
        "--digits", type=int, metavar="N", help="count rows in cells of N decimals of the score"
    )
    parser.add_argument("--intervals", action="store_true", help="an interval for every value")
    add_resampling(parser)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    options = {name: getattr(arguments, name) for name in _OPTIONS}
    options = {name: option for name, option in options.items() if option is not None}
    if _is_counted(arguments):
        found = _of_counts(arguments, options)
    else:
        columns = read(arguments, arguments.files, arguments.by)
        found = evaluate(**given(arguments, columns), **options)
    if arguments.json:
        print_json(_plain(found))
        return
    print(printable(str(found)))
    if arguments.digits is not None:
        print(f"Rows are counted in cells of {arguments.digits} decimals of the score.")


def _is_counted(arguments: argparse.Namespace) -> bool:
    """Whether rows are counted, as all that is read of them is one score and a label."""
    more = [name for name in _OF_ROWS if getattr(arguments, name)]
    if len(named(arguments.y_score) or ()) != 1:
        more.append("other columns of y_score")
    if arguments.digits is not None and more:
        raise ValueError(
            f"digits counts rows by y_true, by and one column of y_score; leave out {', '.join(more)}."
        )
    paths = [path for file in map(Path, arguments.files) for path in (file, *file.rglob("*"))]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    return arguments.digits is not None or (not more and size >= _LARGE)


def _of_counts(arguments: argparse.Namespace, options: Any) -> Any:
    """Return the metrics of the rows of all files, counted batch by batch."""
    truth, [score], by = arguments.y_true, named(arguments.y_score) or [], arguments.by
    columns = list(dict.fromkeys(filter(None, (truth, score, by))))
    classes = [] if arguments.pos_label is None else [arguments.pos_label]
    counts, labels = ScoreCounts(), []
    for file in [file for source in arguments.files for file in files_below(source)]:
        first = 0
        for batch in file.batches(columns):
            rows = file.arrays(batch, [score], [truth], classes, first)
            groups = {by: rows[by]} if by else None
            counts += ScoreCounts.from_rows(rows[truth], rows[score], arguments.digits, by=groups)
            labels.append(np.unique(rows[truth]))
            first += len(rows[truth])
    positive = positive_of({truth: np.concatenate(labels)}, arguments)
    return counts.evaluate(
        named(arguments.metrics), by=by, threshold=arguments.threshold, pos_label=positive,
        confidence_level=arguments.confidence_level, **options,
    )  # fmt: skip


def _plain(found: Evaluation | GroupedEvaluation) -> dict[str, Any]:
    """Return values by metric, by group too, each with its interval where it has one."""
    if isinstance(found, GroupedEvaluation):
        return {str(group): _plain(values) for group, values in found.items()}
    plain = dict(found)
    for name, one in found.intervals.items():
        interval = {end: getattr(one, end) for end in _OF_INTERVAL}
        plain[name] = {"value": found[name], "interval": interval}
    return plain
