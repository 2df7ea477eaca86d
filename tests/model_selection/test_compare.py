"""Several estimators on the same nested folds: the parts, put together by hand."""

from __future__ import annotations

from dataclasses import replace

import joblib
import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import delong_test
from skaucx.inference._tests.result import holm_adjusted
from skaucx.metrics import get_scorer
from skaucx.model_selection import (
    _run,
    compare_estimators,
    compare_over_datasets,
    corrected_resampled_t_test,
    nested_cross_validate,
)
from skaucx.model_selection._scoring import bound_metric
from skaucx.model_selection.results._noise import row_noise

from .records import recorded

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::3], Y[::3]
TREE, GRID = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
ESTIMATORS = {"bayes": GaussianNB(), "tree": (TREE, GRID), "prior": DummyClassifier()}
OPTIONS = {"scoring": ["roc_auc", "specificity"], "inner_cv": 3}
RESULT = compare_estimators(ESTIMATORS, X, Y, outer_cv=4, **recorded(OPTIONS))


def test_splits_are_drawn_once():
    cv = StratifiedKFold(4, shuffle=True)  # another split each time that it is asked
    found = compare_estimators(
        {"a": GaussianNB(), "b": GaussianNB()}, X, Y, scoring="roc_auc", outer_cv=cv
    )
    (pair,) = found.pairs("roc_auc")
    assert pair.folds.difference == 0
    assert pair.folds.p_value == pair.p_adjusted == 1
    assert pair.within.p_value == 1


