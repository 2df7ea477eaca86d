"""Bands of curves: the points of the curve, coverage by simulation, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import precision_recall_curve, roc_curve

from skaucx.metrics import precision_recall_band, roc_band


def binormal(n, d, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, rng.normal(size=n) + d * y


Y, SCORE = binormal(120, 1.2, 0)


def test_the_curve_is_that_of_scikit_learn():
    fpr, tpr, _ = roc_curve(Y, SCORE)
    at = np.linspace(0.01, 0.99, 37)
    band = roc_band(Y, SCORE, fpr=at, n_resamples=20, random_state=0)
    np.testing.assert_allclose(band.tpr, np.interp(at, fpr, tpr), atol=1e-12)
    precision, recall, _ = precision_recall_curve(Y, SCORE)
    band = precision_recall_band(Y, SCORE, recall=recall[:-1], n_resamples=20, random_state=0)
    first = [precision[recall == r][-1] for r in recall[:-1]]
    np.testing.assert_allclose(band.precision[1:], first[1:], atol=1e-12)


@pytest.mark.parametrize("ask", [{}, {"simultaneous": False}, {"method": "dkw"}])
def test_bands_hold_their_curve_and_have_a_width(ask):
    band = roc_band(Y, SCORE, n_resamples=200, random_state=0, **ask)
    assert band.fpr.shape == band.low.shape == (101,)
    assert (band.low <= band.tpr).all()
    assert (band.tpr <= band.high).all()
    assert (band.high > band.low).all()
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()


def test_a_simultaneous_band_is_wider():
    for band in (roc_band, precision_recall_band):
        one, all_of_it = (
            band(Y, SCORE, simultaneous=s, n_resamples=300, random_state=0) for s in (False, True)
        )
        assert ((all_of_it.high - all_of_it.low) >= (one.high - one.low)).all()


def test_dkw_at_a_point():
    """50 negatives below 200 positives, 1 - a = .95 a class: fpr strays by 0.192, tpr by 0.096."""
    y, score = np.arange(250) >= 50, np.arange(250) / 250
    band = roc_band(y, score, method="dkw", fpr=[0.0, 0.15, 0.5], confidence_level=0.9025)
    up = np.sqrt(np.log(2 / 0.05) / 400)
    np.testing.assert_allclose(band.low, [0.0, 0.0, 1 - up])
    np.testing.assert_allclose(band.high, [1.0, 1.0, 1.0])


def test_simultaneous_bands_hold_the_true_curve():
    """60 samples of 200: of nominal 95 %, at least 52 hold (three standard errors below)."""
    d, at = 1.2, np.linspace(0.02, 0.98, 25)
    true = special.ndtr(d + special.ndtri(at))
    held = {"bootstrap": 0, "dkw": 0}
    for seed in range(60):
        y, score = binormal(200, d, seed)
        for method in held:
            band = roc_band(y, score, method=method, fpr=at, n_resamples=150, random_state=seed)
            held[method] += bool(((band.low <= true) & (true <= band.high)).all())
    assert held["bootstrap"] >= 52
    assert held["dkw"] == 60


def test_weights_groups_and_missing_classes():
    weighted = roc_band(Y, SCORE, sample_weight=np.full(120, 2.0), n_resamples=50, random_state=0)
    plain = roc_band(Y, SCORE, method="bootstrap", n_resamples=50, random_state=0)
    np.testing.assert_allclose(weighted.high, plain.high)
    grouped = precision_recall_band(
        Y, SCORE, groups=np.arange(120) // 10, n_resamples=50, random_state=0
    )
    assert (grouped.high >= grouped.low).all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"method": "ks"}, "method must be one of"),
        ({"method": "dkw", "simultaneous": False}, "use method='bootstrap'"),
        ({"method": "dkw", "sample_weight": np.ones(120)}, "use method='bootstrap'"),
        ({"fpr": [0.5, 2]}, "fpr must be a vector of numbers in"),
        ({"confidence_level": 1}, "confidence_level must be"),
        ({"simultaneous": "yes"}, "simultaneous must be True or False"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        roc_band(Y, SCORE, **ask)
    with pytest.raises(ValueError, match="one-dimensional"):
        roc_band(Y, np.column_stack([SCORE, SCORE]))


def test_rectangles_do_not_exclude_the_truth_at_the_corners():
    """The true curve of two normal classes starts at (0, 0), wherever the sample's begins to rise."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 50)
    band = roc_band(y, rng.normal(size=100) + 2.3 * y, random_state=0, n_resamples=200)
    assert band.method == "rectangles"
    assert band.low[0] == 0
    assert band.high[-1] == 1


@pytest.mark.parametrize("make", [roc_band, precision_recall_band])
def test_rectangles_are_free_of_scale_narrower_with_data_and_pointwise(make):
    settings = {"random_state": 0, "n_resamples": 100}
    band, same = make(Y, SCORE, **settings), make(Y, np.exp(SCORE), **settings)
    np.testing.assert_array_equal(band.low, same.low)
    width = np.mean(band.high - band.low)
    more = make(np.tile(Y, 4), np.tile(SCORE, 4) + 1e-9 * np.arange(4 * len(Y)), **settings)
    assert np.mean(more.high - more.low) < 0.7 * width
    pointwise = make(Y, SCORE, simultaneous=False, **settings)
    assert np.mean(pointwise.high - pointwise.low) < 0.9 * width


def test_a_rectangle_is_clopper_and_pearsons():
    from skaucx.metrics.estimation._proportions import clopper_pearson as known
    from skaucx.metrics.estimation._rectangles import clopper_pearson

    x = np.arange(8)
    np.testing.assert_allclose(clopper_pearson(x, 7, 0.1), known(x * 1.0, np.full(8, 7.0), 0.9))


@pytest.mark.parametrize("method", ["rectangles", "bootstrap", "dkw"])
@pytest.mark.parametrize("make", [roc_band, precision_recall_band])
def test_one_class_is_told(make, method):
    if make is precision_recall_band and method == "dkw":
        return
    with pytest.warns(UndefinedMetricWarning, match="examples of both classes"):
        band = make(np.zeros(5), np.arange(5.0), method=method, n_resamples=10)
    assert np.isnan(band.low).all()
    assert np.isnan(band.high).all()
