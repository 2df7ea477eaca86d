"""The threshold: where it comes from, and the counts at others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._text.numbers import significant
from ..metrics.curves import precision_recall_curve
from ._predictions import PagePredictions

_STOPS = 200


class Cut(NamedTuple):
    """The threshold that made the predictions, and where it comes from.

    Scores at or above it are predicted positive; nan where no single threshold is known.
    """

    at: float
    text: str


NO_CUT = Cut(math.nan, "")


def cut_of(given: PagePredictions, threshold: float | None = None) -> Cut:
    """Return the threshold given, or the one that separates the predictions of two classes."""
    if not given.two:
        return NO_CUT
    if threshold is not None:
        return Cut(threshold, f"{significant(threshold)}, as given")
    if given.y_pred is None or given.score is None:
        return Cut(math.nan, "none given")
    positive = given.y_pred == given.positive
    low = float(given.score[~positive].max(initial=-math.inf))
    high = float(given.score[positive].min(initial=math.inf))
    if not -math.inf < low < high < math.inf:
        return Cut(math.nan, "none that separates y_pred")
    at = 0.5 if low < 0.5 <= high else high
    return Cut(at, f"{significant(at)}, inferred from y_pred")


def control_of(given: PagePredictions, cut: Cut) -> dict[str, Any] | None:
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
        parts = found & true, found & ~true, ~found & true, ~found & ~true
        used = [given.weight(rows) for rows in parts]
    middle = float(np.median(cuts)) if math.isnan(cut.at) else cut.at
    return {
        "stops": [[float(cuts[k]), *cells[:, k].tolist()] for k in keep],
        "place": int(np.argmin(np.abs(cuts[keep] - middle))),
        "cut": None if math.isnan(cut.at) else cut.at,
        "text": cut.text,
        "cells": used,
        "probabilities": given.probabilities,
        "classes": [str(given.positive), str(given.negative)],
    }
