"""Discrimination against miscalibration: points on the lines of equal loss."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from skaucx.displays import DecompositionDisplay

pytestmark = pytest.mark.presentation


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
