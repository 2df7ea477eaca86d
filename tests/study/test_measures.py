"""Values of the AUC variants and of measures of one's own on score sets, at any parameters."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import average_precision_score as sklearn_average_precision
from sklearn.metrics import brier_score_loss, make_scorer

import skaucx.metrics as sm
from skaucx.study import (
    SetCollection,
    all_labellings,
    measure_values,
    narrow_spans,
    parameter_variants,
    parse_sets,
)
from tests.closeness import rounding
from tests.study.cases import SIX

SETS = all_labellings(narrow_spans(SIX, 5))
LONG = parse_sets(" ".join(f"{k / 400}{'np'[k % 3 == 0]}" for k in range(1, 400)))
POWERS = {"q": 0.4, "beta": 3.0, "floor": 0.3, "auc_power": 0.5, "margin_power": 0.25}
BEYOND = [{"q": 0.0}, {"q": 12.5}, {"beta": 32.0}, {"beta": 33.0}, {"beta": 900.0}]


@pytest.mark.parametrize("m", [2, 6, 25, 160])
@pytest.mark.parametrize(
    "parameters",
    [{}, POWERS, {"difference": np.square, "ties": "loss"}, {"max_fpr": 0.07}, *BEYOND],
)
def test_values_are_those_of_the_family_of_each_set(m, parameters):
    """Also where powers leave a table, and products of exponentials leave the numbers."""
    rng, n = np.random.default_rng(m), 60 if m < 100 else 3
    truth, score = rng.random((n, m)) < 0.5, rng.random((n, m)).round(2)
    truth[:, 0], truth[:, 1], score[0] = True, False, 0.5  # the first set is constant
    found = measure_values(SetCollection.from_arrays(truth, score), **parameters)
    for k in range(n):
        for name, value in sm.auc_family(truth[k], score[k], **parameters).items():
            assert found[name][k] == pytest.approx(value, rel=1e-12, abs=rounding(m)), (name, k)


def test_sets_are_evaluated_apart():
    rng = np.random.default_rng(1)
    truth, score = rng.random((9000, 6)) < 0.5, rng.random((9000, 6))
    truth[:, :2] = True, False
    whole = measure_values(SetCollection.from_arrays(truth, score))
    part = measure_values(SetCollection.from_arrays(truth[8000:], score[8000:]))
    for name, values in whole.items():
        np.testing.assert_array_equal(values[8000:], part[name])


@pytest.mark.parametrize("sets", [SETS, LONG], ids=["short", "long"])
def test_several_parameters_at_once_are_those_one_by_one(sets):
    grid = {"q": [0.0, 1 / 7, 1, 2], "base": ["sond"], "floor": [0, 0.7]}
    variants = parameter_variants("mm4_auc", **grid)
    together = measure_values(sets, variants)
    assert len(together) == 8
    for name, values in together.items():
        alone = measure_values(sets, ["mm4_auc"], **variants[name].keywords)["mm4_auc"]
        np.testing.assert_allclose(values, alone, rtol=1e-12)


def test_parameters_of_the_call_reach_measures_that_bind_none():
    flat = functools.partial(sm.soft_auc_score, beta=2)
    found = measure_values(SETS, {"a": "soft_auc", "b": flat}, beta=50)
    assert list(found) == ["a", "b"]
    for name, beta in (("a", 50), ("b", 2)):
        alone = measure_values(SETS, "soft_auc", beta=beta)["soft_auc"]
        np.testing.assert_array_equal(found[name], alone)


DIFFERENCES = {
    "scor": lambda d: np.maximum(d, 0),
    "sond": lambda d: np.where(d > 0, np.abs(d), 0) ** 0.4,
    "soft": lambda d: expit(3 * d),
    "prob": lambda d: (1 + d) / 2,
}


@pytest.mark.parametrize("base", DIFFERENCES)
@pytest.mark.parametrize("n", [40, 900])
def test_ladder_on_another_base_pair_by_pair(base, n):
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.4).astype(int)
    score = np.round(0.2 + 0.7 * rng.random(n), 2 if n == 40 else 9)
    w = rng.uniform(0.1, 2, n)
    d = (score[y == 1][:, None] - score[y == 0]) / np.ptp(score)
    for weight in (None, w):
        pairs = np.ones(d.shape) if weight is None else np.outer(w[y == 1], w[y == 0])
        h = DIFFERENCES[base](d)
        options = {"base": base, "q": 0.4, "beta": 3.0, "sample_weight": weight}
        mm1 = np.average(h, weights=pairs)
        mm4 = np.average(np.where(d > 0, np.maximum(h, 0.8), h), weights=pairs)
        mm7 = mm4**0.9 * np.average(d > 0, weights=pairs)
        assert sm.mm1_auc_score(y, score, **options) == pytest.approx(mm1, rel=1e-12)
        assert sm.mm4_auc_score(y, score, floor=0.8, **options) == pytest.approx(mm4, rel=1e-12)
        assert sm.mm7_auc_score(y, score, floor=0.8, **options) == pytest.approx(mm7, rel=1e-12)
    if base != "scor":
        assert sm.mm1_auc_score(y, np.full(n, 0.4), base=base) == 0


def widest_gap(y_true, y_score):
    """The span times the AUC, of which a study would find what is wrong."""
    wins = (y_score[y_true][:, None] > y_score[~y_true]).mean()
    return wins * np.ptp(y_score)


def cubed_gain_score(r):
    """Mean of the third power of a won pair's difference."""
    return r.mean_of(lambda d: np.maximum(d, 0) ** 3)


