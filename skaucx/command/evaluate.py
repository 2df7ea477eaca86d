"""``python -m skaucx evaluate``: metrics of predictions in Parquet or CSV files of any size."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..metrics import Certified, Evaluation, MetricAccumulator
from ..study._progress import ProgressBar
from ._files import Batch, Table

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
    parser.add_argument("files", nargs="+", metavar="FILE", help="Parquet or CSV, by its ending")
    parser.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    parser.add_argument(
        "--score", type=_names, metavar="COLUMNS",
        help="scores of the positive class, or a column a class parted by commas",
    )  # fmt: skip
    parser.add_argument("--pred", metavar="COLUMN", help="predicted labels")
    parser.add_argument("--weight", metavar="COLUMN", help="weights >= 0")
    parser.add_argument("--by", metavar="COLUMN", help="groups to evaluate one by one")
    parser.add_argument(
        "--metrics", type=_names, metavar="NAMES", help="names parted by commas; all by default"
    )
    parser.add_argument("--positive", metavar="LABEL", help="the positive class")
    parser.add_argument(
        "--average", metavar="HOW", help="macro, micro or weighted, of many classes"
    )
    parser.add_argument("--multi-class", choices=("ovr", "ovo"), help="of many columns of scores")
    parser.add_argument(
        "--max-cells", type=int, default=1 << 20, metavar="N", help="cells of scores (2^20)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Read the files, print the metrics."""
    if not arguments.score and not arguments.pred:
        raise ValueError("Nothing to judge; name columns with --score or --pred.")
    groups = _counted(arguments)
    if not groups:
        raise ValueError("The files hold no rows.")
    options = _options(arguments, next(iter(groups.values())))
    found = {group: counts.result(**options) for group, counts in groups.items()}
    if arguments.json:
        plain = {str(group): _plain(values) for group, values in found.items()}
        print(json.dumps(plain if arguments.by else plain["all"], indent=2))
        return
    for group, values in found.items():
        if arguments.by:
            print(f"{arguments.by} = {group} ({groups[group].n_samples} rows)")
        print(values, end="\n\n" if arguments.by else "\n")


def _counted(arguments: argparse.Namespace) -> dict[Any, MetricAccumulator]:
    """Count the rows of each group, of all rows without groups."""
    columns = [arguments.true, *(arguments.score or ())]
    columns += [c for c in (arguments.pred, arguments.weight, arguments.by) if c]
    tables = [Table(file, columns) for file in arguments.files]
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

    columns = [values(column) for column in arguments.score or ()]
    score = np.column_stack(columns) if len(columns) > 1 else columns[0] if columns else None
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


def _options(arguments: argparse.Namespace, counts: MetricAccumulator) -> dict[str, Any]:
    named = {"average": arguments.average, "multi_class": arguments.multi_class}
    options = {name: value for name, value in named.items() if value is not None}
    if arguments.positive is not None:
        options["pos_label"] = _label(arguments.positive, counts.classes)
    return options


def _label(text: str, classes: Sequence[Any]) -> Any:
    """Return the class that a word on the command line stands for."""
    for label in classes:
        if str(label) == text:
            return label
    raise ValueError(f"--positive {text!r} is none of the labels {', '.join(map(str, classes))}.")


def _plain(values: Evaluation) -> dict[str, Any]:
    return {
        name: {"value": v.value, "low": v.low, "high": v.high} if isinstance(v, Certified) else v
        for name, v in values.items()
    }


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]
