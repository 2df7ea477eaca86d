"""Tables of many classes are read by the cells that hold examples, with the values of whole tables."""

from __future__ import annotations

import tracemalloc
import warnings
from functools import partial

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import inference
from skaucx.evaluation import evaluate
from skaucx.metrics._kinds import labels
from skaucx.metrics._records.counts import Counts, TableCells
from skaucx.metrics.association import cramer_v
from tests.closeness import rounding
from tests.metrics.needed import needed_parameters
from tests.metrics.of_classes import OF_CLASSES

K, N = 7, 200
LABEL_METRICS = [name for name, function in OF_CLASSES.items() if function.metric.kind.counted]
WEIGHTS = [None, np.random.default_rng(1).uniform(0.1, 2, N)]


def rows(k=K, n=N, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n) // 2  # half of the classes are predicted only
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(0, k, n))


def both_ways(monkeypatch, compute):
    """Return what is found of whole tables, and of cells."""
    found = []
    for most in (10**6, 2):
        monkeypatch.setattr(labels, "_MANY_CLASSES", most)
        with warnings.catch_warnings(action="ignore"):
            found.append(compute())
    return found


def ways(name):
    """Return the options of a metric, one set an average."""
    function = OF_CLASSES[name]
    needed = {"cost": np.arange(K * K).reshape(K, K)} if name == "expected_cost" else {}
    own = {**needed_parameters(name), **needed}
    if "average" not in function.options:
        return [own]
    return [{**own, "average": each} for each in ("macro", "micro", "weighted", None)]


@pytest.mark.parametrize("name", LABEL_METRICS)
@pytest.mark.parametrize("weight", WEIGHTS, ids=["rows", "weighted"])
def test_values_are_those_of_the_whole_table(name, weight, monkeypatch):
    function, (y, pred) = OF_CLASSES[name], rows()
    for options in ways(name):
        named = [None, [4, 0, 2, 6, 1, 3, 5], [2, 0]] if "labels" in function.options else [None]
        for chosen in named if name != "expected_cost" else [None]:
            given = {**options, "sample_weight": weight} | ({"labels": chosen} if chosen else {})
            whole, cells = both_ways(monkeypatch, partial(function, y, pred, **given))
            if weight is None:
                np.testing.assert_array_equal(cells, whole)
            else:
                np.testing.assert_allclose(cells, whole, rtol=rounding(N), atol=rounding(N))


def test_a_class_in_nearly_all_rows_leaves_no_rounding():
    """What is left of the whole without it would be all rounding, or below 0."""
    weight = np.r_[np.full(90, 0.1), [1e-17, 3e-17], np.full(8, 0.7)]
    true, pred = (
        np.r_[np.zeros(90, int), [1, 2], np.zeros(8, int)],
        np.r_[np.zeros(90, int), 2, 2, [1] * 8],
    )
    cells = TableCells(true, pred, weight, 3)
    found, expected = cells.one_vs_rest, Counts.one_vs_rest(cells.table)
    for own, other in zip(found.cells, expected.cells, strict=True):
        np.testing.assert_allclose(own, other, rtol=rounding(100))
    assert found.tn[0] == pytest.approx(4e-17, rel=1e-15)


@pytest.mark.parametrize("metric", ["f1", "specificity"])
def test_intervals_of_each_class_are_those_of_its_own_table(metric, monkeypatch):
    y, pred = rows()
    for labels_ in (None, [2, 0]):
        compute = partial(inference.interval, metric, y, pred, average=None, labels=labels_)
        whole, cells = both_ways(monkeypatch, compute)
        for side in ("low", "high", "standard_error"):
            np.testing.assert_allclose(getattr(cells, side), getattr(whole, side), rtol=1e-9)
        if labels_ is None:
            alone = inference.interval(metric, y == 2, pred == 2)
            assert cells.standard_error[2] == pytest.approx(alone.standard_error, rel=1e-9)


def peak_of(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_three_thousand_classes_take_no_table():
    y, pred = rows(3000, 30_000)
    calls = {
        "f1_score": lambda: sm.f1_score(y, pred, average="macro"),
        "accuracy": lambda: sm.accuracy_score(y, pred),
        "mcc": lambda: sm.matthews_corrcoef(y, pred),
        "kappa": lambda: sm.cohen_kappa_score(y, pred),
        "hamming": lambda: sm.hamming_loss(y, pred),
        "labels": lambda: sm.recall_score(y, pred, average="macro", labels=np.arange(100)),
        "evaluate": lambda: evaluate(y, pred),
        **{
            f"interval of {name}": lambda name=name: inference.interval(name, y, pred)
            for name in ("balanced_accuracy", "f1_macro", "mcc", "cohen_kappa", "accuracy")
        },
        "interval of each class": lambda: inference.interval("f1", y, pred, average=None),
    }
    table = 8 * 3000**2
    peaks = {name: peak_of(call) for name, call in calls.items()}
    assert {name: peak for name, peak in peaks.items() if peak > table / 2} == {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_hundred_thousand_classes_have_values():
    """A table of theirs, of 80 GB, would not fit."""
    y, pred = rows(200_000, 400_000)
    assert 0 < sm.f1_score(y, pred, average="macro") < 1
    found = inference.interval("f1", y, pred, average="macro", n_resamples=20, random_state=0)
    assert np.isnan(found.low)  # a class of two rows is often missing among those drawn again
    assert "undefined on 20 of 20 resamples" in found.note
    with pytest.raises(ValueError, match="classes, and the table of all pairs"):
        cramer_v(y, pred)
