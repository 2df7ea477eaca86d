"""NestedCV takes scikit-learn's own checks of estimators.

What fails, and why, stands in `FAILS`; an exception that is no longer needed fails.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from skaucx.model_selection import NestedCV

# 2 x 2 folds, because the data of the checks are tiny.
FOLDS = {"outer_cv": 2, "inner_cv": 2}
TREE = DecisionTreeClassifier(random_state=0)
NESTED = {
    "grid": NestedCV(TREE, {"max_depth": [1, 2]}, scoring="accuracy", **FOLDS),
    "search": NestedCV(
        GridSearchCV(TREE, {"max_depth": [2, 4]}, scoring="accuracy", refit=np.argmax), **FOLDS
    ),
}
pytestmark = [
    # The checks hand over data that no fold can fit, and want an error from the final fit.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning"),
    pytest.mark.filterwarnings("ignore:.* is undefined for every candidate:UserWarning"),
    pytest.mark.filterwarnings("ignore:The least populated class in y has only:UserWarning"),
    pytest.mark.filterwarnings("ignore:The number of unique classes is greater:UserWarning"),
    pytest.mark.filterwarnings(
        "ignore:(invalid value|divide by zero) encountered in:RuntimeWarning"
    ),
]


@pytest.mark.parametrize("name", NESTED)
def test_checks_of_estimators(name, tally):
    checks = check_estimator(NESTED[name], on_skip=None, on_fail=None)
    failed = {c["check_name"]: c["exception"] for c in checks if c["status"] == "failed"}
    assert not failed
    tally["scikit-learn's checks of estimators"] += len(checks)
