"""Rows in rising order of their scores."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._pairs import sorting
from skaucx.metrics._pairs.sums.elementary import cumulative
from tests.closeness import rounding

N = 20_000
rng = np.random.default_rng(3)
SCORES = {
    "unit": rng.random(N),
    "both signs": rng.normal(size=N),
    "all sizes": rng.normal(size=N) * 10.0 ** rng.integers(-300, 300, N),
    "ties": rng.integers(-50, 50, N) / 50,
    "last bits": 1 + rng.integers(0, 999, N) * 2.0**-52,
    "a crowd between the largest": np.append([-1e308, 1e308], 0.5 + 2.0**-40 * rng.random(N)),
    "two rising runs": np.concatenate([np.sort(rng.integers(-50, 50, N // 2)) / 50 for _ in "ab"]),
    "zeros": rng.choice([0.0, -0.0, 5e-324, -5e-324], N),
}


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_rising_rows(scores):
    order, values = sorting.rising_rows(scores)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(scores)))
    np.testing.assert_array_equal(scores[order], np.sort(scores))
    np.testing.assert_array_equal(values, scores[order])
    assert not np.signbit(values[values == 0]).any()


@pytest.mark.parametrize("size", [1, 17, 4097, 70_000])
def test_running_sums_of_weights(size):
    weight = rng.random(size) * rng.choice([0, 1e-9, 1], size)
    sums = cumulative(weight)
    exact = np.append(0, np.cumsum(weight.astype(np.longdouble))).astype(float)
    np.testing.assert_allclose(sums, exact, rtol=rounding(size), atol=0)
    assert (np.diff(sums) >= 0).all()
