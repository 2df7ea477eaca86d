"""Calibration curves: bins, bands, histograms, and what the axes show of rare classes."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from sklearn.calibration import calibration_curve
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.displays import CalibrationDisplay
from skaucx.inference import reliability_curve

pytestmark = pytest.mark.presentation


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_reliability_is_that_of_scikit_learn(judged, strategy):
    y, score, _ = judged
    shown = CalibrationDisplay.from_predictions(y, score, n_bins=5, strategy=strategy)
    observed, predicted = calibration_curve(y, score, n_bins=5, strategy=strategy)
    x, height = shown.line_.get_data()
    tolerance = 1e-12 if strategy == "uniform" else 0.05  # their quantiles are interpolated
    np.testing.assert_allclose(x, predicted, atol=tolerance)
    np.testing.assert_allclose(height, observed, atol=tolerance)


def test_reliability_is_isotonic_over_the_band_of_perfect_calibration(judged):
    y, score, _ = judged
    shown = CalibrationDisplay.from_predictions(y, score, n_resamples=50, random_state=0)
    expected = reliability_curve(
        y, score, method="isotonic", band="consistency", n_resamples=50, random_state=0
    )
    np.testing.assert_array_equal(shown.line_.get_ydata(), expected.observed)
    [band] = [part for part in shown.ax_.collections if isinstance(part, PolyCollection)]
    assert band.get_label() == "95 % if calibrated"
    assert band.get_datalim(shown.ax_.transData).y1 == expected.high.max()
    many = np.tile(y, 30), np.tile(score, 30)
    assert CalibrationDisplay.from_predictions(*many).curves.method == "binned"


def test_a_second_reliability_curve_is_added(judged):
    y, score, _ = judged
    _, ax = pyplot.subplots()
    first = CalibrationDisplay.from_predictions(y, score, ax=ax, n_bins=5)
    second = CalibrationDisplay.from_predictions(y, score**2, ax=ax, n_bins=5, name="squared")
    assert len(ax.collections) == 2
    assert first.line_.get_color() != second.line_.get_color()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["Classifier", "as predicted", "squared"]
    assert max(bar.get_height() for bar in second.bars_) == pytest.approx(0.18)
    plain = CalibrationDisplay.from_predictions(y, score, histogram=False)
    assert plain.bars_ is None


def test_rare_classes_fill_the_axes(rare):
    y, p = rare
    shown = CalibrationDisplay.from_predictions(y, p)
    assert np.ptp(shown.curves.weight) < 200  # bins of equal weight
    assert len(shown.line_.get_xdata()) == 10
    assert 0.05 < shown.ax_.get_xlim()[1] < 0.1
    assert CalibrationDisplay.from_predictions(y, p, strategy="uniform").curves.edges[1] == 0.1


def test_reliability_of_folds_and_of_scores_that_are_none(judged):
    y, score, X = judged
    results = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    assert len(CalibrationDisplay.from_cv_results(results, X, y).line_) == 3
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        CalibrationDisplay.from_predictions(y, 3 * score)


def test_a_smaller_calibration_curve_does_not_crop_the_first():
    rng = np.random.default_rng(0)
    score = rng.random(400)
    y = rng.random(400) < score
    first = CalibrationDisplay.from_predictions(y, score, n_bins=5)
    CalibrationDisplay.from_predictions(rng.random(400) < 0.05, score / 10, ax=first.ax_, n_bins=5)
    assert first.ax_.get_xlim()[1] > 1


def test_points_of_bins_as_scikit_learn_takes_them(judged):
    y, score, _ = judged
    observed, predicted = calibration_curve(y, score, n_bins=5)
    shown = CalibrationDisplay(observed, predicted, score, estimator_name="bayes").plot()
    np.testing.assert_array_equal(shown.line_.get_data(), (predicted, observed))
    assert shown.ax_.get_legend().get_texts()[0].get_text() == "bayes"
    for wrong in ({}, {"curves": observed, "prob_pred": predicted}):
        with pytest.raises(TypeError, match="either curves, or prob_true, prob_pred and y_prob"):
            CalibrationDisplay(**wrong)
