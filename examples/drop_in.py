"""
What changes with the import line?
==================================

Functions that scikit-learn has too take its arguments and give its values.
"""

# %%
# Both are called on the same thousand made predictions.
import numpy as np
import sklearn.metrics

import skaucx.metrics

rng = np.random.default_rng(0)
y_true = rng.integers(0, 2, 1000)
y_score = np.clip(0.3 * y_true + rng.normal(0.4, 0.2, 1000), 0, 1)
y_pred = (y_score > 0.5).astype(int)
for name in (
    "accuracy_score",
    "f1_score",
    "matthews_corrcoef",
    "cohen_kappa_score",
    "jaccard_score",
):
    ours = getattr(skaucx.metrics, name)(y_true, y_pred)
    theirs = getattr(sklearn.metrics, name)(y_true, y_pred)
    print(f"{name:24} {ours:.12f}  {theirs:.12f}  difference {abs(ours - theirs):.1e}")
for name in ("roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"):
    ours = getattr(skaucx.metrics, name)(y_true, y_score)
    theirs = getattr(sklearn.metrics, name)(y_true, y_score)
    print(f"{name:24} {ours:.12f}  {theirs:.12f}  difference {abs(ours - theirs):.1e}")

# %%
# What is new comes with the same signature, and more: here an interval.
print(skaucx.metrics.specificity_score(y_true, y_pred))
print(skaucx.inference.interval("roc_auc", y_true, y_score))

# %%
from matplotlib import pyplot

skaucx.metrics.RocCurveDisplay.from_predictions(y_true, y_score)
pyplot.show()
