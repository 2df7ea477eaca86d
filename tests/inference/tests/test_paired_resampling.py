"""Paired bootstrap and permutation tests against SciPy, McNemar and replicate-by-replicate loops."""

from __future__ import annotations

from dataclasses import astuple, replace
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import (
    delong_test,
    mcnemar_test,
    paired_test,
)
from skaucx.inference._tests.paired import _p_value
from skaucx.inference._tests.paired_call import PairedCall
from skaucx.metrics import f1_score, get_scorer_names, roc_auc_score
from skaucx.metrics._registry.names import metric_or_function

RNG = np.random.default_rng(5)
N = 60
TRUE = RNG.integers(0, 2, N)
SCORE_A, SCORE_B = (np.round(np.clip(RNG.normal(0.4 + TRUE * g, 0.2), 0, 1), 2) for g in (0.3, 0.2))
LABEL_A, LABEL_B = (SCORE_A > 0.5) * 1, (SCORE_B > 0.5) * 1
THREE = RNG.integers(0, 3, N)
THREE_A, THREE_B = (np.where(RNG.random(N) < g, THREE, RNG.integers(0, 3, N)) for g in (0.7, 0.5))
WEIGHT = RNG.random(N)


def scipy_exact(metric, truth, a, b, alternative):
    return stats.permutation_test(
        (a, b),
        lambda x, y: metric(truth, x) - metric(truth, y),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=False,
    ).pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_permutation_of_labels_is_that_of_scipy(alternative):
    rows = np.r_[0:9]

    def metric(t, p):
        return f1_score(t, p, zero_division=0)

    data = TRUE[rows], LABEL_A[rows], LABEL_B[rows]
    found = paired_test("f1", *data, alternative=alternative, method="permutation")
    assert "exact" in found.method
    if alternative == "two-sided":  # SciPy doubles the smaller tail
        expected = _absolute(metric, *data)
    else:
        expected = scipy_exact(metric, *data, alternative)
    assert found.p_value == pytest.approx(expected, rel=1e-12)


def _absolute(metric, truth, a, b):
    """Return the share of all exchanges with at least the observed absolute difference."""
    masks = np.arange(2 ** len(a))[:, None] >> np.arange(len(a)) & 1
    found = [metric(truth, np.where(m, b, a)) - metric(truth, np.where(m, a, b)) for m in masks]
    return np.mean(np.abs(found) >= abs(metric(truth, a) - metric(truth, b)) - 1e-12)


def test_exact_permutation_of_three_classes():
    rows = np.r_[0:10]
    data = THREE[rows], THREE_A[rows], THREE_B[rows]
    found = paired_test("mcc", *data, method="permutation")
    from skaucx.metrics import matthews_corrcoef

    def metric(t, p):
        return matthews_corrcoef(t, p, zero_division=0)

    assert found.p_value == pytest.approx(_absolute(metric, *data), rel=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_permutation_of_scores(alternative):
    rows = np.r_[30:39]
    truth, a, b = TRUE[rows], SCORE_A[rows], SCORE_B[rows]
    ranks = [stats.rankdata(s) for s in (a, b)]
    found = paired_test("roc_auc", truth, a, b, alternative=alternative, method="permutation")
    assert "exact" in found.method
    if alternative == "two-sided":
        expected = _absolute(roc_auc_score, truth, *ranks)
    else:
        expected = scipy_exact(roc_auc_score, truth, *ranks, alternative)
    assert found.p_value == pytest.approx(expected, rel=1e-12)


def test_exact_permutation_of_accuracy_is_mcnemar():
    found = paired_test("accuracy", TRUE, LABEL_A, LABEL_B, method="permutation")
    assert found.p_value == pytest.approx(mcnemar_test(TRUE, LABEL_A, LABEL_B).p_value, rel=1e-9)
    found = paired_test("accuracy", THREE, THREE_A, THREE_B, random_state=0, method="permutation")
    assert found.p_value == pytest.approx(mcnemar_test(THREE, THREE_A, THREE_B).p_value, abs=0.02)


def test_an_error_rate_has_the_test_of_its_accuracy():
    right, wrong = (
        paired_test(metric, TRUE, LABEL_A, LABEL_B) for metric in ("accuracy", "zero_one_loss")
    )
    assert wrong.method == right.method == "McNemar's test, asymptotic"
    assert wrong.p_value == right.p_value
    assert wrong.estimates == pytest.approx([1 - each for each in right.estimates])
    assert wrong.interval == pytest.approx([-end for end in right.interval[::-1]])


def test_random_exchanges_agree_with_all():
    exact = paired_test("npv", TRUE, LABEL_A, LABEL_B, method="permutation")
    drawn = paired_test(
        "npv",
        TRUE,
        LABEL_A,
        LABEL_B,
        sample_weight=np.ones(N),
        n_resamples=999,
        random_state=0,
        method="permutation",
    )
    assert "random" in drawn.method
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.05)


