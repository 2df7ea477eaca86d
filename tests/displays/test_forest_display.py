"""Forests: a row a metric or class, and below it a row a model."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.displays import ForestDisplay
from skaucx.inference import intervals

pytestmark = pytest.mark.presentation


def test_a_row_a_model_below_the_name_of_each_metric(judged):
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
        rows = [shown.ax_.get_yticklabels()[int(place)].get_text() for place in at]
        assert rows == [model, model]
    lines = [seg for part in shown.ax_.collections for seg in part.get_segments()]
    ends = [(seg[0][0], seg[1][0]) for seg in lines]
    assert ends == [
        (found[name].low, found[name].high) for found in models.values() for name in names
    ]
    assert shown.ax_.get_xlabel() == "Estimate with 95 % interval"
    heads = [text.get_text() for text in shown.ax_.get_yticklabels()][::3]
    assert heads == names
    texts = [text.get_text() for text in shown.ax_.texts]
    first = models["low"]["recall"]
    assert texts[0] == f"{first.estimate:.2f} [{first.low:.2f}, {first.high:.2f}]"


def test_classes_have_rows(judged):
    y, score, _ = judged
    found = intervals(["recall"], y, (score > 0.5).astype(int), average=None)
    assert ForestDisplay.from_intervals(found).rows_ == ["recall, class 0", "recall, class 1"]
    with pytest.raises(ValueError, match="one interval at least"):
        ForestDisplay({})
