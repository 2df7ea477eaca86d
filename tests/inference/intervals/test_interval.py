"""Intervals against independent implementations, closed forms, the plain loop and known theory."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning
from statsmodels.stats.proportion import proportion_confint

from skaucx.evaluation import evaluate
from skaucx.inference import Confidence, interval, intervals
from skaucx.inference._intervals import means
from skaucx.inference._intervals.areas import score_t
from skaucx.inference._intervals.bootstrap import bca, of_replicates, replicates
from skaucx.inference._intervals.means import TableFunction
from skaucx.metrics import confusion_matrix, list_metrics, roc_auc_score
from skaucx.metrics._kinds.labels import LabelSample, LabelState
from skaucx.metrics._pairs.placements import variances
from skaucx.metrics._records.inputs import check_label_pair
from skaucx.metrics._registry.declare import METRICS, get_metric
from skaucx.metrics._registry.resampling import Resampling
from skaucx.metrics._registry.row import MetricEvaluator
from skaucx.metrics._registry.samples import sample_of
from tests.closeness import end, rounding
from tests.each import each
from tests.metrics.needed import NEEDED, needed_parameters
from tests.metrics.of_classes import OF_CLASSES

Y = np.array([0] * 7 + [1] * 6)
SCORE = np.array([0.05, 0.1, 0.15, 0.2, 0.35, 0.5, 0.5, 0.3, 0.45, 0.5, 0.6, 0.8, 0.95])
PRED = (SCORE > 0.4).astype(int)
THREE_TRUE = np.repeat([0, 0, 0, 1, 1, 1, 2, 2, 2], [15, 1, 3, 2, 19, 0, 3, 0, 17])
THREE_PRED = np.repeat([0, 1, 2, 0, 1, 2, 0, 1, 2], [15, 1, 3, 2, 19, 0, 3, 0, 17])
Z = special.ndtri(0.975)
PROPORTIONS = {
    "recall", "specificity", "precision", "npv", "false_negative_rate", "false_positive_rate",
    "false_discovery_rate", "false_omission_rate", "type_i_error", "type_ii_error", "prevalence",
    "accuracy", "zero_one_loss", "jaccard", "predicted_positive_rate", "true_positives",
    "true_negatives", "f1", "hamming_loss",
}  # fmt: skip
BEYOND_GUARANTEE = {"mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc"}


def judged(row):
    return PRED if row.kind.counted else SCORE


# Metrics of the whole table that read the counts of each class against the rest only.
BY_CLASS = [
    "mcc", "balanced_accuracy", "cohen_kappa", "scott_pi", "gwet_ac1", "bangdiwala_b",
    "chance_agreement", "no_information_rate", "macro_accuracy", "multiclass_g_mean",
]  # fmt: skip


def _of_many_classes(k):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, 20 * k)
    return y, np.where(rng.random(len(y)) < 0.6, y, rng.integers(0, k, len(y)))


def binormal(n, d, seed, share=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < share * n
    return y, special.expit(rng.normal(size=n) + d * y)


# Independent implementations


def test_replicates_on_one_side_of_the_estimate_have_no_bca_interval():
    """Beyond one standard error no correction for the bias is valid; there is no warning of NumPy's."""
    values = np.random.default_rng(0).uniform(1, 2, 400)
    for far in (0.5, 1.05, 1.95, 2.5):
        assert np.isnan(bca(values, np.array(far), np.array(-0.002), 0.9)).all()
    for near in (1.3, 1.5, 1.7):
        low, high = bca(values, np.array(near), np.array(-0.002), 0.9)
        assert low < near < high


def test_the_standard_error_is_delongs():
    """MLstatkit 0.1.91, Delong_test(Y, SCORE, ...): the lower limit; confidenceinterval 1.0.5: both."""
    found = interval("roc_auc", Y, SCORE)
    assert found.estimate == pytest.approx(0.8571428571428572, abs=rounding(len(Y)))
    lower = found.estimate - Z * found.standard_error
    assert lower == pytest.approx(0.6518663330358594, abs=1e-12)
    half = (1.062419314605034 - 0.6518662975012892) / 2
    assert Z * found.standard_error == pytest.approx(half, rel=1e-7)  # in single precision


def test_kappa_is_that_of_statsmodels():
    """Package statsmodels 0.15, cohens_kappa: the variance of Fleiss, Cohen & Everitt 1969."""
    found = interval("kappa", THREE_TRUE, THREE_PRED)
    assert found.standard_error == pytest.approx(0.06901341581533263, rel=1e-9)


def test_macro_recall_has_the_variance_of_independent_proportions():
    found = interval("recall", THREE_TRUE, THREE_PRED, average="macro")
    p, n = np.array([15 / 19, 19 / 21, 17 / 20]), np.array([19, 21, 20])
    assert found.standard_error == pytest.approx(np.sqrt((p * (1 - p) / n).sum()) / 3, rel=1e-9)


