"""Fits, predictions, metrics, searches and estimators that raise cost their own values only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import (
    BootstrapSplit,
    Execution,
    bootstrap_score,
    compare_estimators,
    nested_cross_validate,
)

from .unruly import DATA, GRID, OUTER, Unruly

X, Y = DATA


def run(grid, **options):
    given = {"scoring": "roc_auc", "outer_cv": OUTER, "inner_cv": 3, "final": None, **options}
    return nested_cross_validate(Unruly(), grid, X, Y, **given)


def text(printed):
    return " ".join(str(printed).split())


class Mute(GaussianNB):
    """Labels only, though it has the method of probabilities, where it is told to."""

    def __init__(self, fail=True):
        super().__init__()
        self.fail = fail

    def predict_proba(self, X):
        if self.fail:
            raise RuntimeError("no probabilities today")
        return super().predict_proba(X)


class Choosy:
    """A scorer that raises on some rows."""

    def __init__(self, words="not these rows", size=None):
        self.words, self.size = words, size

    def __call__(self, estimator, X, y):
        if self.size in (None, len(y)):
            raise RuntimeError(self.words)
        return 0.5


def test_failed_fits_are_recorded():
    plain = run(GRID)
    with pytest.warns(FitFailedWarning, match="no mood"):
        result = run([GRID, {"act": ["fail"], "size": [80]}])
    np.testing.assert_array_equal(result["test_roc_auc"], plain["test_roc_auc"])
    np.testing.assert_array_equal(result.inner_scores[:, :3], plain.inner_scores)
    assert [(f.stage, f.outer_fold, f.inner_fold) for f in result.failures] == [
        ("inner", fold, inner) for fold in (0, 1) for inner in range(3)
    ]
    failed = result.failures[0]
    assert failed.params is result.candidates[3]
    assert failed.error == "RuntimeError: no mood"
    assert "in _fail" in failed.traceback
    assert np.isnan(result.inner_scores[:2, 3]).all()
    told = "Candidate act='fail', size=80 failed in 6 inner fits: RuntimeError: no mood"
    assert told in text(result.summary())
    assert result.to_frame()["failed_fits"].tolist() == [3, 3, 0]
    assert "failed in 6 inner fits" in result._repr_html_()
    assert not plain.failures


def test_failed_refit_is_recorded():
    with pytest.warns(FitFailedWarning):
        result = run({"act": ["fail"], "size": [90]}, execution=Execution(error_score=0.25))
    (failed,) = result.failures
    assert (failed.stage, failed.outer_fold, failed.inner_fold) == ("outer", 2, None)
    assert result["test_roc_auc"][2] == 0.25
    assert "failed in 1 outer fit: RuntimeError: no mood" in text(result.summary())


@pytest.mark.parametrize(
    ("model", "grid"), [(Unruly(), {"act": ["fail", None]}), (Mute(), {"fail": [True, False]})]
)
def test_failed_candidate_counts_as_undefined(model, grid):
    with pytest.warns(FitFailedWarning, match="no mood|no probabilities") as caught:
        result = nested_cross_validate(model, grid, X, Y, scoring="mm7_auc")
    assert "30 of 60 inner fits" in str(caught[0].message)
    assert len(caught) == 1
    assert result.winners.tolist() == [1] * 5
    assert all(s.undefined.tolist() == [5, 0] for s in result.selections)
    assert "was undefined in 25 of 25 inner folds" in result.summary()


def test_other_metrics_keep_their_values():
    scoring = {"accuracy": "accuracy", "choosy": Choosy()}
    with pytest.warns(UserWarning, match="'choosy'.*5 of 5 outer"):
        result = nested_cross_validate(GaussianNB(), {}, X, Y, scoring=scoring, final=None)
    expected = cross_validate(GaussianNB(), X, Y, scoring="accuracy")["test_score"]
    np.testing.assert_array_equal(result["test_accuracy"], expected)
    assert np.isnan(result["test_choosy"]).all()
    assert [(f.stage, f.outer_fold, f.metric) for f in result.failures] == [
        ("outer", fold, "choosy") for fold in range(5)
    ]
    assert result.failures[0].error == "RuntimeError: not these rows"
    assert "not these rows" in result.failures[0].traceback
    assert "got no choosy in 5 outer fits: RuntimeError" in text(result.summary())
    assert not np.isnan(result.pooled["accuracy"].value)


def test_metrics_of_the_same_fit_that_read_another_response():
    names = ["accuracy", "roc_auc", "neg_brier_score", "recall"]
    with pytest.warns(UserWarning, match="no probabilities today"):
        result = nested_cross_validate(
            Mute(), {}, X, Y, scoring=names, refit="accuracy", final=None
        )
    assert not np.isnan([result["test_accuracy"], result["test_recall"]]).any()
    assert np.isnan([result["test_roc_auc"], result["test_neg_brier_score"]]).all()
    assert {failed.metric for failed in result.failures} == {"roc_auc", "neg_brier_score"}


def test_metric_that_chooses_and_raises_on_one_fold():
    """Training parts of 66 and 67 rows: few inner test parts have 23."""
    options = {"outer_cv": KFold(3), "inner_cv": KFold(3), "final": None}
    scoring = {"choosy": Choosy(size=23), "accuracy": "accuracy"}
    with pytest.warns(UserWarning, match="'choosy'.*4 of 18 inner"):
        result = nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, X[:100], Y[:100], scoring=scoring, **options
        )  # fmt: skip
    assert {failed.stage for failed in result.failures} == {"inner"}


@pytest.mark.parametrize("words", ["not these rows", "not these rows."])
def test_metric_that_chooses_and_always_raises_stops_the_run(words):
    sentence = r"nothing can be chosen by it\. RuntimeError: not these rows\.\n"  # one full stop
    with pytest.raises(ValueError, match=sentence):
        nested_cross_validate(GaussianNB(), {}, X, Y, scoring={"choosy": Choosy(words), "f": "f1"})


def test_a_value_that_is_printed_as_undefined_names_the_exception():
    """In summaries, comparisons and bootstraps, of metrics and of fits."""
    scoring = {"accuracy": "accuracy", "choosy": Choosy()}
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    with pytest.warns(UserWarning, match="'choosy' raised"):
        found = compare_estimators(models, X, Y, scoring=scoring)
    cause = "choosy is undefined in 5 of 5 folds: RuntimeError: not these rows."
    for name, result in found.results.items():
        assert f"{name}: {cause}" in found.summary().split("\n")
        assert cause in result.summary().split("\n")
        whole = replace(result.statistics("choosy"), errors=["Error: no such rows."]).gaps
        assert whole.endswith("Error: no such rows.")
        assert not result.statistics("accuracy").gaps
    splits = {"n_splits": 20, "random_state": 0}
    often = Choosy(size=len(next(BootstrapSplit(**splits).split(X))[1]))
    with pytest.warns(UserWarning, match="not these rows"):
        score = bootstrap_score(GaussianNB(), X, Y, scoring=often, **splits)
    assert "undefined (RuntimeError: not these rows)" in text(score)


def test_search_that_fails_costs_its_fold_only():
    splits = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, Y))

    class Fussy(GridSearchCV):
        def fit(self, rows, y, **params):
            if 0 not in rows:  # the rows are numbers here
                raise RuntimeError("row 0 is missed")
            return super().fit(rows, y, **params)

    tree = DecisionTreeClassifier(random_state=0)
    search = Fussy(tree, {"max_depth": [1, 2, 3]}, scoring="roc_auc", cv=3)
    failed = next(fold for fold, (train, _) in enumerate(splits) if 0 not in train)
    with pytest.warns(FitFailedWarning, match="row 0 is missed"):
        result = nested_cross_validate(search, None, X, Y, outer_cv=splits)
    assert np.isnan(result["test_roc_auc"]).tolist() == [fold == failed for fold in range(3)]
    assert np.isnan(result.inner_means).tolist() == [fold == failed for fold in range(3)]
    assert result.winner_counts.sum() == 2
    assert f"Nothing was chosen in outer fold {failed}." in result.summary()
    told = "failed in 1 search fit: RuntimeError: row 0 is missed"
    assert told in text(result.summary())
    [failure] = result.failures
    assert (failure.stage, failure.outer_fold, failure.params) == ("search", failed, {})
    assert "row 0 is missed" in failure.traceback
    raising = Execution(error_score="raise")
    with pytest.raises(RuntimeError, match="row 0 is missed"):
        nested_cross_validate(search, None, X, Y, outer_cv=splits, execution=raising)


class Broken(ClassifierMixin, BaseEstimator):
    def __init__(self, error="no such kernel"):
        self.error = error

    def fit(self, X, y):
        raise ValueError(self.error)


@pytest.mark.usefixtures("captions_only")
def test_an_estimator_that_fails_is_named_and_the_others_are_compared(tmp_path):
    label = "Invalid classes inferred from unique values of `y`.  Expected: [0 1]"
    models = {
        "a": LogisticRegression(), "broken": Broken(), "strings": Broken(label), "b": GaussianNB(),
    }  # fmt: skip
    given = {"X": X, "y": Y, "scoring": "roc_auc"}
    said = "broken failed and is omitted: ValueError: All 25 inner fits"
    with pytest.warns(FitFailedWarning) as warned:
        result = compare_estimators(models, **given)
    assert any(said.replace("broken", "'broken'") in str(one.message) for one in warned)
    assert list(result.results) == ["a", "b"]
    assert list(result.failed) == ["broken", "strings"]
    assert "LabelEncoder" in result.failed["strings"]
    assert said in text(result)
    assert "no such kernel" in result.failed["broken"]
    assert "broken failed" in result._repr_html_()
    with pytest.raises(ValueError, match="no such kernel"):
        compare_estimators(models, **given, execution=Execution(error_score="raise"))
    with pytest.raises(ValueError, match="All 25 inner fits"):
        compare_estimators({"x": Broken(), "z": Broken()}, **given)
    with pytest.warns(match="is omitted"):
        alone = compare_estimators({"a": GaussianNB(), "x": Broken()}, **given)
    assert "roc_auc" in str(alone)
    result.report(tmp_path / "page.html")
    assert "broken failed and is omitted" in (tmp_path / "page.html").read_text()
