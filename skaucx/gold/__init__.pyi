"""Public names of gold."""

from ._labels import (
    GoldInterval as GoldInterval,
    GoldLabels as GoldLabels,
)
from ._monitor import (MetricMonitor as MetricMonitor)
from ._plan import (
    GoldLabelPlan as GoldLabelPlan,
    plan_gold_labels as plan_gold_labels,
)
