"""Sample sizes and powers by simulation, by the intervals that they plan, and by published values."""

import math

import numpy as np
import pytest
from scipy import stats

from skaucx.inference import interval, rate_sample_size, roc_auc_sample_size
from skaucx.inference._intervals.limits import wilson
from skaucx.inference._planning.sample_size import binormal_variance, power_of


def test_a_planned_half_width_of_a_rate_is_that_of_wilsons_interval():
    """With one row more, and not with one less."""
    for rate, half in ((0.9, 0.1), (0.75, 0.04), (0.5, 0.02)):
        n = rate_sample_size(rate, half_width=half).n_positive
        widths = [np.diff(wilson(rate * m, m, 0.95)) / 2 for m in (n - 1, n)]
        assert widths[1] <= half < widths[0]


@pytest.mark.parametrize(("auc", "ratio", "total"), [(0.8, 3, 387), (0.9, 9, 384)])
def test_a_planned_half_width_is_that_of_the_interval(auc, ratio, total):
    size = roc_auc_sample_size(auc, half_width=0.05, ratio=ratio)
    assert size.total == total
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [size.n_positive, size.n_negative])
    shift, widths = math.sqrt(2) * stats.norm.ppf(auc), []
    for _ in range(60):
        found = interval("roc_auc", y, rng.normal(size=len(y)) + shift * y)
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(0.05, rel=0.08)


def test_prevalence_of_buderer():
    found = rate_sample_size(0.9, half_width=0.1, prevalence=0.2)
    assert (found.n_positive, found.total) == (37, 185)
    found = rate_sample_size(0.9, half_width=0.1, prevalence=0.2, of="negatives")
    assert (found.n_negative, found.n_positive) == (37, 10)


@pytest.mark.parametrize("power", [0.01, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("ratio", [0.1, 1, 20])
def test_sizes_reach_the_power_and_no_less_does(power, ratio):
    def reached(auc, p, n):
        return power_of(auc - 0.6, z, *(binormal_variance(each, p, n, 1.0) for each in (0.6, auc)))

    z = stats.norm.isf(0.05)
    for auc in (0.05, 0.55, 0.7, 0.97):
        found = roc_auc_sample_size(
            auc, power=power, ratio=ratio, null=0.6, alternative="one-sided"
        )
        assert found.power == reached(auc, found.n_positive, found.n_negative) >= power
        fewer = found.n_positive - 1
        assert not fewer or reached(auc, fewer, ratio * fewer) < power


@pytest.mark.parametrize("of", ["positives", "negatives"])
def test_sizes_of_rates_reach_the_power(of):
    def reached(n):
        return power_of(0.9 - 0.85, stats.norm.isf(0.025), *(p * (1 - p) / n for p in (0.85, 0.9)))

    found = rate_sample_size(0.9, null=0.85, power=0.9, of=of, prevalence=0.1)
    n = found.n_positive if of == "positives" else found.n_negative
    assert reached(n) == found.power >= 0.9 > reached(n - 1)
    assert found.n_positive / found.total == pytest.approx(0.1, rel=0.02)


def test_exact_binormal_variance_is_that_of_simulated_aucs():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 120)) + 1.812 * np.repeat([1, 0], 60)  # an AUC of .9
    wins = scores[:, :60, None] > scores[:, None, 60:]
    found = binormal_variance(0.9, 60, 60, 1.0)
    assert found == pytest.approx(wins.mean(axis=(1, 2)).var(), rel=0.08)


def test_unequal_spreads_need_fewer():
    wide, equal = (roc_auc_sample_size(0.7, null=0.6, ratio=3, spread=x) for x in (2, 1))
    assert equal.total < 0.75 * wide.total
