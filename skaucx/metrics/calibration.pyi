"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _E50CalibrationError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

e50_calibration_error: _E50CalibrationError

class _E90CalibrationError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

e90_calibration_error: _E90CalibrationError

class _EstimatedCalibrationIndex(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

estimated_calibration_index: _EstimatedCalibrationIndex

class _SmoothCalibrationError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

smooth_calibration_error: _SmoothCalibrationError
