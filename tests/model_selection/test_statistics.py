"""Moments and the interval of a mean over folds, against SciPy, DeLong and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import interval
from skaucx.inference._intervals.limits import wilson
from skaucx.model_selection import nested_cross_validate
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


def test_interval_without_overlap_is_students():
    low, high = fold_interval(SCORES, SIZES[0], np.zeros(6, dtype=int), confidence_level=0.9)
    expected = stats.t.interval(0.9, 5, SCORES.mean(), stats.sem(SCORES))
    np.testing.assert_allclose([low, high], expected, rtol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_is_widened_by_the_overlap(level):
    low, high = fold_interval(SCORES, *SIZES, confidence_level=level)
    half = stats.t.ppf(0.5 + level / 2, 5) * SCORES.std(ddof=1) * np.sqrt(1 / 6 + 1 / 9)
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


def test_folds_of_fewer_than_five_rows_have_no_mean():
    for rows, averaged in ((4, False), (5, True)):
        found = MetricStatistics(SCORES, Pooled(0.8), SIZES[0], np.full(6, rows), metric="f1")
        assert (found.pooled_only == "") == averaged
        assert found.mean == pytest.approx(SCORES.mean() if averaged else NAN, nan_ok=True)
        assert np.isnan(found.sd) == (not averaged)
    alike = MetricStatistics(SCORES, Pooled(SCORES.mean()), SIZES[0], np.full(6, 4))
    assert alike.mean == pytest.approx(SCORES.mean())


def test_one_fold_has_no_interval():
    found = fold_interval(np.array([0.5, NAN]), *np.ones((2, 2), dtype=int))
    assert np.isnan([*found]).all()


def test_a_rate_without_differences_between_models_has_wilsons_ends():
    noise = SamplingVariance(0.9 * 0.1 / 60, 0.9 * 0.1 / 10, 60, 60, "binomial variance")
    found = fold_interval(np.full(6, 0.9), *SIZES, noise, (0, 1))
    n = np.asarray(60 / (1 + 1 / 9))
    np.testing.assert_allclose([*found], wilson(0.9 * n, n, 0.95), rtol=1e-12)
    perfect = SamplingVariance(0.0, 0.0, 60, 60, "binomial variance")
    found = fold_interval(np.ones(6), *SIZES, perfect, (0, 1))
    np.testing.assert_allclose([*found], wilson(n, n, 0.95), rtol=1e-12)


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
METRICS = ["roc_auc", "accuracy", "recall", "f1", "mm7_auc", "neg_log_loss", "average_precision"]


def nested(y=Y, outer_cv=SPLITS, scoring=tuple(METRICS), model=None, x=X):
    model = GaussianNB() if model is None else model
    settings = {"outer_cv": outer_cv, "inner_cv": 2, "final": None}
    return nested_cross_validate(model, {}, x, y, scoring=list(scoring), **settings)


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
    p = result.predictions
    loss = -np.log(p.responses["predict_proba"][np.arange(len(p.row)), p.y_true])
    variance = loss.var(ddof=1) / 30
    # Class counts are random with the rows: what differs between the classes belongs to it.
    noise = result.statistics("neg_log_loss").noise()
    assert noise.of_fold == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_rows_that_are_tested_twice_count_once(result, name):
    once, twice = (
        result.statistics(name).noise(),
        nested(outer_cv=SPLITS * 2).statistics(name).noise(),
    )
    assert twice.of_mean == pytest.approx(once.of_mean, rel=0.02)
    assert twice.of_fold == pytest.approx(once.of_fold, rel=0.05)


@pytest.mark.parametrize("name", [*METRICS, "mm1_auc", "gini", "matthews_corrcoef", "recall_macro"])
@pytest.mark.parametrize("kind", ["perfect", "useless", "usual", "hold-out"])
@pytest.mark.filterwarnings("ignore:.*undefined for every candidate:UserWarning")
def test_intervals_stay_in_the_range_and_have_a_width(name, kind):
    x = np.c_[Y, Y] * 1.0 if kind == "perfect" else X
    model = DummyClassifier() if kind == "useless" else DecisionTreeClassifier(random_state=0)
    outer = PredefinedSplit(np.where(np.arange(120) < 80, -1, 0)) if kind == "hold-out" else SPLITS
    found = nested(x=x, model=model, outer_cv=outer, scoring=[name]).interval(name)
    low, high = {"gini": (-1, 1), "matthews_corrcoef": (-1, 1), "neg_log_loss": (-np.inf, 0)}.get(
        name, (0, 1)
    )
    if name == "neg_log_loss" and kind == "perfect":
        assert np.isnan([*found]).all()  # all losses are 0, of a range without end
    elif not np.isnan(found.estimate):
        assert low <= found.low < found.high <= high
        assert found.low <= found.estimate <= found.high
