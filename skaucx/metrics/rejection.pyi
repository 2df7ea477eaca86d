"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts
from skaucx.metrics.curves._chow import chow_predictions as chow_predictions
from skaucx.metrics.curves._chow import chow_thresholds as chow_thresholds

class _SelectiveRiskLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        coverage: float = 0.8,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

selective_risk_loss: _SelectiveRiskLoss

class _CoverageAtRiskScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        risk: float = 0.05,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

coverage_at_risk_score: _CoverageAtRiskScore

class _ChowCostLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        reject_cost: float = 0.25,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

chow_cost_loss: _ChowCostLoss

class _CoverageScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        rejected: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

coverage_score: _CoverageScore

class _AcceptedAccuracyScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        rejected: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

accepted_accuracy_score: _AcceptedAccuracyScore

class _ClassificationQualityScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        rejected: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

classification_quality_score: _ClassificationQualityScore

class _RejectionQuality(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        rejected: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

rejection_quality: _RejectionQuality

class _RejectionCostLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        reject_cost: float = 0.25,
        rejected: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

rejection_cost_loss: _RejectionCostLoss
