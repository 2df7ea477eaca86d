"""Nested k x l cross-validation and the bootstrap: estimates of how well a procedure does."""

from __future__ import annotations

from ._bootstrap import BootstrapSplit
from ._bootstrap_score import BootstrapScore, bootstrap_score
from ._compare import compare_estimators
from ._comparison_result import EstimatorComparison, PairedDifference
from ._comparisons import corrected_resampled_t_test, five_by_two_cv_test
from ._cross_validate import nested_cross_validate
from ._displays import NestedCVDisplay, TuningMatrixDisplay
from ._nested import NestedCV
from ._result import NestedCVResult
from ._tuning import TuningMatrix

__all__ = [
    "BootstrapScore",
    "BootstrapSplit",
    "EstimatorComparison",
    "NestedCV",
    "NestedCVDisplay",
    "NestedCVResult",
    "PairedDifference",
    "TuningMatrix",
    "TuningMatrixDisplay",
    "bootstrap_score",
    "compare_estimators",
    "corrected_resampled_t_test",
    "five_by_two_cv_test",
    "nested_cross_validate",
]
