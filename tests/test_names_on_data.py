"""Columns that are named by the classes are read by name at every door, never in another order.

Each public call that takes a column a class is found by its signature, so that a new one is tried too.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

import skaucx.metrics as sm
from skaucx import evaluation, inference, reports
from skaucx.command.main import main
from skaucx.displays import RocCurveDisplay
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics.costs import example_cost_loss
from skaucx.metrics.curves import roc_curve
from skaucx.model_selection import nested_cross_validate
from tests.metrics.needed import needed_parameters
from tests.public import PUBLIC

N, RNG = 60, np.random.default_rng(1)
NAMES = ["low", "medium", "high"]
CODES = RNG.integers(0, 3, N)
Y = np.array(NAMES)[CODES]
DRAWN = RNG.dirichlet([1, 1, 1], N)
DRAWN[np.arange(N), CODES] += 0.7
FRAME = pd.DataFrame(DRAWN / DRAWN.sum(axis=1, keepdims=True), columns=NAMES)
SORTED = FRAME[sorted(NAMES)].to_numpy()
READ_BY_NAME = {
    "in the order of the data": FRAME,
    "permuted": FRAME[["medium", "high", "low"]],
    "polars": pl.DataFrame(FRAME.to_dict("list")),
}
READ_BY_POSITION = {
    "named otherwise": pd.DataFrame(SORTED, columns=["a", "b", "c"]),
    "numbered": pd.DataFrame(SORTED),
}
HALF = FRAME.rename(columns={"high": "other"})
TWICE = FRAME.set_axis(["low", "low", "high"], axis=1)
LABELS = np.where(RNG.random((N, 3)) < 0.5, 1, 0)
TRUTH = pd.DataFrame(LABELS, columns=["x", "y", "z"])
FOUND = pd.DataFrame(
    np.where(RNG.random((N, 3)) < 0.2, 1 - LABELS, LABELS), columns=["x", "y", "z"]
)
SCORED = (0.1 + 0.8 * FOUND + 0.1 * RNG.random((N, 3))).round(3)
MATRICES = ("y_score", "y_proba", "y_prob", "y_pred", "y_pred_or_score")
OTHERS = ("y_pred_b", "y_score_b", "y_proba_b")
USUAL = {"random_state": 0, "n_resamples": 20, "multi_class": "ovr", "average": "macro"}


def plain(found):
    """Return a result as lists of numbers."""
    if isinstance(found, Mapping):
        return {str(name): plain(each) for name, each in found.items()}
    if hasattr(found, "figure_"):
        axes = found.figure_.axes
        return [[line.get_xydata().tolist() for line in ax.lines] for ax in axes]
    if isinstance(found, (list, tuple)):
        return [plain(each) for each in found]
    return found.tolist() if isinstance(found, (np.ndarray, np.generic)) else repr(found)


def quietly(call, *arrays):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plain(call(*arrays))


def called(function):
    """Return a call of truth and predictions, with metrics and options where a function takes them."""
    taken = list(inspect.signature(function).parameters)
    options = {name: value for name, value in USUAL.items() if name in taken}
    first = ["log_loss"] if taken[:1] in (["metric"], ["metrics"]) else []
    second = next((name for name in MATRICES if name in taken), None)
    return lambda y, p: function(*first, y, **({second: p} if second else {}), **options)


def page(y, p, folder):
    reports.report(folder / "page.html", y, y_score=p, metrics=["log_loss"])
    text = (folder / "page.html").read_text(encoding="utf-8")
    return re.findall(r"<td[^>]*>([^<]*\d[^<]*)", text)


def doors():
    """Yield every public call of truth and a matrix by its name."""
    for name, function in METRICS.items():
        parameters = needed_parameters(name, 3)
        own = {key: USUAL[key] for key in ("multi_class", "average") if key in function.options}
        yield name, partial(function, **{**own, **parameters})
    for name, thing in PUBLIC.items():
        made = getattr(thing, "from_predictions", thing)
        if not callable(made) or thing in METRICS.values() or name.startswith("check_"):
            continue
        try:
            taken = inspect.signature(made).parameters
        except ValueError:
            continue
        if set(taken) & {*MATRICES, *OTHERS, "y_pred_a"} and "y_true" in taken:
            pairs = [other for other in OTHERS if other in taken]
            if pairs:
                yield f"{name}, first", partial(of_pair, made, 0)
                yield f"{name}, second", partial(of_pair, made, 1)
            else:
                yield name, called(made)


def of_pair(function, place, y, p):
    options = {n: v for n, v in USUAL.items() if n in inspect.signature(function).parameters}
    both = [p, SORTED[::-1]]
    first = ["log_loss"] if "metric" in list(inspect.signature(function).parameters)[:1] else []
    return function(*first, y, *(both if place == 0 else both[::-1]), **options)


OPTIONS = {"metrics": ["log_loss"], "intervals": True, "n_resamples": 20, "random_state": 0}
DRAWN_AGAIN = {"n_resamples": 20, "random_state": 0}
FURTHER = {
    "evaluate": lambda y, p: evaluation.evaluate(y, y_score=p),
    "evaluate by": lambda y, p: evaluation.evaluate(y, y_score=p, metrics=["log_loss"], by=Y == "low"),
    "evaluate groups": lambda y, p: evaluation.evaluate(
        y, y_score=p, groups=np.arange(N) // 3, **OPTIONS
    ).intervals,
    "interval of frequencies": lambda y, p: inference.interval(
        "log_loss", y, p, frequency=np.arange(N) % 3 + 1
    ),
    "interval of a user's function": lambda y, p: inference.interval(log_loss, y, p, **DRAWN_AGAIN),
    "paired test of a user's function": lambda y, p: inference.paired_test(
        log_loss, y, p, SORTED[::-1], **DRAWN_AGAIN
    ),
    "permutation test of a user's function": lambda y, p: inference.permutation_test(
        log_loss, y, p, **DRAWN_AGAIN
    ),
    "jackknife of a user's function": lambda y, p: inference.jackknife(log_loss, y, p),
    "curves": lambda y, p: sm.curves.one_vs_rest_curves(roc_curve, y, p, micro=True),
    "rejections": lambda y, p: sm.rejection.chow_predictions(
        p, reject_cost=0.3, labels=sorted(NAMES)
    ).filled("none"),
    "display": lambda y, p: RocCurveDisplay.from_predictions(y, p),
}  # fmt: skip
DOORS = dict(doors()) | FURTHER
TAKING = {}
for _name, _call in DOORS.items():
    try:
        TAKING[_name] = (_call, quietly(_call, Y, SORTED))
    except Exception:
        continue


def test_most_calls_of_scores_take_a_matrix():
    assert len(TAKING) > 60
    assert TAKING.keys() >= FURTHER.keys() | {"interval", "paired_test, first", "auc_family"}


@pytest.mark.parametrize("name", TAKING)
def test_columns_named_by_the_classes_are_read_by_name(name):
    call, wanted = TAKING[name]
    for how, given in (READ_BY_NAME | READ_BY_POSITION).items():
        assert quietly(call, Y, given) == wanted, how
    for given in (HALF, TWICE):
        with pytest.raises(ValueError, match="in part are not read"):
            quietly(call, Y, given)


def test_a_page_and_its_verdict_read_names(tmp_path):
    assert page(Y, FRAME, tmp_path) == page(Y, SORTED, tmp_path)
    with pytest.raises(ValueError, match="in part are not read"):
        page(Y, HALF, tmp_path)


@pytest.mark.parametrize("kind", [str, int, float, bool])
def test_numbers_are_known_by_their_text_too(kind):
    size = 2 if kind is bool else 12
    codes = np.arange(10 * size) % size
    p = RNG.dirichlet(np.ones(size), len(codes))
    names = np.arange(size).astype(kind)
    frame = pd.DataFrame(p, columns=[str(each) for each in names])[::-1]
    order = np.argsort(names)
    wanted = sm.log_loss(names[codes][::-1], p[::-1][:, order])
    assert sm.log_loss(names[codes][::-1], frame) == wanted
    mixed = frame[RNG.permutation(frame.columns)]
    assert sm.log_loss(names[codes][::-1], mixed) == wanted


def test_columns_numbered_from_0_are_no_names_of_classes_from_1():
    assert sm.log_loss(CODES + 1, pd.DataFrame(SORTED)) == sm.log_loss(CODES + 1, SORTED)


def test_a_class_that_does_not_occur_is_named_by_labels():
    there = Y != "high"
    with pytest.raises(ValueError, match="labels= names classes"):
        sm.log_loss(Y[there], FRAME[there])
    found = sm.log_loss(Y[there], FRAME[there], labels=sorted(NAMES))
    assert found == sm.log_loss(Y[there], SORTED[there], labels=sorted(NAMES))


def test_rows_are_matched_by_position_with_a_warning():
    moved = FRAME.iloc[::-1]
    with pytest.warns(UserWarning, match="same index in different orders"):
        found = inference.interval("log_loss", pd.Series(Y), moved)
    assert found.estimate == pytest.approx(sm.log_loss(Y, SORTED[::-1]))


def of_labels(name):
    """Return a metric of multilabel indicators, and what it reads."""
    function = METRICS[name]
    own = {"average": "macro"} if "average" in function.options else {}
    read = FOUND if function.metric.kind.inputs.argument == "y_pred" else SCORED
    return partial(function, **own, **needed_parameters(name)), read


MULTILABEL = {}
for _name in METRICS:
    _call, _read = of_labels(_name)
    try:
        MULTILABEL[_name] = (_call, _read, quietly(_call, TRUTH.to_numpy(), _read.to_numpy()))
    except Exception:
        continue
SEVERAL = {
    "evaluate": lambda y, p: evaluation.evaluate(y, p, metrics=["f1_macro"]),
    "interval": lambda y, p: inference.interval("f1_macro", y, p, **DRAWN_AGAIN),
    "paired_test": lambda y, p: inference.paired_test("f1_macro", y, p, p, **DRAWN_AGAIN),
    "permutation_test": lambda y, p: inference.permutation_test("f1_macro", y, p, **DRAWN_AGAIN),
}
MULTILABEL |= {
    name: (call, FOUND, quietly(call, TRUTH.to_numpy(), FOUND.to_numpy()))
    for name, call in SEVERAL.items()
}


@pytest.mark.parametrize("name", MULTILABEL)
def test_labels_follow_the_columns_of_the_truth(name):
    call, read, wanted = MULTILABEL[name]
    assert quietly(call, TRUTH, read[["z", "x", "y"]]) == wanted
    assert quietly(call, TRUTH, read.set_axis(["a", "b", "c"], axis=1)) == wanted
    assert quietly(call, TRUTH.to_numpy(), read) == wanted
    with pytest.raises(ValueError, match="in part are not read"):
        quietly(call, TRUTH, read.set_axis(["x", "y", "other"], axis=1))


def test_most_metrics_take_labels():
    assert len(MULTILABEL) > 60


class Framed(ClassifierMixin, BaseEstimator):
    """Predicts a frame whose columns are named, in an order of its own."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        frame = pd.DataFrame(self.model_.predict_proba(X), columns=self.classes_)
        return frame[self.classes_[::-1]]


