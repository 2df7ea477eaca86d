"""DeLong's test of several correlated scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import delong_scores_test, delong_test


def drawn(k=4, n=80):
    rng = np.random.default_rng(k)
    truth = np.arange(n) < n // 4
    common = rng.normal(size=n) + truth
    scores = {f"s{i}": np.round(common + rng.normal(size=n), 1) for i in range(k)}
    return truth.astype(int), scores


def test_the_statistic_is_that_of_the_formula():
    """All pairs by brute force: (L theta)' (L S L')^-1 (L theta), for contrasts of neighbours."""
    truth, scores = drawn()
    psi = np.stack(
        [np.heaviside(s[truth == 1][:, None] - s[truth == 0], 0.5) for s in scores.values()]
    )
    theta = psi.mean(axis=(1, 2))
    s = np.cov(psi.mean(axis=2)) / psi.shape[1] + np.cov(psi.mean(axis=1)) / psi.shape[2]
    contrasts = np.diff(np.eye(4), axis=0)
    found = delong_scores_test(truth, scores)
    np.testing.assert_allclose(list(found.estimates.values()), theta, rtol=1e-12)
    np.testing.assert_allclose(found.covariance, s, rtol=1e-10)
    expected = contrasts @ theta @ np.linalg.solve(contrasts @ s @ contrasts.T, contrasts @ theta)
    assert found.statistic == pytest.approx(expected, rel=1e-9)
    assert found.df == 3
    assert found.p_value == pytest.approx(stats.chi2.sf(expected, 3), rel=1e-8)


def test_a_lone_positive_has_estimates_but_no_test():
    scores = {"a": [0.9, 0.1, 0.95, 0.3, 0.2], "b": [0.5, 0.1, 0.2, 0.6, 0.7]}
    with pytest.warns(UndefinedMetricWarning, match="fewer than two examples"):
        found = delong_scores_test([1, 0, 0, 0, 0], scores)
    assert found.estimates == {"a": 0.75, "b": 0.5}
    assert np.isnan([found.statistic, found.p_value, *found.pairs["a", "b"].interval]).all()


@pytest.mark.parametrize("metric", ["roc_auc", "mm11_auc"])
def test_two_scores_are_the_paired_test(metric):
    truth, scores = drawn(2)
    options = {"rescale": "expit"} if metric == "mm11_auc" else {}
    pair, found = (
        delong_test(truth, *scores.values(), metric=metric, **options),
        delong_scores_test(truth, scores, metric=metric, **options),
    )
    assert found.statistic == pytest.approx(pair.statistic**2, rel=1e-9)
    assert found.p_value == pytest.approx(pair.p_value, rel=1e-9)
    assert found.pairs["s0", "s1"].interval == pytest.approx(pair.interval)


def test_pairs_have_bonferronis_limits_and_p_values():
    truth, scores = drawn()
    found = delong_scores_test(truth, scores, confidence_level=0.9)
    assert list(found.pairs) == list(itertools.combinations(scores, 2))
    for (a, b), each in found.pairs.items():
        alone = delong_test(truth, scores[a], scores[b], confidence_level=1 - 0.1 / 6)
        assert each.interval == alone.interval
        assert each.p_value == min(1, 6 * alone.p_value)
        low, high = each.interval
        assert (each.p_value < 0.1) == (not low <= 0 <= high)
    frame = found.to_frame()
    assert len(frame) == 6
    assert "Bonferroni" in str(found)


def test_identical_rankings_have_fewer_degrees_of_freedom():
    truth, scores = drawn(3)
    twice = {**scores, "again": scores["s0"] * 2}
    alone, found = delong_scores_test(truth, scores), delong_scores_test(truth, twice)
    assert (alone.df, found.df) == (2, 2)
    assert found.statistic == pytest.approx(alone.statistic, rel=1e-8)
    same = delong_scores_test(truth, {"a": scores["s0"], "b": scores["s0"]})
    assert (same.statistic, same.df, same.p_value) == (0, 0, 1)


def test_what_has_no_test_is_nan_or_named():
    truth, scores = drawn(2)
    with pytest.warns(UndefinedMetricWarning, match="fewer than two examples"):
        found = delong_scores_test([1, 0, 0, 0], {k: s[:4] for k, s in scores.items()})
    pairs = [each.p_value for each in found.pairs.values()]
    assert np.isnan([found.statistic, found.p_value, *pairs]).all()
    with pytest.raises(TypeError, match=r"scores .*list"):
        delong_scores_test(truth, list(scores.values()))
    with pytest.raises(ValueError, match="at least two"):
        delong_scores_test(truth, {"a": scores["s0"]})
    with pytest.raises(ValueError, match=r"scores\['b'\]"):
        delong_scores_test(truth, {"a": scores["s0"], "b": scores["s1"][1:]})


def test_size_is_the_nominal_one():
    """Three scores of one quality, 5 % level, 300 samples of 40 + 60: within three errors of 5 %."""
    rng = np.random.default_rng(0)
    truth = (np.arange(100) < 40).astype(int)
    rejected = 0
    for _ in range(300):
        common = rng.normal(size=100) + truth
        scores = {k: common + rng.normal(size=100) for k in "abc"}
        rejected += delong_scores_test(truth, scores).p_value < 0.05
    assert 0.012 < rejected / 300 < 0.088
