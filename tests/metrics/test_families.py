"""The AUC family of one set and of many sets against its members one by one."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx.metrics import auc_family, auc_family_of_sets, list_metrics
from skaucx.metrics._registry.declare import METRICS
from tests.closeness import rounding

MEMBERS = [row for row in list_metrics() if row.family == "AUC variants"]
PARAMETERS = {"q": 0.4, "beta": 3.0, "floor": 0.3, "auc_power": 0.5, "margin_power": 0.25}


def function(row):
    return METRICS[row.name]


def taken(row, parameters):
    return {name: value for name, value in parameters.items() if name in row_parameters(row)}


def row_parameters(row):
    return function(row).options


@pytest.mark.parametrize("parameters", [{}, PARAMETERS, {"difference": np.sign}])
@pytest.mark.parametrize("weighted", [False, True])
def test_family_is_its_members(parameters, weighted):
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.random(60).round(2)
    given = {**parameters, **({"sample_weight": rng.uniform(0.1, 3, 60)} if weighted else {})}
    family = auc_family(y, score, **given)
    assert len(family) == len(MEMBERS) - ("difference" not in parameters)
    for row in MEMBERS:
        if row.name in family:
            assert family[row.name] == function(row)(y, score, **taken(row, given))


@pytest.mark.parametrize("m", [2, 6, 25])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        PARAMETERS,
        {"difference": np.square, "ties": "loss"},
        {"max_fpr": 0.5},
        {"max_fpr": 0.07},
    ],
)
def test_sets_are_families(m, parameters):
    rng = np.random.default_rng(m)
    truth, score = rng.random((100, m)) < 0.5, rng.random((100, m)).round(1)
    score[0], truth[1], truth[2] = 0.5, True, False  # a constant set, and sets of one class
    sets = auc_family_of_sets(truth, score, **parameters)
    for k in range(3, 100):
        if truth[k].all() or not truth[k].any():
            assert all(np.isnan(values[k]) for values in sets.values())
            continue
        for name, value in auc_family(truth[k], score[k], **parameters).items():
            assert sets[name][k] == pytest.approx(value, rel=1e-12, abs=rounding(m)), (name, k)
    assert all(np.isnan(values[1:3]).all() for values in sets.values())


def test_chunks_do_not_show():
    rng = np.random.default_rng(1)
    truth, score = rng.random((9000, 6)) < 0.5, rng.random((9000, 6))
    whole = auc_family_of_sets(truth, score)
    part = auc_family_of_sets(truth[8000:], score[8000:])
    for name, values in whole.items():
        np.testing.assert_array_equal(values[8000:], part[name])


@pytest.mark.parametrize(
    ("truth", "score", "says"),
    [
        ([[0, 1]], [[0.1, 0.2, 0.3]], "Matrices of one shape"),
        ([0, 1], [0.1, 0.2], "score set in each row"),
        ([[0, 2]], [[0.1, 0.2]], "indicators"),
        ([[0, 1]], [[0.1, 1.2]], r"y_score lies in \[0.1, 1.2\]"),
        ([[0, 1]], [[0.1, np.nan]], "NaN"),
    ],
)
def test_bad_sets(truth, score, says):
    with pytest.raises(ValueError, match=says):
        auc_family_of_sets(truth, score)


def test_unknown_parameter():
    with pytest.raises(TypeError, match=r"None of the metrics takes it: 'betta'.*'beta'"):
        auc_family_of_sets([[0, 1]], [[0.1, 0.2]], betta=1)


def test_powers_and_products_of_sets_do_not_depend_on_the_route():
    """Beyond a table's powers, and beyond the products of two exponentials."""
    rng = np.random.default_rng(3)
    truth, score = rng.random((40, 7)) < 0.5, rng.random((40, 7))
    truth[:, :2] = True, False
    for parameters in ({"q": 0.0}, {"q": 12.5}, {"beta": 32.0}, {"beta": 33.0}, {"beta": 900.0}):
        sets = auc_family_of_sets(truth, score, **parameters)
        for k in range(40):
            for name, value in auc_family(truth[k], score[k], **parameters).items():
                assert sets[name][k] == pytest.approx(value, rel=1e-12, abs=1e-300), (name, k)


def test_a_variant_that_is_declared_again_is_taken_as_it_is_now():
    def passing_variant_score(r):
        """The share of won pairs."""
        return r.win_share

    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    try:
        sm.declare("values", family="others")(passing_variant_score)
        assert "passing_variant" not in auc_family(y, score)
        sm.declare("values", family="AUC variants")(passing_variant_score)
        assert auc_family(y, score)["passing_variant"] == 1
    finally:
        METRICS.pop("passing_variant", None)
