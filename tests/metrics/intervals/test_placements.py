"""Placement values, DeLong's variance and the blocks of low rank, against the plain forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from skaucx.metrics import list_metrics
from skaucx.metrics._pairs.kernels import Function, Kernel, Logistic, Power
from skaucx.metrics._pairs.placement_variance import covariance, pair_mean, variance
from skaucx.metrics._resampling.placements import has_placements, placement_values

ROWS = {row.name: row for row in list_metrics()}
# The difference function of every variant whose h reads nothing but d.
KERNELS = {
    "roc_auc": ({}, lambda d: (d > 0) + 0.5 * (d == 0)),
    "gini": ({}, np.sign),
    "prob_auc": ({}, lambda d: (d + 1) / 2),
    "scor_auc": ({}, lambda d: np.maximum(d, 0)),
    "sond_auc": ({"q": 0.3}, lambda d: np.where(d > 0, np.abs(d) ** 0.3, 0)),
    "soft_auc": ({"beta": 11.0}, lambda d: special.expit(11 * d)),
    "mm11_auc": ({}, lambda d: d),
    "mm12_auc": ({}, lambda d: (d + 1) / 2),
    "pairwise_auc": ({"difference": np.tanh}, np.tanh),
}


def two_classifiers(n, decimals, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    score = special.expit(rng.normal(size=(2, n)) + truth)
    return truth, np.round(score, decimals)


def test_the_metrics_with_placements_are_those_whose_h_reads_only_d():
    parameters = {"pairwise_auc": {"difference": np.sign}}
    found = {name for name, row in ROWS.items() if has_placements(row, parameters.get(name, {}))}
    assert found == set(KERNELS)


def test_a_partial_auc_has_no_placements():
    assert has_placements(ROWS["roc_auc"], {"ties": "win"})
    assert not has_placements(ROWS["roc_auc"], {"max_fpr": 0.2})


@pytest.mark.parametrize("decimals", [2, 12])
@pytest.mark.parametrize("name", KERNELS)
def test_placements_are_means_over_the_other_class(name, decimals):
    parameters, h = KERNELS[name]
    truth, score = two_classifiers(400, decimals)
    of_positives, of_negatives = placement_values(ROWS[name], parameters, truth, score)
    pairs = h(score[:, truth][:, :, None] - score[:, ~truth][:, None, :])
    np.testing.assert_allclose(of_positives, pairs.mean(axis=2), rtol=0, atol=1e-14)
    np.testing.assert_allclose(of_negatives, pairs.mean(axis=1), rtol=0, atol=1e-14)


def test_variance_is_that_of_the_definition():
    truth, score = two_classifiers(60, 1)
    vp, vn = placement_values(ROWS["roc_auc"], {}, truth, score)
    expected = np.cov(vp) / vp.shape[1] + np.cov(vn) / vn.shape[1]
    np.testing.assert_allclose(covariance(vp, vn), expected, rtol=1e-13)
    np.testing.assert_allclose(variance(vp, vn), np.diag(expected), rtol=1e-13)
    np.testing.assert_allclose(pair_mean(vp), vn.mean(axis=1), rtol=1e-14)


def test_variance_needs_two_of_each_class():
    truth, score = np.array([True, False, False]), np.array([0.3, 0.1, 0.2])
    assert np.isnan(variance(*placement_values(ROWS["roc_auc"], {}, truth, score)))


SCORES = {
    "uniform": lambda rng, n: rng.random(n),
    "clustered": lambda rng, n: 0.5 + 1e-9 * rng.random(n),
    "many scales": lambda rng, n: 10 ** (-30 * rng.random(n)),
    "both signs": lambda rng, n: 100 * rng.standard_t(2, n),
}


def bowl(d):
    """Return a function that falls and rises, is negative somewhere and has a kink off 0."""
    return np.abs(d - 0.2) - 0.1


KERNEL_OBJECTS = [Power(1 / 7), Power(2.5), Logistic(7), Logistic(900), Function(bowl, (0.2,))]


@pytest.mark.parametrize("kernel", KERNEL_OBJECTS, ids=["q1_7", "q2_5", "beta7", "beta900", "bowl"])
@pytest.mark.parametrize("family", SCORES)
def test_blocks_give_the_sums_of_all_pairs(family, kernel):
    rng = np.random.default_rng(1)
    p, n = (np.unique(SCORES[family](rng, size)) for size in (900, 1500))
    wp, wn = rng.random((2, len(p))), rng.random((2, len(n)))
    pairs = kernel(p[:, None] - n)
    of_positives, of_negatives = Kernel.sums_of_each(kernel, p, n, wp[0], wn[0])
    expected = pairs @ wn[0]
    np.testing.assert_allclose(of_positives, expected, rtol=0, atol=1e-13 * expected.max())
    np.testing.assert_allclose(of_negatives, wp[0] @ pairs, rtol=0, atol=1e-13 * expected.max())
    total = sum(block.total(wp.T, wn.T) for block in kernel.blocks(p, n))
    np.testing.assert_allclose(total, ((wp @ pairs) * wn).sum(axis=1), rtol=1e-13)


def test_blocks_are_few_numbers():
    rng = np.random.default_rng(2)
    p, n = np.sort(rng.random((2, 5000)))
    held = sum(
        block.left.size + (0 if block.right is None else block.right.size)
        for block in Power(1 / 7).blocks(p, n)
    )
    assert held < len(p) * len(n) / 8
