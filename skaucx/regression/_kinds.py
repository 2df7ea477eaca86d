"""True and predicted numbers of a regression or a forecast, of one output or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Floats, by_name, plain_array, score_array, weighed
from ..metrics._kinds import KINDS
from ..metrics._kinds.base import PRED, TRUE, Inputs, Kind
from ..metrics._records.inputs import Record

# The metrics of the set "regression", and of evaluations that name none.
USUAL = (
    "r2",
    "root_mean_squared_error",
    "mean_absolute_error",
    "median_absolute_error",
    "mean_absolute_percentage_error",
)


@dataclass(frozen=True, eq=False)
class Numbers(Record):
    """True and predicted values of shape (n,), or (n, n_outputs), with weights or None."""

    true: Floats
    pred: Floats
    weight: Floats | None = None


def check_numbers(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, names: Sequence[str] = (TRUE, PRED)
) -> Numbers:
    """Check true and predicted numbers."""
    true = score_array(y_true, names[0])
    pred = score_array(by_name(y_pred, y_true, names[1]), names[1])
    true, pred, weight = weighed(names, true, pred, sample_weight)
    if true.shape[1:] != pred.shape[1:]:
        raise ValueError(
            f"{names[0]} and {names[1]} must have the same outputs, found the shapes {true.shape} "
            f"and {pred.shape}."
        )
    return Numbers(true, pred, weight)


def continuous(values: Any) -> bool:
    """Whether true values are numbers and no labels: floats, some of them not whole."""
    held = values if hasattr(values, "dtype") else plain_array(values, TRUE)
    return getattr(held.dtype, "kind", "") == "f" and bool((np.asarray(held) % 1 != 0).any())


KINDS["regression"] = Kind(
    "regression",
    Inputs(
        "predicted numbers",
        PRED,
        check=check_numbers,
        claims=continuous,
        default_metrics=USUAL,
        texts={
            TRUE: """array-like of shape (n_samples,) or (n_samples, n_outputs)
    True numbers, finite.""",
            PRED: """array-like of shape (n_samples,) or (n_samples, n_outputs)
    Predicted numbers, finite.""",
        },
    ),
)