@pytest.mark.parametrize("metric", ["roc_auc", "specificity"])
def test_differences_are_corrected_tests_adjusted_by_holm(metric):
    scores = RESULT.scores(metric)
    sizes = {name: getattr(RESULT.results["tree"], name) for name in ("n_train", "n_test")}
    expected = [
        corrected_resampled_t_test(scores[i], scores[j], **sizes)
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    pairs = RESULT.pairs(metric)
    ends = [tuple(np.clip(test.interval, -1, 1).tolist()) for test in expected]
    plain = [replace(e, note="", interval=i) for e, i in zip(expected, ends, strict=True)]
    assert [replace(pair.folds, note="") for pair in pairs] == plain
    assert [(pair.first, pair.second) for pair in pairs] == [
        ("bayes", "tree"), ("bayes", "prior"), ("tree", "prior"),
    ]  # fmt: skip
    adjusted = holm_adjusted([test.p_value for test in expected])
    assert [pair.folds_p_adjusted for pair in pairs] == adjusted.tolist()


@pytest.mark.parametrize("metric", ["roc_auc", "specificity"])
def test_what_is_reported_is_the_test_of_the_rows_within_the_folds(metric):
    """Its interval and its p, adjusted; the corrected t is the sensitivity analysis next to it."""
    pairs = RESULT.pairs(metric)
    adjusted = holm_adjusted([pair.within.p_value for pair in pairs])
    for pair, p in zip(pairs, adjusted, strict=True):
        assert pair.test is pair.within
        assert pair.p_adjusted == p
        assert pair.reported.numbers == (pair.within.difference, *pair.within.interval)
    frame = RESULT.to_frame("pair").loc[metric]
    assert frame["p_value"].tolist() == [pair.within.p_value for pair in pairs]
    assert frame["folds_p_value"].tolist() == [pair.folds.p_value for pair in pairs]


def test_losses_of_probabilities_have_half_the_allowance_for_the_overlap_of_training_sets():
    """The error of a mean of losses: that of the rows, and between-fold variation beyond it."""
    two = {"bayes": GaussianNB(), "logistic": LogisticRegression(solver="newton-cholesky")}
    found = compare_estimators(two, X[:, :4], Y, scoring="neg_brier_score_loss", outer_cv=4)
    (pair,) = found.pairs("neg_brier_score_loss")
    first, second = (one.predictions for one in found.results.values())
    scorer = get_scorer("neg_brier_score_loss")
    noise = row_noise(bound_metric(scorer), first, np.arange(4), other=second)
    scores = found.scores("neg_brier_score_loss")
    excess = max(np.var(scores[0] - scores[1], ddof=1) - noise.of_fold, 0)
    one = found.results["bayes"]
    overlap = one.n_test.sum() / one.n_train.sum()
    expected = (1 + overlap / 2) * noise.of_mean + (1 / 4 + overlap) * excess
    assert pair.within.standard_error**2 == pytest.approx(expected, rel=1e-9)


def test_within_folds_the_variance_is_delongs():
    first, second = (RESULT.results[name].predictions for name in ("bayes", "tree"))
    each = []
    for fold in np.unique(first.fold):
        own = first.fold == fold
        scores = [p.responses["predict_proba"][own, 1] for p in (first, second)]
        each.append(delong_test(first.y_true[own], *scores))
    pairs = RESULT.pairs("roc_auc")
    found = pairs[0].within
    assert found.difference == pytest.approx(np.mean([one.difference for one in each]))
    noise = row_noise(
        bound_metric(get_scorer("roc_auc")), first, np.arange(len(each)), other=second
    )
    assert noise.of_fold == pytest.approx(np.mean([one.standard_error**2 for one in each]))
    assert noise.of_mean == pytest.approx(noise.of_fold / len(each))
    assert pairs[0].p_adjusted >= found.p_value
    assert all(pair.within is not None for pair in RESULT.pairs("specificity"))


def test_frames():
    pytest.importorskip("pandas")
    frame = RESULT.to_frame()
    assert frame.loc[("roc_auc", "tree"), "mean"] == RESULT.results["tree"]["test_roc_auc"].mean()
    assert frame.shape == (6, 6)
    frame = RESULT.to_frame("pair")
    row = frame.loc[("roc_auc", "bayes", "tree")]
    assert row["p_adjusted"] == RESULT.pairs("roc_auc")[0].p_adjusted
    assert row["folds_p_adjusted"] == RESULT.pairs("roc_auc")[0].folds_p_adjusted
    with pytest.raises(ValueError, match="by must be"):
        RESULT.to_frame("fold")


@pytest.mark.parametrize(
    ("estimators", "words"),
    [
        ({"one": GaussianNB()}, "two or more"),
        ([GaussianNB(), GaussianNB()], "must be a dict"),
        ({"a": GaussianNB(), "b": "tree"}, "must be an estimator"),
        ({"a": GaussianNB(), "b": (TREE, GRID, 3)}, "must be an estimator"),
        ({"a": GaussianNB(), "b": Ridge()}, "estimators .*'b'"),
    ],
)
def test_refusals(estimators, words):
    with pytest.raises((TypeError, ValueError), match=words):
        compare_estimators(estimators, X, Y, scoring="roc_auc")


def test_decisions_are_those_of_nested_cv_one_by_one():
    """Calibration, threshold and rejection give the numbers of a NestedCV of each estimator."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200, :5], y[:200]
    options = {
        "scoring": ["roc_auc", "neg_log_loss", "f1"], "calibration": "sigmoid", "threshold": "f1",
        "reject": {"cost": 0.2}, "outer_cv": 3, "inner_cv": 3,
    }  # fmt: skip
    estimators = {
        "bayes": GaussianNB(),
        "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}),
    }
    found = compare_estimators(estimators, X, y, **recorded(options))
    for name, (estimator, grid) in {**estimators, "bayes": (GaussianNB(), {})}.items():
        alone = nested_cross_validate(estimator, grid, X, y, final=None, **recorded(options))
        for metric in options["scoring"]:
            key = f"test_{metric}"
            np.testing.assert_array_equal(found.results[name][key], alone[key])
        ours = found.results[name]
        assert [d.cut.threshold for d in ours.decisions] == [
            d.cut.threshold for d in alone.decisions
        ]
        np.testing.assert_array_equal(ours.rejections.rejected, alone.rejections.rejected)


mpl.use("Agg")
LOADERS = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
DATA = {name: load(return_X_y=True) for name, load in LOADERS.items()}
MODELS = {
    "bayes": GaussianNB(),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}),
    "neighbours": KNeighborsClassifier(),
}
OPTIONS_SETS = {"scoring": ["accuracy", "neg_log_loss"], "outer_cv": 3, "inner_cv": 2}


@pytest.fixture(scope="module")
def found():
    return compare_over_datasets(MODELS, DATA, **OPTIONS_SETS)


def test_each_data_set_is_a_comparison_of_its_own(found):
    for row, (X, y) in enumerate(DATA.values()):
        alone = compare_estimators(MODELS, X, y, **OPTIONS_SETS)
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

    def counting(jobs, *options):
        batches.append(len(jobs))
        return fit_all(jobs, *options)

    monkeypatch.setattr(_run, "fit_all", counting)
    with joblib.parallel_config("threading", n_jobs=2):
        again = compare_over_datasets(MODELS, DATA, **OPTIONS_SETS)
    assert batches == [3 * 4 * 3 * 2, 3 * 3 * 3]
    for metric in found.metrics:
        np.testing.assert_array_equal(again.scores(metric), found.scores(metric))


def test_what_is_wrong_with_a_data_set_is_told_before_any_fit():
    X, y = DATA["iris"]
    with pytest.raises(ValueError, match="outer_cv was 1") as told:
        compare_over_datasets(MODELS, {**DATA, "odd": {"X": X, "y": y, "outer_cv": 1}})
    assert told.value.__notes__ == ["This is about datasets['odd']."]
    with pytest.raises(
        ValueError, match=r"datasets\['odd'\] must .*which all data sets share; found"
    ):
        compare_over_datasets(MODELS, {"odd": {"X": X, "y": y, "n_jobs": 2, "execution": None}})
