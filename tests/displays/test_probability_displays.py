"""Calibration and decision curves: bins, bands, and what the axes show of rare classes."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.displays import CalibrationDisplay, DecisionDisplay
from skaucx.inference import reliability_curve

pytestmark = pytest.mark.presentation

X, Y = make_classification(n_samples=400, flip_y=0.2, random_state=0)
SCORE = GaussianNB().fit(X[::2], Y[::2]).predict_proba(X)[:, 1]
RNG = np.random.default_rng(0)
RARE = RNG.random(20_000) < 0.01
RISK = np.clip(RNG.beta(1, 60, 20_000) + 0.05 * RARE * RNG.random(20_000), 0, 1)
drawn = CalibrationDisplay.from_predictions


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_bins_are_those_of_scikit_learn(strategy):
    shown = drawn(Y, SCORE, n_bins=5, strategy=strategy)
    observed, predicted = calibration_curve(Y, SCORE, n_bins=5, strategy=strategy)
    tolerance = 1e-12 if strategy == "uniform" else 0.05  # their quantiles are interpolated
    np.testing.assert_allclose(shown.line_.get_data(), (predicted, observed), atol=tolerance)
    shown = CalibrationDisplay(observed, predicted, SCORE, estimator_name="bayes").plot()
    np.testing.assert_array_equal(shown.line_.get_data(), (predicted, observed))
    assert shown.ax_.get_legend().get_texts()[0].get_text() == "bayes"
    for wrong in ({}, {"curves": observed, "prob_pred": predicted}):
        with pytest.raises(TypeError, match="either curves, or prob_true, prob_pred and y_prob"):
            CalibrationDisplay(**wrong)


def test_reliability_is_isotonic_over_the_band_of_perfect_calibration():
    few = {"n_resamples": 50, "random_state": 0}
    shown = drawn(Y, SCORE, **few)
    expected = reliability_curve(Y, SCORE, method="isotonic", band="consistency", **few)
    np.testing.assert_array_equal(shown.line_.get_ydata(), expected.observed)
    [band] = [part for part in shown.ax_.collections if isinstance(part, PolyCollection)]
    assert band.get_label() == "95 % if calibrated"
    assert band.get_datalim(shown.ax_.transData).y1 == expected.high.max()
    assert drawn(np.tile(Y, 30), np.tile(SCORE, 30)).curves.method == "binned"


def test_a_second_reliability_curve_is_added():
    first = drawn(Y, SCORE, n_bins=5)
    second = drawn(Y, SCORE**2, ax=first.ax_, n_bins=5, name="squared")
    assert len(first.ax_.collections) == 2
    assert first.line_.get_color() != second.line_.get_color()
    names = [text.get_text() for text in first.ax_.get_legend().get_texts()]
    assert names == ["Classifier", "as predicted", "squared"]
    assert max(bar.get_height() for bar in second.bars_) == pytest.approx(0.18)
    assert drawn(Y, SCORE, histogram=False).bars_ is None
    drawn(RNG.random(400) < 0.05, SCORE / 10, ax=first.ax_, n_bins=5)
    assert first.ax_.get_xlim()[1] > 1  # a smaller one does not crop the first


def test_rare_classes_fill_the_axes():
    shown = drawn(RARE, RISK)
    assert np.ptp(shown.curves.weight) < 200  # bins of equal weight
    assert len(shown.line_.get_xdata()) == 10
    assert 0.05 < shown.ax_.get_xlim()[1] < 0.1
    assert drawn(RARE, RISK, strategy="uniform").curves.edges[1] == 0.1
    shown = DecisionDisplay.from_predictions(RARE, RISK)
    assert shown.ax_.get_xlim()[1] < 0.15
    assert len(shown.curves.thresholds) == 99
    assert shown.curves.thresholds[-1] < 0.15
    again = DecisionDisplay.from_predictions(RARE, RISK, thresholds=[0.1, 0.5], ax=shown.ax_)
    assert again.curves.thresholds.tolist() == [0.1, 0.5]
    usual = DecisionDisplay.from_predictions(np.arange(100) > 40, np.linspace(0, 1, 100))
    assert usual.ax_.get_xlim()[1] == pytest.approx(1.03, abs=0.01)


def test_reliability_of_folds_and_of_scores_that_are_none():
    results = cross_validate(GaussianNB(), X, Y, cv=3, return_estimator=True, return_indices=True)
    assert len(CalibrationDisplay.from_cv_results(results, X, Y).line_) == 3
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        drawn(Y, 3 * SCORE)
