"""Metrics with each other's value."""

from skaucx.metrics import list_metrics


def _both_ways(pairs):
    return pairs | {other: name for name, other in pairs.items()}


# When the classes, and with them the scores, are exchanged.
SWAPPED = {row.name: row.name for row in list_metrics() if row.symmetric} | _both_ways(
    {
        "recall": "specificity",
        "npv": "precision",
        "false_negative_rate": "false_positive_rate",
        "false_discovery_rate": "false_omission_rate",
        "type_i_error": "type_ii_error",
        "true_negatives": "true_positives",
    }
)
# When truth and prediction are exchanged.
_ITSELF = [
    "true_positives", "true_negatives", "f1", "fowlkes_mallows_index", "p4", "jaccard",
    "gilbert_skill", "diagnostic_odds_ratio", "accuracy", "zero_one_loss",
    "matthews_corrcoef", "cohen_kappa", "scott_pi", "gwet_ac1", "bennett_s",
    "prevalence_adjusted_kappa", "bangdiwala_b", "chance_agreement", "cramer_v",
    "phi_squared", "contingency_coefficient", "rand_index", "adjusted_rand_index",
    "macro_accuracy", "mutual_information", "confusion_entropy", "precision_lift",
    "pointwise_mutual_information", "hamming_loss", "yule_q", "yule_y", "discriminant_power",
    "krippendorff_alpha", "aickin_alpha", "overlap_coefficient", "braun_blanquet",
    "kulczynski_index", "classification_success_index", "bray_curtis_dissimilarity",
    "mean_squared_error", "root_mean_squared_error", "mean_absolute_error",
    "median_absolute_error", "max_error", "mean_squared_log_error",
    "root_mean_squared_log_error", "smape_loss",
]  # fmt: skip
TRANSPOSED = {name: name for name in _ITSELF} | _both_ways(
    {
        "precision": "recall",
        "npv": "specificity",
        "false_discovery_rate": "false_negative_rate",
        "false_omission_rate": "false_positive_rate",
        "type_i_error": "type_ii_error",
        "informedness": "markedness",
    }
)
