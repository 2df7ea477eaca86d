"""Pictures of curves, confusion tables and scores; matplotlib is imported when one is drawn."""

from __future__ import annotations

from ._confusion import ConfusionDisplay
from ._decisions import CostDisplay, DecisionDisplay
from ._forest import ForestDisplay
from ._gains import DetDisplay, GainDisplay
from ._isometrics import IsometricsDisplay
from ._precision_recall import PrecisionRecallDisplay
from ._rejection import RiskCoverageDisplay
from ._reliability import ReliabilityDisplay
from ._roc import ProbRocDisplay, RocDisplay, ScorRocDisplay
from ._scores import ScoreDisplay
from ._thresholds import ThresholdDisplay

__all__ = [
    "ConfusionDisplay",
    "CostDisplay",
    "DecisionDisplay",
    "DetDisplay",
    "ForestDisplay",
    "GainDisplay",
    "IsometricsDisplay",
    "PrecisionRecallDisplay",
    "ProbRocDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "RocDisplay",
    "ScorRocDisplay",
    "ScoreDisplay",
    "ThresholdDisplay",
]
