"""Small cases whose answer is known by hand, for lines that larger comparisons do not reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx.inference import precision_recall_band
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import sample_of
from skaucx.metrics.association import cramer_v

RNG = np.random.default_rng(5)
Y = np.arange(30) % 3
COLUMNS = np.clip(np.round(RNG.dirichlet(np.ones(3), 30), 1), 0.05, None)
COLUMNS /= COLUMNS.sum(axis=1, keepdims=True)
OF_TWO = Y % 2, (COLUMNS[:, 1] > 0.3).astype(int)
OF_RISKS, OF_COLUMNS = (Y % 2, COLUMNS[:, 1]), (Y, COLUMNS)
WEIGHT, COUNTS = RNG.integers(1, 5, 30) * 1.0, RNG.integers(0, 4, (5, 30)) * 1.0
COUNTS[:, :3] += 1
REPLICATES = {
    "example_cost_loss": (OF_TWO, {"example_costs": RNG.random((30, 2))}),
    "f1": (OF_TWO, {}),
    **{
        name: (OF_RISKS, {})
        for name in ("log_loss", "binned_calibration_error", "calibration_slope",
                     "miscalibration_component")
    },
    **{
        name: (OF_COLUMNS, {})
        for name in ("aurc_loss", "excess_aurc_loss", "selective_risk_loss", "coverage_at_risk",
                     "chow_cost_loss")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", REPLICATES)
@pytest.mark.parametrize("weight", [np.ones(30), WEIGHT], ids=["rows", "weighted"])
def test_a_replicate_is_the_sample_that_it_weighs(name, weight):
    arrays, further = REPLICATES[name]
    row = METRICS[name].metric
    found = row.value(sample_of(row, *arrays, sample_weight=weight, **further).reweighted(COUNTS))
    wanted = [METRICS[name](*arrays, sample_weight=w * weight, **further) for w in COUNTS]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_top_one_of_one_column_is_cut_at_a_half_unless_some_score_is_no_probability():
    y = [0, 1, 1, 0]
    assert sm.top_k_accuracy_score(y, [0.2, 0.4, 0.6, 0.1], k=1) == 0.75  # at 1/2
    assert sm.top_k_accuracy_score([0, 1, 1, 1], [-0.2, 0.4, 0.6, 0.7], k=1) == 1.0  # at 0


def test_cramer_v_of_one_row_or_column_is_undefined():
    for table in ([[3, 2], [0, 0]], [[3, 0], [2, 0]], [[3, 0], [0, 0]]):
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(cramer_v.from_table(table))
    with pytest.warns(UndefinedMetricWarning):
        found = cramer_v.from_table([[[3, 2], [0, 0]], [[3, 0], [2, 0]], [[3, 1], [1, 3]]])
    np.testing.assert_allclose(found, [np.nan, np.nan, 0.5])


def test_a_band_has_a_width_where_the_precision_is_always_one():
    """Of a perfect ranking of 8 positives 4 are called at a recall of 1/2, and two of each are added."""
    y, p = np.repeat([0, 1], [12, 8]), np.linspace(0.1, 0.6, 20)
    ask = {"simultaneous": False, "n_resamples": 20, "random_state": 0}
    band = precision_recall_band(y, p, recall=[0.5], **ask)
    assert band.precision == band.high == [1]
    assert band.low == pytest.approx(1 - 1.96 * math.sqrt(2 / 8 * 6 / 8 / 8), abs=1e-4)
