"""Confusion tables: cells, shares, labels."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import ConfusionMatrixDisplay

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
    assert shown.ax_.get_xlabel() == "Predicted label"
    assert shown.ax_.get_ylabel() == "True label"
    assert shown.ax_.get_ylim() == (1.5, -0.5)


def test_several_classes_and_folds():
    X, y = load_iris(return_X_y=True)
    names = load_iris().target_names[y]
    results = cross_validate(
        GaussianNB(), X, names, cv=5, return_estimator=True, return_indices=True
    )
    shown = ConfusionMatrixDisplay.from_cv_results(results, X, names, sample_weight=np.ones(150))
    pred = cross_val_predict(GaussianNB(), X, names, cv=5)
    np.testing.assert_array_equal(
        shown.confusion_matrix, sklearn.metrics.confusion_matrix(names, pred)
    )


def test_a_class_that_does_not_occur():
    empty = ConfusionMatrixDisplay([[5, 1], [0, 0]]).plot()
    assert empty.text_[1, 0].get_text() == "0"


def test_options():
    shown = ConfusionMatrixDisplay([[5, 1], [2, 3]]).plot(
        include_values=False, colorbar=True, cmap="Greys", im_kw={"alpha": 0.5}
    )
    assert shown.text_ is None
    assert not shown.ax_.texts
    assert len(shown.figure_.axes) == 2
    assert shown.im_.get_cmap().name == "Greys"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ConfusionMatrixDisplay([[1, 2]]), "table must be K x K"),
        (
            lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]], display_labels=["a"]),
            "must name 2 classes",
        ),
        (
            lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]]).plot(normalize="rows"),
            "normalize must be",
        ),
        (
            lambda: ConfusionMatrixDisplay.from_predictions([[0, 1]], [[0, 1]]),
            "does not apply to multilabel",
        ),
    ],
)
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()


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
