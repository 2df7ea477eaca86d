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
from skaucx import evaluation, inference
from skaucx import metrics as m
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import NestedCV
from tests.metrics.needed import needed_parameters

ROOT = Path(skaucx.__file__).parent
Y, SCORE = [1, 1, 1], [0.2, 0.4, 0.9]
CALLS = {
    "function": lambda: m.precision_score([0, 1], [0, 0]),
    "counts": lambda: m.recall_score.from_counts(0, 1, 0, 1),
    "class": lambda: m.roc_auc_score(Y, SCORE),
    "curve": lambda: m.roc_curve(Y, SCORE),
    "precision-recall curve": lambda: m.precision_recall_curve([0, 0, 0], SCORE),
    "interval": lambda: inference.interval("precision", [0, 1], [0, 0]),
    "evaluate": lambda: evaluation.evaluate([0, 1], [0, 0], metrics=["precision"]),
    "test": lambda: inference.delong_test([0, 1, 1], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_points_at_the_caller(call):
    with pytest.warns(UndefinedMetricWarning) as found:
        CALLS[call]()
    assert {Path(one.filename) for one in found} == {Path(__file__)}


def test_a_warning_of_a_nested_run_points_at_the_caller():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    nested = NestedCV(GaussianNB(), {}, refit="roc_auc", scoring=["roc_auc", failing], **FOLDS)
    with pytest.warns(UserWarning, match="raised after") as found:
        nested.fit(X, y)
    assert {Path(one.filename) for one in found} == {Path(__file__)}


FOLDS = {"outer_cv": 2, "inner_cv": 2, "final": None}


def failing(estimator, X, y):
    raise ArithmeticError


def test_a_warning_of_an_ignored_argument_points_at_the_caller():
    with pytest.warns(UserWarning, match="pos_label") as found:
        m.recall_score([0, 1, 2], [0, 1, 1], average="macro", pos_label=2)
    assert Path(found[0].filename) == Path(__file__)
    with pytest.warns(UserWarning, match="class labels") as found:
        m.roc_auc_score([0, 1, 1], np.array([0, 1, 0]))
    assert Path(found[0].filename) == Path(__file__)


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


N = 60


OF_LABELS = [n for n, f in METRICS.items() if f.metric.kind.inputs is LABELS]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_LABELS)
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


def test_doors_of_labels_that_never_meet():
    truth, called = ["N", "Y"] * 10, ["n", "y"] * 10
    for door in (
        lambda: evaluate(truth, called, metrics=["accuracy"]),
        lambda: interval("accuracy", truth, called),
    ):
        with pytest.warns(UserWarning, match="No label of y_pred occurs in y_true"):
            door()
