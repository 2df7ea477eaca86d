"""``skaucx compare``: compare two models on the same rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Array
from .._text.numbers import p_value
from .._text.plain import count
from .._text.tables import Table
from ..inference import ComparisonResult, paired_test
from ..metrics._registry.names import NamedMetric, named_metrics
from ._files import add_columns, add_resampling, named, positive_of, read, scores_of
from ._terminal import print_json, printable

EXAMPLE = """\
example:
  skaucx compare old.csv new.csv --y-true disease --y-score risk \\
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
    parser.add_argument("first", metavar="A", help="Parquet or CSV file of the first model")
    parser.add_argument("second", metavar="B", help="that of the second, with the same columns")
    add_columns(parser)
    parser.add_argument(
        "--id", metavar="COLUMN", help="matches the rows; without it by their order"
    )
    add_resampling(parser)


def run(arguments: argparse.Namespace) -> None:
    """Read both files, print the comparison."""
    a, b = (read(arguments, [f], arguments.id) for f in (arguments.first, arguments.second))
    b = _matched(a, b, arguments)
    found = {one.key: _test(one, a, b, arguments) for one in named_metrics(_metrics(arguments))}
    if arguments.json:
        print_json({name: {f: getattr(test, f) for f in _FIELDS} for name, test in found.items()})
        return
    tests = found.values()
    resamples = [t.method.partition(", ")[2] for t in tests if "bootstrap" in t.method][:1]
    notes = [f"{'; '.join(['Target: these predictions', *resamples])}."]
    if len(found) > 1:
        notes.append("The p-values are not adjusted for looking at several metrics.")
    table = Table(
        ["metric", "A", "B", "A - B", f"{100 * arguments.confidence_level:g} % interval", "p", "test"],
        [
            [name, *t.estimates, t.difference, tuple(t.interval), t.p_value,
             t.method.partition(",")[0].removesuffix(f" of {name}")]
            for name, t in found.items()
        ],
        f"{arguments.first} against {arguments.second}, {count(len(a[arguments.y_true]), 'row')}",
        notes, {"p": p_value},
    )  # fmt: skip
    print(printable(str(table)))


def _metrics(arguments: argparse.Namespace) -> list[str]:
    """Return the metrics that are named, or some that suit the columns."""
    if asked := named(arguments.metrics):
        return asked
    scores = named(arguments.y_score) or []
    of_scores, of_labels = _OF_SCORES, _OF_LABELS
    if len(scores) > 1:
        of_scores, of_labels = ["roc_auc_ovr", "log_loss"], ["accuracy"]
    return (of_scores if scores else []) + (of_labels if arguments.y_pred else [])


def _matched(
    a: Mapping[str, Array], b: Mapping[str, Array], arguments: argparse.Namespace
) -> dict[str, Array]:
    """Return the rows of the second file in the order of the first; what both hold must agree."""
    first, second, key = arguments.first, arguments.second, arguments.id
    rows, others = len(a[arguments.y_true]), len(b[arguments.y_true])
    if rows != others:
        raise ValueError(
            f"{first} has {rows} rows and {second} {others}; both need the same rows, in the same "
            "order or matched by --id."
        )
    order: Any = slice(None)
    if key:
        ids, counts = np.unique(a[key], return_counts=True)
        if len(ids) < rows:
            twice = ids[counts.argmax()].item()
            raise ValueError(f"{first} has {twice!r} more than once in column {key!r}.")
        order = np.argsort(b[key])[np.argsort(np.argsort(a[key]))]
    b = {name: column[order] for name, column in b.items()}
    for name in filter(None, (key, arguments.y_true, arguments.sample_weight, arguments.groups)):
        if (differ := np.flatnonzero(a[name] != b[name])).size:
            row = int(differ[0])
            raise ValueError(
                f"{second} has {b[name][row].item()!r} in column {name!r} where {first} has "
                f"{a[name][row].item()!r}, in row {row}; both need the same rows, in the same order or "
                "matched by --id."
            )
    return b


def _test(
    metric: NamedMetric,
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    arguments: argparse.Namespace,
) -> ComparisonResult:
    """Compare by the test that suits the metric."""
    argument = "y_pred" if metric.row.kind.counted else "y_score"
    if not getattr(arguments, argument):
        raise ValueError(f"{metric.key} needs {argument}; name its column.")
    one, two = (
        each[arguments.y_pred] if argument == "y_pred" else scores_of(each, arguments)
        for each in (a, b)
    )
    positive = {}
    takes = "pos_label" in metric.function.options and metric.parameters.get("average") is None
    if arguments.pos_label is not None and takes:
        positive["pos_label"] = positive_of(a, arguments)
    return paired_test(
        metric.key, a[arguments.y_true], one, two, groups=a.get(arguments.groups),
        sample_weight=a.get(arguments.sample_weight), random_state=arguments.random_state,
        n_resamples=arguments.n_resamples, confidence_level=arguments.confidence_level, **positive,
    )  # fmt: skip
