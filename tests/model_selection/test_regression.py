"""Nested runs of what is no classifier of plain classes: numbers, several outputs, several labels."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_multilabel_classification
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skaucx.model_selection import NestedCVDisplay, nested_cross_validate

from .records import recorded

mpl.use("Agg")
X, Y = load_diabetes(return_X_y=True)
MANY, LABELS = make_multilabel_classification(150, n_classes=3, random_state=0)
WORDS = np.column_stack([np.array(["a", "b", "c"])[LABELS[:, :2].sum(axis=1)], LABELS[:, 2] > 0])
CASES = {
    "numbers": (Ridge(), {"alpha": [0.1, 1.0, 50.0]}, X, Y, ["r2", "neg_mean_absolute_error"]),
    "outputs": (Ridge(), {"alpha": [0.1, 50.0]}, X, np.c_[Y, np.sqrt(Y)], ["r2"]),
    "labels": (KNeighborsClassifier(), {"n_neighbors": [3, 9]}, MANY, LABELS, ["accuracy", "f1_macro"]),
    "outputs of classes": (
        MultiOutputClassifier(GaussianNB()), {"estimator__var_smoothing": [1e-9, 1.0]}, MANY, WORDS,
        None,
    ),
}  # fmt: skip
each_case = pytest.mark.parametrize("case", CASES)


def run(case, **options):
    model, grid, A, b, scoring = CASES[case]
    options = {"scoring": scoring, "outer_cv": KFold(3), "inner_cv": KFold(4), **options}
    return nested_cross_validate(model, grid, A, b, **recorded(options))


@each_case
def test_digits_of_cross_validate(case):
    model, grid, A, b, scoring = CASES[case]
    found = run(case)
    names = scoring or ["score"]
    search = GridSearchCV(model, grid, scoring=scoring and scoring[0], cv=KFold(4))
    theirs = cross_validate(
        search, A, b, scoring=scoring and {name: name for name in scoring}, cv=KFold(3),
        return_estimator=True,
    )  # fmt: skip
    for name in names:
        np.testing.assert_allclose(found[f"test_{name}"], theirs[f"test_{name}"], rtol=1e-12)
    assert list(found.winning_params) == [one.best_params_ for one in theirs["estimator"]]
    assert found.final.params == search.fit(A, b).best_params_


@each_case
def test_what_makes_sense_is_told(case, tmp_path):
    found = run(case)
    text = found.summary()
    assert "Positive class" not in text
    assert "AUC" not in text
    assert len(found.to_frame()) == 3
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Confusion" not in page
    NestedCVDisplay(found).plot()
    low, high = found.interval(found.refit[0])
    assert low < found.statistics(found.refit[0]).mean < high


@pytest.mark.parametrize(
    ("case", "options", "told"),
    [
        ("numbers", {"pos_label": 1}, "pos_label=1 needs a classifier of two classes; found Ridge"),
        ("numbers", {"calibration": "sigmoid"}, "calibration needs a classifier of plain classes"),
        ("labels", {"reject": {"cost": 0.1}}, "reject needs a classifier of plain classes"),
        ("labels", {"threshold": "f1"}, "threshold needs a classifier of plain classes"),
    ],
    ids=str,
)
def test_clear_refusals_before_any_fit(case, options, told, monkeypatch):
    monkeypatch.setattr(Ridge, "fit", None)
    model, grid, A, b, scoring = CASES[case]
    with pytest.raises(ValueError, match=told):
        nested_cross_validate(model, grid, A, b, **recorded({"scoring": scoring, **options}))


@pytest.mark.parametrize(
    ("case", "name", "told"),
    [
        ("numbers", "roc_auc", "Ridge has none of the following attributes: decision_function"),
        ("numbers", "f1", "y_pred holds continuous values"),
        ("labels", "mcc", "does not apply to multilabel indicators"),
    ],
)
def test_a_metric_of_other_targets_is_named_with_the_first_scores(case, name, told):
    with pytest.raises(ValueError, match=f"'{name}' raised after (48|32) of.*{told}"):
        run(case, scoring=name)
