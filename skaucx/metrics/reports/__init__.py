"""Printable tables of metrics with intervals."""

from __future__ import annotations

from .._evaluation.grouped import GroupedEvaluation
from .._evaluation.result import Evaluation
from ._classification import classification_report
from ._report_table import ReportTable, report_table

__all__ = [
    "Evaluation",
    "GroupedEvaluation",
    "ReportTable",
    "classification_report",
    "report_table",
]
