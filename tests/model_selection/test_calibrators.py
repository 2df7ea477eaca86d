"""Calibration by any object, found on inner predictions and carried by the final model."""

from __future__ import annotations

import pickle
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, SplineTransformer
from sklearn.svm import LinearSVC

from skaucx.model_selection import CalibratingClassifier, Decisions, NestedCV, nested_cross_validate
from tests.closeness import rounding

from .records import recorded
from .test_decisions import GRID, INNER, NAMES, OUTER, WEIGHT, X, Y, nested

ISOTONIC = IsotonicRegression(out_of_bounds="clip")
SPLINE = make_pipeline(SplineTransformer(5), LogisticRegression())


class Own:
    """No estimator of scikit-learn: the share of positives on either side of the mean score."""

    def fit(self, scores, y):
        self.cut_ = scores.mean()
        self.shares_ = [y[scores[:, 0] > self.cut_].mean(), y[scores[:, 0] <= self.cut_].mean()]
        return self

    def predict(self, scores):
        return np.where(scores[:, 0] > self.cut_, *self.shares_)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize(
    ("model", "grid"), [(GaussianNB(), GRID), (LinearSVC(), {"C": [0.1, 1.0]})], ids=["nb", "svc"]
)
def test_isotonic_regression_is_the_method_of_that_name(model, grid, weight):
    scoring = NAMES if isinstance(model, GaussianNB) else ["roc_auc"]
    options = {"scoring": scoring, "sample_weight": weight, "threshold": "f1"}
    by_object, by_name = (
        nested(model, grid, calibration=given, **options) for given in (ISOTONIC, "isotonic")
    )
    for name in scoring:
        np.testing.assert_array_equal(by_object[f"test_{name}"], by_name[f"test_{name}"])
    np.testing.assert_array_equal(by_object.thresholds, by_name.thresholds)
    ours, theirs = (found.final.estimator.predict_proba(X) for found in (by_object, by_name))
    np.testing.assert_allclose(ours, theirs, atol=rounding(len(Y)))


@pytest.mark.parametrize("labels", [np.arange(3), np.array(["setosa", "b", "a"])], ids=str)
def test_many_classes_one_by_one(labels):
    features, y = load_iris(return_X_y=True)
    found = [
        nested_cross_validate(
            GaussianNB(),
            {},
            features,
            labels[y],
            scoring="neg_log_loss",
            decisions=Decisions(calibration=given),
        )
        for given in (ISOTONIC, "isotonic")
    ]
    ours, theirs = (one.final.estimator.predict_proba(features) for one in found)
    np.testing.assert_allclose(ours, theirs, atol=rounding(150))


@pytest.mark.parametrize(
    "given", [SPLINE, LinearRegression(), Own()], ids=lambda c: type(c).__name__
)
def test_any_number_of_jobs_and_the_final_model(given):
    options = {
        "scoring": NAMES, "pos_label": "cancer", "outer_cv": OUTER, "inner_cv": INNER,
        "calibration": given, "threshold": "f1", "reject": {"cost": 0.2},
    }  # fmt: skip
    cv = clone(NestedCV(GaussianNB(), GRID, **recorded(options))).fit(X, Y)
    again = nested_cross_validate(GaussianNB(), GRID, X, Y, n_jobs=2, **recorded(options))
    for name in NAMES:
        np.testing.assert_array_equal(again[f"test_{name}"], cv.result_[f"test_{name}"])
    model = cv.best_estimator_
    proba = model.predict_proba(X)
    assert 0 <= proba.min() <= proba.max() <= 1
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, Y)):
        np.testing.assert_array_equal(copy.predict_proba(X), proba)
    assert (
        f"Calibration ({type(given).__name__}) found on inner predictions" in cv.result_.summary()
    )


