"""What lectures draw by hand of curves: points at thresholds, models."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx import displays
from skaucx import metrics as sm
from skaucx.metrics import precision_recall_curve, roc_curve
from skaucx.metrics.curves import DensityModel

RNG = np.random.default_rng(7)
y_true, scores = RNG.integers(0, 2, 200), RNG.normal(size=200).round(1)


def test_points_at_many_thresholds():
    wanted = np.array([[3.0, 0.55], [-0.2, -9.0]])
    fpr, tpr = roc_curve(y_true, scores, drop_intermediate=False).at(wanted)
    precision, recall = precision_recall_curve(y_true, scores).at(wanted)
    assert fpr.shape == precision.shape == (2, 2)
    for place, threshold in np.ndenumerate(wanted):
        table = sm.Counts.from_labels(y_true, 1 * (scores >= threshold))
        assert fpr[place] == pytest.approx(table.fp / table.negatives)
        assert tpr[place] == recall[place] == pytest.approx(table.tp / table.positives)
        if table.predicted_positives:
            assert precision[place] == pytest.approx(table.tp / table.predicted_positives)
    assert roc_curve(y_true, scores).at(np.inf) == (0.0, 0.0)
    assert precision_recall_curve(y_true, scores).at(99) == (1.0, 0.0)
    for at in (roc_curve(y_true, scores).at, precision_recall_curve(y_true, scores).at):
        with pytest.raises(ValueError, match="threshold must be a number"):
            at([0.5, np.nan])
    with pytest.raises(ValueError, match="measured without scores"):
        sm.curves.PrecisionRecallCurve.from_points([0.5, 1], [1, 0.5]).at(0.3)


def test_threshold_curves_at_given_thresholds():
    names = ["recall", "precision"]
    some = sm.threshold_curves(y_true, scores, names, thresholds=[0.2, 0.5, 0.35])
    assert some.thresholds.tolist() == [0.5, 0.35, 0.2]
    for place, threshold in enumerate(some.thresholds):
        table = sm.Counts.from_labels(y_true, 1 * (scores >= threshold))
        assert some.counts[place].cells == table.cells
        assert some["recall"][place] == pytest.approx(table.tp / table.positives)
        assert some["precision"][place] == pytest.approx(table.tp / table.predicted_positives)


def test_the_optimum_is_among_the_points_drawn():
    """Class 1 twice as frequent: accuracy is best at 1/3, where the weighted densities meet."""
    model = DensityModel(prevalence=2 / 3)
    curves = model.threshold_curves(["accuracy", "fbeta"], beta=2)
    assert curves.best("accuracy").threshold == pytest.approx(1 / 3, abs=1e-7)
    assert curves.best("fbeta").threshold == model.optimum("fbeta", beta=2)[0]
    display = displays.ThresholdDisplay(model.threshold_curves(["accuracy"])).plot()
    assert "0.333" in display.ax_.get_legend().get_texts()[0].get_text()
    assert 2 * model.positives.pdf(1 / 3) == pytest.approx(model.negatives.pdf(1 / 3))
