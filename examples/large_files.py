"""
How certain is an AUC of five million rows?
===========================================

Rows may come chunk by chunk, from one machine or from many: what is kept is a count of positives and
negatives in cells of the score. The AUC then lies between two bounds that hold for certain, and an
interval says what another sample of that size would give.
"""

# %%
# Five million made scores, one row in a hundred positive, in chunks of half a million.
from collections.abc import Iterator

import numpy as np

from skaucx.scale import MetricAccumulator


def chunks(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        y = rng.random(500_000) < 0.01
        yield y, rng.normal(1.2 * y).astype(np.float32)


# %%
# Two hospitals count on their own machines; no row leaves the house, only counts do.
hospitals = [MetricAccumulator(max_cells=2**16) for _ in range(2)]
for seed, hospital in enumerate(hospitals):
    for y, score in chunks(seed):
        hospital.update(y, y_score=score)
both = hospitals[0].merge(hospitals[1])
print(both.result(["roc_auc", "average_precision", "mm1_auc"]))
print(both.interval("roc_auc"))

# %%
# With so many rows the sample decides less than who was sampled.
from matplotlib import pyplot

from skaucx.displays import ForestDisplay

houses = {"first": hospitals[0], "second": hospitals[1], "both": both}
ForestDisplay.from_intervals(
    {name: {"roc_auc": house.interval("roc_auc")} for name, house in houses.items()}
)
pyplot.show()
