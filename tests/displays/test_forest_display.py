"""Forests, and reliability curves: what stands where."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from scipy.stats import binomtest
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.displays import CalibrationDisplay, DecisionDisplay, DecompositionDisplay, ForestDisplay
from skaucx.inference import intervals, reliability_curve
from tests.each import each

pytestmark = pytest.mark.presentation


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
    weighted = CalibrationDisplay.from_predictions(
        y, score, sample_weight=np.full(len(y), 0.5), n_bins=4
    )
    assert np.isnan(weighted.curves.low).all()


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


def test_a_second_reliability_curve_has_no_intervals_and_its_own_histogram(judged):
    y, score, _ = judged
    _, ax = pyplot.subplots()
    first = CalibrationDisplay.from_predictions(y, score, ax=ax, n_bins=5)
    count = len(ax.collections)
    second = CalibrationDisplay.from_predictions(y, score**2, ax=ax, n_bins=5, name="squared")
    assert (len(ax.collections), count) == (1, 1)
    assert first.bars_.get_fill()
    assert not second.bars_.get_fill()
    assert max(second.bars_.get_data().values) == pytest.approx(0.18)
    plain = CalibrationDisplay.from_predictions(y, score, histogram=False)
    assert plain.bars_ is None


def test_rare_classes_fill_the_axes():
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.01).astype(int)
    p = np.clip(rng.beta(1, 60, 20_000) + 0.05 * y * rng.random(20_000), 0, 1)
    shown = CalibrationDisplay.from_predictions(y, p, n_bins=10)
    assert np.ptp(shown.curves.weight) < 200  # bins of equal weight
    assert len(shown.line_.get_xdata()) == 10
    assert 0.05 < shown.ax_.get_xlim()[1] < 0.1
    assert CalibrationDisplay.from_predictions(y, p, strategy="uniform").curves.edges[1] == 0.1
    decision = DecisionDisplay.from_predictions(y, p)
    assert decision.ax_.get_xlim()[1] < 0.15
    assert len(decision.curves.thresholds) == 99
    assert decision.curves.thresholds[-1] < 0.15
    again = DecisionDisplay.from_predictions(y, p, thresholds=[0.1, 0.5], ax=decision.ax_)
    assert again.curves.thresholds.tolist() == [0.1, 0.5]
    usual = DecisionDisplay.from_predictions(np.arange(100) > 40, np.linspace(0, 1, 100))
    assert usual.ax_.get_xlim()[1] == 1.04


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_points_of_models_lie_on_the_lines_of_their_loss(judged, loss):
    y, score, _ = judged
    models = {"model": np.clip(score, 0.01, 0.99), "no model": np.full(len(y), y.mean())}
    shown = DecompositionDisplay.from_predictions(y, models, loss=loss)
    whole = {"brier": brier_score_loss, "log": log_loss}[loss]
    for name, p in models.items():
        [mcb], [dsc] = shown.points_[name].get_data()
        assert mcb - dsc + shown.uncertainty == pytest.approx(whole(y, p))
    assert shown.parts["no model"] == pytest.approx((0, 0))
    lines = [line for line in shown.ax_.get_lines() if line.get_alpha() == 0.6]
    values = [text.get_text() for text in shown.ax_.texts]
    assert len(values) == len(lines) > 2
    for line, text in zip(lines, values, strict=True):
        (x0, _), (y0, _) = line.get_data()
        assert x0 - y0 + shown.uncertainty == pytest.approx(float(text))
    with pytest.raises(TypeError, match="dict"):
        DecompositionDisplay.from_predictions(y, score)


@each("display", [DecisionDisplay, CalibrationDisplay])
def test_all_models_of_axes_have_their_uncertainty_or_none_has(judged, display):
    y, score, _ = judged

    def bands(ax):
        held = [part for part in ax.collections if part.get_gid() == "uncertainty"]
        return [part.get_visible() for part in held]

    ax = display.from_predictions(y, score).ax_
    assert bands(ax) == [True]
    display.from_predictions(y, score**2, name="squared", ax=ax)
    assert not any(bands(ax))
    assert "calibrated" not in str([text.get_text() for text in ax.get_legend().get_texts()])
    if display is DecisionDisplay:
        display.from_predictions(y, score**3, name="cubed", ax=ax, band=True)
        assert bands(ax) == [True] * 3


def test_reliability_of_folds_and_of_scores_that_are_none(judged):
    y, score, X = judged
    results = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    assert len(CalibrationDisplay.from_cv_results(results, X, y).line_) == 3
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        CalibrationDisplay.from_predictions(y, 3 * score)
