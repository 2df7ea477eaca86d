"""DeLong's paired test of the pooled out-of-fold predictions of two nested results."""

from __future__ import annotations

from typing import Any

import numpy as np

from skaucx.metrics import ComparisonResult, delong_test
from skaucx.metrics.comparisons._delong import takes_delong

from .._scoring import bound_metric
from ..results._result import NestedCVResult


def pooled_delong(
    a: NestedCVResult, b: NestedCVResult, scorer: Any, confidence_level: float
) -> ComparisonResult | None:
    """Test two results by the metric of a scorer; None where DeLong's test does not apply.

    It applies to the metrics that it knows, two classes, and rows that are tested once, the same
    rows for both, none of which belong together in groups.
    """
    bound = bound_metric(scorer)
    if bound is None or not takes_delong(bound.function, bound.parameters):
        return None
    first, second = a.predictions, b.predictions
    if not np.array_equal(first.row, second.row) or first.clusters is not None:
        return None
    if first.classes is None or second.classes is None or len(first.classes) != 2:
        return None
    options = dict(bound.parameters)
    if options.get("pos_label") is None:
        options["pos_label"] = first.classes[1] if a.pos_label is None else a.pos_label
    try:
        scores = [p.scores(bound.response_method, options["pos_label"]) for p in (first, second)]
    except ValueError:  # one of the two has no such response
        return None
    if any(not np.isfinite(score).all() for score in scores):
        return None
    metric = bound.function.metric.name
    return delong_test(
        first.y_true, *scores, metric=metric, confidence_level=confidence_level, **options
    )
