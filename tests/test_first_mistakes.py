"""The mistakes of the first hour: an answer names the argument, what was found and the remedy.

A row is a mistake, the calls that it is tried at, their input, and words of the message, which is an
error of this package or a warning. Where a row does not say otherwise, the input is good.
"""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace

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
import skaucx.metrics as sm
from skaucx.command.main import main
from skaucx.reports import verdict
from tests.datasets import binary, classes

PACKAGE = Path(skaucx.__file__).parent
X, Y, S, P = binary.X[:, :2], binary.y, binary.score, binary.pred
N = len(Y)
TEXT = np.where(Y == 1, "ill", "well")
THREE = np.arange(N) % 3
MATRIX = classes.score[:N]
MASK = np.arange(N) == 3
MINUS = np.where(MASK, -1, 1)
FITTED = LogisticRegression().fit(X, Y)
OF_TEXT, OF_THREE = LogisticRegression().fit(X, TEXT), LogisticRegression().fit(X, THREE)
PIPE = make_pipeline(StandardScaler(), LogisticRegression())
RAGGED = [[0, 1], [1], [0], []]
RARE = (np.arange(N) < 3).astype(int)
SHUFFLED = pd.Series(S).sample(frac=1, random_state=0)
# What a call is given where a row does not say otherwise.
USUAL = {"y": Y, "s": S, "x": X, "metric": "roc_auc", "model": FITTED, "grid": {"C": [1.0]}}


def nested(d):
    more = {"outer_cv": 2, **d.more}
    return skaucx.nested_cross_validate(d.model, d.grid, d.x, d.y, scoring=d.metric, **more)


def compare(d):
    models = {"a": (d.model, d.grid), "b": LogisticRegression(C=2)}
    return skaucx.compare_estimators(
        models, d.x, d.y, scoring=d.metric, **{"outer_cv": 2, **d.more}
    )


def scorer(d):
    weight = {"sample_weight": d.more.pop("sample_weight")} if "sample_weight" in d.more else {}
    return sm.get_scorer(d.metric, **d.more)(d.model, d.x, d.y, **weight)


CALLS = {
    "auc": lambda d: sm.roc_auc_score(d.y, d.s, **d.more),
    "mm7": lambda d: sm.mm7_auc_score(d.y, d.s, **d.more),
    "labels": lambda d: sm.specificity_score(d.y, P if d.s is S else d.s, **d.more),
    "interval": lambda d: skaucx.interval(d.metric, d.y, d.s, **d.more),
    "paired": lambda d: skaucx.paired_test(d.metric, d.y, d.s, d.s, **d.more),
    "evaluate": lambda d: skaucx.evaluate(d.y, y_score=d.s, **d.more),
    "evaluate_labels": lambda d: skaucx.evaluate(d.y, d.s, **d.more),
    "evaluate_metric": lambda d: skaucx.evaluate(d.y, y_score=d.s, metrics=[d.metric], **d.more),
    "scorer": scorer,
    "one_pass": lambda d: sm.one_pass_scorer(["roc_auc", "npv"])(d.model, d.x, d.y),
    "folds": lambda d: cross_val_score(
        d.model, d.x, d.y, scoring=sm.get_scorer(d.metric), cv=2, error_score="raise"
    ),
    "nested": nested,
    "compare": compare,
    "report": lambda d: skaucx.report("page.html", d.y, y_score=d.s, **d.more),
    "verdict": lambda d: verdict(d.y, y_score=d.s, **d.more),
}
ARRAYS = "auc interval paired evaluate"
FITS = "scorer nested compare"
DATA = {"data": pd.DataFrame({"ill": Y, "risk": S})}

