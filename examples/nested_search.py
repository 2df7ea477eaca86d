"""
Can the search inside a nested run be any search?
=================================================

Random draws, successive halving and a threshold chosen on inner predictions all go inside; the
outer folds evaluate each procedure in the same way.
"""

# %%
# Six hundred made examples, a tenth of them positive.
from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import Decisions, NestedCV

X, y = make_classification(
    n_samples=600, n_informative=4, weights=[0.9], flip_y=0.02, random_state=0
)
metrics = ["neg_log_loss", "roc_auc", "balanced_accuracy"]
scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

# %%
# Eight random draws shared by all folds; the same with a threshold chosen on inner predictions; and a
# tree by successive halving, one search per outer fold.
draws = {"logisticregression__C": loguniform(1e-3, 10)}
random = RandomizedSearchCV(scaled, draws, n_iter=8, random_state=0)
shared = {"scoring": metrics, "refit": "neg_log_loss"}
halving = HalvingGridSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [5, 20]},
    scoring="neg_log_loss",
    random_state=0,
)
procedures = {
    "random draws": NestedCV(random, **shared),
    "with a threshold": NestedCV(
        random, decisions=Decisions(threshold="balanced_accuracy"), **shared
    ),
    "halving, a tree": NestedCV(halving, scoring=metrics),
}
results = {name: nested.fit(X, y).result_ for name, nested in procedures.items()}
for name, result in results.items():
    found = {metric: result.statistics(metric).mean for metric in metrics}
    print(f"{name:17}", "  ".join(f"{metric} {mean:.3f}" for metric, mean in found.items()))

# %%
from matplotlib import pyplot

from skaucx.displays import ForestDisplay

ForestDisplay.from_intervals(
    {
        name: {metric: result.interval(metric) for metric in metrics[1:]}
        for name, result in results.items()
    }
)
pyplot.show()
