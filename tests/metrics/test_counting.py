"""Scores of single precision, and one metric against many."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference


@pytest.mark.parametrize("n", [40, 2000, 50_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_single_precision_says_what_its_double_says(n, sign):
    rng = np.random.default_rng(n)
    truth, weight = rng.random(n) < 0.3, rng.random(n)
    narrow = (sign * rng.random(n).round(5)).astype(np.float32)
    wide = narrow.astype(np.float64)
    ask = {"metrics": ["roc_auc", "mm7_auc", "soft_auc", "average_precision"], "rescale": "expit"}
    for given in ({}, {"sample_weight": weight}):
        found = [evaluation.evaluate(truth, y_score=s, **ask, **given) for s in (narrow, wide)]
        assert dict(found[0]) == dict(found[1])
        assert sm.roc_auc_score(truth, narrow, **given) == sm.roc_auc_score(truth, wide, **given)
    curves = [sm.roc_curve(truth, s) for s in (narrow, wide)]
    np.testing.assert_array_equal(curves[0].thresholds, curves[1].thresholds)
    one, other = (inference.interval("roc_auc", truth, s) for s in (narrow, wide))
    assert (one.low, one.high) == (other.low, other.high)
