"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _ExampleCostLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        example_costs: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

example_cost_loss: _ExampleCostLoss

class _SavingsScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        example_costs: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

savings_score: _SavingsScore
