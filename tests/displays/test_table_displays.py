"""Confusion tables, their cells as areas, and tables of intervals as forests."""

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.displays import DensityDisplay, ForestDisplay, VennDisplay
from skaucx.inference import intervals
from skaucx.metrics import ConfusionMatrixDisplay, Counts
from skaucx.metrics.curves import DensityModel
from tests.datasets import binary, classes, words

pytestmark = pytest.mark.presentation

TRUE = ["cat", "dog", "cat", "cat", "dog", "dog", "dog"]
PRED = ["cat", "cat", "cat", "dog", "dog", "dog", "dog"]


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_cells_hold_counts_and_shares(normalize):
    shown = ConfusionMatrixDisplay.from_predictions(TRUE, PRED, normalize=normalize)
    counts = sklearn.metrics.confusion_matrix(TRUE, PRED)
    shares = sklearn.metrics.confusion_matrix(TRUE, PRED, normalize=normalize)
    np.testing.assert_array_equal(shown.confusion_matrix, counts)
    np.testing.assert_allclose(shown.im_.get_array(), shares)
    for (i, j), text in np.ndenumerate(shown.text_):
        assert text.get_text() == f"{counts[i, j]}\n{100 * shares[i, j]:.1f} %"
        assert text.get_position() == (j, i)
    assert [tick.get_text() for tick in shown.ax_.get_xticklabels()] == ["cat", "dog"]
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("Predicted label", "True label")
    assert shown.ax_.get_ylim() == (1.5, -0.5)


def test_several_classes_and_folds():
    X, y, weight = classes.X, classes.y, {"sample_weight": classes.weight}
    results = cross_validate(GaussianNB(), X, y, cv=5, return_estimator=True, return_indices=True)
    shown = ConfusionMatrixDisplay.from_cv_results(results, X, y, **weight)
    pred = cross_val_predict(GaussianNB(), X, y, cv=5)
    expected = sklearn.metrics.confusion_matrix(y, pred, **weight)
    np.testing.assert_array_equal(shown.confusion_matrix, expected)


@pytest.mark.parametrize("weight", [None, np.arange(7) / 2])
def test_weights_names_and_order(weight):
    """The table is that of scikit-learn, and of its type."""
    options = {"labels": ["dog", "cat"], "sample_weight": weight}
    shown = ConfusionMatrixDisplay.from_predictions(
        TRUE, PRED, display_labels=["Hund", "Katze"], xticks_rotation=45,
        values_format=".2f", **options,
    )  # fmt: skip
    expected = sklearn.metrics.confusion_matrix(TRUE, PRED, **options)
    for table in (shown.confusion_matrix, ConfusionMatrixDisplay(expected).confusion_matrix):
        np.testing.assert_array_equal(table, expected)
        assert table.dtype == expected.dtype
    assert shown.text_[0, 0].get_text().startswith(f"{expected[0, 0]:.2f}\n")
    assert shown.ax_.get_xticklabels()[0].get_rotation() == 45


def test_options_and_a_class_that_does_not_occur():
    shown = ConfusionMatrixDisplay([[5, 1], [2, 3]]).plot(
        include_values=False, colorbar=True, cmap="Greys", im_kw={"alpha": 0.5}
    )
    assert shown.text_ is None
    assert not shown.ax_.texts
    assert len(shown.figure_.axes) == 2
    assert shown.im_.get_cmap().name == "Greys"
    assert ConfusionMatrixDisplay([[5, 1], [0, 0]]).plot().text_[1, 0].get_text() == "0"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: ConfusionMatrixDisplay([[1, 2]]), ValueError, "table must be K x K"),
        (lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]], display_labels=["a"]),
         ValueError, "must name 2 classes"),
        (lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]]).plot(normalize="rows"),
         ValueError, "normalize must be"),
        (lambda: ConfusionMatrixDisplay.from_predictions([[0, 1]], [[0, 1]]),
         ValueError, "does not apply to multilabel"),
        (lambda: DensityDisplay(0.5, 0.5), TypeError, "model.*found float"),
        (lambda: DensityDisplay(DensityModel(), np.nan), ValueError, "threshold"),
        (lambda: DensityDisplay(DensityModel(), "half"), TypeError, "threshold"),
        (lambda: VennDisplay([[1, 2], [3, 4]]), TypeError, "counts.*found list"),
        (lambda: VennDisplay(Counts(*np.ones((4, 2)))), ValueError, "counts.*one table, found 2"),
        (lambda: VennDisplay(Counts(tp=0, fp=0, fn=0, tn=3)), ValueError, "positives"),
        (lambda: ForestDisplay({}), ValueError, "one interval at least"),
    ],
)  # fmt: skip
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()


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
    low, high = (
        end(c.center[0] + side * c.radius for c in (first, second))
        for end, side in ((max, -1), (min, 1))
    )
    x, step = np.linspace(low, max(low, high), 200_001, retstep=True)
    heights = [
        2 * np.sqrt(np.maximum(c.radius**2 - (x - c.center[0]) ** 2, 0)) for c in (first, second)
    ]
    assert np.minimum(*heights).sum() * step == pytest.approx(tp, rel=1e-4, abs=1e-9)
    assert areas["TP"].get_clip_path() is not None


def test_cells_of_predictions_are_their_shares_and_counts():
    called = np.where(words.score >= 0.505, "ill", "well")
    table = Counts.from_labels(words.y, called, pos_label="ill")
    found = DensityDisplay.from_predictions(
        words.y, words.score, threshold=0.505, pos_label="ill"
    ).counts
    np.testing.assert_allclose(found.cells, np.array(table.cells) / 60, atol=1e-12)
    drawn = VennDisplay.from_predictions(words.y, called, pos_label="ill")
    np.testing.assert_array_equal(drawn.counts.cells, table.cells)


def test_a_forest_has_a_row_a_model_below_the_name_of_each_metric():
    names = ["recall", "specificity"]
    models = {
        name: intervals(names, binary.y, (binary.score > cut).astype(int))
        for name, cut in (("low", 0.5), ("high", 0.7))
    }
    shown = ForestDisplay.from_intervals(models)
    assert shown.rows_ == names
    labels = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert labels[::3] == names
    for model, found in models.items():
        x, at = shown.marks_[model].get_data()
        np.testing.assert_array_equal(x, [found[name].estimate for name in names])
        assert [labels[int(place)] for place in at] == [model, model]
    lines = [line for part in shown.ax_.collections for line in part.get_segments()]
    assert [(start[0], end[0]) for start, end in lines] == [
        tuple(found[name]) for found in models.values() for name in names
    ]
    assert shown.ax_.get_xlabel() == "Estimate with 95 % interval"
    first = models["low"]["recall"]
    told = f"{first.estimate:.2f} [{first.low:.2f}, {first.high:.2f}]"
    assert shown.ax_.texts[0].get_text() == told
    each = intervals(["recall"], binary.y, binary.pred, average=None)
    assert ForestDisplay.from_intervals(each).rows_ == ["recall, class 0", "recall, class 1"]
