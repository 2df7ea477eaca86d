"""The jackknife against leaving out every row by hand, and against what theory knows of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx import inference
from skaucx.inference import jackknife


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    score = np.round(rng.random(n) + 0.4 * y, 1)
    return y, 1 * (score > 0.7), score / 1.4, rng.uniform(0.5, 2, n)


def by_hand(function, n, parts=None):
    parts = np.arange(n) if parts is None else parts
    names = np.unique(parts)
    whole = function(np.arange(n))
    values = np.array([function(np.flatnonzero(parts != name)) for name in names])
    k = len(names)
    bias = (k - 1) * (values.mean(axis=0) - whole)
    error = np.sqrt((k - 1) / k * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return whole, bias, error


CASES = [
    ("f1", "pred", {}),
    ("matthews_corrcoef", "pred", {}),
    ("recall", "pred", {"average": None}),
    ("roc_auc", "score", {}),
    ("mm7_auc", "score", {}),
    ("log_loss", "score", {}),
    ("smape", "score", {}),
]


@pytest.mark.parametrize(("name", "reads", "options"), CASES, ids=lambda c: str(c))
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_row_by_row(name, reads, options, weighted):
    y, pred, score, w = drawn(0)
    other = pred if reads == "pred" else np.clip(score, 0.01, 0.99)
    w = w if weighted else None
    metric = sm.get_scorer(f"neg_{name}" if "loss" in name or name == "smape" else name)
    function = metric._score_func.function

    def value(rows):
        weight = None if w is None else w[rows]
        return function(y[rows], other[rows], sample_weight=weight, **options)

    found = jackknife(name, y, other, sample_weight=w, **options)
    whole, bias, error = by_hand(value, len(y))
    np.testing.assert_allclose(found.estimate, whole, rtol=1e-12)
    np.testing.assert_allclose(found.bias, bias, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.standard_error, error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.corrected, found.estimate - found.bias)
    assert found.n_deletions == len(y)


def test_groups_and_plain_functions():
    y, pred, score, _ = drawn(1)
    groups = np.repeat(np.arange(8), 5)
    found = jackknife("roc_auc", y, score, groups=groups)
    _, bias, error = by_hand(lambda rows: sm.roc_auc_score(y[rows], score[rows]), 40, groups)
    assert (found.bias, found.standard_error) == pytest.approx((bias, error), rel=1e-9)
    assert found.n_deletions == 8

    def share(a, b):
        return np.mean(a == b)

    plain, ours = jackknife(share, y, pred), jackknife("accuracy", y, pred)
    assert plain.standard_error == pytest.approx(ours.standard_error, rel=1e-12)


def test_of_a_mean_it_is_the_usual_error_without_bias():
    y, pred, _, _ = drawn(2)
    found = jackknife("accuracy", y, pred)
    right = y == pred
    assert found.bias == pytest.approx(0, abs=1e-12)
    assert found.standard_error == pytest.approx(right.std(ddof=1) / np.sqrt(40), rel=1e-12)
    # DeLong's variance is the jackknife's of a mean over pairs, up to 1 / n (Arvesen 1969).
    y, _, score, _ = drawn(2, n=400)
    delong = inference.interval("roc_auc", y, score).standard_error
    assert jackknife("roc_auc", y, score).standard_error == pytest.approx(delong, rel=0.01)


def test_many_rows_are_left_out_in_bundles():
    y, _, score, _ = drawn(4, n=4000)
    found = jackknife("roc_auc", y, score, random_state=0)
    assert found.n_deletions == 1000
    delong = inference.interval("roc_auc", y, score).standard_error
    assert found.standard_error == pytest.approx(delong, rel=0.1)
    assert repr(found).endswith("Jackknife of 1000 deletions.")


def test_what_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match="roc_auc is undefined without some part"):
        found = jackknife("roc_auc", [0, 0, 1], [0.1, 0.4, 0.3])
    assert found.estimate == 0.5
    assert np.isnan([found.bias, found.standard_error]).all()


def test_bad_input():
    with pytest.raises(ValueError, match="inconsistent numbers"):
        jackknife("f1", [0, 1], [0, 1, 1])
    with pytest.raises(TypeError, match="cost"):
        jackknife("expected_cost", [0, 1], [0, 1])
    with pytest.raises(ValueError, match="sample_weight needs a metric"):
        jackknife(lambda a, b: 0.0, [0, 1], [0, 1], sample_weight=[1, 1])
