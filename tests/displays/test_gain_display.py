"""Gain and DET curves against the metrics that read the same points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import det_curve

from skaucx.displays import GainDisplay
from skaucx.metrics import DetCurveDisplay, ks_score, lift_score, recall_at_k_score

pytestmark = pytest.mark.presentation


def test_gain_at_a_share(judged):
    y, score, _ = judged
    gain = GainDisplay.from_predictions(y, score)
    for k in (10, 50, 120):
        found = np.interp(k / 400, *gain.line_.get_data())
        assert found == pytest.approx(recall_at_k_score(y, score, k=k))
        assert found / (k / 400) == pytest.approx(lift_score(y, score, k=k))
    told = gain.ax_.get_legend().get_texts()[0].get_text()
    assert told == f"Classifier (KS = {ks_score(y, score):.2f})"


@pytest.mark.parametrize("rounded", [9, 2])
def test_det_line_is_that_of_scikit_learn(judged, rounded):
    y, score, _ = judged
    shown = DetCurveDisplay.from_predictions(y, score.round(rounded))
    fpr, fnr, _ = det_curve(y, score.round(rounded), drop_intermediate=False)
    assert len(fpr) > 20
    eps = np.finfo(float).eps
    theirs = norm.ppf(np.clip([fpr, fnr], eps, 1 - eps))
    np.testing.assert_allclose(shown.line_.get_data(), theirs, rtol=1e-9, atol=1e-9)
