"""Tests of one set of predictions: against the definitions, SciPy and the test's real size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx import inference


def calibrated(seed, n=200):
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 2, n)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("seed", range(3))
def test_spiegelhalters_z_by_the_formula_of_two_classes(seed):
    y, p = calibrated(seed)
    top, spread = (y - p) * (1 - 2 * p), (1 - 2 * p) ** 2 * p * (1 - p)
    found = inference.spiegelhalter_test(y, p)
    assert found.statistic == pytest.approx(top.sum() / np.sqrt(spread.sum()), rel=1e-12)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.statistic)), rel=1e-12)
    assert found.estimates[0] == pytest.approx(sm.brier_score_loss(y, p), rel=1e-12)
    low, high = found.interval
    assert low < found.difference < high
    matrix = inference.spiegelhalter_test(y, np.column_stack([1 - p, p]))
    assert matrix.statistic == pytest.approx(found.statistic, rel=1e-12)
    names = np.array(["no", "yes"])[y]
    assert inference.spiegelhalter_test(names, p, pos_label="yes").statistic == found.statistic
    one = inference.spiegelhalter_test(y, p, sample_weight=np.full(len(y), 3.0))
    assert one.statistic == pytest.approx(found.statistic, rel=1e-12)


def test_z_is_undefined_where_wrong_probabilities_are_sure():
    with pytest.warns(
        UndefinedMetricWarning, match="^Spiegelhalter's z is undefined and nan: the sta"
    ):
        found = inference.spiegelhalter_test([1, 0, 1], [1.0, 1.0, 0.0])
    assert (found.difference, found.standard_error) == (pytest.approx(2 / 3), 0)
    assert np.isnan([found.statistic, found.p_value]).all()


@pytest.mark.parametrize("classes", [2, 4])
def test_z_is_standard_normal_where_probabilities_are_true(classes):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        p = rng.dirichlet(np.ones(classes), 100)
        y = (rng.random((100, 1)) > p.cumsum(axis=1)).sum(axis=1)
        found.append(inference.spiegelhalter_test(y, p, labels=range(classes)).statistic)
    assert stats.kstest(found, "norm").pvalue > 0.01


def test_the_sign_of_z_tells_extreme_from_timid():
    y, p = calibrated(1, 2000)
    extreme, timid = p**2 / (p**2 + (1 - p) ** 2), (p + 0.5) / 2
    assert inference.spiegelhalter_test(y, extreme, alternative="greater").p_value < 0.01
    assert inference.spiegelhalter_test(y, timid, alternative="less").p_value < 0.01


def test_probabilities_without_variance():
    with pytest.warns(UndefinedMetricWarning, match="Spiegelhalter"):
        assert np.isnan(inference.spiegelhalter_test([0, 1, 1], [0.0, 1.0, 0.0]).statistic)
    with pytest.raises(ValueError, match=r"probabilities lie in \[0, 1\]"):
        inference.spiegelhalter_test([0, 1], [0.2, 1.3])
    with pytest.raises(ValueError, match="pos_label"):
        inference.spiegelhalter_test(["a", "b"], [0.2, 0.3])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("correction", [False, True])
def test_chi_squared_is_that_of_scipy(classes, correction):
    rng = np.random.default_rng(classes)
    y, p = rng.integers(0, classes, (2, 80))
    expected = stats.chi2_contingency(np.array(stats.contingency.crosstab(y, p)[1]), correction)
    found = inference.chi_squared_test(y, p, correction=correction)
    assert found.statistic == pytest.approx(expected.statistic)
    assert (found.p_value, found.df) == (pytest.approx(expected.pvalue), expected.dof)
    assert found.estimates == (pytest.approx(sm.association.cramer_v(y, p)),)
    if not correction:
        assert found.statistic == pytest.approx(80 * sm.association.phi_squared(y, p))
    table = sm.Counts.from_labels(y, p) if classes == 2 else stats.contingency.crosstab(y, p)[1]
    assert inference.chi_squared_test(counts=table).p_value == pytest.approx(
        inference.chi_squared_test(y, p).p_value
    )


def test_chi_squared_of_classes_that_one_side_lacks():
    found = inference.chi_squared_test(["a", "b", "a", "b"], ["a", "c", "a", "c"])
    assert (found.statistic, found.df) == (4, 1)
    alone = inference.chi_squared_test([0, 1, 1], [1, 1, 1])
    assert (alone.statistic, alone.p_value) == (0, 1)
    with pytest.raises(ValueError, match="omit"):
        inference.chi_squared_test([0, 1], [0, 1], counts=[[1, 2], [3, 4]])


def test_the_no_information_rate_has_a_test():
    """PyCM 4.6's P-Value of the same table."""
    y = np.repeat([0, 0, 1, 1], [30, 9, 4, 17])
    p = np.repeat([0, 1, 0, 1], [30, 9, 4, 17])
    found = inference.proportion_test("accuracy", y, p, alternative="greater")
    assert found.estimates[1] == sm.association.no_information_rate(y, p)
    assert found.p_value == pytest.approx(0.018443578531082028, rel=1e-12)
