"""``python -m skaucx evaluate``: metrics of predictions in Parquet or CSV files of any size."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from itertools import chain
from typing import Any

import numpy as np

from .._in_parts import Reader, announced_reader, is_bounded
from .._progress import ProgressBar
from .._text.numbers import fixed
from .._text.plain import table
from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..evaluation._groups import Partition
from ..inference import Interval
from ..metrics import decision_curve
from ..metrics._records.inputs import known_positive, positive_code
from ..metrics._registry.names import SETS
from ..metrics.curves import DecisionCurve
from ._files import (
    Batch,
    add_columns,
    add_files,
    add_resampling,
    example,
    label_of,
    named_array,
    named_columns,
    named_tables,
    read_whole,
    score_of,
)  # fmt: skip
from ._terminal import in_options, print_json, printable

# Tables with named columns, and what is found of them: metrics, perhaps a decision curve.
Tables = Callable[..., Sequence[Any]]
Found = tuple[Evaluation | GroupedEvaluation, DecisionCurve | None]
# Resamples of the rows of an example, which refuse a call before those of the files are read.
_REHEARSED = 100
# Of a decision curve in the terminal.
_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
EXAMPLE = """\
example:
  python -m skaucx evaluate predictions.parquet --true label --score p \\
      --pred yhat --by hospital --metrics roc_auc,mm7_auc,fbeta:beta=2
  python -m skaucx evaluate risks.csv --true disease --score risk \\
      --positive ill --set clinical --groups patient --threshold 0.1 \\
      --decision-curve --intervals
"""


DESCRIPTION = """\
Metrics of predictions in Parquet or CSV files, read a batch at a time. Metrics of scores are
exact up to --max-cells distinct scores, and lie between two bounds beyond.
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
        help="predicted labels from a probability of X on, and the threshold of net benefit",
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
    parser.add_argument(
        "--max-cells", type=int, default=1 << 20, metavar="N", help="cells of scores (2^20)"
    )
    parser.add_argument(
        "--intervals", action="store_true", help="an interval for every value, from the counts"
    )
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
            _evaluated(rehearsed, lambda *_: [example(arguments)])
    tables = partial(named_tables, arguments, arguments.files)
    found, curve = _evaluated(arguments, lambda *others: [*chain.from_iterable(tables(*others))])
    if arguments.json:
        more = {} if curve is None else {"decision_curve": _columns_of(curve)}
        print_json(_plain(found) | more)
        return
    print(printable(in_options(str(found))))
    if curve is not None:
        held = _columns_of(curve)
        rows = [[f"{at[0]:g}", *map(fixed, at[1:])] for at in zip(*held.values(), strict=True)]
        print("\n" + table(list(held), rows))


def _evaluated(arguments: argparse.Namespace, tables: Tables) -> Found:
    """Return the metrics of the tables with the named columns, and the decision curve."""
    whole = arguments.groups, arguments.decision_curve, arguments.array
    reader = announced_reader()
    counted = reader is not None and reader.counts_all(arguments.metrics)
    if any(whole) or arguments.threshold is not None or reader is None or not counted:
        return _of_all_rows(arguments, tables)
    groups = _counted(reader, arguments, tables(arguments.by))
    if not groups:
        raise ValueError(f"{' and '.join(arguments.files)}: there are no rows.")
    options = _options(arguments, {c: None for own in groups.values() for c in own.classes})
    certainty = _certainty(arguments)
    if not arguments.by:
        return groups["all"].result(**options, **certainty), None
    held = dict(sorted(groups.items()))
    return reader.evaluated_groups(held, arguments.by, options, **certainty), None