def test_frames_of_a_model_are_read_by_name():
    X = RNG.normal(size=(N, 2)) + CODES[:, None]
    models, folds = (Framed(), LogisticRegression()), {"outer_cv": 3, "inner_cv": 2}
    for scoring in ("neg_log_loss", sm.get_scorer("mm7_auc", multi_class="ovr")):
        scorer = sm.get_scorer(scoring) if isinstance(scoring, str) else scoring
        np.testing.assert_array_equal(
            *(cross_val_score(model, X, Y, scoring=scorer, cv=3) for model in models)
        )
        runs = [
            nested_cross_validate(model, {}, X, Y, scoring=scoring, **folds) for model in models
        ]
        np.testing.assert_array_equal(*(next(iter(run.test_scores.values())) for run in runs))
    drawn, bare = (RocCurveDisplay.from_estimator(m.fit(X, Y), X, Y) for m in models)
    assert plain(drawn) == plain(bare)


def test_costs_of_examples_are_read_by_the_class_predicted():
    cost, called = pd.DataFrame(RNG.random((N, 3)), columns=NAMES), np.roll(Y, 1)
    for call in (
        lambda costs: example_cost_loss(Y, called, example_costs=costs),
        lambda costs: plain(
            inference.paired_test("example_cost_loss", Y, called, Y, example_costs=costs)
        ),
        lambda costs: tuple(
            inference.interval(
                "example_cost_loss", Y, called, example_costs=costs, frequency=CODES + 1
            )
        ),
    ):
        assert call(cost) == call(cost[sorted(NAMES)].to_numpy())


