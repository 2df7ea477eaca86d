"""The slider of the threshold: the counts at others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics.curves import precision_recall_curve
from ._predictions import PagePredictions

_STOPS = 200


def control_of(given: PagePredictions) -> dict[str, Any] | None:
    """Return some 200 thresholds of two classes, each with its counts; None without scores."""
    if not given.two:
        return None
    curve = given.made(precision_recall_curve, drop_intermediate=False)
    counts = curve.threshold_counts
    cells = np.stack([counts.tp, counts.fp, counts.fn, counts.tn])[:, 1:].astype(float)
    cuts = curve.thresholds[::-1]
    keep = np.unique(np.linspace(0, len(cuts) - 1, _STOPS).round().astype(int))[::-1]
    used = None
    if given.y_pred is not None:
        found, true = given.y_pred == given.positive, given.y_true == given.positive
        used = [
            given.weight(rows)
            for rows in (found & true, found & ~true, ~found & true, ~found & ~true)
        ]
    known = not np.isnan(given.threshold)
    middle = given.threshold if known else float(np.median(cuts))
    return {
        "stops": [[float(cuts[k]), *cells[:, k].tolist()] for k in keep],
        "place": int(np.argmin(np.abs(cuts[keep] - middle))),
        "cut": given.threshold if known else None,
        "text": given.origin,
        "cells": used,
        "probabilities": given.probabilities,
        "classes": [str(given.positive), str(given.negative)],
    }
