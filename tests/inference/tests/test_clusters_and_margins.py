"""Tests of examples in groups, of non-inferiority, and of samples that look paired."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from skaucx.inference import delong_test, paired_test
from skaucx.model_selection import corrected_resampled_t_test

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 40)
A = RNG.normal(size=80) + Y
B = RNG.normal(size=80) + 0.7 * Y


def test_copies_of_examples_add_nothing():
    """Obuchowski's variance of rows that are there m times is that of the rows."""
    once = delong_test(Y, A, B, groups=np.arange(80))
    thrice = delong_test(*(np.repeat(x, 3) for x in (Y, A, B)), groups=np.repeat(np.arange(80), 3))
    assert thrice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert delong_test(*(np.repeat(x, 3) for x in (Y, A, B))).standard_error < (
        0.7 * once.standard_error
    )


def test_the_jackknife_of_groups_by_hand():
    groups = np.arange(80) % 23
    wins = [(s[40:, None] > s[None, :40]) * 1.0 for s in (A, B)]
    d = wins[0] - wins[1]
    u, w = d.mean(axis=1) - d.mean(), d.mean(axis=0) - d.mean()
    u, w = (np.array([x[g == k].sum() for k in range(23)]) for x, g in
            ((u, groups[40:]), (w, groups[:40])))  # fmt: skip
    p, q = (np.bincount(g, minlength=23) / 40 for g in (groups[40:], groups[:40]))
    expected = 22 / 23 * ((u / (1 - p) + w / (1 - q)) ** 2).sum() / 40**2
    found = delong_test(Y, A, B, groups=groups)
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-12)


def test_non_inferiority_is_a_shifted_test():
    shifted = delong_test(Y, A, B, alternative="greater", margin=0.05)
    plain = delong_test(Y, A, B, alternative="greater")
    assert shifted.statistic == pytest.approx(
        plain.statistic + 0.05 / plain.standard_error, rel=1e-12
    )
    assert shifted.p_value == pytest.approx(stats.norm.sf(shifted.statistic), rel=1e-12)
    folds = [0.8, 0.82, 0.79, 0.81], [0.8, 0.8, 0.81, 0.8]
    sizes = {"n_train": 90, "n_test": 30}
    less = corrected_resampled_t_test(*folds, **sizes, alternative="less", margin=0.05)
    assert less.p_value < corrected_resampled_t_test(*folds, **sizes, alternative="less").p_value
    boot = {"n_resamples": 100, "random_state": 0, "alternative": "greater"}
    with_margin = paired_test("roc_auc", Y, A, B, margin=0.1, **boot, method="bootstrap")
    without = paired_test("roc_auc", Y, A, B, **boot, method="bootstrap")
    assert with_margin.p_value < without.p_value
    added = 0.1 / without.standard_error
    assert with_margin.statistic == pytest.approx(without.statistic + added, rel=1e-12)
    with pytest.raises(ValueError, match="margin needs alternative="):
        delong_test(Y, A, B, margin=0.1)


def test_samples_that_look_paired_are_told():
    mixed = np.tile([0, 1], 40)
    with pytest.warns(UserWarning, match="y_true_b equals y_true in every row"):
        delong_test(mixed, A, B, y_true_b=mixed)
    delong_test(Y, A, B, y_true_b=Y)  # sorted by class: rows tell nothing
