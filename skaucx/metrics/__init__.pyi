"""Written by ``python tests/stubs.py`` from the registry of metrics."""

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._registry.row import Metric

from ._cells.certified import (
    Certified as Certified,
)
from ._chow import (
    chow_predictions as chow_predictions,
    chow_thresholds as chow_thresholds,
)
from ._evaluation.evaluation import (
    evaluate as evaluate,
)
from ._evaluation.families import (
    auc_family as auc_family,
    auc_family_of_sets as auc_family_of_sets,
)
from ._evaluation.grouped import (
    GroupedEvaluation as GroupedEvaluation,
)
from ._evaluation.result import (
    Evaluation as Evaluation,
)
from ._pairs.kernels import (
    DifferenceFunction as DifferenceFunction,
)
from ._records.counts import (
    Counts as Counts,
)
from ._records.prevalence import (
    posterior_probability as posterior_probability,
    prevalence_weights as prevalence_weights,
)
from ._registry.declare import (
    declare as declare,
    list_metrics as list_metrics,
)
from ._scorers.by_group import (
    group_scorer as group_scorer,
)
from ._scorers.scorers import (
    get_scorer as get_scorer,
    get_scorer_names as get_scorer_names,
    get_scorers as get_scorers,
    one_pass_scorer as one_pass_scorer,
)
from .accumulation import (
    MetricAccumulator as MetricAccumulator,
)
from .comparisons import (
    ComparisonResult as ComparisonResult,
    CriticalDifferenceDisplay as CriticalDifferenceDisplay,
    NetReclassification as NetReclassification,
    PairwiseResult as PairwiseResult,
    chi_squared_test as chi_squared_test,
    cochran_q_test as cochran_q_test,
    critical_difference as critical_difference,
    delong_test as delong_test,
    friedman_test as friedman_test,
    integrated_discrimination_improvement as integrated_discrimination_improvement,
    mcnemar_test as mcnemar_test,
    miscalibration_test as miscalibration_test,
    nemenyi_test as nemenyi_test,
    net_reclassification as net_reclassification,
    paired_bootstrap_test as paired_bootstrap_test,
    paired_permutation_test as paired_permutation_test,
    paired_test as paired_test,
    permutation_test as permutation_test,
    proportion_test as proportion_test,
    spiegelhalter_test as spiegelhalter_test,
    two_table_test as two_table_test,
    wilcoxon_holm_test as wilcoxon_holm_test,
)
from .curves import (
    BinormalModel as BinormalModel,
    CostCurve as CostCurve,
    DecisionCurve as DecisionCurve,
    HullComparison as HullComparison,
    Isometrics as Isometrics,
    LinearDensityModel as LinearDensityModel,
    MeanCurve as MeanCurve,
    PrecisionRecallCurve as PrecisionRecallCurve,
    ProbRocCurve as ProbRocCurve,
    RiskCoverageCurve as RiskCoverageCurve,
    RocCurve as RocCurve,
    ScorRocCurve as ScorRocCurve,
    ThresholdCurves as ThresholdCurves,
    brier_curve as brier_curve,
    compare_hulls as compare_hulls,
    compare_precision_recall as compare_precision_recall,
    cost_curve as cost_curve,
    decision_curve as decision_curve,
    isometrics as isometrics,
    mean_curve as mean_curve,
    one_vs_rest_curves as one_vs_rest_curves,
    precision_recall_curve as precision_recall_curve,
    prob_roc_curve as prob_roc_curve,
    risk_coverage_curve as risk_coverage_curve,
    roc_curve as roc_curve,
    scor_roc_curve as scor_roc_curve,
    threshold_curves as threshold_curves,
)
from .displays import (
    ConfusionDisplay as ConfusionDisplay,
    CostDisplay as CostDisplay,
    DecisionDisplay as DecisionDisplay,
    DetDisplay as DetDisplay,
    ForestDisplay as ForestDisplay,
    GainDisplay as GainDisplay,
    IsometricsDisplay as IsometricsDisplay,
    PrecisionRecallDisplay as PrecisionRecallDisplay,
    ProbRocDisplay as ProbRocDisplay,
    ReliabilityDisplay as ReliabilityDisplay,
    RiskCoverageDisplay as RiskCoverageDisplay,
    RocDisplay as RocDisplay,
    ScoreDisplay as ScoreDisplay,
    ScorRocDisplay as ScorRocDisplay,
    ThresholdDisplay as ThresholdDisplay,
)
from .estimation import (
    Interval as Interval,
    JackknifeEstimate as JackknifeEstimate,
    PrecisionRecallBand as PrecisionRecallBand,
    ReliabilityCurve as ReliabilityCurve,
    RocBand as RocBand,
    decision_band as decision_band,
    interval as interval,
    interval_at_prevalence as interval_at_prevalence,
    interval_at_threshold as interval_at_threshold,
    intervals as intervals,
    jackknife as jackknife,
    precision_recall_band as precision_recall_band,
    reliability_curve as reliability_curve,
    roc_band as roc_band,
)
from .pages import (
    report_evaluation as report_evaluation,
    report_predictions as report_predictions,
)
from .planning import (
    SampleSize as SampleSize,
    rate_power as rate_power,
    rate_sample_size as rate_sample_size,
    roc_auc_difference_power as roc_auc_difference_power,
    roc_auc_difference_sample_size as roc_auc_difference_sample_size,
    roc_auc_power as roc_auc_power,
    roc_auc_sample_size as roc_auc_sample_size,
)
from .reports import (
    ReportTable as ReportTable,
    classification_report as classification_report,
    report_table as report_table,
)
from sklearn.metrics import (
    ConfusionMatrixDisplay as ConfusionMatrixDisplay,
    DetCurveDisplay as DetCurveDisplay,
    RocCurveDisplay as RocCurveDisplay,
    auc as auc,
    check_scoring as check_scoring,
    class_likelihood_ratios as class_likelihood_ratios,
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

jaccard_score: _JaccardScore

class _PositiveLikelihoodRatio(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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

class _InformationScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        relative: bool = False,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

information_score: _InformationScore

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

class _CalibrationError(_Metric):
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

calibration_error: _CalibrationError

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

class _Miscalibration(_Metric):
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

miscalibration: _Miscalibration

class _Discrimination(_Metric):
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

discrimination: _Discrimination

class _Uncertainty(_Metric):
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

uncertainty: _Uncertainty

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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

lift_score: _LiftScore

class _RobustInitialEnhancement(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        alpha: float = 20.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

robust_initial_enhancement: _RobustInitialEnhancement

class _BedrocScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        alpha: float = 20.0,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
        multi_class: Literal["raise", "ovr", "ovo"] = 'raise',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

bedroc_score: _BedrocScore

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

class _OptimizedPrecision(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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

class _MutualInformation(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

mutual_information: _MutualInformation

class _TheilU(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

theil_u: _TheilU

class _ClassEntropy(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        of: Literal['true', 'predicted', 'both'] = 'true',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

class_entropy: _ClassEntropy

class _ConditionalEntropy(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        given: Literal['true', 'predicted'] = 'true',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

conditional_entropy: _ConditionalEntropy

class _ClassDivergence(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

class_divergence: _ClassDivergence

class _ClassCrossEntropy(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

class_cross_entropy: _ClassCrossEntropy

class _ConfusionEntropy(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        modified: bool = False,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> float: ...

confusion_entropy: _ConfusionEntropy

class _PrecisionLift(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

precision_lift: _PrecisionLift

class _PointwiseMutualInformation(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

pointwise_mutual_information: _PointwiseMutualInformation

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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

predicted_positive_rate: _PredictedPositiveRate

class _YuleQ(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

yule_y: _YuleY

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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

net_benefit: _NetBenefit

class _DiscriminantPower(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

relative_risk: _RelativeRisk

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

class _KsScore(_Metric):
    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'macro',
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

class _OverlapCoefficient(_OfCounts):
    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
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
        average: Literal["binary", "macro", "micro", "weighted", "samples"] | None = 'binary',
        sample_weight: ArrayLike | None = None,
        zero_division: float | Literal["warn"] = 'warn',
    ) -> Any: ...

bray_curtis_dissimilarity: _BrayCurtisDissimilarity
