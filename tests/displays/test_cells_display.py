"""The four cells as areas: below densities, and of overlapping circles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from skaucx.displays import DensityDisplay, VennDisplay
from skaucx.metrics import Counts
from skaucx.metrics.curves import DensityModel

pytestmark = pytest.mark.presentation


def area_of(collection):
    """The area of the polygon that is filled, by its vertices."""
    [path] = collection.get_paths()
    x, y = path.vertices.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


@pytest.mark.parametrize(
    ("model", "threshold"),
    [
        (DensityModel(), 0.3),
        (DensityModel(prevalence=0.1), 0.0),
        (DensityModel(stats.norm(2), stats.norm(0, 3), prevalence=0.3), 1.2),
        (DensityModel(stats.norm(1, 0.5), stats.norm()), 0.4),
    ],
)
def test_areas_below_densities_are_the_cells(model, threshold):
    shown = DensityDisplay(model, threshold).plot()
    cells = dict(zip(("TP", "FP", "FN", "TN"), model.counts(threshold).cells, strict=True))
    for name, patch in shown.areas_.items():
        # Trapezes of 1,000 steps of at most .03 standard deviations: h^2 / 12 times a slope below 1.
        assert area_of(patch) == pytest.approx(cells[name], abs=1e-4), name
    assert sum(map(area_of, shown.areas_.values())) == pytest.approx(1, abs=1e-4)


def test_densities_need_a_model_and_a_number():
    with pytest.raises(TypeError, match=r"model.*found float"):
        DensityDisplay(0.5, 0.5)
    for threshold in (np.nan, "half"):
        with pytest.raises((TypeError, ValueError), match="threshold"):
            DensityDisplay(DensityModel(), threshold)


@pytest.mark.parametrize(
    "cells",
    [(20, 180, 10, 1820), (5, 0, 0, 5), (0, 3, 4, 2), (7, 2, 0, 1), (7, 0, 2, 1), (0.1, 0.2, 0.3, 0.4),
     (0, 0, 3, 1), (1, 10**6, 1, 10**6), (10**6, 1, 1, 1)],
)  # fmt: skip
def test_areas_of_circles_are_the_cells(cells):
    tp, fp, fn, _ = cells
    areas = VennDisplay(Counts(*cells)).plot().areas_
    first, second = areas["FN"], areas["FP"]
    assert np.pi * first.radius**2 == pytest.approx(tp + fn, rel=1e-12)
    assert np.pi * second.radius**2 == pytest.approx(tp + fp, rel=1e-12)
    # Heights of both circles over a grid of places, the smaller of which is that of the overlap.
    ends = [(c.center[0] - c.radius, c.center[0] + c.radius) for c in (first, second)]
    low, high = max(a for a, _ in ends), min(b for _, b in ends)
    shared = 0.0
    if high > low:
        x, step = np.linspace(low, high, 200_001, retstep=True)
        heights = [
            2 * np.sqrt(np.maximum(c.radius**2 - (x - c.center[0]) ** 2, 0))
            for c in (first, second)
        ]
        shared = np.minimum(*heights).sum() * step
    assert shared == pytest.approx(tp, rel=1e-4, abs=1e-9)
    assert areas["TP"].get_clip_path() is not None


def test_circles_need_one_table_with_positives():
    with pytest.raises(TypeError, match=r"counts.*found list"):
        VennDisplay([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match=r"counts.*one table, found 2"):
        VennDisplay(Counts(*np.ones((4, 2))))
    with pytest.raises(ValueError, match="positives"):
        VennDisplay(Counts(tp=0, fp=0, fn=0, tn=3))


def test_cells_of_predictions_are_their_shares_and_counts():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(200) % 4 == 0)
    score = rng.normal(size=200) + y
    names = np.where(y, "ill", "well")
    called = np.where(score >= 0.7, "ill", "well")
    table = Counts.from_labels(names, called, pos_label="ill")
    found = DensityDisplay.from_predictions(names, score, threshold=0.7, pos_label="ill").counts
    np.testing.assert_allclose(found.cells, np.array(table.cells) / 200, atol=1e-12)
    drawn = VennDisplay.from_predictions(names, called, pos_label="ill")
    np.testing.assert_array_equal(drawn.counts.cells, table.cells)
