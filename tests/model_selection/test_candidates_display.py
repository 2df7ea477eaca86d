"""What the inner folds said of the candidates."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import CandidatesDisplay, NestedCV

pytestmark = pytest.mark.presentation


def fitted(grid, **options):
    X, y = make_classification(n_samples=150, flip_y=0.2, random_state=0)
    return NestedCV(
        DecisionTreeClassifier(random_state=0), grid, scoring=["roc_auc", "f1"], outer_cv=3,
        inner_cv=2, final=None, **options,
    ).fit(X, y)  # fmt: skip


def test_a_curve_over_one_number():
    nested = fitted({"max_depth": [6, 1, 3]})
    shown = CandidatesDisplay.from_estimator(nested)
    scores = nested.result_.inner_scores[..., 0]
    [line] = shown.ax_.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [1, 3, 6])
    np.testing.assert_allclose(line.get_ydata(), scores.mean(axis=(0, 2))[[1, 2, 0]])
    np.testing.assert_allclose(
        shown.spreads_, np.moveaxis(scores, 1, 0).reshape(3, -1).std(1, ddof=1)
    )
    assert shown.ax_.get_xlabel() == "max_depth"


def test_a_table_over_two_parameters():
    nested = fitted({"max_depth": [1, 3], "criterion": ["gini", "entropy"]})
    shown = CandidatesDisplay.from_estimator(nested)
    for k, params in enumerate(nested.result_.candidates):
        i = ["gini", "entropy"].index(params["criterion"])
        j = [1, 3].index(params["max_depth"])
        place = (i, j) if shown.ax_.get_ylabel() == "criterion" else (j, i)
        assert shown.text_[place].get_text().startswith(f"{shown.means_[k]:.2f}"[:3])
    won = sum(int(t.get_text().partition("won ")[2] or 0) for t in shown.text_.flat)
    assert won == 3


def test_rows_of_many_parameters_and_errors():
    grid = {
        "max_depth": [1, 2, 3],
        "criterion": ["gini", "entropy"],
        "min_samples_leaf": [1, 2, 4, 8],
    }
    nested = fitted(grid)
    shown = CandidatesDisplay.from_estimator(nested)
    assert len(shown.ax_.get_yticks()) == 20
    assert "4 more not shown" in shown.ax_.get_xlabel()
    with pytest.raises(ValueError, match="one that chooses"):
        CandidatesDisplay(nested.result_, metric="f1")


def test_forests_of_results():
    nested = fitted({"max_depth": [1, 3]})
    shown = nested.result_.plot_intervals()
    found = nested.result_.interval("f1")
    assert shown.rows_ == ["ROC AUC", "F1"]
    assert shown.marks_[""].get_xdata()[1] == found.estimate
