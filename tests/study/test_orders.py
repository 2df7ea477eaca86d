"""How often two measures order a pair differently."""

from __future__ import annotations

import time

import numpy as np
import pytest

from skaucx.study import PairOrders, pair_orders
from skaucx.study._violations import count_inversions


def by_hand(a, b):
    counts = dict.fromkeys(("same", "reversed", "first_only", "second_only", "neither"), 0)
    for i in range(len(a)):
        for j in range(i):
            x, y = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
            if x and y:
                counts["same" if x == y else "reversed"] += 1
            else:
                counts["first_only" if x else "second_only" if y else "neither"] += 1
    return PairOrders(**counts)


@pytest.mark.parametrize("levels", [1, 2, 5, 50])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 33, 64])
def test_by_hand(size, levels):
    rng = np.random.default_rng(size * levels)
    for _ in range(5):
        a, b = rng.integers(levels, size=(2, size)).astype(float)
        found = pair_orders(a, b)
        assert found == by_hand(a, b)
        assert found.pairs == size * (size - 1) // 2
        assert found.different == found.pairs - found.same - found.neither


def test_ends():
    rising = np.arange(1000.0)
    assert pair_orders(rising, rising) == PairOrders(499500, 0, 0, 0, 0)
    assert pair_orders(rising, -rising) == PairOrders(0, 499500, 0, 0, 0)
    assert pair_orders(rising, 0 * rising) == PairOrders(0, 0, 499500, 0, 0)


def test_values_within_a_trillionth_are_equal():
    assert pair_orders([0.5, 0.5 + 0.9e-12], [1, 2]) == PairOrders(0, 0, 0, 1, 0)
    assert pair_orders([0.5, 0.5 + 1.1e-12], [1, 2]) == PairOrders(1, 0, 0, 0, 0)


def test_inversions_of_nothing():
    assert count_inversions(np.array([], dtype=np.intp)) == 0


def test_time_grows_almost_linearly():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 200_000))
    start = time.process_time()
    found = pair_orders(a, b)
    assert time.process_time() - start < 3
    assert found.pairs == 200_000 * 199_999 // 2
    assert found.reversed == pytest.approx(found.pairs / 2, rel=0.01)


def test_bad_values():
    with pytest.raises(ValueError, match="NaN or infinity in second"):
        pair_orders([1, 2], [1, np.nan])
    with pytest.raises(ValueError, match="first"):
        pair_orders([1, 2], [1, 2, 3])
