"""
How well will a tuned classifier do on the next patients?
=========================================================

Parameters are chosen from the data, so the data that chose them does not apply to the model. Nested
cross-validation chooses on inner folds and evaluates the whole procedure, its search included, on
outer folds that took no part in the choice.
"""

# %%
# The data are 569 breast tumours, described by thirty measurements each. The malignant ones are what
# the classifier is to find, so they are the positive class, and its name is given once. The log loss,
# which is lowest for the true probabilities, chooses; the other metrics report.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import nested_cross_validate

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
result = nested_cross_validate(
    model,
    {"logisticregression__C": [0.01, 0.1, 1, 10, 100]},
    X,
    y,
    scoring=["neg_log_loss", "roc_auc", "recall", "specificity", "npv"],
    refit="neg_log_loss",
    pos_label="malignant",
    n_jobs=-1,
)
print(result.summary())

# %%
# The intervals are about what this procedure scores on average on data sets of this size. The sentence
# for a paper:
for name in ("roc_auc", "recall", "specificity"):
    mean, found = result.statistics(name).mean, result.interval(name)
    print(f"{name} {mean:.3f} (95 % interval {found.low:.3f} to {found.high:.3f})")

# %%
# The picture needs the extra ``plot``.
from importlib.util import find_spec

if find_spec("matplotlib"):
    from skaucx.displays import ForestDisplay

    ForestDisplay.from_intervals({name: result.interval(name) for name in result.test_scores})
    from matplotlib import pyplot

    pyplot.show()
