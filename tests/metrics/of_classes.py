"""The metrics of predicted labels or of scores of them.

Those of rejected predictions and of numbers have tests of their own, with the rest of what they are
about: test_rejection.py and tests/regression.
"""

from __future__ import annotations

from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS

OF_CLASSES = {
    name: function
    for name, function in METRICS.items()
    if function.metric.kind.inputs in (LABELS, SCORES)
}
