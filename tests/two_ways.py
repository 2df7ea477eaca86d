"""One value in two ways: a metric of labels 0 and 1 against the same metric at every other door.

``python -m tests.two_ways --draws 100000 --seed 0`` counts the comparisons of each door and prints
every disagreement with the line that repeats it. A draw has labels of some kind, with the positive
class first or last in their order, weights, groups and scores, and a few metrics.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import functools
import io
import itertools
import json
import math
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.command.main import main as command_line
from skaucx.evaluation import evaluate
from skaucx.inference import interval, paired_test
from skaucx.metrics import Counts, get_scorer, one_pass_scorer, threshold_curves
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import named_metric
from skaucx.model_selection import Execution, nested_cross_validate
from tests.metrics.needed import needed_parameters

# Labels, the negative and the positive one: in their own order, or against it.
_LABELS: dict[str, list[tuple[Any, Any]]] = {
    "int": [(0, 1), (1, 0), (-1, 1), (2, 1), (1, 2), (10, 9)],
    "bool": [(False, True), (True, False)],
    "str": [("ill", "well"), ("well", "ill"), ("1", "0"), ("no", "yes")],
    "object": [("a", "b"), ("b", "a"), (0, 1), (2, 1)],
    "categorical": [("ill", "well"), ("well", "ill"), (0, 1), (2, 1)],
}
_WEIGHTS = ("none", "int", "float", "zero for a group")
BLOCK = len(_WEIGHTS) * 2 * len(_LABELS)
# Metrics of labels, and of one column of scores; those of margins and of columns read all classes.
DRAWN = [
    function
    for function in METRICS.values()
    if function.metric.kind.inputs in (LABELS, SCORES)
    and function.metric.kind.name not in ("margins", "columns")
]
# Sums in another order differ by rounding, which equations solved to a tolerance enlarge.
_TOLERANCE, _SOLVED = 1e-9, 1e-5
_PLACES = 5.1e-5  # of a number printed with four decimals
# Blocks of draws, out of five, of doors that take longer. A block has every kind of labels, both orders
# and all weights.
_BLOCKS = {
    "evaluate": 2, "groups": 2, "interval": 2, "paired test": 1, "nested run": 1, "command line": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A value at a door, and the one that it must equal."""

    metric: str
    found: Any
    wanted: float
    tolerance: float = _TOLERANCE

    @property
    def agrees(self) -> bool:
        if hasattr(self.found, "low"):
            slack = self.tolerance * max(1.0, abs(self.wanted))
            inside = self.found.low - slack <= self.wanted <= self.found.high + slack
            return inside or math.isnan(self.wanted)
        return bool(
            np.isclose(
                self.found, self.wanted, rtol=self.tolerance, atol=self.tolerance, equal_nan=True
            )
        )


