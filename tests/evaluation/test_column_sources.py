"""Columns of every library, in a metric, in an interval, in evaluate and as its data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import f1_score, roc_auc_score
from tests.annexes import needs

pa = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 2, 60)
SCORE = np.round(0.3 * TRUE + 0.6 * RNG.random(60), 3)
COLUMNS = {
    "true": TRUE,
    "score": SCORE,
    "word": np.where(TRUE, "ill", "well"),
    "called": np.where(SCORE > 0.5, "ill", "well"),
}


def exported(values, *protocols):
    """Return what has some of the protocols of values only, as methods of its type."""

    def of(name):
        return lambda self, *given, **options: getattr(values, name)(*given, **options)

    names = ["__len__", *(f"__{protocol}__" for protocol in protocols)]
    return type("Exported", (), {name: of(name) for name in names})()


def parted(values):
    return pa.chunked_array([values[:25], values[25:]])


def texts(form):
    return lambda values: form(values) if values.dtype.kind == "U" else values


ARRAYS = {
    "__arrow_c_array__": lambda values: exported(pa.array(values), "arrow_c_array"),
    "__arrow_c_stream__": lambda values: exported(parted(values), "arrow_c_stream"),
    "__dlpack__": lambda values: (
        values if values.dtype.kind == "U" else exported(values, "dlpack", "dlpack_device")
    ),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas Arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": texts(lambda values: pd.Series(values).astype("category")),
    "polars": pl.Series,
    "polars categories": texts(lambda values: pl.Series(values).cast(pl.Categorical)),
    "polars enumeration": texts(lambda values: pl.Series(values).cast(pl.Enum(["ill", "well"]))),
    "pyarrow": parted,
    "pyarrow dictionary": texts(lambda values: pa.array(values).dictionary_encode()),
}
FRAMES = {
    "__arrow_c_array__": lambda: exported(pa.record_batch(COLUMNS), "arrow_c_array"),
    "__arrow_c_stream__": lambda: exported(pa.table(COLUMNS), "arrow_c_stream"),
    "pandas": lambda: pd.DataFrame({k: ARRAYS["pandas Arrow"](v) for k, v in COLUMNS.items()}),
    "polars": lambda: pl.DataFrame({k: ARRAYS["polars categories"](v) for k, v in COLUMNS.items()}),
    "pyarrow": lambda: pa.table({k: ARRAYS["pyarrow dictionary"](v) for k, v in COLUMNS.items()}),
}


AUC = roc_auc_score(TRUE, SCORE)
F1 = f1_score(COLUMNS["word"], COLUMNS["called"], pos_label="ill")
INTERVAL = repr(interval(roc_auc_score, TRUE, SCORE))


@pytest.mark.parametrize("form", ARRAYS)
def test_arrays(form):
    true, score, word, called = map(ARRAYS[form], COLUMNS.values())
    assert roc_auc_score(true, score) == AUC
    assert f1_score(word, called, pos_label="ill") == F1
    assert repr(interval(roc_auc_score, true, score)) == INTERVAL
    found = evaluate(true, y_score=score, by=word, metrics=["roc_auc"])
    assert found.overall["roc_auc"] == AUC
    assert list(found) == ["ill", "well"]


@needs("scale")
@pytest.mark.parametrize("form", FRAMES)
@pytest.mark.parametrize("chunks", [False, True])
def test_frames(form, chunks):
    def data():
        frame = FRAMES[form]()
        return [frame] if chunks else frame

    found = evaluate("true", y_score="score", data=data(), metrics=["roc_auc"])
    assert found["roc_auc"] == pytest.approx(AUC, rel=1e-13)
    found = evaluate("word", "called", data=data(), metrics=["f1"], pos_label="ill")
    assert found["f1"] == pytest.approx(F1, rel=1e-13)
