"""Metrics, scorers and the evaluation of saved predictions.

Arguments come in one order everywhere: the true labels, what was predicted, and then options by
keyword. A function that is about any one metric and has none by default, such as :func:`interval` and
:func:`paired_bootstrap_test`, takes the metric before the arrays; one that has a default, such as
:func:`delong_test` and :func:`evaluate`, takes it by keyword.
"""

from __future__ import annotations

from typing import Any

from . import _formulas as _formulas
from ._cells.certified import Certified
from ._chow import chow_predictions, chow_thresholds
from ._evaluation.evaluation import evaluate
from ._evaluation.families import auc_family, auc_family_of_sets
from ._evaluation.grouped import GroupedEvaluation
from ._evaluation.result import Evaluation
from ._pairs.kernels import DifferenceFunction
from ._passed_through import PASSED_THROUGH
from ._passed_through import missing as _missing
from ._records.counts import Counts
from ._records.prevalence import posterior_probability, prevalence_weights
from ._registry.declare import METRICS, declare, list_metrics
from ._scorers.by_group import group_scorer
from ._scorers.scorers import get_scorer, get_scorer_names, get_scorers, one_pass_scorer
from .accumulation import MetricAccumulator
from .comparisons import (
    ComparisonResult,
    CriticalDifferenceDisplay,
    NetReclassification,
    PairwiseResult,
    chi_squared_test,
    cochran_q_test,
    critical_difference,
    delong_test,
    friedman_test,
    integrated_discrimination_improvement,
    mcnemar_test,
    nemenyi_test,
    net_reclassification,
    paired_bootstrap_test,
    paired_permutation_test,
    permutation_test,
    proportion_test,
    spiegelhalter_test,
    two_table_test,
    wilcoxon_holm_test,
)
from .curves import (
    CostCurve,
    DecisionCurve,
    HullComparison,
    Isometrics,
    LinearDensityModel,
    MeanCurve,
    PrecisionRecallCurve,
    ProbRocCurve,
    RiskCoverageCurve,
    RocCurve,
    ScorRocCurve,
    ThresholdCurves,
    brier_curve,
    compare_hulls,
    compare_precision_recall,
    cost_curve,
    decision_curve,
    isometrics,
    mean_curve,
    one_vs_rest_curves,
    precision_recall_curve,
    prob_roc_curve,
    risk_coverage_curve,
    roc_curve,
    scor_roc_curve,
    threshold_curves,
)
from .displays import (
    ConfusionDisplay,
    CostDisplay,
    DecisionDisplay,
    DetDisplay,
    ForestDisplay,
    GainDisplay,
    IsometricsDisplay,
    PrecisionRecallDisplay,
    ProbRocDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    RocDisplay,
    ScoreDisplay,
    ScorRocDisplay,
    ThresholdDisplay,
)
from .intervals import (
    Interval,
    JackknifeEstimate,
    PrecisionRecallBand,
    ReliabilityCurve,
    RocBand,
    decision_band,
    interval,
    interval_at_prevalence,
    interval_at_threshold,
    intervals,
    jackknife,
    precision_recall_band,
    reliability_curve,
    roc_band,
)
from .pages import report_evaluation, report_predictions
from .planning import (
    SampleSize,
    rate_power,
    rate_sample_size,
    roc_auc_difference_power,
    roc_auc_difference_sample_size,
    roc_auc_power,
    roc_auc_sample_size,
)
from .reports import (
    ReportTable,
    classification_report,
    report_table,
)

_METRICS = PASSED_THROUGH | {function.__name__: function for function in METRICS.values()}
globals().update(_METRICS)

__all__ = [
    "Certified",
    "ReportTable",
    "classification_report",
    "report_table",
    "ComparisonResult",
    "ConfusionDisplay",
    "Counts",
    "CriticalDifferenceDisplay",
    "DifferenceFunction",
    "Evaluation",
    "DetDisplay",
    "ForestDisplay",
    "GainDisplay",
    "GroupedEvaluation",
    "CostCurve",
    "CostDisplay",
    "DecisionCurve",
    "DecisionDisplay",
    "ReliabilityCurve",
    "reliability_curve",
    "HullComparison",
    "Interval",
    "JackknifeEstimate",
    "Isometrics",
    "IsometricsDisplay",
    "LinearDensityModel",
    "MeanCurve",
    "MetricAccumulator",
    "NetReclassification",
    "PairwiseResult",
    "PrecisionRecallBand",
    "PrecisionRecallCurve",
    "PrecisionRecallDisplay",
    "ProbRocCurve",
    "ProbRocDisplay",
    "ReliabilityDisplay",
    "RiskCoverageCurve",
    "RiskCoverageDisplay",
    "RocBand",
    "RocCurve",
    "RocDisplay",
    "SampleSize",
    "ScorRocCurve",
    "ScorRocDisplay",
    "ScoreDisplay",
    "ThresholdCurves",
    "ThresholdDisplay",
    "auc_family",
    "auc_family_of_sets",
    "chow_predictions",
    "chow_thresholds",
    "chi_squared_test",
    "cochran_q_test",
    "brier_curve",
    "compare_hulls",
    "compare_precision_recall",
    "cost_curve",
    "critical_difference",
    "decision_band",
    "decision_curve",
    "declare",
    "delong_test",
    "evaluate",
    "friedman_test",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "group_scorer",
    "interval",
    "interval_at_prevalence",
    "interval_at_threshold",
    "intervals",
    "isometrics",
    "jackknife",
    "list_metrics",
    "integrated_discrimination_improvement",
    "mcnemar_test",
    "mean_curve",
    "nemenyi_test",
    "net_reclassification",
    "one_pass_scorer",
    "one_vs_rest_curves",
    "paired_bootstrap_test",
    "paired_permutation_test",
    "permutation_test",
    "proportion_test",
    "posterior_probability",
    "precision_recall_band",
    "precision_recall_curve",
    "prevalence_weights",
    "prob_roc_curve",
    "rate_power",
    "rate_sample_size",
    "report_evaluation",
    "report_predictions",
    "risk_coverage_curve",
    "roc_auc_difference_power",
    "roc_auc_difference_sample_size",
    "roc_auc_power",
    "roc_auc_sample_size",
    "roc_band",
    "roc_curve",
    "scor_roc_curve",
    "spiegelhalter_test",
    "threshold_curves",
    "two_table_test",
    "wilcoxon_holm_test",
    *_METRICS,
]


def __getattr__(name: str) -> Any:
    raise _missing(name)
