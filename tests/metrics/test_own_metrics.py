"""Metrics declared from outside, by the public names alone, have all that the package's own have."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.model_selection import nested_cross_validate

X, Y = make_classification(300, n_informative=4, flip_y=0.2, random_state=0)
P, Q = (m.fit(X, Y).predict_proba(X)[:, 1] for m in (LogisticRegression(), GaussianNB()))
MANY = np.random.default_rng(0).dirichlet(np.ones(3), 90)
OF_MANY = np.arange(90) % 3
WEIGHT = np.random.default_rng(1).integers(0, 4, len(Y))
WIDTH = 0.2
SEEDED = {"n_resamples": 99, "random_state": 0}


def ramp(d):
    return np.clip(0.5 + d / (2 * WIDTH), 0, 1)


def doubts(p):
    return 1 - np.take_along_axis(p.probability, p.outcome[:, None], axis=1)[:, 0]


@pytest.fixture
def harm():
    @sm.declare("counts", better="low", bounds=(0, np.inf), aliases=("harm",))
    def mean_harm_loss(c, *, miss=5.0):
        """Mean harm of an example where a miss harms `miss` times as much as a false alarm."""
        return (miss * c.fn + c.fp) / c.total

    return mean_harm_loss


@pytest.fixture
def ramp_auc():
    @sm.declare("values", undefined=np.nan, pair_mean=True)
    def ramp_auc_score(r):
        """AUC in which pairs of a small difference count in part."""
        return r.mean_of(sm._kinds.DifferenceFunction(ramp, kinks=(-WIDTH, WIDTH)))

    return ramp_auc_score


@pytest.fixture
def doubt():
    @sm.declare("probabilities", better="low", losses=doubts)
    def doubt_loss(p):
        """Mean absolute error of the probability of the true class."""
        return (doubts(p) * p.weight).sum(axis=-1) / p.weight.sum(axis=-1)

    return doubt_loss


def harm_by_hand(y, called):
    return np.mean(5.0 * (y & ~called) + (called & ~y))


def ramp_by_hand(y, score):
    return ramp(score[y == 1][:, None] - score[y == 0]).mean()


def doubt_by_hand(y, p):
    return np.abs(y - p).mean()


OWN = {
    "harm": (harm_by_hand, lambda p: p > 0.5),
    "ramp_auc": (ramp_by_hand, lambda p: p),
    "doubt": (doubt_by_hand, lambda p: p),
}
each_metric = pytest.mark.parametrize("own", OWN)


@pytest.fixture
def told(own, request):
    """The declared function, its definition, and what it judges of two classifiers."""
    by_hand, judged = OWN[own]
    return request.getfixturevalue(own), by_hand, judged(P), judged(Q)


@each_metric
def test_value_weights_and_scorer(told):
    function, by_hand, first, _ = told
    y, row = Y.astype(bool), function.metric
    value = by_hand(y, first)
    assert function(Y, first) == pytest.approx(value, rel=1e-12)
    assert function(np.array(["no", "yes"])[Y], named(first), pos_label="yes") == pytest.approx(
        value
    )
    again = np.repeat(np.arange(len(Y)), WEIGHT)
    assert function(Y, first, sample_weight=WEIGHT) == pytest.approx(
        by_hand(y[again], first[again]), rel=1e-12
    )
    model, sign = LogisticRegression().fit(X, Y), -1 if row.greater_is_better is False else 1
    assert sm.get_scorer(row.scorer_name)(model, X, Y) == pytest.approx(sign * value)
    both = sm.one_pass_scorer([row.scorer_name, "roc_auc"])(model, X, Y)
    assert both[row.scorer_name] == pytest.approx(sign * value)
    assert np.isfinite(cross_val_score(model, X, Y, scoring=sm.get_scorer(row.scorer_name))).all()


def named(judged):
    """Name the labels, where labels are judged."""
    return np.array(["no", "yes"])[judged.astype(int)] if judged.dtype == bool else judged


@each_metric
def test_interval_and_tests_between_classifiers(told):
    function, by_hand, first, second = told
    y, name = Y.astype(bool), function.metric.name
    value, difference = by_hand(y, first), by_hand(y, first) - by_hand(y, second)
    found = inference.interval(name, Y, first, **SEEDED)
    assert found.low < value < found.high
    same = inference.interval(function, Y, first, **SEEDED)
    assert (found.low, found.high, found.method) == (same.low, same.high, same.method)
    for how in ("bootstrap", "permutation"):
        found = inference.paired_test(name, Y, first, second, method=how, **SEEDED)
        assert found.difference == pytest.approx(difference)


@each_metric
def test_evaluation_and_nested_run(told):
    function, by_hand, first, _ = told
    row = function.metric
    shown = evaluation.evaluate(Y, (P > 0.5).astype(int), P, metrics=[row.name, "roc_auc"])
    assert shown[row.name] == pytest.approx(by_hand(Y.astype(bool), first))
    assert row.name in evaluation.evaluate(Y, (P > 0.5).astype(int), P)
    result = nested_cross_validate(
        LogisticRegression(), {"C": [0.01, 1]}, X, Y, refit=row.scorer_name, inner_cv=3,
        scoring=[row.scorer_name, "roc_auc"],
    )  # fmt: skip
    found = result.interval(row.scorer_name)
    assert found.low < result[f"test_{row.scorer_name}"].mean() < found.high


def test_counts_averages_curves_and_aliases(harm):
    curves = sm.threshold_curves(Y, P, ["harm"])
    at = [0, len(P) // 3, -1]
    by_call = [harm(Y, (t <= P).astype(int), labels=[0, 1]) for t in curves.thresholds[at]]
    np.testing.assert_allclose(curves["mean_harm_loss"][at], by_call, rtol=1e-12)
    assert curves.best("harm")[1] == min(curves["harm"])
    called = MANY.argmax(axis=1)
    each = harm(OF_MANY, called, average=None)
    np.testing.assert_allclose(
        each, [harm_by_hand(k == OF_MANY, k == called) for k in range(3)], rtol=1e-12
    )
    assert harm(OF_MANY, called, average="macro") == pytest.approx(each.mean())
    assert harm.from_counts(tp=1, fp=2, fn=3, tn=4, miss=2.0) == 0.8
    assert str(sm.get_scorer("neg_harm_macro")) == str(sm.get_scorer("neg_mean_harm_loss_macro"))


def test_pair_mean_averages_and_delong(ramp_auc):
    each = ramp_auc(OF_MANY, MANY, multi_class="ovr", average=None)
    expected = [ramp_by_hand(k == OF_MANY, MANY[:, k]) for k in range(3)]
    np.testing.assert_allclose(each, expected, rtol=1e-12)
    assert ramp_auc(OF_MANY, MANY, multi_class="ovr") == pytest.approx(np.mean(each))
    test = inference.delong_test(Y, P, Q, metric="ramp_auc")
    assert test.difference == pytest.approx(ramp_auc(Y, P) - ramp_auc(Y, Q))
    assert inference.interval("ramp_auc", Y, P).method == "delong"
    assert sm.pairwise_auc_score(Y, P, difference=ramp) == pytest.approx(ramp_auc(Y, P))


def test_probabilities_of_several_classes(doubt):
    given = MANY[np.arange(90), OF_MANY]
    assert doubt(OF_MANY, MANY) == pytest.approx((1 - given).mean(), rel=1e-12)


def squared(r):
    """Square of the AUC."""
    return (r.win_share + r.tie_share / 2) ** 2


def product(r):
    """AUC times the share of wins."""
    return (r.win_share + r.tie_share / 2) * r.win_share


def root(r):
    """Square root of the mean gain."""
    return np.sqrt(r.mean_gain)


@pytest.mark.parametrize("formula", [squared, product, root])
def test_what_is_no_pair_mean_has_no_delong(formula):
    """Placements reproduce the value of a mean over pairs; of another function of one they cannot."""
    metric = sm.declare("values")(formula)
    with pytest.raises(ValueError, match="not a mean over pairs"):
        inference.delong_test(Y, P, Q, metric=metric)
    found = inference.interval(metric, Y, P, **SEEDED)
    assert found.method == "bca"
    assert found.estimate == pytest.approx(metric(Y, P))
    assert found.low < found.estimate < found.high
