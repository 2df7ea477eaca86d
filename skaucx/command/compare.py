"""``python -m skaucx compare``: compare two models on the same rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Array
from .._text.numbers import fixed, p_value
from .._text.plain import count, paragraph, table
from ..inference import ComparisonResult, paired_test
from ..metrics._registry.names import NamedMetric, named_metrics
from ._files import (
    add_columns,
    add_resampling,
    existing_file,
    label_of,
    named_columns,
    scores_of,
)
from ._terminal import print_json, printable, strong

EXAMPLE = """\
example:
  python -m skaucx compare old.csv new.csv --y-true disease --y-score risk \\
      --pos-label ill --id patient
"""
_OF_SCORES = ["roc_auc", "average_precision", "brier_score_loss"]
_OF_LABELS = ["accuracy", "recall", "specificity"]
# Attributes of a result.
_FIELDS = ("estimates", "difference", "interval", "confidence_level", "p_value", "method", "target")


DESCRIPTION = """\
Compare two models on the same rows, such as the same patients: each metric of both, the
difference (first minus second) with its interval, and a test. The AUC by DeLong's test, accuracy
by McNemar's, other metrics of scores by their influence curves (means over rows: the paired t
test), any other metric by resampling the rows.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "first", metavar="A", type=existing_file, help="Parquet or CSV file of the first model"
    )
    parser.add_argument(
        "second", metavar="B", type=existing_file, help="that of the second, with the same columns"
    )
    add_columns(parser)
    parser.add_argument(
        "--id", metavar="COLUMN", help="matches the rows; without it by their order"
    )
    add_resampling(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> None:
    """Read both files, print the comparison."""
    files = [arguments.first, arguments.second]
    a, b = named_columns(arguments, files, arguments.id, arguments.groups)
    b = _matched(a, b, arguments)
    found = {
        named.key: _test(named, a, b, arguments) for named in named_metrics(_metrics(arguments))
    }
    if arguments.json:
        print_json({name: {f: getattr(test, f) for f in _FIELDS} for name, test in found.items()})
        return
    n_rows = count(len(a[arguments.y_true]), "row")
    print(strong(paragraph(printable(f"{arguments.first} against {arguments.second}, {n_rows}"))))
    share = f"{100 * arguments.confidence_level:g} % interval"
    print(table(["metric", "A", "B", "A - B", share, "p", "test"], _rows(found)))
    drawn = [
        test.method.partition(", ")[2] for test in found.values() if "bootstrap" in test.method
    ]
    print(paragraph("; ".join(["Target: these predictions", *drawn[:1]]) + ".", hang=2))
    if len(found) > 1:
        print(paragraph("The p-values are not adjusted for looking at several metrics.", hang=2))


def _rows(found: Mapping[str, ComparisonResult]) -> list[list[str]]:
    return [
        [
            name, *map(fixed, test.estimates), fixed(test.difference),
            f"{fixed(test.interval[0])} to {fixed(test.interval[1])}", p_value(test.p_value),
            test.method.partition(",")[0].removesuffix(f" of {name}"),
        ]
        for name, test in found.items()
    ]  # fmt: skip


def _metrics(arguments: argparse.Namespace) -> list[str]:
    """Return the metrics that are named, or some that suit the columns."""
    if arguments.metrics:
        return list(arguments.metrics)
    many = len(arguments.y_score or ()) > 1
    scores = (["roc_auc_ovr", "log_loss"] if many else _OF_SCORES) if arguments.y_score else []
    labels = (["accuracy"] if many else _OF_LABELS) if arguments.y_pred else []
    return scores + labels


def _matched(
    a: Mapping[str, Array], b: Mapping[str, Array], arguments: argparse.Namespace
) -> dict[str, Array]:
    """Return the rows of the second file in the order of the first; the true labels must agree."""
    first, second = arguments.first, arguments.second
    order: Any = slice(None)
    if arguments.id:
        order = _order(a[arguments.id], b[arguments.id], arguments)
    elif len(a[arguments.y_true]) != len(b[arguments.y_true]):
        raise ValueError(
            f"{first} has {len(a[arguments.y_true])} rows and {second} "
            f"{len(b[arguments.y_true])}; name a column that matches them with --id."
        )
    b = {name: column[order] for name, column in b.items()}
    for name in filter(None, (arguments.y_true, arguments.sample_weight, arguments.groups)):
        if (differ := np.flatnonzero(a[name] != b[name])).size:
            row = int(differ[0])
            raise ValueError(
                f"{second} has {b[name][row].item()!r} in column {name!r} where {first} has "
                f"{a[name][row].item()!r}, in row {row}; both need the same rows"
                f"{'' if arguments.id else ', in the same order or matched by --id'}."
            )
    return b


def _order(a: Array, b: Array, arguments: argparse.Namespace) -> Array:
    """Return the place of each row of the first file in the second, by its id."""
    for file, ids, others in ((arguments.first, a, b), (arguments.second, b, a)):
        values, counts = np.unique(ids, return_counts=True)
        if (counts > 1).any():
            twice = values[counts > 1][0].item()
            raise ValueError(f"{file} has {twice!r} more than once in column {arguments.id!r}.")
        if (missing := np.setdiff1d(others, values)).size:
            raise ValueError(
                f"{file} lacks {missing[0].item()!r} in column {arguments.id!r}, and "
                f"{missing.size - 1} more."
            )
    return np.asarray(np.argsort(b)[np.argsort(np.argsort(a))])


def _test(
    named: NamedMetric,
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    arguments: argparse.Namespace,
) -> ComparisonResult:
    """Compare by the test that suits the metric."""
    argument = "y_pred" if named.row.kind.counted else "y_score"
    if not getattr(arguments, argument):
        raise ValueError(f"{named.key} needs {argument}; name its column.")
    one, two = (
        each[arguments.y_pred] if argument == "y_pred" else scores_of(each, arguments)
        for each in (a, b)
    )
    truth, positive = a[arguments.y_true], {}
    takes = "pos_label" in named.function.options and named.parameters.get("average") is None
    if arguments.pos_label is not None and takes:
        positive["pos_label"] = label_of(arguments.pos_label, np.unique(truth).tolist())
    return paired_test(
        named.key, truth, one, two, groups=a.get(arguments.groups),
        sample_weight=a.get(arguments.sample_weight), random_state=arguments.random_state,
        n_resamples=arguments.n_resamples, confidence_level=arguments.confidence_level, **positive,
    )  # fmt: skip
