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
from ._skorch import (
    skorch_callback as skorch_callback,
)
