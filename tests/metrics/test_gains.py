"""Near-linear sums of max(p - n - shift, 0) against the sum pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._pairs.sums import elementary as _pair_sums
from skaucx.metrics._pairs.sums.elementary import (
    cumulative,
    sum_of_gains,
    sum_of_gains_above,
    sum_of_gaps,
)
from tests.closeness import rounding
from tests.each import each
from tests.metrics.pair_sets import FAMILIES, exact_sum, score_set


@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("size", [2, 7, 400])
@pytest.mark.parametrize("few", [0, 1 << 60], ids=["blocks", "pairs"])
def test_gains(family, weighted, size, few, monkeypatch):
    monkeypatch.setattr(_pair_sums, "_FEW_PAIRS", few)
    monkeypatch.setattr(_pair_sums, "_POSITIVES_AT_ONCE", 13)
    sides = score_set(family, size, weighted)
    expected = exact_sum(lambda d: np.maximum(d, 0), *sides)
    assert sum_of_gains(*sides) == pytest.approx(expected, rel=rounding(size), abs=1e-290)


@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("size", [2, 7, 400])
def test_gaps(family, weighted, size, monkeypatch):
    monkeypatch.setattr(_pair_sums, "_SCORES_AT_ONCE", 13)
    sides = p, n, wp, wn = score_set(family, size, weighted)
    expected = exact_sum(lambda d: np.maximum(d, 0), *sides)
    values = np.unique(np.concatenate([p, n]))
    held = [np.searchsorted(values, side) for side in (p, n)]
    at = [
        np.bincount(place, weight, len(values))
        for place, weight in zip(held, (wp, wn), strict=True)
    ]
    forms = [at] if weighted else [at, [side.astype(np.int8) for side in at]]
    for positive, negative in forms:
        found = sum_of_gaps(values, positive, negative)
        assert found == pytest.approx(expected, rel=rounding(size), abs=1e-290)


@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("few", [0, 1 << 60], ids=["blocks", "pairs"])
def test_gains_above_a_shift(family, weighted, few, monkeypatch):
    monkeypatch.setattr(_pair_sums, "_FEW_PAIRS", few)
    monkeypatch.setattr(_pair_sums, "_POSITIVES_AT_ONCE", 13)
    sides = p, n, wp, wn = score_set(family, 400, weighted)
    low, high = min(p[0], n[0]), max(p[-1], n[-1])
    # On scores as they are measured: from the lowest one.
    heights = p - low, n - low, wp, wn
    for share in (0, 1e-3, 0.3, 0.5, 0.99, 1):
        shift = share * (high - low)
        expected = exact_sum(lambda d, shift=shift: np.maximum(d - shift, 0), *heights)
        # Rounding of d itself shows where d - shift is small.
        wins = exact_sum(lambda d, shift=shift: (d > shift * (1 - 1e-12)) * 1.0, *heights)
        close = 1e-13 * expected + 4e-16 * (high - low) * wins
        assert sum_of_gains_above(*sides, low, shift) == pytest.approx(expected, rel=0, abs=close)


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1025, 5000])
def test_running_sums(size):
    rng = np.random.default_rng(size)
    for weight in (rng.random(size), rng.integers(0, 9, size), rng.random(size) < 0.5):
        sums = cumulative(weight)
        assert sums[0] == 0
        np.testing.assert_allclose(sums[1:], np.cumsum(weight), rtol=1e-12)
        assert sums.dtype == (np.float64 if weight.dtype.kind == "f" else np.int64)
