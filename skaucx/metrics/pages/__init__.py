"""Pages: one file of HTML with tables and pictures, which needs no network."""

from __future__ import annotations

from ._evaluation import report_evaluation
from ._predictions import report_predictions

__all__ = ["report_evaluation", "report_predictions"]
