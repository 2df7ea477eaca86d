"""Cells that query engines counted, and data that they hold."""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.evaluation import evaluate
from skaucx.inference import (
    Blocks,
    decision_band,
    interval,
    precision_recall_band,
    reliability_curve,
    roc_band,
)
from skaucx.metrics import decision_curve, roc_auc_score
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator, cells_query
from skaucx.scale import _batches as frames
from skaucx.scale._aggregation import sum_of_parts
from skaucx.scale._sql import _OWN_NAMES
from tests.closeness import rounding

DIALECTS = ("duckdb", "postgresql", "sqlite", "bigquery", "snowflake", "clickhouse", "spark")
METRICS = ["roc_auc", "average_precision", "mm7_auc", "scor_auc", "prob_auc", "soft_auc"]
LOSSES = ["brier_score_loss", "log_loss"]


def table(n=4000, seed=0, decimals=17):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3) * 1
    score = 1 / (1 + np.exp(1.2 - 2 * truth - rng.normal(size=n)))
    site = rng.choice(["north", "south"], n)
    return pandas.DataFrame({"ill": truth, "p": np.round(score, decimals), "site": site})


def by_duckdb(rows, **options):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql(cells_query("rows", true="ill", score="p", **options)).df()


def by_sqlite(rows, **options):
    pandas = pytest.importorskip("pandas")
    query = cells_query("visits", true="ill", score="p", dialect="sqlite", **options)
    with sqlite3.connect(":memory:") as connection:
        rows.to_sql("visits", connection)
        return pandas.read_sql(query, connection)


def by_polars(rows, bits=20):
    polars = pytest.importorskip("polars")
    positive, score = polars.col("ill") == 1, polars.col("p")
    counts = {"positive": positive.sum(), "negative": (~positive).sum()}
    ends = {"least": score.min(), "greatest": score.max()}
    cell = (score * 2**bits).floor().alias("cell")
    return polars.from_pandas(rows).lazy().group_by(cell).agg(**counts, **ends).collect()


def test_exact_value_lies_within_the_bounds():
    rows = table()
    exact = evaluate(rows["ill"], y_score=rows["p"], metrics=METRICS)
    for bits in (3, 8, 20):
        found = MetricAccumulator.from_cells(by_duckdb(rows, bits=bits, ends=True)).result(METRICS)
        for name, value in found.items():
            low, high = getattr(value, "low", value), getattr(value, "high", value)
            assert low - 1e-12 <= exact[name] <= high + 1e-12, (name, bits)
            assert high - low < 2.0 ** (2 - bits) + 1e-12, (name, bits)
    few = table(decimals=2)  # a cell then holds one score
    found = MetricAccumulator.from_cells(by_duckdb(few, ends=True)).result(METRICS)
    exact = evaluate(few["ill"], y_score=few["p"], metrics=METRICS)
    for name, value in found.items():
        assert not isinstance(value, BoundedValue)
        assert value == pytest.approx(exact[name], abs=rounding(len(rows)))


def test_engines_agree():
    """The same cells have the same bounds, whoever counted them; so have merged halves."""
    rows = table()
    found = [
        MetricAccumulator.from_cells(answer).result(["roc_auc"])["roc_auc"]
        for answer in (
            by_duckdb(rows, bits=10),
            by_sqlite(rows, bits=10),
            by_polars(rows, bits=10),
            by_duckdb(rows.sample(frac=1, random_state=0), bits=10),
        )
    ]
    for other in found[1:]:
        assert (other.low, other.high) == (found[0].low, found[0].high)
    first, second = (
        MetricAccumulator.from_cells(by_duckdb(part, bits=10)) for part in (rows[:900], rows[900:])
    )
    merged = first.merge(second).result(["roc_auc"])["roc_auc"]
    assert first.n_samples == len(rows)
    assert merged.low - 1e-12 <= roc_auc_score(rows["ill"], rows["p"]) <= merged.high + 1e-12


