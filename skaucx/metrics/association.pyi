"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from typing import Any, Literal

from numpy.typing import ArrayLike

from skaucx.metrics import _Metric, _OfCounts

class _ScottPi(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

scott_pi: _ScottPi

class _GwetAc1(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

gwet_ac1: _GwetAc1

class _BennettS(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

bennett_s: _BennettS

class _PrevalenceAdjustedKappa(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

prevalence_adjusted_kappa: _PrevalenceAdjustedKappa

class _BangdiwalaB(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

bangdiwala_b: _BangdiwalaB

class _ChanceAgreement(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        shared: bool = False,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

chance_agreement: _ChanceAgreement

class _CramerV(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

cramer_v: _CramerV

class _PhiSquared(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

phi_squared: _PhiSquared

class _ContingencyCoefficient(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

contingency_coefficient: _ContingencyCoefficient

class _NoInformationRate(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

no_information_rate: _NoInformationRate

class _GoodmanKruskalLambda(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        guessed: Literal['true', 'predicted'] = 'true',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

goodman_kruskal_lambda: _GoodmanKruskalLambda

class _RandIndex(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

rand_index: _RandIndex

class _AdjustedRandIndex(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

adjusted_rand_index: _AdjustedRandIndex

class _YuleQ(_OfCounts):
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

yule_q: _YuleQ

class _YuleY(_OfCounts):
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

yule_y: _YuleY

class _DiscriminantPower(_OfCounts):
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

discriminant_power: _DiscriminantPower

class _DPrime(_OfCounts):
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

d_prime: _DPrime

class _RelativeRisk(_OfCounts):
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

relative_risk: _RelativeRisk

class _NegativePredictiveLikelihoodRatio(_OfCounts):
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

negative_predictive_likelihood_ratio: _NegativePredictiveLikelihoodRatio

class _PopulationAttributableFraction(_OfCounts):
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

population_attributable_fraction: _PopulationAttributableFraction

class _KrippendorffAlpha(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        distance: Literal['nominal', 'ordinal', 'interval'] = 'nominal',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

krippendorff_alpha: _KrippendorffAlpha

class _AickinAlpha(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

aickin_alpha: _AickinAlpha
