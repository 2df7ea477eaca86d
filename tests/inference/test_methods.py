"""Which method each metric gets, that its limits are those of the books, and that they cover."""

import re

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from skaucx.evaluation import evaluate
from skaucx.inference import interval, intervals, paired_test
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, sample_of

RNG = np.random.default_rng(0)
N = 120
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0.01, 0.99).round(2)
PRED = (SCORE > 0.5).astype(int)
GROUPS = np.arange(N) // 5
MANY = RNG.integers(0, 4, N)
CALLED = np.where(RNG.random(N) < 0.6, MANY, RNG.integers(0, 4, N))
PROBA = RNG.dirichlet(np.ones(4), N)

# The metric, its arrays and parameters, and its methods: of rows, of groups, of weighted rows.
METHODS = [
    ("recall", Y, PRED, {}, "wilson", True),
    ("f1", Y, PRED, {}, "wilson", True),
    ("accuracy", MANY, CALLED, {}, "wilson", True),
    ("recall", MANY, CALLED, {"average": "weighted"}, "wilson", True),
    ("precision", MANY, CALLED, {"average": "micro"}, "wilson", True),
    ("precision", MANY, CALLED, {"average": "macro"}, "delta", True),
    ("matthews_corrcoef", Y, PRED, {}, "delta", True),
    ("positive_likelihood_ratio", Y, PRED, {}, "delta", True),
    ("top_k_accuracy", MANY, PROBA, {}, "wilson", True),
    ("roc_auc", Y, SCORE, {}, "delong", True),
    ("gini", Y, SCORE, {}, "delong", True),
    ("sond_auc", Y, SCORE, {}, "delong", True),
    ("brier_score_loss", Y, SCORE, {}, "t", True),
    ("log_loss", MANY, PROBA, {}, "t", True),
    ("average_precision", Y, SCORE, {}, "t", True),
    ("recall_at_k", Y, SCORE, {"k": 30}, "t", True),
    ("roc_auc", MANY, PROBA, {"multi_class": "ovr"}, "t", True),
    ("mm7_auc", Y, SCORE, {}, "bca", False),
    ("precision_at_recall", Y, SCORE, {}, "bca", False),
    ("debiased_calibration_error", Y, SCORE, {}, "score", False),
    ("uncertainty_component", Y, SCORE, {}, "none", False),
    ("mutual_information", MANY, CALLED, {}, "none", False),
]


@pytest.mark.parametrize(("name", "y", "judged", "options", "method", "linear"), METHODS)
def test_the_table_of_methods(name, y, judged, options, method, linear):
    few = {"n_resamples": 60, "random_state": 0, **options}
    ways = {
        method: interval(name, y, judged, **few),
        "cluster" if linear else None: interval(name, y, judged, groups=GROUPS, **few),
        "robust" if linear else None: interval(name, y, judged, sample_weight=1 + Y, **few),
    }
    for wanted, found in ways.items():
        assert wanted in (None, found.method)
        assert found.method == "none" or found.low < found.estimate < found.high


def test_metrics_whose_value_breaks_an_interval_have_none_by_any_method():
    rows = [f.metric for f in METRICS.values() if f.metric.no_interval and f.metric.kind.counted]
    broken = [row.name for row in rows]
    assert {"mutual_information", "theil_u", "cramer_v", "no_information_rate"} <= {*broken}
    assert len(broken) == 11
    for method in ("auto", "bca"):
        found = intervals(broken, MANY, CALLED, average="macro", n_resamples=20, method=method)
        for one in found.values():
            assert (np.isnan(one.low) and "bias" in one.note) or "above" in one.note
    assert np.isnan(interval("coverage_at_risk", Y, SCORE, risk=0.2).low)


def test_shares_are_those_of_the_books():
    y, called = np.repeat([1, 1, 0, 0], [17, 3, 2, 8]), np.repeat([1, 0, 1, 0], [17, 3, 2, 8])
    for method, theirs in (("auto", "wilson"), ("clopper-pearson", "exact")):
        found = interval("recall", y, called, method=method)
        expected = stats.binomtest(17, 20).proportion_ci(method=theirs)
        assert tuple(found) == pytest.approx(tuple(expected), rel=1e-9)
    jaccard, f1 = interval("jaccard", y, called), interval("f1", y, called)
    assert f1.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low))
    declared = [f.metric for f in METRICS.values() if f.metric.share is not None]
    assert len(declared) == 23
    for row in declared[:16]:
        on = MetricOnSample(sample_of(row, y, called), row, {})
        part, whole, *at = row.share(on.record)
        value = at[0](part / whole) if at else part / whole
        assert value == pytest.approx(float(on.value)), row.name


