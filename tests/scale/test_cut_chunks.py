"""Metrics with a threshold cut the scores of chunks, as those of rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.evaluation import evaluate

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
