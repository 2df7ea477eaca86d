"""One way to say which metric is meant, at every door; names mean what the literature means by them."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import (
    _HINTS,
    _WITH_PARAMETERS,
    named_metric,
    named_metrics,
    scorer_names,
)
from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection._scoring import resolve_scoring
from tests.closeness import rounding
from tests.metrics.needed import NEEDED, needed_parameters

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
    rates = {"recall", "specificity", "informedness"}
    assert free >= rates | {"balanced_accuracy", "diagnostic_odds_ratio"}
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


# What papers, textbooks and other packages mean by a name: the metric here, with parameters.
MEANING = {
    "auroc": "roc_auc", "auc_roc": "roc_auc", "auc": "roc_auc", "rocauc": "roc_auc",
    "c_statistic": "roc_auc", "c_index": "roc_auc", "concordance_index": "roc_auc",
    "auprc": "average_precision", "aupr": "average_precision", "auc_pr": "average_precision",
    "prauc": "average_precision", "ap": "average_precision",
    "bacc": "balanced_accuracy", "BA": "balanced_accuracy", "ba": "balanced_accuracy",
    "gmean": "g_mean", "geometric_mean": "g_mean", "somers_d": "gini", "gini_coefficient": "gini",
    "accuracy_ratio": "gini", "iou": "jaccard", "csi": "jaccard", "threat_score": "jaccard",
    "dice": "f1", "f_measure": "f1", "f_score": "f1", "F1": "f1", "sens": "recall", "tpr": "recall",
    "TPR": "recall", "sensitivity": "recall", "pod": "recall", "hit_rate": "recall",
    "spec": "specificity", "SPC": "specificity", "spc": "specificity", "tnr": "specificity",
    "ppv": "precision", "PPV": "precision", "NPV": "npv", "fpr": "false_positive_rate",
    "fall_out": "false_positive_rate", "fnr": "false_negative_rate", "miss_rate": "false_negative_rate",
    "fdr": "false_discovery_rate", "for": "false_omission_rate", "acc": "accuracy",
    "subset_accuracy": "accuracy", "error_rate": "zero_one_loss", "mcc": "matthews_corrcoef",
    "MCC": "matthews_corrcoef", "phi": "matthews_corrcoef", "kappa": "cohen_kappa",
    "heidke_skill_score": "cohen_kappa", "hss": "cohen_kappa", "youden_j": "informedness",
    "youden_index": "informedness", "bookmaker": "informedness", "tss": "informedness",
    "delta_p": "markedness", "dor": "diagnostic_odds_ratio", "odds_ratio": "diagnostic_odds_ratio",
    "lr_plus": "positive_likelihood_ratio", "plr": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio", "risk_ratio": "relative_risk", "brier": "brier_score_loss",
    "logloss": "log_loss", "nll": "log_loss", "cross_entropy": "log_loss", "mcfadden_r2": "d2_log_loss",
    "brier_skill": "d2_brier", "discrimination_slope": "mm11_auc", "tjur_r2": "mm11_auc",
    "ece": "binned_calibration_error", "calibration_in_the_large": "calibration_intercept",
    "rps": "ranked_probability_score_loss", "ks_statistic": "ks", "kolmogorov_smirnov": "ks",
    "enrichment_factor": "lift", "cumulative_gain": "recall_at_k", "rie": "robust_initial_enhancement",
    "pabak": "prevalence_adjusted_kappa", "cramers_v": "cramer_v", "ari": "adjusted_rand_index",
    "uncertainty_coefficient": "theil_u", "pmi": "pointwise_mutual_information",
    "aurc": "aurc_loss", "auprg": "pr_gain_auc", "iba": "index_of_balanced_accuracy",
    "power": "recall", "selectivity": "specificity", "negative_predictive_value": "npv",
    "false_alarm_rate": "false_positive_rate", "fraction_correct": "accuracy", "eff": "accuracy",
    "fraction_incorrect": "zero_one_loss", "fm": "fowlkes_mallows_index",
    "bep": "break_even_point", "cost_weighted_error": "expected_cost", "f_gamma": "fbeta",
    "sen": "recall", "bm": "informedness", "mk": "markedness", "pt": "prevalence_threshold",
    "ts": "jaccard", "youden": "informedness", "phi_coefficient": "matthews_corrcoef",
    "probability_of_detection": "recall", "f1_score": "f1",
    "f2": ("fbeta", {"beta": 2.0}), "f0.5": ("fbeta", {"beta": 0.5}),
    "macro_f1": ("f1", {"average": "macro"}), "qwk": ("cohen_kappa", {"weights": "quadratic"}),
    "aunu": ("roc_auc", {"multi_class": "ovr", "average": "macro"}),
}  # fmt: skip


def test_names_mean_what_the_literature_means():
    assert len(MEANING) >= 80
    for name, meant in MEANING.items():
        metric, parameters = (meant, {}) if isinstance(meant, str) else meant
        found = named_metric(name)
        assert (name, found.row.name) == (name, metric)
        assert dict(found.parameters) == parameters
        if not found.function.needed or parameters:
            row = found.row
            known = name if row.greater_is_better is not False else f"neg_{name}"
            scorer = sm.get_scorer(known)
            assert scorer._score_func.function.metric.name == metric


def test_no_alias_misleads():
    """Names of several meanings, or of what is no metric here, are refused with what to take."""
    for name in (*_HINTS, "FPR95"):
        for asking in (sm.get_scorer, named_metric):
            with pytest.raises(ValueError, match="is not the name of a") as caught:
                asking(name)
            assert _HINTS[name.lower()] in str(caught.value)
        assert name not in scorer_names()
    for hint in _HINTS.values():  # what they point to is there
        quoted = [
            part for part in hint.split("'")[1::2] if part not in ("max", "linear", "quadratic")
        ]
        assert all(named_metric(each) for each in quoted)
    for name, (metric, parameters) in _WITH_PARAMETERS.items():
        assert set(parameters) <= set(METRICS[metric].options), name


def test_parameters_are_printed_with_the_values():
    y, call, score = [0, 0, 1, 1] * 5, [0, 1, 1, 1] * 5, [0.1, 0.4, 0.35, 0.8] * 5
    asked = [
        functools.partial(sm.net_benefit, threshold=0.2), functools.partial(sm.fbeta_score, beta=3),
        "precision_at_k", "lift", functools.partial(sm.expected_cost, cost=[[0, 1], [5, 0]]), "accuracy",
    ]  # fmt: skip
    shown = (
        "net_benefit(threshold=0.2)", "fbeta(beta=3)", "precision_at_k(share=0.1)", "lift(share=0.1)",
        "expected_cost(cost=[[0, 1], [5, 0]])",
    )  # fmt: skip
    for options in ({}, {"intervals": True, "n_resamples": 20, "random_state": 0}):
        text = " ".join(
            repr(evaluation.evaluate(y, call, y_score=score, metrics=asked, **options)).split()
        )
        assert all(each in text for each in shown), text
        assert "accuracy(" not in text


def test_every_parameter_that_changes_the_value_is_in_the_label():
    """Of every metric: what has no default, and what is set to something else than the default."""
    for name, function in METRICS.items():
        given = needed_parameters(name)
        label = named_metric(functools.partial(function, **given)).label
        for parameter in given:
            assert f"{parameter}=" in label, (name, label)
        for parameter, option in function.options.items():
            own = parameter in function.metric.parameters
            if own and isinstance(option.default, float) and 0 < option.default < 1:
                other = functools.partial(function, **{**given, parameter: option.default / 2})
                assert f"{parameter}={option.default / 2:g}" in named_metric(other).label


def test_net_benefit_asks_for_its_threshold():
    y, score = np.array([0, 1, 0, 1, 1, 0, 0, 0] * 20), np.linspace(0.01, 0.99, 160)
    for ask in (
        lambda: sm.net_benefit(y, score > 0.1),
        lambda: sm.get_scorer("net_benefit"),
        lambda: evaluation.evaluate(y, score > 0.1, metrics=["net_benefit"]),
        lambda: sm.threshold_curves(y, score, ["net_benefit"]),
    ):
        with pytest.raises(TypeError, match="threshold"):
            ask()
    assert "net_benefit" not in evaluation.evaluate(y, 1 * (score > 0.1))
    curves = sm.threshold_curves(y, score, ["net_benefit"], threshold=0.3)
    called = score >= curves.thresholds[41]
    assert curves["net_benefit"][41] == sm.net_benefit(y, called, threshold=0.3)


def test_information_score_is_that_of_kononenko_and_bratko():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 50)
    p = rng.dirichlet(np.ones(3), 50)
    weight = rng.uniform(0.5, 2, 50)
    share = [weight[y == k].sum() / weight.sum() for k in range(3)]
    total = 0.0
    for row, label, w in zip(p, y, weight, strict=True):
        given, prior = row[label], share[label]
        if given >= prior:
            total += w * (-np.log2(prior) + np.log2(given))
        else:
            total -= w * (-np.log2(1 - prior) + np.log2(1 - given))
    found = sm.information.information_score(y, p, sample_weight=weight)
    assert found == pytest.approx(total / weight.sum(), rel=1e-12)
    entropy = -sum(s * np.log2(s) for s in share)
    relative = sm.information.information_score(y, p, sample_weight=weight, relative=True)
    assert relative == pytest.approx(found / entropy, rel=1e-12)
    prior = np.bincount(y) / 50
    assert sm.information.information_score(y, np.tile(prior, (50, 1))) == pytest.approx(
        0, abs=1e-12
    )
    assert sm.information.information_score(y, np.eye(3)[y], relative=True) == pytest.approx(
        1, abs=1e-12
    )


def test_nested_summaries_show_parameters_and_the_metric_of_an_alias():
    y, X = np.arange(60) % 2, np.random.default_rng(0).normal(size=(60, 2))
    scoring = [
        "aupr", sm.get_scorer("net_benefit", threshold=0.2), sm.get_scorer("neg_expected_cost",
        cost=[[0, 1], [5, 0]]), "precision_at_k", "f2",
    ]  # fmt: skip
    folds = {"refit": "aupr", "outer_cv": 2, "inner_cv": 2}
    found = nested_cross_validate(LogisticRegression(), {}, X, y, scoring=scoring, **folds)
    text = " ".join(found.summary().split())
    assert "aupr is average_precision" in text
    for shown in (
        "net_benefit(threshold=0.2)", "neg_expected_cost(cost=[[0, 1], [5, 0]])",
        "precision_at_k(share=0.1)", "f2(beta=2)",
    ):  # fmt: skip
        assert shown in text


@pytest.mark.parametrize("name", ["profit", "EMP", "neg_profit", "expected_maximum_profit"])
def test_profits_lead_to_costs_of_examples(name):
    for find in (named_metric, get_scorer):
        with pytest.raises(ValueError, match=f"{name}.*'example_cost"):
            find(name)


# Spellings of the thesis, the lectures and the articles, which are understood and listed nowhere.
SPELLINGS = {
    **{f"mm{k}": f"mm{k}_auc" for k in (1, 4, 6, 11)},
    **{f"mm{k}AUC": f"mm{k}_auc" for k in (1, 4, 6, 7, 11)},
    **{f"{name}AUC": f"{name}_auc" for name in ("prob", "scor", "sond", "soft")},
    "mm12": "prob_auc", "fc": "accuracy", "efficiency": "accuracy",
    "mean_consequential_error": "accuracy", "fic": "zero_one_loss", "neg_fic": "zero_one_loss",
    "jaccard_index": "jaccard", "deltap": "markedness", "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio", "neg_fallout": "false_positive_rate",
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_the_sources_are_understood_and_not_listed(spelling):
    metric, y = SPELLINGS[spelling], [1, 0, 1, 0, 1, 0, 0, 1]
    found = named_metric(spelling)
    assert (found.row.name, found.label.partition("(")[0]) == (metric, metric)
    name = spelling if found.row.greater_is_better else f"neg_{spelling.removeprefix('neg_')}"
    assert named_metric(get_scorer(name)).row.name == metric
    score = np.array([0.9, 0.2, 0.6, 0.7, 0.8, 0.1, 0.4, 0.3])
    given = score > 0.5 if found.row.kind.counted else score
    assert interval(spelling, y, given, n_resamples=20, random_state=0).estimate == pytest.approx(
        found.function(y, given)
    )
    seen = evaluation.evaluate(y, score > 0.5, score, metrics=[spelling])
    assert list(seen.values()) == [pytest.approx(found.function(y, given))]
    assert metric in str(seen)
    listed = {*scorer_names(), *sm.get_scorer_names()}
    listed |= {n for row in sm.list_metrics() for n in (row.name, row.function, *row.aliases)}
    assert not {spelling, spelling.lower()} & listed
    with pytest.raises(ValueError, match="not the name") as raised:
        named_metric(f"{spelling}x")
    assert f"'{spelling.lower()}'" not in str(raised.value)


@pytest.mark.parametrize("kept", [{"aliases": ("mm4",)}, {"spellings": ("mm4",)}])
def test_a_name_that_two_metrics_claim_is_an_error_at_declaration(kept):
    def twice_claimed_score(c):
        """The number of rows."""
        return c.tp

    with pytest.raises(ValueError, match=r"'mm4' .*mm4_auc_score"):
        sm.declare("counts", **kept)(twice_claimed_score)
    assert "twice_claimed" not in METRICS
