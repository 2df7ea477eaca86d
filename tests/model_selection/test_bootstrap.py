"""Bootstrap splits, and estimates by hand, against another .632+ and rms; weights and failures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import skaucx.metrics as m
from skaucx.metrics import get_scorer
from skaucx.model_selection import BootstrapSplit, bootstrap_score, repetition_spread
from skaucx.model_selection.bootstrap._score import (
    check_losses,
    mixed,
    out_of_bag_weight,
    values_of_labels,
)

X, Y = make_classification(80, 5, n_informative=3, flip_y=0.2, random_state=0)
WEIGHT = np.random.default_rng(2).integers(0, 9, 80).astype(float)
SPLIT = {"n_splits": 12, "random_state": 0}


def splits(n, groups=None, **options):
    cv = BootstrapSplit(n, random_state=0, **options)
    return list(cv.split(np.zeros((50, 1)), groups=groups))


def test_test_rows_are_those_never_drawn():
    found = splits(30)
    assert len(found) == 30
    for train, test in found:
        assert len(train) == 50
        assert test.tolist() == [row for row in range(50) if row not in train]
    assert len({tuple(train) for train, _ in found}) == 30


@pytest.mark.parametrize(
    ("size", "drawn"), [(None, 50), (7, 7), (1, 1), (0.5, 25), (1.0, 50), (0.001, 1), (80, 80)]
)
def test_train_size(size, drawn):
    assert {len(train) for train, _ in splits(3, train_size=size)} == {drawn}


def test_groups_are_drawn_and_left_out_as_a_whole():
    groups = np.array([f"g{i % 9}" for i in range(50)])
    for train, test in splits(20, groups=groups):
        assert set(groups[train]).isdisjoint(groups[test])
        assert set(groups[train]) | set(groups[test]) == set(groups)
        times = np.bincount(train, minlength=50)
        for group in np.unique(groups):
            assert len(set(times[groups == group])) == 1
        assert sum(times[[np.argmax(groups == g) for g in np.unique(groups)]]) == 9
    assert {len(set(groups[train])) for train, _ in splits(20, groups=groups, train_size=1)} == {1}


def test_draws_that_leave_nothing_out_are_repeated():
    cv = BootstrapSplit(200, random_state=0)
    assert all(len(test) == 1 for _, test in cv.split([[0], [1]]))
    with pytest.raises(ValueError, match="1000 draws of 1 from 1"):
        next(cv.split([[0]]))


@pytest.mark.parametrize("routing", [False, True])
def test_groups_arrive_with_and_without_routing(routing):
    groups = np.arange(80) // 6
    with sklearn.config_context(enable_metadata_routing=routing):
        given = {"params": {"groups": groups}} if routing else {"groups": groups}
        cv = BootstrapSplit(5, random_state=0)
        found = cross_validate(GaussianNB(), X, Y, cv=cv, return_indices=True, **given)
    for train, test in zip(*found["indices"].values(), strict=True):
        assert set(groups[train]).isdisjoint(groups[test])


def rounds(model, weight=None):
    for train, test in BootstrapSplit(**SPLIT).split(X, Y):
        given = {} if weight is None else {"sample_weight": weight[train]}
        yield clone(model).fit(X[train], Y[train], **given), test


def mean_of_rows(losses, weight=None):
    """The mean loss of each row over the rounds that test it, averaged over rows."""
    tested = ~np.isnan(losses).all(axis=0)
    weight = np.ones(80) if weight is None else weight
    return np.average(np.nanmean(losses[:, tested], axis=0), weights=weight[tested])


@pytest.mark.parametrize("model", [DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("metric", ["accuracy", "neg_brier_score_loss"])
@pytest.mark.parametrize("method", ["plain", ".632", ".632+"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_estimates_by_hand(method, metric, model, weight):
    """Err1 and e are weighted over rows, g over pairs of them."""

    def loss(truth, fitted, rows):
        if metric == "accuracy":
            return 1.0 * (fitted.predict(rows) != truth)
        return (fitted.predict_proba(rows)[:, 1] - truth) ** 2

    asked = None if weight is None else weight.tolist()
    given = {"scoring": metric, "method": method, "sample_weight": asked}
    found = bootstrap_score(model, X, Y, **given, **SPLIT)
    w = np.ones(80) if weight is None else weight
    losses = np.full((12, 80), np.nan)
    means = []
    for row, (fitted, test) in zip(losses, rounds(model, weight), strict=True):
        row[test] = loss(Y[test], fitted, X[test])
        means.append(np.average(row[test], weights=w[test]))
    best = 1 if metric == "accuracy" else 0
    np.testing.assert_allclose(found.rounds, best - np.array(means), rtol=1e-12)
    if method == "plain":
        assert found.estimate == pytest.approx(best - np.mean(means), rel=1e-12)
        return
    whole = clone(model).fit(X, Y, weight)
    err1, e = mean_of_rows(losses, weight), np.average(loss(Y, whole, X), weights=w)
    assert found.out_of_bag_error == pytest.approx(err1, rel=1e-12)
    assert found.resubstitution_error == pytest.approx(e, rel=1e-12)
    share = 0.632
    if method == ".632+":
        pairs = np.array([loss(np.full(80, truth), whole, X) for truth in Y])
        g = np.average(pairs, weights=np.multiply.outer(w, w))
        assert found.no_information_error == pytest.approx(g, rel=1e-12)
        assert e < err1 < g
        share = 0.632 / (1 - 0.368 * (err1 - e) / (g - e))
    assert found.weight == pytest.approx(share)
    assert found.error == pytest.approx((1 - share) * e + share * err1)
    assert found.estimate == pytest.approx(best - found.error)
    repetitions = (1 - share) * (best - e) + share * found.rounds
    np.testing.assert_allclose(found.repetitions, repetitions)
    assert found.spread(0.5) == pytest.approx(np.percentile(repetitions, [25, 75]))


@pytest.mark.parametrize("metric", ["roc_auc", "soft_auc", "scor_auc", "mm1_auc", "mm11_auc"])
def test_every_score_on_either_side_is_no_information(metric):
    p = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    d = p[:, None] - p
    h = {
        "roc_auc": (d > 0) + (d == 0) / 2,
        "soft_auc": 1 / (1 + np.exp(-7 * d)),
        "scor_auc": np.maximum(d, 0),
        "mm1_auc": np.maximum(d, 0) / np.ptp(p),
        "mm11_auc": d,
    }[metric]
    options = {"method": ".632+", "n_splits": 2, "random_state": 0}
    found = bootstrap_score(GaussianNB(), X, Y, scoring=metric, **options).no_information_error
    assert found == pytest.approx(1 - h.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("e", "err1", "g", "weight"),
    [
        (0.1, 0.3, 0.5, 0.632 / (1 - 0.368 * 0.5)),
        (0.0, 0.6, 0.5, 1.0),
        (0.3, 0.2, 0.5, 0.632),
        (0.5, 0.6, 0.4, 0.632),
        (0.0, 0.0, 0.5, 0.632),
    ],
)
def test_weight(e, err1, g, weight):
    assert out_of_bag_weight(".632+", e, err1, g) == pytest.approx(weight)
    assert out_of_bag_weight(".632", e, err1, g) == 0.632
    assert mixed(out_of_bag_weight("plain", np.nan, err1, np.nan), np.nan, err1) == err1


OF_LABELS = {row.scorer_name for row in m.list_metrics() if row.kind.name in ("counts", "table")}
# Shares of which neither end is good; and metrics of a parameter without a default.
NO_LOSSES = {"prevalence", "predicted_positive_rate"}
NEED_MORE = {"fbeta", "net_benefit", "feasible", "neg_expected_cost"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", sorted(OF_LABELS - NEED_MORE))
def test_metrics_are_means_of_losses_or_refused(name):
    """Tables of single examples tell, by the metric's own formula, which metrics are means."""
    random = np.random.default_rng(0)
    y, predicted = (random.random((2, 60)) < 0.4).astype(int)
    bound = get_scorer(name)._score_func
    each = values_of_labels(bound, np.arange(2))[y, predicted]
    if np.isclose(each.mean(), bound(y, predicted)) and name not in NO_LOSSES:
        check_losses(name, bound)
    else:
        with pytest.raises(ValueError, match=r"mean of losses .*found .*takes any metric"):
            check_losses(name, bound)


