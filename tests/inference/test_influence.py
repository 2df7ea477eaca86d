"""What single rows contribute: influences, placement values, losses, the gradient of softAUC.

Influences follow one sampling model: rows or groups are a random sample, class counts included.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, softmax

from skaucx import metrics as sm
from skaucx.inference import example_losses, interval, placement_values, soft_auc_gradient
from skaucx.inference._intervals.influence import influence_values
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, sample_of
from tests.datasets import binary, words

# Parameters that put no kink where a score lies.
OPTIONS = {
    "pairwise_auc": [{"difference": np.tanh}],
    "pr_auc": [{}, {"interpolation": "linear"}],
    "roc_auc": [{}, {"ties": "win"}, {"max_fpr": 0.2137}],
    "partial_roc_auc": [
        {"tpr": (0.3171, 0.8889)}, {"fpr": (0.1317, 0.8889), "standardize": True}
    ],
    "two_way_partial_auc": [{"max_fpr": 0.3779, "min_tpr": 0.4111}],
    "calibration_intercept": [{}, {"joint": True}],
    "nagelkerke_r2": [{}, {"kind": "cox-snell"}],
    "bedroc": [{"alpha": 8.0}],
    "information": [{}, {"relative": True}],
}  # fmt: skip
# Their value follows an example at the cut, which has no derivative, or they are read with others.
AT_A_CUT = {
    "precision_at_k", "recall_at_k", "lift", "break_even_point", "selective_risk_loss",
    "sensitivity_at_specificity",
}  # fmt: skip
PAIR_MEANS = ["sond_auc", "soft_auc", "prob_auc", "scor_auc", "mm11_auc"]


def has_curve(row):
    """Whether a metric declares influences, or is a sum over thresholds or over pairs."""
    of_pairs = row.averages_pairs({"difference": np.tanh})
    declares = row.influence or row.over_thresholds == "sum" or of_pairs
    return row.kind.inputs is SCORES and row.name not in AT_A_CUT and declares


CURVES = [
    (name, options)
    for name, function in METRICS.items()
    if has_curve(function.metric)
    for options in OPTIONS.get(name, [{}])
]
OF_MANY = [
    *(("average_precision", {"average": a}) for a in ("macro", "weighted", "micro")),
    *(
        ("roc_auc", {"multi_class": how, "average": a})
        for how in ("ovr", "ovo")
        for a in ("macro", "weighted")
    ),
    ("calibration_slope", {}), ("observed_expected_ratio", {}), ("d2_log_loss", {}),
    ("pr_gain_auc", {"multi_class": "ovr", "average": "weighted"}),
    ("bedroc", {"multi_class": "ovr"}), ("soft_auc", {"multi_class": "ovo"}),
    ("auc_mu", {}), ("information", {}), ("aurc_loss", {}),
]  # fmt: skip


def influences(name, parameters, truth, score, weight):
    """Return the influences, and a function that gives w_i dT / dw_i of row i by differences."""
    function = METRICS[name]
    options = {n: o.default for n, o in function.options.items() if o.default is not o.empty}
    for left in ("labels", "sample_weight", "zero_division"):
        options.pop(left, None)
    options |= parameters
    sample = sample_of(function.metric, truth, score, sample_weight=weight)

    def derivative(i):
        change = 0.0
        for times, share in ((1, 2 / 3), (2, -1 / 12)):
            for sign in (1, -1):
                moved = weight.copy()
                moved[i] += sign * times * 1e-3
                change += sign * share * function(truth, score, sample_weight=moved, **options)
        return weight[i] * change / 1e-3

    return influence_values(MetricOnSample(sample, function.metric, options)), derivative


def check(name, psi, derivative, some):
    expected, scale = [derivative(i) for i in some], np.abs(psi).max()
    np.testing.assert_allclose(psi[some], expected, atol=1e-6 * scale, err_msg=name)
    assert abs(psi.sum()) < 1e-10 * np.abs(psi).sum(), name


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_influences_are_derivatives_with_respect_to_weights(tied, weighted):
    """The infinitesimal jackknife, of every metric that declares a curve, at n = 2,000."""
    rng, n = np.random.default_rng(3), 2000
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
    assert len(CURVES) > 30
    for name, parameters in CURVES:
        check(name, *influences(name, parameters, y, p, weight), some)
    for name, parameters in OF_MANY:
        check(name, *influences(name, parameters, y4, p4, weight), some)


def test_influences_of_averages_over_labels():
    """Of every metric with a curve that averages over the labels of indicators, and its interval."""
    rng, n, tried = np.random.default_rng(4), 300, set()
    truth = rng.random((n, 3)) < [0.5, 0.3, 0.7]
    score = expit(2 * truth - 1 + rng.normal(size=truth.shape))
    weight, some = rng.gamma(3, size=n), rng.choice(n, 3, replace=False)
    for name, parameters in CURVES:
        for average in ("macro", "weighted") if "average" in METRICS[name].options else ():
            own = parameters | {"average": average}
            psi, derivative = influences(name, own, truth, score, weight)
            if psi is not None:
                check(name, psi, derivative, some)
                tried.add(name)
    assert {"roc_auc", "average_precision"} <= tried
    for average in ("macro", "weighted", "micro"):
        found = interval("roc_auc", truth, score, average=average, n_resamples=99, random_state=0)
        assert found.low < found.estimate < found.high
        assert ("bca" in found.method) == (average == "micro")


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


ILL, RISK, NAMED = words.y == "ill", words.score, {"pos_label": "ill"}


def test_the_metrics_with_placements_are_those_whose_difference_function_reads_only_d():
    rows = {row.name: row for row in sm.list_metrics()}
    found = {n for n, row in rows.items() if row.averages_pairs({"difference": np.sign})}
    assert found == {"roc_auc", "gini", "pairwise_auc", *PAIR_MEANS}
    for rescale, told in (("minmax", True), ("expit", False)):
        few = {"rescale": rescale, "n_resamples": 20, "random_state": 0, **NAMED}
        note = interval("scor_auc", words.y, RISK, **few).note
        assert ("lowest and the highest scores" in note) is told


@pytest.mark.parametrize("metric", ["roc_auc", *PAIR_MEANS])
def test_placement_values_by_the_pairs(metric):
    values = placement_values(words.y, RISK, metric=metric, **NAMED)
    expected = METRICS[metric](words.y, RISK, **NAMED)
    assert values.of_positives.mean() == pytest.approx(expected, abs=1e-12)
    assert values.of_negatives.mean() == pytest.approx(expected, abs=1e-12)
    if metric == "roc_auc":
        p, n = RISK[ILL], RISK[~ILL]
        wins = (p[:, None] > n) + (p[:, None] == n) / 2
        assert values.partial_sums == pytest.approx(wins.sum(axis=1))
        assert values.of_negatives == pytest.approx(wins.mean(axis=0))


@pytest.mark.parametrize("beta", [0.5, 7.0, 40.0])
def test_gradient_is_the_difference_quotient(beta):
    found = soft_auc_gradient(words.y, RISK, beta=beta, **NAMED)
    assert found.sum() == pytest.approx(0, abs=1e-12)
    for row in range(0, 60, 7):
        step = np.where(np.arange(60) == row, 1e-5, 0)
        ends = (sm.soft_auc_score(words.y, RISK + d, beta=beta, **NAMED) for d in (step, -step))
        assert found[row] == pytest.approx(np.subtract(*ends) / 2e-5, abs=1e-7)


def test_gradient_of_many_rows_is_that_of_the_pairs():
    rng = np.random.default_rng(3)
    y, s = rng.random(3000) < 0.3, rng.normal(size=3000)
    found = soft_auc_gradient(y, s, beta=3.0)
    d = np.subtract.outer(s[y], s[~y])
    slope = 3 / (1 + np.exp(-3 * d)) / (1 + np.exp(3 * d)) / d.size
    assert np.abs(found[y] - slope.sum(axis=1)).max() < 1e-12 * slope.sum(axis=1).max()
    assert np.abs(found[~y] + slope.sum(axis=0)).max() < 1e-12 * slope.sum(axis=0).max()


def test_losses_of_each_example():
    y, p = binary.y, binary.score
    assert example_losses("brier_score_loss", y, p) == pytest.approx((p - y) ** 2)
    log = example_losses("neg_log_loss", y, p)
    assert log == pytest.approx(-np.log(np.where(y, p, 1 - p)))
    assert log.mean() == pytest.approx(sm.log_loss(y, p))
