"""The tests of two nested results on the same folds: of their scores, and within the folds."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.metrics.comparisons import ComparisonResult
from skaucx.metrics.comparisons._result import half_width, interval_around, studentised, tail
from skaucx.metrics.estimation._closed_forms import note_of_groups

from ...metrics._scorers.bound import bound_metric
from .._types import Floats
from ..results._noise import RowNoise, difference_noise
from ..results._pool import score_bounds
from ..results._result import NestedCVResult
from ..results._statistics import corrected_error, moments, satterthwaite, variance_parts
from ._tests import STRATIFIED, corrected_t

# The form of the test within folds that takes the standard error of the corrected t.
WIDENED = "as wide as the corrected t"


def paired_tests(
    a: NestedCVResult, b: NestedCVResult, name: str, scorer: Any, confidence_level: float
) -> tuple[ComparisonResult, ComparisonResult | None]:
    """Return the corrected t of the outer scores, and the test within the folds where there is one.

    The variance by the class counts, which scores of stratified folds do not show, is added to that of
    the scores. Both intervals end where the metric's range does. Of folds of a row or a few, means
    of the scores count for metrics that are means over rows or pairs only.
    """
    scores, sizes = np.stack([a[f"test_{name}"], b[f"test_{name}"]]), (a.n_train, a.n_test)
    if a.statistics(name).pooled_only or b.statistics(name).pooled_only:
        scores = np.full_like(scores, np.nan)
    noise = _noise(a, b, scores, scorer)
    gaps = int(np.isnan(scores[0] - scores[1]).sum())
    notes = [f"{gaps} of {scores.shape[1]} folds are undefined and left out" if gaps else ""]
    notes.append(note_of_groups(0 if noise is None else noise.groups))
    by_class = 0.0 if noise is None else noise.by_class
    with warnings.catch_warnings():  # the table says where folds are undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        folds = corrected_t(scores, sizes, by_class, confidence_level=confidence_level)
    caveat = STRATIFIED if noise is None else ""
    folds = replace(folds, note="; ".join(filter(None, [*notes, folds.note, caveat])))
    within = None
    if noise is not None:
        within = _within_folds(scores, a, name, noise, confidence_level)
        within = _clipped(replace(within, note="; ".join(filter(None, notes))), scorer)
    return _clipped(folds, scorer), within


def _clipped(test: ComparisonResult, scorer: Any) -> ComparisonResult:
    """Return a test whose interval ends at the greatest difference that the metric can have."""
    low, high = score_bounds(scorer)
    first, last = np.clip(test.interval, low - high, high - low).tolist()
    return replace(test, interval=(first, last))


def _noise(a: NestedCVResult, b: NestedCVResult, scores: Floats, scorer: Any) -> RowNoise | None:
    """Return the chance of the test rows; None of a metric that is not one of this package."""
    bound, folds = bound_metric(scorer), np.flatnonzero(~np.isnan(scores[0] - scores[1]))
    if bound is None or not len(folds):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            return difference_noise(bound, a.predictions, b.predictions, folds)
        except (ValueError, TypeError, LookupError):
            return None


def _within_folds(
    scores: Floats, a: NestedCVResult, name: str, noise: RowNoise, confidence_level: float
) -> ComparisonResult:
    r"""Test two results by the differences of a metric within their folds.

    The variance of the mean difference is that of ``fold_interval``: what the test rows make of it,
    from the differences of the influences of every row on both scores (for an AUC those of DeLong's
    test, fold by fold), and what the differences vary beyond it. No scores of different folds are
    compared.
    """
    differences = scores[0] - scores[1]
    folds = np.flatnonzero(~np.isnan(differences))
    mean = float(differences[folds].mean())
    error, df, widened = _error(differences, a, noise)
    statistic = studentised(mean, error, "The test within folds", "no difference varies")
    half = half_width(error, confidence_level, df)
    first, second = scores[:, folds].mean(axis=1).tolist()
    form = f"{noise.method}, {WIDENED}" if widened else noise.method
    return ComparisonResult(
        method=f"Paired test within folds of {name} ({form})",
        statistic=statistic,
        p_value=float(tail(statistic, "two-sided", df)),
        estimates=(first, second),
        difference=mean,
        standard_error=error,
        interval=interval_around(mean, half),
        confidence_level=confidence_level,
        df=df,
        target="the procedures",
    )


def _error(differences: Floats, a: NestedCVResult, noise: RowNoise) -> tuple[float, float, bool]:
    """Return the standard error, its degrees of freedom, and whether they are the corrected t's."""
    folds = int((~np.isnan(differences)).sum())
    by_rows, by_models = variance_parts(differences, a.n_train, a.n_test, noise)
    total = by_rows + by_models
    if noise.by_calibration and folds > 1 and moments(differences)[1] > 0:
        _, corrected, df = corrected_error(differences, a.n_train, a.n_test, noise.by_class)
        if corrected**2 > total:
            return corrected, df, True
    return float(np.sqrt(total)), float(satterthwaite(by_rows, by_models, folds, noise)), False
