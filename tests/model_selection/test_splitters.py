"""Every kind of splitter inside and outside, against a loop written by hand with scikit-learn."""

from __future__ import annotations

import contextlib

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

GRID = [{"var_smoothing": value} for value in (1e-9, 0.1, 1.0)]
METRICS = {
    "roc_auc": lambda y, p, weight: roc_auc_score(y, p, sample_weight=weight),
    "accuracy": lambda y, p, weight: accuracy_score(y, p > 0.5, sample_weight=weight),
    "neg_brier_score": lambda y, p, weight: -brier_score_loss(y, p, sample_weight=weight),
}
ROWS = 96


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=ROWS, n_features=4, n_redundant=0, n_informative=2, flip_y=0.3, random_state=1
    )


@pytest.fixture(scope="module")
def weight():
    return np.random.default_rng(5).integers(1, 9, ROWS).astype(float)


@pytest.fixture(scope="module")
def groups():
    return np.random.default_rng(6).permutation(ROWS) % 7


class ByHand:
    """The two loops in full, without anything shared."""

    def __init__(self, X, y, weight, groups):
        self.X, self.y = X, y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.groups = groups

    def scores(self, params, train, test):
        model = GaussianNB(**params).fit(self.X[train], self.y[train], self.weight[train])
        probability = model.predict_proba(self.X[test])[:, 1]
        return {
            name: metric(self.y[test], probability, self.weight[test])
            if name != "roc_auc" or len(set(self.y[test])) == 2
            else np.nan
            for name, metric in METRICS.items()
        }

    def part(self, rows):
        return self.X[rows], self.y[rows], None if self.groups is None else self.groups[rows]

    def run(self, outer, inner, refit):
        every = np.arange(len(self.y))
        splits = outer if isinstance(outer, list) else list(outer.split(*self.part(every)))
        splits = [(np.asarray(train), np.asarray(test)) for train, test in splits]
        winners, tested = [], []
        for train, test in splits:
            means = [
                np.mean(
                    [
                        self.scores(params, train[a], train[b])[refit]
                        for a, b in inner.split(*self.part(train))
                    ]
                )
                for params in GRID
            ]
            winners.append(int(np.argmax(means)))
            tested.append(self.scores(GRID[winners[-1]], train, test))
        return winners, {name: [fold[name] for fold in tested] for name in METRICS}


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
    "predefined": (PredefinedSplit(np.arange(ROWS) % 4 - 1), KFold(3)),
    "iterable of splits": (
        [(np.arange(60), np.arange(60, ROWS)), (list(range(30, ROWS)), list(range(20)))],
        KFold(3),
    ),
    "bootstrap": (
        BootstrapSplit(3, random_state=0),
        BootstrapSplit(2, random_state=1),
    ),
}
STRATIFIED = {4: StratifiedKFold(4), 3: StratifiedKFold(3), 5: StratifiedKFold(5)}
GROUPED = {
    "groups": (GroupKFold(4), GroupKFold(3)),
    "stratified groups": (StratifiedGroupKFold(3), StratifiedGroupKFold(2)),
    "one group left out": (LeaveOneGroupOut(), GroupKFold(3)),
    "bootstrap of groups": (BootstrapSplit(3, random_state=0), LeaveOneGroupOut()),
}


def assert_by_hand(result, loops, outer, inner, refit):
    winners, scores = loops.run(outer, inner, refit)
    assert result.winners.tolist() == winners
    for name, values in scores.items():
        np.testing.assert_allclose(result[f"test_{name}"], values, rtol=1e-12, atol=rounding())


def nested(X, y, outer, inner, refit, **given):
    grid = {"var_smoothing": [params["var_smoothing"] for params in GRID]}
    options = {"scoring": list(METRICS), "refit": refit, "outer_cv": outer, "inner_cv": inner}
    return nested_cross_validate(GaussianNB(), grid, X, y, **options, final=None, **given)


@pytest.mark.parametrize("kind", SPLITTERS)
def test_splitters(data, weight, kind):
    outer, inner = SPLITTERS[kind]
    given = None if kind == "defaults" else weight
    result = nested(*data, outer, inner, "accuracy", sample_weight=given)
    loops = ByHand(*data, given, None)
    plain = STRATIFIED.get(outer, outer) if isinstance(outer, int) else outer
    within = STRATIFIED[5 if inner is None else inner] if not hasattr(inner, "split") else inner
    assert_by_hand(result, loops, plain, within, "accuracy")
    assert len(result.predictions.row) == result.n_test.sum()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("routing", [False, True], ids=["no routing", "routing"])
@pytest.mark.parametrize("kind", GROUPED)
def test_groups_reach_both_loops(data, weight, groups, kind, routing):
    outer, inner = GROUPED[kind]
    with sklearn.config_context(enable_metadata_routing=routing):
        result = nested(*data, outer, inner, "accuracy", sample_weight=weight, groups=groups)
    assert_by_hand(result, ByHand(*data, weight, groups), outer, inner, "accuracy")


def test_pooled_value_of_repeated_folds_counts_a_row_as_often_as_it_was_tested(data, weight):
    X, y = data
    outer = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    result = nested(X, y, outer, 2, "roc_auc", sample_weight=weight)
    row = result.predictions.row
    assert np.bincount(row).tolist() == [2] * ROWS
    probability = result.predictions.responses["predict_proba"][:, 1]
    for name, metric in METRICS.items():
        expected = metric(y[row], probability, weight[row])
        assert result.pooled[name].value == pytest.approx(expected, rel=1e-12)


def test_predefined_split_does_not_fit_inside(data):
    inner = PredefinedSplit(np.arange(ROWS) % 3)
    with pytest.raises(ValueError, match=r"PredefinedSplit .*row 95 of 64"):
        nested(*data, 3, inner, "accuracy")


@pytest.mark.parametrize("routing", [False, True], ids=["no routing", "routing"])
def test_weights_and_groups_come_through_other_tools(data, weight, groups, routing):
    X, y = data
    options = {"outer_cv": GroupKFold(2), "inner_cv": GroupKFold(3), "scoring": "roc_auc"}
    model = NestedCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, **options)
    with contextlib.ExitStack() as stack:
        stack.enter_context(sklearn.config_context(enable_metadata_routing=routing))
        if routing:
            model.set_fit_request(sample_weight=True, groups=True)
            model.set_score_request(sample_weight=False)
        given = {"sample_weight": weight, "groups": groups}
        found = cross_validate(model, X, y, cv=KFold(3), params=given, return_estimator=True)[
            "estimator"
        ]
    for one, (train, _) in zip(found, KFold(3).split(X), strict=True):
        alone = clone(model).fit(
            X[train], y[train], sample_weight=weight[train], groups=groups[train]
        )
        np.testing.assert_array_equal(one.predict_proba(X), alone.predict_proba(X))
        np.testing.assert_array_equal(one.result_["test_roc_auc"], alone.result_["test_roc_auc"])
