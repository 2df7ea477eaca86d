"""A warning points at the line of the caller; labels that never meet are warned of."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.naive_bayes import GaussianNB

import skaucx
from skaucx import metrics as m
from skaucx.evaluation import evaluate
from skaucx.inference import delong_test, interval
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import NestedCV
from tests.each import each
from tests.metrics.needed import needed_parameters

ROOT = Path(skaucx.__file__).parent
Y, SCORE = [1, 1, 1], [0.2, 0.4, 0.9]


def failing(estimator, X, y):
    raise ArithmeticError


FOLDS = {"outer_cv": 2, "inner_cv": 2, "final": None}
NESTED = NestedCV(GaussianNB(), {}, refit="roc_auc", scoring=["roc_auc", failing], **FOLDS)
UNDEFINED = UndefinedMetricWarning, ""
CALLS = {
    "function": (lambda: m.precision_score([0, 1], [0, 0]), UNDEFINED),
    "counts": (lambda: m.recall_score.from_counts(0, 1, 0, 1), UNDEFINED),
    "class": (lambda: m.roc_auc_score(Y, SCORE), UNDEFINED),
    "curve": (lambda: m.roc_curve(Y, SCORE), UNDEFINED),
    "precision-recall curve": (lambda: m.precision_recall_curve([0, 0, 0], SCORE), UNDEFINED),
    "interval": (lambda: interval("precision", [0, 1], [0, 0]), UNDEFINED),
    "evaluate": (lambda: evaluate([0, 1], [0, 0], metrics=["precision"]), UNDEFINED),
    "test": (lambda: delong_test([0, 1, 1], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]), UNDEFINED),
    "nested run": (
        lambda: NESTED.fit(np.arange(12.0)[:, None], np.arange(12) % 2),
        (UserWarning, "raised after"),
    ),
    "ignored argument": (
        lambda: m.recall_score([0, 1, 2], [0, 1, 1], average="macro", pos_label=2),
        (UserWarning, "pos_label"),
    ),
    "labels": (lambda: m.roc_auc_score([0, 1, 1], np.array([0, 1, 0])), (UserWarning, "class labels")),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_points_at_the_caller(call):
    call, (category, words) = CALLS[call]
    with pytest.warns(category, match=words) as found:
        call()
    assert {Path(one.filename) for one in found} == {Path(__file__)}


def test_nobody_counts_the_frames_by_hand():
    """The next warning goes the same way: only `_compat.warn` calls `warnings.warn`."""
    by_hand = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in ROOT.rglob("*.py")
        if path.name != "_compat.py" and "warnings.warn" in path.read_text()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
    ]
    assert not by_hand


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@each("name", [n for n, f in METRICS.items() if f.metric.kind.inputs is LABELS])
def test_labels_that_never_meet(name):
    """Functions warn of text, from 20 rows on, and show both sets; scorers do not."""
    function, own = METRICS[name], needed_parameters(name, 4)
    truth, called = np.array(["N", "Y"] * 10), np.array(["n", "Y "] * 10)
    if "average" in function.options:
        own["average"] = "macro"
    if name == "expected_cost":
        own["cost"] = np.ones((4, 4))
    with pytest.warns(UserWarning, match=r"occurs in y.*: \{'Y ', 'n'\} and \{'N', 'Y'\}"):
        function(truth, called, **own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        function(truth[:18], called[:18], **own)
        function(truth, np.where(np.arange(20), called, "Y"), **own)
        scorer = get_scorer(METRICS[name].metric.scorer_name, **own)
        if not scorer._score_func.cuts:
            model = DummyClassifier(strategy="constant", constant="n").fit(truth[:, None], called)
            scorer(model, truth[:, None], truth)


@each("door", [
    lambda *rows: evaluate(*rows, metrics=["accuracy"]), lambda *rows: interval("accuracy", *rows),
])  # fmt: skip
def test_doors_of_labels_that_never_meet(door):
    with pytest.warns(UserWarning, match="No label of y_pred occurs in y_true"):
        door(["N", "Y"] * 10, ["n", "y"] * 10)
