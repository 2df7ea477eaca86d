"""Checks of folds before any fit, and of winners and scores after the last one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from skaucx.model_selection import Execution, NestedCV, check_folds, nested_cross_validate

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
GROUPS = np.arange(90) // 4
MODEL = LogisticRegression()
FOLDS = list(StratifiedKFold(3).split(X, Y))
TORN = {"outer_cv": FOLDS, "inner_cv": 2, "scoring": "roc_auc", "groups": GROUPS}


def test_groups_in_both_parts_are_counted():
    [found] = check_folds(X, Y, cv=list(KFold(3).split(X)), groups=np.arange(90) % 29)
    assert found.check == "groups"
    assert found.found.startswith("29 of 29 groups of rows are in both")
    [found] = check_folds(X, Y, cv=list(KFold(3).split(X)), groups=np.r_[0, np.arange(88), 0])
    assert found.found.startswith("1 of 88 groups of rows are in both")
    assert check_folds(X, Y, cv=GroupKFold(3), groups=GROUPS) == []


def test_rows_in_both_parts_are_counted():
    [found] = check_folds(X, Y, cv=[(np.arange(60), np.arange(58, 90))])
    assert str(found).startswith(
        "overlap: 2 rows in both the training and the test part of a fold;"
    )
    repeated = np.r_[np.arange(60), np.arange(60)]  # drawn with replacement: no overlap
    assert check_folds(X, Y, cv=[(repeated, np.arange(60, 90))]) == []


def test_missing_classes_and_empty_parts_are_told_apart():
    y = np.array(["a", "b"] * 45)
    y[-1] = "c"
    [found] = check_folds(X, y, cv=[(np.arange(30, 90), np.arange(30))])
    assert found.found == "class c has 1 row and is missing in 0 training and 1 test parts of 1"
    [found] = check_folds(X, Y, cv=[(np.arange(90), []), (np.arange(45), np.arange(45, 90))])
    assert str(found) == (
        "empty part: 1 test part of 2 have no rows; use a splitter whose parts all have rows"
    )
    sorted_rows = np.argsort(Y, kind="stable")
    checks = [f.check for f in check_folds(X[sorted_rows], Y[sorted_rows], cv=KFold(3))]
    assert checks == ["rare class", "rare class"]
    assert check_folds(X, X[:, 1], cv=KFold(45)) == []


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_notes_of_a_run_and_errors_before_any_fit():
    result = nested_cross_validate(MODEL, {}, X, Y, **TORN)
    [told] = [note for note in result.notes if note.startswith("groups")]
    assert " ".join(told.split()) in " ".join(result.summary().split())
    silent = nested_cross_validate(MODEL, {}, X, Y, **TORN, execution=Execution(checks=None))
    assert silent.notes == ()

    class Never(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match=r"checks='raise' found: groups: "):
        nested_cross_validate(
            Never(), {}, X, Y, **TORN, execution=Execution(checks="raise", error_score="raise")
        )
    with pytest.raises(ValueError, match="checks must be"):
        nested_cross_validate(MODEL, {}, X, Y, **TORN, execution=Execution(checks="warn"))
    assert (
        nested_cross_validate(Ridge(), {}, X, X[:, 0] + RNG.normal(size=90), outer_cv=3).notes == ()
    )


def test_parts_without_rows_are_no_fault_of_the_model():
    splits = [(np.arange(45), np.arange(45, 90)), (np.arange(45), np.arange(0))]
    with pytest.raises(
        ValueError, match="outer_cv or inner_cv: the test part of split 1 has no rows"
    ):
        nested_cross_validate(LogisticRegression(), {}, X, Y, outer_cv=splits, inner_cv=2)


@pytest.mark.parametrize(
    ("name", "instead"), [("cv", "outer_cv= and inner_cv="), ("random_state", "the splitters")]
)
def test_names_of_other_searches_are_answered(name, instead):
    calls = (
        lambda: nested_cross_validate(LogisticRegression(), {}, X, Y, **{name: 3}),
        lambda: NestedCV(LogisticRegression(), {}).fit(X, Y, **{name: 3}),
    )
    for call in calls:
        with pytest.raises(TypeError, match=f"'{name}' is no argument .*{instead}"):
            call()
