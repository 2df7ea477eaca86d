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
from skaucx.reports import verdict
from tests.datasets import binary
from tests.public import PUBLIC, STUDY_NAMES
from tests.study import cases as of_study

pytest.importorskip("pandas")

X, Y, SCORE, PRED = binary.X, binary.y, binary.score, binary.pred
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
    "CurveComparison": lambda: sm.curves.compare_hulls(
        CURVE, sm.curves.RocCurve.from_points([0.2], [0.9])
    ),
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
WITHOUT_FRAME = {**of_study.RETURNED_WITHOUT_FRAME}
# Objects of the other public classes: parts of results, and what is handed to calls.
FURTHER = {
    "Counts": lambda: sm.Counts.from_table([[3, 2], [1, 4]]),
    "GroupedEvaluation": lambda: evaluation.evaluate(
        Y,
        PRED,
        SCORE,
        metrics=METRICS,
        by=Y + np.arange(len(Y)) % 2,
        intervals=True,
        n_resamples=20,
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
# A part of a result, and another name of a class.
NOT_WALKED = {"OutOfFoldPredictions"}


@functools.cache
def example(name):
    """Return an example, which is made once."""
    return (EXAMPLES | WITHOUT_FRAME)[name]()


# Below what is drawn of a block the ends of its axis, and what the marks mean.
SCALE = re.compile(r" +-?[\d.]+ +-?[\d.]+|Marks: .*")


@pytest.mark.parametrize("name", EXAMPLES)
def test_short_in_print_and_a_frame_of_plain_cells(name):
    found = example(name)
    assert type(found).__name__ == name
    for text, most in ((repr(found), 16), (str(found), 60)):
        lines = [line for line in text.splitlines() if not SCALE.fullmatch(line)]
        assert max(map(len, lines)) <= 80
        assert len(lines) <= most
        assert "array(" not in text
        assert "object at" not in text
    frame = found.to_frame()
    assert len(frame)
    for column in frame:
        assert all(np.ndim(cell) == 0 for cell in frame[column]), column


@pytest.mark.parametrize("name", [*EXAMPLES, *WITHOUT_FRAME])
def test_shown_in_a_notebook(name):
    found = example(name)
    assert max(map(len, repr(found).splitlines())) <= 80
    shown = getattr(found, "_repr_html_", found.__repr__)()
    body = ElementTree.fromstring(f"<div>{shown}</div>")
    assert len("".join(body.itertext())) > 10
    assert "array(" not in shown + repr(found)


def test_everything_public_pickles_and_is_copied():
    """A display holds its axes; `tests/test_pictures.py` draws each."""
    kinds = set()
    for name, make in (EXAMPLES | WITHOUT_FRAME | FURTHER).items():
        found = example(name) if name not in FURTHER else make()
        kinds.add(type(found).__name__)
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert repr(again) == repr(found), name
    rows = sm.list_metrics()  # pickled by their names
    assert all(a is b for a, b in zip(pickle.loads(pickle.dumps(rows)), rows, strict=True))
    public = PUBLIC | STUDY_NAMES | {name: getattr(ms, name) for name in ms.__all__}
    classes = {name for name, thing in public.items() if inspect.isclass(thing)}
    classes = {name for name in classes - kinds - NOT_WALKED if not name.endswith("Display")}
    assert not classes, "add an example to this file"


def test_what_a_notebook_shows_of_tables():
    listed = sm.list_metrics()
    assert len(repr(listed).splitlines()) == len(listed) + 1
    assert max(map(len, repr(listed).splitlines())) <= 80
    body = ElementTree.fromstring(f"<div>{listed._repr_html_()}</div>")
    assert len(body.findall(".//tbody/tr")) == len(listed)
