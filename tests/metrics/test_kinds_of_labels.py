"""Evaluations take every kind of label, and say in how many rows something is missing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import inference
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(2)
N = 60
CODES = RNG.permutation(np.arange(N) % 2)
SCORE = np.round(np.clip(RNG.normal(0.4 + 0.2 * CODES, 0.2), 0.01, 0.99), 3)
CALLS = (SCORE > 0.5).astype(int)
STRINGS = np.array(["ill", "well"])


MISSING = np.isin(np.arange(N), (2, 5, 11))
HOLED = np.where(MISSING, np.nan, SCORE)
COSTS = np.ones((N, 2))
REFUSED = {
    "scores": lambda: evaluate(CODES, y_score=HOLED),
    "a column a class": lambda: evaluate(CODES, y_score=np.c_[HOLED, 1 - SCORE]),
    "infinite": lambda: evaluate(CODES, y_score=np.where(MISSING, np.inf, SCORE)),
    "pandas": lambda: evaluate(CODES, y_score=pd.Series(HOLED).astype("Float64")),
    "weight 0": lambda: evaluate(CODES, y_score=HOLED, sample_weight=1.0 - MISSING),
    "by": lambda: evaluate(CODES, CALLS, by=HOLED, metrics=["recall"]),
    "weights": lambda: evaluate(CODES, CALLS, sample_weight=HOLED),
    "true": lambda: evaluate(np.where(MISSING, np.nan, CODES), CALLS),
    "called": lambda: evaluate(CODES, np.where(MISSING, np.nan, CALLS)),
    "none": lambda: evaluate(np.where(MISSING, None, STRINGS[CODES]), STRINGS[CALLS]),
    "groups": lambda: evaluate(CODES, CALLS, intervals=True, groups=HOLED),
    "costs": lambda: evaluate(
        CODES, CALLS, metrics=["example_cost_loss"], example_costs=COSTS + HOLED[:, None]
    ),
    "interval": lambda: inference.interval("roc_auc", CODES, HOLED),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_rows_without_a_value_are_counted(call):
    with pytest.raises(ValueError, match="3 of 60 rows"):
        call()


OF_LABELS = [n for n, f in METRICS.items() if f.metric.kind.inputs is LABELS]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_LABELS)
def test_labels_that_never_meet(name):
    """Functions warn of text, from 20 rows on, and show both sets; scorers do not."""
    function, own = METRICS[name], needed_parameters(name, 4)
    truth, called = np.array(["N", "Y"] * 10), np.array(["n", "Y "] * 10)
    if "average" in function.options:
        own["average"] = "macro"
    if name == "expected_cost":
        own["cost"] = np.ones((4, 4))
    with pytest.warns(UserWarning, match=r"occurs in y.*: \{'Y ', 'n'\} and \{'N', 'Y'\}"):
        function(truth, called, **own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        function(truth[:18], called[:18], **own)
        function(truth, np.where(np.arange(20), called, "Y"), **own)
        scorer = get_scorer(METRICS[name].metric.scorer_name, **own)
        if not scorer._score_func.cuts:
            model = DummyClassifier(strategy="constant", constant="n").fit(truth[:, None], called)
            scorer(model, truth[:, None], truth)


def test_doors_of_labels_that_never_meet():
    truth, called = ["N", "Y"] * 10, ["n", "y"] * 10
    for door in (
        lambda: evaluate(truth, called, metrics=["accuracy"]),
        lambda: interval("accuracy", truth, called),
    ):
        with pytest.warns(UserWarning, match="No label of y_pred occurs in y_true"):
            door()