def test_permutation_does_not_depend_on_a_classifiers_scale():
    options = {"n_resamples": 99, "random_state": 0}
    found = paired_test("roc_auc", TRUE, SCORE_A, SCORE_B, **options, method="permutation")
    scaled = paired_test(
        "roc_auc", TRUE, 1000 * SCORE_A, SCORE_B**3, **options, method="permutation"
    )
    assert scaled.p_value == found.p_value
    valued = paired_test("scor_auc", TRUE, SCORE_A, SCORE_B, **options, method="permutation")
    assert valued.p_value != found.p_value


@pytest.mark.parametrize("metric", ["mm1_auc", "prob_auc", "scor_auc", "soft_auc", "mm11_auc"])
def test_permutation_of_score_values_hardly_feels_a_jitter(metric):
    """Ranks in their place would: the scores are rounded, and each jitter parts ties anew."""
    found = []
    for seed in range(3):
        jitter = 1e-9 * np.random.default_rng(seed).random((2, N))
        scores = [s * (1 - 1e-8) + own for s, own in zip((SCORE_A, SCORE_B), jitter, strict=True)]
        options = {"n_resamples": 99, "random_state": 0}
        found.append(paired_test(metric, TRUE, *scores, **options, method="permutation").p_value)
    assert np.ptp(found) <= 0.02


def test_bootstrap_agrees_with_delong():
    boot = paired_test("roc_auc", TRUE, SCORE_A, SCORE_B, random_state=0, method="bootstrap")
    analytic = delong_test(TRUE, SCORE_A, SCORE_B)
    assert boot.estimates == analytic.estimates
    assert boot.standard_error == pytest.approx(analytic.standard_error, rel=0.1)
    assert boot.interval == pytest.approx(analytic.interval, abs=0.02)


@pytest.mark.parametrize(
    ("metric", "data", "options"),
    [
        ("f1", (TRUE, LABEL_A, LABEL_B), {}),
        ("npv", (TRUE, LABEL_A, LABEL_B), {"pos_label": 0}),
        ("mcc", (THREE, THREE_A, THREE_B), {}),
        ("f1", (THREE, THREE_A, THREE_B), {"average": "macro"}),
        ("recall", (THREE, THREE_A, THREE_B), {"average": "weighted", "labels": [0, 2]}),
        ("roc_auc", (TRUE, SCORE_A, SCORE_B), {}),
        ("mm7_auc", (TRUE, SCORE_A, SCORE_B), {}),
        ("soft_auc", (TRUE, SCORE_A, SCORE_B), {"beta": 3}),
        ("average_precision", (TRUE, SCORE_A, SCORE_B), {}),
        ("brier_score_loss", (TRUE, SCORE_A, SCORE_B), {}),
    ],
)
def test_replicates_are_values_of_the_metric(metric, data, options):
    """Bootstrap means and deviations against a loop over rows drawn by another generator."""
    call = PairedCall(*metric_or_function(metric, options), data[0], data[1:])
    function, estimates = call.function, call.estimates()
    values = call.replicates().drawn(np.random.default_rng(0), 400, True)
    truth = data[0]
    rng, looped = np.random.default_rng(1), []
    members = [np.flatnonzero(truth == label) for label in np.unique(truth)]
    for _ in range(300):
        rows = np.concatenate([rng.choice(m, len(m)) for m in members])
        looped.append([function(truth[rows], pred[rows], **options) for pred in data[1:]])
    looped = np.array(looped).T
    error = looped.std(axis=1, ddof=1)
    assert np.abs(values.mean(axis=1) - looped.mean(axis=1)) / error == pytest.approx(0, abs=0.3)
    assert values.std(axis=1, ddof=1) == pytest.approx(error, rel=0.25)
    assert np.corrcoef(values)[0, 1] == pytest.approx(np.corrcoef(looped)[0, 1], abs=0.2)
    assert estimates == tuple(function(truth, pred, **options) for pred in data[1:])


