"""What one model adds to another: the published table, loops, and the difference of two mm11."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from skaucx.inference import (
    delong_test,
    integrated_discrimination_improvement,
    net_reclassification,
)
from skaucx.metrics import mm11_auc_score


def drawn(seed, n=90):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    y[:4] = [0, 0, 1, 1]
    a, b = (np.clip(0.3 + 0.2 * k * y + rng.normal(0, 0.2, n), 0, 1) for k in (2, 1))
    return y, a, b, rng.uniform(0.1, 3, n)


def test_framingham():
    """Pencina et al. 2008, section 6: HDL in the Framingham model of heart disease."""
    moved = {1: (29, 7, 147), 0: (173, 174, 2734)}
    y, a, b = [], [], []
    for label, (up, down, still) in moved.items():
        y += [label] * (up + down + still)
        a += [0.1] * up + [0.03] * down + [0.3] * still
        b += [0.03] * up + [0.1] * down + [0.25] * still
    found = net_reclassification(y, a, b, thresholds=[0.06, 0.2])
    assert round(found.value, 3) == 0.121
    # The paper's z, 3.616, leaves out the squared means, as those authors do not from 2011 on.
    leaving = sum((up + down) / (up + down + still) ** 2 for up, down, still in moved.values())
    assert round(found.value / np.sqrt(leaving), 3) == 3.616
    assert found.statistic == pytest.approx(found.value / found.standard_error, rel=1e-12)
    assert found.p_value < 0.001
    assert round(found.positives, 3) == 0.120
    assert found.tables[0].tolist() == [[0, 29, 0], [7, 0, 0], [0, 0, 147]]
    assert found.tables[1].sum() == 3081


@pytest.mark.parametrize("thresholds", [None, 0.4, [0.2, 0.4, 0.6]])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_move_by_move(thresholds, weighted):
    for seed in range(5):
        y, a, b, w = drawn(seed)
        w = w if weighted else np.ones(len(y))
        cuts = np.atleast_1d([] if thresholds is None else thresholds)
        rank = [a, b] if thresholds is None else [(s[:, None] >= cuts).sum(axis=1) for s in (a, b)]
        found = net_reclassification(
            y, a, b, thresholds=thresholds, sample_weight=w if weighted else None
        )
        value, square = 0, 0
        for label, sign in ((1, 1), (0, -1)):
            rows = y == label
            up, down = (w * rows * (sign * d > 0) for d in (rank[0] - rank[1], rank[1] - rank[0]))
            value += (up.sum() - down.sum()) / w[rows].sum()
            mean = (up.sum() - down.sum()) / w[rows].sum()
            moves = sign * np.sign(rank[0] - rank[1])
            square += ((w * rows * (moves - mean)) ** 2).sum() / w[rows].sum() ** 2
        assert found.value == pytest.approx(value, rel=1e-12)
        assert found.value == pytest.approx(found.positives + found.negatives, rel=1e-12)
        assert found.statistic == pytest.approx(value / np.sqrt(square), rel=1e-12)
        assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.statistic)), rel=1e-9)
        assert -2 <= found.interval[0] < found.value < found.interval[1] <= 2
        exchanged = net_reclassification(
            y, b, a, thresholds=thresholds, sample_weight=w if weighted else None
        )
        assert exchanged.value == pytest.approx(-found.value, rel=1e-12)


def test_interval_is_that_of_both_shares():
    """Pencina et al. 2011: the variance of a difference of multinomial shares, a class each."""
    y, a, b, _ = drawn(3)
    found = net_reclassification(y, a, b, thresholds=0.4, confidence_level=0.9)
    variance = 0
    for label in (0, 1):
        moves = (a >= 0.4).astype(int)[y == label] - (b >= 0.4)[y == label]
        variance += moves.var() / len(moves)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    half = stats.norm.ppf(0.95) * np.sqrt(variance)
    assert found.interval == pytest.approx((found.value - half, found.value + half), rel=1e-12)


def test_the_continuous_index_warns_and_rewards_what_is_worse():
    """Hilden & Gerds 2014: probabilities moved apart, with no new information."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 4000)
    y = (rng.random(4000) < p).astype(int)
    apart = np.clip(0.5 + 1.5 * (p - 0.5), 0, 1)
    found = net_reclassification(y, apart, p)
    assert found.statistic > 5
    assert "proper" in found.note
    assert "proper" in repr(found)
    improvement = integrated_discrimination_improvement(y, apart, p)
    assert improvement.p_value < 1e-6
    for shown in (repr(found), found._repr_html_(), repr(improvement), improvement._repr_html_()):
        assert "p-value does not test added value" in " ".join(shown.split())
    assert not net_reclassification(y, apart, p, thresholds=0.5).note


def test_improvement_of_discrimination_is_the_difference_of_two_mm11():
    for seed in range(5):
        y, a, b, _ = drawn(seed)
        found = integrated_discrimination_improvement(y, a, b)
        assert found.difference == pytest.approx(mm11_auc_score(y, a) - mm11_auc_score(y, b))
        gaps = [(a - b)[y == label] for label in (1, 0)]
        assert found.difference == pytest.approx(gaps[0].mean() - gaps[1].mean(), rel=1e-12)
        error = np.sqrt(sum(g.var(ddof=1) / len(g) for g in gaps))
        assert found.standard_error == pytest.approx(error, rel=1e-10)
        assert found.p_value == delong_test(y, a, b, metric="mm11_auc").p_value


def test_labels_of_any_name():
    y, a, b, _ = drawn(1)
    names = np.array(["no", "yes"])[y]
    for found in (net_reclassification, integrated_discrimination_improvement):
        assert found(names, a, b, pos_label="yes").p_value == found(y, a, b).p_value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_proba_a": [2, 0, 1, 1]}, "y_score lies in"),
        ({"y_proba_b": [0.1, 0.2]}, "inconsistent numbers"),
        ({"y_true": [1, 1, 1, 1]}, "one class only"),
        ({"thresholds": [0.5, 0.2]}, "thresholds must rise"),
        ({"thresholds": [0, 0.2]}, "thresholds must rise"),
        ({"thresholds": [0.2, 1.5]}, "thresholds must rise"),
        ({"alternative": "more"}, "alternative"),
        ({"confidence_level": 2}, "confidence_level"),
    ],
)
def test_bad_input(change, message):
    given = {"y_true": [0, 1, 0, 1], "y_proba_a": [0.1, 0.2, 0.3, 0.4]}
    with pytest.raises(ValueError, match=message):
        net_reclassification(**{**given, "y_proba_b": [0.2, 0.2, 0.2, 0.2], **change})
