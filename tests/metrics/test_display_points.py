"""Displays made of points, as scikit-learn's are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as theirs

from skaucx.metrics import DetDisplay, RocDisplay

pytest.importorskip("matplotlib")

Y = np.array([0, 0, 1, 1, 0, 1])
SCORE = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.7])


def test_roc_and_det_take_points():
    fpr, tpr, _ = theirs.roc_curve(Y, SCORE, drop_intermediate=False)
    drawn = RocDisplay(fpr=fpr, tpr=tpr, name="model").plot()
    theirs_drawn = theirs.RocCurveDisplay(fpr=fpr, tpr=tpr).plot()
    np.testing.assert_allclose(drawn.line_.get_xydata(), theirs_drawn.line_.get_xydata())
    area = theirs.roc_auc_score(Y, SCORE)
    assert f"model (AUC = {area:.2f})" in drawn.ax_.get_legend().get_texts()[0].get_text()
    fpr, fnr, _ = theirs.det_curve(Y, SCORE)
    assert DetDisplay(fpr=fpr, fnr=fnr).plot().line_
    with pytest.raises(TypeError, match="either curves, or fpr and tpr"):
        RocDisplay(fpr=fpr)
    with pytest.raises(TypeError, match="either curves, or fpr and fnr"):
        DetDisplay()
