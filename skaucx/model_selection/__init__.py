"""Nested k x l cross-validation and the bootstrap: estimates of how well a procedure does."""

from __future__ import annotations

from ._bootstrap import BootstrapSplit
from ._bootstrap_score import BootstrapScore, bootstrap_score
from ._cross_validate import nested_cross_validate
from ._displays import NestedCVDisplay, TuningMatrixDisplay
from ._nested import NestedCV
from ._result import NestedCVResult
from ._tuning import TuningMatrix

__all__ = [
    "BootstrapScore",
    "BootstrapSplit",
    "NestedCV",
    "NestedCVDisplay",
    "NestedCVResult",
    "TuningMatrix",
    "TuningMatrixDisplay",
    "bootstrap_score",
    "nested_cross_validate",
]
