"""Gold labels in ``python -m skaucx evaluate``: the columns that name them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._labels import GoldLabels

_OPTIONS = {
    "judge_labels": "a judge's labels of all rows; see --has-gold",
    "has_gold": "1 for the rows whose true labels are gold, chosen at random; the others are not read",
    "strata": "groups within which the gold rows were chosen at random",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name columns."""
    for name, shown in _OPTIONS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="COLUMN", help=shown)


def columns(arguments: argparse.Namespace) -> list[str]:
    """Return the columns that are named."""
    return [column for name in _OPTIONS if (column := getattr(arguments, name))]


def of_columns(arguments: argparse.Namespace, held: Mapping[str, Any]) -> GoldLabels | None:
    """Return the gold labels in columns; None where none are named."""
    if not columns(arguments):
        return None
    given = {name: held.get(getattr(arguments, name) or "") for name in _OPTIONS}
    if given["has_gold"] is not None:
        given["has_gold"] = _flags(given["has_gold"], arguments.has_gold)
    return GoldLabels(**given)


def _flags(values: Any, column: str) -> Any:
    """Return a column of 0 and 1, or of true and false, as booleans."""
    kinds = {"0": False, "1": True, "false": False, "true": True}
    words = [str(value).lower().removesuffix(".0") for value in values.tolist()]
    odd = sorted(set(words) - set(kinds))
    if odd:
        raise ValueError(f"--has-gold {column} must hold 0 and 1, found {odd[0]!r}.")
    return np.array([kinds[word] for word in words])