def test_tables_whose_columns_stand_in_another_order_than_their_rows():
    table = pd.crosstab(Y, np.roll(Y, 1))
    moved = table[table.columns[[2, 0, 1]]]
    found = sm.matthews_corrcoef.from_table(moved)
    assert found == sm.matthews_corrcoef.from_table(table.to_numpy())
    with pytest.raises(ValueError, match="in part are not read"):
        sm.matthews_corrcoef.from_table(table.rename(columns={"high": "other"}))


COLUMNS = {"truth": Y, "called": np.roll(Y, 1)} | {name: FRAME[name].to_numpy() for name in NAMES}


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame])
def test_named_columns_of_data(form):
    wanted = evaluation.evaluate(Y, y_score=SORTED)
    found = evaluation.evaluate("truth", y_score=NAMES, data=form(COLUMNS))
    assert dict(found) == dict(wanted)
    data = form({**COLUMNS, "other": FRAME["high"].to_numpy()})
    with pytest.raises(ValueError, match="in part are not read"):
        evaluation.evaluate("truth", y_score=["low", "medium", "other"], data=data)


def test_named_columns_of_files(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    wanted, page = sm.log_loss(Y, SORTED), str(tmp_path / "page.html")
    for form in ("csv", "parquet"):
        file = str(tmp_path / f"rows.{form}")
        getattr(pd.DataFrame(COLUMNS), f"to_{form}")(file, index=False)
        found = evaluation.evaluate("truth", y_score=NAMES, data=file, metrics=["log_loss"])
        assert found["log_loss"] == pytest.approx(wanted, rel=1e-12)
        own = [file, "--true", "truth", "--metrics", "log_loss", "--score"]
        for command in (["evaluate"], ["compare", file]):
            assert main([*command, *own, "low,medium,high"]) == 0
            assert f"{wanted:.4f}" in capsys.readouterr().out
        assert main(["report", *own, "low,medium,high", "--output", page]) == 0
        assert f"{wanted:.2f}" in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert main(["evaluate", *own, "low,medium,called"]) != 0
