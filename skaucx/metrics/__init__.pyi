"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._registry.row import Metric

from . import association as association
from . import calibration as calibration
from . import costs as costs
from . import imbalance as imbalance
from . import information as information
from . import rejection as rejection
from . import similarity as similarity

from ..displays import (
    ConfusionMatrixDisplay as ConfusionMatrixDisplay,
    DetCurveDisplay as DetCurveDisplay,
    PrecisionRecallDisplay as PrecisionRecallDisplay,
    RocCurveDisplay as RocCurveDisplay,
)
from ..evaluation import (
    auc_family as auc_family,
)
from ._records.counts import (
    Counts as Counts,
)
from ._registry.declare import (
    declare as declare,
    list_metrics as list_metrics,
)
from ._registry.names import (
    list_sets as list_sets,
)
from ._scorers.scorers import (
    get_scorer as get_scorer,
    get_scorer_names as get_scorer_names,
    get_scorers as get_scorers,
    one_pass_scorer as one_pass_scorer,
)
from .curves import (
    decision_curve as decision_curve,
    precision_recall_curve as precision_recall_curve,
    prob_roc_curve as prob_roc_curve,
    risk_coverage_curve as risk_coverage_curve,
    roc_curve as roc_curve,
    scor_roc_curve as scor_roc_curve,
    threshold_curves as threshold_curves,
)
from sklearn.metrics import (
    auc as auc,
    check_scoring as check_scoring,
    class_likelihood_ratios as class_likelihood_ratios,
    classification_report as classification_report,
    confusion_matrix as confusion_matrix,
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    coverage_error as coverage_error,
    dcg_score as dcg_score,
    det_curve as det_curve,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss,
    make_scorer as make_scorer,
    metric_at_thresholds as metric_at_thresholds,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
    ndcg_score as ndcg_score,
    precision_recall_fscore_support as precision_recall_fscore_support,
)

class _Metric:
    def __call__(self, *arrays: Any, **options: Any) -> Any: ...
    __name__: str
    metric: Metric
    options: Mapping[str, Parameter]

class _OfCounts(_Metric):
    def from_counts(
        self,
        tp: ArrayLike | Counts,
        fp: ArrayLike | None = None,
        fn: ArrayLike | None = None,
        tn: ArrayLike | None = None,
        *,
        zero_division: float | Literal["warn"] = "warn",
        **parameters: Any,
    ) -> Any: ...
    def from_table(
        self, table: ArrayLike, *, zero_division: float | Literal["warn"] = "warn", **options: Any
    ) -> Any: ...

class _RecallScore(_OfCounts):
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

recall_score: _RecallScore

class _SpecificityScore(_OfCounts):
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

specificity_score: _SpecificityScore

class _PrecisionScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        prevalence: float | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

precision_score: _PrecisionScore

class _NpvScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        prevalence: float | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

npv_score: _NpvScore

class _FalseNegativeRate(_OfCounts):
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

false_negative_rate: _FalseNegativeRate

class _FalsePositiveRate(_OfCounts):
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

false_positive_rate: _FalsePositiveRate

class _FalseDiscoveryRate(_OfCounts):
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

false_discovery_rate: _FalseDiscoveryRate

class _FalseOmissionRate(_OfCounts):
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

false_omission_rate: _FalseOmissionRate

class _TypeIError(_OfCounts):
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

type_i_error: _TypeIError

class _TypeIiError(_OfCounts):
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

type_ii_error: _TypeIiError

class _TruePositives(_OfCounts):
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

true_positives: _TruePositives

class _TrueNegatives(_OfCounts):
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

true_negatives: _TrueNegatives

class _Prevalence(_OfCounts):
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

prevalence: _Prevalence

class _F1Score(_OfCounts):
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

f1_score: _F1Score

class _FbetaScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        beta: float,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

fbeta_score: _FbetaScore

class _GMeanScore(_OfCounts):
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

g_mean_score: _GMeanScore

class _FowlkesMallowsIndex(_OfCounts):
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

fowlkes_mallows_index: _FowlkesMallowsIndex

class _InformednessScore(_OfCounts):
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

informedness_score: _InformednessScore

class _MarkednessScore(_OfCounts):
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

