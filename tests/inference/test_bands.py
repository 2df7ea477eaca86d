"""Bands of curves: resampled, pointwise or of the whole curve."""

import numpy as np
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import decision_band, precision_recall_band, roc_band

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 120)
SCORE = special.expit(RNG.normal(size=120) + Y)
MAKERS = [roc_band, precision_recall_band]


HEIGHTS = {roc_band: "tpr", precision_recall_band: "precision", decision_band: "net_benefit"}


@pytest.mark.parametrize("make", HEIGHTS)
def test_bands_hold_their_curve_and_are_narrower_pointwise_and_with_more_rows(make):
    few = {"n_resamples": 100, "random_state": 0}
    band, pointwise = make(Y, SCORE, **few), make(Y, SCORE, simultaneous=False, **few)
    curve = getattr(band, HEIGHTS[make])
    assert (band.low <= curve).all()
    assert (curve <= band.high).all()
    width = np.mean(band.high - band.low)
    assert np.mean(pointwise.high - pointwise.low) < 0.9 * width
    more = make(np.tile(Y, 4), np.tile(SCORE, 4), **few)
    assert np.mean(more.high - more.low) < 0.7 * width


@pytest.mark.parametrize("make", MAKERS)
def test_weights_groups_and_seeds(make):
    few = {"n_resamples": 50, "random_state": 0}
    plain = make(Y, SCORE, **few)
    weighted = make(Y, SCORE, sample_weight=np.full(120, 2.0), **few)
    np.testing.assert_allclose(weighted.high, plain.high)
    np.testing.assert_array_equal(make(Y, np.exp(SCORE), **few).low, plain.low)
    copies = np.repeat(Y, 4), np.repeat(SCORE, 4)
    grouped, alone = make(*copies, groups=np.arange(480) // 4, **few), make(*copies, **few)
    assert np.mean(grouped.high - grouped.low) > 1.2 * np.mean(alone.high - alone.low)
    for told in ("bootstrap", "50 draws", "seed 0", "the whole curve"):
        assert told in " ".join(repr(plain).split())


def test_bands_of_steep_curves_say_that_they_are_too_narrow():
    y = np.repeat([1, 0], 50)
    band = roc_band(y, np.random.default_rng(0).normal(size=100) + 3 * y, n_resamples=50)
    assert "25 %" in band.note


@pytest.mark.parametrize("make", MAKERS)
def test_simultaneous_bands_hold_the_true_curve(make):
    """Nominal 95 %, of two normal classes with an AUC of .8."""
    rng, at, held = np.random.default_rng(1), np.linspace(0.05, 0.95, 19), 0
    shift = np.sqrt(2) * special.ndtri(0.8)
    true = special.ndtr(special.ndtri(at) + shift)
    if make is precision_recall_band:
        true = at / (at + special.ndtr(special.ndtri(at) - shift))
    y, runs = np.repeat([1, 0], 100), 60
    for seed in range(runs):
        score = rng.normal(size=200) + shift * y
        points = {"fpr" if make is roc_band else "recall": at}
        band = make(y, score, n_resamples=200, random_state=seed, **points)
        held += bool(((band.low <= true) & (true <= band.high)).all())
    assert held / runs > 0.85


def test_a_missing_class_has_no_band():
    with pytest.warns(UndefinedMetricWarning, match="one is missing"):
        assert np.isnan(roc_band(np.ones(9, int), SCORE[:9], n_resamples=9).low).all()
