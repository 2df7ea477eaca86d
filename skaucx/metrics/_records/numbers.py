"""True and predicted numbers of a regression or a forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._arrays import (
    Floats,
    score_array,
    weighed,
)
from .inputs import Record


@dataclass(frozen=True, eq=False)
class NumberPair(Record):
    """True and predicted values, with weights or None."""

    _by_row: ClassVar[tuple[str, ...]] = ("true", "pred")
    drawn_by_class = False
    many_weights = True

    true: Floats
    pred: Floats
    weight: Floats | None


def number_vector(values: Any, name: str) -> Floats:
    """Return finite numbers of shape (n,)."""
    array = score_array(values, name)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, one number an example, found shape {array.shape}."
        )
    return array


def check_numbers(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> NumberPair:
    """Check true and predicted numbers; there are no `labels`."""
    if labels is not None:
        raise TypeError("labels name classes, of which numbers have none; leave it out.")
    true, pred = (number_vector(y, name) for y, name in zip((y_true, y_pred), names, strict=True))
    return NumberPair(*weighed(names, true, pred, sample_weight))
