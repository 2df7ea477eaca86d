"""Association in tables, odds and decisions, rates under a constraint; counts from other forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import adjusted_rand_score, rand_score

import skaucx.metrics as sm
from skaucx import inference
from skaucx.metrics import Counts, threshold_curves
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import named_metric
from tests.closeness import rounding
from tests.metrics.needed import needed_parameters

# PyCM 4.6 on these tables (rows true); its "Lambda A" is that of the true classes.
TABLE = [
    [12, 3, 1], [4, 9, 5], [2, 2, 14],
]  # fmt: skip
PYCM = [
    ("scott_pi", {}, 0.5083426028921024), ("gwet_ac1", {}, 0.5102493074792244),
    ("bennett_s", {}, 0.5096153846153847), ("cramer_v", {}, 0.5273625141592717),
    ("mutual_information", {}, 0.39849531472960886),
    ("no_information_rate", {}, 0.34615384615384615), ("goodman_kruskal_lambda", {}, 0.5),
]  # fmt: skip
LARGER = [[12, 3, 1, 0], [4, 9, 5, 2], [2, 2, 14, 1], [0, 3, 0, 6]]
PYCM_LARGER = [
    ("unbiased_kappa", {}, 0.5099051107041784),
    ("pabak", {}, 0.28125),
    ("krippendorff_alpha", {}, 0.513733977026802),
    ("adjusted_rand_index", {}, 0.26288467327561593),
    ("aickin_alpha", {}, 0.5175171273625941),  # max_iter=20000, epsilon=1e-13
    ("phi_squared", {}, 0.9526004041967664),
    ("pearson_c", {}, 0.6984715050816412),
    ("bangdiwala_b", {}, 0.4196510560146924),
    ("goodman_kruskal_lambda", {}, 0.4772727272727273),
    ("goodman_kruskal_lambda", {"guessed": "predicted"}, 0.4772727272727273),
    ("rci", {}, 0.32407204419156127),
    ("class_entropy", {}, 1.9425232864663098),
    ("class_entropy", {"of": "predicted"}, 1.9451030431571024),
    ("class_entropy", {"of": "both"}, 3.258108837288565),
    ("conditional_entropy", {}, 1.3155855508222556),
    ("class_divergence", {}, 0.008820218784870298),
    ("class_cross_entropy", {}, 1.95134350525118),
    ("confusion_entropy", {}, 0.4919510007780986),
    ("confusion_entropy", {"modified": True}, 0.6149066361373515),
    ("chance_agreement", {}, 0.265869140625),
    ("chance_agreement", {"shared": True}, 0.2667236328125),
    ("macro_accuracy", {}, 0.8203125),
    ("braun_blanquet", {"average": "macro"}, 0.6208333333333333),  # class balance accuracy
    ("icsi", {"average": "macro"}, 0.29156346749226),
    ("label_auc", {"average": "macro"}, 0.7636014752791069),
    ("label_auc", {"average": "weighted"}, 0.7526515151515152),
    # imbalanced-learn 0.14 (geometric_mean_score)
    ("multiclass_g_mean", {}, 0.6381007252174046),
]
BINARY = [[30, 9], [4, 17]]
PYCM_BINARY = [
    ("yule_q", {}, 0.8681318681318682),
    ("d_prime", {}, 1.6124587666229706),
    ("optimized_precision", {}, 0.7578112915699923),
    ("index_of_balanced_accuracy", {}, 0.647801526922406),
    # imbalanced-learn 0.14: make_index_balanced_accuracy with average="binary". By its default
    # "multiclass" the dominance is that of macro rates, 0 for two classes, which leaves TPR * TNR.
    ("index_of_balanced_accuracy", {"alpha": 0.1}, 0.6252197131318011),
    ("tp", {"normalize": False}, 17),
    ("tn", {"normalize": False}, 30),
    ("fp", {"normalize": False}, 9),
    ("fn", {"normalize": False}, 4),
    ("discriminant_power", {}, 0.6347271357748611 * np.log(10)),  # PyCM takes log10
    ("distance_index", {}, 0.29922502737596074),
    ("similarity_index", {}, 0.7884159540417278),
    ("precision_lift", {}, 1.8681318681318684),
    ("pointwise_mutual_information", {}, 0.9015962959390057),
    ("excess_of_calls", {"normalize": False}, 5),
    ("bray_curtis_dissimilarity", {}, 0.041666666666666664),
    ("adjusted_f", {}, 0.8138413004619895),
    ("adjusted_g_mean", {}, 0.7812849438387056),
    ("overlap_coefficient", {}, 0.8095238095238095),
    ("braun_blanquet", {}, 0.6538461538461539),
    ("kulczynski_index", {}, 0.7316849816849818),
    ("classification_success_index", {}, 0.4633699633699635),
    ("label_auc", {}, 0.7893772893772895),
    ("tversky_index", {}, 0.7555555555555555),
    # PyCM 4.6
    ("confusion_entropy", {}, 0.6634893692607323),
    ("confusion_entropy", {"modified": True}, 0.5106030794006367),
]


# Package krippendorff 0.9.0 on LARGER. PyCM's weighted alpha squares the mean of one class's share of
# the truth and another's of the predictions, where Krippendorff multiplies the two classes' own means.
KRIPPENDORFF = {
    "nominal": 0.5137339770268021, "ordinal": 0.6440467491982673, "interval": 0.6463653060015404,
}  # fmt: skip


VALUES = [
    (table, *row)
    for table, rows in ((TABLE, PYCM), (LARGER, PYCM_LARGER), (BINARY, PYCM_BINARY))
    for row in rows
]
VALUES += [(LARGER, "krippendorff_alpha", {"distance": d}, v) for d, v in KRIPPENDORFF.items()]


@pytest.mark.parametrize(("table", "name", "options", "value"), VALUES)
def test_values_of_other_packages(table, name, options, value):
    assert named_metric(name).function.from_table(table, **options) == pytest.approx(
        value, rel=1e-12
    )


def test_rand_index_is_that_of_two_partitions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, pred = rng.integers(0, 4, (2, 50))
        for ours, theirs in (
            (sm.association.rand_index, rand_score),
            (sm.association.adjusted_rand_index, adjusted_rand_score),
        ):
            assert ours(y, 3 - pred) == pytest.approx(theirs(y, pred), abs=rounding(50))


def test_gilbert_skill_score_is_the_jaccard_index_beyond_chance():
    rng = np.random.default_rng(1)
    tp, fp, fn, tn = rng.integers(1, 50, (4, 20)).astype(float)
    by_chance = (tp + fn) * (tp + fp) / (tp + fp + fn + tn)
    expected = (tp - by_chance) / (tp + fp + fn - by_chance)
    found = sm.gilbert_skill_score.from_counts(sm.Counts(tp=tp, fp=fp, fn=fn, tn=tn))
    np.testing.assert_allclose(found, expected, rtol=0, atol=rounding(4))


def test_aickin_alpha_that_does_not_settle():
    with pytest.warns(UndefinedMetricWarning, match="do not converge"):
        assert np.isnan(sm.association.aickin_alpha.from_table([[1, 0, 0], [0, 1, 0], [0, 1, 1]]))


def test_relative_risk_is_that_of_scipy():
    from scipy.stats.contingency import relative_risk

    expected = relative_risk(17, 26, 4, 34).relative_risk
    assert sm.association.relative_risk.from_table(BINARY) == pytest.approx(expected, rel=1e-12)


def test_attributable_risk_and_population_impact():
    """By their definitions from the prevalences among exposed, unexposed and all."""
    counts = sm.Counts.from_table(BINARY)
    exposed = counts.tp / counts.predicted_positives
    unexposed = counts.fn / counts.predicted_negatives
    everyone = counts.positives / counts.total
    expected = {
        "attributable_risk": exposed - unexposed,
        "population_attributable_fraction": (everyone - unexposed) / everyone,
        "positive_predictive_likelihood_ratio": exposed / unexposed,
        "negative_predictive_likelihood_ratio": (1 - exposed) / (1 - unexposed),
    }
    for name, value in expected.items():
        assert named_metric(name).function.from_counts(counts) == pytest.approx(value, rel=1e-12), (
            name
        )
    # Levin's formula from the share of exposed and the relative risk.
    share, ratio = counts.predicted_positives / counts.total, exposed / unexposed
    levin = share * (ratio - 1) / (1 + share * (ratio - 1))
    assert expected["population_attributable_fraction"] == pytest.approx(levin)
    odds = named_metric("diagnostic_odds_ratio").function.from_counts(counts)
    both = expected["negative_predictive_likelihood_ratio"]
    assert ratio / both == pytest.approx(odds)


NUMBERS = [row.name for row in sm.list_metrics() if "normalize" in METRICS[row.name].options]


@pytest.mark.parametrize("method", ["auto", "percentile"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_the_intervals_of_shares_times_the_size(name, method):
    """A sum has no upper bound, where the mean has one."""
    assert len(NUMBERS) > 6
    y = np.repeat([0, 0, 1, 1], [30, 9, 4, 17])
    given = np.repeat([0, 1, 0, 1], [30, 9, 4, 17])
    if METRICS[name].metric.kind.name in ("probabilities", "columns"):
        given = np.clip(0.2 + 0.6 * given, 0, 1)
    options = {"method": method, "n_resamples": 300, "random_state": 0, **needed_parameters(name)}
    share, number = (
        inference.interval(name, y, given, normalize=n, **options) for n in (True, False)
    )
    assert number.estimate == pytest.approx(60 * share.estimate)
    assert number.low < number.estimate < number.high
    # Wilson's and the logit's ends of a share are not those of a number on its log scale.
    close = 1e-9 if method != "auto" else 0.2
    assert [number.low, number.high] == pytest.approx([60 * share.low, 60 * share.high], rel=close)


def test_cramers_v_of_two_classes_is_the_size_of_the_mcc():
    for table in ([[5, 2], [1, 7]], [[2, 5], [7, 1]]):
        expected = abs(sm.matthews_corrcoef.from_table(table))
        assert sm.association.cramer_v.from_table(table) == pytest.approx(expected)


def test_net_benefit_of_treating_all_and_at_another_prevalence():
    y = np.repeat([1, 0], [30, 70])
    found = sm.net_benefit(y, np.ones(100, int), threshold=0.2)
    assert found == pytest.approx(0.3 - 0.7 * 0.25)
    assert sm.net_benefit(y, np.zeros(100, int), threshold=0.2) == 0
    assert sm.net_benefit(y, y, threshold=0.2, standardize=True) == pytest.approx(1)
    table = Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=0.3, n=1000)
    other = Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=0.05, n=1000)
    assert sm.net_benefit.from_counts(table, threshold=0.2, prevalence=0.05) == pytest.approx(
        sm.net_benefit.from_counts(other, threshold=0.2)
    )


PAIRS = {
    "precision_at_recall": ("precision", "recall", "min_recall"),
    "recall_at_precision": ("recall", "precision", "min_precision"),
    "sensitivity_at_specificity": ("recall", "specificity", "min_specificity"),
    "specificity_at_sensitivity": ("specificity", "recall", "min_sensitivity"),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("least", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_the_best_under_a_constraint_by_trying_every_threshold(name, least):
    best, bounded, parameter = PAIRS[name]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.repeat([0, 1], [12, 8]))
        score = np.round(rng.normal(y, 1), 1)
        reached = []
        for cut in [np.inf, *np.unique(score)]:
            tables = {"y_true": y, "y_pred": (score >= cut).astype(int), "zero_division": np.nan}
            if METRICS[bounded](**tables) >= least:
                reached.append(METRICS[best](**tables))
        expected = np.nanmax(reached) if np.isfinite(reached).any() else np.nan
        found = METRICS[name](y, score, **{parameter: least}, zero_division=np.nan)
        np.testing.assert_allclose(found, expected, rtol=rounding(20))
        curves = threshold_curves(y, score, [best, bounded])
        if np.isnan(expected):
            with pytest.warns(UndefinedMetricWarning, match=f"{bounded}.*its best value is"):
                threshold, value = curves.best(best, subject_to={bounded: (">=", least)})
            assert np.isnan(threshold)
        else:
            threshold, value = curves.best(best, subject_to={bounded: (">=", least)})
            again = METRICS[bounded](y, score >= threshold)
            assert again >= least
        np.testing.assert_allclose(value, expected, rtol=rounding(20))


def test_of_equal_values_the_better_constrained_one_counts_and_then_the_higher_threshold():
    y, score = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    curves = threshold_curves(y, score, ["precision", "recall", "fpr"])
    assert curves.best("precision") == (0.9, 1)
    assert curves.best("precision", subject_to={"recall": (">=", 0.1)}) == (0.8, 1)
    assert curves.best("recall", subject_to={"fpr": ("<=", 0.5)}) == (0.6, 1)
    assert curves.best("recall", subject_to={"fpr": ("<=", 0.0)}) == (0.8, pytest.approx(2 / 3))
    for bad in (0.5, (">", 0.5), (">=", "x"), (">=", 0.5, 1)):
        with pytest.raises((ValueError, TypeError), match="subject_to"):
            curves.best("precision", subject_to={"recall": bad})


class TestCounts:
    def test_a_frame_that_names_its_sides_otherwise_is_warned_of(self):
        y, pred = (
            pd.Series([0, 1, 1, 0, 1], name="y_true"),
            pd.Series([0, 1, 0, 0, 1], name="y_pred"),
        )
        rows_true, rows_pred = pd.crosstab(y, pred), pd.crosstab(pred, y)
        found = Counts.from_table(rows_true)
        again = Counts.from_table(rows_pred, layout="tn fn fp tp")
        assert [float(c) for c in found.cells] == [float(c) for c in again.cells] == [2, 0, 1, 2]
        for table, layout in ((rows_pred, "tn fp fn tp"), (rows_true, "tn fn fp tp")):
            with pytest.warns(UserWarning, match="rows of the table are named as"):
                Counts.from_table(table, layout=layout)
        turned = rows_true.loc[[1, 0], [1, 0]]
        with pytest.warns(UserWarning, match=r"order \[1, 0\].*negatives first"):
            Counts.from_table(turned)
        assert float(Counts.from_table(turned, layout="tp fn fp tn").tp) == 2
        with pytest.warns(UserWarning, match=r"order \[0, 1\].*positives first"):
            Counts.from_table(rows_true, layout="tp fn fp tn")
        assert float(Counts.from_table(pd.DataFrame([[1, 2], [3, 4]], columns=["x", "y"])).tp) == 4
