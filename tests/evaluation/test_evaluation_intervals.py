"""evaluate(intervals=True): intervals beside the values, by the same methods as interval()."""

from __future__ import annotations

import re

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import Confidence, interval
from skaucx.metrics._pairs import ranking
from skaucx.metrics._pairs.placements import Placements
from skaucx.metrics._registry.resampling import Resampling

RNG = np.random.default_rng(3)
N = 120
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
PRED = (SCORE > 0.5).astype(int)
GROUP, WEIGHT = RNG.integers(0, 40, N), RNG.integers(0, 3, N).astype(float)
LABELS, SCORES = ["recall", "npv", "f1", "mcc"], ["roc_auc", "soft_auc", "mm7_auc", "log_loss"]
Y3 = RNG.integers(0, 3, N)
PRED3 = np.where(RNG.random(N) < 0.7, Y3, RNG.integers(0, 3, N))
ASK = {"intervals": True, "random_state": 0, "n_resamples": 60}


def same(found, wanted):
    assert found.method == wanted.method
    for end in ("estimate", "low", "high", "standard_error"):
        np.testing.assert_allclose(getattr(found, end), getattr(wanted, end), rtol=1e-12)


@pytest.mark.parametrize(
    "given",
    [{}, {"groups": GROUP}, {"sample_weight": WEIGHT}, {"confidence_level": 0.8},
     {"confidence_level": Confidence(alternative="greater")},
     {"groups": GROUP, "sample_weight": WEIGHT}],
)  # fmt: skip
def test_they_are_those_of_interval(given):
    found = evaluate(Y, PRED, SCORE, metrics=LABELS + SCORES, **ASK, **given)
    resampled = {"percentile", "bca"}
    for name in LABELS + SCORES:
        own = found.intervals["matthews_corrcoef" if name == "mcc" else name]
        judged = PRED if name in LABELS else SCORE
        wanted = interval(name, Y, judged, n_resamples=60, random_state=0, **given)
        np.testing.assert_array_equal(own.estimate, found[name])
        assert own.method == wanted.method
        if own.method not in resampled:
            same(own, wanted)
        refused = name == "mm7_auc" and "groups" in given  # it covers too rarely in groups
        assert np.isnan(own.low) == np.isnan(wanted.low) == refused
        assert refused or own.low <= found[name] <= own.high


def test_counts():
    table = [[50, 10], [5, 35]]
    found = evaluate(counts=table, metrics=LABELS, intervals=True)
    for name in LABELS:
        same(
            found.intervals[{"mcc": "matthews_corrcoef"}.get(name, name)],
            interval(name, counts=table),
        )
    with pytest.raises(ValueError, match="whole numbers"):
        evaluate(counts=[[1.5, 1], [1, 2]], metrics=["recall"], intervals=True)


def test_classes_and_averages():
    each = evaluate(Y3, PRED3, metrics=["recall", "f1"], average=None, **ASK)
    wanted = interval("recall", Y3, PRED3, average=None)
    same(each.intervals["recall"], wanted)
    frame = each.to_frame()
    assert frame.loc["recall", "low"].tolist() == wanted.low.tolist()
    assert frame.loc["recall", "class"].tolist() == [0, 1, 2]
    assert re.search(r"^recall +2 ", str(each), re.M)
    macro = evaluate(Y3, PRED3, metrics=["recall"], **ASK)
    same(macro.intervals["recall"], interval("recall", Y3, PRED3, average="macro"))
    assert "plain averages over the classes" in str(macro)


def test_scores_are_sorted_and_resampled_once(monkeypatch):
    sorts, draws = [], []
    sort, place, draw = ranking.distinct_scores, Placements.__init__, Resampling.resamples
    monkeypatch.setattr(ranking, "distinct_scores", lambda *a: sorts.append(len(a[0])) or sort(*a))
    monkeypatch.setattr(Placements, "__init__", lambda *a: sorts.append(len(a[2])) or place(*a))
    monkeypatch.setattr(Resampling, "resamples", lambda *a: draws.append(1) or draw(*a))
    evaluate(Y, y_score=SCORE, metrics=[*SCORES, "gini", "mm1_auc", "brier_score_loss"], **ASK)
    assert sorts.count(N) == 1
    assert len(draws) == 1


def test_text_frame_and_page():
    found = evaluate(Y, PRED, SCORE, metrics=LABELS + SCORES, **ASK)
    text = str(found)
    assert all(len(line) <= 80 for line in text.splitlines())
    low, high = found.intervals["recall"]
    assert f"{low:.4f} to {high:.4f}" in text
    assert "wilson" in text
    assert "bootstrap of 60 resamples" in " ".join(text.split())
    frame = found.to_frame()
    assert list(frame.columns) == ["value", "low", "high", "better", "method", "summary"]
    assert frame.loc["roc_auc", "high"] == found.intervals["roc_auc"].high
    assert "delong" in found._repr_html_()
    whole = evaluate(Y, PRED, intervals=True)
    assert all(len(line) <= 80 for line in str(whole).splitlines())
    assert all(f"{name}  " in str(whole) for name in whole)
    assert not evaluate(Y, PRED).intervals


def test_intervals_of_groups_hold_at_once_on_request():
    """Bonferroni: an interval a group at 1 - alpha / K; what holds for whom is printed everywhere."""
    rng = np.random.default_rng(0)
    y, score, by = rng.integers(0, 2, 300), rng.random(300), rng.integers(0, 5, 300)
    ask = {"metrics": ["recall", "roc_auc"], "by": by, "intervals": True, "random_state": 0}
    alone, at_once = (
        evaluate(y, (score > 0.5).astype(int), score, confidence_level=whole, **ask)
        for whole in (0.95, Confidence(0.95, simultaneous=True))
    )
    for group in range(5):
        for name, given in (("recall", (score > 0.5).astype(int)), ("roc_auc", score)):
            rows = by == group
            for found, level in ((alone, 0.95), (at_once, 0.99)):
                known = interval(name, y[rows], given[rows], confidence_level=level)
                assert tuple(found[group].intervals[name]) == pytest.approx(tuple(known))
    assert at_once.difference()["recall"].high == alone.difference()["recall"].high
    for face in map(" ".join, (str(at_once).split(), at_once._repr_html_().split())):
        assert "for all groups at once, of one metric (Bonferroni: 99 % each)" in face
        assert "95 % interval" in face
    assert "one by one, not simultaneously" in " ".join(str(alone).split())
    del ask["by"]
    with pytest.raises(ValueError, match="pass by= and intervals=True"):
        evaluate(y, y_score=score, confidence_level=Confidence(simultaneous=True), **ask)
    table = evaluate(y, (score > 0.5).astype(int), score, **ask)
    assert "pointwise, not simultaneous" in " ".join(str(table).split())
