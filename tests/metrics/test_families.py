"""The AUC family against its members one by one."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx.metrics import auc_family, list_metrics
from skaucx.metrics._registry.declare import METRICS

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
