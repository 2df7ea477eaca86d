"""
How do scikit-learn's own searches optimise a metric that it lacks?
===================================================================

Every metric has a scorer that ``GridSearchCV`` and its kin take. The positive class is named once, and
a value that is undefined in some fold never beats one that is defined.
"""

# %%
# Who sends a patient home wants the negative calls to hold: the negative predictive value.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import get_scorer, one_pass_scorer

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
grid = {"logisticregression__C": [0.01, 0.1, 1, 10, 100]}
search = GridSearchCV(model, grid, scoring=get_scorer("npv", pos_label="malignant")).fit(X, y)
print(f"best by NPV: {search.best_params_}, NPV {search.best_score_:.4f}")

# %%
# Several metrics at once predict, count and rank a single time per fold.
many = one_pass_scorer(["neg_log_loss", "roc_auc", "recall", "npv"], pos_label="malignant")
search = GridSearchCV(model, grid, scoring=many, refit="neg_log_loss").fit(X, y)
print(f"best by log loss: {search.best_params_}")
for name in many.names:
    print(f"  {name:12} {search.cv_results_[f'mean_test_{name}'][search.best_index_]:.4f}")

# %%
# The mean of the inner folds over the grid; the best of it is optimistic, which is what nested
# cross-validation is for.
from matplotlib import pyplot

for name in ("recall", "npv"):
    pyplot.semilogx(
        grid["logisticregression__C"], search.cv_results_[f"mean_test_{name}"], label=name
    )
pyplot.xlabel("C")
pyplot.legend()
pyplot.show()
