"""Metrics of a stream of rows, with limits that hold at every look."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skaucx.evaluation import evaluate
from skaucx.gold import MetricMonitor
from skaucx.inference import interval
from skaucx.inference._intervals.sequences import (
    BoundedMean,
    bounded_ends,
    log_evidence_of_mean,
    log_mixture,
    time_uniform,
)
from tests.annexes import is_there, needs

if is_there("scale"):
    from skaucx.scale import MetricAccumulator

WATCHED = ["accuracy", "recall", "precision", "specificity", "brier_score_loss"]


def stream(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4) * 1
    score = 1 / (1 + np.exp(-(2 * rng.normal(size=n) + 3 * truth - 1.5)))
    return truth, (score > 0.5) * 1, score


def test_values_are_those_of_the_metrics():
    truth, label, score = stream()
    monitor = MetricMonitor(WATCHED)
    for part in np.array_split(np.arange(len(truth)), 7):
        monitor.update(truth[part], label[part], score[part])
    values = evaluate(truth, label, score, metrics=WATCHED)
    for name, found in monitor.result().items():
        assert found.estimate == pytest.approx(values[name], abs=1e-12)
        assert found.low < found.estimate < found.high
        assert found.method == "time-uniform"
    names = np.array(["well", "ill"])
    words = MetricMonitor(WATCHED[:4], pos_label="ill").update(names[truth], names[label])
    assert words.result()["recall"].low == monitor.result()["recall"].low
    assert len(monitor.to_frame()) == 7 * len(WATCHED)


def test_parts_do_not_matter():
    truth, label, score = stream(500)
    whole = MetricMonitor([*WATCHED, "roc_auc"], below={"recall": 0.95}).update(truth, label, score)
    rows = MetricMonitor([*WATCHED, "roc_auc"], below={"recall": 0.95})
    for k in range(len(truth)):
        rows.update(truth[k : k + 1], label[k : k + 1], score[k : k + 1])
    for name, found in whole.result().items():
        assert found.low == pytest.approx(rows.result()[name].low, abs=1e-12)
    assert whole.alarms == rows.alarms != {"recall": None}


@needs("scale")
def test_counts_alone_give_the_limits_of_a_share():
    truth, label, _ = stream()
    monitor = MetricMonitor("recall").update(truth, label).result()["recall"]
    counts = MetricAccumulator().update(truth, label).interval("recall", method="time-uniform")
    memory = interval("recall", truth, label, method="time-uniform")
    wilson = interval("recall", truth, label)
    assert (monitor.low, monitor.high) == (counts.low, counts.high) == (memory.low, memory.high)
    assert 1 < (memory.high - memory.low) / (wilson.high - wilson.low) < 2


def test_pairs_in_the_order_of_their_coming():
    truth, _label, score = stream(4000)
    monitor = MetricMonitor("roc_auc").update(truth, y_score=score)
    positives, negatives = score[truth == 1], score[truth == 0]
    many = min(len(positives), len(negatives))
    won = positives[:many] > negatives[:many]
    assert monitor.result()["roc_auc"].estimate == pytest.approx(won.mean(), abs=1e-12)
    assert roc_auc_score(truth, score) in monitor.result()["roc_auc"]


def test_the_mixtures_are_martingales():
    """Their mean one row ahead is their value: exactly for a share, at most for other values."""
    hits, n, share = np.array([0.0, 3, 40]), np.array([5.0, 9, 50]), np.asarray(0.7)
    ahead = 0.7 * np.exp(log_mixture(hits + 1, n + 1, share))
    ahead += 0.3 * np.exp(log_mixture(hits, n + 1, share))
    np.testing.assert_allclose(ahead, np.exp(log_mixture(hits, n, share)), rtol=1e-10)
    before = BoundedMean().path(np.random.default_rng(0).random(30))[-1]
    after = [BoundedMean(*before).path(np.array([x]))[0] for x in (0.0, 1.0)]
    for mean in (0.2, 0.5, 0.9):
        chance = np.array([1 - mean, mean])
        found = chance @ np.exp(log_evidence_of_mean(np.array(after), np.asarray(mean)))
        assert found <= np.exp(log_evidence_of_mean(before, np.asarray(mean))) * (1 + 1e-12)


def test_limits_hold_at_all_looks_together():
    """Few streams; ``python -m benchmarks.confidence_sequences`` has the table."""
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = np.arange(1, 3001)
        missed += (log_mixture(np.cumsum(rng.random(3000) < 0.85), n, np.asarray(0.85)) > 3).any()
    assert missed <= 8  # at most 5 % of 60 are expected
    fixed = [time_uniform(np.asarray(0.85 * n), np.asarray(n * 1.0), 0.95) for n in (100, 10_000)]
    assert all(low < 0.85 < high for low, high in fixed)
    low, high = bounded_ends(BoundedMean().path(np.full(100, 0.4))[-1], 0.95)
    assert 0 <= low < 0.4 < high <= 1


def test_alarms_come_where_they_should():
    rng = np.random.default_rng(1)
    good, bad = np.ones((2, 4000), dtype=int)
    quiet = MetricMonitor("recall", below={"recall": 0.85})
    quiet.update(good, (rng.random(4000) < 0.9) * 1)
    assert quiet.alarms == {"recall": None}
    loud = MetricMonitor("recall", below={"recall": 0.85})
    loud.update(bad, (rng.random(4000) < 0.75) * 1)
    assert 20 < loud.alarms["recall"] < 1000
    mixed = np.arange(2000) % 3 > 0  # a third of the rows does not count for the recall
    called = mixed & (rng.random(2000) < 0.7)
    for name, below in (("recall", 0.85), ("accuracy", 0.9)):
        row = MetricMonitor(name, below={name: below}).update(mixed, called).alarms[name]
        until = [
            MetricMonitor(name, below={name: below}).update(mixed[:k], called[:k]).alarms[name]
            for k in (row - 1, row)
        ]
        assert until == [None, row]
    assert f"alarm at row {loud.alarms['recall']}: recall is below 0.85" in repr(loud)
    costly = MetricMonitor("brier_score_loss", above={"brier_score_loss": 0.1})
    truth = (rng.random(4000) < 0.5) * 1
    costly.update(truth, y_score=np.full(4000, 0.5))
    assert costly.alarms["brier_score_loss"] is not None


def test_drawn_with_its_alarm():
    truth, label, _ = stream()
    monitor = MetricMonitor("recall", below={"recall": 0.9})
    for part in np.array_split(np.arange(len(truth)), 20):
        monitor.update(truth[part], label[part])
    ax = monitor.plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[1:3] == ["95 % at all looks", "alarm below 0.9"]
    assert texts[3] == f"alarm at row {monitor.alarms['recall']}"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Rows", "recall")


def test_bad_input_is_named():
    for metric in ("f1", "log_loss", "average_precision", "mcc", "recall_macro"):
        with pytest.raises(ValueError, match="mean over rows"):
            MetricMonitor(metric)
    with pytest.raises(ValueError, match="not watched"):
        MetricMonitor("recall", below={"precision": 0.5})
    with pytest.raises(ValueError, match="between 0 and 1"):
        MetricMonitor("recall", below={"recall": 1.5})
    monitor = MetricMonitor(["recall", "roc_auc"])
    with pytest.raises(ValueError, match="y_score"):
        monitor.update([0, 1], [0, 1])
    assert monitor.n_samples == 0
    assert np.isnan(monitor.result()["recall"].low)
    with pytest.raises(ValueError, match="pos_label"):
        MetricMonitor("recall").update(["a", "b"], ["a", "b"])


def test_a_confidence_sequence_of_no_and_of_all_hits_reaches_its_end():
    low, high = time_uniform(np.array([0.0, 20.0, 7.0]), np.array([20.0, 20.0, 20.0]), 0.95)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert 0 < low[2] < 7 / 20 < high[2] < 1


def test_evidence_of_no_observation_is_none():
    """The mixture of the stakes has mass 1, so that its value before the first row is 1."""
    assert log_evidence_of_mean(np.zeros((1, 3)), np.array([0.5]))[0] == pytest.approx(0, abs=1e-9)
