"""NestedCV and nested_cross_validate against scikit-learn's own tools and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import NestedCV, nested_cross_validate

METRICS = ["roc_auc", "f1", "specificity", "neg_log_loss"]
DEPTHS = {"max_depth": [1, 2, 3, 5]}
undefined_ok = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=150, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
    )


@pytest.fixture
def tree():
    return DecisionTreeClassifier(random_state=0)


class Moody(ClassifierMixin, BaseEstimator):
    """Logistic regression of one column that fails where it is told to."""

    def __init__(self, column=0, fail=None, size=None):
        self.column = column
        self.fail = fail
        self.size = size

    def fit(self, X, y):
        if self.fail == "fit" and (self.size is None or len(X) == self.size):
            raise RuntimeError("no mood to fit")
        self.model_ = LogisticRegression().fit(X[:, [self.column]], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X[:, [self.column]])

    def predict_proba(self, X):
        if self.fail == "predict":
            raise RuntimeError("no mood to predict")
        return self.model_.predict_proba(X[:, [self.column]])


@pytest.mark.parametrize("refit", ["roc_auc", "f1"])
def test_agrees_with_cross_validated_grid_search(data, tree, refit):
    X, y = data
    outer = StratifiedKFold(4, shuffle=True, random_state=1)
    inner = StratifiedKFold(3, shuffle=True, random_state=2)
    result = nested_cross_validate(
        tree, DEPTHS, X, y, scoring=METRICS, refit=refit, outer_cv=outer, inner_cv=inner
    )
    search = GridSearchCV(tree, DEPTHS, scoring=one_pass_scorer([refit]), refit=refit, cv=inner)
    theirs = cross_validate(
        search, X, y, scoring=one_pass_scorer(METRICS), cv=outer, return_estimator=True
    )
    for name in METRICS:
        np.testing.assert_array_equal(result[f"test_{name}"], theirs[f"test_{name}"])
    searches = theirs["estimator"]
    assert result.winners.tolist() == [s.best_index_ for s in searches]
    assert list(result.winning_params) == [s.best_params_ for s in searches]
    assert result.inner_means.tolist() == [s.best_score_ for s in searches]
    for ours, other in zip(result.inner_scores, searches, strict=True):
        columns = [other.cv_results_[f"split{i}_test_{refit}"] for i in range(3)]
        np.testing.assert_array_equal(ours[:, :, 0], np.column_stack(columns))


def test_one_prediction_a_response_method_in_every_fold(data):
    calls = []

    class Counting(GaussianNB):
        def predict(self, X):
            calls.append(("predict", len(X)))
            return self.classes_[super().predict_proba(X).argmax(axis=1)]

        def predict_proba(self, X):
            calls.append(("predict_proba", len(X)))
            return super().predict_proba(X)

    names = ["f1", "specificity", "mm7_auc", "neg_log_loss", "neg_brier_score"]
    folds = {"outer_cv": KFold(3), "inner_cv": KFold(2), "final": None}
    nested_cross_validate(Counting(), {}, *data, scoring=names, **folds)
    assert calls.count(("predict_proba", 50)) == 3
    assert calls.count(("predict", 50)) == 3 + 3 * 2  # inner folds score the metric that chooses


def test_kernel_matrix_is_cut_along_both_axes(data):
    X, y = data
    linear = nested_cross_validate(SVC(kernel="linear"), {"C": [0.1, 1.0]}, X, y, scoring="roc_auc")
    kernel = NestedCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, scoring="roc_auc")
    assert get_tags(kernel).input_tags.pairwise
    kernel.fit(X @ X.T, y)
    np.testing.assert_allclose(kernel.result_["test_roc_auc"], linear["test_roc_auc"], rtol=1e-9)


def test_estimators_as_parameters_are_cloned(data):
    choices = [LogisticRegression(), GaussianNB()]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    nested = NestedCV(pipeline, {"logisticregression": choices}, scoring="roc_auc").fit(*data)
    assert not any(hasattr(model, "classes_") for model in choices)
    assert not hasattr(pipeline, "classes_")
    assert hasattr(nested, "classes_")


@pytest.mark.parametrize("fail", ["fit", "predict"])
def test_failed_candidate_counts_as_undefined(data, fail):
    grid = {"fail": [fail, None], "column": [0]}
    with pytest.warns(FitFailedWarning, match="no mood to") as caught:
        result = nested_cross_validate(Moody(), grid, *data, scoring="mm7_auc")
    assert "30 of 60 inner fits" in str(caught[0].message)
    assert len(caught) == 1
    assert result.winners.tolist() == [grid["fail"].index(None)] * 5
    assert all(s.undefined.tolist() == [5, 0] for s in result.selections)
    assert "was undefined in 25 of 25 inner folds" in result.summary()


@undefined_ok
def test_undefined_inner_folds_are_dropped_and_reported(data, tree):
    X, y = data
    order = np.argsort(y, kind="stable")
    folds = {"outer_cv": StratifiedKFold(3), "inner_cv": KFold(4)}
    result = nested_cross_validate(tree, DEPTHS, X[order], y[order], scoring="roc_auc", **folds)
    dropped = np.array([selection.dropped for selection in result.selections])
    np.testing.assert_array_equal(dropped, np.isnan(result.inner_scores[:, 0, :, 0]))
    assert 0 < dropped.sum() < dropped.size
    assert not any(selection.undefined.any() for selection in result.selections)
    summary = " ".join(result.summary().split())
    assert f"undefined in {dropped.sum()} of 12 inner folds for every candidate" in summary


@undefined_ok
@pytest.mark.parametrize("final", ["vote", "search"])
def test_nothing_defined_warns_and_takes_the_first_candidate(data, tree, final):
    given = {"outer_cv": 2, "inner_cv": LeaveOneOut(), "final": final}
    scoring, some = {"chosen": "roc_auc", "f1": "f1"}, [part[:40] for part in data]
    with pytest.warns(UserWarning, match="outer fold 0, outer fold 1") as caught:
        result = nested_cross_validate(tree, DEPTHS, *some, scoring=scoring, **given)
    warned = [str(w.message) for w in caught if "every inner fold" in str(w.message)]
    assert len(warned) == 1
    assert ("search on all data" in warned[0]) == (final == "search")
    assert result.winners.tolist() == [0, 0]
    assert np.isnan(result.inner_means).all()
    assert result.final.index == 0
    assert result.final.votes == 0
    assert "Outer folds 0, 1 had nothing defined" in result.summary()


def test_final_model_by_vote(data, tree):
    X, y = data
    nested = NestedCV(tree, DEPTHS, scoring="roc_auc", final="vote").fit(X, y)
    result = nested.result_
    counts = np.bincount(result.winners, minlength=4)
    assert nested.best_index_ == result.final.index
    assert result.final.rule == "vote"
    assert counts[nested.best_index_] == counts.max() == result.final.votes
    assert nested.best_params_ == result.candidates[nested.best_index_]
    model = clone(tree).set_params(**nested.best_params_).fit(X, y)
    np.testing.assert_array_equal(nested.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(nested.predict(X), model.predict(X))
    assert nested.score(X, y) == one_pass_scorer(["roc_auc"]).score(model, X, y)["roc_auc"]


def test_final_model_by_search(data, tree):
    X, y = data
    nested = NestedCV(tree, DEPTHS, scoring=["f1", "roc_auc"], inner_cv=4)
    nested.fit(X, y)
    search = GridSearchCV(tree, DEPTHS, scoring=one_pass_scorer(["f1"]), refit="f1", cv=4)
    search.fit(X, y)
    assert nested.best_index_ == search.best_index_
    assert nested.result_.final.inner_mean == search.best_score_
    assert nested.result_.final.rule == "search"
    assert nested.result_.inner_scores.shape == (5, 4, 4, 1)
    assert len(nested.result_.selections) == 5
    np.testing.assert_array_equal(nested.predict(X), search.predict(X))


def test_no_final_model(data, tree):
    nested = NestedCV(tree, DEPTHS, scoring="roc_auc", final=None).fit(*data)
    assert nested.result_.final is None
    with pytest.raises(AttributeError, match="final=None"):
        nested.predict(data[0])
    for name in ("best_estimator_", "best_params_", "best_index_", "classes_", "n_features_in_"):
        assert not hasattr(nested, name)


def test_methods_are_those_of_the_final_model(data):
    pipeline = make_pipeline(StandardScaler(), LinearSVC())
    nested = NestedCV(pipeline, {"linearsvc": [GaussianNB()]}, scoring="f1")
    assert not hasattr(nested, "predict_proba")
    nested.fit(*data)
    assert hasattr(nested, "predict_proba")
    assert not hasattr(nested, "decision_function")


def test_pooled_predictions_are_those_of_the_outer_folds(data):
    X, y = data
    model = LogisticRegression()
    outer = KFold(5, shuffle=True, random_state=0)
    pooled = nested_cross_validate(
        model, {}, X, y, scoring=["roc_auc", "mm7_auc"], outer_cv=outer
    ).predictions
    order = np.argsort(pooled.row)
    assert pooled.row[order].tolist() == list(range(150))
    np.testing.assert_array_equal(pooled.y_true, y[pooled.row])
    np.testing.assert_array_equal(pooled.y_pred[order], cross_val_predict(model, X, y, cv=outer))
    for method, values in pooled.responses.items():
        theirs = cross_val_predict(model, X, y, cv=outer, method=method)
        np.testing.assert_array_equal(values[order], theirs)
    assert set(pooled.responses) == {"predict_proba", "decision_function"}
    assert pooled.classes.tolist() == [0, 1]
    for fold, (_, test) in enumerate(outer.split(X)):
        np.testing.assert_array_equal(pooled.row[pooled.fold == fold], test)


def test_works_inside_other_tools(data, tree):
    nested = NestedCV(tree, DEPTHS, scoring="roc_auc", outer_cv=3, inner_cv=3)
    kept = {"return_estimator": True, "return_indices": True}
    found = cross_validate(make_pipeline(StandardScaler(), nested), *data, cv=3, **kept)
    X, y = data
    for model, train, test, score in zip(
        found["estimator"], found["indices"]["train"], found["indices"]["test"],
        found["test_score"], strict=True,
    ):  # fmt: skip
        inside = model[-1]
        assert len(inside.result_.predictions.y_true) == len(train)
        share = clone(tree).set_params(**inside.best_params_).fit(
            StandardScaler().fit_transform(X[train]), y[train]
        ).predict_proba(model[0].transform(X[test]))[:, 1]  # fmt: skip
        assert score == pytest.approx(roc_auc_score(y[test], share))


@pytest.mark.peers
@pytest.mark.filterwarnings("default")
def test_folds_of_nestkit():
    nestkit = pytest.importorskip("nestkit")
    X, y = make_classification(200, flip_y=0.2, random_state=0)
    folds = {"outer_cv": StratifiedKFold(4), "inner_cv": StratifiedKFold(3), "scoring": "roc_auc"}
    grid = {"C": [0.01, 0.1, 1, 10]}
    theirs = nestkit.NestedCVClassifier(LogisticRegression(), grid, **folds).fit(X, y).results_
    ours = nested_cross_validate(LogisticRegression(), grid, X, y, **folds)
    assert list(ours.winning_params) == theirs.best_params_per_fold_
    scores = theirs.outer_scores_default_["roc_auc"]
    np.testing.assert_allclose(ours["test_roc_auc"], scores, rtol=1e-12)
