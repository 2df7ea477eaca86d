"""Every metric refuses every kind of bad input with an error of this package that says what is wrong.

One row of a table is one case. What a kind checks is tried on a metric of each way in which the metrics of
the kind are made; what a formula checks of its own parameters, on every metric.
"""
# ruff: noqa: E501

from __future__ import annotations

import inspect
import itertools
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import skaucx
import skaucx.metrics as sm
from skaucx import evaluation
from skaucx.inference import interval
from skaucx.metrics import Counts
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from tests.each import each
from tests.metrics.needed import OF_CLASSES, evaluated, needed_parameters

Y = [0, 1, 0, 1, 1, 0]
PRED = [0, 1, 1, 1, 0, 0]
SCORE = [0.1, 0.8, 0.5, 0.9, 0.4, 0.2]
WEIGHT = [1.0, 2.0, 1.0, 0.5, 1.0, 1.0]
Y3 = [0, 1, 2, 0, 1, 2]
PRED3 = [0, 1, 2, 1, 1, 0]
SCORE3 = np.array([[6, 1, 1], [1, 6, 1], [2, 3, 3], [2, 2, 4], [3, 2, 3], [1, 0, 7]]) / 8
NAN, INF = float("nan"), float("inf")


def anything(row):
    return True


def labels(row):
    return row.kind.counted


def scores(row):
    return not row.kind.counted


def of_kind(*names):
    return lambda row: row.kind.name in names


def takes(name):
    return lambda row: name in METRICS[row.name].options


def asks(counted):
    """Whether labels (or scores) are read, and which of two labels is positive must be told."""
    return lambda row: (
        row.kind.counted == counted
        and "pos_label" in row.kind.options
        and row.positive_matters()
        and not row.guesses
    )


def ranked(row):
    return row.kind.scale is not None


counts, proba, columns = of_kind("counts"), of_kind("probabilities"), of_kind("columns", "margins")
unit = of_kind("unit_values")


@dataclass
class Case:
    """A bad input: what differs from a good one, and what the message must say."""

    says: str
    applies: Callable[[Any], bool] = anything
    y: Any = None
    other: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    def arrays(self, row):
        good = PRED if row.kind.counted else SCORE
        return Y if self.y is None else self.y, good if self.other is None else self.other


def changed(values, value, dtype=None):
    values = [value, *values[1:]]
    return values if dtype is None else np.array(values, dtype=dtype)


def masked(values):
    return np.ma.masked_array(values, mask=[1, 0, 0, 0, 0, 0])


class Empty:
    """An object that is no array."""

    def __repr__(self):
        return "Empty()"


