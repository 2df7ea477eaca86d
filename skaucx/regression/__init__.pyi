"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _MeanSquaredError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_squared_error: _MeanSquaredError

class _RootMeanSquaredError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

root_mean_squared_error: _RootMeanSquaredError

class _MeanAbsoluteError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_absolute_error: _MeanAbsoluteError

class _MedianAbsoluteError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

median_absolute_error: _MedianAbsoluteError

class _MaxError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

max_error: _MaxError

class _MeanSquaredLogError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_squared_log_error: _MeanSquaredLogError

class _RootMeanSquaredLogError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

root_mean_squared_log_error: _RootMeanSquaredLogError

class _MeanAbsolutePercentageError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_absolute_percentage_error: _MeanAbsolutePercentageError

class _MeanPinballLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        alpha: float = 0.5,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_pinball_loss: _MeanPinballLoss

class _MeanTweedieDeviance(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        power: float = 0,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_tweedie_deviance: _MeanTweedieDeviance

class _MeanPoissonDeviance(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_poisson_deviance: _MeanPoissonDeviance

class _MeanGammaDeviance(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mean_gamma_deviance: _MeanGammaDeviance

class _R2Score(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        force_finite: bool = True,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

r2_score: _R2Score

class _ExplainedVarianceScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        force_finite: bool = True,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

explained_variance_score: _ExplainedVarianceScore

class _D2AbsoluteErrorScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

d2_absolute_error_score: _D2AbsoluteErrorScore

class _D2PinballScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        alpha: float = 0.5,
        multioutput: ArrayLike = 'uniform_average',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

d2_pinball_score: _D2PinballScore

class _D2TweedieScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        power: float = 0,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

d2_tweedie_score: _D2TweedieScore

class _SmapeLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

smape_loss: _SmapeLoss

class _MaseLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        y_train: ArrayLike | None = None,
        scale: float | None = None,
        period: int = 1,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mase_loss: _MaseLoss
