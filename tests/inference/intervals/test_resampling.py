"""Resamples as counts: their sums, their law, strata, groups and seeds."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics._registry import resampling as _resampling
from skaucx.metrics._registry.resampling import Resampling


def drawn(plan, n_resamples=4000, seed=0):
    return np.concatenate(list(plan.resamples(n_resamples, seed)))


def test_rows_are_drawn_as_often_as_there_are_rows():
    counts = drawn(Resampling(7))
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.06)
    # Multinomial: variance 1 - 1/n, covariance -1/n.
    np.testing.assert_allclose(np.cov(counts.T), np.eye(7) - 1 / 7, atol=0.1)


def test_groups_are_drawn_as_a_whole():
    groups = np.array([0, 1, 1, 2, 0, 3, 3])
    counts = drawn(Resampling(7, groups=groups))
    first = [0, 1, 3, 5]
    assert (counts == counts[:, first][:, groups]).all()
    assert (counts[:, first].sum(axis=1) == 4).all()


def test_multiplicity_draws_all_of_the_equal_rows():
    counts = drawn(Resampling(3, multiplicity=np.array([50, 30, 20])))
    assert (counts.sum(axis=1) == 100).all()
    np.testing.assert_allclose(counts.mean(axis=0), [50, 30, 20], rtol=0.02)
    np.testing.assert_allclose(counts.var(axis=0), [25, 21, 16], rtol=0.1)


@pytest.mark.parametrize("groups", [None, np.arange(40) // 2])
def test_the_seed_alone_decides(groups, monkeypatch):
    plan = Resampling(40, groups=groups)
    whole = drawn(plan, 50)
    assert (whole == drawn(plan, 50)).all()
    assert (whole != drawn(plan, 50, seed=1)).any()
    assert (whole == drawn(plan, 50, seed=np.random.RandomState(0))).all()
    monkeypatch.setattr(_resampling, "_COUNTS_AT_ONCE", 120)
    assert (whole == drawn(plan, 50)).all()


def test_deletions_leave_out_one_unit_each():
    ((counts, alike),) = Resampling(5).deletions()
    assert (counts == 1 - np.eye(5)).all()
    assert (alike == 1).all()
    ((counts, alike),) = Resampling(4, groups=np.array([0, 1, 1, 2])).deletions()
    assert counts.tolist() == [[0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 0]]
    ((counts, alike),) = Resampling(2, multiplicity=np.array([3, 9])).deletions()
    assert counts.tolist() == [[2, 9], [3, 8]]
    assert alike.tolist() == [3, 9]


@pytest.mark.parametrize(("resamples", "bundles"), [(20, 50), (300, 300), (5000, 1000)])
def test_bundles_are_no_more_than_resamples_need(resamples, bundles):
    """The jackknife of an acceleration costs no more than the resamples that it corrects."""
    parts = list(Resampling(3000).deletions(0, resamples))
    counts = np.concatenate([counts for counts, _ in parts])
    assert counts.shape == (bundles, 3000)
    assert ((counts == 0).sum(axis=0) == 1).all()
