"""Intervals of rows in clusters without resampling: ratio estimator, jackknife of groups."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.inference import Confidence, delong_test, interval, intervals
from skaucx.metrics._registry.names import named_metric

RNG = np.random.default_rng(5)
PATIENT = np.repeat(np.arange(40), RNG.integers(1, 9, 40))
N = len(PATIENT)
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = special.expit(Y - 0.5 + RNG.normal(size=40)[PATIENT] + RNG.normal(size=N))
PRED = (SCORE > 0.5).astype(int)
RATES = ["recall", "specificity", "precision", "npv", "accuracy", "fpr"]


def ratio_estimator(part, whole, clusters):
    """The rate, its variance and Satterthwaite's freedom (Cochran 1977, equation 6.13)."""
    sums = [(part[clusters == c].sum(), whole[clusters == c].sum()) for c in np.unique(clusters)]
    sums = [(x, n) for x, n in sums if n]
    total = sum(n for _, n in sums)
    p, m = sum(x for x, _ in sums) / total, len(sums)
    squares = np.array([(x - p * n) ** 2 for x, n in sums]) / total**2
    freedom = 2 * squares.sum() ** 2 / (squares @ squares - squares.sum() ** 2 / m)
    return p, m / (m - 1) * squares.sum(), m, min(freedom, m - 1)


class TestRates:
    @pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 3, N)])
    def test_the_standard_error_is_that_of_the_ratio_estimator(self, weight):
        w = np.ones(N) if weight is None else weight
        cases = {
            "recall": ((Y == 1) & (PRED == 1), Y == 1),
            "accuracy": (Y == PRED, np.ones(N)),
            "npv": ((Y == 0) & (PRED == 0), PRED == 0),
        }
        for name, (part, whole) in cases.items():
            found = interval(name, Y, PRED, groups=PATIENT, sample_weight=weight)
            p, variance, m, freedom = ratio_estimator(part * w, whole * w, PATIENT)
            assert found.method == "cluster"
            assert found.estimate == pytest.approx(p, abs=1e-12)
            assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
            freedom = m - 1 if weight is None else freedom
            t, size = stats.t.ppf(0.975, freedom), p * (1 - p) / variance
            for end in found:  # the ends are those that a score test does not reject
                assert abs(end - p) == pytest.approx(t * np.sqrt(end * (1 - end) / size), rel=1e-8)

    @pytest.mark.parametrize("name", RATES)
    def test_clusters_of_one_are_rows(self, name):
        alone = interval(name, Y, PRED, groups=np.arange(N))
        rows = interval(name, Y, PRED)
        assert alone.standard_error == pytest.approx(rows.standard_error, rel=0.01)
        assert alone.low == pytest.approx(rows.low, abs=0.004)
        assert alone.high == pytest.approx(rows.high, abs=0.004)

    def test_rows_written_twice_tell_nothing_new(self):
        twice = np.concatenate([Y, Y]), np.concatenate([PRED, PRED])
        once = interval("recall", Y, PRED, groups=PATIENT)
        again = interval("recall", *twice, groups=np.tile(PATIENT, 2))
        assert tuple(again) == pytest.approx(tuple(once), rel=1e-9)

    def test_clusters_that_are_all_alike_have_the_width_of_rows(self):
        y, pred = np.ones(80, dtype=int), np.tile([1, 1, 0, 0], 20)
        found = interval("recall", y, pred, groups=np.repeat(np.arange(20), 4))
        rows = interval("recall", y, pred)
        assert found.low < rows.low
        assert found.high > rows.high

    @pytest.mark.parametrize("name", ["recall", "f1", "matthews_corrcoef", "accuracy", "dor"])
    def test_perfect_calls_have_width_and_stay_inside(self, name):
        found = interval(name, Y, Y, groups=PATIENT % 8)
        row = sm.list_metrics()[[m.name for m in sm.list_metrics()].index(
            "diagnostic_odds_ratio" if name == "dor" else name
        )]  # fmt: skip
        if np.isfinite(found.estimate):
            assert row.bounds[0] <= found.low < found.high <= row.bounds[1]
            assert found.low < interval(name, Y, Y).low

    def test_two_groups_of_mean_size_are_added_over_the_cells_of_perfect_calls(self):
        """By hand: 8 groups of 2 and 2 rows, and 2 rows more in each cell: 18, 2, 2, 18."""
        y, right, wrong = np.tile([1, 1, 0, 0], 8), 0.005, -0.045  # derivatives of the MCC there
        found = interval("matthews_corrcoef", y, y, groups=np.repeat(np.arange(8), 4))
        of_groups = 8 / 7 * 8 * (4 * right) ** 2
        added = 0.5 * (2 * (4 * right) ** 2 + 2 * (4 * wrong) ** 2)
        assert found.standard_error == pytest.approx(np.sqrt(of_groups + added), rel=1e-6)
        reach = stats.t.ppf(0.975, 7) * found.standard_error
        assert found.low == pytest.approx(np.tanh(np.arctanh(0.8) - reach / (1 - 0.8**2)))

    def test_an_undefined_rate_and_one_cluster_have_no_interval(self):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(interval("precision", Y, 0 * Y, groups=PATIENT).low)
        assert np.isnan(interval("recall", Y, PRED, groups=0 * PATIENT).low)

    @pytest.mark.parametrize("name", ["f1", "cohen_kappa", "balanced_accuracy", "f1_macro"])
    def test_other_metrics_agree_with_the_bootstrap_of_clusters(self, name):
        found = interval(name, Y, PRED, groups=PATIENT)
        drawn = interval(
            name, Y, PRED, groups=PATIENT, method="percentile", n_resamples=3000, random_state=0
        )
        assert found.method == "cluster"
        assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.08)


