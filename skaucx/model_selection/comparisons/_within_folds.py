"""The paired test of two nested results within their folds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.metrics import ComparisonResult
from skaucx.metrics.comparisons._result import half_width, interval_around, studentised, tail
from skaucx.metrics.estimation._sides import Alternative

from ...metrics._scorers.bound import bound_metric
from .._types import Floats
from ..results._noise import RowNoise, difference_noise
from ..results._result import NestedCVResult
from ..results._statistics import moments, variance_parts


def within_fold_test(
    a: NestedCVResult,
    b: NestedCVResult,
    name: str,
    scorer: Any,
    confidence_level: float,
    alternative: Alternative = "two-sided",
) -> ComparisonResult | None:
    r"""Test two results by the differences of a metric within their folds.

    The variance of the mean difference is that of ``fold_interval``: what the test rows make of it,
    from the differences of the influences of every row on both scores (for an AUC those of DeLong's
    test, fold by fold), and what the differences vary beyond it. No scores of different folds are
    compared.

    None where the metric is not one of this package, or the folds are not the same.
    """
    bound = bound_metric(scorer)
    scores = np.stack([a[f"test_{name}"], b[f"test_{name}"]])
    differences = scores[0] - scores[1]
    folds = np.flatnonzero(~np.isnan(differences))
    if bound is None or not len(folds):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            noise = difference_noise(bound, a.predictions, b.predictions, folds)
        except (ValueError, TypeError, LookupError):
            return None
    mean = float(differences[folds].mean())
    error, df = _error(differences, a, noise)
    statistic = studentised(mean, error, "The test within folds", "no difference varies")
    half = half_width(error, confidence_level, df)
    first, second = scores[:, folds].mean(axis=1).tolist()
    return ComparisonResult(
        method=f"Paired test within folds of {name} ({noise.method})",
        statistic=statistic,
        p_value=float(tail(statistic, alternative, df)),
        estimates=(first, second),
        difference=mean,
        standard_error=error,
        interval=interval_around(mean, half),
        confidence_level=confidence_level,
        alternative=alternative,
        df=df,
        target="these fold models",
    )


def _error(differences: Floats, a: NestedCVResult, noise: RowNoise) -> tuple[float, float]:
    """Return the standard error of the mean difference, and its degrees of freedom."""
    folds = int((~np.isnan(differences)).sum())
    by_rows, by_models = variance_parts(differences, a.n_train, a.n_test, noise)
    total = by_rows + by_models
    df = (folds - 1) * (total / by_models) ** 2 if by_models > 0 else np.inf
    if noise.by_calibration and folds > 1 and moments(differences)[1] > 0:
        corrected = variance_parts(differences, a.n_train, a.n_test, None)[1]
        if corrected > total:
            return float(np.sqrt(corrected)), folds - 1
    return float(np.sqrt(total)), float(df)
