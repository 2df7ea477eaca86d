"""The same numbers in every kind of array that holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference

Y = [0, 1, 1, 0, 1, 0, 1, 1]
SCORE = [0.25, 0.5, 0.125, 0.5, 0.75, 0.625, 1.0, 0.0]  # exact in float16


def in_a_memmap(values, dtype, folder):
    path = folder / "values.bin"
    np.asarray(values, dtype=dtype).tofile(path)
    return np.memmap(path, dtype=dtype, mode="r")


def test_read_only_memory_map(tmp_path):
    mapped = in_a_memmap(SCORE, "float32", tmp_path)
    assert sm.mm7_auc_score(Y, mapped) == sm.mm7_auc_score(Y, SCORE)


N = 40
RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 2, N)
TEXT = np.where(TRUE, "yes", "no")
HALVES = RNG.integers(0, 64, N) / 64  # exact in float32
LABELS = {
    "Int64": lambda pa: pd.Series(TRUE, dtype="Int64"),
    "array of Int64": lambda pa: pd.array(TRUE, dtype="Int64"),
    "boolean": lambda pa: pd.Series(TRUE == 1, dtype="boolean"),
    "Float64": lambda pa: pd.Series(TRUE, dtype="Float64"),
    "int64[pyarrow]": lambda pa: pd.Series(TRUE, dtype="int64[pyarrow]"),
    "bool[pyarrow]": lambda pa: pd.Series(TRUE == 1, dtype="bool[pyarrow]"),
    "string[pyarrow]": lambda pa: pd.Series(TEXT, dtype="string[pyarrow]"),
    "dictionary[pyarrow]": lambda pa: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(TEXT).dictionary_encode()]))
    ),
    "category": lambda pa: pd.Series(TEXT).astype("category"),
    "polars": lambda pa: pl.Series(TRUE),
    "polars boolean": lambda pa: pl.Series(TRUE == 1),
    "polars categorical": lambda pa: pl.Series(TEXT).cast(pl.Categorical),
    "polars enumeration": lambda pa: pl.Series(TEXT).cast(pl.Enum(["no", "yes"])),
    "arrow": lambda pa: pa.array(TRUE),
    "arrow bits": lambda pa: pa.array(TRUE == 1),
    "arrow dictionary": lambda pa: pa.array(TEXT).dictionary_encode(),
    "arrow chunks": lambda pa: pa.chunked_array([TEXT[:9], TEXT[9:]]).dictionary_encode(),
    "arrow view": lambda pa: pa.array(TEXT).cast(pa.string_view()),
}
NUMBERS = {
    "Float64": lambda pa: pd.Series(HALVES, dtype="Float64"),
    "Float32": lambda pa: pd.Series(HALVES, dtype="Float32"),
    "float[pyarrow]": lambda pa: pd.Series(HALVES, dtype="float[pyarrow]"),
    "polars": lambda pa: pl.Series(HALVES).cast(pl.Float32), "arrow": lambda pa: pa.array(HALVES),
    "arrow chunks": lambda pa: pa.chunked_array([HALVES[:9], HALVES[9:]]),
}  # fmt: skip


@pytest.mark.parametrize("kind", LABELS)
def test_labels_and_groups_of_any_library(kind):
    true = LABELS[kind](pytest.importorskip("pyarrow"))
    assert sm.roc_auc_score(true, HALVES) == sm.roc_auc_score(TRUE, HALVES)
    assert sm.accuracy_score(true, true) == 1
    options = {"y_score": HALVES, "metrics": ["brier_score_loss"]}
    found = evaluation.evaluate(TRUE, by={"side": true}, groups=true, **options)
    wanted = evaluation.evaluate(TRUE, by={"side": TRUE}, groups=TRUE, **options)
    assert [dict(each) for each in found.values()] == [dict(each) for each in wanted.values()]


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_and_weights_of_any_library(kind):
    score = NUMBERS[kind](pytest.importorskip("pyarrow"))
    assert sm.brier_score_loss(TRUE, score) == sm.brier_score_loss(TRUE, HALVES)
    weighted = sm.roc_auc_score(TRUE, TRUE - HALVES, sample_weight=score)
    assert weighted == sm.roc_auc_score(TRUE, TRUE - HALVES, sample_weight=HALVES)
    found = inference.interval("roc_auc", TRUE, score)
    assert found.low == inference.interval("roc_auc", TRUE, HALVES).low


MISSING = {
    "Int64": lambda pa: pd.Series([1, None, 0, 1], dtype="Int64"),
    "boolean": lambda pa: pd.Series([True, None, False, True], dtype="boolean"),
    "int64[pyarrow]": lambda pa: pd.Series([1, None, 0, 1], dtype="int64[pyarrow]"),
    "string[pyarrow]": lambda pa: pd.Series(["a", None, "b", "b"], dtype="string[pyarrow]"),
    "category": lambda pa: pd.Categorical(["a", None, "b", "b"]),
    "polars": lambda pa: pl.Series([1, None, 0, 1]),
    "polars categorical": lambda pa: pl.Series(["a", None, "b", "b"]).cast(pl.Categorical),
    "arrow": lambda pa: pa.array([1, None, 0, 1]),
    "arrow bits": lambda pa: pa.array([True, None, False, True]),
}  # fmt: skip


@pytest.mark.parametrize("kind", MISSING)
def test_missing_labels_and_groups_of_any_library_are_named(kind):
    values = MISSING[kind](pytest.importorskip("pyarrow"))
    score = [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(ValueError, match=r"y_true.* 1 of 4 rows"):
        sm.accuracy_score(values, values)
    with pytest.raises(ValueError, match=r"1 of 4 rows"):
        evaluation.evaluate([0, 1, 0, 1], y_score=score, by={"side": values})


@pytest.mark.parametrize("n", [40, 2000, 50_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_single_precision_says_what_its_double_says(n, sign):
    rng = np.random.default_rng(n)
    truth, weight = rng.random(n) < 0.3, rng.random(n)
    narrow = (sign * rng.random(n).round(5)).astype(np.float32)
    wide = narrow.astype(np.float64)
    ask = {"metrics": ["roc_auc", "mm7_auc", "soft_auc", "average_precision"], "rescale": "expit"}
    for given in ({}, {"sample_weight": weight}):
        found = [evaluation.evaluate(truth, y_score=s, **ask, **given) for s in (narrow, wide)]
        assert dict(found[0]) == dict(found[1])
        assert sm.roc_auc_score(truth, narrow, **given) == sm.roc_auc_score(truth, wide, **given)
    curves = [sm.roc_curve(truth, s) for s in (narrow, wide)]
    np.testing.assert_array_equal(curves[0].thresholds, curves[1].thresholds)
    one, other = (inference.interval("roc_auc", truth, s) for s in (narrow, wide))
    assert (one.low, one.high) == (other.low, other.high)