class TestPairs:
    @pytest.mark.parametrize("weight", [None, np.ones(N), RNG.uniform(0.5, 3, N)])
    @pytest.mark.parametrize("name", ["roc_auc", "gini", "soft_auc"])
    def test_the_variance_is_that_of_deleting_each_group(self, name, weight):
        found = interval(name, Y, SCORE, groups=PATIENT, sample_weight=weight)
        w, function = np.ones(N) if weight is None else weight, named_metric(name).function
        left = [g != PATIENT for g in range(40)]
        values = np.array([function(Y[k], SCORE[k], sample_weight=w[k]) for k in left])
        jackknife = np.sqrt(39 / 40 * ((values - values.mean()) ** 2).sum())
        # The derivative leaves out pairs of the two classes within a group.
        assert found.standard_error == pytest.approx(jackknife, rel=0.02)

    @pytest.mark.parametrize("name", ["roc_auc", "gini"])
    def test_equal_weights_change_nothing(self, name):
        plain = interval(name, Y, SCORE, groups=PATIENT)
        weighted = interval(name, Y, SCORE, groups=PATIENT, sample_weight=np.full(N, 3.0))
        assert tuple(weighted) == pytest.approx(tuple(plain), rel=1e-12)

    def test_limits_are_students_on_the_logit_scale(self):
        found = interval("roc_auc", Y, SCORE, groups=PATIENT)
        a, t = found.estimate, stats.t.ppf(0.975, 39)
        half = t * found.standard_error / (a * (1 - a))
        expected = special.expit(special.logit(a) + np.array([-half, half]))
        assert tuple(found) == pytest.approx(tuple(expected), rel=1e-12)

    def test_a_test_against_a_score_without_information_has_that_variance(self):
        found = interval("roc_auc", Y, SCORE, groups=PATIENT)
        flat = delong_test(Y, SCORE, np.full(N, 0.5), groups=PATIENT)
        assert found.method == "cluster"
        assert found.standard_error == pytest.approx(flat.standard_error, rel=1e-12)
        assert flat.df == 39

    @pytest.mark.parametrize("name", ["roc_auc", "gini", "prob_auc", "soft_auc", "sond_auc"])
    def test_variants_agree_with_the_bootstrap_of_clusters(self, name):
        found = interval(name, Y, SCORE, groups=PATIENT)
        drawn = interval(
            name, Y, SCORE, groups=PATIENT, method="percentile", n_resamples=2000, random_state=0
        )
        assert found.method == "cluster"
        assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.1)

    @pytest.mark.parametrize("name", ["roc_auc", "soft_auc"])
    def test_clusters_of_one_are_rows(self, name):
        alone, rows = interval(name, Y, SCORE, groups=np.arange(N)), interval(name, Y, SCORE)
        assert tuple(alone) == pytest.approx(tuple(rows), abs=2e-3)

    def test_perfect_ranking(self):
        found = interval("roc_auc", Y, Y + 0.0, groups=PATIENT)
        assert interval("roc_auc", Y, Y + 0.0).low > found.low > 0.8
        assert found.high == 1
        found = interval("soft_auc", Y, 0.2 + 0.5 * Y, groups=PATIENT)
        assert found.method == "exact"
        assert found.low < found.estimate < found.high

    def test_two_clusters_of_each_class_are_needed(self):
        groups = np.where(Y == 1, 0, PATIENT + 1)
        with pytest.warns(UndefinedMetricWarning, match="two groups with examples of each class"):
            assert np.isnan(interval("roc_auc", Y, SCORE, groups=groups).low)