def test_micro_precision_is_accuracy():
    micro = interval("precision", THREE_TRUE, THREE_PRED, average="micro")
    whole = interval("accuracy", THREE_TRUE, THREE_PRED)
    assert (micro.low, micro.high) == pytest.approx((whole.low, whole.high))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("wilson", "wilson"), ("clopper-pearson", "beta")],
)
def test_proportions_are_those_of_statsmodels(ours, theirs):
    for found, n in [(1, 3), (5, 7), (20, 40), (399, 400)]:
        truth, pred = np.ones(n, dtype=int), np.arange(n) < found
        mine = interval("recall", truth, pred * 1, labels=[0, 1], method=ours, confidence_level=0.9)
        expected = proportion_confint(found, n, alpha=0.1, method=theirs)
        assert (mine.low, mine.high) == pytest.approx(np.clip(expected, 0, 1), abs=1e-10)


def test_proportions_written_down():
    """Package statsmodels 0.15, proportion_confint(5, 7)."""
    truth, pred = np.ones(7, dtype=int), np.arange(7) < 5
    expected = {"wilson": 0.35893445, "clopper-pearson": 0.29042086}
    for method, low in expected.items():
        found = interval("recall", truth, pred * 1, labels=[0, 1], method=method)
        assert found.low == pytest.approx(low, abs=6e-9)


# Closed forms


def test_the_metrics_that_are_proportions():
    with_wilson = set()
    for row in list_metrics():
        if row.kind.counted:
            found = interval(row.name, Y, PRED, **NEEDED.get(row.name, {}))
            with_wilson |= {row.name} if found.method == "wilson" else set()
    assert with_wilson == PROPORTIONS


def test_a_proportion_counts_its_own_trials():
    tp, fp, fn, tn = 5, 2, 1, 5
    trials = {"recall": (tp, tp + fn), "npv": (tn, tn + fn), "accuracy": (tp + tn, 13)}
    trials |= {"jaccard": (tp, tp + fn + fp), "prevalence": (tp + fn, 13), "zero_one_loss": (3, 13)}
    for name, (x, n) in trials.items():
        found, p = interval(name, Y, PRED), x / n
        assert found.standard_error == pytest.approx(np.sqrt(p * (1 - p) / n))


def test_likelihood_and_odds_ratios_have_the_log_intervals_of_the_books():
    tp, fp, fn, tn = 5, 2, 1, 5
    variances = {
        "lr_plus": 1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn),
        "lr_minus": 1 / fn - 1 / (tp + fn) + 1 / tn - 1 / (fp + tn),
        "dor": 1 / tp + 1 / fp + 1 / fn + 1 / tn,
    }
    for name, variance in variances.items():
        found = interval(name, Y, PRED)
        assert found.method == "log"
        expected = found.estimate * np.exp([-Z * np.sqrt(variance), Z * np.sqrt(variance)])
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)


def test_mcc_has_fishers_z_on_its_range():
    found = interval("mcc", Y, PRED)
    r, error = found.estimate, found.standard_error
    expected = np.tanh(np.arctanh(r) + np.array([-Z, Z]) * error / (1 - r**2))
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["gini", "prob_auc", "mm11_auc", "soft_auc", "sond_auc"])
def test_variants_have_the_variance_of_their_placements(name):
    found = interval(name, Y, SCORE)
    h = {
        "gini": np.sign,
        "mm11_auc": lambda d: d,
        "prob_auc": lambda d: (d + 1) / 2,
        "soft_auc": lambda d: special.expit(7 * d),
        "sond_auc": lambda d: np.where(d > 0, np.abs(d) ** (1 / 7), 0),
    }[name]
    pairs = h(SCORE[Y == 1][:, None] - SCORE[Y == 0])
    variance = pairs.mean(axis=1).var(ddof=1) / 6 + pairs.mean(axis=0).var(ddof=1) / 7
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_logit_t_has_the_degrees_of_freedom_of_brunner_and_munzel():
    y, score = np.append(Y, [0, 0, 0]), np.append(SCORE, [0.02, 0.41, 0.33])
    found = interval("prob_auc", y, score)
    assert found.method == "logit-t"
    values = (score[y == 1][:, None] - score[y == 0] + 1) / 2
    parts = np.array([values.mean(axis=1).var(ddof=1) / 6, values.mean(axis=0).var(ddof=1) / 10])
    freedom = parts.sum() ** 2 / (parts**2 / [5, 9]).sum()
    a = found.estimate
    half = stats.t.ppf(0.975, freedom) * np.sqrt(parts.sum()) / (a * (1 - a))
    ends = special.expit(special.logit(a) + np.array([-half, half]))
    assert (found.low, found.high) == pytest.approx(ends)


# Ends of the range and small classes


def test_a_class_called_alike_does_not_hide_its_variance():
    y, pred = np.repeat([0, 1], [20, 5]), np.repeat([0, 1], [17, 8])
    found = interval("balanced_accuracy", y, pred)
    recall, specificity = 5.5 / 6, 17.5 / 21
    variance = recall * (1 - recall) / 6 + specificity * (1 - specificity) / 21
    assert found.standard_error == pytest.approx(np.sqrt(variance) / 2, rel=1e-9)
    assert "have the same prediction" in found.note


