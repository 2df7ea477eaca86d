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
from skaucx.model_selection import nested_cross_validate
from tests.datasets import classes
from tests.metrics.needed import needed_parameters
from tests.public import PUBLIC

RNG = np.random.default_rng(1)
NAMES = ["owl", "cat", "dog"]
Y, SORTED, N = classes.y, classes.score, len(classes.y)
CODES = np.unique(Y, return_inverse=True)[1]
FRAME = pd.DataFrame(SORTED, columns=sorted(NAMES))[NAMES]
LABELS = np.where(RNG.random((N, 3)) < 0.5, 1, 0)
TRUTH = pd.DataFrame(LABELS, columns=["x", "y", "z"])
FOUND = TRUTH.where(RNG.random((N, 3)) < 0.8, 1 - TRUTH)
SCORED = (0.1 + 0.8 * FOUND + 0.1 * RNG.random((N, 3))).round(3)
READ = {
    "in the order of the data": FRAME,
    "permuted": FRAME[["cat", "dog", "owl"]],
    "polars": pl.DataFrame(FRAME.to_dict("list")),
    "named otherwise, by position": pd.DataFrame(SORTED, columns=["a", "b", "c"]),
    "numbered, by position": pd.DataFrame(SORTED),
}
HALF = FRAME.rename(columns={"dog": "other"})
TWICE = FRAME.set_axis(["owl", "owl", "dog"], axis=1)
REFUSED = partial(pytest.raises, ValueError, match="in part are not read")
MATRICES = ("y_score", "y_proba", "y_prob", "y_pred", "y_pred_or_score")
PAIRS = {"y_pred_b", "y_score_b", "y_proba_b"}
DRAWS = {"random_state": 0, "n_resamples": 20}
USUAL = {**DRAWS, "multi_class": "ovr", "average": "macro"}


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


def taking(calls, *arrays):
    """Return the calls that take the arrays, each with what it gives."""
    found = {}
    for name, call in calls.items():
        try:
            found[name] = (call, quietly(call, *arrays))
        except Exception:
            continue
    return found


def of_metric(name, classes):
    """Return a metric with what it needs of several classes or labels."""
    function = METRICS[name]
    own = {key: USUAL[key] for key in ("multi_class", "average") if key in function.options}
    return partial(function, **own, **needed_parameters(name, classes))


def doors():
    """Yield every public call of truth and a matrix by its name."""
    yield from ((name, of_metric(name, 3)) for name in METRICS)
    for name, thing in PUBLIC.items():
        made = getattr(thing, "from_predictions", thing)
        taken = inspect.signature(made).parameters if inspect.isroutine(made) else {}
        if "y_true" not in taken or thing in METRICS.values() or name.startswith("check_"):
            continue
        first = ["log_loss"] if next(iter(taken)) in ("metric", "metrics") else []
        made = partial(made, *first, **{key: USUAL[key] for key in USUAL if key in taken})
        if PAIRS & {*taken}:
            yield f"{name}, first", lambda y, p, made=made: made(y, p, SORTED[::-1])
            yield f"{name}, second", lambda y, p, made=made: made(y, SORTED[::-1], p)
        for matrix in [each for each in MATRICES if each in taken][:1]:
            yield name, lambda y, p, made=made, matrix=matrix: made(y, **{matrix: p})


FREQUENCY, ONLY = np.arange(N) % 3 + 1, {"metrics": ["log_loss"]}
FURTHER = {
    "evaluate by": lambda y, p: evaluation.evaluate(y, y_score=p, by=Y == "owl", **ONLY),
    "evaluate groups": lambda y, p: evaluation.evaluate(
        y, y_score=p, groups=np.arange(N) // 3, intervals=True, **ONLY, **DRAWS
    ).intervals,
    "interval of frequencies": partial(inference.interval, "log_loss", frequency=FREQUENCY),
    "interval of a user's function": partial(inference.interval, log_loss, **DRAWS),
    "paired test of a user's function": lambda y, p: inference.paired_test(
        log_loss, y, p, SORTED[::-1], **DRAWS
    ),
    "permutation test of a user's function": partial(inference.permutation_test, log_loss, **DRAWS),
    "jackknife of a user's function": partial(inference.jackknife, log_loss),
    "curves": partial(sm.curves.one_vs_rest_curves, sm.roc_curve, micro=True),
    "rejections": lambda y, p: sm.rejection.chow_predictions(
        p, reject_cost=0.3, labels=sorted(NAMES)
    ).filled("none"),
}  # fmt: skip
TAKING = taking(dict(doors()) | FURTHER, Y, SORTED)


@pytest.mark.parametrize("name", TAKING)
def test_columns_named_by_the_classes_are_read_by_name(name):
    call, wanted = TAKING[name]
    for how, given in READ.items():
        assert quietly(call, Y, given) == wanted, how
    for given in (HALF, TWICE):
        with REFUSED():
            quietly(call, Y, given)


def test_a_page_reads_names(tmp_path):
    def page(p):
        reports.report(tmp_path / "page.html", Y, y_score=p, **ONLY)
        text = (tmp_path / "page.html").read_text(encoding="utf-8")
        return re.findall(r"<td[^>]*>([^<]*\d[^<]*)", text)

    assert page(FRAME) == page(SORTED)
    with REFUSED():
        page(HALF)


@pytest.mark.parametrize("kind", [str, int, float, bool])
def test_numbers_are_known_by_their_text_too(kind):
    size = 2 if kind is bool else 12
    names, codes = np.arange(size).astype(kind), np.arange(10 * size) % size
    p = RNG.dirichlet(np.ones(size), len(codes))
    frame = pd.DataFrame(p, columns=[str(each) for each in names])
    wanted = sm.log_loss(names[codes], p[:, np.argsort(names)])
    for given in (frame, frame[RNG.permutation(frame.columns)]):
        assert sm.log_loss(names[codes], given) == wanted


