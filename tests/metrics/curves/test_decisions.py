"""Decision, cost and reliability curves and their bands: against dcurves and the definitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.isotonic import IsotonicRegression

import skaucx.metrics as sm
from skaucx import inference


def drawn(seed, n=150, decimals=2):
    rng = np.random.default_rng(seed)
    p = np.clip(np.round(rng.beta(1.5, 3, n), decimals), 0.01, 0.99)
    y = (rng.random(n) < p).astype(int)
    return np.append(y, [0, 1]), np.append(p, [0.2, 0.6])


@pytest.mark.recipes
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_values_of_dcurves(seed, prevalence):
    dcurves = pytest.importorskip("dcurves")
    y, p = drawn(seed, decimals=4)
    at = np.arange(5, 91, 5) / 100 + 0.00003
    given = {"outcome": "y", "modelnames": ["p"], "thresholds": at, "prevalence": prevalence}
    frame = dcurves.dca(data=pd.DataFrame({"y": y, "p": p}), **given)
    if hasattr(dcurves, "net_intervention_avoided"):
        frame = dcurves.net_intervention_avoided(frame, nper=1)
    curve = sm.decision_curve(y, p, thresholds=at, prevalence=prevalence)
    for model, values in (("p", curve.net_benefit), ("all", curve.treat_all)):
        theirs = frame[frame["model"] == model].sort_values("threshold")["net_benefit"].to_numpy()
        np.testing.assert_allclose(values, theirs, rtol=1e-9, atol=1e-12)
    if "net_intervention_avoided" in frame:
        theirs = frame[frame["model"] == "p"].sort_values("threshold")["net_intervention_avoided"]
        np.testing.assert_allclose(curve.interventions_avoided, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_curve_is_the_metric_at_every_threshold(prevalence):
    y, p = drawn(5)
    for weight in (None, np.random.default_rng(0).uniform(0.5, 2, len(y))):
        own = {"prevalence": prevalence, "sample_weight": weight}
        curve = sm.decision_curve(y, p, **own)
        expected = [sm.net_benefit(y, p >= t, threshold=t, **own) for t in curve.thresholds]
        np.testing.assert_allclose(curve.net_benefit, expected, rtol=0, atol=1e-12)
        assert np.isnan(curve.low).all() == (weight is not None)
        again = sm.decision_curve(np.array(["no", "yes"])[y], p, pos_label="yes", **own)
        assert again.net_benefit.tolist() == curve.net_benefit.tolist()
    assert list(curve.to_frame()) == ["thresholds", "net_benefit", "treat_all", "low", "high"]


@pytest.mark.parametrize("seed", range(4))
def test_the_cost_curve_by_all_thresholds(seed):
    y, p = drawn(seed)
    at = np.linspace(0, 1, 101)
    for w in (None, np.random.default_rng(seed).uniform(0.5, 2, len(y))):
        curve = sm.curves.cost_curve(y, p, sample_weight=w)
        roc = sm.roc_curve(y, p, sample_weight=w, drop_intermediate=False)
        lines = np.outer(1 - roc.tpr, at) + np.outer(roc.fpr, 1 - at)
        height = np.interp(at, *curve)
        np.testing.assert_allclose(height, lines.min(axis=0), atol=1e-12)
        assert (height <= np.minimum(at, 1 - at) + 1e-12).all()
    assert sm.curves.cost_curve(y, p**3).loss.tolist() == sm.curves.cost_curve(y, p).loss.tolist()
    curves = sm.threshold_curves(y, p, ["expected_cost"], cost=[[0, 1], [4, 0]])
    scale = 4 * y.mean() + 1 - y.mean()
    loss = scale * np.interp(4 * y.mean() / scale, *sm.curves.cost_curve(y, p))
    assert curves.best("expected_cost").value == pytest.approx(loss)


class TestReliability:
    def test_bins_are_those_of_counting(self):
        y, p = drawn(1, decimals=4)
        curve = inference.reliability_curve(y, p, n_bins=5)
        for k in range(5):
            rows = (p > curve.edges[k]) & (p <= curve.edges[k + 1])
            if not rows.any():
                assert np.isnan(curve.observed[k])
                continue
            assert curve.observed[k] == pytest.approx(y[rows].mean())
            assert curve.predicted[k] == pytest.approx(p[rows].mean())
            wilson = stats.binomtest(y[rows].sum(), rows.sum()).proportion_ci(method="wilson")
            assert (curve.low[k], curve.high[k]) == pytest.approx((wilson.low, wilson.high))
        assert np.isnan(inference.reliability_curve(y, p, sample_weight=p).low).all()
        assert list(curve.to_frame())[:2] == ["predicted", "observed"]

    @pytest.mark.parametrize("weighted", [False, True])
    def test_the_isotonic_curve_is_the_regression(self, weighted):
        y, p = drawn(3)
        w = np.random.default_rng(0).integers(1, 4, len(y)) if weighted else None
        few = {"n_resamples": 20, "random_state": 0}
        curve = inference.reliability_curve(y, p, method="isotonic", sample_weight=w, **few)
        fit = IsotonicRegression().fit(p, y, w)
        np.testing.assert_allclose(curve.observed, fit.predict(curve.predicted), atol=1e-12)
        assert np.isnan([curve.low, curve.high]).all() == weighted
        inside = (curve.low <= curve.observed) & (curve.observed <= curve.high)
        assert weighted or inside.all()

    def test_coverage_of_both_bands(self):
        rng = np.random.default_rng(0)
        inside = {"confidence": [], "consistency": []}
        options = {"method": "isotonic", "n_resamples": 100, "confidence_level": 0.9}
        for seed in range(40):
            p = np.round(rng.random(300), 1)
            y = rng.random(300) < p
            for band, hits in inside.items():
                curve = inference.reliability_curve(y, p, band=band, random_state=seed, **options)
                about = curve.predicted if band == "confidence" else curve.observed
                hits.append(np.mean((curve.low <= about) & (about <= curve.high)))
        assert 0.8 < np.mean(inside["confidence"]) < 0.97
        assert 0.86 < np.mean(inside["consistency"]) < 0.98


class TestBand:
    AT = np.array([0.1, 0.2, 0.4, 0.6])

    @pytest.mark.parametrize("prevalence", [None, 0.1])
    def test_pointwise_it_is_the_interval_at_each_threshold(self, prevalence):
        y, p = drawn(1, 600)
        options = {"thresholds": self.AT, "prevalence": prevalence}
        curve = sm.decision_curve(y, p, **options)
        band = inference.decision_band(y, p, simultaneous=False, random_state=0, **options)
        assert band.net_benefit.tolist() == curve.net_benefit.tolist()
        np.testing.assert_allclose(band.high - band.low, curve.high - curve.low, rtol=0.08)
        whole = inference.decision_band(y, p, random_state=0, **options)
        assert ((whole.low < band.low) & (band.high < whole.high)).all()
        assert (band.simultaneous, whole.simultaneous) == (False, True)

    def test_weights_groups_and_names(self):
        y, p = drawn(2, 80)
        options = {"thresholds": self.AT, "n_resamples": 300, "random_state": 0}
        band = inference.decision_band(y, p, **options)
        names = np.array(["no", "yes"])
        named = inference.decision_band(names[y], p, pos_label="yes", **options)
        assert named.low.tolist() == band.low.tolist()
        doubled = inference.decision_band(y, p, sample_weight=np.full(len(y), 2.0), **options)
        np.testing.assert_allclose(doubled.low, band.low, rtol=1e-12)
        twice, groups = np.repeat(y, 2), np.repeat(np.arange(len(y)), 2)
        grouped = inference.decision_band(twice, np.repeat(p, 2), groups=groups, **options)
        np.testing.assert_allclose(grouped.high - grouped.low, band.high - band.low, rtol=0.15)

    def test_it_ends_at_one(self):
        y, p = np.append(np.ones(19), 0), np.append(np.linspace(0.7, 0.99, 19), 0.1)
        band = inference.decision_band(
            y, p, thresholds=[0.05, 0.2], n_resamples=200, random_state=0
        )
        assert band.high.tolist() == [1.0, 1.0]

    def test_it_has_a_width_where_nobody_is_called(self):
        """Two of each are added to the shares of true and false positives, false ones at odds of 4."""
        y, p = np.repeat([0, 1], [12, 8]), np.linspace(0.1, 0.6, 20)

        def error(n):
            share = 2 / (n + 4)
            return np.sqrt(share * (1 - share) / (n + 4))

        asked = {"thresholds": [0.8], "n_resamples": 2, "random_state": 0}  # two are enough
        for prevalence, of_tp, of_fp in (
            (None, error(20), error(20)),
            (0.3, 0.3 * error(8), 0.7 * error(12)),
        ):
            band = inference.decision_band(y, p, prevalence=prevalence, **asked)
            assert band.net_benefit == [0]
            assert band.low == pytest.approx(-1.959963984540054 * np.hypot(of_tp, 4 * of_fp))
            assert band.high > 0


@pytest.mark.parametrize("curve", [sm.decision_curve, inference.decision_band])
def test_the_prevalence_of_a_sample_is_no_bound_of_the_population(curve):
    y, p = np.repeat([1, 0], [20, 80]), np.repeat([0.9, 0.1], [20, 80])
    assert curve(y, p, thresholds=[0.05]).high > 0.2
    assert curve(y, p, thresholds=[0.05], prevalence=0.2).high <= 0.2