def test_round_that_never_saw_a_class_counts():
    A, b = load_iris(return_X_y=True)
    rows = np.r_[0:40, 50:90, 100:102]
    found = bootstrap_score(
        GaussianNB(var_smoothing=1e-3), A[rows], b[rows], scoring="neg_log_loss", method=".632",
        n_splits=30, random_state=0,
    )  # fmt: skip
    assert np.isfinite(found.rounds).all()
    assert found.rounds.min() < -2 * 36 / 40


def test_groups_and_jobs():
    twice, options = (np.repeat(X, 2, axis=0), np.repeat(Y, 2)), {"scoring": "accuracy", **SPLIT}
    model = KNeighborsClassifier(1)
    apart = bootstrap_score(model, *twice, groups=np.repeat(np.arange(80), 2), **options)
    torn = bootstrap_score(model, *twice, **options)
    assert torn.estimate > apart.estimate + 0.05
    with parallel_config("threading"):
        two = bootstrap_score(model, *twice, n_jobs=2, **options)
    np.testing.assert_array_equal(two.rounds, torn.rounds)


def test_text():
    found = bootstrap_score(GaussianNB(), X, Y, scoring="accuracy", method=".632+", **SPLIT)
    low, high = found.spread()
    assert str(found) == (
        f"accuracy {found.estimate:.4f} by the .632+ bootstrap, 12 rounds; 95 % spread over "
        f"repetitions\n  {low:.4f} to {high:.4f}\nPositive class: 1, {np.sum(Y)} of 80 rows."
    )
    with pytest.raises(ValueError, match="confidence_level must be"):
        found.spread(95)