def test_one_number_however_rows_are_held():
    """Scores of three decimals: a cell holds one score, so that all ways are exact."""
    polars, dask = pytest.importorskip("polars"), pytest.importorskip("dask.dataframe")
    rows, metrics = table(decimals=3), ["roc_auc", "average_precision", *LOSSES]
    exact = evaluate(rows["ill"], y_score=rows["p"], metrics=metrics)

    def kinds():
        return (
            rows,
            polars.from_pandas(rows).lazy(),
            dask.from_pandas(rows, npartitions=3),
            iter([rows[:1500], rows[1500:]]),
        )

    found = [evaluate("ill", y_score="p", data=data, metrics=metrics) for data in kinds()]
    found += [
        MetricAccumulator.from_cells(engine(rows, bits=14, losses=True)).result(metrics)
        for engine in (by_duckdb, by_sqlite)
    ]
    found.append(MetricAccumulator.from_cells(by_polars(rows, bits=14)).result(metrics[:2]))
    for values in found:
        for name, value in values.items():
            assert value == pytest.approx(exact[name], rel=1e-12), name
    # Cells of chunks follow from the rows alone, however these are parted.
    few = [
        evaluate("ill", y_score="p", data=Chunks(data, max_cells=60), metrics=metrics[:2])
        for data in kinds()
    ]
    for name, own in itertools.product(metrics[:2], few):
        assert own[name].low < exact[name] < own[name].high
        assert (own[name].low, own[name].high) == (few[0][name].low, few[0][name].high)


def postgresql(rows):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    if "SKAUCX_POSTGRESQL" not in os.environ:
        pytest.skip("SKAUCX_POSTGRESQL names no database")
    pandas, engine = (
        pytest.importorskip("pandas"),
        sqlalchemy.create_engine(os.environ["SKAUCX_POSTGRESQL"]),
    )
    rows.to_sql("visits", engine, if_exists="replace")
    return lambda query: pandas.read_sql(sqlalchemy.text(query), engine)


def spark(rows):
    session = (
        pytest.importorskip("pyspark.sql").SparkSession.builder.master("local[2]").getOrCreate()
    )
    session.createDataFrame(rows).createOrReplaceTempView("visits")
    return lambda query: session.sql(query).toPandas()


def ibis(rows):
    connection = pytest.importorskip("ibis").duckdb.connect()
    connection.create_table("visits", rows)
    return lambda query: connection.sql(query).to_pandas()


# The engines' own use of pandas warns, and is not what is tested.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("engine", [postgresql, spark, ibis])
def test_optional_engines_answer_as_duckdb_does(engine):
    rows = table(decimals=6)
    answer, dialect = engine(rows), {"ibis": "duckdb"}.get(engine.__name__, engine.__name__)
    options = {"true": "ill", "score": "p", "by": "site", "losses": True, "ends": True, "bits": 8}
    query = cells_query("visits", dialect=dialect, **options)
    found = MetricAccumulator.from_cells(answer(query), by="site")
    plain = by_duckdb(rows, by="site", losses=True, ends=True, bits=8)
    for site, expected in MetricAccumulator.from_cells(plain, by="site").items():
        one, other = found[site].result(), expected.result()
        assert (one["roc_auc"].low, one["roc_auc"].high) == (
            other["roc_auc"].low,
            other["roc_auc"].high,
        )
        assert one["log_loss"] == pytest.approx(other["log_loss"], rel=1e-12)


def test_groups_of_several_columns_and_many_groups():
    rows = table(3000, decimals=3)
    rows["doctor"] = np.arange(len(rows)) % 300
    cells = by_duckdb(rows, by=["site", "doctor"], losses=True)
    found = MetricAccumulator.from_cells(cells, by=["site", "doctor"])
    assert len(found) == len(rows.groupby(["site", "doctor"])) > 500
    for key in list(found)[::97]:
        own = rows[(rows["site"] == key[0]) & (rows["doctor"] == key[1])]
        assert found[key].n_samples == len(own)
        brier = ((own["p"] - own["ill"]) ** 2).mean()
        value = found[key].result(["brier_score_loss"])["brier_score_loss"]
        assert value == pytest.approx(brier, rel=1e-12)


