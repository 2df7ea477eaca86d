"""Changing the import line is enough: same signature and values as scikit-learn's, name by name.

For every name that scikit-learn has too, over random labels and scores of many kinds, with and without
weights, and over all arguments that both take. Where scikit-learn raises, nothing is compared; where
it warns, its value is. Deliberate differences stand in `SIGNATURE_DIFFERS` and `VALUE_DIFFERS`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics
from skaucx.metrics import list_metrics

TWINS = [row for row in list_metrics() if row.twin]
FEWEST_CALLS = 24  # of a twin on one kind of data


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
}


def same_default(ours, theirs):
    both_nan = all(isinstance(value, float) and math.isnan(value) for value in (ours, theirs))
    return both_nan or (type(ours) is type(theirs) and ours == theirs)


@pytest.mark.parametrize("row", TWINS, ids=lambda row: row.twin)
def test_signature(row, tally):
    ours, theirs = map(parameters, functions(row))
    for name, parameter in theirs.items():
        tally["parameters of twins, compared"] += 1
        if (row.twin, name) in SIGNATURE_DIFFERS:
            continue
        assert name in ours
        assert ours[name].kind == parameter.kind
        assert same_default(ours[name].default, parameter.default), name


@pytest.mark.parametrize("row", TWINS, ids=lambda row: row.twin)
def test_arrays_are_passed_alike(row):
    ours, theirs = (list(parameters(function).values()) for function in functions(row))
    places = [
        [p.name for p in both if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        for both in (ours, theirs)
    ]
    assert len(places[0]) == len(places[1])
    assert places[0] == places[1] or (row.twin, places[1][1]) in SIGNATURE_DIFFERS


def test_default_of_pos_label_differs_only_where_theirs_is_1():
    for row in TWINS:
        ours = parameters(functions(row)[0]).get("pos_label")
        assert not default_is_one(row) or ours.default is None


# ---- data ----


@dataclass(frozen=True)
class Kind:
    """A kind of random data.

    `named` are the labels of the classes (or the number of labels, of multilabel data), `positive` the
    positive classes to ask for, `subsets` what to pass as ``labels``, `never_true` and `never_predicted`
    the classes that do not occur.
    """

    named: Any
    positive: tuple[Any, ...] = ()
    subsets: tuple[Any, ...] = ()
    never_true: tuple[int, ...] = ()
    never_predicted: tuple[int, ...] = ()
    dtype: Any = None

    @property
    def multilabel(self) -> bool:
        return isinstance(self.named, int)

    @property
    def classes(self) -> int:
        return self.named if self.multilabel else len(self.named)

    @property
    def binary(self) -> bool:
        return not self.multilabel and self.classes == 2

    def draw_codes(self, rng, n, missing=()):
        return rng.choice([k for k in range(self.classes) if k not in missing], n)

    def truth(self, rng, n):
        if self.multilabel:
            y = rng.random((n, self.classes)) < rng.uniform(0.2, 0.8, self.classes)
            y[:, list(self.never_true)] = False
            return y.astype(int)
        return self.draw_codes(rng, n, self.never_true)

    def prediction(self, rng, true):
        if self.multilabel:
            pred = np.where(rng.random(true.shape) < 0.3, 1 - true, true)
            pred[:, list(self.never_predicted)] = 0
            return pred
        other = self.draw_codes(rng, len(true), self.never_predicted)
        wrong = np.isin(true, self.never_predicted) | (rng.random(len(true)) < 0.4)
        return np.where(wrong, other, true)

    def name(self, codes):
        return codes if self.multilabel else np.asarray(self.named, dtype=self.dtype)[codes]


NAMES = ["ant", "bee", "cat", "dog", "eel"]
FIVE_SUBSETS = ([4, 2, 0, 1, 3], [3, 1], [2], [0, 1, 2, 3, 4, 9])
KINDS = {
    "0-1": Kind([0, 1], (0, 1), ([1, 0], [1], [0, 1, 2])),
    "bools": Kind([False, True], (True, False), ([True, False],)),
    "signed": Kind([-1, 1], (1, -1), ([1, -1],)),
    "floats": Kind([0.0, 1.0], (1, 0), ([1.0, 0.0],)),
    "strings": Kind(["no", "yes"], ("yes", "no"), (["yes", "no"], ["no"])),
    "objects": Kind(["yes", "no"], ("yes", "no"), (["no", "yes"],), dtype=object),
    "1-2": Kind([1, 2], (1, 2), ([2, 1],)),
    "no-positive": Kind([0, 1], (0, 1), ([0, 1],), never_true=(1,)),
    "no-negative": Kind([0, 1], (0, 1), ([0, 1],), never_true=(0,)),
    "never-called": Kind([0, 1], (0, 1), ([0, 1],), never_predicted=(1,)),
    "always-called": Kind(["a", "b"], ("a", "b"), (["a", "b"],), never_predicted=(0,)),
    "only-negatives": Kind([0, 1], (0, 1), ([0, 1],), never_true=(1,), never_predicted=(1,)),
    "only-positives": Kind([0, 1], (0, 1), ([0, 1],), never_true=(0,), never_predicted=(0,)),
    "three": Kind([0, 1, 2], (), ([2, 0, 1], [1, 0], [1])),
    "three-strings": Kind(NAMES[:3], (), (["cat", "ant", "bee"], ["bee"], ["ant", "bee", "zoo"])),
    "five": Kind([0, 1, 2, 3, 4], (), FIVE_SUBSETS),
    "five-strings": Kind(NAMES, (), (NAMES[::-1], ["dog", "bee"]), dtype=object),
    "five-wide": Kind([-7, 0, 3, 10**6, 10**12], (), ([10**12, 3], [0])),
    "five-one-not-called": Kind([0, 1, 2, 3, 4], (), FIVE_SUBSETS, never_predicted=(2,)),
    "five-one-not-true": Kind([0, 1, 2, 3, 4], (), FIVE_SUBSETS, never_true=(3,)),
    "five-neither": Kind(
        NAMES, (), (NAMES, ["dog", "bee"]), never_true=(3,), never_predicted=(3, 1)
    ),
    "multilabel": Kind(4, (), ([3, 1, 0, 2], [2, 0], [1])),
    "multilabel-never-true": Kind(4, (), ([3, 1, 0, 2], [2, 0]), never_true=(2,)),
    "multilabel-never-called": Kind(4, (), ([3, 1], [2]), never_predicted=(2,)),
    "multilabel-neither": Kind(3, (), ([2, 1],), never_true=(0,), never_predicted=(0,)),
}
WEIGHTS: list[Callable[..., Any]] = [
    lambda rng, n: None,
    lambda rng, n: rng.uniform(0.1, 3, n),
    lambda rng, n: rng.integers(1, 5, n),
]


def draw(row, kind, rng):
    """Return truth and predictions, or truth and scores, as a classifier of that kind gives them."""
    n = int(rng.integers(12, 60))
    true = kind.truth(rng, n)
    if row.reads_labels:
        return kind.name(true), kind.name(kind.prediction(rng, true))
    if kind.binary or kind.multilabel:
        score = np.clip(rng.normal(0.4 + 0.2 * true, 0.25), 0, 1)
    else:
        score = rng.random((n, kind.classes)) + 0.5 * np.eye(kind.classes)[true]
        score /= score.sum(axis=1, keepdims=True)
    if rng.random() < 0.5:  # ties; rows still sum to one
        score = np.round(score * 8)
        if score.ndim == 2 and not kind.multilabel:
            score[:, 0] += 8 - score.sum(axis=1)
            score = np.clip(score, 0, None)
            score /= score.sum(axis=1, keepdims=True)
        else:
            score /= 8
    if row.reads == "order" and kind.binary and rng.random() < 0.3:
        score = 12 * score - 5  # as of decision_function
    if row.reads == "probabilities" and kind.binary and rng.random() < 0.5:
        score = np.column_stack([1 - score, score])
    return kind.name(true), score


# ---- arguments ----

ABSENT = object()  # the argument is not passed
ZERO_DIVISION = (ABSENT, 0, 1, np.nan)
GRIDS: dict[str, tuple[Any, ...]] = {
    "zero_division": ZERO_DIVISION,
    "beta": (0.5, 2),
    "normalize": (True, False),
    "adjusted": (False, True),
    "weights": (None, "linear", "quadratic"),
    "replace_undefined_by": (ABSENT, 0.0, -1),
    "max_fpr": (None, 0.3, 1),
    "scale_by_half": (ABSENT, True, False),
}


def grid(row, kind):
    """Return the values to try of every parameter that both functions take."""
    ours, theirs = map(parameters, functions(row))
    tried = {name: values for name, values in GRIDS.items() if name in theirs}
    if "average" in theirs:
        binary = ("binary",) if row.reads_labels else ()
        samples = ("samples",) if kind.multilabel else ()
        tried["average"] = (*binary, "macro", "micro", "weighted", *samples, None)
    if "multi_class" in theirs and not (kind.binary or kind.multilabel):
        tried["multi_class"] = ("ovr", "ovo")
    if "pos_label" in theirs and kind.binary:
        tried["pos_label"] = (ABSENT, *kind.positive) if kind.named != [1, 2] else kind.positive
    if "labels" in theirs:
        named = () if kind.multilabel else (kind.named, kind.named[::-1])
        tried["labels"] = (ABSENT, *(kind.subsets if row.reads_labels else named))
    assert set(tried) <= set(ours)
    return tried


def choices(row, kind):
    """Yield every combination of arguments, less those in which one is without effect."""
    tried = grid(row, kind)
    for values in itertools.product(*tried.values()):
        options = {n: v for n, v in zip(tried, values, strict=True) if v is not ABSENT}
        if options.get("average") != "binary" and row.reads == "counts" and "pos_label" in options:
            continue
        if options.get("average") == "binary" and "labels" in options:
            continue
        yield options


def calls(row, kind):
    """Return all choices, and all again, up to the fewest calls."""
    all_choices = list(choices(row, kind))
    return all_choices * math.ceil(FEWEST_CALLS / len(all_choices))


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


LOSSES = ("log_loss", "brier_score_loss")
MISSING = "a class that has scores and no example leaves an AUC undefined"
INDICATORS = "a loss of probabilities judges one target, not multilabel indicators"
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
    Difference(
        f"{MISSING}; scikit-learn leaves it out of a weighted average",
        "roc_auc_score",
        lambda kind, options, true: (
            options["average"] == "weighted" and not kind.binary and lacks_a_class(kind, true)
        ),
        ([[1, 0], [0, 0], [0, 0]], [[0.5, 0.1], [0.2, 0.2], [0.3, 0.3]], {"average": "weighted"}),
        math.nan,
    ),
    *(
        Difference(
            INDICATORS,
            loss,
            lambda kind, options, true: kind.multilabel,
            ([[1, 0], [0, 1]], [[0.5, 0.5], [0.2, 0.8]], {}),
            "multilabel",
        )
        for loss in LOSSES
    ),
    *(
        Difference(
            "labels= out of order is an error; scikit-learn warns and takes the columns as sorted",
            loss,
            lambda kind, options, true: out_of_order(options.get("labels", [])),
            ([0, 1, 2, 1], THIRDS, {"labels": [2, 1, 0]}),
            "sorted order",
        )
        for loss in LOSSES
    ),
]


def differs(row, kind, options, true):
    return any(d.twin == row.twin and d.applies(kind, options, true) for d in VALUE_DIFFERS)


@pytest.mark.parametrize("difference", VALUE_DIFFERS, ids=lambda difference: difference.twin)
def test_difference(difference):
    first, second, options = difference.example
    ours, theirs = (
        getattr(module, difference.twin) for module in (skaucx.metrics, sklearn.metrics)
    )
    expected = value_of_theirs(theirs, (first, second), options)
    if isinstance(difference.ours, str):
        with pytest.raises(ValueError, match=difference.ours):
            ours(first, second, **options)
    else:
        with pytest.warns(UndefinedMetricWarning):
            value = ours(first, second, **options)
        np.testing.assert_equal(value, difference.ours)
    assert expected is None or np.isfinite(expected)


def value_of_theirs(function, arrays, options):
    """Return scikit-learn's value, or None where it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arrays, **options)
        except Exception:
            return None


def shown(arrays, options):
    listed = ", ".join(str(np.asarray(array).tolist()) for array in arrays)
    return f"({listed}, **{options})"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", TWINS, ids=lambda row: row.twin)
def test_value(row, kind, tally):
    ours, theirs = functions(row)
    rng = np.random.default_rng(zlib.crc32(f"{row.twin} {kind}".encode()))
    kind = KINDS[kind]
    for options in calls(row, kind):
        arrays = draw(row, kind, rng)
        weight = WEIGHTS[rng.integers(len(WEIGHTS))](rng, len(arrays[0]))
        given = options if weight is None else {**options, "sample_weight": weight}
        expected = value_of_theirs(theirs, arrays, given)
        if expected is None or differs(row, kind, given, arrays[0]):
            tally["calls of twins, not compared"] += 1
            continue
        value = ours(*arrays, **given)
        tally["calls of twins, compared"] += 1
        np.testing.assert_allclose(
            value, expected, rtol=1e-12, atol=1e-12, err_msg=shown(arrays, given)
        )
        assert np.shape(value) == np.shape(expected)