def split(n=5, **options):
    return list(BootstrapSplit(**options).split(np.zeros(n)))


def score(**options):
    return bootstrap_score(GaussianNB(), X, Y, **{"scoring": "accuracy", **options})


BAD = [
    (split, {"n_splits": 0}, "n_splits must be a whole number >= 1, found 0"),
    (split, {"train_size": 0}, "train_size must be .* found 0"),
    (split, {"train_size": 1.5}, r"train_size must be .* found 1\.5"),
    (split, {"train_size": True}, "train_size must be .* found True"),
    (split, {"n": 0}, "X has 0 rows"),
    (score, {"method": "oob"}, r"method must be .*found 'oob'"),
    (score, {"scoring": ["f1", "mcc"]}, r"one metric or a scorer, found \['f1', 'mcc'\]"),
    (repetition_spread, {"scores": [0.1] * 7, "n_folds": 2}, "multiple of n_folds=2"),
    (repetition_spread, {"scores": [0.1], "n_folds": 0}, "n_folds must be"),
    (repetition_spread, {"scores": [0.1], "confidence_level": 1.0}, "confidence_level"),
]


@pytest.mark.parametrize(("call", "given", "told"), BAD)
def test_wrong_arguments(call, given, told):
    with pytest.raises(ValueError, match=told):
        call(**given)


class Moody(GaussianNB):
    """Fails without a certain row."""

    def __init__(self, needs=None):
        super().__init__()
        self.needs = needs

    def fit(self, X, y):
        if self.needs is not None and self.needs not in X[:, 0]:
            raise RuntimeError("no mood to fit")
        return super().fit(X, y)


def test_round_whose_tested_rows_weigh_nothing_is_undefined():
    weight = np.ones(80)
    weight[next(BootstrapSplit(**SPLIT).split(X, Y))[1]] = 0
    given = {"scoring": "accuracy", "method": ".632", "sample_weight": weight, **SPLIT}
    with pytest.warns(UserWarning, match="zero everywhere"):
        found = bootstrap_score(GaussianNB(), X, Y, **given)
    assert np.isnan(found.rounds).tolist() == [True] + [False] * 11
    assert np.isfinite(found.estimate)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("method", ["plain", ".632"])
