"""Every kind of splitter inside and outside, against a loop written by hand with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import BootstrapSplit, NestedCV, nested_cross_validate
from tests.closeness import rounding

ROWS = np.arange(96)
X, Y = make_classification(
    n_samples=96, n_features=4, n_redundant=0, n_informative=2, flip_y=0.3, random_state=1
)
WEIGHT = np.random.default_rng(5).integers(1, 9, 96).astype(float)
GROUPS = np.random.default_rng(6).permutation(96) % 7
SMOOTH = [1e-9, 0.1, 1.0]
METRICS = {
    "roc_auc": lambda y, p, weight: roc_auc_score(y, p, sample_weight=weight),
    "accuracy": lambda y, p, weight: accuracy_score(y, p > 0.5, sample_weight=weight),
    "neg_brier_score": lambda y, p, weight: -brier_score_loss(y, p, sample_weight=weight),
}


def scores(smoothing, train, test, weight):
    model = GaussianNB(var_smoothing=smoothing).fit(X[train], Y[train], weight[train])
    given = Y[test], model.predict_proba(X[test])[:, 1], weight[test]
    undefined = {"roc_auc"} if len(set(Y[test])) == 1 else set()
    return {
        name: np.nan if name in undefined else metric(*given) for name, metric in METRICS.items()
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
    "stratified, shuffled": (
        StratifiedKFold(3, shuffle=True, random_state=0),
        StratifiedKFold(4, shuffle=True, random_state=1),
    ),
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
        [(ROWS[:60], ROWS[60:]), (list(range(30, 96)), list(range(20)))], KFold(3),
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


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("kind", "routing"), CASES)
def test_two_loops_by_hand(kind, routing):
    outer, inner = (SPLITTERS | GROUPED)[kind]
    weight = None if kind == "defaults" else WEIGHT
    groups = GROUPS if kind in GROUPED else None
    with sklearn.config_context(enable_metadata_routing=routing):
        result = nested_cross_validate(
            GaussianNB(), {"var_smoothing": SMOOTH}, X, Y, scoring=list(METRICS), refit="accuracy",
            outer_cv=outer, inner_cv=inner, sample_weight=weight, groups=groups, final=None,
        )  # fmt: skip
    if kind in ("numbers", "defaults"):
        outer, inner = StratifiedKFold(outer), StratifiedKFold(inner or 5)
    winners, tested = by_hand(outer, inner, np.ones(96) if weight is None else weight, groups)
    assert result.winners.tolist() == winners
    for name in METRICS:
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
