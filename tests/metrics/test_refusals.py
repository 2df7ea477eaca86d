"""What curves, models, rejections, constraints and costs of examples refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics import decision_curve, precision_recall_curve, roc_curve, threshold_curves
from skaucx.metrics.costs import example_cost_loss, savings_score
from skaucx.metrics.curves import DensityModel, RocCurve, compare_hulls, cost_curve, isometrics
from skaucx.metrics.rejection import chow_predictions, chow_thresholds, coverage_score

Y, S, WORDS, TWICE = [0, 1], [0.2, 0.4], ["no", "yes"], [[0.1, 0.9], [0.2, 0.8]]
BOTH, BOUND = np.eye(2, dtype=int), ("<=", 0.5)
MEASURED = RocCurve.from_points([0.2, 0.5], [0.6, 0.4])
LEVEL = sm.curves.PrecisionRecallCurve.from_points([0.5, 1], [1, 0.5])
CURVE, RISKS = roc_curve(Y, S), sm.risk_coverage_curve(Y, S)
MASKED = np.ma.array(Y, mask=[True, False])
best, reliability = sm.best_feasible_score, inference.reliability_curve


def costly(costs):
    return example_cost_loss([0, 1], [1, 0], example_costs=costs)


VALUE_ERRORS = [
    (lambda: roc_curve(WORDS, S), r"pos_label.*no.*yes"),
    (lambda: roc_curve([0, 1, 2], [0.1, 0.2, 0.3]), "two classes, found 3"),
    (lambda: roc_curve(Y, TWICE), "must be one-dimensional"),
    (lambda: roc_curve(Y, [0.1, np.nan]), "NaN or infinity in y_score"),
    (lambda: roc_curve(Y, S, drop_intermediate=2), "must be True or False"),
    (lambda: CURVE.at([0.5, np.nan]), "threshold must be a number"),
    (lambda: precision_recall_curve(Y, S).at([0.5, np.nan]), "threshold must be a number"),
    (lambda: LEVEL.at(0.3), "measured without scores"),
    (lambda: sm.curves.one_vs_rest_curves(roc_curve, Y, [0.1, 0.9]), "one column per class"),
    (lambda: RocCurve.from_points([0.2], [1.1]), "tpr must be a vector of rates"),
    (lambda: RocCurve.from_points([0.2, 0.3], [0.1]), "inconsistent numbers"),
    (lambda: CURVE.partial_area(fpr=(0.5, 0.1)), "low < high"),
    (lambda: MEASURED.partial_area(tpr=(0, 0.5)), "tpr falls between measured points"),
    (lambda: sm.scor_roc_curve(Y, [0.2, 1.2]), r"needs them in \[0, 1\]"),
    (lambda: sm.prob_roc_curve(Y, [0.2, 1.2]), r"needs them in \[0, 1\]"),
    (lambda: sm.scor_roc_curve([1, 1], S), "one class only"),
    (lambda: sm.prob_roc_curve([1, 1], S), "one class only"),
    (lambda: sm.scor_roc_curve(Y, S, rescale="log"), "rescale must be one of"),
    (lambda: sm.prob_roc_curve(Y, S, rescale="log"), "rescale must be one of"),
    (lambda: sm.scor_roc_curve(Y, S, n_steps=0), r"n_steps .*>= 1"),
    (lambda: sm.curves.mean_curve([]), "one curve at least"),
    (lambda: threshold_curves(Y, TWICE), "y_score must be one-dimensional"),
    (lambda: threshold_curves(["a", "a"], S), "pass pos_label"),
    (lambda: threshold_curves([0, 1, 2], [0.1, 0.2, 0.3]), "two classes, found 3"),
    (lambda: threshold_curves(Y, S, ["roc_auc"]), "roc_auc is not a function of the confusion table"),
    (lambda: threshold_curves(Y, S, ["coverage"]), r"coverage .*confusion table"),
    (lambda: isometrics("f1", prevalence=0), "prevalence must be a finite number in"),
    (lambda: isometrics("krippendorff_alpha"), "depends on the number of examples"),
    (lambda: isometrics("f1", space="det"), "space must be one of 'roc', 'pr'"),
    (lambda: isometrics("f3"), "'f3' is not the name of a metric"),
    (lambda: isometrics("roc_auc"), "not a function of the confusion table"),
    (lambda: isometrics(lambda c: 1.0), "metric must return shape"),
    (lambda: isometrics("f1", n_points=1), "n_points must be a whole number >= 2"),
    (lambda: DensityModel(prevalence=1), r"prevalence must be a finite number in \(0, 1\)"),
    (lambda: DensityModel().roc_curve(1), "n_points must be a whole number >= 2"),
    (lambda: DensityModel().optimum("auc"), "not a function of the confusion table"),
    (lambda: decision_curve([1, 1], S), "one class only"),
    (lambda: cost_curve([1, 1], S), "one class only"),
    (lambda: decision_curve(["a", "b"], S), "pos_label"),
    (lambda: cost_curve(["a", "b"], S), "pos_label"),
    (lambda: decision_curve(Y, [0.2, 1.4]), r"in \[0, 1\]"),
    (lambda: decision_curve(Y, S, prevalence=1), "prevalence"),
    (lambda: decision_curve(Y, S, thresholds=[0, 0.5]), "thresholds"),
    (lambda: decision_curve(Y, S, thresholds=[0.5, 0.2]), "thresholds"),
    (lambda: decision_curve(Y, S, thresholds=[]), "thresholds"),
    (lambda: decision_curve(Y, S, thresholds=[[0.2]]), "thresholds"),
    (lambda: reliability(Y, S, method="kernel"), "method"),
    (lambda: reliability(Y, S, band="consistency"), "needs method='isotonic'"),
    (lambda: reliability(Y, S, strategy="x"), "strategy"),
    (lambda: reliability(Y, S, n_bins=0), "n_bins"),
    (lambda: reliability(Y, S, method="isotonic", n_resamples=1), "n_resamples"),
    (lambda: reliability(Y, S, method="isotonic", simultaneous=True), "simultaneous"),
    (lambda: reliability(Y, S, method="spline", band="consistency"), "consistency"),
    (lambda: reliability(Y, S, method="spline", sample_weight=[1, 1]), "sample_weight"),
    (lambda: best(Y, S, objective="roc_auc", subject_to={"fpr": BOUND}), "not a function of the conf"),
    (lambda: best(Y, S, objective="prevalence", subject_to={"fpr": BOUND}), "no better direction"),
    (lambda: best(Y, S, objective="f1_macro", subject_to={"fpr": BOUND}), "average"),
    (lambda: best(Y, S, objective="nonsense", subject_to={"fpr": BOUND}), "not the name"),
    (lambda: best(Y, S, objective="npv", subject_to={"fpr": 0.5}), "subject_to"),
    (lambda: best(Y, S, objective="npv", subject_to={"fpr": ("<", 0.5)}), "subject_to"),
    (lambda: coverage_score(Y, MASKED, rejected=[1, 0]), "masked itself"),
    (lambda: coverage_score(Y, Y, rejected=[1]), "inconsistent numbers"),
    (lambda: coverage_score(Y, Y, rejected=[2, 0]), "rejected must hold one True or False"),
    (lambda: coverage_score(BOTH, BOTH), "multilabel"),
    (lambda: chow_predictions([0.5, 2.0], reject_cost=0.2), "y_proba lies in"),
    (lambda: chow_predictions([0.5], reject_cost=0.2, cost=np.eye(3)), "cost must hold finite numbers"),
    (lambda: chow_predictions([0.5], reject_cost=0.2, labels=[1, 2, 3]), "labels names 3"),
    (lambda: chow_thresholds(reject_cost=0.2, cost=[[1, 0], [1, 0]]), "every error cost more"),
    (lambda: chow_thresholds(reject_cost=-1), "reject_cost"),
    (lambda: costly([[1, 2]]), "y_true has 2, example_costs has 1"),
    (lambda: costly([[1], [2]]), "1 classes, y_true and y_pred have 2: 0, 1"),
    (lambda: costly([[1, np.inf], [2, 3]]), r"example_costs contains NaN or inf.*rows \(first: row 0\)"),
    (lambda: costly([[1, 2], [np.nan, 3]]), "row 1"),
    (lambda: costly([1, 2]), "shape"),
    (lambda: costly(np.ones((2, 2, 3))), "shape"),
    (lambda: savings_score(BOTH, BOTH, example_costs=np.ones((2, 2))), "multilabel"),
]  # fmt: skip
TYPE_ERRORS = [
    *((lambda x=x: compare_hulls(CURVE, x), "second must be a RocCurve.*from_points")
      for x in ([0.1, 0.2], (0, 1), None, BOTH)),
    *((lambda x=x: compare_hulls(x, CURVE), "first must be a RocCurve")
      for x in ([0.1, 0.2], (0, 1), None, BOTH)),
    (lambda: sm.curves.mean_curve([CURVE, precision_recall_curve(Y, S)]), "one kind"),
    (lambda: sm.curves.mean_curve([cost_curve(Y, S), RISKS]), "one kind"),
    (lambda: sm.curves.mean_curve([3]), "as roc_curve and its like"),
    (lambda: isometrics("f1", beta=2), "None of the metrics takes it"),
    (lambda: isometrics("net_benefit"), "needs the parameter .threshold."),
    (lambda: DensityModel(stats.norm(), 0.5), "negatives must be a frozen continuous distribution"),
    (lambda: decision_curve(Y, S, thresholds=0.5), "thresholds"),
    (lambda: best(Y, S, objective="fbeta", subject_to={"fpr": BOUND}), "beta"),
    *((lambda x=x: best(Y, S, objective="npv", subject_to=x), "subject_to")
      for x in (None, {}, {"fpr": ("<=", "x")}, ["fpr"])),
    (lambda: sm.accuracy_score(Y, MASKED), "masked array"),
    (lambda: inference.paired_test("coverage", Y, Y, Y, rejected=[1, 0]), "mask=rejected"),
    (lambda: costly([["a", "b"], ["c", "d"]]), "example_costs has dtype"),
    (lambda: costly(None), "example_costs is missing"),
    (lambda: evaluation.evaluate("y", "p", data={"y": [0], "p": [1]}, example_costs=np.ones((1, 2))),
     "example_costs must be the name of a column"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), VALUE_ERRORS)
def test_values(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(("call", "says"), TYPE_ERRORS)
def test_types(call, says):
    with pytest.raises(TypeError, match=says):
        call()
