"""How a result reads: as a mapping, as a frame, as text, as pictures."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import f1_score
from sklearn.model_selection import HalvingGridSearchCV, RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import (
    Decisions,
    Execution,
    NestedCVDisplay,
    NestedCVResult,
    TuningMatrix,
    TuningMatrixDisplay,
    nested_cross_validate,
)
from skaucx.model_selection.decisions._winner import FinalModel, select
from skaucx.model_selection.execution._out_of_fold import OutOfFoldPredictions, Pooled

NAN = np.nan
CANDIDATES = ({"C": np.float64(0.5), "kernel": "rbf"}, {"C": 10})
INNER = np.array([
    [[0.7, NAN, 0.7], [0.8, NAN, 0.9]],
    [[0.7, 0.9, 0.8], [0.8, 0.9, NAN]],
    [[0.6, 0.7, 0.6], [0.5, 0.5, 0.5]],
])  # fmt: skip


@pytest.fixture
def result():
    none = np.empty(0, dtype=np.intp)
    scores = {"roc_auc": np.array([0.5, 0.75, 1.0]), "npv": np.array([0.5, NAN, 0.75])}
    matrix = TuningMatrix(
        ("roc_auc",), ("roc_auc", "npv"), np.array([[*scores.values()]]), np.array([[1, 0, 0]]),
        np.array([[0.85, 0.8, 1.9 / 3]]), CANDIDATES,
    )  # fmt: skip
    return NestedCVResult(
        test_scores=scores,
        candidates=CANDIDATES,
        refit=("roc_auc",),
        inner_scores=INNER[..., None],
        n_inner=(3, 3, 3),
        selections=tuple(select(scores) for scores in INNER),
        tuning_matrix=matrix,
        predictions=OutOfFoldPredictions(none, none, none, none, {}, np.array([0, 1])),
        pooled={"roc_auc": Pooled(0.7), "npv": Pooled(NAN, "ValueError: no\n  such thing")},
        scorer=one_pass_scorer(["roc_auc", "npv"]),
        n_train=np.array([40, 40, 40]),
        n_test=np.array([20, 20, 20]),
        final=FinalModel("vote", 0, CANDIDATES[0], 0.7, 2, 0, None),
        n_samples=60,
    )


def test_mapping(result):
    assert list(result) == list(dict(result)) == ["test_roc_auc", "test_npv"]
    assert len(result) == 2
    assert "test_npv" in result
    assert result["test_roc_auc"].tolist() == [0.5, 0.75, 1.0]
    for name in ("test_f1", "roc_auc"):
        assert name not in result
        with pytest.raises(KeyError, match="the result has test_roc_auc, test_npv"):
            result[name]


def test_statistics(result):
    found = result.statistics("npv")
    assert (found.mean, found.undefined) == (0.625, 1)
    assert found.sd == pytest.approx(0.125 * np.sqrt(2))
    assert result.winner_counts.tolist() == [2, 1]
    np.testing.assert_allclose(result.optimism, [0.35, 0.05, 1.9 / 3 - 1])
    for wrong in (result.statistics, result.interval):
        with pytest.raises(KeyError, match=r"'f1'; the result has roc_auc, npv"):
            wrong("f1")


def test_frame(result):
    frame = result.to_frame()
    assert frame.index.name == "fold"
    assert frame.index.tolist() == [0, 1, 2]
    assert frame.columns.tolist() == [
        "test_roc_auc", "test_npv", "inner_roc_auc", "optimism", "winner", "param_C",
        "dropped_inner_folds", "undefined_candidates", "failed_fits", "param_kernel",
    ]  # fmt: skip
    for column, values in {
        "winner": [1, 0, 0], "param_C": [10, 0.5, 0.5], "dropped_inner_folds": [1, 0, 0],
        "undefined_candidates": [0, 1, 0],
    }.items():  # fmt: skip
        assert frame[column].tolist() == values
    assert frame["param_kernel"].isna().tolist() == [True, False, False]
    np.testing.assert_array_equal(frame["test_npv"], result["test_npv"])


def test_summary(result):
    text = result.summary()
    for said in (
        "3 outer x 3 inner folds, 2 candidates, chosen by\n  roc_auc\n",
        "roc_auc      0.7500    0.0157 to 0.9982  ------------|----o------  0.2500\n"
        "npv          0.6250  0.0001 to > 0.9999  --------------o---------  0.1768\n",
        "npv is undefined in 1 of 3 folds.\n",
        "(73 % of nominal 95 at worst)",
        "best in 2 of 3      C=0.5, kernel='rbf'\nbest in 1 of 3      C=10\n",
        "Optimism, inner mean minus outer score of roc_auc: 0.0111 (sd 0.3599).\n",
        "roc_auc was undefined in 1 of 9 inner folds for every candidate;",
        "C=10 was undefined in 1 of 8 other inner folds and ranked after",
        "its mean over all inner folds is 0.7000; 2 of 3\n  outer folds chose it. Refitted on all 60",
        "No outer fold used a vote:",
    ):
        assert said in text
    assert max(map(len, text.splitlines())) <= 80


def test_summary_of_other_results(result):
    def text(**changes):
        return " ".join(replace(result, **changes).summary().split())

    searched = text(final=replace(result.final, rule="search"))
    assert "No outer fold used a vote" not in searched
    assert "Chosen by one more inner search on all data: its mean over these inner" in searched
    tied = text(final=replace(result.final, rivals=1))
    assert "2 of 3 outer folds chose it, like 1 other candidate." in tied
    none = text(final=None)
    assert "No final model (final=None). The estimate belongs to the procedure." in none
    undecided = (*result.selections[:2], select(np.full((2, 3), NAN)))
    assert replace(result, selections=undecided).winner_counts.tolist() == [1, 1]
    assert "best in 2" not in text(selections=undecided)
    some = result.summary(metrics="npv")
    assert "roc_auc      0.7500" not in some
    assert "npv          0.6250" in some
    with pytest.raises(ValueError, match="metrics must be"):
        result.summary(metrics=["recall"])


def test_notebook(result):
    html = result._repr_html_()
    assert "http" not in html
    assert not re.search(r"#[0-9a-f]{3,6};|rgb|white(?!-space)|black", html.replace("&#x27;", ""))
    assert "npv is undefined in 1 of 3 folds." in html


@pytest.mark.parametrize("decisions", [None, Decisions(threshold="f1")])
@pytest.mark.parametrize("search", [False, True])
def test_scores_of_the_training_part(decisions, search):
    """They are those of the winners on the rows of their fits, and have a column in every table."""
    X, y = make_classification(150, 5, flip_y=0.3, random_state=0)
    X, y = np.r_[X, X[:75]], np.r_[y, y[:75]]  # repeated runs: some rows are tested twice
    outer = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(X, y))
    tuned, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [2, 8]}
    if search:
        tuned, grid = HalvingGridSearchCV(tuned, grid, random_state=0), None
    result = nested_cross_validate(
        tuned, grid, X, y, scoring=["roc_auc", "f1"], refit="roc_auc", outer_cv=outer,
        final=None, decisions=decisions,
        execution=Execution(return_train_score=True, return_estimator=True),
    )  # fmt: skip
    for (train, _), model, found in zip(outer, result.estimators, result["train_f1"], strict=True):
        assert found == pytest.approx(f1_score(y[train], model.predict(X[train])), abs=1e-12)
    assert list(result) == ["test_roc_auc", "test_f1", "train_roc_auc", "train_f1"]
    assert len(result) == 4
    mean = result.train_scores["f1"].mean()
    row = next(line for line in result.summary().splitlines() if line.startswith("f1"))
    assert row.split()[-1] == f"{mean:.4f}"
    assert result.to_frame("metric").loc["f1", "train"] == pytest.approx(mean)
    assert result.to_frame()["train_f1"].tolist() == result["train_f1"].tolist()
    assert "<th>train</th>" in re.sub(" [a-z]+=[^>]*", "", result._repr_html_())
    plain = replace(result, train_scores={})
    assert "train" not in plain.summary().split("folds")[0]


@pytest.fixture(scope="module")
def nested():
    X, y = make_classification(n_samples=150, n_informative=4, flip_y=0.2, random_state=0)
    names = ["roc_auc", "f1"]
    return nested_cross_validate(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3, 6]}, X, y,
        scoring=[*names, "specificity"], refit=names, outer_cv=4, inner_cv=3, final=None,
    )  # fmt: skip


@pytest.mark.presentation
def test_folds_winners_inner_against_outer(nested):
    shown = NestedCVDisplay(nested).plot()
    np.testing.assert_array_equal(shown.outer_.get_data(), [range(4), nested["test_roc_auc"]])
    np.testing.assert_allclose(shown.inner_.get_ydata(), nested.inner_means)
    ticks = [tick.get_text() for tick in shown.ax_.get_xticklabels()]
    assert ticks == [f"{k}\n#{winner}" for k, winner in enumerate(nested.winners)]
    scores = nested["test_roc_auc"]
    told = f"{scores.mean():.2f} \u00b1 {scores.std(ddof=1):.2f}"
    assert (
        shown.ax_.get_legend().get_texts()[0].get_text() == f"outer score (mean \u00b1 sd {told})"
    )
    assert shown.ax_.get_ylabel() == "ROC AUC"


@pytest.mark.presentation
def test_a_metric_that_did_not_choose_has_outer_scores_only(nested):
    shown = NestedCVDisplay(nested, metric="specificity").plot(name="nested", despine=True)
    assert shown.inner_ is None
    assert shown.ax_.get_title() == "nested"
    other = NestedCVDisplay(nested, metric="f1").plot()
    assert other.inner_ is not None
    with pytest.raises(ValueError, match="metric must be one of the result's"):
        NestedCVDisplay(nested, metric="npv")


@pytest.mark.presentation
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


@pytest.mark.presentation
def test_undefined_cells_of_a_tuning_matrix():
    scores = np.full((2, 1, 3), np.nan)
    scores[0, 0] = [0.5, 0.7, np.nan]
    chosen = np.zeros((2, 3), dtype=int)
    matrix = TuningMatrix(("f1", "npv"), ("f1",), scores, chosen, scores[:, 0], ({},))
    shown = TuningMatrixDisplay(matrix).plot(name="gaps")
    assert shown.text_[0, 0].get_text() == "0.600\n\u00b1 0.141, 1 undefined"
    assert shown.text_[1, 0].get_text().startswith("nan")
    assert not np.isnan(shown.im_.get_array()).any()