RAGGED = [0, [1, 2], 0, 1, 1, 0]
STRANGE = [
    sparse.csr_matrix([Y]), sparse.coo_array([Y]), np.array(Y) + 0j, np.array(Y, dtype="datetime64[D]"),
    np.array(Y, dtype="timedelta64[s]"), np.array([b"a", b"b"] * 3), "010110", {0: 1}, {0, 1}, Empty(),
    [Empty()] * 6, (value for value in Y), len, np.array([(0, 1)] * 6, dtype=[("a", int), ("b", int)]),
    masked(Y), RAGGED,
]  # fmt: skip
SICK, BOTH = ["cancer", "healthy"] * 3, np.column_stack([SCORE, SCORE])
# An argument, the metrics to try, what the message says, bad values; FIRST and SECOND are the arrays.
SINGLE = [
    ("y", anything, "FIRST has 5.*SECOND has 6", [Y[:5]]),
    ("y", anything, "FIRST must be an array-like", [1]),
    ("y", anything, "FIRST is None", [...]),
    ("y", anything, "FIRST", [
        [[0, 1], [2, 3]] * 3, np.ones((6, 1, 1), int), changed(Y, None), changed(["b", "a"] * 3, None),
        changed(Y, NAN), changed(Y, INF), changed(["a", "b"] * 3, NAN), changed(["a", "b"] * 3, NAN, object),
        pd.Series(changed(Y, None), dtype="Int64"), pd.Series(["a", None, *"abba"], dtype="string"),
        pd.Series(pd.date_range("2020", periods=6)), *STRANGE]),
    ("y", anything, "FIRST mixes strings and numbers", [changed(Y, "a"), changed(Y, "a", object)]),
    ("y", anything, "FIRST holds continuous values", [changed(Y, 0.5)]),
    ("y", labels, "strings and numbers", [list("abaaba")]),
    ("y", counts, "two classes, found 3.*average", [Y3]),
    ("y", ranked, "two classes, found 3.*multi_class", [Y3]),
    ("y", proba, "y_proba", [Y3]),
    ("y", columns, "y_score has 1 columns", [Y3]),
    ("y", lambda row: asks(False)(row) and not (proba(row) and row.twin), "pos_label.*1, 2", [[1, 2] * 3]),
    ("y", asks(False), "pos_label.*cancer.*healthy", [SICK]),
    ("other", anything, "SECOND (must|has dtype)", [0.5]),
    ("other", anything, "SECOND must", [np.ones((6, 1, 1), int)]),
    ("other", anything, "SECOND", [..., *STRANGE]),
    ("other", labels, "SECOND", [np.ones((6, 2), int), changed(PRED, None), changed(PRED, NAN)]),
    ("other", labels, "SECOND mixes strings and numbers", [changed(PRED, "a")]),
    ("other", labels, "SECOND holds continuous values", [SCORE]),
    ("other", labels, "strings and numbers", [list("abaaba")]),
    ("other", counts, "two classes, found 3.*average", [PRED3]),
    ("other", scores, "SECOND", [changed(SCORE, None), pd.Series([None, *SCORE[1:]]).convert_dtypes()]),
    ("other", scores, "SECOND is empty", [np.empty((6, 0))]),
    ("other", scores, "NaN or infinity in SECOND", [
        changed(SCORE, NAN), changed(SCORE, INF), changed(SCORE, -INF), [INF, -INF, 0, 0, 0, 0]]),
    ("other", scores, "SECOND has dtype", [list("abcdef"), [str(s) for s in SCORE]]),
    ("other", scores, "SECOND has dtype object", [np.array(["a", 1, 2, 3, 4, 5], object)]),
    ("other", unit, r"y_score lies in .*1\.5.*predict_proba.*rescale", [changed(SCORE, 1.5)]),
    ("other", unit, r"y_score lies in .*-0\.1.*predict_proba.*rescale", [changed(SCORE, -0.1)]),
    ("other", proba, r"y_proba lies in .*1\.5", [changed(SCORE, 1.5)]),
    ("other", proba, r"y_proba lies in .*-0\.1", [changed(SCORE, -0.1)]),
    ("other", ranked, "y_score has two columns.*positive class|multi_class", [BOTH]),
    ("sample_weight", anything, "sample_weight", [
        np.ones((6, 2)), 2.0, [], RAGGED, list("abcdef"), changed(WEIGHT, None),
        np.array(WEIGHT) + 0j, np.array(Y, "M8[D]"), sparse.csr_matrix([WEIGHT])]),
    ("sample_weight", anything, "sample_weight has 5", [WEIGHT[:5]]),
    ("sample_weight", anything, "sample_weight contains NaN or inf", [changed(WEIGHT, NAN), changed(WEIGHT, INF)]),
    ("sample_weight", anything, "Negative values in sample_weight", [changed(WEIGHT, -1)]),
    ("sample_weight", anything, "sample_weight is zero everywhere", [[0] * 6]),
    ("sample_weight", anything, "sample_weight is a masked", [masked(WEIGHT)]),
    ("pos_label", takes("pos_label"), "pos_label=7 is not a valid label.*0, 1", [7]),
    ("pos_label", takes("pos_label"), "pos_label='1' is not a valid label", ["1"]),
    ("pos_label", takes("pos_label"), "pos_label", [[1]]),
    ("labels", counts, "two classes|labels", [[0, 1, 2]]),
    ("labels", takes("labels"), "labels must be distinct", [[0, 1, 1]]),
    ("labels", takes("labels"), "labels must be", [[[0, 1], [1, 0]]]),
    ("labels", takes("labels"), "labels is empty", [[]]),
    ("labels", takes("labels"), "labels", [[0, NAN], 1]),
    ("labels", takes("labels"), "strings and numbers", [["a", "b"]]),
    ("multi_class", ranked, "multi_class must be one of", ["all"]),
    ("average", ranked, "average must be one of", ["all"]),
    ("average", counts, "average must be one of.*'macro'", ["mean", "samples", 1, ["macro"]]),
    ("zero_division", anything, "zero_division must be 'warn', 0, 1 or nan", ["zero", 0.5, None, "strict"]),
    ("rescale", takes("rescale"), "rescale must be one of", ["logit", True]),
    ("surprise", anything, "unexpected keyword.*'surprise'", [1]),
]  # fmt: skip
# What is wrong of two arguments at once.
PAIRED = [
    Case("FIRST is empty", y=[], other=[]),
    Case("FIRST is empty", y=np.empty(0, int), other=np.empty(0)),
    Case("pos_label.*1, 2", asks(True), y=[1, 2] * 3, other=[1, 2, 2, 2, 1, 1]),
    Case("pos_label.*cancer.*healthy", asks(True), y=SICK, other=sorted(SICK)),
    Case("pos_label.*healthy", asks(True), y=["healthy"] * 6, other=["healthy"] * 6),
    Case("y_score has two columns.*positive class", ranked, other=BOTH, options={"multi_class": "ovr"}),
]  # fmt: skip
# Of three classes: what the message says, the metrics to try, their columns and options.
TWO_COLUMNS, OVR = np.full((6, 2), 0.5), {"multi_class": "ovr"}
OF_THREE = [
    Case(says, applies, Y3, other, options)
    for says, applies, other, options in [
        ("multi_class must be one of 'ovr', 'ovo'", lambda row: ranked(row) and row.name != "average_precision", SCORE3, {}),
        ("4 columns, but there are 3 classes", scores, np.full((6, 4), 0.25), OVR),
        ("y_true holds labels that labels= does not name: .2", proba, TWO_COLUMNS, {"labels": [0, 1]}),
        ("y_proba", proba, TWO_COLUMNS, {}),
        ("y_score has 2 columns, but there are 3 classes", columns, TWO_COLUMNS, {}),
        ("2 columns, but there are 3 classes|two columns", ranked, TWO_COLUMNS, OVR),
        ("labels", scores, SCORE3[:, :2] / SCORE3[:, :2].sum(1, keepdims=True), OVR | {"labels": [0, 1]}),
        ("3 columns, but there are 4 classes", scores, SCORE3, OVR | {"labels": [0, 1, 2, 3]}),
        ("average must be one of", ranked, SCORE3, {"multi_class": "ovo", "average": "micro"}),
        ("average must be one of", ranked, SCORE3, {"multi_class": "ovo", "average": None}),
        ("average must be one of", ranked, SCORE3, OVR | {"average": "binary"}),
        ("multi_class must be one of", ranked, SCORE3, {"multi_class": "all"}),
        ("multi_class must be one of", ranked, SCORE3, {"multi_class": None}),
    ]
]  # fmt: skip
NOT_REAL = ["1", True, None, [1], 1j]
BAD_VALUES = {
    "q": [-0.1, NAN, INF, *NOT_REAL], "beta": [-1, NAN, *NOT_REAL],
    "floor": [-0.1, NAN, INF, *NOT_REAL], "auc_power": [-0.1, NAN, INF, *NOT_REAL],
    "margin_power": [-0.1, NAN, INF, *NOT_REAL], "prevalence": [-0.1, 1.1, NAN, "1", True, [1]],
    "max_fpr": [0, -0.1, 1.1, NAN, "1", True, [1]], "ties": ["quarter", None, 0.5],
    "distance": ["ratio", None, 1], "weights": ["cubic", 1, True],
    "replace_undefined_by": [-1.1, 2, "0", None], "scale_by_half": ["half", 2, None],
    "normalize": ["no", None, 2], "adjusted": ["no", None, 2], "standardize": ["no", None, 2],
    "fpr": [(0.5, 0.2), (0.2, 0.2), (-0.1, 0.5), (0, 1.1), (NAN, 1), (0,), (0, 0.5, 1), 0.3, "ab"],
    "tpr": [(0.5, 0.2), (0.2, 0.2), (-0.1, 0.5), (0, 1.1), (0, NAN), (0,), (0, 0.5, 1), 0.3, "ab"],
    "cost": [[[0, 1]], [0, 1], 1, [[0, NAN], [1, 0]], [[0, "a"], [1, 0]], np.ones((3, 3)), None],
    "difference": [3, None, "sign"], "share": [0, -0.1, 1.1, NAN, *NOT_REAL],
    "k": [0, -1, 7, 1.5, "1", True, [1]], "alpha": [0, -1, NAN, INF, *NOT_REAL],
    "min_tpr": [0, 1, -0.1, 1.1, NAN, *NOT_REAL],
    "severity_ratio": [0, -1, NAN, INF, "1", True, [1]], "repair": ["all", None, 1],
    "min_recall": [-0.1, 1.1, NAN, *NOT_REAL], "min_precision": [-0.1, 1.1, NAN, *NOT_REAL],
    "min_specificity": [-0.1, 1.1, NAN, *NOT_REAL], "min_sensitivity": [-0.1, 1.1, NAN, *NOT_REAL],
    "threshold": [0, 1, -0.1, NAN, *NOT_REAL], "norm": ["l3", None, 2],
    "kind": ["mcfadden", None, 1], "n_bins": [0, -1, 1.5, "10", True, None],
    "strategy": ["kmeans", None, 1], "debias": ["no", None, 2, True], "classes": ["all", None, 1],
    "joint": ["no", None, 2], "loss": ["hinge", None, 1], "base": ["mm1", None, 1],
    "correction": [-0.1, 1.1, NAN, *NOT_REAL], "fn_weight": [-1, NAN, INF, *NOT_REAL],
    "fp_weight": [-1, NAN, INF, *NOT_REAL], "modified": ["no", None, 2], "shared": ["no", None, 2],
    "of": ["all", None, 1], "given": ["both", None, 1], "guessed": ["both", None, 1],
    "objective": [1, None, "no such metric"],
    "subject_to": [1, None, {"recall": 0.5}, {"recall": ("above", 0.5)}],
    "coverage": [0, 1.5, "half", np.nan], "risk": [-0.1, 1.5, "half", np.nan],
    "reject_cost": [-0.1, 1.5, "half", np.nan], "interpolation": ["trapezoid", None, 1],
    "relative": ["no", None, 2],
}  # fmt: skip
PARAMETERS = [
    Case(
        name,
        lambda row, name=name, value=value: (
            name in own_parameters(METRICS[row.name])
            and not (row.name == "top_k_accuracy" and value == 7)  # as scikit-learn's: 1
        ),
        options={name: value},
    )
    for name, values in BAD_VALUES.items()
    for value in values
] + [
    Case("fpr and tpr", takes("fpr"), options={"fpr": (0, 0.5), "tpr": (0, 0.5)}),
    Case("difference", takes("difference"), options={"difference": np.sum}),
    Case("difference", takes("difference"), options={"difference": lambda d: d.astype(str)}),
]  # fmt: skip
OF_KINDS = PAIRED + OF_THREE + [
    Case(says, applies, **({name: value} if name in ("y", "other") else {"options": {name: value}}))
    for name, applies, says, values in SINGLE
    for value in values
]  # fmt: skip


