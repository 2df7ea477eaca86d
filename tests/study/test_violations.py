"""Counts of violations: printed tables, counts by hand, breakdowns, orders of pairs, pictures."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from skaucx.metrics import auc_family, list_metrics
from skaucx.study import (
    Breakdown,
    BreakdownDisplay,
    DifferenceDisplay,
    PairOrders,
    Tally,
    ValueRangesDisplay,
    Violations,
    ViolationsDisplay,
    all_labellings,
    count_violations,
    narrow_spans,
    pair_orders,
    parse_sets,
    tune_measure,
)
from tests.closeness import rounding
from tests.study.cases import SIX, random_collection

VARIANTS = {
    "roc_auc", "gini", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm4_auc",
    "mm6_auc", "mm7_auc", "mm11_auc",
}  # fmt: skip
SETS = all_labellings(narrow_spans(SIX, 30))


TIES_BY_ROUNDING = [
    ("B7", "scor_auc"), ("C2", "prob_auc"), ("C3", "prob_auc"), ("C4", "prob_auc"),
    ("C8", "prob_auc"), ("C8", "mm4_auc"),
]  # fmt: skip


def test_the_example_prints_all_cells_but_the_misprint(monkeypatch, capsys):
    """The thesis states the tallies: one measure alone in 24 rows, another in four, others share."""
    path = Path(__file__).parents[2] / "examples" / "study_tables.py"
    spec = importlib.util.spec_from_file_location("study_tables", path)
    example = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "study_tables", example)  # dataclasses look their module up
    spec.loader.exec_module(example)
    example.main()
    output = capsys.readouterr().out
    assert "623 of 630 cells reproduced" in output
    assert len(re.findall(r"\d!", output)) == 1 + len(TIES_BY_ROUNDING)
    assert re.search(r"0\.000 0\.001!", output)
    assert "Table 3.1, row 15, sond_auc: a misprint: no positive scores above" in output
    assert "not explained" not in output
    for row, measure in TIES_BY_ROUNDING:
        cell = rf"Table 5.2, row {row}, {measure}: [\d,]+ violations, [\d,]+ with exact"
        assert re.search(cell, output)
    found = dict(re.findall(r"(\w+) in \d+ rows \((.+?)\)", example.tallies()))
    rows = {name: listed.split(", ") for name, listed in found.items()}
    assert len(rows["mm7_auc"]) == 24
    assert rows["sond_auc"] == ["C4", "E2", "E3", "E4"]
    shared = [f"{s}{i}" for s in "AB" for i in range(1, 5)]
    assert rows["several"] == [*shared, "C1", "C2", "C3", "E1"]


def test_count_by_hand():
    sets = random_collection(0, 80)
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
    right = count_violations(parse_sets("0.9p 0.1n"), ["mm7_auc"])
    assert right.measures["mm7_auc"].violations == 0
    assert math.isnan(right.measures["mm7_auc"].highest_incorrect)
    wrong = count_violations(parse_sets("0.1p 0.9n"), "mm7_auc")
    assert (wrong.correct, wrong.measures["mm7_auc"].violations) == (0, 0)
    assert math.isnan(wrong.measures["mm7_auc"].lowest_correct)


def test_every_variant_of_the_registry_takes_part_once_in_the_order_given():
    own = {row.name for row in list_metrics() if row.family == "AUC variants"}
    assert own == VARIANTS | {"pairwise_auc"}
    assert set(count_violations(SIX, difference=np.sign).values) == own
    some = count_violations(SIX, ["mm7_auc", "auc", "roc_auc_score"])
    assert list(some.measures) == ["mm7_auc", "roc_auc"]
    assert some.to_frame().loc["mm7_auc", "sets"] == 1


@pytest.mark.parametrize("what", ["span", "margin", "balance", "relative_margin", "median"])
def test_breakdown(what):
    result = count_violations(SETS, ["roc_auc", "prob_auc", "mm7_auc"])
    edges = [0.0, 0.15, 0.3, 0.6, 1.0]
    parts = result.by(what, bins=edges)
    value = getattr(result.collection, what).round(12)
    assert parts.correct.sum() == result.correct
    for name, counts in parts.violations.items():
        highest = result.values[name][~result.is_correct].max()
        below = highest - result.values[name] > 1e-12
        for low, high, count in zip(edges, edges[1:], counts, strict=False):
            inside = (value >= low) & ((value < high) | (high == value) & (high == 1))
            assert count == (inside & result.is_correct & below).sum()


def test_breakdown_puts_rounded_values_into_their_bin():
    sets = parse_sets("0.7p 0.4n\n0.3p 0n\n0.8p 0.5n")  # as floats they differ
    assert len({*sets.span.tolist()}) == 3
    found = count_violations(sets, "roc_auc").by("span")
    assert found.correct.tolist() == [0, 0, 0, 3] + [0] * 6
    assert str(found).splitlines()[4].split() == ["0.3", "to", "0.4", "3", "0"]
    assert found.to_frame()["correct"].tolist() == found.correct.tolist()


def tenfold(sets):
    return 10 * sets.span


def test_a_property_of_ones_own():
    study = count_violations(SETS, ["prob_auc"])
    own = study.by(tenfold, bins=4)
    assert own.by == "tenfold"
    assert own.edges[0] == pytest.approx(10 * SETS.span.min())
    assert own.violations["prob_auc"].sum() == study.measures["prob_auc"].violations


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        ("errors", {}, "property must be one of"),
        ("span", {"bins": 0}, "bins must be a whole number >= 1"),
        ("span", {"bins": [0.5, 0.2]}, "bins must be rising edges"),
        ("span", {"bins": [0.0, 0.5]}, "bins must enclose the span of every correctly"),
        (lambda sets: [1.0, 2.0], {}, "one finite number for each"),
    ],
)
def test_bad_breakdowns(what, options, message):
    with pytest.raises(ValueError, match=message):
        count_violations(SIX).by(what, **options)


def test_violations_by_errors_are_those_of_the_plain_loop():
    found = count_violations(SETS, ["roc_auc", "prob_auc", "scor_auc"])
    by, errors = found.by_errors(), SETS.errors
    for place, number in enumerate(by.errors):
        more, here = errors > number, errors == number
        assert by.sets[place] == here.sum()
        for name, value in found.values.items():
            bar = value[more].max(initial=-np.inf)
            assert by.violations[name][place] == (value[here] < bar - 1e-12).sum()
    for name, tally in found.measures.items():
        assert by.violations[name][0] == tally.violations
    assert by.violations["roc_auc"][1:].sum() > 0  # one error of five pairs, two of nine
    assert str(by).splitlines()[1].split() == ["errors", "sets", *found.values]


def orders_by_hand(a, b):
    names = {(True, False): "first_only", (False, True): "second_only", (False, False): "neither"}
    counts = dict.fromkeys(("same", "reversed", *names.values()), 0)
    for i, j in itertools.combinations(range(len(a)), 2):
        x, y = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        both = "same" if x == y else "reversed"
        counts[names.get((x != 0, y != 0), both)] += 1
    return PairOrders(**counts)


@pytest.mark.parametrize("levels", [1, 2, 5, 50])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 33, 64])
def test_orders_by_hand(size, levels):
    a, b = np.random.default_rng(size * levels).integers(levels, size=(2, size)).astype(float)
    assert pair_orders(a, b) == orders_by_hand(a, b)
    assert pair_orders(a, b).pairs == size * (size - 1) // 2


def test_orders_of_all_measures_of_ties_and_of_bad_values():
    result = count_violations(random_collection(5, 60), ["roc_auc", "scor_auc", "mm7_auc"])
    confusion = result.confusion()
    assert list(confusion) == [*itertools.combinations(["roc_auc", "scor_auc", "mm7_auc"], 2)]
    for (one, other), found in confusion.items():
        assert found == pair_orders(result.values[one], result.values[other])
    assert pair_orders([0.5, 0.5 + 0.9e-12], [1, 2]) == PairOrders(0, 0, 0, 1, 0)
    assert pair_orders([0.5, 0.5 + 1.1e-12], [1, 2]) == PairOrders(1, 0, 0, 0, 0)
    with pytest.raises(ValueError, match="NaN or infinity in second"):
        pair_orders([1, 2], [1, np.nan])
    with pytest.raises(ValueError, match="first"):
        pair_orders([1, 2], [1, 2, 3])


def test_best_parameters_by_violations():
    qs = [1 / 3, 1 / 7, 1 / 15]
    found = tune_measure("sond_auc", {"q": qs}, sets=SETS)
    alone = [count_violations(SETS, "sond_auc", q=q).measures["sond_auc"].violations for q in qs]
    assert found.loss.tolist() == alone
    assert found.best == {"q": qs[int(np.argmin(alone))]}
    shown = [line.split()[-1] for line in repr(found).splitlines()]
    assert shown == ["violations", *map(str, alone)]
    several = tune_measure("mm7_auc", {"floor": [0.5, 0.9], "margin_power": [0.01, 0.1]}, sets=SETS)
    assert several.to_frame().shape == (4, 3)


MEASURES = ["roc_auc", "prob_auc", "mm7_auc", "mm11_auc"]


@pytest.fixture(scope="module")
def four():
    return count_violations(SETS, MEASURES)


def labels(ticks):
    return [tick.get_text().replace("\N{MINUS SIGN}", "-") for tick in ticks]


@pytest.mark.presentation
def test_bars_of_violations(four):
    ax = ViolationsDisplay(four).plot().ax_
    counts = [tally.violations for tally in four.measures.values()]
    assert [bar.get_width() for bar in ax.patches] == counts
    assert labels(ax.texts) == [str(count) for count in counts]
    assert labels(ax.get_yticklabels()) == MEASURES
    assert ax.get_ylim() == (3.5, -0.5)
    assert ax.get_xlabel() == "violations, of 150 correctly ranked sets"
    assert ax.get_xlim()[1] > max(counts)


@pytest.mark.presentation
def test_ranges_of_values(four):
    ax = ValueRangesDisplay(four).plot().ax_
    correct, incorrect = (lines.get_segments() for lines in ax.collections)
    for place, (name, tally) in enumerate(four.measures.items()):
        values = four.values[name]
        assert correct[place][0] == pytest.approx([tally.lowest_correct, place - 0.19])
        assert incorrect[place][1] == pytest.approx([tally.highest_incorrect, place + 0.19])
        box = ax.containers[0][place]
        quartiles = np.quantile(values[four.is_correct], [0.25, 0.75])
        assert [box.get_x(), box.get_x() + box.get_width()] == pytest.approx(quartiles)
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked", "incorrectly ranked"]
    assert ax.get_xlim()[1] > 1
    assert len({bars[0].get_hatch() for bars in ax.containers}) == 2
    ax = ValueRangesDisplay(count_violations(parse_sets("0.9p 0.2n"), MEASURES)).plot().ax_
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked"]


def curves(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): np.array(line.get_data()) for line in named}


@pytest.mark.presentation
def test_shares_of_a_breakdown():
    counts = {"roc_auc": np.array([0, 0, 0, 0]), "mm7_auc": np.array([0, 5, 0, 1])}
    correct = np.array([0, 10, 0, 4])
    parts = Breakdown("relative_margin", np.linspace(0, 1, 5), correct, counts)
    ax = BreakdownDisplay(parts).plot().ax_
    found = curves(ax)
    assert found["mm7_auc"].tolist() == [[0.375, 0.875], [0.5, 0.25]]
    assert found["roc_auc"].tolist() == [[0.375, 0.875], [0, 0]]
    assert ax.get_xlim() == (0.25, 1)
    assert ax.get_xlabel() == "relative margin of the set"
    empty = Breakdown("span", np.array([0.0, 1.0]), np.array([0]), {"mm7_auc": np.array([0])})
    assert curves(BreakdownDisplay(empty).plot().ax_)["mm7_auc"].shape == (2, 0)


@pytest.mark.presentation
def test_difference_functions_are_those_of_the_pairs():
    display = DifferenceDisplay(parameters={"beta": 3.0, "q": 0.5}).plot()
    d, values = display.functions
    won = np.maximum(d, 0)
    expected = {
        "roc_auc": np.where(d == 0, 0.5, d > 0), "prob_auc": (1 + d) / 2, "scor_auc": won,
        "sond_auc": np.sqrt(won), "soft_auc": special.expit(3 * d),
    }  # fmt: skip
    assert list(values) == list(expected)
    for name, value in values.items():
        np.testing.assert_allclose(value, expected[name], atol=1e-12)
    assert len(display.ax_.get_lines()) >= 5
