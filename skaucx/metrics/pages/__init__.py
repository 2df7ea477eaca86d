"""Pages: one file of HTML with tables and pictures, which needs no network."""

from __future__ import annotations

from ._predictions import report_predictions

__all__ = ["report_predictions"]
