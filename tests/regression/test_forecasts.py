"""SMAPE and MASE: against sktime and by hand, and in folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score

import skaucx.metrics as sm
from skaucx import regression
from skaucx.model_selection import Decisions, nested_cross_validate


def test_sktime():
    """sktime 1.2.0, mean_absolute_scaled_error(sp=3) and the symmetric percentage error."""
    rng = np.random.default_rng(0)
    y, f, train = rng.normal(size=9), rng.normal(size=9), rng.normal(size=20)
    mase = regression.mase_loss(y, f, y_train=train, period=3)
    assert mase == pytest.approx(1.4993225789880178, rel=1e-14)
    assert regression.smape_loss(y, f) == pytest.approx(1.6286276371149058, rel=1e-14)


def test_by_hand():
    assert regression.smape_loss([0, 1, -2], [0, 3, 2]) == pytest.approx((0 + 1 + 2) / 3)
    naive = np.mean([2, 1, 4])
    assert regression.mase_loss([1, 2], [2, 4], y_train=[0, 2, 3, -1]) == pytest.approx(1.5 / naive)
    assert regression.mase_loss([1, 2], [2, 4], y_train=[0, 2, 3, -1], period=2) == pytest.approx(
        0.5
    )
    assert regression.mase_loss([1, 2], [2, 4], y_train=[3, 3]) == np.inf


def test_each_fold_has_the_scale_of_its_training_part():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, 3] + rng.normal(size=60)
    outer = KFold(4)
    result = nested_cross_validate(
        Ridge(), {"alpha": [1.0, 99.0]}, X, y, outer_cv=outer, inner_cv=KFold(3), final=None,
        scoring=["neg_mase_loss", "neg_smape_loss"], refit="neg_mase_loss",
    )  # fmt: skip
    for fold, (train, test) in enumerate(outer.split(X)):
        best = Ridge(**result.winning_params[fold])
        pred = best.fit(X[train], y[train]).predict(X[test])
        mase = -regression.mase_loss(y[test], pred, y_train=y[train])
        assert result["test_neg_mase_loss"][fold] == pytest.approx(mase, rel=1e-12)
        smape = -regression.smape_loss(y[test], pred)
        assert result["test_neg_smape_loss"][fold] == pytest.approx(smape, rel=1e-12)
    fixed = sm.get_scorer("neg_mase_loss", scale=2.0)
    found = cross_val_score(Ridge(), X, y, cv=outer, scoring=fixed)
    shares = [np.abs(np.diff(y[train])).mean() / 2 for train, _ in outer.split(X)]
    np.testing.assert_allclose(found, result["test_neg_mase_loss"] * shares, rtol=1e-12)
    with pytest.raises(ValueError, match=r"'neg_mase_loss' .*training part"):
        nested_cross_validate(
            Ridge(), {}, X, y, scoring="neg_mase_loss", decisions=Decisions(choose_by="pooled")
        )
