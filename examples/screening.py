"""
Rare findings, several visits a patient: where to put the threshold?
====================================================================

Some 3 % of the visits show the disease, no more than a tenth of the cases may be missed, and visits of
one patient resemble each other. The threshold is chosen inside the folds, patients stay together, and
what the threshold promises is evaluated on patients that took no part in the choice.
"""

# %%
# Made data: 600 patients with four visits each.
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import Decisions, nested_cross_validate

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(600), 4)
risk = rng.normal(size=600)
ill = (risk + rng.normal(0, 0.5, 600) > 2.1)[patient] & (rng.random(2400) < 0.9)
X = risk[patient, None] + rng.normal(0, [0.4, 0.7, 3.0], size=(2400, 3))
y = np.where(ill, "ill", "well")

# %%
# The log loss chooses C; of the thresholds with a recall of at least .9 on inner predictions, the one
# with the best precision is taken.
result = nested_cross_validate(
    make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    {"logisticregression__C": [0.01, 0.1, 1]},
    X,
    y,
    groups=patient,
    scoring=["neg_log_loss", "average_precision", "recall", "precision"],
    refit="neg_log_loss",
    decisions=Decisions(threshold={"precision": {"recall": (">=", 0.9)}}),
    outer_cv=StratifiedGroupKFold(5),
    inner_cv=StratifiedGroupKFold(4),
    pos_label="ill",
)
print(result.summary(metrics=["recall", "precision"]))

# %%
# With so few cases a recall of .9 on the inner folds is no promise: the interval says what to expect.
found = result.interval("recall")
print(f"Recall {found.estimate:.2f}, 95 % interval {found.low:.2f} to {found.high:.2f}")

# %%
from matplotlib import pyplot

from skaucx.displays import ForestDisplay

ForestDisplay.from_intervals({name: result.interval(name) for name in result.test_scores})
pyplot.show()
