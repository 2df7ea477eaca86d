"""The mistakes of the first hour: each is answered by the argument, what was found and the remedy.

A mistake is a row of ``MISTAKES``: its calls by the door, and the facts that every answer holds. An
answer is an error raised in this package, or a warning with a value; never silence. Where no call of
ours runs before the error, a row has no such door: ``cross_val_score(scoring=get_scorer)`` fails in
Python, which cannot bind the arguments of the factory. That an estimator is not fitted is said by
scikit-learn's NotFittedError. Functions and scorers match rows by their position, as scikit-learn's do.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import skaucx
from skaucx import (
    compare_estimators,
    evaluate,
    interval,
    nested_cross_validate,
    paired_test,
    report,
)
from skaucx.command.main import main
from skaucx.metrics import (
    RocCurveDisplay,
    get_scorer,
    get_scorers,
    mm7_auc_score,
    one_pass_scorer,
    roc_auc_score,
    specificity_score,
)
from skaucx.reports import verdict

PACKAGE = str(Path(skaucx.__file__).parent)
RNG = np.random.default_rng(0)
N = 40
Y = np.arange(N) % 2
S = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1)
P = (S > 0.5).astype(int)
TEXT = np.where(Y == 1, "ill", "well")
X = np.c_[S, RNG.random(N)]
THREE = np.arange(N) % 3
MATRIX = RNG.dirichlet([1, 1, 1], N)
MASK = np.arange(N) == 3
GRID = {"C": [1.0]}
PLAIN = LogisticRegression()
FITTED = LogisticRegression().fit(X, Y)
FITTED_TEXT = LogisticRegression().fit(X, TEXT)
FITTED_THREE = LogisticRegression().fit(X, THREE)
PIPE = make_pipeline(StandardScaler(), PLAIN)
RAGGED = [[0, 1], [1], [0], []]
SHUFFLED = pd.Series(S).sample(frac=1, random_state=0)
ANYWHERE = "page.html"  # of calls that end before they write
RARE = np.r_[np.ones(3, int), np.zeros(N - 3, int)]


def holed(values: Any) -> Any:
    """Return numbers of which that of row 3 is missing."""
    return np.where(MASK, np.nan, values)


def function(y_true: Any, y_score: Any, **given: Any) -> Any:
    return roc_auc_score(y_true, y_score, **given)


def labels(y_true: Any, y_pred: Any, **given: Any) -> Any:
    return specificity_score(y_true, y_pred, **given)


def scorer(name: str, model: Any = FITTED, y: Any = Y, x: Any = X, **given: Any) -> Any:
    return get_scorer(name, **given)(model, x, y)


def in_folds(name: str, model: Any = PLAIN, y: Any = Y, x: Any = X) -> Any:
    return cross_val_score(model, x, y, scoring=get_scorer(name), cv=2, error_score="raise")


def limits(name: str, y_true: Any = Y, second: Any = S, **given: Any) -> Any:
    return interval(name, y_true, second, **given)


def two_scores(name: str, y_true: Any = Y, a: Any = S, b: Any = X[:, 1], **given: Any) -> Any:
    return paired_test(name, y_true, a, b, **given)


def of_scores(y_true: Any = Y, y_score: Any = S, **given: Any) -> Any:
    return evaluate(y_true, y_score=y_score, **given)


def nested(
    model: Any = PLAIN,
    grid: Any = GRID,
    x: Any = X,
    y: Any = Y,
    scoring: Any = "roc_auc",
    **given: Any,
) -> Any:
    return nested_cross_validate(model, grid, x, y, scoring=scoring, **{"outer_cv": 2, **given})


def compared(
    model: Any = PLAIN, y: Any = Y, scoring: Any = "roc_auc", x: Any = X, **given: Any
) -> Any:
    models = {"a": model, "b": LogisticRegression(C=2)}
    return compare_estimators(models, x, y, scoring=scoring, **{"outer_cv": 2, **given})


class Mistake(NamedTuple):
    """Calls by the door, the facts in every answer, and whether the answer is a warning."""

    calls: dict[str, Callable[[], Any]]
    facts: tuple[str, ...]
    warned: bool = False
    raised: type[Exception] | tuple[type[Exception], ...] = (ValueError, TypeError)


def unknown(name: str, *facts: str) -> Mistake:
    """Return the mistake of a name that no metric has."""
    calls: dict[str, Callable[[], Any]] = {
        "scorer": lambda: get_scorer(name),
        "scorers": lambda: get_scorers([name]),
        "nested": lambda: nested(scoring=name),
        "compare": lambda: compared(scoring=name),
        "interval": lambda: limits(name),
        "test": lambda: two_scores(name),
        "evaluate": lambda: of_scores(metrics=[name]),
    }
    return Mistake(calls, (repr(name), *facts))


MISTAKES = {
    "arguments in the wrong order": Mistake(
        {
            "test": lambda: two_scores("roc_auc", S, Y, Y),
            "scorer": lambda: scorer("roc_auc", y=S),
            "nested": lambda: nested(x=Y, y=X),
            "compare": lambda: compared(y=S),
            "function": lambda: function(S, Y),
            "labels": lambda: labels(S, Y),
            "pairs": lambda: mm7_auc_score(S, Y),
            "interval": lambda: limits("roc_auc", S, Y),
            "evaluate": lambda: of_scores(S, Y),
        },
        ("y_true", "continuous values", "y_score"),
    ),
    "probabilities of two columns": Mistake(
        {
            "test": lambda: two_scores("roc_auc", Y, *[np.c_[1 - S, S]] * 2),
            "function": lambda: function(Y, np.c_[1 - S, S]),
            "pairs": lambda: mm7_auc_score(Y, np.c_[1 - S, S]),
            "interval": lambda: limits("roc_auc", Y, np.c_[1 - S, S]),
            "evaluate": lambda: of_scores(Y, np.c_[1 - S, S]),
        },
        ("y_score", "two columns", "[:, 1]"),
    ),
    "probabilities of two columns, and the positive class": Mistake(
        {
            "test": lambda: two_scores("roc_auc", TEXT, *[np.c_[S, 1 - S]] * 2, pos_label="ill"),
            "function": lambda: function(TEXT, np.c_[S, 1 - S], pos_label="ill"),
            "pairs": lambda: mm7_auc_score(TEXT, np.c_[S, 1 - S], pos_label="ill"),
            "interval": lambda: limits("roc_auc", TEXT, np.c_[S, 1 - S], pos_label="ill"),
            "evaluate": lambda: of_scores(TEXT, np.c_[S, 1 - S], pos_label="ill"),
        },
        ("y_score", "two columns", "[:, 1]"),
    ),
    "scores where labels belong": Mistake(
        {
            "function": lambda: labels(Y, S),
            "interval": lambda: limits("specificity", Y, S),
            "test": lambda: two_scores("specificity", Y, P, S),
            "evaluate": lambda: evaluate(Y, S),
        },
        ("continuous values", "threshold"),
    ),
    "texts where scores belong": Mistake(
        {
            "function": lambda: mm7_auc_score(TEXT, TEXT, pos_label="ill"),
            "interval": lambda: limits("roc_auc", TEXT, TEXT, pos_label="ill"),
            "evaluate": lambda: of_scores(TEXT, TEXT, pos_label="ill"),
        },
        ("y_score", "<U4", "astype(float)"),
    ),
    "labels where scores belong": Mistake(
        {
            "function": lambda: function(Y, P),
            "interval": lambda: limits("roc_auc", Y, P),
            "evaluate": lambda: of_scores(Y, P),
            "test": lambda: two_scores("roc_auc", Y, P),
        },
        ("score", "class labels", "predict_proba"),
        warned=True,
    ),
    "texts without a positive class": Mistake(
        {
            "test": lambda: two_scores("specificity", TEXT, TEXT, TEXT),
            "compare": lambda: compared(y=TEXT, scoring="specificity"),
            "function": lambda: labels(TEXT, TEXT),
            "scorer": lambda: scorer("specificity", FITTED_TEXT, TEXT),
            "folds": lambda: in_folds("specificity", y=TEXT),
            "nested": lambda: nested(y=TEXT, scoring="specificity"),
            "interval": lambda: limits("specificity", TEXT, TEXT),
            "evaluate": lambda: of_scores(TEXT),
        },
        ("pos_label", "'ill', 'well'"),
    ),
    "a positive class that does not occur": Mistake(
        {
            "compare": lambda: compared(y=TEXT, pos_label="sick"),
            "function": lambda: labels(TEXT, TEXT, pos_label="sick"),
            "scorer": lambda: scorer("specificity", FITTED_TEXT, TEXT, pos_label="sick"),
            "nested": lambda: nested(y=TEXT, pos_label="sick"),
            "interval": lambda: limits("specificity", TEXT, TEXT, pos_label="sick"),
            "test": lambda: two_scores("specificity", TEXT, TEXT, TEXT, pos_label="sick"),
            "evaluate": lambda: of_scores(TEXT, pos_label="sick"),
        },
        ("pos_label", "'sick'", "'ill', 'well'"),
    ),
    "three classes in labels": Mistake(
        {
            "test": lambda: two_scores("specificity", THREE, THREE, THREE),
            "compare": lambda: compared(y=THREE, scoring="specificity"),
            "function": lambda: labels(THREE, THREE),
            "scorer": lambda: scorer("specificity", FITTED_THREE, THREE),
            "nested": lambda: nested(y=THREE, scoring="specificity"),
            "interval": lambda: limits("specificity", THREE, THREE),
        },
        ("two classes", "3", "average"),
    ),
    "three classes in scores": Mistake(
        {
            "test": lambda: two_scores("mm7_auc", THREE, MATRIX, MATRIX),
            "compare": lambda: compared(y=THREE, scoring="mm7_auc"),
            "function": lambda: mm7_auc_score(THREE, MATRIX),
            "scorer": lambda: scorer("mm7_auc", FITTED_THREE, THREE),
            "nested": lambda: nested(y=THREE, scoring="mm7_auc"),
            "interval": lambda: limits("mm7_auc", THREE, MATRIX),
        },
        ("multi_class", "3", "'ovr'", "'ovo'"),
    ),
    "roc-auc": unknown("roc-auc", "'roc_auc'"),
    "specifity": unknown("specifity", "'specificity'"),
    "brier_score as a scorer": Mistake(
        {
            "scorer": lambda: get_scorer("brier_score"),
            "nested": lambda: nested(scoring="brier_score"),
            "compare": lambda: compared(scoring="brier_score"),
        },
        ("'brier_score'", "loss", "'neg_brier_score'"),
    ),
    "LR+ of scores": Mistake(
        {
            "test": lambda: two_scores("LR+"),
            "interval": lambda: limits("LR+"),
            "evaluate": lambda: of_scores(metrics=["LR+"]),
        },
        ("y_pred",),
    ),
    "the factory of scorers as a scorer": Mistake(
        {
            "scorers": lambda: get_scorers([get_scorer]),
            "one pass": lambda: one_pass_scorer([get_scorer]),
            "nested": lambda: nested(scoring=get_scorer),
            "compare": lambda: compared(scoring=get_scorer),
        },
        ("get_scorer", "(estimator, X, y)", "make_scorer"),
    ),
    "refit misspelt": Mistake(
        {
            "compare": lambda: compared(scoring=["roc_auc", "specificity"], refit="specifity"),
            "nested": lambda: nested(scoring=["roc_auc", "specificity"], refit="specifity"),
        },
        ("refit", "'specifity'", "'specificity'"),
    ),
    "a parameter misspelt": Mistake(
        {
            "compare": lambda: compared((PIPE, {"logisticregresion__C": [1]})),
            "nested": lambda: nested(PIPE, {"logisticregresion__C": [1]}),
        },
        ("param_grid", "'logisticregresion__C'", "'logisticregression__C'"),
    ),
    "a parameter of a step": Mistake(
        {"compare": lambda: compared((PIPE, GRID)), "nested": lambda: nested(PIPE, GRID)},
        ("param_grid", "'C'", "Pipeline", "'logisticregression__C'"),
    ),
    "one value for a list": Mistake(
        {"compare": lambda: compared((PLAIN, {"C": 1})), "nested": lambda: nested(grid={"C": 1})},
        ("param_grid", "'C'", "list", "[1]"),
    ),
    "log loss without probabilities": Mistake(
        {
            "scorer": lambda: scorer("neg_log_loss", LinearSVC().fit(X, Y)),
            "folds": lambda: in_folds("neg_log_loss", LinearSVC()),
            "nested": lambda: nested(LinearSVC(), scoring="neg_log_loss"),
        },
        ("LinearSVC", "predict_proba", "neg_log_loss", "CalibratedClassifierCV"),
        raised=(ValueError, AttributeError),
    ),
    "log loss without probabilities, omitted": Mistake(
        {"compare": lambda: compared(LinearSVC(), scoring="neg_log_loss")},
        ("'a'", "omitted", "LinearSVC", "predict_proba", "neg_log_loss", "CalibratedClassifierCV"),
        warned=True,
    ),
    "the factory of scorers as a metric": Mistake(
        {
            "interval": lambda: limits(get_scorer),
            "test": lambda: two_scores(get_scorer),
            "evaluate": lambda: of_scores(metrics=[get_scorer]),
        },
        ("metric", "get_scorer", "name"),
    ),
    "a regressor, its scores": Mistake(
        {
            "folds": lambda: in_folds("roc_auc", LinearRegression()),
            "scorer": lambda: scorer("roc_auc", LinearRegression().fit(X, Y)),
            "nested": lambda: nested(LinearRegression(), {}),
        },
        ("LinearRegression", "predict_proba", "roc_auc"),
        raised=(ValueError, AttributeError),
    ),
    "a regressor, its labels": Mistake(
        {
            "folds": lambda: in_folds("specificity", LinearRegression()),
            "scorer": lambda: scorer("specificity", LinearRegression().fit(X, Y)),
            "nested": lambda: nested(LinearRegression(), {}, scoring="specificity"),
        },
        ("y_pred", "continuous values", "threshold"),
    ),
    "a regressor among classifiers": Mistake(
        {"compare": lambda: compared(LinearRegression())},
        ("estimators", "classifiers", "'a'", "one kind"),
    ),
    "an estimator that was not fitted": Mistake(
        {
            "losses": lambda: scorer("neg_log_loss", LogisticRegression()),
            "one pass": lambda: one_pass_scorer(["roc_auc", "npv"])(LogisticRegression(), X, Y),
            "display": lambda: RocCurveDisplay.from_estimator(LogisticRegression(), X, Y),
            "scorer": lambda: scorer("roc_auc", LogisticRegression()),
            "labels": lambda: scorer("specificity", LogisticRegression()),
            "pairs": lambda: scorer("mm7_auc", LogisticRegression()),
        },
        ("LogisticRegression", "not fitted", "fit"),
        raised=NotFittedError,
    ),
    "a class for an estimator": Mistake(
        {
            "nested": lambda: nested(LogisticRegression),
            "compare": lambda: compared(LogisticRegression),
        },
        ("estimator", "LogisticRegression", "call it"),
    ),
    "a missing label": Mistake(
        {
            "scorer": lambda: scorer("roc_auc", y=holed(Y)),
            "test": lambda: two_scores("roc_auc", holed(Y)),
            "function": lambda: function(holed(Y), S),
            "labels": lambda: labels(holed(Y), P),
            "interval": lambda: limits("roc_auc", holed(Y)),
            "evaluate": lambda: of_scores(holed(Y)),
            "nested": lambda: nested(y=holed(Y)),
            "compare": lambda: compared(y=holed(Y)),
        },
        ("NaN", "y", f"1 of {N} rows", "remove"),
    ),
    "a model for its scores": Mistake(
        {
            "evaluate": lambda: of_scores(Y, FITTED),
            "interval": lambda: limits("roc_auc", Y, FITTED),
            "test": lambda: two_scores("roc_auc", Y, FITTED, FITTED),
            "function": lambda: function(Y, FITTED),
        },
        ("must be an array-like", "LogisticRegression", "predict_proba"),
    ),
    "a missing score": Mistake(
        {
            "function": lambda: function(Y, holed(S)),
            "interval": lambda: limits("roc_auc", Y, holed(S)),
            "evaluate": lambda: of_scores(Y, holed(S)),
            "test": lambda: two_scores("roc_auc", Y, holed(S)),
        },
        ("NaN", "score", f"1 of {N} rows", "remove"),
    ),
    "unequal lengths": Mistake(
        {
            "scorer": lambda: scorer("roc_auc", y=Y[1:]),
            "function": lambda: function(Y, S[1:]),
            "labels": lambda: labels(Y, P, sample_weight=S[1:]),
            "interval": lambda: limits("roc_auc", Y, S[1:]),
            "evaluate": lambda: of_scores(Y, S[1:]),
            "test": lambda: two_scores("roc_auc", Y, S, S[1:]),
            "nested": lambda: nested(y=Y[1:]),
            "compare": lambda: compared(y=Y[1:]),
        },
        (f"has {N}", f"has {N - 1}", "y"),
    ),
    "a negative weight": Mistake(
        {
            "test": lambda: two_scores("roc_auc", sample_weight=np.where(MASK, -1, 1)),
            "compare": lambda: compared(sample_weight=np.where(MASK, -1, 1)),
            "scorer": lambda: get_scorer("roc_auc")(
                FITTED, X, Y, sample_weight=np.where(MASK, -1, 1)
            ),
            "function": lambda: function(Y, S, sample_weight=np.where(MASK, -1, 1)),
            "interval": lambda: limits("roc_auc", sample_weight=np.where(MASK, -1, 1)),
            "evaluate": lambda: of_scores(sample_weight=np.where(MASK, -1, 1)),
            "nested": lambda: nested(sample_weight=np.where(MASK, -1, 1)),
        },
        ("Negative", "sample_weight", "-1", "at least 0"),
    ),
    "no weight at all": Mistake(
        {
            "test": lambda: two_scores("roc_auc", sample_weight=0 * S),
            "compare": lambda: compared(sample_weight=0 * S),
            "scorer": lambda: get_scorer("roc_auc")(FITTED, X, Y, sample_weight=0 * S),
            "function": lambda: function(Y, S, sample_weight=0 * S),
            "interval": lambda: limits("roc_auc", sample_weight=0 * S),
            "evaluate": lambda: of_scores(sample_weight=0 * S),
            "nested": lambda: nested(sample_weight=0 * S),
        },
        ("sample_weight", "zero everywhere", "positive"),
    ),
    "groups forgotten": Mistake(
        {
            "nested": lambda: nested(outer_cv=GroupKFold(2)),
            "inside": lambda: nested(inner_cv=GroupKFold(2)),
            "compare": lambda: compared(outer_cv=GroupKFold(2)),
        },
        ("GroupKFold", "groups=", "_cv"),
    ),
    "more folds than rows": Mistake(
        {"nested": lambda: nested(outer_cv=N + 1), "compare": lambda: compared(outer_cv=N + 1)},
        ("outer_cv", str(N + 1), str(N), "fewer"),
    ),
    "more folds than rows of a class": Mistake(
        {
            "nested": lambda: nested(y=RARE, outer_cv=4),
            "compare": lambda: compared(y=RARE, outer_cv=4),
        },
        ("outer_cv", "class", "3", "n_splits=4", "fewer"),
        warned=True,
    ),
    "a fold of one class": Mistake(
        {
            "function": lambda: function(np.ones(N), S),
            "interval": lambda: limits("roc_auc", np.ones(N)),
            "evaluate": lambda: of_scores(np.ones(N)),
        },
        ("roc_auc", "undefined", "nan"),
        warned=True,
    ),
    "folds in the order of the classes": Mistake(
        {"nested": lambda: nested(y=np.sort(Y), outer_cv=KFold(4), inner_cv=KFold(2))},
        ("roc_auc", "undefined", "fold", "stratified"),
        warned=True,
    ),
    "y of one class": Mistake(
        {"nested": lambda: nested(y=np.ones(N)), "compare": lambda: compared(y=np.ones(N))},
        ("y", "one class", "1.0", "two"),
    ),
    "a generator": Mistake(
        {
            "test": lambda: two_scores("roc_auc", (v for v in Y)),
            "compare": lambda: compared(y=(v for v in Y)),
            "scorer": lambda: scorer("roc_auc", y=(v for v in Y)),
            "function": lambda: function((v for v in Y), S),
            "interval": lambda: limits("roc_auc", (v for v in Y)),
            "evaluate": lambda: of_scores(v for v in Y),
            "nested": lambda: nested(y=(v for v in Y)),
        },
        ("y", "generator", "list"),
    ),
    "booleans against texts": Mistake(
        {
            "function": lambda: labels(Y == 1, TEXT),
            "interval": lambda: limits("specificity", Y == 1, TEXT),
            "evaluate": lambda: evaluate(Y == 1, TEXT),
            "test": lambda: two_scores("specificity", Y == 1, TEXT, TEXT),
            "scorer": lambda: scorer("specificity", FITTED_TEXT, Y == 1),
            "one pass": lambda: one_pass_scorer(["npv", "roc_auc"])(FITTED_TEXT, X, Y == 1),
        },
        ("y_true bool", "<U4", "astype"),
    ),
    "a masked array": Mistake(
        {
            "test": lambda: two_scores("roc_auc", Y, np.ma.array(S, mask=MASK)),
            "compare": lambda: compared(y=np.ma.array(Y, mask=MASK)),
            "scorer": lambda: scorer("roc_auc", y=np.ma.array(Y, mask=MASK)),
            "function": lambda: function(Y, np.ma.array(S, mask=MASK)),
            "interval": lambda: limits("roc_auc", Y, np.ma.array(S, mask=MASK)),
            "evaluate": lambda: of_scores(Y, np.ma.array(S, mask=MASK)),
            "nested": lambda: nested(y=np.ma.array(Y, mask=MASK)),
        },
        ("masked array", "unmasked", "y"),
    ),
    "a name of a column without data=": Mistake(
        {
            "evaluate": lambda: of_scores("ill", "risk"),
            "weight": lambda: of_scores(sample_weight="w"),
            "interval": lambda: limits("roc_auc", "ill", "risk"),
            "groups": lambda: limits("roc_auc", groups="clinic"),
            "test": lambda: two_scores("roc_auc", "ill"),
            "by": lambda: of_scores(by="clinic"),
        },
        ("found", "data="),
    ),
    "a name of a column that is missing": Mistake(
        {"evaluate": lambda: of_scores("il", "risk", data=pd.DataFrame({"ill": Y, "risk": S}))},
        ("'il'", "ill, risk"),
    ),
    "a threshold in per cent": Mistake(
        {
            "test": lambda: two_scores("net_benefit", Y, P, P, threshold=50),
            "nested": lambda: nested(scoring=get_scorer("net_benefit", threshold=50)),
            "evaluate": lambda: of_scores(threshold=50),
            "interval": lambda: limits("net_benefit", Y, P, threshold=50),
            "scorer": lambda: get_scorer("net_benefit", threshold=50),
        },
        ("threshold", "(0, 1)", "50", "pass 0.5"),
    ),
    "a threshold of scores in per cent": Mistake(
        {
            "report": lambda: report(ANYWHERE, Y, y_score=S, threshold=50),
            "verdict": lambda: verdict(Y, y_score=S, threshold=50),
        },
        ("[0, 1]", "found 50", "pass 0.5"),
    ),
    "a threshold that no score reaches": Mistake(
        {
            "verdict": lambda: verdict(Y, y_score=10 * S, threshold=50),
        },
        ("50", f"y_score lies in [{10 * S.min():.6g}, ", "no row", "among the scores"),
        warned=True,
    ),
    "a threshold that every score reaches": Mistake(
        {"verdict": lambda: verdict(Y, y_score=S, threshold=0)},
        ("0", f"y_score lies in [{S.min():.6g}, ", "every row", "among the scores"),
        warned=True,
    ),
    "a level in per cent": Mistake(
        {
            "interval": lambda: limits("roc_auc", confidence_level=95),
            "evaluate": lambda: of_scores(confidence_level=95),
            "test": lambda: two_scores("roc_auc", confidence_level=95),
            "compare": lambda: compared(confidence_level=95),
        },
        ("confidence_level", "(0, 1)", "95", "pass 0.95"),
    ),
    "n_jobs='all'": Mistake(
        {"nested": lambda: nested(n_jobs="all"), "compare": lambda: compared(n_jobs="all")},
        ("n_jobs", "'all'", "whole number", "-1"),
    ),
    "a path that does not exist": Mistake(
        {
            "data": lambda: of_scores("ill", "risk", data="missing.csv"),
            "parquet": lambda: of_scores("ill", "risk", data="missing.parquet"),
        },
        ("data", "missing", "no such file"),
        raised=FileNotFoundError,
    ),
    "a folder that does not exist": Mistake(
        {"report": lambda: of_scores().report("missing/page.html")},
        ("path", "missing", "create"),
        raised=FileNotFoundError,
    ),
    "an index in another order": Mistake(
        {
            "interval": lambda: limits("roc_auc", pd.Series(Y), SHUFFLED),
            "evaluate": lambda: of_scores(pd.Series(Y), SHUFFLED),
            "test": lambda: two_scores("roc_auc", pd.Series(Y), SHUFFLED, S),
            "nested": lambda: nested(x=pd.DataFrame(X), y=pd.Series(Y)[SHUFFLED.index]),
        },
        ("index", "position", ".loc["),
        warned=True,
    ),
    "lists of labels": Mistake(
        {
            "function": lambda: labels(RAGGED, RAGGED),
            "scores": lambda: function(RAGGED, RAGGED),
            "interval": lambda: limits("specificity", RAGGED, RAGGED),
            "evaluate": lambda: evaluate(RAGGED, RAGGED),
            "nested": lambda: nested(x=X[:4], y=RAGGED),
        },
        ("y", "rectangular", "MultiLabelBinarizer"),
    ),
}
CASES = [(name, door) for name, mistake in MISTAKES.items() for door in mistake.calls]


def test_forty_mistakes() -> None:
    assert len(MISTAKES) >= 40


COLUMN: dict[str, Callable[[Any], Any]] = {
    "function": lambda form: function(form(Y), form(S)),
    "labels": lambda form: labels(form(Y), form(P), sample_weight=form(S)),
    "scorer": lambda form: scorer("roc_auc", y=form(Y)),
    "interval": lambda form: limits("roc_auc", form(Y), form(S)),
    "test": lambda form: two_scores("roc_auc", form(Y), form(S), form(X[:, 1])),
    "evaluate": lambda form: of_scores(form(Y), form(S)),
    "nested": lambda form: nested(y=form(Y))["test_roc_auc"],
    "compare": lambda form: compared(y=form(Y)).results["a"]["test_roc_auc"],
}


@pytest.mark.parametrize("form", [lambda v: v[:, None], lambda v: pd.DataFrame({"v": v})])
@pytest.mark.parametrize("door", COLUMN)
def test_a_column_is_its_entries(door: str, form: Callable[[Any], Any]) -> None:
    """A matrix or a frame of one column has one meaning, so that it needs no remedy."""
    assert repr(COLUMN[door](form)) == repr(COLUMN[door](np.asarray))


@pytest.mark.parametrize(
    ("name", "known"),
    [("auc", "roc_auc"), ("ROC_AUC", "roc_auc"), ("LR+", "positive_likelihood_ratio")],
)
def test_another_name_of_a_metric_is_understood(name: str, known: str) -> None:
    assert scorer(name) == scorer(known)
    assert repr(evaluate(Y, P, y_score=S, metrics=[name])) == repr(
        evaluate(Y, P, y_score=S, metrics=[known])
    )
    found = nested(scoring=name)[f"test_{name}"]
    np.testing.assert_array_equal(found, nested(scoring=known)[f"test_{known}"])


def test_the_metric_that_chooses_without_refit_is_printed() -> None:
    found = nested(scoring=["specificity", "roc_auc"])
    assert "chosen by specificity" in " ".join(found.summary().split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"y_pred": THREE}, "average='macro'"),
        ({"y_score": MATRIX}, "multi_class='ovr'"),
        ({"y_score": MATRIX, "by": Y}, "multi_class='ovr'"),
    ],
)
def test_what_three_classes_take_unrequested_is_printed(given: dict[str, Any], said: str) -> None:
    assert said in " ".join(str(evaluate(THREE, **given)).split())


def test_functions_and_scorers_match_rows_by_position() -> None:
    """As scikit-learn's do, whatever the index; the calls of the table warn."""
    assert function(pd.Series(Y), SHUFFLED) == function(Y, SHUFFLED.to_numpy())
    assert scorer("roc_auc", y=pd.Series(Y)[SHUFFLED.index], x=pd.DataFrame(X)) == scorer(
        "roc_auc", y=Y[SHUFFLED.index]
    )


