"""Intervals of metrics and bands of curves: closed forms, delta method, DeLong, bootstrap."""

from __future__ import annotations

from .._records.counts import posterior_probability, prevalence_weights
from ._bands import PrecisionRecallBand, RocBand, decision_band, precision_recall_band, roc_band
from ._closed_forms import example_losses, placement_values, soft_auc_gradient
from ._group_mean import GroupMean, group_mean
from ._interval import GoldInterval, Interval, interval, intervals
from ._interval_at import interval_at_prevalence, interval_at_threshold
from ._jackknife import JackknifeEstimate, jackknife
from ._pooling import (
    BivariateSummary,
    PooledEstimate,
    SiteEvaluation,
    bivariate_summary,
    compare_study_tests,
    evaluate_sites,
    pool_estimates,
)
from ._reliability import ReliabilityCurve, reliability_curve

__all__ = [
    "BivariateSummary",
    "GoldInterval",
    "GroupMean",
    "Interval",
    "JackknifeEstimate",
    "PooledEstimate",
    "PrecisionRecallBand",
    "ReliabilityCurve",
    "RocBand",
    "SiteEvaluation",
    "bivariate_summary",
    "compare_study_tests",
    "decision_band",
    "evaluate_sites",
    "example_losses",
    "group_mean",
    "interval",
    "interval_at_prevalence",
    "interval_at_threshold",
    "intervals",
    "jackknife",
    "placement_values",
    "pool_estimates",
    "posterior_probability",
    "precision_recall_band",
    "prevalence_weights",
    "reliability_curve",
    "roc_band",
    "soft_auc_gradient",
]