def test_weights_reach_the_calibrator():
    with_them, without = (
        nested(calibration=SPLINE, sample_weight=WEIGHT, weight_fits=False).final.estimator,
        nested(calibration=SPLINE).final.estimator,
    )
    assert not np.allclose(with_them.predict_proba(X), without.predict_proba(X))
    for given in (Own(), KNeighborsRegressor()):
        with pytest.raises(ValueError, match=r"^calibration: .*fit takes none"):
            nested(calibration=given, sample_weight=WEIGHT)


def test_alone():
    """As CalibratedClassifierCV of a frozen model, on rows that it was not fitted on."""
    model = GaussianNB().fit(X[:150], Y[:150])
    ours = CalibratingClassifier(FrozenEstimator(model), ISOTONIC).fit(X[150:], Y[150:])
    rows = np.arange(150)
    theirs = CalibratedClassifierCV(
        FrozenEstimator(model), method="isotonic", cv=[(rows, rows)], ensemble=False
    ).fit(X[150:], Y[150:])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=rounding(150))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


class Odd(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (IsotonicRegression, "found the class IsotonicRegression; call it"),
        (LinearSVC(), "found LinearSVC"),  # labels are no probabilities
        (FunctionTransformer, "found the class FunctionTransformer"),
        (0.5, "found 0.5"),
        (["sigmoid"], "a calibrator with fit and predict, found"),
        (Odd(), "Odd.predict must give a finite number a row, found others"),
        (
            KBinsDiscretizer(3, encode="onehot-dense"),
            "must give a finite number a row, found shape",
        ),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of bins, by version
def test_no_calibrator(given, told):
    with pytest.raises((TypeError, ValueError), match=told):
        nested(calibration=given)


@pytest.mark.parametrize("name", ["beta", "venn-abers"])
def test_calibrators_by_name_are_those_of_their_packages(name):
    """On inner predictions; weighted where the package takes weights; filters and error states stay."""
    package = pytest.importorskip({"beta": "betacal", "venn-abers": "venn_abers"}[name])
    before, filters = np.geterr(), list(warnings.filters)
    result = nested(calibration=name)
    assert np.geterr() == before
    assert warnings.filters == filters
    for fold, (train, test) in enumerate(OUTER.split(X, Y)):
        model = GaussianNB(**result.winning_params[fold])
        inner = cross_val_predict(model, X[train], Y[train], cv=INNER, method="predict_proba")
        proba = model.fit(X[train], Y[train]).predict_proba(X[test])
        second = Y[train] == "healthy"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            if name == "beta":
                expected = package.BetaCalibration().fit(inner[:, 1], second).predict(proba[:, 1])
            else:
                venn = package.VennAbers()
                venn.fit(inner, second.astype(int))
                expected = venn.predict_proba(proba)[0][:, 1]
        own = result.predictions.fold == fold
        found = result.predictions.responses["predict_proba"][own][:, 1]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert f"Calibration ({name}) found on inner predictions" in result.summary()
    shipped = result.final.estimator
    again = pickle.loads(pickle.dumps(shipped))
    np.testing.assert_array_equal(again.predict_proba(X), shipped.predict_proba(X))
    features, y = load_iris(return_X_y=True)
    many = NestedCV(
        GaussianNB(), {}, scoring="neg_log_loss", decisions=Decisions(calibration=name)
    ).fit(features, y)
    np.testing.assert_allclose(many.predict_proba(features).sum(axis=1), 1)
    if name == "beta":
        weighted = nested(calibration=name, sample_weight=WEIGHT)
        assert not np.allclose(weighted["test_neg_brier_score"], result["test_neg_brier_score"])
    else:
        with pytest.raises(ValueError, match=r"calibration: .*sample_weight"):
            nested(calibration=name, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="needs a classifier with predict_proba"):
        nested(LinearSVC(), {}, calibration=name, scoring="roc_auc")


def test_a_calibrator_whose_package_is_missing(monkeypatch):
    for name, module in (("beta", "betacal"), ("venn-abers", "venn_abers")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=r'pip install "skaucx\[calibrators\]"'):
            nested(calibration=name)
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match="calibrator must be one of"):
        CalibratingClassifier(model, "sigmoid").fit(X, Y)
