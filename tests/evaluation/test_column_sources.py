"""Columns of every library, in a metric, in an interval, in evaluate and as its data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import f1_score, roc_auc_score

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


@pytest.mark.parametrize("form", FRAMES)
def test_frames(form):
    frame = FRAMES[form]()
    found = evaluate("true", y_score="score", data=frame, metrics=["roc_auc"])
    assert found["roc_auc"] == AUC
    found = evaluate("word", "called", data=frame, metrics=["f1"], pos_label="ill")
    assert found["f1"] == F1
    ask = {"metrics": ["brier_score_loss"]}
    grouped = evaluate("true", y_score="score", data=frame, by=["word", "called"], **ask)
    wanted = {name: COLUMNS[name] for name in ("word", "called")}
    assert grouped == evaluate(TRUE, y_score=SCORE, by=wanted, **ask)
    ask |= {"intervals": True, "random_state": 0}
    found = evaluate("true", y_score="score", data=frame, groups="score", **ask)
    assert str(found) == str(evaluate(TRUE, y_score=SCORE, groups=SCORE, **ask))


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_files(form, tmp_path):
    """A file is read as its columns; labels that are not safely numbers stay text."""
    frame = pd.DataFrame({**COLUMNS, "code": np.where(TRUE, "01", "1"), "cost": SCORE + 0.5})
    path = tmp_path / f"rows.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, float_format="%.4f")
    found = evaluate("true", y_score="score", data=path, metrics=["roc_auc"])
    assert found["roc_auc"] == AUC
    assert evaluate("code", y_score="score", data=str(path), pos_label="01")["roc_auc"] == AUC
    given = {"metrics": ["example_cost_loss"]}
    costs = np.column_stack([SCORE, SCORE + 0.5])
    found = evaluate("true", "true", data=path, example_costs=["score", "cost"], **given)
    assert found == evaluate(TRUE, TRUE, example_costs=costs, **given)
    found = evaluate("score", "cost", data=path, metrics=["r2"])
    assert found["r2"] == evaluate(SCORE, SCORE + 0.5, metrics=["r2"])["r2"]
    with pytest.raises(ValueError, match="no column 'p'; its columns are true, score"):
        evaluate("true", y_score="p", data=path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"true": TRUE}], "found list"),
        (iter([{"true": TRUE}]), "found list_iterator"),
        (pl.DataFrame(COLUMNS).lazy(), "found LazyFrame"),
        (COLUMNS, r"y_score must be the name of a column"),
    ],
)
def test_bad_data(data, message):
    with pytest.raises(TypeError, match=message):
        evaluate("true", y_score=SCORE if data is COLUMNS else "score", data=data)
    with pytest.raises(ValueError, match="no column 'p'; its columns are true, score"):
        evaluate("true", y_score="p", data=COLUMNS)
    with pytest.raises(FileNotFoundError, match="no such file"):
        evaluate("true", y_score="p", data="nothing.csv")
