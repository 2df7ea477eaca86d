"""Intervals of metrics: closed forms, the delta method, placement values and the bootstrap."""

from __future__ import annotations

from ._interval import interval, intervals
from ._result import Interval

__all__ = ["Interval", "interval", "intervals"]
