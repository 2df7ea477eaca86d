"""Moments and the interval of a mean over folds, against SciPy, DeLong and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from skaucx.inference._intervals.limits import wilson
from skaucx.model_selection.execution._out_of_fold import Pooled
from skaucx.model_selection.results._statistics import (
    MetricStatistics,
    SamplingVariance,
    fold_interval,
    moments,
)

NAN = np.nan
SCORES = np.array([0.7, 0.9, 0.8, 0.6, 0.75, 0.85])
SIZES = np.full(6, 90), np.full(6, 10)


def test_moments_skip_the_undefined():
    table = np.array([[1.0, 2.0, 6.0], [1.0, NAN, 6.0], [NAN, 4.0, NAN], [NAN, NAN, NAN]])
    mean, sd = moments(table)
    np.testing.assert_allclose(mean, [3, 3.5, 4, NAN])
    np.testing.assert_allclose(sd, [np.sqrt(7), np.sqrt(12.5), NAN, NAN])
    assert moments(table[0])[1] == np.std(table[0], ddof=1)


def test_interval_without_overlap_is_students():
    low, high = fold_interval(SCORES, SIZES[0], np.zeros(6, dtype=int), confidence_level=0.9)
    expected = stats.t.interval(0.9, 5, SCORES.mean(), stats.sem(SCORES))
    np.testing.assert_allclose([low, high], expected, rtol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_is_widened_by_the_overlap(level):
    low, high = fold_interval(SCORES, *SIZES, confidence_level=level)
    half = stats.t.ppf(0.5 + level / 2, 5) * SCORES.std(ddof=1) * np.sqrt(1 / 6 + 1 / 9)
    np.testing.assert_allclose([low, high], [SCORES.mean() - half, SCORES.mean() + half])


def test_interval_counts_the_defined_folds_and_their_sizes():
    gaps = np.append(SCORES, [NAN, NAN])
    sizes = np.append(SIZES[0], [1, 1]), np.append(SIZES[1], [99, 99])
    np.testing.assert_allclose(
        [*fold_interval(gaps, *sizes)], [*fold_interval(SCORES, *SIZES)], rtol=1e-12
    )
    low, high = fold_interval(SCORES[:2], np.array([30, 60]), np.array([10, 20]))
    half = stats.t.ppf(0.975, 1) * SCORES[:2].std(ddof=1) * np.sqrt(1 / 2 + 1 / 3)
    np.testing.assert_allclose(high - low, 2 * half)


def test_folds_of_fewer_than_five_rows_have_no_mean():
    for rows, averaged in ((4, False), (5, True)):
        found = MetricStatistics(SCORES, Pooled(0.8), SIZES[0], np.full(6, rows), metric="f1")
        assert (found.pooled_only == "") == averaged
        assert found.mean == pytest.approx(SCORES.mean() if averaged else NAN, nan_ok=True)
        assert np.isnan(found.sd) == (not averaged)
    alike = MetricStatistics(SCORES, Pooled(SCORES.mean()), SIZES[0], np.full(6, 4))
    assert alike.mean == pytest.approx(SCORES.mean())


def test_one_fold_has_no_interval():
    found = fold_interval(np.array([0.5, NAN]), *np.ones((2, 2), dtype=int))
    assert np.isnan([*found]).all()


@pytest.mark.parametrize("level", [0, 1, 95])
def test_wrong_level(level):
    statistics = MetricStatistics(SCORES, Pooled(0.8), *SIZES)
    with pytest.raises(
        ValueError, match=f"confidence_level must be a finite number.*found {level}"
    ):
        statistics.interval(level)


def test_a_rate_without_differences_between_models_has_wilsons_ends():
    noise = SamplingVariance(0.9 * 0.1 / 60, 0.9 * 0.1 / 10, 60, 60, "binomial variance")
    found = fold_interval(np.full(6, 0.9), *SIZES, noise, (0, 1))
    n = np.asarray(60 / (1 + 1 / 9))
    np.testing.assert_allclose([*found], wilson(0.9 * n, n, 0.95), rtol=1e-12)
    perfect = SamplingVariance(0.0, 0.0, 60, 60, "binomial variance")
    found = fold_interval(np.ones(6), *SIZES, perfect, (0, 1))
    np.testing.assert_allclose([*found], wilson(n, n, 0.95), rtol=1e-12)


def test_models_that_differ_widen_the_interval():
    noise = SamplingVariance(0.0004, 0.0024, NAN, 30, "influence curves")
    alike, unlike = (
        fold_interval(0.8 + spread * (SCORES - SCORES.mean()), *SIZES, noise, (0, 1))
        for spread in (0.1, 1)
    )
    assert alike.standard_error == pytest.approx(np.sqrt(0.0004 * (1 + 1 / 9)), rel=1e-12)
    excess = SCORES.var(ddof=1) - 0.0024
    variance = 0.0004 * (1 + 1 / 9) + excess * (1 / 6 + 1 / 9)
    assert unlike.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert unlike.high - unlike.low > alike.high - alike.low


def test_equal_folds_have_an_exact_interval_or_none():
    perfect = fold_interval(np.ones(5), *np.full((2, 5), 20), None, (0, 1))
    assert perfect.method == "exact"
    assert perfect.low == pytest.approx(0.025 ** (1 / 5), rel=1e-12)
    assert np.isnan([*fold_interval(np.ones(5), *np.full((2, 5), 20))]).all()


def test_a_loss_as_a_score_stays_below_0():
    found = fold_interval(np.array([-0.01, -0.5, -0.02]), *np.full((2, 3), 20), None, (-np.inf, 0))
    assert found.low < found.estimate < found.high < 0
