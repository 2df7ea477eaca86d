"""How a result reads: as a mapping, as a frame, as text."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

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
    NestedCVResult,
    TuningMatrix,
    nested_cross_validate,
)
from skaucx.model_selection.decisions._winner import FinalModel, select
from skaucx.model_selection.execution._out_of_fold import OutOfFoldPredictions, Pooled

NAN = np.nan
CANDIDATES = ({"C": np.float64(0.5), "kernel": "rbf"}, {"C": 10})
INNER = np.array(
    [
        [[0.7, NAN, 0.7], [0.8, NAN, 0.9]],
        [[0.7, 0.9, 0.8], [0.8, 0.9, NAN]],
        [[0.6, 0.7, 0.6], [0.5, 0.5, 0.5]],
    ]
)


@pytest.fixture
def result():
    none = np.empty(0, dtype=np.intp)
    return NestedCVResult(
        test_scores={"roc_auc": np.array([0.5, 0.75, 1.0]), "npv": np.array([0.5, NAN, 0.75])},
        candidates=CANDIDATES,
        refit=("roc_auc",),
        inner_scores=INNER[..., None],
        n_inner=(3, 3, 3),
        selections=tuple(select(scores) for scores in INNER),
        tuning_matrix=TuningMatrix(
            ("roc_auc",),
            ("roc_auc", "npv"),
            np.array([[[0.5, 0.75, 1.0], [0.5, NAN, 0.75]]]),
            np.array([[1, 0, 0]]),
            np.array([[0.85, 0.8, 1.9 / 3]]),
            CANDIDATES,
        ),
        predictions=OutOfFoldPredictions(none, none, none, none, {}, np.array([0, 1])),
        pooled={"roc_auc": Pooled(0.7), "npv": Pooled(NAN, "ValueError: no\n  such thing")},
        scorer=one_pass_scorer(["roc_auc", "npv"]),
        n_train=np.array([40, 40, 40]),
        n_test=np.array([20, 20, 20]),
        final=FinalModel("vote", 0, CANDIDATES[0], 0.7, 2, 0, None),
        n_samples=60,
    )


def test_mapping(result):
    assert list(result) == list(result.keys()) == ["test_roc_auc", "test_npv"]
    assert len(result) == 2
    assert "test_npv" in result
    assert "npv" not in result
    assert result["test_roc_auc"].tolist() == [0.5, 0.75, 1.0]
    assert dict(result).keys() == result.keys()
    with pytest.raises(KeyError, match="the result has test_roc_auc, test_npv"):
        result["test_f1"]
    with pytest.raises(KeyError):
        result["roc_auc"]


def test_statistics(result):
    found = result.statistics("npv")
    assert (found.mean, found.undefined) == (0.625, 1)
    assert found.sd == pytest.approx(0.125 * np.sqrt(2))
    assert result.winner_counts.tolist() == [2, 1]
    np.testing.assert_allclose(result.optimism, [0.35, 0.05, 1.9 / 3 - 1])
    for wrong in (result.statistics, result.interval):
        with pytest.raises(KeyError, match=r"'f1'; the result has roc_auc, npv"):
            wrong("f1")


def test_undecided_fold_is_no_win(result):
    nothing = select(np.full((2, 3), NAN))
    undecided = replace(result, selections=(*result.selections[:2], nothing))
    assert undecided.winner_counts.tolist() == [1, 1]
    assert "best in 2" not in undecided.summary()


def test_frame(result):
    frame = result.to_frame()
    assert frame.index.name == "fold"
    assert frame.index.tolist() == [0, 1, 2]
    assert frame.columns.tolist() == [
        "test_roc_auc",
        "test_npv",
        "inner_roc_auc",
        "optimism",
        "winner",
        "param_C",
        "dropped_inner_folds",
        "undefined_candidates",
        "failed_fits",
        "param_kernel",
    ]
    assert frame["winner"].tolist() == [1, 0, 0]
    assert frame["param_C"].tolist() == [10, 0.5, 0.5]
    assert frame["param_kernel"].isna().tolist() == [True, False, False]
    assert frame["dropped_inner_folds"].tolist() == [1, 0, 0]
    assert frame["undefined_candidates"].tolist() == [0, 1, 0]
    np.testing.assert_array_equal(frame["test_npv"], result["test_npv"])


def test_summary(result):
    assert (
        result.summary()
        == """\
