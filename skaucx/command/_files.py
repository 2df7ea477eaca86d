"""The options that name the columns of files, and the columns that are read."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Array, in_class_order, texts_of


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads predictions, named as the parameters of the calls."""
    add = partial(parser.add_argument, metavar="COLUMN")
    add("--y-true", "--true", dest="y_true", required=True, help="true labels")
    add("--y-pred", "--pred", dest="y_pred", help="predicted labels")
    parser.add_argument(
        "--y-score", "--score", dest="y_score", nargs="+", default=[], type=columns_of,
        metavar="COLUMN", help="scores of the positive class, or a column a class, parted by blanks "
        "or commas; quoted where a name holds a comma",
    )  # fmt: skip
    add("--sample-weight", "--weight", dest="sample_weight", help="weights >= 0")
    add("--pos-label", "--positive", dest="pos_label", metavar="LABEL", help="the positive class")
    add("--groups", help="rows that belong together, such as those of a patient")
    parser.add_argument(
        "--metrics", nargs="+", type=words_of, metavar="NAME",
        help="metrics or sets of them, as the command metrics lists them; a few by default",
    )  # fmt: skip
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that read the rows of one model."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="Parquet or CSV, or a folder")
    add_columns(parser)
    parser.add_argument("--by", metavar="COLUMN", help="subgroups to compare")
    parser.add_argument(
        "--threshold", type=float, metavar="X",
        help="scores of at least X are predicted positive; the threshold of net benefit",
    )  # fmt: skip


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that resample rows."""
    parser.add_argument("--n-resamples", type=int, default=2000, metavar="N", help="2000")
    parser.add_argument(
        "--random-state", "--seed", dest="random_state", type=int, default=0, metavar="N",
        help="of the resampling (0)",
    )  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the names of a list parted by commas or spaces."""
    return text.replace(",", " ").split()


def columns_of(text: str) -> list[str]:
    """Return the columns of a list parted by commas; a quoted name may hold one."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def named(lists: Iterable[Sequence[str]] | None) -> list[str] | None:
    """Return the names in all words of an option; None without it."""
    return None if lists is None else [name for each in lists for name in each]


def read(
    arguments: argparse.Namespace, files: Sequence[str], other: str | None
) -> dict[str, Array]:
    """Return the columns that the arguments name, of files one below the other.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If no columns of predictions are named, or a file lacks a column or holds a bad value.
    """
    from ..evaluation._columns import read_columns  # imports scikit-learn; help does not
    from ..evaluation._evaluator import of_classes

    scores = named(arguments.y_score) or []
    if not scores and not arguments.y_pred:
        raise ValueError("Nothing to evaluate; name columns with --y-score or --y-pred.")
    labels = [arguments.y_true, arguments.y_pred]
    numbers = [*scores, arguments.sample_weight]
    if not of_classes(named(arguments.metrics)):
        numbers += labels
    kinds = [[name for name in each if name] for each in (numbers, labels, [arguments.pos_label])]
    columns = [name for name in (*labels, *numbers, arguments.groups, other) if name]
    return read_columns(files, columns, *kinds)


def given(arguments: argparse.Namespace, columns: Mapping[str, Array]) -> dict[str, Any]:
    """Return what is given of the arguments that the calls for the rows of one model share."""
    options = {
        "y_true": columns[arguments.y_true],
        "y_pred": columns.get(arguments.y_pred),
        "y_score": scores_of(columns, arguments),
        "metrics": named(arguments.metrics),
        "pos_label": positive_of(columns, arguments),
        "sample_weight": columns.get(arguments.sample_weight),
        "groups": columns.get(arguments.groups),
        "by": arguments.by and {arguments.by: columns[arguments.by]},
        "threshold": arguments.threshold,
        "confidence_level": arguments.confidence_level,
    }
    return {name: option for name, option in options.items() if option is not None}


def scores_of(columns: Mapping[str, Array], arguments: argparse.Namespace) -> Any:
    """Return one column of scores, or a matrix of several, of the classes in order."""
    names = named(arguments.y_score)
    if not names:
        return None
    ordered = in_class_order(names, columns[arguments.y_true], "y_score")
    arrays = [columns[name] for name in ordered]
    return np.column_stack(arrays) if len(arrays) > 1 else arrays[0]


def positive_of(columns: Mapping[str, Array], arguments: argparse.Namespace) -> Any:
    """Return the label that a word on the command line names; None without a word."""
    text = arguments.pos_label
    if text is None:
        return None
    labels = np.unique(columns[arguments.y_true]).tolist()
    found = [label for label in labels if text in texts_of(label)]
    found += [label for label in labels if label in (True, False) and str(label).lower() == text]
    if not found:
        raise ValueError(f"pos_label {text!r} is none of the labels {', '.join(map(str, labels))}.")
    return found[0]
