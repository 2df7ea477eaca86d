"""Changing the import line is enough: same signature and values as scikit-learn's, name by name.

For every name that scikit-learn has too, over random labels and scores of many kinds, with and without
weights, and over all arguments that both take. Where scikit-learn raises, nothing is compared; where
it warns, its value is. Deliberate differences stand in `SIGNATURE_DIFFERS` and `VALUE_DIFFERS`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import runpy
import warnings
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import sklearn.base
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.fixes import parse_version

import skaucx.metrics
from skaucx.evaluation import evaluate
from skaucx.metrics import list_metrics
from tests.each import each

TWINS = [row for row in list_metrics() if row.twin]
EXAMPLES = Path(__file__).parents[2] / "examples"
CALLS = 8  # of a twin on one of 25 kinds of data, drawn with a seed of both


def functions(row):
    return getattr(skaucx.metrics, row.twin), getattr(sklearn.metrics, row.twin)


def parameters(function):
    return inspect.signature(function).parameters


def default_is_one(row):
    theirs = parameters(functions(row)[1]).get("pos_label")
    return theirs is not None and theirs.default == 1


# ---- signatures ----

POSITIVE = "pos_label=None is 1 where the labels lie in {-1, 0, 1}; design.md"
RENAMED = "a deprecated or older name of y_proba"
REQUIRED = "y_proba has a default in scikit-learn only while its older name is deprecated"
SIGNATURE_DIFFERS = {
    **{(row.twin, "pos_label"): POSITIVE for row in TWINS if default_is_one(row)},
    ("log_loss", "y_pred"): RENAMED,
    ("log_loss", "y_proba"): REQUIRED,
    ("brier_score_loss", "y_prob"): RENAMED,
    ("brier_score_loss", "y_proba"): REQUIRED,
    ("d2_log_loss_score", "y_pred"): RENAMED,
    ("d2_log_loss_score", "y_proba"): REQUIRED,
}


def same_default(ours, theirs):
    both_nan = all(isinstance(value, float) and math.isnan(value) for value in (ours, theirs))
    return both_nan or (type(ours) is type(theirs) and ours == theirs)


@each("row", TWINS)
def test_signature(row):
    ours, theirs = map(parameters, functions(row))
    for name, parameter in theirs.items():
        if (row.twin, name) not in SIGNATURE_DIFFERS:
            assert name in ours
            assert ours[name].kind == parameter.kind
            assert same_default(ours[name].default, parameter.default), name
    by_place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first, second = (
        [p.name for p in both.values() if p.kind is by_place] for both in (ours, theirs)
    )
    assert len(first) == len(second)
    assert first == second or (row.twin, second[1]) in SIGNATURE_DIFFERS


# ---- data ----


@dataclass
class Kind:
    """A kind of random data.

    `named` are the labels of the classes (or the number of labels, of multilabel data), `subsets` what
    to pass as ``labels``, `never_true` and `never_predicted` the classes that do not occur.
    """

    named: Any
    subsets: tuple[Any, ...]
    never_true: tuple[int, ...] = ()
    never_predicted: tuple[int, ...] = ()
    dtype: Any = None

    def __post_init__(self):
        self.multilabel = isinstance(self.named, int)
        self.classes = self.named if self.multilabel else len(self.named)
        self.binary = not self.multilabel and self.classes == 2

    def codes(self, rng, n, missing):
        """Return classes by number, or indicators, without those that are missing."""
        if self.multilabel:
            drawn = rng.random((n, self.classes)) < rng.uniform(0.2, 0.8)
            return drawn & ~np.isin(range(self.classes), missing)
        return rng.choice([k for k in range(self.classes) if k not in missing], n)

    def predicted(self, rng, true):
        wrong = rng.random(true.shape) < 0.4
        wrong |= np.isin(range(self.classes) if self.multilabel else true, self.never_predicted)
        return np.where(wrong, self.codes(rng, len(true), self.never_predicted), true)

    def name(self, codes):
        named = [0, 1] if self.multilabel else self.named
        return np.asarray(named, dtype=self.dtype)[codes.astype(int)]


NAMES = ["ant", "bee", "cat", "dog", "eel"]
FIVE = [0, 1, 2, 3, 4], ([4, 2, 0, 1, 3], [3, 1], [2], [0, 1, 2, 3, 4, 9])
KINDS = {
    "0-1": Kind([0, 1], ([1, 0], [1], [0, 1, 2])),
    "bools": Kind([False, True], ([True, False],)),
    "signed": Kind([-1, 1], ([1, -1],)),
    "floats": Kind([0.0, 1.0], ([1.0, 0.0],)),
    "strings": Kind(["no", "yes"], (["yes", "no"], ["no"])),
    "objects": Kind(["yes", "no"], (["no", "yes"],), dtype=object),
    "1-2": Kind([1, 2], ([2, 1],)),
    "no-positive": Kind([0, 1], ([0, 1],), never_true=(1,)),
    "no-negative": Kind([0, 1], ([0, 1],), never_true=(0,)),
    "never-called": Kind([0, 1], ([0, 1],), never_predicted=(1,)),
    "always-called": Kind(["a", "b"], (["a", "b"],), never_predicted=(0,)),
    "only-negatives": Kind([0, 1], ([0, 1],), never_true=(1,), never_predicted=(1,)),
    "only-positives": Kind([0, 1], ([0, 1],), never_true=(0,), never_predicted=(0,)),
    "three": Kind([0, 1, 2], ([2, 0, 1], [1, 0], [1])),
    "three-strings": Kind(NAMES[:3], (["cat", "ant", "bee"], ["bee"], ["ant", "bee", "zoo"])),
    "five": Kind(*FIVE),
    "five-strings": Kind(NAMES, (NAMES[::-1], ["dog", "bee"]), dtype=object),
    "five-wide": Kind([-7, 0, 3, 10**6, 10**12], ([10**12, 3], [0])),
    "five-one-not-called": Kind(*FIVE, never_predicted=(2,)),
    "five-one-not-true": Kind(*FIVE, never_true=(3,)),
    "five-neither": Kind(NAMES, (NAMES, ["dog", "bee"]), never_true=(3,), never_predicted=(3, 1)),
    "multilabel": Kind(4, ([3, 1, 0, 2], [2, 0], [1])),
    "multilabel-never-true": Kind(4, ([3, 1, 0, 2], [2, 0]), never_true=(2,)),
    "multilabel-never-called": Kind(4, ([3, 1], [2]), never_predicted=(2,)),
    "multilabel-neither": Kind(3, ([2, 1],), never_true=(0,), never_predicted=(0,)),
}
WEIGHTS: list[Callable[..., Any]] = [
    lambda rng, n: None,
    lambda rng, n: rng.uniform(0.1, 3, n),
    lambda rng, n: rng.integers(1, 5, n),
]


def draw(row, kind, rng):
    """Return truth and predictions, or truth and scores, as a classifier of that kind gives them."""
    n = int(rng.integers(12, 60))
    true = kind.codes(rng, n, kind.never_true)
    if row.kind.counted:
        return kind.name(true), kind.name(kind.predicted(rng, true))
    many = not kind.binary and not kind.multilabel
    if many:
        score = rng.random((n, kind.classes)) + 0.5 * np.eye(kind.classes)[true]
        score /= score.sum(axis=1, keepdims=True)
    else:
        score = np.clip(rng.normal(0.4 + 0.2 * true, 0.25), 0, 1)
    if rng.random() < 0.5:  # ties
        score = np.round(score * 8) / 8
    if many:
        score /= score.sum(axis=1, keepdims=True)
    if row.kind.name == "order" and kind.binary and rng.random() < 0.3:
        score = 12 * score - 5  # as of decision_function
    of_columns = row.kind.name in ("probabilities", "columns", "margins")
    if of_columns and kind.binary and rng.random() < 0.5:
        score = np.column_stack([1 - score, score])
    return kind.name(true), score


# ---- arguments ----

ABSENT = object()  # the argument is not passed
ZERO_DIVISION = (ABSENT, 0, 1, np.nan)
GRIDS: dict[str, tuple[Any, ...]] = {
    "zero_division": ZERO_DIVISION, "beta": (0, 0.5, 2, np.inf), "normalize": (True, False),
    "adjusted": (False, True), "weights": (None, "linear", "quadratic"),
    "replace_undefined_by": (ABSENT, 0.0, -1), "max_fpr": (None, 0.3, 1),
    "scale_by_half": (ABSENT, True, False), "k": (1, 2, 3),
}  # fmt: skip


def grid(row, kind):
    """Return the values to try of every parameter that both functions take."""
    ours, theirs = map(parameters, functions(row))
    tried = {name: values for name, values in GRIDS.items() if name in theirs}
    if "average" in theirs:
        binary = ("binary",) if row.kind.counted else ()
        samples = ("samples",) if kind.multilabel else ()
        tried["average"] = (*binary, "macro", "micro", "weighted", *samples, None)
    if "multi_class" in theirs and not (kind.binary or kind.multilabel):
        tried["multi_class"] = ("ovr", "ovo")
    if "pos_label" in theirs and kind.binary:
        tried["pos_label"] = (ABSENT, *kind.named) if kind.named != [1, 2] else kind.named
    if "labels" in theirs:
        named = () if kind.multilabel else (kind.named, kind.named[::-1])
        tried["labels"] = (ABSENT, *(kind.subsets if row.kind.counted else named))
    assert set(tried) <= set(ours)
    return tried


def calls(row, kind, rng):
    """Return some choices of arguments, less those in which one is without effect."""
    tried, found = grid(row, kind), []
    for values in itertools.product(*tried.values()):
        options = {n: v for n, v in zip(tried, values, strict=True) if v is not ABSENT}
        binary = options.get("average") == "binary"
        positive = row.kind.name == "counts" and "pos_label" in options
        if not (positive and not binary) and not (binary and "labels" in options):
            found.append(options)
    rng.shuffle(found)
    return list(itertools.islice(itertools.cycle(found), CALLS))


# ---- values ----


@dataclass(frozen=True)
class Difference:
    """Calls on which the values differ on purpose, and why; `example` is one of them."""

    why: str
    twin: str
    applies: Callable[[Kind, dict[str, Any], Any], bool]
    example: tuple[Any, Any, dict[str, Any]]
    ours: float | str  # a value, or the words of an error


def lacks_a_class(kind, true):
    """Whether a class or label that has scores is nowhere true."""
    if kind.multilabel:
        return not true.any(axis=0).all()
    return len(np.unique(true)) < kind.classes


def out_of_order(labels):
    return list(labels) != sorted(labels)


# Losses of a matrix that scikit-learn took later or with less said.
EARLIER = parse_version(sklearn.__version__) < parse_version("1.8")
LOSSES = ("log_loss",) if EARLIER else (
    "log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score",
)  # fmt: skip
LONE = "scikit-learn takes a lone class for the negative one, whatever labels= names"
MISSING = "a class that has scores and no example leaves an AUC undefined"
THIRDS = np.full((4, 3), 1 / 3)
VALUE_DIFFERS = [
    Difference(
        f"{MISSING}; scikit-learn averages the pairs that there are",
        "roc_auc_score",
        lambda kind, options, true: (
            options.get("multi_class") == "ovo" and lacks_a_class(kind, true)
        ),
        ([0, 0, 1, 1], THIRDS, {"multi_class": "ovo", "labels": [0, 1, 2]}),
        math.nan,
    ),
    *(
        Difference(
            "labels= out of order is an error; scikit-learn warns and takes the columns as sorted",
            loss,
            lambda kind, options, true: out_of_order(options.get("labels", [])),
            ([0, 1, 2, 1], THIRDS, {"labels": [2, 1, 0]}),
            "sorted order",
        )
        for loss in (*LOSSES, "hinge_loss")
    ),
    Difference(
        LONE,
        "hinge_loss",
        lambda kind, options, true: kind.binary and set(true.tolist()) == {kind.named[1]},
        ([1, 1], [0.5, 0.0], {"labels": [0, 1]}),
        0.75,
    ),
]


def differs(row, kind, options, true):
    if EARLIER and row.twin == "median_absolute_error" and "sample_weight" in options:
        return True  # a weighted median between two values is their mean since 1.8
    if EARLIER and row.twin == "d2_log_loss_score" and out_of_order(options.get("labels", [])):
        return True  # an error since 1.8, and here
    lone = len(np.unique(true)) == 1 and row.twin.startswith("d2")
    if lone and (EARLIER or "sample_weight" in options):
        return True  # the loss of a lone class's share is rounding alone
    return any(d.twin == row.twin and d.applies(kind, options, true) for d in VALUE_DIFFERS)


@pytest.mark.parametrize("difference", VALUE_DIFFERS, ids=lambda difference: difference.twin)
def test_difference(difference):
    arrays, options = difference.example[:2], difference.example[2]
    ours, theirs = (getattr(m, difference.twin) for m in (skaucx.metrics, sklearn.metrics))
    expected = value_of_theirs(theirs, arrays, options)
    assert expected is None or np.isfinite(expected)
    if isinstance(difference.ours, str):
        with pytest.raises(ValueError, match=difference.ours):
            ours(*arrays, **options)
        return
    undefined = math.isnan(difference.ours)
    with pytest.warns(UndefinedMetricWarning) if undefined else nullcontext():
        np.testing.assert_equal(ours(*arrays, **options), difference.ours)


def value_of_theirs(function, arrays, options):
    """Return scikit-learn's value, or None where it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arrays, **options)
        except Exception:
            return None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("row", TWINS, ids=lambda row: row.twin)
