"""Many sets of weights at once against one ranking each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from skaucx.metrics import list_metrics
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._registry.resampling import Resampling
from skaucx.metrics._registry.row import apply
from tests.closeness import rounding
from tests.metrics.needed import needed_parameters

ROWS = [row for row in list_metrics() if row.kind.name in ("order", "values", "unit_values")]
OPTIONS = {
    "pairwise_auc": [{"difference": np.tanh}],
    "partial_roc_auc": [{"fpr": (0.1, 0.6)}, {"tpr": (0.3, 1.0), "standardize": True}],
    "roc_auc": [{}, {"ties": "win"}, {"max_fpr": 0.3}],
    "sond_auc": [{}, {"q": 0.0}, {"q": 3.5}],
    "soft_auc": [{}, {"beta": 1e4}],
    "mm4_auc": [{}, {"floor": 0.0}, {"floor": 0.2}, {"floor": 1.0}],
}


def weights(n, replicates, truth, seed=0):
    """Resamples with fractional weights; the first has one class only, the second one row each."""
    rng = np.random.default_rng(seed)
    (counts,) = Resampling(n).resamples(replicates, seed)
    counts = counts * rng.choice([0.5, 1.0, 1.7], n)
    counts[0] *= truth
    counts[1] = 0
    counts[1, [np.argmax(truth), np.argmin(truth)]] = 1
    return counts


@pytest.mark.parametrize("decimals", [1, 2, 12])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_replicate_is_the_ranking_of_its_rows(row, decimals):
    rng = np.random.default_rng(1)
    truth = rng.random(50) < 0.4
    score = np.round(special.expit(rng.normal(size=50) + truth), decimals)
    drawn = weights(50, 40, truth)
    for options in OPTIONS.get(row.name, [needed_parameters(row.name)]):
        found = apply(row, SortedScores(truth, score).replicates(drawn), options)
        kept = [weight > 0 for weight in drawn]
        ranked = [
            RankedScores.from_scores(truth[k], score[k], weight[k])
            for k, weight in zip(kept, drawn, strict=True)
        ]
        expected = [float(apply(row, one, options)) for one in ranked]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=rounding(50))


def test_narrow_scores_keep_their_digits():
    rng = np.random.default_rng(2)
    truth = rng.random(60) < 0.5
    score = 0.5 + 1e-9 * rng.random(60)
    drawn = weights(60, 20, truth)
    narrow = SortedScores(truth, score).replicates(drawn)
    wide = SortedScores(truth, (score - score.min()) * 2.0**30).replicates(drawn)
    with np.errstate(invalid="ignore"):
        for share in (0.0, 0.5):
            np.testing.assert_allclose(
                narrow.mean_gain_above(share), wide.mean_gain_above(share), rtol=1e-12
            )


def test_rows_of_a_larger_sample():
    rng = np.random.default_rng(6)
    rows = rng.permutation(90)[:50]
    truth, score = rng.random(50) < 0.4, np.round(rng.random(50), 1)
    weight = rng.random((4, 90))
    found = SortedScores(truth, score, rows).replicates(weight)
    expected = SortedScores(truth, score).replicates(weight[:, rows])
    for name in ("win_share", "tie_share", "mean_gain", "span"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=rounding(len(truth))
        )
