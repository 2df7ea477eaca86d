"""Decision curves: the thresholds that are shown, and their bands."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.displays import DecisionDisplay
from tests.displays.cases import bands

pytestmark = pytest.mark.presentation


def test_rare_classes_fill_the_axes(rare):
    shown = DecisionDisplay.from_predictions(*rare)
    assert shown.ax_.get_xlim()[1] < 0.15
    assert len(shown.curves.thresholds) == 99
    assert shown.curves.thresholds[-1] < 0.15
    again = DecisionDisplay.from_predictions(*rare, thresholds=[0.1, 0.5], ax=shown.ax_)
    assert again.curves.thresholds.tolist() == [0.1, 0.5]
    usual = DecisionDisplay.from_predictions(np.arange(100) > 40, np.linspace(0, 1, 100))
    assert usual.ax_.get_xlim()[1] == 1.04


def test_all_models_of_axes_have_their_uncertainty_or_none_has(judged):
    y, score, _ = judged
    ax = DecisionDisplay.from_predictions(y, score).ax_
    assert bands(ax) == [True]
    DecisionDisplay.from_predictions(y, score**2, name="squared", ax=ax)
    assert not any(bands(ax))
    assert "calibrated" not in str([text.get_text() for text in ax.get_legend().get_texts()])
    DecisionDisplay.from_predictions(y, score**3, name="cubed", ax=ax, band=True)
    assert bands(ax) == [True] * 3
