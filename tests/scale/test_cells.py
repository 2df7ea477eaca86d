"""Scores in cells: one state whatever the order, bounds that always hold, exact where they can be."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics import list_metrics
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.scale._aggregation import costs, split
from skaucx.scale._bounds import STEP_BOUNDS, bound, is_bounded
from skaucx.scale._edges import edge_scores
from skaucx.scale._score_histogram import ScoreCells, codes_of, merged, scores_of
from tests.closeness import rounding
from tests.scale.score_families import families

PARAMETERS = {
    "roc_auc": [{}, {"max_fpr": 0.1}, {"ties": "win"}, {"ties": "loss"}],
    "partial_roc_auc": [{}, {"fpr": (0.1, 0.3), "standardize": True}, {"tpr": (0.2, 0.9)}],
    "two_way_partial_auc": [{}, {"max_fpr": 0.3, "min_tpr": 0.4}],
    "precision_at_k": [{}, {"share": 0.5}, {"k": 2}],
    "bedroc": [{}, {"alpha": 3.0}],
    "h_measure": [{}, {"severity_ratio": 0.1}],
    "recall_at_precision": [{}, {"min_precision": 0.1}],
    "sond_auc": [{}, {"q": 3.3}],
    "soft_auc": [{}, {"beta": 300.0}],
}
RISING = [row for row in list_metrics() if is_bounded(row) and row.kind.scale is not None]
BY_VALUES = {row.name for row in RISING if (b := STEP_BOUNDS.get(row.name)) and b.by_values}
MOST = 1 << 40


def same(a, b):
    for name in ("first", "last", "positive", "negative", "ends"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.level == b.level


def rows(lowest, highest):
    """Return the metrics with bounds that take scores of this range, a parameter set each."""
    unit = lowest >= 0 and highest <= 1
    return [
        (row, given)
        for row in RISING
        for given in PARAMETERS.get(row.name, [{}])
        if unit or row.kind.scale != "unit"
    ]


def values(scores):
    with np.errstate(all="ignore"):
        return {
            (row.name, str(given)): np.clip(row.formula(scores, **given), *row.bounds)
            for row, given in rows(scores.lowest, scores.highest)
        }


def bounds(cells, side):
    edges = edge_scores(cells, side)
    with np.errstate(all="ignore"):
        return {
            (row.name, str(given)): bound(row, edges, given)
            for row, given in rows(edges.lowest, edges.highest)
        }


def within(low, value, high):
    """Whether bounds hold; the lower is the least value where it is open if any threshold will do."""
    undefined = np.isnan(value) and (np.isnan(high) or low == 0)
    return low <= value <= high or undefined


def check(cells, exact):
    low, high = bounds(cells, -1), bounds(cells, 1)
    for key, value in exact.items():
        assert within(low[key], value, high[key]), key
    return low, high


def test_codes():
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.normal(size=99), [0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308]])
    codes = codes_of(score)
    np.testing.assert_array_equal(
        np.argsort(codes, kind="stable"), np.argsort(score, kind="stable")
    )
    np.testing.assert_array_equal(scores_of(codes), score)
    assert codes_of(np.array([0.0])) == codes_of(np.array([-0.0]))


@pytest.mark.parametrize(
    ("n", "prevalence"),  # of few rows one class is rare at any
    [(2, 0.5), (5, 0.5), (40, 0.5), (40, 0.01), (1000, 0.5), (1000, 0.01), (1000, 1e-4)],
)
def test_bounds(n, prevalence):
    """For every family and size of state the exact value lies within, to the last bit."""
    rng = np.random.default_rng(n)
    for name, truth, score in families(rng, n, prevalence):
        exact = values(RankedScores.from_scores(truth, score))
        distinct = len(np.unique(score))
        for max_cells in (1, 2, 7, 64, 512, 1 << 20):
            cells = ScoreCells.count(truth, score, None, max_cells)
            assert len(cells) <= max_cells
            assert (cells.level == 0) == (distinct <= max_cells), name
            low, high = check(cells, exact)
            if distinct <= max_cells:
                np.testing.assert_equal([low, high], [exact, exact])


@pytest.mark.parametrize("max_cells", [1, 3, 50, 700])
def test_one_state_for_every_partition(max_cells):
    """The same to the last bit, whatever the order, the chunks and the tree of merges."""
    rng = np.random.default_rng(max_cells)
    for _, truth, score in families(rng, 3000, 0.2):
        whole = ScoreCells.count(truth, score, None, max_cells)
        running = ScoreCells.empty(max_cells)
        for rows in np.array_split(rng.permutation(3000), 7):
            running += ScoreCells.count(truth[rows], score[rows], None, max_cells, running.level)
        same(running, whole)
        parts = [
            ScoreCells.count(truth[rows], score[rows], None, max_cells)
            for rows in np.array_split(rng.permutation(3000), 11)
        ]
        same(merged(parts), whole)
        same(parts[0] + merged(parts[:0:-1]), whole)


def test_level_is_the_least():
    """As many cells are kept as the limit admits: one level less would be too many."""
    rng = np.random.default_rng(1)
    truth, score = rng.random(20_000) < 0.5, rng.random(20_000)
    cells = ScoreCells.count(truth, score, None, 5000)
    finer = ScoreCells.count(truth, score, None, MOST).coarsened(cells.level - 1)
    assert len(cells) <= 5000 < len(finer)
    assert len(cells) > 4500


def test_weights():
    """Weighted sums agree with the ranking's, and do not depend on the partition beyond rounding."""
    rng = np.random.default_rng(2)
    for _, truth, score in families(rng, 2000, 0.3):
        weight = rng.exponential(size=2000)
        exact = values(RankedScores.from_scores(truth, score, weight))
        parts = [
            ScoreCells.count(truth[rows], score[rows], weight[rows], 100)
            for rows in np.array_split(rng.permutation(2000), 5)
        ]
        cells = merged(parts)
        whole = ScoreCells.count(truth, score, weight, 100)
        np.testing.assert_array_equal(cells.first, whole.first)
        np.testing.assert_allclose(cells.positive, whole.positive, rtol=rounding(2000))
        if not edge_scores(cells, -1).values_exact:
            check(cells, exact)
        every = ScoreCells.count(truth, score, weight, MOST)
        for key, value in bounds(every, -1).items():
            assert value == pytest.approx(exact[key], rel=1e-12, nan_ok=True), key


