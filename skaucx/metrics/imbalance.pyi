"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _RobustInitialEnhancement(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        alpha: float = 20.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

robust_initial_enhancement: _RobustInitialEnhancement

class _OptimizedPrecision(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

optimized_precision: _OptimizedPrecision

class _IndexOfBalancedAccuracy(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        alpha: float = 1.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

index_of_balanced_accuracy: _IndexOfBalancedAccuracy

class _AdjustedFScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

adjusted_f_score: _AdjustedFScore

class _AdjustedGMeanScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

adjusted_g_mean_score: _AdjustedGMeanScore

class _LabelAucScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

label_auc_score: _LabelAucScore

class _MacroAccuracyScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

macro_accuracy_score: _MacroAccuracyScore

class _MulticlassGMeanScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        correction: float = 0.0,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

multiclass_g_mean_score: _MulticlassGMeanScore

class _MacroAveragedMeanAbsoluteError(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

macro_averaged_mean_absolute_error: _MacroAveragedMeanAbsoluteError
