"""Internal-external cross-validation: each site predicted by a procedure that never saw it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.tree import DecisionTreeClassifier

from skaucx.clinic import SitesDisplay, nested_sites, pool_estimates
from skaucx.inference import interval
from skaucx.model_selection import nested_cross_validate


def test_internal_external_validation_in_one_call():
    rng = np.random.default_rng(0)
    X, sites = rng.normal(size=(400, 3)), np.repeat(["Bonn", "Ghent", "Oslo", "York"], 100)
    y = np.where(rng.random(400) < 1 / (1 + np.exp(-X[:, 0] * 2)), "ill", "well")
    model = LogisticRegression()
    result = nested_cross_validate(
        model, {"C": [1.0]}, X, y, groups=sites, scoring="roc_auc", pos_label="ill",
        outer_cv=LeaveOneGroupOut(), inner_cv=LeaveOneGroupOut(),
    )  # fmt: skip
    found = nested_sites(result)
    values, errors = [], []
    for site in np.unique(sites):
        out = sites == site
        fitted = clone(model).fit(X[~out], y[~out])
        risk = fitted.predict_proba(X[out])[:, 0]
        own = interval("roc_auc", y[out], risk, pos_label="ill")
        assert found.intervals["roc_auc"][site].estimate == pytest.approx(own.estimate)
        values, errors = [*values, own.estimate], [*errors, own.standard_error]
    pooled = pool_estimates(values, errors, scale="logit")
    for end in ("estimate", "low", "high", "prediction_low", "prediction_high", "tau"):
        ours = getattr(found.pooled["roc_auc"], end)
        assert ours == pytest.approx(getattr(pooled, end))
    assert set(found.pooled) == {
        "roc_auc", "observed_expected_ratio", "calibration_intercept", "calibration_slope",
        "net_benefit",
    }  # fmt: skip
    assert "Net benefit at threshold 0.5." in found.notes
    assert not any("several outer folds" in note for note in found.notes)
    assert SitesDisplay.from_sites(found, "roc_auc").rows_[-1] == "new site"

    mixed = nested_cross_validate(
        model, {"C": [1.0]}, X, y, scoring="roc_auc", pos_label="ill", inner_cv=3
    )
    with pytest.raises(ValueError, match="sites is missing"):
        nested_sites(mixed)
    with pytest.raises(ValueError, match="400 rows"):
        nested_sites(mixed, sites[:9])
    assert any("several outer folds" in note for note in nested_sites(mixed, sites).notes)


def test_a_metric_without_a_pooled_estimate_is_shown_at_its_sites():
    rng = np.random.default_rng(0)
    X, sites = rng.normal(size=(120, 2)), np.arange(120) % 3
    tree = DecisionTreeClassifier(random_state=0)  # risks of 0 and 1 have no calibration slope
    y = rng.random(120) < 1 / (1 + np.exp(-X[:, 0]))
    run = nested_cross_validate(tree, {}, X, y, scoring="roc_auc", final=None)
    found = nested_sites(run, sites)
    assert "calibration_slope" not in found.pooled
    assert "calibration_slope" in str(found)
