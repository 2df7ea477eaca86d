"""Metrics of the confusion table at every threshold, over the space of rates, and of known densities."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import integrate, stats

import skaucx.metrics as sm
from skaucx import displays
from skaucx.metrics import Counts, list_metrics, threshold_curves
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics.curves import DensityModel, isometrics
from tests.closeness import rounding
from tests.each import each

GIVEN = {"beta": 2.0, "threshold": 0.3, "cost": [[0, 1], [5, 0]]}
# A table at which the bounds are not kept has no value.
ROWS = [row for row in list_metrics() if row.kind.counted and row.name != "feasible"]
NAMES = [row.name for row in ROWS]
OF_RATES = [row.name for row in ROWS if "reads_size" not in row.traits]
ROOT5 = np.sqrt(5)


def own_options(name):
    return {key: value for key, value in GIVEN.items() if key in METRICS[name].options}


def sample(weighted=False):
    rng = np.random.default_rng(3)
    y, score = rng.integers(0, 2, 40), rng.normal(size=40).round(1)
    return y, score, rng.uniform(0.1, 3, 40) if weighted else None


@pytest.mark.parametrize("classes", [(0, 1), ("good", "bad")])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_curve_is_the_metric_at_each_threshold(weighted, classes):
    """Also of a matrix by class, in the order of the labels, where the positive one sorts first."""
    y, score, weight = sample(weighted)
    y, [negative, positive] = np.asarray(classes)[y], classes
    curves = threshold_curves(y, score, NAMES, pos_label=positive, sample_weight=weight, **GIVEN)
    assert curves.thresholds[0] == np.inf
    np.testing.assert_array_equal(curves.thresholds[1:], np.unique(score)[::-1])
    cut = [np.where(score >= threshold, positive, negative) for threshold in curves.thresholds]
    for name in NAMES:
        taken = METRICS[name].options
        own = {"labels": sorted(classes), "pos_label": positive}
        own = {key: value for key, value in own.items() if key in taken} | own_options(name)
        own |= {"sample_weight": weight, "zero_division": np.nan}
        with warnings.catch_warnings(action="ignore"):
            expected = [METRICS[name](y, called, **own) for called in cut]
        np.testing.assert_allclose(curves[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_a_curve_at_given_thresholds():
    y, score, _ = sample()
    some = threshold_curves(y, score, ["recall", "precision"], thresholds=[0.2, 0.5, 0.35])
    assert some.thresholds.tolist() == [0.5, 0.35, 0.2]
    for place, threshold in enumerate(some.thresholds):
        table = Counts.from_labels(y, 1 * (score >= threshold))
        assert some.counts[place].cells == table.cells
        assert some["recall"][place] == pytest.approx(table.tp / table.positives)
        assert some["precision"][place] == pytest.approx(table.tp / table.predicted_positives)


def test_all_metrics_without_needs_by_default():
    """A metric that is solved for takes far longer than all formulas: it is to be named."""
    y, score, _ = sample()
    solved = {row.name for row in list_metrics() if "iterative" in row.traits}
    formulas = set(NAMES) - solved
    assert solved == {"aickin_alpha"}
    needing = {"fbeta", "expected_cost", "net_benefit"}
    assert set(threshold_curves(y, score).values) == formulas - needing
    assert set(threshold_curves(y, score, **GIVEN).values) == formulas


def test_best_threshold():
    y, score = [0, 0, 1, 1, 1], [0.1, 0.6, 0.4, 0.7, 0.9]
    curves = threshold_curves(y, score, ["mcc", "fpr", "recall"])
    assert (curves.best("recall").threshold, curves.best("recall").value) == (0.4, 1.0)
    assert curves.best("false_positive_rate") == (np.inf, 0.0)
    mcc = [sm.matthews_corrcoef(y, np.array(score) >= t) for t in (0.9, 0.7, 0.6, 0.4)]
    assert curves.best("mcc")[1] == pytest.approx(max(mcc))
    undefined = threshold_curves([0, 0], [0.2, 0.7], ["recall"])
    assert np.isnan(undefined["recall"]).all()
    assert np.isnan(undefined.best("recall")).all()


class TestIsometrics:
    @each("name", OF_RATES)
    def test_roc_space_holds_the_metric_of_each_table(self, name):
        fpr, tpr, values = isometrics(name, 0.25, n_points=5, **own_options(name))
        tp, fp = 100 * tpr[:, None], 300 * fpr
        counts = {"tp": tp, "fn": 100 - tp, "fp": fp, "tn": 300 - fp, "zero_division": np.nan}
        expected = METRICS[name].from_counts(**counts, **own_options(name))
        expected = np.where(np.isfinite(expected), expected, np.nan)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)

    @each("name", OF_RATES)
    def test_both_spaces_agree(self, name):
        x, y, values = isometrics(name, 0.2, space="pr", n_points=21, **own_options(name))
        found = values[np.argmin(np.abs(y - 0.6)), np.argmin(np.abs(x - 0.75))]
        expected = METRICS[name].from_counts(tp=30, fp=20, fn=10, tn=140, **own_options(name))
        assert found == pytest.approx(expected, abs=1e-12)
        # All negatives called positive leave a precision of r s / (r s + 1 - r) at recall s.
        reached = y[:, None] > 0.2 * x / (0.2 * x + 0.8) - 1e-9
        assert np.isnan(values[~reached]).all()

    def test_a_function_of_counts(self):
        def arithmetic_mean(c: Counts):
            return (c.tp / c.positives + c.tp / c.predicted_positives) / 2

        found = isometrics(arithmetic_mean, 0.3, space="pr", n_points=11)
        assert found.metric == "arithmetic_mean"
        assert found.values[-1, -1] == pytest.approx(1)
        assert found.values[5, 10] == pytest.approx((1 + 0.5) / 2)


# Optimum of the linear model by hand: (metric, prevalence, threshold, value).
PRINTED = [
    ("accuracy", 0.5, 1 / 2, 3 / 4),
    ("accuracy", 0.2, 4 / 5, 0.84),  # densities meet where r x = (1 - r)(1 - x), at x = 1 - r
    ("error_rate", 0.3, 0.7, 0.21),  # r (1 - r)
    ("informedness", 0.1, 1 / 2, 1 / 2),  # 2 t (1 - t) at any prevalence
    ("balanced_accuracy", 0.9, 1 / 2, 3 / 4),
    ("g_mean", 0.4, 1 / 2, 3 / 4),  # (1 - t^2) t (2 - t), symmetric about 1/2
    ("kappa", 0.5, 1 / 2, 1 / 2),
    ("mcc", 0.5, 1 / 2, 1 / 2),
    ("f1", 0.5, (3 - ROOT5) / 2, 3 - ROOT5),  # t^2 - 3 t + 1 = 0
    ("p4", 0.5, 1 / 2, 3 / 4),
    ("jaccard", 0.5, (3 - ROOT5) / 2, (3 - ROOT5) / (ROOT5 - 1)),  # F1 / (2 - F1)
    ("recall", 0.3, 0, 1),
    ("specificity", 0.3, 1, 1),
    ("fnr", 0.3, 0, 0),
    ("fpr", 0.3, 1, 0),
    ("type_i_error", 0.3, 1, 0),
    ("type_ii_error", 0.3, 0, 0),
]


class TestDensityModel:
    @pytest.mark.parametrize(("metric", "prevalence", "threshold", "value"), PRINTED)
    def test_optimum_by_hand(self, metric, prevalence, threshold, value):
        found, best = DensityModel(prevalence=prevalence).optimum(metric)
        assert found == pytest.approx(threshold, abs=1e-7)
        assert best == pytest.approx(value, abs=rounding(10))

    @each("name", OF_RATES)
    @pytest.mark.parametrize("prevalence", [0.2, 0.5])
    def test_optimum_is_the_best_of_a_fine_grid(self, name, prevalence):
        model, own = DensityModel(prevalence=prevalence), own_options(name)
        curves = model.threshold_curves([name], thresholds=np.linspace(1, 0, 4001), **own)
        best_at, best = curves.best(name)
        sign = -1 if METRICS[name].metric.greater_is_better is False else 1
        gain = sign * (model.optimum(name, **own)[1] - best)
        assert gain >= -1e-12
        if not np.isnan(curves[name]).any():
            # Where the curve has a corner, the best lies as far above as neighbours of the grid differ.
            place = int(np.argmin(np.abs(curves.thresholds - best_at)))
            near = np.abs(np.diff(curves[name]))[max(place - 2, 0) : place + 2].max()
            assert gain < 1e-7 + near

    def test_the_optimum_is_among_the_points_drawn(self):
        """Class 1 twice as frequent: accuracy is best at 1/3, where the weighted densities meet."""
        model = DensityModel(prevalence=2 / 3)
        curves = model.threshold_curves(["accuracy", "fbeta"], beta=2)
        assert curves.best("accuracy").threshold == pytest.approx(1 / 3, abs=1e-7)
        assert curves.best("fbeta").threshold == model.optimum("fbeta", beta=2)[0]
        display = displays.ThresholdDisplay(model.threshold_curves(["accuracy"])).plot()
        assert "0.333" in display.ax_.get_legend().get_texts()[0].get_text()
        assert 2 * model.positives.pdf(1 / 3) == pytest.approx(model.negatives.pdf(1 / 3))

    def test_the_linear_model_has_its_closed_forms(self):
        model, t, r = DensityModel(prevalence=0.3), np.linspace(0, 1, 1001), 0.3
        wanted = r * (1 - t**2), (1 - r) * (1 - t) ** 2, r * t**2, (1 - r) * t * (2 - t)
        np.testing.assert_allclose(model.counts(t).cells, wanted, rtol=0, atol=1e-15)
        assert model.auc == pytest.approx(5 / 6, abs=1e-15)

    def test_binormal_model(self):
        one, zero = stats.norm(1.5, 0.8), stats.norm(-0.2, 1.3)
        model = DensityModel(one, zero, prevalence=0.3)
        shares = 0.3 * one.sf(0.4), 0.7 * zero.sf(0.4), 0.3 * one.cdf(0.4), 0.7 * zero.cdf(0.4)
        found = model.counts(0.4)
        assert (found.tp, found.fp, found.fn, found.tn) == pytest.approx(shares, rel=1e-12)
        area, _ = integrate.quad(lambda x: zero.cdf(x) * one.pdf(x), -10, 10)
        assert model.auc == pytest.approx(area, abs=1e-9)
        assert model.auc == pytest.approx(stats.norm.cdf(1.7 / np.hypot(0.8, 1.3)), abs=1e-14)
        assert model.roc_curve(20_001).area == pytest.approx(model.auc, abs=1e-6)
        # Where the weighted densities meet, above the point where they do so a first time.
        threshold, value = model.optimum("accuracy")
        assert 0.3 * one.pdf(threshold) == pytest.approx(0.7 * zero.pdf(threshold), rel=1e-6)
        grid = model.threshold_curves(["accuracy"], thresholds=np.linspace(6, -6, 5001))["accuracy"]
        assert value >= grid.max()
        assert model.threshold_curves(["accuracy"]).best("accuracy").threshold == threshold
        y, s = model.sample(50_000, random_state=0)
        assert y.mean() == pytest.approx(0.3, abs=0.01)
        assert stats.kstest(s[y], one.cdf).pvalue > 0.001
        assert stats.kstest(s[~y], zero.cdf).pvalue > 0.001
