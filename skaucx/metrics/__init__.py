"""Metrics, scorers and the evaluation of saved predictions.

Arguments have one order everywhere: the true labels, the predictions, then options by keyword. A
function of one metric without a default, such as :func:`interval` and
:func:`paired_bootstrap_test`, takes the metric before the arrays; one with a default, such as
:func:`delong_test` and :func:`evaluate`, takes it by keyword.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _formulas as _formulas
from ._cells.certified import Certified
from ._pairs.kernels import DifferenceFunction
from ._passed_through import PASSED_THROUGH
from ._passed_through import missing as _missing
from ._records.counts import Counts
from ._records.prevalence import posterior_probability, prevalence_weights
from ._registry.declare import METRICS, declare, list_metrics

_METRICS = PASSED_THROUGH | {function.__name__: function for function in METRICS.values()}
globals().update(_METRICS)

# The modules of the other names; each is imported at the first access to one of its names, so that
# importing a metric does not import the displays.
_NAMES = {
    "_chow": ("chow_predictions", "chow_thresholds"),
    "_evaluation.evaluation": ("evaluate",),
    "_evaluation.families": ("auc_family", "auc_family_of_sets"),
    "_evaluation.grouped": ("GroupedEvaluation",),
    "_evaluation.result": ("Evaluation",),
    "_scorers.by_group": ("group_scorer",),
    "_scorers.scorers": ("get_scorer", "get_scorer_names", "get_scorers", "one_pass_scorer"),
    "accumulation": ("MetricAccumulator",),
    "comparisons": (
        "ComparisonResult",
        "CriticalDifferenceDisplay",
        "NetReclassification",
        "PairwiseResult",
        "chi_squared_test",
        "cochran_q_test",
        "critical_difference",
        "delong_test",
        "friedman_test",
        "integrated_discrimination_improvement",
        "mcnemar_test",
        "miscalibration_test",
        "nemenyi_test",
        "net_reclassification",
        "paired_bootstrap_test",
        "paired_permutation_test",
        "paired_test",
        "permutation_test",
        "proportion_test",
        "spiegelhalter_test",
        "two_table_test",
        "wilcoxon_holm_test",
    ),
    "curves": (
        "BinormalModel",
        "CostCurve",
        "DecisionCurve",
        "HullComparison",
        "Isometrics",
        "LinearDensityModel",
        "MeanCurve",
        "PrecisionRecallCurve",
        "ProbRocCurve",
        "RiskCoverageCurve",
        "RocCurve",
        "ScorRocCurve",
        "ThresholdCurves",
        "brier_curve",
        "compare_hulls",
        "compare_precision_recall",
        "cost_curve",
        "decision_curve",
        "isometrics",
        "mean_curve",
        "one_vs_rest_curves",
        "precision_recall_curve",
        "prob_roc_curve",
        "risk_coverage_curve",
        "roc_curve",
        "scor_roc_curve",
        "threshold_curves",
    ),
    "displays": (
        "ConfusionDisplay",
        "CostDisplay",
        "DecisionDisplay",
        "DetDisplay",
        "ForestDisplay",
        "GainDisplay",
        "IsometricsDisplay",
        "PrecisionRecallDisplay",
        "ProbRocDisplay",
        "ReliabilityDisplay",
        "RiskCoverageDisplay",
        "RocDisplay",
        "ScoreDisplay",
        "ScorRocDisplay",
        "ThresholdDisplay",
    ),
    "estimation": (
        "Interval",
        "JackknifeEstimate",
        "PrecisionRecallBand",
        "ReliabilityCurve",
        "RocBand",
        "decision_band",
        "interval",
        "interval_at_prevalence",
        "interval_at_threshold",
        "intervals",
        "jackknife",
        "precision_recall_band",
        "reliability_curve",
        "roc_band",
    ),
    "pages": ("report_evaluation", "report_predictions"),
    "planning": (
        "SampleSize",
        "rate_power",
        "rate_sample_size",
        "roc_auc_difference_power",
        "roc_auc_difference_sample_size",
        "roc_auc_power",
        "roc_auc_sample_size",
    ),
    "reports": ("ReportTable", "classification_report", "report_table"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Certified",
    "Counts",
    "DifferenceFunction",
    "declare",
    "list_metrics",
    "posterior_probability",
    "prevalence_weights",
    *_MODULE_OF,
    *_METRICS,
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise _missing(name)
    found = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
