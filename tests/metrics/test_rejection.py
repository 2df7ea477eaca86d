"""Rejection: masks and confidence, against loops, Chow's rule and torch-uncertainty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics import rejection
from skaucx.metrics.rejection import chow_predictions, chow_thresholds


def drawn(seed, n=60, classes=3, decimals=None):
    """Return labels, probabilities whose confidence helps, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[:classes] = range(classes)
    p = rng.dirichlet(np.ones(classes), n) + 0.4 * np.eye(classes)[y] * rng.random((n, 1))
    p /= p.sum(axis=1, keepdims=True)
    if decimals is not None:
        p = np.maximum(np.round(p * 10**decimals), 1)
        p /= p.sum(axis=1, keepdims=True)
    return y, p, rng.integers(1, 4, n)


def rejecting(seed, n=80):
    """Return labels, predictions and which of them are rejected, errors more often."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    pred = np.where(rng.random(n) < 0.7, y, (y + 1) % 3)
    return y, pred, rng.random(n) < 0.1 + 0.5 * (pred != y), rng.uniform(0.1, 3, n)


def by_hand(y, pred, rejected, w):
    wrong = pred != y
    share = lambda rows: w[rows].sum() / w.sum()  # noqa: E731
    odds = lambda rows: w[rows & wrong].sum() / w[rows & ~wrong].sum()  # noqa: E731
    return {
        rejection.coverage_score: share(~rejected),
        rejection.accepted_accuracy_score: share(~rejected & ~wrong) / share(~rejected),
        rejection.classification_quality_score: share(rejected == wrong),
        rejection.rejection_quality: odds(rejected) / odds(np.ones(len(y), dtype=bool)),
        rejection.rejection_cost_loss: share(~rejected & wrong) + 0.25 * share(rejected),
    }


Y, PRED, REJECTED, WEIGHT = rejecting(0)
MASKED, SCORE = np.ma.array(PRED, mask=REJECTED), np.linspace(0, 1, len(Y))
COVERAGE = rejection.coverage_score


class TestMasks:
    @pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
    def test_by_hand(self, weighted):
        names = np.array(["a", "b", "c"])
        for seed in range(8):
            y, pred, rejected, w = rejecting(seed)
            w = w if weighted else np.ones(len(y))
            given = {"sample_weight": w} if weighted else {}
            for metric, expected in by_hand(y, pred, rejected, w).items():
                found = metric(names[y], names[pred], rejected=rejected, **given)
                assert found == pytest.approx(expected, rel=1e-12)
                masked = np.ma.array(pred, mask=rejected)
                assert metric(y, masked, **given) == found
                again = metric(y[::-1], masked[::-1], sample_weight=w[::-1])
                assert again == pytest.approx(found, rel=1e-12)

    def test_one_call_of_evaluate_judges_the_accepted_and_the_rejected(self):
        options = {"sample_weight": WEIGHT, "average": "macro", "metrics": "all"}
        found = evaluation.evaluate(Y, PRED, rejected=REJECTED, **options)
        accepted = Y[~REJECTED], PRED[~REJECTED]
        for name in ("accuracy", "f1", "cohen_kappa"):
            weight = {"sample_weight": WEIGHT[~REJECTED]}
            assert found[name] == evaluation.evaluate(*accepted, metrics=[name], **weight)[name]
        for metric, value in by_hand(Y, PRED, REJECTED, WEIGHT).items():
            assert found[metric.metric.name] == pytest.approx(value, rel=1e-12)
        for masked in (MASKED, np.ma.array(PRED, mask=True)):
            asked = evaluation.evaluate(Y, masked, metrics=["coverage"])
            assert asked["coverage"] == np.mean(~masked.mask)

    def test_intervals_and_tests_take_the_mask_with_the_predictions(self):
        plain = inference.interval("accuracy", np.ones(len(Y), dtype=int), 1 * ~REJECTED)
        found = inference.interval("coverage", Y, MASKED)
        assert (found.low, found.high, found.method) == (plain.low, plain.high, "wilson")
        assert inference.interval("coverage", Y, PRED, rejected=REJECTED).low == found.low
        few = {"method": "percentile", "n_resamples": 400, "random_state": 0}
        resampled = inference.interval("accepted_accuracy", Y, MASKED, **few)
        assert resampled.low < np.mean((Y == PRED)[~REJECTED]) < resampled.high
        pair = Y, MASKED, np.ma.array(PRED, mask=np.roll(REJECTED, 7))
        few = {"n_resamples": 99, "random_state": 0}
        for method in ("permutation", "bootstrap"):
            few["method"] = method
            found = inference.paired_test("rejection_cost", *pair, **few)
            expected = [rejection.rejection_cost_loss(Y, masked) for masked in pair[1:]]
            assert found.estimates == pytest.approx(expected)
        assert inference.paired_test("coverage", Y, MASKED, MASKED, **few).p_value == 1

    def test_exchanges_move_the_masks_too(self):
        y = np.zeros(6, dtype=int)
        first, second = (np.ma.array(y, mask=mask) for mask in ([1, 1, 1, 0, 0, 0], [0] * 6))
        how = {"method": "permutation", "random_state": 0}
        found = inference.paired_test("coverage", y, first, second, **how)
        assert found.p_value == pytest.approx(0.25, abs=0.03)  # of 2^3 exchanges, 2 are as extreme

    def test_nothing_accepted_is_undefined(self):
        with pytest.warns(UndefinedMetricWarning, match="accepted_accuracy is undefined"):
            assert rejection.accepted_accuracy_score([0, 1], [0, 1], rejected=[True, True]) == 0


def risks(confidence, wrong):
    """Return the expected error rate among the k most confident, k = 1 to n, example by example."""
    found = []
    for k in range(1, len(wrong) + 1):
        cut = np.sort(confidence)[::-1][k - 1]
        above, level = confidence > cut, confidence == cut
        found.append((wrong[above].sum() + wrong[level].mean() * (k - above.sum())) / k)
    return np.array(found)


class TestConfidence:
    @pytest.mark.parametrize("decimals", [None, 1], ids=["continuous", "ties"])
    def test_areas_example_by_example(self, decimals):
        for seed in range(10):
            y, p, _ = drawn(seed, decimals=decimals)
            most = p.max(axis=1, keepdims=True) == p
            wrong = 1 - most[np.arange(len(y)), y] / most.sum(axis=1)
            expected = risks(p.max(axis=1), wrong).mean()
            best = (np.cumsum(np.sort(wrong)) / np.arange(1, len(y) + 1)).mean()
            assert sm.aurc_loss(y, p) == pytest.approx(expected, rel=1e-12)
            assert sm.excess_aurc_loss(y, p) == pytest.approx(expected - best, rel=1e-9, abs=1e-12)

    # torch-uncertainty 0.13.0, AURC, RiskAt80Cov and CovAt5Risk in single precision. Its area is that
    # under straight lines from 1/n to 1, its coverage of 80 % that of ceil(.8 n) examples.
    @pytest.mark.parametrize(
        ("seed", "area", "risk", "coverage"),
        [
            (0, 0.4475510948356991, 0.49818181818181817, 0.0029154520016163588),
            (1, 0.42806962340872634, 0.45625, 0.005025125574320555),
            (2, 0.2912927877840921, 0.4095940959409594, 0.06804733723402023),
            (3, 0.2019498937632174, 0.30798479087452474, 0.13109755516052246),
        ],
    )
    def test_torch_uncertainty(self, seed, area, risk, coverage):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(20, 400)), int(rng.integers(2, 6))
        y, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
        p = p + 0.5 * np.eye(k)[y] * rng.random((n, 1))
        p /= p.sum(axis=1, keepdims=True)
        curve = sm.risk_coverage_curve(y, p, labels=range(k))
        lines = (n * sm.aurc_loss(y, p) - (curve.risk[0] + curve.risk[-1]) / 2) / (n - 1)
        assert lines == pytest.approx(area, rel=1e-6)
        found = rejection.selective_risk_loss(y, p, coverage=np.ceil(0.8 * n) / n)
        assert found == pytest.approx(risk, rel=1e-12)
        assert rejection.coverage_at_risk_score(y, p) == pytest.approx(coverage, rel=1e-6)

    def test_areas_of_weights_are_free_of_scale_and_of_rows_alike(self):
        y, p, w = drawn(4)
        order = np.argsort(-p.max(axis=1))
        wrong, ranked = (p.argmax(axis=1) != y)[order], w[order]
        expected = (ranked * np.cumsum(ranked * wrong) / np.cumsum(ranked)).sum() / w.sum()
        assert sm.aurc_loss(y, p, sample_weight=w) == pytest.approx(expected, rel=1e-12)
        for seed in range(20):
            y, p, w = drawn(seed, n=12, decimals=1)
            assert 0 <= sm.excess_aurc_loss(y, p, sample_weight=w) <= 1

    @pytest.mark.parametrize("weighted", [False, True])
    def test_curve_holds_the_metrics(self, weighted):
        y, p, w = drawn(5, decimals=1)
        given = {"sample_weight": w} if weighted else {}
        curve = sm.risk_coverage_curve(y, p, **given)
        assert curve.area == sm.aurc_loss(y, p, **given)
        assert len(curve.to_frame()) == len(curve.coverage)
        for share, risk in zip(curve.coverage, curve.risk, strict=True):
            found = rejection.selective_risk_loss(y, p, coverage=min(share, 1.0), **given)
            assert found == pytest.approx(risk, abs=1e-12)
        for risk in (0.2, 0.4):
            share = curve.coverage[np.flatnonzero(curve.risk <= risk)[-1]]
            assert rejection.coverage_at_risk_score(y, p, risk=risk, **given) == pytest.approx(
                share
            )

    def test_a_risk_that_is_borne_exactly_is_borne(self):
        """0.29 * 100 is 28.999999999999996 in floating point."""
        y, p = np.repeat([0, 1], [29, 71]), np.linspace(0.99, 0.6, 100)
        assert rejection.coverage_at_risk_score(y, p[::-1], risk=0.29) == 1.0


class TestChow:
    @pytest.mark.parametrize("price", [0.1, 0.3, 0.5])
    def test_the_rule_and_its_cost_are_one(self, price):
        y, p, w = drawn(1)
        masked = chow_predictions(p, reject_cost=price)
        expected = rejection.chow_cost_loss(y, p, reject_cost=price, sample_weight=w)
        found = rejection.rejection_cost_loss(y, masked, reject_cost=price, sample_weight=w)
        assert found == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("cost", [None, [[0, 2], [10, 0]], [[-1, 3], [2, 0.5]]])
    def test_two_thresholds_are_the_rule_of_two_classes(self, cost):
        p = np.linspace(0, 1, 1001)
        for price in (0.3, 0.7, 1.0, 5.0):
            low, high = chow_thresholds(reject_cost=price, cost=cost)
            found = chow_predictions(p, reject_cost=price, cost=cost)
            inner = (np.abs(p - low) > 1e-9) & (np.abs(p - high) > 1e-9)
            np.testing.assert_array_equal(found.mask[inner], ((p > low) & (p < high))[inner])
            sure = inner & ~found.mask
            np.testing.assert_array_equal(found.data[sure], (p >= high)[sure])