@pytest.mark.parametrize("error_score", [np.nan, 0.25])
def test_failed_rounds(method, metric, error_score):
    fails = np.array([7 not in train for train, _ in BootstrapSplit(**SPLIT).split(X, Y)])
    options = {"scoring": metric, "method": method, "error_score": error_score, **SPLIT}
    with pytest.warns(FitFailedWarning, match=f"{fails.sum()} of .* bootstrap fits") as caught:
        found = bootstrap_score(Moody(X[7, 0]), X, Y, **options)
    assert "no mood to fit" in str(caught[0].message)
    well = bootstrap_score(Moody(), X, Y, **options)
    np.testing.assert_array_equal(found.rounds, np.where(fails, error_score, well.rounds))
    if method == "plain":
        assert found.estimate == pytest.approx(np.nanmean(found.rounds), rel=1e-12)
        return
    err1 = 1 - np.nanmean(found.rounds)
    if metric == "accuracy":
        losses = np.full((12, 80), np.nan)
        for row, failed, (model, test) in zip(losses, fails, rounds(GaussianNB()), strict=True):
            row[test] = 1 - error_score if failed else model.predict(X[test]) != Y[test]
        err1 = mean_of_rows(losses)
    assert found.out_of_bag_error == pytest.approx(err1, rel=1e-12)


def test_all_rounds_fail():
    with pytest.raises(ValueError, match=r"All 12 bootstrap fits(.|\n)*no mood to fit"):
        bootstrap_score(Moody(99), X, Y, scoring="accuracy", **SPLIT)
    with pytest.raises(RuntimeError, match="no mood to fit"):
        bootstrap_score(Moody(99), X, Y, scoring="accuracy", method=".632", **SPLIT)


RMS = json.loads(Path(__file__).parents[1].joinpath("data/optimism_values.json").read_text())
LOGISTIC = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)


class GivenDraws(np.random.RandomState):
    """Draws that were written down."""

    def __init__(self, draws):
        super().__init__(0)
        self._rows = iter(np.asarray(draws))

    def randint(self, *args, **options):
        return next(self._rows)


@pytest.mark.parametrize(
    ("metric", "theirs", "sign"),
    [("calibration_slope", "Slope", 1), ("gini", "Dxy", 1), ("neg_brier_score", "B", -1)],
)
def test_agrees_with_rms_on_the_same_draws(metric, theirs, sign):
    # rms recalibrates a resample's model on the original rows before R2 is computed: not compared.
    found = bootstrap_score(
        LOGISTIC, np.array(RMS["X"]), np.array(RMS["y"]), scoring=metric, method="optimism",
        n_splits=len(RMS["draws"]), random_state=GivenDraws(RMS["draws"]),
    )  # fmt: skip
    apparent, _, _, optimism, corrected = RMS[theirs]
    assert found.estimate == pytest.approx(sign * corrected, abs=2e-6)
    assert found.rounds.mean() == pytest.approx(sign * (apparent - optimism), abs=2e-6)
    own = (metric != "neg_brier_score") - found.resubstitution_error
    assert own == pytest.approx(sign * apparent, abs=2e-6)


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_a_resample_of_one_class_is_left_out(error_score):
    given = {"scoring": "roc_auc", "method": "optimism", "n_splits": 30, "random_state": 0}
    A, b = np.arange(12.0)[:, None], np.array([1] + [0] * 11)
    with pytest.warns(Warning, match="bootstrap fits"):
        found = bootstrap_score(LOGISTIC, A, b, error_score=error_score, **given)
    lost = np.isnan(found.rounds).sum()
    assert 0 < lost < 30
    assert f"{lost} of them" in str(found)
    assert np.isfinite(found.estimate)


def test_percentiles_of_the_means_of_repetitions():
    scores = np.random.default_rng(0).random((40, 5))
    low, high = repetition_spread(scores.ravel(), n_folds=5, confidence_level=0.8)
    assert (low, high) == pytest.approx(tuple(np.quantile(scores.mean(axis=1), [0.1, 0.9])))
    assert repetition_spread([0.5, 0.7]) == pytest.approx((0.505, 0.695))
    assert repetition_spread([0.5, np.nan, 0.7, 0.7], n_folds=2) == pytest.approx((0.7, 0.7))
    assert np.isnan(repetition_spread([np.nan])).all()
