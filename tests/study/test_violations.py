"""Counts of violations: the printed tables, and a count by hand."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from skaucx.metrics import auc_family, list_metrics
from skaucx.study import (
    SetCollection,
    Tally,
    Violations,
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parse_sets,
)
from skaucx.study import _measures as module
from tests.closeness import rounding

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "auc_variants.json").read_text())
TABLE_5_1, TABLE_5_2 = GOLDEN["table_5_1"], GOLDEN["table_5_2"]
VARIANTS = {
    "roc_auc", "gini", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm4_auc",
    "mm6_auc", "mm7_auc", "mm11_auc",
}  # fmt: skip


def parameters(table):
    return {name: float(Fraction(value)) for name, value in table["parameters"].items()}


def registry_name(printed):
    return "roc_auc" if printed == "auc" else printed


def source(name):
    scores, labels = TABLE_5_2["sources"][name], TABLE_5_2["source_labels"]
    return parse_sets(
        " ".join(f"{score}{side}" for score, side in zip(scores, labels, strict=True))
    )


def row_sets(row):
    sets = narrow_margins(source(row["row"][0]), row["margin_steps"])
    return all_labellings(narrow_spans(sets, row["span_steps"]))


def test_table_5_1(tally):
    sets = narrow_spans(parse_sets("\n".join(TABLE_5_1["sources"])), TABLE_5_1["span_steps"])
    result = count_violations(sets, **parameters(TABLE_5_1))
    assert (result.sets, result.correct) == (TABLE_5_1["sets"], TABLE_5_1["correct"])
    tally["cells of table 5.1"] += 2
    for what in ("violations", "lowest_correct", "highest_incorrect"):
        for name, printed in TABLE_5_1[what].items():
            value = getattr(result.measures[registry_name(name)], what)
            assert abs(value - printed) <= (0 if what == "violations" else 0.0005 + 1e-12)
            tally["cells of table 5.1"] += 1


@pytest.mark.parametrize("row", TABLE_5_2["rows"], ids=lambda row: row["row"])
def test_table_5_2(row, tally):
    result = count_violations(row_sets(row), **parameters(TABLE_5_2))
    assert (result.sets, result.correct) == (row["sets"], row["correct"])
    found = {name: result.measures[name].violations for name in row["violations"]}
    assert found == row["violations"]
    tally["cells of table 5.2"] += 2 + len(found)


def random_collection(seed, n_sets=80):
    rng = np.random.default_rng(seed)
    sets = []
    for size in rng.integers(2, 7, n_sets):
        truth = rng.permutation(np.arange(size) < rng.integers(1, size))
        sets.append((truth, ((rng.random(size) + 0.6 * truth) / 1.6).round(2)))
    return SetCollection.from_sets(sets)


def test_count_by_hand():
    sets = random_collection(0)
    given = {"q": 0.4, "beta": 3.0, "floor": 0.2, "auc_power": 0.7, "margin_power": 0.3}
    families = [auc_family(truth, score, **given) for truth, score in sets]
    correct = [min(s[t]) > max(s[~t]) for t, s in sets]
    assert 10 < sum(correct) < 70
    result = count_violations(sets, **given)
    assert set(result.measures) == VARIANTS
    for name, tally in result.measures.items():
        good = [f[name] for f, c in zip(families, correct, strict=True) if c]
        bad = [f[name] for f, c in zip(families, correct, strict=True) if not c]
        assert tally.violations == sum(value < max(bad) - 1e-12 for value in good)
        assert tally.lowest_correct == pytest.approx(min(good), abs=rounding(20))
        assert tally.highest_incorrect == pytest.approx(max(bad), abs=rounding(20))
    assert result.measures["prob_auc"].violations > 0


def test_values_within_a_trillionth_are_ties():
    sets = parse_sets("0.9p 0.1n\n0.9p 0.1n\n0.9p 0.1n\n0.1p 0.9n")
    result = Violations(sets, {"m": np.array([0.5, 0.5 - 0.9e-12, 0.5 - 1.1e-12, 0.5])})
    assert result.measures["m"] == Tally(1, 0.5 - 1.1e-12, 0.5)
    assert result.violating("m").tolist() == [False, False, True, False]


def test_one_side_only():
    plain = count_violations(parse_sets("0.9p 0.1n"), ["mm7_auc"])
    assert plain.measures["mm7_auc"].violations == 0
    assert math.isnan(plain.measures["mm7_auc"].highest_incorrect)
    wrong = count_violations(parse_sets("0.1p 0.9n"), "mm7_auc")
    assert (wrong.correct, wrong.measures["mm7_auc"].violations) == (0, 0)
    assert math.isnan(wrong.measures["mm7_auc"].lowest_correct)


def test_every_variant_of_the_registry_takes_part():
    own = {row.name for row in list_metrics() if row.family == "AUC variants"}
    assert own == VARIANTS | {"pairwise_auc"}
    result = count_violations(source("A"), difference=np.sign)
    assert set(result.values) == own


def test_measures_are_chosen_in_the_order_given_once_each():
    result = count_violations(source("A"), ["mm7_auc", "auc", "roc_auc_score"])
    assert list(result.measures) == ["mm7_auc", "roc_auc"]


@pytest.mark.parametrize(
    ("measures", "given", "error", "message"),
    [
        (["mm8_auc"], {}, ValueError, "'mm8_auc' is not the name of a metric"),
        (
            ["recall"],
            {},
            ValueError,
            "'recall' in measures is not a measure of score sets, since it reads y_pred",
        ),
        ([], {}, ValueError, "measures is empty"),
        ("all", {"q": -1}, ValueError, r"q must be a finite number in \[0, inf\], found -1"),
        ("all", {"gamma": 1}, TypeError, "gamma"),
    ],
)
def test_bad_requests(measures, given, error, message):
    with pytest.raises(error, match=message):
        count_violations(source("A"), measures, **given)


def test_long_sets_are_ranked_one_by_one(monkeypatch):
    sets = random_collection(3)
    usual = count_violations(sets, beta=2)
    monkeypatch.setattr(module, "_LONGEST_BY_PAIRS", 4)
    for name, value in count_violations(sets, beta=2).values.items():
        np.testing.assert_allclose(value, usual.values[name], atol=rounding(20))


@pytest.mark.parametrize("what", ["span", "margin", "balance", "relative_margin", "median"])
def test_breakdown(what):
    result = count_violations(all_labellings(narrow_spans(source("A"), 10)))
    edges = [0.0, 0.15, 0.3, 0.6, 1.0]
    parts = result.by(what, bins=edges)
    value = getattr(result.collection, what).round(12)
    assert parts.correct.sum() == result.correct
    for name, counts in parts.violations.items():
        assert counts.sum() == result.measures[name].violations
        for low, high, count in zip(edges, edges[1:], counts, strict=False):
            inside = (value >= low) & ((value < high) | (high == value) & (high == 1))
            assert count == (inside & result.violating(name)).sum()


def test_breakdown_puts_rounded_values_into_their_bin():
    sets = parse_sets("0.7p 0.4n\n0.3p 0n\n0.8p 0.5n")  # as floats they differ
    assert len({*sets.span.tolist()}) == 3
    assert count_violations(sets).by("span").correct.tolist() == [0, 0, 0, 3] + [0] * 6


def test_breakdown_prints_and_makes_a_frame():
    result = count_violations(all_labellings(source("A")), ["roc_auc", "prob_auc"])
    parts = result.by("margin", bins=2)
    assert str(parts).splitlines() == [
        "margin    correct  roc_auc  prob_auc",
        "0 to 0.5        5        0         0",
        "0.5 to 1        0        0         0",
    ]
    assert parts.to_frame()["correct"].tolist() == [5, 0]
    assert result.to_frame().loc["prob_auc", "violations"] == 0


@pytest.mark.parametrize(
    ("what", "bins", "message"),
    [
        ("errors", 10, "property must be one of"),
        ("span", 0, "bins must be a whole number >= 1"),
        ("span", True, "bins must be a whole number >= 1"),
        ("span", 2.5, "bins must be a whole number >= 1"),
        ("span", [0.5, 0.2], "bins must be rising edges"),
        ("span", [0.0, 0.5], "bins must enclose the span of every correctly ranked set"),
    ],
)
def test_bad_breakdowns(what, bins, message):
    with pytest.raises(ValueError, match=message):
        count_violations(source("A")).by(what, bins=bins)


def test_confusion():
    sets = random_collection(5, 60)
    result = count_violations(sets, ["roc_auc", "scor_auc", "mm7_auc"])
    confusion = result.confusion()
    assert list(confusion) == [
        ("roc_auc", "scor_auc"), ("roc_auc", "mm7_auc"), ("scor_auc", "mm7_auc"),
    ]  # fmt: skip
    assert all(orders.pairs == 60 * 59 // 2 for orders in confusion.values())
    a, b = result.values["roc_auc"], result.values["scor_auc"]
    against = (a[:, None] - a) * (b[:, None] - b) < -1e-24
    assert confusion["roc_auc", "scor_auc"].reversed == against.sum() // 2 > 0


def test_62000_sets_take_well_under_a_second():
    rng = np.random.default_rng(0)
    source_sets = SetCollection.from_arrays([[1, 1, 1, 0, 0, 0]] * 1000, rng.random((1000, 6)))
    start = time.process_time()
    result = count_violations(all_labellings(source_sets))
    assert len(result.measures) == 11
    assert result.sets == 62000
    assert time.process_time() - start < 1