@each("kind", KINDS)
def test_value(row, kind):
    ours, theirs = functions(row)
    rng = np.random.default_rng(zlib.crc32(f"{row.twin} {kind}".encode()))
    kind = KINDS[kind]
    for options in calls(row, kind, rng):
        arrays = draw(row, kind, rng)
        weight = WEIGHTS[rng.integers(len(WEIGHTS))](rng, len(arrays[0]))
        given = options if weight is None else {**options, "sample_weight": weight}
        expected = value_of_theirs(theirs, arrays, given)
        if expected is None or differs(row, kind, given, arrays[0]):
            continue
        value = ours(*arrays, **given)
        shown = f"{[np.asarray(array).tolist() for array in arrays]} {given}"
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12, err_msg=shown)
        assert np.shape(value) == np.shape(expected)


# ---- probabilities of every type of number, and rows that are none ----


def probabilities_of(dtype, n=40, classes=3):
    """Return labels with rows that sum to one up to the rounding of a type, some at 0 and 1."""
    rng = np.random.default_rng(7)
    table = rng.random((n, classes)).astype(dtype)
    table /= table.sum(axis=1, keepdims=True)
    table[:3] = np.eye(classes)[:3]
    return np.arange(n) % classes, table


FRAMES = {
    "array": np.asarray, "list": list, "pandas": pandas.DataFrame,
    "nullable": lambda table: pandas.DataFrame(table).convert_dtypes(),
    "polars": lambda table: polars.from_numpy(table),
}  # fmt: skip


