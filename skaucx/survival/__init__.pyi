"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts
from ._displays import SurvivalCalibrationDisplay as SurvivalCalibrationDisplay
from ._displays import TimeDependentDisplay as TimeDependentDisplay

class _HarrellCScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

harrell_c_score: _HarrellCScore

class _UnoCScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        tau: float | None = None,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

uno_c_score: _UnoCScore

class _CumulativeDynamicAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        horizon: float,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

cumulative_dynamic_auc_score: _CumulativeDynamicAucScore

class _IntegratedCumulativeDynamicAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        times: ArrayLike,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

integrated_cumulative_dynamic_auc_score: _IntegratedCumulativeDynamicAucScore

class _SurvivalBrierLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

survival_brier_loss: _SurvivalBrierLoss

class _IntegratedSurvivalBrierLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        times: ArrayLike,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

integrated_survival_brier_loss: _IntegratedSurvivalBrierLoss

class _SurvivalR2Score(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

survival_r2_score: _SurvivalR2Score

class _IntegratedSurvivalR2Score(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        times: ArrayLike,
        y_train: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

integrated_survival_r2_score: _IntegratedSurvivalR2Score

class _SurvivalOeRatio(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

survival_oe_ratio: _SurvivalOeRatio

class _SurvivalCalibrationSlope(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

survival_calibration_slope: _SurvivalCalibrationSlope

class _RoystonDScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

royston_d_score: _RoystonDScore

class _SurvivalNetBenefit(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        horizon: float,
        threshold: float,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

survival_net_benefit: _SurvivalNetBenefit
