"""The query that counts cells: every engine reads it, and those at hand count as NumPy does.

Dask, Ray and Spark reduce counts of parts.
"""

from __future__ import annotations

import getpass
import io
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

from skaucx.scale import ScoreCounts, cells_query
from skaucx.scale._query import COLUMNS

pytestmark = pytest.mark.presentation

DIALECTS = ["duckdb", "sqlite", "postgres", "spark", "snowflake", "bigquery", "clickhouse"]
RNG = np.random.default_rng(0)
N = 3000
ILL = RNG.random(N) < 0.4
VISITS = pd.DataFrame(
    {
        "ill": ILL,
        "code": ILL.astype(int),
        "state": np.where(ILL, "very ill", "well"),
        "site": RNG.choice(["north", "south"], N),
        "year": RNG.choice([2020, 2021], N),
        "risk": np.clip(RNG.normal(0.3 + 0.3 * ILL, 0.2), 0, 1).round(4),
    }
)
QUERIES = {
    "plain": {"y_true": "code"},
    "distinct": {"y_true": "code", "digits": None},
    "labels": {"y_true": "state", "digits": 2, "by": "site"},
    "text": {"y_true": "state", "pos_label": "very ill", "by": ["site", "year"]},
    "bool": {"y_true": "ill", "pos_label": np.True_, "digits": 0},
    "number": {"y_true": "code", "pos_label": 1.0, "where": "site = 'north' OR year = 2021"},
}


def query(name, table="visits"):
    return cells_query(table, y_score="risk", **QUERIES[name])


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_seven_dialects_read_the_query(dialect, name):
    parsed = sqlglot.parse_one(query(name), read=dialect)
    assert isinstance(parsed, sqlglot.exp.Select)
    assert not [*parsed.find_all(sqlglot.exp.Anonymous, sqlglot.exp.Command)]
    made = sqlglot.transpile(query(name), read="duckdb", write=dialect)[0]
    assert sqlglot.parse_one(made, read=dialect).named_selects == parsed.named_selects
    assert parsed.named_selects[-8:] == list(COLUMNS[1:])


def of_rows(name):
    """Return the counts of the rows in memory."""
    given = QUERIES[name]
    rows = VISITS
    if "where" in given:
        rows = rows[(rows["site"] == "north") | (rows["year"] == 2021)]
    labels = rows[given["y_true"]]
    if "pos_label" in given:
        labels = (labels == given["pos_label"]).astype(int)
    by = given.get("by")
    by = {each: rows[each] for each in ([by] if isinstance(by, str) else by)} if by else None
    return ScoreCounts.from_rows(labels, rows["risk"], given.get("digits", 6), by=by)


def same_counts(found, wanted):
    a, b = found.to_frame(), wanted.to_frame()
    sums = [name for name in a if name.startswith("sum")]
    pd.testing.assert_frame_equal(a.drop(columns=sums), b.drop(columns=sums), check_exact=True)
    np.testing.assert_allclose(a[sums], b[sums], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", QUERIES)
def test_duckdb_and_sqlite_count_as_numpy(name):
    with duckdb.connect() as duck, closing(sqlite3.connect(":memory:")) as lite:
        duck.register("visits", VISITS)
        VISITS.to_sql("visits", lite, index=False)
        found = duck.sql(query(name))
        for cells in (found.df(), found.to_arrow_table(), pd.read_sql(query(name), lite)):
            same_counts(ScoreCounts.from_frame(cells), of_rows(name))


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


@pytest.mark.slow
@pytest.mark.parametrize("name", QUERIES)
def test_postgres_counts_as_numpy(postgres, name):
    cells = pd.read_csv(io.StringIO(postgres(query(name))))
    same_counts(ScoreCounts.from_frame(cells), of_rows(name))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["exact", "short"])
def test_postgres_counts_decimals_and_short_floats(postgres, table):
    """Decimals have no rounding at the edges of cells, floats of 32 bits another one."""
    found = ScoreCounts.from_frame(pd.read_csv(io.StringIO(postgres(query("plain", table)))))
    wanted = of_rows("plain").evaluate(["roc_auc", "brier_score"])
    for metric, value in found.evaluate(["roc_auc", "brier_score"]).items():
        assert np.ptp(value) < 1e-6
        assert np.mean(value) == pytest.approx(wanted[metric], abs=1e-6)


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


@pytest.mark.slow
@pytest.mark.parametrize("name", QUERIES)
def test_spark_counts_as_numpy(spark, name):
    spark.createDataFrame(VISITS.to_dict("records")).createOrReplaceTempView("visits")
    cells = pd.DataFrame([row.asDict() for row in spark.sql(query(name)).collect()])
    same_counts(ScoreCounts.from_frame(cells), of_rows(name))


def parts():
    return np.array_split(np.arange(len(VISITS)), 5)


def counted(rows):
    return ScoreCounts.from_rows(VISITS["code"].iloc[rows], VISITS["risk"].iloc[rows])


@pytest.mark.slow
def test_dask_reduces_counts():
    dask = pytest.importorskip("dask")
    found = dask.delayed(sum)([dask.delayed(counted)(rows) for rows in parts()], ScoreCounts())
    same_counts(found.compute(scheduler="threads"), of_rows("distinct"))


@pytest.mark.slow
def test_ray_reduces_counts():
    ray = pytest.importorskip("ray")
    with ray.init(num_cpus=2, include_dashboard=False):
        found = ray.get([ray.remote(counted).remote(rows) for rows in parts()])
    same_counts(sum(found, start=ScoreCounts()), of_rows("distinct"))


@pytest.mark.slow
def test_spark_reduces_counts(spark):
    found = spark.sparkContext.parallelize(parts(), 5).map(counted)
    same_counts(found.reduce(lambda a, b: a + b), of_rows("distinct"))


def test_a_subquery_and_the_text():
    inner = '(SELECT "a risk" AS risk, code FROM visits) AS v'
    with duckdb.connect() as engine:
        engine.register("visits", VISITS.rename(columns={"risk": "a risk"}))
        found = ScoreCounts.from_frame(engine.sql(query("plain", inner)).df())
    same_counts(found, of_rows("plain"))
    lines = query("text").splitlines()
    assert lines[0] == "SELECT"
    assert "CASE WHEN state = 'very ill' THEN 1 WHEN state IS NOT NULL THEN 0 END" in lines[3]
    assert lines[-2] == "FROM visits"
    assert query("number").splitlines()[-2] == "WHERE site = 'north' OR year = 2021"


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"y_true": "a label"}, ValueError, "y_true must be a plain column name.*'a label'"),
        ({"y_score": "p; DROP TABLE t"}, ValueError, "y_score must be a plain column name"),
        ({"by": ["site", "1st"]}, ValueError, "by must be a plain column name.*'1st'"),
        ({"by": "N_Rows"}, ValueError, "by='N_Rows' is also a column of the answer"),
        ({"y_true": 3}, TypeError, "y_true must be the name of a column, found 3"),
        ({"digits": -1}, ValueError, "digits must be a whole number >= 0"),
        ({"digits": 2.5}, TypeError, "digits must be a whole number"),
        ({"pos_label": "it's"}, ValueError, "pos_label must be .* quotation marks"),
        ({"pos_label": float("nan")}, ValueError, "pos_label must be a finite number"),
    ],
)
def test_what_no_engine_would_read_is_refused(changed, error, message):
    with pytest.raises(error, match=message):
        cells_query("visits", **{"y_true": "code", "y_score": "risk", **changed})
