"""Metrics with a threshold cut the scores of chunks and of cells, as those of rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import decision_curve, declare, net_benefit
from skaucx.scale import MetricAccumulator

RNG = np.random.default_rng(0)
ILL = RNG.random(60) < 0.4
SCORE = np.clip(RNG.normal(0.4 + 0.2 * ILL, 0.2), 0, 1).round(2)
CALLED = RNG.random(60) < 0.5  # not what any threshold of the scores gives
WEIGHT = RNG.integers(0, 4, 60).astype(float)
METRICS = ["net_benefit", "roc_auc", "recall"]
LABELS = {
    "numbers": ([0, 1], {}),
    "bools": ([False, True], {}),
    "signs": ([-1, 1], {}),
    "other numbers": ([2, 1], {"pos_label": 1}),
    "strings": (["well", "ill"], {"pos_label": "ill"}),
    "rising strings": (["a", "b"], {"pos_label": "b"}),
}
ORDERS = {
    "mixed": np.arange(60),
    "a class a chunk": np.argsort(ILL, kind="stable"),
    "positives first": np.argsort(~ILL, kind="stable"),
}


def chunks(order, labels, weighted):
    place = np.flatnonzero(np.diff(ILL[order]))
    for rows in np.split(order, [place[0] + 1] if len(place) == 1 else [20, 40]):
        chunk = {"y": labels[ILL[rows] * 1], "called": labels[CALLED[rows] * 1], "p": SCORE[rows]}
        yield chunk | {"site": rows % 2} | ({"w": WEIGHT[rows]} if weighted else {})


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", LABELS)
def test_scores_of_chunks_are_cut(kind, order):
    names, positive = LABELS[kind]
    labels = np.array(names)
    for weighted in (False, True):
        weight = {"sample_weight": "w"} if weighted else {}
        in_memory = {"sample_weight": WEIGHT} if weighted else {}
        arrays = labels[ILL * 1], labels[CALLED * 1], SCORE
        parts = list(chunks(ORDERS[order], labels, weighted))
        for threshold in (0.05, 0.41, 0.97):
            given = {"metrics": METRICS, "threshold": threshold, **positive}
            found = evaluate("y", "called", "p", data=parts, **weight, **given)
            wanted = evaluate(*arrays, **in_memory, **given)
            assert dict(found) == pytest.approx(dict(wanted), rel=1e-12)
            assert str(found).splitlines()[1:] == str(wanted).splitlines()[1:]
            counted = MetricAccumulator(labels=names)
            for part in parts:
                counted.update(part["y"], part["called"], part["p"], sample_weight=part.get("w"))
            counted = counted.result(**given)
            assert dict(counted) == pytest.approx(dict(wanted), rel=1e-12)
            assert str(counted).splitlines()[1:] == str(wanted).splitlines()[1:]
            lone = evaluate(
                "y", y_score="p", data=parts, **weight, **{**given, "metrics": METRICS[:1]}
            )
            assert lone["net_benefit"] == pytest.approx(wanted["net_benefit"], rel=1e-12)
        by_site = evaluate("y", "called", "p", data=parts, by="site", **weight, **given)
        wanted = evaluate(*arrays, by=np.arange(60) % 2, **in_memory, **given)
        for site in (0, 1):
            assert dict(by_site[site]) == pytest.approx(dict(wanted[site]), rel=1e-12)


def test_labels_of_one_class_may_be_cut():
    """Whichever it is, by arrays and by chunks."""
    for label, positive, wanted in (
        ("ill", "ill", 2 / 3),
        ("well", "ill", -1 / 6),
        (1, None, 2 / 3),
    ):
        given = {} if positive is None else {"pos_label": positive}
        given |= {"metrics": ["net_benefit"], "threshold": 0.2}
        y, p = [label] * 3, [0.1, 0.3, 0.5]
        parts = [{"y": y[:1], "p": p[:1]}, {"y": y[1:], "p": p[1:]}]
        for found in (
            evaluate(y, y_score=p, **given),
            evaluate("y", y_score="p", data=parts, **given),
        ):
            assert found["net_benefit"] == pytest.approx(wanted, rel=1e-12)


def test_sets_and_intervals_cut_them_too():
    labels = np.array([0, 1])
    parts = list(chunks(ORDERS["mixed"], labels, False))
    given = {"threshold": 0.41, "intervals": True, "n_resamples": 20, "random_state": 0}
    wanted = evaluate(ILL * 1, CALLED * 1, SCORE, metrics="clinical", **given)
    found = evaluate("y", "called", "p", data=parts, metrics="clinical", **given)
    assert "net_benefit" in found
    assert found["net_benefit"] == pytest.approx(wanted["net_benefit"], rel=1e-12)
    for end in ("low", "high"):
        mine, other = (getattr(each.intervals["net_benefit"], end) for each in (found, wanted))
        assert mine == pytest.approx(other, rel=1e-9)


def test_many_classes_are_refused_by_name():
    p = np.full((6, 3), 1 / 3)
    parts = [{"y": [0, 1, 2], "a": p[:3, 0], "b": p[:3, 1], "c": p[:3, 2]}] * 2
    with pytest.raises(ValueError, match=r"many classes.*not cut at a threshold"):
        evaluate("y", y_score=["a", "b", "c"], data=parts, metrics=["net_benefit"], threshold=0.3)


def counted_in(max_cells, **arrays):
    """Count the rows without labels at any threshold, in few cells."""
    return MetricAccumulator(max_cells=max_cells).update(ILL * 1, y_score=SCORE, **arrays)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"prevalence": 0.1}])
def test_cells_bound_what_they_do_not_determine(options, weighted):
    weight = {"sample_weight": WEIGHT} if weighted else {}
    few, every = counted_in(6, **weight), counted_in(100, **weight)
    widths = []
    for threshold in np.linspace(0.01, 0.99, 33):
        given = {"threshold": float(threshold), **options}
        truth = net_benefit(ILL * 1, threshold <= SCORE, **weight, **given)
        assert every.result(["net_benefit"], **given)["net_benefit"] == pytest.approx(
            truth, rel=1e-12
        )
        found = few.result(["net_benefit"], **given)["net_benefit"]
        low, high = getattr(found, "low", found), getattr(found, "high", found)
        assert low - 1e-12 <= truth <= high + 1e-12
        assert low <= float(found) <= high
        widths.append(high - low)
    assert min(widths) == 0 < max(widths)  # the threshold lies between cells, or within one


def test_cells_of_an_engine_are_cut():
    cells = {
        "positive": [1, 2, 3],
        "negative": [5, 2, 0],
        "least": [0.1, 0.4, 0.7],
        "greatest": [0.3, 0.5, 0.9],
    }
    counts = MetricAccumulator.from_cells(cells)
    between_cells = 5 / 13 - 2 / 13 * 0.35 / 0.65
    exact = counts.result(["net_benefit"], threshold=0.35)["net_benefit"]
    assert exact == pytest.approx(between_cells, rel=1e-12)
    found = counts.result(["net_benefit"], threshold=0.45)["net_benefit"]
    ends = 3 / 13 - 2 / 13 * 0.45 / 0.55, 5 / 13  # two of each class may be called, or not
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-12)
    by_curve = counts.curve(decision_curve, thresholds=[0.35]).net_benefit[0]
    assert by_curve == pytest.approx(between_cells, rel=1e-12)


def test_intervals_of_counts_are_those_of_the_cut_scores():
    given = {"threshold": 0.41, "random_state": 0, "n_resamples": 50}
    wanted = interval("net_benefit", ILL * 1, (SCORE >= 0.41) * 1, **given)
    counts = MetricAccumulator().update(ILL * 1, CALLED * 1, SCORE)
    for found in (
        counts.interval("net_benefit", **given),
        counts.result(["net_benefit"], intervals=True, **given).intervals["net_benefit"],
    ):
        assert (found.estimate, found.low, found.high) == pytest.approx(
            (wanted.estimate, wanted.low, wanted.high), rel=1e-9
        )
    few = counted_in(6)
    for threshold in (0.3, 0.41, 0.5):
        value = few.result(["net_benefit"], threshold=threshold)["net_benefit"]
        found = few.interval("net_benefit", threshold=threshold)
        assert found.estimate == pytest.approx(float(value), rel=1e-12)
    with pytest.raises(ValueError, match="weights"):
        counted_in(100, sample_weight=WEIGHT).interval("net_benefit", threshold=0.4)


def test_cells_that_cannot_be_cut_are_refused_by_name():
    @declare("counts", bounds=(0, 1))
    def calls_at_score(c, *, threshold=0.3):
        """Share of rows that are called."""
        return (c.tp + c.fp) / c.total

    assert counted_in(100).result([calls_at_score], threshold=0.4)["calls_at"] == np.mean(
        SCORE >= 0.4
    )
    with pytest.raises(ValueError, match=r"calls_at.*within a cell.*rises=True"):
        counted_in(2).result([calls_at_score], threshold=0.4)
    many = MetricAccumulator().update([0, 1, 2], [0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match=r"threshold.*one score a row"):
        many.result(["net_benefit"], threshold=0.4)
    sums = MetricAccumulator(["log_loss"]).update(ILL * 1, y_score=SCORE)
    with pytest.raises(ValueError, match=r"threshold.*one score a row"):
        sums.result(["net_benefit"], threshold=0.4)
    logits = MetricAccumulator().update([0, 1], y_score=[-2.0, 2.0])
    with pytest.raises(ValueError, match=r"threshold 0\.4.*y_score"):
        logits.result(["net_benefit"], threshold=0.4)


def test_counts_of_one_metric_with_a_threshold_hold_scores():
    counts = MetricAccumulator(["net_benefit"]).update(ILL * 1, y_score=SCORE)
    wanted = net_benefit(ILL * 1, SCORE >= 0.3, threshold=0.3)
    assert counts.result(threshold=0.3)["net_benefit"] == pytest.approx(wanted, rel=1e-12)
