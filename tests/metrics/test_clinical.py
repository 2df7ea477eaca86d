"""Metrics and sample sizes of prediction models, against rms, metafor, pmsampsize and relplot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import interpolate, stats

from skaucx import inference, metrics
from skaucx.inference import reliability_curve
from skaucx.metrics import calibration
from skaucx.metrics._pairs.isotonic import Graded
from skaucx.metrics._pairs.smoothing import smooth

# smECE(p, y) of relplot 1.0.3, by the number of rows
RELPLOT = {"40": 0.063107, "120": 0.06041, "400": 0.04779}
R = json.loads((Path(__file__).parents[1] / "data" / "clinical_values.json").read_text())


def graded(y, p, weight=None):
    weight = np.ones(len(p)) if weight is None else weight
    return Graded.of_rows(np.asarray(y) == 1, np.asarray(p), weight)


def test_measures_of_rms():
    for found in R["risks"].values():
        y, p = np.array(found["y"]), np.array(found["p"])
        close = {"rel": 1e-9, "abs": 1e-12}
        curve = least_squares(y, p)
        expected = {
            "ici": np.mean(abs(curve - p)), "e50": np.quantile(abs(curve - p), 0.5),
            "e90": np.quantile(abs(curve - p), 0.9), "eci": 100 * np.mean((curve - p) ** 2),
        }  # fmt: skip
        for name in ("ici", "e50", "e90", "eci"):
            own = metrics.get_scorer(f"neg_{_NAMES[name]}")._score_func(y, p)
            assert own == pytest.approx(expected[name], **close), name
        assert metrics.nagelkerke_r2_score(y, p) == pytest.approx(found["r2"], rel=1e-9)
        assert metrics.brier_score_loss(y, p) == pytest.approx(found["brier"], rel=1e-9)
        assert metrics.calibration_slope(y, p) == pytest.approx(found["slope"], rel=1e-4)


_NAMES = {
    "ici": "integrated_calibration_index",
    "e50": "e50_calibration_error",
    "e90": "e90_calibration_error",
    "eci": "estimated_calibration_index",
}


def test_weights_repeat_rows_in_smooth_curves():
    rng = np.random.default_rng(0)
    p = rng.random(60).round(3)
    y, times = rng.random(60) < p, rng.integers(1, 4, 60)
    for name in (*_NAMES.values(), "smooth_calibration_error"):
        metric = getattr(calibration, name, None) or getattr(metrics, name)
        own = metric(y, p, sample_weight=times)
        assert own == pytest.approx(metric(y.repeat(times), p.repeat(times)), rel=1e-10)
        assert own == pytest.approx(metric(y, p, sample_weight=times * 0.37), rel=1e-10)


def test_odd_probabilities_have_a_curve():
    for p in (
        [0.5] * 8,
        [0.0, 1.0] * 4,
        [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.4, 0.6],
        [0, 0.1, 0.9, 1] * 2,
    ):
        for y in ([0, 1] * 4, [0] * 8):
            value = metrics.integrated_calibration_index(y, p)
            assert 0 <= value <= 1
    # one value that holds most rows
    p = np.r_[np.full(95, 0.3), np.linspace(0.1, 0.9, 5)]
    assert 0 <= calibration.e90_calibration_error(np.arange(100) % 2, p) <= 1


def test_smooth_calibration_error_of_relplot():
    # its grid is coarser
    for n, printed in RELPLOT.items():
        found = R["risks"][n]
        assert calibration.smooth_calibration_error(found["y"], found["p"]) == pytest.approx(
            printed, abs=1e-3
        )


def test_smooth_calibration_error_is_its_definition():
    found = R["risks"]["40"]
    y, p = np.array(found["y"]), np.array(found["p"])
    t = (np.arange(4000) + 0.5) / 4000

    def error(width):
        kernel = sum(
            stats.norm.pdf(t[:, None], sign * p + 2 * k, width)
            for sign in (1, -1)
            for k in (-1, 0, 1)
        )
        return np.abs(kernel @ (y - p) / len(p)).mean()

    value = calibration.smooth_calibration_error(y, p)
    assert error(value) == pytest.approx(value, abs=1e-3)


def test_nagelkerke_is_its_definition():
    y, p = [0, 0, 1, 1, 1], np.array([0.1, 0.4, 0.35, 0.8, 0.6])
    likelihood = np.prod(np.where(np.array(y) == 1, p, 1 - p))
    prior = 0.6**3 * 0.4**2
    snell = 1 - (prior / likelihood) ** (2 / 5)
    assert metrics.nagelkerke_r2_score(y, p, kind="cox-snell") == pytest.approx(snell)
    assert metrics.nagelkerke_r2_score(y, p) == pytest.approx(snell / (1 - prior ** (2 / 5)))


def test_observed_over_expected():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y = rng.random(400) < p
    weight = rng.random(400)
    ratio = metrics.observed_expected_ratio(y, p, sample_weight=weight)
    assert ratio == pytest.approx((weight * y).sum() / (weight * p).sum())
    found = inference.interval("observed_expected_ratio", y, p)
    # the delta method on the log scale, for a ratio of two means
    error = np.std(y / y.mean() - p / p.mean(), ddof=1) / np.sqrt(400)
    assert np.log(found.high / found.low) == pytest.approx(
        2 * stats.t.ppf(0.975, 399) * error, rel=0.01
    )


def test_smooth_reliability_curves():
    found = R["risks"]["400"]
    y, p = np.array(found["y"]), np.array(found["p"])
    curve = reliability_curve(y, p, method="spline")
    assert curve.observed == pytest.approx(least_squares(y, p)[np.unique(p, return_index=True)[1]])
    wide = reliability_curve(y, p, method="spline", simultaneous=True, random_state=0)
    assert (wide.low <= curve.low + 1e-12).all()
    assert (wide.high >= curve.high - 1e-12).all()
    assert (wide.high - wide.low).mean() > 1.2 * (curve.high - curve.low).mean()
    assert "pointwise" in curve.label
    assert "simultaneous" in wide.label
    assert wide.seed == 0
    for options, name in [
        ({"method": "isotonic", "simultaneous": True}, "simultaneous"),
        ({"method": "spline", "band": "consistency"}, "consistency"),
        ({"method": "spline", "sample_weight": np.ones(400)}, "sample_weight"),
    ]:
        with pytest.raises(ValueError, match=name):
            reliability_curve(y, p, **options)


def test_bands_of_smooth_curves_cover_a_calibrated_model():
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
    # four standard errors about 95 %
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
    assert np.mean(whole) == pytest.approx(0.95, abs=0.07)


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


@pytest.mark.parametrize("values", [1, 2, 3, 5, 6])
def test_few_probabilities_have_a_smooth_curve(values):
    rng = np.random.default_rng(values)
    p = rng.choice(np.linspace(0.1, 0.9, values), 200)
    y = rng.random(200) < p
    found = smooth(graded(y, p))(np.unique(p))
    if values <= 5:
        shares = [y[p == each].mean() for each in np.unique(p)]
        assert found == pytest.approx(np.array(shares), abs=1e-9)
    assert ((found >= 0) & (found <= 1)).all()