@dataclass(frozen=True)
class Request:
    """A metric with its parameters, for labels as they are and for 0 and 1."""

    function: Any
    parameters: dict[str, Any]
    plain: dict[str, Any]

    @property
    def name(self) -> str:
        return self.function.metric.name

    @property
    def counted(self) -> bool:
        return self.function.metric.kind.counted

    @property
    def takes_class(self) -> bool:
        return "pos_label" in self.function.options

    @property
    def entry(self) -> Any:
        bound = functools.partial(self.function, **self.parameters)
        return bound if self.parameters else self.function

    @property
    def key(self) -> str:
        return named_metric(self.entry).key

    @property
    def tolerance(self) -> float:
        row = self.function.metric
        return _SOLVED if row.iterative or row.family == "calibration" else _TOLERANCE

    def pair(self, found: Any, wanted: float, at: str = "") -> Pair:
        return Pair(f"{self.name}{at}", found, wanted, self.tolerance)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities, and predictions, are columns of X."""

    def __init__(self, negative: Any = 0, positive: Any = 1, power: int = 1) -> None:
        self.negative, self.positive, self.power = negative, positive, power

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Given:
        self.classes_ = np.sort(np.array([self.negative, self.positive]))
        return self

    def predict_proba(self, X: Any) -> Any:
        columns = [1 - X[:, 0], X[:, 0]]
        return np.column_stack(columns if self.classes_[1] == self.positive else columns[::-1])

    def predict(self, X: Any) -> Any:
        return np.where(X[:, 1] > 0, self.positive, self.negative)


class Halves:
    """One split of which both parts weigh something; the weights are a column of X."""

    def get_n_splits(self, *data: Any) -> int:
        return 1

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        order = np.argsort(-X[:, 3], kind="stable")
        yield order[::2], order[1::2]


class Draw:
    """Data of one draw, of which every number follows from its seed."""

    def __init__(self, seed: int, number: int) -> None:
        self.seed, self.number = seed, number
        self.rng = rng = np.random.default_rng([seed, number])
        of_block = itertools.product(_WEIGHTS, (False, True), _LABELS)
        self.weighted, self.against, self.kind = list(of_block)[number % BLOCK]
        pairs = [pair for pair in _LABELS[self.kind] if (pair[0] > pair[1]) is self.against]
        self.negative, self.positive = pairs[rng.integers(len(pairs))]
        self.n = n = int(rng.integers(12, 60))
        self.group = rng.permutation(np.arange(n) % 3)
        self.weight = self._weights()
        held = np.ones(n) if self.weight is None else self.weight
        self.truth = rng.random(n) < rng.uniform(0.2, 0.8)
        for side in (False, True):  # both classes weigh something
            if not held[self.truth == side].any():
                self.truth[np.flatnonzero(held)[int(side)]] = side
        if not held[~self.truth].any():
            self.truth[np.flatnonzero(held)[0]] = False
        p = 1 / (1 + np.exp(-rng.normal(self.truth * 1.0 - 0.5, 1.2)))
        self.score = np.clip(np.round(p, int(rng.choice([1, 2, 12]))), 0.01, 0.99)
        self.other = np.clip(np.round(rng.random(n), 2), 0.01, 0.99)
        self.threshold = float(np.quantile(self.score, rng.uniform(0.2, 0.8)))
        self.called = self.score >= self.threshold
        self.requests = self._requests()

    def _weights(self) -> Any:
        rng, n = self.rng, self.n
        if self.weighted == "none":
            return None
        if self.weighted == "int":
            return rng.integers(0, 4, n) + (np.arange(n) < 4)
        weight = rng.exponential(size=n) + 0.01
        return weight if self.weighted == "float" else weight * (self.group != 1)

    def _requests(self) -> list[Request]:
        kinds = [[f for f in DRAWN if f.metric.kind.counted is side] for side in (True, False)]
        chosen = [row[k] for row in kinds for k in self.rng.choice(len(row), 2, replace=False)]
        made = []
        for function in chosen:
            plain = dict(needed_parameters(function.metric.name))
            if function.metric.name == "net_benefit":
                plain = {"threshold": self.threshold}  # of these predictions
            own = dict(plain)
            if "cost" in own and self.negative > self.positive:
                own["cost"] = np.asarray(own["cost"])[::-1, ::-1].tolist()  # sorted labels
            made.append(Request(function, own, plain))
        return made

    def labelled(self, positive: Any) -> Any:
        """Return labels in the form of the draw's kind."""
        values = [self.positive if each else self.negative for each in positive]
        if self.kind == "object":
            return np.array(values, dtype=object)
        if self.kind == "categorical":
            order = sorted({self.negative, self.positive}, reverse=self.number % 2 == 0)
            return pd.Series(pd.Categorical(values, categories=order))
        return np.array(values)

    @cached_property
    def y(self) -> Any:
        return self.labelled(self.truth)

    @cached_property
    def yhat(self) -> Any:
        return self.labelled(self.called)

    @property
    def options(self) -> dict[str, Any]:
        """The positive class, where a metric of the draw takes it."""
        taken = any(request.takes_class for request in self.requests)
        return {"pos_label": self.positive} if taken else {}

    def own(self, request: Request) -> dict[str, Any]:
        return {"pos_label": self.positive} if request.takes_class else {}

    def reference(self, request: Request, rows: Any = slice(None), called: Any = None) -> float:
        """Return the metric of labels 0 and 1."""
        first = self.called if called is None else called
        second = first.astype(int) if request.counted else self.score
        given = {"labels": [0, 1]} if "labels" in request.function.options else {}
        given |= {"pos_label": 1} if request.takes_class else {}
        weight = None if self.weight is None else self.weight[rows]
        return request.function(
            self.truth.astype(int)[rows], second[rows], **request.plain, **given,
            sample_weight=weight, zero_division=np.nan,
        )  # fmt: skip

    @cached_property
    def wanted(self) -> dict[str, float]:
        return {request.key: self.reference(request) for request in self.requests}

    @property
    def entries(self) -> list[Any]:
        return [request.entry for request in self.requests]

    @cached_property
    def X(self) -> Any:  # noqa: N802
        weight = np.ones(self.n) if self.weight is None else self.weight
        return np.column_stack([self.score, self.called, self.group, weight]).astype(float)

    @cached_property
    def model(self) -> Given:
        return Given(self.negative, self.positive).fit(self.X, self.y)

    @cached_property
    def frame(self) -> pd.DataFrame:
        columns = {"truth": self.y, "called": self.yhat, "p": self.score, "group": self.group}
        weight = {} if self.weight is None else {"w": self.weight}
        return pd.DataFrame(columns | weight)

    def read(self, found: Any, at: str = "", **change: Any) -> Iterator[Pair]:
        """Compare a mapping with a value a metric."""
        for request in self.requests:
            yield request.pair(found[request.key], self.wanted[request.key], at)

    def cells(self, rows: Any = slice(None)) -> dict[str, float]:
        held = (np.ones(self.n) if self.weight is None else self.weight)[rows]
        truth, called = self.truth[rows], self.called[rows]
        places = {
            "tp": (True, True),
            "fp": (False, True),
            "fn": (True, False),
            "tn": (False, False),
        }
        return {
            name: float(held[(truth == true) & (called == as_called)].sum())
            for name, (true, as_called) in places.items()
        }

    def weighs(self, rows: Any) -> bool:
        return self.weight is None or bool(self.weight[rows].any())


