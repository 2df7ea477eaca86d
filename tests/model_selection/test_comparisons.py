"""Comparisons of estimators: the parts put together by hand, the tests against printed equations."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold
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
    five_by_two_cv_test,
    nested_cross_validate,
)
from skaucx.model_selection._scoring import bound_metric
from skaucx.model_selection.results._noise import row_noise

from .records import recorded

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::3], Y[::3]
TREE, GRID = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
MODELS = {"bayes": GaussianNB(), "tree": (TREE, GRID), "prior": DummyClassifier()}
NAMES = ["roc_auc", "specificity"]
RESULT = compare_estimators(MODELS, X, Y, scoring=NAMES, outer_cv=4, inner_cv=3)


def test_splits_are_drawn_once():
    cv = StratifiedKFold(4, shuffle=True)  # another split each time that it is asked
    twice = {"a": GaussianNB(), "b": GaussianNB()}
    (pair,) = compare_estimators(twice, X, Y, scoring="roc_auc", outer_cv=cv).pairs("roc_auc")
    assert pair.folds.difference == 0
    assert pair.folds.p_value == pair.p_adjusted == pair.within.p_value == 1


@pytest.mark.parametrize("metric", NAMES)
def test_differences_are_corrected_tests_adjusted_by_holm(metric):
    scores, pairs, tree = RESULT.scores(metric), RESULT.pairs(metric), RESULT.results["tree"]
    names = [("bayes", "tree"), ("bayes", "prior"), ("tree", "prior")]
    assert [(pair.first, pair.second) for pair in pairs] == names
    sizes = {"n_train": tree.n_train, "n_test": tree.n_test}
    for pair, (i, j) in zip(pairs, ((0, 1), (0, 2), (1, 2)), strict=True):
        test = corrected_resampled_t_test(scores[i], scores[j], **sizes)
        ends = tuple(np.clip(test.interval, -1, 1).tolist())
        assert replace(pair.folds, note="") == replace(test, note="", interval=ends)
    adjusted = holm_adjusted([pair.folds.p_value for pair in pairs])
    assert [pair.folds_p_adjusted for pair in pairs] == adjusted.tolist()


@pytest.mark.parametrize("metric", NAMES)
def test_what_is_reported_is_the_test_of_the_rows_within_the_folds(metric):
    """Its interval and its p, adjusted; the corrected t is the sensitivity analysis next to it."""
    pairs = RESULT.pairs(metric)
    adjusted = holm_adjusted([pair.within.p_value for pair in pairs])
    for pair, p in zip(pairs, adjusted, strict=True):
        assert pair.test is pair.within
        assert pair.p_adjusted == p
        assert pair.reported.numbers == (pair.within.difference, *pair.within.interval)
    frame = RESULT.to_frame("pair").loc[metric]
    for column, wanted in (
        ("p_value", [pair.within.p_value for pair in pairs]),
        ("p_adjusted", adjusted.tolist()),
        ("folds_p_value", [pair.folds.p_value for pair in pairs]),
        ("folds_p_adjusted", [pair.folds_p_adjusted for pair in pairs]),
    ):
        assert frame[column].tolist() == wanted
    frame = RESULT.to_frame()
    assert frame.loc[(metric, "tree"), "mean"] == RESULT.results["tree"][f"test_{metric}"].mean()
    assert frame.shape == (6, 6)


def noise_of_pair(found, metric):
    first, second = list(found.results.values())[:2]
    folds = np.arange(len(first.n_test))
    return row_noise(
        bound_metric(get_scorer(metric)), first.predictions, folds, other=second.predictions
    )


def test_losses_of_probabilities_have_half_the_allowance_for_the_overlap_of_training_sets():
    """The error of a mean of losses: that of the rows, and between-fold variation beyond it."""
    two = {"bayes": GaussianNB(), "logistic": LogisticRegression(solver="newton-cholesky")}
    metric = "neg_brier_score_loss"
    found = compare_estimators(two, X[:, :4], Y, scoring=metric, outer_cv=4)
    (pair,) = found.pairs(metric)
    noise, scores = noise_of_pair(found, metric), found.scores(metric)
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
    pair, noise = RESULT.pairs("roc_auc")[0], noise_of_pair(RESULT, "roc_auc")
    assert pair.within.difference == pytest.approx(np.mean([one.difference for one in each]))
    assert noise.of_fold == pytest.approx(np.mean([one.standard_error**2 for one in each]))
    assert noise.of_mean == pytest.approx(noise.of_fold / len(each))
    assert pair.p_adjusted >= pair.within.p_value


def test_decisions_are_those_of_nested_cv_one_by_one():
    """Calibration, threshold and rejection give the numbers of a NestedCV of each estimator."""
    options = recorded({
        "scoring": ["roc_auc", "neg_log_loss", "f1"], "calibration": "sigmoid", "threshold": "f1",
        "reject": {"cost": 0.2}, "outer_cv": 3, "inner_cv": 3,
    })  # fmt: skip
    two = {"bayes": (GaussianNB(), {}), "tree": (TREE, GRID)}
    found = compare_estimators(two, X[:, :5], Y, **options)
    for name, (estimator, grid) in two.items():
        ours = found.results[name]
        alone = nested_cross_validate(estimator, grid, X[:, :5], Y, final=None, **options)
        for metric in options["scoring"]:
            np.testing.assert_array_equal(ours[f"test_{metric}"], alone[f"test_{metric}"])
        np.testing.assert_array_equal(ours.thresholds, alone.thresholds)
        np.testing.assert_array_equal(ours.rejections.rejected, alone.rejections.rejected)


def test_what_is_printed():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 3))
    b = (rng.random(60) < 1 / (1 + np.exp(2 - 1.5 * A[:, 0]))).astype(int)
    models = {
        "a": LogisticRegression(solver="newton-cholesky"), "b": GaussianNB(),
        "prior": DummyClassifier(),
    }  # fmt: skip
    names = ["roc_auc", "precision", "neg_brier_score", "specificity"]
    with warnings.catch_warnings(action="ignore"):
        result = compare_estimators(models, A, b, scoring=names, outer_cv=3, inner_cv=2)
    printed, marked = str(result), 0
    for name in names:
        for pair in result.pairs(name):
            for test in (pair.folds, *([pair.within] if pair.within else [])):
                assert test.target == "the procedures"
                low, high = test.interval
                assert np.isnan(low) or (-1 <= low <= high <= 1), (name, pair)
            if pair.within:
                same = pair.within.p_value == pair.folds.p_value < 1
                told = "as wide as the corrected t" in pair.within.method
                assert told or not same, (name, pair)
                marked += told
        for model, one in result.results.items():
            if gaps := one.statistics(name).undefined:
                assert f"{model}: {name} is undefined in {gaps} of 3 folds." in printed
    assert marked
    assert "prior: precision is undefined" in printed
    heads = next(line for line in printed.splitlines() if line.startswith("differences"))
    columns = re.split(r"\s{2,}", heads.strip())
    assert len(set(columns)) == len(columns)


def test_folds_of_one_row_have_no_test():
    two = {"a": GaussianNB(), "b": DummyClassifier()}
    with warnings.catch_warnings(action="ignore"):
        found = compare_estimators(two, X[:30], Y[:30], scoring="f1", outer_cv=LeaveOneOut())
    (pair,) = found.pairs("f1")
    assert np.isnan([pair.folds.difference, pair.folds.p_value, *pair.folds.interval]).all()


LOADERS = {"breast": load_breast_cancer, "iris": load_iris, "wine": load_wine}
DATA = {name: load(return_X_y=True) for name, load in LOADERS.items()}
THREE = {"bayes": GaussianNB(), "tree": (TREE, GRID), "neighbours": KNeighborsClassifier()}
OPTIONS = {"scoring": ["accuracy", "neg_log_loss"], "outer_cv": 3, "inner_cv": 2}


@pytest.fixture(scope="module")
def found():
    return compare_over_datasets(THREE, DATA, **OPTIONS)


def test_each_data_set_is_a_comparison_of_its_own(found):
    for row, (A, b) in enumerate(DATA.values()):
        alone = compare_estimators(THREE, A, b, **OPTIONS)
        for metric in found.metrics:
            means = np.nanmean(alone.scores(metric), axis=1)
            np.testing.assert_array_equal(found.scores(metric)[row], means)
    assert found.to_frame("accuracy").shape == (3, 3)
    assert found.to_frame().loc["wine", "bayes"] == found.scores()[2, 0]


def test_ranks(found):
    scores = found.scores("neg_log_loss")
    test, theirs = found.rank_test("neg_log_loss"), stats.friedmanchisquare(*scores.T)
    assert (test.statistic, test.p_value, test.df) == (theirs.statistic, theirs.pvalue, 2)
    ranks = [[np.sum(row >= one) for one in row] for row in scores]  # without ties
    assert test.estimates == tuple(np.mean(ranks, axis=0))
    text = found.summary()
    for said in ("3 data sets, 3 estimators", *found.names, *DATA, "mean rank", *found.metrics):
        assert said in text


def test_what_belongs_to_a_data_set():
    A, b = DATA["breast"]
    words = np.array(["ill", "well"])[b]
    data = {
        "words": {"X": A, "y": words, "pos_label": "ill", "sample_weight": np.ones(len(b))},
        "codes": {"X": A, "y": b, "pos_label": 0},
    }
    two = {name: THREE[name] for name in ("bayes", "tree")}
    scores = compare_over_datasets(two, data, scoring="recall", outer_cv=3).scores()
    np.testing.assert_array_equal(*scores)


def test_all_data_sets_share_the_workers(found, monkeypatch):
    """Two parallel calls: the inner fits of everything, and the refits of everything."""
    batches, fit_all = [], _run.fit_all

    def counting(jobs, *options):
        batches.append(len(jobs))
        return fit_all(jobs, *options)

    monkeypatch.setattr(_run, "fit_all", counting)
    with joblib.parallel_config("threading", n_jobs=2):
        again = compare_over_datasets(THREE, DATA, **OPTIONS)
    assert batches == [3 * 4 * 3 * 2, 3 * 3 * 3]
    for metric in found.metrics:
        np.testing.assert_array_equal(again.scores(metric), found.scores(metric))


def test_what_is_wrong_with_a_data_set_is_told_before_any_fit():
    A, b = DATA["iris"]
    with pytest.raises(ValueError, match="outer_cv was 1") as told:
        compare_over_datasets(THREE, {**DATA, "odd": {"X": A, "y": b, "outer_cv": 1}})
    assert told.value.__notes__ == ["This is about datasets['odd']."]
    shared = r"datasets\['odd'\] must .*which all data sets share; found"
    with pytest.raises(ValueError, match=shared):
        compare_over_datasets(THREE, {"odd": {"X": A, "y": b, "n_jobs": 2, "execution": None}})


RNG = np.random.default_rng(0)
A, B = RNG.normal(0.8, 0.05, 10), RNG.normal(0.75, 0.05, 10)
SIZES = {"n_train": 80, "n_test": 20}


def test_corrected_t_by_its_equation():
    d = A - B
    t = d.mean() / math.sqrt((1 / 10 + 20 / 80) * d.var(ddof=1))
    found = corrected_resampled_t_test(A, B, **SIZES)
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-12)
    assert found.estimates == pytest.approx((A.mean(), B.mean()))
    told = " ".join(repr(found).split())
    for said in ("0.4 to 9 % at a nominal 5 %", "up to 23 %", "within folds of compare_estimators"):
        assert said in told
    assert "23 %" in found._repr_html_()


def test_folds_without_a_score_do_not_count():
    kept = np.arange(10) != 3
    found = corrected_resampled_t_test(
        np.where(kept, A, np.nan), B, n_train=[80] * 10, n_test=[20] * 10
    )
    assert found == corrected_resampled_t_test(A[kept], B[kept], **SIZES)


def test_no_variance():
    same = corrected_resampled_t_test(A, A, **SIZES)
    assert (same.statistic, same.p_value) == (0, 1)
    with pytest.warns(UndefinedMetricWarning, match="no difference varies"):
        found = corrected_resampled_t_test([1, 1, 1], [0, 0, 0], **SIZES)
    assert np.isnan([found.statistic, found.p_value, *found.interval]).all()
    with pytest.warns(UndefinedMetricWarning, match="fewer than two"):
        found = corrected_resampled_t_test([1, np.nan], [0, 0.5], **SIZES)
    assert np.isnan(found.p_value)


def test_five_by_two_of_a_model_that_fails():
    holed = np.where(np.arange(len(X))[:, None] == 3, np.nan, X)
    with pytest.raises(ValueError, match="contains NaN"):
        five_by_two_cv_test(DecisionTreeClassifier(), GaussianNB(), holed, Y, scoring="roc_auc")


def compare(models):
    return compare_estimators(models, X, Y, scoring="roc_auc")


def corrected(**change):
    return corrected_resampled_t_test(**{"scores_a": A, "scores_b": B, **SIZES, **change})


BAD = [
    (compare, {"models": {"one": GaussianNB()}}, "two or more"),
    (compare, {"models": [GaussianNB(), GaussianNB()]}, "must be a dict"),
    (compare, {"models": {"a": TREE, "b": "tree"}}, "must be an estimator"),
    (compare, {"models": {"a": TREE, "b": (TREE, GRID, 3)}}, "must be an estimator"),
    (RESULT.to_frame, {"by": "fold"}, "by must be"),
    (corrected, {"scores_b": B[:4]}, "same folds"),
    (corrected, {"n_train": [80, 80]}, "n_train"),
    (corrected, {"n_test": 0}, "n_test"),
    (corrected, {"confidence_level": 95}, "confidence_level"),
    (corrected, {"alternative": "more"}, "alternative"),
]


@pytest.mark.parametrize(("call", "given", "words"), BAD)
def test_wrong_arguments(call, given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(**given)


def test_five_by_two_by_its_equation():
    pair = GaussianNB(), DecisionTreeClassifier(random_state=0, max_depth=3)
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    d = np.array([
        np.subtract(*(
            accuracy_score(Y[test], clone(one).fit(X[train], Y[train]).predict(X[test]))
            for one in pair
        ))
        for train, test in cv.split(X, Y)
    ]).reshape(5, 2)  # fmt: skip
    s2 = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    f = (d**2).sum() / (2 * s2.sum())
    found = five_by_two_cv_test(*pair, X, Y, scoring="accuracy", random_state=0)
    assert found.statistic == pytest.approx(f, rel=1e-12)
    assert found.p_value == pytest.approx(stats.f.sf(f, *found.df), rel=1e-12)
    assert found.df == (10, 5)


def test_five_by_two_without_variance():
    same = five_by_two_cv_test(GaussianNB(), GaussianNB(), X, Y, scoring="roc_auc")
    assert (same.statistic, same.p_value) == (0, 1)
    even, pair = np.arange(120) % 2, (DecisionTreeClassifier(), DummyClassifier())
    with pytest.warns(UndefinedMetricWarning, match="no difference varies"):
        found = five_by_two_cv_test(*pair, even[:, None], even, scoring="roc_auc")
    assert np.isnan(found.p_value)
