"""Intervals of means of losses of rows in chunks need sums and sums of squares, no cells of scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS, declare
from skaucx.scale import MetricAccumulator
from skaucx.scale._score_counts import ScoreCounts, squares_for

RNG = np.random.default_rng(8)
N = 301
TRUTH = (RNG.random(N) < 0.3).astype(int)
SCORE = np.clip(RNG.normal(0.4 + 0.3 * TRUTH, 0.2), 0.01, 0.99)
CLASS = RNG.integers(0, 3, N)
PROBA = RNG.dirichlet(np.ones(3), N)
SITE = np.array(["north", "south"])[RNG.integers(0, 2, N)]
MEANS = [
    name
    for name, f in METRICS.items()
    if f.metric.kind.inputs is SCORES and squares_for(f.metric, {}) is not None
]
CASES = {
    "numbers": (TRUTH, SCORE, {}),
    "strings": (np.array(["well", "ill"])[TRUTH], SCORE, {"pos_label": "ill"}),
    "classes": (CLASS, PROBA, {}),
    "one row": (TRUTH[:1], SCORE[:1], {}),
    "two rows": (TRUTH[:2], SCORE[:2], {}),
    "alike": (np.ones(40, dtype=int), np.full(40, 0.7), {}),
}


def chunks(y, score, **columns):
    names = [f"s{k}" for k in range(np.ndim(score) and np.atleast_2d(score.T).shape[0])]
    parts = dict(zip(names, np.atleast_2d(score.T), strict=True))
    frame = pd.DataFrame({"y": y, **parts, **columns})
    asked = names[0] if np.ndim(score) == 1 else names
    return [part for part in np.array_split(np.arange(len(y)), 7) if len(part)], frame, asked


def in_chunks(y, score, metrics, columns=None, **options):
    rows, frame, asked = chunks(y, score, **(columns or {}))
    data = [frame.iloc[part] for part in rows]
    return evaluate("y", y_score=asked, data=data, metrics=metrics, intervals=True, **options)


def same(found, wanted):
    assert found.method == wanted.method
    assert found.note == wanted.note
    for end in ("estimate", "low", "high", "standard_error"):
        np.testing.assert_allclose(getattr(found, end), getattr(wanted, end), rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_mean_of_losses(case):
    y, score, options = case
    assert {"log_loss", "brier_score_loss", "hinge_loss"} <= set(MEANS)
    for name in MEANS:
        if "hinge" in name and len(np.unique(y)) < 2:
            continue
        found = in_chunks(y, score, [name], **options).intervals[name]
        same(found, interval(METRICS[name], y, score, **options))


def test_beside_other_metrics_and_by_group(monkeypatch):
    """Cells are kept for the metrics that need them, and not where losses alone are evaluated."""
    names = ["log_loss", "roc_auc", "brier_score_loss"]
    found = in_chunks(TRUTH, SCORE, names)
    assert list(found.intervals) == names
    for name in names:
        same(found.intervals[name], interval(name, TRUTH, SCORE))
    held = []
    real = ScoreCounts.__add__
    monkeypatch.setattr(
        ScoreCounts, "__add__", lambda one, two: held.append(real(one, two)) or held[-1]
    )
    apart = in_chunks(TRUTH, SCORE, ["log_loss"], {"site": SITE}, by="site")
    assert held
    assert not any(counts.cells for counts in held)
    for site in ("north", "south"):
        rows = site == SITE
        same(apart[site].intervals["log_loss"], interval("log_loss", TRUTH[rows], SCORE[rows]))


def test_what_sums_do_not_hold_is_refused_with_the_reason():
    counts = MetricAccumulator(["log_loss"]).update(TRUTH, y_score=SCORE)
    with pytest.raises(ValueError, match=r"sums of losses .*use evaluate"):
        counts.result(intervals=True)
    weight = np.ones(N)
    with pytest.raises(ValueError, match="scores with weights"):
        in_chunks(TRUTH, SCORE, ["log_loss"], {"w": weight}, sample_weight="w")
    both = MetricAccumulator().update(TRUTH, y_score=SCORE).result(["log_loss"], intervals=True)
    same(both.intervals["log_loss"], interval("log_loss", TRUTH, SCORE))


def test_an_accumulator_keeps_squares_on_request():
    """Of several columns of scores too, whose cells are no rows."""
    for y, score in ((TRUTH, SCORE), (CLASS, PROBA)):
        counts = MetricAccumulator(["log_loss"], intervals=True).update(y, y_score=score)
        found = counts.result(intervals=True).intervals["log_loss"]
        same(found, interval("log_loss", y, score))
    with pytest.raises(ValueError, match="n_bins and intervals"):
        counts.merge(MetricAccumulator(["log_loss"]))


def test_a_parameter_of_a_loss_reaches_its_squares():
    @declare("probabilities", better="low", mean=1)
    def doubts(p, *, power: float = 1.0):
        """Mean of a power of what the true class was not given."""
        return (1 - p.probability[np.arange(len(p.outcome)), p.outcome]) ** power

    for power in (1.0, 3.0):
        found = in_chunks(TRUTH, SCORE, ["doubts"], power=power).intervals["doubts"]
        same(found, interval(doubts, TRUTH, SCORE, power=power))
