"""Metrics of pooled predictions against the same metrics called on them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as theirs
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import skaucx.metrics as m
from skaucx.model_selection import NestedCV, nested_cross_validate


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=90, n_features=4, flip_y=0.3, random_state=0)


def pooled(result):
    return {name: result.statistics(name).pooled for name in result.test_scores}


def test_values_are_those_of_the_functions(data):
    X, names = data[0], np.array(["healthy", "ill"])[data[1]]
    metrics = ["roc_auc", "mm7_auc", "f1", "neg_log_loss", "matthews_corrcoef"]
    weight = np.random.default_rng(0).integers(1, 5, 90).astype(float)
    result = nested_cross_validate(
        LogisticRegression(),
        {},
        X,
        names,
        scoring=metrics,
        inner_cv=2,
        sample_weight=weight,
        pos_label="ill",
    )
    found, p = pooled(result), result.predictions
    ill = p.responses["predict_proba"][:, 1]
    options = {"sample_weight": weight[p.row]}
    assert found["roc_auc"].value == m.roc_auc_score(
        p.y_true, p.responses["decision_function"], **options
    )
    assert found["mm7_auc"].value == m.mm7_auc_score(p.y_true, ill, pos_label="ill", **options)
    assert found["f1"].value == m.f1_score(p.y_true, p.y_pred, pos_label="ill", **options)
    assert found["neg_log_loss"].value == -m.log_loss(p.y_true, ill, **options)
    assert all(entry.reason is None for entry in found.values())
    assert abs(found["roc_auc"].value - result["test_roc_auc"].mean()) > 1e-4


def test_several_classes_and_repeated_folds():
    X, y = load_iris(return_X_y=True)
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    result = nested_cross_validate(
        GaussianNB(), {}, X, y, scoring=["roc_auc_ovo", "f1_macro"], outer_cv=repeated, inner_cv=2
    )
    p = result.predictions
    assert len(p.row) == 300
    assert pooled(result)["f1_macro"].value == m.f1_score(p.y_true, p.y_pred, average="macro")
    assert pooled(result)["roc_auc_ovo"].value == m.roc_auc_score(
        p.y_true, p.responses["predict_proba"], multi_class="ovo"
    )


def test_scorers_of_other_kinds(data):
    def size(estimator, X, y):
        return float(len(X))

    def coefficient(estimator, X, y):
        return float(estimator.coef_[0, 0])

    scoring = {"theirs": theirs("f1"), "size": size, "coefficient": coefficient, "ours": "f1"}
    result = nested_cross_validate(LinearSVC(), {}, *data, scoring=scoring, inner_cv=2)
    found = pooled(result)
    assert found["theirs"].value == found["ours"].value > 0.5
    assert np.isnan(found["size"].value)
    assert found["size"].reason.startswith("TypeError: ")
    assert found["coefficient"].reason == (
        "AttributeError: coef_ is not among the pooled predictions"
    )


def test_undefined_and_missing_say_so(data):
    ones = [(np.arange(45), np.flatnonzero(data[1] == 1)[-5:])]
    result = nested_cross_validate(
        GaussianNB(), {}, *data, scoring="roc_auc", outer_cv=ones, inner_cv=2
    )
    found = pooled(result)["roc_auc"]
    assert np.isnan(found.value)
    assert found.reason == "undefined on the pooled predictions"


def test_predictions_have_a_frame():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.where(np.arange(60) % 2, "ill", "well")
    run = NestedCV(GaussianNB(), {}, scoring="recall", pos_label="ill", outer_cv=3, inner_cv=2).fit(
        X, y
    )
    held = run.result_.predictions
    frame = held.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["row", "fold", "y", "y_pred", "p_ill"]
    np.testing.assert_array_equal(frame["p_ill"], held.responses["predict_proba"][:, 0])
    assert ((frame["p_ill"] > 0.5) == (frame["y_pred"] == "ill")).all()
    three = NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=3, inner_cv=2)
    frame = three.fit(X, np.arange(60) % 3, groups=None).result_.predictions.to_frame()
    assert list(frame.columns)[4:] == ["p_0", "p_1", "p_2"]
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]].sum(axis=1), 1)