ERRORS = [
    ("arguments exchanged", f"{ARRAYS} mm7", {"y": S, "s": Y},
     "y_true | continuous values | y_score"),
    ("labels exchanged", "labels", {"y": S}, "y_true | continuous values"),
    ("features exchanged", "nested", {"y": X, "x": Y}, "inner fits | Expected 2D array, got 1D array"),
    ("scores for classes", "scorer", {"y": S}, "y_true | continuous values | y_score"),
    ("scores for classes", "nested compare", {"y": S}, "inner fits | Unknown label type: continuous"),
    ("two columns", f"{ARRAYS} mm7", {"s": np.c_[1 - S, S]}, "y_score | two columns | [:, 1]"),
    ("two columns of texts", f"{ARRAYS} mm7", {"y": TEXT, "s": np.c_[S, 1 - S], "pos_label": "ill"},
     "y_score | two columns | [:, 1]"),
    ("scores for labels", "labels interval paired evaluate_labels",
     {"s": S.copy(), "metric": "specificity"}, "continuous values | threshold"),
    ("texts for scores", "mm7 interval evaluate", {"y": TEXT, "s": TEXT, "pos_label": "ill"},
     "y_score | <U4 | astype(float)"),
    ("no positive class", f"labels interval paired folds {FITS}",
     {"y": TEXT, "s": TEXT, "metric": "specificity", "model": OF_TEXT},
     "pos_label | 'ill', 'well'"),
    ("no positive class", "evaluate", {"y": TEXT}, "pos_label | 'ill', 'well'"),
    ("an unknown class", f"labels interval paired {FITS}",
     {"y": TEXT, "s": TEXT, "metric": "specificity", "model": OF_TEXT, "pos_label": "sick"},
     "pos_label | 'sick' | 'ill', 'well'"),
    ("labels of three classes", f"labels interval paired {FITS}",
     {"y": THREE, "s": THREE, "metric": "specificity", "model": OF_THREE},
     "two classes | 3 | average"),
    ("scores of three classes", "interval paired scorer nested compare",
     {"y": THREE, "s": MATRIX, "metric": "mm7_auc", "model": OF_THREE},
     "multi_class | 3 | 'ovr' | 'ovo'"),
    ("a misspelt name", f"interval paired evaluate_metric {FITS}", {"metric": "specifity"},
     "'specifity' | 'specificity'"),
    ("another separator", f"interval paired evaluate_metric {FITS}", {"metric": "roc-auc"},
     "'roc-auc' | 'roc_auc'"),
    ("a loss as a scorer", FITS, {"metric": "brier_score"},
     "'brier_score' | loss | 'neg_brier_score'"),
    ("labels needed", "interval paired evaluate_metric", {"metric": "LR+"}, "y_pred"),
    ("the factory of scorers", "nested compare", {"metric": sm.get_scorer},
     "get_scorer | (estimator, X, y) | make_scorer"),
    ("the factory of scorers", "interval paired evaluate_metric", {"metric": sm.get_scorer},
     "metric | get_scorer | name"),
    ("refit misspelt", "nested compare", {"metric": ["roc_auc", "specificity"], "refit": "specifity"},
     "refit | 'specifity' | 'specificity'"),
    ("a parameter misspelt", "nested compare", {"model": PIPE, "grid": {"logisticregresion__C": [1]}},
     "param_grid | 'logisticregresion__C' | 'logisticregression__C'"),
    ("a parameter of a step", "nested compare", {"model": PIPE, "grid": {"C": [1]}},
     "param_grid | 'C' | Pipeline | 'logisticregression__C'"),
    ("one value for a list", "nested compare", {"grid": {"C": 1}}, "param_grid | 'C' | list | got 1"),
    ("no probabilities", "scorer folds nested",
     {"model": LinearSVC().fit(X, Y), "metric": "neg_log_loss", "grid": {}},
     "LinearSVC | predict_proba | neg_log_loss | CalibratedClassifierCV"),
    ("a regressor", "scorer folds nested", {"model": LinearRegression().fit(X, Y), "grid": {}},
     "LinearRegression | predict_proba | roc_auc"),
    ("labels of a regressor", "scorer folds nested",
     {"model": LinearRegression().fit(X, Y), "grid": {}, "metric": "specificity"},
     "y_pred | continuous values | threshold"),
    ("a regressor among classifiers", "compare", {"model": LinearRegression()},
     "estimators | classifiers | 'a' | one kind"),
    ("a class for an estimator", "nested compare", {"model": LogisticRegression},
     "estimator | LogisticRegression | call it"),
    ("not fitted", "scorer one_pass", {"model": LogisticRegression()},
     "LogisticRegression | not fitted | fit"),
    ("a model for its scores", ARRAYS, {"s": FITTED},
     "must be an array-like | LogisticRegression | predict_proba"),
    ("unequal lengths", f"{ARRAYS} labels {FITS}", {"y": Y[1:]}, f"has {N} | has {N - 1} | y"),
    ("a negative weight", f"{ARRAYS} {FITS}", {"sample_weight": MINUS},
     "Negative | sample_weight | -1 | at least 0"),
    ("no weight at all", f"{ARRAYS} {FITS}", {"sample_weight": 0 * S},
     "sample_weight | zero everywhere | positive"),
    ("groups forgotten", "nested compare", {"outer_cv": GroupKFold(2)},
     "GroupKFold | groups= | _cv"),
    ("groups forgotten", "nested", {"inner_cv": GroupKFold(2)}, "GroupKFold | groups= | _cv"),
    ("more folds than rows", "nested compare", {"outer_cv": N + 1}, f"outer_cv | {N + 1} | {N} | fewer"),
    ("one class", "nested compare", {"y": np.ones(N)}, "y | one class | 1.0 | two"),
    ("booleans and texts", "labels interval paired one_pass",
     {"y": Y == 1, "s": TEXT, "metric": "specificity", "model": OF_TEXT}, "y_true bool | <U4 | astype"),
    ("a generator", f"{ARRAYS} {FITS}", {"y": (v for v in Y)}, "y | generator | list"),
    ("masked scores", ARRAYS, {"s": np.ma.array(S, mask=MASK)}, "masked array | unmasked | y"),
    ("masked labels", FITS, {"y": np.ma.array(Y, mask=MASK)}, "masked array | unmasked | y"),
    ("no data=", "interval paired evaluate", {"y": "ill"}, "found | data="),
    ("no data=", "evaluate", {"sample_weight": "w"}, "found | data="),
    ("no data=", "evaluate", {"by": "clinic"}, "found | data="),
    ("no such column", "evaluate", {"y": "il", "s": "risk", **DATA}, "'il' | ill, risk"),
    ("no such file", "evaluate", {"y": "ill", "s": "risk", "data": "missing.csv"},
     "data | missing | no such file"),
    ("a threshold in per cent", "scorer interval paired",
     {"metric": "net_benefit", "s": P, "threshold": 50}, "threshold | (0, 1) | 50 | pass 0.5"),
    ("a threshold in per cent", "evaluate report verdict", {"threshold": 50},
     "[0, 1] | found 50 | pass 0.5"),
    ("a level in per cent", "interval paired evaluate compare", {"confidence_level": 95},
     "confidence_level | (0, 1) | 95 | pass 0.95"),
    ("n_jobs='all'", "nested compare", {"n_jobs": "all"}, "n_jobs | 'all' | whole number | -1"),
    ("lists of labels", "auc labels interval evaluate_labels nested",
     {"y": RAGGED, "s": RAGGED, "x": X[:4]}, "y | rectangular | MultiLabelBinarizer"),
]  # fmt: skip
WARNINGS = [
    ("labels for scores", ARRAYS, {"s": P}, "score | class labels | predict_proba"),
    ("one class", "auc interval evaluate", {"y": np.ones(N)}, "roc_auc | undefined | nan"),
    ("no probabilities", "compare", {"model": LinearSVC(), "metric": "neg_log_loss"},
     "'a' | omitted | LinearSVC | predict_proba | neg_log_loss | CalibratedClassifierCV"),
    ("more folds than rows of a class", "nested compare", {"y": RARE, "outer_cv": 4},
     "class in y | 3 members | n_splits=4"),
    ("folds in the order of the classes", "nested",
     {"y": np.sort(Y), "outer_cv": KFold(4), "inner_cv": KFold(2)},
     "roc_auc | undefined | fold | stratified"),
    ("a threshold that no score reaches", "verdict", {"s": 10 * S, "threshold": 50},
     "50 | y_score lies in | no row | among the scores"),
    ("a threshold that every score reaches", "verdict", {"threshold": 0},
     "0 | y_score lies in | every row | among the scores"),
    ("another order", "interval paired evaluate", {"y": pd.Series(Y), "s": SHUFFLED},
     "index | position | .loc["),
    ("another order", "nested", {"x": pd.DataFrame(X), "y": pd.Series(Y)[SHUFFLED.index]},
     "index | position | .loc["),
]  # fmt: skip


