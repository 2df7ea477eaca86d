"""Hamming loss of cells, beyond what the common tests ask."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics

import skaucx.metrics as sm
from skaucx import evaluation, inference


def test_cells():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y, pred = (rng.random((2, 30, 4)) < 0.5).astype(int)
        w = rng.random(30)
        theirs = sklearn.metrics.hamming_loss(y, pred, sample_weight=w)
        assert sm.hamming_loss(y, pred, sample_weight=w) == pytest.approx(theirs, rel=1e-12)
    assert evaluation.evaluate(y, pred)["hamming_loss"] == pytest.approx(
        (y != pred).mean(), rel=1e-12
    )
    found = inference.interval("hamming_loss", y, pred, n_resamples=99, random_state=0)
    assert found.low < (y != pred).mean() < found.high
    result = inference.paired_test("hamming_loss", y, pred, 1 - pred, n_resamples=99,
                                      random_state=0, method="bootstrap")  # fmt: skip
    assert result.estimates[0] == pytest.approx((y != pred).mean())
