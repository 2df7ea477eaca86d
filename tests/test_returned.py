"""What calls return: short in print, a data frame of plain cells, and shown in notebooks."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import pickle
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sm
import skaucx.model_selection as ms
from skaucx import evaluation, inference, scale
from skaucx.reports import verdict
from tests import picture_cases
from tests.public import PUBLIC, STUDY_NAMES
from tests.study import cases as of_study

pytest.importorskip("pandas")

X, Y = make_classification(80, 4, flip_y=0.2, random_state=0)
SCORE = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
PRED = SCORE > 0.5
TIMES = np.random.default_rng(0).uniform(size=(10, 3))
CURVE = sm.roc_curve(Y, SCORE)
METRICS = ["roc_auc", "recall", "specificity", "npv"]
FOLDS = {"outer_cv": 3, "inner_cv": 2, "scoring": METRICS, "refit": "roc_auc"}

# An example of every class that a public function returns.
EXAMPLES = {
    "Interval": lambda: inference.interval("roc_auc", Y, SCORE),
    **of_study.RETURNED,
    "RocCurve": lambda: CURVE,
    "PrecisionRecallCurve": lambda: sm.precision_recall_curve(Y, SCORE),
    "ScorRocCurve": lambda: sm.scor_roc_curve(Y, SCORE),
    "ProbRocCurve": lambda: sm.prob_roc_curve(Y, SCORE),
    "ThresholdCurves": lambda: sm.threshold_curves(Y, SCORE),
    "MeanCurve": lambda: sm.curves.mean_curve([CURVE, CURVE]),
    "RocBand": lambda: inference.roc_band(Y, SCORE),
    "PrecisionRecallBand": lambda: inference.precision_recall_band(Y, SCORE),
    "PrevalenceTable": lambda: sm.curves.prevalence_table(
        ["f1", "npv"], sensitivity=0.8, specificity=0.9, prevalence=[0.5, 0.1]
    ),
    "CurveComparison": lambda: sm.curves.compare_hulls(
        CURVE, sm.curves.RocCurve.from_points([0.2], [0.9])
    ),
    "RocFront": lambda: CURVE.pareto_front(),
    "Isometrics": lambda: sm.curves.isometrics("f1"),
    "ComparisonResult": lambda: inference.delong_test(Y, SCORE, -SCORE),
    "RiskCoverageCurve": lambda: sm.risk_coverage_curve(Y, SCORE),
    "CostCurve": lambda: sm.curves.cost_curve(Y, SCORE),
    "DecisionCurve": lambda: sm.decision_curve(Y, SCORE),
    "ReliabilityCurve": lambda: inference.reliability_curve(Y, SCORE),
    "JackknifeEstimate": lambda: inference.jackknife("roc_auc", Y, SCORE),
    "Evaluation": lambda: evaluation.evaluate(Y, PRED),
    "BootstrapScore": lambda: ms.bootstrap_score(
        GaussianNB(), X, Y, scoring="roc_auc", n_splits=9, random_state=0
    ),
    "EstimatorComparison": lambda: ms.compare_estimators(
        {"bayes": GaussianNB(), "logistic": LogisticRegression()}, X, Y, **FOLDS
    ),
    "NestedCVResult": lambda: ms.nested_cross_validate(GaussianNB(), {}, X, Y, **FOLDS),
    "TuningMatrix": lambda: (
        ms.nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, 1]}, X, Y, **{**FOLDS, "refit": FOLDS["scoring"]}
        ).tuning_matrix
    ),
}
# Results that are numbers or a table of text, and have no frame.
WITHOUT_FRAME = {
    **of_study.RETURNED_WITHOUT_FRAME,
}
# What is handed to calls, and returned by none.
HANDED_OVER = {
    "Constrained", "DensityModel", "OneStandardError",
    "Decisions", "Execution", "Confidence", "ScoreCounts",
}  # fmt: skip
# What holds arrays and is no result of a call, but taken by calls or part of a result that has a frame.
OTHERS = {"Counts", "Decisions", "OutOfFoldPredictions"}
ARRAYS = ("Floats", "Array", "Rows", "Codes")
each_example = pytest.mark.parametrize("name", EXAMPLES)


@functools.cache
def example(name):
    """Return an example, which is made once."""
    return (EXAMPLES | WITHOUT_FRAME)[name]()


def test_what_holds_arrays_has_a_frame_and_a_form_of_its_own():
    """A dataclass would print all its arrays."""
    public = PUBLIC | {name: getattr(ms, name) for name in ms.__all__}
    held = {
        name: thing
        for name, thing in public.items()
        if dataclasses.is_dataclass(thing)
        and any(word in str(f.type) for f in dataclasses.fields(thing) for word in ARRAYS)
    }
    assert {"RocBand", "MeanCurve", "BootstrapScore"} < set(held)
    for name in held.keys() - OTHERS:
        written = next(c for c in held[name].__mro__ if "__repr__" in vars(c)).__repr__
        assert not hasattr(written, "__wrapped__"), f"{name} has the repr of a dataclass"
        assert hasattr(held[name], "to_frame"), f"{name} has no to_frame"


# Below what is drawn of a block the ends of its axis, and what the marks mean.
SCALE = re.compile(r" +-?[\d.]+ +-?[\d.]+|Marks: .*")


@each_example
def test_short_in_print(name):
    found = example(name)
    assert type(found).__name__ == name
    for text, most in ((repr(found), 16), (str(found), 60)):
        lines = [line for line in text.splitlines() if not SCALE.fullmatch(line)]
        assert max(map(len, lines)) <= 80
        assert len(lines) <= most
        assert "array(" not in text
        assert "object at" not in text


@each_example
def test_frame_of_plain_cells(name):
    frame = example(name).to_frame()
    assert len(frame)
    for column in frame:
        assert all(np.ndim(cell) == 0 for cell in frame[column]), column


@pytest.mark.parametrize("name", [*EXAMPLES, *WITHOUT_FRAME])
def test_shown_in_a_notebook(name):
    found = example(name)
    body = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")
    assert len("".join(body.itertext())) > 10
    assert "array(" not in found._repr_html_()


@pytest.mark.parametrize("name", WITHOUT_FRAME)
def test_what_has_no_frame_is_short_in_print_too(name):
    text = repr(example(name))
    assert max(map(len, text.splitlines())) <= 80
    assert "array(" not in text


def test_every_public_class_that_prints_is_shown_in_notebooks():
    """Displays are drawn; what is handed to calls is a line of code."""
    public = PUBLIC | STUDY_NAMES | {name: getattr(ms, name) for name in ms.__all__}
    classes = {name: thing for name, thing in public.items() if inspect.isclass(thing)}
    prints = ("__repr__", "__str__", "summary")
    printing = {
        name
        for name, thing in classes.items()
        if any(
            word in vars(c)
            for c in thing.__mro__
            if c.__module__.startswith("skaucx")
            for word in prints
        )
    }
    assert {"Interval", "NestedCVResult"} < printing
    told = {name for name in printing - HANDED_OVER if not name.endswith("Display")}
    assert not [name for name in sorted(told) if not hasattr(classes[name], "_repr_html_")]


def cells(found):
    """Return the rows of the table that a notebook shows."""
    body = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")
    return [[cell.text or "" for cell in row] for row in body.iter("tr")]


def test_what_notebooks_show_of_small_results():
    one, other = (
        sm.curves.RocCurve.from_points([0.1], [0.6]),
        sm.curves.RocCurve.from_points([0.4], [0.9]),
    )
    hulls = sm.curves.compare_hulls(one, other)
    low, high = hulls.first[0]
    assert cells(hulls)[1] == ["first", f"{low:.4f}", f"{high:.4f}"]
    assert "covering: neither" in hulls._repr_html_()
    grid = cells(sm.curves.isometrics("accuracy", 0.25, n_points=3))
    assert grid[0] == ["TPR \\ FPR", "0", "0.5", "1"]
    assert grid[1] == ["1", "1.0000", "0.6250", "0.2500"]
    size = inference.roc_auc_sample_size(0.7, power=0.9)
    assert cells(size)[1][:3] == [str(size.n_positive), str(size.n_negative), "82"]


def test_counts_in_a_notebook():
    assert cells(sm.Counts.from_table([[3, 2], [1, 1.5]]))[1:] == [
        ["truly negative", "3", "2"], ["truly positive", "1", "1.5000"]
    ]  # fmt: skip
    many = sm.Counts.from_table(np.arange(100).reshape(25, 2, 2))
    assert cells(many)[1] == ["3", "1", "2", "0"]
    assert len([row for row in cells(many) if row[0] != "tp"]) == 20  # folded after a dozen
    assert "and 5 more" in many._repr_html_()


# Objects of the other public classes: parts of results, and what is handed to calls.
FURTHER = {
    "Counts": lambda: sm.Counts.from_table([[3, 2], [1, 4]]),
    "GroupedEvaluation": lambda: evaluation.evaluate(
        Y, PRED, SCORE, metrics=METRICS, by=Y + np.arange(80) % 2, intervals=True, n_resamples=20
    ),
    "DensityModel": lambda: sm.curves.DensityModel(),
    "SampleSize": lambda: inference.roc_auc_sample_size(0.7, power=0.9),
    "BootstrapSplit": lambda: ms.BootstrapSplit(5, random_state=0),
    "CalibratingClassifier": lambda: ms.CalibratingClassifier(GaussianNB()),
    "Constrained": lambda: ms.Constrained("npv", {"recall": (">=", 0.9)}),
    "DatasetComparison": lambda: ms.compare_over_datasets(
        {"bayes": GaussianNB(), "logistic": LogisticRegression()},
        {"one": (X, Y), "two": (X[::-1], Y[::-1]), "three": (-X, Y)},
        **FOLDS,
    ),
    "NestedCV": lambda: ms.NestedCV(GaussianNB(), {}, scoring=METRICS, refit="roc_auc").fit(X, Y),
    "OneStandardError": lambda: ms.OneStandardError("roc_auc", complexity="max_depth"),
    "PairedDifference": lambda: EXAMPLES["EstimatorComparison"]().pairs("recall")[0],
    "RejectingClassifier": lambda: ms.RejectingClassifier(GaussianNB(), least=0.9).fit(X, Y),
    "Decisions": lambda: ms.Decisions(threshold="f1"),
    "Confidence": lambda: inference.Confidence(0.9, alternative="less"),
    "Execution": lambda: ms.Execution(verbose=1),
    **of_study.RETURNED_FURTHER,
    "ScoreCounts": lambda: scale.ScoreCounts.from_rows(Y, SCORE, 2),
    "Verdict": lambda: verdict(Y, Y),
}
# Other names of a display are not classes of their own.
NOT_WALKED = {
    "OutOfFoldPredictions",
    "PrecisionRecallCurveDisplay",

}  # fmt: skip


def test_everything_public_pickles_and_is_copied():
    """Also what was drawn; rows of the registry are pickled by their names."""
    kinds = set()
    for name, make in (EXAMPLES | WITHOUT_FRAME | FURTHER | picture_cases.CASES).items():
        found = example(name) if name in EXAMPLES or name in WITHOUT_FRAME else make()
        kinds.add(type(found).__name__)
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert type(again) is type(found), name
            assert name in picture_cases.CASES or repr(again) == repr(found), name
        plt.close("all")
    public = PUBLIC | STUDY_NAMES | {name: getattr(ms, name) for name in ms.__all__}
    classes = {name for name, thing in public.items() if inspect.isclass(thing)}
    assert not sorted(classes - kinds - NOT_WALKED), (
        "add a display to CASES of tests/picture_cases.py, and a result to EXAMPLES of this file"
    )


def test_the_registry_is_a_table():
    """In a terminal of 80 columns and in a notebook a row a metric, a slice included."""
    rows = sm.list_metrics()
    lines = repr(rows).splitlines()
    assert len(lines) == len(rows) + 1
    assert max(map(len, lines)) <= 80
    body = ElementTree.fromstring(f"<div>{rows._repr_html_()}</div>")
    assert len(body.findall(".//tbody/tr")) == len(rows)
    assert "sensitivity" in "".join(body.itertext())
    assert (
        repr(rows[:1]) == "[Metric('recall', reads=predicted labels, range=0 to 1, better=higher)]"
    )
    curves = sm.threshold_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics=["specificity"])
    assert "inf" not in curves._repr_html_()


def test_rows_of_metrics_come_back_as_themselves():
    rows = sm.list_metrics()
    assert all(
        again is row for again, row in zip(pickle.loads(pickle.dumps(rows)), rows, strict=True)
    )
    assert all(copy.deepcopy(row) is row for row in rows)
