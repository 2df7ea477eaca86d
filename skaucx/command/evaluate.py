"""``python -m skaucx evaluate``: metrics of predictions in Parquet or CSV files of any size."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from .._progress import ProgressBar
from ..metrics import MetricAccumulator
from ..metrics.accumulation import Certified
from ..metrics.accumulation._accumulator import evaluated_groups
from ..metrics.estimation import Interval
from ..metrics.reports import Evaluation, GroupedEvaluation
from ._files import Batch, add_columns, asked_tables, check_judged, label_of, names, score_of
from ._terminal import in_options, print_json, printable

_EXAMPLE = """\
example:
  python -m skaucx evaluate predictions.parquet --true label --score p --pred yhat \\
    --by hospital --metrics roc_auc,mm7_auc,recall
"""


def add_parser(commands: Any) -> None:
    """Add the command to the subparsers of the program."""
    parser = commands.add_parser(
        "evaluate",
        help="metrics of predictions in Parquet or CSV files, however large",
        description="Metrics of predictions in Parquet or CSV files, read a batch at a time. Metrics of "
        "scores are exact up to --max-cells distinct scores, and lie between two bounds beyond.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="Parquet or CSV, or a folder",
    )
    add_columns(parser)
    parser.add_argument("--by", metavar="COLUMN", help="groups to compare")
    parser.add_argument(
        "--metrics", type=names, metavar="NAMES", help="names parted by commas; all by default"
    )
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
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")
    parser.add_argument("--n-resamples", type=int, default=2000, metavar="N", help="2000")
    parser.add_argument("--seed", type=int, default=0, help="of the resampling (0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    check_judged(arguments)
    groups = _counted(arguments)
    if not groups:
        raise ValueError(f"{' and '.join(arguments.files)}: there are no rows.")
    options = _options(arguments, {c: None for own in groups.values() for c in own.classes})
    certainty = {
        "confidence_level": arguments.confidence_level, "n_resamples": arguments.n_resamples,
        "random_state": arguments.seed, "intervals": arguments.intervals,
    }  # fmt: skip
    found: Evaluation | GroupedEvaluation
    if arguments.by:
        found = evaluated_groups(dict(sorted(groups.items())), arguments.by, options, **certainty)
        plain = {str(group): _plain(values) for group, values in found.items()}
    else:
        found = groups["all"].result(**options, **certainty)
        plain = _plain(found)
    if arguments.json:
        print_json(plain)
    else:
        print(printable(in_options(str(found))))


def _counted(arguments: argparse.Namespace) -> dict[Any, MetricAccumulator]:
    """Count the rows of each group, of all rows without groups."""
    tables = list(chain.from_iterable(asked_tables(arguments, arguments.files, arguments.by)))
    groups: dict[Any, MetricAccumulator] = {}
    total = sum(table.size for table in tables)
    with ProgressBar(total, shown=sys.stderr.isatty()) as bar:
        for table in tables:
            for batch in table:
                for group, rows in _parted(batch, arguments.by):
                    if group not in groups:
                        groups[group] = _accumulator(arguments)
                    _update(groups[group], batch, rows, arguments)
                bar.advance(batch.size)
    return groups


def _accumulator(arguments: argparse.Namespace) -> MetricAccumulator:
    return MetricAccumulator(
        arguments.metrics,
        max_cells=arguments.max_cells,
        multi_class=arguments.multi_class or "raise",
    )


def _update(
    counts: MetricAccumulator, batch: Batch, rows: Any, arguments: argparse.Namespace
) -> None:
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
    groups, codes = np.unique(batch.columns[by].astype(str), return_inverse=True)
    for code, group in enumerate(groups.tolist()):
        yield group, np.flatnonzero(codes == code)


def _options(arguments: argparse.Namespace, classes: Iterable[Any]) -> dict[str, Any]:
    named = {"average": arguments.average, "multi_class": arguments.multi_class}
    options = {name: value for name, value in named.items() if value is not None}
    if arguments.positive is not None:
        options["pos_label"] = label_of(arguments.positive, list(classes))
    return options


def _plain(found: Evaluation) -> dict[str, Any]:
    return {name: _record(value, found.intervals.get(name)) for name, value in found.items()}


def _record(value: Any, interval: Interval | None) -> Any:
    """Return a number, with its bounds and its interval where it has them."""
    own = {"value": value}
    if isinstance(value, Certified):
        own = {"value": value.value, "low": value.low, "high": value.high}
    if interval is not None:
        names = ("low", "high", "confidence_level", "method")
        own["interval"] = {name: getattr(interval, name) for name in names}
    return own if len(own) > 1 else value
