"""Arrays of rows in public calls: lengths agree, order is free, and a missing entry is refused.

Every public call whose docstring gives an array one entry per row is tried; one that needs more than
others fails until it is here.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import skaucx
import skaucx.metrics as sm
from skaucx import evaluation, inference, model_selection
from skaucx.command.main import main
from tests.each import each
from tests.public import PUBLIC, STUDY_NAMES

RNG = np.random.default_rng(5)
N = 48
T = RNG.permutation(np.arange(N) % 2)
S = np.round(np.clip(0.3 * T + 0.7 * RNG.random(N), 0.01, 0.99), 3)
S2 = np.clip(S + RNG.normal(0, 0.1, N), 0.01, 0.99)
L, L2 = (S > 0.5) * 1, (S2 > 0.5) * 1
X = np.column_stack([S, S2])
W = RNG.uniform(0.5, 2, N)
G = np.arange(N) // 3
COSTS = RNG.uniform(0, 5, (N, 2))
FEW = {"n_resamples": 30, "random_state": 0}

# What public calls are given: arrays, what metrics require, and what one of them needs beside.
ARRAYS = {
    "X": X, "y": T, "y_true": T, "y_pred": L, "y_score": S, "y_proba": S, "y_prob": S,
    "sample_weight": W, "groups": G, "by": G % 2, "frequency": 1 + G % 3, "example_costs": COSTS,
    "score_a": S, "score_b": S2, "y_pred_a": L, "y_pred_b": L2, "y_pred_or_score": L, "y1": T,
    "y2": L, "pred_decision": S, "rejected": S < 0.3,
}  # fmt: skip
REQUIRED = {
    "beta": 1, "cost": [[0, 1], [1, 0]], "difference": np.arctan, "objective": "recall",
    "threshold": 0.3, "subject_to": {"precision": (">=", 0.2)},
}  # fmt: skip
MODEL, RECALL = LogisticRegression(), {"metric": "recall"}
WITH = {
    "CalibratingClassifier": {"estimator": MODEL},
    "NestedCV": {"estimator": MODEL, "param_grid": {"C": [1.0]}},
    "RejectingClassifier": {"estimator": MODEL, "least": 0.6},
    "ConfusionMatrixDisplay.from_estimator": {"estimator": MODEL.fit(X, T)},
    "bootstrap_score": {"estimator": MODEL, "scoring": "accuracy"},
    "chow_predictions": {"reject_cost": 0.2},
    "compare_estimators": {"estimators": {"a": MODEL, "b": LogisticRegression(C=0.1)}},
    "probabilities_at_prevalence": {"prevalence": 0.2, "training_prevalence": 0.5},
    "example_cost_loss": {"example_costs": COSTS}, "savings_score": {"example_costs": COSTS},
    "example_losses": {"metric": "brier_score_loss", "y_pred": S},
    "mean_poisson_deviance": {"y_true": S, "y_pred": S2},
    "mean_gamma_deviance": {"y_true": S, "y_pred": S2},
    "five_by_two_cv_test": {"estimator_a": MODEL, "estimator_b": MODEL, "scoring": "accuracy"},
    "interval": RECALL, "jackknife": RECALL, "paired_test": RECALL, "permutation_test": RECALL,
    "intervals": {"metrics": ["recall"]},
    "nested_cross_validate": {"estimator": MODEL, "param_grid": {}},
    "one_vs_rest_curves": {"curve": sm.roc_curve, "y_true": G % 3,
                           "y_score": RNG.dirichlet(np.ones(3), N)},
    "prevalence_weights": {"prevalence": 0.2},
    "report": {"path": "report.html"},
    "sets_of_classifier": {"estimator": MODEL},
}  # fmt: skip
LEFT_OUT = {
    "delong_test": {"y_true_b"},  # of other rows
    "chow_predictions": {"y_proba"},  # alone
    "prevalence_weights": {"y_true"},
    "probabilities_at_prevalence": {"y_score"},  # alone
    # scikit-learn's own functions
    "cohen_kappa_score": {"sample_weight"},
    "hinge_loss": {"sample_weight"},
}
# One reads X alone, the other needs scikit-learn's estimators of folds.
NOT_CALLED = {"BootstrapSplit.split", "ConfusionMatrixDisplay.from_cv_results"}


def profit(y_true, y_pred, amount):
    return float(np.mean((2 * y_true - 1) * y_pred * amount))


# Calls with arrays of rows that a metric takes, so that no parameter of the call names them.
COUNTED = {"metric": profit, "y_true": T, "y_pred_or_score": L, "amount": W}
OF_METRICS = {
    "interval of profit": partial(inference.interval, groups=G, **COUNTED),
    "jackknife of profit": partial(inference.jackknife, groups=G, **COUNTED),
    "permutation test of profit": partial(inference.permutation_test, **COUNTED),
    "paired test of profit": partial(
        inference.paired_test, metric=profit, y_true=T, y_pred_a=L, y_pred_b=L2, amount=W
    ),
    "interval of costs": partial(
        inference.interval, metric="example_cost", y_true=T, y_pred_or_score=L, example_costs=COSTS,
        frequency=1 + G % 3,
    ),
    "evaluation of costs": partial(
        evaluation.evaluate, y_true=T, y_pred=L, example_costs=COSTS, metrics=["example_cost"]
    ),
}  # fmt: skip
OF_ROWS = re.compile(r"^(\w[\w, ]*) : (?=.*array)(?=.*\(n_samples).*$", flags=re.MULTILINE)
EVERY = PUBLIC | STUDY_NAMES
for _module in (skaucx, model_selection):
    EVERY |= {name: getattr(_module, name) for name in _module.__all__}


def arrays_of_rows(call):
    """Return the parameters that have an entry a row by the docstring, or as in another call."""
    described = inspect.cleandoc(call.__doc__ or "").partition("Parameters\n---")[2]
    described = re.split(r"\n\w[\w ]*\n-{3,}", described)[0]
    elsewhere = ", ".join(re.findall(r"^\w+(?:, \w+)+$", described, flags=re.MULTILINE)).split(", ")
    found = [name for names in OF_ROWS.findall(described) for name in names.split(", ")]
    return [*found, *(name for name in elsewhere if name in ARRAYS)]


def public_calls():
    """Return every public function and method with the names of its arrays of rows."""
    found = {name: thing for name, thing in EVERY.items() if inspect.isfunction(thing)}
    for name, thing in EVERY.items():
        own = (
            [method for method in vars(thing) if method[0] != "_"] if inspect.isclass(thing) else []
        )
        routines = {method: getattr(thing, method) for method in own}
        found |= {f"{name}.{m}": held for m, held in routines.items() if inspect.isroutine(held)}
    ours = {name: each for name, each in found.items() if each.__module__.startswith("skaucx")}
    return {name: (each, arrays) for name, each in ours.items() if (arrays := arrays_of_rows(each))}


CALLS = public_calls()
CASES = [
    (name, argument)
    for name, (_, arrays) in CALLS.items()
    for argument in arrays
    if name not in NOT_CALLED and argument not in LEFT_OUT.get(name, ())
] + [
    (name, argument)
    for name, call in OF_METRICS.items()
    for argument, values in call.keywords.items()
    if isinstance(values, np.ndarray)
]
# Arrays that calls need at the same time.
TOGETHER = re.compile("X|y|y1|y2|pred_decision|y_(true|pred|score|pro).*(?<!true_b)|score_.")


def bound(name, argument):
    """Return the call with all that it needs, among it the argument."""
    if name in OF_METRICS:
        return OF_METRICS[name]
    call, arrays = CALLS[name]
    taken, given = inspect.signature(call).parameters, dict(WITH.get(name, {}))
    for one in arrays:
        if one not in given and (one == argument or TOGETHER.fullmatch(one)):
            assert one in ARRAYS, f"{name}: call {one} as other calls do, or add it to ARRAYS"
            given[one] = ARRAYS[one]
    for one in REQUIRED.keys() & taken.keys():
        if taken[one].default is inspect.Parameter.empty:
            given[one] = REQUIRED[one]
    if "self" in taken:
        place, _, method = name.partition(".")
        instance = EVERY[place](**WITH.get(place, {}))
        call = getattr(instance.fit(X, T) if name == "NestedCV.score" else instance, method)
    return partial(call, **given)


@pytest.mark.filterwarnings("ignore")  # of few rows
@each("name, argument", CASES)
def test_an_array_of_another_length_is_refused_by_name(name, argument):
    call = bound(name, argument)
    values = call.keywords[argument]
    # scikit-learn's own message of X and y has their lengths alone
    named = "" if argument in ("X", "y") else rf"(?=.*\b{argument}\b)"
    for changed in (np.concatenate([values, values[:1]]), values[:-1]):
        with pytest.raises(ValueError, match=rf"(?s){named}(?=.*{len(changed)})"):
            call(**{argument: changed})


# What depends on the order of the rows: folds and draws are numbered, the naive forecast is the row
# before, a page is written.
IN_ORDER = {
    "NestedCV.fit", "bootstrap_score", "compare_estimators", "five_by_two_cv_test",
    "nested_cross_validate", "sets_of_classifier", "CalibratingClassifier.fit",
    "RejectingClassifier.fit", "check_folds", "mase_loss", "report",
}  # fmt: skip
# What no draws change; the difference of a permutation test is that from a mean over draws.
READ = {
    "permutation_test": ("statistic",),
    "permutation test of profit": ("statistic",),
    "interval of costs": ("estimate", "low", "high"),
}
NOT_DRAWN = "estimate", "value", "difference"


def numbers_of(found, only=()):
    """Yield the arrays of numbers in a result."""
    if isinstance(found, dict):
        yield from numbers_of(list(found.values()), only)
    elif isinstance(found, list | tuple):
        for part in found:
            yield from numbers_of(part, only)
    elif dataclasses.is_dataclass(found):
        names = [field.name for field in dataclasses.fields(found)]
        held = [getattr(found, name) for name in names if not only or name in only]
        yield from numbers_of(held, only)
    elif hasattr(found, "to_frame"):
        yield from numbers_of(list(found.to_frame().select_dtypes("number").to_numpy()))
    elif np.asarray(found).dtype.kind in "biufc":
        yield np.asarray(found, dtype=float)


def in_order(values, rows):
    """Return arrays of rows, or along rows, in another order; anything else as it is."""
    if not isinstance(values, np.ndarray) or N not in values.shape:
        return values
    return np.take(values, rows, axis=values.shape.index(N))


@pytest.mark.filterwarnings("ignore")
@each("name, argument", [case for case in CASES if case[0] not in IN_ORDER])
def test_rows_in_another_order_change_nothing(name, argument):
    """What a call returns, or each of its rows in the other order."""
    call, again = bound(name, argument), bound(name, argument)
    rows = np.random.default_rng(1).permutation(N)
    shuffled = {given: in_order(values, rows) for given, values in call.keywords.items()}
    drawn = FEW if "n_resamples" in inspect.signature(call.func).parameters else {}
    only = READ.get(name, NOT_DRAWN if drawn else ())
    before = [*numbers_of(call(**drawn), only)]
    after = [*numbers_of(again(**shuffled, **drawn), only)]
    for one, other in zip(before, after, strict=True):
        if not (np.shape(one) == np.shape(other) and np.allclose(one, other, equal_nan=True)):
            one = in_order(one, rows)
        if name == "placement_values":  # those of the rows of a class
            one, other = np.sort(one), np.sort(other)
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)


# Calls and arrays that others answer: scikit-learn's estimators and functions, and metrics of users.
OF_OTHERS = {
    "X", "frequency", "CalibratingClassifier.fit", "RejectingClassifier.fit", "confusion_matrix",
    "five_by_two_cv_test",
    *(name for name in OF_METRICS if "profit" in name),
}  # fmt: skip
ROW = 7
SAID = rf"NaN.* 1 of {N} rows \(first: row {ROW}\).*(remove these rows|weights must be)"
REFUSED = partial(pytest.raises, ValueError, match=SAID)


@pytest.mark.filterwarnings("ignore")  # of groups that no splitter reads
@each("name, argument", [case for case in CASES if not {*case} & OF_OTHERS])
def test_a_missing_entry_is_refused_with_its_row(name, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = bound(name, argument)
    entries = call.keywords[argument].astype(object)
    entries[ROW] = None
    with REFUSED():
        call(**{argument: entries})


WORDS = np.where(T, "yes", "no")
SITES = np.array(["a", "b", "c", "d"])[G % 4]
ONLY = {"metrics": ["accuracy"]}
MARKERS = [None, np.nan, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT")]
FORMS = {
    "list": list,
    "tuple": tuple,
    "array": lambda v: np.array(v, dtype=object),
    "Series": lambda v: pd.Series(v, dtype=object),
    "Series of its own type": pd.Series,
    "category": lambda v: pd.Series(pd.Categorical(v)),
    "Arrow": lambda v: pytest.importorskip("pyarrow").array(v, from_pandas=True),
    "polars": lambda v: pl.Series([None if pd.isna(entry) else entry for entry in v]),
}


def nested(y=WORDS, **given):
    run = {"outer_cv": 2, "inner_cv": 2, "scoring": "accuracy"} | given
    return model_selection.nested_cross_validate(MODEL, {}, X, y, **run)


DOORS = [
    (WORDS, lambda v: sm.accuracy_score(v, WORDS)),
    (WORDS, lambda v: sm.accuracy_score(WORDS, v)),
    (WORDS, lambda v: sm.roc_auc_score(v, S, pos_label="yes")),
    (WORDS, lambda v: inference.paired_test("accuracy", WORDS, WORDS, v)),
    (WORDS, lambda v: sm.get_scorer("accuracy")(LogisticRegression().fit(X, WORDS), X, v)),
    (WORDS, nested),
    (S, lambda v: sm.roc_auc_score(T, v)),
    (S, lambda v: sm.log_loss(T, np.column_stack([S, np.asarray(v, dtype=object)]))),
    (S, lambda v: sm.accuracy_score(T, T, sample_weight=v)),
    (SITES, lambda v: evaluation.evaluate(WORDS, WORDS, by={"site": v}, **ONLY)),
    (SITES, lambda v: inference.interval("accuracy", WORDS, WORDS, groups=v)),
    (SITES, lambda v: nested(groups=v, outer_cv=GroupKFold(2))),
]


@pytest.mark.parametrize("form", FORMS)
@each("values, call", DOORS)
def test_every_marker_of_a_missing_entry_is_known_in_every_form(values, call, form):
    tried = 0
    for marker in MARKERS:
        entries = values.tolist()
        entries[ROW] = marker
        try:
            given = FORMS[form](entries)
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            continue  # this form does not hold the marker
        tried += 1
        with REFUSED():
            call(given)
    assert tried > 2


@pytest.mark.parametrize("word", ["NA", "nan", "?", ".", " ", "None"])
def test_words_are_classes_and_groups_in_memory(word):
    y = np.where(T, word, "other")
    assert sm.recall_score(y, y, pos_label=word) == 1
    found = evaluation.evaluate(y.tolist(), y.tolist(), by=y.tolist(), **ONLY)
    assert set(found) == {word, "other"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("word", ["", " ", "NA", "n/a", "NaN", "?", ".", "<NA>"])
def test_words_in_files_are_missing_values_unless_they_are_classes(word, form, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    file, line = str(tmp_path / f"rows.{form}"), f" (line {ROW + 2})" if form == "csv" else ""
    asked = {"y_true": "truth", "y_pred": "called", "data": file, **ONLY}
    command = ["evaluate", file, "--true", "truth", "--pred", "called", "--metrics"]
    columns = {"truth": WORDS, "called": WORDS, "site": SITES}
    for column, values in columns.items():
        holed = {**columns, column: np.where(np.arange(N) == ROW, word, values.astype(object))}
        getattr(pd.DataFrame(holed), f"to_{form}")(file, index=False)
        with pytest.raises(ValueError, match=re.escape(f"row {ROW}{line}, column {column!r}")):
            evaluation.evaluate(by="site", **asked)
        assert main([*command, "accuracy", "--by", "site"]) != 0
        assert f"row {ROW}" in capsys.readouterr().err
        if column != "site" and word:
            found = evaluation.evaluate(labels=[word, "no", "yes"], **asked)
            assert found["accuracy"] == (N - 1) / N
    if word:
        both = np.where(T, word, "no")
        getattr(pd.DataFrame({"truth": both, "called": both}), f"to_{form}")(file, index=False)
        assert main([*command, "recall", "--positive", word]) == 0
        assert "1.0000" in capsys.readouterr().out
