"""Where intervals cover less than they should: the cells below 92 % of a simulated table.

``python -m benchmarks.coverage`` prints :data:`BELOW` below the table of
``benchmarks/results/coverage.md``: how many of the nominal 95 % intervals by default contain the value
of the population. A sample has the row of the greatest size of :data:`SIZES` that it reaches: of rows
the number of the rarest class decides, of groups their number. Below 92 % the note of an interval says
so, below 88 % there is no interval at that size; methods on request are as they are. Of several classes
the table has macro averages.
"""

from __future__ import annotations

from collections.abc import Mapping

_TWO, _SEVERAL, _GROUPS = "rows of a class", "rows of the rarest of several classes", "groups"
# The sizes of the designs of the table.
SIZES = {_TWO: (5, 20, 25, 50, 500), _SEVERAL: (3, 9), _GROUPS: (10, 30, 100)}
# By metric and size; a size that is not there covers 92 % or more.
BELOW: Mapping[str, Mapping[str, Mapping[int, float]]] = {
    _TWO: {
        "bedroc": {25: 79.9, 50: 83.7},
        "chow_cost_loss": {5: 91.3},
        "log_loss": {5: 91.8},
        "macro_averaged_mean_absolute_error": {5: 91.2},
        "mm1_auc": {5: 86.1, 50: 88.5},
        "mm4_auc": {5: 87.6, 50: 90.4},
        "mm6_auc": {5: 88.9, 50: 90.4},
        "mm7_auc": {5: 88.7},
        "negative_likelihood_ratio": {5: 91.2},
        "negative_predictive_likelihood_ratio": {5: 90.8},
        "population_attributable_fraction": {5: 88.4, 20: 91.9, 25: 91.8},
        "precision_at_recall": {5: 89.2},
        "recall_at_precision": {5: 88.1},
        "specificity_at_sensitivity": {5: 65.8, 20: 91.5, 50: 91.4},
        "two_way_partial_auc": {5: 90.0},
    },
    _SEVERAL: {
        "adjusted_f": {3: 89.2},
        "adjusted_g_mean": {3: 85.9},
        "auc_mu": {3: 86.1, 9: 91.7},
        "average_precision": {3: 87.0},
        "balanced_accuracy": {3: 90.2},
        "bedroc": {3: 84.1},
        "break_even_point": {3: 89.9},
        "classification_success_index": {3: 88.9},
        "distance_index": {3: 84.2},
        "false_negative_rate": {3: 80.4, 9: 91.8},
        "g_mean": {3: 83.8},
        "gini": {3: 91.2},
        "index_of_balanced_accuracy": {3: 77.9, 9: 91.1},
        "informedness": {3: 84.4},
        "kulczynski_index": {3: 88.9},
        "label_auc": {3: 84.4},
        "lift": {3: 71.4},
        "macro_averaged_mean_absolute_error": {3: 90.6, 9: 90.3},
        "mm11_auc": {3: 85.0},
        "mm1_auc": {3: 60.9, 9: 76.3},
        "mm4_auc": {3: 69.4, 9: 79.8},
        "mm6_auc": {3: 70.3, 9: 80.1},
        "mm7_auc": {3: 78.9, 9: 90.1},
        "negative_likelihood_ratio": {3: 82.8},
        "optimized_precision": {3: 87.2},
        "overlap_coefficient": {3: 80.2},
        "p4": {3: 90.5},
        "partial_roc_auc": {3: 91.2},
        "pointwise_mutual_information": {3: 90.3},
        "population_attributable_fraction": {3: 83.8},
        "positive_likelihood_ratio": {3: 91.2},
        "pr_auc": {3: 86.5, 9: 91.6},
        "pr_gain_auc": {3: 75.5, 9: 90.2},
        "precision_at_recall": {3: 78.0, 9: 91.9},
        "precision_lift": {3: 80.6},
        "prevalence_threshold": {3: 88.0},
        "prob_auc": {3: 85.0},
        "recall": {3: 80.4, 9: 91.8},
        "recall_at_k": {3: 72.1},
        "recall_at_precision": {3: 79.3, 9: 89.5},
        "relative_risk": {3: 89.8},
        "robust_initial_enhancement": {3: 78.5},
        "roc_auc": {3: 91.2},
        "scor_auc": {3: 84.8},
        "sensitivity_at_specificity": {3: 88.8},
        "similarity_index": {3: 84.2},
        "soft_auc": {3: 87.8},
        "sond_auc": {3: 88.3},
        "specificity_at_sensitivity": {3: 85.2, 9: 87.7},
        "two_way_partial_auc": {3: 90.7},
        "yule_q": {3: 88.6},
        "yule_y": {3: 82.6},
    },
    _GROUPS: {
        "bedroc": {10: 91.1, 30: 91.4},
        "mm1_auc": {10: 86.9, 30: 85.0, 100: 88.5},
        "mm4_auc": {10: 87.1, 30: 86.1, 100: 88.0},
        "mm6_auc": {10: 87.1, 30: 86.1, 100: 88.0},
        "mm7_auc": {10: 88.2, 30: 87.4, 100: 87.8},
        "optimized_precision": {30: 91.2},
        "precision_at_recall": {10: 86.1, 30: 88.2, 100: 91.4},
        "specificity_at_sensitivity": {10: 86.9, 30: 88.2, 100: 90.8},
    },
}
ENOUGH, LEAST = 92.0, 88.0

NOTE = (
    "95 % intervals of this metric at {} {} contained the true value in {:g} % of simulated samples"
)


def noun_of(classes: int, grouped: bool) -> str:
    """Return what the size of a sample counts."""
    if grouped:
        return _GROUPS
    return _SEVERAL if classes > 2 else _TWO


def coverage_below(metric: str, noun: str, size: float) -> tuple[bool, str]:
    """Return whether a metric has an interval at a size, and what to say of its coverage if low."""
    held = [each for each in SIZES[noun] if each <= size]
    row = max(held, default=SIZES[noun][0])
    found = BELOW[noun].get(metric, {}).get(row, 100.0)
    return found >= LEAST, NOTE.format(row, noun, found) if found < ENOUGH else ""
