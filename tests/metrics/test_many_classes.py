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
from tests.metrics.needed import OF_CLASSES, needed_parameters

undefined_ok = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
K, N = 7, 200
LABEL_METRICS = [name for name, function in OF_CLASSES.items() if function.metric.kind.counted]


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


def ways(function):
    """Yield the options of a metric: each average, and chosen labels in any order."""
    own = needed_parameters(function.metric.name)
    if "cost" in own:
        yield {"cost": np.arange(K * K).reshape(K, K)}
        return
    averages = ("macro", "micro", "weighted", None) if "average" in function.options else ()
    for options in [{**own, "average": each} for each in averages] or [own]:
        yield options
        if "labels" in function.options:
            yield {**options, "labels": [4, 0, 2, 6, 1, 3, 5]}
            yield {**options, "labels": [2, 0]}


@pytest.mark.parametrize("name", LABEL_METRICS)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_whole_table(name, weighted, monkeypatch):
    function, (y, pred) = OF_CLASSES[name], rows()
    weight = np.random.default_rng(1).uniform(0.1, 2, N) if weighted else None
    close = rounding(N) if weighted else 0
    for options in ways(function):
        compute = partial(function, y, pred, sample_weight=weight, **options)
        whole, cells = both_ways(monkeypatch, compute)
        np.testing.assert_allclose(cells, whole, rtol=close, atol=close)


def test_a_class_in_nearly_all_rows_leaves_no_rounding():
    """What is left of the whole without it would be all rounding, or below 0."""
    parts = [90, 1, 1, 8]
    weight = np.repeat([0.1, 1e-17, 3e-17, 0.7], parts)
    cells = TableCells(np.repeat([0, 1, 2, 0], parts), np.repeat([0, 2, 2, 1], parts), weight, 3)
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


CALLS = {
    "f1_score": lambda *rows: sm.f1_score(*rows, average="macro"),
    "accuracy": sm.accuracy_score,
    "mcc": sm.matthews_corrcoef,
    "kappa": sm.cohen_kappa_score,
    "hamming": sm.hamming_loss,
    "labels": lambda *rows: sm.recall_score(*rows, average="macro", labels=np.arange(100)),
    "evaluate": evaluate,
    "interval of each class": lambda *rows: inference.interval("f1", *rows, average=None),
    **{
        f"interval of {name}": partial(inference.interval, name, n_resamples=100)
        for name in ("balanced_accuracy", "f1_macro", "mcc", "cohen_kappa", "accuracy")
    },
}


@undefined_ok
@pytest.mark.parametrize("call", CALLS)
def test_three_thousand_classes_take_no_table(call):
    y, pred = rows(3000, 30_000)
    tracemalloc.start()
    CALLS[call](y, pred)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 2


@undefined_ok
def test_a_hundred_thousand_classes_have_values():
    """A table of theirs, of 80 GB, would not fit."""
    y, pred = rows(200_000, 200_000)
    assert 0 < sm.f1_score(y, pred, average="macro") < 1
    found = inference.interval("f1", y, pred, average="macro", n_resamples=10, random_state=0)
    assert np.isnan(found.low)  # a class of two rows is often missing among those drawn again
    assert "undefined on 10 of 10 resamples" in found.note
    with pytest.raises(ValueError, match="classes, and the table of all pairs"):
        cramer_v(y, pred)
