"""Tests between classifiers: on the same examples, on two samples, over many data sets."""

from __future__ import annotations

from ._comparison_result import ComparisonResult
from ._one_model import (
    chi_squared_test,
    miscalibration_test,
    permutation_test,
    proportion_test,
    spiegelhalter_test,
)
from ._rank_tests import (
    CriticalDifferenceDisplay,
    PairwiseResult,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm_test,
)
from ._two_models import (
    NetReclassification,
    cochran_q_test,
    delong_test,
    group_mean_test,
    integrated_discrimination_improvement,
    mcnemar_test,
    net_reclassification,
    paired_bootstrap_test,
    paired_permutation_test,
    paired_test,
    two_table_test,
)

__all__ = [
    "ComparisonResult",
    "CriticalDifferenceDisplay",
    "NetReclassification",
    "PairwiseResult",
    "chi_squared_test",
    "cochran_q_test",
    "critical_difference",
    "delong_test",
    "friedman_test",
    "group_mean_test",
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
]
