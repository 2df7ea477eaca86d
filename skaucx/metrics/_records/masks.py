"""Predicted labels of which some are rejected: a mask, as NumPy's masked arrays carry it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Array, Bools, check_same_length, label_array
from .inputs import refuse_multilabel


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
