"""Wins and ties of all pairs of classes at once against the ranking of each pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import sklearn.metrics

import skaucx.metrics as sm
from skaucx.metrics._pairs.ranking import ClassPairs
from skaucx.metrics._registry.row import Metric
from tests.closeness import rounding

NAMES = np.array(["ape", "bee", "cat", "dog", "eel"])


def problem(decimals, weighted, seed=3, n=300):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    score = (rng.random((n, 5)) + 0.4 * np.eye(5)[y]).round(decimals)
    return NAMES[y], score, rng.uniform(0.1, 9, n) if weighted else None


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("decimals", [1, 15], ids=["tied", "distinct"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("metric", [sm.roc_auc_score, sm.gini_score, sm.mm4_auc_score])
def test_all_pairs_at_once_are_one_by_one(metric, average, decimals, weighted, monkeypatch):
    y, score, weight = problem(decimals, weighted)
    asked = {"multi_class": "ovo", "average": average, "sample_weight": weight}
    at_once = metric(y, score, **asked)
    monkeypatch.setattr(Metric, "averages_pairs", lambda *given: False)
    assert at_once == pytest.approx(metric(y, score, **asked), rel=rounding(len(y)))


def test_shares_are_those_of_outer_differences():
    y, score, weight = problem(1, True)
    rows = [np.flatnonzero(y == name) for name in NAMES]
    pairs = list(combinations(range(5), 2))
    found = ClassPairs(score, rows, weight, pairs)
    for place, couple in enumerate(pairs):
        for way, (own, other) in enumerate((couple, couple[::-1])):
            d = score[rows[own], own][:, None] - score[rows[other], own]
            of_pair = np.multiply.outer(weight[rows[own]], weight[rows[other]])
            for sign, shares in ((d > 0, found.win_share), (d == 0, found.tie_share)):
                expected = (of_pair * sign).sum() / of_pair.sum()
                assert shares[way, place] == pytest.approx(expected, rel=rounding(len(y)))


def test_a_formula_that_reads_curves_goes_pair_by_pair():
    y, score, _ = problem(15, False)
    every = sm.roc_auc_score(y, score, multi_class="ovo", max_fpr=1.0)
    assert every == sm.roc_auc_score(y, score, multi_class="ovo")
    part = sm.roc_auc_score(y, score, multi_class="ovo", max_fpr=0.3)
    assert 0.5 < part < 1
    assert part != every


def test_weights_of_any_size():
    y, score, weight = problem(1, True)
    expected = sm.roc_auc_score(y, score, multi_class="ovo", sample_weight=weight)
    for scale in (2.0**-1000, 2.0**900):
        scaled = sm.roc_auc_score(y, score, multi_class="ovo", sample_weight=weight * scale)
        assert scaled == expected


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_class_without_examples_is_undefined_and_named():
    y, score, _ = problem(15, False)
    kept = y != "cat"
    asked = {"multi_class": "ovo", "labels": NAMES}
    assert np.isnan(sm.roc_auc_score(y[kept], score[kept], **asked))
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="cat"):
        sm.roc_auc_score(y[kept], score[kept], **asked)
