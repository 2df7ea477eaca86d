"""DeLong's test against MLstatkit, the plain pair matrix, its own invariances; groups and margins."""

import math

import numpy as np
import pytest
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import delong_test
from skaucx.metrics import roc_auc_score
from tests.closeness import rounding

TRUE = np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0])
A = np.array([
    .91, .42, .33, .78, .55, .12, .67, .83, .24, .61, .71, .05,
    .95, .38, .29, .74, .47, .16, .88, .51, .36, .69, .57, .44,
])  # fmt: skip
B = np.array([
    .62, .71, .45, .52, .66, .35, .41, .93, .58, .39, .27, .18,
    .77, .49, .64, .31, .53, .22, .81, .73, .47, .56, .84, .11,
])  # fmt: skip


@pytest.mark.parametrize(
    ("digits", "z", "p", "aucs", "variance"),
    [  # MLstatkit 0.1.91, whose z has the other sign: second minus first
        (2, 0.7721971308438542, 0.4399976806105763, (0.8461538461538461, 0.7482517482517482),
         0.016074135654555233),
        (1, 0.8784606718219141, 0.3796937713694811, (0.8531468531468532, 0.7482517482517482),
         0.014258235936557617),
    ],
)  # fmt: skip
def test_values_of_mlstatkit(digits, z, p, aucs, variance):
    found = delong_test(TRUE, A.round(digits), B.round(digits))
    assert (found.statistic, found.p_value) == pytest.approx((z, p), rel=1e-12)
    assert found.estimates == pytest.approx(aucs, rel=rounding(len(TRUE)))
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-12)
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert found.interval == pytest.approx((aucs[0] - aucs[1] - half, aucs[0] - aucs[1] + half))


KERNELS = {
    "roc_auc": lambda d: (d > 0) + (d == 0) / 2,
    "gini": lambda d: np.sign(d),
    "prob_auc": lambda d: (1 + d) / 2,
    "scor_auc": lambda d: np.maximum(d, 0),
    "sond_auc": lambda d: np.maximum(d, 0) ** (1 / 7),
    "soft_auc": lambda d: special.expit(7 * d),
    "mm11_auc": lambda d: d,
}


def pair_components(truth, score, h):
    """Return the value and the placement values by the whole matrix of pairs."""
    matrix = h(score[truth == 1][:, None] - score[truth == 0])
    return matrix.mean(), matrix.mean(axis=1), matrix.mean(axis=0)


@pytest.mark.parametrize("metric", KERNELS)
def test_variants_are_those_of_the_pair_matrix(metric):
    first, second = (pair_components(TRUE, s.round(1), KERNELS[metric]) for s in (A, B))
    variance = sum(
        np.cov(np.stack([v, w])) @ [1, -1] @ [1, -1] / len(v)
        for v, w in zip(first[1:], second[1:], strict=True)
    )
    found = delong_test(TRUE, A.round(1), B.round(1), metric=metric)
    assert found.estimates == pytest.approx((first[0], second[0]), abs=rounding(len(TRUE)))
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)
    assert found.statistic == pytest.approx((first[0] - second[0]) / math.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("metric", ["roc_auc", "scor_auc"])
def test_unpaired_adds_variances_and_takes_the_degrees_of_welch(metric):
    t2, s2 = TRUE[:17], B[:17]
    parts = [pair_components(TRUE, A, KERNELS[metric]), pair_components(t2, s2, KERNELS[metric])]
    variances = [np.var(v, ddof=1) / len(v) + np.var(w, ddof=1) / len(w) for _, v, w in parts]
    df = sum(variances) ** 2 / (variances[0] ** 2 / 23 + variances[1] ** 2 / 16)
    t = (parts[0][0] - parts[1][0]) / math.sqrt(sum(variances))
    found = delong_test(TRUE, A, s2, y_true_b=t2, metric=metric)
    assert found.df == pytest.approx(df, rel=1e-12)
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-12)
    assert found.note.startswith("8 of a class")  # the rarest of both samples


def test_scales_labels_and_parameters():
    found = delong_test(TRUE, A, B).statistic
    assert delong_test(TRUE, np.exp(9 * A), B - 5).statistic == found
    assert delong_test(TRUE, -A, -B, pos_label=0).statistic == pytest.approx(found)
    names = np.where(TRUE == 1, "yes", "no")
    assert delong_test(names.tolist(), A, B, pos_label="yes").statistic == found
    pairwise = delong_test(TRUE, A, B, metric="pairwise_auc", difference=KERNELS["roc_auc"])
    assert pairwise.statistic == pytest.approx(found, rel=1e-12)
    soft = {"metric": "soft_auc", "beta": 2}
    plain = delong_test(TRUE, special.expit(A), special.expit(B), **soft)
    assert delong_test(TRUE, A, B, rescale="expit", **soft).statistic == plain.statistic


def test_equal_rankings_are_not_told_apart():
    found = delong_test(TRUE, A, A**3)
    assert (found.statistic, found.p_value, found.difference) == (0, 1, 0)
    assert np.isnan(found.interval).all()
    assert "rankings are identical" in found.note
    shifted = delong_test(TRUE, A / 2, A / 2 + 0.1, metric="mm11_auc")
    assert (shifted.statistic, shifted.p_value) == (0, 1)


