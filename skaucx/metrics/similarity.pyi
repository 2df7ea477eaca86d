"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _OverlapCoefficient(_OfCounts):
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

overlap_coefficient: _OverlapCoefficient

class _BraunBlanquet(_OfCounts):
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

braun_blanquet: _BraunBlanquet

class _TverskyIndex(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        fn_weight: float = 0.7,
        fp_weight: float = 0.3,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

tversky_index: _TverskyIndex

class _KulczynskiIndex(_OfCounts):
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

kulczynski_index: _KulczynskiIndex

class _ClassificationSuccessIndex(_OfCounts):
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

classification_success_index: _ClassificationSuccessIndex

class _DistanceIndex(_OfCounts):
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

distance_index: _DistanceIndex

class _SimilarityIndex(_OfCounts):
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

similarity_index: _SimilarityIndex

class _ExcessOfCalls(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        normalize: bool = True,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

excess_of_calls: _ExcessOfCalls

class _BrayCurtisDissimilarity(_OfCounts):
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

bray_curtis_dissimilarity: _BrayCurtisDissimilarity
