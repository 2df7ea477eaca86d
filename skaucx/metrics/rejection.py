"""Metrics of classifiers that may reject an example, and the thresholds of Chow's rule."""

from __future__ import annotations

from ._chow import chow_predictions, chow_thresholds
from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS, "chow_predictions", "chow_thresholds"]
