"""Decision curves: the thresholds that are shown, and their bands."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.displays import DecisionDisplay

pytestmark = pytest.mark.presentation


def test_rare_classes_fill_the_axes(rare):
    shown = DecisionDisplay.from_predictions(*rare)
    assert shown.ax_.get_xlim()[1] < 0.15
    assert len(shown.curves.thresholds) == 99
    assert shown.curves.thresholds[-1] < 0.15
    again = DecisionDisplay.from_predictions(*rare, thresholds=[0.1, 0.5], ax=shown.ax_)
    assert again.curves.thresholds.tolist() == [0.1, 0.5]
    usual = DecisionDisplay.from_predictions(np.arange(100) > 40, np.linspace(0, 1, 100))
    assert usual.ax_.get_xlim()[1] == pytest.approx(1.03, abs=0.01)