@pytest.mark.parametrize("method", ["auto", "bca"])
@pytest.mark.parametrize("n", [4, 60])
def test_an_auc_of_one_or_zero_never_has_an_interval_without_width(method, n):
    y = np.arange(n) % 2
    for score, value in [(y * 1.0, 1.0), (1.0 - y, 0.0)]:
        found = interval("roc_auc", y, score, method=method, random_state=0)
        assert found.estimate == value
        assert value in found
        assert found.high - found.low > 0.5 / n


def test_the_exact_bound_is_that_of_independent_pairs():
    y = np.repeat([0, 1], [10, 30])
    found = interval("soft_auc", y, 0.2 + 0.5 * y)
    assert found.method == "exact"
    share = stats.binomtest(10, 10).proportion_ci(method="exact").low
    value = special.expit(7 * 0.5)
    expected = share * value, share * value + 1 - share
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("how", ["ovr", "ovo"])
@pytest.mark.parametrize(("classes", "problems"), [(3, 6), (4, 12)])
def test_resamples_that_are_all_alike_share_the_error_over_pairs_of_classes(how, classes, problems):
    y = np.repeat(np.arange(classes), 8)
    ask = {"method": "percentile", "n_resamples": 20, "random_state": 0}
    found = interval("roc_auc", y, np.eye(classes)[y], multi_class=how, **ask)
    bound = stats.binomtest(8, 8).proportion_ci(1 - 0.05 / problems, method="exact")
    assert found.method == "exact"
    assert (found.low, found.high) == pytest.approx((bound.low, 1))


def test_scores_all_alike():
    found = interval("roc_auc", Y, np.full(13, 0.5))
    assert found.estimate == 0.5
    assert 0 < found.low < 0.5 < found.high < 1


@pytest.mark.parametrize("y", [[1, 0, 0], [0, 0, 0]])
def test_fewer_than_two_of_a_class(y):
    with pytest.warns(UndefinedMetricWarning):
        found = interval("roc_auc", y, [0.1, 0.2, 0.3])
    assert np.isnan([found.low, found.high, found.standard_error]).all()


def test_undefined_metrics_have_no_interval():
    with pytest.warns(UndefinedMetricWarning):
        found = interval("precision", [0, 1, 1], [0, 0, 0])
    assert found.estimate == 0
    assert np.isnan([found.low, found.high]).all()
    with pytest.warns(UndefinedMetricWarning):
        found = interval("f1", [0, 0, 0], [0, 0, 0], labels=[0, 1])
    assert np.isnan([found.low, found.high]).all()


def test_the_accelerated_limits_of_each_class_are_those_of_the_class_alone():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    p = rng.dirichlet(np.ones(3), 60) + 0.5 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    ask = {"method": "bca", "n_resamples": 99, "random_state": 0, "stratify": False}
    found = interval("average_precision", y, p, multi_class="ovr", average=None, **ask)
    for k in range(3):
        alone = interval("average_precision", y == k, p[:, k], **ask)
        assert (found.low[k], found.high[k]) == pytest.approx((alone.low, alone.high))


def test_two_groups_are_not_said_to_be_one():
    for groups, note in ((Y, "biased upwards"), (np.zeros(13), "one row, or one group")):
        assert note in interval("ks", Y, SCORE, groups=groups).note
    halves = np.arange(13) // 7
    drawn = interval("accuracy", Y, PRED, groups=halves, method="percentile", random_state=0)
    each = [np.mean((Y == PRED)[halves == half]) for half in (0, 1)]
    assert (drawn.low, drawn.high) == pytest.approx((min(each), max(each)))


def test_percentiles_may_end_at_the_estimate():
    """The two highest of all rows are positive, but not those of every resample."""
    y = np.r_[1, 1, 0, 1, 0, 0, np.arange(34) % 2]
    ask = {"method": "percentile", "n_resamples": 100, "random_state": 0}
    found = interval("precision_at_k", y, -np.arange(40.0), k=2, **ask)
    assert found.low < found.estimate == found.high == 1
    lowest = interval("precision_at_k", 1 - y, -np.arange(40.0), k=2, **ask)
    assert lowest.low == lowest.estimate == 0 < lowest.high


def test_perfect_predictions():
    for row in list_metrics():
        if row.kind.counted and row.name != "expected_cost":
            found = interval(row.name, Y, Y, **NEEDED.get(row.name, {}))
            assert found.low < found.high, row.name
            assert found.estimate in found


def test_an_infinite_ratio_has_a_lower_end():
    found = interval("dor", Y, Y)
    assert (found.estimate, found.high) == (np.inf, np.inf)
    assert 1 < found.low < np.inf
    low = interval("lr_plus", Y, PRED, method="percentile", random_state=0)
    assert low.high == np.inf


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_ratios_that_are_infinite_on_every_resample(method):
    found = interval("dor", Y, Y, method=method, random_state=0)
    assert found.method == "log"
    assert (found.estimate, found.high) == (np.inf, np.inf)


# Bootstrap