def test_decision_curve_of_cells_holds_the_exact_one():
    rows = table()
    exact = decision_curve(rows["ill"], rows["p"])
    for bits, width in ((4, 0.4), (10, 1e-2), (20, 1e-12)):
        counts = MetricAccumulator.from_cells(by_duckdb(rows, bits=bits))
        bounds = counts.curve(decision_curve, confidence_level=1e-12)  # no sampling error
        assert (bounds.low <= exact.net_benefit + 1e-12).all(), bits
        assert (bounds.high >= exact.net_benefit - 1e-12).all(), bits
        assert (bounds.high - bounds.low).max() < width, bits
        found = counts.curve(decision_curve)
        reach = (exact.high - exact.low)[10:80], (found.high - found.low)[10:80]
        assert (reach[1] > 0.97 * reach[0]).all(), bits
    weighted = MetricAccumulator.from_cells(by_duckdb(rows.assign(w=1.5), weight="w"))
    assert np.isnan(weighted.curve(decision_curve).low).all()
    low = decision_curve(rows["ill"], rows["p"], thresholds=[0.25, 0.5])
    same = MetricAccumulator.from_cells(by_duckdb(rows, bits=2)).curve(
        decision_curve, thresholds=[0.25, 0.5]
    )
    assert same.net_benefit == pytest.approx(
        low.net_benefit, abs=rounding(len(rows))
    )  # edges of cells


def test_calibration_curve_of_cells():
    """Rows and shares of bins that end with cells are exact, and means lie within the error."""
    rows = table()
    p, ill = rows["p"].to_numpy(), rows["ill"].to_numpy()
    for bits, options in itertools.product((6, 10, 20), ({}, {"strategy": "quantile"})):
        counts = MetricAccumulator.from_cells(by_duckdb(rows, bits=bits))
        found = counts.curve(reliability_curve, **options)
        place = np.searchsorted(found.edges, p) - 1
        weight = np.bincount(place, minlength=len(found.weight))
        assert (found.weight == weight).all(), bits
        assert found.observed == pytest.approx(
            np.bincount(place, ill) / weight, abs=rounding(len(rows))
        )
        means = np.bincount(place, p) / weight
        assert (np.abs(found.predicted - means) <= found.predicted_error + 1e-15).all()
        assert 0 < found.predicted_error < 2.0 ** -(bits + 1)
        exact = reliability_curve(ill, p, **options)
        assert np.abs(found.edges - exact.edges).max() < 2.0**-bits
    assert found.low == pytest.approx(exact.low, abs=1e-3)
    weighted = MetricAccumulator.from_cells(by_duckdb(rows.assign(w=2.0), weight="w"))
    assert np.isnan(weighted.curve(reliability_curve).low).all()
    with pytest.raises(ValueError, match="reach over whole bins"):
        MetricAccumulator.from_cells(by_duckdb(rows, bits=2)).curve(reliability_curve)


def test_counts_of_one_class_have_no_band():
    counts = MetricAccumulator(labels=[0, 1])
    counts.update(np.zeros(9, dtype=int), y_score=np.arange(9) / 10)
    for make in (roc_band, precision_recall_band):
        with pytest.warns(UndefinedMetricWarning, match="examples of both classes"):
            assert np.isnan(counts.curve(make, random_state=0).low).all()


