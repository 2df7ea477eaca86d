"""SMAPE and MASE: against sktime and by hand, with weights and in folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score

import skaucx.metrics as sm
from skaucx import evaluation, inference, regression
from skaucx.model_selection import Decisions, nested_cross_validate

METRICS = [
    pytest.param(regression.smape_loss, {}, id="smape"),
    pytest.param(regression.mase_loss, {"scale": 0.7}, id="mase"),
]


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n).cumsum()
    return y, y + rng.normal(size=n), rng.integers(1, 4, n).astype(float)


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


@pytest.mark.parametrize(("metric", "given"), METRICS)
def test_rows_and_weights(metric, given):
    for seed in range(5):
        y, f, w = drawn(seed)
        value = metric(y, f, sample_weight=w, **given)
        turned = np.random.default_rng(seed).permutation(len(y))
        repeated = np.repeat(np.arange(len(y)), w.astype(int))
        for again in (
            metric(y[turned], f[turned], sample_weight=w[turned], **given),
            metric(y, f, sample_weight=1e200 * w, **given),
            metric(y[repeated], f[repeated], **given),
            metric([*y, 1e9], [*f, 0], sample_weight=[*w, 0], **given),
        ):
            assert again == pytest.approx(value, rel=1e-12)
        assert metric(y, y, **given) == 0
        low, high = metric.metric.bounds
        assert low <= value <= high


@pytest.mark.parametrize(("metric", "given"), METRICS)
def test_intervals_tests_and_evaluate(metric, given):
    y, f, w = drawn(0)
    name, value = metric.metric.name, metric(y, f, sample_weight=w, **given)
    settings = {"n_resamples": 200, "random_state": 0, **given}
    found = inference.interval(metric, y, f, sample_weight=w, **settings)
    assert found.low < value < found.high
    assert found.estimate == value
    grouped = inference.interval(metric, y, f, groups=np.arange(40) // 4, **settings)
    assert grouped.low < grouped.estimate < grouped.high
    worse = f + np.where(np.arange(40) % 2, 2, -2)
    result = inference.paired_test(metric, y, f, worse, **settings, method="bootstrap")
    assert result.difference == metric(y, f, **given) - metric(y, worse, **given)
    exchanged = inference.paired_test(metric, y, f, worse, **settings, method="permutation")
    assert exchanged.p_value < 0.05
    assert evaluation.evaluate(y, f, metrics=[metric], sample_weight=w, **given)[name] == value


@pytest.mark.parametrize(("metric", "given"), METRICS)
def test_bad_input(metric, given):
    with pytest.raises(ValueError, match="NaN or infinity in y_pred"):
        metric([1, 2], [1, np.nan], **given)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        metric([1, 2], [1], **given)
    with pytest.raises(
        ValueError,
        match=r"y_true and y_pred .*\(2, 2\) and \(2,\)",
    ):
        metric(np.eye(2), [1, 2], **given)
    with pytest.raises(TypeError, match="real numbers"):
        metric(["a", "b"], [1, 2], **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "one of y_train and scale, found neither"),
        ({"scale": 1.0, "y_train": [1, 2]}, "found both"),
        ({"y_train": [1, 2], "period": 2}, "more than period=2 values, found 2"),
        ({"y_train": [1, np.inf]}, "infinity in y_train"),
        ({"scale": 0}, "scale must be a finite number"),
        ({"scale": 1, "period": 0}, "period must be a whole number >= 1"),
    ],
)
def test_bad_scales(given, message):
    with pytest.raises(ValueError, match=message):
        regression.mase_loss([1, 2], [1, 2], **given)


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
        for place, (a, b) in enumerate(KFold(3).split(train)):
            inner = Ridge(99.0).fit(X[train[a]], y[train[a]]).predict(X[train[b]])
            scale = np.abs(np.diff(y[train[a]])).mean()
            mase = -np.abs(y[train[b]] - inner).mean() / scale
            assert result.inner_scores[fold, 1, place, 0] == pytest.approx(mase, rel=1e-12)
    fixed = sm.get_scorer("neg_mase_loss", scale=2.0)
    assert result.winning_params == ({"alpha": 1.0},) * 4
    found = cross_val_score(Ridge(), X, y, cv=outer, scoring=fixed)
    shares = [np.abs(np.diff(y[train])).mean() / 2 for train, _ in outer.split(X)]
    np.testing.assert_allclose(found, result["test_neg_mase_loss"] * shares, rtol=1e-12)
    with pytest.raises(ValueError, match=r"'neg_mase_loss' .*training part"):
        nested_cross_validate(
            Ridge(), {}, X, y, scoring="neg_mase_loss", decisions=Decisions(choose_by="pooled")
        )
    joined = nested_cross_validate(
        Ridge(), {}, X, y, scoring=fixed, decisions=Decisions(choose_by="pooled")
    )
    assert np.isfinite(joined["test_neg_mase_loss"]).all()
