"""The query that counts cells: every engine reads it, and those at hand count as NumPy does."""

from __future__ import annotations

import sqlite3

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
def test_duckdb_counts_as_numpy(name):
    with duckdb.connect() as engine:
        engine.register("visits", VISITS)
        same_counts(ScoreCounts.from_frame(engine.sql(query(name)).df()), of_rows(name))
        same_counts(ScoreCounts.from_frame(engine.sql(query(name)).to_arrow_table()), of_rows(name))


@pytest.mark.parametrize("name", QUERIES)
def test_sqlite_counts_as_numpy(name):
    with sqlite3.connect(":memory:") as engine:
        VISITS.to_sql("visits", engine, index=False)
        same_counts(ScoreCounts.from_frame(pd.read_sql(query(name), engine)), of_rows(name))
    engine.close()


def test_a_subquery_and_the_text():
    inner = '(SELECT "a risk" AS risk, code FROM visits) AS v'
    with duckdb.connect() as engine:
        engine.register("visits", VISITS.rename(columns={"risk": "a risk"}))
        same_counts(
            ScoreCounts.from_frame(engine.sql(query("plain", inner)).df()), of_rows("plain")
        )
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
