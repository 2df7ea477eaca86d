"""The same numbers in every kind of array that holds them, and counts of every size."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference
from tests.closeness import rounding

Y = [0, 1, 1, 0, 1, 0, 1, 1]
PRED = [0, 1, 0, 0, 1, 1, 1, 0]
SCORE = [0.25, 0.5, 0.125, 0.5, 0.75, 0.625, 1.0, 0.0]  # exact in float16


def in_a_memmap(values, dtype, folder):
    path = folder / "values.bin"
    np.asarray(values, dtype=dtype).tofile(path)
    return np.memmap(path, dtype=dtype, mode="r")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_floats_of_any_width(dtype):
    expected = sm.mm7_auc_score(Y, SCORE)
    assert sm.mm7_auc_score(Y, np.asarray(SCORE, dtype=dtype)) == expected
    assert sm.mm7_auc_score(Y, pd.Series(SCORE, dtype=float).astype("Float64")) == expected


def test_read_only_memory_map(tmp_path):
    mapped = in_a_memmap(SCORE, "float32", tmp_path)
    assert sm.mm7_auc_score(Y, mapped) == sm.mm7_auc_score(Y, SCORE)


@pytest.mark.parametrize("kind", ["Int64", "boolean", "category", "UInt8"])
def test_pandas_labels(kind):
    y, pred = (pd.Series(values, dtype="int64").astype(kind) for values in (Y, PRED))
    assert sm.specificity_score(y, pred) == sm.specificity_score(Y, PRED)


def test_categories_of_strings():
    y, pred = (pd.Categorical(np.where(values, "yes", "no")) for values in (Y, PRED))
    assert sm.specificity_score(y, pred, pos_label="yes") == sm.specificity_score(Y, PRED)
    assert sm.specificity_score(y, pred, pos_label="no") == sm.recall_score(Y, PRED)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 4e9, 1e19, 1e200])
def test_counts_of_any_size(scale):
    tp, fp, fn, tn = (scale * count for count in (8, 4, 2, 8))
    found = sm.matthews_corrcoef.from_counts(tp, fp, fn, tn)
    assert found == pytest.approx(56 / np.sqrt(12 * 10 * 12 * 10), rel=rounding(4))
    assert sm.diagnostic_odds_ratio.from_counts(tp, fp, fn, tn) == pytest.approx(8, rel=rounding(4))


class OnDevice:
    """An array that NumPy cannot read, as those of other devices are."""

    def __init__(self, values, method):
        self.values, self.dtype, self.shape = np.asarray(values), np.asarray(values).dtype, (8,)
        self.ndim = 1
        setattr(self, method, lambda *_: self.values)

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self, *_, **__):
        raise TypeError("can't convert a device array to numpy")

    def __len__(self):
        return len(self.values)


class OfJax(OnDevice):
    """An array that NumPy copies itself, and whose ``to_device`` takes no name of a device."""

    def __init__(self, values):
        super().__init__(values, "values")
        self.values = np.asarray(values)

    def to_device(self, device):
        raise ValueError("`jax.device_put` only accepts `None`, `jax.Device`")

    def __array__(self, *_, **__):
        return self.values


def test_arrays_that_numpy_copies():
    assert sm.roc_auc_score(OfJax(Y), OfJax(SCORE)) == sm.roc_auc_score(Y, SCORE)


@pytest.mark.parametrize("method", ["to_device", "cpu", "get"])
def test_arrays_of_other_devices_are_copied(method):
    y, pred, score = (OnDevice(values, method) for values in (Y, PRED, SCORE))
    assert sm.roc_auc_score(y, score) == sm.roc_auc_score(Y, SCORE)
    assert sm.specificity_score(y, pred) == sm.specificity_score(Y, PRED)
    assert sm.brier_score_loss(y, score, sample_weight=score) == sm.brier_score_loss(
        Y, SCORE, sample_weight=SCORE
    )
    found, expected = (
        inference.interval("roc_auc", y, score),
        inference.interval("roc_auc", Y, SCORE),
    )
    assert (found.low, found.high) == (expected.low, expected.high)
    values = evaluation.evaluate(y, pred, score, metrics=["roc_auc", "f1"], groups=y)
    assert dict(values) == dict(evaluation.evaluate(Y, PRED, SCORE, metrics=["roc_auc", "f1"]))