@each(
    "dtype, kind",
    [
        *itertools.product([np.float32, np.float64], FRAMES),
        *((np.float16, kind) for kind in ("array", "list", "pandas")),
    ],
)
@each("loss", LOSSES)
def test_the_tolerance_is_that_of_the_type_that_came_in(loss, dtype, kind):
    true, table = probabilities_of(dtype)
    theirs = getattr(sklearn.metrics, loss)(true, table)
    ours = getattr(skaucx.metrics, loss)(true, FRAMES[kind](table))
    # scikit-learn computes in the type that came in
    assert ours == pytest.approx(theirs, rel=max(1e-12, 20 * float(np.finfo(dtype).eps)))
    found = evaluate(true, y_score=FRAMES[kind](table), metrics=[loss])
    assert found[loss.removesuffix("_score")] == ours


@each("loss", LOSSES)
@each("table", [np.full((4, 2), 0.4), np.full((4, 3), 0.25)])
def test_rows_that_do_not_sum_to_one_warn_and_give_the_same_value(loss, table):
    true, values = np.arange(4) % table.shape[1], []
    for package in (skaucx.metrics, sklearn.metrics):
        with pytest.warns(UserWarning, match="sum to one"):
            values.append(getattr(package, loss)(true, table))
    assert values[0] == pytest.approx(values[1], rel=1e-12)


