"""Paired bootstrap and permutation tests against SciPy, McNemar and replicate-by-replicate loops."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import (
    mcnemar_test,
    paired_test,
)
from skaucx.inference._tests.paired import _p_value
from skaucx.inference._tests.paired_call import PairedCall
from skaucx.metrics import f1_score, roc_auc_score
from skaucx.metrics._registry.names import metric_or_function

RNG = np.random.default_rng(5)
N = 60
TRUE = RNG.integers(0, 2, N)
SCORE_A, SCORE_B = (np.round(np.clip(RNG.normal(0.4 + TRUE * g, 0.2), 0, 1), 2) for g in (0.3, 0.2))
LABEL_A, LABEL_B = (SCORE_A > 0.5) * 1, (SCORE_B > 0.5) * 1
THREE = RNG.integers(0, 3, N)
THREE_A, THREE_B = (np.where(RNG.random(N) < g, THREE, RNG.integers(0, 3, N)) for g in (0.7, 0.5))
WEIGHT = RNG.random(N)


def test_exchanges_are_those_of_scipy():
    metric = partial(f1_score, average="macro")
    for truth, a, b, function in (
        (TRUE, LABEL_A, LABEL_B, f1_score),
        (THREE, THREE_A, THREE_B, metric),
        (TRUE, SCORE_A, SCORE_B, roc_auc_score),
        (TRUE, LABEL_A, LABEL_B, lambda t, p: float(np.mean(t == p))),
    ):
        theirs = stats.permutation_test(
            (a, b), lambda x, y, t=truth, f=function: f(t, x) - f(t, y), permutation_type="samples",
            n_resamples=600, vectorized=False, random_state=np.random.default_rng(1),
        ).pvalue  # fmt: skip
        options = {"average": "macro"} if function is metric else {}
        ours = paired_test(
            f1_score if options else function, truth, a, b, method="permutation", random_state=0,
            n_resamples=600, **options,
        )  # fmt: skip
        assert ours.p_value == pytest.approx(theirs, abs=0.09)


def test_permutation_does_not_depend_on_a_classifiers_scale():
    options = {"n_resamples": 99, "random_state": 0}
    found = paired_test("roc_auc", TRUE, SCORE_A, SCORE_B, **options, method="permutation")
    scaled = paired_test(
        "roc_auc", TRUE, 1000 * SCORE_A, SCORE_B**3, **options, method="permutation"
    )
    assert scaled.p_value == found.p_value
    valued = paired_test("scor_auc", TRUE, SCORE_A, SCORE_B, **options, method="permutation")
    assert valued.p_value != found.p_value


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
    values = call.drawn(np.random.default_rng(0), 400)
    truth = data[0]
    rng, looped = np.random.default_rng(1), []
    for _ in range(300):
        rows = rng.choice(N, N)
        looped.append([function(truth[rows], pred[rows], **options) for pred in data[1:]])
    looped = np.array(looped).T
    error = looped.std(axis=1, ddof=1)
    assert np.abs(values.mean(axis=1) - looped.mean(axis=1)) / error == pytest.approx(0, abs=0.3)
    assert values.std(axis=1, ddof=1) == pytest.approx(error, rel=0.25)
    assert np.corrcoef(values)[0, 1] == pytest.approx(np.corrcoef(looped)[0, 1], abs=0.2)
    assert estimates == tuple(function(truth, pred, **options) for pred in data[1:])


def test_groups_are_drawn_together():
    pairs = [np.repeat(given, 2) for given in (TRUE, LABEL_A, LABEL_B)]
    two = np.arange(2 * N) // 2
    grouped = paired_test("recall", *pairs, groups=two, random_state=0, method="bootstrap")
    single = paired_test("recall", TRUE, LABEL_A, LABEL_B, random_state=0, method="bootstrap")
    alone = paired_test("recall", *pairs, random_state=0, method="bootstrap")
    assert grouped.standard_error == pytest.approx(single.standard_error, rel=0.1)
    assert alone.standard_error == pytest.approx(single.standard_error / np.sqrt(2), rel=0.1)


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
    for one, shown in ((found, True), (replace(found, statistic=np.nan), False)):
        html = one._repr_html_()
        assert ("p_value" in html, "statistic" in html, "nan" in html) == (True, shown, False)
