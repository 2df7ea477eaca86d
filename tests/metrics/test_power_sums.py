"""Near-linear sums of (p - n)^q over p > n against the sum pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._pairs.sums import power_tree as _power_sums
from skaucx.metrics._pairs.sums.power_tree import sum_of_powers
from tests.closeness import rounding
from tests.each import each
from tests.metrics.pair_sets import FAMILIES, exact_sum, score_set

POWERS = [0, 1 / 1001, 1 / 7, 0.5, 1, 2, 3, 4.5, 6]
CLOSE = {"rel": 1e-13, "abs": 1e-290}


def plain_sum(sides, q):
    return exact_sum(lambda d: np.where(d > 0, np.maximum(d, 0) ** q, 0), *sides)


@pytest.fixture
def _fast_alone(monkeypatch):
    """Keep even the smallest sets from being summed pair by pair."""
    monkeypatch.setattr(_power_sums, "_FEW_PAIRS", 0)
    monkeypatch.setattr(_power_sums, "_FEW_PAIRS_A_SCORE", 0)


@pytest.mark.usefixtures("_fast_alone")
@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
class TestAgainstPairs:
    @pytest.mark.parametrize("size", [2, 7, 40, 200])
    @pytest.mark.parametrize("crowd", [1, _power_sums._CROWD])
    def test_few_scores(self, family, weighted, size, crowd, monkeypatch):
        """Even where every pair that can be far is taken as far."""
        monkeypatch.setattr(_power_sums, "_CROWD", crowd)
        sides = score_set(family, size, weighted)
        for q in POWERS:
            assert sum_of_powers(*sides, q) == pytest.approx(plain_sum(sides, q), **CLOSE)

    def test_blocks_and_batches_of_few_cells(self, family, weighted, monkeypatch):
        constants = {"_SCORES_A_CELL": 1, "_CROWD": 3, "_CELLS_AT_ONCE": 8, "_HALVINGS_AT_ONCE": 2}
        constants |= {"_ROWS_AT_ONCE": 4, "_PAIRS_AT_ONCE": 9, "_MANY_CELLS": 0}
        for name, value in constants.items():
            monkeypatch.setattr(_power_sums, name, value)
        sides = score_set(family, 300, weighted)
        assert sum_of_powers(*sides, 1 / 7) == pytest.approx(plain_sum(sides, 1 / 7), **CLOSE)

    def test_many_scores(self, family, weighted):
        sides = score_set(family, 1000, weighted)
        for q in (1 / 7, 5.5):
            assert sum_of_powers(*sides, q) == pytest.approx(plain_sum(sides, q), **CLOSE)


def test_ten_thousand_scores():
    sides = score_set("sigmoid", 10_000, weighted=True)
    assert sum_of_powers(*sides, 1 / 7) == pytest.approx(plain_sum(sides, 1 / 7), **CLOSE)


@pytest.mark.parametrize("family", ["sigmoid", "four decimals"])
def test_a_million_scores_agree_with_themselves(family):
    """A stretched tree has other cells, a mirror swaps the classes, and q = 1 is linear."""
    p, n, wp, wn = score_set(family, 1_000_000, weighted=True)
    total = sum_of_powers(p, n, wp, wn, 1 / 7)
    stretched = sum_of_powers(1.4 * p, 1.4 * n, wp, wn, 1 / 7) / 1.4 ** (1 / 7)
    assert stretched == pytest.approx(total, rel=5e-14)
    mirrored = sum_of_powers(-n[::-1], -p[::-1], wn[::-1], wp[::-1], 1 / 7)
    assert mirrored == pytest.approx(total, rel=5e-14)
    linear = sum_of_powers(p, n, wp, wn, 1) - sum_of_powers(n, p, wn, wp, 1)
    assert linear == pytest.approx((wp @ p) * wn.sum() - wp.sum() * (wn @ n), rel=1e-12)


def test_weights_of_both_signs():
    """Errors are small beside the sum of all sizes, also of narrow cells with few moments."""
    p, n, wp, wn = score_set("sigmoid", 20_000, weighted=True)
    wn = wn * np.where(np.arange(len(wn)) % 2, 1.0, -1.0)
    sizes = plain_sum((p, n, wp, np.abs(wn)), 1 / 7)
    found = sum_of_powers(p, n, wp, wn, 1 / 7)
    assert found == pytest.approx(plain_sum((p, n, wp, wn), 1 / 7), rel=0, abs=1e-14 * sizes)


@pytest.mark.usefixtures("_fast_alone")
@pytest.mark.parametrize("q", [10, 10.5, 20.5])
@pytest.mark.parametrize("family", ["sigmoid", "one positive", "both signs"])
def test_high_powers(family, q, monkeypatch):
    monkeypatch.setattr(_power_sums, "_CROWD", 1)
    sides = score_set(family, 600, weighted=False)
    assert sum_of_powers(*sides, q) == pytest.approx(plain_sum(sides, q), **CLOSE)


@pytest.mark.parametrize(
    ("positives", "negatives", "q", "expected"),
    [
        ([0.5], [0.5], 1 / 7, 0.0),
        ([-1.7e308, 1.7e308], [-1.7e308], 0.5, np.sqrt(1.7e308) * np.sqrt(2.0)),
        ([1e308], [0.0], 2, np.inf),
        ([5e-324, 1.5e-323], [0.0], 0.5, np.sqrt(5e-324) + np.sqrt(1.5e-323)),
        ([0.0], [1.0], 3, 0.0),
        ([0.0], [1e308], 3, 0.0),
        ([1.0], [0.0], 0, 1.0),
        ([1e-300, 1.0], [0.0], 1 / 1001, 1 + 10 ** (-300 / 1001)),
    ],
)
@pytest.mark.usefixtures("_fast_alone")
def test_extremes(positives, negatives, q, expected, monkeypatch):
    """Spans at both ends of the floats, sums beyond them, and ties."""
    monkeypatch.setattr(_power_sums, "_CROWD", 1)
    value = sum_of_powers(np.array(positives), np.array(negatives), None, None, q)
    assert value == pytest.approx(expected, rel=rounding(40))


@pytest.mark.usefixtures("_fast_alone")
def test_scores_closer_than_the_narrowest_cells():
    tiny = 1e-310 * np.arange(1, 41)
    sides = np.append(tiny, 1.0), np.append(0, tiny - 5e-311), None, None
    assert sum_of_powers(*sides, 1 / 7) == pytest.approx(plain_sum(sides, 1 / 7), rel=rounding(40))


@pytest.mark.usefixtures("_fast_alone")
@pytest.mark.parametrize("scores_a_cell", [1, _power_sums._SCORES_A_CELL])
def test_neighbouring_floats_beside_a_crowd_near_zero(scores_a_cell, monkeypatch):
    """Cells of a wide score's last bits are not split further with those of tiny scores."""
    monkeypatch.setattr(_power_sums, "_SCORES_A_CELL", scores_a_cell)
    monkeypatch.setattr(_power_sums, "_CROWD", 20)
    rng = np.random.default_rng(0)
    last_bits = 0.9 + 2.0**-53 * rng.integers(0, 512, (2, 300))
    p, n = np.sort(np.concatenate([last_bits, 1e-30 * rng.random((2, 2000))], axis=1))
    sides = p, n, rng.random(2300) * (p > 0.5) + 1e-9, rng.random(2300) * (n > 0.5) + 1e-9
    for q in (1 / 7, 2):
        assert sum_of_powers(*sides, q) == pytest.approx(plain_sum(sides, q), **CLOSE)
