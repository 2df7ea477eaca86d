"""Arguments that name the columns of a file, and the columns read whole."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Array
from .._progress import ProgressBar
from ._files import Table, tables_of


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the columns that judged predictions have."""
    parser.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    parser.add_argument(
        "--score", type=names, metavar="COLUMNS",
        help="scores of the positive class, or a column a class parted by commas",
    )  # fmt: skip
    parser.add_argument("--pred", metavar="COLUMN", help="predicted labels")
    parser.add_argument("--weight", metavar="COLUMN", help="weights >= 0")
    parser.add_argument("--positive", metavar="LABEL", help="the positive class")


def names(text: str) -> list[str]:
    """Return the names in a list parted by commas."""
    return [name.strip() for name in text.split(",")]


def check_judged(arguments: argparse.Namespace) -> None:
    """Refuse files of which nothing is to be judged."""
    if not arguments.score and not arguments.pred:
        raise ValueError("Nothing to judge; name columns with --score or --pred.")


def asked_columns(arguments: argparse.Namespace, *others: str | None) -> list[str]:
    """Return the columns to read, those that were named."""
    named = [arguments.true, *(arguments.score or ()), arguments.pred, arguments.weight, *others]
    return [name for name in named if name]


def asked_tables(
    arguments: argparse.Namespace, files: Sequence[str], *others: str | None
) -> list[list[Table]]:
    """Return the tables of each file, with the columns to read."""
    return tables_of(
        files, asked_columns(arguments, *others), asked_numbers(arguments),
        [arguments.true, arguments.pred],
    )  # fmt: skip


def asked_numbers(arguments: argparse.Namespace) -> list[str]:
    """Return the columns that must hold numbers: scores and weights."""
    return [name for name in (*(arguments.score or ()), arguments.weight) if name]


def read_whole(tables: Sequence[Table], columns: Sequence[str]) -> dict[str, Array]:
    """Return the columns of some files, one below the other."""
    parts: dict[str, list[Array]] = {name: [] for name in columns}
    with ProgressBar(sum(t.size for t in tables), shown=sys.stderr.isatty()) as bar:
        for table in tables:
            for batch in table:
                for name in columns:
                    parts[name].append(batch.columns[name])
                bar.advance(batch.size)
    if not any(parts.values()):
        raise ValueError(f"{' and '.join(table.path for table in tables)}: there are no rows.")
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def score_of(columns: Mapping[str, Array], score: Sequence[str] | None) -> Any:
    """Return one column of scores, or a matrix of several; None without any."""
    if not score:
        return None
    arrays = [columns[name] for name in score]
    return np.column_stack(arrays) if len(arrays) > 1 else arrays[0]


def label_of(text: str, classes: Sequence[Any]) -> Any:
    """Return the class that a word on the command line stands for."""
    for label in classes:
        same = str(label) == text or (
            isinstance(label, bool) and str(label).lower() == text.lower()
        )
        if same or (isinstance(label, int | float) and _number(text) == label):
            return label
    raise ValueError(f"--positive {text!r} is none of the labels {', '.join(map(str, classes))}.")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