Door = Callable[[Draw], Iterator[Pair]]
DOORS: dict[str, Door] = {}


def door(name: str) -> Callable[[Door], Door]:
    def decorate(function: Door) -> Door:
        DOORS[name] = function
        return function

    return decorate


def as_scored(d: Draw, r: Request, rows: Any = slice(None)) -> float:
    """Return a value as one pass has it, nan where it is undefined or infinite.

    A value that errors in both classes would make finite is that with half the least weight more in
    every cell.
    """
    wanted, row = d.reference(r, rows), r.function.metric
    if math.isinf(wanted) and row.haldane_corrected is not None:
        least = 1.0 if d.weight is None else d.weight[rows][d.weight[rows] > 0].min()
        cells = {name: cell + least / 2 for name, cell in d.cells(rows).items()}
        wanted = r.function.from_counts(**cells, **r.plain)
    signed = -wanted if row.greater_is_better is False else wanted
    return math.nan if math.isinf(signed) else signed


def as_scored_alone(d: Draw, r: Request) -> float:
    """Return a value as a scorer has it: an undefined one as the function fills it, or the worst."""
    value, row = as_scored(d, r), r.function.metric
    if not math.isnan(value):
        return value
    low, high = row.under(r.plain, 2).bounds
    sign, worst = (-1, high) if row.greater_is_better is False else (1, low)
    unbound = math.isnan(d.reference(r)) and math.isfinite(row.undefined)
    return sign * (row.undefined if unbound else worst)


