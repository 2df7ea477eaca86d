"""Counts of rows: any parts add up to the same, and are evaluated as the rows, or bounded."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from skaucx.evaluation import evaluate
from skaucx.metrics import average_precision_score, list_metrics
from skaucx.metrics._registry.names import named_metric
from skaucx.scale import ScoreCounts
from skaucx.scale._bounds import _bounded
from tests.scale.test_engines import same_counts

N = 400
RNG = np.random.default_rng(3)
Y = (RNG.random(N) < 0.4).astype(int)
SITE = RNG.choice(["north", "south", "west"], N)
# Ties among scores, some of them between the classes.
SCORE = np.clip(RNG.beta(1.5 + Y, 2.5 - Y), 0.003, 0.997).round(3)
NAMES = ["roc_auc", "average_precision", "sond_auc", "brier_score", "log_loss", "recall", "f1"]
LOSSES = ["brier_score_loss", "log_loss"]


def parts(digits, k=7):
    cuts = np.array_split(np.random.default_rng(k).permutation(N), k)
    return [ScoreCounts.from_rows(Y[c], SCORE[c], digits, by={"site": SITE[c]}) for c in cuts]


def total(counts):
    return sum(counts, start=ScoreCounts())


@pytest.mark.parametrize("digits", [None, 0, 2, 6])
def test_any_parts_in_any_order_add_up_to_the_same(digits):
    whole = ScoreCounts.from_rows(Y, SCORE, digits, by={"site": SITE})
    own = parts(digits)
    same_counts(total(own), whole)
    same_counts(total(own[::-1]), whole)
    same_counts(total(own[:3]) + (own[5] + total(own[3:5])) + own[6], whole)
    below = pd.concat([each.to_frame() for each in own]).sample(frac=1, random_state=0)
    same_counts(ScoreCounts.from_frame(below), whole)
    assert repr(whole) == repr(total(own))


def test_distinct_and_rounded_counts_add_up_where_cells_are_those_of_the_digits():
    single = ScoreCounts.from_rows([0, 1, 1], [0, 1, 1])  # cells of no digits, too
    rounded = ScoreCounts.from_rows([0, 1], [0.25, 0.75], 0)
    same_counts(single + rounded, ScoreCounts.from_rows([0, 1, 1, 0, 1], [0, 1, 1, 0.25, 0.75], 0))
    with pytest.raises(ValueError, match="counted with different digits"):
        total([*parts(2)[:1], *parts(1)[:1]]).evaluate("roc_auc")


@pytest.mark.parametrize("by", [None, "site"])
@pytest.mark.parametrize("labels", [(0, 1), ("ill", "ok"), (False, True)])
def test_distinct_scores_are_the_rows_in_memory(labels, by):
    """Values, intervals, sizes and gaps."""
    truth = np.array(labels)[Y]
    counts = ScoreCounts.from_rows(truth, SCORE, by={"site": SITE})
    options = {"threshold": 0.4, "intervals": True, "n_resamples": 60, "random_state": 0}
    options |= {"pos_label": "ill"} if labels[0] == "ill" else {}
    found = counts.evaluate(by=by, **options)
    wanted = evaluate(truth, y_score=SCORE, by=by and {by: SITE}, **options)
    pairs = [(found[site], wanted[site]) for site in wanted] if by else [(found, wanted)]
    if by:
        assert list(found) == list(wanted)
        assert found.sizes == wanted.sizes
        for name, gap in wanted.difference().items():
            held = found.difference()[name]
            np.testing.assert_allclose([*held], [*gap], rtol=1e-9, atol=1e-12)
    for a, b in pairs:
        assert (a.n_rows, a.positive) == (b.n_rows, b.positive)
        for name, value in b.items():
            assert a[name] == pytest.approx(value, rel=1e-11, nan_ok=True)
            held, own = a.intervals[name], b.intervals[name]
            np.testing.assert_allclose([*held], [*own], rtol=1e-8, equal_nan=True)
            assert held.method == own.method
    if by is None:
        assert str(found) == str(wanted)


def test_a_cell_by_hand():
    """Two pairs lie within the cell [.5, .6), two are won: the AUC is between 1/2 and 1."""
    counts = ScoreCounts.from_rows([0, 1, 0, 1], [0.1, 0.52, 0.55, 0.58], 1)
    found = counts.evaluate(["roc_auc", "brier_score", "log_loss", "recall"], threshold=0.55)
    np.testing.assert_array_equal(found["roc_auc"], [0.5, 1])
    assert found["brier_score"] == pytest.approx((0.01 + 0.48**2 + 0.55**2 + 0.42**2) / 4)
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.52, 0.45, 0.58]).mean())
    np.testing.assert_array_equal(found["recall"], [0, 1])
    assert counts.evaluate("recall", threshold=0.45)["recall"] == 1
    assert "roc_auc have a low and a high value" in " ".join(str(found).split())
    assert re.search(r"roc_auc +low +0\.5000.*\nroc_auc +high +1\.0000", str(found))
    frame = found.to_frame()
    assert frame.loc["roc_auc", "class"].tolist() == ["low", "high"]


OPTIONS = {"threshold": 0.45, "beta": 2, "k": 7, "min_recall": 0.8, "min_precision": 0.6}
OPTIONS |= {"min_specificity": 0.7, "min_sensitivity": 0.7}
BOUNDED = [
    row.name for row in list_metrics() if _bounded(row, False) and row.kind.inputs.of_classes
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_hold_the_value_of_the_rows(name, reverse):
    """Of good and bad models, with cells of one digit."""
    named = named_metric(name)
    taken = {key: value for key, value in OPTIONS.items() if key in named.function.options}
    if named.row.kind.counted:
        taken["threshold"] = 0.45
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.r_[0, 1, rng.integers(0, 2, 30)]
        score = np.clip(rng.beta(1 + 2 * y * rng.random(), 2 - y), 0.01, 0.99)
        score = 1 - score if reverse else score
        wanted = evaluate(y, y_score=score, metrics=[name], **taken)[name]
        counts = ScoreCounts.from_rows(y, score, 1)
        low, high = np.broadcast_to(counts.evaluate([name], **taken)[name], 2)
        if not np.isnan([low, high, wanted]).any():
            assert low - 1e-12 <= wanted <= high + 1e-12, seed


def test_the_least_average_precision_is_that_of_every_order_in_the_cells():
    """Positives at one edge would be ties, whose precision is greater."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        y, cell = np.r_[1, rng.integers(0, 2, 20)], rng.integers(0, 4, 21)
        worst = cell + 0.5 * (1 - y) + rng.random(21) * 0.4
        low, _ = np.broadcast_to(ScoreCounts.from_rows(y, worst / 10, 1).evaluate("ap")["ap"], 2)
        inner = np.array([worst[(y == k) & (cell == c)] for c in range(4) for k in (0, 1)], object)
        assert low <= average_precision_score(y, worst) + 1e-12
        single = all(len(each) < 2 for each in inner)
        assert single or low == pytest.approx(average_precision_score(y, worst), abs=1e-12)


