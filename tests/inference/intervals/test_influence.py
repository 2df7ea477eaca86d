"""Influences follow one sampling model: rows or groups are a random sample, class counts included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, softmax

from skaucx.inference import interval, jackknife
from skaucx.inference._intervals.means import influence_values, influences
from skaucx.metrics._kinds.example_costs import COSTED
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.rejections import REJECTED
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, has_placements, sample_of
from tests.closeness import rounding
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(0)
N = 1000
X = RNG.normal(size=N)
Y = (RNG.random(N) < expit(X - 2.2)).astype(int)
P, OVER = expit(X - 2.2), expit(2 * X - 1)
Y3 = RNG.integers(0, 3, N)
P3 = softmax(RNG.normal(size=(N, 3)) + np.eye(3)[Y3], axis=1)
COST = RNG.gamma(2.0, size=(N, 2))
WEIGHT = RNG.gamma(2.0, size=N)
GROUPS = RNG.integers(0, 150, N)
MEANS = [function for function in METRICS.values() if function.metric.losses is not None]


def arrays(metric, classes=2):
    """Return the two arrays that a metric takes, and what comes with them."""
    judged = metric.metric.kind.inputs
    if judged is COSTED:
        return Y, (P > 0.2).astype(int), {"example_costs": COST}
    if judged.name == "predicted numbers":
        return X + 6, X + 6 + 0.3 * RNG.normal(size=N), {}
    if judged is REJECTED:
        return Y, np.ma.array(P > 0.2, mask=np.abs(P - 0.2) < 0.05), {}
    if classes == 2:
        return Y, (P if judged is SCORES else (P > 0.2).astype(int)), {}
    return Y3, (P3 if judged is SCORES else P3.argmax(axis=1)), {}


def rows(function, take=slice(None), classes=2, **options):
    """Return a sample of some rows, its metric and the options, as the estimators have them."""
    first, second, more = arrays(function, classes)
    more = {name: value[take] for name, value in more.items()}
    sample = sample_of(function.metric, first[take], second[take], **more)
    return sample, function.metric, {**needed_parameters(function.metric.name, classes), **options}


def each_by_itself(function, classes=2):
    """Return the metric of every single row, where its value does not depend on the other rows."""
    first, second, more = arrays(function, classes)
    options = needed_parameters(function.metric.name, classes)
    if function.metric.kind.inputs in (LABELS, SCORES) or "labels" in function.options:
        options |= {"labels": np.unique(first)}
    return [
        function(first[[i]], second[[i]], **options, **{k: v[[i]] for k, v in more.items()})
        for i in range(N)
    ]


def test_intervals_of_means_are_those_of_a_mean():
    """For metrics that are means over rows every interval is that of the one-sample t, within 15 %."""
    assert len(MEANS) > 10
    for function in MEANS:
        for classes in (2, 3):
            binary = (
                function.metric.kind.inputs is COSTED
                or not function.metric.kind.inputs.of_classes
                or "average" in function.options
            )
            if classes == 3 and binary:
                continue
            sample, metric, options = rows(function, classes=classes)
            psi = influences(MetricOnSample(sample, metric, options))
            values = np.sqrt(N * (N - 1)) * psi  # of a mean: the values less their mean
            half = stats.t.ppf(0.975, N - 1) * values.std(ddof=1) / np.sqrt(N)
            first, second, more = arrays(function, classes)
            found = interval(function, first, second, **options, **more)
            assert found.n_resamples == 0, function.metric.name
            assert found.high - found.low == pytest.approx(2 * half, rel=0.15), function.metric.name


@pytest.mark.parametrize("classes", [2, 3])
def test_losses_of_single_rows_have_the_metric_as_their_mean(classes):
    for name in ("brier_score_loss", "log_loss", "ranked_probability_score_loss", "top_k_accuracy"):
        function = METRICS[name]
        each = np.array(each_by_itself(function, classes))
        psi = influence_values(MetricOnSample(*rows(function, classes=classes)))
        np.testing.assert_allclose(psi, (each - each.mean()) / N, rtol=0, atol=rounding(N))


def test_rare_events_count_as_a_random_number():
    """Class counts are random: of 5 % events the variance of a mean loss is that of all losses."""
    y = (np.arange(300) < 15).astype(int)
    p = np.where(y == 1, 0.3, 0.05) + 0.02 * np.sin(np.arange(300))
    for name, loss in (("brier", (y - p) ** 2), ("log_loss", -np.log(np.where(y == 1, p, 1 - p)))):
        found = interval(name, y, p)
        assert found.standard_error == pytest.approx(loss.std(ddof=1) / np.sqrt(300), rel=1e-12)
        assert found.low < loss.mean() < found.high


@pytest.mark.parametrize("name", ["mm4_auc", "h_measure", "ks"])
def test_the_jackknife_leaves_out_any_row(name):
    sample, metric, options = rows(METRICS[name], slice(400))
    psi = influences(MetricOnSample(sample, metric, options))
    error = jackknife(name, Y[:400], P[:400]).standard_error
    assert np.sqrt(psi @ psi) == pytest.approx(error, rel=1e-9)
    groups = GROUPS[:400] // 3
    psi = influences(MetricOnSample(sample, metric, options), groups)
    assert psi[np.setdiff1d(np.arange(400), np.unique(groups, return_index=True)[1])].any() == 0
    error = jackknife(name, Y[:400], P[:400], groups=groups).standard_error
    assert np.sqrt(psi @ psi) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("name", ["brier_score_loss", "log_loss", "hinge_loss"])
def test_weights_and_groups_of_a_mean_are_linearized(name):
    loss = np.array(each_by_itself(METRICS[name]))
    mean = np.average(loss, weights=WEIGHT)
    parts = WEIGHT * (loss - mean) / WEIGHT.sum()
    found = interval(name, Y, P, sample_weight=WEIGHT)
    assert found.method == "linearized"
    assert found.standard_error == pytest.approx(np.sqrt(N / (N - 1) * parts @ parts), rel=1e-10)
    again = interval(name, Y, P, sample_weight=1e6 * WEIGHT)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-12)
    sums = np.bincount(GROUPS, parts)
    found = interval(name, Y, P, sample_weight=WEIGHT, groups=GROUPS)
    assert found.method == "cluster"
    assert found.standard_error == pytest.approx(np.sqrt(150 / 149 * sums @ sums), rel=1e-10)


def test_repeated_rows_are_as_many():
    many = RNG.integers(0, 4, N)
    one = interval("log_loss", Y, P, frequency=many)
    assert [*one] == [*interval("log_loss", np.repeat(Y, many), np.repeat(P, many))]


def test_paired_influences_are_those_of_the_paired_t():
    metric = METRICS["brier_score_loss"].metric
    one, other = (MetricOnSample(sample_of(metric, Y, p), metric, {}) for p in (P, OVER))
    psi = influences(one) - influences(other)
    difference = (Y - P) ** 2 - (Y - OVER) ** 2
    assert np.sqrt(psi @ psi) == pytest.approx(difference.std(ddof=1) / np.sqrt(N), rel=1e-12)


def test_equal_losses_have_a_note():
    found = interval("brier", Y, 1.0 * Y)
    assert found.low == 0 < found.high
    assert found.method == "exact"
    assert "same value" in found.note
    assert "same value" in interval("log_loss", Y, np.full(N, 0.5)).note


def test_a_share_of_rows_has_wilsons_interval():
    found = interval("top_k_accuracy", Y3, P3, k=1)
    right = (P3.argmax(axis=1) == Y3).astype(int)
    assert found.method == "wilson"
    wilson = stats.binomtest(int(right.sum()), N).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), rel=1e-12)


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
    ("d2_brier", {}),
    ("gini", {}),
    ("pr_gain_auc", {}),
    ("robust_initial_enhancement", {}),
    ("bedroc", {"alpha": 8.0}),
    ("aurc_loss", {}),
    ("excess_aurc_loss", {}),
    ("information", {}),
    ("information", {"relative": True}),
    ("uncertainty", {}),
]
# Biased, so that resamples say less of their spread.
FITTED = [("discrimination", {}), ("discrimination", {"loss": "log"})]
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
    *((name, {}) for name in ("information", "uncertainty", "discrimination", "aurc_loss")),
]
# Means over pairs of weighted rows, whose placement values have the weights of the other class.
OF_PAIRS = [(f"{name}_auc", {}) for name in ("sond", "soft", "prob", "scor", "mm11")]
# Their value follows an example at the cut, which has no derivative, or they are read with others.
AT_A_CUT = {"precision_at_k", "recall_at_k", "lift", "break_even_point", "selective_risk_loss"}
AT_A_BOUND = {
    "precision_at_recall": {},
    "recall_at_precision": {"min_precision": 0.6},
    "sensitivity_at_specificity": {},
    "specificity_at_sensitivity": {},
    "coverage_at_risk": {"risk": 0.2},
}


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
    for cases, truth, score in (([*CURVES, *FITTED, *OF_PAIRS], y, p), (OF_MANY, y4, p4)):
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
    found = {name for name, _ in [*CURVES, *FITTED, *OF_MANY]}
    by_formula = {"d2_log_loss", "d2_brier", "uncertainty", "soft_auc"}
    by_steps = {"pr_gain_auc", "bedroc", "robust_initial_enhancement"}
    assert declared == found - by_formula - by_steps | AT_A_CUT | AT_A_BOUND.keys()


def test_standard_errors_of_curves_are_those_of_the_bootstrap_and_the_jackknife():
    """The jackknife up to terms of second order, 400 resamples within four of their errors (14 %)."""
    at_a_cut = [("precision_at_k", {}), ("precision_at_k", {"k": 150}), ("recall_at_k", {})]
    for name, parameters in [*CURVES, *at_a_cut, ("lift", {"share": 0.2})]:
        form = interval(name, Y, P, **parameters).standard_error
        drawn = interval(
            name, Y, P, method="percentile", n_resamples=400, random_state=0, **parameters
        )
        assert form == pytest.approx(drawn.standard_error, rel=0.14), (name, parameters)
        if name not in AT_A_CUT:
            left_out = jackknife(name, Y, P, **parameters).standard_error
            assert form == pytest.approx(left_out, rel=0.05), (name, parameters)


def test_groups_sum_influences():
    for name, parameters in CURVES:
        function = METRICS[name]
        options = with_defaults(function, parameters)
        sample = sample_of(function.metric, Y, P, sample_weight=WEIGHT)
        on = MetricOnSample(sample, function.metric, options)
        if has_placements(on.metric, on.parameters):
            continue  # the jackknife of groups: test_clusters.py
        sums = np.bincount(GROUPS, influence_values(on))
        found = interval(name, Y, P, sample_weight=WEIGHT, groups=GROUPS, **parameters)
        assert found.method == "cluster"
        assert found.standard_error == pytest.approx(np.sqrt(150 / 149 * sums @ sums), rel=1e-9)
        assert found.low < found.estimate < found.high


def test_few_events_have_a_note():
    y = (np.arange(60) % 10 == 0).astype(int)
    p = expit(np.random.default_rng(0).normal(size=60) + y - 2)
    for name, parameters in CURVES:
        if name not in ("roc_auc", "gini", "uncertainty") or "max_fpr" in parameters:
            assert "6 of a class" in interval(name, y, p, **parameters).note, name
    assert interval("brier", y, p).note == ""
    groups = np.arange(60) // 6
    assert "of a class" in interval("average_precision", 1 - y, 1 - p, groups=groups).note
    assert interval("average_precision", np.arange(60) % 2, p).note == ""


def test_a_perfect_ranking_has_the_interval_of_the_smaller_class():
    y = np.repeat([0, 1], [90, 10])
    found = interval("average_precision", y, 1.0 * y)
    assert found.method == "exact"
    assert found.low == pytest.approx(0.025 ** (1 / 10))
    assert found.high == 1


def test_the_top_of_a_ranking_has_wilsons_interval_of_effective_size():
    """None of k found is none of k trials; some have the variance that a moving cut adds."""
    y, score = np.repeat([0, 1], [900, 100]), -np.arange(1000.0)
    found = interval("precision_at_k", y, score, k=50)
    nothing = stats.binomtest(0, 50).proportion_ci(method="wilson").high
    assert found.low == 0
    assert found.method == "wilson"
    assert found.high == pytest.approx(nothing, rel=0.01)
    # k fixed, share p above the cut and r at it: p (1 - p) + (1 - k / n) (p - r)^2 over k
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(20_000))[::-1]
    y = (rng.random(20_000) < x).astype(int)
    p, r, share = 0.75, 0.5, 0.5
    expected = np.sqrt((p * (1 - p) + (1 - share) * (p - r) ** 2) / 10_000)
    assert interval("precision_at_k", y, x, k=10_000).standard_error == pytest.approx(
        expected, rel=0.03
    )
    for name in ("precision_at_k", "recall_at_k"):  # half of the rows, said in two ways
        both = [
            interval(name, y, x, **cut).standard_error for cut in ({"k": 10_000}, {"share": 0.5})
        ]
        assert both[0] == pytest.approx(both[1], rel=1e-9)


def test_many_rows_take_no_resamples():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60_000)
    p = expit(rng.normal(size=60_000) + y)
    for name, parameters in [*CURVES, ("precision_at_k", {"k": 500}), ("lift", {})]:
        assert interval(name, y, p, **parameters).n_resamples == 0


def test_the_best_of_thresholds_takes_its_influence_of_many_rows():
    """With fewer, or for the best of noisy values, the bootstrap covers better; the form has a name."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 12_000)
    p = expit(rng.normal(size=12_000) + y)
    for name, parameters in AT_A_BOUND.items():
        metric = METRICS[name].metric
        form = "wilson" if metric.trials else "logit-t"
        few, formed = (
            interval(
                name, y[:2000], p[:2000], method=how, n_resamples=300, random_state=0, **parameters
            )
            for how in ("auto", form)
        )
        assert few.method == ("bca" if metric.influence_from else form), name
        assert formed.n_resamples == 0
        assert formed.standard_error == pytest.approx(few.standard_error, rel=0.45), name
    found = interval("specificity_at_sensitivity", y, p)
    assert found.method == "wilson"
    assert found.low < found.estimate < found.high


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


def test_uncertainty_has_the_image_of_the_prevalences_interval():
    y = np.repeat([0, 1], [70, 30])
    ends = stats.binomtest(30, 100).proportion_ci(method="wilson")
    found = interval("uncertainty", y, np.full(100, 0.3))
    assert found.method == "score"
    assert [found.low, found.high] == pytest.approx([q * (1 - q) for q in (ends.low, ends.high)])
    assert interval("uncertainty", y[40:], np.full(60, 0.3)).high == 0.25


def test_rows_of_one_score_need_no_order():
    """Spreads are the same of rows that are sorted by score."""
    for name, parameters in CURVES:
        function = METRICS[name]
        options = with_defaults(function, parameters)
        sample = sample_of(function.metric, Y, P.round(2))
        on = MetricOnSample(sample, function.metric, options)
        both = [influence_values(on, in_order=order) for order in (True, False)]
        np.testing.assert_allclose(*map(np.sort, both), rtol=1e-9, atol=1e-18)
