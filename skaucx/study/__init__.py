"""Comparison of AUC variants as measures: on score sets, in simulations, and in choosing models."""

from __future__ import annotations

from ._displays import (
    BiasVarianceDisplay,
    BreakdownDisplay,
    DifferenceDisplay,
    DisagreementDisplay,
    RegretDisplay,
    SelectionSharesDisplay,
    ValueRangesDisplay,
    ViolationsDisplay,
)
from ._measures import measure_values, parameter_variants
from ._problems import load_keel_problems, load_problems
from ._regret import SelectionRegret, WinLossEqual, measure_regret
from ._sets import (
    SetCollection,
    add_noise,
    all_labellings,
    format_sets,
    narrow_margins,
    narrow_spans,
    parse_sets,
    read_sets,
    sample_labellings,
    sets_of_classifier,
)
from ._simulation import (
    BiasVariance,
    FoldEstimates,
    SelectionShares,
    simulate_bias,
    simulate_folds,
    simulate_selection,
)
from ._tuning import MeasureTuning, tune_measure
from ._violations import (
    Breakdown,
    ErrorViolations,
    PairOrders,
    Tally,
    Violations,
    count_violations,
    pair_orders,
)

__all__ = [
    "BiasVariance",
    "BiasVarianceDisplay",
    "Breakdown",
    "BreakdownDisplay",
    "DifferenceDisplay",
    "DisagreementDisplay",
    "ErrorViolations",
    "FoldEstimates",
    "MeasureTuning",
    "PairOrders",
    "RegretDisplay",
    "SelectionRegret",
    "SelectionShares",
    "SelectionSharesDisplay",
    "SetCollection",
    "Tally",
    "ValueRangesDisplay",
    "Violations",
    "ViolationsDisplay",
    "WinLossEqual",
    "add_noise",
    "all_labellings",
    "count_violations",
    "format_sets",
    "load_keel_problems",
    "load_problems",
    "measure_regret",
    "measure_values",
    "narrow_margins",
    "narrow_spans",
    "pair_orders",
    "parameter_variants",
    "parse_sets",
    "read_sets",
    "sample_labellings",
    "sets_of_classifier",
    "simulate_bias",
    "simulate_folds",
    "simulate_selection",
    "tune_measure",
]