@pytest.mark.parametrize("by", [None, "site"])
def test_intervals_span_those_of_the_rows(by):
    options = {"threshold": 0.405, "intervals": True, "n_resamples": 60, "random_state": 0}
    counts = ScoreCounts.from_rows(Y, SCORE, 2, by={"site": SITE})
    found = counts.evaluate(NAMES, by=by, **options)
    wanted = evaluate(Y, y_score=SCORE, metrics=NAMES, by=by and {by: SITE}, **options)
    for a, b in [(found[g], wanted[g]) for g in wanted] if by else [(found, wanted)]:
        for name in b:
            held, own = a.intervals[name], b.intervals[name]
            wide = {"average_precision": 2e-3}.get(name, 1e-4 if name in LOSSES else 0)
            assert np.all(held.low <= own.low + wide), name
            assert np.all(held.high >= own.high - wide), name
            assert np.all((held.low <= a[name]) & (a[name] <= held.high))
            if name in LOSSES:  # whose intervals are at mean scores
                assert a[name] == pytest.approx(b[name], rel=1e-12)
                assert [*held] == pytest.approx([*own], abs=wide)
    if by:
        assert "site = north" in str(found)
        assert found.overall["roc_auc"][0] < found.overall["roc_auc"][1]
        assert found.to_frame().loc[("west", "roc_auc"), "class"].tolist() == ["low", "high"]
    else:
        assert re.search("roc_auc +low ", str(found))


def of_mine(y_true, y_score):
    return 0.5


def test_sets_leave_out_what_cells_do_not_bound_and_names_are_refused():
    counts = ScoreCounts.from_rows(Y, SCORE, 1)
    found = counts.evaluate(threshold=0.405)
    assert {"roc_auc", "log_loss", "recall"} < set(found)
    assert "calibration_slope" not in found
    assert "Left out, as cells of several scores do not bound them: calibration_slope" in found.note
    for metric in ("binned_calibration_error", "mm7_auc", "observed_expected_ratio", "ks"):
        with pytest.raises(ValueError, match=f"{metric} does not follow from cells"):
            counts.evaluate([metric, "roc_auc"])
        exact = ScoreCounts.from_rows(Y, SCORE).evaluate(metric)
        wanted = evaluate(Y, y_score=SCORE, metrics=[metric])
        assert exact[metric] == pytest.approx(wanted[metric], abs=1e-12)
    with pytest.raises(ValueError, match="rescale= reads the range"):
        counts.evaluate("sond_auc", rescale="minmax")
    with pytest.raises(ValueError, match="recall of several classes does not follow"):
        counts.evaluate("recall", threshold=0.405, average=None)
    with pytest.raises((TypeError, ValueError), match="of_mine"):
        counts.evaluate(of_mine)


