"""Metrics against the threshold: steps, best thresholds and the model's closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx import metrics as sm
from skaucx.displays import ThresholdDisplay
from skaucx.metrics import threshold_curves
from skaucx.metrics.curves import DensityModel

pytestmark = pytest.mark.presentation


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def height_at(line, x):
    """Return the height of a rising step line at x: that of the next point."""
    xs, ys = line.get_data()
    assert line.get_drawstyle() == "steps-pre"
    return ys[np.searchsorted(xs, x)]


def test_lines_are_the_metrics_at_each_threshold(binary):
    X, y, model = binary
    names = ["recall", "f1", "expected_cost"]
    cost = [[0, 1], [3, 0]]
    shown = ThresholdDisplay.from_estimator(model, X, y, metrics=names, cost=cost)
    score = model.predict_proba(X)[:, 1]
    for threshold in (-0.01, 0.1, 0.37, 0.5, 0.93, 1.01):
        called = (score >= threshold).astype(int)
        for name, function, own in (
            ("recall", sm.recall_score, {}),
            ("f1", sm.f1_score, {}),
            ("expected_cost", sm.expected_cost, {"cost": cost}),
        ):
            [line] = shown.lines_[name]
            assert line.get_ydata()[0] == line.get_ydata()[1]
            assert height_at(line, threshold) == pytest.approx(function(y, called, **own))
    curves = threshold_curves(y, score, names, cost=cost)
    assert set(shown.best_) == {"f1", "expected_cost"}  # recall is best where all is positive
    for name, mark in shown.best_.items():
        np.testing.assert_array_equal(np.ravel(mark.get_data()), curves.best(name))
    threshold, value = curves.best("f1")
    share = 100 * (score >= threshold).mean()
    assert legend(shown)[1] == f"F1: best {value:.2f} at {threshold:.3g}, {share:.1f} % of rows"
    assert legend(shown)[2].startswith("expected cost: best ")
    assert len({mark.get_marker() for mark in shown.best_.values()}) == 2


def test_no_mark_where_predicting_none_positive_is_best():
    shown = ThresholdDisplay.from_predictions([0, 1, 1], [0.9, 0.2, 0.4], metrics=["specificity"])
    assert legend(shown) == ["specificity"]
    assert not shown.best_


def test_the_usual_metrics(binary):
    X, y, model = binary
    shown = ThresholdDisplay.from_estimator(model, X, y, name="bayes")
    named = [text.partition(":")[0] for text in legend(shown)]
    assert named == ["recall", "specificity", "precision", "F1", "MCC"]
    assert shown.ax_.get_legend().get_title().get_text() == "bayes"
    assert shown.ax_.get_xlabel() == "Threshold (Positive label: 1)"


def test_samples_over_the_theory():
    model = DensityModel(prevalence=0.3)
    samples = {
        f"{n} rows": threshold_curves(*model.sample(n, n), ["f1", "mcc"]) for n in (300, 3000)
    }
    shown = ThresholdDisplay(samples).plot(theory=model)
    known = model.threshold_curves(["f1", "matthews_corrcoef"])
    for metric in known.values:
        t, values = shown.theory_[metric].get_data()
        closed = model.threshold_curves([metric], thresholds=t)
        np.testing.assert_allclose(values, closed[metric], rtol=1e-12)
    heads = [" ".join(text.split()).partition(":")[0] for text in legend(shown)]
    assert heads == ["300 rows, F1", "300 rows, MCC", "3000 rows, F1", "3000 rows, MCC", "theory"]


def test_folds(binary):
    X, y, _ = binary
    results = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    shown = ThresholdDisplay.from_cv_results(results, X, y, metrics=["f1", "npv"])
    assert [len(lines) for lines in shown.lines_.values()] == [3, 3]
    [[at], [value]] = shown.best_["f1"].get_data()
    heights = [height_at(line, at) for line in shown.lines_["f1"]]
    assert value == pytest.approx(np.mean(heights))
    assert value == pytest.approx(np.max(shown.mean_["f1"].get_ydata()))
    told = f"{value:.2f} \u00b1 {np.std(heights, ddof=1):.2f} at {at:.3g}"
    assert legend(shown)[0].startswith(f"F1: best {told}, ")
    assert legend(shown)[0].endswith(" % of rows")
    assert shown.ax_.get_legend().get_title().get_text() == "mean \u00b1 sd of 3 curves"


def test_the_best_of_the_mean_is_never_above_the_mean_of_the_folds_maxima():
    """Precision is undefined above the highest score of a fold: a mean of the rest would be 1."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3 == 0
    score = rng.normal(size=300) + y
    folds = [threshold_curves(y[k::10], score[k::10], ["precision"]) for k in range(10)]
    shown = ThresholdDisplay(folds).plot()
    [value] = shown.best_["precision"].get_ydata()
    assert value <= np.mean([fold.best("precision")[1] for fold in folds])
    assert np.nanmax(shown.mean_["precision"].get_ydata()) == value < 1


def test_one_of_several_classes():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    shown = ThresholdDisplay.from_estimator(model, X, y, pos_label=1, metrics=["f1"])
    expected = threshold_curves(y == 1, model.predict_proba(X)[:, 1], ["f1"])
    assert shown.best_["f1"].get_ydata()[0] == expected.best("f1")[1]
    with pytest.raises(ValueError, match="choose pos_label"):
        ThresholdDisplay.from_estimator(model, X, y)


def test_a_metric_that_is_nowhere_defined():
    """MCC of one score for all is nan at every threshold; that is no warning of NumPy's."""
    drawn = ThresholdDisplay.from_predictions([0, 0, 1, 1], [0.5] * 4)
    assert np.isnan(drawn.lines_["matthews_corrcoef"][0].get_ydata()).all()
