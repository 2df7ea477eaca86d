"""Metrics declared from outside, by the public names alone, have all that the package's own have."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from skaucx import metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import delong_test, interval, paired_test
from skaucx.model_selection import nested_cross_validate
from tests.datasets import binary, classes

X, Y, P, Q = binary.X, binary.y, binary.score, binary.other
MANY, OF_MANY = classes.score, np.unique(classes.y, return_inverse=True)[1]
WIDTH, SEEDED = 0.2, {"n_resamples": 99, "random_state": 0}


def harm():
    @sm.declare("counts", better="low", bounds=(0, np.inf), aliases=("harm",))
    def mean_harm_loss(c, *, miss=5.0):
        """Mean harm of an example where a miss harms `miss` times as much as a false alarm."""
        return (miss * c.fn + c.fp) / c.total

    return mean_harm_loss


def harm_by_hand(y, called):
    return np.mean(5.0 * (y & ~called) + (called & ~y))


def ramp(d):
    return np.clip(0.5 + d / (2 * WIDTH), 0, 1)


def ramp_auc():
    @sm.declare("values", undefined=np.nan, pair_mean=True)
    def ramp_auc_score(r):
        """AUC in which pairs of a small difference count in part."""
        return r.mean_of(sm._kinds.DifferenceFunction(ramp, kinks=(-WIDTH, WIDTH)))

    return ramp_auc_score


def ramp_by_hand(y, score):
    return ramp(score[y == 1][:, None] - score[y == 0]).mean()


def doubts(p):
    return 1 - np.take_along_axis(p.probability, p.outcome[:, None], axis=1)[:, 0]


def doubt():
    @sm.declare("probabilities", better="low", losses=doubts)
    def doubt_loss(p):
        """Mean absolute error of the probability of the true class."""
        return (doubts(p) * p.weight).sum(axis=-1) / p.weight.sum(axis=-1)

    return doubt_loss


def doubt_by_hand(y, p):
    return np.abs(y - p).mean()


@pytest.mark.parametrize(
    ("declared", "by_hand", "read"),
    [
        (harm, harm_by_hand, lambda p: p > 0.5), (ramp_auc, ramp_by_hand, lambda p: p),
        (doubt, doubt_by_hand, lambda p: p),
    ],
)  # fmt: skip
def test_a_metric_of_ones_own_has_every_face(declared, by_hand, read):
    function, y, first, second = declared(), Y.astype(bool), read(P), read(Q)
    row = function.metric
    value, sign = by_hand(y, first), -1 if row.greater_is_better is False else 1
    assert function(Y, first) == pytest.approx(value, rel=1e-12)
    names = np.array(["no", "yes"])
    renamed = names[first.astype(int)] if first.dtype == bool else first
    assert function(names[Y], renamed, pos_label="yes") == pytest.approx(value)
    again = np.repeat(np.arange(len(Y)), binary.weight.astype(int))
    weighted = function(Y, first, sample_weight=binary.weight)
    assert weighted == pytest.approx(by_hand(y[again], first[again]), rel=1e-12)

    model, scorer = LogisticRegression().fit(X, Y), sm.get_scorer(row.scorer_name)
    scored = sign * by_hand(y, read(model.predict_proba(X)[:, 1]))
    assert scorer(model, X, Y) == pytest.approx(scored)
    both = sm.one_pass_scorer([row.scorer_name, "roc_auc"])(model, X, Y)
    assert both[row.scorer_name] == pytest.approx(scored)
    assert np.isfinite(cross_val_score(model, X, Y, scoring=scorer)).all()

    found, same = (interval(each, Y, first, **SEEDED) for each in (row.name, function))
    assert found.low < value < found.high
    assert (found.low, found.high, found.method) == (same.low, same.high, same.method)
    for how in ("bootstrap", "permutation"):
        found = paired_test(row.name, Y, first, second, method=how, **SEEDED)
        assert found.difference == pytest.approx(value - by_hand(y, second))
    for asked in ({"metrics": [row.name, "roc_auc"]}, {}):
        assert evaluate(Y, binary.pred, P, **asked)[row.name] == pytest.approx(value)
    asked = {"scoring": [row.scorer_name, "roc_auc"], "refit": row.scorer_name, "inner_cv": 3}
    result = nested_cross_validate(LogisticRegression(), {"C": [0.01, 1]}, X, Y, **asked)
    found = result.interval(row.scorer_name)
    assert found.low < result[f"test_{row.scorer_name}"].mean() < found.high


def test_counts_averages_curves_and_aliases():
    function, called = harm(), MANY.argmax(axis=1)
    curves = sm.threshold_curves(Y, P, ["harm"])
    at = [0, 9, -1]
    by_call = [function(Y, (t <= P).astype(int), labels=[0, 1]) for t in curves.thresholds[at]]
    np.testing.assert_allclose(curves["mean_harm_loss"][at], by_call, rtol=1e-12)
    assert curves.best("harm")[1] == min(curves["harm"])
    each = function(OF_MANY, called, average=None)
    expected = [harm_by_hand(k == OF_MANY, k == called) for k in range(3)]
    np.testing.assert_allclose(each, expected, rtol=1e-12)
    assert function(OF_MANY, called, average="macro") == pytest.approx(each.mean())
    assert function.from_counts(tp=1, fp=2, fn=3, tn=4, miss=2.0) == 0.8
    assert str(sm.get_scorer("neg_harm_macro")) == str(sm.get_scorer("neg_mean_harm_loss_macro"))


def test_pair_mean_averages_and_delong():
    function = ramp_auc()
    each = function(OF_MANY, MANY, multi_class="ovr", average=None)
    expected = [ramp_by_hand(k == OF_MANY, MANY[:, k]) for k in range(3)]
    np.testing.assert_allclose(each, expected, rtol=1e-12)
    assert function(OF_MANY, MANY, multi_class="ovr") == pytest.approx(np.mean(each))
    test = delong_test(Y, P, Q, metric="ramp_auc")
    assert test.difference == pytest.approx(function(Y, P) - function(Y, Q))
    assert interval("ramp_auc", Y, P).method == "delong"
    assert sm.pairwise_auc_score(Y, P, difference=ramp) == pytest.approx(function(Y, P))


def test_probabilities_of_several_classes():
    given = MANY[np.arange(len(MANY)), OF_MANY]
    assert doubt()(OF_MANY, MANY) == pytest.approx((1 - given).mean(), rel=1e-12)


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
        delong_test(Y, P, Q, metric=metric)
    found = interval(metric, Y, P, **SEEDED)
    assert found.method == "bca"
    assert found.estimate == pytest.approx(metric(Y, P))
    assert found.low < found.estimate < found.high
