"""Corrected resampled t and 5x2cv against their printed equations, step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import accuracy_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import Confidence
from skaucx.model_selection import (
    corrected_resampled_t_test,
    five_by_two_cv_test,
    nested_cross_validate,
)

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.8, 0.05, 10), RNG.normal(0.75, 0.05, 10)


def test_corrected_t_by_its_equation():
    d = A - B
    t = d.mean() / math.sqrt((1 / 10 + 20 / 80) * d.var(ddof=1))
    found = corrected_resampled_t_test(A, B, n_train=80, n_test=20)
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-12)
    assert found.estimates == pytest.approx((A.mean(), B.mean()))
    # without the correction it is the paired t test, whose statistic is larger
    assert abs(t) < abs(stats.ttest_rel(A, B).statistic)


def test_folds_without_a_score_do_not_count():
    a = A.copy()
    a[3] = np.nan
    found = corrected_resampled_t_test(a, B, n_train=[80] * 10, n_test=[20] * 10)
    kept = np.arange(10) != 3
    fewer = corrected_resampled_t_test(A[kept], B[kept], n_train=80, n_test=20)
    assert found == fewer


def test_no_variance():
    same = corrected_resampled_t_test(A, A, n_train=80, n_test=20)
    assert (same.statistic, same.p_value) == (0, 1)
    with pytest.warns(UndefinedMetricWarning, match="no difference varies"):
        found = corrected_resampled_t_test([1, 1, 1], [0, 0, 0], n_train=80, n_test=20)
    assert np.isnan([found.statistic, found.p_value, *found.interval]).all()
    with pytest.warns(UndefinedMetricWarning, match="fewer than two"):
        found = corrected_resampled_t_test([1, np.nan], [0, 0.5], n_train=80, n_test=20)
    assert np.isnan(found.p_value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores_b": B[:4]}, "same folds"),
        ({"n_train": [80, 80]}, "n_train"),
        ({"n_test": 0}, "n_test"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"alternative": "more"}, "alternative"),
    ],
)
def test_refusals(change, words):
    options = {"scores_a": A, "scores_b": B, "n_train": 80, "n_test": 20} | change
    with pytest.raises(ValueError, match=words):
        corrected_resampled_t_test(**options)


X, Y = make_classification(120, random_state=0)


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
    s2 = ((d[:, 0] - d.mean(axis=1)) ** 2) + ((d[:, 1] - d.mean(axis=1)) ** 2)
    f = (d**2).sum() / (2 * s2.sum())
    found = five_by_two_cv_test(*pair, X, Y, scoring="accuracy", random_state=0)
    assert found.statistic == pytest.approx(f, rel=1e-12)
    assert found.p_value == pytest.approx(stats.f.sf(f, 10, 5), rel=1e-12)


def test_five_by_two_without_variance():
    same = five_by_two_cv_test(GaussianNB(), GaussianNB(), X, Y, scoring="roc_auc")
    assert (same.statistic, same.p_value) == (0, 1)
    even = np.arange(120) % 2
    with pytest.warns(UndefinedMetricWarning, match="no difference varies"):
        found = five_by_two_cv_test(
            DecisionTreeClassifier(), DummyClassifier(), even[:, None], even, scoring="roc_auc"
        )
    assert np.isnan(found.p_value)


def test_the_corrected_t_says_its_size_where_it_is_printed():
    found = corrected_resampled_t_test(A[:5], B[:5], n_train=80, n_test=20)
    told = " ".join(repr(found).split())
    for said in ("0.4 to 9 % at a nominal 5 %", "up to 23 %", "within folds of compare_estimators"):
        assert said in told
    assert "23 %" in found._repr_html_()


def test_one_sided_interval_of_a_run():
    run = nested_cross_validate(GaussianNB(), {}, X, Y, scoring=["roc_auc", "neg_log_loss"])
    for name, ends in (("roc_auc", (0, 1)), ("neg_log_loss", (-np.inf, 0))):
        two = run.interval(name, 0.9)
        low, high = run.interval(name, Confidence(0.95, alternative="greater"))
        assert (low, high) == (two.low, ends[1])
        one = run.interval(name, Confidence(alternative="less"))
        assert (*one, one.confidence_level) == (ends[0], two.high, 0.95)
