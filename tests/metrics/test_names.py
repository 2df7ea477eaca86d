"""One way to say which metric is meant, taken alike by every function that asks for metrics."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.metrics._registry.names import named_metric, named_metrics, scorer_names
from skaucx.model_selection._scoring import resolve_scoring
from tests.closeness import rounding
from tests.metrics.needed import NEEDED

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 120)
PRED = np.where(RNG.random(120) < 0.6, Y, RNG.integers(0, 3, 120))
OTHER = RNG.permutation(PRED)
MACRO_F1 = sm.f1_score(Y, PRED, average="macro")
# The same metric said in every way.
WAYS = {
    "name": "f1_macro",
    "scorer": sm.get_scorer("f1_macro"),
    "partial": functools.partial(sm.f1_score, average="macro"),
    "other": sm.get_scorer("f1", average="macro"),
    "one pass": sm.one_pass_scorer(["f1_macro"]),
    "scikit-learn's": sklearn.metrics.get_scorer("f1_macro"),
}


class Predicted(ClassifierMixin, BaseEstimator):
    """A fitted classifier that gives known labels."""

    classes_ = np.arange(3)

    def predict(self, X):
        return PRED


def first(found):
    return next(iter(found.values()))


ASKING = {
    "evaluate": lambda metric: first(evaluation.evaluate(Y, PRED, metrics=[metric])),
    "evaluate-dict": lambda metric: evaluation.evaluate(Y, PRED, metrics={"mine": metric})["mine"],
    "interval": lambda metric: inference.interval(metric, Y, PRED).estimate,
    "intervals": lambda metric: first(inference.intervals([metric], Y, PRED)).estimate,
    "intervals-dict": lambda metric: (
        inference.intervals({"mine": metric}, Y, PRED)["mine"].estimate
    ),
    "bootstrap test": lambda metric: inference.paired_test(
        metric, Y, PRED, OTHER, n_resamples=20, random_state=0, method="bootstrap"
    ).estimates[0],
    "permutation test": lambda metric: inference.paired_test(
        metric, Y, PRED, OTHER, n_resamples=20, random_state=0, method="permutation"
    ).estimates[0],
    "scorer": lambda metric: sm.get_scorer(metric)(Predicted(), None, Y),
    "scorers": lambda metric: first(sm.get_scorers([metric]))(Predicted(), None, Y),
    "one-pass scorer": lambda metric: first(sm.one_pass_scorer([metric])(Predicted(), None, Y)),
    "scoring": lambda metric: first(resolve_scoring(metric)(Predicted(), None, Y)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asking", ASKING)
def test_every_way_is_taken_everywhere(asking, way):
    assert ASKING[asking](WAYS[way]) == pytest.approx(MACRO_F1, rel=rounding(len(Y)))


def test_several_at_once():
    wanted = [
        sm.one_pass_scorer(["f1_macro", "accuracy"]),
        sm.get_scorers(["f1_macro", "accuracy"]),
    ]
    for metrics in (*wanted, ["f1_macro", "accuracy"]):
        assert list(inference.intervals(metrics, Y, PRED)) == ["f1_macro", "accuracy"]
        assert list(evaluation.evaluate(Y, PRED, metrics=metrics)) == ["f1_macro", "accuracy"]
    both = inference.intervals(["f1_macro", "f1_micro"], Y, PRED)
    assert both["f1_macro"].estimate != both["f1_micro"].estimate


def test_every_name_of_a_scorer_names_a_metric():
    for name in sorted(scorer_names()):
        named = named_metric(name)
        if named.row.name not in NEEDED:
            assert sm.get_scorer(name)._score_func.function is named.function


def test_one_name_is_not_read_letter_by_letter():
    assert [each.key for each in named_metrics("recall")] == ["recall"]
    assert list(evaluation.evaluate([0, 1], [0, 1], metrics="recall")) == ["recall"]
    assert list(inference.intervals("recall", [0, 1, 1], [0, 1, 1])) == ["recall"]
    assert list(sm.threshold_curves([0, 1], [0.1, 0.2], "recall").values) == ["recall"]


@pytest.mark.parametrize("nothing", [None, 3, [None]])
def test_what_is_no_metric_is_refused(nothing):
    for ask in (
        lambda: inference.intervals(nothing, Y, PRED),
        lambda: inference.interval(nothing, Y, PRED),
        lambda: named_metrics(nothing),
    ):
        with pytest.raises(TypeError, match="metric"):
            ask()


@pytest.mark.parametrize("metrics", [[], {}, ()])
def test_no_metric_at_all(metrics):
    for ask in (
        lambda: evaluation.evaluate(Y, PRED, metrics=metrics),
        lambda: inference.intervals(metrics, Y, PRED),
        lambda: sm.one_pass_scorer(metrics),
        lambda: sm.get_scorers(metrics),
    ):
        with pytest.raises(ValueError, match="empty"):
            ask()


def test_curves_over_thresholds_are_of_the_positive_class():
    with pytest.raises(ValueError, match="sets 'average'"):
        sm.threshold_curves([0, 1], [0.1, 0.2], ["f1_macro"])
    beta = sm.get_scorer("fbeta", beta=2)
    curves = sm.threshold_curves([0, 1, 1], [0.1, 0.2, 0.05], {"F2": beta})
    expected = sm.threshold_curves([0, 1, 1], [0.1, 0.2, 0.05], ["fbeta"], beta=2)
    np.testing.assert_array_equal(curves.values["F2"], expected["fbeta"])


# ---- what messages say ----


def test_undefined_samples_are_called_samples():
    true, pred = [[0, 0], [1, 0]], [[0, 0], [1, 0]]
    with pytest.warns(UserWarning, match="for sample 0 and"):
        sm.recall_score(true, pred, average="samples")
    with pytest.warns(UserWarning, match="for sample 0 and"):
        sm.roc_auc_score(true, np.array(pred, dtype=float), average="samples")
    with pytest.warns(UserWarning, match="for class 1 and"):
        sm.recall_score(true, pred, average="macro")


def test_integers_that_floats_do_not_tell_apart():
    wide = np.array([2**53, 2**53 + 1, 2**53 + 2])
    with pytest.raises(ValueError, match=r"2\^53"):
        sm.roc_auc_score([0, 1, 1], wide)
    assert sm.roc_auc_score([0, 1, 1], wide - 2**53) == 1


def test_scorers_are_reported_under_the_names_that_were_asked_for():
    asked = ["f1_macro", sm.recall_score, sm.get_scorer("roc_auc_ovo"), sm.zero_one_loss, "r2"]
    found = sm.one_pass_scorer(asked)
    assert found.names == ("f1_macro", "recall", "roc_auc_ovo", "neg_zero_one_loss", "r2")
    assert resolve_scoring(asked).names == found.names
    assert sm.one_pass_scorer({"mine": sm.f1_score}).names == ("mine",)


@pytest.mark.parametrize("make", [sm.one_pass_scorer, sm.get_scorers, resolve_scoring])
def test_two_metrics_of_one_name_are_refused(make):
    with pytest.raises(ValueError, match=r"two metrics named 'recall'.*dict"):
        make(["recall", sm.get_scorer("recall", pos_label=0)])


def test_names_that_only_scikit_learn_has():
    X = RNG.normal(size=(50, 2))
    model = Ridge().fit(X, X[:, 0])
    assert sm.get_scorer("r2")(model, X, X[:, 0]) == sklearn.metrics.get_scorer("r2")(
        model, X, X[:, 0]
    )
    with pytest.raises(TypeError, match="scorer already"):
        sm.get_scorer("v_measure_score", pos_label=1)
    scorer = sm.get_scorer("recall")
    assert sm.get_scorer(scorer) is scorer


def test_a_scorer_of_many_metrics_is_not_one_metric():
    many = sm.one_pass_scorer(["recall", "precision"])
    for ask in (named_metric, sm.get_scorer):
        with pytest.raises(TypeError, match=r"One metric is needed.*recall, precision"):
            ask(many)


def test_traits_of_metrics_of_tables():
    """Those of a table in print: which are free of prevalence, symmetric, or ignore true negatives."""
    free, symmetric, blind = (
        {row.name for row in sm.list_metrics(**{trait: True})}
        for trait in ("prevalence_free", "symmetric", "ignores_true_negatives")
    )
    assert free >= {
        "recall",
        "specificity",
        "informedness",
        "balanced_accuracy",
        "diagnostic_odds_ratio",
    }
    assert not free & {"precision", "f1", "accuracy", "matthews_corrcoef", "cohen_kappa", "roc_auc"}
    assert symmetric >= {"accuracy", "matthews_corrcoef", "cohen_kappa", "balanced_accuracy", "p4"}
    assert not symmetric & {"precision", "recall", "specificity", "f1", "jaccard"}
    assert blind >= {"precision", "recall", "f1", "jaccard", "fowlkes_mallows_index"}
    assert not blind & {"accuracy", "specificity", "npv", "matthews_corrcoef"}
    # Both answers together are the metrics of tables, and two traits those that have both.
    others = {row.name for row in sm.list_metrics(prevalence_free=False)}
    assert {"precision", "accuracy"} <= others
    assert not others & free
    both = {row.name for row in sm.list_metrics(prevalence_free=True, symmetric=True)}
    assert both == free & symmetric
    with pytest.raises(ValueError, match=r"symmetric.*'yes'"):
        sm.list_metrics(symmetric="yes")
