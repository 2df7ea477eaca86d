"""Small cases whose answer is known by hand, for lines that larger comparisons do not reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx.inference import decision_band, interval, precision_recall_band
from skaucx.metrics._registry.samples import sample_of
from skaucx.metrics.association import cramer_v
from skaucx.metrics.calibration import smooth_calibration_error
from skaucx.metrics.costs import example_cost_loss
from skaucx.metrics.rejection import coverage_at_risk_score

RNG = np.random.default_rng(5)
Y = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 1])
SCORE = RNG.dirichlet(np.ones(3), len(Y)).round(2)
SCORE[:, 0] = 1 - SCORE[:, 1] - SCORE[:, 2]
WEIGHT = RNG.integers(1, 5, len(Y)).astype(float)
COUNTS = RNG.integers(0, 3, (4, len(Y))).astype(float) + 1


def test_replicates_of_weighted_rows_of_any_kind_are_metrics_of_these_weights():
    true, called = Y % 2, (SCORE[:, 1] > 0.3).astype(int)
    costs = {"example_costs": RNG.random((len(Y), 2))}
    for function, second, further in (
        (example_cost_loss, called, costs),
        (sm.log_loss, SCORE[:, 1], {}),
        (sm.f1_score, called, {}),
    ):
        row = function.metric
        replicates = sample_of(row, true, second, sample_weight=WEIGHT, **further).reweighted(
            COUNTS
        )
        wanted = [function(true, second, sample_weight=w * WEIGHT, **further) for w in COUNTS]
        np.testing.assert_allclose(row.value(replicates), wanted, rtol=1e-12, err_msg=row.name)


def test_top_one_of_one_column_is_cut_at_a_half_unless_some_score_is_no_probability():
    y = [0, 1, 1, 0]
    assert sm.top_k_accuracy_score(y, [0.2, 0.4, 0.6, 0.1], k=1) == 0.75  # at 1/2
    assert sm.top_k_accuracy_score([0, 1, 1, 1], [-0.2, 0.4, 0.6, 0.7], k=1) == 1.0  # at 0


def test_smooth_calibration_error_of_equal_probabilities_is_their_residual():
    """All residuals are at one place, and the kernel keeps their sum."""
    for place in (0.0, 0.3, 1.0):
        y = np.repeat([0, 1], [30, 10])
        found = smooth_calibration_error(y, np.full(40, place))
        assert found == pytest.approx(abs(0.25 - place), abs=1e-9)


def test_cramer_v_of_one_row_or_column_is_undefined():
    for table in ([[3, 2], [0, 0]], [[3, 0], [2, 0]], [[3, 0], [0, 0]]):
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(cramer_v.from_table(table))
    with pytest.warns(UndefinedMetricWarning):
        found = cramer_v.from_table(
            np.array([[[3, 2], [0, 0]], [[3, 0], [2, 0]], [[3, 1], [1, 3]]])
        )
    np.testing.assert_allclose(found, [np.nan, np.nan, 0.5])


def test_limits_of_the_debiased_calibration_error_solve_their_equation():
    """In one bin the square of the gap g has the variance 4 g^2 s / n + 2 s^2 / n^2 and its skewness."""
    y, n = np.repeat([0, 1], [25, 35]), 60
    found = interval(
        "binned_calibration_error",
        y,
        np.full(n, 0.8),
        norm="l2",
        debias=True,
        n_bins=1,
        classes="each",
    )
    rate = 35 / 60
    square = (rate - 0.8) ** 2 - rate * (1 - rate) / (n - 1)
    rate = (35 + 0.8) / (n + 1)
    s, z = rate * (1 - rate), 1.959963984540054
    for end, sign in ((found.low, 1), (found.high, -1)):
        gap = end**2
        variance = 4 * gap * s / n + 2 * s**2 / n**2
        third = 24 * gap * s**2 / n**2 + 8 * s**3 / n**3
        reach = sign * z * math.sqrt(variance) + third / variance * (z**2 - 1) / 6
        assert gap + reach == pytest.approx(square, rel=1e-6)


def test_a_risk_that_is_borne_exactly_is_borne():
    """0.29 * 100 is 28.999999999999996 in floating point."""
    y, p = np.repeat([0, 1], [29, 71]), np.linspace(0.99, 0.6, 100)
    assert coverage_at_risk_score(y, p[::-1], risk=0.29) == 1.0


def test_a_band_of_the_net_benefit_ends_at_one():
    y, p = np.append(np.ones(19), 0), np.append(np.linspace(0.7, 0.99, 19), 0.1)
    band = decision_band(y, p, thresholds=[0.05, 0.2], n_resamples=200, random_state=0)
    assert band.high.tolist() == [1.0, 1.0]


def test_a_band_has_a_width_where_nobody_is_called():
    """Two of each are added to the shares of true and false positives, false ones at odds of 4."""
    y, p = np.repeat([0, 1], [12, 8]), np.linspace(0.1, 0.6, 20)

    def error(n):
        share = 2 / (n + 4)
        return math.sqrt(share * (1 - share) / (n + 4))

    asked = {"thresholds": [0.8], "n_resamples": 2, "random_state": 0}  # two are enough
    for given, of_tp, of_fp in (({}, error(20), error(20)), (
        {"prevalence": 0.3}, 0.3 * error(8), 0.7 * error(12)
    )):  # fmt: skip
        band = decision_band(y, p, **asked, **given)
        assert band.net_benefit == [0]
        assert band.low == pytest.approx(-1.959963984540054 * math.hypot(of_tp, 4 * of_fp))


def test_a_band_has_a_width_where_the_precision_is_always_one():
    """Of a perfect ranking of 8 positives 4 are called at a recall of 1/2, and two of each are added."""
    y, p = np.repeat([0, 1], [12, 8]), np.linspace(0.1, 0.6, 20)
    ask = {"simultaneous": False, "n_resamples": 20, "random_state": 0}
    band = precision_recall_band(y, p, recall=[0.5], **ask)
    assert band.precision == band.high == [1]
    assert band.low == pytest.approx(1 - 1.96 * math.sqrt(2 / 8 * 6 / 8 / 8), abs=1e-4)
