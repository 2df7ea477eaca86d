"""Pictures of curves, confusion tables and scores; matplotlib is imported when one is drawn."""

from __future__ import annotations

from ._confusion import ConfusionMatrixDisplay
from ._decisions import (
    CostDisplay,
    DecisionDisplay,
    DetCurveDisplay,
    GainDisplay,
    RiskCoverageDisplay,
)
from ._decomposition import DecompositionDisplay
from ._forest import ForestDisplay
from ._isometrics import IsometricsDisplay
from ._precision_recall import PrecisionRecallDisplay
from ._reliability import CalibrationDisplay
from ._roc import ProbRocDisplay, RocCurveDisplay, ScorRocDisplay
from ._scores import ScoreDisplay
from ._survival import SurvivalCalibrationDisplay, TimeDependentDisplay
from ._thresholds import ThresholdDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CostDisplay",
    "DecisionDisplay",
    "DecompositionDisplay",
    "DetCurveDisplay",
    "ForestDisplay",
    "GainDisplay",
    "IsometricsDisplay",
    "PrecisionRecallDisplay",
    "ProbRocDisplay",
    "RiskCoverageDisplay",
    "RocCurveDisplay",
    "ScorRocDisplay",
    "ScoreDisplay",
    "SurvivalCalibrationDisplay",
    "ThresholdDisplay",
    "TimeDependentDisplay",
]