@each("row", [f.metric for f in OF_CLASSES.values()])
def test_every_metric_has_both_bootstraps(row):
    for method in ("percentile", "bca"):
        found = interval(
            row.name, Y, judged(row), method=method, random_state=0, n_resamples=99,
            **NEEDED.get(row.name, {}),
        )  # fmt: skip
        if row.no_interval:
            assert found.method == "none"
            assert row.no_interval in found.note
            continue
        assert found.method == method
        assert found.low <= found.estimate <= found.high
        no_bootstrap = "the coverage of its bootstrap is not guaranteed" in found.note
        assert no_bootstrap == (row.name in BEYOND_GUARANTEE)


@pytest.mark.parametrize("weighted", [False, True])
def test_replicates_are_the_metric_on_resampled_rows(weighted):
    rng = np.random.default_rng(3)
    truth, score = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3), 40)
    pred, weight = score.argmax(axis=1), rng.random(40) if weighted else None
    indicators = rng.random((2, 40, 3)) < 0.5
    cases = [
        (["recall", "f1", "precision"], truth, pred, {"average": "weighted"}),
        (["kappa", "mcc", "accuracy"], truth, pred, {}),
        (["roc_auc", "mm7_auc", "average_precision"], truth, score, {"multi_class": "ovr"}),
        (["roc_auc", "sond_auc"], truth, score, {"multi_class": "ovo"}),
        (["soft_auc"], truth, score, {"multi_class": "ovr", "average": "micro"}),
        (["scor_auc"], truth, score, {"multi_class": "ovr", "rescale": "minmax"}),
        (["log_loss", "brier_score_loss"], truth, score, {}),
        (["f1"], *indicators, {"average": "samples", "zero_division": 0}),
    ]
    for names, first, second, options in cases:
        rows = [get_metric(name) for name in names]
        sample = sample_of(rows[0].metric, first, second, sample_weight=weight)
        drawn = Resampling.of(sample, stratify=first.ndim == 1, groups=None)
        settings = dict(options)
        zero = settings.pop("zero_division", "warn")
        readings = [of_replicates(row.metric, settings) for row in rows]
        values = replicates(sample, readings, drawn, 8, 5)
        counts = np.concatenate(list(drawn.resamples(8, 5))).astype(int)
        for row, found in zip(rows, values, strict=True):
            for one, count in zip(found, counts, strict=True):
                i = np.repeat(np.arange(40), count)
                own = {"sample_weight": weight[i]} if weighted else {}
                expected = row(first[i], second[i], **options, **own)
                if zero == "warn":
                    assert one == pytest.approx(expected, rel=1e-12), row
                else:
                    assert np.isnan(one) or one == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstraps_are_those_of_scipy(method):
    y, proba = np.ones(25, dtype=int), np.exp(-np.random.default_rng(0).exponential(size=25))
    ask = {"labels": [0, 1], "n_resamples": 40_000, "random_state": 0}
    found = interval("log_loss", y, proba, method=method, **ask)
    newer = tuple(int(part) for part in scipy.__version__.split(".")[:2]) >= (1, 15)
    expected = stats.bootstrap(
        (-np.log(proba),),
        np.mean,
        method="BCa" if method == "bca" else method,
        n_resamples=40_000,
        **{"rng" if newer else "random_state": 0},
    )
    width = found.high - found.low
    ends = expected.confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=0.02 * width)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.02)


def test_methods_agree_in_the_limit():
    y, score = binormal(5_000, 1.0, 0)
    found = [interval("roc_auc", y, score), interval("roc_auc", y, score, groups=np.arange(5_000))]
    found += [
        interval("roc_auc", y, score, method=m, n_resamples=600, random_state=1)
        for m in ("percentile", "bca")
    ]
    for one in found:
        assert (one.low, one.high) == pytest.approx((found[0].low, found[0].high), abs=2e-3)


def test_seeds():
    ask = {"method": "bca", "n_resamples": 200}
    one, same, other = (interval("ap", Y, SCORE, random_state=s, **ask) for s in (1, 1, 2))
    assert (one.low, one.high) == (same.low, same.high)
    assert one.standard_error != other.standard_error


def test_several_metrics_share_resamples():
    found = intervals(["roc_auc", "gini"], Y, SCORE, method="percentile", random_state=0)
    assert found["gini"].low == pytest.approx(2 * found["roc_auc"].low - 1)
    alone = interval("gini", Y, SCORE, method="percentile", random_state=0)
    assert alone.low == found["gini"].low


def test_equal_weights_change_nothing():
    for name, second in [("roc_auc", SCORE), ("f1", PRED)]:
        ask = {"method": "percentile", "random_state": 0, "n_resamples": 500}
        plain = interval(name, Y, second, groups=np.arange(13), **ask)
        weighted = interval(name, Y, second, sample_weight=np.full(13, 3.0), **ask)
        assert (plain.low, plain.high) == pytest.approx((weighted.low, weighted.high))


def test_weights_are_said_to_be_sampling_weights():
    ask = {"n_resamples": 50, "random_state": 0}
    for more in ({}, {"groups": np.arange(13)}, {"average": None}):
        found = interval("f1", Y, PRED, sample_weight=np.full(13, 50), **ask, **more)
        assert found.note.count("weights are sampling weights") == 1
        assert "frequency=" in found.note
        assert "sampling weights" not in interval("f1", Y, PRED, **ask, **more).note
    repeated = interval("f1", Y, PRED, frequency=np.full(13, 50), **ask)
    assert "sampling weights" not in repeated.note