def test_roc_band_of_cells_holds_that_of_rows():
    rows = table()
    exact = roc_band(rows["ill"], rows["p"], random_state=0)
    # The simulated local level follows the area, a little lower between the corners of wide cells.
    for bits, reach, slack in ((4, 0.4, 2e-3), (10, 0.01, 1e-12), (20, 1e-12, 1e-12)):
        counts = MetricAccumulator.from_cells(by_duckdb(rows, bits=bits))
        found = counts.curve(roc_band, random_state=0)
        assert (found.low <= exact.low + slack).all(), bits
        assert (found.high >= exact.high - slack).all(), bits
        assert np.abs(found.high - exact.high).max() < reach, bits
    chunks = (rows[k : k + 1000] for k in range(0, len(rows), 1000))
    truth, score = zip(*((part["ill"], part["p"]) for part in chunks), strict=True)
    same = roc_band(iter(truth), iter(score), random_state=0)
    assert same.low == pytest.approx(exact.low, abs=1e-12)
    precise = counts.curve(precision_recall_band, random_state=0)
    plain = precision_recall_band(rows["ill"], rows["p"], random_state=0)
    assert precise.low == pytest.approx(plain.low, abs=1e-12)
    weighted = MetricAccumulator.from_cells(by_duckdb(rows.assign(w=2.0), weight="w"))
    for held, options in (
        (weighted, {}),
        (counts, {"method": "dkw"}),
        (counts, {"groups": Blocks(9)}),
    ):
        with pytest.raises(ValueError, match="method='rectangles' and independent rows"):
            held.curve(roc_band, **options)
    with pytest.raises(ValueError, match="Pass arrays in memory"):
        counts.curve(decision_band)


def test_many_parts_are_added_two_by_two():
    """One after another, each of thousands of groups would be merged with the cells of all before."""

    class Part:
        work = 0

        def __init__(self, size):
            self.size = size

        def __add__(self, other):
            Part.work += self.size + other.size
            return Part(self.size + other.size)

    assert sum_of_parts([Part(1)] * 1000).size == 1000
    assert Part.work <= 1000 * 10


def test_merges_with_rows_and_files(tmp_path):
    rows = table(decimals=3)
    cells = MetricAccumulator.from_cells(by_duckdb(rows[:2000]))
    cells.to_file(tmp_path / "cells.json")
    read = MetricAccumulator.from_file(tmp_path / "cells.json")
    other = MetricAccumulator(["roc_auc"]).update(rows["ill"][2000:], y_score=rows["p"][2000:])
    exact = roc_auc_score(rows["ill"], rows["p"])
    assert read.merge(other).result(["roc_auc"])["roc_auc"] == pytest.approx(
        exact, abs=rounding(len(rows))
    )


def test_losses_with_their_intervals():
    rows = table()
    found = MetricAccumulator.from_cells(by_duckdb(rows, losses=True))
    for name in LOSSES:
        exact = interval(name, rows["ill"], rows["p"])
        got = found.interval(name)
        ends = got.estimate, got.low, got.high
        assert ends == pytest.approx((exact.estimate, exact.low, exact.high), rel=1e-10)
    groups = MetricAccumulator.from_cells(by_duckdb(rows, losses=True, by="site"), by="site")
    for site, own in groups.items():
        held = rows[rows["site"] == site]
        assert own.n_samples == len(held)
        value = evaluate(held["ill"], y_score=held["p"], metrics=["log_loss"])["log_loss"]
        assert own.result(["log_loss"])["log_loss"] == pytest.approx(value, rel=1e-12)