@each("loss", LOSSES)
def test_one_label_a_row_of_indicators(loss):
    true, table = probabilities_of(np.float64)
    indicators = np.eye(3, dtype=int)[true]
    ours, theirs = (getattr(package, loss) for package in (skaucx.metrics, sklearn.metrics))
    for options in ({}, {"sample_weight": np.linspace(1, 2, len(true))}):
        value = ours(indicators, table, **options)
        assert value == ours(true, table, **options)
        assert value == pytest.approx(theirs(indicators, table, **options), rel=1e-12)


@each(
    "true, score, labels",
    [
        (["ham", "ham"], [0.1, 0.2], None),
        (["ham", "ham"], [[0.1, 0.9], [0.2, 0.8]], None),
        (["ham", "spam"], [0.1, 0.2], ["eggs", "ham"]),
        ([0, 1, 2], THIRDS[:3], [0, 1]),
        ([0, 1, 2], THIRDS[:3], [0, 1, 3]),
        ([0, 2], THIRDS[:2, :2], [0, 1]),
    ],
)
def test_classes_that_nobody_can_know_are_refused(true, score, labels):
    for package in (skaucx.metrics, *([] if EARLIER else [sklearn.metrics])):
        with pytest.raises(ValueError, match=r"pos_label|label|class"):
            package.log_loss(true, score, labels=labels)


