"""NestedCV and nested_cross_validate against scikit-learn's own tools and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
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
from skaucx.model_selection import BootstrapSplit, NestedCV, nested_cross_validate
from tests.closeness import rounding

METRICS = ["roc_auc", "f1", "specificity", "neg_log_loss"]
DEPTHS = {"max_depth": [1, 2, 3, 5]}
X, Y = make_classification(
    n_samples=150, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
)
TREE = DecisionTreeClassifier(random_state=0)
ROWS = np.arange(150)
WEIGHT = np.random.default_rng(5).integers(1, 9, 150).astype(float)
GROUPS = np.random.default_rng(6).permutation(150) % 7
UNDEFINED = "ignore::sklearn.exceptions.UndefinedMetricWarning"


@pytest.mark.parametrize("refit", ["roc_auc", "f1"])
def test_agrees_with_cross_validated_grid_search(refit):
    outer = StratifiedKFold(4, shuffle=True, random_state=1)
    inner = StratifiedKFold(3, shuffle=True, random_state=2)
    result = nested_cross_validate(
        TREE, DEPTHS, X, Y, scoring=METRICS, refit=refit, outer_cv=outer, inner_cv=inner
    )
    search = GridSearchCV(TREE, DEPTHS, scoring=one_pass_scorer([refit]), refit=refit, cv=inner)
    theirs = cross_validate(
        search, X, Y, scoring=one_pass_scorer(METRICS), cv=outer, return_estimator=True
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


def test_one_prediction_a_response_method_in_every_fold():
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
    nested_cross_validate(Counting(), {}, X, Y, scoring=names, **folds)
    assert calls.count(("predict_proba", 50)) == 3
    assert calls.count(("predict", 50)) == 3 + 3 * 2  # inner folds score the metric that chooses


def test_kernel_matrix_is_cut_along_both_axes():
    linear = nested_cross_validate(SVC(kernel="linear"), {"C": [0.1, 1.0]}, X, Y, scoring="roc_auc")
    kernel = NestedCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, scoring="roc_auc")
    assert get_tags(kernel).input_tags.pairwise
    kernel.fit(X @ X.T, Y)
    np.testing.assert_allclose(kernel.result_["test_roc_auc"], linear["test_roc_auc"], rtol=1e-9)


def test_estimators_as_parameters_are_cloned():
    choices = [LogisticRegression(), GaussianNB()]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    nested = NestedCV(pipeline, {"logisticregression": choices}, scoring="roc_auc").fit(X, Y)
    assert not any(hasattr(model, "classes_") for model in choices)
    assert not hasattr(pipeline, "classes_")
    assert hasattr(nested, "classes_")


@pytest.mark.filterwarnings(UNDEFINED)
def test_undefined_inner_folds_are_dropped_and_reported():
    order = np.argsort(Y, kind="stable")
    folds = {"outer_cv": StratifiedKFold(3), "inner_cv": KFold(4)}
    result = nested_cross_validate(TREE, DEPTHS, X[order], Y[order], scoring="roc_auc", **folds)
    dropped = np.array([selection.dropped for selection in result.selections])
    np.testing.assert_array_equal(dropped, np.isnan(result.inner_scores[:, 0, :, 0]))
    assert 0 < dropped.sum() < dropped.size
    assert not any(selection.undefined.any() for selection in result.selections)
    summary = " ".join(result.summary().split())
    assert f"undefined in {dropped.sum()} of 12 inner folds for every candidate" in summary


@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize("final", ["vote", "search"])
def test_nothing_defined_warns_and_takes_the_first_candidate(final):
    given = {"outer_cv": 2, "inner_cv": LeaveOneOut(), "final": final}
    scoring = {"chosen": "roc_auc", "f1": "f1"}
    with pytest.warns(UserWarning, match="outer fold 0, outer fold 1") as caught:
        result = nested_cross_validate(TREE, DEPTHS, X[:40], Y[:40], scoring=scoring, **given)
    warned = [str(w.message) for w in caught if "every inner fold" in str(w.message)]
    assert len(warned) == 1
    assert ("search on all data" in warned[0]) == (final == "search")
    assert result.winners.tolist() == [0, 0]
    assert np.isnan(result.inner_means).all()
    assert result.final.index == 0
    assert result.final.votes == 0
    assert "Outer folds 0, 1 had nothing defined" in result.summary()


def test_final_model_by_vote():
    nested = NestedCV(TREE, DEPTHS, scoring="roc_auc", final="vote").fit(X, Y)
    counts = np.bincount(nested.result_.winners, minlength=4)
    assert nested.result_.final.rule == "vote"
    assert counts[nested.best_index_] == counts.max() == nested.result_.final.votes
    model = clone(TREE).set_params(**nested.best_params_).fit(X, Y)
    np.testing.assert_array_equal(nested.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(nested.predict(X), model.predict(X))
    assert nested.score(X, Y) == one_pass_scorer(["roc_auc"]).score(model, X, Y)["roc_auc"]


def test_no_final_model():
    nested = NestedCV(TREE, DEPTHS, scoring="roc_auc", final=None).fit(X, Y)
    assert nested.result_.final is None
    with pytest.raises(AttributeError, match="final=None"):
        nested.predict(X)
    for name in ("best_estimator_", "best_params_", "best_index_", "classes_", "n_features_in_"):
        assert not hasattr(nested, name)


def test_methods_are_those_of_the_final_model():
    pipeline = make_pipeline(StandardScaler(), LinearSVC())
    nested = NestedCV(pipeline, {"linearsvc": [GaussianNB()]}, scoring="f1")
    assert not hasattr(nested, "predict_proba")
    nested.fit(X, Y)
    assert hasattr(nested, "predict_proba")
    assert not hasattr(nested, "decision_function")


def test_pooled_predictions_are_those_of_the_outer_folds():
    model = LogisticRegression()
    outer = KFold(5, shuffle=True, random_state=0)
    pooled = nested_cross_validate(
        model, {}, X, Y, scoring=["roc_auc", "mm7_auc"], outer_cv=outer
    ).predictions
    order = np.argsort(pooled.row)
    assert pooled.row[order].tolist() == list(range(150))
    np.testing.assert_array_equal(pooled.y_true, Y[pooled.row])
    np.testing.assert_array_equal(pooled.y_pred[order], cross_val_predict(model, X, Y, cv=outer))
    for method, values in pooled.responses.items():
        theirs = cross_val_predict(model, X, Y, cv=outer, method=method)
        np.testing.assert_array_equal(values[order], theirs)
    assert set(pooled.responses) == {"predict_proba", "decision_function"}
    assert pooled.classes.tolist() == [0, 1]
    for fold, (_, test) in enumerate(outer.split(X)):
        np.testing.assert_array_equal(pooled.row[pooled.fold == fold], test)


SMOOTH = [1e-9, 0.1, 1.0]
SCORES = {
    "roc_auc": lambda y, p, weight: roc_auc_score(y, p, sample_weight=weight),
    "accuracy": lambda y, p, weight: accuracy_score(y, p > 0.5, sample_weight=weight),
    "neg_brier_score": lambda y, p, weight: -brier_score_loss(y, p, sample_weight=weight),
}


def scores(smoothing, train, test, weight):
    model = GaussianNB(var_smoothing=smoothing).fit(X[train], Y[train], weight[train])
    given = Y[test], model.predict_proba(X[test])[:, 1], weight[test]
    undefined = {"roc_auc"} if len(set(Y[test])) == 1 else set()
    return {
        name: np.nan if name in undefined else metric(*given) for name, metric in SCORES.items()
    }


def by_hand(outer, inner, weight, groups):
    """The two loops in full, without anything shared."""
    winners, tested = [], []
    for train, test in outer if isinstance(outer, list) else outer.split(X, Y, groups):
        rows = np.asarray(train)
        own = None if groups is None else groups[rows]
        means = []
        for smoothing in SMOOTH:
            inside = [
                scores(smoothing, rows[a], rows[b], weight)["accuracy"]
                for a, b in inner.split(X[rows], Y[rows], own)
            ]
            means.append(np.mean(inside))
        winners.append(int(np.argmax(means)))
        tested.append(scores(SMOOTH[winners[-1]], rows, np.asarray(test), weight))
    return winners, tested


# The outer and the inner splitter.
SPLITTERS = {
    "numbers": (4, 3),
    "defaults": (5, None),
    "repeated": (
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=1),
    ),
    "hold-outs": (
        ShuffleSplit(3, test_size=0.3, random_state=0),
        ShuffleSplit(2, test_size=0.4, random_state=1),
    ),
    "time series": (TimeSeriesSplit(3), TimeSeriesSplit(2)),
    "predefined": (PredefinedSplit(ROWS % 4 - 1), KFold(3)),
    "iterable of splits": (
        [(ROWS[:60], ROWS[60:]), (list(range(30, 150)), list(range(20)))], KFold(3),
    ),
    "bootstrap": (BootstrapSplit(3, random_state=0), BootstrapSplit(2, random_state=1)),
}  # fmt: skip
GROUPED = {
    "groups": (GroupKFold(4), GroupKFold(3)),
    "stratified groups": (StratifiedGroupKFold(3), StratifiedGroupKFold(2)),
    "one group left out": (LeaveOneGroupOut(), GroupKFold(3)),
    "bootstrap of groups": (BootstrapSplit(3, random_state=0), LeaveOneGroupOut()),
}
CASES = [*((kind, False) for kind in SPLITTERS | GROUPED), *((kind, True) for kind in GROUPED)]


@pytest.mark.filterwarnings(UNDEFINED)
@pytest.mark.parametrize(("kind", "routing"), CASES)
def test_two_loops_by_hand(kind, routing):
    outer, inner = (SPLITTERS | GROUPED)[kind]
    weight = None if kind == "defaults" else WEIGHT
    groups = GROUPS if kind in GROUPED else None
    with sklearn.config_context(enable_metadata_routing=routing):
        result = nested_cross_validate(
            GaussianNB(), {"var_smoothing": SMOOTH}, X, Y, scoring=list(SCORES), refit="accuracy",
            outer_cv=outer, inner_cv=inner, sample_weight=weight, groups=groups, final=None,
        )  # fmt: skip
    if kind in ("numbers", "defaults"):
        outer, inner = StratifiedKFold(outer), StratifiedKFold(inner or 5)
    winners, tested = by_hand(outer, inner, np.ones(150) if weight is None else weight, groups)
    assert result.winners.tolist() == winners
    for name in SCORES:
        expected = [fold[name] for fold in tested]
        np.testing.assert_allclose(result[f"test_{name}"], expected, rtol=1e-12, atol=rounding())
    assert len(result.predictions.row) == result.n_test.sum()


@pytest.mark.parametrize("routing", [False, True], ids=["no routing", "routing"])
def test_weights_and_groups_come_through_other_tools(routing):
    options = {"outer_cv": GroupKFold(2), "inner_cv": GroupKFold(3), "scoring": "roc_auc"}
    model = NestedCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, **options)
    given = {"sample_weight": WEIGHT, "groups": GROUPS}
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            model.set_fit_request(sample_weight=True, groups=True)
            model.set_score_request(sample_weight=False)
        found = cross_validate(model, X, Y, cv=KFold(3), params=given, return_estimator=True)
    for one, score, (train, test) in zip(
        found["estimator"], found["test_score"], KFold(3).split(X), strict=True
    ):
        own = {name: values[train] for name, values in given.items()}
        alone = clone(model).fit(X[train], Y[train], **own)
        np.testing.assert_array_equal(one.predict_proba(X), alone.predict_proba(X))
        np.testing.assert_array_equal(one.result_["test_roc_auc"], alone.result_["test_roc_auc"])
        judged = roc_auc_score(Y[test], alone.predict_proba(X[test])[:, 1])
        assert score == pytest.approx(judged, rel=1e-12)


@pytest.mark.peers
@pytest.mark.filterwarnings("default")
def test_folds_of_nestkit():
    nestkit = pytest.importorskip("nestkit")
    data = make_classification(200, flip_y=0.2, random_state=0)
    folds = {"outer_cv": StratifiedKFold(4), "inner_cv": StratifiedKFold(3), "scoring": "roc_auc"}
    grid = {"C": [0.01, 0.1, 1, 10]}
    theirs = nestkit.NestedCVClassifier(LogisticRegression(), grid, **folds).fit(*data).results_
    ours = nested_cross_validate(LogisticRegression(), grid, *data, **folds)
    assert list(ours.winning_params) == theirs.best_params_per_fold_
    scores = theirs.outer_scores_default_["roc_auc"]
    np.testing.assert_allclose(ours["test_roc_auc"], scores, rtol=1e-12)