def _of_all_rows(arguments: argparse.Namespace, tables: Tables) -> Found:
    """Read all rows at once, for what counts do not give: groups of rows, labels at a threshold."""
    further = dict(arguments.array)
    of_arrays = chain.from_iterable(further.values())
    others = [arguments.by, arguments.groups, *of_arrays]
    columns = read_whole(tables(*others), named_columns(arguments, *others))
    y, score = columns[arguments.true], score_of(columns, arguments.score)
    pred = columns.get(arguments.pred or "")
    classes = np.unique(y)
    options = _options(arguments, classes.tolist())
    threshold = arguments.threshold
    if threshold is not None:
        options["threshold"] = threshold
        if score is None or score.ndim != 1 or len(classes) != 2 or pred is not None:
            raise ValueError(
                "--threshold makes predicted labels of one column of probabilities of two classes; "
                "name it by --score, without --pred."
            )
        positive = classes[known_positive(positive_code(classes, options.get("pos_label")))]
        pred = np.where(score >= threshold, positive, classes[classes != positive][0])
    shared: dict[str, Any] = {"sample_weight": columns.get(arguments.weight or "")}
    beside = {name: score_of(columns, named) for name, named in further.items()}
    requested = arguments.metrics
    if threshold is not None and requested is None:
        requested = ["default", "net_benefit"]
    found = evaluate(
        y, pred, score, requested, by=arguments.by and {arguments.by: columns[arguments.by]},
        groups=columns.get(arguments.groups or ""),
        **shared, **beside, **_certainty(arguments), **options,
    )  # fmt: skip
    curve = None
    if arguments.decision_curve:
        at = sorted({*_THRESHOLDS, *([threshold] if threshold else [])})
        named = {"pos_label": options["pos_label"]} if "pos_label" in options else {}
        curve = decision_curve(y, score, thresholds=at, **shared, **named)
    return found, curve


def _columns_of(curve: DecisionCurve) -> dict[str, list[float]]:
    """Return the thresholds with the net benefit of the model and of treating all."""
    names = ("thresholds", "net_benefit", "treat_all")
    return {name.replace("_", " "): getattr(curve, name).tolist() for name in names}


def _certainty(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "confidence_level": arguments.confidence_level, "n_resamples": arguments.n_resamples,
        "random_state": arguments.seed, "intervals": arguments.intervals,
    }  # fmt: skip


def _counted(
    reader: Reader, arguments: argparse.Namespace, tables: Sequence[Any]
) -> dict[Any, Any]:
    """Count the rows of each group, of all rows without groups."""
    groups: dict[Any, Any] = {}
    total = sum(table.size for table in tables)
    with ProgressBar(total, shown=sys.stderr.isatty()) as bar:
        for table in tables:
            for batch in table:
                for group, rows in _parted(batch, arguments.by):
                    if group not in groups:
                        groups[group] = _accumulator(reader, arguments)
                    _update(groups[group], batch, rows, arguments)
                bar.advance(batch.size, batch.rows)
    return groups


def _accumulator(reader: Reader, arguments: argparse.Namespace) -> Any:
    return reader.accumulator(
        arguments.metrics,
        max_cells=arguments.max_cells,
        intervals=arguments.intervals,
        multi_class=arguments.multi_class or "raise",
    )


def _update(counts: Any, batch: Batch, rows: Any, arguments: argparse.Namespace) -> None:
    def values(column: str) -> Any:
        return batch.columns[column][rows]

    score = score_of({name: values(name) for name in arguments.score or ()}, arguments.score)
    try:
        counts.update(
            values(arguments.true),
            values(arguments.pred) if arguments.pred else None,
            score,
            sample_weight=values(arguments.weight) if arguments.weight else None,
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{batch.name}: {str(error).partition(': ')[2]}") from None


def _parted(batch: Batch, by: str | None) -> Iterator[tuple[Any, Any]]:
    """Yield the groups of a batch with their rows."""
    if by is None:
        yield "all", slice(None)
        return
    column = batch.columns[by]
    parts = Partition.of({by: column}, column)
    yield from zip(map(str, parts.keys), parts.rows.values(), strict=True)


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
    """Return a number, with its bounds and its interval where it has them."""
    own = {"value": value}
    if is_bounded(value):
        own = {"value": value.value, "low": value.low, "high": value.high}
    if interval is not None:
        names = ("low", "high", "confidence_level", "method")
        own["interval"] = {name: getattr(interval, name) for name in names}
    return own if len(own) > 1 else value
