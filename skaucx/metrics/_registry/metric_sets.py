"""Named sets of metrics: which metrics to report for which question, the most important first.

A set is one entry of ``SETS``. To add a metric to a set, add its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MetricSet:
    """A named set of metrics.

    Attributes
    ----------
    name : str
    metrics : tuple of str, metric or scorer
        In order of importance; empty for "all", which has every metric.
    when : str
        When to use the set, in one sentence.
    source : str
        The paper that recommends these metrics: a key of the bibliography, or a reference in full.
    many : tuple
        The metrics for more than two classes, where they differ.
    multilabel : tuple
        The metrics for multilabel indicators, where they differ.
    """

    name: str
    metrics: tuple[Any, ...]
    when: str = ""
    source: str = ""
    many: tuple[Any, ...] = ()
    multilabel: tuple[Any, ...] = ()

    def of(self, *, many: bool = False, multilabel: bool = False) -> Sequence[Any]:
        """Return the metrics for two classes, for many classes, or for multilabel indicators."""
        return (self.multilabel if multilabel else self.many if many else ()) or self.metrics


_REJECTING = ("coverage", "accepted_accuracy", "rejection_quality")
_COSTS = ("savings", "example_cost_loss")

_SETS = (
    MetricSet(
        "default",
        (
            "roc_auc", "average_precision", "log_loss", "brier_score_loss", "calibration_slope",
            "calibration_intercept", "recall", "specificity", "precision", "npv", "f1",
            "matthews_corrcoef", "balanced_accuracy", "accuracy", *_COSTS, *_REJECTING,
        ),
        "A first look: those of these metrics that can be computed from the arrays given.",
        many=(
            "accuracy", "balanced_accuracy", "f1", "precision", "recall", "matthews_corrcoef",
            "cohen_kappa", "roc_auc", "average_precision", "log_loss", "brier_score_loss", *_COSTS,
            *_REJECTING,
        ),
        multilabel=(
            "f1", "precision", "recall", "jaccard", "hamming_loss", "accuracy", "roc_auc",
            "average_precision",
        ),
    ),
    MetricSet(
        "clinical",
        (
            "roc_auc", "observed_expected_ratio", "calibration_intercept", "calibration_slope",
            "integrated_calibration_index", "e50_calibration_error", "e90_calibration_error",
            "estimated_calibration_index", "brier_score_loss", "d2_brier", "log_loss", "d2_log_loss",
            "nagelkerke_r2", "mm11_auc", "net_benefit", "recall", "specificity", "precision", "npv",
        ),
        "A risk model that supports medical decisions: discrimination, calibration, overall "
        "performance and utility, with the classification measures for description; net benefit "
        "requires threshold=.",
        "Van Calster et al. 2025",
    ),
    MetricSet(
        "screening",
        (
            "recall", "specificity", "precision", "npv", "positive_likelihood_ratio",
            "negative_likelihood_ratio", "diagnostic_odds_ratio", "informedness",
            "predicted_positive_rate", "prevalence", "roc_auc",
        ),
        "A screening or diagnostic test with a fixed threshold.",
        "Bossuyt et al. 2015",
    ),
    MetricSet(
        "rare_events",
        (
            "average_precision", "precision_at_k", "recall_at_k", "lift", "precision", "recall", "f1",
            "matthews_corrcoef", "partial_roc_auc", "roc_auc", "log_loss", "savings",
        ),
        "Few positives among many examples, as in fraud detection: the top of the ranking counts.",
        "Saito & Rehmsmeier 2015",
    ),
    MetricSet(
        "multiclass",
        (
            "accuracy", "balanced_accuracy", "f1_macro", "precision_macro", "recall_macro",
            "f1_weighted", "matthews_corrcoef", "cohen_kappa", "roc_auc_ovr", "roc_auc_ovo", "log_loss",
            "brier_score_loss",
        ),
        "More than two classes, each of them as important as the others.",
        "Sokolova & Lapalme 2009",
    ),
    MetricSet(
        "agreement",
        (
            "accuracy", "cohen_kappa", "gwet_ac1", "krippendorff_alpha", "scott_pi", "bennett_s",
            "prevalence_adjusted_kappa", "bangdiwala_b", "chance_agreement",
        ),
        "Two raters, or a rater and a model, neither of which is the truth.",
        "Gwet 2008",
    ),
    MetricSet(
        "ranking",
        (
            "roc_auc", "average_precision", "bedroc", "robust_initial_enhancement", "lift",
            "precision_at_k", "recall_at_k", "partial_roc_auc", "ks", "pr_gain_auc",
        ),
        "Only the order of the scores matters, above all at its top, as in virtual screening.",
        "Truchon & Bayly 2007",
    ),
    MetricSet(
        "auc_variants",
        (
            "roc_auc", "gini", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm4_auc",
            "mm6_auc", "mm7_auc", "mm11_auc",
        ),
        "A study of the variants of the AUC that read score values; not for reporting a model.",
        "Vanderlooy & Huellermeier 2008",
    ),
    MetricSet(
        "survival",
        (
            "harrell_c", "uno_c", "cumulative_dynamic_auc", "survival_brier_loss", "survival_r2",
            "survival_oe_ratio", "survival_calibration_slope", "survival_net_benefit",
        ),
        "Times until an event, some of them censored: discrimination, overall performance, calibration "
        "and utility at a time; most of them require horizon=.",
        "McLernon et al. 2023",
    ),
    MetricSet("all", (), "Every metric that can be computed from the arrays given."),
)  # fmt: skip
SETS: dict[str, MetricSet] = {each.name: each for each in _SETS}
