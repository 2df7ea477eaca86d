"""PostgreSQL and Spark count as NumPy does, and Dask, Ray and Spark reduce counts of parts."""

from __future__ import annotations

import getpass
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skaucx.scale import ScoreCounts
from tests.scale.test_query import QUERIES, VISITS, of_rows, query, same_counts

pytestmark = pytest.mark.slow

BINARIES = [*Path("/usr/lib/postgresql").glob("*/bin"), Path("/usr/local/bin"), Path("/usr/bin")]
SERVER = next((folder for folder in BINARIES if (folder / "pg_ctl").exists()), None)


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """A cluster in a temporary folder, reached by a socket in it."""
    if SERVER is None:
        pytest.skip("PostgreSQL is not installed")
    folder = tmp_path_factory.mktemp("pg")
    owner = []
    if getpass.getuser() == "root":  # which the server refuses
        for each in (folder, *folder.parents[:2]):
            each.chmod(0o755)
        shutil.chown(folder, "postgres")
        owner = ["runuser", "-u", "postgres", "--"]

    def run(program, *words, given=None):
        words = [*owner, str(SERVER / program), *words]
        done = subprocess.run(
            words, input=given, capture_output=True, text=True, cwd=folder, check=False
        )
        assert not done.returncode, done.stderr + done.stdout
        return done.stdout

    data = str(folder / "data")
    run("initdb", "-D", data, "-A", "trust")
    options = f"-c listen_addresses= -k {folder}"
    run("pg_ctl", "-D", data, "-l", f"{data}.log", "-w", "-o", options, "start")
    call = ["-h", str(folder), "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-q"]
    types = "ill boolean, code int, state text, site text, year int, risk {}"
    try:
        kinds = {"visits": "double precision", "exact": "numeric", "short": "real"}
        for table, kind in kinds.items():
            made = f"CREATE TABLE {table} ({types.format(kind)});\nCOPY {table} FROM STDIN CSV HEADER;\n"
            run("psql", *call, given=made + VISITS.to_csv(index=False) + "\\.\n")
        yield lambda text: run("psql", *call, "-c", f"COPY ({text}) TO STDOUT CSV HEADER")
    finally:
        run("pg_ctl", "-D", data, "-m", "fast", "stop")


@pytest.mark.parametrize("name", QUERIES)
def test_postgres_counts_as_numpy(postgres, name):
    cells = pd.read_csv(io.StringIO(postgres(query(name)).replace(",t,", ",True,")))
    same_counts(ScoreCounts.from_frame(cells), of_rows(name))


@pytest.mark.parametrize("table", ["exact", "short"])
def test_postgres_counts_decimals_and_short_floats(postgres, table):
    """Decimals have no rounding at the edges of cells, floats of 32 bits another one."""
    found = ScoreCounts.from_frame(pd.read_csv(io.StringIO(postgres(query("plain", table)))))
    wanted = of_rows("plain").evaluate(["roc_auc", "brier_score"])
    for metric, value in found.evaluate(["roc_auc", "brier_score"]).items():
        assert np.ptp(value) < 1e-6
        assert np.mean(value) == pytest.approx(wanted[metric], abs=1e-6)


def parts():
    return np.array_split(np.arange(len(VISITS)), 5)


def counted(rows):
    return ScoreCounts.from_rows(VISITS["code"].iloc[rows], VISITS["risk"].iloc[rows])


WHOLE = of_rows("distinct")


def test_dask_reduces_counts():
    dask = pytest.importorskip("dask")
    found = [dask.delayed(counted)(rows) for rows in parts()]
    same_counts(dask.delayed(sum)(found, start=ScoreCounts()).compute(scheduler="threads"), WHOLE)


def test_ray_reduces_counts():
    ray = pytest.importorskip("ray")
    with ray.init(num_cpus=2, include_dashboard=False):
        found = ray.get([ray.remote(counted).remote(rows) for rows in parts()])
    same_counts(sum(found, start=ScoreCounts()), WHOLE)


@pytest.fixture(scope="module")
def spark():
    """A session whose workers are processes of this Python, with its modules."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        made = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
        session = made.getOrCreate()
        yield session
        session.stop()


@pytest.mark.parametrize("name", QUERIES)
def test_spark_counts_as_numpy(spark, name):
    rows = spark.createDataFrame(VISITS.to_dict("records"))
    rows.createOrReplaceTempView("visits")
    cells = pd.DataFrame([row.asDict() for row in spark.sql(query(name)).collect()])
    same_counts(ScoreCounts.from_frame(cells), of_rows(name))


def test_spark_reduces_counts(spark):
    found = spark.sparkContext.parallelize(parts(), 5).map(counted)
    same_counts(found.reduce(lambda a, b: a + b), WHOLE)
