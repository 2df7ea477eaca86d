"""Placement values and DeLong's variance against the plain forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from skaucx.inference import interval
from skaucx.metrics import list_metrics
from skaucx.metrics._registry.samples import placement_values
from tests.closeness import rounding
from tests.metrics.needed import NEEDED

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
    "pairwise_auc": ({"difference": np.tanh}, np.tanh),
}


def two_classifiers(n, decimals, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    score = special.expit(rng.normal(size=(2, n)) + truth)
    return truth, np.round(score, decimals)


def test_the_metrics_with_placements_are_those_whose_h_reads_only_d():
    parameters = NEEDED | {"pairwise_auc": {"difference": np.sign}}
    found = {name for name, row in ROWS.items() if row.averages_pairs(parameters.get(name, {}))}
    assert found == set(KERNELS)


@pytest.mark.parametrize("decimals", [2, 12])
@pytest.mark.parametrize("name", KERNELS)
def test_placements_are_means_over_the_other_class(name, decimals):
    parameters, h = KERNELS[name]
    truth, score = two_classifiers(400, decimals)
    of_positives, of_negatives = placement_values(ROWS[name], parameters, truth, score)
    pairs = h(score[:, truth][:, :, None] - score[:, ~truth][:, None, :])
    np.testing.assert_allclose(of_positives, pairs.mean(axis=2), rtol=0, atol=rounding(len(truth)))
    np.testing.assert_allclose(of_negatives, pairs.mean(axis=1), rtol=0, atol=rounding(len(truth)))


def test_what_reads_the_ends_of_the_scores_has_no_guarantee():
    truth, scores = two_classifiers(40, 3)
    for rescale, told in (("minmax", True), ("expit", False)):
        found = interval(
            "scor_auc", truth, scores[0], rescale=rescale, n_resamples=20, random_state=0
        )
        assert ("lowest and the highest scores" in found.note) is told
