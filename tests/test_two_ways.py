"""A metric has one value, at whichever door: on rows that hypothesis draws, against labels 0 and 1.

Labels are of several types, with the positive class first or last in their order; scores have ties, and
some rows weigh nothing.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold

from skaucx import evaluate, interval, nested_cross_validate, paired_test
from skaucx.command.main import main
from skaucx.metrics import get_scorer, one_pass_scorer, threshold_curves
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import Execution
from tests.metrics.needed import needed_parameters

# The negative and the positive class.
CLASSES = [
    (0, 1), (1, 0), (-1, 1), (2, 1), (False, True), ("ill", "well"), ("well", "ill"), ("1", "0"),
]  # fmt: skip
FORMS = {"array": np.array, "list": list, "categorical": lambda v: pd.Series(v, dtype="category")}
# Metrics of labels and of one column of scores; other kinds read more than these.
ELSEWHERE = ("margins", "columns", "example_costs", "rejections", "regression")
DRAWN = sorted(name for name, each in METRICS.items() if each.metric.kind.name not in ELSEWHERE)
COUNTED = [name for name in DRAWN if METRICS[name].metric.kind.name == "counts"]
FIXED = {"derandomize": True, "deadline": None, "database": None}


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are the columns of X, one for each of the classes."""

    def __init__(self, classes: Any = (0, 1)) -> None:
        self.classes = classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Given:
        self.classes_ = np.sort(self.classes)
        return self

    def predict_proba(self, X: Any) -> Any:
        return X[:, np.argsort(self.classes)]

    def predict(self, X: Any) -> Any:
        return np.array(self.classes)[X.argmax(axis=1)]


@dataclass
class Draw:
    """A metric and rows; the first two rows are of two classes and weigh something."""

    name: str
    classes: tuple[Any, Any]
    form: str
    weighted: bool
    rows: list[tuple[int, ...]]

    def __post_init__(self) -> None:
        self.metric = METRICS[self.name]
        self.row = self.metric.metric
        table = np.array([(1, 7, 5, 1, 0), (0, 3, 5, 1, 0), *self.rows])
        self.true, self.weight, self.group = table[:, 0] == 1, table[:, 3], table[:, 4]
        self.score, self.other = table[:, 1] / 10 - 0.05, table[:, 2] / 10 - 0.05
        self.y, self.pred, self.second = (
            FORMS[self.form]([self.classes[int(each)] for each in positive])
            for positive in (self.true, self.score >= 0.5, self.other >= 0.5)
        )
        self.given = {"sample_weight": self.weight} if self.weighted else {}
        self.class_ = {"pos_label": self.classes[1]} if "pos_label" in self.metric.options else {}
        own = self.parameters = needed_parameters(self.name)
        if self.name == "net_benefit":
            own["threshold"] = 0.5
        elif "cost" in own and self.classes[0] > self.classes[1]:  # by sorted labels
            own = {"cost": np.asarray(own["cost"])[::-1, ::-1].tolist()}
        self.entry = partial(self.metric, **own)
        self.X = np.column_stack([1 - self.score, self.score])
        self.model = Given(self.classes).fit(self.X, self.y)

    def read(self, pred: Any, score: Any) -> Any:
        """Return the labels or the scores, whichever the metric reads."""
        return pred if self.row.inputs[1] != "y_score" and self.row.kind.counted else score

    def wanted(self, rows: Any = slice(None), other: bool = False) -> float:
        """Return the value of labels 0 and 1."""
        score = self.other if other else self.score
        options = {"pos_label": 1} if self.class_ else {}
        options |= {"labels": [0, 1]} if "labels" in self.metric.options else {}
        options |= {"sample_weight": self.weight[rows]} if self.weighted else {}
        arrays = self.true.astype(int)[rows], self.read((score >= 0.5).astype(int), score)[rows]
        return self.metric(*arrays, **self.parameters, **options, zero_division=np.nan)

    def signed(self, *rows: Any) -> float:
        """Return the value as scorers have it."""
        return self.wanted(*rows) * (-1 if self.row.greater_is_better is False else 1)


def draws(names: list[str]) -> st.SearchStrategy[Draw]:
    row = st.tuples(*(st.integers(a, b) for a, b in ((0, 1), (1, 10), (1, 10), (0, 3), (0, 2))))
    rows = st.lists(row, min_size=8, max_size=30)
    form = st.sampled_from(sorted(FORMS))
    return st.builds(
        Draw, st.sampled_from(names), st.sampled_from(CLASSES), form, st.booleans(), rows
    )  # fmt: skip


