"""Displays made of points, as scikit-learn's are."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn import calibration
from sklearn import metrics as theirs

from skaucx.displays import ScoreDisplay
from skaucx.metrics import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay
from skaucx.metrics.curves import DensityModel
from tests.public import PUBLIC

pytestmark = pytest.mark.presentation

pytest.importorskip("matplotlib")

Y = np.array([0, 0, 1, 1, 0, 1])
SCORE = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.7])


def test_roc_and_det_take_points():
    fpr, tpr, _ = theirs.roc_curve(Y, SCORE, drop_intermediate=False)
    drawn = RocCurveDisplay(fpr=fpr, tpr=tpr, name="model").plot()
    theirs_drawn = theirs.RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=0.5).plot()  # labelled
    np.testing.assert_allclose(drawn.line_.get_xydata(), theirs_drawn.line_.get_xydata())
    area = theirs.roc_auc_score(Y, SCORE)
    assert f"model (AUC = {area:.2f})" in drawn.ax_.get_legend().get_texts()[0].get_text()
    fpr, fnr, _ = theirs.det_curve(Y, SCORE)
    assert DetCurveDisplay(fpr=fpr, fnr=fnr).plot().line_
    with pytest.raises(TypeError, match="either curves, or fpr and tpr"):
        RocCurveDisplay(fpr=fpr)
    with pytest.raises(TypeError, match="either curves, or fpr and fnr"):
        DetCurveDisplay()


def _legend(drawn):
    return [text.get_text() for text in drawn.ax_.get_legend().get_texts()]


def test_precision_recall_takes_points():
    precision, recall, _ = theirs.precision_recall_curve(Y, SCORE)
    points = {"precision": precision, "recall": recall}
    drawn = PrecisionRecallDisplay(**points, name="model", prevalence_pos_label=0.5)
    drawn.plot(plot_chance_level=True)
    theirs_drawn = theirs.PrecisionRecallDisplay(precision, recall).plot()
    np.testing.assert_allclose(drawn.line_.get_xydata(), theirs_drawn.line_.get_xydata())
    whole = PrecisionRecallDisplay.from_predictions(Y, SCORE, name="model")
    whole.plot(plot_chance_level=True)
    assert _legend(drawn) == _legend(whole)
    again = PrecisionRecallDisplay(precision, recall, average_precision=0.25, estimator_name="m")
    assert _legend(again.plot()) == ["m (AP = 0.25)"]
    rising = PrecisionRecallDisplay(precision[::-1], recall[::-1])
    assert _legend(rising.plot()) == _legend(PrecisionRecallDisplay(**points).plot())
    with pytest.raises(ValueError, match="prevalence_pos_label"):
        again.plot(plot_chance_level=True)
    with pytest.raises(TypeError, match="either curves, or precision and recall"):
        PrecisionRecallDisplay(precision=precision)
    with pytest.raises(ValueError, match="both"):
        PrecisionRecallDisplay(precision=[0.5, 0.6, 1], recall=[1, 0, 0.5])


def test_stated_values_stand_in_the_legend():
    fpr, tpr = [0, 0.5, 1], [0, 0.75, 1]
    drawn = RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=0.9, estimator_name="m").plot()
    assert _legend(drawn) == ["m (AUC = 0.90)"]
    with pytest.raises(TypeError, match="either name or estimator_name"):
        DetCurveDisplay(fpr=fpr, fnr=[1, 0.25, 0], name="a", estimator_name="b")


def test_constructors_take_the_keywords_of_scikit_learn():
    pairs = {
        PUBLIC[name]: display
        for home in (theirs, calibration)
        for name, display in vars(home).items()
        if name.endswith("Display") and name in PUBLIC
    }
    assert len(pairs) == 5
    for own, display in pairs.items():
        for made in ("__init__", "plot", "from_estimator", "from_predictions", "from_cv_results"):
            if not hasattr(display, made):
                continue
            known = inspect.signature(getattr(own, made)).parameters
            wanted = inspect.signature(getattr(display, made)).parameters
            lacking = set(wanted) - set(known) - {"kwargs"}
            assert not lacking or made.startswith("from_"), (own, made, lacking)


def test_scores_are_those_of_two_classes():
    for given in (DensityModel(), [0.1, 0.4], None):
        with pytest.raises(TypeError, match="from_predictions"):
            ScoreDisplay(given)
