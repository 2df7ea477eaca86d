"""``python -m skaucx evaluate``: metrics of predictions in Parquet or CSV files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from .._text.numbers import fixed
from .._text.plain import table
from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..evaluation._columns import files_below
from ..inference import Interval
from ..metrics import decision_curve
from ..scale import ScoreCounts
from ._files import (
    add_columns,
    add_resampling,
    below_each_other,
    columns_of,
    existing_file,
    label_of,
    named_columns,
    scores_of,
)
from ._terminal import print_json, printable

# Of a decision curve in the terminal.
_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
_LARGE = 1 << 24  # bytes of files whose rows are counted
# What counts of labels and scores do not hold.
_OF_ROWS = ("y_pred", "sample_weight", "groups", "array", "decision_curve", "multi_class")
EXAMPLE = """\
example:
  python -m skaucx evaluate predictions.parquet --y-true label --y-score p \\
      --y-pred yhat --by hospital --metrics roc_auc mm7_auc f2
  python -m skaucx evaluate risks.csv --y-true disease --y-score risk \\
      --pos-label ill --metrics clinical --groups patient --threshold 0.1 \\
      --decision-curve --intervals
"""


DESCRIPTION = """\
Metrics of predictions in Parquet or CSV files. Rows of large files with one column of scores are
counted by label and score, which is exact.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=existing_file, help="Parquet or CSV, or a folder"
    )
    add_columns(parser)
    parser.add_argument("--by", metavar="COLUMN", help="groups to compare")
    parser.add_argument(
        "--threshold", type=float, metavar="X",
        help="scores of at least X are predicted positive; the threshold of net benefit",
    )  # fmt: skip
    parser.add_argument(
        "--decision-curve", action="store_true", help="net benefit at several thresholds, too"
    )
    parser.add_argument(
        "--array", action="append", default=[], type=_named_array, metavar="NAME=COLUMNS",
        help="a further array of metrics: its name and its columns, such as treatment=letter",
    )  # fmt: skip
    parser.add_argument(
        "--average", metavar="HOW", help="macro, micro or weighted, of many classes"
    )
    parser.add_argument("--multi-class", choices=("ovr", "ovo"), help="of many columns of scores")
    parser.add_argument(
        "--digits", type=int, metavar="N", help="count rows in cells of N decimals of the score"
    )
    parser.add_argument("--intervals", action="store_true", help="an interval for every value")
    add_resampling(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _named_array(text: str) -> tuple[str, list[str]]:
    name, _, columns = text.partition("=")
    if not name or not columns:
        raise argparse.ArgumentTypeError(f"write NAME=COLUMN, found {text!r}")
    return name, columns_of(columns)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    options = {
        name: value
        for name in ("metrics", "threshold", "average", "multi_class", "intervals",
                     "confidence_level", "n_resamples", "random_state")
        if (value := getattr(arguments, name)) is not None
    }  # fmt: skip
    curve: dict[str, Any] | None = None
    if _is_counted(arguments):
        counts, labels = _counts(arguments)
        options["pos_label"] = label_of(arguments.pos_label, labels)
        found = counts.evaluate(by=arguments.by, **options)
    else:
        found, curve = _of_rows(arguments, options)
    if arguments.json:
        print_json(_plain(found) | ({"decision_curve": curve} if curve else {}))
        return
    print(printable(str(found)))
    if arguments.digits is not None:
        print(f"Rows are counted in cells of {arguments.digits} decimals of the score.")
    if curve:
        rows = [[f"{at[0]:g}", *map(fixed, at[1:])] for at in zip(*curve.values(), strict=True)]
        print("\n" + table(list(curve), rows))


def _is_counted(arguments: argparse.Namespace) -> bool:
    """Whether rows are counted, as all that is read of them is one score and a label."""
    more = [name for name in _OF_ROWS if getattr(arguments, name)]
    if arguments.digits is not None and (more or len(arguments.y_score or ()) != 1):
        raise ValueError(
            "digits counts rows by y_true, by and one column of y_score; leave out "
            f"{', '.join(more) or 'the other columns'}."
        )
    if more or len(arguments.y_score or ()) != 1:
        return False
    paths = [path for file in map(Path, arguments.files) for path in (file, *file.rglob("*"))]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    return arguments.digits is not None or size >= _LARGE


def _counts(arguments: argparse.Namespace) -> tuple[ScoreCounts, list[Any]]:
    """Return the counts of the rows of all files, and their labels."""
    truth, [score], by = arguments.y_true, arguments.y_score, arguments.by
    columns = list(dict.fromkeys(filter(None, (truth, score, by))))
    classes = [] if arguments.pos_label is None else [arguments.pos_label]
    counts = ScoreCounts()
    labels: set[Any] = set()
    for file in [file for source in arguments.files for file in files_below(source, columns)]:
        first = 0
        for batch in file.batches(columns):
            rows = file.arrays(batch, [score], [truth], classes, first)
            groups = {by: rows[by]} if by else None
            counts += ScoreCounts.from_rows(rows[truth], rows[score], arguments.digits, by=groups)
            labels |= {*np.unique(rows[truth]).tolist()}
            first += len(rows[truth])
    return counts, sorted(labels)


def _of_rows(
    arguments: argparse.Namespace, options: dict[str, Any]
) -> tuple[Evaluation | GroupedEvaluation, dict[str, Any] | None]:
    """Return the metrics of all rows in memory, and the decision curve."""
    arrays = dict(arguments.array)
    matrices = [name for names in arrays.values() if len(names) > 1 for name in names]
    others = arguments.by, arguments.groups, *(name for names in arrays.values() for name in names)
    columns = below_each_other(named_columns(arguments, arguments.files, *others, numbers=matrices))
    truth, score = columns[arguments.y_true], scores_of(columns, arguments)
    weight = columns.get(arguments.sample_weight)
    positive = label_of(arguments.pos_label, np.unique(truth).tolist())
    for name, names in arrays.items():
        array = [columns[each] for each in names]
        options[name] = np.column_stack(array) if len(array) > 1 else array[0]
    found = evaluate(
        truth, columns.get(arguments.y_pred), score, sample_weight=weight, pos_label=positive,
        by=arguments.by and {arguments.by: columns[arguments.by]},
        groups=columns.get(arguments.groups), **options,
    )  # fmt: skip
    if not arguments.decision_curve:
        return found, None
    at = sorted({*_THRESHOLDS, *([arguments.threshold] if arguments.threshold else [])})
    curve = decision_curve(truth, score, thresholds=at, sample_weight=weight, pos_label=positive)
    names = ("thresholds", "net_benefit", "treat_all")
    return found, {name: getattr(curve, name).tolist() for name in names}


def _plain(found: Evaluation | GroupedEvaluation) -> dict[str, Any]:
    if isinstance(found, GroupedEvaluation):
        return {str(group): _plain(values) for group, values in found.items()}
    return {name: _record(value, found.intervals.get(name)) for name, value in found.items()}


def _record(value: Any, interval: Interval | None) -> Any:
    """Return a number, with its interval where it has one."""
    if interval is None:
        return value
    names = ("low", "high", "confidence_level", "method")
    return {"value": value, "interval": {name: getattr(interval, name) for name in names}}
