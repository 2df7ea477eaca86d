"""What a result prints as the code that made it runs, and makes the same result."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.model_selection import BootstrapSplit, Decisions, Execution, NestedCV
from skaucx.model_selection._code import code_of_fit

X, CODES = make_classification(90, 5, flip_y=0.2, random_state=0)
Y = np.array(["healthy", "cancer"])[CODES]
WEIGHT = np.random.default_rng(0).uniform(0.5, 2, 90)
GROUPS = np.arange(90) // 2
LINEAR = make_pipeline(StandardScaler(), LogisticRegression(C=0.5))
RUNS = {
    "plain": NestedCV(GaussianNB(), {}),
    "draws": NestedCV(
        RandomizedSearchCV(
            LINEAR,
            {"logisticregression__C": loguniform(0.01, 10), "standardscaler": ["passthrough"]},
            n_iter=3,
            random_state=0,
        ),
        scoring=["recall", "roc_auc"],
        refit="roc_auc",
        pos_label="cancer",
        outer_cv=2,
        inner_cv=2,
    ),
    "arrays": NestedCV(
        GaussianNB(),
        {"var_smoothing": np.logspace(-9, 0, 3), "priors": [None, np.array([0.5, 0.5])]},
        scoring=get_scorer("fbeta", beta=2, pos_label="cancer"),
        outer_cv=StratifiedKFold(3, shuffle=True, random_state=1),
        inner_cv=ShuffleSplit(2, random_state=np.int64(3)),
        execution=Execution(error_score=np.nan),
    ),
    "scorers": NestedCV(
        GaussianNB(),
        {},
        scoring={
            "theirs": make_scorer(fbeta_score, beta=0.5, pos_label="cancer"),
            "loss": get_scorer("neg_log_loss", pos_label="cancer"),
        },
        outer_cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        inner_cv=BootstrapSplit(3, random_state=0),
    ),
    "one pass": NestedCV(
        GaussianNB(), {}, scoring=one_pass_scorer(["mcc", "accuracy"]), final="search"
    ),
    "records": NestedCV(
        LINEAR, {}, scoring="accuracy", pos_label="cancer", outer_cv=2, inner_cv=2,
        decisions=Decisions(calibration="sigmoid", threshold={"recall": {"precision": (">=", 0.5)}}),
        execution=Execution(checks=None, weight_fits=True, return_estimator=True),
    ),
    "search": NestedCV(
        RandomizedSearchCV(LINEAR, {"logisticregression__C": loguniform(0.1, 9)}, n_iter=2,
                           random_state=1, scoring="accuracy", cv=2),
        outer_cv=2,
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("given", [{}, {"sample_weight": WEIGHT, "groups": GROUPS}], ids=len)
def test_it_runs_and_finds_the_same(name, given):
    result = RUNS[name].fit(X, Y, **given).result_
    assert "object at 0x" not in result.call
    found = eval_last(result.call, {"X": X, "y": Y, **given}).result_
    for key, scores in result.items():
        np.testing.assert_array_equal(found[key], scores)
    np.testing.assert_array_equal(found.inner_scores, result.inner_scores)
    assert found.call == result.call
    assert found.pos_label == result.pos_label


def eval_last(code, names):
    """Run code and return the value of its last line."""
    *lines, last = code.splitlines()
    exec("\n".join(lines), names)
    return eval(last, names)


def test_what_has_no_code_is_named():
    def choose(table):
        return 0

    model = LogisticRegression(random_state=np.random.RandomState(0))
    search = GridSearchCV(model, {"C": [1.0]}, refit=choose)
    code = code_of_fit(NestedCV(search, scoring="accuracy"), ["eval_set"])
    assert "refit=choose" in code
    assert "# choose: <function" in code
    assert "# random_state: RandomState" in code
    assert code.endswith(".fit(X, y, eval_set=eval_set)")
    named = {"choose": choose, "random_state": model.random_state, "X": X, "y": Y, "eval_set": 1}
    assert isinstance(eval_last(code.rpartition(".fit")[0], named), NestedCV)


def test_long_arrays_and_odd_numbers():
    grid = {"a": [np.inf, -np.inf, 1e-9], "b": [np.arange(500)], "c": [np.float64(0.1)]}
    code = code_of_fit(NestedCV(GaussianNB(), grid, execution=Execution(error_score=0.0)), [])
    assert "[float('inf'), float('-inf'), 1e-09], 'b': [b_0], 'c': [0.1]" in code
    assert "error_score=0.0" in code
