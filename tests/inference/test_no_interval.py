"""Metrics whose bootstrap says nothing, what has no interval, and what is said instead."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.inference._intervals.covered import BELOW, SIZES

SEVERAL = "rows of the rarest of several classes"
SIZE_OF = {
    "50 rows, .1": ("rows of a class", 5), "50 rows, .5": ("rows of a class", 25),
    "100 rows, .2": ("rows of a class", 20), "100 rows, .5": ("rows of a class", 50),
    "1,000 rows, .05": ("rows of a class", 50), "1,000 rows, .5": ("rows of a class", 500),
    "10 groups": ("groups", 10), "10 unequal groups": ("groups", 10),
    "30 groups": ("groups", 30), "30 unequal groups": ("groups", 30),
    "100 unequal groups": ("groups", 100),
    "5 classes, 100 rows": (SEVERAL, 3), "5 classes, 300 rows": (SEVERAL, 9),
}  # fmt: skip


def calibrated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = special.expit(1.2 * rng.normal(size=n) - 0.8)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("method", ["auto", "bca", "percentile"])
def test_errors_that_chance_raises_have_no_interval_but_the_true_reason(method):
    y, p = calibrated()
    asked = [("binned_calibration_error", {"norm": norm}) for norm in ("l1", "l2", "max")]
    for name, options in [*asked, ("miscalibration_component", {})]:
        found = interval(name, y, p, method=method, random_state=0, **options)
        assert np.isnan([found.low, found.high, found.standard_error]).all()
        assert found.n_resamples == 0
        assert "biased upward" in found.note or "overfits" in found.note
        assert "same value" not in found.note
        assert "no 95 % interval" in repr(found)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_debiased_error_covers_calibrated_and_miscalibrated_models(strategy, power):
    """Of 200 intervals of 95 % about 10 miss; the plain bootstrap covers none of the calibrated ones."""
    rng = np.random.default_rng(0)
    logit = 1.2 * rng.normal(size=400_000) - 0.8
    true, told = special.expit(logit), special.expit(power * logit)
    ends = np.linspace(0, 1, 16)[1:-1]
    edges = ends if strategy == "uniform" else np.quantile(told, ends)
    number = np.searchsorted(edges, told)
    gaps = np.bincount(number, true - told, 15) / len(told)
    shares = np.bincount(number, minlength=15) / len(told)
    target = 0.0 if power == 1 else np.sqrt((gaps**2 / shares).sum())
    missed, widths, how = 0, [], {"norm": "l2", "debias": True}
    for _ in range(200):
        rows = rng.integers(len(true), size=500)
        y = rng.random(500) < true[rows]
        found = interval("binned_calibration_error", y, told[rows], **how, strategy=strategy)
        assert found.method == "score"
        assert found.low <= found.estimate <= found.high
        missed += not found.low <= target <= found.high
        widths.append(found.high - found.low)
    assert missed <= 18
    assert max(widths) < 0.2


def test_debiased_error_of_the_likeliest_class_and_its_limits():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 2, 3], 600)
    y = (p.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)
    how = {"norm": "l2", "debias": True}
    found = interval("binned_calibration_error", y, p, **how)
    assert found.low == 0
    assert found.method == "score"
    sharp = p**4 / (p**4).sum(axis=1, keepdims=True)
    assert interval("binned_calibration_error", y, sharp, **how).low > 0.05
    rows = {"sample_weight": p[:, 0] + 1}, {"groups": np.arange(600) // 2}, {"classes": "each"}
    for given in rows:
        none = interval("binned_calibration_error", y, p, **given, **how)
        assert np.isnan(none.low)
        assert "unweighted rows" in none.note


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_an_estimate_beside_its_resamples_has_no_interval(method):
    def distinct(y_true, y_score):
        return len(np.unique(y_score)) / len(y_score)

    found = interval(distinct, *calibrated(80), method=method, n_resamples=60, random_state=0)
    assert np.isnan([found.low, found.high]).all()
    assert "100 % of the resamples are below the estimate" in found.note


@pytest.mark.parametrize("name", ["calibration_slope", "calibration_intercept"])
def test_a_certain_and_wrong_probability_is_named_with_the_remedy(name):
    y, p = calibrated(50)
    p[np.flatnonzero(y)[0]] = 0.0
    with pytest.warns(UndefinedMetricWarning, match="0 or 1.* clip"):
        found = interval(name, y, p, n_resamples=19, random_state=0)
    assert np.isnan(found.estimate)
    assert "clip the probabilities" in found.note


def test_a_part_undefined_on_the_sample_counts_on_resamples_as_there():
    """Rows without labels have a Jaccard index of 0 by definition, in the sample and every resample."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 2, (2, 60, 4))
    true[:5] = pred[:5] = 0
    with pytest.warns(UndefinedMetricWarning, match="for sample 0, 1"):
        found = interval("jaccard_samples", true, pred, random_state=0)
    assert found.low < found.estimate < found.high
    assert "undefined (0/0) for sample 0, 1" in found.note
    assert "counts as 0" in found.note
    union = (true | pred).sum(axis=1)
    rows = (true & pred).sum(axis=1) / np.maximum(union, 1)
    half = 1.96 * rows.std(ddof=1) / np.sqrt(60)
    assert found.low == pytest.approx(rows.mean() - half, abs=0.02)
    assert found.high == pytest.approx(rows.mean() + half, abs=0.02)