@cache
def own_parameters(function):
    return list(inspect.signature(function.metric.formula).parameters)[1:]


def refuse(call, says):
    """Require that this package refuses a call in clear words."""
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert re.search(says, str(raised.value), re.DOTALL), raised.value
    assert not re.search(r"\bnp\.\w+\(", str(raised.value)), "shows a number by its type of NumPy"
    raised_in = Path(traceback.extract_tb(raised.value.__traceback__)[-1].filename)
    assert raised_in.is_relative_to(Path(skaucx.__file__).parent), raised_in


def representatives(functions):
    """Return the first metric of each way in which arrays and options are checked."""
    found = {}
    for function in functions:
        row = function.metric
        positive = row.positive_matters(), row.symmetric, row.guesses
        shared = frozenset({*row.kind.options, *{"zero_division"} & {*function.options}})
        way = row.kind, row.inputs, row.twin is None, row.kind.multilabel, positive, shared
        found.setdefault(way, function)
    return list(found.values())


PAIRS = [
    (case, function)
    for cases, functions in (
        (OF_KINDS, representatives(OF_CLASSES.values())),
        (PARAMETERS, OF_CLASSES.values()),
    )
    for case in cases
    for function in functions
    if case.applies(function.metric)
]


@each("case, metric", PAIRS)
def test_refuses(case, metric):
    first, second = metric.metric.inputs
    says = case.says.replace("FIRST", first).replace("SECOND", second)
    arrays = [None if array is ... else array for array in case.arrays(metric.metric)]
    known = {"surprise", *own_parameters(metric), *metric.options}
    options = {name: value for name, value in case.options.items() if name in known}
    options = needed_parameters(metric.metric.name, 3 if case.y is Y3 else 2) | options
    refuse(lambda: metric(*arrays, **options), says)


