"""What several metrics read of one table is made once, and never of a table that may change."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx.metrics._records.counts import once, shares_of, sides_of
from skaucx.metrics.curves import _thresholds


def test_a_constant_table_is_read_once():
    calls = []
    total = once(lambda table: calls.append(0) or table.sum())
    for first in (3, 5):  # the second may lie where the first did
        table = sm.Counts.from_table([[first, 2], [1, 1]]).table
        assert [total(table), total(table)] == [first + 4, first + 4]
        del table
    assert len(calls) == 2


@pytest.mark.parametrize("constant", [False, True])
def test_a_table_that_changes_is_read_anew(constant):
    total = once(lambda table: table.sum())
    table = np.array([[3.0, 2.0], [1.0, 1.0]])
    seen = table.view()
    seen.setflags(write=not constant)
    assert total(seen) == 7
    table[0, 0] = 5
    assert total(seen) == 9


def test_curves_in_blocks_are_those_of_all_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    truth, score = rng.random(500) < 0.3, rng.random(500).round(2)
    whole = sm.threshold_curves(truth, score)
    monkeypatch.setattr(_thresholds, "_AT_ONCE", 7)
    parts = sm.threshold_curves(truth, score)
    for name, curve in whole.values.items():
        np.testing.assert_array_equal(parts[name], curve, err_msg=name)


def test_blocks_warn_once_a_metric(monkeypatch):
    monkeypatch.setattr(_thresholds, "_AT_ONCE", 2)
    ask = {"metrics": ["precision"], "zero_division": "warn"}
    with pytest.warns(UserWarning, match="precision is undefined") as told:
        found = sm.threshold_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], **ask)
    assert len(told) == 1
    assert found["precision"][0] == 0


def test_what_metrics_share_cannot_be_written_to():
    table = sm.Counts.from_table([[3, 2], [1, 1]]).table
    for found in (shares_of(table), *sides_of(table)):
        with pytest.raises(ValueError, match="read-only"):
            found *= 2
