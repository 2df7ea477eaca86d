"""How a candidate is chosen: rules, joined predictions, votes; the tuning matrix of several choices."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import (
    Constrained,
    OneStandardError,
    TuningMatrix,
    nested_cross_validate,
)
from skaucx.model_selection.decisions._choice import cv_results
from skaucx.model_selection.decisions._winner import FinalModel, select, vote

from .records import recorded

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]  # among more columns trees search longer
TREE, GRID = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, 8]}
NAMES = ["npv", "recall", "roc_auc"]
OUTER, INNER = StratifiedKFold(2), StratifiedKFold(3)


def nested(rows=slice(None), **options):
    options = {
        "scoring": NAMES, "outer_cv": OUTER, "inner_cv": INNER, "final": None, **options
    }  # fmt: skip
    return nested_cross_validate(TREE, GRID, X[rows], Y[rows], **recorded(options))


def worst_npv(table):
    return int(np.argmin(table["mean_test_npv"]))


def table(**scores):
    """A table of candidates by several metrics, whose scores have an entry a candidate and fold."""
    arrays = np.stack([np.array(v, dtype=float) for v in scores.values()], axis=-1)
    return cv_results([{"C": c} for c in range(len(arrays))], arrays, list(scores))


RULES = {
    "function": worst_npv,
    "one standard error": OneStandardError("roc_auc", complexity="max_depth"),
    "constrained": Constrained("npv", {"recall": (">=", 0.9)}),
}


@pytest.mark.parametrize("rule", RULES)
def test_as_refit_of_grid_search(rule):
    """The winners of nested folds are those of GridSearchCV with the same refit."""
    found = nested(refit=RULES[rule], final="search")
    splits = [train for train, _ in OUTER.split(X, Y)] + [np.arange(len(Y))]
    searches = [
        GridSearchCV(TREE, GRID, scoring=one_pass_scorer(NAMES), refit=RULES[rule], cv=INNER).fit(
            X[train], Y[train]
        )
        for train in splits
    ]
    assert [*found.winners, found.final.index] == [s.best_index_ for s in searches]
    metric = found.refit[0]
    means = [s.cv_results_[f"mean_test_{metric}"][s.best_index_] for s in searches]
    np.testing.assert_allclose([*found.inner_means, found.final.inner_mean], means, rtol=1e-12)


def test_the_table_is_that_of_grid_search():
    seen = []

    def look(given):
        seen.append(given)
        return 0

    nested(refit=look)
    train, _ = next(OUTER.split(X, Y))
    theirs = GridSearchCV(TREE, GRID, scoring=one_pass_scorer(NAMES), refit="npv", cv=INNER)
    theirs = theirs.fit(X[train], Y[train]).cv_results_
    assert set(seen[0]) == {key for key in theirs if not key.endswith("_time")}
    for key, values in seen[0].items():
        if key.startswith("param"):
            assert list(values) == list(theirs[key])
        else:
            np.testing.assert_allclose(values, theirs[key], rtol=1e-9, err_msg=key)


def test_choices_side_by_side_are_those_of_separate_runs():
    asked = [
        "roc_auc", "recall", {"npv": {"recall": (">=", 0.9)}}, RULES["one standard error"],
    ]  # fmt: skip
    together = nested(refit=asked)
    matrix = together.tuning_matrix
    assert matrix.tuned_on == (
        "roc_auc", "recall", "npv with recall >= 0.9", "one standard error of roc_auc",
    )  # fmt: skip
    assert matrix.reported_on == tuple(NAMES)
    for row, refit in enumerate(asked):
        alone = nested(refit=refit)
        np.testing.assert_array_equal(matrix.winners[row], alone.winners)
        np.testing.assert_array_equal(matrix.scores[row], list(alone.values()))
        np.testing.assert_array_equal(matrix.inner_means[row], alone.inner_means)
        np.testing.assert_array_equal(matrix.optimism[row], alone.optimism)
    assert len({tuple(winners) for winners in matrix.winners.tolist()}) == len(asked)
    assert str(matrix) in together.summary()


def test_one_standard_error():
    scores = [[0.82, 0.82, 0.82], [0.86, 0.86, 0.86], [0.8, 0.9, 1.0], [0.9, 0.9, 0.9]]
    given = table(auc=scores)  # the best is the third: 0.9, error .1 / sqrt(3) = 0.058
    assert OneStandardError("auc")(given) == OneStandardError()(table(score=scores)) == 1
    assert OneStandardError("auc", complexity=lambda params: -params["C"])(given) == 3
    assert OneStandardError("auc", complexity="C")(given) == 1
    with pytest.raises(ValueError, match="complexity names 'gamma'; the candidates vary C"):
        OneStandardError("auc", complexity="gamma")(given)
    with pytest.raises(ValueError, match="two inner folds"):
        OneStandardError()(table(score=[[0.1], [0.2]]))


def test_constrained():
    given = table(m0=[[0.9], [0.8], [0.7], [np.nan]], m1=[[0.5], [0.91], [0.95], [1.0]])
    assert Constrained("m0", {"m1": (">=", 0.9)})(given) == 1
    assert Constrained("m0", {"m1": (">=", 0.95)})(given) == 2
    assert Constrained("m0", {"m1": ("<=", 0.5), "m0": (">=", 0.85)})(given) == 0
    with pytest.warns(UserWarning, match=r"m0 with m1 >= 1\.1"):
        assert Constrained("m0", {"m1": (">=", 1.1)})(given) == 3
    with pytest.raises(ValueError, match="constraint of 'm1'"):
        Constrained("m0", {"m1": 0.9})


def test_joined_predictions_choose():
    """With one row left out an AUC is undefined on every fold, and defined of all of them joined."""
    rows = np.r_[0:40, 100:130]
    found = nested(
        rows, scoring=["roc_auc", "f1"], refit=["roc_auc", "f1"], choose_by="pooled",
        inner_cv=LeaveOneOut(),
    )  # fmt: skip
    for fold, (train, _) in enumerate(OUTER.split(X[rows], Y[rows])):
        own, aucs = rows[train], []
        for params in found.candidates:
            model = clone(TREE).set_params(**params)
            given = {"cv": LeaveOneOut(), "method": "predict_proba"}
            joined = cross_val_predict(model, X[own], Y[own], **given)
            aucs.append(roc_auc_score(Y[own], joined[:, 1]))
        np.testing.assert_allclose(found.selections[fold].means, aucs, rtol=1e-12)
        assert found.winners[fold] == np.argmax(aucs)
    assert found.tuning_matrix.tuned_on == ("pooled roc_auc", "pooled f1")
    assert "chosen by pooled roc_auc" in " ".join(found.summary().split())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"refit": lambda found: 7}, "must return the index of one of 5 candidates, returned 7"),
        ({"choose_by": "median"}, "choose_by must be one of 'mean', 'pooled', found 'median'"),
        ({"refit": {"npv": {"p4": (">=", 0.5)}}}, "refit must be one of the metrics"),
        ({"refit": [RULES["function"], RULES["function"]]}, "a list of distinct ones"),
    ],
)
def test_wrong_wishes(options, told):
    with pytest.raises(ValueError, match=told):
        nested(**options)


NAN = np.nan
# Scores of candidates on inner folds; the winner, folds that are dropped, and undefined ones left.
CHOICES = {
    "highest mean": ([[0.5, 0.7], [0.9, 0.5], [0.6, 0.6]], 1, [0, 0], [0, 0, 0]),
    "tie goes to grid order": ([[0.25, 0.5], [0.5, 0.75], [0.75, 0.5]], 1, [0, 0], [0, 0, 0]),
    "undefined for all": ([[0.5, NAN, 0.5], [0.75, NAN, 0.5]], 1, [0, 1, 0], [0, 0]),
    "partly undefined": ([[1.0, NAN], [0.1, 0.1], [0.2, 0.0]], 1, [0, 0], [1, 0, 0]),
    "infinite": ([[np.inf, NAN], [0.1, 0.1], [0.2, 0.0]], 1, [0, 0], [1, 0, 0]),
    "fewest gaps": ([[0.9, NAN, NAN], [0.3, 0.3, NAN], [NAN, 0.4, 0.4]], 2, [0, 0, 0], [2, 1, 1]),
    "undefined everywhere": ([[NAN, NAN], [0.1, NAN], [-5.0, -5.0]], 2, [0, 0], [2, 1, 0]),
    "nothing defined": ([[NAN, NAN], [NAN, NAN], [NAN, NAN]], 0, [1, 1], [0, 0, 0]),
}


@pytest.mark.parametrize("kind", CHOICES)
def test_the_choice(kind):
    scores, winner, dropped, undefined = CHOICES[kind]
    choice = select(np.array(scores))
    assert choice.winner == winner
    assert choice.dropped.tolist() == [bool(each) for each in dropped]
    assert choice.undefined.tolist() == undefined
    assert choice.decided == (kind != "nothing defined")
    with np.errstate(invalid="ignore"):
        means = [np.mean([s for s in row if s == s] or [NAN]) for row in scores]
    np.testing.assert_allclose(choice.means, means)


# Tables of the outer folds; the elected candidate and how many folds chose each.
VOTES = {
    "most votes over a higher mean": ([[[0.6], [0.5]], [[0.6], [0.5]], [[0.1], [0.9]]], 0, [2, 1]),
    "tie: highest mean": ([[[0.6], [0.5], [0.0]], [[0.5], [0.9], [0.0]]], 1, [1, 1, 0]),
    "tie: inner folds count": ([[[1.0], [0.0]], [[0.5, 0.5, 0.5], [0.75] * 3]], 0, [1, 1]),
    "tie: grid order": ([[[0.0], [0.25], [0.5]], [[0.0], [0.5], [0.25]]], 1, [0, 1, 1]),
    "no votes": ([[[0.9, 0], [0.5, 0.5], [0.45, 0.45]], [[0, 0.1], [0.5] * 2, [0.6] * 2]], 2, [0, 1, 1]),
    "undecided": ([[[NAN], [NAN]], [[NAN], [NAN]], [[0.4], [0.6]]], 1, [0, 1]),
    "nothing decided": ([[[NAN], [NAN]], [[NAN], [NAN]]], 0, [0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("kind", VOTES)
def test_the_vote(kind):
    tables, elected, votes = VOTES[kind]
    scores = [np.array(table, dtype=float) for table in tables]
    winner, counts, means = vote([select(table) for table in scores], scores)
    assert (winner, counts.tolist()) == (elected, votes)
    final = FinalModel.of("vote", winner, [{}] * len(counts), 0.5, counts, None)
    assert (final.votes, final.rivals) == (max(votes), votes.count(max(votes)) - 1)
    joined = np.concatenate(scores, axis=1)
    known = ~np.isnan(joined).all(axis=1)
    np.testing.assert_allclose(means[known], np.nanmean(joined[known], axis=1))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_undecided_metric_is_named():
    order = np.argsort(Y[:60], kind="stable")
    inner = PredefinedSplit(np.r_[np.zeros(5), np.full(45, -1)])  # of one class
    names = ["accuracy", "roc_auc"]
    with pytest.warns(UserWarning, match="'roc_auc' is undefined for every") as caught:
        nested(
            order, scoring=names, refit=names, inner_cv=inner, outer_cv=[(order[:50], order[50:])]
        )
    assert len(caught) == 1


MATRIX = TuningMatrix(
    tuned_on=("f1", "roc_auc"),
    reported_on=("roc_auc", "f1"),
    scores=np.array([[[0.5, 0.75], [0.25, NAN]], [[1.0, 0.5], [0.5, 0.75]]]),
    winners=np.array([[0, 1], [1, 1]]),
    inner_means=np.array([[0.5, 0.5], [0.75, 1.0]]),
    candidates=({"C": 0.1}, {"C": 10}),
)


def test_derived_values_and_frame(monkeypatch):
    frame, spreads = MATRIX.to_frame(), np.array([[0.25, NAN], [0.5, 0.25]]) / np.sqrt(2)
    assert frame.index.tolist() == ["f1", "roc_auc"]
    assert frame.shape == (2, 6)
    for column, metric in enumerate(("roc_auc", "f1")):
        np.testing.assert_allclose(frame[metric]["sd"], spreads[:, column])
    assert frame["f1"].loc["roc_auc", "mean"] == MATRIX.means[1, 1] == 0.625
    assert frame["f1"]["undefined"].tolist() == [1, 0]
    np.testing.assert_array_equal(MATRIX.optimism, [[0.25, NAN], [-0.25, 0.5]])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install"):
        MATRIX.to_frame()


def test_text_of_a_tuning_matrix():
    for said in (
        "\nf1        0.6250 (0.1768)     0.2500 (nan)\nroc_auc   0.7500 (0.3536)  0.6250 (0.1768)\n",
        "Undefined folds, excluded from mean and sd: f1 tuned on f1 (1 of 2).\n",
        "The best row, picked after reading the matrix, is optimistic",
        "\nf1       0: 1, 1: 1\nroc_auc  1: 2\n      0  C=0.1\n      1  C=10",
    ):
        assert said in str(MATRIX)
    assert repr(MATRIX) == "TuningMatrix(2 tuned on x 2 reported on: f1, roc_auc)"