@functools.cache
def plain(function, sign=1):
    return [sign * function(truth, score) for truth, score in SETS]


def test_each_form_has_the_values_of_the_plain_loop():
    cubed = sm.declare("values")(cubed_gain_score)
    brier = make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba")
    average_precision = plain(sklearn_average_precision)
    third = functools.partial(sm.sond_auc_score, q=1 / 3)
    inside = sm.get_scorer("average_precision")._score_func
    requested = [
        (widest_gap, "widest_gap", plain(widest_gap)),
        ("average_precision", "average_precision", average_precision),
        (sklearn_average_precision, "average_precision_score", average_precision),
        (brier, "neg_brier_score_loss", plain(brier_score_loss, -1)),
        (cubed, "cubed_gain", plain(cubed)),
        (sm.brier_score_loss, "neg_brier_score_loss", plain(brier_score_loss, -1)),
        (inside, "average_precision_score", average_precision),
        (third, "sond_auc", plain(third)),
        (sm.get_scorer("mm7_auc"), "mm7_auc", plain(sm.mm7_auc_score)),
    ]
    together = measure_values(SETS, {f"m{k}": each for k, (each, _, _) in enumerate(requested)})
    for with_others, (measure, name, values) in zip(together.values(), requested, strict=True):
        [(found, value)] = measure_values(SETS, measure).items()
        assert found == name
        np.testing.assert_allclose(value, values, rtol=0, atol=1e-12)
        np.testing.assert_allclose(with_others, values, rtol=0, atol=1e-12)
    [(truth, score)] = LONG
    found = measure_values(LONG, [widest_gap, "mm7_auc"])
    assert found["widest_gap"] == pytest.approx(widest_gap(truth, score))
    assert found["mm7_auc"] == pytest.approx(sm.mm7_auc_score(truth, score))


REFUSED = "in measures is not a measure of score sets, since it"


@pytest.mark.parametrize(
    ("measures", "given", "told"),
    [
        (["f1"], {}, f"'f1' {REFUSED} reads y_pred"),
        (["calibration_slope"], {}, "since it has no better direction"),
        ([lambda y, s: np.nan], {}, "must return one number for every set"),
        ([lambda y, s: "good"], {}, "must return one number for every set"),
        ([lambda y, s: 0, lambda y, s: 1], {}, "Two measures are called '<lambda>'"),
        ([], {}, "measures is empty"),
        ("all", {"q": -1}, r"q must be a finite number in \[0, inf\], found -1"),
    ],
)
def test_what_is_refused(measures, given, told):
    with pytest.raises(ValueError, match=told):
        measure_values(SETS, measures, **given)


def test_wrong_types_and_bad_variants():
    with pytest.raises(TypeError, match="measures must be"):
        measure_values(SETS, 3)
    with pytest.raises(TypeError, match="gamma"):
        measure_values(SETS, gamma=1)
    with pytest.raises(TypeError, match="beta"):
        parameter_variants("sond_auc", beta=[1])
    with pytest.raises(ValueError, match="q must be"):
        parameter_variants("sond_auc", q=[-1])
    with pytest.raises(ValueError, match="at least one"):
        parameter_variants("sond_auc", q=[])
