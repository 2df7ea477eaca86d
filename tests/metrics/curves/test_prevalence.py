"""Metrics over the share of positives."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.metrics import Counts, f1_score, fbeta_score, list_metrics, precision_score
from skaucx.metrics._registry.declare import METRICS, missing_options
from skaucx.metrics.curves import prevalence_table

RATES = {"sensitivity": 0.8, "specificity": 0.9}
SHARES = [0.5, 0.1, 0.01]


def test_a_row_is_the_metric_of_the_tables_that_the_rates_give():
    found = prevalence_table(["precision", "f1", "fbeta"], **RATES, prevalence=SHARES, beta=2.0)
    assert list(found.values) == ["precision", "f1", "fbeta"]
    for k, share in enumerate(SHARES):
        cells = Counts.from_rates(**RATES, prevalence=share)
        wanted = [
            precision_score.from_counts(cells),
            f1_score.from_counts(cells),
            fbeta_score.from_counts(cells, beta=2.0),
        ]
        np.testing.assert_array_equal([each[k] for each in found.values.values()], wanted)
    frame = found.to_frame()
    assert frame.index.tolist() == ["precision", "f1", "fbeta"]
    assert frame.columns.tolist() == ["0.5", "0.1", "0.01"]


def test_what_is_declared_free_of_prevalence_stays():
    free = [
        each.name
        for each in list_metrics(prevalence_free=True)
        if METRICS[each.name].metric.kind.name == "counts"
    ]
    assert len(free) > 5
    needed = [name for name in free if not missing_options(METRICS[name], {})]
    found = prevalence_table([*needed, "precision"], **RATES, prevalence=SHARES)
    for name in needed:
        np.testing.assert_allclose(found.values[name], found.values[name][0], rtol=1e-12)
    assert np.ptp(found.values["precision"]) > 0.8


def test_one_prevalence_and_wrong_ones():
    assert prevalence_table("precision", **RATES, prevalence=0.5).values["precision"].shape == (1,)
    with pytest.raises(ValueError, match="prevalence"):
        prevalence_table("precision", **RATES, prevalence=[0.5, 50])
    with pytest.raises(ValueError, match="sensitivity"):
        prevalence_table("precision", sensitivity=80, specificity=0.9, prevalence=0.5)