def test_no_variance_has_the_exact_test_of_independent_pairs():
    found = delong_test(TRUE, TRUE + A / 100, A / 100 - TRUE)
    assert found.estimates == (1, 0)
    assert np.isnan(found.statistic)
    # all of 11 independent pairs are for the first classifier
    assert found.p_value == pytest.approx(stats.binomtest(11, 11).pvalue)
    assert delong_test(TRUE, TRUE + A / 100, A / 100 - TRUE, alternative="less").p_value == 1
    low = stats.binomtest(11, 11).proportion_ci().low
    assert found.interval == pytest.approx((low - (1 - low), 1))


@pytest.mark.parametrize("positives", [0, 1])
def test_too_few_of_a_class(positives):
    truth = np.arange(24) < positives
    with pytest.warns(UndefinedMetricWarning, match="fewer than two"):
        found = delong_test(truth, A, B)
    assert np.isnan([found.statistic, found.p_value, *found.interval]).all()
    assert np.isnan(found.estimates[0]) == (positives == 0)
    assert positives == 0 or found.estimates[0] == roc_auc_score(truth, A)


def test_aucs_of_one():
    found = delong_test(TRUE, TRUE + A / 100, B)
    assert found.estimates[0] == 1
    assert found.interval[0] < found.difference < found.interval[1]
    both = delong_test(TRUE, TRUE + A / 100, TRUE + B / 100)
    # none of 11 independent pairs differs: Clopper and Pearson
    most = 1 - stats.binomtest(11, 11).proportion_ci().low
    assert both.interval == pytest.approx((-most, most))
    assert (both.estimates, both.p_value) == ((1, 1), 1)
    wider = delong_test(TRUE, TRUE + A / 100, TRUE + B / 100, metric="gini")
    assert wider.interval == pytest.approx(2 * np.array(both.interval))


@pytest.mark.parametrize(("positives", "negatives"), [(5, 95), (15, 15), (50, 50), (48, 952)])
def test_sizes_at_which_it_does_not_keep_its_level_are_noted(positives, negatives):
    """The columns of sizes.md that have a cell outside 3 to 7 %."""
    y = np.repeat([1, 0], [positives, negatives])
    a, b = np.random.default_rng(0).normal(size=(2, len(y))) + y
    assert delong_test(y, a, b).note.startswith(f"{positives} of a class") == (positives < 20)


@pytest.mark.parametrize("other", [np.zeros(17), -1.0 * (np.arange(17) < 8)])
def test_the_p_value_of_a_constant_difference_is_where_its_interval_begins_to_hold_zero(other):
    y = (np.arange(17) < 8).astype(int)
    found = delong_test(y, 1.0 * y, other)
    assert found.difference in (0.5, 1)
    assert 0 < found.p_value < 0.5
    levels = (1 - share * found.p_value for share in (0.99, 1.01))
    ends = [delong_test(y, 1.0 * y, other, confidence_level=x).interval[0] for x in levels]
    assert ends[0] < 0 < ends[1]


def test_copies_of_examples_add_nothing():
    """Obuchowski's variance of rows that are there m times is that of the rows."""
    once = delong_test(TRUE, A, B, groups=np.arange(24))
    copies = [np.repeat(each, 3) for each in (TRUE, A, B)]
    thrice = delong_test(*copies, groups=np.repeat(np.arange(24), 3))
    assert thrice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert delong_test(*copies).standard_error < 0.7 * once.standard_error


def test_the_jackknife_of_groups_by_hand():
    groups = np.arange(24) % 7
    d = KERNELS["roc_auc"](A[TRUE == 1][:, None] - A[TRUE == 0])
    d = d - KERNELS["roc_auc"](B[TRUE == 1][:, None] - B[TRUE == 0])
    total = 0.0
    for k in range(7):
        change = 0.0
        for axis, each in ((1, groups[TRUE == 1]), (0, groups[TRUE == 0])):
            placements = d.mean(axis=axis) - d.mean()
            change += placements[each == k].sum() / (each != k).sum()
        total += change**2
    found = delong_test(TRUE, A, B, groups=groups)
    assert found.standard_error**2 == pytest.approx(6 / 7 * total, rel=1e-12)


def test_non_inferiority_is_a_shifted_test():
    plain = delong_test(TRUE, A, B, alternative="greater")
    shifted = delong_test(TRUE, A, B, alternative="greater", margin=0.05)
    added = 0.05 / plain.standard_error
    assert shifted.statistic == pytest.approx(plain.statistic + added, rel=1e-12)
    assert shifted.p_value == pytest.approx(stats.norm.sf(shifted.statistic), rel=1e-12)


def test_samples_that_look_paired_are_told():
    with pytest.warns(UserWarning, match="y_true_b equals y_true in every row"):
        delong_test(TRUE, A, B, y_true_b=TRUE)
    delong_test(np.sort(TRUE), A, B, y_true_b=np.sort(TRUE))  # rows tell nothing
