"""Near-linear sums of 1 / (1 + exp(-beta d)) against the sum pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from skaucx.metrics._pairs.sums import logistic_grid as _logistic_sums
from skaucx.metrics._pairs.sums.logistic_grid import sum_of_logistics
from tests.closeness import rounding
from tests.each import each
from tests.metrics.pair_sets import FAMILIES, exact_sum, score_set

BETAS = [1e-3, 0.1, 1, 7, 100, 3e3, 1e5, 1e6]
# The float64 summand itself is inexact by eps beta |d|, up to 700 eps where it is a number at all.
CLOSE = {"rel": 1e-13, "abs": 1e-290}


def plain_sum(sides, beta):
    return exact_sum(lambda d: special.expit(beta * d), *sides)


@pytest.fixture
def _fast_alone(monkeypatch):
    """Keep even the smallest sets from being summed pair by pair."""
    monkeypatch.setattr(_logistic_sums, "_FEW_PAIRS", 0)
    monkeypatch.setattr(_logistic_sums, "_FEW_PRODUCTS", 0)


@pytest.mark.usefixtures("_fast_alone")
@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
class TestAgainstPairs:
    @pytest.mark.parametrize("size", [2, 3, 7, 40, 400])
    def test_few_scores(self, family, weighted, size):
        sides = score_set(family, size, weighted)
        for beta in BETAS:
            assert sum_of_logistics(*sides, beta) == pytest.approx(plain_sum(sides, beta), **CLOSE)

    def test_many_scores(self, family, weighted):
        sides = score_set(family, 2000, weighted)
        for beta in (7, 300, 1e4):
            assert sum_of_logistics(*sides, beta) == pytest.approx(plain_sum(sides, beta), **CLOSE)


def test_ten_thousand_scores():
    sides = score_set("sigmoid", 10_000, weighted=True)
    assert sum_of_logistics(*sides, 300) == pytest.approx(plain_sum(sides, 300), **CLOSE)


@pytest.mark.parametrize("beta", [0.1, 7, 50])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("family", ["sigmoid", "tiny to one"])
def test_a_million_scores_agree_with_themselves(family, weighted, beta):
    """A stretched grid has other cells, and sigma(x) + sigma(-x) = 1."""
    p, n, wp, wn = score_set(family, 1_000_000, weighted)
    total = sum_of_logistics(p, n, wp, wn, beta)
    assert sum_of_logistics(1.5 * p, 1.5 * n, wp, wn, beta / 1.5) == pytest.approx(total, rel=5e-14)
    pairs = (wp.sum() if weighted else len(p)) * (wn.sum() if weighted else len(n))
    assert pairs - sum_of_logistics(n, p, wn, wp, beta) == pytest.approx(total, rel=1e-13)


@pytest.mark.usefixtures("_fast_alone")
@each("family", FAMILIES)
def test_sparse_cells_in_several_batches(family, monkeypatch):
    monkeypatch.setattr(_logistic_sums, "_PAIRS_A_CELL", 0)
    monkeypatch.setattr(_logistic_sums, "_CELLS_AT_ONCE", 5)
    sides = score_set(family, 150, weighted=True)
    for beta in (50, 1e3):
        assert sum_of_logistics(*sides, beta) == pytest.approx(plain_sum(sides, beta), **CLOSE)


@pytest.mark.parametrize(
    ("positives", "negatives", "beta", "expected"),
    [
        ([0.5], [0.5], 7, 0.5),
        ([-1e308, 1e308], [-1e308], 1e6, 1.5),
        ([1e17, 1e17 + 64], [1e17, 1e17 + 32], 1, 2.5),
        ([-1e17, 1.0], [1.0, 1e17], 1, 0.5),
        ([-1.0, 1e17], [-1e17, 1e17 - 16], 1, 3 - special.expit(-16.0)),
        ([0.0], [1.0], 800, 0.0),
        ([0.0], [1.0], 700, np.exp(-700.0)),
        ([5e-324], [0.0], 1e-3, 0.5),
    ],
)
@pytest.mark.usefixtures("_fast_alone")
def test_extremes(positives, negatives, beta, expected, monkeypatch):
    """Overflowing differences, cells beyond 2^53, ties, and summands near the smallest floats."""
    monkeypatch.setattr(_logistic_sums, "_PAIRS_A_CELL", 0)
    value = sum_of_logistics(np.array(positives), np.array(negatives), None, None, beta)
    assert value == pytest.approx(expected, rel=rounding(4), abs=1e-320)


@pytest.mark.usefixtures("_fast_alone")
def test_a_few_near_pairs_weigh_more_than_a_crowd_far_below():
    """Neglected pairs are small against the sum, not against the number of pairs."""
    p = np.append(np.linspace(-0.2, 0, 2000), 1.0)
    n = np.append(1.0, np.linspace(1.2, 1.4, 2000))
    wp, wn = np.full(2001, 1e12), np.full(2001, 1e12)
    wp[-1] = wn[0] = 1e-6
    for beta in (20, 35, 100):
        expected = plain_sum((p, n, wp, wn), beta)
        assert sum_of_logistics(p, n, wp, wn, beta) == pytest.approx(expected, rel=rounding(4001))


@pytest.mark.parametrize("constant", ["_FEW_PAIRS", "_FEW_PRODUCTS"])
def test_the_order_of_magnitude_of_the_cut_over_does_not_show(constant, monkeypatch):
    sides = score_set("sigmoid", 1000)
    by_cells = sum_of_logistics(*sides, 7)
    monkeypatch.setattr(_logistic_sums, constant, 1 << 60)
    assert sum_of_logistics(*sides, 7) == pytest.approx(by_cells, rel=rounding(2000))


@each("family", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_products_of_powers(family, weighted):
    """Also where every beta d lies as far out as they are used."""
    sides = p, n, _, _ = score_set(family, 200, weighted)
    span = max(p[-1], n[-1]) - min(p[0], n[0]) or 1
    for beta in (1e-3 / span, 1 / span, _logistic_sums._WIDEST_PRODUCT / span):
        assert sum_of_logistics(*sides, beta) == pytest.approx(plain_sum(sides, beta), **CLOSE)
