"""Counts of one table against those of tables in a stack."""

from __future__ import annotations

import numpy as np

from skaucx.metrics import Counts


def test_one_binary_table_is_counted_as_in_a_stack():
    tables = np.random.default_rng(0).uniform(0, 9, (20, 2, 2))
    stacked = Counts.one_vs_rest(tables)
    for k, table in enumerate(tables):
        for alone, among in zip(Counts.one_vs_rest(table).cells, stacked.cells, strict=True):
            np.testing.assert_array_equal(alone, among[k])