@door("function")
def _function(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        second = d.yhat if r.counted else d.score
        found = r.function(
            d.y, second, **r.parameters, **d.own(r), sample_weight=d.weight, zero_division=np.nan
        )
        yield r.pair(found, d.wanted[r.key])


@door("counts")
def _counts(d: Draw) -> Iterator[Pair]:
    cells = d.cells()
    table = [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]]
    for r in d.requests:
        if r.counted:
            yield r.pair(
                r.function.from_counts(**cells, **r.plain, zero_division=np.nan), d.wanted[r.key]
            )
            own = {"pos_label": 1} if r.takes_class else {}
            yield r.pair(
                r.function.from_table(table, **r.plain, **own, zero_division=np.nan),
                d.wanted[r.key], " of a table",
            )  # fmt: skip
    counted = [r for r in d.requests if r.counted]
    found = evaluate(
        counts=Counts(**cells), zero_division=np.nan,
        metrics=[functools.partial(r.function, **r.plain) for r in counted],
    )  # fmt: skip
    for r in counted:
        yield r.pair(found[r.key], d.wanted[r.key], " of counts evaluated")


@door("confusion table")
def _confusion(d: Draw) -> Iterator[Pair]:
    """A table with rows and columns named by the labels, in sorted order."""
    order = sorted([d.negative, d.positive])
    held = np.ones(d.n) if d.weight is None else d.weight
    table = np.array(
        [
            [
                held[(d.truth == (a == d.positive)) & (d.called == (b == d.positive))].sum()
                for b in order
            ]
            for a in order
        ]
    )
    named = pd.DataFrame(table, index=order, columns=order)
    counted = [r for r in d.requests if r.counted]
    own = d.options if any(r.takes_class for r in counted) else {}
    found = evaluate(
        counts=named, metrics=[r.entry for r in counted], labels=order, zero_division=np.nan, **own
    )
    for r in counted:
        yield r.pair(found[r.key], d.wanted[r.key])


