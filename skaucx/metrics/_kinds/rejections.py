"""Predicted labels of which some are rejected: a mask, as NumPy's masked arrays carry it.

Masked entries are rejected; the data are the predictions without rejection. Rejection should find
wrong predictions, so the data form a binary table: wrong or correct, rejected or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import weight_vector
from .._records.inputs import LabelPair, check_label_pair, masked_labels, refuse_multilabel
from .base import Inputs, Kind, Problem
from .labels import label_state


@dataclass(frozen=True, eq=False)
class RejectionPair(LabelPair):
    """Whether each prediction is wrong, and whether it is rejected."""

    @property
    def strata(self) -> None:
        """None: resamples are not stratified, because which predictions are wrong is itself random."""


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
    if pair.multilabel:
        raise refuse_multilabel("A metric of rejections")
    weight = weight_vector(sample_weight)
    mask = rejects if weight is None else rejects[weight > 0]
    classes = np.array([False, True])
    return RejectionPair(classes, 1 * (pair.true != pair.pred), 1 * mask, pair.weight, None)


REJECTED = Inputs(
    "predicted labels with a mask",
    "y_pred",
    check=check_rejections,
    make_state=label_state,
    of_classes=True,
    evaluated_with="rejected",
    default_metrics=("coverage", "accepted_accuracy", "rejection_quality"),
    extra_arrays=("rejected",),
)


def _rejections(reading: Any, state: Any, rejected: Any = None) -> Problem:
    if rejected is not None:
        raise TypeError(
            "rejected= is an argument of metrics only; here use a masked array of predictions: "
            "numpy.ma.array(y_pred, mask=rejected)."
        )
    return Problem(state.binary_counts(None))


REJECTIONS = Kind("rejections", REJECTED, _rejections, ("rejected",), options={"rejected": None})