def function(d: Draw) -> Any:
    pred = d.read(d.pred, d.score)
    yield d.entry(d.y, pred, **d.class_, **d.given, zero_division=np.nan), d.wanted()


def scorers(d: Draw) -> Any:
    arrays = d.model, d.X, d.y
    yield get_scorer(d.entry, **d.class_)(*arrays, **d.given), d.signed()
    yield one_pass_scorer({"m": d.entry}, **d.class_)(*arrays, **d.given)["m"], d.signed()


def evaluated(d: Draw) -> Any:
    given = {"metrics": [d.entry], "zero_division": np.nan, **d.class_}
    [value] = evaluate(d.y, d.pred, d.score, **given, **d.given).values()
    yield value, d.wanted()
    weight = {"sample_weight": "w"} if d.weighted else {}
    [value] = evaluate("t", "c", "p", data=frame(d), **weight, **given).values()
    yield value, d.wanted()
    parts = evaluate(d.y, d.pred, d.score, by=d.group, **given, **d.given)
    for group in np.unique(d.group[d.weight > 0] if d.weighted else d.group).tolist():
        [value] = parts[group].values()
        yield value, d.wanted(d.group == group)


def frame(d: Draw) -> pd.DataFrame:
    return pd.DataFrame({"t": d.y, "c": d.pred, "p": d.score, "w": d.weight})


def uncertain(d: Draw) -> Any:
    if math.isfinite(d.wanted()) and math.isfinite(d.wanted(other=True)):
        few = {"random_state": 0, "n_resamples": 9, **d.class_, **d.given}
        pair = d.read(d.pred, d.score), d.read(d.second, d.other)
        yield interval(d.entry, d.y, pair[0], **few).estimate, d.wanted()
        test = paired_test(d.entry, d.y, *pair, method="bootstrap", **few)
        yield test.difference, d.wanted() - d.wanted(other=True)


def curve(d: Draw) -> Any:
    found = threshold_curves(d.y, d.score, [d.entry], pos_label=d.classes[1], **d.given)
    at = np.where(found.thresholds >= 0.5, found.thresholds, np.inf).argmin()
    [values] = found.values.values()
    yield values[at], d.wanted()


def nested(d: Draw) -> Any:
    d.weight += 1  # every fold weighs something
    folds = KFold(3)
    result = nested_cross_validate(
        d.model, {}, d.X, np.asarray(d.y), scoring={"m": d.entry}, outer_cv=folds, inner_cv=KFold(2),
        execution=Execution(checks=None), **d.class_, **d.given,
    )  # fmt: skip
    for (_, part), value in zip(folds.split(d.X), result["test_m"], strict=True):
        yield value, d.signed(part)


def command(d: Draw) -> Any:
    if d.parameters or not math.isfinite(d.wanted()):
        return
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        frame(d).to_csv(file.name, index=False)
        said = ["evaluate", file.name, "--true", "t", "--pred", "c", "--score", "p", "--json"]
        said += ["--metrics", d.name, *(["--weight", "w"] if d.weighted else [])]
        said += ["--positive", str(d.classes[1])] if d.class_ else []
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert main(said) == 0
    value = json.loads(printed.getvalue())[d.name]
    yield value["estimate"] if isinstance(value, dict) else value, d.wanted()


@pytest.mark.filterwarnings("ignore")  # of undefined values and of small folds
@pytest.mark.parametrize(
    ("door", "names", "examples"),
    [(function, DRAWN, 250), (scorers, DRAWN, 200), (evaluated, DRAWN, 120), (uncertain, DRAWN, 80),
     (curve, COUNTED, 100), (nested, DRAWN, 80), (command, DRAWN, 80)],
)  # fmt: skip
def test_a_door_gives_the_value_of_labels_0_and_1(door, names, examples):
    compared = set()

    @settings(**FIXED, max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(draws(names))
    def compare(d: Draw) -> None:
        for found, wanted in door(d):
            if math.isfinite(wanted):  # what undefined values become is tested with every metric
                compared.add((d.name, wanted))
                solved = "iterative" in d.row.traits or d.row.family == "calibration"
                close = 1e-5 if solved else 1e-9
                assert found == pytest.approx(wanted, rel=close, abs=close)

    compare()
    assert len(compared) > examples / 4
