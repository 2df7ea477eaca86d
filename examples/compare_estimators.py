"""
Which of three classifiers should we take?
==========================================

Each classifier is tuned and evaluated on the same nested folds. Differences then come from the
classifiers, not from luckier test rows, and a test says whether they are more than chance.
"""

# %%
# A model without anything to tune takes part as it is.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import compare_estimators

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
result = compare_estimators(
    {
        "logistic": (
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
            {"logisticregression__C": [0.01, 0.1, 1]},
        ),
        "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [2, 4, 8]}),
        "bayes": GaussianNB(),
    },
    X,
    y,
    scoring="roc_auc",
    pos_label="malignant",
)
print(result)

# %%
from matplotlib import pyplot

result.plot_intervals()
pyplot.show()
