"""Predicted labels of which some are rejected: a mask, as NumPy's masked arrays carry it.

The mask says which examples are rejected, the data what would have been predicted. Wrong predictions
are what a rejection looks for, so all that is known is a binary table: wrong or right, rejected or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import Array, Bools, check_same_length, label_array, weight_vector
from .inputs import IndicatorPair, LabelPair, check_label_pair, refuse_multilabel


@dataclass(frozen=True, eq=False)
class RejectionPair(LabelPair):
    """Whether each prediction is wrong, beside whether it is rejected."""

    drawn_by_class = False


def masked_labels(y_pred: Any, name: str = "y_pred", rejected: Any = None) -> Array:
    """Return predicted labels as a masked array, with the mask given or their own."""
    if rejected is not None and np.ma.isMaskedArray(y_pred):
        raise ValueError(f"rejected is given beside {name}, which is masked itself; pass one mask.")
    mask = np.ma.getmaskarray(y_pred) if rejected is None else _flags(rejected)
    labels = label_array(np.ma.getdata(y_pred) if np.ma.isMaskedArray(y_pred) else y_pred, name)
    if labels.ndim == 2:
        raise refuse_multilabel("A metric of rejections")
    check_same_length({name: labels, "rejected": mask})
    return np.ma.array(labels, mask=mask)


def check_rejections(
    y_true: Any,
    y_pred: Any,
    *,
    rejected: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> RejectionPair:
    """Check true labels, predicted ones and which of these are rejected."""
    masked = masked_labels(y_pred, names[1], rejected)
    rejects = np.ma.getmaskarray(masked)
    # The labels are checked, and numbered together, as those of any metric.
    pair = check_label_pair(
        y_true, np.ma.getdata(masked), labels=labels, sample_weight=sample_weight, names=names
    )
    if isinstance(pair, IndicatorPair):
        raise refuse_multilabel("A metric of rejections")
    weight = weight_vector(sample_weight)
    mask = rejects if weight is None else rejects[weight > 0]
    classes = np.array([False, True])
    return RejectionPair(classes, 1 * (pair.true != pair.pred), 1 * mask, pair.weight, None)


def accepted_rows(y_pred: Any) -> Bools:
    """Return which predictions of a masked array are not rejected."""
    return np.asarray(~np.ma.getmaskarray(y_pred))


def _flags(rejected: Any) -> Bools:
    """Return the mask of rejected examples: booleans, or zeros and ones."""
    flags = label_array(rejected, "rejected")
    if flags.ndim != 1 or not set(np.unique(flags).tolist()) <= {0, 1}:
        raise ValueError(
            "rejected must hold one True or False for every example, found "
            f"{flags.dtype} of shape {flags.shape}."
        )
    return flags.astype(bool)
