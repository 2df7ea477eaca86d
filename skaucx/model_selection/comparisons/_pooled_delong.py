"""DeLong's paired test of the pooled out-of-fold predictions of two nested results."""

from __future__ import annotations

from typing import Any

import numpy as np

from skaucx.metrics import ComparisonResult, delong_test
from skaucx.metrics._scorers.bound import BoundMetric
from skaucx.metrics.comparisons._delong import takes_delong

from ..._compat import score_function
from .._types import Floats
from ..results._pool import OutOfFoldPredictions
from ..results._result import NestedCVResult


def pooled_delong(
    a: NestedCVResult, b: NestedCVResult, scorer: Any, confidence_level: float
) -> ComparisonResult | None:
    """Test two results by the metric of a scorer; None where DeLong's test does not apply.

    It applies to the metrics that it knows, two classes, and rows that are tested once, the same
    rows for both.
    """
    bound = score_function(scorer)
    if not isinstance(bound, BoundMetric) or not takes_delong(bound.function, bound.parameters):
        return None
    first, second = a.predictions, b.predictions
    if not np.array_equal(first.row, second.row) or len(np.unique(first.row)) < len(first.row):
        return None
    scores = [_scores(predictions, bound) for predictions in (first, second)]
    if any(score is None or not np.isfinite(score).all() for score in scores):
        return None
    metric = bound.function.metric.name
    return delong_test(
        first.y_true, *scores, metric=metric, confidence_level=confidence_level, **bound.parameters
    )


def _scores(predictions: OutOfFoldPredictions, bound: BoundMetric) -> Floats | None:
    """Return the scores that the metric judged, greater for its positive class."""
    methods = bound.response_method
    for method in (methods,) if isinstance(methods, str) else methods:
        if method in predictions.responses:
            break
    else:
        return None
    classes, response = predictions.classes, predictions.responses[method]
    if classes is None or len(classes) != 2:
        return None
    column = 1
    if bound.parameters.get("pos_label") is not None:
        column = int(np.flatnonzero(classes == bound.parameters["pos_label"])[0])
    if response.ndim == 2:
        return np.asarray(response[:, column])
    return np.asarray(response if column == 1 else -response)
