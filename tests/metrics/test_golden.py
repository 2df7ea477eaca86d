"""Printed numbers: Majnik 2011, tables 3.1 and 4.2, and the worked examples of textbooks."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skaucx import metrics as sm
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._registry.names import named_metric
from tests.closeness import rounding

_DATA = Path(__file__).parents[1] / "data"
VARIANTS = json.loads((_DATA / "auc_variants.json").read_text())
WORKED = json.loads((_DATA / "worked_examples.json").read_text())

TABLES = {
    "table_3_1": ("auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc"),
    "table_4_2": ("mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc"),
}
CELLS = [
    pytest.param(row, column, id=f"{table}-{row.get('row', row['set'])}-{column}")
    for table, columns in TABLES.items()
    for row in VARIANTS[table]
    for column in columns
]


def score_set(name):
    """Read "0.85p 0.60n ..." as labels and scores."""
    entries = VARIANTS["score_sets"][name].split()
    return np.array([e[-1] == "p" for e in entries]), np.array([float(e[:-1]) for e in entries])


def assert_printed(computed, printed, decimals=None):
    """Compare to half a unit of the last printed digit (those of `printed` unless given)."""
    if decimals is None:
        decimals = max(0, -Decimal(repr(printed)).as_tuple().exponent)
    assert abs(computed - printed) <= 0.5 * 10.0**-decimals + 1e-9


@pytest.mark.parametrize(("row", "column"), CELLS)
def test_tables_of_majnik(row, column):
    options = {
        "sond_auc": {"q": float(Fraction(row.get("q", 0)))},
        "soft_auc": {"beta": row.get("beta")},
    }.get(column, {})
    found = named_metric(column).function(*score_set(row["set"]), **options)
    assert_printed(found, row[column], 3)


def test_every_printed_cell_is_tested():
    assert [len(VARIANTS[table]) for table in TABLES] == [23, 15]
    for table, columns in TABLES.items():
        for row in VARIANTS[table]:
            assert set(row) - {"row", "set", "q", "beta"} == set(columns)


COUNTED = ("disease_150", "thousand_a", "thousand_b", "coin_flip", "bowel_cancer", "mnist_five")
NOT_METRICS = {"tp", "fp", "fn", "tn", "note", "majority_accuracy"}


def counts(name):
    return {cell: WORKED[name][cell] for cell in ("tp", "fp", "fn", "tn")}


@pytest.mark.parametrize(
    ("example", "measure"),
    [
        pytest.param(example, measure, id=f"{example}-{measure}")
        for example in COUNTED
        for measure in WORKED[example]
        if measure not in NOT_METRICS
    ],
)
def test_worked_example_from_counts(example, measure):
    computed = named_metric(measure).function.from_counts(**counts(example))
    assert_printed(computed, WORKED[example][measure])


SEVEN, CREDIT, ARTICLES = (counts(name) for name in ("seven", "credit", "rare_articles"))
EXACT = [
    ("recall", SEVEN, 1 / 2), ("specificity", SEVEN, 3 / 5), ("precision", SEVEN, 1 / 3),
    ("npv", SEVEN, 3 / 4), ("type_i_error", SEVEN, 2 / 7), ("type_ii_error", SEVEN, 1 / 7),
    ("accuracy", SEVEN, 4 / 7), ("accuracy", CREDIT, 950 / 1100), ("recall", ARTICLES, 0.95),
    ("fpr", ARTICLES, 0.05),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "expected"), EXACT)
def test_worked_example_by_hand(name, cells, expected):
    assert named_metric(name).function.from_counts(**cells) == expected


def test_seven_predictions():
    for name, cells, expected in EXACT:
        if cells is SEVEN:
            function = named_metric(name).function
            assert function(WORKED["seven"]["y_true"], WORKED["seven"]["y_pred"]) == expected


# The same rates in a balanced and in a rare population; the accuracy of who calls no row positive.
BALANCED = {"tp": 99, "fp": 1, "fn": 1, "tn": 99}
RARE = {"tp": 99, "fp": 19, "fn": 1, "tn": 1881}
NAIVE, MAJORITY = WORKED["credit"]["naive_accuracy"], WORKED["disease_150"]["majority_accuracy"]


@pytest.mark.parametrize(
    ("function", "given", "printed", "decimals"),
    [
        (sm.precision_score, ARTICLES, 0.0019, None),
        (sm.accuracy_score, {"tp": 0, "fp": 0, "fn": 100, "tn": 1000}, NAIVE, None),
        (sm.accuracy_score, {"tp": 0, "fp": 0, "fn": 8, "tn": 142}, MAJORITY, None),
        (sm.precision_score, BALANCED, 0.99, 2),
        (sm.precision_score, RARE, 0.84, 2),
        (sm.precision_score, {**BALANCED, "prevalence": 0.05}, 0.84, 2),
        (sm.precision_score, {**RARE, "prevalence": 0.5}, 0.99, 2),
    ],
)
def test_printed_with_few_digits(function, given, printed, decimals):
    assert_printed(function.from_counts(**given), printed, decimals)


def test_precision_at_another_prevalence_is_that_of_bayes():
    found = sm.precision_score.from_counts(**BALANCED, prevalence=0.05)
    assert found == pytest.approx(0.99 * 0.05 / (0.99 * 0.05 + 0.01 * 0.95), rel=rounding(4))


@pytest.mark.parametrize("example", ["roc_20", "roc_10_ties"])
def test_roc_auc(example):
    found = sm.roc_auc_score(WORKED[example]["y"], WORKED[example]["score"])
    assert found == pytest.approx(WORKED[example]["auc"], abs=1e-12)


def test_cuts_of_roc_10_ties():
    example = WORKED["roc_10_ties"]
    truth = np.array(example["y"], dtype=bool)
    c = RankedScores.from_scores(truth, np.array(example["score"])).threshold_counts
    points = np.column_stack([c.fp / c.negatives, c.tp / c.positives])
    np.testing.assert_allclose(points, example["roc_points"], atol=1e-12)


class TestThreeClasses:
    example = WORKED["three_class"]
    y = (example["y_true"], example["y_pred"])

    @pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
    def test_each_class_and_averages(self, measure):
        function = named_metric(measure).function
        for found, printed in zip(
            function(*self.y, average=None), self.example[measure], strict=True
        ):
            assert_printed(found, printed, 3)
        assert_printed(function(*self.y, average="macro"), self.example["macro"][measure], 3)
        micro, accuracy = function(*self.y, average="micro"), sm.accuracy_score(*self.y)
        assert_printed(micro, self.example["micro"][measure], 3)
        assert_printed(accuracy, self.example["accuracy"], 3)
        assert micro == accuracy

    def test_binary_and_pooled_counts(self):
        table = np.zeros((3, 3))
        np.add.at(table, tuple(np.array(self.y) - 1), 1)
        c = sm.Counts.one_vs_rest(table)
        for k, printed in enumerate(self.example["binary"].values()):
            assert {cell: getattr(c, cell)[k] for cell in printed} == printed
        printed = self.example["pooled"]
        assert {cell: getattr(c.pooled, cell) for cell in printed} == printed


def test_iris_knn():
    X, y = load_iris(return_X_y=True)
    parts = train_test_split(X[:, :2], y, test_size=0.3, random_state=42)
    X_train, X_test, y_train, y_test = parts
    y_pred = KNeighborsClassifier(9).fit(X_train, y_train).predict(X_test)
    printed = WORKED["iris_knn"]
    assert sm.accuracy_score(y_test, y_pred) == pytest.approx(printed["accuracy"], abs=1e-12)
    for computed, expected in (
        (sm.f1_score(y_test, y_pred, average=None), printed["f1"]),
        (sm.fbeta_score(y_test, y_pred, beta=0.5, average=None), printed["f_half"]),
    ):
        np.testing.assert_allclose(computed, expected, atol=0.5e-8 + 1e-12)


def test_iris_svm_10fold():
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", C=1)
    scores = cross_val_score(model, X, y, cv=10, scoring=sm.get_scorer("accuracy"))
    printed = WORKED["iris_svm_10fold"]
    np.testing.assert_allclose(scores, printed["scores"], atol=0.5e-8)
    assert_printed(scores.mean(), printed["mean"])
    errors = cross_val_score(model, X, y, cv=10, scoring=sm.get_scorer("neg_error_rate"))
    np.testing.assert_allclose(-errors, 1 - scores, atol=1e-12)
