"""The metrics of predicted labels or of scores of them.

Those of rejected predictions and of numbers have tests of their own, with the rest of what they are
about: test_rejection.py and test_forecasts.py.
"""

from __future__ import annotations

from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics.kinds.labels import LABELS
from skaucx.metrics.kinds.scores import SCORES

OF_CLASSES = {
    name: function
    for name, function in METRICS.items()
    if function.metric.kind.inputs in (LABELS, SCORES)
}
