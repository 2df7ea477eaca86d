"""The recipes of the guide for engines that hand out batches."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skaucx.evaluation import evaluate
from skaucx.metrics import roc_auc_score
from skaucx.scale import MetricAccumulator

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"label": RNG.random(5000) < 0.3})
FRAME["p"] = RNG.random(5000) * 0.5 + 0.3 * FRAME["label"]
WANTED = roc_auc_score(FRAME["label"], FRAME["p"])


@pytest.fixture
def path(tmp_path):
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "predictions.parquet")
    return str(tmp_path / "predictions.parquet")


@pytest.mark.skipif(not hasattr(pl.LazyFrame, "collect_batches"), reason="an older polars")
@pytest.mark.filterwarnings("ignore:.*unstable")
def test_polars(path):
    batches = pl.scan_parquet(path).collect_batches()
    found = evaluate("label", y_score="p", data=batches, metrics=["roc_auc"])
    assert found["roc_auc"] == WANTED


def test_duckdb(path):
    duckdb = pytest.importorskip("duckdb")
    reader = duckdb.sql(f"select label, p from '{path}'").to_arrow_reader(700)
    found = evaluate("label", y_score="p", data=reader, metrics=["roc_auc"])
    assert found["roc_auc"] == WANTED


def test_map_in_pandas():
    """What a partition yields is one row of bytes; the parts merge into the whole."""

    def count(frames):
        counts = MetricAccumulator(["roc_auc"])
        for frame in frames:
            counts.update(frame["label"], y_score=frame["p"])
        yield pd.DataFrame({"counts": [pickle.dumps(counts)]})

    partitions = [iter([FRAME.iloc[k::6], FRAME.iloc[k + 3 :: 6]]) for k in range(3)]
    collected = pd.concat([row for part in partitions for row in count(part)])
    total = functools.reduce(MetricAccumulator.merge, map(pickle.loads, collected["counts"]))
    assert total.n_samples == 5000
    assert total.result()["roc_auc"] == WANTED
