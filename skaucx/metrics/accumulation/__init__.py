"""Metrics of rows that come a batch after another, with an alarm."""

from __future__ import annotations

from ._monitor import MetricMonitor

__all__ = ["MetricMonitor"]
