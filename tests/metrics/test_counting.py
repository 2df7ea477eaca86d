"""Wins and ties counted from codes of half the size, against the order of the scores themselves."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics._pairs import ranking
from skaucx.metrics._pairs import ranking as counting
from skaucx.metrics._pairs.ranking import CountedScores, RankedScores, wins_and_ties


def single(x):
    return x.astype(np.float32).astype(np.float64)


SCORES = {
    "uniform": lambda rng, n: rng.random(n),
    "both signs": lambda rng, n: rng.normal(size=n),
    "single precision": lambda rng, n: single(rng.random(n)),
    "single precision, both signs": lambda rng, n: single(rng.normal(size=n)),
    "single precision, two decimals": lambda rng, n: single(np.round(rng.random(n), 2)),
    "zeros of both signs": lambda rng, n: rng.choice([-0.0, 0.0, 0.5], n),
    "many scales": lambda rng, n: 10 ** (-30 * rng.random(n)),
    "five decimals": lambda rng, n: np.round(rng.random(n), 5),
    "neighbours": lambda rng, n: 0.7 + 2.0**-53 * rng.integers(0, 400 * n, n),
    "crowded": lambda rng, n: np.where(rng.random(n) < 0.02, 1e-12, 1) * rng.random(n),
    "constant": lambda rng, n: np.full(n, 0.3),
    "wide": lambda rng, n: 1.7e308 * (2 * rng.random(n) - 1),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 1000, n),
}


def counted(truth, score):
    d = score[truth][:, None] - score[~truth]
    return int((d > 0).sum()), int((d == 0).sum())


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("size", [2, 30, 2500])
@pytest.mark.parametrize("family", SCORES)
@pytest.mark.parametrize("bits", [31, 8], ids=["31 bits", "8 bits"])
def test_counts_are_those_of_all_pairs(family, size, bits, monkeypatch):
    """Also with codes so short that most scores share theirs."""
    monkeypatch.setattr(counting, "_HIGHEST_CODE", 2.0**bits - 1)
    monkeypatch.setattr(counting, "_MOST_MIXED", 2)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth, score = rng.random(size) < 0.3, SCORES[family](rng, size)
        truth[:2] = True, False
        found = wins_and_ties(truth, score)
        assert found is None or found == counted(truth, score)
        if family in ("uniform", "both signs", "single precision"):
            assert found is not None


@pytest.mark.parametrize("family", SCORES)
def test_a_counted_ranking_is_a_ranking(family, monkeypatch):
    monkeypatch.setattr(ranking, "_MANY_SCORES", 0)
    rng = np.random.default_rng(0)
    truth, score = rng.random(500) < 0.3, SCORES[family](rng, 500)
    one = RankedScores.from_scores(truth, score, several=False)
    other = RankedScores.from_scores(truth, score)
    assert isinstance(one, CountedScores)
    p, n = score[truth], score[~truth]
    with np.errstate(over="ignore", invalid="ignore"):
        wins, ties = counted(truth, score)
        of_pairs = {
            "pairs": len(p) * len(n), "win_share": wins / (len(p) * len(n)),
            "tie_share": ties / (len(p) * len(n)), "span": score.max() - score.min(),
            "margin": p.min() - n.max(),
        }  # fmt: skip
        for name, expected in of_pairs.items():
            assert getattr(one, name) == expected, name
        for name in (*of_pairs, "mean_difference"):
            np.testing.assert_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_one_metric_and_the_whole_family_say_the_same(kind):
    rng = np.random.default_rng(1)
    truth = rng.random(50_000) < 0.2
    score = rng.random(50_000).astype(kind)
    assert sm.roc_auc_score(truth, score) == sm.auc_family(truth, score)["roc_auc"]
    assert sm.roc_auc_score(truth, score, ties="win") >= sm.roc_auc_score(truth, score)


@pytest.mark.parametrize("n", [40, 2000, 50_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_single_precision_says_what_its_double_says(n, sign):
    rng = np.random.default_rng(n)
    truth, weight = rng.random(n) < 0.3, rng.random(n)
    narrow = (sign * rng.random(n).round(5)).astype(np.float32)
    wide = narrow.astype(np.float64)
    ask = {"metrics": ["roc_auc", "mm7_auc", "soft_auc", "average_precision"], "rescale": "expit"}
    for given in ({}, {"sample_weight": weight}):
        found = [evaluation.evaluate(truth, y_score=s, **ask, **given) for s in (narrow, wide)]
        assert dict(found[0]) == dict(found[1])
        assert sm.roc_auc_score(truth, narrow, **given) == sm.roc_auc_score(truth, wide, **given)
    curves = [sm.roc_curve(truth, s) for s in (narrow, wide)]
    np.testing.assert_array_equal(curves[0].thresholds, curves[1].thresholds)
    one, other = (inference.interval("roc_auc", truth, s) for s in (narrow, wide))
    assert (one.low, one.high) == (other.low, other.high)


def test_no_double_of_single_precision_is_made():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 2 * 10**6), rng.random(2 * 10**6, dtype=np.float32)
    tracemalloc.start()
    sm.roc_auc_score(truth, score)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Keys of 4 bytes and classes of 1, and some blocks.
    assert peak < 8 * len(score)
