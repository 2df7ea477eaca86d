"""What prints: 80 columns at most, nothing cut without a word, a table in notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.model_selection import (
    bootstrap_score,
    compare_estimators,
    nested_cross_validate,
)
from tests.public import cases_of_annexes

pytestmark = pytest.mark.presentation

METRICS = ["roc_auc", "f1", "matthews_corrcoef"]
OF_ANNEXES = cases_of_annexes("PRINTED")


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=120, flip_y=0.2, random_state=0)


@pytest.fixture(scope="module")
def printed(data):
    X, y = data
    rng = np.random.default_rng(0)
    score = GaussianNB().fit(X[:60], y[:60]).predict_proba(X)[:, 1]
    other = rng.random(len(y))
    tree = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}
    nested = nested_cross_validate(
        *tree, X, y, scoring=METRICS, refit=METRICS, inner_cv=2, final=None,
        outer_cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=6, random_state=0),
    )  # fmt: skip
    names = [f"a classifier of long name {k}" for k in range(6)]
    return {
        "evaluation": evaluation.evaluate(y, score > 0.5, score),
        "classes": evaluation.evaluate(
            rng.integers(0, 9, 90), rng.integers(0, 9, 90), average=None
        ),
        "interval": inference.interval("mm7_auc", y, score, n_resamples=100, random_state=0),
        "test": inference.delong_test(y, score, other),
        "ranks": inference.nemenyi_test(
            rng.normal(np.linspace(0.8, 0.9, 6), 0.01, (14, 6)), names=names
        ),
        "nested": nested,
        "matrix": nested.tuning_matrix,
        "comparison": compare_estimators(
            {names[0]: tree, names[1]: GaussianNB()}, X, y, scoring=METRICS, outer_cv=3, inner_cv=2
        ),
        "comparison of many": compare_estimators(
            {name: GaussianNB() for name in names},
            X,
            y,
            outer_cv=2,
            inner_cv=2,
            scoring=[*METRICS, "npv", "recall", "specificity", "accuracy"],
        ),
        "groups of many": evaluation.evaluate(
            y, score > 0.5, by={"hospital of a long name": np.arange(120) % 5, "sex": y[::-1]}
        ),
        "counts": sm.Counts.from_table(np.arange(800).reshape(200, 2, 2)),
        "bootstrap": bootstrap_score(
            GaussianNB(), X, y, scoring="roc_auc", n_splits=5, random_state=0
        ),
        **{name: make() for name, make in OF_ANNEXES.items()},
        "roc": sm.roc_curve(y, score),
        "precision-recall": sm.precision_recall_curve(y, score),
        "scorroc": sm.scor_roc_curve(y, score),
        "probroc": sm.prob_roc_curve(y, score),
        "mean": sm.curves.mean_curve([sm.roc_curve(y, score), sm.roc_curve(y, other)]),
        "thresholds": sm.threshold_curves(y, score),
    }


WORDS = [
    "evaluation", "classes", "interval", "test", "ranks", "nested", "matrix", "comparison",
    "bootstrap", "comparison of many", "groups of many", "counts", "conclusions",
    *OF_ANNEXES,
]  # fmt: skip
# Where a value may be 0 to the last digit.
EXACT = {"evaluation", "classes", "violations", "bias", "comparison of many"}
# Requested metrics are printed in full, for each model or group.
IN_FULL = {"comparison of many", "groups of many"}
CURVES = ["roc", "precision-recall", "scorroc", "probroc", "mean", "thresholds"]


@pytest.mark.parametrize("name", WORDS)
def test_eighty_columns(printed, name):
    found = printed[name]
    text = found.summary() if hasattr(found, "summary") else str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 70 or name in IN_FULL
    assert max(map(len, repr(found).splitlines())) <= 80
    assert "-0.0000" not in text
    assert " 0.0000" not in text or name in EXACT


@pytest.mark.parametrize("name", [*WORDS, *CURVES])
def test_a_notebook_shows_it(printed, name):
    html = printed[name]._repr_html_()
    body = ElementTree.fromstring(f"<div>{html}</div>")
    assert len("".join(body.itertext())) > 10
    assert "http" not in html
    assert "<script" not in html


def test_an_evaluation_says_what_was_requested_then_all_metrics_then_where_the_rest_is(printed):
    about, *lines = str(printed["evaluation"]).splitlines()
    assert about.startswith("Metrics of the set 'default', ")
    names = list(printed["evaluation"])
    assert [line.split()[0] for line in lines[: len(names)]] == names
    assert names[0] == "roc_auc"
    assert lines[-1].startswith("More: ")
    few = evaluation.evaluate(counts=[[3, 2], [1, 1]], metrics=["npv", "recall"])
    assert [line.split()[0] for line in str(few).splitlines()] == ["npv", "recall", "Counts"]


def tables_of_means(text):
    """Return the metrics at the heads of the tables of means."""
    return [words[0] for line in text.splitlines() if (words := line.split())[1:2] == ["mean"]]


def test_requested_metrics_are_all_printed_and_some_on_request(printed):
    found = printed["comparison of many"]
    text = found.summary()
    assert tables_of_means(text) == list(found.metrics)
    assert "within p" not in text
    some = found.summary(metrics=["npv"])
    assert tables_of_means(some) == ["npv"]
    with pytest.raises(ValueError, match="metrics must be"):
        found.summary(metrics=["npw"])
    whole = str(printed["groups of many"])
    assert all(name in whole for name in printed["groups of many"].rows)


def test_winners_of_many_folds_are_counted(printed):
    matrix = printed["matrix"]
    lines = str(matrix).splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("winners"))
    assert lines[at].endswith("by how many of 30 folds chose them")
    counted = dict(map(int, pair.split(": ")) for pair in lines[at + 1].split("  ")[-1].split(", "))
    assert sum(counted.values()) == 30
    assert counted == {k: int((matrix.winners[0] == k).sum()) for k in counted}


def test_small_p_values_are_bounds(printed):
    assert "< 0.0001" in str(printed["ranks"])
    assert inference.mcnemar_test([1] * 40, [1] * 40, [0] * 40).p_value < 1e-4
    assert "p-value < 0.0001" in repr(inference.mcnemar_test([1] * 40, [1] * 40, [0] * 40))
