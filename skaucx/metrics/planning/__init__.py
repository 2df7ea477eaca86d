"""Sample size and power."""

from __future__ import annotations

from ._sample_size import (
    GoldLabelPlan,
    ModelSampleSize,
    SampleSize,
    development_sample_size,
    plan_gold_labels,
    rate_power,
    rate_sample_size,
    roc_auc_difference_power,
    roc_auc_difference_sample_size,
    roc_auc_power,
    roc_auc_sample_size,
    validation_sample_size,
)

__all__ = [
    "GoldLabelPlan",
    "ModelSampleSize",
    "SampleSize",
    "development_sample_size",
    "plan_gold_labels",
    "rate_power",
    "rate_sample_size",
    "roc_auc_difference_power",
    "roc_auc_difference_sample_size",
    "roc_auc_power",
    "roc_auc_sample_size",
    "validation_sample_size",
]
