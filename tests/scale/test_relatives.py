"""Counts reach every metric by many ways, and each way gives what `evaluate` gives of the rows.

Whichever label is positive, however labels are held and rows weighed.
"""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import precision_recall_curve, roc_curve
from skaucx.scale import MetricAccumulator, cells_query

METRICS = ["roc_auc", "average_precision", "brier_score_loss", "log_loss"]
# The negative and the positive label, in both orders.
PAIRS = {
    "int": (0, 1),
    "int, falling": (1, 0),
    "other int, falling": (2, 1),
    "str": ("ill", "well"),
    "str, falling": ("well", "ill"),
    "bool": (False, True),
    "bool, falling": (True, False),
    "object": ("ill", "well"),
    "object, falling": ("well", "ill"),
}
WEIGHTS = ("none", "int", "float", "a group of zeros")


def rows_of(labels, weights, n=300):
    """Return rows of two groups; scores of three decimals, so that narrow cells hold one each."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(7)
    truth, site = rng.random(n) < 0.4, rng.choice(["north", "south"], n)
    truth[:40] = False  # a chunk of one class
    weight = {
        "none": np.ones(n),
        "int": rng.integers(0, 4, n),
        "float": rng.random(n) * (rng.random(n) < 0.9),
        "a group of zeros": np.where(site == "south", 0.0, 1.5),
    }[weights]
    return pandas.DataFrame(
        {
            "y": truth_of(labels, truth),
            "p": np.round(np.clip(0.2 * truth + 0.8 * rng.random(n), 0, 1), 3),
            "site": site,
            "w": weight,
        }
    )


def truth_of(labels, truth):
    found = np.where(truth, PAIRS[labels][1], PAIRS[labels][0])
    return found.astype(object) if labels.startswith("object") else found


def update(found, part, weights):
    weight = None if weights == "none" else part["w"]
    return found.update(part["y"], y_score=part["p"], sample_weight=weight)


def from_query(rows, labels, weights, bits=20, **options):
    duckdb = pytest.importorskip("duckdb")
    negative, positive = PAIRS[labels]
    query = cells_query(
        "rows", true="y", score="p", weight=None if weights == "none" else "w", bits=bits,
        pos_label=positive, neg_label=negative, **options,
    )  # fmt: skip
    return duckdb.sql(query).df()


def by_rows(rows, labels, weights, folder):
    return update(MetricAccumulator(), rows, weights)


def by_chunks(rows, labels, weights, folder):
    found = MetricAccumulator()
    for start, stop in ((0, 40), (40, 41), (41, len(rows))):
        update(found, rows[start:stop], weights)
    return found


def by_merge(rows, labels, weights, folder):
    there = update(MetricAccumulator(), rows[40:], weights)
    return update(MetricAccumulator(), rows[:40], weights).merge(there)


def by_file(rows, labels, weights, folder):
    by_rows(rows, labels, weights, folder).to_file(folder / "counts.json")
    return MetricAccumulator.from_file(folder / "counts.json")


def by_cells(rows, labels, weights, folder):
    table = from_query(rows, labels, weights, losses=True, ends=True)
    return MetricAccumulator.from_cells(table, labels=PAIRS[labels])


def by_merged_cells(rows, labels, weights, folder):
    here, there = (by_cells(part, labels, weights, folder) for part in (rows[:200], rows[200:]))
    return here.merge(there)


def by_narrowed_cells(rows, labels, weights, folder):
    wide = from_query(rows, labels, weights, bits=2, losses=True, ends=True)
    found = MetricAccumulator.from_cells(wide, labels=PAIRS[labels])
    return found.narrow(from_query(rows, labels, weights, within=found.open_cells()))


def by_narrowed_file(rows, labels, weights, folder):
    """A file does not hold which class a query counts as positive."""
    wide = from_query(rows, labels, weights, bits=2, losses=True, ends=True)
    MetricAccumulator.from_cells(wide, labels=PAIRS[labels]).to_file(folder / "counts.json")
    found = MetricAccumulator.from_file(folder / "counts.json")
    table = from_query(rows, labels, weights, within=found.open_cells())
    return found.narrow(table, pos_label=PAIRS[labels][1])


WAYS = (
    by_rows, by_chunks, by_merge, by_file, by_cells, by_merged_cells,
    by_narrowed_cells, by_narrowed_file,
)  # fmt: skip


# Half of all pairs: every kind of labels with two kinds of weights, and the other way round.
CASES = [
    (pair, w) for i, pair in enumerate(PAIRS) for j, w in enumerate(WEIGHTS) if not (i + j) % 2
]


@pytest.mark.parametrize(("labels", "weights"), CASES)
def test_every_way_gives_the_metrics_of_the_rows(labels, weights, tmp_path):
    rows, positive = rows_of(labels, weights), PAIRS[labels][1]
    weight = None if weights == "none" else rows["w"]
    exact = evaluate(
        rows["y"], y_score=rows["p"], sample_weight=weight, metrics=METRICS, pos_label=positive
    )
    counted = len(rows) if weight is None else np.count_nonzero(rows["w"])
    for way in WAYS:
        found = way(rows, labels, weights, tmp_path)
        assert found.n_samples == counted, way.__name__
        for name, value in found.result(METRICS, pos_label=positive).items():
            # Sums of at most 300 rounded terms, and bounds that hold the exact value.
            low, high = getattr(value, "low", value), getattr(value, "high", value)
            assert low - 1e-12 <= exact[name] <= high + 1e-12, (way.__name__, name)
            assert high - low <= 1e-12, (way.__name__, name)


@pytest.mark.parametrize(("labels", "weights"), CASES)
def test_groups_of_cells_are_those_of_the_rows(labels, weights):
    rows, positive = rows_of(labels, weights), PAIRS[labels][1]
    weight = None if weights == "none" else rows["w"]
    exact = evaluate(
        rows["y"], y_score=rows["p"], sample_weight=weight, by={"site": rows["site"]},
        metrics=METRICS, pos_label=positive,
    )  # fmt: skip
    table = from_query(rows, labels, weights, by="site", losses=True)
    found = MetricAccumulator.from_cells(table, by="site", labels=PAIRS[labels])
    assert found.keys() == exact.keys()
    assert ("south" in found) == (weights != "a group of zeros")
    for site, counts in found.items():
        assert counts.n_samples == np.count_nonzero(rows["w"][rows["site"] == site])
        for name, value in counts.result(METRICS, pos_label=positive).items():
            assert value == pytest.approx(exact[site][name], abs=1e-12), (site, name)


@pytest.mark.parametrize("labels", PAIRS)
def test_cells_keep_the_positive_class_that_they_were_given(labels):
    """Given once, it holds for results, intervals and curves."""
    rows, positive = rows_of(labels, "none"), PAIRS[labels][1]
    found = by_cells(rows, labels, "none", None)
    exact = evaluate(rows["y"], y_score=rows["p"], metrics=METRICS, pos_label=positive)
    for name, value in found.result(METRICS).items():
        assert value == pytest.approx(exact[name], abs=1e-12), name
        own, other = (
            found.interval(name),
            interval(name, rows["y"], rows["p"], pos_label=positive),
        )
        assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=1e-9), name
    for curve, axis in ((roc_curve, "tpr"), (precision_recall_curve, "precision")):
        other = curve(rows["y"], rows["p"], pos_label=positive)
        assert getattr(found.curve(curve), axis) == pytest.approx(getattr(other, axis), abs=1e-12)
    # Another class may be requested.
    other = found.result(["roc_auc"], pos_label=PAIRS[labels][0])["roc_auc"]
    assert other == pytest.approx(1 - exact["roc_auc"], abs=1e-12)


def test_narrower_cells_of_unknown_classes_are_refused():
    rows = rows_of("str, falling", "none")
    wide = update(MetricAccumulator(max_cells=9), rows, "none")
    table = from_query(rows, "str, falling", "none", within=wide.open_cells())
    with pytest.raises(ValueError, match="pos_label"):
        wide.narrow(table)
    with pytest.raises(ValueError, match="pos_label='sick'"):
        wide.narrow(table, pos_label="sick")
    with pytest.raises(ValueError, match="changed between two passes"):
        wide.narrow(table, pos_label="well")


def test_rows_that_move_between_cells_are_refused():
    """The same number of rows of each class in all, and another one in two cells."""
    rows = rows_of("int", "none")
    wide = MetricAccumulator.from_cells(from_query(rows, "int", "none", bits=2))
    moved = rows.assign(p=np.where(rows.index == rows["p"].idxmin(), 0.6, rows["p"]))
    with pytest.raises(ValueError, match="changed between two passes"):
        wide.narrow(from_query(moved, "int", "none", within=[(0.0, 1.0)]))
    # No open cells: a query without rows, which changes nothing.
    before = wide.result(["roc_auc"])["roc_auc"]
    after = wide.narrow(from_query(rows, "int", "none", within=[])).result(["roc_auc"])["roc_auc"]
    assert (after.low, after.high) == (before.low, before.high)


GOOD = {
    "site": ["a", "b"], "positive": [1, 2], "negative": [2, 1], "least": [0.1, 0.5],
    "greatest": [0.4, 0.9], "rows": [3, 3], "brier": [0.5, 0.5], "log": [0.9, 0.8],
}  # fmt: skip


@pytest.mark.parametrize("by", [None, "site"])
def test_tables_that_no_query_gives(by):
    assert MetricAccumulator.from_cells(GOOD)._counts.rows == 6
    for name in GOOD.keys() - {"site"}:
        for change, message in (
            (GOOD[name][:1], f"{name} has 1"),
            ([GOOD[name]], f"vectors.*{name}"),
            ([np.nan, 1], f"[Cc]olumns? .*{name}"),
            ([-1, 3], f"{name}|rows|least"),
        ):
            with pytest.raises(ValueError, match=message):
                MetricAccumulator.from_cells({**GOOD, name: change}, by=by)
    for empty in (
        {name: [] for name in GOOD},
        {**GOOD, "positive": [0, 0], "negative": [0, 0], "known": [3, 3], "weighed": [3, 3]},
    ):
        with pytest.raises(ValueError, match=r"no rows, .*weigh 0"):
            MetricAccumulator.from_cells(empty, by=by)
    for labels, error in (
        ((0, "ill"), TypeError),
        ((0, None), ValueError),
        ((0, 1, 2), ValueError),
    ):
        with pytest.raises(error, match="labels"):
            MetricAccumulator.from_cells(GOOD, by=by, labels=labels)


def test_sums_are_of_double_precision():
    """Of columns of single precision too, as the values of the rows are."""
    rows = rows_of("int", "float").astype({"p": np.float32, "w": np.float32})
    found = by_cells(rows, "int", "float", None).result(METRICS)
    exact = evaluate(
        rows["y"], y_score=rows["p"].astype(float), sample_weight=rows["w"].astype(float),
        metrics=METRICS,
    )  # fmt: skip
    for name, value in found.items():
        assert value == pytest.approx(exact[name], rel=1e-13), name
