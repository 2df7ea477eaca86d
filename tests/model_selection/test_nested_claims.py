"""What is said of the numbers of nested runs and comparisons: targets, notes, marks, and sizes."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import compare_estimators, nested_cross_validate
from skaucx.model_selection.results._statistics import fold_interval

from .records import recorded

LOGISTIC = LogisticRegression(solver="newton-cholesky")


def rows(n, rate=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (rng.random(n) < 1 / (1 + np.exp(-1.5 * X[:, 0] - rate))).astype(int)


def nested(X, y, model=LOGISTIC, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nested_cross_validate(
            model, {}, X, y, **recorded({"pos_label": 1, "final": None, "inner_cv": 2, **options})
        )


def compared(estimators, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare_estimators(estimators, X, y, inner_cv=2, **recorded(options))


def text(printed):
    return " ".join(str(printed).split())


class TestOneSamplingModel:
    def test_the_variance_of_a_mean_over_rows_is_that_of_a_mean(self):
        X, y = rows(300, -3.2)
        names = ["neg_brier_score_loss", "neg_log_loss", "accuracy", "neg_hamming_loss"]
        result = nested(X, y, scoring=names, outer_cv=StratifiedKFold(5))
        p = result.predictions.responses["predict_proba"][:, 1]
        own = result.predictions.y_true
        right = 1.0 * (result.predictions.y_pred == own)
        losses = {
            names[0]: (p - own) ** 2,
            names[1]: -np.log(np.where(own == 1, p, 1 - p)),
            names[2]: right,
            names[3]: right,
        }
        for name, loss in losses.items():
            noise = result.statistics(name).noise()
            assert noise.of_mean == pytest.approx(loss.var(ddof=1) / 300, rel=0.01), name
            low, high = result.interval(name)
            assert high - low > 3.9 * np.sqrt(noise.of_mean), name

    def test_a_threshold_that_is_chosen_inside_never_narrows_an_interval(self):
        X, y = rows(150, -1)
        result = nested(X, y, scoring=["accuracy", "f1"], threshold="f1")
        for name, scores in result.test_scores.items():
            found = result.interval(name)
            corrected = fold_interval(scores, result.n_train, result.n_test, bounds=(0, 1))
            assert found.high - found.low > 0.95 * (corrected.high - corrected.low)
            assert found.method.endswith("or the corrected t where it is wider")


class TestSmallFolds:
    def test_means_over_folds_of_one_row_are_the_pooled_value_or_missing(self):
        X, y = rows(30)
        names = ["accuracy", "f1", "recall", "specificity", "precision", "npv", "matthews_corrcoef",
                 "balanced_accuracy", "cohen_kappa", "g_mean", "fowlkes_mallows_index", "jaccard",
                 "roc_auc", "average_precision", "neg_brier_score_loss", "neg_log_loss", "mm7_auc",
                 "neg_hamming_loss", "neg_binned_calibration_error"]  # fmt: skip
        result = nested(X, y, scoring=names, outer_cv=LeaveOneOut())
        for name in names:
            found = result.statistics(name)
            if np.isnan(found.mean):
                assert np.isnan([*result.interval(name)]).all(), name
            else:
                assert found.mean == pytest.approx(found.pooled.value), name
        assert np.isnan(result.statistics("f1").mean)
        assert np.isnan(result.statistics("recall").mean)
        assert not np.isnan(result.statistics("neg_brier_score_loss").interval().low)
        for said in (result.interval("f1").note, text(result.summary())):
            assert "not averaged over folds of 1 row; use the pooled value" in said
        two = compared({"a": GaussianNB(), "b": DummyClassifier()}, X, y, scoring="f1",
                       outer_cv=LeaveOneOut())  # fmt: skip
        (pair,) = two.pairs("f1")
        assert np.isnan([pair.folds.difference, pair.folds.p_value, *pair.folds.interval]).all()


class TestNotes:
    def test_few_groups(self):
        X, y = rows(60)
        result = nested(X, y, scoring=["roc_auc", "accuracy", "neg_log_loss"],
                        outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
                        groups=np.arange(60) % 6)  # fmt: skip
        for name in result.test_scores:
            assert "6.0 effective groups of 6: below 10" in result.interval(name).note
        assert "Note: 6.0 effective groups of 6: below 10" in text(result.summary())
        many = nested(X, y, scoring="roc_auc", outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
                      groups=np.arange(60) % 30)  # fmt: skip
        assert not many.interval("roc_auc").note

    def test_rows_that_no_fold_tests_and_rows_in_order(self):
        X, y = rows(60)
        told = text(nested(X, y, scoring="accuracy", outer_cv=TimeSeriesSplit(3)).summary())
        assert (
            "15 rows of 60 are tested by no outer fold; every score is about the other 45." in told
        )
        assert "tests on rows after those that it trains on" in told
        assert "outer test parts have" not in told
        told = text(nested(X, y, scoring="accuracy", outer_cv=KFold(3)).summary())
        assert "tested by no" not in told
        assert "rows after those" not in told

    def test_test_parts_of_unequal_size(self):
        X, y = rows(60)
        every = np.arange(60)
        parts = every[:30], every[30:50], every[50:]
        outer = [(np.setdiff1d(every, part), part) for part in parts]
        told = text(nested(X, y, scoring="accuracy", outer_cv=outer).summary())
        assert "The outer test parts have 10 to 30 rows" in told
        assert "outer test parts have" not in text(
            nested(X[:59], y[:59], scoring="accuracy", outer_cv=KFold(4)).summary()
        )

    def test_every_number_names_its_target(self):
        X, y = rows(80)
        result = nested(X, y, scoring=["roc_auc", "f1", "neg_log_loss"])
        for name in result.test_scores:
            assert result.interval(name).target == "the procedure, fitted on about 64 rows"
            assert result.pooled_interval(name).target == "the fitted models, joined"
        both = compared({"a": LOGISTIC, "b": GaussianNB()}, X, y, scoring=["roc_auc", "f1"])
        for name in both.metrics:
            (pair,) = both.pairs(name)
            assert pair.folds.target == pair.within.target == "the procedures"


class TestComparison:
    def test_what_is_printed(self):
        X, y = rows(60, -2)
        models = {"a": LOGISTIC, "b": GaussianNB(), "prior": DummyClassifier()}
        names = ["roc_auc", "precision", "neg_brier_score_loss", "specificity"]
        result = compared(models, X, y, scoring=names, pos_label=1, outer_cv=3)
        printed = str(result)
        heads = next(line for line in printed.splitlines() if line.startswith("differences"))
        columns = re.split(r"\s{2,}", heads.strip())
        assert len(set(columns)) == len(columns)
        marked = 0
        for name in names:
            for pair in result.pairs(name):
                for test in filter(None, (pair.folds, pair.within)):
                    low, high = test.interval
                    assert np.isnan(low) or (-1 <= low <= high <= 1), (name, pair)
                if pair.within is None:
                    continue
                same = pair.within.p_value == pair.folds.p_value and pair.folds.p_value < 1
                told = "as wide as the corrected t" in pair.within.method
                assert told or not same, (name, pair)
                marked += told
        assert marked
        for name in names:
            for model, one in result.results.items():
                if gaps := one.statistics(name).undefined:
                    said = f"{model}: {name} is undefined in {gaps} of 3 folds."
                    assert said in printed
        assert "prior: precision is undefined" in printed


def test_a_threshold_changes_no_interval_of_probabilities():
    X, y = rows(200)
    grid = {"C": [1e-3, 0.1, 10]}
    scoring = ["roc_auc", "neg_brier_score", "accuracy"]
    plain, cut = (
        nested_cross_validate(LOGISTIC, grid, X, y, scoring=scoring, **recorded(decided))
        for decided in ({}, {"threshold": "f1"})
    )
    for name in scoring[:2]:
        ends = [(one.interval(name).low, one.interval(name).high) for one in (plain, cut)]
        assert ends[0] == ends[1]
    assert [*plain.interval("accuracy")] != [*cut.interval("accuracy")]
