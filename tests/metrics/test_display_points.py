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

Y = np.array([0, 0, 1, 1, 0, 1])
SCORE = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.7])
RISING = [0, 0.5, 1]


def legend(drawn):
    return [text.get_text() for text in drawn.ax_.get_legend().get_texts()]


def test_roc_and_det_take_points():
    fpr, tpr, _ = theirs.roc_curve(Y, SCORE, drop_intermediate=False)
    drawn = RocCurveDisplay(fpr=fpr, tpr=tpr, name="model").plot()
    theirs_drawn = theirs.RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=0.5).plot()  # labelled
    np.testing.assert_allclose(drawn.line_.get_xydata(), theirs_drawn.line_.get_xydata())
    assert f"model (AUC = {theirs.roc_auc_score(Y, SCORE):.2f})" in legend(drawn)[0]
    stated = RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=0.9, estimator_name="m").plot()
    assert legend(stated) == ["m (AUC = 0.90)"]
    fpr, fnr, _ = theirs.det_curve(Y, SCORE)
    assert DetCurveDisplay(fpr=fpr, fnr=fnr).plot().line_


def test_precision_recall_takes_points():
    precision, recall, _ = theirs.precision_recall_curve(Y, SCORE)
    points = {"precision": precision, "recall": recall}
    drawn = PrecisionRecallDisplay(**points, name="model", prevalence_pos_label=0.5)
    drawn.plot(plot_chance_level=True)
    theirs_drawn = theirs.PrecisionRecallDisplay(precision, recall).plot()
    np.testing.assert_allclose(drawn.line_.get_xydata(), theirs_drawn.line_.get_xydata())
    whole = PrecisionRecallDisplay.from_predictions(Y, SCORE, name="model")
    assert legend(drawn) == legend(whole.plot(plot_chance_level=True))
    again = PrecisionRecallDisplay(precision, recall, average_precision=0.25, estimator_name="m")
    assert legend(again.plot()) == ["m (AP = 0.25)"]
    rising = PrecisionRecallDisplay(precision[::-1], recall[::-1])
    assert legend(rising.plot()) == legend(PrecisionRecallDisplay(**points).plot())


@pytest.mark.parametrize(
    ("draw", "error", "says"),
    [
        (lambda: RocCurveDisplay(fpr=RISING), TypeError, "either curves, or fpr and tpr"),
        (lambda: DetCurveDisplay(), TypeError, "either curves, or fpr and fnr"),
        (lambda: DetCurveDisplay(fpr=RISING, fnr=[1, 0.2, 0], name="a", estimator_name="b"), TypeError,
         "either name or estimator_name"),
        (lambda: PrecisionRecallDisplay(precision=RISING), TypeError,
         "either curves, or precision and recall"),
        (lambda: PrecisionRecallDisplay(precision=RISING, recall=[1, 0, 0.5]), ValueError, "both"),
        (lambda: PrecisionRecallDisplay(RISING, RISING[::-1]).plot(plot_chance_level=True), ValueError,
         "prevalence_pos_label"),
        (lambda: ScoreDisplay(DensityModel()), TypeError, "from_predictions"),
        (lambda: ScoreDisplay([0.1, 0.4]), TypeError, "from_predictions"),
        (lambda: ScoreDisplay(None), TypeError, "from_predictions"),
    ],
)  # fmt: skip
def test_refusals(draw, error, says):
    with pytest.raises(error, match=says):
        draw()


def test_constructors_take_the_keywords_of_scikit_learn():
    pairs = {
        PUBLIC[name]: display
        for home in (theirs, calibration)
        for name, display in vars(home).items()
        if name.endswith("Display") and name in PUBLIC
    }
    assert len(pairs) == 5
    methods = ("__init__", "plot", "from_estimator", "from_predictions", "from_cv_results")
    for own, display in pairs.items():
        for made in [name for name in methods if hasattr(display, name)]:
            known = inspect.signature(getattr(own, made)).parameters
            wanted = inspect.signature(getattr(display, made)).parameters
            lacking = set(wanted) - set(known) - {"kwargs"}
            assert not lacking or made.startswith("from_"), (own, made, lacking)
