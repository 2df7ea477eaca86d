"""Calibration: against statsmodels, model-diagnostics, netcal and torchmetrics, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as models
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.isotonic import IsotonicRegression

import skaucx.metrics as sm
from skaucx.inference import interval


def drawn(seed, n=120, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.beta(1.5, 1.5, n)
    p = p if decimals is None else np.clip(np.round(p, decimals), 0.01, 0.99)
    return (rng.random(n) < p**1.4).astype(int), p, rng.integers(1, 4, n)


def multiclass():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), 200)
    return np.array([rng.choice(4, p=row) for row in p]), p


# netcal 1.4.0 (ECE, MCE) and torchmetrics 1.9.0 in double precision (l2), 15 bins, on multiclass().
@pytest.mark.parametrize(
    ("norm", "value"),
    [("l1", 0.08064550889299778), ("l2", 0.09304764866828918), ("max", 0.32923132156043866)],
)
def test_top_label_error_of_other_libraries(norm, value):
    assert sm.binned_calibration_error(*multiclass(), norm=norm) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_calibration_error_bin_by_bin(norm, strategy):
    y, p, weight = drawn(0, decimals=1 if strategy == "quantile" else None)
    below = np.array([weight[p < each].sum() for each in p]) / weight.sum()
    bins = (
        np.clip(np.ceil(p * 5) - 1, 0, 4) if strategy == "uniform" else np.floor(below * 5 + 1e-9)
    )
    gaps, shares = [], []
    for k in np.unique(bins):
        rows = bins == k
        gaps.append(abs(np.average(y[rows] - p[rows], weights=weight[rows])))
        shares.append(weight[rows].sum() / weight.sum())
    power = {"l1": 1, "l2": 2}.get(norm)
    expected = (
        max(gaps) if power is None else np.dot(shares, np.array(gaps) ** power) ** (1 / power)
    )
    found = sm.binned_calibration_error(
        y, p, norm=norm, strategy=strategy, n_bins=5, sample_weight=weight
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_debiased_error_takes_the_variance_of_each_rate_from_its_square():
    """Of four rows at .2, two positive, .3^2 - .5^2 / 3; of four at .9, none positive, .9^2."""
    y, p = [1, 1, 0, 0, 0, 0, 0, 0], np.repeat([0.2, 0.9], 4)
    found = sm.binned_calibration_error(y, p, norm="l2", debias=True, n_bins=2)
    assert found == pytest.approx(np.sqrt((0.3**2 - 0.5**2 / 3 + 0.9**2) / 2), rel=1e-12)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("ask", [{}, {"norm": "max"}, {"norm": "l2", "debias": True}])
def test_error_of_the_top_label_is_that_of_whether_it_is_right(strategy, ask):
    y, p = multiclass()
    p = p**2 / (p**2).sum(axis=1, keepdims=True)  # too sure
    right = p.argmax(axis=1) == y
    found, expected = (
        sm.binned_calibration_error(*of, n_bins=5, strategy=strategy, **ask)
        for of in ((y, p), (right, p.max(axis=1)))
    )
    assert found == pytest.approx(expected, rel=1e-12)
    assert expected > 0


@pytest.mark.parametrize("seed", range(4))
def test_slope_and_intercepts_are_those_of_statsmodels(seed):
    y, p, weight = drawn(seed)
    x = np.log(p / (1 - p))
    law = {"family": models.families.Binomial(), "freq_weights": weight}
    both = models.GLM(y, models.add_constant(x), **law).fit(tol=1e-14).params
    alone = models.GLM(y, np.ones(len(y)), offset=x, **law).fit(tol=1e-14).params
    options = {"sample_weight": weight}
    assert sm.calibration_slope(y, p, **options) == pytest.approx(both[1], rel=1e-9)
    joint = sm.calibration_intercept(y, p, joint=True, **options)
    assert joint == pytest.approx(both[0], rel=1e-9)
    assert sm.calibration_intercept(y, p, **options) == pytest.approx(alone[0], rel=1e-9)
    assert joint != pytest.approx(alone[0], rel=1e-3)


def test_the_error_of_a_clear_miscalibration_is_that_of_its_interval():
    """Far from 0 the limits are about normal, and the delta method is that of the square root."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 20_000)
    y = rng.random(20_000) < p + 0.1
    found = interval("binned_calibration_error", y, p, norm="l2", debias=True)
    assert found.estimate == pytest.approx(0.1, abs=3 * found.standard_error)
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.standard_error, rel=0.01)


@pytest.mark.parametrize(
    ("y", "p", "reason"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.8], "separate the classes"),
        (
            [0, 1, 0, 1],
            [1.0, 0.2, 0.6, 0.8],
            "a wrong one is exactly 0 or 1; clip the prob",
        ),
        ([1, 1, 1], [0.1, 0.2, 0.3], "one class has no rows"),
        ([0, 0, 0], [0.1, 0.2, 0.3], "one class has no rows"),
    ],
)
def test_why_a_line_has_no_estimate(y, p, reason):
    with pytest.warns(UndefinedMetricWarning, match=reason):
        assert np.isnan(sm.calibration_slope(y, p, labels=[0, 1]))


