"""Intervals of metrics and bands of curves: closed forms, delta method, DeLong, bootstrap."""

from __future__ import annotations

from ._bands import PRBand, ROCBand, pr_band, roc_band
from ._interval import interval, intervals
from ._result import Interval

__all__ = ["Interval", "PRBand", "ROCBand", "interval", "intervals", "pr_band", "roc_band"]
