"""Percentiles of the estimates of repeated cross-validation."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.model_selection import repetition_spread


def test_percentiles_of_the_means_of_repetitions():
    scores = np.random.default_rng(0).random((40, 5))
    low, high = repetition_spread(scores.ravel(), n_folds=5, confidence_level=0.8)
    assert (low, high) == pytest.approx(tuple(np.quantile(scores.mean(axis=1), [0.1, 0.9])))
    assert repetition_spread([0.5, 0.7]) == pytest.approx((0.505, 0.695))
    assert repetition_spread([0.5, np.nan, 0.7, 0.7], n_folds=2) == pytest.approx((0.7, 0.7))
    assert np.isnan(repetition_spread([np.nan])).all()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"scores": [0.1] * 7, "n_folds": 2}, "multiple of n_folds=2"),
        ({"scores": [0.1], "n_folds": 0}, "n_folds must be"),
        ({"scores": [0.1], "confidence_level": 1.0}, "confidence_level"),
    ],
)
def test_what_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        repetition_spread(given.pop("scores"), **given)