# The answer of an engine to the query, a line a cell.
CELLS = ScoreCounts.from_rows(Y, SCORE, 2).to_frame()


def test_frames_of_other_libraries_and_types():
    """Decimals of PostgreSQL, names in capitals of Snowflake, nullable columns, Arrow and polars."""
    exact = CELLS.assign(sum_score=[Decimal(repr(each)) for each in CELLS["sum_score"].tolist()])
    for cells in (
        CELLS.rename(columns=str.upper), exact, CELLS.convert_dtypes(), CELLS.to_dict("list"),
        pytest.importorskip("pyarrow").Table.from_pandas(CELLS),
        pytest.importorskip("polars").from_pandas(CELLS),
    ):  # fmt: skip
        same_counts(ScoreCounts.from_frame(cells), ScoreCounts.from_rows(Y, SCORE, 2))


def changed(column, value, row=3):
    frame = CELLS.astype({column: object})
    frame.loc[row, column] = value
    return frame


def of_rows(y, score, *given, **more):
    return lambda: ScoreCounts.from_rows(y, score, *given, **more)


def of_frame(frame):
    return lambda: ScoreCounts.from_frame(frame)


BAD = {
    "no label": (of_frame(changed("true_label", None)),
        "NaN in the column true_label of cells, in 1 of .* row 3"),
    "no score": (of_frame(changed("lowest", None)), "NaN in the column lowest of cells"),
    "no sum": (of_frame(changed("sum_square", np.nan)), "NaN in the column sum_square of cells"),
    "infinite": (of_frame(changed("highest", np.inf)),
        "column highest of cells has values that are not finite"),
    "negative": (of_frame(changed("n_rows", -2)),
        "n_rows of cells has counts that are not whole.* 1 of"),
    "half": (of_frame(changed("n_rows", 1.5)), "n_rows of cells has counts that are not whole"),
    "edges": (of_frame(changed("lowest", 5.0)),
        "lowest of cells has values above those of highest"),
    "text": (of_frame(changed("sum_score", "much")),
        "column sum_score of cells: numbers are needed"),
    "lacking": (of_frame(CELLS.drop(columns="sum_score")), "cells has no column 'sum_score'"),
    "no rows": (of_frame(CELLS[:0]), "cells is empty: the query found no rows"),
    "no frame": (of_frame([1, 2]), "data must be a frame"),
    "infinite row": (of_rows([0, 1], [0.5, np.inf]), "infinity in y_score.* row 1"),
    "missing row": (of_rows([0, None], [0.5, 0.1]), "NaN in y_true"),
    "matrix": (of_rows([0, 1], [[0.5, 0.1]] * 2), "y_score must hold one score a row"),
    "lengths": (of_rows([0, 1, 1], [0.5, 0.1]), "inconsistent|different lengths|3"),
    "digits": (of_rows([0, 1], [0.5, 0.1], 99), "digits must be at most 15"),
    "groups": (of_rows([0, 1], [0.5, 0.1], by={"site": ["a", None]}), "NaN in by site"),
    "empty": (lambda: ScoreCounts().evaluate(), "No rows are counted"),
    "three": (lambda: of_rows([0, 1, 2], [0.1, 0.2, 0.3])().evaluate(), "holds 0, 1, 2, but"),
    "kinds": (lambda: total([of_rows([0], [0.5])(), of_rows(["1"], [0.5])()]).evaluate(),
        "holds 0, '1', but"),
    "column": (lambda: parts(2)[0].evaluate(by="year"), "by='year' is none of.*: site"),
    "unlike": (lambda: parts(2)[0] + of_rows(Y, SCORE)(),
        r"groups \['site'\] and \[\] do not add up"),
    "unknown": (lambda: ScoreCounts.from_rows(Y, SCORE, 1).evaluate("roc_auc", pos_label="ill"),
        "pos_label='ill' is not a valid label"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_column_and_rows(case):
    call, message = BAD[case]
    with pytest.raises((ValueError, TypeError), match=message):
        call()