def test_columns_numbered_from_0_are_no_names_of_classes_from_1():
    assert sm.log_loss(CODES + 1, pd.DataFrame(SORTED)) == sm.log_loss(CODES + 1, SORTED)


def test_a_class_that_does_not_occur_is_named_by_labels():
    there = Y != "dog"
    with pytest.raises(ValueError, match="labels= names classes"):
        sm.log_loss(Y[there], FRAME[there])
    found = sm.log_loss(Y[there], FRAME[there], labels=sorted(NAMES))
    assert found == sm.log_loss(Y[there], SORTED[there], labels=sorted(NAMES))


def labelled():
    """Yield every call of truth and labels, or scores of labels, by its name with what it reads."""
    for name, function in METRICS.items():
        of_labels = function.metric.kind.inputs.argument == "y_pred"
        yield name, of_metric(name, 2), FOUND if of_labels else SCORED
    yield "evaluate", lambda y, p: evaluation.evaluate(y, p, metrics=["f1_macro"]), FOUND
    yield "interval", partial(inference.interval, "f1_macro", **DRAWS), FOUND
    yield "paired", lambda y, p: inference.paired_test("f1_macro", y, p, p, **DRAWS), FOUND
    yield "permutation", partial(inference.permutation_test, "f1_macro", **DRAWS), FOUND


MULTILABEL = {
    name: (call, read, wanted)
    for name, call, read in labelled()
    for _, wanted in taking({name: call}, TRUTH.to_numpy(), read.to_numpy()).values()
}


@pytest.mark.parametrize("name", MULTILABEL)
def test_labels_follow_the_columns_of_the_truth(name):
    call, read, wanted = MULTILABEL[name]
    assert quietly(call, TRUTH, read[["z", "x", "y"]]) == wanted
    assert quietly(call, TRUTH, read.set_axis(["a", "b", "c"], axis=1)) == wanted
    assert quietly(call, TRUTH.to_numpy(), read) == wanted
    with REFUSED():
        quietly(call, TRUTH, read.set_axis(["x", "y", "other"], axis=1))


def test_most_calls_of_scores_take_a_matrix_and_most_metrics_labels():
    assert len(TAKING) > 60
    assert len(MULTILABEL) > 60
    assert {*FURTHER, "interval", "evaluate", "paired_test, first", "RocCurveDisplay"} <= {*TAKING}
    assert {"evaluate", "interval", "paired", "permutation", "r2", "roc_auc"} <= {*MULTILABEL}


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


@pytest.mark.parametrize("scoring", ["neg_log_loss", sm.get_scorer("mm7_auc", multi_class="ovr")])
def test_frames_of_a_model_are_read_by_name(scoring):
    X = RNG.normal(size=(N, 2)) + CODES[:, None]
    scored, run, drawn = [], [], []
    for model in (Framed(), LogisticRegression()):
        scored.append(cross_val_score(model, X, Y, scoring=sm.get_scorer(scoring), cv=3))
        found = nested_cross_validate(model, {}, X, Y, scoring=scoring, outer_cv=3, inner_cv=2)
        run.append([*found.test_scores.values()])
        drawn.append(RocCurveDisplay.from_estimator(model.fit(X, Y), X, Y))
    for of_frame, of_array in (scored, run, drawn):
        assert plain(of_frame) == plain(of_array)


OF_COSTS = "example_cost_loss", Y, np.roll(Y, 1)


@pytest.mark.parametrize(
    "call",
    [lambda costs: example_cost_loss(*OF_COSTS[1:], example_costs=costs),
     lambda costs: inference.paired_test(*OF_COSTS, Y, example_costs=costs),
     lambda costs: tuple(inference.interval(*OF_COSTS, example_costs=costs, frequency=CODES + 1))],
)  # fmt: skip
def test_costs_of_examples_are_read_by_the_class_predicted(call):
    cost = pd.DataFrame(RNG.random((N, 3)), columns=NAMES)
    assert plain(call(cost)) == plain(call(cost[sorted(NAMES)].to_numpy()))


def test_tables_whose_columns_stand_in_another_order_than_their_rows():
    table = pd.crosstab(Y, np.roll(Y, 1))
    moved = table[table.columns[[2, 0, 1]]]
    found = sm.matthews_corrcoef.from_table(moved)
    assert found == sm.matthews_corrcoef.from_table(table.to_numpy())
    with REFUSED():
        sm.matthews_corrcoef.from_table(table.rename(columns={"dog": "other"}))


COLUMNS = {"truth": Y, "called": np.roll(Y, 1)} | {name: FRAME[name].to_numpy() for name in NAMES}


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame])
def test_named_columns_of_data(form):
    wanted = evaluation.evaluate(Y, y_score=SORTED)
    found = evaluation.evaluate("truth", y_score=NAMES, data=form(COLUMNS))
    assert dict(found) == dict(wanted)
    data = form({**COLUMNS, "other": FRAME["dog"].to_numpy()})
    with REFUSED():
        evaluation.evaluate("truth", y_score=["owl", "cat", "other"], data=data)


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
            assert main([*command, *own, "owl,cat,dog"]) == 0
            assert f"{wanted:.4f}" in capsys.readouterr().out
        assert main(["report", *own, "owl,cat,dog", "--output", page]) == 0
        assert f"{wanted:.2f}" in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert main(["evaluate", *own, "owl,cat,called"]) != 0