markedness_score: _MarkednessScore

class _P4Score(_OfCounts):
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

p4_score: _P4Score

class _JaccardScore(_OfCounts):
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

jaccard_score: _JaccardScore

class _GilbertSkillScore(_OfCounts):
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

gilbert_skill_score: _GilbertSkillScore

class _PositiveLikelihoodRatio(_OfCounts):
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

positive_likelihood_ratio: _PositiveLikelihoodRatio

class _NegativeLikelihoodRatio(_OfCounts):
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

negative_likelihood_ratio: _NegativeLikelihoodRatio

class _DiagnosticOddsRatio(_OfCounts):
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

diagnostic_odds_ratio: _DiagnosticOddsRatio

class _PrevalenceThreshold(_OfCounts):
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

prevalence_threshold: _PrevalenceThreshold

class _AccuracyScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        normalize: bool = True,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

accuracy_score: _AccuracyScore

class _ZeroOneLoss(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        normalize: bool = True,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

zero_one_loss: _ZeroOneLoss

class _BalancedAccuracyScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        adjusted: bool = False,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

balanced_accuracy_score: _BalancedAccuracyScore

class _MatthewsCorrcoef(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

matthews_corrcoef: _MatthewsCorrcoef

class _CohenKappaScore(_OfCounts):
    def __call__(
        self,
        y1: ArrayLike,
        y2: ArrayLike,
        *,
        weights: Literal['linear', 'quadratic'] | None = None,
        replace_undefined_by: float = ...,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

cohen_kappa_score: _CohenKappaScore

class _ExpectedCost(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        cost: Any,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

expected_cost: _ExpectedCost

class _PartialRocAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardize: bool = False,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

partial_roc_auc_score: _PartialRocAucScore

class _AveragePrecisionScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'ovr',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

average_precision_score: _AveragePrecisionScore

class _PrAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        interpolation: Literal['hyperbolic', 'linear'] = 'hyperbolic',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

pr_auc_score: _PrAucScore

class _BreakEvenPoint(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

break_even_point: _BreakEvenPoint

class _RocAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        max_fpr: float | None = None,
        ties: Literal['half', 'win', 'loss'] = 'half',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

roc_auc_score: _RocAucScore

class _GiniScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

gini_score: _GiniScore

class _ProbAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

prob_auc_score: _ProbAucScore

class _ScorAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

scor_auc_score: _ScorAucScore

class _SondAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        q: float = 0.14285714285714285,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

sond_auc_score: _SondAucScore

class _SoftAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        beta: float = 7.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

soft_auc_score: _SoftAucScore

class _Mm1AucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        base: Literal["scor", "sond", "soft"] = 'scor',
        q: float = 0.14285714285714285,
        beta: float = 7.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

mm1_auc_score: _Mm1AucScore

class _Mm4AucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        floor: float = 0.5,
        base: Literal["scor", "sond", "soft"] = 'scor',
        q: float = 0.14285714285714285,
        beta: float = 7.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

mm4_auc_score: _Mm4AucScore

class _Mm6AucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        floor: float = 0.5,
        auc_power: float = 0.9,
        margin_power: float = 0.0625,
        base: Literal["scor", "sond", "soft"] = 'scor',
        q: float = 0.14285714285714285,
        beta: float = 7.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

mm6_auc_score: _Mm6AucScore

class _Mm7AucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        floor: float = 0.5,
        auc_power: float = 0.9,
        margin_power: float = 0.0625,
        base: Literal["scor", "sond", "soft"] = 'scor',
        q: float = 0.14285714285714285,
        beta: float = 7.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

mm7_auc_score: _Mm7AucScore

class _Mm11AucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

mm11_auc_score: _Mm11AucScore

class _PairwiseAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        difference: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        rescale: Literal["minmax", "expit"] | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

pairwise_auc_score: _PairwiseAucScore

class _LogLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        normalize: bool = True,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

log_loss: _LogLoss

class _BrierScoreLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        scale_by_half: Literal['auto', True, False] = 'auto',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

brier_score_loss: _BrierScoreLoss

class _D2LogLossScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

d2_log_loss_score: _D2LogLossScore

class _D2BrierScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

d2_brier_score: _D2BrierScore

class _BinnedCalibrationError(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        norm: Literal['l1', 'l2', 'max'] = 'l1',
        n_bins: int = 15,
        strategy: Literal['uniform', 'quantile'] = 'uniform',
        debias: bool = False,
        classes: Literal['top', 'each'] = 'top',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

binned_calibration_error: _BinnedCalibrationError

class _CalibrationSlope(_Metric):
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

calibration_slope: _CalibrationSlope

class _CalibrationIntercept(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        joint: bool = False,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

calibration_intercept: _CalibrationIntercept

class _MiscalibrationComponent(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        loss: Literal['brier', 'log'] = 'brier',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

miscalibration_component: _MiscalibrationComponent

class _DiscriminationComponent(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        loss: Literal['brier', 'log'] = 'brier',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

discrimination_component: _DiscriminationComponent

class _UncertaintyComponent(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        loss: Literal['brier', 'log'] = 'brier',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

uncertainty_component: _UncertaintyComponent

class _HingeLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        pred_decision: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

hinge_loss: _HingeLoss

class _TopKAccuracyScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        k: int = 2,
        normalize: bool = True,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

top_k_accuracy_score: _TopKAccuracyScore

class _PrecisionAtRecallScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        min_recall: float = 0.9,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

precision_at_recall_score: _PrecisionAtRecallScore

class _RecallAtPrecisionScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        min_precision: float = 0.5,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

recall_at_precision_score: _RecallAtPrecisionScore

class _SensitivityAtSpecificityScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        min_specificity: float = 0.9,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

sensitivity_at_specificity_score: _SensitivityAtSpecificityScore

class _SpecificityAtSensitivityScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        min_sensitivity: float = 0.9,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

specificity_at_sensitivity_score: _SpecificityAtSensitivityScore

class _FeasibleScore(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        objective: Any,
        subject_to: dict[Any, tuple[str, float]],
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

feasible_score: _FeasibleScore

class _BestFeasibleScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        objective: Any,
        subject_to: dict[Any, tuple[str, float]],
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

best_feasible_score: _BestFeasibleScore

class _PrecisionAtKScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        share: float = 0.1,
        k: int | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

precision_at_k_score: _PrecisionAtKScore

class _RecallAtKScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        share: float = 0.1,
        k: int | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

recall_at_k_score: _RecallAtKScore

class _LiftScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        share: float = 0.1,
        k: int | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

lift_score: _LiftScore

class _BedrocScore(_Metric):
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

bedroc_score: _BedrocScore

class _HammingLoss(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

hamming_loss: _HammingLoss

class _PredictedPositiveRate(_OfCounts):
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

predicted_positive_rate: _PredictedPositiveRate

class _NetBenefit(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        threshold: float,
        prevalence: float | None = None,
        standardize: bool = False,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

net_benefit: _NetBenefit

class _RankedProbabilityScoreLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

ranked_probability_score_loss: _RankedProbabilityScoreLoss

class _AurcLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

aurc_loss: _AurcLoss

class _ExcessAurcLoss(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

excess_aurc_loss: _ExcessAurcLoss

class _ObservedExpectedRatio(_Metric):
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

observed_expected_ratio: _ObservedExpectedRatio

class _IntegratedCalibrationIndex(_Metric):
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

integrated_calibration_index: _IntegratedCalibrationIndex

class _NagelkerkeR2Score(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        kind: Literal['nagelkerke', 'cox-snell'] = 'nagelkerke',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

nagelkerke_r2_score: _NagelkerkeR2Score

class _KsScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

ks_score: _KsScore

class _TwoWayPartialAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        max_fpr: float = 1.0,
        min_tpr: float = 0.5,
        standardize: bool = True,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

two_way_partial_auc_score: _TwoWayPartialAucScore

class _PrGainAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

pr_gain_auc_score: _PrGainAucScore

class _HullAucScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        repair: Literal['hull', 'mirror'] = 'hull',
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

hull_auc_score: _HullAucScore

class _HMeasure(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        severity_ratio: float | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "samples", "weighted"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

h_measure: _HMeasure

class _AucMuScore(_Metric):
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

auc_mu_score: _AucMuScore