def test_second_query_narrows_the_open_cells():
    rows = table()
    exact = roc_auc_score(rows["ill"], rows["p"])
    counts = MetricAccumulator.from_cells(by_duckdb(rows, bits=6))
    before = counts.result(["roc_auc"])["roc_auc"]
    ranges = counts.open_cells(1e-5)
    assert 0 < len(ranges) <= 64
    changed = by_duckdb(rows[:-40], bits=40, within=ranges)
    with pytest.raises(ValueError, match="changed between two passes"):
        counts.narrow(changed)
    counts.narrow(by_duckdb(rows, bits=40, within=ranges))
    after = counts.result(["roc_auc"])["roc_auc"]
    assert before.high - before.low > 1e-3
    assert getattr(after, "high", after) - getattr(after, "low", after) <= 1e-5
    assert getattr(after, "low", after) <= exact + 1e-12
    assert MetricAccumulator.from_cells(by_duckdb(rows, bits=6)).open_cells(1.0) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_queries_parse_in_their_dialect(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    query = cells_query(
        "visits", true="ill", score="p", by=["site", "sex"], weight="w", pos_label="it's",
        neg_label="well", losses=True, ends=True, within=[(0.1, 0.2)], dialect=dialect,
    )  # fmt: skip
    name = {"postgresql": "postgres"}.get(dialect, dialect)
    parsed = sqlglot.parse_one(query, read=name)
    assert {column.name for column in parsed.find_all(sqlglot.exp.Column)} >= {
        "ill",
        "p",
        "site",
        "w",
    }
    assert len(parsed.args["group"].expressions) == 3
    assert not list(parsed.find_all(sqlglot.exp.Anonymous)), "a function that the dialect lacks"


def test_weights_and_other_labels():
    rows = table().assign(w=lambda frame: 1.5 + (frame["p"] > 0.5))
    found = MetricAccumulator.from_cells(by_duckdb(rows, weight="w")).result(["roc_auc"])["roc_auc"]
    exact = roc_auc_score(rows["ill"], rows["p"], sample_weight=rows["w"])
    assert found.low - 1e-12 <= exact <= found.high + 1e-12
    words = rows.assign(ill=np.where(rows["ill"] == 1, "ill", "well"))
    cells = by_duckdb(words, pos_label="ill", neg_label="well", losses=True, bits=8)
    counts = MetricAccumulator.from_cells(cells, labels=("well", "ill"))
    plain = MetricAccumulator.from_cells(by_duckdb(rows, losses=True, bits=8))
    one, other = counts.result(pos_label="ill"), plain.result()
    assert one["roc_auc"].low == pytest.approx(other["roc_auc"].low, abs=rounding(len(rows)))
    assert one["log_loss"] == other["log_loss"]
    with pytest.raises(ValueError, match="the negative and the positive"):
        MetricAccumulator.from_cells(cells, labels=("ill", "ill"))


def test_weights_that_are_whole_numbers_are_weights():
    """They count no rows: there is no interval, and a row of weight 0 moves no end of a class."""
    rows = table(60).assign(w=2.0)
    rows.loc[len(rows)] = {"ill": 0, "p": 0.0001, "site": "south", "w": 0.0}
    rows.loc[len(rows)] = {"ill": 1, "p": 0.9999, "site": "south", "w": 0.0}
    counts = MetricAccumulator.from_cells(by_duckdb(rows, weight="w", bits=4))
    with pytest.raises(ValueError, match="scores with weights"):
        counts.interval("roc_auc")
    assert counts.result(["mm6_auc"])["mm6_auc"].note.startswith("the lowest and highest scores")
    assert counts.result(["roc_auc"])["roc_auc"].note == ""  # the order needs none of them
    kept, metrics = rows[rows["w"] > 0], ["mm1_auc", "mm4_auc", "mm7_auc"]
    exact = evaluate(kept["ill"], y_score=kept["p"], metrics=metrics)
    cells = by_duckdb(rows, weight="w", bits=40, ends=True)
    found = MetricAccumulator.from_cells(cells).result(metrics)
    assert {name: float(value) for name, value in found.items()} == pytest.approx(dict(exact))


def test_rows_that_must_not_be_there():
    rows = table(200)
    for engine in (by_duckdb, by_sqlite):
        wide = rows.assign(p=rows["p"].where(rows.index > 2, 1.5))
        with pytest.raises(ValueError, match="scores of 3 rows lie outside"):
            MetricAccumulator.from_cells(engine(wide, losses=True))
        assert (
            MetricAccumulator.from_cells(engine(wide)).n_samples == 200
        )  # no probabilities needed
        for weight in (-1.0, None):
            weighed = rows.assign(w=np.where(rows.index > 3, 2.0, weight).astype(float))
            with pytest.raises(ValueError, match=r"4 rows .*NULL or below 0"):
                MetricAccumulator.from_cells(engine(weighed, weight="w", bits=2))
    cases = [
        (rows["p"].where(rows.index > 2), "ill", rows["ill"], "3 rows are NULL, NaN or infinite"),
        (rows["p"].where(rows.index > 1, np.inf), "ill", rows["ill"], "2 rows are NULL, NaN"),
        (rows["p"], "ill", rows["ill"].where(rows.index > 3, 7), "labels of 4 rows are NULL, or"),
        (rows["p"], "ill", rows["ill"].where(rows.index > 3), "labels of 4 rows are NULL, or"),
    ]
    for score, _, truth, message in cases:
        for engine in (by_duckdb, by_sqlite):
            with pytest.raises(ValueError, match=message):
                MetricAccumulator.from_cells(engine(rows.assign(p=score, ill=truth)))
    good = {"positive": [1, 2], "negative": [2, 1], "least": [0.1, 0.5], "greatest": [0.4, 0.9]}
    for change, message in (
        ({"greatest": [0.6, 0.9]}, "Cells overlap: one reaches from"),
        ({"positive": [-1, 2]}, "numbers >= 0"),
        ({"least": [0.1, np.nan]}, "least and greatest"),
        ({"greatest": [0.4, 1.5], "log": [1.0, 1.0]}, "probabilities, which lie in"),
    ):
        with pytest.raises(ValueError, match=message):
            MetricAccumulator.from_cells({k: np.array(v) for k, v in {**good, **change}.items()})
    for options, message in (
        ({"dialect": "oracle"}, "dialect"),
        ({"bits": 60}, "at most 52"),
        ({"true": ""}, "true is empty"),
        ({"by": "a\0b"}, "by.*NUL"),
        ({"pos_label": "ill\0"}, "pos_label.*NUL"),
        ({"pos_label": 0}, "pos_label and neg_label must differ"),
        ({"pos_label": float("nan")}, "pos_label holds nan.*finite"),
        ({"neg_label": np.float64("inf")}, "neg_label holds inf.*finite"),
        ({"within": [(0.1, np.nan)]}, "within holds nan.*finite"),
        *(({"by": ["site", name]}, f"'{name}'.*rename") for name in ("positive", "Least", "log")),
        ({"true": "positive", "dialect": "clickhouse"}, "'positive'.*rename"),
    ):
        with pytest.raises(ValueError, match=message):
            cells_query("t", **{"true": "y", "score": "p", **options})
    for options, message in (
        ({"pos_label": None}, "pos_label holds None"),
        ({"neg_label": Decimal(1)}, "neg_label holds Decimal"),
        ({"within": [("0.1", "0.2")]}, "within holds '0.1'"),
        ({"within": [(True, 2)]}, "within holds True"),
        ({"weight": 3}, "weight must be the name of a column, found 3"),
    ):
        with pytest.raises(TypeError, match=message):
            cells_query("t", **{"true": "y", "score": "p", **options})


# What ends literals early, starts comments, escapes or is expanded somewhere.
_TEXTS = st.text(
    st.one_of(
        st.sampled_from("'\"`\\;-/*%_$?:{}\n\r\t ab"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    max_size=12,
)
# SQLite finds the neighbour of some smaller floats.
_FLOATS = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda value: value == 0 or abs(value) > 1e-60
)
_NUMBERS = st.one_of(st.integers(-(2**63), 2**63 - 1), _FLOATS)
# The table has columns y and p, the answer its own.
_COLUMNS = _TEXTS.filter(
    lambda name: name.strip() and name.casefold() not in ("y", "p", *_OWN_NAMES)
)


def literals_of(query, dialect):
    """Return the values that a parser reads in place of the positive label and of the two limits."""
    sqlglot = pytest.importorskip("sqlglot")
    (parsed,) = sqlglot.parse(query, read={"postgresql": "postgres"}.get(dialect, dialect))
    expressions = sqlglot.exp
    found = next(each for each in parsed.selects if each.alias == "positive")
    label = found.find(expressions.EQ).expression
    limits = [
        float(parsed.args["where"].find(kind).expression.sql())
        for kind in (expressions.GTE, expressions.LTE)
    ]
    names = [each.name for each in parsed.selects[:1]]
    return label, limits, names


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    label=st.one_of(_TEXTS, _NUMBERS),
    column=_COLUMNS,
    limit=st.floats(allow_nan=False, allow_infinity=False),
)
@example(label="\\n", column="it's\\", limit=0.1)  # ends early, or is read as a control character
@example(label="it's\\", column='a`"', limit=-1e-7)
def test_literals_and_names_are_read_as_they_were_given(dialect, label, column, limit):
    if dialect == "bigquery":
        column = column.replace(".", "_")  # it has no columns with dots, and reads a path
    other = "another" if label != "another" else "one"
    query = cells_query(
        "t", true="y", score="p", by=column, pos_label=label, neg_label=other,
        within=[(np.float64(limit), limit)], dialect=dialect,
    )  # fmt: skip
    read, limits, names = literals_of(query, dialect)
    assert limits == [limit, limit]
    assert names == [column]
    if isinstance(label, str):
        assert read.is_string
        assert read.this == label
    else:
        assert type(label)(read.sql()) == label


@settings(max_examples=25, deadline=None, derandomize=True)
@given(label=st.one_of(_TEXTS, _NUMBERS, st.booleans()), column=_COLUMNS)
def test_engines_count_the_labels_that_they_were_given(label, column):
    """DuckDB and SQLite find the rows of the label, by a column of any name, and no others."""
    duckdb = pytest.importorskip("duckdb")
    other = {str: f"{label}x", bool: label is False}.get(type(label), 1 if label == 0 else 0)
    kind = {str: "TEXT", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}[type(label)]
    rows = [(label, 0.25, "a"), (other, 0.25, "a"), (label, 0.75, "b")]
    quoted = column.replace('"', '""')
    for dialect, connection in (
        ("duckdb", duckdb.connect()),
        ("sqlite", sqlite3.connect(":memory:")),
    ):
        with contextlib.closing(connection) as engine:
            engine.execute(f'CREATE TABLE t (y {kind}, p DOUBLE, "{quoted}" TEXT)')
            engine.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            query = cells_query(
                "t", true="y", score="p", by=column, pos_label=label, neg_label=other,
                dialect=dialect,
            )  # fmt: skip
            answer = engine.execute(query)
            groups = {row[0]: row[3:5] for row in answer.fetchall()}
        assert groups == {"a": (1, 1), "b": (1, 0)}, dialect


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(_FLOATS, min_size=3, max_size=30))
def test_engines_find_every_row_of_a_range(scores):
    """A limit is the float that it was: rows at the ends of ranges are within them."""
    duckdb = pytest.importorskip("duckdb")
    limits = sorted(scores)[1], sorted(scores)[-2]
    limits = min(limits), max(limits)
    wanted = sum(limits[0] <= score <= limits[1] for score in scores)
    for dialect, connection in (
        ("duckdb", duckdb.connect()),
        ("sqlite", sqlite3.connect(":memory:")),
    ):
        with contextlib.closing(connection) as engine:
            engine.execute("CREATE TABLE t (y INTEGER, p DOUBLE)")
            engine.executemany("INSERT INTO t VALUES (1, ?)", [(score,) for score in scores])
            query = cells_query("t", true="y", score="p", bits=1, within=[limits], dialect=dialect)
            found = engine.execute(query).fetchall()
        assert sum(row[1] for row in found) == wanted, (dialect, query)


