"""Calibration: against statsmodels, rms, relplot, netcal and other packages, and by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as models
from scipy import interpolate, stats
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.isotonic import IsotonicRegression

import skaucx.metrics as sm
from skaucx.inference import interval, reliability_curve
from skaucx.metrics import calibration
from skaucx.metrics._pairs.isotonic import Graded
from skaucx.metrics._pairs.smoothing import smooth

PARTS = sm.miscalibration_component, sm.discrimination_component, sm.uncertainty_component


def drawn(seed, n=120, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.beta(1.5, 1.5, n)
    p = p if decimals is None else np.clip(np.round(p, decimals), 0.01, 0.99)
    return (rng.random(n) < p**1.4).astype(int), p, rng.integers(1, 4, n)


def multiclass():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), 200)
    return np.array([rng.choice(4, p=row) for row in p]), p


class TestBins:
    # netcal 1.4.0 (ECE, MCE) and torchmetrics 1.9.0 in double precision (l2), 15 bins.
    @pytest.mark.parametrize(
        ("norm", "value"),
        [("l1", 0.08064550889299778), ("l2", 0.09304764866828918), ("max", 0.32923132156043866)],
    )
    def test_top_label_error_of_other_libraries(self, norm, value):
        found = sm.binned_calibration_error(*multiclass(), norm=norm)
        assert found == pytest.approx(value, rel=1e-6)

    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    def test_error_bin_by_bin(self, strategy):
        y, p, weight = drawn(0, decimals=1 if strategy == "quantile" else None)
        below = np.array([weight[p < each].sum() for each in p]) / weight.sum()
        bins = np.ceil(p * 5) - 1 if strategy == "uniform" else np.floor(below * 5 + 1e-9)
        gaps, shares = [], []
        for k in np.unique(bins):
            rows = bins == k
            gaps.append(abs(np.average(y[rows] - p[rows], weights=weight[rows])))
            shares.append(weight[rows].sum() / weight.sum())
        how = {"strategy": strategy, "n_bins": 5, "sample_weight": weight}
        for norm, expected in (
            ("l1", np.dot(shares, gaps)),
            ("l2", np.sqrt(np.dot(shares, np.square(gaps)))),
            ("max", max(gaps)),
        ):
            found = sm.binned_calibration_error(y, p, norm=norm, **how)
            assert found == pytest.approx(expected, rel=1e-12)

    def test_debiased_error_takes_the_variance_of_each_rate_from_its_square(self):
        """Of four rows at .2, two positive, .3^2 - .5^2 / 3; of four at .9, .9^2; of a lone one 0."""
        y, p = [1, 1, 0, 0, 0, 0, 0, 0, 1], np.repeat([0.2, 0.9, 0.5], [4, 4, 1])
        found = sm.binned_calibration_error(y, p, norm="l2", debias=True, n_bins=3)
        assert found == pytest.approx(np.sqrt((0.3**2 - 0.5**2 / 3 + 0.9**2) * 4 / 9), rel=1e-12)

    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    @pytest.mark.parametrize("ask", [{}, {"norm": "max"}, {"norm": "l2", "debias": True}])
    def test_error_of_the_top_label_is_that_of_whether_it_is_right(self, strategy, ask):
        y, p = multiclass()
        p = p**2 / (p**2).sum(axis=1, keepdims=True)  # too sure
        right = p.argmax(axis=1) == y, p.max(axis=1)
        expected = sm.binned_calibration_error(*right, n_bins=5, strategy=strategy, **ask)
        found = sm.binned_calibration_error(y, p, n_bins=5, strategy=strategy, **ask)
        assert found == pytest.approx(expected, rel=1e-12)
        assert expected > 0

    def test_the_error_of_a_clear_miscalibration_is_that_of_its_interval(self):
        """Far from 0 the limits are about normal, and the delta method is that of the square root."""
        rng = np.random.default_rng(0)
        p = rng.uniform(0.2, 0.8, 20_000)
        y = rng.random(20_000) < p + 0.1
        found = interval("binned_calibration_error", y, p, norm="l2", debias=True)
        assert found.estimate == pytest.approx(0.1, abs=3 * found.standard_error)
        assert found.high - found.low == pytest.approx(2 * 1.96 * found.standard_error, rel=0.01)

    def test_limits_of_the_debiased_error_solve_their_equation(self):
        """The square of the gap g in one bin has the variance 4 g^2 s / n + 2 s^2 / n^2, and a skew."""
        y, n = np.repeat([0, 1], [25, 35]), 60
        how = {"norm": "l2", "debias": True, "n_bins": 1, "classes": "each"}
        found = interval("binned_calibration_error", y, np.full(n, 0.8), **how)
        rate = 35 / 60
        square = (rate - 0.8) ** 2 - rate * (1 - rate) / (n - 1)
        rate = (35 + 0.8) / (n + 1)
        s, z = rate * (1 - rate), 1.959963984540054
        for end, sign in ((found.low, 1), (found.high, -1)):
            gap = end**2
            variance = 4 * gap * s / n + 2 * s**2 / n**2
            third = 24 * gap * s**2 / n**2 + 8 * s**3 / n**3
            reach = sign * z * np.sqrt(variance) + third / variance * (z**2 - 1) / 6
            assert gap + reach == pytest.approx(square, rel=1e-6)


class TestLine:
    # The steps begin at the means of cells where there are many log odds; statsmodels begins anew.
    @pytest.mark.parametrize(
        ("seed", "n", "weighted"), [*((seed, 120, True) for seed in range(4)), (0, 30_000, False)]
    )
    def test_slope_and_intercepts_are_those_of_statsmodels(self, seed, n, weighted):
        y, p, weight = drawn(seed, n)
        law = {"family": models.families.Binomial()} | (
            {"freq_weights": weight} if weighted else {}
        )
        both = models.GLM(y, models.add_constant(logit(p)), **law).fit(tol=1e-14).params
        [alone] = models.GLM(y, np.ones(n), offset=logit(p), **law).fit(tol=1e-14).params
        options = {"sample_weight": weight} if weighted else {}
        assert sm.calibration_slope(y, p, **options) == pytest.approx(both[1], rel=1e-9)
        joint = sm.calibration_intercept(y, p, joint=True, **options)
        assert joint == pytest.approx(both[0], rel=1e-9)
        assert sm.calibration_intercept(y, p, **options) == pytest.approx(alone, rel=1e-9)
        assert joint != pytest.approx(alone, rel=1e-3)

    @pytest.mark.parametrize("seed", range(60))
    def test_it_has_the_greatest_likelihood(self, seed):
        """Also of risks that are far off; without one where the classes are separated."""
        rng = np.random.default_rng(seed)
        n, middle, spread = rng.integers(6, 200), rng.normal(0, 4), 10 ** rng.uniform(-1.5, 1.2)
        p = np.clip(expit(middle + spread * rng.normal(size=n)), 1e-12, 1 - 1e-12)
        x, weight = logit(p), rng.exponential(size=n) ** 2 + 1e-3
        true = expit(rng.normal() + rng.normal(1) * (x - x.mean()) / x.std())
        y = (rng.random(n) < true).astype(int)
        y[:2] = 0, 1
        given = {"sample_weight": weight, "zero_division": np.nan}
        shift = sm.calibration_intercept(y, p, **given)
        root = brentq(lambda a: weight @ (y - expit(a + x)), -100, 100, xtol=1e-13)
        assert shift == pytest.approx(root, abs=1e-9)
        assert sm.calibration_intercept(1 - y, 1 - p, **given) == pytest.approx(-shift, abs=1e-6)
        slope = sm.calibration_slope(y, p, **given)
        start = sm.calibration_intercept(y, p, joint=True, **given)
        ends = [(x[y == side].min(), x[y == side].max()) for side in (0, 1)]
        apart = ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]
        assert np.isnan([slope, start]).tolist() == [apart, apart]
        if not apart:
            missed = weight * (y - expit(start + slope * x))
            np.testing.assert_allclose([missed.sum(), missed @ x], 0, atol=1e-7 * weight.sum())

    @pytest.mark.parametrize(
        ("y", "p", "reason"),
        [
            ([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.8], "separate the classes"),
            ([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8], "separate the classes"),
            ([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3], "or belong to one"),
            ([0, 1, 0, 1], [1.0, 0.2, 0.6, 0.8], "a wrong one is exactly 0 or 1; clip the prob"),
            ([1, 1, 1], [0.1, 0.2, 0.3], "one class has no rows"),
            ([0, 0, 0], [0.1, 0.2, 0.3], "one class has no rows"),
        ],
    )
    def test_why_it_has_no_estimate(self, y, p, reason):
        with pytest.warns(UndefinedMetricWarning, match=reason):
            assert np.isnan(sm.calibration_slope(y, p, labels=[0, 1]))


class TestComponents:
    @pytest.mark.parametrize("loss", ["brier", "log"])
    @pytest.mark.parametrize("decimals", [None, 1])
    def test_they_are_those_of_an_isotonic_refit_and_add_up(self, loss, decimals):
        y, p, weight = drawn(2, decimals=decimals)
        refit = IsotonicRegression(y_min=0, y_max=1).fit(p, y, weight).predict(p)
        prior = np.full(len(y), np.average(y, weights=weight))
        whole = {"brier": sm.brier_score_loss, "log": sm.log_loss}[loss]
        score, least, most = (whole(y, q, sample_weight=weight) for q in (p, refit, prior))
        mcb, dsc, unc = (part(y, p, loss=loss, sample_weight=weight) for part in PARTS)
        assert (mcb, dsc, unc) == pytest.approx((score - least, most - least, most), abs=1e-12)
        assert mcb - dsc + unc == pytest.approx(score, abs=1e-12)

    # model-diagnostics 1.5.0, decompose(), with its weights.
    @pytest.mark.parametrize(
        ("loss", "values"),
        [
            ("brier", [0.0244656505306233, 0.08211277495954025, 0.24796761623219565]),
            ("log", [0.07235479541043582, 0.2003382695158495, 0.6890768875917169]),
        ],
    )
    def test_they_are_those_of_model_diagnostics(self, loss, values):
        y, p, weight = drawn(7, decimals=2)
        found = [part(y, p, loss=loss, sample_weight=weight) for part in PARTS]
        assert found == pytest.approx(values, rel=1e-12)


R = json.loads((Path(__file__).parents[1] / "data" / "clinical_values.json").read_text())
RISKS = {int(n): (np.array(found["y"]), np.array(found["p"])) for n, found in R["risks"].items()}
# smECE(p, y) of relplot 1.0.3, by the number of rows, on a coarser grid.
RELPLOT = {40: 0.063107, 120: 0.06041, 400: 0.04779}
# A function of the distances from the smooth curve each.
DISTANCES = {
    sm.integrated_calibration_index: np.mean,
    calibration.e50_calibration_error: np.median,
    calibration.e90_calibration_error: lambda d: np.quantile(d, 0.9),
    calibration.estimated_calibration_index: lambda d: 100 * np.mean(d**2),
}


def least_squares(y, p):
    """Return the natural spline of SciPy that is nearest to the classes, clipped to [0, 1]."""
    knots = np.quantile(p, [0.05, 0.275, 0.5, 0.725, 0.95])
    inside = np.clip(p, knots[0], knots[-1])
    columns = []
    for unit in np.eye(5):
        natural = interpolate.CubicSpline(knots, unit, bc_type="natural")
        # Straight beyond the outer knots.
        columns.append(natural(inside) + natural(inside, 1) * (p - inside))
    design = np.stack(columns, axis=1)
    return np.clip(design @ np.linalg.lstsq(design, y, rcond=None)[0], 0, 1)


def graded(y, p):
    return Graded.of_rows(y, p, np.ones(len(p)))


class TestSmoothCurve:
    @pytest.mark.parametrize("n", RISKS)
    def test_distances_from_it(self, n):
        y, p = RISKS[n]
        distance = abs(least_squares(y, p) - p)
        for metric, summary in DISTANCES.items():
            assert metric(y, p) == pytest.approx(summary(distance), rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize(
        "p", [[0.5] * 8, [0.0, 1.0] * 4, [0.2] * 6 + [0.4, 0.6], [0, 0.1, 0.9, 1] * 2]
    )
    def test_odd_probabilities_have_one(self, p):
        for y in ([0, 1] * 4, [0] * 8):
            assert 0 <= sm.integrated_calibration_index(y, p) <= 1
        # One value that holds most rows.
        p = np.r_[np.full(95, 0.3), np.linspace(0.1, 0.9, 5)]
        assert 0 <= calibration.e90_calibration_error(np.arange(100) % 2, p) <= 1

    @pytest.mark.parametrize("values", [1, 2, 3, 5, 6])
    def test_few_probabilities_have_one(self, values):
        rng = np.random.default_rng(values)
        p = rng.choice(np.linspace(0.1, 0.9, values), 200)
        y = rng.random(200) < p
        found = smooth(graded(y, p))(np.unique(p))
        if values <= 5:
            shares = [y[p == each].mean() for each in np.unique(p)]
            assert found == pytest.approx(np.array(shares), abs=1e-9)
        assert ((found >= 0) & (found <= 1)).all()

    def test_as_a_reliability_curve(self):
        y, p = RISKS[400]
        curve = reliability_curve(y, p, method="spline")
        expected = least_squares(y, p)[np.unique(p, return_index=True)[1]]
        assert curve.observed == pytest.approx(expected)
        wide = reliability_curve(y, p, method="spline", simultaneous=True, random_state=0)
        assert (wide.low <= curve.low + 1e-12).all()
        assert (wide.high >= curve.high - 1e-12).all()
        assert (wide.high - wide.low).mean() > 1.2 * (curve.high - curve.low).mean()
        assert "pointwise" in curve.label
        assert "simultaneous" in wide.label
        assert wide.seed == 0

    def test_its_bands_cover_a_calibrated_model(self):
        rng = np.random.default_rng(0)
        at = np.linspace(0.2, 0.8, 7)
        inside, whole = [], []
        for _ in range(150):
            p = rng.beta(2, 2, 400)
            fit = smooth(graded(rng.random(400) < p, p))
            low, high = fit.ends(at, 0.95, 0, None)
            inside.append((low <= at) & (at <= high))
            low, high = fit.ends(at, 0.95, 400, rng)
            whole.append(((low <= at) & (at <= high)).all())
        # Four standard errors about 95 %.
        assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
        assert np.mean(whole) == pytest.approx(0.95, abs=0.07)


class TestSmoothError:
    @pytest.mark.parametrize(("n", "printed"), RELPLOT.items())
    def test_of_relplot(self, n, printed):
        assert calibration.smooth_calibration_error(*RISKS[n]) == pytest.approx(printed, abs=1e-3)

    def test_it_is_its_definition(self):
        y, p = RISKS[40]
        value = calibration.smooth_calibration_error(y, p)
        t = (np.arange(4000) + 0.5) / 4000
        mirrored = [sign * p + 2 * k for sign in (1, -1) for k in (-1, 0, 1)]
        kernel = sum(stats.norm.pdf(t[:, None], at, value) for at in mirrored)
        assert np.abs(kernel @ (y - p) / len(p)).mean() == pytest.approx(value, abs=1e-3)

    @pytest.mark.parametrize("place", [0.0, 0.3, 1.0])
    def test_of_equal_probabilities_it_is_their_residual(self, place):
        """All residuals are at one place, and the kernel keeps their sum."""
        found = calibration.smooth_calibration_error(
            np.repeat([0, 1], [30, 10]), np.full(40, place)
        )
        assert found == pytest.approx(abs(0.25 - place), abs=1e-9)


@pytest.mark.parametrize("n", RISKS)
def test_measures_of_rms(n):
    (y, p), found = RISKS[n], R["risks"][str(n)]
    assert sm.nagelkerke_r2_score(y, p) == pytest.approx(found["r2"], rel=1e-9)
    assert sm.brier_score_loss(y, p) == pytest.approx(found["brier"], rel=1e-9)
    assert sm.roc_auc_score(y, p) == pytest.approx(found["auc"], rel=1e-9)
    assert sm.calibration_slope(y, p) == pytest.approx(found["slope"], rel=1e-4)


def test_nagelkerke_is_its_definition():
    y, p = [0, 0, 1, 1, 1], np.array([0.1, 0.4, 0.35, 0.8, 0.6])
    likelihood = np.prod(np.where(np.array(y) == 1, p, 1 - p))
    prior = 0.6**3 * 0.4**2
    snell = 1 - (prior / likelihood) ** (2 / 5)
    assert sm.nagelkerke_r2_score(y, p, kind="cox-snell") == pytest.approx(snell)
    assert sm.nagelkerke_r2_score(y, p) == pytest.approx(snell / (1 - prior ** (2 / 5)))


def test_observed_over_expected():
    rng = np.random.default_rng(0)
    p, weight = rng.random((2, 400))
    y = rng.random(400) < p
    ratio = sm.observed_expected_ratio(y, p, sample_weight=weight)
    assert ratio == pytest.approx((weight * y).sum() / (weight * p).sum())
    found = interval("observed_expected_ratio", y, p)
    # The delta method on the log scale, for a ratio of two means.
    error = np.std(y / y.mean() - p / p.mean(), ddof=1) / np.sqrt(400)
    width = 2 * stats.t.ppf(0.975, 399) * error
    assert np.log(found.high / found.low) == pytest.approx(width, rel=0.01)
