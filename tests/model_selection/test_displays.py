"""Pictures of nested cross-validation: points, winners, cells and frames."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import NestedCV, NestedCVDisplay, TuningMatrix, TuningMatrixDisplay

pytestmark = pytest.mark.presentation


@pytest.fixture(scope="module")
def nested():
    X, y = make_classification(n_samples=150, n_informative=4, flip_y=0.2, random_state=0)
    names = ["roc_auc", "f1"]
    return NestedCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3, 6]},
        scoring=[*names, "specificity"], refit=names, outer_cv=4, inner_cv=3, final=None,
    ).fit(X, y).result_  # fmt: skip


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_folds_winners_inner_against_outer(nested):
    result = nested
    shown = NestedCVDisplay(nested).plot()
    np.testing.assert_array_equal(shown.outer_.get_data(), [range(4), result["test_roc_auc"]])
    np.testing.assert_allclose(shown.inner_.get_ydata(), result.inner_means)
    ticks = [tick.get_text() for tick in shown.ax_.get_xticklabels()]
    assert ticks == [f"{k}\n#{winner}" for k, winner in enumerate(result.winners)]
    scores = result["test_roc_auc"]
    told = f"{scores.mean():.2f} \u00b1 {scores.std(ddof=1):.2f}"
    assert legend(shown)[0] == f"outer score (mean \u00b1 sd {told})"
    assert shown.ax_.get_ylabel() == "ROC AUC"


def test_a_metric_that_did_not_choose_has_outer_scores_only(nested):
    shown = NestedCVDisplay(nested, metric="specificity").plot(name="nested", despine=True)
    assert shown.inner_ is None
    assert shown.ax_.get_title() == "nested"
    other = NestedCVDisplay(nested, metric="f1").plot()
    assert other.inner_ is not None
    with pytest.raises(ValueError, match="metric must be one of the result's"):
        NestedCVDisplay(nested, metric="npv")


def test_tuning_matrix(nested):
    matrix = nested.tuning_matrix
    shown = TuningMatrixDisplay(nested.tuning_matrix).plot()
    for (i, j), text in np.ndenumerate(shown.text_):
        assert text.get_text() == f"{matrix.means[i, j]:.3f}\n\u00b1 {matrix.spreads[i, j]:.3f}"
    assert [tick.get_text() for tick in shown.ax_.get_xticklabels()] == [
        "ROC AUC", "F1", "specificity"
    ]  # fmt: skip
    bold = np.array([[text.get_fontweight() == "bold" for text in row] for row in shown.text_])
    assert np.argwhere(bold).tolist() == [[0, 0], [1, 1]]
    above = matrix.means - matrix.means.mean(axis=0)
    np.testing.assert_allclose(
        shown.im_.get_array(), above / matrix.spreads.mean(axis=0), atol=1e-12
    )


def test_undefined_cells_of_a_tuning_matrix():
    scores = np.full((2, 1, 3), np.nan)
    scores[0, 0] = [0.5, 0.7, np.nan]
    chosen = np.zeros((2, 3), dtype=int)
    matrix = TuningMatrix(("f1", "npv"), ("f1",), scores, chosen, scores[:, 0], ({},))
    shown = TuningMatrixDisplay(matrix).plot(name="gaps")
    assert shown.text_[0, 0].get_text() == "0.600\n\u00b1 0.141, 1 undefined"
    assert shown.text_[1, 0].get_text().startswith("nan")
    assert not np.isnan(shown.im_.get_array()).any()


@pytest.mark.parametrize("display", [NestedCVDisplay, TuningMatrixDisplay])
def test_nothing_is_clipped(display, nested):
    shown = display(nested if display is NestedCVDisplay else nested.tuning_matrix).plot()
    shown.figure_.draw_without_rendering()
    inside, page = shown.figure_.get_tightbbox(), shown.figure_.get_size_inches()
    assert min(inside.x0, inside.y0) >= 0
    assert inside.x1 <= page[0]
    assert inside.y1 <= page[1]
