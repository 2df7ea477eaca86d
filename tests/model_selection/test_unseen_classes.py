"""A class that a training part lacks has probability 0: in scorers, runs and pooled predictions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score

import skaucx.metrics as sm
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import nested_cross_validate
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(0)
Y = np.r_[np.arange(60) % 2, [2] * 4]
GROUPS = np.r_[np.arange(60) // 2 % 3, [0] * 4]  # the first group has all rows of class 2
X = RNG.normal(size=(64, 2)) + np.c_[2 * (Y == 1), 2 * (Y == 2)]
TRAIN, TEST = GROUPS > 0, GROUPS == 0
MODEL = LogisticRegression().fit(X[TRAIN], Y[TRAIN])
PROBA = np.c_[MODEL.predict_proba(X[TEST]), np.zeros(TEST.sum())]
DECISION = MODEL.decision_function(X[TEST])
LOWEST = -np.abs(DECISION).max()
VALUES = np.c_[-DECISION, DECISION, np.full(TEST.sum(), LOWEST)]


def scorers():
    """Yield each metric of several classes with its options."""
    for name, function in METRICS.items():
        row = function.metric
        if row.kind.inputs is not SCORES:
            continue
        own = dict(needed_parameters(name, 3))
        if "multi_class" in function.options:
            own["multi_class"] = "ovr"
        if "average" in function.options:
            own["average"] = "macro"
        try:
            found = read(function, own)
        except (ValueError, TypeError):  # of two classes
            continue
        if np.ndim(found) == 0:
            yield name, function, own, float(found)


def read(function, own):
    """Return the value of responses with a column for the class that the model never saw."""
    method = sm.get_scorer(function, **own)._score_func.response_method
    decides = method != "predict_proba" and method[0] != "predict_proba"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(Y[TEST], VALUES if decides else PROBA, **own)


SCORERS = {name: rest for name, *rest in scorers()}


@pytest.mark.parametrize("name", SCORERS)
def test_scorers_read_a_class_that_the_model_never_saw(name):
    function, own, wanted = SCORERS[name]
    scorer = sm.get_scorer(function, **own)
    sign = -1 if function.metric.greater_is_better is False else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scorer(MODEL, X[TEST], Y[TEST])
        shared = sm.one_pass_scorer({"m": scorer})(MODEL, X[TEST], Y[TEST])["m"]
    if np.isfinite(wanted):
        assert found == pytest.approx(sign * wanted)
        assert shared == pytest.approx(sign * wanted, nan_ok=True)


def test_the_fold_that_lacks_a_class_counts():
    losses = -cross_val_score(
        LogisticRegression(),
        X,
        Y,
        groups=GROUPS,
        cv=LeaveOneGroupOut(),
        scoring=sm.get_scorer("neg_log_loss"),
    )
    assert losses[0] == pytest.approx(log_loss(Y[TEST], PROBA, labels=[0, 1, 2]))
    assert losses[0] > losses[1:].max()
    options = {"groups": GROUPS, "outer_cv": LeaveOneGroupOut(), "refit": "accuracy"}
    names = ["accuracy", "neg_log_loss", "roc_auc_ovr"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nested_cross_validate(
            LogisticRegression(), {"C": [1, 10]}, X, Y, scoring=names, inner_cv=3, **options
        )
    assert all(np.isfinite(each[0]) for each in result.test_scores.values())
    found = -np.asarray(result.test_scores["neg_log_loss"])
    assert np.isfinite(found).all()
    assert found[0] > found[1:].max()
    pooled = result.predictions
    assert np.isfinite(pooled.responses["predict_proba"]).all()
    assert (pooled.responses["predict_proba"][pooled.fold == 0, 2] == 0).all()
