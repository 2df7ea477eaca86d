"""The recipes of the guide for Spark, on a local session of two threads."""

from __future__ import annotations

import functools
import os
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skaucx.evaluation import evaluate
from skaucx.scale import MetricAccumulator

pytest.importorskip("pyspark")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame({"label": RNG.random(20_000) < 0.3})
ROWS["p"] = RNG.random(20_000) * 0.5 + 0.3 * ROWS["label"]
ROWS["yhat"] = ROWS["p"] > 0.5
NAMES = ["roc_auc", "f1", "average_precision"]
WANTED = dict(evaluate(ROWS["label"], ROWS["yhat"], ROWS["p"], NAMES))


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    """The rows in five partitions, one of which is empty."""
    from pyspark.sql import SparkSession

    root = str(Path(__file__).parents[3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        spark = settings.config("spark.log.level", "ERROR").getOrCreate()
        path = tmp_path_factory.mktemp("rows")
        for k in range(4):
            ROWS.iloc[k::4].to_parquet(path / f"{k}.parquet")
        ROWS.iloc[:0].to_parquet(path / "4.parquet")
        yield spark.read.parquet(str(path)).repartition(5)
        spark.stop()


def count(frames):
    counts = MetricAccumulator(NAMES)
    for frame in frames:
        counts.update(frame["label"], frame["yhat"], frame["p"])
    yield pd.DataFrame({"counts": [pickle.dumps(counts)]})


def merged(one, other):
    return pickle.dumps(pickle.loads(one).merge(pickle.loads(other)))


def add(counts, rows):
    label, p, yhat = zip(*rows, strict=True)
    return counts.update(label, yhat, p)


def test_map_in_pandas(predictions):
    parts = predictions.mapInPandas(count, "counts binary")
    states = (pickle.loads(row.counts) for row in parts.collect())
    total = functools.reduce(MetricAccumulator.merge, states)
    assert dict(total.result()) == WANTED
    tree = parts.rdd.map(lambda row: bytes(row.counts)).treeReduce(merged)
    assert dict(pickle.loads(tree).result()) == WANTED


def test_tree_aggregate(predictions):
    rows = predictions.select("label", "p", "yhat").rdd.map(tuple)
    zero = MetricAccumulator(NAMES)
    total = rows.glom().filter(len).treeAggregate(zero, add, MetricAccumulator.merge)
    assert total.n_samples == len(ROWS)
    assert dict(total.result()) == WANTED
