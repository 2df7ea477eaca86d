"""Moments, variances and intervals of means over folds, by hand and by SciPy; what is said of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import Confidence, interval
from skaucx.inference._intervals.limits import wilson
from skaucx.model_selection import Decisions, nested_cross_validate
from skaucx.model_selection.execution._out_of_fold import Pooled
from skaucx.model_selection.results._statistics import (
    MetricStatistics,
    SamplingVariance,
    fold_interval,
    moments,
)

NAN = np.nan
SCORES = np.array([0.7, 0.9, 0.8, 0.6, 0.75, 0.85])
SIZES = np.full(6, 90), np.full(6, 10)


def test_moments_skip_the_undefined():
    table = np.array([[1.0, 2.0, 6.0], [1.0, NAN, 6.0], [NAN, 4.0, NAN], [NAN, NAN, NAN]])
    mean, sd = moments(table)
    np.testing.assert_allclose(mean, [3, 3.5, 4, NAN])
    np.testing.assert_allclose(sd, [np.sqrt(7), np.sqrt(12.5), NAN, NAN])
    assert moments(table[0])[1] == np.std(table[0], ddof=1)


@pytest.mark.parametrize(("level", "n_test"), [(0.9, 0), (0.5, 10), (0.95, 10)])
def test_interval_is_students_widened_by_the_overlap(level, n_test):
    low, high = fold_interval(SCORES, SIZES[0], np.full(6, n_test), confidence_level=level)
    half = stats.t.ppf(0.5 + level / 2, 5) * SCORES.std(ddof=1) * np.sqrt(1 / 6 + n_test / 90)
    np.testing.assert_allclose([low, high], [SCORES.mean() - half, SCORES.mean() + half])


def test_interval_counts_the_defined_folds_and_their_sizes():
    gaps = np.append(SCORES, [NAN, NAN])
    sizes = np.append(SIZES[0], [1, 1]), np.append(SIZES[1], [99, 99])
    np.testing.assert_allclose(
        [*fold_interval(gaps, *sizes)], [*fold_interval(SCORES, *SIZES)], rtol=1e-12
    )
    low, high = fold_interval(SCORES[:2], np.array([30, 60]), np.array([10, 20]))
    half = stats.t.ppf(0.975, 1) * SCORES[:2].std(ddof=1) * np.sqrt(1 / 2 + 1 / 3)
    np.testing.assert_allclose(high - low, 2 * half)
    one = fold_interval(np.array([0.5, NAN]), *np.ones((2, 2), dtype=int))
    assert np.isnan([*one]).all()


def test_folds_of_fewer_than_five_rows_have_no_mean():
    for rows, averaged in ((4, False), (5, True)):
        found = MetricStatistics(SCORES, Pooled(0.8), SIZES[0], np.full(6, rows), metric="f1")
        assert (found.pooled_only == "") == averaged
        assert found.mean == pytest.approx(SCORES.mean() if averaged else NAN, nan_ok=True)
        assert np.isnan(found.sd) == (not averaged)
    alike = MetricStatistics(SCORES, Pooled(SCORES.mean()), SIZES[0], np.full(6, 4))
    assert alike.mean == pytest.approx(SCORES.mean())


def test_a_rate_without_differences_between_models_has_wilsons_ends():
    n = np.asarray(60 / (1 + 1 / 9))
    for rate in (0.9, 1.0):
        variance = rate * (1 - rate)
        noise = SamplingVariance(variance / 60, variance / 10, 60, 60, "binomial variance")
        found = fold_interval(np.full(6, rate), *SIZES, noise, (0, 1))
        np.testing.assert_allclose([*found], wilson(rate * n, n, 0.95), rtol=1e-12)


def test_models_that_differ_widen_the_interval():
    noise = SamplingVariance(0.0004, 0.0024, NAN, 30, "influence curves")
    alike, unlike = (
        fold_interval(0.8 + spread * (SCORES - SCORES.mean()), *SIZES, noise, (0, 1))
        for spread in (0.1, 1)
    )
    assert alike.standard_error == pytest.approx(np.sqrt(0.0004 * (1 + 1 / 9)), rel=1e-12)
    excess = SCORES.var(ddof=1) - 0.0024
    variance = 0.0004 * (1 + 1 / 9) + excess * (1 / 6 + 1 / 9)
    assert unlike.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert unlike.high - unlike.low > alike.high - alike.low


def test_equal_folds_have_an_exact_interval_or_none():
    perfect = fold_interval(np.ones(5), *np.full((2, 5), 20), None, (0, 1))
    assert perfect.method == "exact"
    assert perfect.low == pytest.approx(0.025 ** (1 / 5), rel=1e-12)
    assert np.isnan([*fold_interval(np.ones(5), *np.full((2, 5), 20))]).all()


def test_a_loss_as_a_score_stays_below_0():
    found = fold_interval(np.array([-0.01, -0.5, -0.02]), *np.full((2, 3), 20), None, (-np.inf, 0))
    assert found.low < found.estimate < found.high < 0


X, Y = make_classification(120, n_features=5, flip_y=0.2, random_state=0)
SPLITS = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y))
METRICS = [
    "roc_auc", "accuracy", "recall", "f1", "mm7_auc", "neg_log_loss", "average_precision",
    "neg_brier_score_loss", "neg_hamming_loss",
]  # fmt: skip


def nested(n=120, x=X, model=None, **options):
    given = {"scoring": METRICS, "outer_cv": SPLITS, "inner_cv": 2, "final": None, **options}
    with warnings.catch_warnings(action="ignore"):
        return nested_cross_validate(model or GaussianNB(), {}, x[:n], Y[:n], **given)


def text(printed):
    return " ".join(str(printed).split())


@pytest.fixture(scope="module")
def result():
    return nested()


def test_the_noise_of_an_auc_is_delongs_variance_in_the_folds(result):
    p = result.predictions
    found = [
        interval("roc_auc", p.y_true[own], p.responses["predict_proba"][own, 1])
        for own in (p.fold == fold for fold in range(4))
    ]
    variance = np.mean([one.standard_error**2 for one in found])
    noise = result.statistics("roc_auc").noise()
    assert noise.of_fold == pytest.approx(variance, rel=1e-10)
    assert noise.of_mean == pytest.approx(variance / 4, rel=1e-10)
    assert result.interval("roc_auc").method == "folds, influence curves"


def test_the_noise_of_a_rate_is_binomial(result):
    p = result.predictions
    for name, right in (
        ("accuracy", p.y_true == p.y_pred),
        ("recall", p.y_pred[p.y_true == 1] == 1),
    ):
        noise = result.statistics(name).noise()
        assert noise.trials == pytest.approx(len(right), rel=1e-9)
        assert noise.of_mean == pytest.approx(right.var() / len(right), rel=1e-9)


def test_the_noise_of_a_mean_of_losses_is_its_standard_error(result):
    """Class counts are random with the rows: what differs between the classes belongs to it."""
    p = result.predictions
    chance = p.responses["predict_proba"][np.arange(len(p.row)), p.y_true]
    losses = {"neg_log_loss": -np.log(chance), "neg_brier_score_loss": (1 - chance) ** 2}
    for name in ("accuracy", "neg_hamming_loss"):
        losses[name] = 1.0 * (p.y_pred == p.y_true)
    for name, loss in losses.items():
        noise = result.statistics(name).noise()
        if name in ("neg_log_loss", "neg_brier_score_loss"):
            assert noise.of_fold == pytest.approx(loss.var(ddof=1) / 30, rel=1e-9)
        assert noise.of_mean == pytest.approx(loss.var(ddof=1) / 120, rel=0.01)
        low, high = result.interval(name)
        assert high - low > 3.9 * np.sqrt(noise.of_mean), name


@pytest.mark.parametrize("name", METRICS)
def test_rows_that_are_tested_twice_count_once(result, name):
    once = result.statistics(name).noise()
    twice = nested(outer_cv=SPLITS * 2).statistics(name).noise()
    assert twice.of_mean == pytest.approx(once.of_mean, rel=0.02)
    assert twice.of_fold == pytest.approx(once.of_fold, rel=0.05)


RANGES = {"gini": (-1, 1), "matthews_corrcoef": (-1, 1), "neg_log_loss": (-np.inf, 0)}


@pytest.mark.parametrize(
    "name", [*METRICS[:7], "mm1_auc", "gini", "matthews_corrcoef", "recall_macro"]
)
@pytest.mark.parametrize("kind", ["perfect", "useless", "usual", "hold-out"])
def test_intervals_stay_in_the_range_and_have_a_width(name, kind):
    x = np.c_[Y, Y] * 1.0 if kind == "perfect" else X
    model = DummyClassifier() if kind == "useless" else DecisionTreeClassifier(random_state=0)
    outer = PredefinedSplit(np.where(np.arange(120) < 80, -1, 0)) if kind == "hold-out" else SPLITS
    found = nested(x=x, model=model, outer_cv=outer, scoring=[name]).interval(name)
    low, high = RANGES.get(name, (0, 1))
    if name == "neg_log_loss" and kind == "perfect":
        assert np.isnan([*found]).all()  # all losses are 0, of a range without end
    elif not np.isnan(found.estimate):
        assert low <= found.low < found.high <= high
        assert found.low <= found.estimate <= found.high


def test_one_sided_intervals(result):
    for name, ends in (("roc_auc", (0, 1)), ("neg_log_loss", (-np.inf, 0))):
        two = result.interval(name, 0.9)
        low, high = result.interval(name, Confidence(0.95, alternative="greater"))
        assert (low, high) == (two.low, ends[1])
        one = result.interval(name, Confidence(alternative="less"))
        assert (*one, one.confidence_level) == (ends[0], two.high, 0.95)


def test_a_threshold_that_is_chosen_inside_narrows_no_interval_and_changes_none_of_probabilities():
    scoring = ["roc_auc", "neg_brier_score", "accuracy", "f1"]
    plain = nested(scoring=scoring)
    cut = nested(scoring=scoring, decisions=Decisions(threshold="f1"))
    for name in scoring[:2]:
        assert [*plain.interval(name)] == [*cut.interval(name)]
    for name in scoring[2:]:
        found = cut.interval(name)
        assert [*plain.interval(name)] != [*found]
        corrected = fold_interval(cut.test_scores[name], cut.n_train, cut.n_test, bounds=(0, 1))
        assert found.high - found.low > 0.95 * (corrected.high - corrected.low)
        assert found.method.endswith("or the corrected t where it is wider")


def test_means_over_folds_of_one_row_are_the_pooled_value_or_missing():
    names = [*METRICS, "specificity", "precision", "npv", "matthews_corrcoef", "balanced_accuracy",
             "cohen_kappa", "g_mean", "fowlkes_mallows_index", "jaccard",
             "neg_binned_calibration_error"]  # fmt: skip
    result = nested(30, scoring=names, outer_cv=LeaveOneOut())
    for name in names:
        found = result.statistics(name)
        if np.isnan(found.mean):
            assert np.isnan([*result.interval(name)]).all(), name
        else:
            assert found.mean == pytest.approx(found.pooled.value), name
    assert np.isnan([result.statistics(name).mean for name in ("f1", "recall")]).all()
    assert not np.isnan(result.statistics("neg_brier_score_loss").interval().low)
    for said in (result.interval("f1").note, text(result.summary())):
        assert "not averaged over folds of 1 row; use the pooled value" in said


def test_few_groups_have_a_note():
    names = ["roc_auc", "accuracy", "neg_log_loss"]
    few, many = (
        nested(60, scoring=names, outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
               groups=np.arange(60) % n_groups)
        for n_groups in (6, 30)
    )  # fmt: skip
    for name in names:
        assert "6.0 effective groups of 6: below 10" in few.interval(name).note
        assert not many.interval(name).note
    assert "Note: 6.0 effective groups of 6: below 10" in text(few.summary())


def test_what_is_said_of_test_parts():
    """Rows that no fold tests, rows in order of time, and parts of unequal size have a note each."""
    every = np.arange(60)
    parts = every[:30], every[30:50], every[50:]
    notes = {
        "tested by no": "time", "rows after those": "time", "outer test parts have": "unequal",
    }  # fmt: skip
    told = {
        kind: text(nested(n, scoring="accuracy", outer_cv=cv).summary())
        for kind, n, cv in (
            ("time", 60, TimeSeriesSplit(3)),
            ("unequal", 60, [(np.setdiff1d(every, part), part) for part in parts]),
            ("equal", 60, KFold(3)),
            ("nearly equal", 59, KFold(4)),
        )
    }
    for said, where in notes.items():
        assert [kind for kind, summary in told.items() if said in summary] == [where]
    lost = "15 rows of 60 are tested by no outer fold; every score is about the other 45."
    assert lost in told["time"]
    assert "tests on rows after those that it trains on" in told["time"]
    assert "The outer test parts have 10 to 30 rows" in told["unequal"]


def test_every_number_names_its_target(result):
    for name in result.test_scores:
        assert result.interval(name).target == "the procedure, fitted on about 90 rows"
        assert result.pooled_interval(name).target == "the fitted models, joined"
