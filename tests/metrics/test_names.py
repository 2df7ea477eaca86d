"""One way to say which metric or set of metrics is meant, at every door; names mean what papers mean."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sm
from skaucx.command.main import main
from skaucx.evaluation import evaluate
from skaucx.inference import interval, intervals, paired_test
from skaucx.metrics import get_scorer, get_scorers, one_pass_scorer
from skaucx.metrics._registry.bibliography import BIBLIOGRAPHY
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import (
    _HINTS,
    _WITH_PARAMETERS,
    SETS,
    named_metric,
    named_metrics,
    scorer_names,
)
from skaucx.model_selection import NestedCV, compare_estimators, nested_cross_validate
from skaucx.model_selection._scoring import resolve_scoring
from skaucx.reports import report
from tests.closeness import rounding
from tests.datasets import binary, classes, labels
from tests.metrics.needed import NEEDED, needed_parameters

Y, PRED, OTHER = classes.y, classes.pred, classes.other_pred
MACRO_F1 = sm.f1_score(Y, PRED, average="macro")
# The same metric said in every way.
WAYS = {
    "name": "f1_macro",
    "scorer": get_scorer("f1_macro"),
    "partial": functools.partial(sm.f1_score, average="macro"),
    "other": get_scorer("f1", average="macro"),
    "one pass": one_pass_scorer(["f1_macro"]),
    "scikit-learn's": sklearn.metrics.get_scorer("f1_macro"),
}


class Predicted(ClassifierMixin, BaseEstimator):
    """A fitted classifier that gives known labels."""

    classes_ = np.unique(Y)

    def predict(self, X):
        return PRED


def first(found):
    return next(iter(found.values()))


ROWS, FEW = (Predicted(), None, Y), {"n_resamples": 20, "random_state": 0}
ASKING = {
    "evaluate": lambda metric: first(evaluate(Y, PRED, metrics=[metric])),
    "evaluate-dict": lambda metric: evaluate(Y, PRED, metrics={"mine": metric})["mine"],
    "interval": lambda metric: interval(metric, Y, PRED).estimate,
    "intervals": lambda metric: first(intervals([metric], Y, PRED)).estimate,
    "intervals-dict": lambda metric: intervals({"mine": metric}, Y, PRED)["mine"].estimate,
    "bootstrap test": lambda metric: paired_test(
        metric, Y, PRED, OTHER, method="bootstrap", **FEW
    ).estimates[0],
    "permutation test": lambda metric: paired_test(
        metric, Y, PRED, OTHER, method="permutation", **FEW
    ).estimates[0],
    "scorer": lambda metric: get_scorer(metric)(*ROWS),
    "scorers": lambda metric: first(get_scorers([metric]))(*ROWS),
    "one-pass scorer": lambda metric: first(one_pass_scorer([metric])(*ROWS)),
    "scoring": lambda metric: first(resolve_scoring(metric)(*ROWS)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asking", ASKING)
def test_every_way_is_taken_everywhere(asking, way):
    assert ASKING[asking](WAYS[way]) == pytest.approx(MACRO_F1, rel=rounding(len(Y)))


def test_several_at_once_and_one_name_that_is_not_read_letter_by_letter():
    both = ["f1_macro", "accuracy"]
    for metrics in (one_pass_scorer(both), get_scorers(both), both):
        assert list(intervals(metrics, Y, PRED)) == both
        assert list(evaluate(Y, PRED, metrics=metrics)) == both
    found = intervals(["f1_macro", "recall_macro"], Y, PRED)
    assert found["f1_macro"].estimate != found["recall_macro"].estimate
    assert [each.key for each in named_metrics("recall")] == ["recall"]
    assert list(evaluate([0, 1], [0, 1], metrics="recall")) == ["recall"]
    assert list(intervals("recall", [0, 1, 1], [0, 1, 1])) == ["recall"]
    assert list(sm.threshold_curves([0, 1], [0.1, 0.2], "recall").values) == ["recall"]


def test_every_name_of_a_scorer_names_a_metric():
    for name in sorted(scorer_names()):
        named = named_metric(name)
        if named.row.name not in NEEDED:
            assert get_scorer(name)._score_func.function is named.function


MANY = one_pass_scorer(["recall", "precision"])
REFUSED = [
    (named_metric, MANY, r"One metric is needed.*recall, precision"),
    (get_scorer, MANY, r"One metric is needed.*recall, precision"),
    *(
        (ask, nothing, "metric")
        for nothing in (None, 3, [None])
        for ask in (
            lambda metrics: intervals(metrics, Y, PRED), lambda metric: interval(metric, Y, PRED),
            named_metrics,
        )
    ),
    *(
        (ask, empty, "empty")
        for empty in ([], {}, ())
        for ask in (
            lambda metrics: evaluate(Y, PRED, metrics=metrics),
            lambda metrics: intervals(metrics, Y, PRED), one_pass_scorer, get_scorers,
        )
    ),
    *(
        (make, ["recall", get_scorer("recall", pos_label=0)], r"two metrics named 'recall'.*dict")
        for make in (one_pass_scorer, get_scorers, resolve_scoring)
    ),
    *(
        (find, name, f"{name}.*'example_cost")
        for name in ("profit", "EMP", "neg_profit", "expected_maximum_profit")
        for find in (named_metric, get_scorer)
    ),
    (lambda name: get_scorer(name, pos_label=1), "v_measure_score", "scorer already"),
    (lambda names: sm.threshold_curves([0, 1], [0.1, 0.2], names), ["f1_macro"], "sets 'average'"),
    (lambda names: evaluate(binary.y, y_score=binary.score, metrics=names), "agreement",
     "metrics of 'agreement'"),
    (lambda names: evaluate(Y, PRED, metrics=names), {"mine": "agreement"}, "a key names one metric"),
    (get_scorer, "clinical", r"'clinical' is a set.*one metric"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "given", "words"), REFUSED)
def test_refuses(ask, given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        ask(given)


def test_curves_over_thresholds_take_parameters():
    y, score = [0, 1, 1], [0.1, 0.2, 0.05]
    curves = sm.threshold_curves(y, score, {"F2": get_scorer("fbeta", beta=2)})
    expected = sm.threshold_curves(y, score, ["fbeta"], beta=2)
    np.testing.assert_array_equal(curves.values["F2"], expected["fbeta"])


def test_undefined_samples_are_called_samples():
    true = [[0, 0], [1, 0]]
    for call, words in (
        (lambda: sm.recall_score(true, true, average="samples"), "for sample 0 and"),
        (lambda: sm.roc_auc_score(true, np.array(true) / 1, average="samples"), "for sample 0 and"),
        (lambda: sm.recall_score(true, true, average="macro"), "for class 1 and"),
    ):
        with pytest.warns(UserWarning, match=words):
            call()


def test_integers_that_floats_do_not_tell_apart():
    wide = np.array([2**53, 2**53 + 1, 2**53 + 2])
    with pytest.raises(ValueError, match=r"2\^53"):
        sm.roc_auc_score([0, 1, 1], wide)
    assert sm.roc_auc_score([0, 1, 1], wide - 2**53) == 1


def test_scorers_are_reported_under_the_names_that_were_asked_for():
    asked = ["f1_macro", sm.recall_score, get_scorer("roc_auc_ovo"), sm.zero_one_loss, "r2"]
    names = ("f1_macro", "recall", "roc_auc_ovo", "neg_zero_one_loss", "r2")
    assert one_pass_scorer(asked).names == resolve_scoring(asked).names == names
    assert one_pass_scorer({"mine": sm.f1_score}).names == ("mine",)


def test_names_that_only_scikit_learn_has():
    X, y = binary.X, binary.X[:, 0]
    model, theirs = Ridge().fit(X, y), sklearn.metrics.get_scorer("r2")
    assert get_scorer("r2")(model, X, y) == theirs(model, X, y)
    scorer = get_scorer("recall")
    assert get_scorer(scorer) is scorer


TRAITS = {
    "prevalence_free": (
        "recall specificity informedness balanced_accuracy diagnostic_odds_ratio",
        "precision f1 accuracy matthews_corrcoef cohen_kappa roc_auc",
    ),
    "symmetric": (
        "accuracy matthews_corrcoef cohen_kappa balanced_accuracy p4",
        "precision recall specificity f1 jaccard",
    ),
    "ignores_true_negatives": (
        "precision recall f1 jaccard fowlkes_mallows_index",
        "accuracy specificity npv matthews_corrcoef",
    ),
}


def test_traits_of_metrics_of_tables():
    """Those of a table in print: which are free of prevalence, symmetric, or ignore true negatives."""

    def having(**traits):
        return {row.name for row in sm.list_metrics(**traits)}

    for trait, (holders, others) in TRAITS.items():
        found = having(**{trait: True})
        assert found >= set(holders.split())
        assert not found & set(others.split())
        assert not found & having(**{trait: False})  # both together are the metrics of tables
    assert {"precision", "accuracy"} <= having(prevalence_free=False)
    both = having(prevalence_free=True, symmetric=True)
    assert both == having(prevalence_free=True) & having(symmetric=True)
    with pytest.raises(ValueError, match=r"symmetric.*'yes'"):
        sm.list_metrics(symmetric="yes")


# What papers, textbooks and other packages call a metric.
MEANING = {
    "roc_auc": "auroc auc_roc auc rocauc c_statistic c_index concordance_index",
    "average_precision": "auprc aupr auc_pr prauc ap", "balanced_accuracy": "bacc BA ba",
    "g_mean": "gmean geometric_mean", "gini": "somers_d gini_coefficient accuracy_ratio",
    "jaccard": "iou csi threat_score ts", "f1": "dice f_measure f_score F1 f1_score",
    "recall": "sens tpr TPR sensitivity pod hit_rate power sen probability_of_detection",
    "specificity": "spec SPC spc tnr selectivity", "precision": "ppv PPV",
    "npv": "NPV negative_predictive_value", "false_positive_rate": "fpr fall_out false_alarm_rate",
    "false_negative_rate": "fnr miss_rate", "false_discovery_rate": "fdr",
    "false_omission_rate": "for", "accuracy": "acc subset_accuracy fraction_correct eff",
    "zero_one_loss": "error_rate fraction_incorrect",
    "matthews_corrcoef": "mcc MCC phi phi_coefficient",
    "cohen_kappa": "kappa heidke_skill_score hss",
    "informedness": "youden_j youden_index bookmaker tss bm youden", "markedness": "delta_p mk",
    "diagnostic_odds_ratio": "dor odds_ratio", "positive_likelihood_ratio": "lr_plus plr",
    "negative_likelihood_ratio": "lr_minus", "relative_risk": "risk_ratio",
    "brier_score_loss": "brier", "log_loss": "logloss nll cross_entropy",
    "d2_log_loss": "mcfadden_r2", "d2_brier": "brier_skill",
    "mm11_auc": "discrimination_slope tjur_r2", "binned_calibration_error": "ece",
    "calibration_intercept": "calibration_in_the_large", "ranked_probability_score_loss": "rps",
    "ks": "ks_statistic kolmogorov_smirnov", "lift": "enrichment_factor",
    "recall_at_k": "cumulative_gain", "robust_initial_enhancement": "rie",
    "prevalence_adjusted_kappa": "pabak", "cramer_v": "cramers_v", "adjusted_rand_index": "ari",
    "theil_u": "uncertainty_coefficient", "pointwise_mutual_information": "pmi",
    "aurc_loss": "aurc", "pr_gain_auc": "auprg", "index_of_balanced_accuracy": "iba",
    "fowlkes_mallows_index": "fm", "break_even_point": "bep",
    "expected_cost": "cost_weighted_error", "fbeta": "f_gamma", "prevalence_threshold": "pt",
}  # fmt: skip
WITH_PARAMETERS = {
    "f2": ("fbeta", {"beta": 2.0}), "f0.5": ("fbeta", {"beta": 0.5}),
    "macro_f1": ("f1", {"average": "macro"}), "qwk": ("cohen_kappa", {"weights": "quadratic"}),
    "aunu": ("roc_auc", {"multi_class": "ovr", "average": "macro"}),
}  # fmt: skip


def test_names_mean_what_the_literature_means():
    known = {name: (metric, {}) for metric, names in MEANING.items() for name in names.split()}
    for name, (metric, parameters) in (known | WITH_PARAMETERS).items():
        found = named_metric(name)
        assert (name, found.row.name) == (name, metric)
        assert dict(found.parameters) == parameters
        if not found.function.needed or parameters:
            sign = "neg_" if found.row.greater_is_better is False else ""
            assert get_scorer(sign + name)._score_func.function is found.function


def test_no_alias_misleads():
    """Names of several meanings, or of what is no metric here, are refused with what to take."""
    for name in (*_HINTS, "FPR95"):
        for asking in (get_scorer, named_metric):
            with pytest.raises(ValueError, match="is not the name of a") as caught:
                asking(name)
            assert _HINTS[name.lower()] in str(caught.value)
        assert name not in scorer_names()
    for hint in _HINTS.values():  # what they point to is there
        quoted = set(hint.split("'")[1::2]) - {"max", "linear", "quadratic"}
        assert all(named_metric(each) for each in quoted)
    for name, (metric, parameters) in _WITH_PARAMETERS.items():
        assert set(parameters) <= set(METRICS[metric].options), name


def test_parameters_are_printed_with_the_values():
    asked = [
        functools.partial(sm.net_benefit, threshold=0.2), functools.partial(sm.fbeta_score, beta=3),
        "precision_at_k", "lift", functools.partial(sm.expected_cost, cost=[[0, 1], [5, 0]]), "accuracy",
    ]  # fmt: skip
    shown = (
        "net_benefit(threshold=0.2)", "fbeta(beta=3)", "precision_at_k(share=0.1)", "lift(share=0.1)",
        "expected_cost(cost=[[0, 1], [5, 0]])",
    )  # fmt: skip
    for options in ({}, {"intervals": True, **FEW}):
        found = evaluate(binary.y, binary.pred, binary.score, metrics=asked, **options)
        text = " ".join(repr(found).split())
        assert all(each in text for each in shown), text
        assert "accuracy(" not in text


def test_every_parameter_that_changes_the_value_is_in_the_label():
    """Of every metric: what has no default, and what is set to something else than the default."""
    for name, function in METRICS.items():
        given = needed_parameters(name)
        label = named_metric(functools.partial(function, **given)).label
        assert all(f"{parameter}=" in label for parameter in given), (name, label)
        for parameter in function.metric.parameters:
            default = function.options[parameter].default
            if isinstance(default, float) and 0 < default < 1:
                other = functools.partial(function, **{**given, parameter: default / 2})
                assert f"{parameter}={default / 2:g}" in named_metric(other).label


def test_net_benefit_asks_for_its_threshold():
    y, score, pred = binary.y, binary.score, binary.pred
    for ask in (
        lambda: sm.net_benefit(y, pred),
        lambda: get_scorer("net_benefit"),
        lambda: evaluate(y, pred, metrics=["net_benefit"]),
        lambda: sm.threshold_curves(y, score, ["net_benefit"]),
    ):
        with pytest.raises(TypeError, match="threshold"):
            ask()
    assert "net_benefit" not in evaluate(y, pred)
    curves = sm.threshold_curves(y, score, ["net_benefit"], threshold=0.3)
    called = score >= curves.thresholds[20]
    assert curves["net_benefit"][20] == sm.net_benefit(y, called, threshold=0.3)


def test_information_score_is_that_of_kononenko_and_bratko():
    y, p, weight = np.unique(Y, return_inverse=True)[1], classes.score, classes.weight + 0.5
    share = np.bincount(y, weight) / weight.sum()
    gains = []
    for row, label in zip(p, y, strict=True):
        given, prior = row[label], share[label]
        gain = np.log2(given / prior)
        gains.append(gain if given >= prior else -np.log2((1 - given) / (1 - prior)))
    score = sm.information.information_score
    found = score(y, p, sample_weight=weight)
    assert found == pytest.approx(np.average(gains, weights=weight), rel=1e-12)
    entropy = -(share * np.log2(share)).sum()
    relative = score(y, p, sample_weight=weight, relative=True)
    assert relative == pytest.approx(found / entropy, rel=1e-12)
    prior = np.tile(np.bincount(y) / len(y), (len(y), 1))
    assert score(y, prior) == pytest.approx(0, abs=1e-12)
    assert score(y, np.eye(3)[y], relative=True) == pytest.approx(1, abs=1e-12)


def test_nested_summaries_show_parameters_and_the_metric_of_an_alias():
    cost = get_scorer("neg_expected_cost", cost=[[0, 1], [5, 0]])
    scoring = ["aupr", get_scorer("net_benefit", threshold=0.2), cost, "precision_at_k", "f2"]
    how = {"scoring": scoring, "refit": "aupr", "outer_cv": 2, "inner_cv": 2}
    found = nested_cross_validate(LogisticRegression(), {}, binary.X, binary.y, **how)
    text = " ".join(found.summary().split())
    for shown in (
        "aupr is average_precision", "net_benefit(threshold=0.2)",
        "neg_expected_cost(cost=[[0, 1], [5, 0]])", "precision_at_k(share=0.1)", "f2(beta=2)",
    ):  # fmt: skip
        assert shown in text


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
def test_spellings_of_the_sources_are_understood(spelling):
    metric, found = SPELLINGS[spelling], named_metric(spelling)
    assert (found.row.name, found.label.partition("(")[0]) == (metric, metric)
    name = spelling if found.row.greater_is_better else f"neg_{spelling.removeprefix('neg_')}"
    assert named_metric(get_scorer(name)).row.name == metric
    y, pred, score = binary.y, binary.pred, binary.score
    given = pred if found.row.kind.counted else score
    value = pytest.approx(found.function(y, given))
    assert interval(spelling, y, given, **FEW).estimate == value
    seen = evaluate(y, pred, score, metrics=[spelling])
    assert list(seen.values()) == [value]
    assert metric in str(seen)


def test_a_name_that_two_metrics_claim_is_an_error_at_declaration():
    def twice_claimed_score(c):
        """The number of rows."""
        return c.tp

    with pytest.raises(ValueError, match=r"'mm4' .*mm4_auc_score"):
        sm.declare("counts", aliases=("mm4",))(twice_claimed_score)
    assert "twice_claimed" not in METRICS


# ---- sets ----


def test_every_set_names_metrics_a_question_and_a_source():
    names = [each.name for each in sm.list_sets()]
    assert len(set(names)) == len(names)
    assert names[0] == "default"
    assert {"clinical", "screening", "all"} < set(names)
    for each in sm.list_sets():
        assert len({named_metric(name).key for name in each.metrics}) == len(each.metrics)
        assert all(named_metric(name) for name in (*each.many, *each.multilabel))
        assert each.metrics or each.name == "all"
        assert each.when.endswith((".", "="))
        assert each.name in ("default", "all") or BIBLIOGRAPHY.get(each.source, each.source)


def test_default_is_a_dozen_by_what_is_given():
    y, pred, score = binary.y, binary.pred, binary.score
    whole = evaluate(y, pred, score)
    assert 10 <= len(whole) <= 15
    assert list(whole)[:3] == ["roc_auc", "average_precision", "log_loss"]
    assert [line.split()[0] for line in str(whole).splitlines()[1:-1]] == list(whole)
    counted = [name for name in whole if METRICS[name].metric.kind.counted]
    assert list(evaluate(y, pred)) == counted
    assert list(evaluate(y, y_score=10 * score - 5)) == ["roc_auc", "average_precision"]
    many = evaluate(Y, PRED, classes.score)
    assert list(many)[:3] == ["accuracy", "balanced_accuracy", "f1"]
    assert 10 <= len(many) <= 12
    of_labels = evaluate(labels.y, labels.pred, labels.score)
    assert "hamming_loss" in of_labels
    assert "log_loss" not in of_labels


def test_a_set_is_its_members_that_can_be_computed():
    y, pred, score = binary.y, binary.pred, binary.score
    clinical = evaluate(y, pred, score, metrics="clinical", threshold=0.5)
    assert list(clinical) == list(SETS["clinical"].metrics)
    assert clinical["net_benefit"] == sm.net_benefit(y, pred, threshold=0.5)
    assert list(evaluate(y, y_score=score, metrics="screening")) == ["roc_auc"]
    ranking = str(evaluate(y, y_score=score, metrics="ranking"))
    assert "Metrics of the set 'ranking', 60 rows" in ranking
    assert len(evaluate(y, pred, score, metrics="all")) > 100
    mixed = evaluate(y, pred, score, metrics=["kappa", "screening", "recall"])
    assert list(mixed)[:2] == ["cohen_kappa", "recall"]


def test_sets_are_scoring():
    X, y, screening = binary.X, binary.y, tuple(get_scorers("screening"))
    rare = list(get_scorers("rare_events"))
    assert rare[:2] == ["average_precision", "precision_at_k"]
    assert "neg_log_loss" in rare
    assert "savings" not in rare  # requires the costs of each row
    found = cross_validate(GaussianNB(), X, y, cv=3, scoring=get_scorers(["ranking"]))
    assert {"test_bedroc", "test_ks"} <= set(found)
    options = {"scoring": "screening", "outer_cv": 2, "inner_cv": 2}
    nested = NestedCV(GaussianNB(), {}, refit="roc_auc", **options).fit(X, y)
    assert tuple(nested.result_.test_scores) == screening
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
    assert compare_estimators(models, X, y, refit="npv", **options).metrics == screening


def test_a_set_names_a_metric_as_its_field_does_at_every_door(tmp_path, capsys):
    """The discrimination slope of a clinical table is not called by another literature's name."""
    pytest.importorskip("jinja2")
    y, risk, page, file = binary.y, binary.score, tmp_path / "page.html", tmp_path / "p.csv"
    found = evaluate(y, y_score=risk, metrics="clinical", intervals=True, n_resamples=20)
    report(page, found)
    np.savetxt(file, np.column_stack([y, risk]), ["%d", "%.4f"], ",", header="y,p", comments="")
    main(["evaluate", str(file), "--true", "y", "--score", "p", "--metrics", "clinical"])
    names = "\n".join(get_scorers("clinical"))
    for text in (str(found), found._repr_html_(), names, capsys.readouterr().out):
        plain = re.sub("<.*?>|\u200b|\u00ad|&[#\\w]+;", "", text)
        assert "discrimination_slope" in plain
        assert "mm11_auc" not in plain
    assert "discrimination slope" in page.read_text(encoding="utf-8")
    assert "mm11 AUC" not in page.read_text(encoding="utf-8")
    assert found["mm11_auc"] == found["tjur_r2"] == found["discrimination_slope"]