def test_an_evaluation_says_once_what_weights_are():
    found = evaluate(Y, PRED, SCORE, sample_weight=np.full(13, 50), intervals=True, n_resamples=50)
    assert " ".join(str(found).split()).count("weights are sampling weights") == 1


def test_groups_of_copies_widen():
    y, score = np.repeat(Y, 10), np.repeat(SCORE, 10)
    ask = {"method": "percentile", "random_state": 0}
    apart = interval("roc_auc", y, score, **ask)
    together = interval("roc_auc", y, score, groups=np.repeat(np.arange(13), 10), **ask)
    once = interval("roc_auc", Y, SCORE, **ask)
    assert together.standard_error > 2 * apart.standard_error
    assert together.standard_error == pytest.approx(once.standard_error, rel=0.1)


def test_rows_of_weight_zero_count_for_nothing():
    weight = np.append(np.ones(13), 0)
    groups = np.append(np.arange(13), 99)
    y, score = np.append(Y, 0), np.append(SCORE, 0.99)
    ask = {"method": "percentile", "random_state": 0}
    with_row = interval("roc_auc", y, score, sample_weight=weight, groups=groups, **ask)
    without = interval("roc_auc", Y, SCORE, groups=np.arange(13), **ask)
    assert (with_row.low, with_row.high) == (without.low, without.high)


# Shapes, options and refusals


def test_one_interval_a_class():
    for method in ("auto", "bca"):
        found = interval(
            "recall", THREE_TRUE, THREE_PRED, average=None, method=method, random_state=0
        )
        assert found.low.shape == found.high.shape == found.standard_error.shape == (3,)
        assert (found.low < found.estimate).all()
        assert sum(line.startswith("recall of ") for line in repr(found).splitlines()) == 3


@pytest.mark.parametrize("named", [None, [2, 0]])
@pytest.mark.parametrize(
    "name", ["recall", "specificity", "f1", "lr_plus", "mcc", "soft_auc", "auc"]
)
def test_a_class_has_the_interval_it_has_alone(name, named):
    """By the same method, and under its name; also where counts are all that there is."""
    rng = np.random.default_rng(0)
    true, names = rng.integers(3, size=60), np.array(["ash", "elm", "oak"])
    score = rng.dirichlet(np.ones(3), 60) + 0.3 * np.eye(3)[true]
    pred, score = score.argmax(axis=1), score / score.sum(axis=1, keepdims=True)
    of_scores, classes = name.endswith("auc"), range(3) if named is None else named
    if name == "mcc" or (of_scores and named):
        return  # it is one number of all classes; columns of scores are those of all classes
    second, options = (score, {"multi_class": "ovr"}) if of_scores else (names[pred], {})
    labels = None if named is None else names[named]
    found = interval(name, names[true], second, average=None, labels=labels, **options)
    table = confusion_matrix(true, pred)
    others = [] if of_scores or named else [interval(name, counts=table, average=None)]
    assert found.classes.tolist() == names[list(classes)].tolist()
    for place, k in enumerate(classes):
        alone = interval(name, true == k, score[:, k] if of_scores else pred == k)
        for one in (found, *others):
            assert one.method == alone.method
            ends = one.estimate[place], one.low[place], one.high[place]
            assert ends == pytest.approx((alone.estimate, *alone), rel=1e-9)


def test_labels_of_any_kind():
    words = np.array(["no", "yes"])
    for name, second in [("recall", words[PRED]), ("roc_auc", SCORE)]:
        ask = {"method": "bca", "random_state": 0}
        expected = interval(name, Y, PRED if name == "recall" else SCORE, **ask)
        found = interval(name, words[Y], second, pos_label="yes", **ask)
        assert (found.low, found.high) == (expected.low, expected.high)


def test_swapping_classes_and_signs_keeps_the_auc():
    one = interval("roc_auc", Y, SCORE)
    other = interval("roc_auc", Y, -SCORE, pos_label=0)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=end(one))


def test_multilabel_indicators():
    rng = np.random.default_rng(0)
    true, pred = rng.random((2, 30, 3)) < 0.5
    found = interval("f1", true, pred, average="macro", n_resamples=50, random_state=0)
    assert found.method == "bca"
    assert found.low < found.estimate < found.high


