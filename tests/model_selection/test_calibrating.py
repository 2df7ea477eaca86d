"""The calibration of a classifier that is fitted already."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx._compat import CALIBRATIONS
from skaucx.model_selection import CalibratingClassifier

X, CODES = make_classification(
    300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3], random_state=0
)
Y = np.array(["a", "b", "c"])[CODES]
WEIGHT = np.random.default_rng(0).uniform(0.2, 3, 150)


@pytest.mark.parametrize("method", CALIBRATIONS)
@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC()], ids=["nb", "svc"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_it_is_the_method_of_scikit_learn_on_held_out_rows(method, model, weight):
    model = clone(model).fit(X[:150], Y[:150])
    ours = CalibratingClassifier(FrozenEstimator(model), method)
    ours.fit(X[150:], Y[150:], sample_weight=weight)
    rows = np.arange(150)
    theirs = CalibratedClassifierCV(
        FrozenEstimator(model), method=method, cv=[(rows, rows)], ensemble=False
    )
    with warnings.catch_warnings(action="ignore"):
        theirs.fit(X[150:], Y[150:], sample_weight=weight)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict_proba(X), ours.predict_proba(X))
    assert ours.n_features_in_ == 6


def test_other_methods_are_refused_by_name():
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match="calibrator must be one of 'sigmoid', 'isotonic'"):
        CalibratingClassifier(model, "beta").fit(X, Y)