@door("scorer")
def _scorer(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        found = get_scorer(r.entry, **d.own(r))(d.model, d.X, d.y, sample_weight=d.weight)
        yield r.pair(found, as_scored_alone(d, r))


@door("one pass")
def _one_pass(d: Draw) -> Iterator[Pair]:
    scorer = one_pass_scorer({r.name: r.entry for r in d.requests}, **d.options)
    found = scorer(d.model, d.X, d.y, sample_weight=d.weight)
    for r in d.requests:
        yield r.pair(found[r.name], as_scored(d, r))


@door("net benefit in scorers")
def _net_benefit(d: Draw) -> Iterator[Pair]:
    """Its own threshold cuts the probabilities, wherever `predict` cuts them."""
    at = {"threshold": round(float(d.rng.uniform(0.1, 0.9)), 3)}
    r = Request(METRICS["net_benefit"], at, at)
    wanted = d.reference(r, called=d.score >= at["threshold"])
    scorer = get_scorer("net_benefit", **at, pos_label=d.positive)
    yield r.pair(scorer(d.model, d.X, d.y, sample_weight=d.weight), wanted)
    found = one_pass_scorer({"nb": scorer})(d.model, d.X, d.y, sample_weight=d.weight)
    yield r.pair(found["nb"], wanted, " in one pass")


@door("evaluate")
def _evaluate(d: Draw) -> Iterator[Pair]:
    given = {"metrics": d.entries, "zero_division": np.nan, **d.options}
    found = evaluate(d.y, d.yhat, d.score, sample_weight=d.weight, **given)
    yield from d.read(found)
    shown = dict(line.split()[:2] for line in str(found).splitlines()[1:] if len(line.split()) > 2)
    for r in d.requests:
        name = next((n for n in shown if n == r.key or n.startswith(f"{r.key}(")), None)
        with contextlib.suppress(ValueError):
            if name is not None and abs(d.wanted[r.key]) < 1e4:
                yield Pair(f"{r.name} printed", float(shown[name]), d.wanted[r.key], _PLACES)
    column = found.to_frame()["value"]
    yield from d.read(column, " in a frame")
    weight = {} if d.weight is None else {"sample_weight": "w"}
    for r in d.requests:
        own = {"metrics": [r.entry], "zero_division": np.nan, **d.own(r)}
        with _named(r):
            named = evaluate("truth", "called", "p", data=d.frame, **weight, **own)
            yield r.pair(named[r.key], d.wanted[r.key], " of columns")


@door("groups")
def _groups(d: Draw) -> Iterator[Pair]:
    held = np.isin(d.group, [g for g in range(3) if d.weighs(d.group == g)])
    weight = None if d.weight is None else d.weight[held]
    found = evaluate(
        np.asarray(d.y)[held], np.asarray(d.yhat)[held], d.score[held], metrics=d.entries,
        by=d.group[held], sample_weight=weight, zero_division=np.nan, **d.options,
    )  # fmt: skip
    for g in np.unique(d.group[held]).tolist():
        for r in d.requests:
            yield r.pair(found[g][r.key], d.reference(r, d.group == g), f" of group {g}")


@door("interval")
def _interval(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        if not math.isfinite(d.wanted[r.key]):
            continue
        found = interval(
            r.entry, d.y, d.yhat if r.counted else d.score, sample_weight=d.weight,
            n_resamples=10, random_state=0, **d.own(r),
        )  # fmt: skip
        yield r.pair(found.estimate, d.wanted[r.key])


@door("paired test")
def _paired(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        other = d.other >= d.threshold if r.counted else d.other
        twin = copy.copy(d)
        twin.called, twin.score = d.other >= d.threshold, d.other
        wanted = d.wanted[r.key], twin.reference(r)
        if not np.isfinite(wanted).all():
            continue
        found = paired_test(
            r.entry, d.y, d.yhat if r.counted else d.score,
            d.labelled(other) if r.counted else other,
            sample_weight=d.weight, n_resamples=10, random_state=0, **d.own(r), method="bootstrap",
        )  # fmt: skip
        for k in (0, 1):
            yield r.pair(found.estimates[k], wanted[k], f" of {'ab'[k]}")
        yield r.pair(found.difference, wanted[0] - wanted[1], " difference")


@door("curves")
def _curves(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        if r.function.metric.kind.name != "counts":
            continue
        curves = threshold_curves(
            d.y, d.score, [r.entry], pos_label=d.positive, sample_weight=d.weight
        )
        at = int(np.argmin(np.where(curves.thresholds >= d.threshold, curves.thresholds, np.inf)))
        yield r.pair(curves[r.key][at], d.wanted[r.key])


@door("nested run")
def _nested(d: Draw) -> Iterator[Pair]:
    folds = [(np.flatnonzero(d.group != g), np.flatnonzero(d.group == g)) for g in range(3)]
    folds = [fold for fold in folds if d.weighs(fold[1])]
    weight = {} if d.weight is None else {"sample_weight": d.weight}
    result = None
    with _named(d.requests[0]):
        result = nested_cross_validate(
        Given(d.negative, d.positive), {}, d.X, np.asarray(d.y),
        scoring={r.name: r.entry for r in d.requests}, outer_cv=folds, inner_cv=Halves(),
        execution=Execution(checks=None), **weight, **d.options,
    )  # fmt: skip
    if result is None:
        return
    for r in d.requests:
        for k, (_, test) in enumerate(folds):
            found, wanted = result[f"test_{r.name}"][k], as_scored(d, r, test)
            yield r.pair(found, wanted, f" of fold {k}")


@door("command line")
def _command(d: Draw) -> Iterator[Pair]:
    simple = [r for r in d.requests if not r.parameters]
    if not simple:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        d.frame.to_csv(path, index=False)
        weight = [] if d.weight is None else ["--weight", "w"]
        printed = io.StringIO()
        for r in simple:
            printed, errors = io.StringIO(), io.StringIO()
            arguments = [
                "evaluate", str(path), "--true", "truth", "--score", "p", "--pred", "called",
                "--metrics", r.name, *weight, "--json",
                *(["--positive", str(d.positive)] if r.takes_class else []),
            ]  # fmt: skip
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
                status = command_line(arguments)
            with _named(r):
                if status:
                    raise ValueError(errors.getvalue())
                value = json.loads(printed.getvalue())[r.name]
                if isinstance(value, dict):
                    value = SimpleNamespace(**value)
                value = math.nan if value is None else value
                if math.isfinite(
                    d.wanted[r.key]
                ):  # JSON has no infinity; undefined ones are filled
                    yield r.pair(value, d.wanted[r.key])


@door("scikit-learn")
def _twin(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        row = r.function.metric
        if row.twin is None:
            continue
        theirs = getattr(sklearn.metrics, row.twin)
        second = d.called.astype(int) if r.counted else d.score
        held = np.ones(d.n, bool) if d.weight is None else d.weight > 0
        weight = None if d.weight is None else d.weight[held]
        found = theirs(d.truth.astype(int)[held], second[held], **r.plain, sample_weight=weight)
        if not math.isnan(d.wanted[r.key]):
            yield r.pair(found, d.wanted[r.key])


@door("identities")
def _identities(d: Draw) -> Iterator[Pair]:
    for r in d.requests:
        yield from _of_rows(d, r)
        yield from _of_classes(d, r)
        for text, other in _DEFINED.get(r.name, {}).items():
            yield r.pair(other(functools.partial(_plain, d)), d.wanted[r.key], f" as {text}")


def _plain(d: Draw, name: str) -> float:
    return d.reference(Request(METRICS[name], {}, {}))


def _of_rows(d: Draw, r: Request) -> Iterator[Pair]:
    """Compare the same rows in another order, repeated, and without those that weigh nothing."""
    weight = np.ones(d.n) if d.weight is None else d.weight
    order, held = d.rng.permutation(d.n), np.flatnonzero(weight)
    yield r.pair(d.reference(r, order), d.wanted[r.key], " in another order")
    if r.name not in _EACH_ROW_COUNTS:
        yield r.pair(d.reference(r, held), d.wanted[r.key], " without rows of weight 0")
        if d.weighted == "int":
            repeated = copy.copy(d)
            repeated.weight = None
            found = repeated.reference(r, np.repeat(np.arange(d.n), weight))
            yield r.pair(found, d.wanted[r.key], " of repeated rows")


def _of_classes(d: Draw, r: Request) -> Iterator[Pair]:
    """Compare exchanged classes, and truth and predictions exchanged."""
    row, y, called = r.function.metric, d.truth.astype(int), d.called.astype(int)
    given = {"sample_weight": d.weight, "zero_division": np.nan}
    given |= {"labels": [0, 1]} if "labels" in r.function.options else {}
    if row.swapped is not None and r.takes_class and not r.plain and r.name not in _BINNED:
        swapped = METRICS[row.swapped]
        found = (
            swapped(y, called, pos_label=0, **given)
            if r.counted
            else swapped(1 - y, 1 - d.score, **given)
        )
        yield r.pair(found, d.wanted[r.key], f" as {row.swapped} of the other class")
    if row.transposed is not None and r.counted and not r.plain:
        own = {"pos_label": 1} if r.takes_class else {}
        found = METRICS[row.transposed](called, y, **given, **own)
        yield r.pair(found, d.wanted[r.key], f" as {row.transposed} of exchanged arrays")


# Metrics of numbers of rows rather than of weights.
_EACH_ROW_COUNTS = {"aurc_loss", "excess_aurc_loss"}
# 1 - p of a score at the edge of a bin may lie in the bin below.
_BINNED = {"binned_calibration_error"}
# A metric as a function of others, of the same arrays.
_DEFINED: dict[str, dict[str, Callable[[Any], float]]] = {
    "recall": {"1 - FNR": lambda m: 1 - m("false_negative_rate")},
    "specificity": {"1 - FPR": lambda m: 1 - m("false_positive_rate")},
    "precision": {"1 - FDR": lambda m: 1 - m("false_discovery_rate")},
    "npv": {"1 - FOR": lambda m: 1 - m("false_omission_rate")},
    "accuracy": {
        "1 - zero-one loss": lambda m: 1 - m("zero_one_loss"),
        "true positives and negatives": lambda m: m("true_positives") + m("true_negatives"),
    },
    "hamming_loss": {"zero-one loss": lambda m: m("zero_one_loss")},
    "gini": {"2 AUC - 1": lambda m: 2 * m("roc_auc") - 1},
    "informedness": {"TPR - FPR": lambda m: m("recall") - m("false_positive_rate")},
    "markedness": {"PPV + NPV - 1": lambda m: m("precision") + m("npv") - 1},
    "balanced_accuracy": {"mean rate": lambda m: (m("recall") + m("specificity")) / 2},
    "f1": {"2J / (1 + J)": lambda m: 2 * m("jaccard") / (1 + m("jaccard"))},
    "bennett_s": {"2 accuracy - 1": lambda m: 2 * m("accuracy") - 1},
}


# Why a door does not take a metric, a weight or a draw.
REFUSALS = {
    "scikit-learn's classifiers refuse numbers as objects": "y holds Python objects",
}


@contextlib.contextmanager
def _named(request: Request) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError) as error:
        for reason, text in REFUSALS.items():
            if text in str(error):
                _REFUSED.append(f"{request.name}: {reason}")
                return
        error.add_note(f"metric: {request.name}")
        raise


_REFUSED: list[str] = []


@dataclass
class Tally:
    """Comparisons by door, refusals by reason, and disagreements."""

    compared: Counter[str] = field(default_factory=Counter)
    drawn: dict[str, set[tuple[str, bool, str]]] = field(default_factory=lambda: defaultdict(set))
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __str__(self) -> str:
        lines = [f"function of 0 and 1 | {name}: {n}" for name, n in self.compared.items()]
        lines += [f"refused by {name}: {why} ({n})" for (name, why), n in self.refused.items()]
        return "\n".join(
            [*lines, f"{self.compared.total()} comparisons", *itertools.chain(*self.wrong.values())]
        )


def compare(seed: int, number: int, tally: Tally, doors: Any = None) -> None:
    """Compare all doors at one draw."""
    drawn = Draw(seed, number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "(?s).*undefined for every candidate", UserWarning)
        for name, open_door in DOORS.items():
            of_block = number // BLOCK % 5 < _BLOCKS.get(name, 5)
            if not (name in doors if doors else of_block):
                continue
            tally.drawn[name].add((drawn.kind, drawn.against, drawn.weighted))
            line = f"python -m tests.two_ways --seed {seed} --first {number} --draws 1"
            about = f"{drawn.kind} {drawn.negative!r}/{drawn.positive!r}, weights {drawn.weighted}"
            try:
                for pair in open_door(drawn):
                    tally.compared[name] += 1
                    if not pair.agrees:
                        tally.wrong[name].append(
                            f"{name}: {pair.metric} is {pair.found!r}, of 0 and 1 it is "
                            f"{pair.wanted!r} ({about}): {line} --door '{name}'"
                        )
                tally.refused.update((name, why) for why in _REFUSED)
                _REFUSED.clear()
            except Exception as error:
                tally.wrong[name].append(
                    f"{name}: {type(error).__name__} {error} {getattr(error, '__notes__', '')} "
                    f"({about}; {[r.name for r in drawn.requests]}): {line} --door '{name}'"
                )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", action="append")
    given = parser.parse_args(arguments)
    tally = Tally()
    for number in range(given.first, given.first + given.draws):
        compare(given.seed, number, tally, given.door)
    print(tally)
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
