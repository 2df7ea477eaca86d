"""Columns of frames and files of every library, in evaluate; arrays are tested with the metrics."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skaucx.evaluation import evaluate
from skaucx.metrics import f1_score, roc_auc_score
from tests.datasets import words

pa = pytest.importorskip("pyarrow")

TRUE, SCORE = (words.y == "ill").astype(int), words.score
COLUMNS = {"true": TRUE, "score": SCORE, "word": words.y, "called": words.pred}
AUC = roc_auc_score(TRUE, SCORE)


def exported(values, *protocols):
    """Return what has some of the protocols of values only, as methods of its type."""

    def of(name):
        return lambda self, *given, **options: getattr(values, name)(*given, **options)

    names = ["__len__", *(f"__{protocol}__" for protocol in protocols)]
    return type("Exported", (), {name: of(name) for name in names})()


def each_column(form):
    return {name: form(values) for name, values in COLUMNS.items()}


FRAMES = {
    "__arrow_c_array__": lambda: exported(pa.record_batch(COLUMNS), "arrow_c_array"),
    "__arrow_c_stream__": lambda: exported(pa.table(COLUMNS), "arrow_c_stream"),
    "pandas": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "pyarrow": lambda: pa.table(each_column(lambda values: pa.array(values).dictionary_encode())),
}


def test_an_array_that_only_exports_itself():
    true, score = (exported(values, "dlpack", "dlpack_device") for values in (TRUE, SCORE))
    assert roc_auc_score(true, score) == AUC
    assert evaluate(true, y_score=score, metrics=["roc_auc"])["roc_auc"] == AUC


@pytest.mark.parametrize("form", FRAMES)
def test_frames(form):
    frame = FRAMES[form]()
    assert evaluate("true", y_score="score", data=frame, metrics=["roc_auc"])["roc_auc"] == AUC
    found = evaluate("word", "called", data=frame, metrics=["f1"], pos_label="ill")
    assert found["f1"] == f1_score(words.y, words.pred, pos_label="ill")
    ask = {"metrics": ["brier_score_loss"]}
    grouped = evaluate("true", y_score="score", data=frame, by=["word", "called"], **ask)
    by = {name: COLUMNS[name] for name in ("word", "called")}
    assert grouped == evaluate(TRUE, y_score=SCORE, by=by, **ask)
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
    ("data", "score", "message"),
    [
        ([{"true": TRUE}], "score", "found list"),
        (iter([{"true": TRUE}]), "score", "found list_iterator"),
        (pl.DataFrame(COLUMNS).lazy(), "score", "found LazyFrame"),
        (COLUMNS, SCORE, "y_score must be the name of a column"),
    ],
)
def test_bad_data(data, score, message):
    with pytest.raises(TypeError, match=message):
        evaluate("true", y_score=score, data=data)
