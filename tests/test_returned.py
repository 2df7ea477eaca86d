"""What calls return: short in print, a data frame of plain cells, and shown in notebooks."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sm
import skaucx.model_selection as ms
from skaucx import evaluation, inference, scale
from skaucx.metrics import curves
from skaucx.reports import verdict
from tests.datasets import binary
from tests.public import PUBLIC, STUDY_NAMES
from tests.study import cases as of_study

pytest.importorskip("pandas")

X, Y, SCORE, PRED = binary.X, binary.y, binary.score, binary.pred
CURVE = sm.roc_curve(Y, SCORE)
METRICS = ["roc_auc", "recall", "specificity", "npv"]
FOLDS = {"outer_cv": 3, "inner_cv": 2, "scoring": METRICS, "refit": "roc_auc"}
MODELS = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
MATRIX = {**FOLDS, "refit": METRICS}


def grouped():
    by = Y + np.arange(len(Y)) % 2
    options = {"metrics": METRICS, "intervals": True, "n_resamples": 20}
    return evaluation.evaluate(Y, PRED, SCORE, by=by, **options)


# An example of every class that a public function returns.
EXAMPLES = {
    "Interval": lambda: inference.interval("roc_auc", Y, SCORE),
    **of_study.RETURNED,
    "RocCurve": lambda: CURVE,
    "PrecisionRecallCurve": lambda: sm.precision_recall_curve(Y, SCORE),
    "ScorRocCurve": lambda: sm.scor_roc_curve(Y, SCORE),
    "ProbRocCurve": lambda: sm.prob_roc_curve(Y, SCORE),
    "ThresholdCurves": lambda: sm.threshold_curves(Y, SCORE),
    "MeanCurve": lambda: curves.mean_curve([CURVE, CURVE]),
    "RocBand": lambda: inference.roc_band(Y, SCORE),
    "PrecisionRecallBand": lambda: inference.precision_recall_band(Y, SCORE),
    "CurveComparison": lambda: curves.compare_hulls(
        CURVE, curves.RocCurve.from_points([0.2], [0.9])
    ),
    "Isometrics": lambda: curves.isometrics("f1"),
    "ComparisonResult": lambda: inference.delong_test(Y, SCORE, -SCORE),
    "RiskCoverageCurve": lambda: sm.risk_coverage_curve(Y, SCORE),
    "CostCurve": lambda: curves.cost_curve(Y, SCORE),
    "DecisionCurve": lambda: sm.decision_curve(Y, SCORE),
    "ReliabilityCurve": lambda: inference.reliability_curve(Y, SCORE),
    "JackknifeEstimate": lambda: inference.jackknife("roc_auc", Y, SCORE),
    "Evaluation": lambda: evaluation.evaluate(Y, PRED),
    "BootstrapScore": lambda: ms.bootstrap_score(
        GaussianNB(), X, Y, scoring="roc_auc", n_splits=9, random_state=0
    ),
    "EstimatorComparison": lambda: ms.compare_estimators(MODELS, X, Y, **FOLDS),
    "NestedCVResult": lambda: ms.nested_cross_validate(GaussianNB(), {}, X, Y, **FOLDS),
    "TuningMatrix": lambda: (
        ms.nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, 1]}, X, Y, **MATRIX
        ).tuning_matrix
    ),
}
# Results that are numbers or a table of text, and have no frame.
WITHOUT_FRAME = of_study.RETURNED_WITHOUT_FRAME
# Objects of the other public classes: parts of results, and what is handed to calls.
FURTHER = {
    "Counts": lambda: sm.Counts.from_table([[3, 2], [1, 4]]),
    "GroupedEvaluation": grouped,
    "DensityModel": curves.DensityModel,
    "SampleSize": lambda: inference.roc_auc_sample_size(0.7, power=0.9),
    "BootstrapSplit": lambda: ms.BootstrapSplit(5, random_state=0),
    "CalibratingClassifier": lambda: ms.CalibratingClassifier(GaussianNB()),
    "Constrained": lambda: ms.Constrained("npv", {"recall": (">=", 0.9)}),
    "DatasetComparison": lambda: ms.compare_over_datasets(
        MODELS,
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
# A part of a result, and another name of a class.
NOT_WALKED = {"OutOfFoldPredictions"}


@functools.cache
def example(name):
    """Return an example, which is made once."""
    return (EXAMPLES | WITHOUT_FRAME)[name]()


# Below what is drawn of a block the ends of its axis, and what the marks mean.
SCALE = re.compile(r" +-?[\d.]+ +-?[\d.]+|Marks: .*")


@pytest.mark.parametrize("name", [*EXAMPLES, *WITHOUT_FRAME])
def test_short_in_print_and_shown_in_a_notebook(name):
    found = example(name)
    assert type(found).__name__ == name
    for text, most in ((repr(found), 16 if name in EXAMPLES else 60), (str(found), 60)):
        lines = [line for line in text.splitlines() if not SCALE.fullmatch(line)]
        assert max(map(len, lines)) <= 80
        assert len(lines) <= most
        assert "array(" not in text
        assert "object at" not in text
    shown = getattr(found, "_repr_html_", found.__repr__)()
    body = ElementTree.fromstring(f"<div>{shown}</div>")
    assert len("".join(body.itertext())) > 10
    assert "array(" not in shown


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_frame_of_plain_cells(name):
    frame = example(name).to_frame()
    assert len(frame)
    assert all(np.ndim(cell) == 0 for column in frame for cell in frame[column])


def test_everything_public_pickles_and_is_copied():
    """A display holds its axes; `tests/test_pictures.py` draws each."""
    kinds = set()
    for name, make in (EXAMPLES | WITHOUT_FRAME | FURTHER).items():
        found = example(name) if name not in FURTHER else make()
        kinds.add(type(found).__name__)
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert repr(again) == repr(found), name
    public = PUBLIC | STUDY_NAMES | {name: getattr(ms, name) for name in ms.__all__}
    classes = {name for name, thing in public.items() if inspect.isclass(thing)}
    classes = {name for name in classes - kinds - NOT_WALKED if not name.endswith("Display")}
    assert not classes, "add an example to this file"


def test_the_list_of_metrics_is_a_table():
    listed = sm.list_metrics()
    assert len(repr(listed).splitlines()) == len(listed) + 1
    assert max(map(len, repr(listed).splitlines())) <= 80
    body = ElementTree.fromstring(f"<div>{listed._repr_html_()}</div>")
    assert len(body.findall(".//tbody/tr")) == len(listed)
    again = pickle.loads(pickle.dumps(listed))  # by their names
    assert all(a is b for a, b in zip(again, listed, strict=True))