def answer(call, given):
    """Make a call with its input."""
    own = {name: given.get(name, usual) for name, usual in USUAL.items()}
    more = {name: value for name, value in given.items() if name not in USUAL}
    return CALLS[call](SimpleNamespace(**own, more=more))


def cases(rows):
    return [
        pytest.param(call, given, words.split(" | "), id=f"{name}-{call}")
        for name, calls, given, words in rows
        for call in calls.split()
    ]


@pytest.mark.parametrize(("call", "given", "words"), cases(ERRORS))
def test_an_error_names_the_argument_what_was_found_and_the_remedy(call, given, words):
    with warnings.catch_warnings(action="ignore"), pytest.raises(Exception) as raised:  # noqa: PT011
        answer(call, given)
    assert isinstance(raised.value, ValueError | TypeError | AttributeError | FileNotFoundError)
    said = str(raised.value).partition("\n")[0]
    assert not [word for word in words if word not in said], said
    where = Path(traceback.extract_tb(raised.value.__traceback__)[-1].filename)
    assert where.is_relative_to(PACKAGE) or isinstance(raised.value, NotFittedError)


@pytest.mark.parametrize(("call", "given", "words"), cases(WARNINGS))
def test_a_warning_names_them_too(call, given, words):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        answer(call, given)
    said = "\n".join(str(each.message) for each in found)
    assert not [word for word in words if word not in said], said