def test_weights_and_groups_leave_the_bootstrap_only():
    for name, second, method in [("recall", PRED, "wilson"), ("mcc", PRED, "logit")]:
        with pytest.raises(ValueError, match="use the bootstrap"):
            interval(name, Y, second, method=method, sample_weight=np.ones(13))
    with pytest.raises(ValueError, match="use the bootstrap"):
        interval("roc_auc", Y, SCORE, method="score-t", groups=np.arange(13))
    found = interval("mm4_auc", Y, SCORE, sample_weight=np.ones(13), random_state=0)
    assert found.method == "bca"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "delta"}, "method must be one of"),
        ({"method": 3}, "method must be one of"),
        ({"confidence_level": 95}, "confidence_level must be a finite number in"),
        ({"n_resamples": 1}, "n_resamples must be a whole number >= 2"),
        ({"stratify": 1}, "stratify must be True or False"),
        ({"groups": np.arange(4)}, "groups"),
        ({"groups": np.eye(13)}, "groups must be one-dimensional"),
    ],
)
def test_bad_settings(changed, message):
    with pytest.raises(ValueError, match=message):
        interval("roc_auc", Y, SCORE, **changed)


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
@pytest.mark.parametrize("metric", ["recall", "roc_auc", "mm4_auc", "f1"])
def test_rows_that_stand_for_several_are_those_rows(metric, method):
    many = np.random.default_rng(0).integers(0, 4, len(Y))
    second = PRED if metric in ("recall", "f1") else SCORE
    asked = {"method": method, "random_state": 0, "n_resamples": 99}
    found = interval(metric, Y, second, frequency=many, **asked)
    assert repr(found) == repr(
        interval(metric, np.repeat(Y, many), np.repeat(second, many), **asked)
    )
    wide, narrow = (
        interval(metric, Y, second, frequency=np.full(len(Y), k), **asked) for k in (1, 50)
    )
    assert narrow.high - narrow.low < wide.high - wide.low
    weighted = interval(metric, Y, second, sample_weight=np.full(len(Y), 50), **asked)
    assert weighted.high - weighted.low > narrow.high - narrow.low


@pytest.mark.parametrize("many", [np.full(13, 0.5), np.full(13, -1), np.ones((13, 2)), np.ones(4)])
def test_bad_frequency(many):
    with pytest.raises(ValueError, match="frequency"):
        interval("roc_auc", Y, SCORE, frequency=many)


def test_bad_names_and_parameters():
    with pytest.raises(ValueError, match="not the name of a metric"):
        interval("rocauc2", Y, SCORE)
    with pytest.raises(TypeError, match="None of the metrics takes it"):
        interval("roc_auc", Y, SCORE, beta=2)
    with pytest.raises(TypeError, match="needs the parameter 'beta'"):
        interval("fbeta", Y, PRED)
    with pytest.raises(ValueError, match="use two calls"):
        intervals(["recall", "roc_auc"], Y, PRED)
    with pytest.raises(ValueError, match="metrics is empty"):
        intervals([], Y, PRED)


def test_sets_give_the_intervals_that_the_array_allows_and_name_the_others():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 120)
    score = rng.normal(y)
    pred, proba = (score > 0.5) * 1, 1 / (1 + np.exp(-score))
    with pytest.warns(UserWarning, match="recall, specificity, .*scores"):
        found = intervals("default", y, proba)
    whole = evaluate(y, pred, proba, "default", intervals=True)
    assert [repr(each) for each in found.values()] == [
        repr(whole.intervals[name]) for name in whole if name in found
    ]
    with pytest.warns(UserWarning, match="No interval of .*roc_auc.* from predicted labels"):
        of_labels = intervals("default", y, pred)
    assert not set(found) & set(of_labels)
    assert set(found) | set(of_labels) == set(whole)
    for other in (score, 1.5 * proba, proba - 1):  # these scores are no probabilities
        with pytest.warns(UserWarning, match="log_loss"):
            assert list(intervals("default", y, other)) == ["roc_auc", "average_precision"]
    with pytest.warns(UserWarning, match="No interval of roc_auc"):  # of labels as decimal numbers
        assert list(intervals("default", y, 1.0 * pred)) == list(of_labels)
    with pytest.warns(UserWarning, match=r"net_benefit \(threshold=\)"):
        assert "net_benefit" not in intervals("clinical", y, pred)
    with pytest.warns(UserWarning, match="No interval of roc_auc"):
        assert "net_benefit" in intervals("clinical", y, pred, threshold=0.2)
    with pytest.warns(UserWarning, match="No interval of roc_auc"):
        assert list(intervals("default", counts=[[5, 2], [1, 4]])) == list(of_labels)


def test_a_function_is_as_good_as_its_name():
    assert repr(interval(roc_auc_score, Y, SCORE)) == repr(interval("auc", Y, SCORE))


def test_repr_and_membership():
    assert ", 95 % interval (score-t)" in interval("roc_auc", Y, SCORE)._repr_html_()
    found = interval("mm1_auc", Y, SCORE, random_state=0, n_resamples=99)
    assert repr(found).startswith("mm1_auc 0.")
    assert "\nNote: the metric depends on the lowest" in repr(found)
    assert found.estimate in found
    assert 2 not in found


def test_coverage_of_the_default_auc_interval():
    """400 runs at 50 + 50, AUC .8: the share is within 3 standard errors of 95 %."""
    held, auc = 0, 0.8
    d = np.sqrt(2) * special.ndtri(auc)
    rng = np.random.default_rng(0)
    y = np.arange(100) < 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(400):
            held += auc in interval("roc_auc", y, rng.normal(size=100) + d * y)
    assert abs(held / 400 - 0.95) < 0.033


def ranked(labels):
    """Return the interval of the AUC of labels in the order of their scores."""
    return interval("roc_auc", labels, np.arange(len(labels)))


