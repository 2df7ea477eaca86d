"""Rejection: masks and confidence, against loops, Chow's rule and torch-uncertainty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import sample_of

OF_MASKS = (
    sm.rejection.coverage_score,
    sm.rejection.accepted_accuracy_score,
    sm.rejection.classification_quality_score,
    sm.rejection.rejection_quality,
    sm.rejection.rejection_cost_loss,
)
OF_CONFIDENCE = (
    sm.aurc_loss,
    sm.excess_aurc_loss,
    sm.rejection.selective_risk_loss,
    sm.rejection.coverage_at_risk_score,
    sm.rejection.chow_cost_loss,
)


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
        "coverage_score": share(~rejected),
        "accepted_accuracy_score": share(~rejected & ~wrong) / share(~rejected),
        "classification_quality_score": share(rejected == wrong),
        "rejection_quality": odds(rejected) / odds(np.ones(len(y), dtype=bool)),
        "rejection_cost_loss": share(~rejected & wrong) + 0.25 * share(rejected),
    }


class TestMasks:
    @pytest.mark.parametrize("metric", OF_MASKS, ids=lambda f: f.__name__)
    @pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
    def test_by_hand(self, metric, weighted):
        names = np.array(["a", "b", "c"])
        for seed in range(8):
            y, pred, rejected, w = rejecting(seed)
            weight = w if weighted else None
            expected = by_hand(y, pred, rejected, w if weighted else np.ones(len(y)))
            found = metric(names[y], names[pred], rejected=rejected, sample_weight=weight)
            assert found == pytest.approx(expected[metric.__name__], rel=1e-12)
            masked = np.ma.array(pred, mask=rejected)
            assert metric(y, masked, sample_weight=weight) == found
            turned = np.random.default_rng(seed).permutation(len(y))
            again = metric(y[turned], masked[turned],
                           sample_weight=None if weight is None else weight[turned])  # fmt: skip
            assert again == pytest.approx(found, rel=1e-12)

    def test_one_call_of_evaluate_judges_the_accepted_and_the_rejected(self):
        y, pred, rejected, w = rejecting(0)
        found = evaluation.evaluate(
            y, pred, rejected=rejected, sample_weight=w, average="macro", metrics="all"
        )
        kept = ~rejected
        for name in ("accuracy", "f1", "cohen_kappa"):
            alone = evaluation.evaluate(y[kept], pred[kept], metrics=[name], sample_weight=w[kept])
            assert found[name] == alone[name]
        for name, value in by_hand(y, pred, rejected, w).items():
            assert found[name.removesuffix("_score")] == pytest.approx(value, rel=1e-12)
        masked = evaluation.evaluate(
            y, np.ma.array(pred, mask=rejected), metrics=["coverage", "accuracy"]
        )
        assert masked["coverage"] == np.mean(kept)
        nothing = evaluation.evaluate(
            y, pred, rejected=np.ones(len(y), dtype=bool), metrics=["coverage"]
        )
        assert nothing["coverage"] == 0

    def test_intervals_and_tests_take_the_mask_with_the_predictions(self):
        y, pred, rejected, _ = rejecting(1)
        masked = np.ma.array(pred, mask=rejected)
        plain = inference.interval("accuracy", np.ones(len(y), dtype=int), 1 * ~rejected)
        found = inference.interval("coverage", y, masked)
        assert (found.low, found.high, found.method) == (plain.low, plain.high, "wilson")
        assert inference.interval("coverage", y, pred, rejected=rejected).low == found.low
        kept = ~rejected
        drawn_again = inference.interval("accepted_accuracy", y, masked, method="percentile",
                                  n_resamples=400, random_state=0)  # fmt: skip
        assert drawn_again.low < np.mean(y[kept] == pred[kept]) < drawn_again.high
        other = np.ma.array(pred, mask=np.roll(rejected, 7))
        few = {"n_resamples": 99, "random_state": 0}
        result, boot = (
            inference.paired_test("rejection_cost", y, masked, other, method=method, **few)
            for method in ("permutation", "bootstrap")
        )
        assert result.estimates[0] == sm.rejection.rejection_cost_loss(y, masked)
        assert boot.difference == result.difference
        same = inference.paired_test("coverage", y, masked, masked, method="bootstrap", **few)
        assert same.p_value == 1

    def test_exchanges_move_the_masks_too(self):
        y, pred = np.zeros(6, dtype=int), np.zeros(6, dtype=int)
        first = np.ma.array(pred, mask=[1, 1, 1, 0, 0, 0])
        second = np.ma.array(pred, mask=[0] * 6)
        found = inference.paired_test(
            "coverage", y, first, second, method="permutation", random_state=0
        )
        assert found.p_value == pytest.approx(0.25, abs=0.03)  # of 2^3 exchanges, 2 are as extreme

    def test_bad_input(self):
        y, pred, rejected, _ = rejecting(0)
        masked = np.ma.array(pred, mask=rejected)
        with pytest.raises(TypeError, match="masked array"):
            sm.accuracy_score(y, masked)
        with pytest.raises(ValueError, match="masked itself"):
            sm.rejection.coverage_score(y, masked, rejected=rejected)
        with pytest.raises(ValueError, match="inconsistent numbers"):
            sm.rejection.coverage_score(y, pred, rejected=rejected[1:])
        with pytest.raises(ValueError, match="rejected must hold one True or False"):
            sm.rejection.coverage_score(y, pred, rejected=2 * rejected)
        with pytest.raises(ValueError, match="multilabel"):
            sm.rejection.coverage_score(np.eye(3, dtype=int), np.eye(3, dtype=int))
        with pytest.raises(TypeError, match="mask=rejected"):
            inference.paired_test(
                "coverage", y, pred, pred, rejected=rejected, n_resamples=9, method="bootstrap"
            )
        with pytest.raises(ValueError, match=r"coverage .*confusion table"):
            sm.threshold_curves(y == 0, np.linspace(0, 1, len(y)), metrics=["coverage"])

    def test_nothing_accepted_is_undefined(self):
        with pytest.warns(UndefinedMetricWarning, match="accepted_accuracy is undefined"):
            assert sm.rejection.accepted_accuracy_score([0, 1], [0, 1], rejected=[True, True]) == 0


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
        share = np.ceil(0.8 * n) / n
        assert sm.rejection.selective_risk_loss(y, p, coverage=share) == pytest.approx(
            risk, rel=1e-12
        )
        assert sm.rejection.coverage_at_risk_score(y, p) == pytest.approx(coverage, rel=1e-6)

    def test_areas_of_weights_are_free_of_scale_and_of_rows_alike(self):
        y, p, w = drawn(4)
        order = np.argsort(-p.max(axis=1))
        wrong, ranked = (p.argmax(axis=1) != y)[order], w[order]
        expected = (ranked * np.cumsum(ranked * wrong) / np.cumsum(ranked)).sum() / w.sum()
        assert sm.aurc_loss(y, p, sample_weight=w) == pytest.approx(expected, rel=1e-12)
        for seed in range(20):
            y, p, w = drawn(seed, n=12, decimals=1)
            assert 0 <= sm.excess_aurc_loss(y, p, sample_weight=w) <= 1

    def test_curve_holds_the_metrics(self):
        y, p, w = drawn(5, decimals=1)
        for weight in (None, w):
            curve = sm.risk_coverage_curve(y, p, sample_weight=weight)
            assert curve.area == sm.aurc_loss(y, p, sample_weight=weight)
            for share, risk in zip(curve.coverage, curve.risk, strict=True):
                at = sm.rejection.selective_risk_loss(
                    y, p, coverage=min(share, 1.0), sample_weight=weight
                )
                assert at == pytest.approx(risk, abs=1e-12)
            for risk in (0.2, 0.4):
                share = curve.coverage[np.flatnonzero(curve.risk <= risk)[-1]]
                found = sm.rejection.coverage_at_risk_score(y, p, risk=risk, sample_weight=weight)
                assert found == pytest.approx(share)
        assert len(curve.to_frame()) == len(curve.coverage)

    def test_replicates_are_the_values_of_repeated_or_weighted_rows(self):
        y, p, _ = drawn(6, n=30, decimals=1)
        counts = np.random.default_rng(0).multinomial(30, np.ones(30) / 30, 5).astype(float)
        for metric in OF_CONFIDENCE:
            row = METRICS[metric.metric.name].metric
            state = sample_of(row, y, p, labels=[0, 1, 2]).reweighted(counts)
            expected = [metric(y, p, labels=[0, 1, 2], sample_weight=one) for one in counts]
            np.testing.assert_allclose(row.value(state), expected, rtol=1e-12)


class TestChow:
    def test_the_rule_and_its_cost_are_one(self):
        y, p, w = drawn(1, decimals=1)
        for price in (0.1, 0.3, 0.5):
            masked = sm.rejection.chow_predictions(p, reject_cost=price)
            expected = sm.rejection.chow_cost_loss(y, p, reject_cost=price, sample_weight=w)
            most = (p == p.max(axis=1, keepdims=True)).sum(axis=1)
            if ((most > 1) & ~masked.mask).any():
                continue
            found = sm.rejection.rejection_cost_loss(y, masked, reject_cost=price, sample_weight=w)
            assert found == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("cost", [None, [[0, 2], [10, 0]], [[-1, 3], [2, 0.5]]])
    def test_two_thresholds_are_the_rule_of_two_classes(self, cost):
        p = np.linspace(0, 1, 1001)
        for price in (0.3, 0.7, 1.0, 5.0):
            low, high = sm.rejection.chow_thresholds(reject_cost=price, cost=cost)
            found = sm.rejection.chow_predictions(p, reject_cost=price, cost=cost)
            inner = (np.abs(p - low) > 1e-9) & (np.abs(p - high) > 1e-9)
            np.testing.assert_array_equal(found.mask[inner], ((p > low) & (p < high))[inner])
            sure = inner & ~found.mask
            np.testing.assert_array_equal(found.data[sure], (p >= high)[sure])

    def test_bad_input(self):
        with pytest.raises(ValueError, match="y_proba lies in"):
            sm.rejection.chow_predictions([0.5, 2.0], reject_cost=0.2)
        with pytest.raises(ValueError, match="cost must hold finite numbers of shape"):
            sm.rejection.chow_predictions([0.5], reject_cost=0.2, cost=np.eye(3))
        with pytest.raises(ValueError, match="labels names 3"):
            sm.rejection.chow_predictions([0.5], reject_cost=0.2, labels=[1, 2, 3])
        with pytest.raises(ValueError, match="every error cost more"):
            sm.rejection.chow_thresholds(reject_cost=0.2, cost=[[1, 0], [1, 0]])
        with pytest.raises(ValueError, match="reject_cost"):
            sm.rejection.chow_thresholds(reject_cost=-1)
