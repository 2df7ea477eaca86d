"""Pictures of curves, confusion tables and scores; matplotlib is imported when one is drawn."""

from __future__ import annotations

from ._confusion import ConfusionDisplay
from ._isometrics import IsometricsDisplay
from ._precision_recall import PrecisionRecallDisplay
from ._roc import ProbRocDisplay, RocDisplay, ScorRocDisplay
from ._scores import ScoreDisplay
from ._thresholds import ThresholdDisplay

__all__ = [
    "ConfusionDisplay",
    "IsometricsDisplay",
    "PrecisionRecallDisplay",
    "ProbRocDisplay",
    "RocDisplay",
    "ScorRocDisplay",
    "ScoreDisplay",
    "ThresholdDisplay",
]