@pytest.mark.parametrize("stratify", [True, False])
def test_replicates_of_labels_are_those_of_tables(stratify):
    call = PairedCall(*metric_or_function("precision", {}), TRUE, (LABEL_A, LABEL_B))
    values = call.replicates().drawn(np.random.default_rng(0), 2000, stratify)
    other = (
        call._replace(sample_weight=np.ones(N))
        .replicates()
        .drawn(np.random.default_rng(1), 2000, stratify)
    )
    assert values.mean(axis=1) == pytest.approx(other.mean(axis=1), abs=0.01)
    assert values.std(axis=1) == pytest.approx(other.std(axis=1), rel=0.1)


def test_weights_of_whole_numbers_are_repetitions():
    times = RNG.integers(1, 4, N)
    weighted = paired_test(
        "recall",
        TRUE,
        LABEL_A,
        LABEL_B,
        sample_weight=times,
        random_state=0,
        n_resamples=100,
        method="bootstrap",
    )
    repeated = [np.repeat(given, times) for given in (TRUE, LABEL_A, LABEL_B)]
    plain = paired_test("recall", *repeated, random_state=0, n_resamples=100, method="bootstrap")
    assert weighted.estimates == pytest.approx(plain.estimates, rel=1e-12)


def test_groups_are_drawn_together():
    pairs = [np.repeat(given, 2) for given in (TRUE, LABEL_A, LABEL_B)]
    two = np.arange(2 * N) // 2
    grouped = paired_test("recall", *pairs, groups=two, random_state=0, method="bootstrap")
    single = paired_test("recall", TRUE, LABEL_A, LABEL_B, random_state=0, method="bootstrap")
    alone = paired_test("recall", *pairs, random_state=0, method="bootstrap")
    assert grouped.standard_error == pytest.approx(single.standard_error, rel=0.1)
    assert alone.standard_error == pytest.approx(single.standard_error / np.sqrt(2), rel=0.1)


def test_any_function():
    def agreement(truth, pred):
        return float(np.mean(truth == pred))

    found = paired_test(agreement, TRUE, LABEL_A, LABEL_B, random_state=0, method="bootstrap")
    ours = paired_test("accuracy", TRUE, LABEL_A, LABEL_B, random_state=1, method="bootstrap")
    assert found.estimates == pytest.approx(ours.estimates)
    assert found.standard_error == pytest.approx(ours.standard_error, rel=0.1)
    errors = paired_test(
        lambda t, p: float(np.mean((t - p) ** 2)),
        SCORE_A,
        SCORE_A,
        SCORE_A / 9,
        n_resamples=50,
        method="permutation",
    )
    assert errors.p_value == 1 / 51


def test_probabilities_of_three_classes():
    first, second = (RNG.dirichlet(np.ones(3), N) for _ in range(2))
    found = paired_test(
        "log_loss",
        THREE,
        first,
        second,
        n_resamples=50,
        random_state=0,
        method="permutation",
    )
    assert 0 < found.p_value <= 1
    found = paired_test(
        "roc_auc",
        THREE,
        first,
        second,
        multi_class="ovr",
        n_resamples=40,
        random_state=0,
        method="bootstrap",
    )
    assert np.isfinite(found.interval).all()


def test_multilabel_indicators():
    truth, a, b = (RNG.integers(0, 2, (20, 3)) for _ in range(3))
    found = paired_test(
        "f1",
        truth,
        a,
        b,
        average="macro",
        n_resamples=20,
        random_state=0,
        method="bootstrap",
    )
    shares = [f1_score(truth, labels, average="macro") for labels in (a, b)]
    assert found.estimates == pytest.approx(shares)
    assert found.difference == pytest.approx(shares[0] - shares[1])
    # The same rows are drawn for both models: each label is one column of the same draw.
    alone = paired_test(
        "f1", *(np.repeat(x[:, :1], 3, axis=1) for x in (truth, a, b)), average="macro",
        n_resamples=20, random_state=0,
        method="bootstrap",
    )  # fmt: skip
    column = paired_test(
        "f1",
        truth[:, 0],
        a[:, 0],
        b[:, 0],
        n_resamples=20,
        random_state=0,
        stratify=False,
        method="bootstrap",
    )
    assert alone.difference == pytest.approx(column.difference)


def test_many_examples():
    truth = np.arange(3000) % 2
    a, b = (RNG.normal(truth) for _ in range(2))
    found = paired_test(
        "roc_auc", truth, a, b, n_resamples=40, random_state=0, method="permutation"
    )
    assert 1 / 41 <= found.p_value <= 1
    labels = paired_test("f1", truth, a > 0, b > 0.5, random_state=0, method="permutation")
    assert labels.p_value == pytest.approx(
        paired_test("f1", truth, a > 0, b > 0.5, random_state=0, method="bootstrap").p_value,
        abs=0.05,
    )


