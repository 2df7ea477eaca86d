"""What the annex of few labels adds to the common tests."""

import numpy as np

from skaucx.gold import GoldLabelPlan, GoldLabels, MetricMonitor
from skaucx.inference import interval

TRUE, SCORE = np.arange(80) % 2, np.random.default_rng(0).random(80)
GOLD = np.arange(80) < 40

RETURNED = {
    "GoldInterval": lambda: interval(
        "roc_auc", TRUE, SCORE, gold=GoldLabels((SCORE > 0.5) * 1, has_gold=GOLD)
    ),
    "MetricMonitor": lambda: MetricMonitor(["recall", "brier_score", "roc_auc"]).update(
        TRUE, (SCORE > 0.5) * 1, SCORE
    ),
}
RETURNED_WITHOUT_FRAME = {"GoldLabelPlan": lambda: GoldLabelPlan(210, 640, 0.03, 10_000)}
RETURNED_FURTHER = {"GoldLabels": lambda: GoldLabels((SCORE > 0.5) * 1, has_gold=GOLD)}
HANDED_OVER = {"GoldLabels": GoldLabels}
