"""Nested runs on the engines behind joblib's backends give the numbers of one machine's processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import nested_cross_validate

X, Y = make_classification(160, 5, flip_y=0.2, random_state=0)


@contextlib.contextmanager
def dask():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield


@contextlib.contextmanager
def ray():
    engine = pytest.importorskip("ray")
    register = pytest.importorskip("ray.util.joblib").register_ray
    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register()
    yield
    engine.shutdown()


@contextlib.contextmanager
def spark():
    sql = pytest.importorskip("pyspark.sql")
    register = pytest.importorskip("joblibspark").register_spark
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = settings.config("spark.log.level", "ERROR").getOrCreate()
        register()
        yield
        session.stop()


def run():
    return nested_cross_validate(
        GaussianNB(), {"var_smoothing": [1e-9, 0.1, 1.0]}, X, Y,
        scoring=["roc_auc", "neg_log_loss"], refit="roc_auc", outer_cv=2, inner_cv=2, n_jobs=2,
    )  # fmt: skip


# The engines warn of their own settings.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
@pytest.mark.filterwarnings("ignore::FutureWarning:ray")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore:Spark (local mode|session is not):UserWarning")
@pytest.mark.filterwarnings("ignore:`apply_async` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("engine", [dask, ray, spark], ids=lambda engine: engine.__name__)
def test_scores_of_every_engine_are_those_of_processes(engine):
    with joblib.parallel_config("loky"):
        wanted = run()
    with engine(), joblib.parallel_config(engine.__name__):
        found = run()
    for name in ("test_roc_auc", "test_neg_log_loss"):
        np.testing.assert_array_equal(found[name], wanted[name])
    np.testing.assert_array_equal(found.inner_scores, wanted.inner_scores)
    response = found.predictions.responses["predict_proba"]
    np.testing.assert_array_equal(response, wanted.predictions.responses["predict_proba"])
    assert found.final.index == wanted.final.index
    assert not found.failures


def test_a_dask_array_has_the_results_of_the_array_itself():
    """Folds are taken into memory."""
    array = pytest.importorskip("dask.array")
    features, labels = array.from_array(X, chunks=(60, 5)), array.from_array(Y, chunks=60)
    given = {"scoring": "roc_auc", "outer_cv": 3, "inner_cv": 2}
    found = nested_cross_validate(GaussianNB(), {}, features, labels, **given)
    wanted = nested_cross_validate(GaussianNB(), {}, X, Y, **given)
    np.testing.assert_array_equal(found["test_roc_auc"], wanted["test_roc_auc"])
