"""The apparent score less the optimism: rms's values on the same draws, and a plain loop."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from skaucx.metrics import calibration_slope, roc_auc_score
from skaucx.model_selection import bootstrap_score

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


@pytest.mark.parametrize(
    ("metric", "theirs", "sign"),
    [("calibration_slope", "Slope", 1), ("gini", "Dxy", 1), ("neg_brier_score", "B", -1)],
)
def test_agrees_with_rms_on_the_same_draws(metric, theirs, sign):
    # rms recalibrates a resample's model on the original rows before R2 is computed: not compared.
    found = bootstrap_score(
        logistic(), np.array(RMS["X"]), np.array(RMS["y"]), scoring=metric, method="optimism",
        n_splits=len(RMS["draws"]), random_state=GivenDraws(RMS["draws"]),
    )  # fmt: skip
    apparent, _, _, optimism, corrected = RMS[theirs]
    assert found.estimate == pytest.approx(sign * corrected, abs=2e-6)
    assert found.rounds.mean() == pytest.approx(sign * (apparent - optimism), abs=2e-6)
    greater = metric != "neg_brier_score"
    own = 1 - found.resubstitution_error if greater else -found.resubstitution_error
    assert own == pytest.approx(sign * apparent, abs=2e-6)


@pytest.mark.parametrize("metric", [calibration_slope, roc_auc_score])
def test_agrees_with_the_plain_loop(data, metric):
    X, y = data
    rng = np.random.RandomState(3)
    draws = [rng.randint(120, size=120) for _ in range(6)]
    name = metric.__name__.removesuffix("_score")
    options = {"scoring": name, "pos_label": "ill", "n_splits": 6, "random_state": 3}
    found = bootstrap_score(logistic(), X, y, method="optimism", **options)

    def score(model, rows):
        return metric(y[rows], model.predict_proba(X[rows])[:, 0], pos_label="ill")

    every = np.arange(120)
    models = [logistic().fit(X[rows], y[rows]) for rows in draws]
    gains = [score(one, rows) - score(one, every) for one, rows in zip(models, draws, strict=True)]
    apparent = score(logistic().fit(X, y), every)
    np.testing.assert_allclose(found.rounds, apparent - np.array(gains), rtol=1e-12)
    np.testing.assert_allclose(found.repetitions, found.rounds)
    assert found.estimate == pytest.approx(apparent - np.mean(gains), rel=1e-12)
    assert "by the optimism bootstrap" in str(found)


def test_clusters_are_drawn_together_and_any_metric_will_do(data):
    X, _ = data
    found = bootstrap_score(
        LinearRegression(), X, X[:, 0] + X[:, 1] ** 2, scoring="r2", method="optimism",
        groups=np.repeat(np.arange(40), 3), n_splits=5, random_state=0,
    )  # fmt: skip
    assert found.estimate < 1 - found.resubstitution_error


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_resample_of_one_class_is_left_out(error_score):
    X, y = np.arange(12.0)[:, None], np.array([1] + [0] * 11)
    with pytest.warns(Warning, match="bootstrap fits"):
        found = bootstrap_score(
            logistic(), X, y, scoring="roc_auc", method="optimism", n_splits=30, random_state=0,
            error_score=error_score,
        )  # fmt: skip
    lost = np.isnan(found.rounds).sum()
    assert 0 < lost < 30
    assert f"{lost} of them" in str(found)
    assert np.isfinite(found.estimate)
