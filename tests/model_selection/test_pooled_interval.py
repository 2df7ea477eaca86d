"""Intervals of pooled out-of-fold predictions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection.execution._out_of_fold import score_bounds
from tests.metrics.needed import needed_parameters

X, Y = make_classification(80, n_features=5, random_state=0)
WORDS = np.array(["bad", "good"])[Y]


def nested(estimator=None, grid=None, y=Y, outer_cv=3):
    model = GaussianNB() if estimator is None else estimator
    return nested_cross_validate(
        model,
        grid or {"var_smoothing": [1e-9, 0.1]},
        X,
        y,
        scoring="accuracy",
        outer_cv=outer_cv,
        inner_cv=2,
    )


def test_it_is_the_interval_of_the_pooled_predictions():
    result = nested(y=WORDS)
    pooled = result.predictions
    found = result.pooled_interval("accuracy")
    expected = interval("accuracy", pooled.y_true, pooled.y_pred)
    assert (found.low, found.high) == (expected.low, expected.high)
    # Ranks across folds compare scores of different models: the value has no interval.
    auc = result.pooled_interval("roc_auc")
    score = pooled.responses["predict_proba"][:, 1]
    assert auc.estimate == interval("roc_auc", pooled.y_true == "good", score).estimate
    assert np.isnan([auc.low, auc.high]).all()
    assert auc.method == "none"
    assert "there is none; interval() is that of the mean of the folds" in auc.note
    with pytest.raises(ValueError, match="pass pos_label"):
        result.pooled_interval("recall")
    assert result.pooled_interval("recall", pos_label="good").estimate == pytest.approx(
        np.mean(pooled.y_pred[pooled.y_true == "good"] == "good")
    )


def test_rows_tested_twice_are_drawn_together():
    once = nested()
    twice = nested(outer_cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    ask = {"method": "percentile", "random_state": 0, "n_resamples": 500}
    errors = [r.pooled_interval("accuracy", **ask).standard_error for r in (once, twice)]
    assert errors[1] == pytest.approx(errors[0], rel=0.25)
    with pytest.raises(ValueError, match="method must be one of"):
        twice.pooled_interval("accuracy", method="wilson")


def test_a_missing_response_is_named():
    with pytest.raises(ValueError, match="predict_proba"):
        nested(LinearSVC(), {"C": [0.1, 1]}).pooled_interval("mm7_auc")


def test_the_range_of_a_score_is_that_of_its_function():
    """Whoever makes the scorer, of every metric of labels and scores."""
    for name, function in METRICS.items():
        own, row = needed_parameters(name), function.metric
        sign = -1 if row.greater_is_better is False else 1
        ends = tuple(sorted(sign * end for end in row.bounds))
        made = make_scorer(function, greater_is_better=sign > 0, **own)
        bound = make_scorer(functools.partial(function, **own), greater_is_better=sign > 0)
        assert score_bounds(made) == score_bounds(bound) == ends
        assert score_bounds(get_scorer(row.scorer_name, **own)) == ends
    assert score_bounds(get_scorer("accuracy", normalize=False)) == (0, np.inf)
    assert score_bounds(make_scorer(lambda y, called: 0.5)) == (-np.inf, np.inf)
