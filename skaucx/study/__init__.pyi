"""Public names of the study of measures."""

from ._displays import (
    BreakdownDisplay as BreakdownDisplay,
    DifferenceDisplay as DifferenceDisplay,
    ValueRangesDisplay as ValueRangesDisplay,
    ViolationsDisplay as ViolationsDisplay,
)
from ._measures import (
    measure_values as measure_values,
    parameter_variants as parameter_variants,
)
from ._problems import (
    load_problems as load_problems,
)
from ._regret import (
    SelectionRegret as SelectionRegret,
    measure_regret as measure_regret,
)
from ._sets import (
    SetCollection as SetCollection,
    add_noise as add_noise,
    all_labellings as all_labellings,
    format_sets as format_sets,
    narrow_margins as narrow_margins,
    narrow_spans as narrow_spans,
    parse_sets as parse_sets,
    read_sets as read_sets,
    sample_labellings as sample_labellings,
    sets_of_classifier as sets_of_classifier,
)
from ._simulation import (
    BiasVariance as BiasVariance,
    FoldEstimates as FoldEstimates,
    SelectionShares as SelectionShares,
    simulate_bias as simulate_bias,
    simulate_folds as simulate_folds,
    simulate_selection as simulate_selection,
)
from ._tuning import (
    MeasureTuning as MeasureTuning,
    tune_measure as tune_measure,
)
from ._violations import (
    Breakdown as Breakdown,
    ErrorViolations as ErrorViolations,
    PairOrders as PairOrders,
    Tally as Tally,
    Violations as Violations,
    count_violations as count_violations,
    pair_orders as pair_orders,
)