@pytest.mark.parametrize("form", [lambda v: v[:, None], lambda v: pd.DataFrame({"v": v})])
@pytest.mark.parametrize("call", ARRAYS.split())
def test_a_column_is_its_entries(call, form):
    """A matrix or a frame of one column has one meaning, so that it needs no remedy."""
    assert repr(answer(call, {"y": form(Y), "s": form(S)})) == repr(answer(call, {}))


def test_rows_are_matched_by_position():
    """As scikit-learn does, whatever the index; the calls of the table warn."""
    y, mixed = pd.Series(Y), SHUFFLED.index
    wanted = sm.roc_auc_score(Y, SHUFFLED.to_numpy())
    assert sm.roc_auc_score(y, SHUFFLED) == wanted
    assert answer("scorer", {"y": y[mixed]}) == answer("scorer", {"y": Y[mixed]})
    with pytest.warns(UserWarning, match="same index in different orders"):
        assert skaucx.interval("roc_auc", y, SHUFFLED).estimate == pytest.approx(wanted)


COMMANDS = [
    ("missing.csv --true ill --score risk", "missing.csv | no such file"),
    ("FILE --true il --score risk", "'il' | ill, risk, words"),
    ("FILE --true ill --score risk --metrics LR+", "positive_likelihood_ratio | y_pred"),
    ("FILE --true ill --score risk --intervals --confidence-level 95", "confidence | (0, 1) | 95"),
    ("FILE --true ill --score risk --positive sick", "sick | 0, 1"),
    ("FILE --true risk --score ill", "y_true | continuous | labels | y_score"),
    ("FILE --true ill --pred risk", "y_pred | continuous | labels | y_score"),
    ("FILE --true words --score risk", "ill | well | pos_label"),
    ("FILE --true ill --pred words", "'words' | text | alike"),
    ("FILE --true ill --score ill", "class labels | predict_proba"),
    ("FILE --true ones --score risk", "roc_auc | nan"),
]


@pytest.mark.parametrize(("given", "words"), COMMANDS)
def test_the_command_answers(given, words, tmp_path, capsys):
    """The last two rows are warnings, the others end it."""
    frame = pd.DataFrame({"ill": Y, "risk": S / 2 + 0.2, "words": TEXT, "ones": 1})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    try:
        ended = main(["evaluate", *given.replace("FILE", str(tmp_path / "rows.csv")).split()])
    except SystemExit as exit_:
        ended = exit_.code
    said = f"{ended} {capsys.readouterr().err}"
    assert (ended == 0) == ((given, words) in COMMANDS[-2:])
    assert "Traceback" not in said
    assert not [word for word in words.split(" | ") if word not in said], said