def test_an_auc_has_delongs_variance_and_the_freedom_of_brunner_and_munzel():
    a, b = SCORE[Y == 1], SCORE[Y == 0]
    wins = (a[:, None] > b) + 0.5 * (a[:, None] == b)
    parts = wins.mean(1).var(ddof=1) / len(a), wins.mean(0).var(ddof=1) / len(b)
    found = interval("roc_auc", Y, SCORE)
    assert found.standard_error == pytest.approx(np.sqrt(sum(parts)))
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
    auc, reach = found.estimate, stats.t.ppf(0.975, df) * found.standard_error
    half = reach / (auc * (1 - auc))
    assert found.low == pytest.approx(expit(logit(auc) - half))
    gini = interval("gini", Y, SCORE)
    assert tuple(gini) == pytest.approx((2 * found.low - 1, 2 * found.high - 1))
    wide = interval("roc_auc", Y, SCORE, method="hanley-mcneil")
    assert wide.low < wide.estimate < wide.high
    # Hanley & McNeil (1982), equation 1: one score beats two of the other class.
    twice = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    of_pairs = (q - auc**2 for q in twice)
    variance = auc * (1 - auc) + np.dot([*of_pairs], [len(a) - 1, len(b) - 1])
    assert wide.standard_error == pytest.approx(np.sqrt(variance / len(a) / len(b)))


def test_means_over_rows_are_those_of_a_mean():
    losses = (SCORE - Y) ** 2
    found = interval("brier_score_loss", Y, SCORE)
    assert found.standard_error == pytest.approx(losses.std(ddof=1) / np.sqrt(N))
    mean, reach = losses.mean(), stats.t.ppf(0.975, N - 1) * found.standard_error
    half = reach / (mean * (1 - mean))
    assert found.low == pytest.approx(expit(logit(mean) - half), rel=1e-12)
    grouped = interval("brier_score_loss", Y, SCORE, groups=GROUPS)
    means = losses.reshape(-1, 5).mean(axis=1)
    assert grouped.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(len(means)))
    shares = (PRED == Y).reshape(-1, 5).mean(axis=1)  # Wilson's, of rows that give this variance
    p, variance = shares.mean(), shares.var(ddof=1) / len(shares)
    n, z = p * (1 - p) / variance, stats.t.ppf(0.975, len(shares) - 1)
    middle, half = (
        (n * p + z**2 / 2) / (n + z**2),
        z * np.sqrt(n * p * (1 - p) + z**2 / 4) / (n + z**2),
    )
    grouped = interval("accuracy", Y, PRED, groups=GROUPS)
    assert tuple(grouped) == pytest.approx((middle - half, middle + half), rel=1e-12)


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize(
    ("name", "y", "judged", "options"),
    [
        ("f1", Y, PRED, {}),
        ("precision", MANY, CALLED, {"average": "macro"}),
        ("roc_auc", Y, SCORE, {}),
        ("average_precision", Y, SCORE, {}),
        ("log_loss", MANY, PROBA, {}),
        ("roc_auc", MANY, PROBA, {"multi_class": "ovr", "average": None}),
        ("mcc", Y, PRED, {"method": "bca", "n_resamples": 400, "random_state": 0}),
    ],
)
def test_rows_that_stand_for_several_are_those_rows(name, y, judged, options, groups):
    many = np.random.default_rng(3).integers(0, 4, N)
    rows = np.repeat(np.arange(N), many)
    repeated = None if groups is None else groups[rows]
    found = interval(name, y, judged, frequency=many, groups=groups, **options)
    same = interval(name, y[rows], judged[rows], groups=repeated, **options)
    close = 0.1 if "method" in options else 1e-9
    assert found.estimate == pytest.approx(same.estimate)
    np.testing.assert_allclose([*found], [*same], rtol=close)


def test_rows_that_stand_for_millions_are_not_repeated():
    found = interval("roc_auc", [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9], frequency=[10**8] * 4)
    assert found.high - found.low < 1e-3
    options = {"frequency": np.full(N, 10**6), "n_resamples": 50, "random_state": 0}
    drawn = interval("precision_at_recall", Y, SCORE, **options)
    assert drawn.method == "percentile"
    assert 0 < drawn.high - drawn.low < 0.01


@pytest.mark.parametrize(
    ("least", "average", "method"),
    [(4, "macro", "bca"), (5, "macro", "delta"), (4, "weighted", "delta")],
)
def test_a_macro_average_with_a_class_of_few_rows_is_resampled(least, average, method):
    y = np.repeat([0, 1, 2], [40, 40, least])
    called = np.where(np.arange(len(y)) % 4 > 0, y, (y + 1) % 3)
    assert interval("f1", y, called, average=average, n_resamples=50).method == method


