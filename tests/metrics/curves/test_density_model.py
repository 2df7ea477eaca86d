"""Models of scores with known distributions: closed forms of its rates, areas and optima."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from skaucx.metrics import list_metrics
from skaucx.metrics._registry.names import named_metric
from skaucx.metrics.curves import DensityModel
from tests.closeness import rounding
from tests.each import each

GIVEN = {"beta": 2.0, "threshold": 0.3, "cost": [[0, 1], [5, 0]]}
# A table at which the bounds are not kept has no value.
ROWS = [
    row
    for row in list_metrics()
    if row.kind.counted and row.name != "feasible" and not row.reads_size
]
ROOT5 = np.sqrt(5)

# Optimum by hand: (metric, prevalence, threshold, value).
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


@pytest.mark.parametrize(("metric", "prevalence", "threshold", "value"), PRINTED)
def test_optimum_by_hand(metric, prevalence, threshold, value):
    found, best = DensityModel(prevalence=prevalence).optimum(metric)
    assert found == pytest.approx(threshold, abs=1e-7)
    assert best == pytest.approx(value, abs=rounding(10))


@each("row", ROWS)
@pytest.mark.parametrize("prevalence", [0.2, 0.5])
def test_optimum_is_the_best_of_a_fine_grid(row, prevalence):
    model = DensityModel(prevalence=prevalence)
    grid = np.linspace(1, 0, 4001)
    own = {k: v for k, v in GIVEN.items() if k in named_metric(row.name).function.options}
    curves = model.threshold_curves([row.name], thresholds=grid, **own)
    best_at, best = curves.best(row.name)
    place = int(np.argmin(np.abs(grid - best_at)))
    _, found = model.optimum(row.name, **own)
    gain = found - best if row.greater_is_better is not False else best - found
    assert gain >= -1e-12
    if not np.isnan(curves[row.name]).any():
        # Where the curve has a corner, the best lies as far above as neighbours of the grid differ.
        near = np.abs(np.diff(curves[row.name]))[max(place - 2, 0) : place + 2].max()
        assert gain < 1e-7 + near


def test_the_linear_model_has_its_closed_forms():
    model, t, r = DensityModel(prevalence=0.3), np.linspace(0, 1, 1001), 0.3
    wanted = r * (1 - t**2), (1 - r) * (1 - t) ** 2, r * t**2, (1 - r) * t * (2 - t)
    np.testing.assert_allclose(model.counts(t).cells, wanted, rtol=0, atol=1e-15)
    assert model.auc == pytest.approx(5 / 6, abs=1e-15)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: DensityModel(prevalence=1), "prevalence must be a finite number in \\(0, 1\\)"),
        (lambda: DensityModel().roc_curve(1), "n_points must be a whole number >= 2"),
        (lambda: DensityModel().optimum("auc"), "not a function of the confusion table"),
    ],
)
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_binormal_model():
    model = DensityModel(stats.norm(1.5, 0.8), stats.norm(-0.2, 1.3), prevalence=0.3)
    one, zero = stats.norm(1.5, 0.8), stats.norm(-0.2, 1.3)
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
    with pytest.raises(TypeError, match="negatives must be a frozen continuous distribution"):
        DensityModel(one, 0.5)