def test_numbers_of_numpy_are_shown_as_numbers():
    rates = {"specificity": 0.5, "prevalence": 0.5}
    refuse(lambda: Counts.from_rates(sensitivity=1.2, **rates), "found 1.2; for 1.2 per cent")
    rows, few = ("recall", [1, 1, 0], [1, 0, 0]), {"method": "bca", "n_resamples": np.int64(0)}
    level = np.float64(95)
    refuse(lambda: interval(*rows, confidence_level=level), "found 95.0; for 95.0 per cent")
    refuse(lambda: interval(*rows, **few), "n_resamples .* found 0")


def test_every_case_every_kind_and_every_parameter_is_tried():
    """A metric that is made in a new way gets its own row in the walk."""
    tried = {id(case) for case, _ in PAIRS}
    assert not [case for case in OF_KINDS + PARAMETERS if id(case) not in tried]
    kinds = {function.metric.kind for function in OF_CLASSES.values()}
    assert {metric.metric.kind for _, metric in PAIRS} == kinds
    own = {name for function in OF_CLASSES.values() for name in own_parameters(function)}
    assert own == set(BAD_VALUES)


@each("metric", OF_CLASSES.values())
def test_the_good_input_is_accepted(metric):
    counted = metric.metric.kind.counted
    evaluated(metric, Y, PRED if counted else SCORE, sample_weight=WEIGHT)
    evaluated(metric, Y3, PRED3 if counted else SCORE3, 3, average="macro", multi_class="ovr")


