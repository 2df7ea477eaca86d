"""Intervals of published tables, and of functions that the package does not know."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import fbeta_score, roc_auc_score

from skaucx.inference import interval, intervals
from skaucx.metrics import Counts

RNG = np.random.default_rng(0)
TABLE = np.array([[50, 7], [9, 34]])
Y = np.repeat([0, 0, 1, 1], TABLE.ravel())
PRED = np.repeat([0, 1, 0, 1], TABLE.ravel())
SCORE = RNG.normal(size=100) + Y


@pytest.mark.parametrize(
    "metric", ["recall", "npv", "mcc", "f1", "positive_likelihood_ratio", "kappa"]
)
@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
def test_a_table_has_the_interval_of_its_rows(metric, method):
    settings = {"method": method, "n_resamples": 200, "random_state": 0}
    rows, table = interval(metric, Y, PRED, **settings), interval(metric, counts=TABLE, **settings)
    assert (table.estimate, table.method) == (rows.estimate, rows.method)
    np.testing.assert_allclose([*table], [*rows], rtol=1e-12)
    same = interval(metric, counts=Counts.from_table(TABLE), **settings)
    np.testing.assert_allclose([*same], [*rows], rtol=1e-12)


def test_tables_of_many_classes_and_several_metrics():
    table = RNG.integers(1, 20, (4, 4))
    y, pred = (np.repeat(i.ravel(), table.ravel()) for i in np.indices((4, 4)))
    for options in ({"average": "macro"}, {"average": None}):
        rows, counted = interval("f1", y, pred, **options), interval("f1", counts=table, **options)
        np.testing.assert_allclose(counted.low, rows.low, rtol=1e-12)
    found = intervals(["accuracy", "kappa"], counts=table)
    assert found["accuracy"].estimate == np.trace(table) / table.sum()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"counts": TABLE, "y_true": Y}, "counts represent all rows"),
        ({"counts": TABLE / 3}, "whole numbers"),
        ({"counts": TABLE, "metric": "roc_auc"}, "needs scores"),
        ({"counts": TABLE[:1]}, "K x K"),
    ],
)
def test_bad_counts(ask, message):
    with pytest.raises(ValueError, match=message):
        interval(**({"metric": "recall"} | ask))


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_plain_function_has_the_bootstrap_of_the_metric(method):
    settings = {"n_resamples": 100, "random_state": 0}
    plain = interval(roc_auc_score, Y, SCORE, method=method, **settings)
    ours = interval("roc_auc", Y, SCORE, method="bca" if method == "auto" else method, **settings)
    np.testing.assert_allclose([plain.estimate, *plain], [ours.estimate, *ours], rtol=1e-9)
    assert (plain.metric, plain.method) == ("roc_auc_score", ours.method)


def test_plain_functions_take_parameters_and_groups():
    found = interval(fbeta_score, Y, PRED, beta=2.0, n_resamples=40, random_state=0)
    assert found.estimate == fbeta_score(Y, PRED, beta=2.0)
    settings = {"n_resamples": 40, "random_state": 0, "method": "percentile"}
    grouped = interval(roc_auc_score, Y, SCORE, groups=np.arange(100) // 4, **settings)
    assert grouped.low < grouped.estimate < grouped.high
    with pytest.raises(ValueError, match="sample_weight needs a metric"):
        interval(roc_auc_score, Y, SCORE, sample_weight=np.ones(100))
    with pytest.raises(TypeError, match="found None"):
        interval(None, Y, SCORE)
    with pytest.raises(ValueError, match="mixes plain functions"):
        intervals(["roc_auc", roc_auc_score], Y, SCORE)


def test_entries_name_their_classes():
    words = np.array(["ash", "elm", "oak"])
    y, pred = words[RNG.integers(0, 3, (2, 60))]
    found = interval("recall", y, pred, average=None)
    assert found.classes.tolist() == words.tolist()
    assert [line.split()[2] for line in repr(found).splitlines()[:3]] == words.tolist()
    assert "<td" in found._repr_html_()
    some = interval("recall", y, pred, average=None, labels=["oak", "ash"])
    assert some.classes.tolist() == ["oak", "ash"]
    np.testing.assert_allclose(some.low, found.low[[2, 0]])
    settings = {"multi_class": "ovr", "average": None, "n_resamples": 50, "random_state": 0}
    scores = interval("roc_auc", y, RNG.dirichlet(np.ones(3), 60), **settings)
    assert scores.classes.tolist() == words.tolist()
    assert interval("recall", y, pred, average="macro").classes is None