def test_seeds():
    options = {"n_resamples": 20, "random_state": 3}
    data = "roc_auc", TRUE, SCORE_A, SCORE_B
    for how in ("bootstrap", "permutation"):
        again = [astuple(paired_test(*data, method=how, **options)) for _ in range(2)]
        assert again[0] == again[1]
    options["n_resamples"] = 60
    other = paired_test(*data, **(options | {"random_state": 4}), method="bootstrap")
    assert other.interval != paired_test(*data, **options, method="bootstrap").interval


def test_nothing_to_tell_apart():
    found = paired_test("f1", TRUE, LABEL_A, LABEL_A, random_state=0, method="bootstrap")
    assert (found.statistic, found.p_value) == (0, 1)
    assert np.isnan(found.interval).all()
    assert paired_test("f1", TRUE, LABEL_A, LABEL_A, method="permutation").p_value == 1


def test_undefined_replicates_are_left_out():
    truth = [1, 1, 1, 0, 0, 0, 0, 0]
    a, b = [1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0]
    with pytest.warns(UndefinedMetricWarning, match="of 100 replicates, which are ignored"):
        found = paired_test("dor", truth, a, b, random_state=0, n_resamples=100, method="bootstrap")
    assert np.isfinite(found.interval).all()


def test_constant_difference_is_undefined():
    truth = np.arange(20) % 2
    with pytest.warns(
        UndefinedMetricWarning, match="replicates of the difference have no variance"
    ):
        found = paired_test("accuracy", truth, truth, 1 - truth, random_state=0, method="bootstrap")
    assert np.isnan(found.statistic)
    assert np.isnan(found.interval).all()


@pytest.mark.parametrize("how", ["bootstrap", "permutation"])
def test_refusals(how):
    test = partial(paired_test, method=how)
    with pytest.raises(ValueError, match="n_resamples"):
        test("f1", TRUE, LABEL_A, LABEL_B, n_resamples=1)
    with pytest.raises(ValueError, match="alternative"):
        test("f1", TRUE, LABEL_A, LABEL_B, alternative="unlike")
    with pytest.raises(TypeError, match="metric must be a name"):
        test(3, TRUE, LABEL_A, LABEL_B)
    with pytest.raises(ValueError, match="plain function"):
        test(lambda y, p: np.mean(y == p), TRUE, LABEL_A, LABEL_B, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="inconsistent"):
        test("f1", TRUE, LABEL_A, LABEL_B[:5])
    with pytest.raises(ValueError, match="one number"):
        test("f1", THREE, THREE_A, THREE_B, average=None)


def test_names_of_scorers_are_taken_for_their_metrics():
    assert "neg_log_loss" in get_scorer_names()
    options = {"n_resamples": 20, "random_state": 0}
    by_scorer = paired_test("neg_log_loss", TRUE, SCORE_A, SCORE_B, **options, method="bootstrap")
    by_name = paired_test("log_loss", TRUE, SCORE_A, SCORE_B, **options, method="bootstrap")
    assert by_scorer.estimates == by_name.estimates


def test_p_values_of_resampled_differences_count_the_observed_one():
    """Davison and Hinkley 1997, section 4.2.5: (1 + those as far) / (1 + all), twice for two sides."""
    drawn = np.array([-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert _p_value(drawn, 0.0, "greater") == 2 / 8
    assert _p_value(drawn, 0.0, "less") == 7 / 8
    assert _p_value(drawn, 0.0, "two-sided") == 4 / 8
    assert _p_value(np.array([-1.0, 1.0]), 0.0, "two-sided") == 1
    assert _p_value(drawn, 1.0, "greater") == 3 / 8  # those at the shift are on both sides


def test_a_notebook_shows_the_facts_of_a_test_that_are_defined():
    y, pred = np.arange(40) % 2, (np.arange(40) % 3 == 0).astype(int)
    found = mcnemar_test(y, pred, 1 - pred)
    html = found._repr_html_()
    assert "p-value" in html
    assert "statistic" in html
    assert "nan" not in html
    hidden = replace(found, statistic=np.nan)._repr_html_()
    assert "p-value" in hidden
    assert "statistic" not in hidden
    assert "nan" not in hidden
