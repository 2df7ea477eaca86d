"""What the common tests check of the integrations."""

from __future__ import annotations

import importlib.util

from skaucx.integrations import EarlyStoppingClassifier, lightgbm_metric, xgboost_metric

CHECKED_ESTIMATORS, UNCHECKED_ESTIMATORS = {}, {}
FAILED_CHECKS = {
    "early stopping": dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        "a row of weight 2 is held back once, a row that stands twice may be on either side",
    )
}
if importlib.util.find_spec("lightgbm"):
    from lightgbm import LGBMClassifier

    CHECKED_ESTIMATORS["early stopping"] = EarlyStoppingClassifier(
        LGBMClassifier(n_estimators=5, n_jobs=1, verbosity=-1), random_state=0
    )
else:
    UNCHECKED_ESTIMATORS[EarlyStoppingClassifier] = "no booster is installed"
RETURNED_FURTHER = {
    "XGBoostMetric": lambda: xgboost_metric("roc_auc"),
    "LightGBMMetric": lambda: lightgbm_metric("roc_auc"),
}
HANDED_OVER = dict.fromkeys(("CatBoostMetric", "LightGBMMetric", "XGBoostMetric"), "to a library")
HANDED_OVER["EarlyStoppingClassifier"] = "an estimator"
NOT_WALKED = {
    "CatBoostMetric": "each is of a class of its own, named by its metric",
    "EarlyStoppingClassifier": "needs a booster",
}
