"""Metrics of rows that come a chunk at a time, from several machines or from several parties."""

from __future__ import annotations

from .._cells.certified import Certified
from ._accumulator import MetricAccumulator
from ._sql import cells_query

__all__ = ["Certified", "MetricAccumulator", "cells_query"]