def test_a_misspelt_column_is_an_error_of_the_engine():
    """SQLite takes a name between double quotation marks that it does not know for a text."""
    rows = table(20)
    for options in ({"by": "sight"}, {"weight": "wait"}):
        with pytest.raises(Exception, match=r"no such column|not found"):
            by_sqlite(rows, **options)
        with pytest.raises(Exception, match=r"no such column|not found"):
            by_duckdb(rows, **options)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    scores=st.lists(
        st.sampled_from([0.0, 5e-324, 1e-310, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=40
    ),
    seed=st.integers(0, 2**16),
)
def test_any_cells_hold_the_exact_value(scores, seed):
    """Random ranges of scores, ties at their edges, empty cells, weights, denormal scores."""
    rng, score = np.random.default_rng(seed), np.array(scores)
    truth = rng.integers(0, 2, len(score))
    truth[:2] = 0, 1
    weight = rng.choice([1.0, 0.5, 2.0, 0.0], len(score))
    weight[:2] = 1.0
    values = np.unique(score)
    starts = np.unique(np.append(0, rng.integers(0, len(values), rng.integers(0, len(values)))))
    code = np.searchsorted(starts, np.searchsorted(values, score), side="right")
    cells = {name: [] for name in ("positive", "negative", "least", "greatest")}
    for own in range(1, len(starts) + 1):
        held = code == own
        cells["positive"].append((weight * truth)[held].sum())
        cells["negative"].append((weight * (1 - truth))[held].sum())
        cells["least"].append(score[held].min())
        cells["greatest"].append(score[held].max())
    for name, value in zip(cells, (0, 0, 1.5, 2.0), strict=True):  # an empty cell
        cells[name].append(value)
    arrays = {name: np.array(column, dtype=float)[::-1] for name, column in cells.items()}
    found = MetricAccumulator.from_cells(arrays).result(["roc_auc", "average_precision"])
    exact = evaluate(
        truth, y_score=score, metrics=["roc_auc", "average_precision"], sample_weight=weight
    )
    for name, value in found.items():
        low, high = getattr(value, "low", value), getattr(value, "high", value)
        assert low - 1e-12 <= exact[name] <= high + 1e-12


def test_small_batches_are_joined(tmp_path, monkeypatch):
    """A chunk costs a merge with all cells so far, so that row groups of files are joined."""
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    rows = table(1000)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    arrow = pyarrow.Table.from_pandas(rows)
    held = (tmp_path / "rows.parquet", arrow.to_reader(max_chunksize=50), polars.from_pandas(rows))
    monkeypatch.setattr(frames, "_ROWS_AT_ONCE", 300)
    for data in held:
        sizes = []
        source = frames.Frames(data, {"y_true": "ill", "y_score": "p"})
        source.summed(lambda arrays, _, sizes=sizes: sizes.append(len(arrays["y_true"])))
        assert sum(sizes) == len(rows)
        assert len(sizes) <= 4, type(data)


def test_data_of_every_kind(tmp_path):
    """Frames, tables, relations, lazy frames, files and folders give what arrays give."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    rows = table(600, decimals=3)
    (tmp_path / "parts").mkdir()
    for part in range(3):
        rows[part::3].to_parquet(tmp_path / "parts" / f"{part}.parquet")
    rows.to_parquet(tmp_path / "hive", partition_cols=["site"])
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    frame = polars.from_pandas(rows)
    kinds = {
        "pandas": rows,
        "polars": frame,
        "lazy": frame.lazy(),
        "scan": polars.scan_parquet(tmp_path / "rows.parquet"),
        "arrow": pyarrow.Table.from_pandas(rows),
        "relation": duckdb.sql("SELECT * FROM rows"),
        "file": tmp_path / "rows.parquet",
        "name": str(tmp_path / "rows.csv"),
        "folder": tmp_path / "parts",
        "hive": tmp_path / "hive",
        "arrays": {name: rows[name].to_numpy() for name in rows},
    }
    metrics = ["roc_auc", "log_loss"]
    exact = evaluate(
        rows["ill"], y_score=rows["p"], metrics=metrics, by=pandas.DataFrame({"site": rows["site"]})
    )
    for kind, data in kinds.items():
        found = evaluate("ill", y_score="p", data=data, metrics=metrics, by="site")
        for group in exact:
            for name in metrics:
                assert found[group][name] == pytest.approx(exact[group][name], abs=1e-12), kind
    with pytest.raises(TypeError, match="cells_query"):
        evaluate("ill", y_score="p", data=3, metrics=metrics)
