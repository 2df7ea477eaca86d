"""The options that name the columns of files, and the columns that are read."""

from __future__ import annotations

import argparse
import csv
import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array, in_class_order


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads predictions, named as the parameters of the calls."""
    add = partial(parser.add_argument, metavar="COLUMN")
    add("--y-true", "--true", dest="y_true", required=True, help="true labels")
    add("--y-pred", "--pred", dest="y_pred", help="predicted labels")
    parser.add_argument(
        "--y-score", "--score", dest="y_score", nargs="+", action=_listed(columns_of),
        metavar="COLUMN", help="scores of the positive class, or a column a class, parted by blanks "
        "or commas; quoted where a name holds a comma",
    )  # fmt: skip
    add("--sample-weight", "--weight", dest="sample_weight", help="weights >= 0")
    add("--pos-label", "--positive", dest="pos_label", metavar="LABEL", help="the positive class")
    add("--groups", help="rows that belong together, such as those of a patient")
    parser.add_argument(
        "--metrics", nargs="+", action=_listed(words_of), metavar="NAME",
        help="metrics or sets of them, as the command metrics lists them; a few by default",
    )  # fmt: skip
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that resample rows."""
    parser.add_argument("--n-resamples", type=int, default=2000, metavar="N", help="2000")
    parser.add_argument(
        "--random-state", "--seed", dest="random_state", type=int, default=0, metavar="N",
        help="of the resampling (0)",
    )  # fmt: skip


def _listed(names_of: Callable[[str], list[str]]) -> type[argparse.Action]:
    """Return what makes one list of the names in all words of an option."""

    class Listed(argparse.Action):
        def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
            found = [name for word in values for name in names_of(word)]
            setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *found])

    return Listed


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

    if not arguments.y_score and not arguments.y_pred:
        raise ValueError("Nothing to evaluate; name columns with --y-score or --y-pred.")
    numbers = [*numbers, *(arguments.y_score or ()), arguments.sample_weight]
    labels = [arguments.y_true, arguments.y_pred]
    if not of_classes(arguments.metrics):
        numbers += labels
    named = [[name for name in each if name] for each in (numbers, labels, [arguments.pos_label])]
    columns = [name for name in (*labels, *numbers, *others) if name]
    return read_columns(files, columns, *named)


def below_each_other(files: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Return the columns of some files, one below the other."""
    return {name: np.concatenate([own[name] for own in files]) for name in files[0]}


def scores_of(columns: Mapping[str, Array], arguments: argparse.Namespace) -> Any:
    """Return one column of scores, or a matrix of several, of the classes in order."""
    if not arguments.y_score:
        return None
    names = in_class_order(arguments.y_score, columns[arguments.y_true], "y_score")
    arrays = [columns[name] for name in names]
    return np.column_stack(arrays) if len(arrays) > 1 else arrays[0]


def label_of(text: str | None, labels: Iterable[Any]) -> Any:
    """Return the label that a word on the command line names; None without a word."""
    if text is None:
        return None
    labels = list(labels)
    for label in labels:
        if str(label) == text:
            return label
    for label in labels:
        if not isinstance(label, str) and text.lower() in (
            str(label).lower(),
            f"{label:g}",
            f"{label}.0",
        ):
            return label
    raise ValueError(f"pos_label {text!r} is none of the labels {', '.join(map(str, labels))}.")
