"""Metrics inside other libraries: XGBoost, LightGBM, CatBoost, skorch and Optuna.

Each is imported at its first use.
"""

from __future__ import annotations

from ._boosters import (
    CatBoostMetric,
    LightGBMMetric,
    XGBoostMetric,
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)
from ._early_stopping import EarlyStoppingClassifier
from ._optuna import OptunaObjective, optuna_objective
from ._skorch import skorch_callback

__all__ = [
    "CatBoostMetric",
    "EarlyStoppingClassifier",
    "LightGBMMetric",
    "OptunaObjective",
    "XGBoostMetric",
    "catboost_metric",
    "lightgbm_metric",
    "optuna_objective",
    "skorch_callback",
    "xgboost_metric",
]
