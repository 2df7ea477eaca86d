"""Influences follow one sampling model: rows or groups are a random sample, class counts included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, softmax

from skaucx.inference import interval
from skaucx.inference._intervals.influence import influence_values
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, sample_of

# Metrics with an influence curve, and parameters that put no kink where a score lies.
CURVES = [
    ("average_precision", {}),
    ("pr_auc", {}),
    ("pr_auc", {"interpolation": "linear"}),
    ("roc_auc", {}),
    ("roc_auc", {"ties": "win"}),
    ("roc_auc", {"max_fpr": 0.2137}),
    ("partial_roc_auc", {"tpr": (0.3171, 0.8889)}),
    ("partial_roc_auc", {"fpr": (0.1317, 0.8889), "standardize": True}),
    ("two_way_partial_auc", {"max_fpr": 0.3779, "min_tpr": 0.4111}),
    ("calibration_slope", {}),
    ("observed_expected_ratio", {}),
    ("calibration_intercept", {}),
    ("calibration_intercept", {"joint": True}),
    ("d2_log_loss", {}),
    ("nagelkerke_r2", {}),
    ("nagelkerke_r2", {"kind": "cox-snell"}),
    ("d2_brier", {}),
    ("gini", {}),
    ("pr_gain_auc", {}),
    ("robust_initial_enhancement", {}),
    ("bedroc", {"alpha": 8.0}),
    ("aurc_loss", {}),
    ("excess_aurc_loss", {}),
    ("information", {}),
    ("information", {"relative": True}),
]
OF_MANY = [
    *(("average_precision", {"average": a}) for a in ("macro", "weighted", "micro")),
    *(
        ("roc_auc", {"multi_class": how, "average": a})
        for how in ("ovr", "ovo")
        for a in ("macro", "weighted")
    ),
    ("calibration_slope", {}),
    ("observed_expected_ratio", {}),
    ("d2_log_loss", {}),
    ("pr_gain_auc", {"multi_class": "ovr", "average": "weighted"}),
    ("bedroc", {"multi_class": "ovr"}),
    ("soft_auc", {"multi_class": "ovo"}),
    ("auc_mu", {}),
    *((name, {}) for name in ("information", "aurc_loss")),
]
# Means over pairs of weighted rows, whose placement values have the weights of the other class.
OF_PAIRS = [(f"{name}_auc", {}) for name in ("sond", "soft", "prob", "scor", "mm11")]
# Their value follows an example at the cut, which has no derivative, or they are read with others.
AT_A_CUT = {"precision_at_k", "recall_at_k", "lift", "break_even_point", "selective_risk_loss"}
AT_A_CUT |= {"sensitivity_at_specificity"}


def with_defaults(function, parameters):
    options = {n: o.default for n, o in function.options.items() if o.default is not o.empty}
    left = ("labels", "sample_weight", "zero_division")
    return {n: v for n, v in (options | parameters).items() if n not in left}


def derivatives(function, y, score, weight, options, some):
    """Return w_i dT / dw_i of some rows, by differences of fourth order."""
    found = []
    for i in some:
        change = 0.0
        for times, share in ((1, 2 / 3), (2, -1 / 12)):
            for sign in (1, -1):
                moved = weight.copy()
                moved[i] += sign * times * 1e-3
                change += sign * share * function(y, score, sample_weight=moved, **options)
        found.append(weight[i] * change / 1e-3)
    return np.array(found)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_influences_are_derivatives_with_respect_to_weights(tied, weighted):
    """The infinitesimal jackknife, of every metric that declares a curve, at n = 2,000."""
    rng = np.random.default_rng(3)
    n = 2000
    x = rng.normal(size=n)
    y = (rng.random(n) < expit(2 * x - 1)).astype(int)
    p = expit(1.5 * x - 1 + 0.5 * rng.normal(size=n))
    y4 = rng.integers(0, 4, n)
    p4 = softmax(np.eye(4)[y4] + rng.normal(size=(n, 4)), axis=1)
    if tied:
        p = np.round(p, 2).clip(0.01, 0.99)
        p4 = (np.round(20 * p4) + 1) / (np.round(20 * p4) + 1).sum(axis=1, keepdims=True)
    weight = rng.gamma(3, size=n) if weighted else np.ones(n)
    some = rng.choice(n, 12, replace=False)[:5]
    for cases, truth, score in (([*CURVES, *OF_PAIRS], y, p), (OF_MANY, y4, p4)):
        for name, parameters in cases:
            function = METRICS[name]
            options = with_defaults(function, parameters)
            sample = sample_of(function.metric, truth, score, sample_weight=weight)
            psi = influence_values(MetricOnSample(sample, function.metric, options))
            expected = derivatives(function, truth, score, weight, options, some)
            scale = np.abs(psi).max()
            np.testing.assert_allclose(psi[some], expected, atol=1e-6 * scale, err_msg=name)
            assert abs(psi.sum()) < 1e-10 * np.abs(psi).sum(), name


def test_influences_of_averages_over_labels():
    """Of every metric with a curve that averages over the labels of indicators, and its interval."""
    rng = np.random.default_rng(4)
    n = 300
    truth = rng.random((n, 3)) < [0.5, 0.3, 0.7]
    score = expit(2 * truth - 1 + rng.normal(size=truth.shape))
    weight, some, tried = rng.gamma(3, size=n), rng.choice(n, 3, replace=False), []
    for name, parameters in CURVES:
        function = METRICS[name]
        for average in ("macro", "weighted") if "average" in function.options else ():
            given = with_defaults(function, parameters | {"average": average})
            sample = sample_of(function.metric, truth, score, sample_weight=weight)
            psi = influence_values(MetricOnSample(sample, function.metric, given))
            if psi is None:
                continue
            expected = derivatives(function, truth, score, weight, given, some)
            scale = np.abs(psi).max()
            np.testing.assert_allclose(psi[some], expected, atol=1e-6 * scale, err_msg=name)
            tried.append(name)
    assert {"roc_auc", "average_precision"} <= {*tried}
    for average in ("macro", "weighted", "micro"):
        found = interval("roc_auc", truth, score, average=average, n_resamples=99, random_state=0)
        assert found.low < found.estimate < found.high
        assert ("bca" in found.method) == (average == "micro")


def test_every_declared_curve_is_tested():
    of_scores = [f.metric for f in METRICS.values() if f.metric.kind.inputs is SCORES]
    declared = {metric.name for metric in of_scores if metric.influence}
    found = {name for name, _ in [*CURVES, *OF_MANY]}
    by_pairs = {"roc_auc", "gini", "soft_auc"}
    by_steps = {
        name
        for name in found
        if METRICS[name].metric.over_thresholds == "sum" and not METRICS[name].metric.influence
    }
    assert declared == found - by_pairs - by_steps | AT_A_CUT


def test_a_cut_that_keeps_a_bound_moves_with_the_rows():
    """TPR (1 - TPR) / P and, by the slope of the ROC curve, a (1 - a) / N of false positives."""
    rng = np.random.default_rng(1)
    n, shift, false = 40_000, 1.5, 0.1
    y = rng.integers(0, 2, n)
    found = interval("sensitivity_at_specificity", y, rng.normal(size=n) + shift * y)
    cut = stats.norm.isf(false)
    tpr = stats.norm.sf(cut - shift)
    slope = stats.norm.pdf(cut - shift) / stats.norm.pdf(cut)
    variance = (tpr * (1 - tpr) + slope**2 * false * (1 - false)) / (n / 2)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=0.05)
    assert found.estimate == pytest.approx(tpr, abs=4 * np.sqrt(variance))
