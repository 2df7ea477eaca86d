"""Metrics at every threshold against the same metrics of the labels cut there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx.metrics import list_metrics, threshold_curves
from skaucx.metrics._registry.declare import METRICS

GIVEN = {"beta": 2.0, "threshold": 0.3, "cost": [[0, 1], [5, 0]]}
# A table at which the bounds are not kept has no value.
NAMES = [row.name for row in list_metrics() if row.kind.counted and row.name != "feasible"]


def sample(weighted):
    rng = np.random.default_rng(3)
    y, score = rng.integers(0, 2, 40), rng.normal(size=40).round(1)
    return y, score, rng.uniform(0.1, 3, 40) if weighted else None


@pytest.mark.parametrize("classes", [(0, 1), ("good", "bad")])
@pytest.mark.parametrize("weighted", [False, True])
def test_curve_is_the_metric_at_each_threshold(weighted, classes):
    """Also of a matrix by class, in the order of the labels, where the positive one sorts first."""
    y, score, weight = sample(weighted)
    y, [negative, positive] = np.asarray(classes)[y], classes
    curves = threshold_curves(y, score, NAMES, pos_label=positive, sample_weight=weight, **GIVEN)
    assert curves.thresholds[0] == np.inf
    np.testing.assert_array_equal(curves.thresholds[1:], np.unique(score)[::-1])
    cut = [np.where(score >= threshold, positive, negative) for threshold in curves.thresholds]
    for name in NAMES:
        function = METRICS[name]
        own = {key: value for key, value in GIVEN.items() if key in function.options}
        own |= {"labels": sorted(classes)} if "labels" in function.options else {}
        own |= {"pos_label": positive} if "pos_label" in function.options else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = [
                function(y, called, sample_weight=weight, zero_division=np.nan, **own)
                for called in cut
            ]
        np.testing.assert_allclose(curves[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_all_metrics_without_needs_by_default():
    """A metric that is solved for takes far longer than all formulas: it is to be named."""
    y, score, _ = sample(False)
    solved = {row.name for row in list_metrics() if row.iterative}
    formulas = set(NAMES) - solved
    assert solved == {"aickin_alpha"}
    needing = {"fbeta", "expected_cost", "net_benefit"}
    assert set(threshold_curves(y, score).values) == formulas - needing
    assert set(threshold_curves(y, score, **GIVEN).values) == formulas


def test_best_threshold():
    y, score = [0, 0, 1, 1, 1], [0.1, 0.6, 0.4, 0.7, 0.9]
    curves = threshold_curves(y, score, ["mcc", "fpr", "recall"])
    assert curves.best("recall") == (0.4, 1.0)
    assert (curves.best("recall").threshold, curves.best("recall").value) == (0.4, 1.0)
    assert curves.best("false_positive_rate") == (np.inf, 0.0)
    mcc = [sm.matthews_corrcoef(y, np.array(score) >= t) for t in (0.9, 0.7, 0.6, 0.4, 0.1)
           if t < np.inf and t != 0.1]  # fmt: skip
    assert curves.best("mcc")[1] == pytest.approx(max(mcc))


def test_undefined_everywhere():
    curves = threshold_curves([0, 0], [0.2, 0.7], ["recall"])
    assert np.isnan(curves["recall"]).all()
    assert np.isnan(curves.best("recall")).all()


@pytest.mark.parametrize(
    ("y", "score", "options", "says"),
    [
        ([0, 1], [[0.1, 0.9], [0.2, 0.8]], {}, "y_score must be one-dimensional"),
        (["a", "a"], [0.1, 0.2], {}, "pass pos_label"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, "two classes, found 3"),
        (
            [0, 1],
            [0.1, 0.2],
            {"metrics": ["roc_auc"]},
            "roc_auc is not a function of the confusion table",
        ),
    ],
)
def test_refusals(y, score, options, says):
    with pytest.raises(ValueError, match=says):
        threshold_curves(y, score, **options)