@each("loss, older", [("log_loss", "y_pred"), ("brier_score_loss", "y_prob")])
def test_the_older_name_of_the_probabilities(loss, older):
    function = getattr(skaucx.metrics, loss)
    with pytest.warns(FutureWarning, match="y_proba"):
        assert function([0, 1], **{older: [0.1, 0.8]}) == function([0, 1], y_proba=[0.1, 0.8])


# ---- names ----


def test_every_name_for_classifiers_is_here():
    script = runpy.run_path(str(EXAMPLES / "drop_in_names.py"))
    table = script["table"]()
    assert set(table) == set(sklearn.metrics.__all__)
    assert {kind for kind, _ in table.values()} <= set(script["KINDS"])
    here = {name for name, (kind, _) in table.items() if kind != "not about classifiers"}
    assert here == set(sklearn.metrics.__all__) & set(skaucx.metrics.__all__)
    assert {"auc", "det_curve", "classification_report", "make_scorer"} <= here


def test_every_public_name_of_scikit_learn_imports():
    """The import line of a script can be changed, whatever it imports; other names are unlisted."""
    for name in sklearn.metrics.__all__:
        assert hasattr(skaucx.metrics, name), name
        if name not in skaucx.metrics.__all__:
            assert name not in dir(skaucx.metrics)
    names = ", ".join(sorted(set(sklearn.metrics.__all__) - {"cluster", "pairwise"}))
    exec(f"from skaucx.metrics import {names}", {})
    assert not hasattr(skaucx.metrics, "mean_square_error")


def test_a_name_of_a_later_scikit_learn_says_so(monkeypatch):
    monkeypatch.delitem(vars(skaucx.metrics), "metric_at_thresholds", raising=False)
    here = [name for name in sklearn.metrics.__all__ if name != "metric_at_thresholds"]
    monkeypatch.setattr(sklearn.metrics, "__all__", here)
    with pytest.raises(AttributeError, match=r"since 1\.9; installed is"):
        skaucx.metrics.metric_at_thresholds  # noqa: B018
    with pytest.raises(ImportError, match=r"since 1\.9; installed is"):
        from skaucx.metrics import metric_at_thresholds  # noqa: F401
