"""Public names of integrations."""

from ._boosters import (
    CatBoostMetric as CatBoostMetric,
    LightGBMMetric as LightGBMMetric,
    XGBoostMetric as XGBoostMetric,
    catboost_metric as catboost_metric,
    lightgbm_metric as lightgbm_metric,
    xgboost_metric as xgboost_metric,
)
from ._early_stopping import (
    EarlyStoppingClassifier as EarlyStoppingClassifier,
)
from ._optuna import (
    OptunaObjective as OptunaObjective,
    optuna_objective as optuna_objective,
)
from ._skorch import (
    skorch_callback as skorch_callback,
)
