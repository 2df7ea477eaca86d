"""Comparisons over many data sets: scores and ranks."""

from __future__ import annotations

import joblib
import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import _run, compare_estimators, compare_over_datasets

mpl.use("Agg")
LOADERS = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
DATA = {name: load(return_X_y=True) for name, load in LOADERS.items()}
MODELS = {
    "bayes": GaussianNB(),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}),
    "neighbours": KNeighborsClassifier(),
}
OPTIONS = {"scoring": ["accuracy", "neg_log_loss"], "outer_cv": 3, "inner_cv": 2}


@pytest.fixture(scope="module")
def found():
    return compare_over_datasets(MODELS, DATA, **OPTIONS)


def test_each_data_set_is_a_comparison_of_its_own(found):
    for row, (X, y) in enumerate(DATA.values()):
        alone = compare_estimators(MODELS, X, y, **OPTIONS)
        for metric in found.metrics:
            np.testing.assert_array_equal(
                found.scores(metric)[row], np.nanmean(alone.scores(metric), axis=1)
            )
    assert found.to_frame("accuracy").shape == (3, 3)
    assert found.to_frame().loc["wine", "bayes"] == found.scores()[2, 0]


def test_ranks(found):
    scores = found.scores("neg_log_loss")
    test, theirs = found.rank_test("neg_log_loss"), stats.friedmanchisquare(*scores.T)
    assert (test.statistic, test.p_value, test.df) == (theirs.statistic, theirs.pvalue, 2)
    ranks = [[np.sum(row >= one) for one in row] for row in scores]  # without ties
    assert test.estimates == tuple(np.mean(ranks, axis=0))
    text = found.summary()
    assert "3 data sets, 3 estimators" in text
    for name in (*found.names, *DATA, "mean rank", *found.metrics):
        assert name in text


def test_what_belongs_to_a_data_set():
    X, y = DATA["breast"]
    words = np.array(["ill", "well"])[y]
    data = {
        "words": {"X": X, "y": words, "pos_label": "ill", "sample_weight": np.ones(len(y))},
        "codes": {"X": X, "y": y, "pos_label": 0},
    }
    models = {name: MODELS[name] for name in ("bayes", "tree")}
    found = compare_over_datasets(models, data, scoring="recall", outer_cv=3)
    np.testing.assert_array_equal(*found.scores())


def test_all_data_sets_share_the_workers(found, monkeypatch):
    """Two parallel calls: the inner fits of everything, and the refits of everything."""
    batches = []
    fit_all = _run.fit_all

    def counting(jobs, what, *options):
        batches.append((what, len(jobs)))
        return fit_all(jobs, what, *options)

    monkeypatch.setattr(_run, "fit_all", counting)
    with joblib.parallel_config("threading", n_jobs=2):
        again = compare_over_datasets(MODELS, DATA, **OPTIONS)
    assert batches == [("inner fits", 3 * 4 * 3 * 2), ("refits", 3 * 3 * 3)]
    for metric in found.metrics:
        np.testing.assert_array_equal(again.scores(metric), found.scores(metric))


def test_what_is_wrong_with_a_data_set_is_told_before_any_fit():
    X, y = DATA["iris"]
    with pytest.raises(ValueError, match="outer_cv was 1") as told:
        compare_over_datasets(MODELS, {**DATA, "odd": {"X": X, "y": y, "outer_cv": 1}})
    assert told.value.__notes__ == ["This is about datasets['odd']."]
    with pytest.raises(ValueError, match=r"datasets\['odd'\] holds execution, n_jobs, which all"):
        compare_over_datasets(MODELS, {"odd": {"X": X, "y": y, "n_jobs": 2, "execution": None}})


@pytest.mark.parametrize("given", [{}, {"a": 3}, [1]])
def test_wrong_data_sets(given):
    with pytest.raises(ValueError, match="datasets"):
        compare_over_datasets(MODELS, given)