@pytest.mark.parametrize(("name", "door"), CASES)
def test_answer_names_the_argument_what_was_found_and_the_remedy(name: str, door: str) -> None:
    mistake = MISTAKES[name]
    if mistake.warned:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            mistake.calls[door]()
        answer = "\n".join(str(each.message) for each in found)
    else:
        with (
            warnings.catch_warnings(action="ignore"),
            pytest.raises(mistake.raised) as raised,
        ):
            mistake.calls[door]()
        answer = str(raised.value).partition("\n")[0]
        where = Path(traceback.extract_tb(raised.value.__traceback__)[-1].filename)
        assert where.is_relative_to(PACKAGE) or mistake.raised is NotFittedError
    assert [fact for fact in mistake.facts if fact not in answer] == [], answer


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ("missing.csv --true ill --score risk", ("missing.csv", "no such file")),
        ("FILE --true il --score risk", ("'il'", "ill, risk, words")),
        ("FILE --true ill --score risk --metrics specifity", ("'specifity'", "'specificity'")),
        ("FILE --true ill --score risk --threshold 50", ("threshold", "(0, 1)", "50")),
        (
            "FILE --true ill --score risk --intervals --confidence-level 95",
            ("confidence", "(0, 1)", "95"),
        ),
        ("FILE --true ill --score risk --positive sick", ("sick", "0, 1")),
        ("FILE --true risk --score ill", ("'risk'", "continuous", "labels", "--score")),
        ("FILE --true ill --pred risk", ("'risk'", "continuous", "labels", "--score")),
        ("FILE --true words --score risk", ("ill", "well", "--positive")),
        ("FILE --true three --score risk", ("two classes", "3", "average")),
        ("FILE --true holed --score risk", ("'holed'", "row 3", "missing")),
        ("FILE --true ill --score holed", ("'holed'", "row 3", "missing")),
        ("FILE --true ill --score words", ("'words'", "row 0", "not a number")),
        ("FILE --true ill --pred words", ("'words'", "text", "alike")),
        ("FILE --true ill --score risk --weight minus", ("Negative", "-1", "at least 0")),
        ("FILE --true ill --score risk --weight zero", ("weight", "zero", "must be positive")),
        ("FILE --true ill --score risk --metrics LR+", ("positive_likelihood_ratio", "--pred")),
        ("FILE --true ill --score risk --metrics roc-auc", ("'roc-auc'", "'roc_auc'")),
    ],
)
def test_command_line_answers(
    given: str, facts: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.csv"
    columns = {"ill": Y, "risk": S, "words": TEXT, "three": THREE, "holed": holed(Y)}
    frame = pd.DataFrame(columns | {"minus": np.where(MASK, -1, 1), "zero": 0 * Y})
    frame.to_csv(file, index=False)
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["evaluate", *given.replace("FILE", str(file)).split()]))
    written = capsys.readouterr()
    answer = f"{ended.value.code} {written.err}"
    assert ended.value.code not in (0, None)
    assert "Traceback" not in answer
    assert [fact for fact in facts if fact not in answer] == [], answer


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ("--true ill --score ill", ("class labels", "predict_proba")),
        ("--true ones --score risk", ("roc_auc", "nan")),
    ],
)
def test_command_line_warns(
    given: str, facts: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.csv"
    pd.DataFrame({"ill": Y, "risk": S, "ones": 1}).to_csv(file, index=False)
    assert main(["evaluate", str(file), *given.split()]) == 0
    answer = capsys.readouterr().err
    assert [fact for fact in facts if fact not in answer] == [], answer
