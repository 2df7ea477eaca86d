"""Counts of one table against those of tables in a stack."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import Counts, cohen_kappa_score, confusion_matrix
from skaucx.metrics.association import cramer_v, phi_squared


def test_one_binary_table_is_counted_as_in_a_stack():
    tables = np.random.default_rng(0).uniform(0, 9, (20, 2, 2))
    stacked = Counts.one_vs_rest(tables)
    for k, table in enumerate(tables):
        for alone, among in zip(Counts.one_vs_rest(table).cells, stacked.cells, strict=True):
            np.testing.assert_array_equal(alone, among[k])


@pytest.mark.parametrize("of", [
    phi_squared,
    lambda y, p: cohen_kappa_score(y, p, weights="linear"),
    lambda y, p: cramer_v(y, p, sample_weight=np.ones(len(y))),
    lambda y, p: evaluate(y, p, metrics=["cramer_v"]),
    lambda y, p: interval("theil_u", y, p, method="percentile", n_resamples=30),
])  # fmt: skip
def test_more_classes_than_fit_are_refused_before_their_table_is_made(of, monkeypatch):
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 200)
    y = np.array([f"class {k}" for k in range(300)])
    with pytest.raises(ValueError, match=r"300 classes.* for 200\..*[Jj]oin") as told:
        of(y, y[::-1])
    assert "y_true" in str(told.value)
    of(y[:200], y[:200])


def test_more_classes_than_scikit_learns_table_has_room_for_are_named(monkeypatch):
    def no_room(*arrays, **options):
        raise MemoryError

    monkeypatch.setattr("sklearn.metrics.confusion_matrix", no_room)
    with pytest.raises(MemoryError):  # of few classes, as where the rows take all of it
        confusion_matrix([0, 1], [1, 1])
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 50)
    with pytest.raises(ValueError, match=r"60 classes.*[Jj]oin"):
        confusion_matrix(np.arange(60), np.arange(60))
