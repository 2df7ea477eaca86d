"""The optimism-corrected bootstrap, and the instability of predicted risks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold

from skaucx.clinic import InstabilityDisplay, _optimism, optimism_bootstrap, prediction_instability
from skaucx.metrics import calibration_slope, roc_auc_score

RMS = json.loads(Path(__file__).parents[1].joinpath("data/optimism_values.json").read_text())


class GivenDraws(np.random.RandomState):
    """Draws that were written down."""

    def __init__(self, draws):
        super().__init__(0)
        self._rows = iter(np.asarray(draws))

    def randint(self, *args, **options):
        return next(self._rows)


def logistic():
    return LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, np.where(rng.random(120) < 1 / (1 + np.exp(0.5 - X[:, 0])), "ill", "well")


def test_agrees_with_rms_on_the_same_draws():
    found = optimism_bootstrap(
        logistic(), np.array(RMS["X"]), np.array(RMS["y"]),
        scoring=["calibration_slope", "gini", "neg_brier_score"],
        n_resamples=len(RMS["draws"]), random_state=GivenDraws(RMS["draws"]),
    )  # fmt: skip
    # rms recalibrates a resample's model on the original rows before R2 is computed: not compared.
    names = {"calibration_slope": "Slope", "gini": "Dxy", "neg_brier_score": "B"}
    for name, theirs in names.items():
        sign = -1 if theirs == "B" else 1
        ours = [
            found.apparent[name], found.resampled[name].mean(), found.original[name].mean(),
            found.optimism[name], found.corrected[name],
        ]  # fmt: skip
        np.testing.assert_allclose(np.array(ours) * sign, RMS[theirs], atol=2e-6)


def test_agrees_with_the_plain_loop(data, monkeypatch):
    X, y = data
    rng = np.random.RandomState(3)
    draws = [rng.randint(120, size=120) for _ in range(6)]
    found = optimism_bootstrap(
        logistic(), X, y, scoring=["calibration_slope", "roc_auc"], pos_label="ill",
        n_resamples=6, random_state=3,
    )  # fmt: skip

    def scores(model, rows):
        p = model.predict_proba(X[rows])[:, 0]
        return [f(y[rows], p, pos_label="ill") for f in (calibration_slope, roc_auc_score)]

    gains = []
    for rows in draws:
        model = logistic().fit(X[rows], y[rows])
        gains.append(np.subtract(scores(model, rows), scores(model, np.arange(120))))
    model = logistic().fit(X, y)
    expected = np.subtract(scores(model, np.arange(120)), np.mean(gains, axis=0))
    np.testing.assert_allclose(list(found.corrected.values()), expected, rtol=1e-12)
    np.testing.assert_allclose(found.risk, model.predict_proba(X)[:, 0])
    np.testing.assert_allclose(
        found.risks[2], logistic().fit(X[draws[2]], y[draws[2]]).predict_proba(X)[:, 0]
    )
    few = found.interval("roc_auc")
    assert np.isnan([few.low, few.high]).all()
    monkeypatch.setattr(_optimism, "_LEAST_OF_CLASS", 1)
    pivot = found.interval("roc_auc")
    ends = found.apparent["roc_auc"] - np.quantile(
        np.array(gains)[:, 1], [0.975, 0.025], method="weibull"
    )
    np.testing.assert_allclose([pivot.low, pivot.high], ends)


def test_intervals_contain_their_estimate_or_say_why_there_is_none(data, monkeypatch):
    X, y = data
    found = optimism_bootstrap(logistic(), X, y, pos_label="ill", n_resamples=30, random_state=0)
    assert next(iter(found.apparent)) == "calibration_slope"
    for name in found.apparent:
        none = found.interval(name)
        assert np.isnan([none.low, none.high]).all()
        assert "fewer than 100 rows of a class" in none.note
        with monkeypatch.context() as enough:
            enough.setattr(_optimism, "_LEAST_OF_CLASS", 1)
            one = found.interval(name)
        assert one.low < one.estimate < one.high
        assert not one.note
    with pytest.raises(KeyError, match="roc_auc"):
        found.interval("recall")
    assert "ill" in repr(found)
    assert "<table" in found._repr_html_()
    assert found.to_frame().loc["roc_auc", "corrected"] == found.corrected["roc_auc"]


def test_tuning_is_repeated_with_copies_kept_together(data):
    X, y = data
    seen = []

    class Folds(StratifiedGroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(not set(groups[train]) & set(groups[test]))
                yield train, test

    search = GridSearchCV(logistic(), {"C": [0.01, 1.0]}, cv=Folds(2), scoring="neg_log_loss")
    found = optimism_bootstrap(search, X, y, scoring="roc_auc", pos_label="ill", n_resamples=3)
    assert seen == [True] * 8
    assert found.risks.shape == (3, 120)


def test_clusters_stay_together_and_numbers_have_no_positive_class(data):
    X, _ = data
    groups = np.repeat(np.arange(40), 3)
    found = optimism_bootstrap(
        LinearRegression(), X, X[:, 0] + X[:, 1] ** 2, scoring="r2", groups=groups, n_resamples=5,
        random_state=0,
    )  # fmt: skip
    assert found.corrected["r2"] < found.apparent["r2"]
    with pytest.raises(ValueError, match="predict_proba"):
        found.instability()


def test_a_resample_of_one_class_is_left_out():
    X, y = np.arange(12.0)[:, None], np.array([1] + [0] * 11)
    with pytest.warns(Warning, match="bootstrap fits"):
        found = optimism_bootstrap(
            logistic(), X, y, scoring="roc_auc", n_resamples=30, random_state=0
        )
    lost = np.isnan(found.original["roc_auc"]).sum()
    assert 0 < lost < 30
    assert len(found.risks) == 30 - lost
    assert f"{lost} of them" in repr(found)
    assert np.isfinite(found.corrected["roc_auc"])


def test_instability_counts_flips_and_errors(data):
    found = prediction_instability(
        [0.2, 0.6, 0.9], [[0.1, 0.4, np.nan], [0.3, 0.7, 0.8]], threshold=0.5
    )
    np.testing.assert_allclose(found.errors, [0.1, 0.15, 0.1])
    assert found.flips.tolist() == [0.0, 0.5, 0.0]
    assert found.flip_rate == pytest.approx(1 / 6)
    for given, words in (
        (([0.2], [[0.1, 0.2]]), "shape"),
        (([0.2], [[1.2]]), "lie in"),
        (([0.2, 0.3], [[0.1, np.nan]]), "column 1"),
    ):
        with pytest.raises(ValueError, match=words):
            prediction_instability(*given)
    with pytest.raises(ValueError, match="threshold"):
        prediction_instability([0.2], [[0.1]], threshold=1.0)


def test_instability_by_the_definitions_of_pminternal():
    """Its classification_instability and mape: means over resamples, then over people."""
    rng = np.random.default_rng(0)
    risk = rng.random(50)
    risks = np.clip(risk + rng.normal(0, 0.2, (30, 50)), 0, 1)
    found = prediction_instability(risk, risks, threshold=0.4)
    errors = [np.mean([abs(one[i] - risk[i]) for one in risks]) for i in range(50)]
    flips = [np.mean([(one[i] > 0.4) != (risk[i] > 0.4) for one in risks]) for i in range(50)]
    np.testing.assert_allclose(found.errors, errors)
    np.testing.assert_allclose(found.flips, flips)
    assert found.mape == pytest.approx(np.mean(errors))
    assert found.flip_rate == pytest.approx(np.mean(flips))


def test_pictures_of_instability(data):
    pytest.importorskip("matplotlib")
    X, y = data
    found = optimism_bootstrap(
        logistic(), X, y, scoring="roc_auc", pos_label="ill", n_resamples=8, random_state=0
    ).instability(threshold=0.4)
    display = found.plot(kind="prediction")
    assert len(display.ax_.lines[0].get_xdata()) == found.risks.size
    curves = found.plot(kind="calibration").ax_.lines
    assert len(curves) == 8 + 2
    flips = found.plot(kind="classification").ax_.lines[0].get_ydata()
    np.testing.assert_array_equal(flips, found.flips)
    np.testing.assert_array_equal(found.plot(kind="error").ax_.lines[0].get_ydata(), found.errors)
    with pytest.raises(ValueError, match="y_true"):
        prediction_instability([0.2], [[0.1]]).plot(kind="calibration")
    with pytest.raises(ValueError, match="kind"):
        InstabilityDisplay(found, kind="other")