def test_what_has_no_closed_form_is_resampled():
    found = intervals(["roc_auc", "mm7_auc"], Y, SCORE, groups=PATIENT, n_resamples=50)
    assert [i.method for i in found.values()] == ["cluster", "bca"]
    weighted = interval("mm7_auc", Y, SCORE, sample_weight=np.ones(N), n_resamples=50)
    assert weighted.method == "bca"


@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 3, N)])
def test_each_class_has_the_interval_that_it_has_alone(weight):
    ask = {"groups": PATIENT, "sample_weight": weight}
    each = interval("recall", Y, PRED, average=None, **ask)
    for k in (0, 1):
        alone = interval("recall", Y, PRED, pos_label=k, **ask)
        assert (each.low[k], each.high[k]) == pytest.approx(tuple(alone), rel=1e-9)


def test_few_clusters_come_with_a_note():
    assert "8 groups: below 30" in interval("recall", Y, PRED, groups=PATIENT % 8).note
    assert (
        "8 groups: below 30"
        in interval(
            "roc_auc", Y, SCORE, groups=PATIENT % 8, method="percentile", n_resamples=50
        ).note
    )
    assert not interval("recall", Y, PRED, groups=PATIENT).note


def test_methods_of_independent_rows_name_the_one_of_clusters():
    with pytest.raises(ValueError, match="method='bca' or 'percentile' or method='cluster'"):
        interval("recall", Y, PRED, groups=PATIENT, method="wilson")
    with pytest.raises(ValueError, match="cluster"):
        interval("recall", Y, PRED, method="cluster")
    with pytest.raises(ValueError, match="use the bootstrap, method='bca' or 'percentile'"):
        interval("recall", Y, PRED, sample_weight=np.ones(N), method="wilson")


def test_the_end_that_does_not_count():
    one = interval(
        "recall", Y, PRED, groups=PATIENT, confidence_level=Confidence(alternative="greater")
    )
    two = interval("recall", Y, PRED, groups=PATIENT, confidence_level=0.9)
    assert one.high == 1
    assert one.low == two.low


def test_uneven_weights_take_the_freedom_and_a_note_of_their_effective_size():
    weight = np.exp(1.2 * np.random.default_rng(3).normal(size=N))
    even = interval("recall", Y, PRED, sample_weight=np.ones(N))
    assert "effective size" not in even.note
    effective = weight.sum() ** 2 / (weight @ weight)
    found = interval("recall", Y, PRED, sample_weight=weight)
    assert f"effective size {effective:.0f} of {N} rows" in found.note
    part, whole = weight * (Y == 1) * (PRED == 1), weight * (Y == 1)
    p, variance, m, freedom = ratio_estimator(part, whole, np.arange(N))
    t, size = stats.t.ppf(0.975, freedom), p * (1 - p) / variance
    assert freedom < m - 1
    for end in found:
        assert abs(end - p) == pytest.approx(t * np.sqrt(end * (1 - end) / size), rel=1e-8)
