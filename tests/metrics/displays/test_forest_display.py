"""Forests, and reliability curves: what stands where."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import CalibrationDisplay, intervals
from skaucx.metrics.displays import ForestDisplay


@pytest.fixture(scope="module")
def judged():
    X, y = make_classification(n_samples=400, flip_y=0.2, random_state=0)
    return y, GaussianNB().fit(X[::2], y[::2]).predict_proba(X)[:, 1], X


def test_a_row_a_metric_and_a_mark_a_model(judged):
    y, score, _ = judged
    names = ["recall", "specificity"]
    models = {
        name: intervals(names, y, (score > cut).astype(int))
        for name, cut in (("low", 0.3), ("high", 0.7))
    }
    shown = ForestDisplay.from_intervals(models)
    assert shown.rows_ == names
    for model, found in models.items():
        x, at = shown.marks_[model].get_data()
        np.testing.assert_array_equal(x, [found[name].estimate for name in names])
        np.testing.assert_array_equal(np.round(at), [0, 1])
    lines = [seg for part in shown.ax_.collections for seg in part.get_segments()]
    ends = [(seg[0][0], seg[1][0]) for seg in lines]
    assert ends == [
        (found[name].low, found[name].high) for found in models.values() for name in names
    ]
    assert shown.ax_.get_xlabel() == "Estimate with 95 % interval"
    texts = [text.get_text() for text in shown.ax_.texts]
    first = models["low"]["recall"]
    assert texts[0] == f"{first.estimate:.2f} [{first.low:.2f}, {first.high:.2f}]"


def test_classes_have_rows(judged):
    y, score, _ = judged
    found = intervals(["recall"], y, (score > 0.5).astype(int), average=None)
    assert ForestDisplay.from_intervals(found).rows_ == ["recall, class 0", "recall, class 1"]
    with pytest.raises(ValueError, match="one interval at least"):
        ForestDisplay({})


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_reliability_is_that_of_scikit_learn(judged, strategy):
    y, score, _ = judged
    shown = CalibrationDisplay.from_predictions(y, score, n_bins=5, strategy=strategy)
    observed, predicted = calibration_curve(y, score, n_bins=5, strategy=strategy)
    x, height = shown.line_.get_data()
    tolerance = 1e-12 if strategy == "uniform" else 0.05  # their quantiles are interpolated
    np.testing.assert_allclose(x, predicted, atol=tolerance)
    np.testing.assert_allclose(height, observed, atol=tolerance)


def test_reliability_has_wilsons_intervals(judged):
    y, score, _ = judged
    bins = CalibrationDisplay.from_predictions(y, score, n_bins=4).curves
    hits = np.histogram(score[y == 1], bins.edges)[0]
    for k, size in enumerate(bins.weight.astype(int)):
        found = binomtest(int(hits[k]), int(size)).proportion_ci(method="wilson")
        assert (bins.low[k], bins.high[k]) == pytest.approx((found.low, found.high))
    weighted = CalibrationDisplay.from_predictions(y, score, sample_weight=np.full(len(y), 0.5))
    assert np.isnan(weighted.curves.low).all()


def test_reliability_of_folds_and_of_scores_that_are_none(judged):
    y, score, X = judged
    results = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    assert len(CalibrationDisplay.from_cv_results(results, X, y).line_) == 3
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        CalibrationDisplay.from_predictions(y, 3 * score)
