"""Score sets from out-of-fold predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx.study import sets_of_classifier

X, Y = load_breast_cancer(return_X_y=True)
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def test_scores_are_those_of_cross_val_predict():
    expected = cross_val_predict(GaussianNB(), X, Y, cv=FOLDS, method="predict_proba")[:, 1]
    sets = list(sets_of_classifier(GaussianNB(), X, Y, cv=FOLDS))
    assert len(sets) == 4
    for (truth, score), (_, test) in zip(sets, FOLDS.split(X, Y), strict=True):
        assert truth.tolist() == (Y[test] == 1).tolist()
        assert score.tolist() == expected[test].tolist()
    ((truth, score),) = sets_of_classifier(GaussianNB(), X, Y, cv=FOLDS, pooled=True)
    order = np.concatenate([test for _, test in FOLDS.split(X, Y)])
    assert truth.tolist() == (Y[order] == 1).tolist()
    assert score.tolist() == expected[order].tolist()


def test_the_positive_class():
    names = np.where(Y == 1, "benign", "malignant")
    greater = sets_of_classifier(GaussianNB(), X, names, cv=FOLDS)
    given = sets_of_classifier(GaussianNB(), X, names, cv=FOLDS, pos_label="benign")
    plain = sets_of_classifier(GaussianNB(), X, Y, cv=FOLDS)
    for (t, s), (g, o), (p, q) in zip(greater, given, plain, strict=True):
        assert g.tolist() == p.tolist() == (~t).tolist()
        assert o.tolist() == q.tolist()
        np.testing.assert_allclose(s, 1 - o, atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "y", "options", "error", "message"),
    [
        (LinearSVC(), Y, {}, TypeError, "estimator must have predict_proba, found LinearSVC"),
        (GaussianNB(), np.zeros(len(Y)), {}, ValueError, "y must hold two classes, found 1"),
        (GaussianNB(), np.sort(Y), {"cv": KFold(5)}, ValueError, "Test fold 0 lacks a class"),
        (GaussianNB(), Y, {"cv": [(range(100), range(100, 569))]}, ValueError, "for partitions"),
        (GaussianNB(), np.eye(len(Y), 2), {}, ValueError, "found 2: .* in shape .*vector"),
    ],
)  # fmt: skip
def test_bad_requests(estimator, y, options, error, message):
    with pytest.raises(error, match=message):
        sets_of_classifier(estimator, X, y, **options)
