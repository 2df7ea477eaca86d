"""Nested k x l cross-validation: estimates of a procedure that tunes itself."""

from __future__ import annotations

from ._cross_validate import nested_cross_validate
from ._nested import NestedCV
from ._result import NestedCVResult
from ._tuning import TuningMatrix

__all__ = ["NestedCV", "NestedCVResult", "TuningMatrix", "nested_cross_validate"]
