"""The chance of test rows: DeLong's variance within folds, the binomial law, rows that count once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import interval
from skaucx.model_selection import nested_cross_validate

X, Y = make_classification(120, n_features=5, flip_y=0.2, random_state=0)
WORDS = np.array(["bad", "good"])[Y]
SPLITS = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y))
METRICS = ["roc_auc", "accuracy", "recall", "f1", "mm7_auc", "neg_log_loss", "average_precision"]


def nested(y=Y, outer_cv=SPLITS, scoring=tuple(METRICS), model=None, x=X):
    model = GaussianNB() if model is None else model
    settings = {"outer_cv": outer_cv, "inner_cv": 2, "final": None}
    return nested_cross_validate(model, {}, x, y, scoring=list(scoring), **settings)


@pytest.fixture(scope="module")
def result():
    return nested()


def test_the_noise_of_an_auc_is_delongs_variance_in_the_folds(result):
    p = result.predictions
    found = [
        interval("roc_auc", p.y_true[own], p.responses["predict_proba"][own, 1])
        for own in (p.fold == fold for fold in range(4))
    ]
    variance = np.mean([one.standard_error**2 for one in found])
    noise = result.statistics("roc_auc").noise()
    assert noise.of_fold == pytest.approx(variance, rel=1e-10)
    assert noise.of_mean == pytest.approx(variance / 4, rel=1e-10)
    assert result.interval("roc_auc").method == "folds, influence curves"


def test_the_noise_of_a_rate_is_binomial(result):
    p = result.predictions
    for name, right in (
        ("accuracy", p.y_true == p.y_pred),
        ("recall", p.y_pred[p.y_true == 1] == 1),
    ):
        noise = result.statistics(name).noise()
        assert noise.trials == pytest.approx(len(right), rel=1e-9)
        assert noise.of_mean == pytest.approx(right.var() / len(right), rel=1e-9)


def test_the_noise_of_a_mean_of_losses_is_its_standard_error(result):
    p = result.predictions
    loss = -np.log(p.responses["predict_proba"][np.arange(len(p.row)), p.y_true])
    variance = loss.var(ddof=1) / 30
    # Class counts are random with the rows: what differs between the classes belongs to it.
    noise = result.statistics("neg_log_loss").noise()
    assert noise.of_fold == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_rows_that_are_tested_twice_count_once(result, name):
    once, twice = (
        result.statistics(name).noise(),
        nested(outer_cv=SPLITS * 2).statistics(name).noise(),
    )
    assert twice.of_mean == pytest.approx(once.of_mean, rel=0.02)
    assert twice.of_fold == pytest.approx(once.of_fold, rel=0.05)


@pytest.mark.parametrize("name", [*METRICS, "mm1_auc", "gini", "matthews_corrcoef", "recall_macro"])
@pytest.mark.parametrize("kind", ["perfect", "useless", "usual", "hold-out"])
@pytest.mark.filterwarnings("ignore:.*undefined for every candidate:UserWarning")
def test_intervals_stay_in_the_range_and_have_a_width(name, kind):
    x = np.c_[Y, Y] * 1.0 if kind == "perfect" else X
    model = DummyClassifier() if kind == "useless" else DecisionTreeClassifier(random_state=0)
    outer = PredefinedSplit(np.where(np.arange(120) < 80, -1, 0)) if kind == "hold-out" else SPLITS
    found = nested(x=x, model=model, outer_cv=outer, scoring=[name]).interval(name)
    low, high = {"gini": (-1, 1), "matthews_corrcoef": (-1, 1), "neg_log_loss": (-np.inf, 0)}.get(
        name, (0, 1)
    )
    if name == "neg_log_loss" and kind == "perfect":
        assert np.isnan([*found]).all()  # all losses are 0, of a range without end
    elif not np.isnan(found.estimate):
        assert low <= found.low < found.high <= high
        assert found.low <= found.estimate <= found.high