@pytest.mark.parametrize("loss", ["brier", "log"])
@pytest.mark.parametrize("decimals", [None, 1])
def test_parts_are_those_of_an_isotonic_refit_and_add_up(loss, decimals):
    y, p, weight = drawn(2, decimals=decimals)
    refit = IsotonicRegression(y_min=0, y_max=1).fit(p, y, weight).predict(p)
    prior = np.full(len(y), np.average(y, weights=weight))

    def score(q):
        whole = sm.brier_score_loss if loss == "brier" else sm.log_loss
        return whole(y, q, sample_weight=weight)

    options = {"loss": loss, "sample_weight": weight}
    mcb, dsc = (
        sm.miscalibration_component(y, p, **options),
        sm.discrimination_component(y, p, **options),
    )
    unc = sm.uncertainty_component(y, p, **options)
    assert mcb == pytest.approx(score(p) - score(refit), abs=1e-12)
    assert dsc == pytest.approx(score(prior) - score(refit), abs=1e-12)
    assert unc == pytest.approx(score(prior), abs=1e-12)
    assert mcb - dsc + unc == pytest.approx(score(p), abs=1e-12)


# model-diagnostics 1.5.0, decompose(), on drawn(7, decimals=2) with its weights.
@pytest.mark.parametrize(
    ("loss", "values"),
    [
        ("brier", [0.0244656505306233, 0.08211277495954025, 0.24796761623219565]),
        ("log", [0.07235479541043582, 0.2003382695158495, 0.6890768875917169]),
    ],
)
def test_parts_of_model_diagnostics(loss, values):
    y, p, weight = drawn(7, decimals=2)
    found = [
        metric(y, p, loss=loss, sample_weight=weight)
        for metric in (
            sm.miscalibration_component,
            sm.discrimination_component,
            sm.uncertainty_component,
        )
    ]
    assert found == pytest.approx(values, rel=1e-12)


def test_many_log_odds_have_the_line_that_a_few_steps_more_find():
    """The steps begin at the means of cells there; statsmodels begins anew."""
    rng = np.random.default_rng(0)
    p = rng.random(30_000) ** 0.7
    y = (rng.random(30_000) < p**1.3).astype(int)
    x = np.log(p / (1 - p))
    law = {"family": models.families.Binomial()}
    both = models.GLM(y, models.add_constant(x), **law).fit(tol=1e-14).params
    assert sm.calibration_intercept(y, p, joint=True) == pytest.approx(both[0], rel=1e-9)
    assert sm.calibration_slope(y, p) == pytest.approx(both[1], rel=1e-9)


@pytest.mark.parametrize(
    "name", ["binned_calibration_error", "calibration_slope", "miscalibration_component"]
)
def test_a_replicate_is_the_sample_that_it_weighs(name):
    from skaucx.metrics._registry.declare import METRICS
    from skaucx.metrics._registry.samples import sample_of

    y, p, _ = drawn(4, decimals=2)
    row, counts = METRICS[name].metric, np.random.default_rng(0).poisson(1, (3, len(y))) * 1.0
    found = row.value(sample_of(row, y, p).reweighted(counts))
    expected = [METRICS[name](y, p, sample_weight=w) for w in counts]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_the_line_has_the_greatest_likelihood(seed):
    """Also of risks that are far off; without one where the classes are separated."""
    rng = np.random.default_rng(seed)
    n, middle, spread = rng.integers(6, 200), rng.normal(0, 4), 10 ** rng.uniform(-1.5, 1.2)
    p = np.clip(expit(middle + spread * rng.normal(size=n)), 1e-12, 1 - 1e-12)
    x, weight = logit(p), rng.exponential(size=n) ** 2 + 1e-3
    y = (rng.random(n) < expit(rng.normal() + rng.normal(1) * (x - x.mean()) / x.std())).astype(int)
    y[:2] = 0, 1
    given = {"sample_weight": weight, "zero_division": np.nan}
    shift = sm.calibration_intercept(y, p, **given)
    assert shift == pytest.approx(
        brentq(lambda a: weight @ (y - expit(a + x)), -100, 100, xtol=1e-13), abs=1e-9
    )
    assert sm.calibration_intercept(1 - y, 1 - p, **given) == pytest.approx(-shift, abs=1e-6)
    slope = sm.calibration_slope(y, p, **given)
    start = sm.calibration_intercept(y, p, joint=True, **given)
    ends = [(x[y == side].min(), x[y == side].max()) for side in (0, 1)]
    apart = ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]
    assert np.isnan([slope, start]).tolist() == [apart, apart]
    if not apart:
        missed = weight * (y - expit(start + slope * x))
        np.testing.assert_allclose([missed.sum(), missed @ x], 0, atol=1e-7 * weight.sum())
