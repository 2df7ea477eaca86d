"""Curves as plain arrays, with their areas."""

from __future__ import annotations

from ._comparison import (
    CurveComparison,
    compare_fronts,
    compare_hulls,
    compare_precision_recall,
)
from ._decisions import CostCurve, DecisionCurve, brier_curve, cost_curve, decision_curve
from ._linear_density import BinormalModel, LinearDensityModel
from ._mean import MeanCurve, mean_curve
from ._precision_recall import PrecisionRecallCurve, precision_recall_curve
from ._prevalence import PrevalenceTable, prevalence_table
from ._ranked import one_vs_rest_curves
from ._risk_coverage import RiskCoverageCurve, risk_coverage_curve
from ._roc import RocCurve, RocFront, roc_curve
from ._score_curves import ProbRocCurve, ScorRocCurve, prob_roc_curve, scor_roc_curve
from ._thresholds import Isometrics, ThresholdCurves, isometrics, threshold_curves

__all__ = [
    "BinormalModel",
    "CostCurve",
    "CurveComparison",
    "DecisionCurve",
    "Isometrics",
    "LinearDensityModel",
    "MeanCurve",
    "PrecisionRecallCurve",
    "PrevalenceTable",
    "ProbRocCurve",
    "RiskCoverageCurve",
    "RocCurve",
    "RocFront",
    "ScorRocCurve",
    "ThresholdCurves",
    "brier_curve",
    "compare_fronts",
    "compare_hulls",
    "compare_precision_recall",
    "cost_curve",
    "decision_curve",
    "isometrics",
    "mean_curve",
    "one_vs_rest_curves",
    "precision_recall_curve",
    "prevalence_table",
    "prob_roc_curve",
    "risk_coverage_curve",
    "roc_curve",
    "scor_roc_curve",
    "threshold_curves",
]
