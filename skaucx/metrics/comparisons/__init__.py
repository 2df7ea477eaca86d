"""Tests between classifiers: on the same examples, on two samples, over many data sets."""

from __future__ import annotations

from ._bootstrap import paired_bootstrap_test
from ._chance import permutation_test, proportion_test
from ._critical_difference import CriticalDifferenceDisplay
from ._delong import delong_test
from ._matched import cochran_q_test, mcnemar_test
from ._one_model import chi_squared_test, miscalibration_test, spiegelhalter_test
from ._paired import paired_test
from ._permutation import paired_permutation_test
from ._rank_tests import (
    PairwiseResult,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm_test,
)
from ._reclassification import (
    NetReclassification,
    integrated_discrimination_improvement,
    net_reclassification,
)
from ._result import ComparisonResult
from ._two_tables import two_table_test

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
