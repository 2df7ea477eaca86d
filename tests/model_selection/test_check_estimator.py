"""Every estimator takes scikit-learn's own checks of estimators."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from skaucx import model_selection
from skaucx.model_selection import CalibratingClassifier, NestedCV, RejectingClassifier
from tests.public import STUDY_NAMES

FOLDS = {"outer_cv": 2, "inner_cv": 2}  # the data of the checks are tiny
TREE = DecisionTreeClassifier(random_state=0)
SEARCH = GridSearchCV(TREE, {"max_depth": [2, 4]}, scoring="accuracy", refit=np.argmax)
CHECKED = {
    "grid": NestedCV(TREE, {"max_depth": [1, 2]}, scoring="accuracy", **FOLDS),
    "search": NestedCV(SEARCH, **FOLDS),
    "rejecting": RejectingClassifier(LogisticRegression(), least=0.0),
}
# Its classifier is fitted before, on other data than the checks'.
UNCHECKED = {CalibratingClassifier}
# The checks hand over data that no fold can fit, and want an error from the final fit.
EXPECTED = [
    ":sklearn.exceptions.FitFailedWarning",
    ".* is undefined for every candidate:UserWarning",
    "The least populated class in y has only:UserWarning",
    "The number of unique classes is greater:UserWarning",
    "(invalid value|divide by zero) encountered in:RuntimeWarning",
]
pytestmark = [pytest.mark.filterwarnings(f"ignore:{warning}") for warning in EXPECTED]


@pytest.mark.parametrize(
    "name",
    # Of the two nested runs, whose every check takes many fits, one is checked by the usual command.
    [pytest.param(name, marks=[pytest.mark.slow] * (name == "search")) for name in CHECKED],
)
def test_checks_of_estimators(name):
    checks = check_estimator(CHECKED[name], on_skip=None, on_fail=None)
    failed = {c["check_name"]: c["exception"] for c in checks if c["status"] == "failed"}
    assert not failed


def test_every_estimator_is_checked_or_has_a_reason():
    public = {getattr(model_selection, name) for name in model_selection.__all__}
    public |= set(STUDY_NAMES.values())
    estimators = {kind for kind in public if inspect.isclass(kind) and hasattr(kind, "fit")}
    assert estimators == {type(one) for one in CHECKED.values()} | UNCHECKED
