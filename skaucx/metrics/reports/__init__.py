"""Tables of metrics with intervals that can be printed as they are."""

from __future__ import annotations

from ._classification import classification_report
from ._report_table import report_table
from ._table import ReportTable

__all__ = [
    "ReportTable",
    "classification_report",
    "report_table",
]