OF_CELLS = {
    "negative": ((1, -1, 2, 3), "fp must hold finite counts"),
    "nan": ((1, 2, NAN, 3), "fn must hold finite counts"),
    "infinite": ((1, 2, 3, INF), "tn must hold finite counts"),
    "negative-in-array": (([1, -2], 1, 2, 3), "tp must hold finite counts"),
    "not-broadcasting": (([1, 2], [1, 2, 3], 2, 3), "broadcast"),
    "string": (("1", 2, 3, 4), "tp has dtype"), "strings": ((["a", "b"], 2, 3, 4), "tp has dtype"),
    "none": ((1, None, 3, 4), "fp"), "complex": ((1, 1j, 3, 4), "fp has dtype"),
    "masked": ((np.ma.masked_array([1, 2], mask=[0, 1]), 2, 3, 4), "tp is a masked array"),
    "sparse": ((sparse.csr_matrix([[1, 2]]), 2, 3, 4), "tp"), "dict": (({"a": 1}, 2, 3, 4), "tp"),
}  # fmt: skip
OF_TABLES = {
    "not-square": ([[1, 2, 3], [4, 5, 6]], "table must be K x K"),
    "vector": ([1, 2, 3, 4], "table must be K x K"), "scalar": (3, "table must be K x K"),
    "one-class": ([[3]], "table must be K x K"),
    "empty": (np.empty((0, 0)), "table must be K x K"),
    "negative": ([[1, -2], [3, 4]], "table must hold finite counts"),
    "nan": ([[1, NAN], [3, 4]], "table must hold finite counts"),
    "strings": ([["a", "b"], ["c", "d"]], "table has dtype"), "none": (None, "table"),
    "ragged": ([[1, 2], [3]], "table"),
    "masked": (np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]), "table is a masked"),
}  # fmt: skip
OF_LABELS = [function for function in OF_CLASSES.values() if function.metric.kind.counted]