def swaps(rng, positives, negatives):
    """Yield what each won pair of neighbours does to both ends, in pairs, by score-t."""
    y = np.repeat([0, 1], [negatives, positives])
    spread, shift, lost = (
        rng.choice([0.05, 0.5, 1, 3]),
        rng.uniform(-1, 4),
        rng.random(len(y)) < 0.05,
    )
    y = y[
        np.argsort(np.where(y & ~lost, shift, 0) + np.where(y, spread, 1) * rng.normal(size=len(y)))
    ]
    better = []
    for i in np.flatnonzero((y[:-1] == 1) & (y[1:] == 0)):
        better.append(y.copy())
        better[-1][i : i + 2] = 0, 1
    if not better:
        return
    places = [(np.flatnonzero(one), np.flatnonzero(1 - one)) for one in (y, *better)]
    values = [
        (np.searchsorted(n, p) / len(n), 1 - np.searchsorted(p, n) / len(p)) for p, n in places
    ]
    auc = np.array([p.mean() for p, _ in values])
    parts = np.transpose([variances(*both) for both in values])
    ends = score_t(auc, parts, positives, negatives, 0.95)
    yield min(np.min(end[1:] - end[0]) for end in ends) * positives * negatives


@pytest.mark.parametrize("fewest", [2, 10, 15])
def test_a_better_ranking_has_no_lower_ends(fewest):
    """But of score-t with few examples, where a pair won makes its class more unlike."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        sizes = rng.integers(fewest, 60, 2)
        for moved in swaps(rng, *sizes):
            assert moved > {2: -1.5, 10: -0.5, 15: 0}[fewest] - 1e-9, sizes


def test_larger_perfect_rankings_are_surer():
    lows = [ranked(np.repeat([0, 1], m)).low for m in (5, 20, 49, 50, 51, 200)]
    assert np.all(np.diff(lows) > 0)
    perfect = np.repeat([0, 1], 50)
    lost = perfect.copy()
    lost[49:52] = 1, 1, 0
    lower = [ranked(y).low for y in (lost, perfect)]
    assert lower[0] < lower[1] < 1 == ranked(perfect).high


@pytest.mark.parametrize("method", ["score-t", "wilson", "clopper-pearson"])
def test_more_confidence_is_wider(method):
    metric, pred = ("recall", SCORE > 0.5) if method != "score-t" else ("roc_auc", SCORE)
    found = [
        interval(metric, Y, pred * 1, method=method, confidence_level=level)
        for level in (0.5, 0.8, 0.9, 0.95, 0.99)
    ]
    assert np.all(np.diff([one.low for one in found]) <= 0)
    assert np.all(np.diff([one.high for one in found]) >= 0)


def test_score_t_of_gini_is_that_of_the_auc():
    auc, gini = (interval(name, Y, SCORE) for name in ("roc_auc", "gini"))
    assert auc.method == gini.method == "score-t"
    np.testing.assert_allclose([*gini], [2 * auc.low - 1, 2 * auc.high - 1], rtol=1e-9)


@pytest.mark.parametrize("metric", ["recall", "f1", "roc_auc", "positive_likelihood_ratio"])
def test_one_sided_ends(metric):
    pred = SCORE if metric == "roc_auc" else (SCORE > 0.5) * 1
    both = interval(metric, Y, pred, confidence_level=0.9)
    greater, less = (
        interval(metric, Y, pred, confidence_level=Confidence(0.95, alternative=side))
        for side in ("greater", "less")
    )
    assert (greater.low, less.high) == (pytest.approx(both.low), pytest.approx(both.high))
    assert less.low == 0
    assert greater.high == (np.inf if metric.startswith("positive") else 1)
    with pytest.raises(ValueError, match=r"confidence_level above 0\.5"):
        interval(metric, Y, pred, confidence_level=Confidence(0.4, alternative="less"))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "binary", None])
@pytest.mark.parametrize("metric", ["f1", "specificity", "informedness", "threat_score", *BY_CLASS])
@pytest.mark.parametrize("labels", [None, [2, 0]])
def test_the_gradient_by_counts_is_that_by_cells(metric, average, labels):
    rng = np.random.default_rng(0)
    y, pred = rng.integers(0, 3, (2, 60))
    if average == "binary":
        y, pred = y > 0, pred > 0
        labels = None
    function = get_metric(metric)
    pair = check_label_pair(y, pred, labels=labels)
    options = {} if "average" not in function.options else {"average": average}
    state, reading = LabelSample(pair).state, MetricEvaluator(function.metric, options)

    def value(table):
        return reading.unreported(LabelState(table, pair.classes, pair.named))

    table = state.table
    cells = np.argwhere(table > 0)
    expected = np.array([
        (value(table + h) - value(table - h)) / 2e-4
        for h in ((1e-4 * np.eye(table.size)[i * len(table) + j]).reshape(table.shape) for i, j in cells)
    ])  # fmt: skip
    own, counts, n = TableFunction(reading, state), table[table > 0], table.sum()
    # The variance of multinomial cells: sum g^2 c - (sum g c)^2 / n.
    variance = (expected.T**2) @ counts - (expected.T @ counts) ** 2 / n
    np.testing.assert_allclose(own.standard_error, np.sqrt(variance), rtol=1e-6, atol=1e-7)
    if expected.ndim == 1:
        np.testing.assert_allclose(own.slopes.at(*cells.T), expected, atol=1e-7)
        assert own.mean_slope == pytest.approx(expected @ counts / n, abs=1e-7)


@pytest.mark.parametrize("metric", ["f1_macro", "precision_weighted", *BY_CLASS])
def test_slopes_of_many_classes_evaluate_no_tables(metric, monkeypatch):
    """As each of K^2 cells would take four tables of K^2."""
    y, pred = _of_many_classes(60)
    expected = interval(metric, y, pred)

    def whole(self):
        raise AssertionError("a table was evaluated")

    monkeypatch.setattr(TableFunction, "_by_cells", whole)
    assert tuple(interval(metric, y, pred)) == tuple(expected)


def test_slopes_of_too_many_cells_are_replaced_by_draws(monkeypatch):
    y, pred = _of_many_classes(12)
    by_slopes = interval("cramer_v", y, pred)
    monkeypatch.setattr(means, "_MOST_READ", 0)
    drawn = interval("cramer_v", y, pred)
    # Twice the standard deviation of that of 400 draws.
    assert drawn.standard_error == pytest.approx(by_slopes.standard_error, rel=2 * 0.5**0.5 / 20)
    assert "400 drawn tables of these 12 classes" in drawn.note
    assert "drawn" not in by_slopes.note
    with pytest.raises(ValueError, match=r"cramer_v .*12 classes.*method='percentile'"):
        interval("cramer_v", y, pred, groups=np.arange(len(y)) % 50, method="cluster")
    assert interval("matthews_corrcoef", y, pred).method == "logit"


def test_a_thousand_classes_take_one_pass():
    y, pred = _of_many_classes(400)
    tracemalloc.start()
    found = interval("f1", y, pred, average="macro")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.low < found.estimate < found.high
    assert peak < 200e6


def test_resamples_of_many_classes_are_counted_a_few_tables_at_once():
    """30 tables of 400 classes are 38 MB, and as many in each count of a class against the rest."""
    y, pred = _of_many_classes(400)
    tracemalloc.start()
    interval("f1", y, pred, average="macro", method="percentile", n_resamples=30, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6


@pytest.mark.parametrize("name", ["mm1_auc", "mm6_auc", "mm7_auc", "average_precision"])
def test_no_bootstrap_has_no_width(name):
    """Two scores only, perfectly ranked: every resample has the same value."""
    y = np.repeat([0, 1], 6)
    found = interval(name, y, 0.2 + 0.6 * y, random_state=0, n_resamples=50)
    low, high = get_metric(name).metric.bounds
    assert low <= found.low <= found.estimate <= found.high <= high
    assert found.low < found.high


@pytest.mark.parametrize(
    ("metric", "positives", "negatives", "noted"),
    [
        ("roc_auc", 5, 95, True), ("roc_auc", 20, 180, True), ("roc_auc", 52, 948, True),
        ("gini", 15, 185, True), ("roc_auc", 15, 15, False), ("roc_auc", 500, 500, False),
        ("roc_auc", 100, 900, False), ("soft_auc", 15, 15, True), ("sond_auc", 48, 952, True),
        ("soft_auc", 50, 50, False),
    ],
)  # fmt: skip
def test_sizes_with_cells_outside_92_to_98_are_noted(metric, positives, negatives, noted):
    """The sizes of coverage.md at which a cell is below 92 or above 98 %."""
    y = np.repeat([1, 0], [positives, negatives])
    score = special.expit(np.random.default_rng(0).normal(size=len(y)) + 2 * y)
    note = interval(metric, y, score).note
    assert note.startswith(f"{positives} of a class") == noted
    assert bool(note) == noted


MANY_LABELS = [
    n for n, f in METRICS.items() if f.metric.kind.name == "counts" and f.metric.multilabel
]


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("name", MANY_LABELS)
def test_an_average_over_labels_has_an_interval_or_a_reason(name, average):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    called = np.where(rng.random((40, 3)) < 0.7, y, 1 - y)
    own = needed_parameters(name)
    found = interval(name, y, called, average=average, n_resamples=50, random_state=0, **own)
    assert found.low <= found.estimate <= found.high or found.note


def test_the_reason_for_smoothing_is_the_true_one():
    y, called = [1, 1, 0, 0, 1, 0, 1, 0] * 3, [0, 0, 1, 0, 1, 0, 0, 0] * 3
    assert "estimated variance is 0" in interval("cramer_v", y, called).note
    assert "have the same prediction" in interval("cramer_v", y, [1, *y[1:]]).note


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_leaves_the_range_of_floats_has_no_limits():
    p = [1 - 2**-53, 1e-300]
    assert np.isnan(interval("calibration_intercept", [0, 1], p).low)
    weight = [7.03788699e07, 6.55511693, 3.48375475e-07, 9.86268370e-09]
    interval("class_divergence", [1, 1, 0, 0], [1, 0, 1, 1], sample_weight=weight)
