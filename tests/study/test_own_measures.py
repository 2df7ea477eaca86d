"""Measures of one's own in every part of the study: metrics, scorers and plain functions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.metrics import average_precision_score as sklearn_average_precision
from sklearn.metrics import brier_score_loss, make_scorer

from skaucx import _progress, metrics
from skaucx.metrics._registry import declare as registry
from skaucx.study import (
    all_labellings,
    count_violations,
    measure_regret,
    measure_values,
    narrow_spans,
    parse_sets,
    simulate_bias,
    simulate_selection,
    tune_measure,
)

SETS = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 5))


def widest_gap(y_true, y_score):
    """The span times the AUC, of which a study would find what is wrong."""
    wins = (y_score[y_true][:, None] > y_score[~y_true]).mean()
    return wins * np.ptp(y_score)


@pytest.fixture
def cubed():
    def cubed_gain_score(r):
        """Mean of the third power of a won pair's difference."""
        return r.mean_of(lambda d: np.maximum(d, 0) ** 3)

    yield metrics.declare("values")(cubed_gain_score)
    del registry.METRICS["cubed_gain"]


@functools.cache
def plain(function, sign=1):
    return [sign * function(truth, score) for truth, score in SETS]


def test_each_form_has_the_values_of_the_plain_loop(cubed):
    brier = make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba")
    asked = [
        widest_gap, "average_precision", sklearn_average_precision, brier, cubed,
        metrics.brier_score_loss, metrics.get_scorer("average_precision")._score_func,
        functools.partial(metrics.sond_auc_score, q=1 / 3), metrics.get_scorer("mm7_auc"),
    ]  # fmt: skip
    names = [
        "widest_gap", "average_precision", "average_precision_score", "neg_brier_score_loss",
        "cubed_gain", "neg_brier_score_loss", "average_precision_score", "sond_auc", "mm7_auc",
    ]  # fmt: skip
    third = functools.partial(metrics.sond_auc_score, q=1 / 3)
    expected = [
        plain(widest_gap), plain(sklearn_average_precision), plain(sklearn_average_precision),
        plain(brier_score_loss, -1), plain(cubed), plain(brier_score_loss, -1),
        plain(sklearn_average_precision), plain(third), plain(metrics.mm7_auc_score),
    ]  # fmt: skip
    for measure, name, values in zip(asked, names, expected, strict=True):
        [(found, value)] = measure_values(SETS, measure).items()
        assert found == name
        np.testing.assert_allclose(value, values, rtol=0, atol=1e-12)
    together = measure_values(SETS, {f"m{k}": each for k, each in enumerate(asked)})
    for value, values in zip(together.values(), expected, strict=True):
        np.testing.assert_allclose(value, values, rtol=0, atol=1e-12)


def test_violations_of_ones_own():
    found = count_violations(SETS, ["roc_auc", widest_gap])
    assert found.measures["roc_auc"].violations == 0
    values, correct = np.array(plain(widest_gap)), SETS.correct
    below = int((correct & (values < values[~correct].max() - 1e-12)).sum())
    assert found.measures["widest_gap"].violations == below > 0


def test_simulations_and_choices():
    """A function that is the AUC itself finds what the AUC finds."""

    def auc_by_hand(y_true, y_score):
        return (y_score[y_true][:, None] > y_score[~y_true]).mean()

    measures = ["roc_auc", auc_by_hand]
    bias = simulate_bias([2.0], repetitions=20, measures=measures, random_state=0).mean
    assert bias["auc_by_hand"] == pytest.approx(bias["roc_auc"], abs=1e-12)
    right = simulate_selection([200], repetitions=20, measures=measures, random_state=0).right
    assert right["auc_by_hand"] == right["roc_auc"]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    problem = {"one": (X, X[:, 0] + rng.normal(size=120) > 0)}
    regret = measure_regret(
        problem, measures=auc_by_hand, repetitions=2, n_models=3, random_state=0
    ).regret
    assert list(regret) == ["roc_auc", "auc_by_hand"]
    assert tune_measure("sond_auc", {"q": [1, 1 / 7]}, sets=SETS).best == {"q": 1 / 7}


def test_long_sets_too():
    rng = np.random.default_rng(1)
    sets = parse_sets(" ".join(f"{x:.4f}{'pn'[k % 2]}" for k, x in enumerate(rng.random(200))))
    found = measure_values(sets, [widest_gap, "mm7_auc"])
    [(truth, score)] = list(sets)
    assert found["widest_gap"] == pytest.approx(widest_gap(truth, score))
    assert found["mm7_auc"] == pytest.approx(metrics.mm7_auc_score(truth, score))


@pytest.mark.parametrize(
    ("measures", "error", "told"),
    [
        (
            ["f1"],
            ValueError,
            "'f1' in measures is not a measure of score sets, since it reads y_pred",
        ),
        (["calibration_slope"], ValueError, "since it has no better direction"),
        ([lambda y, s: np.nan], ValueError, "must return one number for every set"),
        ([lambda y, s: s], ValueError, "must return one number for every set"),
        ([lambda y, s: "good"], ValueError, "must return one number for every set"),
        ([lambda y, s: 0, lambda y, s: 1], ValueError, "Two measures are called '<lambda>'"),
        ([], ValueError, "measures is empty"),
        (3, TypeError, "measures must be"),
    ],
)
def test_what_is_refused(measures, error, told):
    with pytest.raises(error, match=told):
        measure_values(SETS, measures)


def test_the_bar_advances_by_all_of_the_work(monkeypatch):
    bars = []

    class Bar(_progress.ProgressBar):
        def __init__(self, total, *, shown):
            super().__init__(total, shown=False)
            self.total, self.asked = total, shown
            bars.append(self)

    monkeypatch.setattr("skaucx.study._measures.ProgressBar", Bar)
    long = " ".join(f"{place / 400}{'pn'[place % 2]}" for place in range(200))
    measure_values(parse_sets(f"{long}\n0.5p 0.2n\n{long}\n0.4p 0.1n"), verbose=True)
    (bar,) = bars
    assert bar.asked
    assert bar.total == bar._done == 404
