"""Confusion tables: cells, shares, labels, and the metrics beside."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx import metrics as sm
from skaucx.metrics import ConfusionMatrixDisplay

pytestmark = pytest.mark.presentation

TRUE = ["cat", "dog", "cat", "cat", "dog", "dog", "dog"]
PRED = ["cat", "cat", "cat", "dog", "dog", "dog", "dog"]


def written(display):
    _, _, words = " ".join(display.ax_.get_xlabel().split()).partition("Predicted label")
    return words.strip()


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
    assert shown.ax_.get_xlabel().startswith("Predicted label\nPositive label dog: recall 0.75")
    assert shown.ax_.get_ylabel() == "True label"
    assert shown.ax_.get_ylim() == (1.5, -0.5)


def test_metrics_of_two_classes_follow_the_positive_label():
    shown = ConfusionMatrixDisplay.from_predictions(TRUE, PRED)
    assert written(shown).startswith("Positive label dog: ")
    assert shown.metrics_["recall"] == sm.recall_score(TRUE, PRED, pos_label="dog")
    turned = ConfusionMatrixDisplay.from_predictions(
        TRUE, PRED, pos_label="cat", metrics=["npv", "mcc"]
    )
    assert turned.metrics_ == {
        "npv": sm.npv_score(TRUE, PRED, pos_label="cat"),
        "matthews_corrcoef": sm.matthews_corrcoef(TRUE, PRED),
    }
    assert written(turned) == "Positive label cat: NPV 0.75, MCC 0.42"


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
    assert shown.metrics_["accuracy"] == sklearn.metrics.accuracy_score(names, pred)
    assert written(shown).startswith("accuracy 0.95")
    shown.plot(metrics=["f1"])
    assert shown.metrics_ == {"f1_macro": sklearn.metrics.f1_score(names, pred, average="macro")}
    assert written(shown) == "F1 (macro) 0.95"


def test_a_class_that_is_never_predicted():
    shown = ConfusionMatrixDisplay([[5, 0], [3, 0]]).plot()
    assert np.isnan(shown.metrics_["precision"])
    assert "precision nan" in written(shown)
    empty = ConfusionMatrixDisplay([[5, 1], [0, 0]]).plot()
    assert empty.text_[1, 0].get_text() == "0"


def test_options():
    shown = ConfusionMatrixDisplay([[5, 1], [2, 3]]).plot(
        include_values=False, metrics=[], colorbar=True, cmap="Greys", im_kw={"alpha": 0.5}
    )
    assert shown.text_ is None
    assert shown.metrics_ == {}
    assert written(shown) == ""
    assert not shown.ax_.texts
    assert len(shown.figure_.axes) == 2
    assert shown.im_.get_cmap().name == "Greys"
    assert list(ConfusionMatrixDisplay(np.eye(3)).plot(metrics=["kappa"]).metrics_) == [
        "cohen_kappa"
    ]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ConfusionMatrixDisplay([[1, 2]]), "table must be K x K"),
        (
            lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]], display_labels=["a"]),
            "must name 2 classes",
        ),
        (lambda: ConfusionMatrixDisplay([[1, 2], [3, 4]], pos_label="b").plot(), "is none of"),
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
        TRUE, PRED, display_labels=["Hund", "Katze"], pos_label="dog", xticks_rotation=45,
        values_format=".2f", **options,
    )  # fmt: skip
    expected = sklearn.metrics.confusion_matrix(TRUE, PRED, **options)
    for table in (shown.confusion_matrix, ConfusionMatrixDisplay(expected).confusion_matrix):
        np.testing.assert_array_equal(table, expected)
        assert table.dtype == expected.dtype
    assert shown.text_[0, 0].get_text().startswith(f"{expected[0, 0]:.2f}\n")
    assert written(shown).startswith("Positive label Hund: ")
    recall = sm.recall_score(TRUE, PRED, pos_label="dog", sample_weight=weight)
    assert shown.metrics_["recall"] == pytest.approx(recall)
    assert shown.ax_.get_xticklabels()[0].get_rotation() == 45