def test_one_answer_for_tables_of_many_classes():
    """Of more than 30 classes a table has no form of its own."""
    rng = np.random.default_rng(1)
    for classes, method in ((30, "delta"), (31, "bca"), (140, "bca")):
        y = np.tile(np.arange(classes), 8)
        called = np.where(rng.random(len(y)) < 0.6, y, rng.integers(0, classes, len(y)))
        found = interval("cohen_kappa", y, called, n_resamples=200, random_state=0)
        assert found.method == method
        assert found.standard_error == pytest.approx(np.sqrt(0.4 * 0.6 / len(y)), rel=0.25)


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("many", [8, 40])
def test_groups_cover(unequal, many):
    """Nominal 95 %, of groups of equal size and of sizes from 3 to 300."""
    rng, runs = np.random.default_rng(5), 150
    truth = float(np.mean(expit(0.3 + 0.8 * rng.normal(size=400_000))))
    held = np.zeros(2)
    for _ in range(runs):
        sizes = np.full(many, 20)
        if unequal:
            sizes = np.maximum(3, (rng.pareto(1.2, many) * 12).astype(int).clip(0, 300))
        groups = np.repeat(np.arange(many), sizes)
        right = rng.random(len(groups)) < expit(0.3 + 0.8 * rng.normal(size=many)[groups])
        share = interval("accuracy", np.ones(len(right)), right.astype(float), groups=groups)
        mean = interval("brier_score_loss", right * 1, np.full(len(right), 0.9), groups=groups)
        held += share.low <= truth <= share.high, mean.low <= 0.81 - 0.8 * truth <= mean.high
    assert (held / runs > 0.90).all(), held / runs


def test_what_is_printed():
    text = " ".join(repr(intervals(["recall", "mcc"], Y, PRED)).split())
    assert all(told in text for told in ("wilson", "delta", "not about a model"))
    weighted = interval("recall", Y, PRED, sample_weight=np.where(Y, 20.0, 1.0) * (1 + 9 * PRED))
    assert "effective size" in weighted.note
    y, called = [1, 1, 0, 0, 1, 0, 1, 0] * 3, [0, 0, 1, 0, 1, 0, 0, 0] * 3
    assert "have the same prediction" in interval("mcc", y, [*y[:-1], 1]).note
    assert interval("mcc", y, called).note == ""
    assert interval("mcc", y, y).high == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_extreme_estimates_are_printed_as_they_are():
    """Neither as a bound of a number near 0 nor with an infinite width; p-values alone have bounds."""
    y = np.repeat([0, 1], [960, 40])
    p = np.abs(y - 1e-7 * np.resize(SCORE, 1000))
    few = {"n_resamples": 20, "random_state": 0}
    names = ["fpr", "lr_plus", "lr_minus", "dor", "discriminant_power", "recall"]
    scores = ["brier_score_loss", "log_loss", "roc_auc", "ks", "calibration_slope"]
    called, other = (p > 0.5) * 1, np.roll(p > 0.5, 1) * 1
    by = {"half": np.arange(1000) % 2}
    printed = [
        *(repr(interval(name, y, called, **few)) for name in names),
        *(repr(interval(name, y, p, **few)) for name in scores),
        repr(intervals(names, y, other, **few)),
        repr(evaluate(y, called, p, names + scores, intervals=True, **few)),
        repr(evaluate(y, called, p, names + scores, intervals=True, by=by, **few)),
        *(repr(paired_test(name, y, called, other, **few)) for name in names),
        *(repr(paired_test(name, y, p, p**1.001, **few)) for name in scores),
    ]
    for text in printed:
        assert not re.search(r"(\u00b1|\+-) *(inf|nan)", text), text
        assert "< 0." not in re.sub(r"p-value\s+< 0.0001", "", text), text
    assert "brier_score_loss 2.9e-15 " in printed[len(names)]


def test_one_statistic_of_groups_that_hold_a_class_alone_is_refused_with_the_reason():
    alone = interval("roc_auc", Y, SCORE, groups=np.where(Y == 1, 0, GROUPS + 1))
    assert np.isnan(alone.low)
    assert "one group has all" in alone.note
    single = interval("accuracy", Y, PRED, groups=np.zeros(N))
    assert np.isnan(single.low)


def test_the_positive_class_is_accepted_where_it_has_no_say():
    assert tuple(interval("mcc", Y, PRED, pos_label=1)) == tuple(interval("mcc", Y, PRED))


def test_what_leaves_the_range_of_floats_has_no_limits():
    p = [1 - 2**-53, 1e-300]
    assert np.isnan(interval("calibration_intercept", [0, 1], p).low)
    weight = [7.03788699e07, 6.55511693, 3.48375475e-07, 9.86268370e-09]
    interval("class_cross_entropy", [1, 1, 0, 0], [1, 0, 1, 1], sample_weight=weight)