@each("metric, given", itertools.product(representatives(OF_LABELS), OF_CELLS.values()))
def test_refuses_counts(metric, given):
    own = needed_parameters(metric.metric.name)
    refuse(lambda: metric.from_counts(*given[0], **own), given[1])


@each("metric, given", itertools.product(representatives(OF_LABELS), OF_TABLES.values()))
def test_refuses_tables(metric, given):
    own = needed_parameters(metric.metric.name)
    refuse(lambda: metric.from_table(given[0], **own), given[1])


@each("metric", representatives(OF_LABELS))
@each("given", [{"zero_division": 2}, {"surprise": 2}])
def test_refuses_options_of_counts(metric, given):
    own = needed_parameters(metric.metric.name) | given
    [name] = given
    refuse(lambda: metric.from_counts(1, 2, 3, 4, **own), name)
    refuse(lambda: metric.from_table([[1, 2], [3, 4]], **own), name)
    refuse(lambda: metric.from_table(np.ones((2, 2, 2)), **own), name)


@each("metric", [function for function in OF_LABELS if function.metric.kind.name == "counts"])
@each("shape", [(3, 3), (5, 3, 3)])
def test_refuses_tables_of_several_classes(metric, shape):
    own = needed_parameters(metric.metric.name)
    refuse(lambda: metric.from_table(np.ones(shape), **own), "average")


# Metrics of probabilities, whether of one column or of two for two classes.
OF_PROBABILITIES = [
    (function, columns)
    for function in METRICS.values()
    for columns in (1, 2)
    if function.metric.kind.inputs is SCORES
    and function.metric.kind.scale != "order"
    and function.metric.kind.name not in ("columns", "margins")
    and (columns == 1 or not function.metric.kind.scale)
]


@each("function, columns", OF_PROBABILITIES)
@each("dtype", ["float64", "float32"])
def test_a_probability_beyond_its_range_by_rounding(function, columns, dtype):
    """It is 0 or 1 at every metric; beyond that it is refused as it was passed."""
    y, p = np.array([1, 0, 1, 1, 0, 1]), np.array([1, 0.25, 0.875, 0.125, 0, 0.375], dtype=dtype)
    beyond = p + np.array([1, 0, 0, 0, -1, 0], dtype=dtype) * np.finfo(dtype).eps

    def value(p):
        return evaluated(function, y, p if columns == 1 else np.column_stack([1 - p, p]))

    assert value(beyond) == pytest.approx(value(p), rel=1e-6, nan_ok=True)
    if function.metric.kind.name == "probabilities":
        with pytest.raises(ValueError, match=r"lies in \[.*1\.001.*\], but probabilities lie in"):
            value(p + np.array([1e-3, 0, 0, 0, 0, 0], dtype=dtype))


def test_great_weights_that_do_not_overflow_are_taken():
    assert sm.recall_score([0, 1], [0, 1], sample_weight=np.full(2, 1e298)) == 1


@each("name, function", METRICS.items())
def test_weights_that_overflow_are_refused_by_every_metric(name, function):
    y, judged, given = [0, 1, 1, 0], function.metric.kind.inputs, needed_parameters(name)
    second = [0.1, 0.7, 0.6, 0.4] if judged.argument == "y_score" else y
    for extra in judged.extra_arrays[:1]:
        of_examples = name in ("savings", "example_cost_loss")
        given[extra] = np.zeros((4, 2)) if of_examples else [0, 0, 1, 0]
    with pytest.raises(ValueError, match=r"sample_weight .*greatest float"):
        function(y, second, sample_weight=np.full(4, 1e308), **given)


def test_a_parameter_that_no_metric_takes_is_named_for_what_it_is():
    y = ["a", "b"] * 5
    own = {"pos_label", "prevalence", "example_costs", "labels", "rejected", "threshold"}
    taken = {option for function in METRICS.values() for option in function.options}
    for name in taken - set(METRICS["accuracy"].options) - own:
        told = f"None of the metrics takes it: '{name}' is a parameter"
        with pytest.raises(TypeError, match=told):
            evaluation.evaluate(y, y, metrics=["accuracy"], **{name: 1})
    with pytest.raises(TypeError, match="is not the name of a parameter"):
        evaluation.evaluate(y, y, metrics=["accuracy"], levle=0.9)