Nested cross-validation: 3 outer x 3 inner folds, 2 candidates, chosen by
  roc_auc

test scores    mean       95 % interval                                sd
roc_auc      0.7500    0.0157 to 0.9982  ------------|----o------  0.2500
npv          0.6250  0.0001 to > 0.9999  --------------o---------  0.1768
                                         0                      1
npv is undefined in 1 of 3 folds.
Note: the parameters are chosen by another metric, and other data may choose
  candidates with very different values of this one: coverage is not guaranteed
  (73 % of nominal 95 at worst).
Interval: of the expected score of the procedure, which the mean estimates;
  includes test-set sampling error and between-fold variation.
Marks: o the estimate, - its interval, | no effect.

best in 2 of 3      C=0.5, kernel='rbf'
best in 1 of 3      C=10

Optimism, inner mean minus outer score of roc_auc: 0.0111 (sd 0.3599).

roc_auc was undefined in 1 of 9 inner folds for every candidate; these folds
  took no part in the choice.
C=10 was undefined in 1 of 8 other inner folds and ranked after fully defined
  candidates.

Final model: C=0.5, kernel='rbf'
Elected by the outer folds: its mean over all inner folds is 0.7000; 2 of 3
  outer folds chose it. Refitted on all 60 rows.
The estimate belongs to the procedure, its search included, not to this one
  model, for which it is usually slightly pessimistic.
No outer fold used a vote: each searched and refitted once. final='search' gives
  the model of that procedure.

More: to_frame(), interval(name), pooled_interval(name), predictions.to_frame(),
  report(path)."""
    )


def test_summary_of_a_search_a_tie_and_no_model(result):
    searched = " ".join(
        replace(result, final=replace(result.final, rule="search")).summary().split()
    )
    assert "No outer fold used a vote" not in searched
    assert "Chosen by one more inner search on all data: its mean over these inner" in searched
    tied = " ".join(replace(result, final=replace(result.final, rivals=1)).summary().split())
    assert "2 of 3 outer folds chose it, like 1 other candidate." in tied
    none = replace(result, final=None).summary()
    assert "No final model (final=None). The estimate belongs to the procedure." in none
    some = result.summary(metrics="npv")
    assert "roc_auc      0.7500" not in some
    assert "npv          0.6250" in some
    with pytest.raises(ValueError, match="metrics must be"):
        result.summary(metrics=["recall"])


def test_notebook(result):
    html = result._repr_html_()
    assert "http" not in html
    assert not re.search(r"#[0-9a-f]{3,6};|rgb|white(?!-space)|black", html.replace("&#x27;", ""))
    metrics = [
        [cell.text for cell in row]
        for row in ElementTree.fromstring(f"<div>{html}</div>").iter("tr")
    ]
    assert metrics[0] == ["test scores", "mean", "95 % interval", None, "sd"]
    assert metrics[2] == ["npv", "0.6250", "0.0001 to > 0.9999", None, "0.1768"]
    assert "npv is undefined in 1 of 3 folds." in html


@pytest.mark.parametrize("decisions", [None, Decisions(threshold="f1")])
@pytest.mark.parametrize("search", [False, True])
def test_scores_of_the_training_part(decisions, search):
    """They are those of the winners on the rows of their fits, and have a column in every table."""
    X, y = make_classification(150, 5, flip_y=0.3, random_state=0)
    X, y = np.r_[X, X[:75]], np.r_[y, y[:75]]  # repeated runs: some rows are tested twice
    outer = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(X, y))
    grid = {"max_depth": [2, 8]}
    tuned = DecisionTreeClassifier(random_state=0)
    tuned, grid = (
        (HalvingGridSearchCV(tuned, grid, random_state=0), None) if search else (tuned, grid)
    )
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
