"""A kind that the package does not have, in one file and from public names: times until an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import cross_val_score

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.metrics._kinds import Inputs, Kind, Record
from skaucx.model_selection import NestedCV, compare_estimators


@dataclass(frozen=True, eq=False)
class Survival(Record):
    """Times, whether each ends in an event, and predicted risks."""

    time: Any
    event: Any
    risk: Any
    weight: Any = None


def check(y_true, y_score, *, names, sample_weight=None):
    """Take two columns, time and event, as the truth."""
    time, event = np.asarray(y_true, dtype=float).T
    return Survival(time, event > 0, np.asarray(y_score, dtype=float)).weighed(sample_weight)


KIND = Kind(
    "survival", Inputs("risk scores", "y_score", check, perfect=lambda y: -np.asarray(y)[:, 0])
)


@pytest.fixture
def concordance():
    @sm.declare(KIND, bounds=(0, 1), undefined=np.nan)
    def concordance_score(s):
        """Harrell's C: the share of comparable pairs whose risks are in the order of their times."""
        pairs = np.outer(s.weights, s.weights) * (s.event[:, None] & (s.time[:, None] < s.time))
        risk = np.sign(s.risk[:, None] - s.risk)
        return (pairs * (1 + risk) / 2).sum() / pairs.sum()

    return concordance_score


class Risk(RegressorMixin, BaseEstimator):
    """A risk that grows with the first feature, up to a power."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.sign(X[:, 0]) * np.abs(X[:, 0]) ** self.power + 0.1 * X[:, 1]


RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = np.column_stack([RNG.exponential(np.exp(-X[:, 0])), RNG.random(80) < 0.7])
A, B = X[:, 0], X[:, 0] + RNG.normal(size=80)


def test_every_door(concordance):
    value = concordance(Y, A)
    assert concordance(Y, A, sample_weight=np.ones(80)) == pytest.approx(value)
    scorer = sm.get_scorer("concordance")
    assert cross_val_score(Risk(), X, Y, scoring=scorer, cv=4).shape == (4,)
    one = sm.one_pass_scorer({"c": scorer})(Risk(), X, Y)["c"]
    assert one == scorer(Risk(), X, Y) == pytest.approx(concordance(Y, Risk().predict(X)))
    assert evaluation.evaluate(Y, y_score=A, metrics=["concordance"])["concordance"] == value
    for groups in (None, np.arange(80) // 4):
        found = inference.interval(
            concordance, Y, A, groups=groups, n_resamples=300, random_state=0
        )
        assert found.low < value < found.high
    whole = evaluation.evaluate(
        Y, y_score=A, metrics=[concordance], by=np.arange(80) % 2, intervals=True
    )
    assert whole[0].intervals["concordance"].low < whole[0]["concordance"]
    assert inference.jackknife(concordance, Y, A).estimate == pytest.approx(value)
    for test in (inference.paired_bootstrap_test, inference.paired_permutation_test):
        found = test(concordance, Y, A, B, n_resamples=200, random_state=0)
        assert found.difference == pytest.approx(value - concordance(Y, B))


def test_nested_runs_and_their_pages(concordance, tmp_path):
    run = NestedCV(Risk(), {"power": [1, 2]}, scoring=["concordance"], outer_cv=3, inner_cv=2)
    result = run.fit(X, Y).result_
    assert np.isfinite(result["test_concordance"]).all()
    assert "concordance" in str(result.summary())
    interval = result.interval("concordance")
    assert interval.low < interval.high
    result.report(tmp_path / "nested.html")
    compared = compare_estimators(
        {"a": Risk(), "b": Risk(2)}, X, Y, scoring="concordance", outer_cv=4
    )
    assert "concordance" in str(compared)
    compared.report(tmp_path / "compare.html")
