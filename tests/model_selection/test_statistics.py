"""Moments and the corrected interval, against SciPy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from skaucx.model_selection.results._pooled import Pooled
from skaucx.model_selection.results._statistics import (
    MetricStatistics,
    corrected_interval,
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
    low, high = corrected_interval(SCORES, SIZES[0], np.zeros(6, dtype=int), 0.9)
    expected = stats.t.interval(0.9, 5, SCORES.mean(), stats.sem(SCORES))
    np.testing.assert_allclose([low, high], expected, rtol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_is_widened_by_the_overlap(level):
    low, high = corrected_interval(SCORES, *SIZES, level)
    half = stats.t.ppf(0.5 + level / 2, 5) * SCORES.std(ddof=1) * np.sqrt(1 / 6 + 1 / 9)
    np.testing.assert_allclose([low, high], [SCORES.mean() - half, SCORES.mean() + half])


def test_interval_counts_the_defined_folds_and_their_sizes():
    gaps = np.append(SCORES, [NAN, NAN])
    sizes = np.append(SIZES[0], [1, 1]), np.append(SIZES[1], [99, 99])
    np.testing.assert_allclose(
        corrected_interval(gaps, *sizes), corrected_interval(SCORES, *SIZES), rtol=1e-12
    )
    low, high = corrected_interval(SCORES[:2], np.array([30, 60]), np.array([10, 20]))
    half = stats.t.ppf(0.975, 1) * SCORES[:2].std(ddof=1) * np.sqrt(1 / 2 + 1 / 3)
    np.testing.assert_allclose(high - low, 2 * half)


def test_one_fold_has_no_interval():
    assert np.isnan(corrected_interval(np.array([0.5, NAN]), *np.ones((2, 2), dtype=int))).all()


@pytest.mark.parametrize("level", [0, 1, 95])
def test_wrong_level(level):
    statistics = MetricStatistics(SCORES, Pooled(0.8), *SIZES)
    with pytest.raises(
        ValueError, match=f"confidence_level must be a finite number.*found {level}"
    ):
        statistics.interval(level)
