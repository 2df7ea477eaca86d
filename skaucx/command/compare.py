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
from ..metrics._registry.names import NamedMetric, named_metric
from ._files import (
    add_columns,
    add_resampling,
    existing_file,
    label_of,
    matrix_of,
    named_columns,
)
from ._terminal import print_json, printable, strong

EXAMPLE = """\
example:
  python -m skaucx compare old.csv new.csv --true disease --score risk \\
      --positive ill --id patient
"""
_OF_SCORES = ["roc_auc", "average_precision", "brier_score_loss"]
_OF_LABELS = ["accuracy", "recall", "specificity"]


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
        (named := named_metric(name)).key: _test(named, a, b, arguments)
        for name in _metrics(arguments)
    }
    if arguments.json:
        print_json({name: _record(test) for name, test in found.items()})
        return
    head = f"{arguments.first} against {arguments.second}, {count(len(a[arguments.true]), 'row')}"
    print(strong(paragraph(printable(head))))
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


def _record(test: ComparisonResult) -> dict[str, Any]:
    return {
        "estimates": test.estimates, "difference": test.difference, "interval": test.interval,
        "confidence_level": test.confidence_level, "p_value": test.p_value,
        "method": test.method, "target": test.target,
    }  # fmt: skip


def _metrics(arguments: argparse.Namespace) -> list[str]:
    if arguments.metrics:
        return list(arguments.metrics)
    many = len(arguments.score or ()) > 1
    scores = (["roc_auc_ovr", "log_loss"] if many else _OF_SCORES) if arguments.score else []
    labels = (["accuracy"] if many else _OF_LABELS) if arguments.pred else []
    return scores + labels


def _matched(
    a: Mapping[str, Array], b: Mapping[str, Array], arguments: argparse.Namespace
) -> dict[str, Array]:
    """Return the rows of the second file in the order of the first; the true labels must agree."""
    first, second = arguments.first, arguments.second
    order: Any = slice(None)
    if arguments.id:
        order = _order(a[arguments.id], b[arguments.id], arguments)
    elif len(a[arguments.true]) != len(b[arguments.true]):
        raise ValueError(
            f"{first} has {len(a[arguments.true])} rows and {second} {len(b[arguments.true])}; "
            "name a column that matches them with --id."
        )
    b = {name: column[order] for name, column in b.items()}
    for name in (arguments.true, arguments.weight, arguments.groups):
        if name and (differ := np.flatnonzero(a[name] != b[name])).size:
            row = int(differ[0])
            raise ValueError(
                f"{second} has {_first(b[name][row:])} in column {name!r} where {first} has "
                f"{_first(a[name][row:])}, in row {row}; both need the same rows"
                f"{'' if arguments.id else ', in the same order or matched by --id'}."
            )
    return b


def _order(a: Array, b: Array, arguments: argparse.Namespace) -> Array:
    for file, ids in ((arguments.first, a), (arguments.second, b)):
        values, counts = np.unique(ids, return_counts=True)
        if (counts > 1).any():
            twice = values[counts > 1]
            raise ValueError(
                f"{file} has {_first(twice)} more than once in column {arguments.id!r}."
            )
    for file, missing in (
        (arguments.second, np.setdiff1d(a, b)), (arguments.first, np.setdiff1d(b, a)),
    ):  # fmt: skip
        if missing.size:
            raise ValueError(
                f"{file} lacks {_first(missing)} in column {arguments.id!r}, and "
                f"{missing.size - 1} more."
            )
    place = np.argsort(b)
    return np.asarray(place[np.searchsorted(b[place], a)])


def _first(values: Array) -> str:
    """Return the first value as it is written, without the type that NumPy gives it."""
    return repr(values[:1].tolist()[0])


def _test(
    named: NamedMetric,
    a: Mapping[str, Array],
    b: Mapping[str, Array],
    arguments: argparse.Namespace,
) -> ComparisonResult:
    """Compare by the test that suits the metric."""
    truth = a[arguments.true]
    weight, groups = a.get(arguments.weight or ""), a.get(arguments.groups or "")
    if named.row.kind.counted:
        if not arguments.pred:
            raise ValueError(f"{named.key} needs predicted labels; name their column with --pred.")
        one, two = a[arguments.pred], b[arguments.pred]
    else:
        if not arguments.score:
            raise ValueError(f"{named.key} needs scores; name their column with --score.")
        one, two = (matrix_of(each, truth, arguments.score) for each in (a, b))
    return paired_test(
        named.key, truth, one, two, groups=groups, sample_weight=weight, random_state=arguments.seed,
        n_resamples=arguments.n_resamples, confidence_level=arguments.confidence_level,
        **_positive(named, truth, arguments),
    )  # fmt: skip


def _positive(named: NamedMetric, truth: Array, arguments: argparse.Namespace) -> dict[str, Any]:
    takes = "pos_label" in named.function.options and named.parameters.get("average") is None
    if arguments.positive is None or not takes:
        return {}
    return {"pos_label": label_of(arguments.positive, np.unique(truth).tolist())}
