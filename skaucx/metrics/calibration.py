"""Calibration: percentiles of the smooth calibration error, and the error by kernel smoothing."""

from __future__ import annotations

from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS]