@pytest.mark.parametrize("read_values", [False, True])
def test_refined(read_values):
    """Each pass keeps the exact value within, and the last is exact."""
    rng = np.random.default_rng(3)
    order = {row.name for row in RISING if row.kind.scale == "order"}
    for name, truth, score in families(rng, 3000, 0.3):
        exact = values(RankedScores.from_scores(truth, score))
        cells = ScoreCells.count(truth, score, None, 30)
        while (plan := split(cells, costs(cells, values=read_values), 0.0, 1500)) is not None:
            parts = np.array_split(rng.permutation(3000), 3)
            finer = merged([plan.count(truth[rows], score[rows], None) for rows in parts])
            cells = plan.put_into(cells, finer)
            check(cells, exact)
        low, high = check(cells, exact)
        for key in exact:
            if read_values or key == ("roc_auc", "{}"):
                np.testing.assert_equal([low[key], high[key]], [exact[key]] * 2, str((name, key)))
            elif key[0] in order - BY_VALUES:
                assert high[key] == pytest.approx(low[key], abs=1e-11, nan_ok=True), (name, key)


def test_rows_that_change_between_passes_are_refused():
    truth, score = np.array([True, False] * 50), np.arange(100.0)
    cells = ScoreCells.count(truth, score, None, 4)
    plan = split(cells, costs(cells, values=True), 0.0, 1000)
    with pytest.raises(ValueError, match="rows changed between two passes"):
        plan.put_into(cells, plan.count(truth[:-5], score[:-5], None))


def test_withheld():
    """No class has a small count in a cell, the bounds still hold, and such states still add up."""
    rng = np.random.default_rng(4)
    for name, truth, score in families(rng, 2000, 0.2):
        half = np.arange(2000) % 2 == 0
        parts = [
            ScoreCells.count(truth[rows], score[rows], None, 300).at_least(10)
            for rows in (half, ~half)
        ]
        for part in parts:
            for side in part.sides:
                assert not ((side > 0) & (side < 10)).any(), name
        both = parts[0] + parts[1]
        assert (both.first[1:] > both.last[:-1]).all()
        assert both.total == 2000
        exact = values(RankedScores.from_scores(truth, score))
        # Cells reach beyond the scores, here beyond [0, 1]: the range is that of their edges.
        low, high = bounds(both, -1), bounds(both, 1)
        for key in low:
            if not key[0].startswith("mm") or "1" in key[0]:
                assert within(low[key], exact[key], high[key]), (name, key)
