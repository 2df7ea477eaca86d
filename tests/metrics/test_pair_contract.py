"""One contract of pair means: whoever stands for a ranking answers a member or says why it cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from skaucx.metrics._pairs import tree
from skaucx.metrics._pairs.kernels import DifferenceFunction, Floored, Logistic, Power, Relative
from skaucx.metrics._pairs.placements import NoPlacementsError, Placements
from skaucx.metrics._pairs.ranking import PairMeans, RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._pairs.sets import ScoreSets
from tests.closeness import rounding
from tests.metrics.pair_sets import FAMILIES, score_set

MEMBERS = [
    name for name in vars(PairMeans) if not name.startswith("_") and name != "positive_first"
]
ARGUMENTS = {"mean_gain_above": 0.3, "mean_of": np.tanh, "mean_of_relative": Power(0.5)}
MEANS_OF_D = ["win_share", "tie_share", "mean_difference", "mean_gain", "mean_of"]


def sample(n=40, decimals=2):
    rng = np.random.default_rng(n)
    truth = rng.random(n) < 0.4
    return truth, np.round(special.expit(rng.normal(size=n) + truth), decimals)


def differences(truth, score):
    return score[truth][:, None] - score[~truth]


def plain(truth, score):
    """Return the members of the contract by their definitions."""
    d, span = differences(truth, score), np.ptp(score)
    called = score >= np.array([np.inf, *np.unique(score)[::-1]])[:, None]
    return {
        "total": len(truth),
        "pairs": d.size,
        "win_share": (d > 0).mean(),
        "tie_share": (d == 0).mean(),
        "mean_difference": d.mean(),
        "mean_gain": np.maximum(d, 0).mean(),
        "mean_gain_above": np.maximum(d / span - 0.3, 0).mean(),
        "mean_of": np.tanh(d).mean(),
        "mean_of_relative": np.sqrt(np.maximum(d / span, 0)).mean(),
        "lowest": score.min(),
        "highest": score.max(),
        "span": span,
        "margin": score[truth].min() - score[~truth].max(),
        "threshold_counts": np.stack(
            [(c & t).sum(axis=1) for c in (called, ~called) for t in (truth, ~truth)]
        ),
    }


def ask(record, member):
    found = getattr(record, member)
    return found(ARGUMENTS[member]) if member in ARGUMENTS else found


@pytest.mark.parametrize("decimals", [1, 12])
@pytest.mark.parametrize("member", MEMBERS)
def test_rankings_replicates_and_sets_answer(member, decimals):
    truth, score = sample(decimals=decimals)
    expected = plain(truth, score)[member]
    for record, size in (
        (RankedScores.from_scores(truth, score), None),
        (SortedScores(truth, score).replicates(np.ones((2, len(score)))), 2),
        (ScoreSets(np.tile(truth, (3, 1)), np.tile(score, (3, 1))), 3),
    ):
        found = ask(record, member)
        if member != "threshold_counts":
            assert np.shape(found) == (() if size is None else (size,))
            np.testing.assert_allclose(found, expected, rtol=rounding(len(truth)))
        elif size is None:
            np.testing.assert_array_equal(np.stack(found.cells), expected)
        else:  # the distinct corners of each curve
            for k in range(size):
                corners = np.unique(np.stack(found[k].cells), axis=1)
                np.testing.assert_array_equal(corners, np.unique(expected, axis=1))


@pytest.mark.parametrize("member", MEANS_OF_D)
def test_examples_answer_means_of_functions_of_d(member):
    truth, score = sample()
    found, positives = ask(Placements(truth, score), member), np.count_nonzero(truth)
    for side in (found[:positives], found[positives:]):
        assert side.mean() == pytest.approx(plain(truth, score)[member], rel=rounding(len(truth)))


@pytest.mark.parametrize("member", [name for name in MEMBERS if name not in MEANS_OF_D])
def test_examples_say_why_they_do_not_answer(member):
    says = f"have no {member}.*over the other class"
    with pytest.raises(NoPlacementsError, match=says) as raised:
        ask(Placements(*sample()), member)
    assert raised.value.name == member


class UnhashableStep:
    """A callable object that need not be hashable."""

    __hash__ = None

    def __call__(self, d):
        return (d > 0.1) * 1.0


def test_functions_of_one_name_do_not_collide():
    truth, score = sample()
    scores, d = SortedScores(truth, score), differences(truth, score)
    factors = [lambda d, f=factor: f * d for factor in (1.0, 2.0, 3.0)]
    for function in (*factors, UnhashableStep()):
        found = scores.replicates(np.ones((1, len(score)))).mean_of(function)
        np.testing.assert_allclose(found, function(d).mean(), rtol=1e-12)


KERNELS = {
    "power": Power(1 / 7), "power of 3.5": Power(3.5), "wins": Power(0.0),
    "logistic": Logistic(7.0), "steep": Logistic(1e4), "floored": Floored(Power(1 / 7), 0.5),
    "relative": Relative(Floored(Logistic(7.0), 0.7), 0.9),
    "tanh": DifferenceFunction(np.tanh, kinks=()),
    "capped": DifferenceFunction(lambda d: np.clip(d, 0, 0.2), kinks=(0.0, 0.2)),
}  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("family", FAMILIES)
def test_sums_are_those_of_all_pairs(family, name, weighted, monkeypatch):
    """Whatever the scores and weights: the sum of all pairs, and those of each example."""
    monkeypatch.setattr(tree, "_FEW_PAIRS", 0)
    monkeypatch.setattr(tree, "_NEAR_PAIRS", 64)
    h, (p, n, wp, wn) = KERNELS[name], score_set(family, 500, weighted)
    (p, wp), (n, wn) = (merged(*side) for side in ((p, wp), (n, wn)))
    with np.errstate(over="ignore"):
        each = tree.sums_over(h, p, n, np.stack([wn, np.ones(len(n))]))
        values = h(p[:, None] - n)
    for found, of_each in zip(each, (values @ wn, values.sum(axis=1)), strict=True):
        assert np.abs(found - of_each).max() <= 1e-12 * np.abs(of_each).max()
    expected, size = (
        math.fsum(wp * (terms * wn).sum(axis=1)) for terms in (values, np.abs(values))
    )
    assert abs(wp @ each[0] - expected) <= 1e-12 * size


def merged(score, weight):
    """Return the distinct scores with what they weigh."""
    values, place = np.unique(score, return_inverse=True)
    return values, np.bincount(place, weight)


COUNTED = {
    "uniform": lambda rng, n: rng.random(n),
    "two decimals": lambda rng, n: np.round(rng.normal(size=n), 2),
    "zeros of both signs": lambda rng, n: rng.choice([-0.0, 0.0, 0.5], n),
    "neighbours": lambda rng, n: 0.7 + 2.0**-53 * rng.integers(0, n, n),
    "constant": lambda rng, n: np.full(n, 0.3),
    "single precision": lambda rng, n: rng.random(n).astype(np.float32).round(2),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 1000, n),
}


@pytest.mark.parametrize("size", [2, 30, 2500])
@pytest.mark.parametrize("family", COUNTED)
def test_wins_and_ties_are_counted_without_an_order(family, size):
    rng = np.random.default_rng(size)
    truth, score = rng.random(size) < 0.3, COUNTED[family](rng, size)
    truth[:2] = True, False
    d = differences(truth, score)
    for weight in (None, np.ones(size)):
        found = RankedScores.from_scores(truth, score, weight)
        assert (found.win_share, found.tie_share) == ((d > 0).mean(), (d == 0).mean())