def test_the_seed_that_is_printed_draws_the_same_interval_again():
    y, p = calibrated(80)
    few = {"n_resamples": 39}
    first = interval("mm4_auc", y, p, **few)
    drawn = interval("mm4_auc", y, p, random_state=np.random.default_rng(0), **few)
    table = evaluate(y, y_score=p, metrics=["mm4_auc"], intervals=True, **few)
    for one, shown in ((first, first), (drawn, drawn), (table.intervals["mm4_auc"], table)):
        assert f"39 resamples, seed {one.random_state}" in " ".join(repr(shown).split())
        again = interval("mm4_auc", y, p, random_state=one.random_state, **few)
        assert (again.low, again.high) == (one.low, one.high)
    row = first.to_frame().iloc[0]
    assert (row["n_resamples"], row["random_state"]) == (39, first.random_state)
    assert interval("roc_auc", y, p).random_state is None


def test_the_table_of_coverage_is_what_intervals_say():
    """Each cell below 92 stands in both, the lowest of the designs of one size."""
    table = Path(__file__).parents[2] / "benchmarks" / "results" / "coverage.md"
    lines = [line for line in table.read_text("utf-8").splitlines() if line.startswith("|")]
    heads, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    shown = defaultdict(list)
    for name, _, *cells in rows[1:]:
        for design, cell in zip(heads[2:], cells, strict=True):
            noun, size = SIZE_OF[design]
            shown[noun, name, size] += [int(cell)] if cell else []
    said = {
        (noun, name, size): value
        for noun, own in BELOW.items()
        for name, sizes in own.items()
        for size, value in sizes.items()
    }
    assert {noun: {*sizes} for noun, sizes in SIZES.items()} == {
        noun: {size for each, size in SIZE_OF.values() if each == noun} for noun in SIZES
    }
    for place, value in said.items():
        assert abs(min(shown[place]) - value) <= 0.55, place  # rounded apart
    assert {place for place, cells in shown.items() if cells and min(cells) < 92} <= {*said}


def test_an_average_of_a_rare_class_has_an_interval_where_it_covers():
    """Of the smallest of several classes; on request, and of other averages, it stays."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 60, 4])
    pred = np.where(rng.random(len(y)) < 0.7, y, rng.integers(0, 3, len(y)))
    found = interval("recall", y, pred, average="macro")
    assert np.isnan([found.low, found.high]).all()
    assert "at 3 rows of the rarest of several classes" in found.note
    for more in ({"average": "macro", "method": "bca"}, {"average": "weighted"}):
        found = interval("recall", y, pred, random_state=0, **more)
        assert found.low < found.estimate < found.high


def test_a_size_that_covers_too_rarely_is_said_or_has_no_interval(monkeypatch):
    """The greatest size of the table that the rarer class reaches decides."""
    below = {"rows of a class": {"f1": {5: 87.5, 20: 91.5}}, "groups": {"f1": {10: 80.0}}}
    monkeypatch.setattr("skaucx.inference._intervals.covered.BELOW", below)
    rng = np.random.default_rng(0)
    for positives, limits, said in (
        (19, False, "at 5 rows"),
        (20, True, "at 20 rows"),
        (25, True, ""),
    ):
        y = np.repeat([1, 0], [positives, 100])
        pred = np.where(rng.random(len(y)) < 0.8, y, 1 - y)
        found = interval("f1", y, pred)
        assert (not np.isnan(found.low), said in found.note) == (limits, True)
        assert ("contained the true value" in found.note) == bool(said)
        assert not np.isnan(interval("recall", y, pred).low)
        assert not np.isnan(interval("f1", y, pred, method="clopper-pearson").low)
    grouped = [interval("f1", y, pred, groups=np.arange(125) % k) for k in (12, 30)]
    assert [np.isnan(each.low) for each in grouped] == [True, False]
