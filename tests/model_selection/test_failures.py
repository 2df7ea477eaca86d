"""One metric that raises costs its own value only; where nothing is left, the run stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import (
    BootstrapSplit,
    bootstrap_score,
    compare_estimators,
    nested_cross_validate,
)


class Choosy:
    """A scorer that raises on some rows."""

    def __init__(self, words="not these rows", size=None):
        self.words, self.size = words, size

    def __call__(self, estimator, X, y):
        if self.size in (None, len(y)):
            raise RuntimeError(self.words)
        return 0.5


class NoProbabilities(GaussianNB):
    """Labels only, though it has the method of probabilities."""

    def predict_proba(self, X):
        raise RuntimeError("no probabilities today")


@pytest.fixture(scope="module")
def data():
    return make_classification(100, 5, flip_y=0.2, random_state=0)


def test_other_metrics_keep_their_values(data):
    scoring = {"accuracy": "accuracy", "choosy": Choosy()}
    with pytest.warns(UserWarning, match="'choosy'.*5 of 5 outer"):
        result = nested_cross_validate(GaussianNB(), {}, *data, scoring=scoring, final=None)
    expected = cross_validate(GaussianNB(), *data, scoring="accuracy")["test_score"]
    np.testing.assert_array_equal(result["test_accuracy"], expected)
    assert np.isnan(result["test_choosy"]).all()
    assert [(f.stage, f.outer_fold, f.metric) for f in result.failures] == [
        ("outer", fold, "choosy") for fold in range(5)
    ]
    assert result.failures[0].error == "RuntimeError: not these rows"
    assert "not these rows" in result.failures[0].traceback
    text = " ".join(result.summary().split())
    assert "got no choosy in 5 outer fits: RuntimeError" in text
    assert not np.isnan(result.pooled["accuracy"].value)


def test_metrics_of_the_same_fit_that_read_another_response(data):
    names = ["accuracy", "roc_auc", "neg_brier_score", "recall"]
    with pytest.warns(UserWarning, match="no probabilities today"):
        result = nested_cross_validate(
            NoProbabilities(), {}, *data, scoring=names, refit="accuracy", final=None
        )
    assert not np.isnan([result["test_accuracy"], result["test_recall"]]).any()
    assert np.isnan([result["test_roc_auc"], result["test_neg_brier_score"]]).all()
    assert {failed.metric for failed in result.failures} == {"roc_auc", "neg_brier_score"}


def test_metric_that_chooses_and_raises_on_one_fold(data):
    """Training parts of 66 and 67 rows: few inner test parts have 23."""
    with pytest.warns(UserWarning, match="'choosy'.*4 of 18 inner"):
        result = nested_cross_validate(
            GaussianNB(),
            {"var_smoothing": [1e-9, 1.0]},
            *data,
            scoring={"choosy": Choosy(size=23), "accuracy": "accuracy"},
            outer_cv=KFold(3),
            inner_cv=KFold(3),
            final=None,
        )
    assert {failed.stage for failed in result.failures} == {"inner"}


@pytest.mark.parametrize("words", ["not these rows", "not these rows."])
def test_metric_that_chooses_and_always_raises_stops_the_run(data, words):
    sentence = r"nothing can be chosen by it\. RuntimeError: not these rows\.\n"  # one full stop
    with pytest.raises(ValueError, match=sentence):
        nested_cross_validate(GaussianNB(), {}, *data, scoring={"choosy": Choosy(words), "f": "f1"})


def test_a_value_that_is_printed_as_undefined_names_the_exception(data):
    """In summaries, reports, comparisons and bootstraps, of metrics and of fits."""
    scoring, models = (
        {"accuracy": "accuracy", "choosy": Choosy()},
        {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)},
    )
    with pytest.warns(UserWarning, match="'choosy' raised"):
        found = compare_estimators(models, *data, scoring=scoring)
    lines = found.summary().split("\n")
    for name, result in found.results.items():
        cause = "choosy is undefined in 5 of 5 folds: RuntimeError: not these rows."
        assert f"{name}: {cause}" in lines
        assert cause in result.summary().split("\n")
        assert cause in result.statistics("choosy").gaps
        sentence = replace(result.statistics("choosy"), errors=["Error: no such rows."]).gaps
        assert sentence.endswith("Error: no such rows.")
        assert not result.statistics("accuracy").gaps
    n = len(data[1])
    often = Choosy(size=next(n - len(np.unique(rows)) for rows in _drawn(n, 20)))
    with pytest.warns(UserWarning, match="not these rows"):
        score = bootstrap_score(GaussianNB(), *data, scoring=often, n_splits=20, random_state=0)
    assert "undefined (RuntimeError: not these rows)" in " ".join(str(score).split())


def _drawn(n, times):
    """Yield the rows of bootstrap rounds with ``random_state=0``."""
    for train, _ in BootstrapSplit(times, random_state=0).split(np.zeros((n, 1))):
        yield train
