"""``python -m skaucx evaluate``: metrics of predictions in Parquet or CSV files."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr
from io import StringIO
from itertools import chain
from typing import Any

import numpy as np

from .._arrays import Array
from .._text.numbers import fixed
from .._text.plain import table
from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..inference import Interval
from ..metrics import decision_curve
from ..metrics._registry.names import SETS
from ..metrics.curves import DecisionCurve
from ._files import (
    add_columns,
    add_files,
    add_resampling,
    below_each_other,
    example,
    label_of,
    matrix_of,
    named_array,
    named_columns,
)
from ._terminal import in_options, print_json, printable

# Metrics, perhaps a decision curve.
Found = tuple[Evaluation | GroupedEvaluation, DecisionCurve | None]
# Resamples of the rows of an example, which refuse a call before those of the files are read.
_REHEARSED = 100
# Of a decision curve in the terminal.
_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
EXAMPLE = """\
example:
  python -m skaucx evaluate predictions.parquet --true label --score p \\
      --pred yhat --by hospital --metrics roc_auc,mm7_auc,f2
  python -m skaucx evaluate risks.csv --true disease --score risk \\
      --positive ill --set clinical --groups patient --threshold 0.1 \\
      --decision-curve --intervals
"""


DESCRIPTION = """\
Metrics of predictions in Parquet or CSV files.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_files(parser)
    add_columns(parser)
    parser.add_argument("--by", metavar="COLUMN", help="groups to compare")
    parser.add_argument(
        "--set",
        choices=sorted(SETS),
        dest="named_set",
        metavar="SET",
        help=f"a named set of metrics: {', '.join(sorted(SETS))}",
    )
    parser.add_argument(
        "--threshold", type=float, metavar="X",
        help="scores of at least X are predicted positive; the threshold of net benefit",
    )  # fmt: skip
    parser.add_argument(
        "--decision-curve", action="store_true", help="net benefit at several thresholds, too"
    )
    parser.add_argument(
        "--array", action="append", default=[], type=named_array, metavar="NAME=COLUMNS",
        help="a further array of metrics: its name and its columns, such as treatment=letter",
    )  # fmt: skip
    parser.add_argument(
        "--average", metavar="HOW", help="macro, micro or weighted, of many classes"
    )
    parser.add_argument("--multi-class", choices=("ovr", "ovo"), help="of many columns of scores")
    parser.add_argument("--intervals", action="store_true", help="an interval for every value")
    add_resampling(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    if arguments.named_set:
        arguments.metrics = [arguments.named_set, *(arguments.metrics or ())]
    named = arguments.score or arguments.pred
    if named and not arguments.array:  # which has rules of its own
        rehearsed = argparse.Namespace(**vars(arguments) | {"positive": None, "seed": 0})
        rehearsed.n_resamples = min(arguments.n_resamples, _REHEARSED)
        with warnings.catch_warnings(), redirect_stderr(StringIO()):  # without progress
            warnings.simplefilter("ignore")
            _evaluated(rehearsed, example(arguments))
    further = list(chain.from_iterable(of_array for _, of_array in arguments.array))
    matrices = chain.from_iterable(c for _, c in arguments.array if len(c) > 1)
    others = arguments.by, arguments.groups, *further
    files = named_columns(arguments, arguments.files, *others, numbers=matrices)
    found, curve = _evaluated(arguments, below_each_other(files))
    if arguments.json:
        more = {} if curve is None else {"decision_curve": _columns_of(curve)}
        print_json(_plain(found) | more)
        return
    print(printable(in_options(str(found))))
    if curve is not None:
        held = _columns_of(curve)
        rows = [[f"{at[0]:g}", *map(fixed, at[1:])] for at in zip(*held.values(), strict=True)]
        print("\n" + table(list(held), rows))


def _evaluated(arguments: argparse.Namespace, columns: Mapping[str, Array]) -> Found:
    """Return the metrics of the named columns, and the decision curve."""
    y = columns[arguments.true]
    score = matrix_of(columns, y, arguments.score)
    pred = columns.get(arguments.pred or "")
    options = _options(arguments, np.unique(y).tolist())
    shared: dict[str, Any] = {"sample_weight": columns.get(arguments.weight or "")}
    beside = {name: matrix_of(columns, y, named, name) for name, named in arguments.array}
    found = evaluate(
        y, pred, score, arguments.metrics, by=arguments.by and {arguments.by: columns[arguments.by]},
        groups=columns.get(arguments.groups or ""), threshold=arguments.threshold,
        **shared, **beside, **_certainty(arguments), **options,
    )  # fmt: skip
    curve = None
    if arguments.decision_curve:
        at = sorted({*_THRESHOLDS, *([arguments.threshold] if arguments.threshold else [])})
        named = {"pos_label": options["pos_label"]} if "pos_label" in options else {}
        curve = decision_curve(y, score, thresholds=at, **shared, **named)
    return found, curve


def _columns_of(curve: DecisionCurve) -> dict[str, list[float]]:
    """Return the thresholds with the net benefit of the model and of treating all."""
    names = ("thresholds", "net_benefit", "treat_all")
    return {name: getattr(curve, name).tolist() for name in names}


def _certainty(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "confidence_level": arguments.confidence_level, "n_resamples": arguments.n_resamples,
        "random_state": arguments.seed, "intervals": arguments.intervals,
    }  # fmt: skip


def _options(arguments: argparse.Namespace, classes: Iterable[Any]) -> dict[str, Any]:
    named = {"average": arguments.average, "multi_class": arguments.multi_class}
    options = {name: value for name, value in named.items() if value is not None}
    if arguments.positive is not None:
        options["pos_label"] = label_of(arguments.positive, list(classes))
    return options


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
