"""Intervals of metrics and bands of curves: closed forms, delta method, DeLong, bootstrap."""

from __future__ import annotations

from .._records.prevalence import posterior_probability, prevalence_weights
from ._bands import PrecisionRecallBand, RocBand, decision_band, precision_recall_band, roc_band
from ._interval import GoldInterval, Interval, interval, intervals
from ._jackknife import JackknifeEstimate, jackknife
from ._prevalence import interval_at_prevalence
from ._reliability import ReliabilityCurve, reliability_curve
from ._threshold_interval import interval_at_threshold

__all__ = [
    "GoldInterval",
    "Interval",
    "JackknifeEstimate",
    "PrecisionRecallBand",
    "ReliabilityCurve",
    "RocBand",
    "decision_band",
    "interval",
    "interval_at_prevalence",
    "interval_at_threshold",
    "intervals",
    "jackknife",
    "posterior_probability",
    "precision_recall_band",
    "prevalence_weights",
    "reliability_curve",
    "roc_band",
]
