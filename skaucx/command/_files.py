"""The options that name the columns of files, and the columns that are read."""

from __future__ import annotations

import argparse
import csv
import errno
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array, in_class_order


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads predictions: columns, metrics, the level."""
    parser.add_argument(
        "--y-true", "--true", dest="true", required=True, metavar="COLUMN", help="true labels"
    )
    parser.add_argument(
        "--y-score", "--score", dest="score", type=columns_of, metavar="COLUMNS",
        help="scores of the positive class, or a column a class, parted by commas; "
        "quoted where its name holds one",
    )  # fmt: skip
    parser.add_argument(
        "--y-pred", "--pred", dest="pred", metavar="COLUMN", help="predicted labels"
    )
    parser.add_argument(
        "--sample-weight", "--weight", dest="weight", metavar="COLUMN", help="weights >= 0"
    )
    parser.add_argument(
        "--pos-label", "--positive", dest="positive", metavar="LABEL", help="the positive class"
    )
    parser.add_argument(
        "--groups", metavar="COLUMN", help="rows that belong together, such as those of a patient"
    )
    parser.add_argument(
        "--metrics", type=words_of, metavar="NAMES",
        help="names parted by commas or spaces; a few by default",
    )  # fmt: skip
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that resample rows."""
    parser.add_argument("--n-resamples", type=int, default=2000, metavar="N", help="2000")
    parser.add_argument(
        "--random-state",
        "--seed",
        dest="seed",
        type=int,
        default=0,
        metavar="N",
        help="of the resampling (0)",
    )


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files to read."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=existing_file, help="Parquet or CSV, or a folder"
    )


def existing_file(name: str) -> str:
    """Return the name of a file that is there, before other arguments are missed."""
    if name != "-" and not Path(name).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file", name)
    return name


def words_of(text: str) -> list[str]:
    """Return the names of a list parted by commas or spaces."""
    return text.replace(",", " ").split()


def columns_of(text: str) -> list[str]:
    """Return the columns of a list parted by commas; a quoted name may hold one."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def named_array(text: str) -> tuple[str, list[str]]:
    """Return the name of an array and its columns, of NAME=COLUMN or NAME=COLUMN,COLUMN."""
    name, _, columns = text.partition("=")
    if not name or not columns:
        raise argparse.ArgumentTypeError(f"write NAME=COLUMN, found {text!r}")
    return name, columns_of(columns)


def named_columns(
    arguments: argparse.Namespace,
    files: Sequence[str],
    *others: str | None,
    numbers: Iterable[str] = (),
) -> list[dict[str, Array]]:
    """Return the columns that the arguments name, of each file or folder.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If no columns of predictions are named, or a file lacks a column or holds a bad value.
    """
    from ..evaluation._columns import read_columns  # imports scikit-learn; help does not
    from ..evaluation._evaluator import of_classes

    if not arguments.score and not arguments.pred:
        raise ValueError("Nothing to evaluate; name columns with --score or --pred.")
    numbers = [*numbers, *(arguments.score or ()), arguments.weight]
    labels = [arguments.true, arguments.pred]
    if not of_classes(arguments.metrics):
        numbers += labels
    return read_columns(
        files,
        _named([*labels, *numbers, *others]),
        _named(numbers),
        _named(labels),
        _named([arguments.positive]),
    )


def _named(columns: Iterable[str | None]) -> list[str]:
    return [name for name in columns if name]


def below_each_other(files: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Return the columns of some files, one below the other."""
    return {name: np.concatenate([own[name] for own in files]) for name in files[0]}


def example(arguments: argparse.Namespace) -> dict[str, Array]:
    """Return columns that suit the arguments, whatever the files hold."""
    from ..evaluation._evaluator import of_classes

    score, n = arguments.score or (), 60
    rng, many = np.random.default_rng(0), max(len(score), 2)
    place = np.arange(n)
    true: Array = place % many if of_classes(arguments.metrics) else 1 + place / n
    proba = rng.dirichlet(np.ones(many), n)
    columns = {arguments.by: place // many % 2, arguments.groups: place // 3}
    columns |= {name: proba[:, k] for k, name in enumerate(score)}
    columns |= {arguments.weight: proba[:, 0] + 1, arguments.pred: true[::-1], arguments.true: true}
    return {name: column for name, column in columns.items() if name}


def matrix_of(
    columns: Mapping[str, Array], truth: Any, names: list[str] | None, option: str = "--score"
) -> Any:
    """Return one column, or a matrix of several, of the classes in order if they are named so."""
    if not names:
        return None
    arrays = [columns[name] for name in in_class_order(names, truth, option)]
    return np.column_stack(arrays) if len(arrays) > 1 else arrays[0]


def label_of(text: str, classes: Sequence[Any]) -> Any:
    """Return the class of a word on the command line."""
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
