"""The top of a ranking and the shape of its ROC curve, against public implementations and by hand."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from scipy import special, stats

import skaucx.metrics as sm
from skaucx.metrics import roc_curve
from skaucx.metrics._registry.names import named_metric
from tests.closeness import rounding

# Thirty scores of which two are equal; drawn from normal distributions.
Y = np.array(
    [1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0]
)
S = np.array([
    0.11, 0.71, 0.88, 0.58, 1.09, 0.67, -2.83, 2.02, -0.96, -0.67, 0.28, 0.7, -0.44, -1.08, 0.03,
    -0.05, 2.41, 0.75, 0.19, 2.11, 0.79, -0.93, 1.58, 1.58, -0.21, -0.78, 0.23, -2.49, 1.69, 0.49,
])  # fmt: skip
# rdkit 2026.9.1 (CalcBEDROC, CalcRIE, CalcEnrichment), hmeasure 0.1.6, pyprg 0.1.1b7, SciPy 1.17.1.
GOLDEN = [
    ("bedroc", {"alpha": 20.0}, 0.9942175689658981),
    ("robust_initial_enhancement", {"alpha": 20.0}, 2.709730842155461),
    ("lift", {"share": 0.1}, 2.727272727272727), ("h_measure", {}, 0.6177863723030063),
    ("h_measure", {"severity_ratio": 0.7}, 0.6277382050738843),
    ("pr_gain_auc", {}, 0.8985805655621231), ("ks", {}, 0.7129186602870813),
]  # fmt: skip


def drawn(seed, ties=True, n=40):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    y[:2] = 0, 1
    score = rng.normal(y, 1.2)
    return y, np.round(score) if ties else score


@pytest.mark.parametrize(("name", "options", "value"), GOLDEN)
def test_values_of_other_libraries(name, options, value):
    metric = named_metric(name).function
    assert metric(Y, S, **options) == pytest.approx(value, rel=rounding(len(Y)))


@pytest.mark.parametrize("k", range(1, 6))
def test_ties_at_the_cut_count_by_the_mean_over_their_orders(k):
    y, score = np.array([1, 0, 0, 1, 0]), np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    orders = itertools.permutations([1, 2, 3])
    hits = np.mean([y[[0, *order, 4]][:k].sum() for order in orders])
    assert sm.precision_at_k_score(y, score, k=k) == pytest.approx(hits / k)
    assert sm.recall_at_k_score(y, score, k=k) == pytest.approx(hits / 2)
    assert sm.lift_score(y, score, k=k) == pytest.approx(hits / k / 0.4)


def test_early_recognition_is_the_mean_over_orders_of_ties():
    y, score = np.array([1, 0, 0, 1, 0]), np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    rie = functools.partial(sm.imbalance.robust_initial_enhancement, y, alpha=3.0)
    orders = itertools.permutations([1.0, 2.0, 3.0])
    values = [rie(-np.array([0, *order, 4.0])) for order in orders]
    assert rie(score) == pytest.approx(np.mean(values))


@pytest.mark.parametrize("ties", [False, True])
def test_ks_is_that_of_scipy(ties):
    for seed in range(20):
        y, score = drawn(seed, ties)
        for sign in (1, -1):
            test = stats.ks_2samp(sign * score[y == 1], sign * score[y == 0], method="asymp")
            assert sm.ks_score(y, sign * score) == pytest.approx(test.statistic)


@pytest.mark.parametrize("ties", [False, True])
def test_two_way_partial_auc_is_the_integral_and_meets_the_partial_auc_at_its_ends(ties):
    for seed in range(10):
        y, score = drawn(seed, ties)
        curve = roc_curve(y, score)
        for a, b in ((0.3, 0.5), (0.8, 0.2), (1.0, 0.6), (0.05, 0.9)):
            crossing = np.interp(b, curve.tpr, curve.fpr)
            knots = np.unique(np.clip([*curve.fpr, crossing, a], 0, a))
            heights = np.interp((knots[1:] + knots[:-1]) / 2, curve.fpr, curve.tpr)
            area = np.diff(knots) @ np.maximum(heights - b, 0)
            found = sm.two_way_partial_auc_score(y, score, max_fpr=a, min_tpr=b, standardize=False)
            assert found == pytest.approx(area, abs=1e-9)
        found = sm.two_way_partial_auc_score(y, score, max_fpr=1, min_tpr=0.6, standardize=False)
        assert found == pytest.approx(sm.partial_roc_auc_score(y, score, tpr=(0.6, 1)), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_area_of_the_hull_is_that_of_its_points(weighted):
    for seed in range(10):
        y, score = drawn(seed)
        weight = np.random.default_rng(seed).uniform(0.1, 2, len(y)) if weighted else None
        curve = roc_curve(y, score, sample_weight=weight)
        found = sm.hull_auc_score(y, score, sample_weight=weight)
        assert found == pytest.approx(curve.hull().area, abs=1e-12)
        mirrored = sm.hull_auc_score(y, score, sample_weight=weight, repair="mirror")
        assert mirrored + curve.area == pytest.approx(2 * found, abs=1e-12)


def test_mirroring_turns_the_ranking_round_within_a_concavity():
    y, score = np.array([1, 0, 0, 1, 1, 0]), np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    turned = np.array([6.0, 2.0, 3.0, 4.0, 5.0, 1.0])
    found = sm.hull_auc_score(y, score, repair="mirror")
    assert found == pytest.approx(sm.roc_auc_score(y, turned))


def test_h_measure_is_the_loss_spared_over_the_law_of_costs():
    y, score = drawn(3)
    curve = roc_curve(y, score, drop_intermediate=False)
    p, n = y.sum(), (1 - y).sum()

    def spared(a, b):
        cost = (np.arange(20000) + 0.5) / 20000
        weight = cost ** (a - 1) * (1 - cost) ** (b - 1) / special.beta(a, b)
        loss = cost * n * curve.fpr[:, None] + (1 - cost) * p * (1 - curve.tpr[:, None])
        return 1 - (loss.min(axis=0) @ weight) / (np.minimum(cost * n, (1 - cost) * p) @ weight)

    shares = p / len(y), n / len(y)
    assert sm.h_measure(y, score) == pytest.approx(spared(1 + shares[0], 1 + shares[1]), abs=1e-6)
    assert sm.h_measure(y, score, severity_ratio=3.0) == pytest.approx(spared(2, 4 / 3), abs=1e-5)


def test_parts_of_the_gain_curve_below_zero_do_not_count():
    """The precision gains at recall gain 0 and 1 are -1 and 0."""
    assert sm.pr_gain_auc_score([0, 0, 1, 1], [4, 3, 2, 1]) == 0
    y, score = drawn(1)
    assert sm.pr_gain_auc_score(y, -score) >= 0


@pytest.mark.parametrize("weighted", [False, True])
def test_auc_mu_pair_by_pair(weighted):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 80)
    proba = rng.multinomial(8, rng.dirichlet(np.ones(4), 80) * 0.7 + 0.3 * np.eye(4)[y]) / 8
    weight = rng.uniform(0.1, 2, 80) if weighted else np.ones(80)
    areas = []
    for i, j in itertools.combinations(range(4), 2):
        score = proba[:, i] - proba[:, j]
        d = score[y == i][:, None] - score[y == j]
        w = weight[y == i][:, None] * weight[y == j]
        areas.append(np.average((d > 0) + (d == 0) / 2, weights=w))
    found = sm.auc_mu_score(y, proba, sample_weight=weight if weighted else None)
    assert found == pytest.approx(np.mean(areas), abs=1e-12)
    two = y % 2, proba[:, :2].sum(axis=1)
    assert sm.auc_mu_score(*two) == pytest.approx(sm.roc_auc_score(*two), abs=1e-12)


def test_a_constant_model():
    y, score = np.repeat([0, 1], [9, 1]), np.full(10, 0.5)
    for name, value in {
        "precision_at_k": 0.1, "lift": 1.0, "pr_auc": 0.1, "hull_auc": 0.5, "ks": 0.0,
        "pr_gain_auc": 0.0, "h_measure": 0.0,
    }.items():  # fmt: skip
        found = named_metric(name).function(y, score)
        assert found == pytest.approx(value, abs=rounding(10)), name
    assert 0 < sm.bedroc_score(y, score) < 0.2
